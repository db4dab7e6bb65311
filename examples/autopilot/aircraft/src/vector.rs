//! Three numbers along x, y, z.

use crate::fixed::{by, times};

/// A vector.
pub type Vector = [i32; 3];

/// `a + b`
pub fn sum(a: Vector, b: Vector) -> Vector {
    core::array::from_fn(|i| a[i].saturating_add(b[i]))
}

/// `a - b`
pub fn difference(a: Vector, b: Vector) -> Vector {
    core::array::from_fn(|i| a[i].saturating_sub(b[i]))
}

/// `a` times a [`gain`](crate::fixed::gain).
pub fn scaled(a: Vector, gain: i32) -> Vector {
    a.map(|part| by(part, gain))
}

/// `a x b`, where `b` is a direction with 30 bits behind the point.
pub fn cross(a: Vector, b: Vector) -> Vector {
    let part = |i: usize, j: usize| times(a[i], b[j]).saturating_sub(times(a[j], b[i]));
    [part(1, 2), part(2, 0), part(0, 1)]
}

/// The length of `a`.
pub fn length(a: Vector) -> i32 {
    let squares: u64 = a
        .map(|part| u64::from(part.unsigned_abs()).pow(2) / 4)
        .iter()
        .sum();
    (squares.isqrt().saturating_mul(2)).min(i32::MAX as u64) as i32
}

/// `a`, made shorter if it is longer than `most`.
pub fn limited(a: Vector, most: i32) -> Vector {
    let length = length(a);
    if length <= most {
        return a;
    }
    a.map(|part| (i64::from(part) * i64::from(most) / i64::from(length)) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed::ONE;

    #[test]
    fn the_cross_product_is_perpendicular() {
        assert_eq!(cross([5, 0, 0], [0, ONE, 0]), [0, 0, 5]);
        assert_eq!(cross([0, 5, 0], [ONE, 0, 0]), [0, 0, -5]);
    }

    #[test]
    fn limits_keep_the_direction() {
        assert_eq!(limited([3000, -4000, 0], 2500), [1500, -2000, 0]);
        assert_eq!(limited([3000, -4000, 0], 5000), [3000, -4000, 0]);
        assert_eq!(length([i32::MIN; 3]), i32::MAX);
    }
}

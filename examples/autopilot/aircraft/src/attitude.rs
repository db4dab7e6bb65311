//! Attitudes as unit quaternions, without sines.

use crate::fixed::{ONE, shifted, times};
use crate::vector::Vector;

/// w, x, y, z with 30 bits behind the point: the turn from ground axes to those of the body.
pub type Quaternion = [i32; 4];

/// Body axes along those of the ground.
pub const LEVEL: Quaternion = [ONE, 0, 0, 0];

/// Half an angle of 1 prad (µrad/s for 1 µs) with 56 bits behind the point.
const HALF: i64 = 36_029;

/// `q`, turned for `micros` µs at `rates`, body axes, µrad/s; the angle is small.
pub fn turned(q: Quaternion, rates: Vector, micros: i32) -> Quaternion {
    let half = rates.map(|rate| shifted(i64::from(rate) * i64::from(micros) * HALF, 26));
    unit(product(q, [ONE, half[0], half[1], half[2]]))
}

/// `q`, turned by the small angles `angles`, ground axes, µrad.
pub fn corrected(q: Quaternion, angles: Vector) -> Quaternion {
    let half = angles.map(|angle| shifted(i64::from(angle) * HALF * 1_000_000, 26));
    unit(product([ONE, half[0], half[1], half[2]], q))
}

/// `v` in ground axes.
pub fn to_ground(q: Quaternion, v: Vector) -> Vector {
    let rows = matrix(q);
    core::array::from_fn(|i| dot(v, rows[i]))
}

/// `v` in body axes.
pub fn to_body(q: Quaternion, v: Vector) -> Vector {
    let rows = matrix(q);
    core::array::from_fn(|i| dot(v, [rows[0][i], rows[1][i], rows[2][i]]))
}

/// The body's z axis, along which rotors pull, in ground axes.
pub fn up(q: Quaternion) -> Vector {
    matrix(q).map(|row| row[2])
}

/// The body's x axis, where it looks, in ground axes.
pub fn ahead(q: Quaternion) -> Vector {
    matrix(q).map(|row| row[0])
}

fn dot(v: Vector, factors: Vector) -> i32 {
    let wide: i64 = (0..3)
        .map(|i| i64::from(v[i]) * i64::from(factors[i]))
        .sum();
    shifted(wide, 30)
}

/// The body's axes as columns, 30 bits behind the point.
fn matrix([w, x, y, z]: Quaternion) -> [Vector; 3] {
    let twice = |a: i64, b: i64| shifted(a.saturating_add(b), 29);
    let of = |a: i32, b: i32| i64::from(a) * i64::from(b);
    [
        [
            ONE.saturating_sub(twice(of(y, y), of(z, z))),
            twice(of(x, y), -of(w, z)),
            twice(of(x, z), of(w, y)),
        ],
        [
            twice(of(x, y), of(w, z)),
            ONE.saturating_sub(twice(of(x, x), of(z, z))),
            twice(of(y, z), -of(w, x)),
        ],
        [
            twice(of(x, z), -of(w, y)),
            twice(of(y, z), of(w, x)),
            ONE.saturating_sub(twice(of(x, x), of(y, y))),
        ],
    ]
}

fn product(a: Quaternion, b: Quaternion) -> Quaternion {
    let of = |i: usize, j: usize| i64::from(a[i]) * i64::from(b[j]);
    [
        shifted(of(0, 0) - of(1, 1) - of(2, 2) - of(3, 3), 30),
        shifted(of(0, 1) + of(1, 0) + of(2, 3) - of(3, 2), 30),
        shifted(of(0, 2) - of(1, 3) + of(2, 0) + of(3, 1), 30),
        shifted(of(0, 3) + of(1, 2) - of(2, 1) + of(3, 0), 30),
    ]
}

/// One step of Newton towards length one, which `q` almost has.
fn unit(q: Quaternion) -> Quaternion {
    let square: i64 = q.iter().map(|part| i64::from(*part).pow(2) >> 30).sum();
    let factor = (3 * i64::from(ONE) - square) / 2;
    q.map(|part| times(part, factor.clamp(0, i64::from(i32::MAX)) as i32))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A quarter turn per second about an axis, for a second.
    fn quarter(axis: usize) -> Quaternion {
        let mut rates = [0; 3];
        rates[axis] = 1_570_796;
        (0..1000).fold(LEVEL, |q, _| turned(q, rates, 1000))
    }

    fn near(a: Vector, b: Vector) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 2000)
    }

    #[test]
    fn a_quarter_turn_moves_one_axis_to_the_next() {
        let metre = 1_000_000;
        assert!(near(to_ground(quarter(2), [metre, 0, 0]), [0, metre, 0]));
        assert!(near(to_ground(quarter(0), [0, metre, 0]), [0, 0, metre]));
        assert!(near(to_ground(quarter(1), [0, 0, metre]), [metre, 0, 0]));
    }

    #[test]
    fn there_and_back_is_where_it_was() {
        let q = turned(quarter(0), [300_000, -200_000, 100_000], 100_000);
        let v = [1_000_000, -2_000_000, 3_000_000];
        assert!(near(to_body(q, to_ground(q, v)), v));
    }

    #[test]
    fn length_stays_one_through_a_million_turns() {
        let q = (0..1_000_000).fold(LEVEL, |q, i| {
            turned(q, [2_000_000, i % 7 * 100_000, -900_000], 5000)
        });
        let square: i64 = q.iter().map(|part| i64::from(*part).pow(2) >> 30).sum();
        assert!((square - i64::from(ONE)).abs() < 100, "{square}");
    }

    #[test]
    fn a_correction_turns_about_ground_axes() {
        let q = corrected(quarter(2), [0, 10_000, 0]);
        let up = up(q);
        assert!((i64::from(up[0]) * 1_000_000 / i64::from(ONE) - 10_000).abs() < 10);
    }
}

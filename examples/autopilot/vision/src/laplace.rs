//! The Laplacian: by how much a pixel is brighter than its four neighbours.

use crate::{Laplacian, SHIFT, SMOOTH_WIDTH, Smooth, WIDTH};

/// The Laplacian of a smoothed stripe.
pub fn laplace(smooth: &Smooth, laplacian: &mut Laplacian) {
    for (row, into) in laplacian.chunks_exact_mut(WIDTH).enumerate() {
        let rows = &smooth[row * SMOOTH_WIDTH..];
        let (above, rest) = rows.split_at(SMOOTH_WIDTH);
        let (here, below) = rest.split_at(SMOOTH_WIDTH);
        for (column, into) in into.iter_mut().enumerate() {
            let at = |row: &[u16], column: usize| i32::from(row[column]);
            let around = at(above, column + 1)
                + at(below, column + 1)
                + at(here, column)
                + at(here, column + 2);
            *into = ((4 * at(here, column + 1) - around) >> SHIFT) as i16;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ROWS;

    const SMOOTH: usize = SMOOTH_WIDTH * (ROWS + 2);

    #[test]
    fn a_slope_has_none_and_a_point_has_its_height_and_that_around() {
        let slope: Smooth = core::array::from_fn(|at| (at % SMOOTH_WIDTH * 300) as u16);
        let mut into = [1; WIDTH * ROWS];
        laplace(&slope, &mut into);
        assert_eq!(into, [0; WIDTH * ROWS]);

        let mut point = [0; SMOOTH];
        point[3 * SMOOTH_WIDTH + 11] = 800;
        laplace(&point, &mut into);
        let at = |row: usize, column: usize| into[row * WIDTH + column];
        assert_eq!((at(2, 10), at(1, 10), at(2, 9)), (400, -100, -100));
    }

    #[test]
    fn the_largest_fits_and_a_small_one_keeps_its_sign() {
        let mut point = [0; SMOOTH];
        point[SMOOTH_WIDTH + 1] = u16::MAX;
        let mut into = [0; WIDTH * ROWS];
        laplace(&point, &mut into);
        assert_eq!(into[0], 32_767);
        point[SMOOTH_WIDTH + 1] = 1;
        laplace(&point, &mut into);
        assert_eq!((into[0], into[1]), (0, -1));
    }
}

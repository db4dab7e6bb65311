//! Smoothing with binomial weights, 1 4 6 4 1, along columns and then along rows.

use crate::{SMOOTH_WIDTH, Smooth, Stripe, WIDTH};

/// Weights of a pixel and of those at a distance of one and of two.
const WEIGHTS: [u16; 3] = [6, 4, 1];

/// Smooths a stripe. Beyond its left and right edge a picture goes on as it is there.
pub fn smooth(stripe: &Stripe, smooth: &mut Smooth) {
    for (row, into) in smooth.chunks_exact_mut(SMOOTH_WIDTH).enumerate() {
        let rows = &stripe[row * WIDTH..];
        let column: [u16; WIDTH] = core::array::from_fn(|column| {
            weighted(|distance| rows[distance * WIDTH + column].into())
        });
        for (at, into) in into.iter_mut().enumerate() {
            // the first column is that to the left of the picture
            *into = weighted(|distance| column[(at + distance).saturating_sub(3).min(WIDTH - 1)]);
        }
    }
}

/// The weighted sum of five values.
fn weighted(value: impl Fn(usize) -> u16) -> u16 {
    WEIGHTS[2] * (value(0) + value(4)) + WEIGHTS[1] * (value(1) + value(3)) + WEIGHTS[0] * value(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HALO, ROWS};

    const STRIPE: usize = WIDTH * (ROWS + 2 * HALO);

    #[test]
    fn an_even_stripe_stays_even_and_fits() {
        let mut into = [0; SMOOTH_WIDTH * (ROWS + 2)];
        smooth(&[255; STRIPE], &mut into);
        assert_eq!(into, [255 * 256; SMOOTH_WIDTH * (ROWS + 2)]);
    }

    #[test]
    fn a_point_becomes_a_bell() {
        let mut stripe = [0; STRIPE];
        stripe[5 * WIDTH + 10] = 1;
        let mut into = [0; SMOOTH_WIDTH * (ROWS + 2)];
        smooth(&stripe, &mut into);
        // a row of the result is two below in the stripe, a column one to the left
        let at = |row: usize, column: usize| into[(row - 2) * SMOOTH_WIDTH + column + 1];
        let row = |row| [8, 9, 10, 11, 12].map(|column| at(row, column));
        assert_eq!(row(5), [6, 24, 36, 24, 6]);
        assert_eq!((row(4), row(6)), ([4, 16, 24, 16, 4], [4, 16, 24, 16, 4]));
        assert_eq!(into.iter().map(|part| u32::from(*part)).sum::<u32>(), 256);
    }
}

//! A picture in stripes, each with the rows around it that its Laplacian depends on.

use crate::{Frame, HALO, HEIGHT, ROWS, Stripe, WIDTH};

/// Cuts out a stripe, counted from above. Beyond its upper and lower edge a picture goes on as
/// it is there.
pub fn cut(frame: &Frame, stripe: usize, into: &mut Stripe) {
    let first = stripe * ROWS;
    for (row, into) in into.chunks_exact_mut(WIDTH).enumerate() {
        let row = (first + row).saturating_sub(HALO).min(HEIGHT - 1);
        into.copy_from_slice(&frame[row * WIDTH..(row + 1) * WIDTH]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::STRIPES;

    #[test]
    fn stripes_overlap_and_go_on_beyond_the_edges() {
        let frame: Frame = core::array::from_fn(|pixel| (pixel / WIDTH) as u8);
        let rows = |number| {
            let mut stripe = [0; WIDTH * (ROWS + 2 * HALO)];
            cut(&frame, number, &mut stripe);
            [0, 1, 2, 3, 4, ROWS + 2 * HALO - 1].map(|row| stripe[row * WIDTH + 9])
        };
        assert_eq!(rows(0), [0, 0, 0, 0, 1, 14]);
        assert_eq!(rows(1), [9, 10, 11, 12, 13, 26]);
        assert_eq!(rows(STRIPES - 1), [33, 34, 35, 36, 37, 47]);
    }
}

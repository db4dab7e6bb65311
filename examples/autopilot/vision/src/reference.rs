//! The same edges in another way: one sum of 49 products for each pixel, without steps, stripes
//! or 16 bits. What the graph of filters finds is compared with it.

use crate::{Edges, Frame, HEIGHT, SHIFT, STEEP, WIDTH};

/// The Laplacian of a binomial bell: weights of the pixels around.
#[rustfmt::skip]
const BELL: [[i32; 7]; 7] = [
    [  0,  -1,  -4,  -6,  -4,  -1,   0],
    [ -1,  -4,  -7,  -8,  -7,  -4,  -1],
    [ -4,  -7,   8,  22,   8,  -7,  -4],
    [ -6,  -8,  22,  48,  22,  -8,  -6],
    [ -4,  -7,   8,  22,   8,  -7,  -4],
    [ -1,  -4,  -7,  -8,  -7,  -4,  -1],
    [  0,  -1,  -4,  -6,  -4,  -1,   0],
];

/// The edges of a picture.
pub fn edges(frame: &Frame) -> Edges {
    let mut edges = [0; WIDTH * HEIGHT / 8];
    let mut here: [i32; WIDTH] = core::array::from_fn(|x| sum(frame, x, 0));
    for y in 0..HEIGHT {
        let below = core::array::from_fn(|x| sum(frame, x, y + 1));
        for x in 0..WIDTH {
            let right = x + 1 < WIDTH && is_crossing(here[x], here[x + 1]);
            let under = y + 1 < HEIGHT && is_crossing(here[x], below[x]);
            if right || under {
                edges[(y * WIDTH + x) / 8] |= 1 << (x % 8);
            }
        }
        here = below;
    }
    edges
}

fn is_crossing(a: i32, b: i32) -> bool {
    (a < 0) != (b < 0) && (a - b).unsigned_abs() >= u32::from(STEEP)
}

/// The weighted sum around a pixel. Beyond its edges a picture goes on as it is there.
fn sum(frame: &Frame, x: usize, y: usize) -> i32 {
    let mut sum = 0;
    for (row, weights) in (y..).zip(BELL) {
        let row = row.saturating_sub(3).min(HEIGHT - 1);
        for (column, weight) in (x..).zip(weights) {
            let column = column.saturating_sub(3).min(WIDTH - 1);
            sum += weight * i32::from(frame[row * WIDTH + column]);
        }
    }
    sum >> SHIFT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_are_even_on_all_sides_and_ignore_slopes() {
        for (y, row) in BELL.iter().enumerate() {
            for (x, weight) in row.iter().enumerate() {
                assert_eq!(*weight, BELL[x][y]);
                assert_eq!(*weight, BELL[6 - y][x]);
            }
        }
        assert_eq!(BELL.iter().flatten().sum::<i32>(), 0);
        assert_eq!(BELL[3][3], 4 * 36 - 4 * 24);
    }

    #[test]
    fn a_step_of_brightness_is_an_edge_along_its_whole_length() {
        let frame: Frame = core::array::from_fn(|pixel| if pixel % WIDTH < 20 { 50 } else { 150 });
        let edges = edges(&frame);
        for y in 0..HEIGHT {
            let found = (0..WIDTH).filter(|x| crate::is_edge(&edges, *x, y));
            assert!(found.eq([19]), "row {y}");
        }
    }
}

//! Where the Laplacian changes its sign, and how steeply.

use crate::{Crossings, Edges, Laplacian, ROWS, STEEP, STRIPES, WIDTH};

/// The zero crossings of a picture's Laplacian, which comes in stripes: between a pixel and the
/// one to its right or below.
pub fn crossings(stripes: [&Laplacian; STRIPES], crossings: &mut Crossings) {
    for (row, into) in crossings.chunks_exact_mut(WIDTH).enumerate() {
        let here = line(stripes, row).unwrap_or_default();
        let below = line(stripes, row + 1);
        for (column, into) in into.iter_mut().enumerate() {
            let right = here.get(column + 1).copied();
            let below = below.map(|below| below[column]);
            *into = [right, below]
                .into_iter()
                .flatten()
                .map(|other| steepness(here[column], other))
                .fold(0, u16::max);
        }
    }
}

/// A line of a picture, if it has one there.
fn line(stripes: [&Laplacian; STRIPES], row: usize) -> Option<&[i16]> {
    stripes.get(row / ROWS)?.chunks_exact(WIDTH).nth(row % ROWS)
}

/// The difference of two neighbours of which one only is below zero.
fn steepness(a: i16, b: i16) -> u16 {
    if (a < 0) == (b < 0) { 0 } else { a.abs_diff(b) }
}

/// The zero crossings that are steep enough to be an edge.
pub fn threshold(crossings: &Crossings, edges: &mut Edges) {
    for (eight, into) in crossings.chunks_exact(8).zip(edges) {
        *into = (0..8).fold(0, |bits, bit| bits | u8::from(eight[bit] >= STEEP) << bit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HEIGHT, is_edge};

    fn of(stripes: [Laplacian; STRIPES]) -> Crossings {
        let mut into = [0; WIDTH * HEIGHT];
        crossings(stripes.each_ref(), &mut into);
        into
    }

    #[test]
    fn a_change_of_sign_counts_once_to_the_right_and_below() {
        let mut stripes = [[5; WIDTH * ROWS]; STRIPES];
        // the first pixel of the second stripe
        stripes[1][0] = -7;
        let crossings = of(stripes);
        let found = crossings
            .iter()
            .enumerate()
            .filter(|(_, steep)| **steep != 0);
        assert!(found.eq([((ROWS - 1) * WIDTH, &12), (ROWS * WIDTH, &12)]));
    }

    #[test]
    fn from_the_least_to_the_greatest_is_as_steep_as_can_be() {
        let mut stripes = [[i16::MAX; WIDTH * ROWS]; STRIPES];
        stripes[0][1] = i16::MIN;
        assert_eq!(of(stripes)[0], u16::MAX);
    }

    #[test]
    fn zero_is_on_the_bright_side() {
        assert_eq!(
            (steepness(0, 4), steepness(0, -4), steepness(-1, 0)),
            (0, 4, 1)
        );
    }

    #[test]
    fn what_is_steep_enough_is_an_edge() {
        let mut crossings = [STEEP - 1; WIDTH * HEIGHT];
        crossings[2 * WIDTH + 13] = STEEP;
        let mut edges = [0; WIDTH * HEIGHT / 8];
        threshold(&crossings, &mut edges);
        assert!(is_edge(&edges, 13, 2));
        assert_eq!(edges.iter().map(|bits| bits.count_ones()).sum::<u32>(), 1);
    }
}

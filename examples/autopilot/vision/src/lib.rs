//! Edges in pictures: the zero crossings of the Laplacian of a smoothed picture, in steps that
//! work on stripes, so that several can be under way at a time.
//!
//! Everything is whole numbers without a rounding between the steps, so that the edges are those
//! that [`reference`] computes at once, bit by bit.
//!
//! ```text
//!  camera ─ cut ─┬─ smooth ─ laplace ─┬─ zero ─ threshold ─ compare
//!                ├─   ..        ..    ┤
//!                ├─   ..        ..    ┤
//!                └─ smooth ─ laplace ─┘
//! ```

#![no_std]
#![forbid(unsafe_code)]

pub mod camera;
pub mod crossing;
pub mod cut;
pub mod laplace;
pub mod reference;
pub mod smooth;

/// Columns of a picture.
pub const WIDTH: usize = 64;
/// Rows of a picture.
pub const HEIGHT: usize = 48;
/// Stripes of a picture.
pub const STRIPES: usize = 4;
/// Rows of a stripe.
pub const ROWS: usize = HEIGHT / STRIPES;
/// Rows and columns around a pixel that smoothing looks at on each side.
pub const BLUR: usize = 2;
/// Rows around a stripe on each side that its Laplacian depends on.
pub const HALO: usize = BLUR + 1;

/// A picture, row by row: brightness.
pub type Frame = [u8; WIDTH * HEIGHT];
/// A stripe of a picture and the rows around it.
pub type Stripe = [u8; WIDTH * (ROWS + 2 * HALO)];
/// A smoothed stripe, 256 times the brightness, with a row and a column around it.
pub type Smooth = [u16; SMOOTH_WIDTH * (ROWS + 2)];
/// The Laplacian of a smoothed stripe: 32 times that of the brightness.
pub type Laplacian = [i16; WIDTH * ROWS];
/// How steep each zero crossing is; 0 where there is none.
pub type Crossings = [u16; WIDTH * HEIGHT];
/// A bit for each pixel, which is 1 on an edge; the first pixel is the lowest bit.
pub type Edges = [u8; WIDTH * HEIGHT / 8];

/// Columns of a smoothed stripe.
pub const SMOOTH_WIDTH: usize = WIDTH + 2;
/// What a Laplacian is divided by, as a shift, to fit into 16 bits. Rounded towards the smaller
/// number, so that it keeps its sign.
pub const SHIFT: u32 = 3;
/// How steep a zero crossing is at least that is an edge.
pub const STEEP: u16 = 250;

/// The edges of a picture, step by step: what the filters of the graph do, one after the other.
pub fn edges(frame: &Frame) -> Edges {
    let mut laplacians = [[0; WIDTH * ROWS]; STRIPES];
    for (number, laplacian) in laplacians.iter_mut().enumerate() {
        let mut stripe = [0; WIDTH * (ROWS + 2 * HALO)];
        cut::cut(frame, number, &mut stripe);
        let mut smooth = [0; SMOOTH_WIDTH * (ROWS + 2)];
        smooth::smooth(&stripe, &mut smooth);
        laplace::laplace(&smooth, laplacian);
    }
    let mut crossings = [0; WIDTH * HEIGHT];
    crossing::crossings(laplacians.each_ref(), &mut crossings);
    let mut edges = [0; WIDTH * HEIGHT / 8];
    crossing::threshold(&crossings, &mut edges);
    edges
}

/// Whether a pixel is on an edge.
pub fn is_edge(edges: &Edges, column: usize, row: usize) -> bool {
    let pixel = row * WIDTH + column;
    edges[pixel / 8] >> (pixel % 8) & 1 != 0
}

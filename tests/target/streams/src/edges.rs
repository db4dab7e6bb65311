//! `edges.sigma`

use giornata_rt::stream::{Room, Tokens};
use giornata_rt::{filter, log, shutdown};

const WIDTH: usize = 64;
const LINES: u32 = 64;
const PICTURES: u32 = 3;
/// Lines that the screen gets of a picture: of four of the camera one, of two packed ones.
const SHOWN: u32 = LINES / 4;

type Line = [u8; WIDTH];

/// A disc on a gradient, which moves from picture to picture.
#[filter]
pub(crate) fn camera(out: &mut Room<Line>, #[state(u32::default)] line: &mut u32) {
    let (picture, y) = (*line / LINES, *line % LINES);
    for (pixel, x) in out[0].iter_mut().zip(0u32..) {
        let away = x.abs_diff(20 + 8 * picture).pow(2) + y.abs_diff(32).pow(2);
        *pixel = (2 * x + y + 90 * u32::from(away < 200)) as u8;
    }
    *line = (*line + 1) % (PICTURES * LINES);
}

fn edges(above: &Line, here: &Line, below: &Line, to: &mut Line) {
    for (x, edge) in to.iter_mut().enumerate() {
        let at = |line: &Line, x: usize| i32::from(line[x.clamp(1, WIDTH) - 1]);
        let around = at(above, x + 1) + at(below, x + 1) + at(here, x) + at(here, x + 2);
        *edge = (4 * at(here, x + 1) - around).unsigned_abs().min(255) as u8;
    }
}

#[filter]
pub(crate) fn first_line(px: &Tokens<Line>, ed: &mut Room<Line>) {
    edges(&px[0], &px[1], &px[2], &mut ed[0]);
}

#[filter]
pub(crate) fn next_line(px: &Tokens<Line>, ed: &mut Room<Line>) {
    edges(&px[0], &px[0], &px[0], &mut ed[0]);
}

/// A bit for each pixel of two lines.
#[filter]
pub(crate) fn pack(ed: &Tokens<Line>, bits: &mut Room<[u8; WIDTH / 4]>) {
    bits[0].fill(0);
    for (bit, pixel) in ed.iter().flatten().enumerate() {
        bits[0][bit / 8] |= u8::from(*pixel > 40) << (bit % 8);
    }
}

#[filter]
pub(crate) fn screen(
    bits: &Tokens<[u8; WIDTH / 4]>,
    #[state(u32::default)] lines: &mut u32,
    #[state(u32::default)] sum: &mut u32,
) {
    for byte in &bits[0] {
        *sum = (*sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    }
    *lines += 1;
    if lines.is_multiple_of(SHOWN) {
        log!("picture {}: {:08x}", *lines / SHOWN, *sum);
    }
    if *lines == PICTURES * SHOWN {
        let _ = shutdown(0);
    }
}

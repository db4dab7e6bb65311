//! What is in Rust of `mixed.sigma`.

use giornata_rt::stream::{Room, Tokens};
use giornata_rt::{filter, log, shutdown};

const WIDTH: usize = 24;
const LINES: u32 = 90;

fn pixel(line: u32, x: usize) -> u8 {
    (line * 3 + x as u32 * 7) as u8
}

#[filter]
pub(crate) fn lines(out: &mut Room<[u8; WIDTH]>, #[state(u32::default)] line: &mut u32) {
    for (x, to) in out[0].iter_mut().enumerate() {
        *to = pixel(*line, x);
    }
    *line += 1;
}

#[filter]
pub(crate) fn halves(
    thin: &Tokens<[u8; WIDTH / 2]>,
    #[state(u32::default)] line: &mut u32,
    #[state(u32::default)] wrong: &mut u32,
) {
    // (of three lines the first has the even pixels, the others the odd ones)
    let odd = usize::from(!line.is_multiple_of(3));
    let is_right = thin[0].iter().enumerate().all(|(x, own)| {
        let at = |number| u16::from(pixel(number, 2 * x + odd));
        u16::from(*own) == (at(2 * *line) + at(2 * *line + 1)) / 2
    });
    *wrong += u32::from(!is_right);
    *line += 1;
    if *line == LINES {
        log!("{} lines, {} wrong", *line, *wrong);
        shutdown(u8::from(*wrong != 0));
    }
}

//! The screen: compares the edges of each picture with what the picture gives in another way,
//! shows one of them, and counts.

use core::sync::atomic::{AtomicU32, Ordering};

use autopilot_vision::{Edges, Frame, HEIGHT, WIDTH, is_edge, reference};
use giornata_rt::stream::Tokens;
use giornata_rt::{filter, log, log_error, thread};

/// The picture that is shown.
const SHOWN: u32 = 40;
/// Pictures that must have come when the mission is over, where any do.
const ENOUGH: u32 = 100;

/// What is counted is written by one filter and read by one task.
static COMPARED: AtomicU32 = AtomicU32::new(0);
static WRONG: AtomicU32 = AtomicU32::new(0);
/// 1 in a system without pictures.
static DARK: AtomicU32 = AtomicU32::new(0);

/// Compares the edges of a picture with those of the reference.
#[filter]
pub fn compare(frame: &Tokens<Frame>, edges: &Tokens<Edges>) {
    judge(&frame[0], &edges[0]);
}

fn judge(frame: &Frame, edges: &Edges) {
    let number = COMPARED.load(Ordering::Relaxed);
    if reference::edges(frame) != *edges {
        log_error!("the edges of picture {number} are wrong");
        WRONG.store(WRONG.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
    if number == SHOWN {
        log!("edges of picture {number}:");
        show(edges);
    }
    COMPARED.store(number + 1, Ordering::Relaxed);
}

/// Says that there are no pictures, for systems without them.
#[thread]
pub fn no_pictures() {
    DARK.store(1, Ordering::Relaxed);
}

/// Whether enough pictures have come, and all edges were right; says so.
pub(crate) fn is_good() -> bool {
    if DARK.load(Ordering::Relaxed) != 0 {
        return true;
    }
    let (compared, wrong) = (
        COMPARED.load(Ordering::Relaxed),
        WRONG.load(Ordering::Relaxed),
    );
    log!("{compared} pictures, the edges of {wrong} differ from the reference");
    compared >= ENOUGH && wrong == 0
}

/// Logs edges: two rows of the picture in a line.
fn show(edges: &Edges) {
    for row in (0..HEIGHT).step_by(2) {
        let line: [u8; WIDTH] = core::array::from_fn(|column| {
            match [row, row + 1].map(|row| is_edge(edges, column, row)) {
                [true, true] => b':',
                [true, false] => b'\'',
                [false, true] => b'.',
                [false, false] => b' ',
            }
        });
        let text = core::str::from_utf8(&line).unwrap_or_default();
        log!("{}", text.trim_ascii_end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use autopilot_vision::{camera, edges};

    #[test]
    fn a_picture_whose_edges_differ_counts_as_wrong() {
        let mut frame = [0; WIDTH * HEIGHT];
        camera::take(3, &mut frame);
        let mut found = edges(&frame);
        let counts = || [&COMPARED, &WRONG].map(|count| count.load(Ordering::Relaxed));
        let [compared, wrong] = counts();
        judge(&frame, &found);
        assert_eq!(counts(), [compared + 1, wrong]);
        found[100] ^= 1;
        judge(&frame, &found);
        assert_eq!(counts(), [compared + 2, wrong + 1]);
    }
}

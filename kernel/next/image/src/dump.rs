//! The rest of the trace, sent when the machine stops.
//!
//! The format is the trace server's: see [`FRAME`]. A zero goes first, to end whatever
//! frame the server was sending.

use core::cell::Cell;

use giornata_abi::next::ring::{FRAME, FRAME_BYTES};

/// Of `written` records since boot, of which a ring holds the last `capacity`, the first
/// to send: where the reader says it got to, as far as that can be true.
pub(crate) fn first(said: u32, capacity: u32, written: u32) -> u32 {
    let oldest = written.saturating_sub(capacity);
    said.clamp(oldest, written)
}

/// The word whose last byte is the first of a frame.
const FIRST: u32 = (FRAME as u32) << 24;

/// Sends one record: its number, then its words.
pub(crate) fn send(number: u32, record: &[Cell<u32>; 4], put: fn(u8)) {
    let byte = |at: usize| {
        let place = at.wrapping_sub(1);
        let word = match place / 4 {
            0 => number,
            word => record.get(word.wrapping_sub(1)).map_or(FIRST, Cell::get),
        };
        word.wrapping_shr(8 * (place as u32 % 4)) as u8
    };
    // COBS: runs between zeros, each after its length plus one. A frame is shorter than
    // the longest run, so no run needs to be cut.
    let mut begin = 0;
    while begin <= FRAME_BYTES {
        let mut end = begin;
        while end < FRAME_BYTES && byte(end) != 0 {
            end = end.wrapping_add(1);
        }
        put((end.wrapping_sub(begin) as u8).wrapping_add(1));
        while begin != end {
            put(byte(begin));
            begin = begin.wrapping_add(1);
        }
        begin = begin.wrapping_add(1);
    }
    put(0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    fn decode(frame: &[u8]) -> Vec<u8> {
        let (mut out, mut rest) = (Vec::new(), frame);
        while let [length, tail @ ..] = rest {
            let (run, tail) = tail.split_at(usize::from(*length) - 1);
            out.extend_from_slice(run);
            if !tail.is_empty() {
                out.push(0);
            }
            rest = tail;
        }
        out
    }

    #[test]
    fn a_frame_has_no_zero_but_its_end_and_decodes_to_the_record() {
        thread_local!(static SENT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) });
        let record = [0, 0x0100_0001, u32::MAX, 5 << 24].map(Cell::new);
        send(0x1_0007, &record, |byte| {
            SENT.with_borrow_mut(|sent| sent.push(byte));
        });
        let sent = SENT.take();
        assert_eq!(
            sent.iter().position(|byte| *byte == 0),
            Some(sent.len() - 1)
        );
        let frame = decode(&sent[..sent.len() - 1]);
        let expected = [
            2, 7, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 5,
        ];
        assert_eq!(frame, expected);
    }

    #[test]
    fn a_reader_that_lies_gets_what_is_there() {
        assert_eq!(first(5, 16, 9), 5);
        assert_eq!(first(5, 2, 9), 7);
        assert_eq!(first(u32::MAX, 2, 9), 9);
        assert_eq!(first(0, 16, 9), 0);
    }
}

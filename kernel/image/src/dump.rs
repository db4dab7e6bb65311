//! What is sent when the machine stops: the rest of the trace, then how threads, tasks,
//! processes and objects stand.
//!
//! The format is the trace server's: see [`FRAME`](giornata_abi::ring::FRAME). A zero goes
//! first, to end whatever frame the server was sending.

use core::cell::Cell;

use giornata_abi::ring::{BYTES, FRAME_BYTES};

/// Where the first byte to send lies, of `written` since boot, of which the ring holds
/// the last `bytes`: behind the records that the reader says it got, as far as the ring
/// reaches back. Bytes are counted modulo 2^32.
pub(crate) fn first(said: u32, bytes: u32, written: u32) -> u32 {
    let behind = written.wrapping_sub(said.wrapping_mul(BYTES as u32));
    written.wrapping_sub(behind.min(bytes))
}

/// Sends one frame: what it holds, its number, then its words.
pub(crate) fn send(what: u8, number: u32, [a, b, c, d]: &[Cell<u32>; 4], put: fn(u8)) {
    let head = (what as u32) << 24;
    let words = [head, number, a.get(), b.get(), c.get(), d.get()];
    // SAFETY: every bit pattern is such bytes; the lowest of a word comes first.
    let mut bytes: [u8; 3 + FRAME_BYTES] = unsafe { core::mem::transmute(words) };
    let [_, _, frame @ ..] = &mut bytes;
    // COBS: each zero, and one in front, says how far it is to the next, the last of which
    // ends the frame: less than a byte can say.
    let mut distance = 1;
    for byte in frame.iter_mut().rev() {
        if *byte == 0 {
            *byte = distance;
            distance = 0;
        }
        distance = distance.wrapping_add(1);
    }
    frame.iter().copied().for_each(put);
    put(0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use giornata_abi::ring::FRAME;
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
        send(FRAME, 0x1_0007, &record, |byte| {
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
    fn what_the_reader_did_not_get_is_sent_as_far_as_it_is_there() {
        assert_eq!(first(5, 256, 9 * 16), 5 * 16);
        assert_eq!(first(5, 32, 9 * 16), 7 * 16);
        assert_eq!(first(0, 256, 9 * 16), 0);
        assert_eq!(first(u32::MAX, 32, 9 * 16), 7 * 16, "a lie");
    }

    #[test]
    fn records_are_sent_on_where_their_bytes_leave_a_word() {
        // 2^28 + 3 records are written, and the reader got all but 5
        assert_eq!(first((1 << 28) - 2, 256, 3 * 16), 0u32.wrapping_sub(2 * 16));
        assert_eq!(first((1 << 28) + 1, 256, 3 * 16), 16);
    }
}

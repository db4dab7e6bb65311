//! The rest of the trace, sent when the machine stops.
//!
//! The format is the trace server's: see [`FRAME`]. A zero goes first, to end whatever
//! frame the server was sending.

use giornata_abi::next::ring::{FRAME, FRAME_BYTES, Words};

/// Of `written` records since boot, of which a ring holds the last `capacity`, the first
/// to send: where the reader says it got to, as far as that can be true.
pub(crate) fn first(said: u32, capacity: u32, written: u32) -> u32 {
    let oldest = written.saturating_sub(capacity);
    said.clamp(oldest, written)
}

/// Sends one record.
pub(crate) fn send(number: u32, record: Words, mut put: impl FnMut(u8)) {
    let mut frame = [0; FRAME_BYTES];
    let [a, b, c, d] = record;
    if let Some((kind, rest)) = frame.split_first_mut() {
        *kind = FRAME;
        for (place, word) in rest.chunks_exact_mut(4).zip([number, a, b, c, d]) {
            place.copy_from_slice(&word.to_le_bytes());
        }
    }
    // COBS: runs between zeros, each after its length plus one. A frame is shorter than
    // the longest run, so no run needs to be cut.
    for run in frame.split(|byte| *byte == 0) {
        put((run.len() as u8).wrapping_add(1));
        run.iter().for_each(|byte| put(*byte));
    }
    put(0);
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let mut sent = Vec::new();
        send(0x1_0007, [0, 0x0100_0001, u32::MAX, 5 << 24], |byte| {
            sent.push(byte)
        });
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

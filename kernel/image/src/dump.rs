//! The rest of the trace, sent when the machine stops.
//!
//! The format is the trace server's: each record is one COBS frame of its
//! number (32 bits, little-endian) and its 32 bytes, ended by a zero. A zero
//! goes first, to end whatever frame the server was sending.

/// Bytes of a frame before encoding.
const FRAME: usize = 4 + 32;

/// The first record to send: where the reader says it got to, as far as that
/// can be true.
pub fn first(said: Option<u64>, oldest: u64, written: u64) -> u64 {
    said.unwrap_or(oldest).max(oldest).min(written)
}

/// Sends one record, given as its words.
pub fn send(number: u64, record: [u64; 4], put: impl FnMut(u8)) {
    let mut frame = [0; FRAME];
    let (head, body) = frame.split_at_mut(4);
    head.copy_from_slice(&(number as u32).to_le_bytes());
    for (place, word) in body.chunks_exact_mut(8).zip(record) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    encode(&frame, put);
}

/// COBS: runs between zeros, each after its length plus one. A frame is shorter
/// than the longest run, so no run needs to be cut.
fn encode(frame: &[u8; FRAME], mut put: impl FnMut(u8)) {
    for run in frame.split(|byte| *byte == 0) {
        put(run.len() as u8 + 1);
        run.iter().for_each(|byte| put(*byte));
    }
    put(0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use giornata_abi::Record;
    use giornata_abi::trace::TraceRecord;
    use std::vec::Vec;

    fn decode(frame: &[u8]) -> Vec<u8> {
        let (mut out, mut rest) = (Vec::new(), frame);
        while let [length, tail @ ..] = rest {
            let (run, tail) = tail.split_at(*length as usize - 1);
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
        let record = TraceRecord {
            kind: 6,
            hart: 0,
            subject: 3,
            detail: 0,
            tick: 1 << 40,
            x: 0,
            y: u64::MAX,
        };
        let mut bytes = Vec::new();
        record.encode(&mut |field| bytes.extend_from_slice(field));
        let word = |n: usize| u64::from_le_bytes(bytes[8 * n..][..8].try_into().unwrap());
        let mut sent = Vec::new();
        send(0x1_0000_0007, [0, 1, 2, 3].map(word), |byte| {
            sent.push(byte)
        });
        let end = sent.iter().position(|byte| *byte == 0);
        assert_eq!(end, Some(sent.len() - 1));
        let frame = decode(&sent[..sent.len() - 1]);
        assert_eq!(frame.len(), FRAME);
        assert_eq!(frame[..4], 7u32.to_le_bytes());
        assert_eq!(TraceRecord::decode(&frame[4..]), Some(record));
    }

    #[test]
    fn a_reader_that_lies_gets_what_is_there() {
        assert_eq!(first(Some(5), 0, 9), 5);
        assert_eq!(first(Some(5), 7, 9), 7);
        assert_eq!(first(Some(u64::MAX), 7, 9), 9);
        assert_eq!(first(None, 7, 9), 7);
    }
}

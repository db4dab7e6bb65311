//! The frame of a record on the line: its number and its bytes in consistent
//! overhead byte stuffing (Cheshire and Baker 1999), ended by a zero byte.

use giornata_abi::Record;
use giornata_abi::trace::TraceRecord;

/// Bytes before stuffing: the number's low 32 bits and the record.
const PLAIN: usize = 4 + <TraceRecord as Record>::SIZE;
/// Stuffing adds one byte to fewer than 255, and the end one more.
const STUFFED: usize = PLAIN + 2;

/// One frame.
pub(crate) struct Frame {
    bytes: [u8; STUFFED],
    length: usize,
}

impl Frame {
    /// The frame of `record`, the record number `sequence` since boot.
    pub(crate) fn new(sequence: u64, record: &TraceRecord) -> Frame {
        let mut plain = [0; PLAIN];
        let mut rest = plain.iter_mut();
        let mut put = |bytes: &[u8]| {
            rest.by_ref()
                .zip(bytes)
                .for_each(|(place, byte)| *place = *byte)
        };
        put(&(sequence as u32).to_le_bytes());
        record.encode(&mut put);
        let mut bytes = [0; STUFFED];
        // The end is a zero that is there already.
        let length = cobs::encode(&plain, &mut bytes) + 1;
        Frame { bytes, length }
    }

    /// The bytes for the line.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or(&self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u8, x: u64) -> TraceRecord {
        TraceRecord {
            kind,
            hart: 0,
            subject: 3,
            detail: 0x100,
            tick: 77,
            x,
            y: u64::MAX,
        }
    }

    #[test]
    fn a_frame_has_one_zero_and_it_is_the_last_byte() {
        for x in [0, 1, u64::MAX, 0x0100_0000_0000_0000] {
            let frame = Frame::new(x, &record(6, x));
            let zeros = frame.bytes().iter().filter(|&&byte| byte == 0).count();
            assert_eq!((zeros, frame.bytes().last()), (1, Some(&0)));
        }
    }

    #[test]
    fn a_frame_decodes_to_number_and_record() {
        let sent = record(11, 0x2020_0000_6120);
        let frame = Frame::new(0x7_1234_5678, &sent);
        let mut plain = [0; STUFFED];
        let length = cobs::decode(frame.bytes(), &mut plain)
            .unwrap()
            .frame_size();
        assert_eq!(length, PLAIN);
        assert_eq!(plain[..4], 0x1234_5678u32.to_le_bytes());
        assert_eq!(TraceRecord::decode(&plain[4..]), Some(sent));
    }
}

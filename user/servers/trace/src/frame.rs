//! The frame of a record on the line: a mark, the record's number and its bytes,
//! encoded with consistent overhead byte stuffing (Cheshire and Baker 1999) and
//! terminated by a zero byte.

use giornata_rt::ring::{self, BYTES, MARK, Record};

/// Bytes before stuffing: the mark, the number's low 32 bits and the record.
const PLAIN: usize = MARK.len() + 4 + BYTES;
/// Stuffing adds one byte to fewer than 255, the terminator one more.
const STUFFED: usize = PLAIN + 2;

/// One frame.
pub(crate) struct Frame {
    bytes: [u8; STUFFED],
    length: usize,
}

impl Frame {
    /// The frame of `record`, which has the number `sequence` since boot.
    pub(crate) fn new(sequence: u64, record: &Record) -> Frame {
        let mut plain = [0; PLAIN];
        let (head, bytes) = plain.split_at_mut(PLAIN - BYTES);
        let number = (sequence as u32).to_le_bytes();
        let fields = MARK.iter().chain(&number);
        head.iter_mut()
            .zip(fields)
            .for_each(|(place, byte)| *place = *byte);
        ring::write(record, bytes);
        let mut bytes = [0; STUFFED];
        // The end is a zero that is there already.
        let length = cobs::encode(&plain, &mut bytes) + 1;
        Frame { bytes, length }
    }

    /// The bytes to send.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or(&self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record in which every byte is `byte`.
    fn record(byte: u8) -> Record {
        // SAFETY: every pattern is a record.
        unsafe { core::mem::transmute::<[u8; BYTES], Record>([byte; BYTES]) }
    }

    #[test]
    fn a_frame_has_one_zero_and_it_is_the_last_byte() {
        for byte in [0, 1, u8::MAX] {
            let frame = Frame::new(byte.into(), &record(byte));
            let zeros = frame.bytes().iter().filter(|&&byte| byte == 0).count();
            assert_eq!((zeros, frame.bytes().last()), (1, Some(&0)));
        }
    }

    #[test]
    fn a_frame_decodes_to_mark_number_and_record() {
        for byte in [0, 0x61] {
            let frame = Frame::new(0x7_1234_5678, &record(byte));
            let mut plain = [0; STUFFED];
            let length = cobs::decode(frame.bytes(), &mut plain)
                .unwrap()
                .frame_size();
            let number = 0x1234_5678u32.to_le_bytes();
            let expected = [MARK, &number, &[byte; BYTES]].concat();
            assert_eq!(plain[..length], expected);
        }
    }
}

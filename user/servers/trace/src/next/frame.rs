//! The frame of a record of the second kernel on the line: a byte that says so, the
//! record's number and its bytes in consistent overhead byte stuffing (Cheshire and
//! Baker 1999), ended by a zero byte.

use giornata_abi::next::ring::{FRAME, FRAME_BYTES, Words};

/// Stuffing adds one byte to fewer than 255, and the end one more.
const STUFFED: usize = FRAME_BYTES + 2;

/// One frame.
pub(crate) struct Frame {
    bytes: [u8; STUFFED],
    length: usize,
}

impl Frame {
    /// The frame of `record`, the record number `sequence` since boot.
    pub(crate) fn new(sequence: u64, record: &Words) -> Frame {
        let mut plain = [FRAME; FRAME_BYTES];
        let (_, fields) = plain.split_at_mut(1);
        let words = core::iter::once(sequence as u32).chain(*record);
        for (field, word) in fields.as_chunks_mut().0.iter_mut().zip(words) {
            *field = word.to_le_bytes();
        }
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

    #[test]
    fn a_frame_has_one_zero_and_it_is_the_last_byte() {
        for word in [0, 1, u32::MAX, 0x0100_0000] {
            let frame = Frame::new(word.into(), &[word; 4]);
            let zeros = frame.bytes().iter().filter(|&&byte| byte == 0).count();
            assert_eq!((zeros, frame.bytes().last()), (1, Some(&0)));
        }
    }

    #[test]
    fn a_frame_decodes_to_format_number_and_record() {
        let sent = [77, 0x0003_0001, 0, 0x2020_6120];
        let frame = Frame::new(0x7_1234_5678, &sent);
        let mut plain = [0; STUFFED];
        let length = cobs::decode(frame.bytes(), &mut plain)
            .unwrap()
            .frame_size();
        assert_eq!((length, plain[0]), (FRAME_BYTES, FRAME));
        let words = plain[1..length].as_chunks().0.iter();
        let words: Vec<u32> = words.map(|bytes| u32::from_le_bytes(*bytes)).collect();
        assert_eq!(words, [0x1234_5678, 77, 0x0003_0001, 0, 0x2020_6120]);
    }
}

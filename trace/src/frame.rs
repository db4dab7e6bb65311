//! The wire: COBS frames of a sequence number and one record.
//!
//! A frame is the COBS encoding of the low 32 bits of the record's index since
//! boot and the record's 32 bytes, ended by a zero. The machine may break off a
//! frame when it stops and send its record again, so a damaged frame alone
//! loses nothing: what is lost shows as a gap in the sequence.

use giornata_abi::Record;
use giornata_abi::trace::{TraceKind, TraceRecord};

/// Bytes of a frame before its encoding.
const PLAIN: usize = 4 + TraceRecord::SIZE;
/// Longest encoding kept while its end is awaited; more is noise.
const LONGEST: usize = 2 * PLAIN;

/// A record and its index since boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbered {
    /// Records written before it, since boot.
    pub index: u64,
    /// The record.
    pub record: TraceRecord,
}

/// What did not arrive whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// Records missing between two that arrived.
    pub lost: u64,
    /// Frames that were no encoding of a record.
    pub damaged: u64,
    /// Records that came a second time, and were dropped.
    pub repeated: u64,
}

/// Turns bytes, in pieces of any size, into records in order.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    frame: Vec<u8>,
    expected: u64,
    damage: Damage,
}

impl Decoder {
    /// A decoder that expects the record with index 0.
    pub fn new() -> Decoder {
        Decoder::default()
    }

    /// Takes `bytes` and hands each record that they end to `sink`. O(bytes).
    pub fn push(&mut self, bytes: &[u8], mut sink: impl FnMut(Numbered)) {
        for &byte in bytes {
            if byte != 0 {
                if self.frame.len() < LONGEST {
                    self.frame.push(byte);
                }
            } else if let Some(numbered) = self.end_frame() {
                sink(numbered);
            }
        }
    }

    /// What did not arrive whole so far.
    pub fn damage(&self) -> Damage {
        self.damage
    }

    fn end_frame(&mut self) -> Option<Numbered> {
        if self.frame.is_empty() {
            return None;
        }
        let decoded = decode(&mut self.frame);
        self.frame.clear();
        let Some((sequence, record)) = decoded else {
            self.damage.damaged += 1;
            return None;
        };
        self.place(sequence, record)
    }

    /// Finds the index nearest to the expected one that has this sequence
    /// number: behind it the record is a repetition, ahead of it some are lost.
    /// A `Lost` record stands in the place of the last one lost.
    fn place(&mut self, sequence: u32, record: TraceRecord) -> Option<Numbered> {
        let ahead = sequence.wrapping_sub(self.expected as u32);
        if ahead > u32::MAX / 2 {
            self.damage.repeated += 1;
            return None;
        }
        let index = self.expected + u64::from(ahead);
        let stands_for_another = record.kind == TraceKind::Lost as u8;
        self.damage.lost += u64::from(ahead) + u64::from(stands_for_another);
        self.expected = index + 1;
        Some(Numbered { index, record })
    }
}

fn decode(frame: &mut [u8]) -> Option<(u32, TraceRecord)> {
    let length = cobs::decode_in_place(frame).ok()?;
    let plain: &[u8; PLAIN] = frame.get(..length)?.try_into().ok()?;
    let (sequence, record) = plain.split_first_chunk()?;
    Some((u32::from_le_bytes(*sequence), TraceRecord::decode(record)?))
}

/// Appends the frame of `record` with index `index` to `out`: what the machine sends.
pub fn encode(index: u64, record: &TraceRecord, out: &mut Vec<u8>) {
    let mut plain = (index as u32).to_le_bytes().to_vec();
    record.append_to(&mut plain);
    let start = out.len();
    out.resize(start + cobs::max_encoding_length(PLAIN), 0);
    let length = cobs::encode(&plain, &mut out[start..]);
    out.truncate(start + length);
    out.push(0);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(detail: u32) -> TraceRecord {
        TraceRecord {
            kind: 2,
            hart: 0,
            subject: 3,
            detail,
            tick: 0,
            x: u64::MAX,
            y: 1 << 40,
        }
    }

    fn stream(indices: impl IntoIterator<Item = u64>) -> Vec<u8> {
        let mut bytes = Vec::new();
        for index in indices {
            encode(index, &record(index as u32), &mut bytes);
        }
        bytes
    }

    fn read(decoder: &mut Decoder, bytes: &[u8]) -> Vec<u64> {
        let mut indices = Vec::new();
        decoder.push(bytes, |numbered| {
            assert_eq!(numbered.record, record(numbered.index as u32));
            indices.push(numbered.index);
        });
        indices
    }

    #[test]
    fn records_survive_the_wire_in_pieces_of_any_size() {
        let bytes = stream(0..20);
        for piece in 1..=bytes.len() {
            let mut decoder = Decoder::new();
            let indices: Vec<u64> = bytes
                .chunks(piece)
                .flat_map(|chunk| read(&mut decoder, chunk))
                .collect();
            assert_eq!(indices, (0..20).collect::<Vec<_>>());
            assert_eq!(decoder.damage(), Damage::default());
        }
    }

    #[test]
    fn a_gap_in_the_sequence_is_counted_as_lost() {
        let mut decoder = Decoder::new();
        assert_eq!(read(&mut decoder, &stream([0, 1, 5, 6])), [0, 1, 5, 6]);
        assert_eq!(
            decoder.damage(),
            Damage {
                lost: 3,
                ..Damage::default()
            }
        );
    }

    #[test]
    fn what_the_machine_says_is_lost_is_not_counted_twice() {
        let lost = TraceRecord {
            kind: TraceKind::Lost as u8,
            x: 4,
            ..record(0)
        };
        let mut bytes = stream([0, 1]);
        encode(5, &lost, &mut bytes);
        bytes.extend(stream([6]));
        let mut decoder = Decoder::new();
        let mut seen = 0;
        decoder.push(&bytes, |_| seen += 1);
        assert_eq!((seen, decoder.damage().lost), (4, 4));
    }

    #[test]
    fn a_frame_broken_off_and_sent_again_loses_nothing() {
        let mut bytes = stream([0, 1]);
        let half = stream([2]);
        bytes.extend_from_slice(&half[..half.len() / 2]);
        bytes.push(0);
        bytes.extend(stream([1, 2, 3]));
        let mut decoder = Decoder::new();
        assert_eq!(read(&mut decoder, &bytes), [0, 1, 2, 3]);
        assert_eq!(
            decoder.damage(),
            Damage {
                lost: 0,
                damaged: 1,
                repeated: 1
            }
        );
    }

    #[test]
    fn every_single_corrupted_byte_is_survived() {
        let whole = stream(0..4);
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x55;
            let mut decoder = Decoder::new();
            let mut seen = 0;
            decoder.push(&bytes, |_| seen += 1);
            assert!(
                seen >= 1,
                "one byte spoils at most two frames and the sequence after them"
            );
        }
    }

    #[test]
    fn noise_without_end_is_not_kept() {
        let mut decoder = Decoder::new();
        decoder.push(&[7; 100_000], |_| unreachable!("noise is no record"));
        assert!(decoder.frame.len() <= LONGEST);
        assert_eq!(read(&mut decoder, &[0]), [] as [u64; 0]);
        assert_eq!(decoder.damage().damaged, 1);
        assert_eq!(read(&mut decoder, &stream([0])), [0]);
    }

    #[test]
    fn the_sequence_number_may_wrap() {
        let mut decoder = Decoder {
            expected: u64::from(u32::MAX),
            ..Decoder::new()
        };
        let indices = read(
            &mut decoder,
            &stream([u64::from(u32::MAX), 1 << 32, (1 << 32) + 1]),
        );
        assert_eq!(indices, [u64::from(u32::MAX), 1 << 32, (1 << 32) + 1]);
        assert_eq!(decoder.damage().lost, 0);
    }
}

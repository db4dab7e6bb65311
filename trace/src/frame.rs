//! The wire: COBS frames of a sequence number and one record.
//!
//! A frame is the COBS encoding of the low 32 bits of the record's index since
//! boot and the record's 32 bytes, ended by a zero; that of the second kernel begins
//! with a byte that says so ([`FRAME`]), and its record has 16 bytes. The machine may break off a
//! frame when it stops and send its record again, so a damaged frame alone
//! loses nothing: what is lost shows as a gap in the sequence.

use giornata_abi::Record;
use giornata_abi::next::ring::{BYTES, FRAME, FRAME_BYTES, Kind, Words, split_head};
use giornata_abi::trace::{TraceKind, TraceRecord};

use crate::event::Event;
use crate::expansion::Expansion;

/// Numbers of records of the second kernel: its bytes are counted in 32 bits.
const NUMBERS: u32 = u32::MAX / BYTES as u32;
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

/// A record of either kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnyRecord {
    /// Of the first.
    First(TraceRecord),
    /// Of the second.
    Next(Words),
}

/// Turns bytes, in pieces of any size, into events in order. Which kernel wrote them
/// each frame says.
#[derive(Clone, Debug)]
pub struct Decoder {
    frame: Vec<u8>,
    expected: u64,
    damage: Damage,
    expansion: Expansion,
}

impl Decoder {
    /// A decoder that expects the record with index 0, of a machine whose timer counts
    /// so many ticks a second.
    pub fn new(hertz: u32) -> Decoder {
        Decoder {
            frame: Vec::new(),
            expected: 0,
            damage: Damage::default(),
            expansion: Expansion::new(hertz),
        }
    }

    /// Takes `bytes` and hands each event that they end to `sink`. O(bytes).
    pub fn push(&mut self, bytes: &[u8], mut sink: impl FnMut(Event)) {
        for &byte in bytes {
            if byte != 0 {
                if self.frame.len() < LONGEST {
                    self.frame.push(byte);
                }
                continue;
            }
            if let Some((index, record)) = self.end_frame() {
                self.expansion.read(index, &record, &mut sink);
            }
        }
    }

    /// What did not arrive whole so far.
    pub fn damage(&self) -> Damage {
        self.damage
    }

    fn end_frame(&mut self) -> Option<(u64, AnyRecord)> {
        if self.frame.is_empty() {
            return None;
        }
        let decoded = decode(&mut self.frame);
        self.frame.clear();
        let Some((sequence, record)) = decoded else {
            self.damage.damaged += 1;
            return None;
        };
        let index = self.place(sequence, record)?;
        Some((index, record))
    }

    /// Finds the index nearest to the expected one that has this sequence
    /// number: behind it the record is a repetition, ahead of it some are lost.
    /// A `Lost` record stands in the place of the last one lost.
    fn place(&mut self, sequence: u32, record: AnyRecord) -> Option<u64> {
        let range = record.numbers();
        let ahead = sequence.wrapping_sub(self.expected as u32) & range;
        if ahead > range / 2 {
            self.damage.repeated += 1;
            return None;
        }
        let index = self.expected + u64::from(ahead);
        self.damage.lost += u64::from(ahead) + u64::from(record.is_lost());
        self.expected = index + 1;
        Some(index)
    }
}

impl AnyRecord {
    /// Appends its frame with index `index` to `out`: what the machine sends.
    pub fn encode(&self, index: u64, out: &mut Vec<u8>) {
        match self {
            AnyRecord::First(record) => encode(index, record, out),
            AnyRecord::Next(record) => encode_words(index, record, out),
        }
    }

    /// What the number in a frame is counted modulo, less one.
    fn numbers(&self) -> u32 {
        match self {
            AnyRecord::First(_) => u32::MAX,
            AnyRecord::Next(_) => NUMBERS,
        }
    }

    fn is_lost(&self) -> bool {
        match self {
            AnyRecord::First(record) => record.kind == TraceKind::Lost as u8,
            AnyRecord::Next([_, head, ..]) => split_head(*head).0 == Some(Kind::Lost),
        }
    }
}

fn decode(frame: &mut [u8]) -> Option<(u32, AnyRecord)> {
    let length = cobs::decode_in_place(frame).ok()?;
    let plain = frame.get(..length)?;
    if let Ok(plain) = <&[u8; FRAME_BYTES]>::try_from(plain) {
        let (&[format], rest) = plain.split_first_chunk()?;
        let (sequence, words) = rest.split_first_chunk()?;
        let record = words_of(words)?;
        return (format == FRAME)
            .then_some((u32::from_le_bytes(*sequence), AnyRecord::Next(record)));
    }
    let plain: &[u8; PLAIN] = plain.try_into().ok()?;
    let (sequence, record) = plain.split_first_chunk()?;
    let record = AnyRecord::First(TraceRecord::decode(record)?);
    Some((u32::from_le_bytes(*sequence), record))
}

/// The words of a record of the second kernel; `None` if there are not four.
pub fn words_of(bytes: &[u8]) -> Option<Words> {
    let words: &[[u8; 4]; 4] = bytes.as_chunks().0.try_into().ok()?;
    Some(words.map(u32::from_le_bytes))
}

/// Appends the frame of a record of the second kernel to `out`.
pub fn encode_words(index: u64, record: &Words, out: &mut Vec<u8>) {
    let mut plain = vec![FRAME];
    plain.extend((index as u32).to_le_bytes());
    plain.extend(record.iter().flat_map(|word| word.to_le_bytes()));
    stuff(&plain, out);
}

/// Appends the frame of `record` with index `index` to `out`: what the machine sends.
pub fn encode(index: u64, record: &TraceRecord, out: &mut Vec<u8>) {
    let mut plain = (index as u32).to_le_bytes().to_vec();
    record.append_to(&mut plain);
    stuff(&plain, out);
}

fn stuff(plain: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + cobs::max_encoding_length(plain.len()), 0);
    let length = cobs::encode(plain, &mut out[start..]);
    out.truncate(start + length);
    out.push(0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use giornata_abi::next::ring::head;

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
        decoder.push(bytes, |event| {
            let (index, record) = (event.index, record(event.index as u32));
            assert_eq!(event, Event::read(&Numbered { index, record }));
            indices.push(index);
        });
        indices
    }

    #[test]
    fn records_survive_the_wire_in_pieces_of_any_size() {
        let bytes = stream(0..20);
        for piece in 1..=bytes.len() {
            let mut decoder = Decoder::new(10_000_000);
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
        let mut decoder = Decoder::new(10_000_000);
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
        let mut decoder = Decoder::new(10_000_000);
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
        let mut decoder = Decoder::new(10_000_000);
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
            let mut decoder = Decoder::new(10_000_000);
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
        let mut decoder = Decoder::new(10_000_000);
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
            ..Decoder::new(10_000_000)
        };
        let indices = read(
            &mut decoder,
            &stream([u64::from(u32::MAX), 1 << 32, (1 << 32) + 1]),
        );
        assert_eq!(indices, [u64::from(u32::MAX), 1 << 32, (1 << 32) + 1]);
        assert_eq!(decoder.damage().lost, 0);
    }

    #[test]
    fn each_frame_says_which_kernel_wrote_it() {
        let interrupt = |time| [time, head(Kind::Interrupt, 0, 5), 0, 0];
        let mut bytes = Vec::new();
        encode_words(0, &interrupt(70), &mut bytes);
        encode_words(1, &interrupt(80), &mut bytes);
        let half = bytes.len();
        encode_words(2, &interrupt(90), &mut bytes);
        // broken off, and sent again
        bytes.truncate(half + 9);
        bytes.push(0);
        encode_words(1, &interrupt(80), &mut bytes);
        encode_words(5, &interrupt(0), &mut bytes);
        bytes.extend(stream([6]));
        let (mut decoder, mut events) = (Decoder::new(10_000_000), Vec::new());
        decoder.push(&bytes, |event| events.push((event.index, event.tick.0)));
        assert_eq!(events, [(0, 70), (1, 80), (5, 0), (6, 0)]);
        let expected = Damage {
            lost: 3,
            damaged: 1,
            repeated: 1,
        };
        assert_eq!(decoder.damage(), expected);
    }

    #[test]
    fn numbers_of_the_second_kernel_wrap_as_its_bytes_do() {
        let before = (1 << 28) - 1;
        let mut decoder = Decoder {
            expected: before,
            ..Decoder::new(10_000_000)
        };
        let mut bytes = Vec::new();
        let interrupt = [0, head(Kind::Interrupt, 0, 5), 0, 0];
        // the server counts on, the kernel itself does not
        for number in [before, 1 << 28, 1, 0, (1 << 28) + 2] {
            encode_words(number, &interrupt, &mut bytes);
        }
        let mut indices = Vec::new();
        decoder.push(&bytes, |event| indices.push(event.index));
        let expected: Vec<u64> = (before..before + 4).collect();
        assert_eq!((indices, decoder.damage().repeated), (expected, 1));
    }

    #[test]
    fn a_frame_of_an_unknown_format_is_damage() {
        let mut bytes = Vec::new();
        stuff(&[FRAME + 1; FRAME_BYTES], &mut bytes);
        let mut decoder = Decoder::new(10_000_000);
        decoder.push(&bytes, |_| unreachable!("no record"));
        assert_eq!(decoder.damage().damaged, 1);
    }

    #[test]
    fn a_lost_record_of_the_second_kernel_stands_for_the_last_one_lost() {
        let mut bytes = Vec::new();
        encode_words(0, &[1, head(Kind::Interrupt, 0, 5), 0, 0], &mut bytes);
        encode_words(9, &[5, head(Kind::Lost, 0, 0), 9, 0], &mut bytes);
        let (mut decoder, mut seen) = (Decoder::new(10_000_000), 0);
        decoder.push(&bytes, |_| seen += 1);
        assert_eq!((seen, decoder.damage().lost), (2, 9));
    }
}

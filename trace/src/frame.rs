//! The wire: COBS frames of a sequence number and one record.
//!
//! A frame is the COBS encoding of a byte that says what follows ([`FRAME`]), the low 32
//! bits of the record's index since boot and the record's 16 bytes, ended by a zero. The
//! machine may break off a frame when it stops and send its record again, so a damaged
//! frame alone loses nothing: what is lost shows as a gap in the sequence.
//!
//! Behind the last record the kernel sends memory in frames of the same length ([`MEMORY`]):
//! the records that say how threads stand.

use giornata_abi::ring::{BYTES, FRAME, FRAME_BYTES, Kind, MEMORY, Words, split_head};

use crate::event::Event;
use crate::expansion::Expansion;
use crate::memory::Memory;

/// What the number in a frame is counted modulo, less one: the kernel counts the bytes of
/// records in 32 bits.
const NUMBERS: u32 = u32::MAX / BYTES as u32;
/// Longest encoding kept while its end is awaited; more is noise.
const LONGEST: usize = 2 * FRAME_BYTES;

/// What did not arrive whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// Records missing between two that arrived.
    pub lost: u64,
    /// The index of the first of them.
    pub first_lost: Option<u64>,
    /// Frames that were no encoding of a record.
    pub damaged: u64,
    /// Records that came a second time, and were dropped.
    pub repeated: u64,
}

/// Turns bytes, in pieces of any size, into events in order.
#[derive(Clone, Debug)]
pub struct Decoder {
    frame: Vec<u8>,
    expected: u64,
    damage: Damage,
    expansion: Expansion,
    memory: Memory<'static>,
}

/// What a frame holds.
enum Frame {
    Record(u32, Words),
    Memory(u32, Words),
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
            memory: Memory::default(),
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
                self.expansion.push(index, record, &mut sink);
            }
        }
    }

    /// What did not arrive whole so far.
    pub fn damage(&self) -> Damage {
        self.damage
    }

    /// The memory that the kernel sent when the machine stopped, as far as it has arrived:
    /// what is missing of it is not known, and nothing else is taken for it.
    pub fn memory(&self) -> &Memory<'static> {
        &self.memory
    }

    fn end_frame(&mut self) -> Option<(u64, Words)> {
        if self.frame.is_empty() {
            return None;
        }
        let decoded = decode(&mut self.frame);
        self.frame.clear();
        let (sequence, record) = match decoded {
            Some(Frame::Record(sequence, record)) => (sequence, record),
            Some(Frame::Memory(address, words)) => {
                let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                self.memory.add(address.into(), &bytes);
                return None;
            }
            None => {
                self.damage.damaged += 1;
                return None;
            }
        };
        let index = self.place(sequence, record)?;
        Some((index, record))
    }

    /// Finds the index nearest to the expected one that has this sequence
    /// number: behind it the record is a repetition, ahead of it some are lost.
    /// A `Lost` record stands in the place of the last one lost.
    fn place(&mut self, sequence: u32, record: Words) -> Option<u64> {
        let ahead = sequence.wrapping_sub(self.expected as u32) & NUMBERS;
        if ahead > NUMBERS / 2 {
            self.damage.repeated += 1;
            return None;
        }
        let index = self.expected + u64::from(ahead);
        let lost = u64::from(ahead) + u64::from(is_lost(&record));
        if lost > 0 {
            self.damage.first_lost.get_or_insert(self.expected);
        }
        self.damage.lost += lost;
        self.expected = index + 1;
        Some(index)
    }
}

fn is_lost([_, head, ..]: &Words) -> bool {
    split_head(*head).0 == Some(Kind::Lost)
}

fn decode(frame: &mut [u8]) -> Option<Frame> {
    let length = cobs::decode_in_place(frame).ok()?;
    let plain: &[u8; FRAME_BYTES] = frame.get(..length)?.try_into().ok()?;
    let (&[format], rest) = plain.split_first_chunk()?;
    let (sequence, words) = rest.split_first_chunk()?;
    let record = words_of(words)?;
    let number = u32::from_le_bytes(*sequence);
    match format {
        FRAME => Some(Frame::Record(number, record)),
        MEMORY => Some(Frame::Memory(number, record)),
        _ => None,
    }
}

/// The words of a record; `None` if there are not four.
pub fn words_of(bytes: &[u8]) -> Option<Words> {
    let words: &[[u8; 4]; 4] = bytes.as_chunks().0.try_into().ok()?;
    Some(words.map(u32::from_le_bytes))
}

/// Appends the frame of `record` with index `index` to `out`: what the machine sends.
pub fn encode(index: u64, record: &Words, out: &mut Vec<u8>) {
    let mut plain = vec![FRAME];
    plain.extend((index as u32).to_le_bytes());
    plain.extend(record.iter().flat_map(|word| word.to_le_bytes()));
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
    use crate::event::Content;
    use giornata_abi::ring::head;

    /// An interrupt at the tick of its index.
    fn record(index: u64) -> Words {
        [index as u32, head(Kind::Interrupt, 0, 5), 0, 0]
    }

    fn stream(indices: impl IntoIterator<Item = u64>) -> Vec<u8> {
        let mut bytes = Vec::new();
        for index in indices {
            encode(index, &record(index), &mut bytes);
        }
        bytes
    }

    fn read(decoder: &mut Decoder, bytes: &[u8]) -> Vec<u64> {
        let mut indices = Vec::new();
        decoder.push(bytes, |event| {
            assert_eq!(event.tick.0, event.index);
            assert!(matches!(
                event.content,
                Content::Interrupt { number: 5, .. }
            ));
            indices.push(event.index);
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
                first_lost: Some(2),
                ..Damage::default()
            }
        );
    }

    #[test]
    fn what_the_machine_says_is_lost_is_not_counted_twice() {
        let lost = [6, head(Kind::Lost, 0, 0), 4, 0];
        let mut bytes = stream([0, 1]);
        encode(5, &lost, &mut bytes);
        bytes.extend(stream([6]));
        let mut decoder = Decoder::new(10_000_000);
        let mut seen = 0;
        decoder.push(&bytes, |_| seen += 1);
        assert_eq!((seen, decoder.damage().lost), (4, 4));
        assert_eq!(decoder.damage().first_lost, Some(2));
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
                damaged: 1,
                repeated: 1,
                ..Damage::default()
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
    fn numbers_wrap_as_bytes_do() {
        let before = (1 << 28) - 1;
        let mut decoder = Decoder {
            expected: before,
            ..Decoder::new(10_000_000)
        };
        let mut bytes = Vec::new();
        // the server counts on, the kernel itself does not
        for number in [before, 1 << 28, 1, 0, (1 << 28) + 2] {
            encode(number, &record(0), &mut bytes);
        }
        let mut indices = Vec::new();
        decoder.push(&bytes, |event| indices.push(event.index));
        let expected: Vec<u64> = (before..before + 4).collect();
        assert_eq!((indices, decoder.damage().repeated), (expected, 1));
    }

    fn memory(address: u32, words: Words) -> Vec<u8> {
        let mut plain = vec![MEMORY];
        plain.extend(address.to_le_bytes());
        plain.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        let mut frame = Vec::new();
        stuff(&plain, &mut frame);
        frame
    }

    #[test]
    fn memory_behind_the_records_disturbs_none_of_them() {
        let mut bytes = stream([0, 1]);
        bytes.extend(memory(0x8000_0010, [0, 1, 2, 3]));
        bytes.extend(memory(0x8000_0020, [0, 4, 0, 0]));
        let mut decoder = Decoder::new(10_000_000);
        assert_eq!(read(&mut decoder, &bytes), [0, 1]);
        assert_eq!(decoder.damage(), Damage::default());
        let known = decoder.memory();
        assert_eq!(known.number(0x8000_0018, 8), Some(3 << 32 | 2));
        assert_eq!(known.number(0x8000_0024, 4), Some(4));
    }

    #[test]
    fn memory_of_which_a_frame_is_damaged_is_not_known_there() {
        let mut bytes = memory(0x8000_0010, [7; 4]);
        let mut damaged = memory(0x8000_0020, [7; 4]);
        damaged.remove(9);
        bytes.extend(damaged);
        bytes.extend(memory(0x8000_0030, [7; 4]));
        let mut decoder = Decoder::new(10_000_000);
        read(&mut decoder, &bytes);
        assert_eq!(decoder.damage().damaged, 1);
        assert_eq!(decoder.memory().number(0x8000_0018, 8), Some(7 << 32 | 7));
        assert_eq!(decoder.memory().number(0x8000_0020, 4), None);
        assert_eq!(decoder.memory().number(0x8000_0030, 4), Some(7));
    }

    #[test]
    fn a_frame_of_an_unknown_format_is_damage() {
        let mut bytes = Vec::new();
        stuff(&[0xFF; FRAME_BYTES], &mut bytes);
        let mut decoder = Decoder::new(10_000_000);
        decoder.push(&bytes, |_| unreachable!("no record"));
        assert_eq!(decoder.damage().damaged, 1);
    }
}

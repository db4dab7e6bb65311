//! The recorded answers, as they lie in `recorded/`.
//!
//! One file a [`CHUNK`] of scenarios, named after its number:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `GIOREPLY` |
//! | 4 | version of the format |
//! | 4 | number of the first scenario |
//! | 4 | scenarios |
//! | 8 | checksum of the scenarios' text: that the generator still makes them |
//! | 8 | checksum of the records' bytes |
//! | rest | the records' bytes, compressed (RFC 1951) |
//!
//! Numbers are little-endian, checksums FNV-1a.

use crate::checksum::Checksum;
use crate::codec::{Reader, Writer};
use crate::generate::scenario;
use crate::observation::Record;
use miniz_oxide::{deflate, inflate};
use std::fmt;
use std::path::{Path, PathBuf};

/// Scenarios in one file.
pub const CHUNK: u32 = 1000;

const MAGIC: &[u8; 8] = b"GIOREPLY";
const VERSION: u32 = 1;
const HEADER: usize = 36;
/// Bytes of the records of one file beyond which something is wrong with it.
const LARGEST: usize = 1 << 24;
const LEVEL: u8 = 10;

/// Why a file cannot be used.
#[derive(Debug)]
pub enum Damage {
    /// It cannot be read.
    Missing(PathBuf, std::io::Error),
    /// It is no such file, or of another version.
    Foreign,
    /// It has been changed or cut short.
    Broken,
    /// The generator makes other scenarios than were recorded.
    OtherScenarios,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::Missing(path, why) => write!(f, "{}: {why}", path.display()),
            Damage::Foreign => write!(f, "no record of this version"),
            Damage::Broken => write!(f, "the record is damaged"),
            Damage::OtherScenarios => write!(f, "the scenarios are not those that were recorded"),
        }
    }
}

impl std::error::Error for Damage {}

/// Where the recorded answers lie.
pub fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/recorded"))
}

/// The checksum of the texts of so many scenarios.
pub fn scenarios_checksum(first: u32, count: u32) -> u64 {
    let mut checksum = Checksum::EMPTY;
    for number in first..first + count {
        checksum.add_text(&scenario(number));
    }
    checksum.value()
}

/// The file of a chunk.
pub fn pack(number: u32, records: &[Record]) -> Vec<u8> {
    let mut writer = Writer::default();
    records.iter().for_each(|record| writer.record(record));
    let (first, count) = (number * CHUNK, records.len() as u32);
    let mut file = MAGIC.to_vec();
    file.extend(VERSION.to_le_bytes());
    file.extend(first.to_le_bytes());
    file.extend(count.to_le_bytes());
    file.extend(scenarios_checksum(first, count).to_le_bytes());
    file.extend(Checksum::of(&writer.bytes).value().to_le_bytes());
    file.extend(deflate::compress_to_vec(&writer.bytes, LEVEL));
    file
}

/// The records of a file that [`pack`] made.
fn unpack(number: u32, file: &[u8]) -> Result<Vec<Record>, Damage> {
    let (header, body) = file.split_at_checked(HEADER).ok_or(Damage::Foreign)?;
    let (magic, rest) = header.split_at(MAGIC.len());
    let (numbers, checksums) = rest.split_at(12);
    let numbers: Vec<u32> = numbers
        .chunks(4)
        .map(|bytes| little(bytes) as u32)
        .collect();
    let checksums: Vec<u64> = checksums.chunks(8).map(little).collect();
    if magic != MAGIC || numbers[..2] != [VERSION, number * CHUNK] {
        return Err(Damage::Foreign);
    }
    let bytes = inflate::decompress_to_vec_with_limit(body, LARGEST);
    let bytes = bytes.map_err(|_| Damage::Broken)?;
    if Checksum::of(&bytes).value() != checksums[1] {
        return Err(Damage::Broken);
    }
    if scenarios_checksum(number * CHUNK, numbers[2]) != checksums[0] {
        return Err(Damage::OtherScenarios);
    }
    let mut reader = Reader::new(&bytes);
    let records = (0..numbers[2]).map(|_| reader.record());
    let records: Option<Vec<Record>> = records.collect();
    records.filter(|_| reader.is_at_end()).ok_or(Damage::Broken)
}

fn little(bytes: &[u8]) -> u64 {
    let digits = bytes.iter().rev();
    digits.fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The records of scenarios `number * CHUNK` up to the next chunk.
///
/// # Errors
/// If the file is not there, is damaged, or was recorded of other scenarios.
pub fn chunk(number: u32) -> Result<Vec<Record>, Damage> {
    let path = folder().join(format!("{number:02}.bin"));
    let file = std::fs::read(&path).map_err(|why| Damage::Missing(path, why))?;
    unpack(number, &file)
}

/// The record of one scenario. Reads its whole chunk: who wants many takes
/// [`chunk`]s.
///
/// # Errors
/// As [`chunk`], and if there is no such scenario.
pub fn record(number: u32) -> Result<Record, Damage> {
    let records = chunk(number / CHUNK)?;
    let found = records.into_iter().nth((number % CHUNK) as usize);
    found.ok_or(Damage::Foreign)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::Kind;
    use crate::observation::{Observation, Occurrence, State, Touch};

    fn records() -> Vec<Record> {
        let record = |number: u64| Record {
            observation: Observation {
                steps: vec![vec![Occurrence::Returns(0, vec![number])]; 3],
                end: State::default(),
            },
            touches: vec![Touch {
                kind: Kind::Late,
                step: number as usize,
            }],
        };
        (0..5).map(record).collect()
    }

    #[test]
    fn what_is_packed_comes_back() {
        assert_eq!(unpack(2, &pack(2, &records())).unwrap(), records());
    }

    #[test]
    fn damage_is_found() {
        let file = pack(0, &records());
        assert!(matches!(unpack(1, &file), Err(Damage::Foreign)));
        assert!(matches!(unpack(0, &file[..20]), Err(Damage::Foreign)));
        for place in HEADER..file.len() {
            let mut other = file.clone();
            other[place] ^= 4;
            assert!(unpack(0, &other).is_err(), "byte {place}");
        }
        let mut other = file.clone();
        other[20] ^= 1;
        assert!(matches!(unpack(0, &other), Err(Damage::OtherScenarios)));
    }
}

//! How the threads of a machine stand that runs on, from its kernel's records, which are
//! fetched piece by piece meanwhile.
//!
//! No such reading is of one instant: threads go on between two pieces, and within one. So
//! all is fetched twice, and whoever stands otherwise the second time is told; who has
//! come back to where they were between the two is not.

use anyhow::{Context, Result};
use giornata_abi::ring::BYTES;
use giornata_system::DebugMap;

use crate::memory::Memory;
use crate::records::Records;
use crate::standing::{Rows, Standing, lines, place, task};

/// The records that tell how threads stand, twice.
#[derive(Clone, Debug)]
pub struct Inspection<'a> {
    map: &'a DebugMap,
    first: Memory<'static>,
    second: Memory<'static>,
}

impl<'a> Inspection<'a> {
    /// Fetches them: `fetch` gives so many bytes at an address of the machine. It is asked
    /// for what the map says and for what the records themselves lead to, which may be
    /// anywhere if they are of another image.
    ///
    /// # Errors
    /// That of `fetch`; the map is of another version.
    pub fn take(
        map: &'a DebugMap,
        mut fetch: impl FnMut(u64, usize) -> Result<Vec<u8>>,
    ) -> Result<Inspection<'a>> {
        Ok(Inspection {
            map,
            first: fetch_all(map, &mut fetch)?,
            second: fetch_all(map, &mut fetch)?,
        })
    }

    /// How the threads stood the second time, and who of them stood otherwise the first
    /// time. `running`: the thread that ran while they were fetched, which no record tells.
    ///
    /// # Errors
    /// As [`Standing::read`].
    pub fn standing(&self, running: Option<u16>) -> Result<(Standing, Vec<u16>)> {
        let read = |memory| Standing::read(self.map, memory, running);
        let (before, now) = (read(&self.first)?, read(&self.second)?);
        let threads = (0u16..).zip(before.threads.iter().zip(&now.threads));
        let changed = threads.filter(|(_, (before, now))| before != now);
        let changed = changed.map(|(index, _)| index).collect();
        Ok((now, changed))
    }

    /// Records that the kernel wrote into the trace between the two, modulo 2^28.
    ///
    /// # Errors
    /// The map is of another version.
    pub fn meanwhile(&self) -> Result<u32> {
        let written = |memory| {
            let map = self.map;
            Records { map, memory }.kernel("trace.written")
        };
        let (before, now) = (written(&self.first)?, written(&self.second)?);
        Ok((now as u32).wrapping_sub(before as u32) / BYTES as u32)
    }
}

/// Where records lie: address and bytes of each piece.
type Pieces = Vec<(u64, usize)>;

/// Where the records lie that [`Standing::read`] reads beside that of the hart, which
/// `memory` has; those of the first step lead to those of the second, these to those of
/// the third.
const STEPS: [fn(&Records<'_>) -> Result<Pieces>; 3] = [rows_and_lines, places, tasks];

fn rows_and_lines(records: &Records<'_>) -> Result<Pieces> {
    let rows = Rows::of(records)?;
    let rows = [rows.threads, rows.processes, rows.objects];
    let rows = rows.map(|row| (row.first, row.size as usize * row.count));
    let line = records.size("Line")?;
    let lines = lines(records)?.into_iter().map(|(_, at)| (at, line));
    let mut pieces: Pieces = rows.into_iter().chain(lines).collect();
    pieces.retain(|(_, length)| *length > 0);
    Ok(pieces)
}

fn places(records: &Records<'_>) -> Result<Pieces> {
    let threads = Rows::of(records)?.threads;
    let all = (0..threads.count).map(|index| place(records, threads.at(index)));
    joined(all, records.size("Place")?)
}

fn tasks(records: &Records<'_>) -> Result<Pieces> {
    let threads = Rows::of(records)?.threads;
    let all = (0..threads.count).map(|index| task(records, threads.at(index)));
    joined(all, records.size("Task")?)
}

/// Records of one size; those that follow one another are one piece.
fn joined(records: impl Iterator<Item = Result<u64>>, size: usize) -> Result<Pieces> {
    let mut all: Vec<u64> = records.collect::<Result<_>>()?;
    all.retain(|at| *at != 0);
    all.sort_unstable();
    all.dedup();
    let mut pieces = Pieces::new();
    for at in all {
        match pieces.last_mut() {
            Some((first, length)) if first.checked_add(*length as u64) == Some(at) => {
                *length += size;
            }
            _ => pieces.push((at, size)),
        }
    }
    Ok(pieces)
}

fn fetch_all(
    map: &DebugMap,
    fetch: &mut impl FnMut(u64, usize) -> Result<Vec<u8>>,
) -> Result<Memory<'static>> {
    let mut memory = Memory::default();
    let mut add = |memory: &mut Memory<'static>, address, length| {
        let bytes = fetch(address, length);
        let bytes = bytes.with_context(|| format!("{length} bytes at {address:#x}"))?;
        memory.add(address, &bytes);
        Ok::<_, anyhow::Error>(())
    };
    let kernel = Records {
        map,
        memory: &memory,
    };
    let size = kernel.size("System")?;
    add(&mut memory, map.kernel.into(), size)?;
    for step in STEPS {
        let pieces = step(&Records {
            map,
            memory: &memory,
        })?;
        for (address, length) in pieces {
            add(&mut memory, address, length)?;
        }
    }
    Ok(memory)
}

//! What processes see where, read from their page tables.

use anyhow::{Context, Result};
use giornata_system::DebugMap;
use giornata_trace::{Memory, Records};

const PAGE: u64 = 4096;
const VALID: u64 = 1;
/// Read, write, execute: an entry without any leads to another table.
const LEAF: u64 = 0b1110;
const NUMBER_SHIFT: u32 = 10;
/// Bits of the number of a page, in an entry and in what the hart loads.
const NUMBER: [u64; 2] = [(1 << 22) - 1, (1 << 44) - 1];

/// A stretch of memory: where a process sees it, where it lies, its bytes.
pub(crate) type Stretch = (u64, u64, u64);

/// The memory that processes see at other addresses than its own, in ascending order.
pub(crate) fn reached(map: &DebugMap, memory: &Memory<'_>) -> Result<Vec<Stretch>> {
    let mut stretches = Vec::new();
    if !map.translated {
        return Ok(stretches);
    }
    let records = Records { map, memory };
    let kernel = map.kernel.into();
    let first = records.read("System", kernel, "processes.address", 0)?;
    for index in 0..map.names.processes.len() {
        let process = first + (index * records.size("Process")?) as u64;
        let space = records.read("Process", process, "space", 0)?;
        let tables = Tables::of(map, memory);
        let mut pages = Vec::new();
        tables.walk(space & tables.number, tables.levels - 1, 0, &mut pages)?;
        pages.sort_unstable();
        join(&mut stretches, &pages);
    }
    // (what processes share, several of them see at one address)
    stretches.sort_unstable();
    stretches.dedup();
    Ok(stretches)
}

/// Neighbours become one stretch.
fn join(stretches: &mut Vec<Stretch>, pages: &[(u64, u64)]) {
    for (user, place) in pages {
        match stretches.last_mut() {
            Some((address, at, bytes)) if *address + *bytes == *user && *at + *bytes == *place => {
                *bytes += PAGE;
            }
            _ => stretches.push((*user, *place, PAGE)),
        }
    }
}

struct Tables<'a> {
    memory: &'a Memory<'a>,
    word: usize,
    levels: u32,
    index_bits: u32,
    number: u64,
}

impl<'a> Tables<'a> {
    fn of(map: &DebugMap, memory: &'a Memory<'a>) -> Tables<'a> {
        let [narrow, wide] = NUMBER;
        match map.width {
            8 => Tables {
                memory,
                word: 8,
                levels: 3,
                index_bits: 9,
                number: wide,
            },
            _ => Tables {
                memory,
                word: 4,
                levels: 2,
                index_bits: 10,
                number: narrow,
            },
        }
    }

    /// Adds the pages that a table reaches, and that are memory: user address and place.
    fn walk(&self, table: u64, level: u32, prefix: u64, pages: &mut Vec<(u64, u64)>) -> Result<()> {
        for index in 0..1 << self.index_bits {
            let at = table * PAGE + index * self.word as u64;
            let entry = self.memory.number(at, self.word);
            let entry = entry.with_context(|| format!("there is no page table at {at:#x}"))?;
            let user = prefix << self.index_bits | index;
            let number = entry >> NUMBER_SHIFT & self.number;
            if entry & VALID == 0 {
                continue;
            } else if entry & LEAF != 0 {
                // (the builder makes pages of one size; devices are no memory)
                if self.memory.number(number * PAGE + PAGE - 1, 1).is_some() {
                    pages.push((user * PAGE, number * PAGE));
                }
            } else if level > 0 {
                self.walk(number, level - 1, user, pages)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_follow_one_another_here_and_there_are_one_stretch() {
        let mut stretches = Vec::new();
        join(
            &mut stretches,
            &[
                (0x1000, 0x8000),
                (0x2000, 0x9000),
                (0x3000, 0xB000),
                (0x5000, 0xC000),
            ],
        );
        assert_eq!(
            stretches,
            [
                (0x1000, 0x8000, 0x2000),
                (0x3000, 0xB000, PAGE),
                (0x5000, 0xC000, PAGE)
            ]
        );
    }
}

//! The memory that the simulated processes share.

use crate::memory::Segment;
use giornata_abi::system::System;
use giornata_core::{Access, BadAddress};
use std::collections::BTreeMap;

/// The regions of a system, and who may touch each.
pub struct Shared {
    /// By user address, the same in every process.
    regions: BTreeMap<u32, Region>,
}

struct Region {
    bytes: Segment,
    /// By process.
    open: BTreeMap<u16, Access>,
}

impl Shared {
    /// Regions as a machine has them when it is switched on: full of anything, and
    /// closed.
    pub(crate) fn of(system: &System<'_>) -> Shared {
        let regions = system.regions.iter().map(|entry| {
            let (start, size) = (entry.address as usize, entry.size as usize);
            let mut bytes = Segment::new(start, start + size);
            bytes.range(start, size).unwrap_or_default().fill(0xA5);
            let open = BTreeMap::new();
            (entry.address, Region { bytes, open })
        });
        Shared {
            regions: regions.collect(),
        }
    }

    /// What a process may do with the region at an address.
    pub fn access(&self, process: u16, address: u32) -> Option<Access> {
        self.regions.get(&address)?.open.get(&process).copied()
    }

    /// The bytes at an address, if the process may read them.
    pub fn read(
        &mut self,
        process: u16,
        from: usize,
        length: usize,
    ) -> Result<&mut [u8], BadAddress> {
        self.range(process, from, length, |_| true)
    }

    /// Writes bytes to an address, if the process may.
    pub fn write(&mut self, process: u16, to: usize, bytes: &[u8]) -> Result<(), BadAddress> {
        let may = |access| access == Access::Write;
        let found = self.range(process, to, bytes.len(), may)?;
        found.copy_from_slice(bytes);
        Ok(())
    }

    fn range(
        &mut self,
        process: u16,
        at: usize,
        length: usize,
        may: impl Fn(Access) -> bool,
    ) -> Result<&mut [u8], BadAddress> {
        let below = u32::try_from(at).ok();
        let region = below.and_then(|at| self.regions.range_mut(..=at).next_back());
        let (_, region) = region.ok_or(BadAddress)?;
        match region.open.get(&process) {
            Some(access) if may(*access) => region.bytes.range(at, length).ok_or(BadAddress),
            _ => Err(BadAddress),
        }
    }

    pub(crate) fn open(&mut self, process: u16, address: u32, access: Option<Access>) {
        let Some(region) = self.regions.get_mut(&address) else {
            return;
        };
        match access {
            Some(access) => region.open.insert(process, access),
            None => region.open.remove(&process),
        };
    }

    /// Zeroes up to `most` bytes from `offset`; the next offset, or `None` at the end.
    pub(crate) fn clear(&mut self, address: u32, offset: usize, most: usize) -> Option<usize> {
        let region = self.regions.get_mut(&address)?;
        assert!(region.open.is_empty(), "a region is zeroed under its users");
        region.bytes.clear(offset, most)
    }
}

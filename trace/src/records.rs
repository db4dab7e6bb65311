//! Records of the kernel, found in the memory of a machine by their shapes.

use anyhow::{Context, Result};
use giornata_system::DebugMap;

use crate::memory::Memory;

/// Records in memory.
#[derive(Clone, Copy, Debug)]
pub struct Records<'a> {
    /// Their shapes, and where they lie.
    pub map: &'a DebugMap,
    /// What they are read from.
    pub memory: &'a Memory<'a>,
}

impl Records<'_> {
    /// Bytes of a record.
    ///
    /// # Errors
    /// The map has no such record: it is of another version.
    pub fn size(&self, record: &str) -> Result<usize> {
        let found = self.map.records.get(record);
        let found = found.with_context(|| format!("the debug map has no record {record}"))?;
        Ok(found.size)
    }

    /// A word of the record at an address: of a field that is an array, the one of an index.
    ///
    /// # Errors
    /// The map has no such field, or the memory is not known.
    pub fn read(&self, record: &str, at: u64, field: &str, index: usize) -> Result<u64> {
        let known = self.map.records.get(record);
        let known = known.and_then(|record| record.fields.get(field));
        let (offset, bytes, _) =
            *known.with_context(|| format!("the debug map has no field {field} of {record}"))?;
        let address = at.wrapping_add((offset + index * bytes) as u64);
        let word = self.memory.number(address, bytes);
        word.with_context(|| format!("there is no memory at {address:#x}, so no {record}"))
    }

    /// A word of the record of the system.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn kernel(&self, field: &str) -> Result<u64> {
        self.read("System", self.map.kernel.into(), field, 0)
    }

    /// Elements of an array in a record.
    pub(crate) fn count(&self, record: &str, field: &str) -> usize {
        let record = self.map.records.get(record);
        let field = record.and_then(|record| record.fields.get(field));
        field.map_or(0, |(_, _, count)| *count)
    }

    /// What a word means, by the module of the kernel that says so.
    ///
    /// # Errors
    /// The map has no such constant: it is of another version.
    pub fn constant(&self, group: &str, name: &str) -> Result<u64> {
        let word = self.map.constants.get(group).and_then(|all| all.get(name));
        let word = word.with_context(|| format!("the debug map has no {group}::{name}"))?;
        Ok((*word).into())
    }
}

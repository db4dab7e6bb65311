//! Records of the kernel, found in the memory of a machine by their shapes.

use anyhow::{Context, Result};
use giornata_system::DebugMap;

use crate::debug::halted::Memory;

/// Records in memory.
pub(crate) struct Records<'a> {
    pub(crate) map: &'a DebugMap,
    pub(crate) memory: &'a Memory<'a>,
}

impl Records<'_> {
    /// Bytes of a record.
    pub(crate) fn size(&self, record: &str) -> Result<usize> {
        let found = self.map.records.get(record);
        let found = found.with_context(|| format!("the debug map has no record {record}"))?;
        Ok(found.size)
    }

    /// A word of the record at an address: of a field that is an array, the one of an index.
    pub(crate) fn read(&self, record: &str, at: u64, field: &str, index: usize) -> Result<u64> {
        let known = self.map.records.get(record);
        let known = known.and_then(|record| record.fields.get(field));
        let (offset, bytes, _) =
            *known.with_context(|| format!("the debug map has no field {field} of {record}"))?;
        let address = at.wrapping_add((offset + index * bytes) as u64);
        let word = self.memory.number(address, bytes);
        word.with_context(|| format!("there is no memory at {address:#x}, so no {record}"))
    }
}

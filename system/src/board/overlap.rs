//! Regions of a board that lie where they cannot.

use crate::problem::Findings;
use std::ops::Range;

/// A stretch of physical addresses that a board's file names.
pub(super) struct Region {
    /// How it is called in messages: "device `uart0`".
    pub(super) title: String,
    /// First address.
    pub(super) base: u32,
    /// Bytes.
    pub(super) size: u32,
    /// Where it is written.
    pub(super) span: Range<usize>,
}

impl Region {
    fn end(&self) -> u64 {
        u64::from(self.base) + u64::from(self.size)
    }

    fn overlaps(&self, other: &Region) -> bool {
        u64::from(self.base) < other.end() && u64::from(other.base) < self.end()
    }

    fn text(&self) -> String {
        format!(
            "{:#010x} to {:#010x}",
            self.base,
            self.end().saturating_sub(1)
        )
    }
}

/// Refuses regions of memory and devices that share addresses.
pub(super) fn apart(findings: &mut Findings, regions: &[Region]) {
    for (index, region) in regions.iter().enumerate() {
        let before = regions.iter().take(index);
        if let Some(other) = before.into_iter().find(|other| other.overlaps(region)) {
            let reason = format!(
                "{} ({}) overlaps {} ({})",
                region.title,
                region.text(),
                other.title,
                other.text()
            );
            findings.refuse(
                region.span.clone(),
                reason,
                "give it another `base` or a smaller `size`: see the memory map of the machine",
            );
        }
    }
}

/// Refuses a kernel that leaves memory, or leaves no room in it.
pub(super) fn within(findings: &mut Findings, memory: &Region, kernel: &Region) {
    if kernel.base < memory.base || kernel.end() >= memory.end() {
        let reason = format!(
            "{} ({}) does not lie in {} ({}) with room behind it",
            kernel.title,
            kernel.text(),
            memory.title,
            memory.text()
        );
        findings.refuse(
            kernel.span.clone(),
            reason,
            "put `base` at the front of the memory",
        );
    }
}

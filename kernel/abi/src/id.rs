//! Identifiers: plain numbers with a generation.

/// A slot of a kernel table and the generation of what lives in it.
///
/// The number that users hold is `generation << 16 | index`. An id of an
/// earlier tenant never names a later one until the generation wraps (65,536
/// tenants of one slot).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Id(pub u32);

impl Id {
    /// The id of slot `index` in generation `generation`.
    pub const fn new(index: u16, generation: u16) -> Id {
        Id((generation as u32) << 16 | index as u32)
    }
    /// The slot.
    pub const fn index(self) -> u16 {
        self.0 as u16
    }
    /// The tenant of the slot.
    pub const fn generation(self) -> u16 {
        (self.0 >> 16) as u16
    }
}

/// "No slot" in tables of 16-bit indices.
pub const NONE: u16 = u16::MAX;

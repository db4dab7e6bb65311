//! Ids: a slot of the system file and the serial number of what lives in it.

/// The id of an object, a thread or a process.
///
/// Travels in two registers. A serial number never comes again within the life of
/// a system, so a stale id names nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Id {
    /// Place in the table of the system: the same number in every process. Below
    /// 2^16, so that a call can carry 16 bits of its own beside it.
    pub slot: u32,
    /// Which tenant of the slot, from 1; 0 names nothing.
    pub serial: u32,
}

/// Slots fit in the low 16 bits of a register of which a call uses the upper ones.
pub const SLOT_MASK: usize = 0xFFFF;
/// Where those bits begin: the priority of a message, flags.
pub const EXTRA: u32 = 16;

/// "No slot" in tables of 16-bit indices.
pub const NONE: u16 = u16::MAX;

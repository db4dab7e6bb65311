//! Addresses, in bytes, and bits: as `rtl/rtm_pkg.sv` has them.

/// The first record; each takes [`RECORD_BYTES`].
pub const RECORDS: u16 = 0x0000;
/// Bytes of a record: status, priority and event in the first word, the delay in the second.
pub const RECORD_BYTES: u16 = 8;
/// The first ready record.
pub const TOP: u16 = 0x0800;
/// Written: time advances by so many ticks.
pub const ADVANCE: u16 = 0x0804;
/// The first record whose delay has run out, which is not told again.
pub const EXPIRED: u16 = 0x0808;
/// The first ready record that has not been told here since it was written.
pub const NEXT: u16 = 0x080C;
/// Causes of an interrupt.
pub const CAUSE: u16 = 0x0810;
/// Which of them interrupt.
pub const ENABLE: u16 = 0x0814;
/// Cycles of a tick that is counted without a command; 0: none is.
pub const TICK: u16 = 0x0818;
/// What it has.
pub const CONFIG: u16 = 0x081C;
/// By event, a word each: the first record that waits for it.
pub const WAITER: u16 = 0x0C00;
/// The same, which does not wait any more.
pub const RELEASE: u16 = 0x1000;
/// By record, a word each: its key.
pub const KEYS: u16 = 0x1400;

/// Bits of a status.
pub mod status {
    /// The record is a task's.
    pub const VALID: u8 = 1 << 0;
    /// It waits until its delay has run out.
    pub const DELAYED: u8 = 1 << 1;
    /// It waits for its event.
    pub const EVENT: u8 = 1 << 2;
    /// It is suspended.
    pub const SUSPENDED: u8 = 1 << 3;
    /// The delay limits the wait for the event.
    pub const TIMED: u8 = 1 << 4;
    /// The delay has run out.
    pub const EXPIRED: u8 = 1 << 5;
    /// The key is a stamp.
    pub const STAMPED: u8 = 1 << 6;
}

/// A delay has run out: a bit of [`CAUSE`].
pub const CAUSE_DELAY: u32 = 1 << 0;
/// Another record is the top than was told last.
pub const CAUSE_TOP: u32 = 1 << 1;
/// An answer: there is no such record.
pub const NONE: u32 = 1 << 31;

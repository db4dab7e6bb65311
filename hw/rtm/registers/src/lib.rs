//! The register map of the task manager in hardware: addresses in bytes, from its base, and bits.
//!
//! Generated from `hw/rtm/registers.toml`.

#![no_std]

/// Bits of an address.
pub const ADDRESS_BITS: u32 = 13;

/// Status, priority and event of a record.
pub const RECORDS: u16 = 0x0000;
/// Bytes from one of [`RECORDS`] to that of the next record.
pub const RECORDS_STRIDE: u16 = 8;
/// Delay of a record in ticks: it runs out when as many have passed. One of 0 runs out with the
/// next.
pub const DELAYS: u16 = 0x0004;
/// Bytes from one of [`DELAYS`] to that of the next record.
pub const DELAYS_STRIDE: u16 = 8;
/// First ready record.
pub const TOP: u16 = 0x0800;
/// Time advances by as many ticks as are written, which must be as a word.
pub const ADVANCE: u16 = 0x0804;
/// First record whose delay has run out; its bit `EXPIRED` is cleared.
pub const EXPIRED: u16 = 0x0808;
/// First ready record that has not been returned here since the last write, whatever that wrote.
pub const NEXT: u16 = 0x080C;
/// Causes that hold.
pub const CAUSE: u16 = 0x0810;
/// Causes that raise the interrupt line.
pub const ENABLE: u16 = 0x0814;
/// Clock cycles after each of which time advances by a tick without a command; 0: it does not.
/// Written as a word.
pub const TICK: u16 = 0x0818;
/// Parameters of this task manager.
pub const CONFIG: u16 = 0x081C;
/// First record that waits for the event.
pub const WAITER: u16 = 0x0C00;
/// Bytes from one of [`WAITER`] to that of the next event.
pub const WAITER_STRIDE: u16 = 4;
/// First record that waits for the event, which it then does not any more.
pub const RELEASE: u16 = 0x1000;
/// Bytes from one of [`RELEASE`] to that of the next event.
pub const RELEASE_STRIDE: u16 = 4;
/// Key of a record, a serial number: among records of one priority the one with the earlier key
/// comes first; keys in use must span less than 2^31.
pub const KEYS: u16 = 0x1400;
/// Bytes from one of [`KEYS`] to that of the next record.
pub const KEYS_STRIDE: u16 = 4;

/// Status of a record, which is ready if it is valid, and neither delayed, nor waiting for an
/// event, nor suspended.
pub mod status {
    /// The record is a task's.
    pub const VALID: u8 = 1 << 0;
    /// The task waits until its delay has run out, which clears the bit.
    pub const DELAYED: u8 = 1 << 1;
    /// The task waits for its event.
    pub const EVENT: u8 = 1 << 2;
    /// The task is suspended.
    pub const SUSPENDED: u8 = 1 << 3;
    /// The delay limits the wait for the event: either ends both.
    pub const TIMED: u8 = 1 << 4;
    /// The delay has run out since the status was written, and `EXPIRED` has not returned the
    /// record since.
    pub const EXPIRED: u8 = 1 << 5;
    /// The key becomes a stamp of the time when the status is written, when the delay runs out, and
    /// when the record is released, so that equals are served in the order of arrival.
    pub const STAMPED: u8 = 1 << 6;
}

/// First word of a record; each field can be written by itself, as a byte.
pub mod record {
    /// Status.
    pub const fn status(word: u32) -> u8 {
        word as u8
    }

    /// Priority; 0 is the most urgent.
    pub const fn priority(word: u32) -> u8 {
        (word >> 8) as u8
    }

    /// Number of the event that the task waits for.
    pub const fn event(word: u32) -> u8 {
        (word >> 16) as u8
    }

    /// The word with these fields.
    pub const fn word(status: u8, priority: u8, event: u8) -> u32 {
        u32::from_le_bytes([status, priority, event, 0])
    }
}

/// Number of a record, or that there is none.
pub mod answer {
    /// The record; without meaning if there is none.
    pub const fn record(word: u32) -> u8 {
        word as u8
    }

    /// There is no such record.
    pub const NONE: u32 = 1 << 31;
}

/// Causes of an interrupt.
pub mod cause {
    /// A delay has run out since the bit was cleared; cleared by writing 1.
    pub const DELAY: u32 = 1 << 0;
    /// The first ready record is not what `TOP` returned last, or not none after a reset; cleared
    /// by reading `TOP`.
    pub const TOP: u32 = 1 << 1;
}

/// Parameters of this task manager.
pub mod config {
    /// Number of the last record: `N` - 1.
    pub const fn last_record(word: u32) -> u8 {
        word as u8
    }

    /// Bits of a key: `KeyW`.
    pub const fn key_bits(word: u32) -> u8 {
        (word >> 8) as u8
    }

    /// `Timed`.
    pub const TIMED: u32 = 1 << 16;
    /// `Stamps`.
    pub const STAMPS: u32 = 1 << 17;
    /// `Releases`.
    pub const RELEASES: u32 = 1 << 18;
    /// `Interrupts`.
    pub const INTERRUPTS: u32 = 1 << 19;
    /// `Many`.
    pub const MANY: u32 = 1 << 20;
    /// Delays have 32 bits (`DelayW`), instead of 16.
    pub const LONG_DELAYS: u32 = 1 << 21;

    /// Registers in the comparator tree: `Stages`.
    pub const fn stages(word: u32) -> u8 {
        (word >> 24) as u8
    }
}

//! What the kernel, its builder and the manifest of a system name alike: grants, rights,
//! policies.

/// The address space of one process where regions confine it: what the PMP
/// holds while it runs. Regions are naturally aligned powers of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpaceEntry {
    /// The configuration byte of each entry of the PMP; 0 = off, as that of
    /// memory that is shared until the process attaches it. Never locked; the
    /// first [`KERNEL_REGIONS`] are those of the kernel's guard (0 here) and
    /// of the stack of the thread that runs.
    pub rights: [u8; 16],
    /// The address register of each entry behind those.
    pub places: [u32; 14],
    /// How many of them are in use.
    pub count: u32,
}

/// Entries of the PMP before those that a [`SpaceEntry`] places.
pub const KERNEL_REGIONS: usize = 2;
/// The process may stop the machine.
pub const GRANT_SHUTDOWN: u32 = 1;
/// The process may program a DMA device: outside the protection promise.
pub const GRANT_TRUSTED_DMA: u32 = 2;

/// The process may lock and unlock, wait and signal.
pub const RIGHT_USE: u16 = 1;
/// The process may create and delete the object.
pub const RIGHT_MANAGE: u16 = 2;
/// The process may receive from the mailbox; to use it is to send.
pub const RIGHT_RECEIVE: u16 = 4;
/// The process may send into the mailbox past the server that it is attached to.
pub const RIGHT_DIRECT: u16 = 8;
/// The process may receive from the mailbox as a server.
pub const RIGHT_FULL: u16 = 16;

/// Most regions of a system: what a process has attached is a word of bits.
pub const REGIONS: u16 = 32;
/// The process may attach the region to read it.
pub const REGION_READ: u16 = 1;
/// The process may attach the region to read and write it.
pub const REGION_WRITE: u16 = 2;
/// Where regions of the PMP confine processes: above this bit, the entry of the
/// process's [`SpaceEntry::rights`] that is the region's.
pub const REGION_ENTRY: u32 = 8;

/// What happens to a process that faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FaultPolicy {
    /// It is torn down.
    Stop = 0,
    /// It is torn down and started anew.
    Restart = 1,
    /// The machine stops with status 1.
    Halt = 2,
}

/// How a thread is scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Policy {
    /// First in, first out at its priority.
    Fifo = 0,
    /// Like FIFO, to the tail after each quantum.
    RoundRobin = 1,
    /// By absolute deadline, in the deadline band.
    Deadline = 2,
}

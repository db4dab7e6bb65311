//! Where memory lies in the simulated hart: of processes, ports, regions.

use giornata_host::MEMORY;
use giornata_replay_logs::ROOM;

/// Bytes of a process's data.
pub(crate) const DATA: usize = 0x2800;
/// In the data of a process: control pages, what threads send and receive, the values of
/// tasks, those of upcalls. A thread or driver has 64 bytes of each.
const CONTROL: usize = 0;
const SENT: usize = 0x800;
const RECEIVED: usize = 0x1000;
const TASKS: usize = 0x1800;
const BLOCKS: usize = 0x2000;
/// Bytes of one's share of these.
const SHARE: usize = 64;
/// From the beginning of the simulated memory: messages, ports, and the rest.
const ROOMS: usize = 0x2_0000;
const PORTS: usize = 0x3_0000;
const SCRATCH: usize = 0x3_8000;
const SPARE: usize = 0x3_9000;
const REGIONS: usize = 0x4_0000;
/// Bytes of a process's messages, and of a region.
const MESSAGES: usize = 0x1000;
const REGION: usize = 0x1000;
/// User address of the memory that processes can allocate.
pub(crate) const HEAP: usize = 0x60_0000;

const _: () = assert!(ROOM <= SHARE);

/// The user address of a process's data.
pub(crate) fn data(process: usize) -> usize {
    0x40_0000 + process * 0x1_0000
}

/// Where a process's data lies in the simulated memory.
pub(crate) fn place(process: usize) -> usize {
    process * DATA
}

/// The physical address of an offset in the simulated memory.
pub(crate) fn physical(offset: usize) -> u64 {
    (MEMORY + offset) as u64
}

/// Something in the data of a process: by its user address, and by its place in the
/// simulated memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    process: usize,
    offset: usize,
}

impl At {
    fn new(process: usize, area: usize, share: usize) -> At {
        let offset = area + share * SHARE;
        assert!(share * SHARE < 0x800, "shares enough");
        At { process, offset }
    }

    pub(crate) fn control(process: usize, thread: usize) -> At {
        At::new(process, CONTROL, thread)
    }

    /// What a thread sends, or writes into a port.
    pub(crate) fn sent(process: usize, thread: usize) -> At {
        At::new(process, SENT, thread)
    }

    /// What a thread receives, or reads from a port.
    pub(crate) fn received(process: usize, thread: usize) -> At {
        At::new(process, RECEIVED, thread)
    }

    /// A value of a task: inputs, then outputs.
    pub(crate) fn value(process: usize, task: usize, index: usize) -> At {
        At::new(process, TASKS, task).plus(8 * index)
    }

    /// A value of an upcall: inputs, then outputs.
    pub(crate) fn block(process: usize, driver: usize, index: usize) -> At {
        At::new(process, BLOCKS, driver).plus(8 * index)
    }

    fn plus(self, bytes: usize) -> At {
        At {
            offset: self.offset + bytes,
            ..self
        }
    }

    pub(crate) fn user(self) -> usize {
        data(self.process) + self.offset
    }

    pub(crate) fn place(self) -> usize {
        place(self.process) + self.offset
    }

    pub(crate) fn physical(self) -> u64 {
        physical(self.place())
    }
}

pub(crate) fn rooms(process: usize) -> u64 {
    physical(ROOMS + process * MESSAGES)
}

/// The value of a port.
pub(crate) fn port(port: usize) -> usize {
    PORTS + 8 * port
}

pub(crate) fn scratch() -> u64 {
    physical(SCRATCH)
}

/// For drivers that write what they read: where it lies, and its bytes.
pub(crate) fn spare() -> (u64, u32) {
    (physical(SPARE), 0x1000)
}

pub(crate) fn region(region: usize) -> usize {
    REGIONS + region * REGION
}

//! Memory of the kernel that is no record: nothing that refers to anything.

use crate::model::{Model, Place, Work};
use giornata_abi::message::INLINE;
use giornata_core::boot::FLOATING_BYTES;

/// What it is a multiple of.
const GRAIN: u32 = 16;
/// Bytes that the E and S machine writes for a moment.
const SCRATCH: u32 = 64;

/// Where the parts of it lie. On the host, where it begins at 0, messages lie among the
/// records, and programs have no values.
pub(crate) struct Memory {
    /// The values of ports; zero when the system boots.
    pub(crate) ports: u64,
    /// Scratch memory of the E and S machine.
    pub(crate) scratch: u64,
    /// For drivers that write what they read: where it lies, and its bytes.
    pub(crate) spare: (u64, u32),
    /// Where the floating-point registers of threads are kept; 0: the hart has none.
    pub(crate) floating: u64,
    /// By process: where the bytes of its messages lie.
    pub(crate) rooms: Vec<Option<u64>>,
    /// Bytes of all.
    pub(crate) bytes: u32,
}

impl Memory {
    /// What a model needs, from `start` on.
    pub(crate) fn of(model: &Model, start: u32) -> Memory {
        let mut bytes = 0;
        let mut take = |size: u32| {
            let place = u64::from(start) + u64::from(bytes);
            bytes = (bytes + size).next_multiple_of(GRAIN);
            place
        };
        let threads = model.threads.len() as u32;
        let has_floating = model.board.kernel_features.iter().any(|f| f == "floating");
        let (ports, scratch) = (take(ports_size(model)), take(SCRATCH));
        let spare = spare_size(model);
        let spare = (take(spare), spare);
        let floating = has_floating.then(|| take(threads * FLOATING_BYTES as u32));
        let rooms = model.processes.iter().map(|process| {
            let messages = process.messages;
            let place = take(u32::from(messages.count) * messages.size.max(INLINE as u32));
            (start > 0).then_some(place)
        });
        Memory {
            ports,
            scratch,
            spare,
            floating: floating.filter(|_| start > 0).unwrap_or(0),
            rooms: rooms.collect(),
            bytes,
        }
    }
}

/// Bytes of the values of ports, each a multiple of 8.
fn ports_size(model: &Model) -> u32 {
    let ends = model.ports.iter().map(|port| match port.place {
        Place::Arena(offset) => (offset + u32::from(port.size)).next_multiple_of(8),
        Place::Block(..) => 0,
    });
    ends.max().unwrap_or(0)
}

/// Spare bytes that the driver needs which overwrites most of what it reads.
fn spare_size(model: &Model) -> u32 {
    let size = |port: &u16| {
        let port = model.ports.get(usize::from(*port));
        port.map_or(0, |port| u32::from(port.size))
    };
    let needed = model.drivers.iter().map(|driver| {
        let pairs = driver.reads.iter().zip(&driver.writes);
        let moves: Vec<(u16, u16, u32)> = pairs
            .map(|(from, to)| (*from, *to, size(from).min(size(to))))
            .collect();
        match driver.work {
            Work::Copy => giornata_records::spare_bytes(&moves),
            _ => 0,
        }
    });
    needed.max().unwrap_or(0)
}

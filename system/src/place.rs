//! Where everything lies: the addresses that turn a model into tables.

use crate::board::Protection;
use crate::image::regions::NOTHING;
use crate::model::Model;
use crate::shared;
use giornata_abi::system::SpaceEntry;

/// First user address of the first process: its code.
pub const USER_BASE: u32 = 0x1000_0000;
/// Where addresses are translated, the next process begins at a multiple of this behind
/// the one before: no address is in two processes, so a debugger, a dump or a trace need
/// not say of which it is. A last table of Sv32 covers so much and two of Sv39 do, so
/// tables are as few as if all began at one address.
pub(crate) const PROCESS_GRAIN: u32 = 0x40_0000;
/// First user address of granted devices.
pub const DEVICE_BASE: u32 = 0x4000_0000;
/// User address of the trace ring in its reader.
pub const TRACE_BASE: u32 = 0x5000_0000;

/// User address of the kernel's records in a process that inspects them.
pub const RECORDS_BASE: u32 = 0x5800_0000;

/// User address of the first window of streams.
pub(crate) const STREAM_BASE: u32 = 0x5C00_0000;

/// User address of the first region that processes share.
pub const SHARED_BASE: u32 = 0x6000_0000;

/// The addresses of a system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// By process.
    pub processes: Vec<ProcessPlacement>,
    /// By region.
    pub regions: Vec<RegionPlacement>,
    /// By window of streams: its address in the processes that reach it.
    pub windows: Vec<u32>,
    /// Physical address of the trace ring; 0 on the host, where it needs none.
    pub trace_ring: u32,
    /// Physical address of the memory for the kernel's tables.
    pub ram: u32,
    /// Bytes of it.
    pub ram_size: u32,
}

/// The addresses of one process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessPlacement {
    /// What the architecture loads to enter its space.
    pub space: u32,
    /// Physical address of the pristine copy of its data.
    pub pristine: u32,
    /// Physical address of its data.
    pub data: u32,
    /// Bytes of data restored from the pristine copy.
    pub data_size: u32,
    /// Bytes zeroed after them.
    pub zero_size: u32,
    /// Physical address of its stacks, where they lie apart.
    pub stacks: u32,
    /// Bytes of them.
    pub stacks_size: u32,
    /// What the PMP holds while it runs, where regions confine it.
    pub regions: Option<SpaceEntry>,
    /// User address of its data.
    pub data_address: u32,
    /// Bytes from there on that lie in one writable stretch.
    pub data_stretch: u32,
    /// User addresses of its restartable sequences.
    pub restartable: (u32, u32),
    /// User addresses of the start code, by
    /// [`FunctionKind`](giornata_abi::process::FunctionKind).
    pub start: [u32; 3],
    /// By function of its table: user address of the body.
    pub bodies: Vec<u32>,
    /// User address of its control pages and blocks.
    pub area: u32,
    /// User address of the memory that it can allocate; 0 = none.
    pub heap: u32,
    /// By thread of the process: user address of the end of its stack.
    pub stack_tops: Vec<u32>,
    /// By thread: what the PMP holds of its stack, where that has a region of its own, or of
    /// the guard below it; 0: it has none.
    pub stack_regions: Vec<u32>,
    /// User address of its trace cursor; 0 = none.
    pub trace_cursor: u32,
    /// User address of the code that runs filters; 0 = none.
    pub run_filter: u32,
    /// User address of the words of its filters; 0 = none.
    pub filters: u32,
}

/// The addresses of one region that processes share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegionPlacement {
    /// Its user address.
    pub address: u32,
    /// Its physical address.
    pub place: u32,
    /// Physical address of its tables, where page tables confine processes.
    pub tables: u32,
    /// By process: the entry of its space that is the region's, where regions of
    /// the PMP confine it.
    pub entries: Vec<u8>,
}

/// Bytes behind the area of each process on the host, in which what stands for its code
/// puts what it shows to the kernel.
pub const ROOM: u32 = 4096;

/// User address of a region where addresses are translated: as far from one to the
/// next as the largest is long.
pub(crate) fn shared_address(region: usize) -> u32 {
    SHARED_BASE + region as u32 * shared::MOST
}

impl Placement {
    /// Addresses for a system that runs on the host.
    ///
    /// The area of each process (`model.processes[i].area` bytes) lies at
    /// [`USER_BASE`]; bodies are the indices of functions in the process's
    /// table, as [`Model::function_of`] answers them; nothing else has an address,
    /// and there is no memory to allocate.
    pub fn for_host(model: &Model) -> Placement {
        let processes = model.processes.iter().map(|process| ProcessPlacement {
            data: USER_BASE,
            data_address: USER_BASE,
            zero_size: process.area,
            area: USER_BASE,
            bodies: (0..process.functions.list.len() as u32).collect(),
            stack_tops: vec![0; process.threads.1 as usize],
            ..ProcessPlacement::default()
        });
        let regions = (0..model.regions.len()).map(|region| RegionPlacement {
            address: shared_address(region),
            ..RegionPlacement::default()
        });
        Placement {
            processes: processes.collect(),
            regions: regions.collect(),
            ..Placement::default()
        }
    }

    /// Addresses for a system that runs on the host with memory: as those of
    /// [`for_host`](Self::for_host), but what processes see at one address lies apart, in
    /// simulated memory from `base` on, and the kernel's memory behind it.
    pub fn in_memory(model: &Model, base: u32) -> Placement {
        let mut placement = Placement::for_host(model);
        let mut at = base;
        for (process, place) in model.processes.iter().zip(&mut placement.processes) {
            place.data = at;
            place.zero_size = process.area.next_multiple_of(8) + ROOM;
            place.data_stretch = place.zero_size;
            at = (at + place.zero_size).next_multiple_of(16);
        }
        placement.ram = at.max(16);
        placement
    }

    /// Addresses of nothing, with as many table entries as the true ones have.
    pub(crate) fn draft(model: &Model) -> Placement {
        let place = match model.board.protection {
            Protection::Sv39 | Protection::Sv32 => ProcessPlacement::default(),
            Protection::Pmp { .. } => ProcessPlacement {
                regions: Some(NOTHING),
                ..ProcessPlacement::default()
            },
        };
        Placement {
            processes: vec![place; model.processes.len()],
            // somewhere: not among the kernel's records
            trace_ring: model.board.system,
            ram: model.board.system,
            ..Placement::default()
        }
    }

    /// The addresses of a process; all zero for an index that names none.
    pub(crate) fn of(&self, process: u16) -> ProcessPlacement {
        self.processes
            .get(process as usize)
            .cloned()
            .unwrap_or_default()
    }
}

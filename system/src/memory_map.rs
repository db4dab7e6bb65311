//! Where the memory of a system's processes lies, as part of the name map: what an
//! address is that somebody reached for.

use crate::board::Protection;
use crate::image::executable::Executable;
use crate::image::layout::{self, Layout};
use crate::image::napot;
use crate::model::{Model, Process};
use crate::names::NameMap;
use crate::place::{ProcessPlacement, TRACE_BASE};
use giornata_abi::ring;
use giornata_abi::system::REGION_WRITE;
use serde::{Deserialize, Serialize};

/// A stretch of memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    /// Its first address.
    pub start: u32,
    /// Its bytes.
    pub size: u32,
    /// What lies there: `code`, `constants`, `data`, `heap`, `device uart0`, ...
    pub what: String,
    /// What its process may do there: some of `r`, `w`, `x`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rights: String,
}

/// What is not a process's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Each process has addresses of its own, by page tables.
    pub is_translated: bool,
    /// Bytes of a word of a process; 0 on the host.
    pub word: u8,
    /// The kernel and the devices, by physical address.
    pub memory: Vec<Stretch>,
}

impl Stretch {
    fn new(start: u32, size: u32, what: impl Into<String>, rights: &str) -> Stretch {
        Stretch {
            start,
            size,
            what: what.into(),
            rights: rights.into(),
        }
    }

    /// Whether an address lies in it.
    pub fn contains(&self, address: u64) -> bool {
        let start = u64::from(self.start);
        (start..start + u64::from(self.size)).contains(&address)
    }
}

/// Adds to the map where all lies.
pub(crate) fn add(map: &mut NameMap, model: &Model, layout: &Layout, executables: &[Executable]) {
    map.machine = machine(model);
    let parts = (0u16..).zip(&model.processes).zip(executables);
    for ((index, process), executable) in parts {
        let place = &layout.placement.processes[usize::from(index)];
        map.processes[usize::from(index)].memory =
            of_process(model, layout, (index, process), executable, place);
        let tops = place.stack_tops.iter().zip(model.threads_of(index));
        for (top, (thread, _)) in tops {
            map.threads[usize::from(thread)].stack_top = *top;
        }
        for (own, (thread, _)) in model.threads_of(index).enumerate() {
            let region = place.stack_regions.get(own).copied().unwrap_or(0);
            map.threads[usize::from(thread)].guard = match model.board.protection {
                Protection::Sv39 | Protection::Sv32 => layout::guard_of(process),
                // (what has a region of its own has all other stacks for a guard)
                Protection::Pmp { .. } if process.has_private_stacks || region == 0 => 0,
                Protection::Pmp { .. } => napot::bytes(region),
            };
        }
        let body = |name: &str| {
            let at = executable.functions.position(name)?;
            executable.functions.list.get(at).map(|f| f.body as u32)
        };
        for thread in map.threads.iter_mut().filter(|t| t.process == index) {
            thread.body = body(&thread.function).unwrap_or(0);
        }
        for driver in map.drivers.iter_mut().filter(|d| d.process == Some(index)) {
            driver.body = body(&driver.function).unwrap_or(0);
        }
    }
}

fn machine(model: &Model) -> Machine {
    let board = &model.board;
    // (what is a process's there is looked up first)
    let (base, size) = (board.memory_base, board.memory_size);
    let mut memory = vec![Stretch::new(base, size, "the kernel", "")];
    for device in &board.devices {
        let name = format!("device {}", device.name);
        memory.push(Stretch::new(device.base, device.size, name, ""));
    }
    let is_translated = !matches!(board.protection, Protection::Pmp { .. });
    Machine {
        is_translated,
        word: board.protection.word() as u8,
        memory,
    }
}

fn of_process(
    model: &Model,
    layout: &Layout,
    (index, process): (u16, &Process),
    executable: &Executable,
    place: &ProcessPlacement,
) -> Vec<Stretch> {
    let bytes = |section: &crate::image::executable::Section| section.bytes.len() as u32;
    let (text, rodata) = (&executable.text, &executable.rodata);
    let data = place.data_address;
    let mut memory = vec![
        Stretch::new(text.address, bytes(text), "code", "rx"),
        Stretch::new(rodata.address, bytes(rodata), "constants", "r"),
        Stretch::new(data, executable.end - data, "data", "rw"),
        Stretch::new(
            executable.end,
            process.area,
            "control pages and blocks",
            "rw",
        ),
    ];
    if place.heap != 0 {
        memory.push(Stretch::new(place.heap, process.heap, "heap", "rw"));
    }
    for (top, (_, thread)) in place.stack_tops.iter().zip(model.threads_of(index)) {
        let name = format!("stack of {}", thread.name);
        memory.push(Stretch::new(top - thread.stack, thread.stack, name, "rw"));
    }
    for device in &process.devices {
        let at = layout::device_address(&model.board, process, *device);
        if let (Some(entry), Some(at)) = (model.board.devices.get(*device), at) {
            let name = format!("device {}", entry.name);
            memory.push(Stretch::new(at, entry.size, name, "rw"));
        }
    }
    if process.reads_trace {
        let at = match model.board.protection {
            Protection::Pmp { .. } => layout.placement.trace_ring,
            Protection::Sv39 | Protection::Sv32 => TRACE_BASE,
        };
        let size = ring::BYTES as u32 * model.trace_capacity;
        memory.push(Stretch::new(at, size, "trace ring", "r"));
    }
    if let Some(site) = layout.sites.get(usize::from(index)) {
        let (at, size) = site.inspected;
        memory.push(Stretch::new(at, size, "records of the kernel", "r"));
    }
    for (region, place) in model.regions.iter().zip(&layout.placement.regions) {
        let rights = match region.granted(index) {
            0 => continue,
            granted if granted & REGION_WRITE != 0 => "rw",
            _ => "r",
        };
        let name = format!("region {}", region.name);
        memory.push(Stretch::new(place.address, region.size, name, rights));
    }
    memory.retain(|stretch| stretch.size > 0);
    memory
}

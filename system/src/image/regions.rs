//! Physical memory where regions of the PMP confine processes: addresses are
//! not translated, so each process is linked where it lies.
//!
//! ```text
//! board.system   blob: header and tables; all of a region, if a process inspects them
//!                pristine copies of data, 8-byte aligned
//!                stacks, those of one process together, largest first
//! anywhere       code | constants | data, bss, control pages and blocks, heap
//!                of each process, the trace ring, the kernel's tables, memory
//!                that processes share
//! ```
//!
//! The Region Invariant: a region holds memory of one process only, or a device
//! that it is granted, or the trace ring of its reader, or the kernel's records, which
//! some processes may read, or memory that it may attach, and is closed then until it does; none is both writable and executable.
//! The stacks of a process lie below its data in one region, unless the system file makes
//! them private. Below each lies a guard, which holds nothing and is closed to user mode by
//! an entry of its own, before all others, while the thread of that stack runs; a stack that
//! is known to suffice has none. Below a stack that has a region of its own lies a stack,
//! which is closed while the other is open, or memory that is no process's.

use crate::board::Board;
use crate::image::executable::Executable;
use crate::image::layout::{
    Layout, Segment, Usage, Writable, filters, free, is_inspected, record_room, shared, site_at,
    writable_segments,
};
use crate::image::link_process::Site;
use crate::image::napot::{Memory, Size, place};
use crate::model::{Model, Process};
use crate::place::{Placement, ProcessPlacement, RegionPlacement};
use crate::problem::{Problem, Refusal};
use giornata_abi::ring;
use giornata_abi::system::{KERNEL_REGIONS, SpaceEntry};

/// Most regions of something of a process.
#[derive(Clone, Copy)]
struct Most {
    text: u32,
    rodata: u32,
    data: u32,
}

/// The least memory.
const THRIFTY: Most = Most {
    text: 3,
    rodata: 2,
    data: 2,
};
/// The cheapest change of process: the kernel loads the first three entries of
/// one without a look, and no rights where the last process had the same.
const FAST: Most = Most {
    text: 1,
    rodata: 1,
    data: 1,
};
/// Regions that a space can place.
const MOST_REGIONS: usize = 16 - KERNEL_REGIONS;

/// Configuration bytes: a naturally aligned power of two, and the rights.
const NAPOT: u8 = 3 << 3;
const READ: u8 = NAPOT | 0b001;
const READ_WRITE: u8 = NAPOT | 0b011;
const READ_EXECUTE: u8 = NAPOT | 0b101;
/// Of memory that is shared: the kernel opens it.
const CLOSED: u8 = 0;
/// Of the guard below the running thread's stack: it matches, and lets nobody pass but the
/// kernel.
const GUARD: u8 = NAPOT;
/// Of private stacks together: open to nobody, but the kernel reads and writes
/// them for their process.
const KERNEL_ONLY: u8 = 0b011;

/// The space in which nothing is open.
pub(crate) const NOTHING: SpaceEntry = SpaceEntry {
    rights: [0; 16],
    places: [0; MOST_REGIONS],
    count: 0,
};

/// Processes of the same kind have regions of the same size, and their data would lie at the
/// same place in each: control pages, which every switch reads, would share the lines of a
/// cache that is mapped directly. So the data of each lie this much further on,
const APART: u32 = 2048;
/// as far as the region has room, and so often.
const COLOURS: u32 = 8;

/// The parts of a process that regions cover.
struct Parts<'a> {
    /// Its number.
    index: u16,
    process: &'a Process,
    executable: &'a Executable,
    text: Size,
    rodata: Size,
    data: Size,
    writable: Writable,
    /// By thread: bytes of its stack; a power of two if it has a region of its own.
    stacks: Vec<u32>,
    /// By thread: bytes of the guard below its stack, a power of two; 0: it has none.
    guards: Vec<u32>,
    /// Bytes of stacks and guards below the data, in the same region: all or none.
    below: u32,
    /// Bytes between these and its data, of those that the region has to spare.
    apart: u32,
    /// The regions that it may attach.
    shared: Vec<usize>,
    /// Bytes of the least region.
    grain: u32,
}

/// Where they lie.
#[derive(Clone, Debug, Default)]
struct Places {
    text: u32,
    rodata: u32,
    data: u32,
    /// Lowest address of its stacks: that of its data's region, if they are there.
    stacks: u32,
    /// By thread: end of its stack.
    stack_tops: Vec<u32>,
}

/// Lays out a system whose blob has `blob` bytes and whose kernel needs
/// `ram_size` bytes for its tables. The executables say what is needed; they
/// are linked again where the layout puts them.
/// In few regions where memory allows it.
pub(crate) fn lay_out(
    model: &Model,
    executables: &[Executable],
    blob: u32,
    ram_size: u32,
    grain: u32,
) -> Result<Layout, Refusal> {
    let lay_out = |most| lay_out_with(model, executables, blob, ram_size, (grain, most));
    lay_out(FAST).or_else(|_| lay_out(THRIFTY))
}

fn lay_out_with(
    model: &Model,
    executables: &[Executable],
    blob: u32,
    ram_size: u32,
    (grain, most): (u32, Most),
) -> Result<Layout, Refusal> {
    let board = &model.board;
    let parts: Vec<Parts<'_>> = (0u16..)
        .zip(model.processes.iter().zip(executables))
        .map(|(index, (process, executable))| {
            Parts::of(model, index, process, executable, (grain, most))
        })
        .collect();
    let room = match is_inspected(model) {
        true => record_room(board, blob).map_err(|alignment| misplaced(board, alignment))?,
        false => blob,
    };
    let mut end = u64::from(board.system) + u64::from(room);
    let pristine = parts.iter().map(|parts| {
        let bytes = &parts.executable.data.bytes;
        let start = end.next_multiple_of(8);
        end = start + bytes.len() as u64;
        Segment::new(start as u32, bytes.clone())
    });
    let pristine: Vec<Segment> = pristine.collect();
    let mut places = vec![Places::default(); parts.len()];
    let (stacks, gaps) = place_stacks(&parts, &mut places, end);
    end = stacks + u64::from(grain);
    let mut memory = Memory::from(end);
    let (ring, ram, mut shared, windows) =
        place_rest(model, &parts, &mut places, &mut memory, ram_size, grain);
    let mut layout = Layout {
        placement: Placement {
            processes: Vec::new(),
            regions: Vec::new(),
            windows: windows.clone(),
            trace_ring: ring,
            ram,
            ram_size,
        },
        segments: Vec::new(),
        sites: Vec::new(),
        usage: Vec::new(),
        free: free(board, memory.end())?,
        gaps: memory.gaps() + gaps + (room - blob),
    };
    for ((parts, places), pristine) in parts.iter().zip(&places).zip(&pristine) {
        let ring = (ring, records(model));
        let windows = &layout.placement.windows;
        let regions = parts.regions(model, places, (ring, room), windows, &mut shared)?;
        parts.emit(&mut layout, model, places, pristine.address, regions);
        if let (true, Some(site)) = (parts.process.inspects, layout.sites.last_mut()) {
            site.inspected = (board.system, blob);
        }
    }
    // (zero at boot)
    let of_windows = model.windows.iter().zip(&layout.placement.windows);
    let of_windows = of_windows.map(|(window, address)| Segment {
        address: *address,
        bytes: Vec::new(),
        size: window.size,
    });
    layout.segments.extend(of_windows);
    layout.placement.regions = shared;
    layout.segments.extend(pristine);
    Ok(layout)
}

/// The stacks with regions of their own, from `end` on; answers where they end, and
/// the bytes lost.
fn place_stacks(parts: &[Parts<'_>], places: &mut [Places], end: u64) -> (u64, u32) {
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.retain(|index| parts[*index].below == 0);
    // those of one process are one block where the kernel has a region for all
    let largest = |index: &usize| {
        let largest = parts[*index].stacks.iter().max().copied().unwrap_or(1);
        largest.max(parts[*index].stacks_block())
    };
    order.sort_by_key(|index| std::cmp::Reverse(largest(index)));
    let (mut at, mut gaps) = (end, 0);
    for index in order {
        let stacks = &parts[index].stacks;
        let base = at.next_multiple_of(u64::from(largest(&index)));
        gaps += (base - at) as u32;
        at = base;
        places[index].stacks = at as u32;
        let mut threads: Vec<usize> = (0..stacks.len()).collect();
        threads.sort_by_key(|thread| std::cmp::Reverse(stacks[*thread]));
        places[index].stack_tops = vec![0; stacks.len()];
        for thread in threads {
            at += u64::from(stacks[thread]);
            places[index].stack_tops[thread] = at as u32;
        }
        let block = base + u64::from(parts[index].stacks_block());
        gaps += block.saturating_sub(at) as u32;
        at = at.max(block);
    }
    (at, gaps)
}

/// The kernel's records cannot be one region where the board has them.
pub(crate) fn misplaced(board: &Board, alignment: u32) -> Problem {
    let reason = format!(
        "the kernel's records lie at {:#x} on board {}, which is no multiple of {alignment:#x}, \
         so no process can be let read them and nothing else",
        board.system, board.name
    );
    let mend = "leave out the grant `inspect`, or let the `[kernel]` of the board's file end at such a multiple";
    Problem::new(reason, mend)
}

/// Bytes of the trace ring's records.
fn records(model: &Model) -> u32 {
    ring::BYTES as u32 * model.trace_capacity
}

/// What has no order, the most aligned first; answers where the ring and the
/// kernel's tables lie, and what processes share.
fn place_rest(
    model: &Model,
    parts: &[Parts<'_>],
    places: &mut [Places],
    memory: &mut Memory,
    ram_size: u32,
    grain: u32,
) -> (u32, u32, Vec<RegionPlacement>, Vec<u32>) {
    enum Item {
        Window(usize),
        Shared(usize),
        Text(usize),
        Rodata(usize),
        Data(usize),
        Ring,
    }
    let items = parts.iter().enumerate().flat_map(|(index, parts)| {
        [
            (Item::Text(index), parts.text),
            (Item::Rodata(index), parts.rodata),
            (Item::Data(index), parts.data),
        ]
    });
    let mut items: Vec<(Item, Size)> = items.collect();
    items.push((Item::Ring, Size::of(records(model), grain, 1)));
    let regions = model.regions.iter().enumerate();
    items.extend(regions.map(|(index, region)| {
        let size = Size::of(region.size, grain, 1);
        (Item::Shared(index), size)
    }));
    let windows = model.windows.iter().enumerate();
    items.extend(windows.map(|(index, window)| {
        let size = Size::of(window.size, grain, 1);
        (Item::Window(index), size)
    }));
    let mut windows = vec![0; model.windows.len()];
    let nowhere = RegionPlacement {
        entries: vec![0; parts.len()],
        ..RegionPlacement::default()
    };
    let mut shared = vec![nowhere; model.regions.len()];
    items.sort_by_key(|(_, size)| std::cmp::Reverse(size.alignment()));
    let mut ring = 0;
    for (item, size) in items {
        let place = match item {
            Item::Text(_) => apart_from_kernel(model, memory, size),
            _ => None,
        };
        let place = place.unwrap_or_else(|| memory.take(0, size.bytes(), size.alignment()));
        match item {
            Item::Text(index) => places[index].text = place,
            Item::Rodata(index) => places[index].rodata = place,
            Item::Data(index) => places[index].lay_data(place, &parts[index]),
            Item::Ring => ring = place,
            Item::Window(index) => windows[index] = place,
            Item::Shared(index) => {
                (shared[index].place, shared[index].address) = (place, place);
            }
        }
    }
    (ring, memory.take(0, ram_size, 16), shared, windows)
}

/// Room for text whose lines of a cache of 64 KiB are not those of the kernel's text, if there
/// is some below what is in use; text of half that cache may lie behind it too. Where a process
/// and the kernel share lines, each system call fetches both anew.
fn apart_from_kernel(model: &Model, memory: &mut Memory, size: Size) -> Option<u32> {
    const CACHE: u64 = 0x1_0000;
    /// The kernel's text, in bytes at most; rounded up.
    const KERNEL: u64 = 0x8400;
    let kernel = u64::from(model.board.kernel.0);
    let alignment = u64::from(size.alignment());
    // (text of half the cache lies in the other half: upon the kernel's last lines rather than
    // its first, which are those of its entries)
    let is_half = alignment == CACHE / 2;
    let first = if is_half { alignment } else { KERNEL };
    let behind_kernel = |at: u64| {
        let within = (at - kernel) % CACHE;
        (at - within + within.max(first)).next_multiple_of(alignment)
    };
    let place = |start| behind_kernel(behind_kernel(start));
    memory
        .take_gap(0, size.bytes(), place)
        .or_else(|| is_half.then(|| memory.take_end(0, size.bytes(), place)))
}

impl Places {
    /// The region of data begins here, with the stacks that are in it.
    fn lay_data(&mut self, at: u32, parts: &Parts<'_>) {
        self.data = at + parts.below + parts.apart;
        if parts.below == 0 {
            return;
        }
        self.stacks = at;
        self.stack_tops = tops(&parts.stacks, &parts.guards);
        self.stack_tops.iter_mut().for_each(|top| *top += at);
    }
}

/// By thread: the end of its stack from the first on, each above its guard, which lies at a
/// multiple of its size.
fn tops(stacks: &[u32], guards: &[u32]) -> Vec<u32> {
    let mut top: u32 = 0;
    let tops = stacks.iter().zip(guards).map(|(stack, guard)| {
        top = top.next_multiple_of((*guard).max(1)) + guard + stack;
        top
    });
    tops.collect()
}

impl<'a> Parts<'a> {
    fn of(
        model: &Model,
        index: u16,
        process: &'a Process,
        executable: &'a Executable,
        (grain, most): (u32, Most),
    ) -> Parts<'a> {
        // an instruction may not lie in two regions: code that is compressed
        // has instructions at the end of one that reach into the next
        let is_compressed = extensions(&model.board.target).contains('c');
        let text_regions = if is_compressed { 1 } else { most.text };
        let size = |bytes: u32, most| Size::of(bytes, grain, most);
        let writable = Writable::of(process, executable);
        let stacks: Vec<u32> = model.threads_of(index).map(|(_, t)| t.stack).collect();
        let guard = match process.guard {
            0 => 0,
            bytes => bytes.next_power_of_two().max(grain),
        };
        let threads = model.threads_of(index);
        let is_guarded = |fits: bool| !fits && !process.has_private_stacks;
        let guards = threads.map(|(_, thread)| if is_guarded(thread.fits) { guard } else { 0 });
        let guards: Vec<u32> = guards.collect();
        let below = match process.has_private_stacks {
            true => 0,
            false => tops(&stacks, &guards).last().copied().unwrap_or(0),
        };
        let data = size(below + writable.bytes, most.data);
        let spare = (data.bytes() - data.needed()) / APART * APART;
        Parts {
            index,
            process,
            executable,
            text: size(executable.text.bytes.len() as u32, text_regions),
            rodata: size(executable.rodata.bytes.len() as u32, most.rodata),
            data,
            writable,
            stacks,
            guards,
            below,
            apart: spare.min(u32::from(index) % COLOURS * APART),
            shared: shared(model, index).collect(),
            grain,
        }
    }

    /// Bytes of the region in which the kernel reaches all private stacks; 0: none.
    fn stacks_block(&self) -> u32 {
        let bytes: u32 = self.stacks.iter().sum();
        match self.below == 0 && bytes > 0 {
            true => bytes.next_power_of_two(),
            false => 0,
        }
    }

    /// What the PMP holds while the process runs, and in which entries what it
    /// shares; refuses more than it can hold.
    fn regions(
        &self,
        model: &Model,
        places: &Places,
        ((ring, ring_size), room): ((u32, u32), u32),
        windows: &[u32],
        shared: &mut [RegionPlacement],
    ) -> Result<SpaceEntry, Refusal> {
        let board = &model.board;
        let own = [
            (places.text, self.text, READ_EXECUTE),
            (places.rodata, self.rodata, READ),
            (places.data - self.below - self.apart, self.data, READ_WRITE),
        ];
        let mut regions: Vec<(u32, u32, u8)> = Vec::new();
        for (address, size, rights) in own {
            regions.extend(size.pieces(address).map(|(at, bytes)| (at, bytes, rights)));
        }
        let block = self.stacks_block();
        regions.extend((block > 0).then_some((places.stacks, block, KERNEL_ONLY)));
        let devices = self.process.devices.iter();
        for device in devices.filter_map(|index| board.devices.get(*index)) {
            let (first, bytes) = board.extent(device);
            regions.push((first, bytes, READ_WRITE));
        }
        if self.process.reads_trace {
            regions.push((ring, ring_size, READ));
        }
        if self.process.inspects {
            regions.push((board.system, room, READ));
        }
        for (index, window) in model.windows.iter().enumerate() {
            let rights = match window.access(self.index) {
                Some(true) => READ_WRITE,
                Some(false) => READ,
                None => continue,
            };
            let size = Size::of(window.size, self.grain, 1);
            regions.push((windows[index], size.bytes(), rights));
        }
        for index in &self.shared {
            let place = &mut shared[*index];
            place.entries[usize::from(self.index)] = (KERNEL_REGIONS + regions.len()) as u8;
            regions.push((place.place, model.regions[*index].size, CLOSED));
        }
        let over = regions.len().saturating_sub(MOST_REGIONS);
        if over > 0 {
            let reason = format!(
                "process `{}` needs {} regions of protection, {over} more than the {MOST_REGIONS} of board {}",
                self.process.name,
                regions.len(),
                board.name
            );
            let mend = match model.windows.iter().any(|w| w.access(self.index).is_some()) {
                true => "run filters that exchange tokens in fewer processes",
                false => "grant it fewer devices or shared regions, or split it",
            };
            return Err(Problem::new(reason, mend).into());
        }
        let mut entry = NOTHING;
        entry.count = regions.len() as u32;
        if self.below == 0 {
            entry.rights[KERNEL_REGIONS - 1] = READ_WRITE;
        } else if self.guards.iter().any(|guard| *guard > 0) {
            entry.rights[KERNEL_REGIONS - 1] = GUARD;
        }
        for (index, (at, bytes, rights)) in regions.into_iter().enumerate() {
            entry.places[index] = place(at, bytes);
            entry.rights[KERNEL_REGIONS + index] = rights;
        }
        Ok(entry)
    }

    fn emit(
        &self,
        layout: &mut Layout,
        model: &Model,
        places: &Places,
        pristine: u32,
        regions: SpaceEntry,
    ) {
        let executable = self.executable;
        let data_size = executable.data.bytes.len() as u32;
        let stacks_size = match self.below {
            0 => self.stacks.iter().sum(),
            below => below,
        };
        layout.segments.extend([
            Segment::new(places.text, executable.text.bytes.clone()),
            Segment::new(places.rodata, executable.rodata.bytes.clone()),
        ]);
        let data = (places.data, self.writable.bytes);
        layout
            .segments
            .extend(writable_segments(model, self.index, executable, data));
        layout.segments.push(Segment {
            address: places.stacks,
            bytes: Vec::new(),
            size: stacks_size,
        });
        layout.usage.push(self.usage());
        layout.sites.push(Site {
            rodata: Some(places.rodata),
            data: Some(places.data),
            filters: filters(model, self.index, executable, &layout.placement.windows),
            ..site_at(model, self.process, places.text)
        });
        if let (true, Some(site)) = (self.process.reads_trace, layout.sites.last_mut()) {
            site.ring = layout.placement.trace_ring;
        }
        let bodies = executable.functions.list.iter().map(|f| f.body as u32);
        layout.placement.processes.push(ProcessPlacement {
            space: layout.placement.processes.len() as u32,
            pristine,
            data: places.data,
            data_size,
            zero_size: self.writable.bytes - data_size,
            data_address: places.data,
            data_stretch: self.writable.bytes,
            stacks: places.stacks,
            stacks_size,
            regions: Some(regions),
            restartable: executable.restartable,
            start: executable.start,
            bodies: bodies.collect(),
            area: executable.end,
            heap: self.writable.heap_at(places.data),
            stack_tops: places.stack_tops.clone(),
            stack_regions: self.stack_regions(places),
            trace_cursor: executable.trace_cursor,
            run_filter: executable.run_filter,
            filters: executable.filters,
        });
    }

    /// By thread: the region of its own stack, or of the guard below it where they share one;
    /// 0: it has no guard.
    fn stack_regions(&self, places: &Places) -> Vec<u32> {
        let stacks = places.stack_tops.iter().zip(&self.stacks);
        let regions =
            stacks
                .zip(&self.guards)
                .map(|((top, bytes), guard)| match (self.below, guard) {
                    (0, _) => place(top - bytes, *bytes),
                    (_, 0) => 0,
                    _ => place(top - bytes - guard, *guard),
                });
        regions.collect()
    }

    fn usage(&self) -> Usage {
        let sizes = [self.text, self.rodata, self.data];
        let executable = self.executable;
        let data = executable.end - executable.data.address;
        let (blocks, heap) = (self.process.area, self.process.heap);
        let padding = self.data.needed() - self.below - data - blocks - heap;
        // (with what aligns them)
        let guards = match self.below {
            0 => 0,
            below => below - self.stacks.iter().sum::<u32>(),
        };
        let around = sizes.iter().map(|size| size.bytes() - size.needed());
        Usage {
            text: self.text.needed(),
            rodata: self.rodata.needed(),
            data,
            blocks,
            stacks: self.stacks.iter().sum(),
            heap,
            tables: 0,
            waste: padding + guards + around.sum::<u32>(),
        }
    }
}

/// The letters behind `riscv32` in a target's name.
fn extensions(target: &str) -> &str {
    let head = target.split('-').next().unwrap_or_default();
    head.trim_start_matches("riscv")
        .trim_start_matches(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
#[path = "regions_tests.rs"]
mod tests;

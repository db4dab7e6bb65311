//! Physical memory after the kernel: tables, pristine data, trace ring, shared
//! memory, processes, and what the kernel needs for its own tables. Where page
//! tables confine processes it lies so; where regions do, as [`regions`] says.
//!
//! ```text
//! board.system   blob: header and tables; whole pages, if a process inspects them
//!                pristine copies of data, 8-byte aligned
//! page           trace ring, whole pages
//! page           for each region that processes share: its memory | its tables
//! page           for each process: page tables | text | rodata | data, bss,
//!                control pages and blocks, heap, stacks
//! page           the kernel's tables (ram), if they do not fit behind its data
//! ```

use crate::board::{Board, PAGE, Protection};
use crate::image::executable::Executable;
use crate::image::link_process::Site;
use crate::image::napot::Size;
use crate::image::paging::{Format, Rights, SV32, SV39, Space};
use crate::image::regions;
use crate::model::{Model, Process};
use crate::names::ThreadRole;
use crate::place::{
    DEVICE_BASE, PROCESS_GRAIN, Placement, ProcessPlacement, RECORDS_BASE, RegionPlacement,
    SHARED_BASE, STREAM_BASE, TRACE_BASE, USER_BASE, shared_address,
};
use crate::problem::{Problem, Refusal};
use crate::services::HEAP_GRAIN;
use crate::shared::Region;
use crate::streams;
use giornata_abi::Record;
use giornata_abi::control::ControlPage;
use giornata_abi::ring;

/// Bytes at a physical address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    /// Where.
    pub(crate) address: u32,
    /// What.
    pub(crate) bytes: Vec<u8>,
    /// Bytes in memory; those beyond `bytes` are zero.
    pub(crate) size: u32,
}

/// How a process's memory is spent, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Code.
    pub text: u32,
    /// Constants.
    pub rodata: u32,
    /// Initialised and zeroed data.
    pub data: u32,
    /// Control pages and blocks.
    pub blocks: u32,
    /// Stacks.
    pub stacks: u32,
    /// Memory that it can allocate.
    pub heap: u32,
    /// Page tables.
    pub tables: u32,
    /// Lost to whole pages, or to regions that are powers of two.
    pub waste: u32,
}

/// Where everything lies, and the bytes of the processes there.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) placement: Placement,
    pub(crate) segments: Vec<Segment>,
    /// Where each process must be linked.
    pub(crate) sites: Vec<Site>,
    pub(crate) usage: Vec<Usage>,
    /// Bytes of memory left over.
    pub(crate) free: u32,
    /// Bytes between what has a place, lost to alignment.
    pub(crate) gaps: u32,
}

/// Memory that is handed out upwards; may run past the end, which is told once.
struct Cursor {
    at: u64,
    /// Bytes that were passed over.
    gaps: u64,
}

impl Cursor {
    fn take(&mut self, bytes: u32, alignment: u32) -> u32 {
        let start = self.at.next_multiple_of(u64::from(alignment));
        self.gaps += start - self.at;
        self.at = start + u64::from(bytes);
        start as u32
    }
}

/// The parts of a process's user memory.
struct Parts<'a> {
    process: &'a Process,
    executable: &'a Executable,
    /// Data, bss, control pages and blocks, and heap.
    writable: Writable,
    /// By thread: bytes of its stack.
    stacks: Vec<u32>,
    /// Bytes below each, whole pages that are not mapped.
    guard: u32,
    /// User addresses of memory that it may attach.
    shared: Vec<u32>,
    /// Windows of streams that it reaches: user address, physical address, bytes and rights.
    windows: Vec<(u32, u32, u32, Rights)>,
}

/// What a process may write in one stretch, in bytes from its data's address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Writable {
    /// Where its heap begins; it reaches to the end.
    heap: Option<u32>,
    /// All of it.
    pub(crate) bytes: u32,
}

impl Writable {
    /// Data and bss, control pages and blocks behind them, and then the heap.
    pub(crate) fn of(process: &Process, executable: &Executable) -> Writable {
        let used = executable.end - executable.data.address + process.area;
        let heap = (process.heap > 0).then(|| used.next_multiple_of(HEAP_GRAIN));
        Writable {
            heap,
            bytes: heap.map_or(used, |start| start + process.heap),
        }
    }

    /// The heap's address where the data lie at `data`; 0 = none.
    pub(crate) fn heap_at(self, data: u32) -> u32 {
        self.heap.map_or(0, |start| data + start)
    }
}

/// What of the kernel's memory a process may be granted to read: physical address and
/// bytes.
#[derive(Clone, Copy, Debug)]
struct Readable {
    ring: (u32, u32),
    records: (u32, u32),
}

/// Bytes to keep for the kernel's records where `board.system` begins, so that whoever
/// reads all of these bytes reads nothing else: whole pages, or one region. The error is
/// what `board.system` had to be a multiple of.
pub(crate) fn record_room(board: &Board, blob: u32) -> Result<u32, u32> {
    let (room, alignment) = match board.protection {
        Protection::Sv39 | Protection::Sv32 => (pages(blob), PAGE),
        Protection::Pmp { grain } => {
            let size = Size::of(blob, grain, 1);
            (size.bytes(), size.alignment())
        }
    };
    match board.system.is_multiple_of(alignment) {
        true => Ok(room),
        false => Err(alignment),
    }
}

/// Whether a process inspects the kernel's records.
pub(crate) fn is_inspected(model: &Model) -> bool {
    model.processes.iter().any(|process| process.inspects)
}

fn pages(bytes: u32) -> u32 {
    bytes.next_multiple_of(PAGE)
}

/// Bytes of the guard below each stack of a process, where there are page tables: they cost
/// addresses, no memory.
pub(crate) fn guard_of(process: &Process) -> u32 {
    pages(process.guard.max(1))
}

impl<'a> Parts<'a> {
    fn of(
        model: &Model,
        index: u16,
        process: &'a Process,
        executable: &'a Executable,
        windows: &[(u32, u32)],
    ) -> Parts<'a> {
        let writable = Writable::of(process, executable);
        Parts {
            process,
            executable,
            writable,
            stacks: model.threads_of(index).map(|(_, t)| t.stack).collect(),
            guard: guard_of(process),
            shared: shared(model, index).map(shared_address).collect(),
            windows: reached(model, index, windows).collect(),
        }
    }

    /// User addresses from its first to its last, in bytes.
    fn extent(&self) -> u64 {
        let stacks = self.stacks.iter();
        let guard = u64::from(self.guard);
        let stacks: u64 = stacks.map(|stack| guard + u64::from(*stack)).sum();
        u64::from(self.executable.data.address - self.executable.text.address)
            + u64::from(self.writable.bytes)
            + u64::from(PAGE)
            + stacks
    }

    /// A process's own memory ends below its devices, and they below the ring.
    fn check(&self, board: &Board) -> Result<(), Refusal> {
        let end = u64::from(self.executable.text.address) + self.extent();
        let granted = self
            .process
            .devices
            .iter()
            .filter_map(|d| board.devices.get(*d));
        let devices: u64 = granted.map(|d| u64::from(board.extent(d).1)).sum();
        let over = end
            .saturating_sub(DEVICE_BASE.into())
            .max(devices.saturating_sub((TRACE_BASE - DEVICE_BASE).into()));
        if over == 0 {
            return Ok(());
        }
        let reason = format!(
            "process `{}` has {over} bytes more than its address space",
            self.process.name
        );
        Err(Problem::new(reason, "make its stacks or its heap smaller, or split it").into())
    }

    /// Bytes of memory that user mode may write.
    fn writable_bytes(&self) -> u32 {
        pages(self.writable.bytes) + self.stacks.iter().sum::<u32>()
    }

    /// User address of the end of each stack; unmapped pages lie below each.
    fn stack_tops(&self) -> Vec<u32> {
        let mut at = self.executable.data.address + pages(self.writable.bytes);
        let mut end = |stack: &u32| {
            at += self.guard + stack;
            at
        };
        self.stacks.iter().map(&mut end).collect()
    }

    fn space(
        &self,
        board: &Board,
        (text, rodata, data): (u32, u32, u32),
        Readable { ring, records }: Readable,
    ) -> Space {
        let mut space = Space::default();
        let executable = self.executable;
        space.map(
            executable.text.address,
            text,
            executable.text.bytes.len() as u32,
            Rights::ReadExecute,
        );
        space.map(
            executable.rodata.address,
            rodata,
            executable.rodata.bytes.len() as u32,
            Rights::Read,
        );
        space.map(
            executable.data.address,
            data,
            self.writable.bytes,
            Rights::ReadWrite,
        );
        let mut physical = data + pages(self.writable.bytes);
        for (top, stack) in self.stack_tops().into_iter().zip(&self.stacks) {
            space.map(top - stack, physical, *stack, Rights::ReadWrite);
            physical += stack;
        }
        let mut user = DEVICE_BASE;
        for device in self
            .process
            .devices
            .iter()
            .filter_map(|d| board.devices.get(*d))
        {
            let (first, bytes) = board.extent(device);
            space.map(user, first, bytes, Rights::ReadWrite);
            user += bytes;
        }
        if self.process.reads_trace {
            space.map(TRACE_BASE, ring.0, ring.1, Rights::Read);
        }
        if self.process.inspects {
            space.map(RECORDS_BASE, records.0, records.1, Rights::Read);
        }
        for (address, place, size, rights) in &self.windows {
            space.map(*address, *place, *size, *rights);
        }
        for address in &self.shared {
            space.leave_open(*address);
        }
        space
    }

    fn usage(&self, tables: u32) -> Usage {
        let executable = self.executable;
        let (text, rodata) = (
            executable.text.bytes.len() as u32,
            executable.rodata.bytes.len() as u32,
        );
        let data = executable.end - executable.data.address;
        let (blocks, heap) = (self.process.area, self.process.heap);
        let written = pages(self.writable.bytes);
        Usage {
            text,
            rodata,
            data,
            blocks,
            stacks: self.stacks.iter().sum(),
            heap,
            tables,
            waste: pages(text) - text + pages(rodata) - rodata + written - data - blocks - heap,
        }
    }
}

/// The memory of a process from its data on: `size` bytes at a physical address, of
/// which the control pages of threads that there are at boot tell their ids.
pub(crate) fn writable_segments(
    model: &Model,
    index: u16,
    executable: &Executable,
    (address, size): (u32, u32),
) -> Vec<Segment> {
    let data = Segment {
        address,
        bytes: executable.data.bytes.clone(),
        size,
    };
    let area = executable.end - executable.data.address;
    let mut pages = Vec::new();
    for (number, thread) in model.threads_of(index) {
        if model.is_there_at_boot(thread) {
            let page = ControlPage {
                slot: number.into(),
                serial: 1,
                ..EMPTY_PAGE
            };
            pages.resize(thread.control as usize, 0);
            page.append_to(&mut pages);
        }
    }
    if pages.is_empty() {
        return vec![data];
    }
    let behind = Segment {
        address: address + area,
        bytes: pages,
        size: size - area,
    };
    vec![Segment { size: area, ..data }, behind]
}

/// What the control page of a thread holds that nobody has made.
const EMPTY_PAGE: ControlPage = ControlPage {
    slot: 0,
    serial: 0,
    job: 0,
    release: [0; 2],
    deadline: 0,
    ceiling: 0,
    pending: 0,
    next_lock: 0,
    next_serial: 0,
    word: 0,
    zero: 0,
};

/// The regions that a process may attach, by index.
pub(crate) fn shared(model: &Model, process: u16) -> impl Iterator<Item = usize> {
    let regions = model.regions.iter().enumerate();
    let granted = regions.filter(move |(_, region)| region.granted(process) != 0);
    granted.map(|(index, _)| index)
}

/// User address of a device in a process that is granted it: its own where
/// nothing is translated.
pub(crate) fn device_address(board: &Board, process: &Process, device: usize) -> Option<u32> {
    let mut user = DEVICE_BASE;
    for granted in &process.devices {
        let entry = board.devices.get(*granted)?;
        let (first, bytes) = board.extent(entry);
        if *granted == device {
            return Some(match board.protection {
                Protection::Pmp { .. } => entry.base,
                Protection::Sv39 | Protection::Sv32 => user + (entry.base - first),
            });
        }
        user += bytes;
    }
    None
}

/// Where the process of an index is linked before any size is known.
pub(crate) fn first_site(model: &Model, index: u16) -> Site {
    let text = USER_BASE.saturating_add(PROCESS_GRAIN.saturating_mul(index.into()));
    Site {
        filters: has_filters(model, index).then(Vec::new),
        ..site_at(model, &model.processes[usize::from(index)], text)
    }
}

/// Whether a process runs filters of streams.
fn has_filters(model: &Model, process: u16) -> bool {
    let mut threads = model.threads_of(process);
    threads.any(|(_, thread)| thread.role == ThreadRole::Filter)
}

/// The words of the filters that a process runs, where windows lie at these addresses.
pub(crate) fn filters(
    model: &Model,
    process: u16,
    executable: &Executable,
    windows: &[u32],
) -> Option<Vec<u32>> {
    let functions = &executable.functions.list;
    let body = |function: usize| functions.get(function).map_or(0, |f| f.body as u32);
    let window = |window: usize| windows.get(window).copied().unwrap_or(0);
    has_filters(model, process).then(|| streams::words(model, process, window, body).words)
}

/// A process is linked at `text`, and told the addresses of what is granted to it.
pub(crate) fn site_at(model: &Model, process: &Process, text: u32) -> Site {
    let board = &model.board;
    let devices = process.devices.iter();
    Site {
        rate: board.rate,
        records: if process.reads_trace {
            model.trace_capacity
        } else {
            0
        },
        text,
        rodata: None,
        data: None,
        ring: if process.reads_trace { TRACE_BASE } else { 0 },
        inspected: (0, 0),
        devices: devices
            .filter_map(|device| {
                let size = board.devices.get(*device)?.size;
                Some((device_address(board, process, *device)?, size))
            })
            .collect(),
        filters: None,
    }
}

/// Where processes are linked that have these parts: one behind the other.
fn sites(model: &Model, parts: &[Parts<'_>], blob: u32, windows: &[u32]) -> Vec<Site> {
    let mut at = USER_BASE;
    let processes = (0u16..).zip(&model.processes).zip(parts);
    let sites = processes.map(|((index, process), parts)| {
        let mut site = site_at(model, process, at);
        site.filters = filters(model, index, parts.executable, windows);
        if process.inspects {
            site.inspected = (RECORDS_BASE, blob);
        }
        let end = u64::from(at) + parts.extent();
        at = u32::try_from(end.next_multiple_of(PROCESS_GRAIN.into())).unwrap_or(u32::MAX);
        site
    });
    sites.collect()
}

/// Lays out a system whose blob has `blob` bytes and whose kernel needs
/// `ram_size` bytes for its tables.
pub(crate) fn lay_out(
    model: &Model,
    executables: &[Executable],
    blob: u32,
    ram_size: u32,
) -> Result<Layout, Refusal> {
    match model.board.protection {
        Protection::Sv39 => lay_out_pages(model, executables, blob, ram_size, &SV39),
        Protection::Sv32 => lay_out_pages(model, executables, blob, ram_size, &SV32),
        Protection::Pmp { grain } => regions::lay_out(model, executables, blob, ram_size, grain),
    }
}

/// The windows of streams that a process reaches, of all with their addresses.
fn reached(
    model: &Model,
    process: u16,
    windows: &[(u32, u32)],
) -> impl Iterator<Item = (u32, u32, u32, Rights)> {
    let all = model.windows.iter().zip(windows);
    all.filter_map(move |(window, (address, place))| {
        let rights = match window.access(process)? {
            true => Rights::ReadWrite,
            false => Rights::Read,
        };
        Some((*address, *place, window.size, rights))
    })
}

/// Memory for the windows of streams, which is zero at boot: the user address of each, the same
/// in all processes that reach it, and the physical one.
fn lay_windows(
    model: &Model,
    cursor: &mut Cursor,
    segments: &mut Vec<Segment>,
) -> Result<Vec<(u32, u32)>, Refusal> {
    let mut user = STREAM_BASE;
    let windows = model.windows.iter().map(|window| {
        let size = pages(window.size);
        let place = cursor.take(size, PAGE);
        segments.push(Segment {
            address: place,
            bytes: Vec::new(),
            size,
        });
        let address = user;
        user = user.saturating_add(size);
        (address, place)
    });
    let windows = windows.collect();
    match user <= SHARED_BASE {
        true => Ok(windows),
        false => {
            let most = (SHARED_BASE - STREAM_BASE) >> 20;
            let reason = format!("the tokens of streams need more than {most}M");
            Err(Problem::new(reason, "take smaller tokens, or smaller capacities").into())
        }
    }
}

fn lay_out_pages(
    model: &Model,
    executables: &[Executable],
    blob: u32,
    ram_size: u32,
    format: &Format,
) -> Result<Layout, Refusal> {
    let board = &model.board;
    let mut cursor = Cursor {
        at: u64::from(board.system) + u64::from(blob),
        gaps: 0,
    };
    let records = (board.system, pages(blob));
    if is_inspected(model) {
        cursor.take(0, PAGE);
    }
    let mut segments = Vec::new();
    let pristine: Vec<u32> = executables
        .iter()
        .map(|executable| {
            let address = cursor.take(executable.data.bytes.len() as u32, 8);
            segments.push(Segment::new(address, executable.data.bytes.clone()));
            address
        })
        .collect();
    // the ring's place must be known to the tables of its reader: it comes first
    let ring_bytes = pages(ring::BYTES as u32 * model.trace_capacity);
    let ring = (cursor.take(ring_bytes, PAGE), ring_bytes);
    let readable = Readable { ring, records };
    let windows = lay_windows(model, &mut cursor, &mut segments)?;
    let addresses: Vec<u32> = windows.iter().map(|(address, _)| *address).collect();
    let parts = (0u16..).zip(&model.processes).zip(executables);
    let parts: Vec<Parts<'_>> = parts
        .map(|((index, process), executable)| {
            Parts::of(model, index, process, executable, &windows)
        })
        .collect();
    let mut layout = Layout {
        placement: Placement::default(),
        segments,
        sites: sites(model, &parts, blob, &addresses),
        usage: Vec::new(),
        free: 0,
        gaps: 0,
    };
    for (index, region) in model.regions.iter().enumerate() {
        layout.share(&mut cursor, format, region, shared_address(index));
    }
    for ((index, parts), pristine) in (0u16..).zip(&parts).zip(pristine) {
        parts.check(board)?;
        layout.place(
            &mut cursor,
            (model, index),
            format,
            parts,
            readable,
            pristine,
        );
    }
    let ram = cursor.take(ram_size, PAGE);
    layout.placement.windows = addresses;
    layout.placement.trace_ring = ring.0;
    (layout.placement.ram, layout.placement.ram_size) = (ram, ram_size);
    layout.free = free(board, cursor.at)?;
    layout.gaps = cursor.gaps as u32;
    Ok(layout)
}

/// Bytes of memory that are left, with everything below `end` in use.
pub(crate) fn free(board: &Board, end: u64) -> Result<u32, Refusal> {
    let memory = u64::from(board.memory_base) + u64::from(board.memory_size);
    if end <= memory {
        return Ok((memory - end) as u32);
    }
    let over = end - memory;
    let reason = format!(
        "the system needs {over} bytes more than board {} has",
        board.name
    );
    let mend = "make stacks or `[kernel] trace` smaller, or take a larger board";
    Err(Problem::new(reason, mend).into())
}

impl Segment {
    /// Bytes without zeros after them.
    pub(crate) fn new(address: u32, bytes: Vec<u8>) -> Segment {
        let size = bytes.len() as u32;
        Segment {
            address,
            bytes,
            size,
        }
    }
}

impl Layout {
    /// Memory that is shared, and its tables: those for who writes, then those for
    /// who reads. The kernel zeroes the memory before anybody sees it.
    fn share(&mut self, cursor: &mut Cursor, format: &Format, region: &Region, address: u32) {
        let place = cursor.take(region.size, PAGE);
        let rights = [Rights::ReadWrite, Rights::Read];
        let tables = rights.map(|rights| format.leaves(place, region.size, rights));
        let tables = tables.concat();
        let at = cursor.take(tables.len() as u32, PAGE);
        self.segments.push(Segment::new(at, tables));
        self.placement.regions.push(RegionPlacement {
            address,
            place,
            tables: at,
            entries: Vec::new(),
        });
    }

    fn place(
        &mut self,
        cursor: &mut Cursor,
        (model, index): (&Model, u16),
        format: &Format,
        parts: &Parts<'_>,
        readable: Readable,
        pristine: u32,
    ) {
        let (executable, board) = (parts.executable, &model.board);
        let tables = parts.space(board, (0, 0, 0), readable).table_bytes(format);
        let root = cursor.take(tables, PAGE);
        let text = cursor.take(pages(executable.text.bytes.len() as u32), PAGE);
        let rodata = cursor.take(pages(executable.rodata.bytes.len() as u32), PAGE);
        let data = cursor.take(parts.writable_bytes(), PAGE);
        let space = parts.space(board, (text, rodata, data), readable);
        self.segments
            .push(Segment::new(root, space.tables(format, root)));
        self.segments
            .push(Segment::new(text, executable.text.bytes.clone()));
        self.segments
            .push(Segment::new(rodata, executable.rodata.bytes.clone()));
        let size = parts.writable_bytes();
        self.segments
            .extend(writable_segments(model, index, executable, (data, size)));
        self.usage.push(parts.usage(tables));
        let data_size = executable.data.bytes.len() as u32;
        self.placement.processes.push(ProcessPlacement {
            space: root / PAGE,
            pristine,
            data,
            data_size,
            zero_size: size - data_size,
            stacks: 0,
            stacks_size: 0,
            regions: None,
            data_address: executable.data.address,
            data_stretch: parts.writable.bytes,
            restartable: executable.restartable,
            start: executable.start,
            bodies: executable
                .functions
                .list
                .iter()
                .map(|f| f.body as u32)
                .collect(),
            area: executable.end,
            heap: parts.writable.heap_at(executable.data.address),
            stack_tops: parts.stack_tops(),
            stack_regions: Vec::new(),
            trace_cursor: executable.trace_cursor,
            run_filter: executable.run_filter,
            filters: executable.filters,
        });
    }
}

#[cfg(test)]
#[path = "layout_tests.rs"]
pub(crate) mod tests;

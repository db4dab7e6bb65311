//! The Mapping Invariant, checked by walking the tables that were made.

use super::*;
use crate::describe::describe;
use crate::image::executable::Section;
use crate::image::paging::walk;
use crate::place::USER_BASE;
use std::collections::BTreeMap;

#[path = "../../tests/sample/mod.rs"]
mod sample;

const READ: u64 = 1 << 1;
const WRITE: u64 = 1 << 2;
const EXECUTE: u64 = 1 << 3;
const USER: u64 = 1 << 4;

/// A process of these many bytes of code, constants, data and zeroed data.
fn executable(text: usize, rodata: usize, data: usize, bss: u32) -> Executable {
    let section = |address: u32, bytes: usize, fill: u8| Section {
        address,
        bytes: vec![fill; bytes],
    };
    let rodata_at = USER_BASE + pages(text as u32);
    let data_at = rodata_at + pages(rodata as u32);
    Executable {
        text: section(USER_BASE, text, 1),
        rodata: section(rodata_at, rodata, 2),
        data: section(data_at, data, 3),
        end: (data_at + data as u32 + bss).next_multiple_of(8),
        functions: Default::default(),
        start: [USER_BASE; 3],
        restartable: (0, 0),
        run_filter: 0,
        filters: 0,
        trace_cursor: data_at,
    }
}

/// A sample that was laid out.
pub(crate) struct Laid {
    pub(crate) model: Model,
    pub(crate) layout: Layout,
    pub(crate) executables: Vec<Executable>,
    pub(crate) ram_size: u32,
}

/// Bytes of its tables.
pub(crate) const BLOB: u32 = 1234;

/// A region of the sample's processes, by their grants.
pub(crate) fn shared_region(size: u32, grants: [u16; 3]) -> crate::shared::Region {
    crate::shared::Region {
        name: "ring".into(),
        size,
        grants: grants.into(),
    }
}

/// Lays the sample out on every board with page tables.
fn on_every_board(check: impl Fn(&Laid)) {
    let other = include_str!("../../../boards/qemu-virt32.toml");
    for text in [sample::BOARD, other] {
        let board = Board::parse(std::path::Path::new("board.toml"), text).unwrap();
        check(&laid_out(board));
    }
}

/// Lays the sample out on a board.
pub(crate) fn laid_out(board: Board) -> Laid {
    laid_out_with(board, false)
}

/// The same with private stacks, or not.
pub(crate) fn laid_out_with(board: Board, private_stacks: bool) -> Laid {
    let executables = vec![
        executable(5000, 100, 0, 0),
        executable(1, 0, 20, 9000),
        executable(4096, 4097, 4096, 1),
    ];
    let mut project = sample::project(sample::SYSTEM, &sample::module(sample::PROGRAM)).unwrap();
    project.board = board;
    for process in &mut project.file.processes {
        process.has_private_stacks = private_stacks;
    }
    let mut model = Model::resolve(&project, &sample::functions()).unwrap();
    model.processes[1].heap = 8000;
    // (frames of 9,000 bytes, where nothing else guards)
    let has_pages = !matches!(model.board.protection, Protection::Pmp { .. });
    model.processes[1].guard = if has_pages { 9000 } else { 0 };
    let ram_size = 10_000;
    let layout = lay_out(&model, &executables, BLOB, ram_size).unwrap();
    Laid {
        model,
        layout,
        executables,
        ram_size,
    }
}

impl Laid {
    /// What process `index` reaches: user page to physical page and bits.
    fn reached(&self, index: usize) -> BTreeMap<u32, (u32, u64)> {
        let root = self.layout.placement.processes[index].space * PAGE;
        let tables = self
            .layout
            .segments
            .iter()
            .find(|s| s.address == root)
            .unwrap();
        assert!(
            u32::try_from(tables.bytes.len())
                .unwrap()
                .is_multiple_of(PAGE)
        );
        let format = match self.model.board.protection {
            Protection::Sv39 => SV39,
            _ => SV32,
        };
        walk(&format, root, &tables.bytes)
            .into_iter()
            .map(|(user, physical, bits)| (user, (physical, bits)))
            .collect()
    }

    /// The heap of the one process that has one is told to the kernel, aligned, and
    /// the end of what is zeroed and written.
    pub(crate) fn check_heap(&self) {
        let described = describe(&self.model, &self.layout.placement).unwrap();
        let heaps = described.processes.iter().map(|process| process.heap.1);
        assert_eq!(heaps.collect::<Vec<_>>(), [0, 8000, 0]);
        let process = &described.processes[1];
        let (executable, (heap, heap_size)) = (&self.executables[1], process.heap);
        let (address, stretch, _) = process.data;
        let data = executable.end - executable.data.address;
        let area = address + u64::from(data + self.model.processes[1].area);
        assert!(heap.is_multiple_of(16) && (area..area + 16).contains(&heap));
        let end = heap + heap_size - address;
        assert_eq!(stretch, end);
        let (_, restored, zeroed) = process.image;
        assert!(end <= restored + zeroed);
        assert_eq!(self.layout.usage[1].heap, 8000);
    }

    fn device_pages(&self, index: usize) -> Vec<u32> {
        let devices = self.model.processes[index]
            .devices
            .iter()
            .map(|d| self.model.board.extent(&self.model.board.devices[*d]));
        devices
            .flat_map(|(first, bytes)| first / PAGE..(first + bytes) / PAGE)
            .collect()
    }

    fn ring_pages(&self) -> std::ops::Range<u32> {
        let ring = self.layout.placement.trace_ring / PAGE;
        ring..ring + (16 * self.model.trace_capacity).div_ceil(PAGE)
    }
}

#[test]
fn no_page_is_writable_and_executable_and_all_are_the_users() {
    on_every_board(|laid| {
        for index in 0..3 {
            for (user, (_, bits)) in laid.reached(index) {
                assert_eq!(bits & (READ | USER), READ | USER, "page {user:#x}");
                assert_ne!(bits & (WRITE | EXECUTE), WRITE | EXECUTE, "page {user:#x}");
            }
        }
    });
}

#[test]
fn no_address_is_in_two_processes() {
    on_every_board(|laid| {
        let mut model = laid.model.clone();
        model.processes[1].heap = 5 << 20;
        let layout = lay_out(&model, &laid.executables, BLOB, laid.ram_size).unwrap();
        let begins: Vec<u32> = layout.sites.iter().map(|site| site.text).collect();
        let steps = [0, 1, 3].map(|grains| USER_BASE + grains * PROCESS_GRAIN);
        assert_eq!(begins, steps, "the second has more than fits one step");
        let parts = (0u16..).zip(&model.processes).zip(&laid.executables);
        let ends: Vec<u64> = parts
            .zip(&begins)
            .map(|(((index, process), executable), begin)| {
                let parts = Parts::of(&model, index, process, executable, &[]);
                u64::from(*begin) + parts.extent()
            })
            .collect();
        let nexts = begins.iter().skip(1);
        assert!(
            ends.iter()
                .zip(nexts)
                .all(|(end, next)| *end <= u64::from(*next))
        );
    });
}

#[test]
fn no_page_of_kernel_or_another_process_is_reachable() {
    on_every_board(|laid| {
        let board = &laid.model.board;
        let blob_end = (board.system + BLOB).div_ceil(PAGE);
        let ram = laid.layout.placement.ram / PAGE;
        let mut seen: BTreeMap<u32, usize> = BTreeMap::new();
        for index in 0..3 {
            let devices = laid.device_pages(index);
            for (user, (physical, bits)) in laid.reached(index) {
                if devices.contains(&physical) {
                    assert!(user >= DEVICE_BASE / PAGE && bits & EXECUTE == 0);
                    continue;
                }
                if laid.ring_pages().contains(&physical) {
                    assert!(
                        laid.model.processes[index].reads_trace && bits & (WRITE | EXECUTE) == 0
                    );
                    continue;
                }
                assert!(
                    physical >= blob_end && physical < ram,
                    "page {user:#x} lies at {physical:#x}"
                );
                assert_eq!(
                    seen.insert(physical, index),
                    None,
                    "physical page {physical:#x} is shared"
                );
            }
        }
        let roots = laid.layout.placement.processes.iter().map(|p| p.space);
        assert!(
            roots.into_iter().all(|root| !seen.contains_key(&root)),
            "page tables are nobody's memory"
        );
    });
}

#[test]
fn only_granted_devices_are_mapped_from_the_first_device_address_on() {
    on_every_board(|laid| {
        let device = |index: usize| {
            laid.reached(index)
                .get(&(DEVICE_BASE / PAGE))
                .map(|(physical, _)| *physical)
        };
        assert_eq!(
            [device(0), device(1), device(2)],
            [None, Some(0x101), Some(0x1_0000)]
        );
        for index in 0..3 {
            let mapped = laid
                .reached(index)
                .keys()
                .filter(|u| (DEVICE_BASE / PAGE..TRACE_BASE / PAGE).contains(*u))
                .count();
            assert_eq!(mapped, laid.device_pages(index).len());
        }
    });
}

#[test]
fn as_many_pages_as_frames_need_are_unmapped_below_a_stack() {
    on_every_board(|laid| {
        for (index, placement) in (0u16..).zip(&laid.layout.placement.processes) {
            let reached = laid.reached(index as usize);
            for ((_, thread), top) in laid.model.threads_of(index).zip(&placement.stack_tops) {
                let pages = (top - thread.stack) / PAGE..top / PAGE;
                assert!(
                    pages
                        .clone()
                        .all(|p| reached.get(&p).is_some_and(|(_, bits)| bits & WRITE != 0))
                );
                let guard = if index == 1 { 3 } else { 1 };
                let mut below = pages.start - guard..pages.start;
                assert!(
                    below.all(|page| !reached.contains_key(&page)),
                    "no guard below {top:#x}"
                );
                assert!(!reached.contains_key(&pages.end), "no gap above {top:#x}");
            }
        }
    });
}

#[test]
fn restored_memory_is_what_user_mode_may_write() {
    on_every_board(|laid| {
        for (index, placement) in laid.layout.placement.processes.iter().enumerate() {
            let bytes = placement.data_size + placement.zero_size;
            let own = placement.data / PAGE..(placement.data + bytes) / PAGE;
            let devices = laid.device_pages(index);
            let reached = laid.reached(index);
            let written: Vec<u32> = reached
                .values()
                .filter(|(physical, bits)| bits & WRITE != 0 && !devices.contains(physical))
                .map(|(physical, _)| *physical)
                .collect();
            assert_eq!(written.len(), own.len());
            assert!(written.iter().all(|p| own.contains(p)));
            // user addresses of data and areas agree with the physical ones
            let data = laid.executables[index].data.address / PAGE;
            assert_eq!(reached[&data].0, placement.data / PAGE);
            let area = placement.area - laid.executables[index].data.address;
            assert!(area + laid.model.processes[index].area <= bytes);
        }
    });
}

#[test]
fn a_heap_lies_behind_all_else_that_its_process_writes_in_one_stretch() {
    on_every_board(|laid| laid.check_heap());
}

#[test]
fn segments_do_not_overlap_and_hold_the_processes_bytes() {
    on_every_board(|laid| {
        let mut segments: Vec<&Segment> =
            laid.layout.segments.iter().filter(|s| s.size > 0).collect();
        segments.sort_by_key(|s| s.address);
        assert!(
            segments
                .windows(2)
                .all(|w| w[0].address + w[0].size <= w[1].address)
        );
        assert!(segments[0].address >= laid.model.board.system + BLOB);
        let last = segments.last().unwrap();
        assert!(last.address + last.size <= laid.layout.placement.ram);
        for (placement, executable) in laid
            .layout
            .placement
            .processes
            .iter()
            .zip(&laid.executables)
        {
            let at = |address: u32| {
                laid.layout
                    .segments
                    .iter()
                    .find(|s| s.address == address && s.size > 0)
            };
            if !executable.data.bytes.is_empty() {
                assert_eq!(at(placement.pristine).unwrap().bytes, executable.data.bytes);
            }
            // control pages lie behind the data of the executable
            let data = at(placement.data).unwrap();
            assert!(data.bytes.starts_with(&executable.data.bytes));
            let end = placement.data + placement.data_size + placement.zero_size;
            let segments = laid.layout.segments.iter();
            let own = segments.filter(|s| (placement.data..end).contains(&s.address));
            assert_eq!(own.map(|s| s.size).sum::<u32>(), end - placement.data);
        }
    });
}

#[test]
fn code_and_constants_lie_behind_the_pages_that_map_them() {
    on_every_board(|laid| {
        for (index, executable) in laid.executables.iter().enumerate() {
            let reached = laid.reached(index);
            for (section, rights) in [
                (&executable.text, READ | EXECUTE),
                (&executable.rodata, READ),
            ] {
                for page in 0..(section.bytes.len() as u32).div_ceil(PAGE) {
                    let (physical, bits) = reached[&(section.address / PAGE + page)];
                    assert_eq!(bits & (READ | WRITE | EXECUTE), rights);
                    let covers =
                        |s: &&Segment| (s.address..s.address + s.size).contains(&(physical * PAGE));
                    let segment = laid.layout.segments.iter().find(covers).unwrap();
                    assert_eq!(segment.bytes, section.bytes);
                }
            }
        }
    });
}

#[test]
fn the_kernel_is_told_its_ring_and_the_readers_cursor_and_the_rest_is_free() {
    on_every_board(|laid| {
        let placement = &laid.layout.placement;
        let described = describe(&laid.model, placement).unwrap();
        assert_eq!(described.trace_ring, Some(placement.trace_ring.into()));
        // the cursor is the first of its reader's data
        assert_eq!(
            described.trace_cursor,
            u64::from(placement.processes[2].data)
        );
        let end = laid.model.board.memory_base + laid.model.board.memory_size;
        assert_eq!(placement.ram_size, laid.ram_size);
        assert_eq!(placement.ram + placement.ram_size + laid.layout.free, end);
    });
}

#[test]
fn a_system_that_does_not_fit_is_told_by_how_much() {
    on_every_board(|laid| {
        let mut model = laid.model.clone();
        model.board.memory_size -= laid.layout.free + 1;
        let refusal = lay_out(&model, &laid.executables, BLOB, laid.ram_size).unwrap_err();
        assert_eq!(
            refusal.problems()[0].reason(),
            format!(
                "the system needs 1 bytes more than board {} has",
                model.board.name
            )
        );
        model.board.memory_size += 1;
        assert_eq!(
            lay_out(&model, &laid.executables, BLOB, laid.ram_size)
                .unwrap()
                .free,
            0
        );
    });
}

#[test]
fn usage_adds_up_to_whole_pages() {
    on_every_board(|laid| {
        for (usage, placement) in laid
            .layout
            .usage
            .iter()
            .zip(&laid.layout.placement.processes)
        {
            let all = usage.text
                + usage.rodata
                + usage.data
                + usage.blocks
                + usage.stacks
                + usage.heap
                + usage.waste;
            assert!(all.is_multiple_of(PAGE) && usage.tables.is_multiple_of(PAGE));
            assert!(all >= placement.data_size + placement.zero_size);
        }
    });
}

/// The entry of a page in the tables of a region: so many pages from the first, in
/// those for who writes or who reads.
fn shared_entry(laid: &Laid, region: usize, is_read: bool, page: u32) -> u64 {
    let place = &laid.layout.placement.regions[region];
    let mut segments = laid.layout.segments.iter();
    let tables = segments.find(|segment| segment.address == place.tables);
    let tables = &tables.unwrap().bytes;
    let word = laid.model.board.protection.word() as usize;
    let half = if is_read { tables.len() / 2 } else { 0 };
    let entry = &tables[half + page as usize * word..][..word];
    entry
        .iter()
        .rev()
        .fold(0, |all, byte| all << 8 | u64::from(*byte))
}

#[test]
fn what_is_shared_has_tables_of_its_own_at_one_address() {
    on_every_board(|laid| {
        let mut laid = Laid {
            model: laid.model.clone(),
            layout: laid.layout.clone(),
            executables: laid.executables.clone(),
            ram_size: laid.ram_size,
        };
        laid.model.regions = vec![
            shared_region(8192, [3, 0, 1]),
            shared_region(4096, [0, 3, 3]),
        ];
        laid.layout = lay_out(&laid.model, &laid.executables, BLOB, laid.ram_size).unwrap();
        let regions = &laid.layout.placement.regions;
        assert_eq!(
            [regions[0].address, regions[1].address],
            [0x6000_0000, 0x6100_0000]
        );
        for (region, pages) in [(0, 2), (1, 1)] {
            let first = u64::from(regions[region].place / PAGE);
            for page in 0..pages {
                let number = (first + u64::from(page)) << 10;
                assert_eq!(
                    shared_entry(&laid, region, false, page),
                    number | 0b1101_0111
                );
                assert_eq!(
                    shared_entry(&laid, region, true, page),
                    number | 0b0101_0011
                );
            }
            assert_eq!(shared_entry(&laid, region, false, pages), 0);
        }
        let place = |index: usize| u64::from(regions[index].place);
        let apart = |segment: &Segment| {
            let range = u64::from(segment.address)..u64::from(segment.address + segment.size);
            [(0, 8192), (1, 4096)].into_iter().all(|(index, bytes)| {
                range.end <= place(index) || place(index) + bytes <= range.start
            })
        };
        assert!(laid.layout.segments.iter().all(apart));
        let described = describe(&laid.model, &laid.layout.placement).unwrap();
        let grants = described.regions.iter().map(|region| region.grants.clone());
        assert_eq!(grants.collect::<Vec<_>>(), [[3, 0, 1], [0, 3, 3]]);
    });
}

#[test]
fn only_an_inspector_reads_the_records_in_pages_that_hold_nothing_else() {
    on_every_board(|laid| {
        let mut model = laid.model.clone();
        model.processes[1].inspects = true;
        let layout = lay_out(&model, &laid.executables, BLOB, laid.ram_size).unwrap();
        let laid = Laid {
            model,
            layout,
            executables: laid.executables.clone(),
            ram_size: laid.ram_size,
        };
        let first = laid.model.board.system / PAGE;
        let room = first..first + BLOB.div_ceil(PAGE);
        for index in 0..3 {
            let reached = laid.reached(index);
            let seen = reached.iter().filter(|(_, (page, _))| room.contains(page));
            let seen: Vec<_> = seen
                .map(|(user, (page, bits))| (*user, *page, bits & (READ | WRITE | EXECUTE)))
                .collect();
            let at = RECORDS_BASE / PAGE;
            let expected = (0..room.len() as u32).map(|page| (at + page, first + page, READ));
            let expected: Vec<_> = expected.filter(|_| index == 1).collect();
            assert_eq!(seen, expected, "process {index}");
            let inspected = laid.layout.sites[index].inspected;
            let expected = (RECORDS_BASE, BLOB);
            assert_eq!(inspected, if index == 1 { expected } else { (0, 0) });
        }
        let others = laid
            .layout
            .segments
            .iter()
            .map(|segment| segment.address / PAGE);
        assert!(others.into_iter().all(|page| !room.contains(&page)));
    });
}

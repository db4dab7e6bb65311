//! The Region Invariant, checked by reading what the PMP will hold.

use super::*;
use crate::describe::describe;
use crate::image::layout::tests::{BLOB, Laid, laid_out, laid_out_with, shared_region};
use std::ops::Range;
use std::path::Path;

const BOARD: &str = include_str!("../../../boards/qemu-virt32-pmp.toml");
const WRITE: u8 = 1 << 1;
const EXECUTE: u8 = 1 << 2;

fn laid() -> Laid {
    laid_out(Board::parse(Path::new("board.toml"), BOARD).unwrap())
}

/// With private stacks.
fn laid_privately() -> Laid {
    laid_out_with(Board::parse(Path::new("board.toml"), BOARD).unwrap(), true)
}

/// What a region is, as the hart reads it.
fn decode(place: u32, rights: u8) -> (Range<u64>, u8) {
    let bytes = 8u64 << place.trailing_ones();
    let base = u64::from(place) * 4 / bytes * bytes;
    (base..base + bytes, rights)
}

/// The regions of a process, without its stack's.
fn regions(laid: &Laid, index: usize) -> Vec<(Range<u64>, u8)> {
    let entry = laid.layout.placement.processes[index].regions.unwrap();
    let count = entry.count as usize;
    assert!(
        entry.rights[KERNEL_REGIONS + count..]
            .iter()
            .all(|r| *r == 0)
    );
    let rights = entry.rights[KERNEL_REGIONS..][..count].iter();
    entry
        .places
        .iter()
        .zip(rights)
        .map(|(place, rights)| decode(*place, *rights))
        .collect()
}

/// Those that are open to user mode.
fn open(laid: &Laid, index: usize) -> Vec<(Range<u64>, u8)> {
    let mut regions = regions(laid, index);
    regions.retain(|(_, rights)| *rights != KERNEL_ONLY);
    regions
}

/// By thread of a process: its stack.
fn stacks(laid: &Laid, index: usize) -> Vec<Range<u64>> {
    let tops = &laid.layout.placement.processes[index].stack_tops;
    let threads = laid.model.threads_of(index as u16);
    threads
        .zip(tops)
        .map(|((_, thread), top)| u64::from(top - thread.stack)..u64::from(*top))
        .collect()
}

fn overlap(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start < b.end && b.start < a.end
}

/// What is the kernel's: its image, tables and pristine data, its free memory.
fn kernel(laid: &Laid) -> Vec<Range<u64>> {
    let board = &laid.model.board;
    let placement = &laid.layout.placement;
    let range = |start: u32, bytes: u32| u64::from(start)..u64::from(start) + u64::from(bytes);
    let mut all = vec![
        range(board.kernel.0, board.kernel.1),
        range(board.system, BLOB),
        range(placement.ram, placement.ram_size),
    ];
    all.extend(
        placement
            .processes
            .iter()
            .map(|p| range(p.pristine, p.data_size)),
    );
    all
}

#[test]
fn no_region_is_locked_or_both_writable_and_executable() {
    for laid in [laid(), laid_privately()] {
        for (_, rights) in (0..3).flat_map(|index| open(&laid, index)) {
            assert_eq!(rights & !0b111, NAPOT);
            assert_ne!(rights & (WRITE | EXECUTE), WRITE | EXECUTE);
        }
    }
}

#[test]
fn regions_and_stacks_of_processes_and_kernel_are_apart() {
    for (laid, private) in [(laid(), false), (laid_privately(), true)] {
        let own = |index: usize| -> Vec<Range<u64>> {
            let regions = open(&laid, index).into_iter().map(|(range, _)| range);
            let stacks = stacks(&laid, index).into_iter().filter(|_| private);
            regions.chain(stacks).collect()
        };
        for index in 0..3 {
            let own_memory = own(index);
            for (at, range) in own_memory.iter().enumerate() {
                assert!(kernel(&laid).iter().all(|other| !overlap(range, other)));
                // overlays of one's own would join rights on some harts
                assert!(own_memory[..at].iter().all(|other| !overlap(range, other)));
                for other in (0..3).filter(|other| *other != index).flat_map(&own) {
                    assert!(!overlap(range, &other), "{range:x?} and {other:x?}");
                }
            }
        }
    }
}

#[test]
fn a_heap_lies_in_the_regions_of_data() {
    let laid = laid();
    laid.check_heap();
    let described = describe(&laid.model, &laid.layout.placement).unwrap();
    let (heap, size) = described.processes[1].heap;
    let last = heap + size - 1;
    let reaches = |(range, rights): &(Range<u64>, u8)| range.contains(&last) && rights & WRITE != 0;
    assert!(regions(&laid, 1).iter().any(reaches));
}

#[test]
fn below_a_private_stack_lies_nothing_that_is_open_with_it() {
    let laid = laid_privately();
    for index in 0..3 {
        for stack in stacks(&laid, index) {
            let bytes = stack.end - stack.start;
            assert!(bytes.is_power_of_two() && stack.start.is_multiple_of(bytes));
            let below = stack.start - 256..stack.start;
            assert!(
                open(&laid, index)
                    .iter()
                    .all(|(range, _)| !overlap(range, &below))
            );
        }
    }
}

#[test]
fn text_of_half_a_cache_lies_in_the_other_half_than_the_kernels_first_lines() {
    let model = laid().model;
    let kernel = u64::from(model.board.kernel.0);
    let half = Size::of(0x7800, 256, 1);
    assert_eq!(half.alignment(), 0x8000);
    for used in (0x8000..0x3_0000).step_by(0x1100) {
        let mut memory = Memory::from(kernel + used);
        let place = apart_from_kernel(&model, &mut memory, half).unwrap();
        let place = u64::from(place) - kernel;
        assert!(place >= used && place - used < 0x1_0000 + 0x8000);
        assert_eq!(place % 0x1_0000, 0x8000);
    }
    // (a smaller one does not make the system longer)
    let mut memory = Memory::from(kernel + 0x9000);
    let small = Size::of(0x1000, 256, 1);
    assert_eq!(apart_from_kernel(&model, &mut memory, small), None);
    assert_eq!(memory.end(), kernel + 0x9000);
}

#[test]
fn sections_lie_in_regions_with_their_rights() {
    let laid = laid();
    for (index, site) in laid.layout.sites.iter().enumerate() {
        let executable = &laid.executables[index];
        let data = executable.end - executable.data.address + laid.model.processes[index].area;
        let parts = [
            (site.text, executable.text.bytes.len() as u32, READ_EXECUTE),
            (
                site.rodata.unwrap(),
                executable.rodata.bytes.len() as u32,
                READ,
            ),
            (site.data.unwrap(), data, READ_WRITE),
        ];
        for (start, bytes, needed) in parts {
            let all = regions(&laid, index);
            let covers = |at: u64| {
                all.iter()
                    .any(|(range, rights)| range.contains(&at) && *rights == needed)
            };
            let mut bytes = u64::from(start)..u64::from(start) + u64::from(bytes);
            assert!(bytes.all(covers));
        }
    }
}

#[test]
fn only_the_reader_sees_the_ring_and_all_of_it() {
    let laid = laid();
    let start = u64::from(laid.layout.placement.trace_ring);
    let ring = start..start + 16 * u64::from(laid.model.trace_capacity);
    for index in 0..3 {
        let seen = regions(&laid, index);
        let seen = seen.iter().filter(|(range, _)| overlap(range, &ring));
        let bytes = |(range, rights): &(Range<u64>, u8)| {
            assert_eq!(*rights, READ);
            range.end.min(ring.end) - range.start.max(ring.start)
        };
        let whole = if laid.model.processes[index].reads_trace {
            ring.end - ring.start
        } else {
            0
        };
        assert_eq!(seen.map(bytes).sum::<u64>(), whole);
    }
    assert_eq!(laid.layout.sites[2].ring, laid.layout.placement.trace_ring);
}

#[test]
fn a_device_is_one_region_at_its_own_address() {
    let laid = laid();
    let open = |index: usize, range: Range<u64>| {
        let found = regions(&laid, index).into_iter().find(|(r, _)| *r == range);
        found.map(|(_, rights)| rights)
    };
    assert_eq!(open(1, 0x10_1000..0x10_2000), Some(READ_WRITE));
    assert_eq!(open(2, 0x1000_0000..0x1000_0100), Some(READ_WRITE));
    assert_eq!(laid.layout.sites[1].devices, [(0x10_1000, 0x1000)]);
}

#[test]
fn what_is_shared_is_one_closed_region_at_one_address() {
    let mut laid = laid();
    laid.model.regions = vec![
        shared_region(4096, [0, 3, 1]),
        shared_region(16384, [1, 0, 3]),
    ];
    laid.layout = lay_out(&laid.model, &laid.executables, BLOB, laid.ram_size, 256).unwrap();
    let placement = &laid.layout.placement;
    for (region, place) in laid.model.regions.iter().zip(&placement.regions) {
        let own = u64::from(place.place)..u64::from(place.place + region.size);
        assert_eq!((place.address, place.place % region.size), (place.place, 0));
        for index in 0..3 {
            let regions = regions(&laid, index);
            let here = regions.iter().position(|(range, _)| overlap(range, &own));
            let granted = region.grants[index] != 0;
            assert_eq!(here.is_some(), granted, "process {index}");
            let entry = here.map_or(0, |here| KERNEL_REGIONS + here);
            assert_eq!(usize::from(place.entries[index]), entry);
            assert!(here.is_none_or(|here| regions[here] == (own.clone(), CLOSED)));
            assert!(
                stacks(&laid, index)
                    .iter()
                    .all(|stack| !overlap(stack, &own))
            );
        }
        assert!(kernel(&laid).iter().all(|range| !overlap(range, &own)));
    }
}

#[test]
fn restored_memory_is_data_and_stacks() {
    let laid = laid();
    for (index, place) in laid.layout.placement.processes.iter().enumerate() {
        let own = stacks(&laid, index);
        let range = u64::from(place.stacks)..u64::from(place.stacks) + u64::from(place.stacks_size);
        assert!(
            own.iter()
                .all(|stack| range.start <= stack.start && stack.end <= range.end)
        );
        let sum: u64 = own.iter().map(|stack| stack.end - stack.start).sum();
        assert_eq!(sum, range.end - range.start);
        assert_eq!(place.data_size + place.zero_size, place.data_stretch);
    }
}

#[test]
fn waste_is_what_regions_cover_and_nobody_needs() {
    let laid = laid();
    for (index, usage) in laid.layout.usage.iter().enumerate() {
        let devices = laid.model.processes[index].devices.len();
        let own = regions(&laid, index);
        let rings = usize::from(laid.model.processes[index].reads_trace);
        let own = &own[..own.len() - devices - rings];
        let covered: u64 = own.iter().map(|(range, _)| range.end - range.start).sum();
        let written = usage.data + usage.blocks + usage.stacks + usage.heap;
        let used = usage.text + usage.rodata + written;
        assert_eq!(u64::from(used + usage.waste), covered);
        assert_eq!(usage.tables, 0);
    }
}

#[test]
fn compressed_code_lies_in_one_region_where_others_take_less_memory() {
    let text = |target: &str| {
        let board = BOARD.replace("riscv32im-", target);
        let laid = thrifty(laid_out(
            Board::parse(Path::new("board.toml"), &board).unwrap(),
        ));
        let executable = |(_, rights): &(Range<u64>, u8)| *rights == READ_EXECUTE;
        regions(&laid, 0).into_iter().filter(executable).count()
    };
    assert_eq!(text("riscv32im-"), 2); // 5000 bytes: 4096 + 1024
    assert_eq!(text("riscv32imac-"), 1);
}

#[test]
fn more_regions_than_there_are_is_refused_by_how_much() {
    let devices: String = (0..12)
        .map(|n| {
            format!(
                "[devices.d{n}]\nbase = {}\nsize = 256\n",
                0x2000_0000 + n * 256
            )
        })
        .collect();
    let board = BOARD.replace("[qemu]", &format!("{devices}[qemu]"));
    let mut laid = laid_out(Board::parse(Path::new("board.toml"), &board).unwrap());
    let granted = |d: &crate::board::Device| d.name.starts_with('d');
    let devices = laid.model.board.devices.iter().enumerate();
    laid.model.processes[0].devices = devices
        .filter(|(_, d)| granted(d))
        .map(|(index, _)| index)
        .collect();
    let refusal = lay_out(&laid.model, &laid.executables, BLOB, laid.ram_size, 256).unwrap_err();
    assert_eq!(
        refusal.problems()[0].reason(),
        "process `control` needs 16 regions of protection, 2 more than the 14 of board qemu-virt32-pmp"
    );
}

/// The same in the least memory.
fn thrifty(laid: Laid) -> Laid {
    let most = (256, THRIFTY);
    let layout = lay_out_with(&laid.model, &laid.executables, BLOB, laid.ram_size, most);
    Laid {
        layout: layout.unwrap(),
        ..laid
    }
}

#[test]
fn where_memory_is_short_more_regions_cover_less() {
    let (laid, thrifty) = (laid(), thrifty(self::laid()));
    assert!(thrifty.layout.free > laid.layout.free);
    let mut model = laid.model.clone();
    model.board.memory_size -= laid.layout.free + 1;
    let layout = lay_out(&model, &laid.executables, BLOB, laid.ram_size, 256).unwrap();
    assert_eq!(layout.placement, thrifty.layout.placement);
}

#[test]
fn a_system_that_does_not_fit_is_told_by_how_much() {
    let laid = thrifty(laid());
    let mut model = laid.model.clone();
    model.board.memory_size -= laid.layout.free + 1;
    let lay_out = |model: &Model| lay_out(model, &laid.executables, BLOB, laid.ram_size, 256);
    assert_eq!(
        lay_out(&model).unwrap_err().problems()[0].reason(),
        "the system needs 1 bytes more than board qemu-virt32-pmp has"
    );
    model.board.memory_size += 1;
    assert_eq!(lay_out(&model).unwrap().free, 0);
}

/// The region that covers an address, with its rights.
fn region_at(laid: &Laid, index: usize, at: u64) -> Option<(Range<u64>, u8)> {
    let mut all = regions(laid, index).into_iter();
    all.find(|(range, _)| range.contains(&at))
}

#[test]
fn threads_share_one_region_of_stacks_and_data_whose_edge_is_the_lowest_stacks() {
    let laid = laid();
    for index in 0..3 {
        let stacks = stacks(&laid, index);
        let lowest = stacks.iter().map(|stack| stack.start).min().unwrap();
        let data = u64::from(laid.layout.placement.processes[index].data);
        let highest = stacks.iter().map(|stack| stack.end).max().unwrap();
        // (the data of each lie further on, as far as their region has room)
        let apart = data - highest;
        assert!(apart.is_multiple_of(2048) && apart <= 2048 * index as u64);
        let (region, rights) = region_at(&laid, index, lowest).unwrap();
        assert_eq!((region.start, rights), (lowest, READ_WRITE));
        assert_eq!(region_at(&laid, index, lowest - 1), None);
        for at in stacks.iter().flat_map(Clone::clone).step_by(16) {
            assert_eq!(
                region_at(&laid, index, at).map(|(_, r)| r),
                Some(READ_WRITE)
            );
        }
        let place = &laid.layout.placement.processes[index];
        assert_eq!(place.regions.unwrap().rights[..KERNEL_REGIONS], [0, 0]);
        assert!(place.stack_regions.iter().all(|region| *region == 0));
        assert_eq!(u64::from(place.stacks), lowest);
        assert_eq!(u64::from(place.stacks + place.stacks_size), highest);
    }
}

#[test]
fn a_guard_lies_below_each_stack_that_may_not_suffice() {
    let mut laid = laid();
    for (index, process) in (0u32..).zip(&mut laid.model.processes) {
        process.guard = 100 + 700 * index;
    }
    let known = usize::from(laid.model.processes[1].threads.0);
    laid.model.threads[known].fits = true;
    laid.layout = lay_out(&laid.model, &laid.executables, BLOB, laid.ram_size, 256).unwrap();
    for (index, bytes) in [256, 1024, 2048].into_iter().enumerate() {
        let place = &laid.layout.placement.processes[index];
        let rights = place.regions.unwrap().rights;
        let mut threads = laid.model.threads_of(index as u16);
        let has_guard = threads.any(|(_, thread)| !thread.fits);
        let closed = if has_guard { GUARD } else { 0 };
        assert_eq!(rights[..KERNEL_REGIONS], [0, closed]);
        let stacks = stacks(&laid, index);
        let data = u64::from(place.data)..u64::from(place.data + place.data_stretch);
        assert!(stacks.iter().all(|stack| !overlap(stack, &data)));
        let threads = laid.model.threads_of(index as u16);
        for (((_, thread), stack), guard) in threads.zip(&stacks).zip(&place.stack_regions) {
            if thread.fits {
                assert_eq!(*guard, 0);
                continue;
            }
            let (guard, _) = decode(*guard, GUARD);
            assert_eq!(guard, stack.start - bytes..stack.start);
            // it is the process's, so the kernel restores it, and holds nothing
            assert_eq!(
                region_at(&laid, index, guard.start).map(|(_, r)| r),
                Some(READ_WRITE)
            );
            assert!(stacks.iter().all(|other| !overlap(&guard, other)));
            assert!(!overlap(&guard, &data));
        }
        let lowest = u64::from(place.stacks);
        let all = lowest..lowest + u64::from(place.stacks_size);
        assert!(
            stacks
                .iter()
                .all(|s| all.contains(&s.start) && s.end <= all.end)
        );
    }
}

#[test]
fn private_stacks_are_closed_to_user_mode_and_one_region_for_the_kernel() {
    let laid = laid_privately();
    for index in 0..3 {
        let place = &laid.layout.placement.processes[index];
        let stacks = stacks(&laid, index);
        assert_eq!(
            place.regions.unwrap().rights[..KERNEL_REGIONS],
            [0, READ_WRITE]
        );
        for (stack, own) in stacks.iter().zip(&place.stack_regions) {
            assert_eq!(decode(*own, READ_WRITE).0, *stack);
            let (block, rights) = region_at(&laid, index, stack.start).unwrap();
            assert_eq!(rights, KERNEL_ONLY);
            assert!(block.contains(&(stack.end - 1)));
        }
    }
}

#[test]
fn the_ring_has_a_region_of_its_own() {
    let laid = laid();
    let reader = laid
        .model
        .processes
        .iter()
        .position(|p| p.reads_trace)
        .unwrap();
    let ring = u64::from(laid.layout.placement.trace_ring);
    let (region, rights) = region_at(&laid, reader, ring).unwrap();
    assert_eq!((region.start, rights), (ring, READ));
    assert_eq!(region.end - ring, u64::from(16 * laid.model.trace_capacity));
}

#[test]
fn only_an_inspector_reads_the_records_and_nothing_else_with_them() {
    let mut laid = laid();
    let plain = laid.layout.clone();
    assert!(plain.sites.iter().all(|site| site.inspected == (0, 0)));
    laid.model.processes[1].inspects = true;
    laid.layout = lay_out(&laid.model, &laid.executables, BLOB, laid.ram_size, 256).unwrap();
    let system = laid.model.board.system;
    let room = u64::from(system)..u64::from(system) + u64::from(BLOB.next_power_of_two());
    for index in 0..3 {
        let seen = regions(&laid, index);
        let mut seen = seen.into_iter().filter(|(range, _)| overlap(range, &room));
        let expected = (index == 1).then_some((room.clone(), READ));
        assert_eq!(
            (seen.next(), seen.next()),
            (expected, None),
            "process {index}"
        );
        let inspected = laid.layout.sites[index].inspected;
        assert_eq!(inspected, if index == 1 { (system, BLOB) } else { (0, 0) });
    }
    // nothing else lies in the region: no process's memory, no pristine copy
    let pristine = laid.layout.placement.processes.iter();
    let pristine = pristine.map(|p| range_of(p.pristine, p.data_size));
    let others = pristine.chain([range_of(
        laid.layout.placement.ram,
        laid.layout.placement.ram_size,
    )]);
    assert!(others.into_iter().all(|other| !overlap(&other, &room)));
    assert_eq!(laid.layout.sites[0].devices, plain.sites[0].devices);
}

fn range_of(start: u32, bytes: u32) -> Range<u64> {
    u64::from(start)..u64::from(start) + u64::from(bytes)
}

#[test]
fn records_that_cannot_be_one_region_are_refused_to_an_inspector_only() {
    let mut laid = laid();
    laid.model.board.system += 1024;
    let lay_out = |laid: &Laid| lay_out(&laid.model, &laid.executables, BLOB, laid.ram_size, 256);
    assert!(lay_out(&laid).is_ok());
    laid.model.processes[1].inspects = true;
    let refusal = lay_out(&laid).unwrap_err();
    let reason = refusal.problems()[0].reason().to_owned();
    assert!(
        reason.contains("0x80040400") && reason.contains("no multiple of 0x800"),
        "{reason}"
    );
}

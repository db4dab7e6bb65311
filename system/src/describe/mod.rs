//! From a model and its addresses to what the kernel's records are made from.

mod memory;
mod programs;

use crate::board::{Kind, Protection};
use crate::config::{self, POSIX};
use crate::image::regions::NOTHING;
use crate::model::{Model, Process, Thread};
use crate::names::ThreadRole;
use crate::objects::{self, Shape};
use crate::place::{Placement, ProcessPlacement, RegionPlacement};
use crate::problem::{Problem, Refusal};
use crate::restart::RestartRule;
use crate::shared;
use crate::start::Start;
use crate::streams;
use giornata_abi::control::ControlPage;
use giornata_abi::rate::Rate;
use giornata_abi::system::{
    GRANT_SHUTDOWN, GRANT_TRUSTED_DMA, KERNEL_REGIONS, Policy, REGION_ENTRY, RIGHT_DIRECT,
    RIGHT_FULL, RIGHT_MANAGE, RIGHT_RECEIVE, RIGHT_USE, SpaceEntry,
};
use giornata_abi::{Instant, Record};
use giornata_core::boot::flag;
use giornata_core::interrupt::LINES;
use giornata_core::process::{SPACE, grant};
use giornata_core::sched::thread::role;
use giornata_records::{self as records, Description, ObjectKind, Rights};
pub(crate) use memory::Memory;

/// From this entry of the PMP on, the second half of its registers is in use.
const FIRST_OF_SECOND_HALF: usize = 8;

/// Describes a bound model to the kernel. Refuses what its records cannot hold.
pub fn describe(model: &Model, placement: &Placement) -> Result<Description, Refusal> {
    let rate = model.board.rate;
    check_lines(model)?;
    let memory = Memory::of(model, placement.ram);
    let processes = (0u16..).zip(&model.processes);
    let threads = (0u16..).zip(&model.threads);
    let regions = model.regions.iter().enumerate();
    let lines = model.interrupts.iter().map(|line| records::Line {
        number: line.number.into(),
        process: line.process.map(usize::from),
        interval: ticks(&rate, line.interval.into()),
    });
    Ok(Description {
        band: model.deadline_band,
        depth: 0,
        processes: processes
            .zip(&memory.rooms)
            .map(|((index, process), rooms)| records::Process {
                rooms: *rooms,
                ..self::process(model, process, &placement.of(index))
            })
            .collect(),
        threads: threads
            .map(|(index, thread)| {
                let place = placement.of(thread.process);
                self::thread(model, index, thread, &place, &rate)
            })
            .collect(),
        objects: model.objects.iter().map(object).collect(),
        lines: lines.collect(),
        accounts: config::has(&model.config, POSIX),
        task_records: model.board.task_records.into(),
        harts: model.board.harts,
        control_apart: model.control_apart,
        streams: streams::records(model),
        flags: match model.trace_console {
            true => flag::TRACE_TO_CONSOLE,
            false => 0,
        },
        timer_hertz: model.board.timer_hertz,
        stop_at: match model.stop_at {
            0 => 0,
            at => rate.ticks(Instant(at)).0,
        },
        floating: memory.floating,
        kernel_space: match model.board.protection {
            Protection::Pmp { .. } => space_of_regions(&NOTHING, true),
            Protection::Sv39 | Protection::Sv32 => Vec::new(),
        },
        trace_cursor: trace_cursor(model, placement),
        regions: regions
            .map(|(index, region)| self::region(region, placement.regions.get(index)))
            .collect(),
        trace_records: model.trace_capacity as usize,
        programs: programs::programs(model, placement, &rate, &memory)?,
        trace_ring: (placement.trace_ring > 0).then_some(placement.trace_ring.into()),
    })
}

/// Physical address of the cursor of who sends the trace over a serial line, or of the
/// first who reads it; 0: nobody does.
fn trace_cursor(model: &Model, placement: &Placement) -> u64 {
    let readers = (0u16..).zip(&model.processes);
    let readers = readers.filter(|(_, process)| process.reads_trace);
    let is_line = |device: &usize| {
        let device = model.board.devices.get(*device);
        device.is_some_and(|device| device.kind == Some(Kind::Ns16550))
    };
    let has_line = |process: &Process| process.devices.iter().any(is_line);
    let reader = readers.min_by_key(|(_, process)| !has_line(process));
    reader.map_or(0, |(index, _)| {
        let place = placement.of(index);
        physical(&place, place.trace_cursor.into())
    })
}

/// Where a user address of a process's data lies; 0 for none.
fn physical(place: &ProcessPlacement, user: u64) -> u64 {
    match user {
        0 => 0,
        user => u64::from(place.data) + user - u64::from(place.data_address),
    }
}

/// Lines have a table by number.
fn check_lines(model: &Model) -> Result<(), Refusal> {
    let mut lines = model.interrupts.iter();
    let Some(line) = lines.find(|line| usize::from(line.number) >= LINES) else {
        return Ok(());
    };
    let reason = format!("interrupt {} of board {}", line.number, model.board.name);
    let mend = format!("the kernel knows lines below {LINES}: use another device");
    Err(Problem::new(reason, mend).into())
}

/// Ticks of a limit in ns that is none if it is 0; at least one, and at most what a
/// comparison of words can tell.
fn ticks(rate: &Rate, nanos: u64) -> u32 {
    let ticks = rate.ticks(Instant(nanos)).0;
    ticks.min(1 << 30) as u32
}

fn process(model: &Model, process: &Process, place: &ProcessPlacement) -> records::Process {
    let bit = |holds: bool, bit: u32| if holds { bit } else { 0 };
    let granted = |abi: u32, own: u32| bit(process.grants & abi != 0, own);
    records::Process {
        space: space(model.board.protection, place),
        max_priority: process.max_priority,
        grants: granted(GRANT_SHUTDOWN, grant::SHUTDOWN)
            | granted(GRANT_TRUSTED_DMA, grant::TRUSTED_DMA)
            | bit(process.reads_trace, grant::TRACE),
        in_turn: !process.is_parallel,
        restartable: (place.restartable.0.into(), place.restartable.1.into()),
        data: (
            place.data_address.into(),
            place.data_stretch.into(),
            place.data.into(),
        ),
        below: match place.stacks + place.stacks_size == place.data {
            true => place.stacks_size.into(),
            false => 0,
        },
        supervisor: process.supervisor.map(usize::from),
        by_call: process.is_by_call,
        on_fault: Some(process.on_fault),
        restart: restart(model, &process.restart),
        image: (
            place.pristine.into(),
            place.data_size.into(),
            place.zero_size.into(),
        ),
        stacks: (place.stacks.into(), place.stacks_size.into()),
        heap: match place.heap {
            0 => (0, 0),
            heap => (heap.into(), process.heap.into()),
        },
        messages: (process.messages.count.into(), process.messages.size),
        ..records::Process::default()
    }
}

/// A rule of restarts in ticks. A pause that is one is one tick at least, and so is a window.
fn restart(model: &Model, rule: &RestartRule) -> records::Restart {
    let rate = &model.board.rate;
    let pause = |nanos: u64| match nanos {
        0 => 0,
        nanos => ticks(rate, nanos).max(1),
    };
    records::Restart {
        pause: pause(rule.pause),
        longest: pause(rule.longest_pause),
        most: rule.most.into(),
        window: rate.ticks(Instant(rule.within)).0.max(1),
        beyond: Some(rule.beyond()),
    }
}

/// What the architecture loads to enter the space of a process: see
/// `kernel/arch-riscv`, `pages.rs` and `regions.rs`.
fn space(protection: Protection, place: &ProcessPlacement) -> Vec<u64> {
    match protection {
        Protection::Sv39 => vec![8 << 60 | u64::from(place.space)],
        Protection::Sv32 => vec![1 << 31 | u64::from(place.space)],
        Protection::Pmp { .. } => place.regions.as_ref().map_or_else(Vec::new, |entry| {
            let entries = entry.count as usize + KERNEL_REGIONS;
            space_of_regions(entry, entries > FIRST_OF_SECOND_HALF)
        }),
    }
}

/// The registers of a PMP: rights, four entries to a word, then places, then whether
/// all entries must be loaded.
fn space_of_regions(entry: &SpaceEntry, is_wide: bool) -> Vec<u64> {
    let rights = entry.rights.chunks_exact(4).map(|four| {
        let bytes = four.iter().rev();
        bytes.fold(0, |word, byte| word << 8 | u64::from(*byte))
    });
    let places = entry.places.iter().map(|place| u64::from(*place));
    let words: Vec<u64> = rights.chain(places).chain([is_wide.into()]).collect();
    assert!(words.len() <= SPACE, "a space has {SPACE} words");
    words
}

fn thread(
    model: &Model,
    index: u16,
    thread: &Thread,
    place: &ProcessPlacement,
    rate: &Rate,
) -> records::Thread {
    let start = Start::of(model, index, thread, place);
    let first = model.processes.get(usize::from(thread.process));
    let own = usize::from(index.wrapping_sub(first.map_or(0, |p| p.threads.0)));
    let control = u64::from(place.area) + u64::from(thread.control);
    let bit = |holds: bool, bit: u16| if holds { bit } else { 0 };
    let has_deadline =
        thread.policy == Policy::Deadline && thread.role == ThreadRole::Thread && !thread.spare;
    // (a filter is a task that no program releases)
    let is_task = matches!(thread.role, ThreadRole::Task | ThreadRole::Filter);
    let is_round_robin = thread.policy == Policy::RoundRobin;
    let limit = match thread.policy {
        Policy::RoundRobin => thread.quantum.into(),
        Policy::Fifo | Policy::Deadline => thread.budget,
    };
    records::Thread {
        process: thread.process.into(),
        priority: match thread.policy {
            Policy::Deadline => model.deadline_band,
            Policy::Fifo | Policy::RoundRobin => thread.priority,
        },
        deadline: ticks(rate, thread.deadline),
        role: bit(has_deadline, role::DEADLINE)
            | bit(is_task, role::TASK)
            | bit(thread.role == ThreadRole::Upcall, role::UPCALL)
            | bit(thread.spare, role::SPARE)
            | bit(thread.autostart, role::AUTOSTART)
            | bit(is_round_robin, role::ROUND_ROBIN),
        entry: start.entry.into(),
        arguments: [start.argument.into(), start.body.into()],
        stack: (
            place.stack_tops.get(own).copied().unwrap_or(0).into(),
            thread.stack.into(),
        ),
        // a process has no global pointer; its thread pointer is the end of the page
        pointers: (0, control + ControlPage::SIZE as u64),
        control: physical(place, control),
        stack_region: place.stack_regions.get(own).copied().unwrap_or(0).into(),
        allowance: ticks(rate, limit),
    }
}

fn object(object: &objects::Object) -> records::Object {
    let (initial, most) = match object.shape {
        Shape::Semaphore { initial, most } => (initial, most),
        _ => (0, 0),
    };
    let rights = object.rights.iter().map(|bits| Rights {
        used: bits & RIGHT_USE != 0,
        managed: bits & RIGHT_MANAGE != 0,
        received: bits & RIGHT_RECEIVE != 0,
        direct: bits & RIGHT_DIRECT != 0,
        full: bits & RIGHT_FULL != 0,
    });
    records::Object {
        kind: match object.shape {
            Shape::Mutex { .. } => ObjectKind::Mutex,
            Shape::Semaphore { .. } => ObjectKind::Semaphore,
            Shape::Condition => ObjectKind::Condition,
            Shape::Mailbox => ObjectKind::Mailbox,
        },
        at_boot: object.at_boot,
        private: object.is_private,
        initial,
        most,
        ceiling: object.shape.ceiling(),
        server: object.server.map(usize::from),
        rights: rights.collect(),
    }
}

fn region(region: &shared::Region, place: Option<&RegionPlacement>) -> records::Region {
    let place = place.cloned().unwrap_or_default();
    let entries = place.entries.iter().copied().chain(std::iter::repeat(0));
    let granted = region.grants.iter().zip(entries);
    let grants = granted.map(|(bits, entry)| u32::from(*bits) | u32::from(entry) << REGION_ENTRY);
    records::Region {
        address: place.address.into(),
        size: region.size.into(),
        place: place.place.into(),
        tables: place.tables.into(),
        grants: grants.collect(),
    }
}

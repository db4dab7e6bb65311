//! From a description to records.

use std::cell::RefCell;

use giornata_abi::system::FaultPolicy;
use giornata_core::boot::{self, Boot};
use giornata_core::interrupt::{LINES, Line};
use giornata_core::layout::{Record, Shaped, Target};
use giornata_core::process::region::Share;
use giornata_core::process::{Image, Stretch, life};
use giornata_core::sched::account::Account;
use giornata_core::sched::agenda::{LISTS, RECORD_BYTES};
use giornata_core::sched::limit;
use giornata_core::sched::ready::{TASK_RECORDS, TaskRecord, level};
use giornata_core::sched::thread::{Place, kind, role, state, tenancy};
use giornata_core::sync::object::{self, Handle};
use giornata_core::trace::{Entry, label};
use giornata_core::{Alarm, Event, Object, Process, Rank, Region, System, Thread};

use crate::arena::{Arena, At, Run, Value};
use crate::description::{self, Description};
use crate::lay_program::lay_programs;
use crate::mail;
use crate::streams::lay_streams;

/// The records of a system, and where the important ones lie.
#[derive(Debug)]
pub struct Built {
    /// The records.
    pub bytes: Vec<u8>,
    /// The record of the system.
    pub kernel: u64,
    /// The objects, by slot.
    pub objects: Vec<u64>,
    /// The processes, by number.
    pub processes: Vec<u64>,
}

/// What other records refer to.
pub(crate) struct Parts {
    pub(crate) kernel: At<System>,
    pub(crate) ranks: Run<Rank>,
    rank_idle: At<Rank>,
    pub(crate) processes: Run<Process>,
    pub(crate) threads: Run<Thread>,
    pub(crate) lines: Run<Line>,
    pub(crate) objects: Run<Object>,
    /// The object that stands for the list of threads that wait in none.
    pub(crate) no_list: At<Object>,
    /// The object that a process finds where it has no right.
    refused: At<Object>,
    /// By thread: what of it never changes.
    pub(crate) places: Vec<At<Place>>,
    /// The alarms that are laid, in the order in which records of a task manager are dealt.
    alarms: RefCell<Vec<At<Alarm>>>,
}

impl Parts {
    /// Lays an alarm: its list of the agenda, and what rings.
    pub(crate) fn lay_alarm(
        &self,
        arena: &mut Arena,
        alarm: At<Alarm>,
        list: usize,
        (kind, record): (&str, u64),
    ) {
        arena.set(alarm, "list", list as u32);
        let event = Value::Tagged(tag(Event::TAGS, kind), record);
        arena.set(alarm, "event", event);
        // (those of programs ring in the order in which they were set)
        if list >= LISTS_OF_PROGRAMS {
            self.alarms.borrow_mut().push(alarm);
        }
    }
}

/// The first lists of the agenda, which nobody else has.
const LISTS_OF_PROGRAMS: usize = 2;

/// The list of the agenda of the alarm of this number.
pub(crate) fn list_of(number: usize) -> usize {
    number % (LISTS - LISTS_OF_PROGRAMS) + LISTS_OF_PROGRAMS
}

/// Lays the records of a system out for a machine whose addresses have `width` bytes,
/// from address `base` on.
pub fn build(description: &Description, width: usize, base: u64) -> Built {
    let target = description.target(width);
    let mut arena = Arena::new(target, base);
    let arena = &mut arena;
    // what boot checks lies in front
    let kernel = arena.one();
    // the idle thread and its process are the last, but for the kernel's own threads
    let processes = arena_run(arena, 64, description.processes.len() + 1);
    let machine = description.threads.len() + 1 + description.processes.len();
    let parts = Parts {
        kernel,
        rank_idle: arena.one(),
        ranks: arena.many(256),
        processes,
        threads: arena_run(arena, 64, machine + description.hart_count()),
        lines: arena.many(description.lines.len()),
        objects: arena.many(description.objects.len()),
        no_list: arena.one(),
        refused: arena.one(),
        places: description.threads.iter().map(|_| arena.one()).collect(),
        alarms: RefCell::default(),
    };
    lay_ranks(arena, &parts);
    lay_objects(arena, &parts, description);
    let handles: Vec<Run<Handle>> = (0..description.processes.len())
        .map(|process| lay_handles(arena, &parts, description, process))
        .collect();
    lay_processes(arena, &parts, description);
    for (index, handles) in handles.iter().enumerate() {
        let process = parts.processes.at(index, arena);
        arena.set(process, "handles", *handles);
    }
    for (index, thread) in description.threads.iter().enumerate() {
        let by_call = description.processes[thread.process].by_call;
        lay_thread(
            arena,
            &parts,
            index,
            thread,
            (handles[thread.process], by_call),
        );
        let record = parts.threads.at(index, arena);
        let hand = mail::lay_hand(arena, &parts, description, index);
        arena.set(record, "hand", hand);
    }
    // (behind the threads, whose links it sets)
    for index in 0..description.processes.len() {
        lay_spares(arena, &parts, description, index);
    }
    lay_idle(arena, &parts, description);
    lay_machine(arena, &parts, description, machine);
    lay_programs(arena, &parts, description, machine);
    lay_kernel(arena, &parts, description);
    lay_accounts(arena, &parts, description);
    if let Some(streams) = &description.streams {
        lay_streams(arena, &parts, description, streams);
    }
    lay_task_records(arena, &parts, description);
    let (kernel, objects, processes) = (parts.kernel.0, parts.objects, parts.processes);
    let objects = (0..objects.1)
        .map(|index| objects.at(index, arena).0)
        .collect();
    let processes = (0..processes.1)
        .map(|index| processes.at(index, arena).0)
        .collect();
    let mut arena = std::mem::replace(arena, Arena::new(target, base));
    arena.align(8);
    let mut bytes = arena.finish();
    seal(&mut bytes, target);
    Built {
        bytes,
        kernel,
        objects,
        processes,
    }
}

fn arena_run<T: Shaped>(arena: &mut Arena, align: usize, count: usize) -> Run<T> {
    arena.align(align);
    arena.many(count)
}

fn lay_ranks(arena: &mut Arena, parts: &Parts) {
    arena.set_each(parts.ranks, "level", |index| index as u32 + 1);
    arena.set_each(parts.ranks, "unmarked", |_| 1u32);
    arena.set(parts.rank_idle, "level", level::IDLE);
}

/// The accounts of the threads, if they have some.
fn lay_accounts(arena: &mut Arena, parts: &Parts, description: &Description) {
    let count = match description.accounts {
        true => description.threads.len(),
        false => return,
    };
    let accounts = arena.many::<Account>(count);
    for index in 0..count {
        let (record, thread) = (accounts.at(index, arena), parts.threads.at(index, arena));
        let alarm = At::<Account>::field(record, "alarm", arena);
        parts.lay_alarm(arena, alarm, list_of(index), ("Thread", thread.0));
        arena.set(
            record,
            "rank.level",
            level::LOWEST - u32::from(description.band),
        );
        arena.set(record, "rank.unmarked", 1u32);
    }
    arena.set(parts.kernel, "settings.accounts", accounts);
}

fn lay_objects(arena: &mut Arena, parts: &Parts, description: &Description) {
    for (index, object) in description.objects.iter().enumerate() {
        let record = parts.objects.at(index, arena);
        let marks = [
            (object.ceiling.is_some(), object::kind::CEILING),
            (object.private, object::kind::PRIVATE),
        ];
        let marks = marks.iter().filter(|(has, _)| *has);
        let made = object.kind as u32 | mail::lay_mailbox(arena, parts, description, index);
        let made = marks.fold(made, |made, (_, mark)| made | mark);
        arena.set(record, "made", made);
        arena.set(record, "number", index as u32);
        arena.set(record, "initial", object.initial);
        arena.set(record, "serial", 1u32);
        let is_left = !object.at_boot && made & object::kind::SEEN_TO != 0;
        let count = if is_left {
            object::kind::LEFT
        } else {
            object.initial
        };
        arena.set(record, "count", count);
        let most = match object.ceiling {
            // that of the deadline band precedes all deadlines
            Some(ceiling) if ceiling == description.band => {
                level::LOWEST - u32::from(ceiling.saturating_add(1))
            }
            Some(ceiling) => level::LOWEST - u32::from(ceiling),
            None => object.most,
        };
        arena.set(record, "most", most);
        if object.at_boot {
            arena.set(record, "kind", made);
        }
    }
    arena.set(parts.refused, "kind", object::kind::REFUSED);
}

fn lay_handles(
    arena: &mut Arena,
    parts: &Parts,
    description: &Description,
    process: usize,
) -> Run<Handle> {
    let run = arena.many::<Handle>(description.objects.len());
    for (index, object) in description.objects.iter().enumerate() {
        let rights = object.rights.get(process).copied().unwrap_or_default();
        let (handle, own) = (run.at(index, arena), parts.objects.at(index, arena));
        arena.set(
            handle,
            "used",
            if rights.used { own } else { parts.refused },
        );
        arena.set(
            handle,
            "managed",
            if rights.managed { own } else { parts.refused },
        );
        arena.set(
            handle,
            "received",
            if rights.received { own } else { parts.refused },
        );
        arena.set(handle, "rights", mail::bits(rights));
    }
    run
}

fn lay_processes(arena: &mut Arena, parts: &Parts, description: &Description) {
    for (index, process) in description.processes.iter().enumerate() {
        let record = parts.processes.at(index, arena);
        for (word, value) in process.space.iter().enumerate() {
            arena.set(record, &format!("space.{word}"), *value);
        }
        let first = description
            .threads
            .iter()
            .position(|thread| thread.process == index);
        let count = description
            .threads
            .iter()
            .filter(|thread| thread.process == index)
            .count();
        let threads = parts.threads.part(first.unwrap_or(0), count, arena);
        arena.set(record, "number", index as u32);
        let life = if process.by_call {
            life::DEAD
        } else {
            life::ALIVE
        };
        arena.set(record, "life", life);
        arena.set(record, "lent.level", level::IDLE);
        arena.set(record, "threads", threads);
        arena.set(
            record,
            "most",
            level::LOWEST - u32::from(process.max_priority),
        );
        arena.set(record, "grants", process.grants);
        if description.hart_count() > 1 {
            arena.set(record, "in_turn", process.in_turn as u32);
        }
        let (begin, end) = process.restartable;
        arena.set(record, "restart_begin", begin);
        arena.set(record, "restart_bytes", end - begin);
        let (data, size, place) = process.data;
        arena.set(record, "data", data - process.below);
        arena.set(record, "data_size", size + process.below);
        arena.set(record, "data_place", place - process.below);
        let supervisor = process
            .supervisor
            .map(|index| parts.processes.at(index, arena));
        arena.set(record, "supervisor", supervisor);
        let nobody = parts.threads.at(description.threads.len(), arena);
        mail::lay_messages(arena, record, process, nobody);
        let lines = description.lines.iter().enumerate();
        let lines: Vec<At<Line>> = lines
            .filter(|(_, line)| line.process == Some(index))
            .map(|(at, _)| parts.lines.at(at, arena))
            .collect();
        let lines = lay_references(arena, &lines);
        arena.set(record, "lines", lines);
        lay_image(arena, record, process);
        lay_reaper(arena, parts, description, index);
    }
    let idle = parts.processes.at(description.processes.len(), arena);
    arena.set(idle, "number", description.processes.len() as u32);
    for (word, value) in description.kernel_space.iter().enumerate() {
        arena.set(idle, &format!("space.{word}"), *value);
    }
    let reaper = parts.threads.at(description.threads.len(), arena);
    arena.set(idle, "reaper", reaper);
    mail::lay_spare(arena, (idle, reaper));
    lay_image(arena, idle, &description::Process::default());
}

/// A row of references.
pub(crate) fn lay_references<T: Shaped + 'static>(
    arena: &mut Arena,
    records: &[At<T>],
) -> Run<&'static T> {
    let run = arena.many::<&'static T>(records.len());
    for (index, record) in records.iter().enumerate() {
        let place = run.at(index, arena);
        arena.put(place, *record);
    }
    run
}

/// How the memory of a process is at its start.
fn lay_image(arena: &mut Arena, record: At<Process>, process: &description::Process) {
    let image = arena.one::<Image>();
    let (pristine, copied, zeroed) = process.image;
    let (data, (stacks, stacks_size)) = (process.data.2, process.stacks);
    let stretches = [
        (pristine, data, copied),
        (0, data + copied, zeroed),
        (0, stacks, stacks_size),
    ];
    let used = stretches.iter().filter(|(_, _, size)| *size != 0);
    let run = arena.many::<Stretch>(used.clone().count());
    for (index, (from, to, size)) in used.enumerate() {
        assert!(size.is_multiple_of(4), "memory of a process in whole words");
        let stretch = run.at(index, arena);
        arena.set(stretch, "from", *from);
        arena.set(stretch, "to", *to);
        arena.set(stretch, "size", *size);
    }
    arena.set(image, "stretches", run);
    assert!(
        process.heap.1.is_multiple_of(16),
        "memory to allocate in its grain"
    );
    arena.set(image, "heap", process.heap.0);
    arena.set(image, "heap_size", process.heap.1);
    let policy = process.on_fault.unwrap_or(FaultPolicy::Stop);
    arena.set(image, "policy", policy as u32);
    let rule = &process.restart;
    arena.set(image, "rule.pause", rule.pause);
    arena.set(image, "rule.longest", rule.longest.max(rule.pause));
    arena.set(image, "rule.most", rule.most);
    arena.set(image, "rule.window.0", rule.window as u32);
    arena.set(image, "rule.window.1", (rule.window >> 32) as u32);
    arena.set(
        image,
        "rule.beyond",
        rule.beyond.unwrap_or(FaultPolicy::Stop) as u32,
    );
    arena.set(record, "image", image);
}

/// The kernel thread that ends and restarts a process.
fn lay_reaper(arena: &mut Arena, parts: &Parts, description: &Description, index: usize) {
    let number = description.threads.len() + 1 + index;
    let reaper = parts.threads.at(number, arena);
    let place = arena.one::<Place>();
    arena.set(reaper, "role", u32::from(role::REAPER));
    let process = parts.processes.at(index, arena);
    lay_record(arena, parts, number, (process, place, parts.rank_idle));
    arena.set(reaper, "kind", u32::from(kind::WORK));
    arena.set(process, "reaper", reaper);
}

/// The free places of a process are linked, the last first.
fn lay_spares(arena: &mut Arena, parts: &Parts, description: &Description, index: usize) {
    let process = parts.processes.at(index, arena);
    let threads = description.threads.iter().enumerate();
    let spares =
        threads.filter(|(_, thread)| thread.process == index && thread.role & role::SPARE != 0);
    let mut last = None;
    for (number, _) in spares {
        let spare = parts.threads.at(number, arena);
        arena.set(spare, "parked", last);
        arena.set(process, "spare", spare);
        last = Some(spare);
    }
}

fn lay_thread(
    arena: &mut Arena,
    parts: &Parts,
    index: usize,
    thread: &description::Thread,
    (handles, begins_by_call): (Run<Handle>, bool),
) {
    let record = parts.threads.at(index, arena);
    let place = parts.places[index];
    arena.set(place, "entry", thread.entry);
    arena.set(place, "body", thread.arguments[1]);
    arena.set(place, "stack_top", thread.stack.0);
    arena.set(place, "stack_size", thread.stack.1);
    arena.set(record, "role", u32::from(thread.role));
    let own_level = level::LOWEST - u32::from(thread.priority);
    arena.set(place, "allowance", thread.allowance);
    let rank = match thread.role & role::DEADLINE {
        0 => {
            arena.set(place, "level", own_level);
            parts.ranks.at(usize::from(255 - thread.priority), arena)
        }
        _ => {
            arena.set(place, "level", thread.deadline);
            let rank = arena.one::<Rank>();
            arena.set(rank, "level", own_level);
            arena.set(rank, "unmarked", 1u32);
            arena.set(rank, "deadline", thread.deadline);
            arena.set(parts.threads.at(index, arena), "state", state::BY_DEADLINE);
            rank
        }
    };
    let process = parts.processes.at(thread.process, arena);
    lay_record(arena, parts, index, (process, place, rank));
    // calls to objects are threads' alone
    let has_jobs = thread.role & (role::TASK | role::UPCALL) != 0;
    let handles = match has_jobs {
        true => handles.part(0, 0, arena),
        false => handles,
    };
    arena.set(record, "handles", handles);
    arena.set(record, "stack", thread.stack_region);
    arena.set(record, "control", thread.control);
    let limited = match thread.allowance {
        0 => 0,
        _ => limit::OWN | limit::FRESH,
    };
    arena.set(record, "limited", u32::from(limited));
    arena.set(record, "context.pc", thread.entry);
    arena.set(record, "context.sp", thread.stack.0);
    arena.set(record, "context.gp", thread.pointers.0);
    arena.set(record, "context.tp", thread.pointers.1);
    arena.set(record, "context.a.0", thread.arguments[0]);
    arena.set(record, "context.a.1", thread.arguments[1]);
    arena.set(record, "kind", u32::from(kind::RESULTS));
    let begins = role::AUTOSTART | role::TASK | role::UPCALL;
    if thread.role & begins != 0 && !begins_by_call {
        arena.set(record, "serial", 1u32);
        let tenant = tenancy::of(thread.role);
        arena.set(record, "tenancy", u32::from(tenant));
    }
}

/// What every thread has, the idle one too: links, and that it is in no queue.
fn lay_record(
    arena: &mut Arena,
    parts: &Parts,
    index: usize,
    (process, place, rank): (At<Process>, At<Place>, At<Rank>),
) {
    let record = parts.threads.at(index, arena);
    arena.set(record, "process", process);
    arena.set(record, "place", place);
    arena.set(record, "label", label(SWITCH, index as u32));
    for link in ["next", "prev"] {
        arena.set(record, link, record);
    }
    for urgency in ["rank", "own"] {
        arena.set(record, urgency, rank);
    }
    arena.set(record, "waits", parts.no_list);
    arena.set(record, "hand", parts.no_list);
    let alarm = At::<Thread>::field(record, "alarm", arena);
    parts.lay_alarm(arena, alarm, list_of(index), ("Thread", record.0));
}

/// The kind of the record of a switch.
const SWITCH: u32 = giornata_abi::ring::Kind::Switch as u32;

pub(crate) fn tag(tags: &[(&str, u32)], name: &str) -> u32 {
    let found = tags.iter().find(|(own, _)| *own == name);
    found.unwrap_or_else(|| panic!("no variant {name}")).1
}

fn lay_idle(arena: &mut Arena, parts: &Parts, description: &Description) {
    let index = description.threads.len();
    let idle = parts.threads.at(index, arena);
    let place = arena.one::<Place>();
    let process = parts.processes.at(description.processes.len(), arena);
    lay_record(arena, parts, index, (process, place, parts.rank_idle));
    arena.set(idle, "kind", u32::from(kind::IDLE));
    arena.set(idle, "waits", Value::Ref(0));
    arena.set(parts.rank_idle, "head", idle);
    // those of the other harts are the last of all, in a ring with that of the first
    let others = parts.threads.1 + 1 - description.hart_count()..parts.threads.1;
    let mut before = idle;
    for number in others {
        let own = parts.threads.at(number, arena);
        let place = arena.one::<Place>();
        lay_record(arena, parts, number, (process, place, parts.rank_idle));
        arena.set(own, "kind", u32::from(kind::IDLE));
        arena.set(own, "waits", Value::Ref(0));
        for (one, next) in [(before, own), (own, idle)] {
            arena.set(one, "next", next);
            arena.set(next, "prev", one);
        }
        before = own;
    }
}

/// The thread of the E and S machine, whose urgency its programs decide.
fn lay_machine(arena: &mut Arena, parts: &Parts, description: &Description, number: usize) {
    let place = arena.one::<Place>();
    let process = parts.processes.at(description.processes.len(), arena);
    lay_record(arena, parts, number, (process, place, parts.rank_idle));
}

/// What boot checks; length and checksum follow when all is laid.
fn lay_boot(arena: &mut Arena, kernel: At<System>, description: &Description) {
    arena.set(kernel, "boot.magic", boot::MAGIC);
    arena.set(kernel, "boot.layout", boot::layout(arena.target()));
    arena.set(kernel, "boot.address", kernel.0);
    arena.set(kernel, "settings.flags", description.flags);
    arena.set(kernel, "settings.hertz", description.timer_hertz);
    let stop = description.stop_at;
    arena.set(kernel, "settings.stop.0", stop as u32);
    arena.set(kernel, "settings.stop.1", (stop >> 32) as u32);
    arena.set(kernel, "settings.floating", description.floating);
    arena.set(kernel, "settings.cursor", description.trace_cursor);
}

/// What the records of the task manager stand for. Those of the threads' numbers are for
/// open ranks; alarms have the others, while there are some, and then the lists in front of
/// the last, which is none then.
fn lay_task_records(arena: &mut Arena, parts: &Parts, description: &Description) {
    if description.task_records == 0 {
        return;
    }
    let table = arena.many::<TaskRecord>(TASK_RECORDS);
    let some = parts.alarms.borrow()[0];
    arena.set_each(table, "alarm", |_| some);
    let ranks = parts.threads.1.min(description.task_records);
    for number in ranks..TASK_RECORDS {
        let record = table.at(number, arena);
        arena.set(record, "rank", parts.rank_idle);
    }
    // (which is in none)
    arena.set(parts.rank_idle, "unmarked", u32::MAX);
    for (index, alarm) in parts.alarms.borrow().iter().enumerate() {
        let number = parts.threads.1 + index;
        let list = if number < description.task_records {
            let record = table.at(number, arena);
            arena.set(record, "alarm", *alarm);
            // (see `Alarm::list`)
            LISTS + number * RECORD_BYTES
        } else {
            index % (LISTS - 1 - LISTS_OF_PROGRAMS) + LISTS_OF_PROGRAMS
        };
        arena.set(*alarm, "list", list as u32);
    }
    arena.set(parts.kernel, "task_records", Value::Ref(table.0));
}

/// Writes what only the whole can tell into its front.
fn seal(bytes: &mut [u8], target: Target) {
    let head = Boot::SHAPE.size(target);
    let word = |bytes: &[u8; 4]| u32::from_le_bytes(*bytes);
    let sum = boot::checksum(bytes[head..].as_chunks().0.iter().map(word));
    for (name, value) in [("length", bytes.len() as u32), ("checksum", sum)] {
        let field = Boot::LAYOUT.fields.iter().find(|field| field.name == name);
        let at = field.expect("it is there").offset(target);
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
}

fn lay_kernel(arena: &mut Arena, parts: &Parts, description: &Description) {
    let kernel = parts.kernel;
    lay_boot(arena, kernel, description);
    let epoch = arena.one::<Alarm>();
    parts.lay_alarm(arena, epoch, 0, ("Epoch", 0));
    arena.set(kernel, "epoch", epoch);
    let idle = parts.threads.at(description.threads.len(), arena);
    arena.set(kernel, "top", parts.rank_idle);
    arena.set(kernel, "hint", parts.rank_idle);
    arena.set(kernel, "first", idle);
    match arena.target().several {
        // (boot makes the records of the harts)
        true => {
            let apart = u32::from(description.control_apart);
            arena.set(kernel, "harts.apart", apart);
            arena.set(kernel, "harts.count", description.harts - apart);
            arena.set(kernel, "harts.here", Value::Ref(kernel.0));
        }
        false => {
            let nobody = parts.processes.at(description.processes.len(), arena);
            arena.set(kernel, "hart.idle", idle);
            arena.set(kernel, "hart.loaded", nobody);
        }
    }
    arena.set(kernel, "no_list", parts.no_list);
    arena.set(kernel, "ranks", Value::Ref(parts.ranks.0));
    arena.set(kernel, "band", level::LOWEST - u32::from(description.band));
    arena.set(kernel, "threads", parts.threads);
    let depth = match description.depth {
        0 => description::DEPTH,
        depth => depth,
    };
    arena.set(kernel, "depth", depth);
    arena.set(kernel, "objects", parts.objects);
    arena.set(kernel, "token", 1u32);
    for (index, line) in description.lines.iter().enumerate() {
        assert!(
            (1..LINES).contains(&(line.number as usize)),
            "line {}",
            line.number
        );
        let record = parts.lines.at(index, arena);
        arena.set(record, "number", line.number);
        let process = line
            .process
            .map(|process| parts.processes.at(process, arena));
        arena.set(record, "process", process);
        arena.set(record, "interval", line.interval);
        let alarm = At::<Line>::field(record, "alarm", arena);
        parts.lay_alarm(arena, alarm, list_of(index), ("Line", record.0));
        arena.set(kernel, &format!("lines.{}", line.number), record);
    }
    let count = description.processes.len();
    arena.set(kernel, "processes", parts.processes.part(0, count, arena));
    let regions = arena.many::<Region>(description.regions.len());
    for (index, region) in description.regions.iter().enumerate() {
        let record = regions.at(index, arena);
        arena.set(record, "address", region.address);
        arena.set(record, "size", region.size);
        arena.set(record, "place", region.place);
        arena.set(record, "tables", region.tables);
    }
    for process in 0..description.processes.len() {
        let shares = arena.many::<Share>(description.regions.len());
        for (index, region) in description.regions.iter().enumerate() {
            let share = shares.at(index, arena);
            let own = regions.at(index, arena);
            arena.set(share, "region", own);
            arena.set(
                share,
                "grant",
                region.grants.get(process).copied().unwrap_or(0),
            );
        }
        let process = parts.processes.at(process, arena);
        arena.set(process, "shares", shares);
    }
    arena.set(kernel, "regions", regions);
    let records = description.trace_records.max(16);
    assert!(records.is_power_of_two(), "{records} records of the trace");
    let ring = match description.trace_ring {
        Some(address) => Run::elsewhere(address, records),
        None => arena_run::<Entry>(arena, 16, records),
    };
    arena.set(kernel, "trace.ring", ring);
    arena.set(kernel, "trace.mask", records as u32 * 16 - 1);
}

//! The records of programs.

use std::collections::BTreeMap;

use giornata_abi::ring::members;
use giornata_abi::value::ValueType;
use giornata_core::micro::{self, Cause, Op as Opcode, Step, Trigger, group_flag, job, mode};
use giornata_core::sched::ready::level;
use giornata_core::sched::thread::{kind, state};
use giornata_core::{Line, Object, Process, Rank, Thread};

use crate::arena::{Arena, At, Run, Value};
use crate::build::{Parts, lay_references, list_of, tag};
use crate::description::Description;
use crate::merge::merge_copies;
use crate::order::{self, Written, cells};
use crate::program::{Change, Driver, Move, Op, Port, Program, To, Upcall, Wait};

/// The list of the agenda of triggers, and that of threads of S code: nobody else's, so
/// that what renews itself is the first of its list.
const LISTS: [usize; 2] = [0, 1];

/// What programs refer to.
struct Pieces<'a> {
    description: &'a Description,
    parts: &'a Parts,
    programs: Run<micro::Program>,
    ports: Run<micro::Port>,
    drivers: Run<micro::Driver>,
    /// By thread: its task and group.
    tasks: BTreeMap<usize, (At<micro::Task>, At<micro::Group>)>,
}

/// What a driver copies, and what it writes then, with the ports that these are.
struct Ordered {
    copies: Vec<(u64, u64)>,
    writes: Vec<(Written, Option<usize>)>,
}

fn lay_copied(arena: &mut Arena, copies: &[(u64, u64)]) -> Run<micro::Copy> {
    let run = arena.many::<micro::Copy>(copies.len());
    for (at, (from, to)) in copies.iter().enumerate() {
        let copy = run.at(at, arena);
        arena.set(copy, "from", *from);
        arena.set(copy, "to", *to);
    }
    run
}

/// Tasks of a group that a driver reads from, and others that it touches.
type Touched = (At<micro::Group>, Vec<usize>, Vec<usize>);

/// The level of the machine: that of reactions, above all threads. Where some may precede
/// it, it lies above those that may not, and at least two above the most urgent of
/// what it releases or dispatches: between them lies that of ceilings in the deadline band.
fn level_of_machine(description: &Description) -> u32 {
    let Some(others) = description.programs.precede else {
        return level::REACTION;
    };
    let mut most = description.band;
    for program in &description.programs.programs {
        most = most.max(program.priority.unwrap_or(0));
        for group in program.groups.iter().filter(|group| group.fixed) {
            let priorities = group
                .tasks
                .iter()
                .map(|task| description.threads[task.thread].priority);
            most = most.max(priorities.max().unwrap_or(0));
        }
    }
    let most = u32::from(others).max(u32::from(most) + 1);
    (level::LOWEST - most).saturating_sub(1)
}

/// Lays out the machine and all programs. `machine`: the number of its thread.
pub(crate) fn lay_programs(
    arena: &mut Arena,
    parts: &Parts,
    description: &Description,
    machine: usize,
) {
    let kernel = parts.kernel;
    let all = &description.programs;
    let machine = parts.threads.at(machine, arena);
    let reaction = arena.one::<Rank>();
    arena.set(reaction, "level", level::REACTION);
    arena.set(reaction, "unmarked", 1u32);
    let slot = arena.one::<Rank>();
    arena.set(slot, "level", level::LOWEST - u32::from(description.band));
    arena.set(slot, "unmarked", 1u32);
    let level = level_of_machine(description);
    let rank = match level {
        level::REACTION => reaction,
        level => parts.ranks.at(level as usize - 1, arena),
    };
    for field in ["rank", "own"] {
        arena.set(machine, field, rank);
    }
    arena.set(machine, "kind", u32::from(kind::WORK));
    arena.set(kernel, "micro.thread", machine);
    arena.set(kernel, "micro.level", level);
    arena.set(kernel, "micro.reaction", reaction);
    arena.set(kernel, "micro.slot", slot);
    arena.set(kernel, "micro.scratch", all.scratch);
    let mut pieces = Pieces {
        description,
        parts,
        programs: arena.many(all.programs.len()),
        ports: arena.many(all.ports.len()),
        drivers: arena.many(all.drivers.len()),
        tasks: BTreeMap::new(),
    };
    arena.set(kernel, "micro.programs", pieces.programs);
    arena.set(kernel, "micro.ports", pieces.ports);
    for (index, port) in all.ports.iter().enumerate() {
        let record = pieces.ports.at(index, arena);
        pieces.lay_port(arena, record, port, index);
    }
    for (index, program) in all.programs.iter().enumerate() {
        pieces.lay_groups(arena, index, program);
    }
    for (index, driver) in all.drivers.iter().enumerate() {
        pieces.lay_driver(arena, index, driver);
        if let Some(upcall) = &driver.upcall {
            let thread = parts.threads.at(upcall.thread, arena);
            arena.set(thread, "rank", reaction);
            arena.set(thread, "own", reaction);
        }
    }
    for (index, program) in all.programs.iter().enumerate() {
        pieces.lay_program(arena, index, program);
    }
}

impl Pieces<'_> {
    fn lay_port(&self, arena: &mut Arena, record: At<micro::Port>, port: &Port, number: usize) {
        arena.set(record, "place", port.place);
        arena.set(record, "size", port.size);
        arena.set(record, "number", number as u32);
        arena.set(record, "traced", u32::from(port.traced));
        let [sign, negative] = masks(port.order);
        for (name, mask) in [("sign", sign), ("negative", negative)] {
            arena.set(record, &format!("{name}.0"), mask as u32);
            arena.set(record, &format!("{name}.1"), (mask >> 32) as u32);
        }
        for (name, list) in [("readers", &port.readers), ("writers", &port.writers)] {
            let list: Vec<At<Process>> = list
                .iter()
                .map(|process| self.parts.processes.at(*process, arena))
                .collect();
            let list = lay_references(arena, &list);
            arena.set(record, name, list);
        }
    }

    fn lay_groups(&mut self, arena: &mut Arena, index: usize, program: &Program) {
        let groups = arena.many::<micro::Group>(program.groups.len());
        let record = self.programs.at(index, arena);
        arena.set(record, "groups", groups);
        let band = level::LOWEST - u32::from(self.description.band);
        for (at, group) in program.groups.iter().enumerate() {
            let own = groups.at(at, arena);
            let tasks = arena.many::<micro::Task>(group.tasks.len());
            let threads: Vec<At<Thread>> = group
                .tasks
                .iter()
                .map(|task| self.parts.threads.at(task.thread, arena))
                .collect();
            arena.set(own, "rank.level", band);
            arena.set(own, "rank.unmarked", 1u32);
            arena.set(own, "first", tasks.at(0, arena));
            arena.set(own, "tasks", tasks);
            arena.set(own, "program", record);
            let numbers: Vec<u16> = group.tasks.iter().map(|task| task.thread as u16).collect();
            let (_, word) = members::of(&numbers).expect("tasks of a group follow one another");
            arena.set(own, "members", word);
            let mut bits = if group.apart {
                group_flag::APART | group_flag::ALWAYS
            } else {
                0
            };
            if group.fixed {
                bits |= group_flag::FIXED;
            }
            arena.set(own, "flags", bits);
            for (number, task) in group.tasks.iter().enumerate() {
                let record = tasks.at(number, arena);
                let thread = threads[number];
                arena.set(record, "thread", thread);
                arena.set(record, "group", own);
                arena.set(record, "number", task.number);
                let argument = self.description.threads[task.thread].arguments[0];
                arena.set(record, "argument", argument);
                arena.set(record, "rank.level", band);
                arena.set(record, "rank.unmarked", 1u32);
                let rank = At::<micro::Task>::field::<Rank>(record, "rank", arena);
                if !group.fixed {
                    arena.set(thread, "own", rank);
                    arena.set(thread, "rank", rank);
                }
                let place = self.parts.places[task.thread];
                arena.set(place, "task", record);
                self.tasks.insert(task.thread, (record, own));
                if group.apart {
                    continue;
                }
                // a ring, none of which has a job
                let count = threads.len();
                arena.set(thread, "next", threads[(number + 1) % count]);
                arena.set(thread, "prev", threads[(number + count - 1) % count]);
                arena.set(thread, "waits", Value::Ref(0));
                arena.set(thread, "state", state::IN_RING);
                let ring = At::<micro::Group>::field::<Rank>(own, "rank", arena);
                arena.set(thread, "rank", ring);
            }
        }
    }

    fn task(&self, thread: usize) -> At<micro::Task> {
        self.tasks
            .get(&thread)
            .unwrap_or_else(|| panic!("thread {thread} is no task"))
            .0
    }

    fn group(&self, thread: usize) -> At<micro::Group> {
        self.tasks
            .get(&thread)
            .unwrap_or_else(|| panic!("thread {thread} is no task"))
            .1
    }

    /// What the kernel looks at to see whether a task has a job: its ring, or itself.
    fn look(&self, thread: usize) -> (bool, usize) {
        let groups = self.description.programs.programs.iter();
        let group = groups
            .flat_map(|program| &program.groups)
            .find(|group| group.tasks.iter().any(|task| task.thread == thread));
        match group {
            Some(group) if !group.apart => (true, group.tasks[0].thread),
            _ => (false, thread),
        }
    }

    fn lay_driver(&self, arena: &mut Arena, index: usize, driver: &Driver) {
        let record = self.drivers.at(index, arena);
        arena.set(record, "number", index as u32);
        arena.set(record, "local", driver.local);
        let run = self.lay_touches(arena, &[driver]);
        arena.set(record, "touches", run);
        let (copies, writes) = self.lay_moves(arena, &driver.moves, driver.register.is_some());
        arena.set(record, "copies", copies);
        arena.set(record, "writes", writes);
        arena.set(record, "is_not_short", u32::from(!self.only_copies(driver)));
        if let Some((address, width)) = driver.register {
            arena.set(record, "register", address);
            arena.set(record, "width", width);
        }
        let upcall = driver
            .upcall
            .as_ref()
            .map(|upcall| self.lay_upcall(arena, upcall));
        arena.set(record, "upcall", upcall);
    }

    /// Whether a driver copies values where nobody waits for changes, and nothing else.
    fn only_copies(&self, driver: &Driver) -> bool {
        let is_silent = |step: &Move| match step.to {
            To::Port(port) => !self.is_looked_at(port),
            To::Place(_) => true,
        };
        driver.register.is_none() && driver.upcall.is_none() && driver.moves.iter().all(is_silent)
    }

    /// What a run of calls copies whose drivers only copy.
    fn lay_copies(&self, arena: &mut Arena, drivers: &[usize]) -> At<micro::Copies> {
        let drivers: Vec<&Driver> = drivers
            .iter()
            .map(|driver| &self.description.programs.drivers[*driver])
            .collect();
        let record = arena.one::<micro::Copies>();
        let touches = self.lay_touches(arena, &drivers);
        arena.set(record, "touches", touches);
        // (a driver after the other: each reads what those before it have written)
        let copies: Vec<(u64, u64)> = drivers
            .iter()
            .flat_map(|driver| self.order(&driver.moves, false).copies)
            .collect();
        let copies = lay_copied(arena, &copies);
        arena.set(record, "copies", copies);
        arena.set(record, "calls", drivers.len() as u64);
        record
    }

    fn lay_touches(&self, arena: &mut Arena, drivers: &[&Driver]) -> Run<micro::Touch> {
        let mut groups: BTreeMap<u64, Touched> = BTreeMap::new();
        for driver in drivers {
            for thread in &driver.touches {
                let group = self.group(*thread);
                let entry = groups
                    .entry(group.0)
                    .or_insert((group, Vec::new(), Vec::new()));
                let list = match driver.reads.contains(thread) {
                    true => &mut entry.1,
                    false => &mut entry.2,
                };
                if !list.contains(thread) {
                    list.push(*thread);
                }
            }
        }
        let touches: Vec<_> = groups
            .into_values()
            .flat_map(|(group, reads, others)| [(group, reads, job::STOPPED), (group, others, 0)])
            .filter(|(_, threads, _)| !threads.is_empty())
            .collect();
        let run = arena.many::<micro::Touch>(touches.len());
        for (at, (group, threads, reads)) in touches.into_iter().enumerate() {
            let touch = run.at(at, arena);
            let tasks: Vec<At<micro::Task>> =
                threads.iter().map(|thread| self.task(*thread)).collect();
            let tasks = lay_references(arena, &tasks);
            arena.set(touch, "group", group);
            arena.set(touch, "tasks", tasks);
            arena.set(touch, "reads", reads);
        }
        run
    }

    fn lay_upcall(&self, arena: &mut Arena, upcall: &Upcall) -> At<micro::Upcall> {
        let record = arena.one::<micro::Upcall>();
        let thread = self.parts.threads.at(upcall.thread, arena);
        arena.set(record, "thread", thread);
        arena.set(record, "entry", upcall.entry);
        arena.set(record, "block", upcall.block);
        arena.set(record, "body", upcall.body);
        arena.set(record, "budget", upcall.budget);
        let (_, results) = self.lay_moves(arena, &upcall.results, true);
        arena.set(record, "results", results);
        record
    }

    /// What nobody looks at is copied by eights; what goes to a port that is traced or
    /// waited for, or (`all`) anywhere, is written. A register that is written has its
    /// value as a copy. All that `moves` read is read before anything is written.
    fn lay_moves(
        &self,
        arena: &mut Arena,
        moves: &[Move],
        all: bool,
    ) -> (Run<micro::Copy>, Run<micro::Write>) {
        let Ordered { copies, writes } = self.order(moves, all);
        let ports = writes.iter().map(|(write, port)| match port {
            Some(port) => self.ports.at(*port, arena),
            None => {
                // (as if it were a port)
                let own = arena.one::<micro::Port>();
                let port = Port {
                    place: write.to,
                    size: write.size,
                    ..Port::default()
                };
                self.lay_port(arena, own, &port, 0);
                own
            }
        });
        let ports: Vec<At<micro::Port>> = ports.collect();
        let copies = lay_copied(arena, &copies);
        let run = arena.many::<micro::Write>(writes.len());
        for (at, ((write, _), port)) in writes.iter().zip(ports).enumerate() {
            let record = run.at(at, arena);
            arena.set(record, "from", write.from);
            arena.set(record, "port", port);
        }
        (copies, run)
    }

    /// What a driver copies, and the ports that it writes after that; see [`order`].
    fn order(&self, moves: &[Move], all: bool) -> Ordered {
        let programs = &self.description.programs;
        let place = |step: &Move| match step.to {
            To::Port(port) => programs.ports[port].place,
            To::Place(place) => place,
        };
        let (mut copies, mut writes, mut ports) = (Vec::new(), Vec::new(), Vec::new());
        for step in moves {
            let (from, to, size) = (step.from, place(step), step.size);
            let port = match step.to {
                To::Port(port) => (all || self.is_looked_at(port)).then_some(Some(port)),
                To::Place(_) => (all && to != 0).then_some(None),
            };
            match port {
                Some(port) => {
                    // (a port is written as a whole, in its own size)
                    let size = port.map_or(size, |port| programs.ports[port].size);
                    writes.push(Written { from, to, size });
                    ports.push(port);
                }
                None => copies.extend(cells(from, size).zip(cells(to, size))),
            }
        }
        let known: Vec<_> = moves
            .iter()
            .map(|step| (step.from, place(step), step.size))
            .collect();
        let (spare, bytes) = programs.spare;
        assert!(
            order::spare_bytes(&known) <= bytes,
            "a driver needs {} spare bytes",
            order::spare_bytes(&known)
        );
        let copies = order::in_order(copies, &mut writes, spare);
        let writes = writes.into_iter().zip(ports).collect();
        Ordered { copies, writes }
    }

    /// Whether a change of a port is of interest to anybody but who reads its value.
    fn is_looked_at(&self, port: usize) -> bool {
        let programs = &self.description.programs;
        let waits = |wait: &Wait| matches!(wait, Wait::Changed(own) | Wait::Constant(own, ..) | Wait::Activation(own, _) if *own == port);
        let is_waited_for = |program: &Program| {
            program.waits.iter().any(waits)
                || program
                    .change
                    .as_ref()
                    .is_some_and(|change| change.ports.contains(&port))
        };
        programs.ports[port].traced || programs.programs.iter().any(is_waited_for)
    }

    fn lay_program(&self, arena: &mut Arena, index: usize, program: &Program) {
        let record = self.programs.at(index, arena);
        arena.set(record, "number", index as u32);
        arena.set(record, "parts", program.parts.max(1));
        arena.set(record, "bound", program.bound);
        arena.set(record, "counted_steps", program.counted_steps);
        let own_level = program
            .priority
            .map_or(0, |priority| level::LOWEST - u32::from(priority));
        arena.set(record, "level", own_level);
        for (at, port) in program.involved.iter().enumerate() {
            let port = port.map(|port| self.ports.at(port, arena));
            arena.set(record, &format!("involved.{at}"), port);
        }
        self.lay_triggers(arena, record, program);
        let change = program.change.as_ref();
        // (where instructions are counted, or code comes later, each stands for itself)
        let merged = match (change, program.bound) {
            (None, 0) => merge_copies(program, |driver| {
                let driver = &self.description.programs.drivers[driver];
                let keys = driver.touches.iter().map(|thread| self.look(*thread));
                self.only_copies(driver).then(|| keys.collect())
            }),
            _ => program.clone(),
        };
        let program = &merged;
        let room = change.map_or((program.code.len(), program.waits.len()), |change| {
            change.room
        });
        let rooms = [0; 2].map(|_| self.lay_room(arena, room));
        let always = arena.one::<micro::Wait>();
        let [first, second] = rooms;
        let code = Code {
            pieces: self,
            program,
            room: first,
            always,
            whole: change.is_some(),
        };
        code.lay(arena);
        for (which, address) in program.blocks.iter().enumerate() {
            let block = address.map_or(first.code.part(0, 0, arena), |address| {
                code.from(address, arena)
            });
            arena.set(record, &format!("code.{which}"), block);
        }
        if let Some(change) = change {
            let own = self.lay_change(arena, (record, index), change, always);
            for (name, room) in [("used", first), ("spare", second)] {
                let place = arena.one::<micro::Room>();
                arena.set(place, "code", room.code);
                arena.set(place, "steps", room.steps);
                arena.set(place, "releases", room.releases);
                arena.set(place, "waits", room.waits);
                arena.set(own, name, place);
            }
        }
    }

    fn lay_triggers(&self, arena: &mut Arena, record: At<micro::Program>, program: &Program) {
        let count = program.triggers + program.threads;
        let run = arena.many::<Trigger>(count);
        arena.set(record, "triggers", run);
        let is_counted = program.bound != 0 || program.change.is_some();
        for (list, range) in [0..program.triggers, program.triggers..count]
            .into_iter()
            .enumerate()
        {
            let mut next = None;
            for at in range.rev() {
                let trigger = run.at(at, arena);
                arena.set(trigger, "program", record);
                let alarm = At::<Trigger>::field(trigger, "alarm", arena);
                let event = ("Trigger", trigger.0);
                self.parts.lay_alarm(arena, alarm, LISTS[list], event);
                arena.set(trigger, "mode", if is_counted { mode::COUNTED } else { 0 });
                arena.set(trigger, "next", next);
                next = Some(trigger);
            }
            arena.set(record, &format!("free.{list}"), next);
        }
    }

    fn lay_room(&self, arena: &mut Arena, (instructions, waits): (usize, usize)) -> Room {
        let room = Room {
            code: arena.many(instructions),
            steps: arena.many(instructions),
            releases: arena.many(instructions),
            waits: arena.many(waits),
        };
        // (what is not used refers to something all the same)
        let always = arena.one::<micro::Wait>();
        let group = self.tasks.values().next().map(|(_, group)| *group);
        for at in 0..instructions {
            let (step, release) = (room.steps.at(at, arena), room.releases.at(at, arena));
            arena.set(step, "wait", always);
            arena.set(release, "group", group.unwrap_or_else(|| At::elsewhere(16)));
        }
        room
    }

    fn lay_change(
        &self,
        arena: &mut Arena,
        (record, index): (At<micro::Program>, usize),
        change: &Change,
        always: At<micro::Wait>,
    ) -> At<micro::Change> {
        let own = arena.one::<micro::Change>();
        arena.set(record, "change", own);
        arena.set(own, "loader", self.parts.processes.at(change.loader, arena));
        let tasks: Vec<At<micro::Task>> = change
            .tasks
            .iter()
            .map(|thread| self.task(*thread))
            .collect();
        let tasks = lay_references(arena, &tasks);
        arena.set(own, "tasks", tasks);
        let drivers: Vec<At<micro::Driver>> = change
            .drivers
            .iter()
            .map(|driver| self.drivers.at(*driver, arena))
            .collect();
        let drivers = lay_references(arena, &drivers);
        arena.set(own, "drivers", drivers);
        let ports: Vec<At<micro::Port>> = change
            .ports
            .iter()
            .map(|port| self.ports.at(*port, arena))
            .collect();
        let ports = lay_references(arena, &ports);
        arena.set(own, "ports", ports);
        let lines: Vec<At<Line>> = change
            .lines
            .iter()
            .map(|line| self.parts.lines.at(*line, arena))
            .collect();
        let lines = lay_references(arena, &lines);
        arena.set(own, "lines", lines);
        let boxes: Vec<At<Object>> = change
            .mailboxes
            .iter()
            .map(|slot| self.parts.objects.at(*slot, arena))
            .collect();
        let boxes = lay_references(arena, &boxes);
        arena.set(own, "mailboxes", boxes);
        arena.set(own, "most", change.most);
        arena.set(own, "always", always);
        arena.set(own, "tag", change.tag);
        let alarm = At::<micro::Change>::field(own, "alarm", arena);
        let event = ("Change", record.0);
        self.parts.lay_alarm(arena, alarm, list_of(index), event);
        own
    }
}

/// Where code and its operands lie.
#[derive(Clone, Copy)]
struct Room {
    code: Run<Opcode>,
    steps: Run<Step>,
    releases: Run<micro::Release>,
    waits: Run<micro::Wait>,
}

/// The code of a program on its way into a room.
struct Code<'a> {
    pieces: &'a Pieces<'a>,
    program: &'a Program,
    room: Room,
    always: At<micro::Wait>,
    /// Blocks reach to the end of the room: so does code that comes later.
    whole: bool,
}

impl Code<'_> {
    /// The block at an address: up to its end, if that is known.
    fn from(&self, address: usize, arena: &Arena) -> Run<Opcode> {
        let code = &self.program.code;
        if self.whole {
            return self
                .room
                .code
                .part(address, self.room.code.1 - address, arena);
        }
        let mut end = address;
        while let Some(op) = code.get(end) {
            match op {
                // (it is counted, where instructions are)
                Op::Return if self.program.bound == 0 => break,
                Op::Return | Op::Jump(_) => {
                    end += 1;
                    break;
                }
                _ => end += 1,
            }
        }
        self.room.code.part(address, end - address, arena)
    }

    fn lay(&self, arena: &mut Arena) {
        // the predicate of a trigger is a record of its own for each address it leads to
        let mut pairs: BTreeMap<(usize, usize), At<micro::Wait>> = BTreeMap::new();
        for (at, wait) in self.program.waits.iter().enumerate() {
            let record = self.room.waits.at(at, arena);
            self.lay_wait(arena, record, *wait);
        }
        for (at, op) in self.program.code.iter().enumerate() {
            if let Op::Future(wait, address) = *op
                && !self.whole
                && !pairs.contains_key(&(wait, address))
            {
                let record = arena.one::<micro::Wait>();
                self.lay_wait(arena, record, self.program.waits[wait]);
                pairs.insert((wait, address), record);
            }
            let own = |index: usize, arena: &Arena| self.room.waits.at(index, arena);
            let step = self.room.steps.at(at, arena);
            let release = self.room.releases.at(at, arena);
            let (name, target) = match *op {
                Op::Return => ("Return", 0),
                Op::Call(driver) => ("Call", self.pieces.drivers.at(driver, arena).0),
                Op::Release(thread, ticks, parts) => {
                    arena.set(release, "group", self.pieces.group(thread));
                    arena.set(release, "ticks", ticks);
                    arena.set(release, "parts", parts);
                    ("Release", release.0)
                }
                Op::Future(wait, address) => {
                    let pair = pairs.get(&(wait, address)).copied();
                    let wait = pair.unwrap_or_else(|| own(wait, arena));
                    self.lay_step(arena, step, Some(wait), Some(address));
                    ("Future", step.0)
                }
                Op::Dispatch(thread, wait, address) => {
                    arena.set(step, "task", self.pieces.task(thread));
                    let wait = own(wait, arena);
                    self.lay_step(arena, step, Some(wait), Some(address));
                    ("Dispatch", step.0)
                }
                Op::Idle(wait) => {
                    let wait = own(wait, arena);
                    self.lay_step(arena, step, Some(wait), None);
                    ("Idle", step.0)
                }
                Op::Fork(address) => {
                    self.lay_step(arena, step, None, Some(address));
                    ("Fork", step.0)
                }
                Op::Jump(address) => {
                    self.lay_step(arena, step, None, Some(address));
                    ("Jump", step.0)
                }
                Op::Branch(wait, address) => {
                    let wait = own(wait, arena);
                    self.lay_step(arena, step, Some(wait), Some(address));
                    ("Branch", step.0)
                }
                Op::Copies(count) => {
                    let calls = &self.program.code[at + 1..][..count];
                    let drivers = calls.iter().filter_map(|op| match op {
                        Op::Call(driver) => Some(*driver),
                        _ => None,
                    });
                    let drivers: Vec<usize> = drivers.collect();
                    ("Copies", self.pieces.lay_copies(arena, &drivers).0)
                }
            };
            let place = self.room.code.at(at, arena);
            arena.put(place, Value::Tagged(tag(Opcode::TAGS, name), target));
        }
    }

    fn lay_step(
        &self,
        arena: &mut Arena,
        step: At<Step>,
        wait: Option<At<micro::Wait>>,
        address: Option<usize>,
    ) {
        arena.set(step, "wait", wait.unwrap_or(self.always));
        let code = address.map_or(self.room.code.part(0, 0, arena), |address| {
            self.from(address, arena)
        });
        arena.set(step, "code", code);
    }

    fn lay_wait(&self, arena: &mut Arena, record: At<micro::Wait>, wait: Wait) {
        let pieces = self.pieces;
        let parts = pieces.parts;
        let (name, subject, value, detail) = match wait {
            Wait::True => ("True", 0, 0, 0),
            Wait::Never => ("Never", 0, 0, 0),
            Wait::After(ticks, fraction) => ("After", 0, ticks, fraction),
            Wait::Released(thread) => ("Released", pieces.task(thread).0, 0, 0),
            Wait::Completed(thread) => ("Completed", pieces.task(thread).0, 0, 0),
            Wait::Changed(port) => ("Changed", pieces.ports.at(port, arena).0, 0, 0),
            Wait::Constant(port, how, key) => {
                ("Constant", pieces.ports.at(port, arena).0, key, how)
            }
            Wait::Activation(port, how) => ("Activation", pieces.ports.at(port, arena).0, 0, how),
            Wait::Interrupt(line) => ("Interrupt", parts.lines.at(line, arena).0, 0, 0),
            Wait::Message(slot) => ("Message", parts.objects.at(slot, arena).0, 0, 0),
            Wait::Upcall(driver) => ("Upcall", pieces.drivers.at(driver, arena).0, 0, 0),
        };
        arena.set(
            record,
            "cause",
            Value::Tagged(tag(Cause::TAGS, name), subject),
        );
        arena.set(record, "value.0", value as u32);
        arena.set(record, "value.1", (value >> 32) as u32);
        arena.set(record, "detail", detail);
    }
}

/// The sign of a type's values, and what makes a value with it an order key.
fn masks(order: Option<ValueType>) -> [u64; 2] {
    use ValueType::*;
    let sign: u64 = match order {
        Some(I8) => 0x80,
        Some(I16) => 0x8000,
        Some(I32 | F32) => 0x8000_0000,
        Some(I64 | F64) => 1 << 63,
        _ => 0,
    };
    match order {
        Some(F32 | F64) => [sign, sign | (sign - 1)],
        _ => [sign, sign],
    }
}

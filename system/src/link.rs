//! From a model and its addresses to the tables that the kernel reads.

use crate::file::Schedule;
use crate::model::{Driver, Model, Place, Port, Process, Program, Thread, Work};
use crate::names::ThreadRole;
use crate::objects::{Object, Shape};
use crate::place::{Placement, ProcessPlacement, RegionPlacement};
use crate::problem::{Problem, Refusal};
use crate::room::Room;
use crate::shared::Region;
use giornata_abi::Record;
use giornata_abi::id::NONE;
use giornata_abi::instruction::{DurationEntry, Instruction, Opcode};
use giornata_abi::load::Frame;
use giornata_abi::module::{Module, PortKind, crc32};
use giornata_abi::predicate::{Predicate, PredicateKind};
use giornata_abi::process::FunctionKind;
use giornata_abi::system::{
    BAND_DEADLINE, DriverEntry, DriverWork, FLAG_SPARE, FLAG_TRACE_CONSOLE, InterruptEntry, MAGIC,
    MoveEntry, OBJECT_AT_BOOT, OBJECT_CEILING, OBJECT_PRIVATE, ObjectEntry, PortEntry,
    ProcessEntry, ProgramEntry, REGION_ENTRY, Range, RegionEntry, SpaceEntry, System, SystemHeader,
    ThreadEntry, ThreadKind, VERSION, moves_of_driver,
};

/// The tables of a system, owned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tables {
    /// The head; `crc` and `length` are those of [`Tables::to_blob`].
    pub header: SystemHeader,
    /// The processes.
    pub processes: Vec<ProcessEntry>,
    /// The threads.
    pub threads: Vec<ThreadEntry>,
    /// The ports.
    pub ports: Vec<PortEntry>,
    /// The drivers.
    pub drivers: Vec<DriverEntry>,
    /// The programs.
    pub programs: Vec<ProgramEntry>,
    /// The interrupts.
    pub interrupts: Vec<InterruptEntry>,
    /// The code of all programs.
    pub instructions: Vec<Instruction>,
    /// The predicates of all programs.
    pub predicates: Vec<Predicate>,
    /// The durations of all programs.
    pub durations: Vec<DurationEntry>,
    /// The pool of indices.
    pub links: Vec<u16>,
    /// The values that drivers move.
    pub moves: Vec<MoveEntry>,
    /// The spaces, where regions confine processes.
    pub spaces: Vec<SpaceEntry>,
    /// What threads synchronise by and send to.
    pub objects: Vec<ObjectEntry>,
    /// The memory that processes share.
    pub regions: Vec<RegionEntry>,
}

/// Emits the tables of a bound model. Refuses what outgrows 16-bit ranges.
pub fn link(model: &Model, placement: &Placement) -> Result<Tables, Refusal> {
    let mut tables = Tables::empty(header(model, placement));
    for (index, process) in (0u16..).zip(&model.processes) {
        let place = placement.of(index);
        tables.spaces.extend(place.regions);
        let entry = tables.process(process, &place);
        tables.processes.push(entry);
    }
    for (index, thread) in (0u16..).zip(&model.threads) {
        let entry = thread_entry(model, index, thread, &placement.of(thread.process));
        tables.threads.push(entry);
    }
    for port in &model.ports {
        tables.ports.push(port_entry(model, placement, port));
    }
    for driver in &model.drivers {
        let entry = tables.driver(model, driver, placement);
        tables.drivers.push(entry);
    }
    for program in &model.programs {
        let entry = tables.program(program)?;
        tables.programs.push(entry);
    }
    for line in &model.interrupts {
        tables.interrupts.push(InterruptEntry {
            number: line.number,
            process: line.process.unwrap_or(NONE),
            interval: line.interval,
        });
    }
    for object in &model.objects {
        let entry = tables.object(object);
        tables.objects.push(entry);
    }
    // last: what their lists say depends on where they lie, how long they are not
    for (index, region) in model.regions.iter().enumerate() {
        let place = placement.regions.get(index).cloned();
        let entry = tables.region(region, &place.unwrap_or_default());
        tables.regions.push(entry);
    }
    tables.check()?;
    tables.finish();
    Ok(tables)
}

/// What may be loaded in the place of a program.
fn room(room: Option<&Room>) -> ProgramEntry {
    let Some(room) = room else {
        return ProgramEntry::EMPTY;
    };
    ProgramEntry {
        room: room.limits.instructions.into(),
        step_room: room.limits.steps,
        predicate_room: room.limits.predicates,
        duration_room: room.limits.durations,
        loader: room.loader,
        ..ProgramEntry::EMPTY
    }
}

/// Where a thread begins.
pub(crate) struct Start {
    /// The start code.
    pub(crate) entry: u32,
    /// The body that this runs.
    pub(crate) body: u32,
    /// What the body gets.
    pub(crate) argument: u32,
}

impl Start {
    pub(crate) fn of(
        model: &Model,
        index: u16,
        thread: &Thread,
        place: &ProcessPlacement,
    ) -> Start {
        let kind = match thread.role {
            ThreadRole::Task => FunctionKind::Task,
            ThreadRole::Upcall => FunctionKind::Driver,
            ThreadRole::Thread => FunctionKind::Thread,
        };
        let body = model
            .function_of(index)
            .and_then(|f| place.bodies.get(f))
            .copied();
        Start {
            entry: place.start.get(kind as usize).copied().unwrap_or(0),
            body: body.unwrap_or(0),
            argument: match thread.role {
                ThreadRole::Thread => place.area.wrapping_add(thread.control),
                _ => place.area.wrapping_add(thread.block),
            },
        }
    }
}

fn thread_entry(
    model: &Model,
    index: u16,
    thread: &Thread,
    place: &ProcessPlacement,
) -> ThreadEntry {
    let Start {
        entry,
        body,
        argument,
    } = Start::of(model, index, thread, place);
    let first = model
        .processes
        .get(thread.process as usize)
        .map_or(0, |p| p.threads.0);
    ThreadEntry {
        process: thread.process,
        kind: match thread.role {
            ThreadRole::Thread => ThreadKind::Thread,
            ThreadRole::Task => ThreadKind::Task,
            ThreadRole::Upcall => ThreadKind::Upcall,
        } as u8,
        policy: thread.policy as u8,
        priority: thread.priority,
        autostart: thread.autostart.into(),
        program: thread.task.map_or(NONE, |(program, _)| program),
        entry,
        arguments: ThreadEntry::pack_arguments(argument, body),
        stack_top: place
            .stack_tops
            .get(index.wrapping_sub(first) as usize)
            .copied()
            .unwrap_or(0),
        control: place.area.wrapping_add(thread.control),
        quantum: thread.quantum,
        stack_size: thread.stack,
        spare: thread.spare.into(),
        budget: thread.budget,
        deadline: thread.deadline,
    }
}

fn port_entry(model: &Model, placement: &Placement, port: &Port) -> PortEntry {
    let (process, place, task) = match port.place {
        Place::Arena(offset) => (NONE, offset, NONE),
        Place::Block(thread, offset) => {
            let process = model
                .threads
                .get(thread as usize)
                .map_or(NONE, |t| t.process);
            let area = placement.of(process).area;
            (process, area.wrapping_add(offset), thread)
        }
    };
    PortEntry {
        process,
        size: port.size,
        place,
        value_type: port.value_type as u8,
        traced: is_traced(port.kind).into(),
        task,
    }
}

/// Values of the program; not copies, and not what only the machine looks at.
pub(crate) fn is_traced(kind: PortKind) -> bool {
    let inner = matches!(
        kind,
        PortKind::Guard | PortKind::ViolationTask | PortKind::ViolationDriver
    );
    !kind.is_task_local() && !inner
}

/// The bits of all trace kinds.
fn trace_mask() -> u32 {
    u32::MAX
}

fn flags(model: &Model) -> u32 {
    let flag = |holds: bool, flag: u32| if holds { flag } else { 0 };
    let has_room = model.programs.iter().any(|p| p.room.is_some());
    flag(model.trace_console, FLAG_TRACE_CONSOLE) | flag(has_room, FLAG_SPARE)
}

/// The head of tables without entries.
fn header(model: &Model, placement: &Placement) -> SystemHeader {
    let reader = (0u16..)
        .zip(&model.processes)
        .find(|(_, p)| p.reads_trace)
        .map(|(index, _)| index);
    SystemHeader {
        magic: MAGIC,
        version: VERSION,
        crc: 0,
        length: 0,
        timer_hertz: model.board.timer_hertz,
        deadline_band: model.deadline_band.into(),
        stop_at: model.stop_at,
        trace_mask: trace_mask(),
        trace_ring: placement.trace_ring,
        trace_capacity: model.trace_capacity,
        ram: placement.ram,
        ram_size: placement.ram_size,
        arena_size: model.arena_size,
        triggers: model.triggers,
        s_threads: model.s_threads,
        trace_process: reader.unwrap_or(NONE),
        spaces: 0,
        trace_cursor: reader.map_or(0, |r| placement.of(r).trace_cursor),
        flags: flags(model),
        processes: 0,
        threads: 0,
        ports: 0,
        drivers: 0,
        programs: 0,
        interrupts: 0,
        instructions: 0,
        predicates: 0,
        durations: 0,
        links: 0,
        moves: 0,
        objects: 0,
        messages: model.processes.iter().map(|p| p.messages.count).sum(),
        regions: 0,
        reserved: 0,
    }
}

impl Tables {
    fn empty(header: SystemHeader) -> Tables {
        Tables {
            header,
            processes: Vec::new(),
            threads: Vec::new(),
            ports: Vec::new(),
            drivers: Vec::new(),
            programs: Vec::new(),
            interrupts: Vec::new(),
            instructions: Vec::new(),
            predicates: Vec::new(),
            durations: Vec::new(),
            links: Vec::new(),
            moves: Vec::new(),
            spaces: Vec::new(),
            objects: Vec::new(),
            regions: Vec::new(),
        }
    }

    /// The tables as the kernel sees them.
    pub fn as_system(&self) -> System<'_> {
        System {
            header: &self.header,
            processes: &self.processes,
            threads: &self.threads,
            ports: &self.ports,
            drivers: &self.drivers,
            programs: &self.programs,
            interrupts: &self.interrupts,
            instructions: &self.instructions,
            predicates: &self.predicates,
            durations: &self.durations,
            links: &self.links,
            moves: &self.moves,
            objects: &self.objects,
            regions: &self.regions,
        }
    }

    /// Adds a list to the pool, or finds it there.
    fn list(&mut self, indices: &[u16]) -> Range {
        let count = indices.len();
        let known = self
            .links
            .windows(count.max(1))
            .position(|w| count > 0 && w == indices);
        let start = known.unwrap_or_else(|| {
            let end = if count == 0 { 0 } else { self.links.len() };
            self.links.extend_from_slice(indices);
            end
        });
        Range {
            start: start as u16,
            count: count as u16,
        }
    }

    fn process(&mut self, process: &Process, place: &ProcessPlacement) -> ProcessEntry {
        ProcessEntry {
            space: place.space,
            threads: Range {
                start: process.threads.0,
                count: process.threads.1,
            },
            upcall: process.upcall.unwrap_or(NONE),
            on_fault: process.on_fault as u8,
            max_priority: process.max_priority,
            grants: process.grants,
            readable: self.list(&process.readable),
            writable: self.list(&process.writable),
            pristine: place.pristine,
            data: place.data,
            data_size: place.data_size,
            zero_size: place.zero_size,
            stacks: place.stacks,
            stacks_size: place.stacks_size,
            data_address: place.data_address,
            data_stretch: place.data_stretch,
            restart_begin: place.restartable.0,
            restart_end: place.restartable.1,
            messages: Range {
                start: process.messages.first,
                count: process.messages.count,
            },
            message_size: process.messages.size,
            message_place: process.messages.place,
            supervisor: process.supervisor.unwrap_or(NONE),
            by_call: process.is_by_call.into(),
            heap: place.heap,
            heap_size: if place.heap == 0 { 0 } else { process.heap },
        }
    }

    fn driver(&mut self, model: &Model, driver: &Driver, placement: &Placement) -> DriverEntry {
        let entry = DriverEntry {
            work: DriverWork::Copy as u8,
            width: 0,
            process: NONE,
            moves: Range { start: 0, count: 0 },
            results: Range { start: 0, count: 0 },
            conflicts: self.list(&driver.conflicts),
            entry: 0,
            block: 0,
            start: 0,
            budget: 0,
        };
        let entry = match driver.work {
            Work::Copy => entry,
            Work::Load(address, width) => DriverEntry {
                work: DriverWork::Load as u8,
                width,
                entry: address,
                ..entry
            },
            Work::Store(address, width) => DriverEntry {
                work: DriverWork::Store as u8,
                width,
                entry: address,
                ..entry
            },
            Work::Upcall { process, budget } => {
                let place = placement.of(process);
                let owner = model.processes.get(process as usize);
                let function = owner.and_then(|p| p.functions.position(&driver.function));
                DriverEntry {
                    work: DriverWork::Upcall as u8,
                    process,
                    entry: function
                        .and_then(|f| place.bodies.get(f))
                        .copied()
                        .unwrap_or(0),
                    block: place.area.wrapping_add(driver.block),
                    start: place
                        .start
                        .get(FunctionKind::Driver as usize)
                        .copied()
                        .unwrap_or(0),
                    budget,
                    ..entry
                }
            }
        };
        let (moves, results) = moves_of_driver(&entry, &self.ports, &driver.reads, &driver.writes);
        DriverEntry {
            moves: self.moves(&moves),
            results: self.moves(&results),
            ..entry
        }
    }

    /// Adds moves, which lie together.
    fn moves(&mut self, moves: &[MoveEntry]) -> Range {
        let start = if moves.is_empty() {
            0
        } else {
            self.moves.len()
        };
        self.moves.extend_from_slice(moves);
        Range {
            start: start as u16,
            count: moves.len() as u16,
        }
    }

    fn program(&mut self, program: &Program) -> Result<ProgramEntry, Refusal> {
        let module = Module::parse(&program.module).map_err(|error| {
            Problem::new(
                format!("program `{}`: {error}", program.name),
                "compile it anew",
            )
        })?;
        let header = *module.header();
        let code = self.instructions.len() as u32;
        self.instructions.extend(module.instructions());
        let predicates = self.predicates.len() as u16;
        self.predicates.extend(module.predicates());
        let durations = self.durations.len() as u16;
        self.durations.extend(module.durations());
        if let Some(room) = &program.room {
            self.leave_room(room, code, predicates, durations);
        }
        let slot = match program.schedule {
            Schedule::Edf => None,
            _ => program.slot,
        };
        let entry = ProgramEntry {
            code,
            code_length: header.instructions.into(),
            predicates: Range {
                start: predicates,
                count: header.predicates,
            },
            durations: Range {
                start: durations,
                count: header.durations,
            },
            tasks: self.list(&program.tasks),
            drivers: self.list(&program.drivers),
            ports: self.list(&program.ports),
            interrupts: self.list(&program.interrupts),
            mailboxes: self.list(&[]),
            denominator: header.denominator,
            max_steps: program.max_steps,
            start: header.start,
            handlers: header.handlers,
            slot: slot.map_or(BAND_DEADLINE, u16::from),
            violation_task: program.violation_task.unwrap_or(NONE),
            violation_driver: program.violation_driver.unwrap_or(NONE),
            tag: header.crc,
            round: header.round,
            ..room(program.room.as_ref())
        };
        let boots = program.room.is_none_or(|room| room.boots);
        Ok(match boots {
            true => entry,
            // it has names and room, and no code
            false => entry.with(&Frame::EMPTY),
        })
    }

    fn object(&mut self, object: &Object) -> ObjectEntry {
        let flag = |holds: bool, flag: u8| if holds { flag } else { 0 };
        let ceiling = object.shape.ceiling();
        let (initial, most) = match object.shape {
            Shape::Semaphore { initial, most } => (initial, most),
            _ => (0, 0),
        };
        ObjectEntry {
            kind: object.shape.kind().code() as u8,
            flags: flag(object.at_boot, OBJECT_AT_BOOT)
                | flag(ceiling.is_some(), OBJECT_CEILING)
                | flag(object.is_private, OBJECT_PRIVATE),
            ceiling: ceiling.unwrap_or(0),
            reserved: 0,
            rights: self.list(&object.rights).start,
            server: object.server.unwrap_or(NONE),
            initial,
            most,
        }
    }

    fn region(&mut self, region: &Region, place: &RegionPlacement) -> RegionEntry {
        let grants = self.links.len() as u16;
        let entries = place.entries.iter().copied().chain(std::iter::repeat(0));
        let granted = region.grants.iter().zip(entries);
        self.links
            .extend(granted.map(|(bits, entry)| bits | u16::from(entry) << REGION_ENTRY));
        RegionEntry {
            address: place.address,
            size: region.size,
            place: place.place,
            tables: place.tables,
            grants,
            reserved: 0,
        }
    }

    /// Fills the tables up to what there is room for.
    fn leave_room(&mut self, room: &Room, code: u32, predicates: u16, durations: u16) {
        let end = Instruction::new(Opcode::Return, 0, 0, 0);
        let instructions = code as usize + usize::from(room.limits.instructions);
        self.instructions.resize(instructions, end);
        let predicates = usize::from(predicates) + usize::from(room.limits.predicates);
        let never = Predicate::of(PredicateKind::Never, 0);
        self.predicates.resize(predicates, never);
        let durations = usize::from(durations) + usize::from(room.limits.durations);
        let zero = DurationEntry {
            nanos: 0,
            remainder: 0,
            reserved: 0,
        };
        self.durations.resize(durations, zero);
    }

    /// Ranges, and the numbers of time events, are 16 bits wide.
    fn check(&self) -> Result<(), Refusal> {
        let pools = [
            ("links", self.links.len()),
            ("moves", self.moves.len()),
            ("predicates", self.predicates.len()),
            ("durations", self.durations.len()),
            ("time events", self.events()),
        ];
        for (name, count) in pools {
            if count > usize::from(u16::MAX) {
                let over = count - usize::from(u16::MAX);
                let reason = format!("the system has {over} {name} too many for one table");
                return Err(Problem::new(
                    reason,
                    "split the system, or join programs that share timing",
                )
                .into());
            }
        }
        Ok(())
    }

    /// What may wait for an instant: threads, triggers, instances, the end, a change.
    fn events(&self) -> usize {
        let header = &self.header;
        let spare = usize::from(header.flags & FLAG_SPARE != 0);
        let timers = usize::from(header.triggers) + usize::from(header.s_threads);
        self.threads.len() + timers + 1 + spare
    }

    /// Counts and checksum, when the tables are complete.
    fn finish(&mut self) {
        self.header = SystemHeader {
            processes: self.processes.len() as u16,
            threads: self.threads.len() as u16,
            ports: self.ports.len() as u16,
            drivers: self.drivers.len() as u16,
            programs: self.programs.len() as u16,
            interrupts: self.interrupts.len() as u16,
            instructions: self.instructions.len() as u32,
            predicates: self.predicates.len() as u32,
            durations: self.durations.len() as u32,
            links: self.links.len() as u32,
            moves: self.moves.len() as u32,
            spaces: self.spaces.len() as u16,
            objects: self.objects.len() as u16,
            regions: self.regions.len() as u16,
            ..self.header
        };
        let body = self.body();
        self.header.crc = crc32(&body);
        self.header.length = (SystemHeader::SIZE + body.len()) as u32;
    }

    /// The blob: header and tables, each at a multiple of 8 bytes.
    pub fn to_blob(&self) -> Vec<u8> {
        let mut blob = Vec::new();
        self.header.append_to(&mut blob);
        blob.extend_from_slice(&self.body());
        blob
    }

    /// All bytes after the header.
    fn body(&self) -> Vec<u8> {
        let mut body = Body(Vec::new());
        body.table(&self.processes);
        body.table(&self.threads);
        body.table(&self.ports);
        body.table(&self.drivers);
        body.table(&self.programs);
        body.table(&self.interrupts);
        body.table(&self.instructions);
        body.table(&self.predicates);
        body.table(&self.durations);
        body.align();
        for link in &self.links {
            body.0.extend_from_slice(&link.to_le_bytes());
        }
        body.table(&self.moves);
        body.table(&self.spaces);
        body.table(&self.objects);
        body.table(&self.regions);
        if self.header.flags & FLAG_SPARE != 0 {
            body.table(&self.programs);
            body.table(&self.instructions);
            body.table(&self.predicates);
            body.table(&self.durations);
        }
        body.align();
        body.0
    }
}

/// Bytes after the header, aligned as if the header lay before them.
struct Body(Vec<u8>);

impl Body {
    fn align(&mut self) {
        let end = (SystemHeader::SIZE + self.0.len()).next_multiple_of(8);
        self.0.resize(end - SystemHeader::SIZE, 0);
    }

    fn table<R: Record>(&mut self, records: &[R]) {
        self.align();
        for record in records {
            record.append_to(&mut self.0);
        }
    }
}

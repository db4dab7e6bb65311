//! Systems made by hand, without files and without an image: what tests of the
//! kernel run.
//!
//! Threads of one process lie together in the tables, so a process's threads
//! and tasks are added right after it. Names are for microcode; whoever builds
//! keeps the indices.

use crate::assembly::Assembly;
use crate::loadable::{Interface, Loadable};
use crate::tables::Tables;
use giornata_abi::control::ControlPage;
use giornata_abi::id::NONE;
use giornata_abi::instruction::{DurationEntry, Instruction, Opcode};
use giornata_abi::load::Frame;
use giornata_abi::predicate::{Predicate, PredicateKind};
use giornata_abi::process::block_offsets;
use giornata_abi::system::{
    BAND_DEADLINE, DriverEntry, DriverWork, FLAG_SPARE, FaultPolicy, InterruptEntry, MAGIC,
    OBJECT_AT_BOOT, OBJECT_CEILING, OBJECT_PRIVATE, ObjectEntry, ObjectKind, Policy, PortEntry,
    ProcessEntry, ProgramEntry, Range, RegionEntry, SystemHeader, ThreadEntry, ThreadKind, VERSION,
    moves_of_driver,
};
use giornata_abi::{Record, ValueType};

/// First user address of a process's control pages and blocks.
pub const AREA: u32 = 0x1000_0000;
/// Program counter at the start of every thread.
const ENTRY: u32 = 0x2000_0000;
/// Initial stack pointer of every thread.
const STACK: u32 = 0x3000_0000;

/// User address of the first region that processes share.
pub const SHARED: u32 = 0x6000_0000;
/// Bytes from one to the next.
pub const SHARED_SPAN: u32 = 0x40_0000;

/// What a port holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A scalar.
    Scalar(ValueType),
    /// So many bytes.
    Bytes(u16),
}

impl From<ValueType> for Shape {
    fn from(scalar: ValueType) -> Shape {
        Shape::Scalar(scalar)
    }
}

impl Shape {
    fn parts(self) -> (ValueType, u16) {
        match self {
            Shape::Scalar(scalar) => (scalar, scalar.size().unwrap_or(8)),
            Shape::Bytes(size) => (ValueType::Opaque, size),
        }
    }
}

/// A task and its own copies of ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Its thread.
    pub thread: u16,
    /// Its inputs.
    pub inputs: Vec<u16>,
    /// Its outputs.
    pub outputs: Vec<u16>,
}

/// How an ordinary thread is scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduling {
    /// First in, first out at this priority.
    Fifo(u8),
    /// Round robin at this priority with a quantum in ns.
    RoundRobin(u8, u32),
    /// By absolute deadline: so many ns after each start and wakeup.
    Deadline(u64),
}

/// Collects a system.
#[derive(Clone, Debug)]
pub struct SystemBuilder {
    /// The tables so far; may be changed at will.
    pub tables: Tables,
    thread_names: Vec<String>,
    port_names: Vec<String>,
    driver_names: Vec<String>,
    /// For each port the task whose copy it is.
    owners: Vec<u16>,
    /// For each process the end of its area.
    areas: Vec<u32>,
    /// For each program what it is linked to.
    interfaces: Vec<Interface>,
    /// Process, object and what the one may do with the other.
    object_rights: Vec<(u16, u16, u16)>,
    /// The same of regions.
    region_grants: Vec<(u16, u16, u16)>,
}

impl Default for SystemBuilder {
    fn default() -> SystemBuilder {
        SystemBuilder::new()
    }
}

impl SystemBuilder {
    /// An empty system: a timer of 10 MHz, the deadline band at 200, everything
    /// traced, room for 32 triggers and 16 S threads.
    pub fn new() -> SystemBuilder {
        let zero = [0; SystemHeader::SIZE];
        let header = SystemHeader::decode(&zero).expect("a whole header");
        let header = SystemHeader {
            magic: MAGIC,
            version: VERSION,
            timer_hertz: 10_000_000,
            deadline_band: 200,
            trace_mask: u32::MAX,
            trace_capacity: 1,
            triggers: 32,
            s_threads: 16,
            trace_process: NONE,
            ..header
        };
        SystemBuilder {
            tables: Tables {
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
                objects: Vec::new(),
                regions: Vec::new(),
            },
            thread_names: Vec::new(),
            port_names: Vec::new(),
            driver_names: Vec::new(),
            owners: Vec::new(),
            areas: Vec::new(),
            interfaces: Vec::new(),
            object_rights: Vec::new(),
            region_grants: Vec::new(),
        }
    }

    /// Adds a process without threads; it stops when it faults, and may ask
    /// for priorities up to 255.
    pub fn process(&mut self) -> u16 {
        let empty = Range { start: 0, count: 0 };
        self.areas.push(AREA);
        self.tables.processes.push(ProcessEntry {
            space: 0,
            threads: Range {
                start: self.tables.threads.len() as u16,
                count: 0,
            },
            upcall: NONE,
            on_fault: FaultPolicy::Stop as u8,
            max_priority: 255,
            grants: 0,
            readable: empty,
            writable: empty,
            pristine: 0,
            data: 0,
            data_size: 0,
            zero_size: 0,
            stacks: 0,
            stacks_size: 0,
            data_address: 0,
            data_stretch: 0,
            restart_begin: 0,
            restart_end: 0,
            messages: empty,
            message_size: 0,
            message_place: 0,
            supervisor: NONE,
            by_call: 0,
            heap: 0,
            heap_size: 0,
        });
        self.tables.processes.len() as u16 - 1
    }

    /// The entry of a process, to be changed.
    ///
    /// # Panics
    /// If there is none.
    pub fn process_entry(&mut self, process: u16) -> &mut ProcessEntry {
        &mut self.tables.processes[process as usize]
    }

    fn add_thread(&mut self, process: u16, name: &str, kind: ThreadKind) -> u16 {
        let thread = self.tables.threads.len() as u16;
        let control = self.allot(process, ControlPage::SIZE as u32);
        let threads = &mut self.process_entry(process).threads;
        assert_eq!(
            threads.start + threads.count,
            thread,
            "threads of a process lie together"
        );
        threads.count += 1;
        self.thread_names.push(name.into());
        self.tables.threads.push(ThreadEntry {
            process,
            kind: kind as u8,
            policy: Policy::Fifo as u8,
            priority: 0,
            autostart: 0,
            program: NONE,
            entry: ENTRY,
            arguments: ThreadEntry::pack_arguments(control, 0),
            stack_top: STACK,
            control,
            quantum: 0,
            stack_size: 0,
            spare: 0,
            budget: 0,
            deadline: 0,
        });
        thread
    }

    /// Takes bytes of a process's area.
    fn allot(&mut self, process: u16, bytes: u32) -> u32 {
        let end = &mut self.areas[process as usize];
        let at = *end;
        *end += bytes.next_multiple_of(8);
        at
    }

    /// Adds an ordinary thread that starts at boot.
    pub fn thread(&mut self, process: u16, scheduling: Scheduling) -> u16 {
        let thread = self.add_thread(process, "", ThreadKind::Thread);
        let entry = &mut self.tables.threads[thread as usize];
        entry.autostart = 1;
        match scheduling {
            Scheduling::Fifo(priority) => entry.priority = priority,
            Scheduling::RoundRobin(priority, quantum) => {
                entry.policy = Policy::RoundRobin as u8;
                (entry.priority, entry.quantum) = (priority, quantum);
            }
            Scheduling::Deadline(deadline) => {
                entry.policy = Policy::Deadline as u8;
                entry.deadline = deadline;
            }
        }
        thread
    }

    /// Adds a place for a thread that the process creates.
    pub fn spare_thread(&mut self, process: u16) -> u16 {
        let thread = self.add_thread(process, "", ThreadKind::Thread);
        self.tables.threads[thread as usize].spare = 1;
        thread
    }

    /// Adds a task, scheduled by its deadlines, with its own copies of ports.
    pub fn task(&mut self, process: u16, name: &str, inputs: &[Shape], outputs: &[Shape]) -> Task {
        let thread = self.add_thread(process, name, ThreadKind::Task);
        self.tables.threads[thread as usize].policy = Policy::Deadline as u8;
        let sizes = inputs
            .iter()
            .chain(outputs)
            .map(|shape| shape.parts().1 as usize);
        let mut offsets = Vec::new();
        let length = block_offsets(sizes, |offset| offsets.push(offset as u32));
        let block = self.allot(process, length as u32);
        self.tables.threads[thread as usize].arguments = ThreadEntry::pack_arguments(block, 0);
        let mut places = offsets.into_iter().map(|offset| block + offset);
        let mut copies = |shapes: &[Shape], kind: &str| -> Vec<u16> {
            let numbered = shapes.iter().enumerate();
            let add = |(index, shape): (usize, &Shape)| {
                let place = places.next().expect("a place for each port");
                self.add_port(
                    &format!("{name}.{kind}{index}"),
                    *shape,
                    process,
                    place,
                    thread,
                )
            };
            numbered.map(add).collect()
        };
        let inputs = copies(inputs, "in");
        Task {
            thread,
            inputs,
            outputs: copies(outputs, "out"),
        }
    }

    /// Adds the thread that runs a process's upcalls.
    pub fn upcall_thread(&mut self, process: u16) -> u16 {
        let thread = self.add_thread(process, "", ThreadKind::Upcall);
        self.process_entry(process).upcall = thread;
        thread
    }

    fn add_port(&mut self, name: &str, shape: Shape, process: u16, place: u32, owner: u16) -> u16 {
        let (value_type, size) = shape.parts();
        self.port_names.push(name.into());
        self.owners.push(owner);
        self.tables.ports.push(PortEntry {
            process,
            size,
            place,
            value_type: value_type as u8,
            traced: (process == NONE) as u8,
            task: owner,
        });
        self.tables.ports.len() as u16 - 1
    }

    /// Adds a traced port of the kernel's arena. Ports that are named
    /// `violation_task` and `violation_driver` tell handlers who was involved.
    pub fn port(&mut self, name: &str, shape: impl Into<Shape>) -> u16 {
        let shape = shape.into();
        let place = self.tables.header.arena_size;
        self.tables.header.arena_size += (shape.parts().1 as u32).next_multiple_of(8);
        self.add_port(name, shape, NONE, place, NONE)
    }

    fn list(&mut self, indices: &[u16]) -> Range {
        let start = self.tables.links.len() as u16;
        self.tables.links.extend_from_slice(indices);
        Range {
            start,
            count: indices.len() as u16,
        }
    }

    /// Lets a process read and write ports by system call.
    pub fn grant_ports(&mut self, process: u16, readable: &[u16], writable: &[u16]) {
        let (readable, writable) = (self.list(readable), self.list(writable));
        let entry = self.process_entry(process);
        (entry.readable, entry.writable) = (readable, writable);
    }

    fn add_driver(&mut self, name: &str, work: DriverWork, reads: &[u16], writes: &[u16]) -> u16 {
        let touched = reads.iter().chain(writes);
        let mut conflicts: Vec<u16> = touched.map(|port| self.owners[*port as usize]).collect();
        conflicts.retain(|task| *task != NONE);
        conflicts.sort_unstable();
        conflicts.dedup();
        let entry = DriverEntry {
            work: work as u8,
            width: 0,
            process: NONE,
            moves: Range { start: 0, count: 0 },
            results: Range { start: 0, count: 0 },
            conflicts: self.list(&conflicts),
            entry: 0,
            block: 0,
            start: 0,
            budget: 0,
        };
        self.driver_names.push(name.into());
        self.tables.drivers.push(entry);
        let driver = self.tables.drivers.len() as u16 - 1;
        self.link_moves(driver, reads, writes);
        driver
    }

    /// Gives a driver what it moves, as far as it is known by now.
    fn link_moves(&mut self, driver: u16, reads: &[u16], writes: &[u16]) {
        let entry = &self.tables.drivers[driver as usize];
        let (moves, results) = moves_of_driver(entry, &self.tables.ports, reads, writes);
        let [moves, results] = [moves, results].map(|moves| {
            let start = self.tables.moves.len() as u16;
            self.tables.moves.extend_from_slice(&moves);
            let count = moves.len() as u16;
            Range { start, count }
        });
        let entry = &mut self.tables.drivers[driver as usize];
        (entry.moves, entry.results) = (moves, results);
    }

    /// Adds a driver that copies each of `reads` to the port of its position in `writes`.
    pub fn copy(&mut self, name: &str, reads: &[u16], writes: &[u16]) -> u16 {
        self.add_driver(name, DriverWork::Copy, reads, writes)
    }

    /// Adds a driver that loads a device register into a port.
    pub fn load(&mut self, name: &str, register: u32, width: u8, port: u16) -> u16 {
        let driver = self.add_driver(name, DriverWork::Load, &[], &[port]);
        let entry = &mut self.tables.drivers[driver as usize];
        (entry.entry, entry.width) = (register, width);
        driver
    }

    /// Adds a driver that stores a port to a device register.
    pub fn store(&mut self, name: &str, register: u32, width: u8, port: u16) -> u16 {
        let driver = self.add_driver(name, DriverWork::Store, &[port], &[]);
        let entry = &mut self.tables.drivers[driver as usize];
        (entry.entry, entry.width) = (register, width);
        driver
    }

    /// Adds a driver that is an upcall of a process, with a budget in ns (0 =
    /// none). Its block is `reads`, then `writes`.
    pub fn upcall(
        &mut self,
        name: &str,
        process: u16,
        reads: &[u16],
        writes: &[u16],
        budget: u32,
    ) -> u16 {
        let driver = self.add_driver(name, DriverWork::Upcall, reads, writes);
        let ports = reads.iter().chain(writes);
        let sizes = ports.map(|port| self.tables.ports[*port as usize].size as usize);
        let length = block_offsets(sizes, |_| {}) as u32;
        let block = self.allot(process, length);
        let entry = &mut self.tables.drivers[driver as usize];
        (entry.process, entry.block, entry.budget) = (process, block, budget);
        (entry.start, entry.entry) = (ENTRY, driver as u32);
        self.link_moves(driver, reads, writes);
        driver
    }

    /// Adds an interrupt line; `None`: it serves microcode only.
    pub fn interrupt(&mut self, number: u16, process: Option<u16>) {
        let process = process.unwrap_or(NONE);
        self.tables.interrupts.push(InterruptEntry {
            number,
            process,
            interval: 0,
        });
    }

    /// The interrupt line that was added last comes this many nanoseconds after it
    /// came at the earliest.
    pub fn throttle(&mut self, interval: u32) {
        if let Some(line) = self.tables.interrupts.last_mut() {
            line.interval = interval;
        }
    }

    fn add_object(&mut self, kind: ObjectKind) -> &mut ObjectEntry {
        self.tables.objects.push(ObjectEntry {
            kind: kind as u8,
            flags: OBJECT_AT_BOOT,
            ceiling: 0,
            reserved: 0,
            rights: 0,
            server: NONE,
            initial: 0,
            most: 0,
        });
        self.tables.objects.last_mut().expect("just added")
    }

    fn last_object(&self) -> u16 {
        self.tables.objects.len() as u16 - 1
    }

    /// Adds a mutex with priority inheritance that is there at boot, and that no
    /// process may use yet.
    pub fn mutex(&mut self) -> u16 {
        self.add_object(ObjectKind::Mutex);
        self.last_object()
    }

    /// Adds a mutex whose owner runs at this priority. As [`mutex`](Self::mutex).
    pub fn ceiling_mutex(&mut self, ceiling: u8) -> u16 {
        let object = self.add_object(ObjectKind::Mutex);
        object.flags |= OBJECT_CEILING;
        object.ceiling = ceiling;
        self.last_object()
    }

    /// Adds a mutex that is taken by a word of its process's memory. As
    /// [`mutex`](Self::mutex).
    pub fn private_mutex(&mut self) -> u16 {
        self.add_object(ObjectKind::Mutex).flags |= OBJECT_PRIVATE;
        self.last_object()
    }

    /// Adds a semaphore that is taken by such a word. As [`mutex`](Self::mutex).
    pub fn private_semaphore(&mut self) -> u16 {
        let object = self.add_object(ObjectKind::Semaphore);
        object.flags |= OBJECT_PRIVATE;
        object.most = giornata_abi::word::MOST;
        self.last_object()
    }

    /// Adds a semaphore that counts from `initial` up to `most`. As
    /// [`mutex`](Self::mutex).
    pub fn semaphore(&mut self, initial: u32, most: u32) -> u16 {
        let object = self.add_object(ObjectKind::Semaphore);
        (object.initial, object.most) = (initial, most);
        self.last_object()
    }

    /// Adds a condition variable. As [`mutex`](Self::mutex).
    pub fn condition(&mut self) -> u16 {
        self.add_object(ObjectKind::Condition);
        self.last_object()
    }

    /// Adds a mailbox. As [`mutex`](Self::mutex).
    pub fn mailbox(&mut self) -> u16 {
        self.add_object(ObjectKind::Mailbox);
        self.last_object()
    }

    /// Adds a mailbox that is attached to the one of a server.
    pub fn attached_mailbox(&mut self, server: u16) -> u16 {
        self.add_object(ObjectKind::Mailbox).server = server;
        self.last_object()
    }

    /// Gives a process messages, each with room for so many bytes beyond what
    /// travels in words.
    pub fn messages(&mut self, process: u16, count: u16, size: u32) {
        let header = &mut self.tables.header;
        let start = header.messages;
        let place = header.arena_size;
        header.messages += count;
        header.arena_size += u32::from(count) * size.next_multiple_of(8);
        let entry = self.process_entry(process);
        entry.messages = Range { start, count };
        entry.message_size = size.next_multiple_of(8);
        entry.message_place = place;
    }

    /// Lets a process do with an object what these bits of
    /// [`RIGHT_`](giornata_abi::system::RIGHT_USE) say.
    pub fn grant_object(&mut self, process: u16, object: u16, rights: u16) {
        self.object_rights.push((process, object, rights));
    }

    /// Adds memory of `size` bytes that processes share, and that none may attach
    /// yet.
    pub fn region(&mut self, size: u32) -> u16 {
        let index = self.tables.regions.len() as u16;
        self.tables.regions.push(RegionEntry {
            address: SHARED + u32::from(index) * SHARED_SPAN,
            size,
            place: 0,
            tables: 0,
            grants: 0,
            reserved: 0,
        });
        index
    }

    /// Lets a process do with a region what these bits of
    /// [`REGION_`](giornata_abi::system::REGION_READ) say.
    pub fn grant_region(&mut self, process: u16, region: u16, rights: u16) {
        self.region_grants.push((process, region, rights));
    }

    /// Writes down what each process may do with each object and each region.
    fn link_rights(&mut self) {
        for object in 0..self.tables.objects.len() {
            let rights = self.granted(&self.object_rights, object);
            self.tables.objects[object].rights = self.list(&rights).start;
        }
        for region in 0..self.tables.regions.len() {
            let grants = self.granted(&self.region_grants, region);
            self.tables.regions[region].grants = self.list(&grants).start;
        }
    }

    /// By process: all that it is granted of one thing.
    fn granted(&self, grants: &[(u16, u16, u16)], thing: usize) -> Vec<u16> {
        let mut granted = vec![0; self.tables.processes.len()];
        for (process, _, bits) in grants
            .iter()
            .filter(|(_, one, _)| usize::from(*one) == thing)
        {
            granted[usize::from(*process)] |= bits;
        }
        granted
    }

    /// Adds a program in the notation of [`Assembly`], in the deadline band;
    /// its names are those of tasks, drivers and ports added before.
    ///
    /// # Panics
    /// If the text is not understood, or names what there is not.
    pub fn program(&mut self, text: &str) -> u16 {
        let assembly = Assembly::parse(text).unwrap_or_else(|why| panic!("{why}"));
        let program = self.tables.programs.len() as u16;
        let tasks = find_all(&assembly.tasks, &self.thread_names);
        for task in &tasks {
            self.tables.threads[*task as usize].program = program;
        }
        let drivers = find_all(&assembly.drivers, &self.driver_names);
        let ports = find_all(&assembly.ports, &self.port_names);
        let position = |name| self.port_names.iter().position(|port| port == name);
        let named = |name| position(name).map_or(NONE, |port| port as u16);
        let (violation_task, violation_driver) =
            (named("violation_task"), named("violation_driver"));
        let (predicates, durations) = (self.tables.predicates.len(), self.tables.durations.len());
        let entry = ProgramEntry {
            code: self.tables.instructions.len() as u32,
            code_length: assembly.instructions.len() as u32,
            predicates: Range {
                start: predicates as u16,
                count: assembly.predicates.len() as u16,
            },
            durations: Range {
                start: durations as u16,
                count: assembly.durations.len() as u16,
            },
            tasks: self.list(&tasks),
            drivers: self.list(&drivers),
            ports: self.list(&ports),
            interrupts: self.list(&assembly.interrupts),
            mailboxes: self.list(&[]),
            denominator: assembly.denominator,
            max_steps: 1000,
            start: assembly.start,
            handlers: assembly.handlers,
            slot: BAND_DEADLINE,
            violation_task,
            violation_driver,
            round: assembly.labels.get("round").copied().unwrap_or(NONE),
            ..ProgramEntry::EMPTY
        };
        self.tables.instructions.extend(assembly.instructions);
        self.tables.predicates.extend(assembly.predicates);
        self.tables.durations.extend(assembly.durations);
        self.interfaces.push(Interface {
            tasks: assembly.tasks,
            drivers: assembly.drivers,
            ports: assembly.ports,
            interrupts: assembly.interrupts,
        });
        self.tables.programs.push(entry);
        program
    }

    /// Lets a process replace the program that was added last, by modules of up
    /// to so many instructions, predicates and durations; `boots`: it runs from
    /// the start.
    pub fn replaceable(&mut self, loader: u16, room: [u16; 3], boots: bool) {
        let [instructions, predicates, durations] = room;
        let tables = &mut self.tables;
        let entry = tables.programs.last_mut().expect("a program");
        let end = Instruction::new(Opcode::Return, 0, 0, 0);
        let never = Predicate::of(PredicateKind::Never, 0);
        let zero = DurationEntry {
            nanos: 0,
            remainder: 0,
            reserved: 0,
        };
        let end_of = |start: u16, room: u16| usize::from(start) + usize::from(room);
        let code = entry.code as usize + usize::from(instructions);
        tables.instructions.resize(code, end);
        let predicates_end = end_of(entry.predicates.start, predicates);
        tables.predicates.resize(predicates_end, never);
        let durations_end = end_of(entry.durations.start, durations);
        tables.durations.resize(durations_end, zero);
        (entry.room, entry.step_room) = (instructions.into(), 1000);
        (entry.predicate_room, entry.duration_room) = (predicates, durations);
        entry.loader = loader;
        if !boots {
            *entry = entry.with(&Frame::EMPTY);
        }
        tables.header.flags |= FLAG_SPARE;
    }

    /// A module for the place of a program, whose names it uses; `tag` is shown
    /// as that of its file.
    ///
    /// # Panics
    /// If the text is not understood, or names what the program does not.
    pub fn loadable(&self, program: u16, text: &str, tag: u32) -> Loadable {
        let interface = &self.interfaces[program as usize];
        Loadable::link(interface, text, tag).unwrap_or_else(|why| panic!("{why}"))
    }

    /// The entry of a program, to be changed.
    ///
    /// # Panics
    /// If there is none.
    pub fn program_entry(&mut self, program: u16) -> &mut ProgramEntry {
        &mut self.tables.programs[program as usize]
    }

    /// The finished tables.
    pub fn finish(mut self) -> Tables {
        self.link_rights();
        self.tables.count();
        self.tables
    }
}

fn find_all(names: &[String], table: &[String]) -> Vec<u16> {
    let find = |name: &String| table.iter().position(|other| other == name);
    let found = |name| find(name).unwrap_or_else(|| panic!("nothing is called {name}")) as u16;
    names.iter().map(found).collect()
}

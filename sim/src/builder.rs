//! Systems made by hand, without files and without an image: what tests run.
//!
//! Threads of one process lie together in the tables, so a process's threads
//! and tasks are added right after it. Names are for microcode; whoever builds
//! keeps the indices.

use giornata_abi::ValueType;
use giornata_abi::control::ControlPage;
use giornata_abi::module::Module;
use giornata_abi::process::block_offsets;
use giornata_abi::system::FaultPolicy;
use giornata_core::sched::thread::role;
use giornata_host::MEMORY;
use giornata_microcode::verify::{Scratch, scratch_needed, verify};
use giornata_records::link::{Binding, link};
use giornata_records::program::{Driver, Move, Port, To, Upcall};
use giornata_records::{Description, Line, Process, Thread};

/// Bytes at the end of the memory of a process that are for buffers.
pub const ROOM: usize = giornata_system::place::ROOM as usize;
/// Records of the trace that one entry into the kernel can write, at least.
pub(crate) const RECORDS: usize = 1 << 13;

/// First user address of a process's control pages and blocks.
const DATA: u64 = 0x1000_0000;
/// Bytes of the memory of a process.
const SPAN: u64 = 0x8000;
/// Bytes of the values of ports.
const PORTS: u64 = 0x10000;
/// Instructions in one instant, of programs in which nobody can count them.
const BOUND: u32 = 100_000;
/// Bytes for the machine.
const SCRATCH: u64 = 64;
/// Bytes for drivers that write what they read.
const SPARE: u32 = 0x1000;

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
    fn size(self) -> u16 {
        match self {
            Shape::Scalar(scalar) => scalar.size().unwrap_or(8),
            Shape::Bytes(size) => size,
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
    /// Round robin at this priority with a quantum in ticks.
    RoundRobin(u8, u32),
    /// By absolute deadline: so many ticks after each start and wakeup.
    Deadline(u32),
}

/// Collects a system.
#[derive(Clone, Debug)]
pub struct SystemBuilder {
    /// What has been described so far; may be changed at will.
    pub description: Description,
    thread_names: Vec<String>,
    port_names: Vec<String>,
    driver_names: Vec<String>,
    /// For each port the task whose copy it is.
    owners: Vec<Option<u16>>,
    /// For each process what is taken of its memory.
    taken: Vec<u64>,
    /// What is taken of that of ports.
    ports: u64,
}

impl Default for SystemBuilder {
    fn default() -> SystemBuilder {
        SystemBuilder::new()
    }
}

impl SystemBuilder {
    /// An empty system: a timer of 10 MHz, the deadline band at 200, everything
    /// traced.
    pub fn new() -> SystemBuilder {
        let mut description = Description {
            band: 200,
            timer_hertz: 10_000_000,
            trace_records: RECORDS,
            ..Description::default()
        };
        description.programs.scratch = MEMORY as u64;
        description.programs.spare = (MEMORY as u64 + SCRATCH, SPARE);
        SystemBuilder {
            description,
            thread_names: Vec::new(),
            port_names: Vec::new(),
            driver_names: Vec::new(),
            owners: Vec::new(),
            taken: Vec::new(),
            ports: SCRATCH + u64::from(SPARE),
        }
    }

    /// Adds a process without threads; it stops when it faults, and may ask
    /// for priorities up to 255.
    pub fn process(&mut self) -> u16 {
        let index = self.taken.len() as u64;
        let place = MEMORY as u64 + PORTS + index * SPAN;
        self.taken.push(0);
        self.description.processes.push(Process {
            max_priority: 255,
            on_fault: Some(FaultPolicy::Stop),
            data: (DATA, SPAN, place),
            image: (0, 0, SPAN),
            ..Process::default()
        });
        index as u16
    }

    /// What is described of a process, to be changed.
    ///
    /// # Panics
    /// If there is none.
    pub fn process_entry(&mut self, process: u16) -> &mut Process {
        &mut self.description.processes[usize::from(process)]
    }

    /// Takes bytes of a process's memory: their offset.
    fn allot(&mut self, process: u16, bytes: usize) -> u64 {
        let taken = &mut self.taken[usize::from(process)];
        let at = *taken;
        *taken += bytes.next_multiple_of(8) as u64;
        assert!(
            *taken <= SPAN - ROOM as u64,
            "the memory of a process is full"
        );
        at
    }

    /// The physical address of an offset.
    fn place(&self, process: u16, offset: u64) -> u64 {
        self.description.processes[usize::from(process)].data.2 + offset
    }

    fn add_thread(&mut self, process: u16, name: &str, thread: Thread) -> u16 {
        let threads = &self.description.threads;
        assert!(
            threads.iter().all(|t| t.process <= usize::from(process)),
            "threads of a process lie together"
        );
        let page = self.allot(process, size_of::<ControlPage>());
        let control = self.place(process, page);
        self.thread_names.push(name.into());
        self.description.threads.push(Thread {
            process: process.into(),
            control,
            ..thread
        });
        self.description.threads.len() as u16 - 1
    }

    /// Adds an ordinary thread that starts at boot.
    pub fn thread(&mut self, process: u16, scheduling: Scheduling) -> u16 {
        let (priority, bits, deadline, allowance) = match scheduling {
            Scheduling::Fifo(priority) => (priority, 0, 0, 0),
            Scheduling::RoundRobin(priority, quantum) => (priority, role::ROUND_ROBIN, 0, quantum),
            Scheduling::Deadline(ticks) => (self.description.band, role::DEADLINE, ticks, 0),
        };
        let thread = Thread {
            priority,
            role: role::AUTOSTART | bits,
            deadline,
            allowance,
            ..Thread::default()
        };
        self.add_thread(process, "", thread)
    }

    /// Adds a task, scheduled by its deadlines, with its own copies of ports.
    pub fn task(&mut self, process: u16, name: &str, inputs: &[Shape], outputs: &[Shape]) -> Task {
        let thread = Thread {
            priority: self.description.band,
            role: role::TASK,
            ..Thread::default()
        };
        let thread = self.add_thread(process, name, thread);
        let all = inputs.iter().chain(outputs);
        let mut offsets = Vec::new();
        let length = block_offsets(all.map(|shape| shape.size().into()), |at| offsets.push(at));
        let block = self.allot(process, length);
        self.description.threads[usize::from(thread)].arguments[0] = DATA + block;
        let mut places = offsets.into_iter();
        let mut copies = |shapes: &[Shape], kind: &str| -> Vec<u16> {
            let numbered = shapes.iter().enumerate();
            let add = |(index, shape): (usize, &Shape)| {
                let at = block + places.next().expect("a place for each port") as u64;
                let place = self.place(process, at);
                let name = format!("{name}.{kind}{index}");
                self.add_port(&name, *shape, place, Some(thread))
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
        let thread = Thread {
            role: role::UPCALL,
            ..Thread::default()
        };
        self.add_thread(process, "", thread)
    }

    fn add_port(&mut self, name: &str, shape: Shape, place: u64, owner: Option<u16>) -> u16 {
        self.port_names.push(name.into());
        self.owners.push(owner);
        self.description.programs.ports.push(Port {
            place,
            size: shape.size().into(),
            order: match shape {
                Shape::Scalar(scalar) => Some(scalar),
                Shape::Bytes(_) => None,
            },
            traced: owner.is_none(),
            ..Port::default()
        });
        self.owners.len() as u16 - 1
    }

    /// Adds a traced port of programs. Ports that are named `violation_task` and
    /// `violation_driver` tell handlers who was involved.
    pub fn port(&mut self, name: &str, shape: impl Into<Shape>) -> u16 {
        let shape = shape.into();
        let place = MEMORY as u64 + self.ports;
        self.ports += u64::from(shape.size()).next_multiple_of(8);
        assert!(self.ports <= PORTS, "the memory of ports is full");
        self.add_port(name, shape, place, None)
    }

    /// Lets a process read and write ports by system call.
    pub fn grant_ports(&mut self, process: u16, readable: &[u16], writable: &[u16]) {
        let ports = &mut self.description.programs.ports;
        for port in readable {
            ports[usize::from(*port)].readers.push(process.into());
        }
        for port in writable {
            ports[usize::from(*port)].writers.push(process.into());
        }
    }

    fn described(&self, port: u16) -> &Port {
        &self.description.programs.ports[usize::from(port)]
    }

    /// Where a driver puts a value: a port of a program, or a task's own copy.
    fn to(&self, port: u16) -> To {
        match self.owners[usize::from(port)] {
            None => To::Port(port.into()),
            Some(_) => To::Place(self.described(port).place),
        }
    }

    fn add_driver(&mut self, name: &str, [reads, writes]: [&[u16]; 2], driver: Driver) -> u16 {
        let owners = |ports: &[u16]| {
            let owners = ports
                .iter()
                .filter_map(|port| self.owners[usize::from(*port)]);
            let mut owners: Vec<usize> = owners.map(usize::from).collect();
            owners.sort_unstable();
            owners.dedup();
            owners
        };
        let driver = Driver {
            touches: owners(&[reads, writes].concat()),
            reads: owners(reads),
            local: self.driver_names.len() as u32,
            ..driver
        };
        self.driver_names.push(name.into());
        self.description.programs.drivers.push(driver);
        self.driver_names.len() as u16 - 1
    }

    /// Adds a driver that copies each of `reads` to the port of its position in `writes`.
    pub fn copy(&mut self, name: &str, reads: &[u16], writes: &[u16]) -> u16 {
        let pairs = reads.iter().zip(writes);
        let moves = pairs.map(|(from, to)| Move {
            from: self.described(*from).place,
            to: self.to(*to),
            size: self.described(*from).size.min(self.described(*to).size),
        });
        let moves = moves.collect();
        let driver = Driver {
            moves,
            ..Driver::default()
        };
        self.add_driver(name, [reads, writes], driver)
    }

    /// Adds a driver that loads a device register into a port.
    pub fn load(&mut self, name: &str, register: u64, width: u32, port: u16) -> u16 {
        let into = Move {
            from: 0,
            to: self.to(port),
            size: self.described(port).size,
        };
        let driver = Driver {
            register: Some((register, width)),
            moves: vec![into],
            ..Driver::default()
        };
        self.add_driver(name, [&[], &[port]], driver)
    }

    /// Adds a driver that stores a port to a device register.
    pub fn store(&mut self, name: &str, register: u64, width: u32, port: u16) -> u16 {
        let of = Move {
            from: self.described(port).place,
            to: To::Place(0),
            size: self.described(port).size,
        };
        let driver = Driver {
            register: Some((register, width)),
            moves: vec![of],
            ..Driver::default()
        };
        self.add_driver(name, [&[port], &[]], driver)
    }

    /// Adds a driver that is an upcall of a process, with a budget in ticks (0 =
    /// none). Its block is `reads`, then `writes`.
    pub fn upcall(
        &mut self,
        name: &str,
        process: u16,
        reads: &[u16],
        writes: &[u16],
        budget: u32,
    ) -> u16 {
        let all = [reads, writes].concat();
        let sizes = all.iter().map(|port| self.described(*port).size as usize);
        let mut places = Vec::new();
        let length = block_offsets(sizes, |at| places.push(at as u64));
        let block = self.allot(process, length);
        let place = |at: &u64| self.place(process, block + at);
        let (inputs, outputs) = places.split_at(reads.len());
        let inputs = inputs.iter().zip(reads).map(|(at, port)| Move {
            from: self.described(*port).place,
            to: To::Place(place(at)),
            size: self.described(*port).size,
        });
        let outputs = outputs.iter().zip(writes).map(|(at, port)| Move {
            from: place(at),
            to: self.to(*port),
            size: self.described(*port).size,
        });
        let mut threads = self.description.threads.iter();
        let thread = threads.position(|thread| {
            thread.process == usize::from(process) && thread.role & role::UPCALL != 0
        });
        let upcall = Upcall {
            thread: thread.expect("the process has a thread for upcalls"),
            block: DATA + block,
            budget,
            results: outputs.collect(),
            ..Upcall::default()
        };
        let driver = Driver {
            moves: inputs.collect(),
            upcall: Some(upcall),
            ..Driver::default()
        };
        self.add_driver(name, [reads, writes], driver)
    }

    /// Adds an interrupt line; `None`: it serves microcode only.
    pub fn interrupt(&mut self, number: u32, process: Option<u16>) {
        let process = process.map(usize::from);
        self.description.lines.push(Line {
            number,
            process,
            interval: 0,
        });
    }

    /// Adds a program: the code of a module whose names are those of tasks, drivers and
    /// ports added before, the latest of each name. Interrupts are named by numbers.
    ///
    /// # Panics
    /// If it is no module, or names what there is not.
    pub fn program(&mut self, module: &[u8]) -> u16 {
        let module = Module::parse(module).expect("a module");
        let text = |name| module.text(name);
        let find = |names: &[String], name: &str| {
            let found = names.iter().rposition(|other| other == name);
            found.unwrap_or_else(|| panic!("nothing is called {name}"))
        };
        let named = |name| self.port_names.iter().rposition(|port| port == name);
        let line = |name: &str| {
            let mut lines = self.description.lines.iter();
            let found = lines.position(|line| line.number.to_string() == name);
            found.unwrap_or_else(|| panic!("there is no line {name}"))
        };
        let tasks = module.tasks().map(|task| {
            let thread = find(&self.thread_names, text(task.name));
            let fixed = self.description.threads[thread].priority != self.description.band;
            (thread, fixed)
        });
        let processes: Vec<usize> = self.description.threads.iter().map(|t| t.process).collect();
        let counted_steps = counted_steps(&module);
        let binding = Binding {
            tasks: tasks.collect(),
            drivers: module
                .drivers()
                .map(|driver| find(&self.driver_names, text(driver.name)))
                .collect(),
            // (a task's own, or a state, is of no interest to code)
            ports: module.ports().map(|port| named(text(port.name))).collect(),
            lines: module
                .interrupts()
                .map(|name| line(text(name.name)))
                .collect(),
            mailboxes: Vec::new(),
            all_ports: &self.description.programs.ports,
            processes: &processes,
            several_harts: self.description.harts > 1,
            hertz: self.description.timer_hertz,
            bound: if counted_steps == 0 { BOUND } else { 0 },
            counted_steps,
            priority: None,
            triggers: 64,
            threads: 64,
            involved: [named("violation_task"), named("violation_driver")],
            change: None,
        };
        let program = link(&module, &binding).unwrap_or_else(|why| panic!("{why}"));
        self.description.programs.programs.push(program);
        self.description.programs.programs.len() as u16 - 1
    }

    /// The finished system.
    pub fn finish(self) -> Description {
        self.description
    }
}

/// The instructions of an instant, as the verifier counts them; 0: it cannot.
fn counted_steps(module: &Module<'_>) -> u32 {
    let mut scratch = vec![Scratch::EMPTY; scratch_needed(module)];
    let verified = verify(module, &mut scratch).ok();
    verified.and_then(|verified| verified.steps).unwrap_or(0)
}

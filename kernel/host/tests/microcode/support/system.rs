//! A system made of assembled modules: its description, and the names behind numbers.

use std::collections::{BTreeMap, VecDeque};

use giornata_abi::ValueType;
use giornata_abi::module::{Module, PortKind};
use giornata_core::micro::block;
use giornata_core::sched::thread::role;
use giornata_host::MEMORY;
use giornata_records::link::{Binding, link};
use giornata_records::program::{Change, Driver, Move, Port, To, Upcall};
use giornata_records::{Description, Line, Object, ObjectKind, Process, Rights, Thread};
use giornata_test_microcode::assemble;

use super::verify_bytes;

/// How an upcall ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It returns this value.
    Returned(usize),
    /// It uses up its budget.
    Overrun,
    /// Its process faults.
    Fault,
}

/// What a driver does when it is called.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// Nothing, at once.
    Nothing,
    /// Writes the next value to a port, at once.
    Write(usize, VecDeque<u64>),
    /// Copies ports to others, at once; the trace says nothing of it.
    Copy(Vec<(usize, usize)>),
    /// Runs as an upcall with the next of these ends; the last repeats.
    Upcall(VecDeque<End>),
    /// Cannot run: its process is not alive.
    Fails,
}

/// The band of deadlines.
pub(crate) const BAND: u8 = 100;
/// The line by which the world calls the thread that acts for it.
pub(crate) const CALL: u32 = 63;
/// The first line of programs.
pub(crate) const LINES: u32 = 40;
/// User address of the data of a process.
pub(crate) const DATA: usize = 0x1000;

const PORTS: u64 = MEMORY as u64 + 0x1_0000;
const SOURCES: u64 = MEMORY as u64 + 0x3_0000;
const PAGES: u64 = MEMORY as u64 + 0x4_0000;
const SPACES: u64 = MEMORY as u64 + 0x5_0000;
const SCRATCH: u64 = MEMORY as u64 + 0xE000;
const SPARE: (u64, u32) = (MEMORY as u64 + 0xF000, 0x1000);

/// A task of the system.
#[derive(Clone, Debug)]
pub(crate) struct TaskName {
    pub(crate) name: String,
    /// Its thread.
    pub(crate) thread: usize,
    /// Ticks of its budget; 0: any.
    pub(crate) budget: u32,
}

/// A driver of the system.
#[derive(Clone, Debug)]
pub(crate) struct DriverName {
    pub(crate) name: String,
    pub(crate) work: Work,
    /// The thread of its upcall.
    pub(crate) thread: usize,
    /// The port by which the trace tells that it ran.
    pub(crate) log: usize,
    /// Where it reads what it writes: an offset in memory.
    pub(crate) source: usize,
    /// The port that its upcall writes.
    pub(crate) result: Option<usize>,
}

/// Modules, and what the test says of their names.
#[derive(Debug)]
pub(crate) struct System {
    files: Vec<Vec<u8>>,
    pub(crate) tasks: Vec<TaskName>,
    pub(crate) drivers: Vec<DriverName>,
    /// Names and types of ports; behind them those that tell that drivers ran.
    pub(crate) ports: Vec<(String, ValueType)>,
    pub(crate) lines: Vec<String>,
    pub(crate) mailboxes: Vec<String>,
    /// Fixed priorities of tasks, by name.
    pub(crate) priorities: BTreeMap<String, u8>,
    /// Ticks that an upcall may take.
    pub(crate) budget: u32,
    /// Fixed priorities of slots, by program.
    pub(crate) slots: BTreeMap<usize, u8>,
    /// How programs can be replaced.
    pub(crate) rooms: BTreeMap<usize, Room>,
    /// What the trace holds until it is read.
    pub(crate) trace_records: usize,
}

/// Room for what takes a program's place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// The process that may replace it.
    pub(crate) loader: usize,
    /// Instructions, predicates, and steps at most.
    pub(crate) limits: (usize, usize, u32),
    /// The program's own code runs first.
    pub(crate) boots: bool,
}

impl System {
    pub(crate) fn of(files: Vec<Vec<u8>>) -> System {
        let mut system = System {
            files,
            tasks: Vec::new(),
            drivers: Vec::new(),
            ports: Vec::new(),
            lines: Vec::new(),
            mailboxes: Vec::new(),
            priorities: BTreeMap::new(),
            budget: 1,
            slots: BTreeMap::new(),
            rooms: BTreeMap::new(),
            trace_records: 1 << 10,
        };
        for file in system.files.clone() {
            let module = Module::parse(&file).expect("a whole module");
            system.name(&module);
        }
        // thread 0 acts for the world; the tasks follow, then the threads of upcalls
        for (index, task) in system.tasks.iter_mut().enumerate() {
            task.thread = 1 + index;
        }
        let ports = system.ports.len();
        for (index, driver) in system.drivers.iter_mut().enumerate() {
            driver.thread = 1 + system.tasks.len() + index;
            driver.log = ports + index;
            driver.source = SOURCES as usize - MEMORY + 8 * index;
        }
        system
    }

    pub(crate) fn assembled(sources: &[&str]) -> System {
        System::of(sources.iter().map(|source| assemble(source)).collect())
    }

    /// Where a port lies: an offset in memory.
    pub(crate) fn place(&self, port: usize) -> usize {
        PORTS as usize - MEMORY + 8 * port
    }

    fn name(&mut self, module: &Module<'_>) {
        let text = |name| module.text(name).to_string();
        self.tasks.extend(module.tasks().map(|task| TaskName {
            name: text(task.name),
            thread: 0,
            budget: 0,
        }));
        self.drivers
            .extend(module.drivers().map(|driver| DriverName {
                name: text(driver.name),
                work: Work::Nothing,
                thread: 0,
                log: 0,
                source: 0,
                result: None,
            }));
        self.ports.extend(module.ports().map(|port| {
            let order = ValueType::from_code(port.value_type).expect("a type");
            (text(port.name), order)
        }));
        for (names, known) in [
            (module.interrupts().collect::<Vec<_>>(), &mut self.lines),
            (module.mailboxes().collect(), &mut self.mailboxes),
        ] {
            for name in names {
                let name = text(name.name);
                if !known.contains(&name) {
                    known.push(name);
                }
            }
        }
    }

    /// The processes: of who acts for the world, of the tasks of each program, and of each
    /// upcall.
    pub(crate) fn description(&self) -> Description {
        let mut processes = Vec::new();
        let mut threads = vec![Thread {
            process: 0,
            priority: 255,
            role: role::AUTOSTART,
            ..Thread::default()
        }];
        let space = |index: usize| Process {
            data: (DATA as u64, 0x100, SPACES + 0x100 * index as u64),
            max_priority: 255,
            ..Process::default()
        };
        processes.push(space(0));
        let mut at = 0;
        for file in &self.files {
            let module = Module::parse(file).expect("a whole module");
            processes.push(space(processes.len()));
            for task in &self.tasks[at..at + module.tasks().count()] {
                threads.push(Thread {
                    process: processes.len() - 1,
                    priority: self.priorities.get(&task.name).copied().unwrap_or(BAND),
                    role: role::TASK,
                    allowance: task.budget,
                    ..Thread::default()
                });
            }
            at += module.tasks().count();
        }
        for driver in &self.drivers {
            let policy = giornata_abi::system::FaultPolicy::Restart;
            processes.push(Process {
                by_call: matches!(driver.work, Work::Fails),
                on_fault: Some(policy),
                ..space(processes.len())
            });
            threads.push(Thread {
                process: processes.len() - 1,
                role: role::UPCALL,
                ..Thread::default()
            });
        }
        for (index, thread) in threads.iter_mut().enumerate() {
            thread.control = PAGES + 64 * index as u64;
            thread.entry = 0x100 + 16 * index as u64;
        }
        let mut description = Description {
            band: BAND,
            processes,
            threads,
            trace_records: self.trace_records,
            ..Description::default()
        };
        self.describe_outside(&mut description);
        self.describe_programs(&mut description);
        description
    }

    fn describe_outside(&self, description: &mut Description) {
        description.lines = (0..self.lines.len() as u32)
            .map(|index| Line {
                number: LINES + index,
                process: None,
                ..Line::default()
            })
            .collect();
        description.lines.push(Line {
            number: CALL,
            process: Some(0),
            ..Line::default()
        });
        let rights = Rights {
            used: true,
            received: true,
            ..Rights::default()
        };
        description.objects = self
            .mailboxes
            .iter()
            .map(|_| Object {
                kind: ObjectKind::Mailbox,
                at_boot: true,
                initial: 0,
                most: 0,
                ceiling: None,
                private: false,
                server: None,
                rights: vec![rights],
            })
            .collect();
        description.processes[0].messages = (64, 16);
    }

    fn describe_programs(&self, description: &mut Description) {
        let programs = &mut description.programs;
        // (the thread that acts for the world does so before the machine reacts)
        programs.precede = Some(0);
        programs.scratch = SCRATCH;
        programs.spare = SPARE;
        let logs = self
            .drivers
            .iter()
            .map(|driver| (driver.name.clone(), ValueType::U32));
        for (index, (_, order)) in self.ports.iter().cloned().chain(logs).enumerate() {
            programs.ports.push(Port {
                place: PORTS + 8 * index as u64,
                size: order.size().unwrap_or(8).into(),
                order: Some(order),
                traced: index >= self.ports.len(),
                readers: vec![0],
                writers: vec![0],
            });
        }
        let processes: Vec<usize> = description
            .threads
            .iter()
            .map(|thread| thread.process)
            .collect();
        let (mut first_task, mut first_driver, mut first_port) = (0, 0, 0);
        for (index, file) in self.files.iter().enumerate() {
            let module = Module::parse(file).expect("a whole module");
            let header = *module.header();
            let (tasks, drivers, ports) = (
                usize::from(header.tasks),
                usize::from(header.drivers),
                usize::from(header.ports),
            );
            for (local, symbol) in module.drivers().enumerate() {
                let lists = |port: u16| {
                    let find = |list| module.list(list).any(|own| own == port);
                    let owner = |(task, symbol): (usize, giornata_abi::module::TaskSymbol)| {
                        let reads = find(symbol.outputs);
                        (reads || find(symbol.inputs)).then_some((1 + first_task + task, reads))
                    };
                    module
                        .tasks()
                        .enumerate()
                        .filter_map(owner)
                        .collect::<Vec<_>>()
                };
                let touched = module
                    .list(symbol.reads)
                    .chain(module.list(symbol.writes))
                    .flat_map(lists);
                let mut touched: Vec<(usize, bool)> = touched.collect();
                touched.sort_unstable();
                touched.dedup();
                let driver = self.driver(first_driver + local, local, &touched);
                programs.drivers.push(driver);
            }
            let kinds: Vec<Option<PortKind>> = module
                .ports()
                .map(|port| PortKind::from_code(port.kind))
                .collect();
            let told = |kind| {
                kinds
                    .iter()
                    .position(|own| *own == Some(kind))
                    .map(|port| first_port + port)
            };
            let involved = [
                told(PortKind::ViolationTask),
                told(PortKind::ViolationDriver),
            ];
            for port in involved.into_iter().flatten() {
                programs.ports[port].traced = true;
            }
            let verified = verify_bytes(file).ok();
            let counted = verified.and_then(|verified| verified.steps);
            let room = self.rooms.get(&index);
            let bound = match (header.max_steps, counted) {
                _ if room.is_some() => 1000,
                (0, Some(_)) => 0,
                (0, None) => 1000,
                (declared, Some(steps)) if steps <= declared => 0,
                (declared, _) => declared,
            };
            let slots = verified.filter(|_| room.is_none());
            let slots = slots.map_or((16, 16), |v| {
                (usize::from(v.triggers), usize::from(v.threads))
            });
            let numbers = |names: Vec<_>, known: &Vec<String>| -> Vec<usize> {
                let find = |name: giornata_abi::module::NameSymbol| {
                    known.iter().position(|own| own == module.text(name.name))
                };
                names.into_iter().filter_map(find).collect()
            };
            let fixed = |task: &TaskName| (task.thread, self.priorities.contains_key(&task.name));
            let binding = Binding {
                tasks: self.tasks[first_task..first_task + tasks]
                    .iter()
                    .map(fixed)
                    .collect(),
                drivers: (first_driver..first_driver + drivers).collect(),
                ports: (first_port..first_port + ports).map(Some).collect(),
                lines: numbers(module.interrupts().collect(), &self.lines),
                mailboxes: numbers(module.mailboxes().collect(), &self.mailboxes),
                all_ports: &programs.ports.clone(),
                processes: &processes,
                several_harts: false,
                hertz: 1_000_000_000,
                bound,
                counted_steps: if bound == 0 { counted.unwrap_or(0) } else { 0 },
                priority: self.slots.get(&index).copied(),
                triggers: slots.0,
                threads: slots.1,
                involved,
                change: room.map(|room| Change {
                    loader: room.loader,
                    most: room.limits.2,
                    room: (room.limits.0, room.limits.1),
                    ..Change::default()
                }),
            };
            let mut program = link(&module, &binding).expect("a module that links");
            if room.is_some_and(|room| !room.boots) {
                program.blocks = [None; block::COUNT];
                program.code.clear();
            }
            programs.programs.push(program);
            first_task += tasks;
            first_driver += drivers;
            first_port += ports;
        }
    }

    fn driver(&self, index: usize, local: usize, touched: &[(usize, bool)]) -> Driver {
        let own = &self.drivers[index];
        let move_to = |port: usize| Move {
            from: (MEMORY + own.source) as u64,
            to: To::Port(port),
            size: 4,
        };
        let (moves, upcall) = match &own.work {
            Work::Nothing => (vec![move_to(own.log)], None),
            Work::Write(port, _) => {
                let size = self.ports[*port].1.size().unwrap_or(8).into();
                let value = Move {
                    size,
                    ..move_to(*port)
                };
                (vec![value, move_to(own.log)], None)
            }
            Work::Copy(pairs) => {
                let values = pairs.iter().map(|(from, to)| Move {
                    from: (MEMORY + self.place(*from)) as u64,
                    ..move_to(*to)
                });
                (values.collect(), None)
            }
            Work::Upcall(_) | Work::Fails => {
                let result = own.result.map(|port| Move {
                    size: self.ports[port].1.size().unwrap_or(8).into(),
                    ..move_to(port)
                });
                let upcall = Upcall {
                    thread: own.thread,
                    budget: self.budget,
                    results: result.into_iter().collect(),
                    ..Upcall::default()
                };
                (Vec::new(), Some(upcall))
            }
        };
        let of = |reads: bool| {
            let threads = touched
                .iter()
                .filter(|(_, own)| *own || !reads)
                .map(|(thread, _)| *thread);
            threads.collect::<Vec<_>>()
        };
        Driver {
            touches: of(false),
            reads: of(true),
            moves,
            register: None,
            upcall,
            local: local as u32,
        }
    }
}

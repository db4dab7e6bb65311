//! Programs, their ports and drivers, as the kernel links them.

use crate::describe::memory::Memory;
use crate::describe::{physical, ticks};
use crate::file::Schedule;
use crate::model::{Driver, Model, Place, Port, Program, Work};
use crate::place::Placement;
use crate::precedence;
use crate::problem::{Problem, Refusal};
use giornata_abi::ValueType;
use giornata_abi::module::Module;
use giornata_abi::process::{FunctionKind, block_offsets};
use giornata_abi::rate::Rate;
use giornata_abi::system::Policy;
use giornata_core::micro::block;
use giornata_records::link::{Binding, link};
use giornata_records::program::{self as records, Move, Programs, To};

/// What programs are described from.
struct Context<'a> {
    model: &'a Model,
    placement: &'a Placement,
    rate: &'a Rate,
    memory: &'a Memory,
}

/// Describes the programs of a model.
pub(crate) fn programs(
    model: &Model,
    placement: &Placement,
    rate: &Rate,
    memory: &Memory,
) -> Result<Programs, Refusal> {
    let context = Context {
        model,
        placement,
        rate,
        memory,
    };
    let ports: Vec<records::Port> = (0u16..)
        .zip(&model.ports)
        .map(|(index, port)| context.port(index, port))
        .collect();
    let programs = model.programs.iter();
    let programs: Result<Vec<_>, Refusal> = programs
        .map(|program| context.program(program, &ports))
        .collect();
    Ok(Programs {
        programs: programs?,
        ports,
        drivers: (0u16..)
            .zip(&model.drivers)
            .map(|(index, driver)| context.driver(index, driver))
            .collect(),
        precede: precedence::others(model),
        scratch: memory.scratch,
        spare: memory.spare,
    })
}

impl Context<'_> {
    fn port(&self, index: u16, port: &Port) -> records::Port {
        let processes = (0..).zip(&self.model.processes);
        let processes = || processes.clone();
        records::Port {
            place: self.place(port),
            size: port.size.into(),
            order: (port.value_type != ValueType::Opaque).then_some(port.value_type),
            traced: port.is_traced(),
            readers: processes()
                .filter(|(_, process)| process.readable.contains(&index))
                .map(|(number, _)| number)
                .collect(),
            writers: processes()
                .filter(|(_, process)| process.writable.contains(&index))
                .map(|(number, _)| number)
                .collect(),
        }
    }

    /// Where the value of a port lies.
    fn place(&self, port: &Port) -> u64 {
        match port.place {
            Place::Arena(offset) => self.memory.ports + u64::from(offset),
            Place::Block(thread, offset) => {
                let thread = self.model.threads.get(usize::from(thread));
                self.in_area(thread.map_or(u16::MAX, |thread| thread.process), offset)
            }
        }
    }

    /// The physical address of what lies at an offset of a process's area.
    fn in_area(&self, process: u16, offset: u32) -> u64 {
        let place = self.placement.of(process);
        physical(&place, u64::from(place.area) + u64::from(offset))
    }

    fn of(&self, ports: &[u16]) -> impl Iterator<Item = (u16, &Port)> {
        let found = ports.iter();
        found.filter_map(|index| Some((*index, self.model.ports.get(usize::from(*index))?)))
    }

    /// Where a driver puts a value: a port of the program, or a task's own copy.
    fn to(&self, index: u16, port: &Port) -> To {
        match port.place {
            Place::Arena(_) => To::Port(index.into()),
            Place::Block(..) => To::Place(self.place(port)),
        }
    }

    fn driver(&self, index: u16, driver: &Driver) -> records::Driver {
        let owner = self.model.programs.get(usize::from(driver.program));
        let local = owner.and_then(|owner| owner.drivers.iter().position(|d| *d == index));
        let reads = self
            .of(&driver.reads)
            .filter_map(|(_, port)| match port.place {
                Place::Block(thread, _) => Some(usize::from(thread)),
                Place::Arena(_) => None,
            });
        let entry = records::Driver {
            touches: driver.conflicts.iter().copied().map(usize::from).collect(),
            reads: reads.collect(),
            local: local.unwrap_or(0) as u32,
            ..records::Driver::default()
        };
        match driver.work {
            Work::Copy => records::Driver {
                moves: self.copies(driver),
                ..entry
            },
            Work::Load(address, width) => records::Driver {
                register: Some((address.into(), width.into())),
                moves: self
                    .of(&driver.writes)
                    .map(|(index, port)| Move {
                        from: 0,
                        to: self.to(index, port),
                        size: port.size.into(),
                    })
                    .collect(),
                ..entry
            },
            Work::Store(address, width) => records::Driver {
                register: Some((address.into(), width.into())),
                moves: self
                    .of(&driver.reads)
                    .map(|(_, port)| Move {
                        from: self.place(port),
                        to: To::Place(0),
                        size: port.size.into(),
                    })
                    .collect(),
                ..entry
            },
            Work::Upcall { process, budget } => {
                let (moves, results) = self.exchanges(driver, process);
                records::Driver {
                    moves,
                    upcall: Some(self.upcall(driver, process, budget, results)),
                    ..entry
                }
            }
        }
    }

    fn copies(&self, driver: &Driver) -> Vec<Move> {
        let pairs = self.of(&driver.reads).zip(self.of(&driver.writes));
        let copies = pairs.map(|((_, from), (index, to))| Move {
            from: self.place(from),
            to: self.to(index, to),
            size: from.size.min(to.size).into(),
        });
        copies.collect()
    }

    /// What an upcall gets, and what it puts out: its values lie in its block in order.
    fn exchanges(&self, driver: &Driver, process: u16) -> (Vec<Move>, Vec<Move>) {
        let all = driver.reads.iter().chain(&driver.writes);
        let all: Vec<u16> = all.copied().collect();
        let sizes = self.of(&all).map(|(_, port)| usize::from(port.size));
        let mut places = Vec::new();
        block_offsets(sizes, |at| {
            places.push(self.in_area(process, driver.block + at as u32));
        });
        let (inputs, outputs) = places.split_at(driver.reads.len().min(places.len()));
        let inputs = inputs.iter().zip(self.of(&driver.reads));
        let inputs = inputs.map(|(place, (_, port))| Move {
            from: self.place(port),
            to: To::Place(*place),
            size: port.size.into(),
        });
        let outputs = outputs.iter().zip(self.of(&driver.writes));
        let outputs = outputs.map(|(place, (index, port))| Move {
            from: *place,
            to: self.to(index, port),
            size: port.size.into(),
        });
        (inputs.collect(), outputs.collect())
    }

    fn upcall(
        &self,
        driver: &Driver,
        process: u16,
        budget: u32,
        results: Vec<Move>,
    ) -> records::Upcall {
        let place = self.placement.of(process);
        let owner = self.model.processes.get(usize::from(process));
        let function = owner.and_then(|owner| owner.functions.position(&driver.function));
        let body = function.and_then(|function| place.bodies.get(function));
        let entry = place.start.get(FunctionKind::Driver as usize);
        let thread = owner.and_then(|owner| owner.upcall);
        records::Upcall {
            thread: thread.map_or(0, usize::from),
            entry: entry.copied().unwrap_or(0).into(),
            block: u64::from(place.area) + u64::from(driver.block),
            body: body.copied().unwrap_or(0).into(),
            budget: ticks(self.rate, budget.into()),
            results,
        }
    }

    fn program(
        &self,
        program: &Program,
        ports: &[records::Port],
    ) -> Result<records::Program, Refusal> {
        let refuse = |reason: String, mend: &str| {
            let reason = format!("program `{}`: {reason}", program.name);
            Refusal::from(Problem::new(reason, mend))
        };
        let module = Module::parse(&program.module)
            .map_err(|error| refuse(error.to_string(), "compile it anew"))?;
        let threads = &self.model.threads;
        let processes: Vec<usize> = threads.iter().map(|t| t.process.into()).collect();
        let tasks = program.tasks.iter().filter_map(|thread| {
            let own = threads.get(usize::from(*thread))?;
            Some((usize::from(*thread), own.policy != Policy::Deadline))
        });
        let lines = program.interrupts.iter().filter_map(|number| {
            let mut lines = self.model.interrupts.iter();
            lines.position(|line| line.number == *number)
        });
        // a state, or a task's own copy, is of no interest to code
        let own_ports = program.ports.iter().map(|index| {
            let port = self.model.ports.get(usize::from(*index))?;
            matches!(port.place, Place::Arena(_)).then_some(usize::from(*index))
        });
        let is_counted = program.is_bounded && program.room.is_none();
        let binding = Binding {
            tasks: tasks.collect(),
            drivers: program.drivers.iter().copied().map(usize::from).collect(),
            ports: own_ports.collect(),
            lines: lines.collect(),
            mailboxes: Vec::new(),
            all_ports: ports,
            processes: &processes,
            hertz: self.model.board.timer_hertz,
            bound: if is_counted { 0 } else { program.max_steps },
            counted_steps: if is_counted { program.max_steps } else { 0 },
            priority: match program.schedule {
                Schedule::SCode(_) => program.slot,
                Schedule::Edf | Schedule::RateMonotonic | Schedule::Fifo => None,
            },
            triggers: program.triggers.into(),
            threads: program.s_threads.into(),
            involved: [program.violation_task, program.violation_driver]
                .map(|port| port.map(usize::from)),
            several_harts: self.model.board.harts > 1,
            change: program.room.as_ref().map(|room| records::Change {
                loader: room.loader.into(),
                most: room.limits.steps,
                room: (
                    room.limits.instructions.into(),
                    room.limits.predicates.into(),
                ),
                tag: module.header().crc,
                ..records::Change::default()
            }),
        };
        let mend = "write durations that are multiples of a tick of the board's timer";
        let mut linked =
            link(&module, &binding).map_err(|error| refuse(error.to_string(), mend))?;
        if program.room.as_ref().is_some_and(|room| !room.boots) {
            // it has names and room, and no code
            linked.blocks = [None; block::COUNT];
            linked.code.clear();
            linked.change.iter_mut().for_each(|change| change.tag = 0);
        }
        Ok(linked)
    }
}

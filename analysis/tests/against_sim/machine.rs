//! Modules under the real kernel, with scripted execution times and answers
//! of guards; drivers take no time, and the timer counts nanoseconds.

use std::collections::BTreeMap;

use giornata_abi::id::NONE;
use giornata_abi::module::{DriverKind, Module, PortKind};
use giornata_abi::process::block_offsets;
use giornata_abi::system::Range;
use giornata_abi::trace::{TraceKind, TraceRecord, Violation};
use giornata_abi::{Duration, Instant, ValueType};
use giornata_analysis::Times;
use giornata_analysis::timeline::Witness;
use giornata_sim::trace::{of_kind, violations};
use giornata_sim::{
    Act, Moment, Scheduler, Shape, Simulation, Storage, SystemBuilder, Tables, Work,
};

/// Loaded modules.
pub(crate) struct Machine {
    tables: Tables,
    /// The thread of each task, module by module.
    threads: Vec<u16>,
    /// Guards: the driver, and where in its block the answer lies.
    guards: Vec<(u16, usize)>,
}

/// What was late in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lateness {
    /// Violations of time safety.
    pub(crate) unsafe_acts: usize,
    /// Two threads that dispatched at once.
    pub(crate) unshared: usize,
    /// Jobs that completed after their deadlines.
    pub(crate) misses: usize,
    /// Longest response of each task, ns.
    pub(crate) responses: Vec<u64>,
}

impl Lateness {
    pub(crate) fn is_none(&self) -> bool {
        (self.unsafe_acts, self.unshared, self.misses) == (0, 0, 0)
    }
}

impl Machine {
    pub(crate) fn load(bytes: &[u8]) -> Machine {
        Machine::load_all(&[bytes])
    }

    /// A program of each module, on one hart.
    pub(crate) fn load_all(modules: &[&[u8]]) -> Machine {
        let mut b = SystemBuilder::new();
        b.tables.header.timer_hertz = 1_000_000_000;
        (b.tables.header.triggers, b.tables.header.s_threads) = (64, 64);
        let mut parts = Vec::new();
        for bytes in modules {
            let module = Module::parse(bytes).unwrap();
            parts.push((module, Linked::of(&module, &mut b)));
            b.program("return");
        }
        let mut tables = b.finish();
        tables.instructions.clear();
        tables.predicates.clear();
        tables.durations.clear();
        for (index, (module, linked)) in parts.iter().enumerate() {
            install(&mut tables, index as u16, module, linked);
        }
        tables.count();
        let (mut threads, mut guards) = (Vec::new(), Vec::new());
        for (_, linked) in parts {
            threads.extend(linked.threads);
            guards.extend(linked.guards);
        }
        Machine {
            tables,
            threads,
            guards,
        }
    }

    /// Another scheduler for what S code leaves to it.
    pub(crate) fn with(mut self, scheduler: Scheduler) -> Machine {
        scheduler.apply(&mut self.tables);
        self
    }

    /// Runs for a while. `time`: what job k (from 0) of a task computes;
    /// `answer`: what the n-th question to guards is answered.
    pub(crate) fn run(
        &self,
        length: Duration,
        time: impl Fn(u16, u32) -> Duration,
        answer: impl Fn(u16, u32) -> bool,
    ) -> Lateness {
        let mut storage = Storage::new(&self.tables.system());
        let mut simulation = Simulation::new(&self.tables, &mut storage);
        let threads = &self.threads;
        simulation.set_durations(move |work, number| match work {
            Work::Job(thread) => {
                let task = threads.iter().position(|t| *t == thread).unwrap();
                time(task as u16, number - 1)
            }
            Work::Upcall(_) => Duration::ZERO,
        });
        let answer = &answer;
        for (driver, offset) in self.guards.iter().copied() {
            simulation.set_driver(driver, move |moment: &mut Moment<'_>| {
                let yes = answer(driver, moment.number);
                moment.store(offset, 1, yes.into());
                Act::End(0)
            });
        }
        simulation.run_until(Instant(length.0));
        self.lateness(&simulation.take_records())
    }

    /// Runs with the execution times of a witness, for `length` longer than it
    /// takes: a breach can come rounds after the start.
    pub(crate) fn follow(&self, witness: &Witness, times: &Times, length: Duration) -> Lateness {
        let executions = witness.executions();
        let time = listed(&executions, times.all());
        let length = Duration(witness.breach.at().0 + length.0);
        self.run(length, time, |_, _| true)
    }

    fn lateness(&self, records: &[TraceRecord]) -> Lateness {
        let mut late = Lateness::default();
        for (_, violation, ..) in violations(records) {
            match violation {
                Violation::TimeSafety => late.unsafe_acts += 1,
                Violation::TimeShare => late.unshared += 1,
                other => panic!("{other:?}"),
            }
        }
        late.misses = of_kind(records, TraceKind::Miss).count();
        let response = |t: &u16| giornata_sim::trace::totals(records, *t).worst_response;
        late.responses = self.threads.iter().map(response).collect();
        late
    }
}

/// What a module's names stand for.
struct Linked {
    /// The thread of each task.
    threads: Vec<u16>,
    drivers: Vec<u16>,
    ports: Vec<u16>,
    guards: Vec<(u16, usize)>,
}

impl Linked {
    /// Makes tasks, ports and drivers of their own for a module.
    fn of(module: &Module<'_>, b: &mut SystemBuilder) -> Linked {
        let word = |_: u16| Shape::Scalar(ValueType::U32);
        let process = b.process();
        let mut ports = vec![NONE; module.header().ports.into()];
        let mut threads = Vec::new();
        for (index, task) in module.tasks().enumerate() {
            let lists = [task.inputs, task.outputs].map(|l| module.list(l).collect::<Vec<_>>());
            let shapes = lists
                .clone()
                .map(|list| list.into_iter().map(word).collect::<Vec<_>>());
            let made = b.task(process, &format!("t{index}"), &shapes[0], &shapes[1]);
            let locals = lists[0].iter().zip(&made.inputs);
            for (local, port) in locals.chain(lists[1].iter().zip(&made.outputs)) {
                ports[usize::from(*local)] = *port;
            }
            threads.push(made.thread);
        }
        let io = b.process();
        b.upcall_thread(io);
        for (local, port) in module.ports().enumerate() {
            if ports[local] == NONE && port.kind != PortKind::State as u8 {
                let shape = match port.kind == PortKind::Guard as u8 {
                    true => ValueType::Bool,
                    false => ValueType::U32,
                };
                ports[local] = b.port(&format!("p{local}"), shape);
            }
        }
        let (mut drivers, mut guards) = (Vec::new(), Vec::new());
        for (index, driver) in module.drivers().enumerate() {
            let lists = [driver.reads, driver.writes];
            let [reads, writes] = lists.map(|l| module.list(l).collect::<Vec<_>>());
            let global = |list: &[u16]| list.iter().map(|p| ports[usize::from(*p)]).collect();
            let (from, to): (Vec<u16>, Vec<u16>) = (global(&reads), global(&writes));
            let name = format!("d{index}");
            let made = match driver.kind == DriverKind::Copy as u32 {
                true => b.copy(&name, &from, &to),
                false => b.upcall(&name, io, &from, &to, 0),
            };
            let kind = |port: &u16| module.port(*port).unwrap().kind;
            if writes.first().map(kind) == Some(PortKind::Guard as u8) {
                let sizes = from
                    .iter()
                    .map(|p| b.tables.ports[usize::from(*p)].size.into());
                guards.push((made, block_offsets(sizes, |_| {})));
            }
            drivers.push(made);
        }
        Linked {
            threads,
            drivers,
            ports,
            guards,
        }
    }
}

/// Puts a module's own code in the place of a program that was built.
fn install(tables: &mut Tables, program: u16, module: &Module<'_>, linked: &Linked) {
    let mut list = |locals: &[u16]| {
        let start = tables.links.len() as u16;
        tables.links.extend_from_slice(locals);
        let count = locals.len() as u16;
        Range { start, count }
    };
    let lists = [&linked.threads, &linked.drivers, &linked.ports];
    let [tasks, drivers, ports] = lists.map(|locals| list(locals));
    let header = module.header();
    let after = |before: usize, count: u16| Range {
        start: before as u16,
        count,
    };
    let entry = &mut tables.programs[usize::from(program)];
    (entry.tasks, entry.drivers, entry.ports) = (tasks, drivers, ports);
    entry.code = tables.instructions.len() as u32;
    entry.code_length = header.instructions.into();
    entry.predicates = after(tables.predicates.len(), header.predicates);
    entry.durations = after(tables.durations.len(), header.durations);
    (entry.denominator, entry.start) = (header.denominator, header.start);
    entry.max_steps = 100_000;
    tables.instructions.extend(module.instructions());
    tables.predicates.extend(module.predicates());
    tables.durations.extend(module.durations());
    for thread in &linked.threads {
        tables.threads[usize::from(*thread)].program = program;
    }
}

/// Execution times: those that are listed, else the worst.
pub(crate) fn listed<'a>(
    listed: &'a BTreeMap<(u16, u32), Duration>,
    worst: &'a [Duration],
) -> impl Fn(u16, u32) -> Duration + 'a {
    move |task, job| {
        let listed = listed.get(&(task, job)).copied();
        listed.unwrap_or(worst[usize::from(task)])
    }
}

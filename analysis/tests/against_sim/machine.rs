//! A module under the real kernel, with scripted execution times and answers
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

/// A loaded module.
pub(crate) struct Machine {
    tables: Tables,
    /// The thread of each task.
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
        let module = Module::parse(bytes).unwrap();
        let word = |_: u16| Shape::Scalar(ValueType::U32);
        let mut b = SystemBuilder::new();
        b.tables.header.timer_hertz = 1_000_000_000;
        (b.tables.header.triggers, b.tables.header.s_threads) = (64, 64);
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
        b.program("return");
        let mut tables = b.finish();
        install(&mut tables, &module, &threads, &drivers, &ports);
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

/// Puts a module's own code in the place of the program that was built.
fn install(
    tables: &mut Tables,
    module: &Module<'_>,
    tasks: &[u16],
    drivers: &[u16],
    ports: &[u16],
) {
    let mut list = |locals: &[u16]| {
        let start = tables.links.len() as u16;
        tables.links.extend_from_slice(locals);
        let count = locals.len() as u16;
        Range { start, count }
    };
    let (task_list, driver_list, port_list) = (list(tasks), list(drivers), list(ports));
    tables.instructions = module.instructions().collect();
    tables.predicates = module.predicates().collect();
    tables.durations = module.durations().collect();
    let whole = |count: usize| Range {
        start: 0,
        count: count as u16,
    };
    let entry = &mut tables.programs[0];
    (entry.tasks, entry.drivers, entry.ports) = (task_list, driver_list, port_list);
    (entry.code, entry.code_length) = (0, tables.instructions.len() as u32);
    entry.predicates = whole(tables.predicates.len());
    entry.durations = whole(tables.durations.len());
    (entry.denominator, entry.start) = (module.header().denominator, module.header().start);
    entry.max_steps = 100_000;
    for thread in tasks {
        tables.threads[usize::from(*thread)].program = 0;
    }
    tables.count();
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

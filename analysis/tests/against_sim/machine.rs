//! Modules under the real kernel, with scripted execution times and answers
//! of guards; drivers take no time, and the timer counts nanoseconds.

use std::collections::BTreeMap;

use giornata_abi::module::{DriverKind, Module, PortKind};
use giornata_abi::process::block_offsets;
use giornata_abi::system::Policy;
use giornata_abi::trace::Violation;
use giornata_abi::{Duration, Instant, Opcode, ValueType};
use giornata_analysis::Times;
use giornata_analysis::timeline::Witness;
use giornata_records::Description;
use giornata_sim::trace::{events, totals, violations};
use giornata_sim::{Act, Moment, Scheduler, Shape, Simulation, SystemBuilder, Work};
use giornata_trace::{Content, Event};

/// Loaded modules.
pub(crate) struct Machine {
    modules: Vec<Vec<u8>>,
    system: Description,
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
        let modules = modules.iter().map(|bytes| bytes.to_vec()).collect();
        Machine::scheduled(modules, Scheduler::EarliestDeadline, 1)
    }

    /// One module on so many harts.
    pub(crate) fn on_harts(bytes: &[u8], scheduler: Scheduler, harts: u32) -> Machine {
        Machine::scheduled(vec![bytes.to_vec()], scheduler, harts)
    }

    fn scheduled(modules: Vec<Vec<u8>>, scheduler: Scheduler, harts: u32) -> Machine {
        let mut b = SystemBuilder::new();
        b.description.harts = harts;
        b.description.timer_hertz = 1_000_000_000;
        let parsed = modules.iter().map(|bytes| Module::parse(bytes).unwrap());
        let deadlines: Vec<u64> = parsed
            .flat_map(|module| shortest_deadlines(&module))
            .collect();
        let mut policies = scheduler
            .policies(&deadlines, b.description.band)
            .into_iter();
        let (mut threads, mut guards) = (Vec::new(), Vec::new());
        for bytes in &modules {
            let module = Module::parse(bytes).unwrap();
            let linked = Linked::of(&module, &mut b);
            for (thread, policy) in linked.threads.iter().zip(policies.by_ref()) {
                if let (Policy::Fifo, priority) = policy {
                    b.description.threads[usize::from(*thread)].priority = priority;
                }
            }
            b.program(bytes);
            threads.extend(linked.threads);
            guards.extend(linked.guards);
        }
        Machine {
            modules,
            system: b.finish(),
            threads,
            guards,
        }
    }

    /// Another scheduler for what S code leaves to it.
    pub(crate) fn with(self, scheduler: Scheduler) -> Machine {
        Machine::scheduled(self.modules, scheduler, 1)
    }

    /// Runs for a while. `time`: what job k (from 0) of a task computes;
    /// `answer`: what the n-th question to guards is answered.
    pub(crate) fn run(
        &self,
        length: Duration,
        time: impl Fn(u16, u32) -> Duration,
        answer: impl Fn(u16, u32) -> bool,
    ) -> Lateness {
        let mut simulation = Simulation::new(&self.system);
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
        self.lateness(&events(&simulation.take_records(), self.system.timer_hertz))
    }

    /// Runs with the execution times of a witness, for `length` longer than it
    /// takes: a breach can come rounds after the start.
    pub(crate) fn follow(&self, witness: &Witness, times: &Times, length: Duration) -> Lateness {
        let executions = witness.executions();
        let time = listed(&executions, times.all());
        let length = Duration(witness.breach.at().0 + length.0);
        self.run(length, time, |_, _| true)
    }

    fn lateness(&self, events: &[Event]) -> Lateness {
        let mut late = Lateness::default();
        for breach in violations(events) {
            match breach.violation {
                Some(Violation::TimeSafety) => late.unsafe_acts += 1,
                Some(Violation::TimeShare) => late.unshared += 1,
                other => panic!("{other:?}"),
            }
        }
        let is_miss = |event: &&Event| matches!(event.content, Content::Miss { .. });
        late.misses = events.iter().filter(is_miss).count();
        let response = |thread: &u16| totals(events, *thread).worst_response;
        late.responses = self.threads.iter().map(response).collect();
        late
    }
}

/// By task: the shortest relative deadline of its releases, in ns.
fn shortest_deadlines(module: &Module<'_>) -> Vec<u64> {
    let mut shortest = vec![u64::MAX; module.tasks().count()];
    let instructions = module.instructions();
    for release in instructions.filter(|i| i.opcode() == Some(Opcode::Release)) {
        let least = &mut shortest[usize::from(release.a)];
        *least = module.duration(release.b).unwrap().nanos.min(*least);
    }
    shortest
}

/// What a module's names stand for.
struct Linked {
    /// The thread of each task.
    threads: Vec<u16>,
    guards: Vec<(u16, usize)>,
}

impl Linked {
    /// Makes tasks, ports and drivers of their own for a module.
    fn of(module: &Module<'_>, b: &mut SystemBuilder) -> Linked {
        let word = |_: u16| Shape::Scalar(ValueType::U32);
        let process = b.process();
        let mut ports = vec![None; module.header().ports.into()];
        let mut threads = Vec::new();
        for task in module.tasks() {
            let lists = [task.inputs, task.outputs].map(|l| module.list(l).collect::<Vec<_>>());
            let shapes = lists
                .clone()
                .map(|list| list.into_iter().map(word).collect::<Vec<_>>());
            let made = b.task(process, module.text(task.name), &shapes[0], &shapes[1]);
            let locals = lists[0].iter().zip(&made.inputs);
            for (local, port) in locals.chain(lists[1].iter().zip(&made.outputs)) {
                ports[usize::from(*local)] = Some(*port);
            }
            threads.push(made.thread);
        }
        let io = b.process();
        b.upcall_thread(io);
        for (local, port) in module.ports().enumerate() {
            if ports[local].is_none() && port.kind != PortKind::State as u8 {
                let shape = match port.kind == PortKind::Guard as u8 {
                    true => ValueType::Bool,
                    false => ValueType::U32,
                };
                ports[local] = Some(b.port(module.text(port.name), shape));
            }
        }
        let mut guards = Vec::new();
        for driver in module.drivers() {
            let lists = [driver.reads, driver.writes];
            let [reads, writes] = lists.map(|l| module.list(l).collect::<Vec<_>>());
            let global = |list: &[u16]| -> Vec<u16> {
                let ports = list.iter().map(|p| ports[usize::from(*p)].unwrap());
                ports.collect()
            };
            let (from, to) = (global(&reads), global(&writes));
            let name = module.text(driver.name);
            let made = match driver.kind == DriverKind::Copy as u32 {
                true => b.copy(name, &from, &to),
                false => b.upcall(name, io, &from, &to, 0),
            };
            let kind = |port: &u16| module.port(*port).unwrap().kind;
            if writes.first().map(kind) == Some(PortKind::Guard as u8) {
                let described = &b.description.programs.ports;
                let sizes = from
                    .iter()
                    .map(|p| described[usize::from(*p)].size as usize);
                guards.push((made, block_offsets(sizes, |_| {})));
            }
        }
        Linked { threads, guards }
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

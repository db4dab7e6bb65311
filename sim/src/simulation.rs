//! The run loop: what runs in user mode, on a virtual clock.
//!
//! At one tick, what the running thread does comes first, then the alarm and
//! interrupts: a job that ends at the very end of its budget or of its window
//! has ended in time.

use crate::behaviour::{Act, Behaviour, Moment};
use crate::builder::RECORDS;
use crate::kernel::{self, Kernel};
use giornata_abi::call::Call;
use giornata_abi::control::ControlPage;
use giornata_abi::ring::{Kind, Words, split_head};
use giornata_abi::time::Timebase;
use giornata_abi::{Duration, Instant, Ticks};
use giornata_core::sched::thread::role;
use giornata_host::{MEMORY, Output, Results};
use giornata_records::Description;
use giornata_rt::host;
use giornata_system::describe::describe as describe_at;
use giornata_system::{Model, Placement, Problem, Project, Refusal};
use std::collections::BTreeSet;

/// Whose execution time is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Work {
    /// A job of a task: its thread.
    Job(u16),
    /// An upcall: its driver.
    Upcall(u16),
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The machine stopped with this status.
    Stopped(usize),
    /// The instant up to which the run was to go has come.
    Later,
}

/// Kernel entries at one tick beyond which a system is taken to be stuck.
const STUCK: u32 = 1 << 20;
/// Of an `Upcall` record: it begins.
const BEGINS: u32 = 1;
/// Of a `Process` record: it begins anew.
const RESTARTED: u32 = 1;

type Durations<'a> = Box<dyn FnMut(Work, u32) -> Duration + 'a>;
type Listener<'a> = Box<dyn FnMut(u64, Words) + 'a>;

/// Where a thread stands in what it does.
#[derive(Clone, Copy, Debug, Default)]
struct Context {
    /// What is left of the act that uses the processor.
    remaining: u64,
    begins: bool,
    /// It has completed a job: what returns is the next.
    completes: bool,
    answer: Option<Results>,
    number: u32,
    driver: Option<u16>,
    block: usize,
}

/// The host runs no stream graphs.
///
/// # Errors
/// The system file has some: the first is named.
pub fn check_streams(project: &Project) -> Result<(), Refusal> {
    let Some(stream) = project.file.streams.first() else {
        return Ok(());
    };
    let reason = format!("stream `{}` cannot be simulated", stream.name.get_ref());
    let mend =
        "run the system in an emulator, with `giornata run`, or simulate it without the stream";
    let problem = Problem::new(reason, mend);
    Err(problem.at(&project.file.source, stream.name.span()).into())
}

/// What a system is on the host: described for a machine whose processes lie apart in
/// simulated memory.
///
/// # Errors
/// The kernel's records cannot hold it.
pub fn describe(model: &Model) -> Result<Description, Refusal> {
    let mut description = describe_at(model, &Placement::in_memory(model, MEMORY as u32))?;
    description.trace_records = RECORDS;
    Ok(description)
}

/// A system under the kernel, on the host. A thread of the host has one at a time.
pub struct Simulation<'a> {
    description: &'a Description,
    kernel: Option<Box<dyn Kernel>>,
    timebase: Timebase,
    contexts: Vec<Context>,
    threads: Vec<Box<dyn Behaviour + 'a>>,
    drivers: Vec<(u32, Box<dyn Behaviour + 'a>)>,
    /// By process: what its functions keep between jobs.
    states: Vec<host::Memory>,
    /// By process: how often it has begun anew.
    lives: Vec<u32>,
    durations: Durations<'a>,
    stimuli: BTreeSet<(u64, u32)>,
    registers: Vec<(usize, u32)>,
    checked: bool,
    listener: Option<Listener<'a>>,
    records: Vec<Words>,
    /// Records so far.
    index: u64,
    /// The driver whose upcall began last.
    driver: u16,
    /// Acts at the present tick.
    acts: u32,
}

impl<'a> Simulation<'a> {
    /// A system that has not booted. Tasks and upcalls end at once with 0,
    /// ordinary threads exit, until [`set_thread`](Self::set_thread) and
    /// [`set_driver`](Self::set_driver) say otherwise.
    pub fn new(description: &'a Description) -> Simulation<'a> {
        let end = || Box::new(|_: &mut Moment<'_>| Act::End(0)) as Box<dyn Behaviour>;
        let (threads, drivers) = (&description.threads, &description.programs.drivers);
        Simulation {
            kernel: None,
            timebase: Timebase::new(description.timer_hertz),
            contexts: vec![Context::default(); threads.len()],
            threads: threads.iter().map(|_| end()).collect(),
            drivers: drivers.iter().map(|_| (0, end())).collect(),
            states: description
                .processes
                .iter()
                .map(|_| host::Memory::new())
                .collect(),
            lives: vec![0; description.processes.len()],
            durations: Box::new(|_, _| Duration::ZERO),
            stimuli: BTreeSet::new(),
            registers: Vec::new(),
            checked: false,
            listener: None,
            records: Vec::new(),
            index: 0,
            driver: 0,
            acts: 0,
            description,
        }
    }

    /// Says what a thread does.
    ///
    /// # Panics
    /// If the system has no such thread.
    pub fn set_thread(&mut self, thread: u16, behaviour: impl Behaviour + 'a) {
        self.threads[usize::from(thread)] = Box::new(behaviour);
    }

    /// Says what an upcall of a driver does.
    ///
    /// # Panics
    /// If the system has no such driver.
    pub fn set_driver(&mut self, driver: u16, behaviour: impl Behaviour + 'a) {
        self.drivers[usize::from(driver)].1 = Box::new(behaviour);
    }

    /// Says how long the jobs of tasks and the upcalls of drivers use the
    /// processor, by their numbers from 1, before their behaviours are asked.
    pub fn set_durations(&mut self, durations: impl FnMut(Work, u32) -> Duration + 'a) {
        self.durations = Box::new(durations);
    }

    /// Says what a device register holds.
    pub fn set_register(&mut self, address: usize, value: u32) {
        match &mut self.kernel {
            Some(kernel) => kernel.set_register(address, value),
            None => self.registers.push((address, value)),
        }
    }

    /// Checks the kernel's invariants after every entry; a run panics with the
    /// first that does not hold.
    pub fn check_always(&mut self) {
        self.checked = true;
    }

    /// Hands records of the trace, with their numbers since boot, to `listener` instead
    /// of collecting them.
    pub fn listen(&mut self, listener: impl FnMut(u64, Words) + 'a) {
        self.listener = Some(Box::new(listener));
    }

    /// Lets a device raise an interrupt line at an instant.
    pub fn raise_at(&mut self, at: Instant, number: u32) {
        let tick = self.timebase.ticks(at).0;
        self.stimuli.insert((tick, number));
    }

    /// The trace so far, to be kept: see [`trace::events`](crate::trace::events).
    pub fn take_records(&mut self) -> Vec<Words> {
        std::mem::take(&mut self.records)
    }

    /// What was stored to device registers since this was asked.
    pub fn take_outputs(&mut self) -> Vec<Output> {
        let kernel = self.kernel.as_mut();
        kernel.map_or(Vec::new(), |kernel| kernel.take_outputs())
    }

    /// The clock.
    pub fn now(&self) -> Instant {
        let ticks = self.kernel.as_ref().map_or(0, |kernel| kernel.now());
        self.timebase.instant(Ticks(ticks))
    }

    /// Runs everything that happens up to an instant; boots first if need be.
    ///
    /// # Panics
    /// If a checked invariant does not hold, or the system is stuck at a tick.
    pub fn run_until(&mut self, until: Instant) -> Ended {
        let until = self.timebase.ticks(until).0;
        let mut kernel = self.kernel.take().unwrap_or_else(|| self.boot());
        let ended = loop {
            if let Some(status) = kernel.stopped() {
                break Ended::Stopped(status);
            }
            if !self.step(&mut *kernel, until) {
                break Ended::Later;
            }
        };
        self.kernel = Some(kernel);
        ended
    }

    fn boot(&mut self) -> Box<dyn Kernel> {
        let mut kernel = kernel::boot(self.description);
        for (address, value) in self.registers.drain(..) {
            kernel.set_register(address, value);
        }
        self.attend(&mut *kernel);
        kernel
    }

    /// The next thing that happens; false: none up to `until`. Of harts that have something to
    /// do at a tick the first goes first.
    fn step(&mut self, kernel: &mut dyn Kernel, until: u64) -> bool {
        let now = kernel.now();
        let mut soonest = kernel.alarm();
        for hart in 0..kernel.harts() {
            let Some(thread) = kernel.runs(hart) else {
                continue;
            };
            self.look_at(kernel, thread);
            let remaining = self.contexts[thread].remaining;
            if remaining == 0 {
                self.acts += 1;
                assert!(self.acts < STUCK, "thread {thread} is stuck at tick {now}");
                self.act(kernel, hart, thread);
                return true;
            }
            let end = now.saturating_add(remaining);
            soonest = Some(soonest.map_or(end, |soonest| soonest.min(end)));
        }
        let stimulus = self.stimuli.first().map(|(tick, _)| *tick);
        let soonest = soonest.into_iter().chain(stimulus).min();
        let Some(next) = soonest.filter(|next| *next <= until) else {
            return false;
        };
        // (an alarm can lie behind)
        let passed = next.saturating_sub(now);
        kernel.pass(passed);
        if passed != 0 {
            self.acts = 0;
        }
        let mut ends = false;
        for hart in 0..kernel.harts() {
            if let Some(thread) = kernel.runs(hart) {
                let remaining = &mut self.contexts[thread].remaining;
                *remaining -= passed;
                ends |= *remaining == 0;
            }
        }
        if ends {
            return true;
        }
        while let Some((tick, number)) = self.stimuli.first().copied()
            && tick <= next
        {
            self.stimuli.pop_first();
            kernel.raise(number);
        }
        kernel.interrupt();
        self.attend(kernel);
        true
    }

    /// After an entry: takes what the trace tells.
    fn attend(&mut self, kernel: &mut dyn Kernel) {
        if self.checked {
            kernel.check_invariants();
        }
        kernel.take_trace(&mut |record| {
            let [_, head, second, _] = record;
            match split_head(head) {
                (Some(Kind::Upcall), _, driver) if second == BEGINS => self.driver = driver,
                (Some(Kind::Process), _, process) if second == RESTARTED => {
                    let process = usize::from(process);
                    if let Some(states) = self.states.get_mut(process) {
                        *states = host::Memory::new();
                    }
                    if let Some(life) = self.lives.get_mut(process) {
                        *life += 1;
                    }
                }
                _ => {}
            }
            match &mut self.listener {
                Some(listener) => listener(self.index, record),
                None => self.records.push(record),
            }
            self.index += 1;
        });
    }

    /// How the thread that runs has left the kernel.
    fn look_at(&mut self, kernel: &mut dyn Kernel, thread: usize) {
        let begins = kernel.begins(thread);
        let results = kernel.take_results(thread);
        let context = &mut self.contexts[thread];
        if begins {
            let block = kernel.thread(thread).argument.unwrap_or(0);
            context.block = results.map_or(block, |results| results[0]);
            self.start(kernel, thread);
        } else if results.is_some() && context.completes {
            self.start(kernel, thread);
        } else if results.is_some() {
            context.answer = results;
        }
    }

    fn start(&mut self, kernel: &dyn Kernel, thread: usize) {
        let record = kernel.thread(thread);
        let old = self.contexts[thread];
        let mut context = Context {
            block: old.block,
            begins: true,
            ..Context::default()
        };
        let work = if record.role & role::TASK != 0 {
            context.number = job_of(kernel, record.control);
            Some(Work::Job(thread as u16))
        } else if record.role & role::UPCALL != 0 {
            let count = &mut self.drivers[usize::from(self.driver)].0;
            *count += 1;
            (context.number, context.driver) = (*count, Some(self.driver));
            Some(Work::Upcall(self.driver))
        } else {
            context.number = old.number + 1;
            None
        };
        let duration = work.map_or(Duration::ZERO, |work| {
            (self.durations)(work, context.number)
        });
        context.remaining = self.timebase.span(duration).0;
        self.contexts[thread] = context;
    }

    /// The thread that a hart runs does the next thing.
    fn act(&mut self, kernel: &mut dyn Kernel, hart: usize, thread: usize) {
        let record = kernel.thread(thread);
        let (process, own_role) = (record.process, record.role);
        let now = self.timebase.instant(Ticks(kernel.now()));
        let context = &mut self.contexts[thread];
        let mut moment = Moment {
            thread: thread as u16,
            driver: context.driver,
            number: context.number,
            begins: std::mem::take(&mut context.begins),
            answer: context.answer.take(),
            now,
            block: context.block,
            kernel: &mut *kernel,
            process,
            states: &mut self.states[process.number],
            life: self.lives[process.number],
        };
        let act = match context.driver {
            Some(driver) => self.drivers[usize::from(driver)].1.next(&mut moment),
            None => self.threads[thread].next(&mut moment),
        };
        match act {
            Act::Compute(duration) => {
                context.remaining = self.timebase.span(duration).0;
                return;
            }
            Act::Call(call, arguments) => {
                kernel.call(hart, call, arguments);
            }
            Act::Fault(cause) => kernel.fault(hart, cause),
            Act::End(value) => {
                let call = if own_role & role::TASK != 0 {
                    context.completes = true;
                    Call::Complete
                } else if own_role & role::UPCALL != 0 {
                    Call::Return
                } else {
                    Call::Exit
                };
                kernel.call(hart, call, [value, 0, 0, 0, 0, 0]);
            }
        }
        self.attend(kernel);
    }
}

impl Drop for Simulation<'_> {
    fn drop(&mut self) {
        if let Some(kernel) = self.kernel.take() {
            kernel.free();
        }
    }
}

/// The number of the job that runs, from the thread's control page.
fn job_of(kernel: &dyn Kernel, page: usize) -> u32 {
    let mut word = [0; 4];
    kernel.read(page + std::mem::offset_of!(ControlPage, job), &mut word);
    u32::from_le_bytes(word)
}

//! The run loop: what the trap path of an architecture does, on a virtual clock.
//!
//! At one tick, what the running thread does comes first, then interrupts, then
//! the alarm: a job that ends at the very end of its budget or of its window
//! has ended in time.

use crate::behaviour::{Act, Behaviour, Context, Moment, Script};
use crate::board::{Board, Departure};
use crate::storage::Storage;
use crate::tables::Tables;
use giornata_abi::call::{Answer, Call, Request};
use giornata_abi::system::{System, ThreadKind};
use giornata_abi::time::Timebase;
use giornata_abi::trace::TraceRecord;
use giornata_abi::{Duration, Instant, Ticks};
use giornata_core::{Beginning, Event, Hart, Kernel, Next, Outcome};
use giornata_queue::Handover;
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
    Stopped(u8),
    /// Nothing will ever happen again.
    Quiet,
    /// The instant up to which the run was to go has come.
    Later,
}

/// Kernel entries at one tick beyond which a system is taken to be stuck.
const STUCK: u32 = 1 << 20;
/// Where the simulated threads are when they fault.
const FAULT_PC: usize = 0x1000_0000;

type Durations<'a> = Box<dyn FnMut(Work, u32) -> Duration + 'a>;

/// A system on a simulated board, under the real kernel.
pub struct Simulation<'a> {
    kernel: Kernel<'a, Board<'a>>,
    handover: &'a Handover,
    system: System<'a>,
    timebase: Timebase,
    contexts: Vec<Context>,
    threads: Vec<Box<dyn Behaviour + 'a>>,
    drivers: Vec<(u32, Box<dyn Behaviour + 'a>)>,
    durations: Durations<'a>,
    stimuli: BTreeSet<(Ticks, u16)>,
    origin: Ticks,
    overhead: Ticks,
    checked: bool,
    outcome: Option<Outcome>,
    /// Kernel entries so far, and how many of them at the present tick.
    entries: (u64, u32),
}

impl<'a> Simulation<'a> {
    /// A system that has not booted. Tasks and upcalls end at once with 0,
    /// ordinary threads exit, until [`set_thread`](Self::set_thread) and
    /// [`set_driver`](Self::set_driver) say otherwise.
    pub fn new(tables: &'a Tables, storage: &'a mut Storage) -> Simulation<'a> {
        let system = tables.system();
        let (memory, handover) = storage.lend();
        let board = Board::new(&system);
        let end = || Box::new(Script::default()) as Box<dyn Behaviour>;
        Simulation {
            kernel: Kernel::new(&system, memory, handover, board),
            handover,
            timebase: Timebase::new(system.header.timer_hertz),
            contexts: vec![Context::IDLE; system.threads.len()],
            threads: system.threads.iter().map(|_| end()).collect(),
            drivers: system.drivers.iter().map(|_| (0, end())).collect(),
            durations: Box::new(|_, _| Duration::ZERO),
            stimuli: BTreeSet::new(),
            origin: Ticks(0),
            overhead: Ticks(0),
            checked: false,
            outcome: None,
            entries: (0, 0),
            system,
        }
    }

    /// Says what a thread does.
    ///
    /// # Panics
    /// If the system has no such thread.
    pub fn set_thread(&mut self, thread: u16, behaviour: impl Behaviour + 'a) {
        self.threads[thread as usize] = Box::new(behaviour);
    }

    /// Says what an upcall of a driver does.
    ///
    /// # Panics
    /// If the system has no such driver.
    pub fn set_driver(&mut self, driver: u16, behaviour: impl Behaviour + 'a) {
        self.drivers[driver as usize].1 = Box::new(behaviour);
    }

    /// Says how long the jobs of tasks and the upcalls of drivers use the
    /// processor, by their numbers from 1, before their behaviours are asked.
    pub fn set_durations(&mut self, durations: impl FnMut(Work, u32) -> Duration + 'a) {
        self.durations = Box::new(durations);
    }

    /// Makes every kernel entry cost this much.
    pub fn set_overhead(&mut self, overhead: Ticks) {
        self.overhead = overhead;
    }

    /// Checks the kernel's invariants after every entry; a run panics with the
    /// first that does not hold.
    pub fn check_always(&mut self) {
        self.checked = true;
    }

    /// Hands trace records to `listener` instead of collecting them.
    pub fn listen(&mut self, listener: impl FnMut(&TraceRecord) + 'a) {
        self.board().listener = Some(Box::new(listener));
    }

    /// Lets a device raise an interrupt line at an instant.
    pub fn raise_at(&mut self, at: Instant, number: u16) {
        let tick = self.tick_of(at);
        self.stimuli.insert((tick, number));
    }

    /// Lets the timer stand at this tick when the system boots; before
    /// anything else is said of time.
    pub fn boot_at(&mut self, origin: Ticks) {
        self.origin = origin;
        self.board().clock = origin;
    }

    fn tick_of(&self, at: Instant) -> Ticks {
        Ticks(self.timebase.ticks(at).0.saturating_add(self.origin.0))
    }

    /// The board.
    pub fn board(&mut self) -> &mut Board<'a> {
        self.kernel.hardware_mut()
    }

    /// The kernel.
    pub fn kernel(&mut self) -> &mut Kernel<'a, Board<'a>> {
        &mut self.kernel
    }

    /// What other contexts post to the kernel without its lock.
    pub fn handover(&self) -> &'a Handover {
        self.handover
    }

    /// The trace so far.
    pub fn records(&mut self) -> &[TraceRecord] {
        &self.board().records
    }

    /// The trace, to be kept.
    pub fn take_records(&mut self) -> Vec<TraceRecord> {
        std::mem::take(&mut self.board().records)
    }

    /// The clock.
    pub fn now(&mut self) -> Instant {
        let clock = self.board().clock;
        self.timebase.instant(Ticks(clock.0 - self.origin.0))
    }

    /// Kernel entries so far.
    pub fn entries(&self) -> u64 {
        self.entries.0
    }

    /// Runs until the machine stops or nothing is left to happen.
    ///
    /// # Panics
    /// If a checked invariant does not hold, or the system is stuck at a tick.
    pub fn run(&mut self) -> Ended {
        self.run_until(Instant::NEVER)
    }

    /// Runs everything that happens up to an instant; boots first if need be.
    ///
    /// # Panics
    /// As [`run`](Self::run).
    pub fn run_until(&mut self, until: Instant) -> Ended {
        let until = self.tick_of(until);
        loop {
            if let Some(ended) = self.step(until) {
                return ended;
            }
        }
    }

    /// Enters the kernel with an event of the caller's choice, `after` ticks
    /// from now, whatever the alarm is and whoever runs; boots first if need be.
    pub fn inject(&mut self, after: Ticks, event: Event) -> Next {
        if self.outcome.is_none() {
            self.enter(|kernel, at| kernel.boot(at));
        }
        let to = Ticks(self.board().clock.0.saturating_add(after.0));
        let running = self.running();
        self.pass(running, to);
        self.handle(event);
        self.outcome().next
    }

    /// The thread that runs.
    fn running(&self) -> Option<u16> {
        match self.outcome?.next {
            Next::Run(thread) => Some(thread),
            _ => None,
        }
    }

    /// Time passes up to a tick without an entry; whoever runs uses it. For those
    /// who inject what comes then.
    pub fn pass_until(&mut self, tick: Ticks) {
        let running = self.running();
        self.pass(running, tick);
    }

    /// A device raises an interrupt line. For those who inject what comes of it.
    pub fn raise(&mut self, number: u16) {
        self.board().raise(number);
    }

    /// The line that interrupts next, if one is raised and open; it is masked now,
    /// to be injected.
    pub fn take_interrupt(&mut self) -> Option<u16> {
        self.board().take_interrupt()
    }

    /// How a thread last left the kernel, told once: whether at its beginning, and
    /// what its call was answered. For those who inject what it does.
    ///
    /// # Panics
    /// If the system has no such thread.
    pub fn take_departure(&mut self, thread: u16) -> (bool, Option<Answer>) {
        let context = &mut self.contexts[thread as usize];
        (std::mem::take(&mut context.begins), context.answer.take())
    }

    /// What the kernel said last.
    ///
    /// # Panics
    /// If the system has not booted.
    pub fn outcome(&self) -> Outcome {
        self.outcome.expect("the system has booted")
    }

    /// One kernel entry, unless there is none up to `until`.
    fn step(&mut self, until: Ticks) -> Option<Ended> {
        let Some(outcome) = self.outcome else {
            self.enter(|kernel, at| kernel.boot(at));
            return None;
        };
        match outcome.next {
            Next::Stop(status) => Some(Ended::Stopped(status)),
            Next::More => {
                let clock = self.board().clock;
                let interrupt = self.interrupt_at(clock);
                self.handle(interrupt.map_or(Event::Resume, Event::Interrupt));
                None
            }
            Next::Idle => self.wait(outcome.alarm, None, until),
            Next::Run(thread) => self.run_thread(thread, outcome.alarm, until),
        }
    }

    fn handle(&mut self, event: Event) {
        self.enter(|kernel, at| kernel.handle(Hart(0), at, event));
    }

    fn enter(&mut self, entry: impl FnOnce(&mut Kernel<'a, Board<'a>>, Ticks) -> Outcome) {
        let board = self.kernel.hardware_mut();
        let at = board.clock;
        board.pieces = 0;
        board.clock = Ticks(at.0.saturating_add(self.overhead.0));
        let outcome = entry(&mut self.kernel, at);
        self.entries = (self.entries.0 + 1, self.entries.1 + 1);
        assert!(
            self.entries.1 < STUCK,
            "stuck at tick {}: {outcome:?}",
            at.0
        );
        if self.checked
            && let Err(broken) = self.kernel.check_invariants()
        {
            panic!("after {} entries: {broken}", self.entries.0);
        }
        if let Next::Run(thread) = outcome.next {
            self.depart(thread);
        }
        self.outcome = Some(outcome);
    }

    /// Carries out how a thread leaves the kernel.
    fn depart(&mut self, thread: u16) {
        match self.board().departures[thread as usize].take() {
            None => {}
            Some(Departure::Answer(answer)) => self.contexts[thread as usize].answer = Some(answer),
            Some(Departure::Start(Beginning { arguments, .. })) => {
                self.start(thread, arguments[0]);
            }
        }
    }

    fn start(&mut self, thread: u16, block: usize) {
        let entry = &self.system.threads[thread as usize];
        let mut context = Context {
            block,
            ..Context::IDLE
        };
        let work = if entry.kind == ThreadKind::Task as u8 {
            context.number = self.job_of(thread);
            Some(Work::Job(thread))
        } else if let Some(driver) = self.kernel.upcall_in_progress() {
            let count = &mut self.drivers[driver as usize].0;
            *count += 1;
            (context.number, context.driver) = (*count, Some(driver));
            Some(Work::Upcall(driver))
        } else {
            context.number = self.contexts[thread as usize].number + 1;
            None
        };
        let duration = work.map_or(Duration::ZERO, |work| {
            (self.durations)(work, context.number)
        });
        context.remaining = self.timebase.span(duration);
        self.contexts[thread as usize] = context;
    }

    /// The number of the job that runs, from the thread's control page.
    fn job_of(&mut self, thread: u16) -> u32 {
        let entry = self.system.threads[thread as usize];
        let memory = self.board().memory(entry.process);
        memory.word(entry.control as usize + 4, 4).unwrap_or(0) as u32
    }

    /// Runs a thread until it enters the kernel or something else does.
    fn run_thread(&mut self, thread: u16, alarm: Option<Ticks>, until: Ticks) -> Option<Ended> {
        for _ in 0..STUCK {
            if self.contexts[thread as usize].remaining.0 != 0 {
                return self.wait(alarm, Some(thread), until);
            }
            match self.next_act(thread) {
                Act::Compute(duration) => {
                    let span = self.timebase.span(duration);
                    self.contexts[thread as usize].remaining = span;
                }
                Act::Spin => self.contexts[thread as usize].remaining = Ticks(u64::MAX),
                act => {
                    let event = self.event_of(thread, act);
                    self.handle(event);
                    return None;
                }
            }
        }
        panic!("thread {thread} does nothing, again and again");
    }

    fn next_act(&mut self, thread: u16) -> Act {
        let now = self.now();
        let context = &mut self.contexts[thread as usize];
        let process = self.system.threads[thread as usize].process;
        let mut moment = Moment {
            thread,
            driver: context.driver,
            number: context.number,
            begins: std::mem::take(&mut context.begins),
            answer: context.answer.take(),
            now,
            memory: self.kernel.hardware_mut().memory(process),
            block: context.block,
        };
        match context.driver {
            Some(driver) => self.drivers[driver as usize].1.next(&mut moment),
            None => self.threads[thread as usize].next(&mut moment),
        }
    }

    fn event_of(&self, thread: u16, act: Act) -> Event {
        let call = |call: Call, value| {
            let arguments = [value, 0, 0, 0, 0, 0];
            Event::Call(Request {
                number: call as usize,
                arguments,
            })
        };
        match act {
            Act::Call(request) => Event::Call(request),
            Act::Fault(cause) => Event::Fault {
                cause,
                pc: FAULT_PC,
                address: 0,
            },
            Act::End(value) => match self.system.threads[thread as usize].kind {
                kind if kind == ThreadKind::Task as u8 => call(Call::Complete, 0),
                kind if kind == ThreadKind::Upcall as u8 => call(Call::Return, value),
                _ => call(Call::Exit, 0),
            },
            Act::Compute(_) | Act::Spin => Event::Timer,
        }
    }

    /// Lets time pass to the next thing that happens; `thread` computes
    /// meanwhile. An act that ends is followed by the next without an entry.
    fn wait(&mut self, alarm: Option<Ticks>, thread: Option<u16>, until: Ticks) -> Option<Ended> {
        let clock = self.board().clock;
        if let Some(number) = self.interrupt_at(clock) {
            self.handle(Event::Interrupt(number));
            return None;
        }
        let end = thread.map(|t| {
            clock
                .0
                .saturating_add(self.contexts[t as usize].remaining.0)
        });
        let end = end.filter(|end| *end != u64::MAX);
        let stimulus = self.stimuli.first().map(|(tick, _)| tick.0.max(clock.0));
        let ring = alarm.map(|tick| tick.0.max(clock.0));
        let Some(next) = [end, stimulus, ring].into_iter().flatten().min() else {
            return Some(Ended::Quiet);
        };
        if next > until.0 {
            return Some(Ended::Later);
        }
        self.pass(thread, Ticks(next));
        if end == Some(next) {
            return None;
        }
        if let Some(number) = self.interrupt_at(Ticks(next)) {
            self.handle(Event::Interrupt(number));
        } else if ring == Some(next) {
            self.handle(Event::Timer);
        }
        None
    }

    /// Moves the clock; the thread that runs uses the time.
    fn pass(&mut self, thread: Option<u16>, to: Ticks) {
        let clock = &mut self.kernel.hardware_mut().clock;
        let passed = to.0 - clock.0;
        *clock = to;
        if let Some(thread) = thread {
            let remaining = &mut self.contexts[thread as usize].remaining;
            remaining.0 = remaining.0.saturating_sub(passed);
        }
        if passed != 0 {
            self.entries.1 = 0;
        }
    }

    /// Raises the lines whose time has come; an interrupt that is due then.
    fn interrupt_at(&mut self, clock: Ticks) -> Option<u16> {
        while let Some((tick, number)) = self.stimuli.first().copied()
            && tick <= clock
        {
            self.stimuli.pop_first();
            self.board().raise(number);
        }
        self.board().take_interrupt()
    }
}

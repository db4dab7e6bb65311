//! The kernel: one event in, one outcome out.

use crate::ahead::is_for_equals;
use crate::call::Heard;
use crate::core_state::{Core, PendingCall, Upcall, divide};
use crate::event::{Event, Hart, Next, Outcome, Served};
use crate::hardware::Hardware;
use crate::impossible::Place;
use crate::machine::Machine;
use crate::memory::Memory;
use crate::process::{Life, Teardown};
use crate::thread::State;
use giornata_abi::call::{Answer, Call, Request};
use giornata_abi::id::NONE;
use giornata_abi::system::System;
use giornata_abi::trace::{FaultCause, TraceKind, Violation};
use giornata_abi::{Error, Instant, Ticks};
use giornata_micro::{Progress, UpcallEnd};
use giornata_queue::Handover;

/// Threads that are woken before the caller is asked to look at its interrupts.
const EVENTS: u8 = 4;
const YIELD: usize = Call::Yield as usize;
const COMPLETE: usize = Call::Complete as usize;
/// Pieces of work before the clock is latched anew, if no interrupt waits.
const BURST: u8 = 4;

/// The kernel of one system.
pub struct Kernel<'a, H: Hardware> {
    pub(crate) machine: Machine<'a>,
    pub(crate) core: Core<'a, H>,
    /// What others post to this kernel without its lock.
    pub(crate) handover: &'a Handover,
}

impl<'a, H: Hardware> Kernel<'a, H> {
    /// A kernel over a system's tables; nothing runs before [`boot`](Self::boot).
    pub fn new(
        system: &System<'a>,
        memory: Memory<'a>,
        handover: &'a Handover,
        hardware: H,
    ) -> Self {
        let (core_memory, micro) = divide(system, memory);
        Kernel {
            machine: Machine::new(*system, micro.triggers, micro.s_threads, micro.programs),
            core: Core::new(*system, hardware, core_memory),
            handover,
        }
    }

    /// Starts the system: logical time 0 is this tick. Every process starts its
    /// threads, every program its first block.
    pub fn boot(&mut self, at: Ticks) -> Outcome {
        let core = &mut self.core;
        (core.origin, core.hart.resumed) = (at, at);
        core.enter(at);
        let header = *core.system.header;
        core.trace(
            TraceKind::Boot,
            0,
            header.timer_hertz,
            header.trace_capacity as u64,
            header.crc as u64,
        );
        core.create_objects();
        core.fill_pools();
        for process in 0..core.processes.len() {
            match core.is_by_call(process) {
                true => core.processes.at_mut(process).life = Life::Dead,
                false => core.start_process(process),
            }
        }
        core.open_microcode_lines();
        if header.stop_at != 0 {
            let event = core.stop_event();
            core.agenda.insert(event, Instant(header.stop_at));
        }
        core.survey();
        for program in 0..header.programs {
            self.machine.start(program, Instant::START);
        }
        self.begin(Instant::START, None);
        let next = self.advance();
        Outcome {
            next,
            alarm: self.alarm(),
            poke: 0,
        }
    }

    /// Handles one event. O(1) a piece; what is longer answers [`Next::More`].
    pub fn handle(&mut self, hart: Hart, at: Ticks, event: Event) -> Outcome {
        self.core.hart.id = hart.0;
        let next = match event {
            Event::Timer => match self.timer_now(at) {
                Some(next) => next,
                None => self.timer(at),
            },
            Event::Interrupt(number) => self.interrupt(at, number),
            Event::Call(request) => match request.number {
                YIELD if let Some(thread) = self.yield_now(at) => Next::Run(thread),
                COMPLETE if let Some(next) = self.complete_now(at) => next,
                _ => {
                    let is_served = request.number >= Call::FIRST_OF_SERVICES;
                    let served = match self.lone(at) {
                        Some(_) if is_served => self.serve_now(&request),
                        _ => Served::No,
                    };
                    match (served, self.core.hart.current) {
                        (Served::AtOnce, Some(thread)) => Next::Run(thread),
                        (Served::Changed, _) => self.go_elsewhere(),
                        _ => self.call(at, &request),
                    }
                }
            },
            Event::Fault { cause, pc, address } => self.fault(at, cause, pc, address),
            Event::Resume => self.resume(at),
        };
        Outcome {
            next,
            alarm: self.alarm(),
            poke: 0,
        }
    }

    /// [`Event::Timer`]. What has fallen due is handled at once where nothing
    /// else waits: sleepers wake, code runs.
    #[inline(never)] // the short way needs none of its registers
    pub fn timer(&mut self, at: Ticks) -> Next {
        if !self.enter(at) {
            return self.advance();
        }
        let now = self.core.now();
        if self.machine.idle_until() > now && self.may_stay_ahead() {
            return self.stay_ahead(at, None);
        }
        let mut left_at = at;
        for _ in 0..EVENTS {
            let Some((instant, event)) = self.core.agenda.take(now) else {
                return self.go_on(left_at);
            };
            self.expire(instant, event);
            if self.machine.in_reaction() {
                if !self.react_at_once() {
                    break;
                }
                // nobody pays for code
                left_at = self.core.hardware.now();
            }
            if self.core.stop.is_some() {
                break;
            }
            if self.core.hardware.is_interrupted() {
                return self.pause();
            }
        }
        self.advance()
    }

    /// Runs code until nothing is enabled; answers whether that is so and nothing
    /// else is to be worked on.
    #[inline(always)]
    fn react_at_once(&mut self) -> bool {
        let is_settled = self.machine.run(&mut self.core) == Progress::Settled;
        if is_settled {
            self.rest();
        }
        is_settled && !self.machine.in_reaction() && self.core.is_settled()
    }

    /// No code is enabled any more.
    #[inline(always)]
    fn rest(&mut self) {
        self.core.open_microcode_lines();
        self.consider_change();
    }

    /// [`Event::Interrupt`].
    pub fn interrupt(&mut self, at: Ticks, number: u16) -> Next {
        if let Some(next) = self.interrupt_now(at, number) {
            return next;
        }
        let was_ahead = core::mem::take(&mut self.core.ahead);
        self.enter(at);
        let may_go_ahead = self.may_go_ahead(number);
        self.core.latch(number);
        if !may_go_ahead || self.core.deliver().is_none() || self.core.is_held() {
            return self.advance();
        }
        let until = was_ahead.then_some(self.core.hart.alarm);
        self.stay_ahead(at, until)
    }

    /// [`Event::Call`]: a system call of the thread that runs. Where nothing is
    /// to be handled before it, it is carried out at once.
    pub fn call(&mut self, at: Ticks, request: &Request) -> Next {
        let was_ahead = core::mem::take(&mut self.core.ahead);
        let calm = self.enter(at);
        let is_due = self.core.has_rung();
        let ahead = match is_due {
            true => calm && self.may_stay_ahead(),
            false => was_ahead,
        };
        let ahead = ahead && !is_for_equals(request);
        let core = &mut self.core;
        let (true, Some(thread)) = (ahead | (calm && !is_due), core.hart.current) else {
            self.accept_call(request);
            return self.advance();
        };
        let instant = core.now();
        match core.perform(thread, request, instant) {
            Heard::Completed(task, instant) if !self.machine.heeds_time_only() => {
                self.begin(instant, None);
                self.machine.completed(task);
                return self.advance();
            }
            Heard::Completed(..) | Heard::Nothing => {}
        }
        if ahead {
            let until = was_ahead.then_some(self.core.hart.alarm);
            return match self.may_stay_ahead() {
                true => self.stay_ahead(at, until),
                false => self.advance(),
            };
        }
        let core = &mut self.core;
        if !core.is_settled() {
            return self.advance();
        }
        if core.stays(thread) {
            core.calm = true;
            core.hart.resumed = at;
            return Next::Run(thread);
        }
        self.go_on(at)
    }

    /// [`Event::Fault`] of the thread that runs.
    pub fn fault(&mut self, at: Ticks, cause: FaultCause, pc: usize, address: usize) -> Next {
        self.enter(at);
        self.accept_fault(cause, pc, address);
        self.advance()
    }

    /// [`Event::Resume`].
    pub fn resume(&mut self, at: Ticks) -> Next {
        self.enter(at);
        self.advance()
    }

    /// When the alarm must ring; `None`: not at all. To be asked after each
    /// event but one that answered [`Next::More`].
    pub fn alarm(&self) -> Option<Ticks> {
        self.core.alarm()
    }

    /// Enters the kernel; answers whether what comes can be handled alone.
    fn enter(&mut self, at: Ticks) -> bool {
        self.core.ahead = false;
        self.core.enter(at);
        while let Some(number) = self.handover.take_interrupt() {
            self.core.calm = false;
            self.core.latch(number);
        }
        core::mem::replace(&mut self.core.calm, false)
    }

    /// The end of a short way: the most urgent thread runs, unless the one that
    /// ran has used up what it may.
    fn go_on(&mut self, at: Ticks) -> Next {
        let core = &mut self.core;
        if core.has_expired() {
            return self.advance();
        }
        core.calm = true;
        core.choose(at)
    }

    /// The process of a thread.
    pub fn process_of(&self, thread: u16) -> u16 {
        self.core.thread_entry(thread).process
    }

    /// The bounds of a process's restartable sequence; equal if it has none.
    pub fn restartable(&self, process: u16) -> (u32, u32) {
        let entry = self.core.process_entry(process);
        (entry.restart_begin, entry.restart_end)
    }

    /// The machine's edge.
    pub fn hardware_mut(&mut self) -> &mut H {
        &mut self.core.hardware
    }

    /// The tick that the last entry latched.
    pub fn entered(&self) -> Ticks {
        self.core.hart.entered
    }

    /// Tick of logical time 0.
    pub fn origin(&self) -> Ticks {
        self.core.origin
    }

    /// Where a thread stands; `None` for an index that names none.
    pub fn state_of(&self, thread: u16) -> Option<State> {
        self.core.threads.get(thread).map(|t| t.state())
    }

    /// The execution time of a thread up to the last entry; `None` for an index
    /// that names none.
    pub fn execution_time(&self, thread: u16) -> Option<Ticks> {
        self.core.threads.get(thread).map(|t| t.spent)
    }

    /// The driver whose upcall runs, if one does.
    pub fn upcall_in_progress(&self) -> Option<u16> {
        self.core.upcall.map(|upcall| upcall.driver)
    }

    /// States what must hold between two events; the first that does not.
    /// O(everything): for tests.
    pub fn check_invariants(&self) -> Result<(), &'static str> {
        self.machine.check_invariants()?;
        self.core.check_invariants()
    }

    fn accept_call(&mut self, request: &Request) {
        if let Some(upcall) = self.core.upcall {
            return self.accept_call_of_upcall(upcall, request);
        }
        let Some(thread) = self.core.hart.current else {
            let number = request.number as u64;
            return self.core.impossible(Place::Event, number);
        };
        self.core.call = Some(PendingCall {
            thread,
            request: *request,
            instant: self.core.now(),
        });
    }

    /// An upcall returns, panics, or asks for what it may not.
    fn accept_call_of_upcall(&mut self, upcall: Upcall, request: &Request) {
        let core = &mut self.core;
        let [first, second, third, ..] = request.arguments;
        let error = match Call::from_number(request.number) {
            Some(Call::Return) => return core.return_upcall(first),
            Some(Call::Null) => return core.answer(upcall.thread, Answer::DONE),
            Some(Call::Panic) => {
                core.panic(upcall.thread, first, second, third);
                core.abort_upcall(UpcallEnd::Fault);
                return;
            }
            Some(_) => Error::EPERM,
            None => Error::ENOSYS,
        };
        core.answer(upcall.thread, Answer::error(error));
    }

    fn accept_fault(&mut self, cause: FaultCause, pc: usize, address: usize) {
        let core = &mut self.core;
        let thread = match (core.upcall, core.hart.current) {
            (Some(upcall), _) => {
                core.abort_upcall(UpcallEnd::Fault);
                upcall.thread
            }
            (None, Some(thread)) => thread,
            (None, None) => return core.impossible(Place::Event, pc as u64),
        };
        let urgency = core.present_urgency(thread);
        let process = core.thread_entry(thread).process;
        core.kill(process, cause, pc as u64, address as u64, urgency);
    }

    /// Opens an instant for microcode.
    fn begin(&mut self, instant: Instant, interrupt: Option<u16>) {
        self.core.instant = instant;
        self.machine.begin(instant, interrupt);
    }

    /// Opens an instant for what is no event of time, if any code heeds that.
    fn react(&mut self, instant: Instant, interrupt: Option<u16>) {
        if self.machine.idle_until() <= instant {
            return self.begin(instant, interrupt);
        }
        self.core.instant = instant;
        self.core.open_microcode_lines();
    }

    /// Works until nothing is left, then decides; until an interrupt waits or the
    /// burst is over.
    #[inline(never)]
    pub(crate) fn advance(&mut self) -> Next {
        for _ in 0..BURST {
            if !self.work() || self.is_done() {
                return self.core.decide();
            }
            if self.core.hardware.is_interrupted() {
                break;
            }
        }
        self.pause()
    }

    /// Work is left, and interrupts are to be looked at first.
    fn pause(&mut self) -> Next {
        // nobody pays for the kernel's own time between two pieces
        self.core.hart.resumed = self.core.hardware.now();
        Next::More
    }

    /// Whether a look at everything would find nothing to work on.
    fn is_done(&mut self) -> bool {
        let core = &mut self.core;
        let is_idle = core.is_settled() && !self.machine.in_reaction() && !core.is_due();
        is_idle && !core.has_expired()
    }

    /// One piece of work, in the order of instants; `false` when there is none.
    fn work(&mut self) -> bool {
        if self.core.upcall.is_some() {
            return self.watch_upcall();
        }
        if self.core.transfer.is_some() {
            self.core.resume_transfer();
            return true;
        }
        if let Some(end) = self.core.ended.take() {
            self.machine.upcall_ended(&mut self.core, end);
            return true;
        }
        if self.machine.in_reaction() {
            if self.machine.run(&mut self.core) == Progress::Settled {
                self.rest();
            }
            return true;
        }
        if core::mem::take(&mut self.core.written) {
            let instant = self.core.now();
            self.react(instant, None);
            return true;
        }
        if self.core.load.is_settling() {
            self.core.settle_bank();
            return true;
        }
        self.work_on_events()
    }

    /// Instants before the call that waits; interrupts; the call; then the rest.
    fn work_on_events(&mut self) -> bool {
        if self.core.is_due() {
            let horizon = match &self.core.call {
                // what falls due at the very instant of a call comes after it
                Some(call) => Instant(call.instant.0.saturating_sub(1)),
                None => self.core.now(),
            };
            if let Some((instant, event)) = self.core.agenda.take(horizon) {
                self.expire(instant, event);
                return true;
            }
        }
        if self.core.call.is_some() {
            return self.take_call();
        }
        if let Some((number, came)) = self.core.deliver() {
            self.react(came.max(self.core.instant), Some(number));
            return true;
        }
        if let Some(task) = self.core.expire_current() {
            self.raise(Violation::Overrun, task);
            return true;
        }
        match self.core.tear_down() {
            Some(Teardown::StoppedJob(task)) => self.raise(Violation::Fault, task),
            Some(Teardown::Piece) => {}
            None => return false,
        }
        true
    }

    /// Carries out the call that waited.
    #[inline(never)]
    pub(crate) fn take_call(&mut self) -> bool {
        if let Some(call) = self.core.call.take() {
            self.perform(call.thread, &call.request, call.instant);
        }
        true
    }

    /// An upcall runs: nothing is handled before it ends, but its budget is.
    fn watch_upcall(&mut self) -> bool {
        let over = self.core.upcall.is_some_and(|upcall| upcall.left.0 == 0);
        over && self.core.abort_upcall(UpcallEnd::Overrun).is_some()
    }

    /// An event of the agenda has come.
    fn expire(&mut self, instant: Instant, event: u16) {
        let threads = self.core.threads.len();
        if event < threads {
            self.core.wake(event, instant);
        } else if event == self.core.stop_event() {
            self.core.stop = Some(0);
        } else {
            self.core.ripen(event);
            self.begin(instant, None);
        }
    }

    fn perform(&mut self, thread: u16, request: &Request, instant: Instant) {
        let process = self.core.thread_entry(thread).process;
        if !self.core.processes.at(process).is_alive() {
            return;
        }
        match self.core.perform(thread, request, instant) {
            Heard::Nothing => {}
            Heard::Completed(task, instant) => {
                self.begin(instant, None);
                self.machine.completed(task);
            }
        }
    }

    /// A task's job was stopped from outside microcode.
    fn raise(&mut self, violation: Violation, task: u16) {
        let program = self.core.thread_entry(task).program;
        if program == NONE {
            return;
        }
        let instant = self.core.now();
        self.begin(instant, None);
        self.machine
            .raise(&mut self.core, program, violation, Some(task), None);
    }
}

impl<H: Hardware> Core<'_, H> {
    /// The agenda's event that stops the machine, behind those of threads and
    /// timers. The builder sees to it that there are not too many.
    pub(crate) fn stop_event(&self) -> u16 {
        let header = self.system.header;
        header
            .threads
            .wrapping_add(header.triggers)
            .wrapping_add(header.s_threads)
    }
}

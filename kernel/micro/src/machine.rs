//! The machine: its state, the event loop of Algorithm 1, and the operations
//! by which the kernel drives it.
//!
//! ```text
//!            begin                       nothing enabled
//!  settled ---------> choose <-----------------------------+
//!     ^                |  (1) completions                  |
//!     |                |  (2) triggers in queue order      |
//!     |                |  (3) expired timeouts             |
//!     |                |  time-share check                 |
//!     |  nothing left  |            |  chosen              |
//!     +----------------+            v                      |
//!                                block ---- return --------+
//!                                | ^   ---- dispatch, idle +
//!                          upcall| |upcall_ended
//!                                v |
//!                              waiting
//! ```
//! [`Machine::run`] takes at most [`PIECE`] steps through this drawing, a step
//! being one instruction or one entry examined, and can stop at any of them.

use giornata_abi::id::NONE;
use giornata_abi::system::{ProgramEntry, System};
use giornata_abi::trace::Violation;
use giornata_abi::{Instant, LogicalTime};

use crate::chain::Chain;
use crate::handler::Pending;
use crate::host::{Called, Host, UpcallEnd};
use crate::predicates::{Moment, Truth, evaluate, lookup};
use crate::program::{ProgramState, resolve};
use crate::renewal::Beat;
use crate::thread::SThread;
use crate::trigger::Binding;

/// Most steps that one [`Machine::run`] takes.
pub const PIECE: u32 = 32;

/// How far a piece of a reaction got.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Nothing is enabled any more: tasks run until the next event.
    Settled,
    /// An upcall was started; go on after [`Machine::upcall_ended`].
    Upcall,
    /// Work is left: look at pending interrupts, then run again.
    More,
}

/// The part of the event loop that looks for what is enabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Completions,
    Triggers,
    Timeouts,
    Share,
}

/// The code that runs: the program counter and what it needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    /// NONE = no code runs.
    pub(crate) program: u16,
    pub(crate) pc: u16,
    /// Timeouts count from here.
    pub(crate) reference: LogicalTime,
    /// The latched clock, with the remainder of the time event that it stands for.
    pub(crate) clock: LogicalTime,
    /// The instant of `clock`.
    pub(crate) now: Instant,
    /// A violation handler runs.
    pub(crate) handler: bool,
    /// Where the interrupted block goes on after its handler; NONE = there is none.
    pub(crate) outer_pc: u16,
    pub(crate) outer_reference: LogicalTime,
}

impl Block {
    pub(crate) const NONE: Block = {
        let zero = LogicalTime {
            nanos: 0,
            remainder: 0,
        };
        Block {
            program: NONE,
            pc: 0,
            reference: zero,
            clock: zero,
            now: Instant::START,
            handler: false,
            outer_pc: NONE,
            outer_reference: zero,
        }
    };
}

/// For whom an upcall runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// For nobody any more: its program was stopped.
    Dropped,
    /// `call`.
    Call,
    /// The test of a branch to this address.
    Branch(u16),
    /// The trigger in this slot.
    Trigger(u16),
    /// The timeout of the thread in this slot.
    Timeout(u16),
}

/// An upcall in progress.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Upcall {
    pub(crate) purpose: Purpose,
    pub(crate) program: u16,
    pub(crate) driver: u16,
}

/// The integrated E and S machine of one hart.
///
/// Invariants, asserted by [`check_invariants`](Machine::check_invariants):
/// every slot stands in exactly one chain of its table; a program is governed
/// when settled exactly if it has an instance in the thread set; no trigger is
/// due before `horizon`.
#[derive(Debug)]
pub struct Machine<'a> {
    pub(crate) system: System<'a>,
    pub(crate) bindings: &'a mut [Binding],
    pub(crate) threads: &'a mut [SThread],
    pub(crate) programs: &'a mut [ProgramState],
    /// The trigger queue.
    pub(crate) queue: Chain,
    /// Bindings, other than time triggers, that fired in this instant.
    pub(crate) fired: Chain,
    pub(crate) free_bindings: Chain,
    /// The thread set, oldest instance first.
    pub(crate) set: Chain,
    pub(crate) free_threads: Chain,
    /// Bindings in the queue that are not time triggers, and one more while the
    /// machine is attentive.
    pub(crate) watching: u16,
    /// A change of a program waits for its moment.
    pub(crate) attentive: bool,
    /// No time trigger in the queue is due before this.
    pub(crate) horizon: Instant,
    pub(crate) instant: Instant,
    /// Serial number of the instant; 0 = none was begun.
    pub(crate) serial: u32,
    pub(crate) interrupt: u16,
    pub(crate) open: bool,
    /// What the trigger that fires next comes to, if that is known.
    pub(crate) beat: Beat,
    /// Something arrived behind the scan.
    pub(crate) again: bool,
    pub(crate) phase: Phase,
    /// The last thread instance examined in this phase.
    pub(crate) seen: u16,
    /// The last binding examined in this instant.
    pub(crate) scanned: u16,
    /// The oldest instance that dispatches; known in the phase `Share`.
    pub(crate) holder: u16,
    pub(crate) block: Block,
    pub(crate) upcall: Option<Upcall>,
    pub(crate) pending: Pending,
    /// The task that the host permits, and its program.
    pub(crate) running: u16,
    pub(crate) running_program: u16,
    /// Some program may have to be told that it is governed, or not.
    pub(crate) restless: bool,
}

impl<'a> Machine<'a> {
    /// A machine at rest with empty tables. `bindings` has
    /// `header.triggers` slots, `threads` `header.s_threads`, `programs` one
    /// for each program. Timer `i` of [`Host::arm`] is binding slot `i`, timer
    /// `bindings + j` thread slot `j`. O(slots).
    ///
    /// A binding slot is needed for each trigger that waits, and for each
    /// trigger other than time that fires, until its instant ends.
    pub fn new(
        system: System<'a>,
        bindings: &'a mut [Binding],
        threads: &'a mut [SThread],
        programs: &'a mut [ProgramState],
    ) -> Machine<'a> {
        bindings.fill(Binding::EMPTY);
        threads.fill(SThread::EMPTY);
        programs.fill(ProgramState::EMPTY);
        Machine {
            free_bindings: Chain::of_all(bindings),
            free_threads: Chain::of_all(threads),
            system,
            bindings,
            threads,
            programs,
            queue: Chain::EMPTY,
            fired: Chain::EMPTY,
            set: Chain::EMPTY,
            watching: 0,
            attentive: false,
            horizon: Instant::NEVER,
            instant: Instant::START,
            serial: 0,
            interrupt: NONE,
            open: false,
            beat: Beat::NONE,
            again: false,
            phase: Phase::Completions,
            seen: NONE,
            scanned: NONE,
            holder: NONE,
            block: Block::NONE,
            upcall: None,
            pending: Pending::EMPTY,
            running: NONE,
            running_program: NONE,
            restless: false,
        }
    }

    /// Appends the trigger (true, start block) of a program. It fires in the
    /// first instant handled that is not before `at`, which becomes the
    /// block's reference time; the caller begins one. False if the program
    /// does not exist or is empty, or no binding slot is free. O(1).
    pub fn start(&mut self, program: u16, at: Instant) -> bool {
        let entry = self.system.programs.get(program as usize);
        let Some(entry) = entry.filter(|entry| entry.start != NONE) else {
            return false;
        };
        self.look_again();
        self.append_timed(program, NONE, entry.start, LogicalTime::at(at)) != NONE
    }

    /// Drops all that a program has queued, and what runs of it; its tasks
    /// are the default scheduler's. An upcall of it still has to end. The
    /// caller runs the machine afterwards. O(slots).
    pub fn stop(&mut self, program: u16, host: &mut impl Host) {
        self.drop_bindings(program, host);
        self.drop_threads(program, host);
        self.pending.drop_program(program);
        if self.block.program == program {
            self.drop_block();
        }
        if let Some(upcall) = self.upcall.as_mut().filter(|u| u.program == program) {
            upcall.purpose = Purpose::Dropped;
        }
        self.look();
    }

    /// Opens an instant: the nominal time of an expired timer, or the clock
    /// latched when the event came, with the interrupt that came, if any. The
    /// same instant again goes on with it: what fired in it stays fired.
    ///
    /// Only a settled machine opens one; in a reaction the answer is false and
    /// nothing changes. Instants are to be begun in ascending order: expired
    /// timers before later events. O(1).
    pub fn begin(&mut self, instant: Instant, interrupt: Option<u16>) -> bool {
        if self.open {
            return false;
        }
        self.count_instant(instant);
        self.interrupt = interrupt.unwrap_or(NONE);
        self.look();
        self.rewind();
        true
    }

    /// Something may be enabled.
    #[inline]
    pub(crate) fn look(&mut self) {
        self.open = true;
        self.beat.slot = NONE;
        self.enter(Phase::Completions);
    }

    /// What fired in the last instant may fire in this one, if it is another.
    #[inline(always)]
    pub(crate) fn count_instant(&mut self, instant: Instant) {
        if instant != self.instant || self.serial == 0 {
            self.serial = self.serial.wrapping_add(1).max(1);
            self.instant = instant;
            self.free_bindings.take_all(self.bindings, &mut self.fired);
        }
    }

    /// Latches that a task completed, or that its job was stopped, at this
    /// instant. O(threads of the set).
    pub fn completed(&mut self, task: u16) {
        let mut slot = self.set.after(self.threads, NONE);
        while let Some(thread) = self.threads.get_mut(slot as usize) {
            thread.latched |= thread.task == task;
            slot = self.set.after(self.threads, slot);
        }
        self.look_again();
    }

    /// Takes at most [`PIECE`] steps of the reaction, fewer if an interrupt waits.
    #[inline(never)] // its caller does much else
    pub fn run(&mut self, host: &mut impl Host) -> Progress {
        let mut left = PIECE;
        while left > 0 && self.open && self.upcall.is_none() {
            match self.entry(self.block.program) {
                Some(entry) => left = self.execute(host, entry, left),
                None => {
                    left -= 1;
                    self.look_for_block(host);
                }
            }
            if host.is_interrupted() {
                break;
            }
        }
        self.progress()
    }

    /// Ends the upcall in progress; the caller runs the machine again. Without
    /// an upcall nothing happens. O(bindings or threads) for the upcall of a
    /// trigger or timeout, else O(1).
    #[inline(never)] // its caller does much else
    pub fn upcall_ended(&mut self, host: &mut impl Host, end: UpcallEnd) {
        let Some(upcall) = self.upcall.take() else {
            return;
        };
        let holds = matches!(end, UpcallEnd::Returned(value) if value != 0);
        match upcall.purpose {
            Purpose::Dropped => return self.touch(),
            Purpose::Call => {}
            Purpose::Branch(address) if holds => self.block.pc = address,
            Purpose::Trigger(slot) if holds => {
                self.fire(self.queue.before(self.bindings, slot), self.instant)
            }
            Purpose::Timeout(slot) if holds => self.expire(self.set.before(self.threads, slot)),
            Purpose::Branch(_) | Purpose::Trigger(_) | Purpose::Timeout(_) => {}
        }
        self.touch();
        let violation = match end {
            UpcallEnd::Returned(_) => return,
            UpcallEnd::Overrun => Violation::Overrun,
            UpcallEnd::Fault => Violation::Fault,
        };
        self.violate(host, upcall.program, violation, NONE, upcall.driver);
    }

    /// Whether an instant is open: the reaction has not settled.
    pub fn in_reaction(&self) -> bool {
        self.open
    }

    /// Whether nothing but time can enable anything: a job may complete, an
    /// interrupt come, and no code runs for it. O(1).
    pub fn heeds_time_only(&self) -> bool {
        self.watching == 0 && self.set.last() == NONE && !self.open
    }

    /// Before this instant no code runs, unless a task is told of or an instant
    /// begun: the first that has time triggers, or the start of time if code
    /// waits for something else or runs. O(1).
    #[inline]
    pub fn idle_until(&self) -> Instant {
        match self.heeds_time_only() {
            true => self.horizon,
            false => Instant::START,
        }
    }

    /// The task of the program that S code lets use the hart. O(1).
    pub fn dispatched(&self, program: u16) -> Option<u16> {
        (self.running_program == program && self.running != NONE).then_some(self.running)
    }

    /// Whether S code governs the tasks of the program, as the host was told. O(1).
    pub fn governs(&self, program: u16) -> bool {
        self.programs
            .get(program as usize)
            .is_some_and(|p| p.governed)
    }

    /// Something arrived that a scan under way may have passed.
    fn look_again(&mut self) {
        self.again |= self.open && (self.phase, self.seen) != (Phase::Completions, NONE);
    }

    /// What [`run`](Machine::run) would answer without a step.
    fn progress(&self) -> Progress {
        match (self.upcall, self.open) {
            (Some(_), _) => Progress::Upcall,
            (None, true) => Progress::More,
            (None, false) => Progress::Settled,
        }
    }

    /// Evaluates a program's predicate now.
    pub(crate) fn truth(
        &self,
        host: &impl Host,
        program: u16,
        predicate: u16,
        reference: LogicalTime,
        state: u64,
    ) -> Truth {
        let Some(entry) = self.entry(program) else {
            return Truth::False;
        };
        let Some(predicate) = lookup(self.system.predicates, entry, predicate) else {
            return Truth::False;
        };
        let moment = Moment {
            instant: self.instant,
            interrupt: self.interrupt,
            reference,
            state,
        };
        evaluate(host, self.system.links, entry, predicate, &moment)
    }

    /// Runs a driver unless it conflicts with a job. A driver that is done at
    /// once has no answer: as a predicate it is false.
    pub(crate) fn call_driver(
        &mut self,
        host: &mut impl Host,
        driver: u16,
        program: u16,
        purpose: Purpose,
    ) {
        if let Some(task) = host.conflict(driver) {
            return self.violate(host, program, Violation::TimeSafety, task, driver);
        }
        match host.call(driver, self.now()) {
            Called::Done => self.touch(),
            Called::Started => {
                self.upcall = Some(Upcall {
                    purpose,
                    program,
                    driver,
                })
            }
            Called::Failed => self.violate(host, program, Violation::Fault, NONE, driver),
        }
    }

    /// The logical instant of what runs: nominal where it stands for a time event.
    pub(crate) fn now(&self) -> Instant {
        match self.block.program {
            NONE => self.instant,
            _ => self.block.now,
        }
    }

    pub(crate) fn entry(&self, program: u16) -> Option<&'a ProgramEntry> {
        self.system.programs.get(program as usize)
    }

    /// The task, by its system-wide index; NONE if the program does not have it.
    pub(crate) fn task(&self, entry: &ProgramEntry, local: u16) -> u16 {
        resolve(self.system.links, entry.tasks, local)
    }

    /// The timer of a thread slot.
    pub(crate) fn timer(&self, slot: u16) -> u16 {
        (self.bindings.len() as u16).wrapping_add(slot)
    }

    /// Appends a time trigger to the queue; answers its slot, NONE if none is free.
    pub(crate) fn append_timed(
        &mut self,
        program: u16,
        predicate: u16,
        address: u16,
        due: LogicalTime,
    ) -> u16 {
        let slot = self.free_bindings.pop(self.bindings);
        if let Some(place) = self.bindings.get_mut(slot as usize) {
            place.set_timed(program, predicate, address, due);
            let is_all_scanned = self.scanned == self.queue.last();
            self.queue.push(self.bindings, slot);
            self.horizon = self.horizon.min(Instant(due.nanos));
            if is_all_scanned && due.nanos > self.instant.0 {
                self.scanned = slot; // it cannot fire in this instant
            }
        }
        slot
    }

    /// Appends another trigger to the queue; answers its slot, NONE if none is free.
    pub(crate) fn append_watching(&mut self, binding: Binding) -> u16 {
        let slot = self.free_bindings.pop(self.bindings);
        if let Some(place) = self.bindings.get_mut(slot as usize) {
            *place = binding;
            self.queue.push(self.bindings, slot);
            self.watching = self.watching.saturating_add(1);
        }
        slot
    }

    pub(crate) fn join_set(&mut self, program: u16) {
        if let Some(state) = self.programs.get_mut(program as usize) {
            state.threads = state.threads.saturating_add(1);
            self.restless |= !state.governed;
        }
    }

    pub(crate) fn leave_set(&mut self, program: u16) {
        if let Some(state) = self.programs.get_mut(program as usize) {
            state.threads = state.threads.saturating_sub(1);
            self.restless |= state.threads == 0;
        }
    }

    fn drop_bindings(&mut self, program: u16, host: &mut impl Host) {
        let mut seen = NONE;
        loop {
            let slot = self.queue.after(self.bindings, seen);
            let Some(binding) = self.bindings.get(slot as usize) else {
                break;
            };
            if binding.program != program {
                seen = slot;
                continue;
            }
            match binding.due() {
                Some(_) if binding.predicate != NONE => host.disarm(slot),
                Some(_) => {}
                None => self.watching = self.watching.saturating_sub(1),
            }
            self.queue.remove_after(self.bindings, seen);
            self.free_bindings.push(self.bindings, slot);
        }
        self.scanned = NONE;
    }

    pub(crate) fn drop_threads(&mut self, program: u16, host: &mut impl Host) {
        let mut seen = NONE;
        loop {
            let slot = self.set.after(self.threads, seen);
            let Some(thread) = self.threads.get(slot as usize) else {
                break;
            };
            if thread.program != program {
                seen = slot;
                continue;
            }
            if thread.armed {
                host.disarm(self.timer(slot));
            }
            self.set.remove_after(self.threads, seen);
            self.free_threads.push(self.threads, slot);
            self.leave_set(program);
        }
        if self.running_program == program {
            self.forbid_running(host);
        }
    }
}

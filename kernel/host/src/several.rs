//! The trap path of several harts, one section of the kernel after the other, in whatever order
//! the test drives them.
//!
//! A hart that has been interrupted, lives in the kernel or makes its call again has a *section*
//! to do ([`Rig::section`]). Tests that know of one hart only have two: the first takes the timer
//! and the lines, and on the second threads run; behind each event all sections are done.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use giornata_abi::trace::FaultCause;
use giornata_core::sched::thread::kind;
use giornata_core::{Hart as Record, Outcome, Ref, Thread};
use giornata_records::Description;

use crate::hart::{Hart, Stopped, with};
use crate::rig::{MOST_TURNS, Results, Rig, Shown};
use crate::trap::{call_of, carry_out, go_on, next, results_of};

/// The hart that runs the threads of tests that know of one.
const RUNS: usize = 1;

/// What a system of one hart is here: the first hart takes the events, the second runs threads.
pub(crate) fn give(description: &Description) -> Description {
    match description.harts {
        0 | 1 => Description {
            harts: 2,
            control_apart: true,
            ..description.clone()
        },
        _ => description.clone(),
    }
}

/// Whether what a thread does next is a piece of work of the kernel.
fn is_in_kernel(thread: Ref<Thread>) -> bool {
    matches!(thread.kind.get(), kind::WORK | kind::FINISHES..)
}

impl Rig {
    /// The harts have records, and what begins at boot is ready.
    pub(crate) fn start(&mut self) {
        let system = self.kernel.0;
        let shared = &*system.harts;
        let count = (shared.count + shared.apart) as usize;
        for (number, idle) in system.idle_threads().take(count).enumerate() {
            let hart: Ref<Record> = Box::leak(Box::new(Record::new(number as u32, idle)));
            idle.on.hart.set(Some(hart));
            shared.all[number].set(Some(hart));
            if number == 0 {
                hart.member.apart.set(shared.apart);
                shared.here.set(hart);
            }
            self.harts.push(Shown(hart));
        }
        system.note_change();
        self.in_section(0, |rig| {
            let outcome = rig.kernel.0.start::<Hart>();
            rig.leave(0, outcome);
        });
        self.settle(true);
    }

    /// How many harts there are.
    pub fn harts(&self) -> usize {
        self.harts.len()
    }

    /// The thread that a hart runs.
    pub fn runs(&self, hart: usize) -> Ref<Thread> {
        self.harts[hart].0.member.current.get()
    }

    /// The number of the thread that a hart runs, unless it is idle.
    pub fn runs_thread(&self, hart: usize) -> Option<usize> {
        let thread = self.runs(hart);
        (thread.kind.get() != kind::IDLE).then(|| thread.number() as usize)
    }

    /// The thread that a hart runs makes a call, and all harts do what follows from it.
    pub fn call_from(&mut self, hart: usize, number: usize, arguments: [usize; 6]) {
        self.call_on(hart, number, arguments);
        self.settle(false);
    }

    /// The thread that a hart runs does what it may not, and all harts do what follows from it.
    pub fn fault_from(&mut self, hart: usize, cause: FaultCause) {
        self.fault_on(hart, cause, 0, 0);
        self.settle(false);
    }

    /// Whether a hart has been interrupted by another and has not come yet.
    pub fn is_kicked(&self, hart: usize) -> bool {
        with(|state| state.kicks & 1 << hart != 0)
    }

    /// Whether a hart has interrupted itself, because there was more to change than one placing
    /// may.
    pub fn looks_on(&self, hart: usize) -> bool {
        self.is_kicked(hart) && self.harts[hart].0.member.kicked.get() == 2
    }

    /// Interrupts a hart for nothing.
    pub fn kick(&mut self, hart: usize) {
        <Hart as giornata_core::Machine>::kick(hart as u32);
    }

    /// The number of the thread that runs; of an idle thread, that of all others.
    pub fn running(&self) -> usize {
        let thread = self.runs(RUNS);
        match thread.kind.get() {
            kind::IDLE => self.runs(0).number().min(thread.number()) as usize,
            _ => thread.number() as usize,
        }
    }

    /// Whether no thread runs.
    pub fn is_idle(&self) -> bool {
        self.runs(RUNS).kind.get() == kind::IDLE
    }

    /// When a timer rings next, if one will.
    pub fn alarm(&self) -> Option<u64> {
        with(|state| state.alarms.iter().flatten().min().copied())
    }

    /// The running thread makes a call by its number. Returns what it returned, if it goes on at
    /// once.
    pub fn call_number(&mut self, number: usize, arguments: [usize; 6]) -> Option<Results> {
        assert!(!self.is_idle(), "no thread runs that could call {number}");
        let caller = self.running();
        self.call_on(RUNS, number, arguments);
        self.settle(false);
        self.results[caller]
    }

    /// The running thread does what it may not.
    pub fn fault(&mut self, cause: FaultCause, pc: usize, address: usize) {
        self.fault_on(RUNS, cause, pc, address);
        self.settle(false);
    }

    /// Ticks pass; what falls due meanwhile interrupts, at its instant.
    pub fn advance(&mut self, ticks: u64) {
        let end = self.now() + ticks;
        while let Some(alarm) = self.alarm().filter(|alarm| *alarm <= end) {
            with(|state| state.now = state.now.max(alarm));
            self.settle(true);
        }
        with(|state| state.now = state.now.max(end));
    }

    /// The harts take what waits: timers and lines.
    pub fn interrupt(&mut self) {
        self.settle(true);
    }

    /// All sections that harts have to do are done; those that the timer and the lines ask for,
    /// if they are to be taken in user mode.
    fn settle(&mut self, takes: bool) {
        let (mut turns, count) = (0, self.harts.len());
        loop {
            // (of two the first goes first, which takes the events)
            let first = if count > 2 { turns as usize } else { 0 };
            let works = |hart: &usize| (takes || self.works(*hart)) && self.has_section(*hart);
            let mut harts = (0..count).map(|hart| (hart + first) % count);
            let Some(hart) = harts.find(works) else {
                return;
            };
            turns += 1;
            assert!(turns < MOST_TURNS, "the kernel comes to no end");
            let mut hart = hart;
            if is_in_kernel(self.runs(hart)) || self.looks_on(hart) {
                // (it looks at what waits before each piece, and the first hart at its timer)
                with(|state| state.here = hart);
                let _ = <Hart as giornata_core::Machine>::pending();
                if self.has_section(0) {
                    hart = 0;
                }
            }
            self.section(hart);
            if self.stopped.is_some() {
                return;
            }
        }
    }

    /// Whether a hart has something to do whether or not its timer or a line interrupts it.
    fn works(&self, hart: usize) -> bool {
        let me = self.runs(hart);
        let works = is_in_kernel(me) || me.kind.get() == kind::AGAIN;
        works || self.is_kicked(hart) || hart == 0 && self.works(RUNS)
    }

    /// Whether a hart has a section of the kernel to do before it goes on in user mode.
    pub fn has_section(&self, hart: usize) -> bool {
        let me = self.runs(hart);
        let works = is_in_kernel(me) || me.kind.get() == kind::AGAIN;
        works || with(|state| state.is_pending_on(hart))
    }

    /// A hart does the next section that it has to do.
    pub fn section(&mut self, hart: usize) {
        let me = self.runs(hart);
        if with(|state| state.is_pending_on(hart)) {
            if me.kind.get() == kind::CALL {
                me.kind.set(kind::FULL);
                for (at, register) in me.context.t.iter().enumerate() {
                    register.set(0xDEAD_0000 + at);
                }
            }
            return self.in_section(hart, |rig| {
                let outcome = rig.look(hart);
                rig.leave(hart, outcome);
            });
        }
        if me.kind.get() == kind::AGAIN {
            me.kind.set(kind::CALL);
            me.context.pc.set(me.context.pc.get().wrapping_sub(4));
            let (call, arguments) = call_of(me, &mut self.diversion);
            return self.call_on(hart, call, arguments);
        }
        self.in_section(hart, |rig| {
            let outcome = rig.kernel.0.work::<Hart>(me);
            rig.leave(hart, outcome);
        });
    }

    /// The thread that a hart runs makes a call by its number. If another hart has interrupted
    /// that one, nothing happens: it would make the call behind the interrupt.
    pub fn call_on(&mut self, hart: usize, number: usize, arguments: [usize; 6]) {
        let me = self.runs(hart);
        if self.is_kicked(hart) {
            return;
        }
        self.results[me.number() as usize] = None;
        self.in_section(hart, |rig| {
            let outcome = carry_out(me, number, arguments);
            if rig.kernel.0.harts.changed.get() != 0 {
                return rig.leave(hart, outcome);
            }
            // (the caller goes on, whoever else is the first of the queue)
            match results_of(me, outcome) {
                None => rig.resume(hart),
                results => rig.results[me.number() as usize] = results,
            }
        });
    }

    /// The thread that a hart runs does what it may not.
    pub fn fault_on(&mut self, hart: usize, cause: FaultCause, pc: usize, address: usize) {
        let me = self.runs(hart);
        assert!(
            me.kind.get() != kind::IDLE,
            "no thread runs that could fault"
        );
        me.kind.set(kind::FULL);
        self.in_section(hart, |rig| {
            let outcome = rig.kernel.0.fault::<Hart>(me, cause as u32, pc, address);
            rig.leave(hart, outcome);
        });
    }

    /// What interrupts a hart: another hart, then lines, then its timer.
    fn look(&mut self, hart: usize) -> Outcome {
        let (me, system) = (self.runs(hart), self.kernel.0);
        if self.is_kicked(hart) {
            Hart::take_kick();
            return system.on_kick::<Hart>(me);
        }
        if with(|state| hart == 0 && state.lines().next().is_some()) {
            return system.on_line::<Hart>(me);
        }
        with(|state| state.alarms[hart] = None);
        system.on_timer::<Hart>(me)
    }

    /// A hart has the lock.
    fn in_section(&mut self, hart: usize, run: impl FnOnce(&mut Rig)) {
        assert!(self.stopped.is_none(), "the machine has stopped");
        with(|state| (state.looks, state.here) = (0, hart));
        self.kernel.0.harts.here.set(self.harts[hart].0);
        let ran = catch_unwind(AssertUnwindSafe(|| run(self)));
        if let Err(panic) = ran {
            match panic.downcast::<Stopped>() {
                Ok(stopped) => self.stopped = Some(stopped.0),
                Err(panic) => resume_unwind(panic),
            }
        }
    }

    /// The end of a section: who runs on the hart from then on.
    fn leave(&mut self, hart: usize, outcome: Outcome) {
        let (me, system) = (self.runs(hart), self.kernel.0);
        let assigned = system.assign::<Hart>(outcome, me);
        let current = self.runs(hart);
        assert_eq!(
            next(assigned).map(|next| next.number()),
            Some(current.number()),
            "who is entered runs there"
        );
        if !std::ptr::eq(me, current) {
            let record = self.harts[hart].0;
            if current.kind.get() != kind::IDLE && current.process.is_alive() {
                record.loaded.set(current.process);
            }
            if hart == RUNS || self.harts.len() > 2 {
                self.switches.push(current.number() as usize);
            }
        }
        self.resume(hart);
    }

    fn resume(&mut self, hart: usize) {
        let thread = self.runs(hart);
        let number = thread.number() as usize;
        // (one that has been interrupted goes on until it comes)
        assert!(
            thread.process.is_alive() || thread.kind.get() == kind::WORK || self.is_kicked(hart),
            "thread {number} runs, whose process is not alive"
        );
        if let Some(results) = go_on(thread) {
            self.results[number] = Some(results);
        }
    }
}

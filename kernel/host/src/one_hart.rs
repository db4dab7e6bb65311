//! The trap path of one hart.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use giornata_abi::control::{CEILING, NEXT_LOCK};
use giornata_abi::trace::FaultCause;
use giornata_core::sched::thread::kind;
use giornata_core::{Outcome, Ref, Thread};

use crate::hart::{Hart, Stopped, with};
use crate::rig::{MOST_TURNS, Results, Rig, Shown};
use crate::trap::{call_of, carry_out, go_on, next, results_of};

impl Rig {
    /// The number of the thread that runs; of the idle thread, that of all others.
    pub fn running(&self) -> usize {
        self.running.0.number() as usize
    }

    /// Whether no thread runs.
    pub fn is_idle(&self) -> bool {
        self.running.0.kind.get() == kind::IDLE
    }

    /// When the timer rings next, if it will.
    pub fn alarm(&self) -> Option<u64> {
        with(|state| state.alarm)
    }

    /// What begins at boot is ready, and the most urgent runs.
    pub(crate) fn start(&mut self) {
        self.enter(|rig| {
            let outcome = rig.kernel.0.start::<Hart>();
            rig.leave_for(outcome);
        });
    }

    /// The running thread makes a call by its number. Returns what it returned, if it goes on at
    /// once.
    pub fn call_number(&mut self, number: usize, arguments: [usize; 6]) -> Option<Results> {
        assert!(!self.is_idle(), "no thread runs that could call {number}");
        let caller = self.running();
        self.results[caller] = None;
        self.enter(|rig| rig.trap_call(number, arguments));
        self.results[caller]
    }

    fn trap_call(&mut self, number: usize, arguments: [usize; 6]) {
        let me = self.running.0;
        let outcome = carry_out(me, number, arguments);
        match results_of(me, outcome) {
            None => self.leave_for(outcome),
            results => self.results[me.number() as usize] = results,
        }
    }

    /// The running thread does what it may not.
    pub fn fault(&mut self, cause: FaultCause, pc: usize, address: usize) {
        assert!(!self.is_idle(), "no thread runs that could fault");
        self.enter(|rig| {
            let me = rig.running.0;
            me.kind.set(kind::FULL);
            let outcome = rig.kernel.0.fault::<Hart>(me, cause as u32, pc, address);
            rig.leave_for(outcome);
        });
    }

    /// Ticks pass; what falls due meanwhile interrupts, at its instant.
    pub fn advance(&mut self, ticks: u64) {
        let end = self.now() + ticks;
        loop {
            let alarm = with(|state| state.alarm);
            match alarm {
                Some(alarm) if alarm <= end => {
                    with(|state| state.now = state.now.max(alarm));
                    self.interrupt();
                }
                _ => break,
            }
        }
        with(|state| state.now = state.now.max(end));
    }

    /// The hart takes what waits: timer and lines.
    pub fn interrupt(&mut self) {
        let mut turns = 0;
        while with(|state| state.is_pending()) {
            turns += 1;
            assert!(turns < MOST_TURNS, "interrupts come to no end");
            self.enter(|rig| {
                let me = rig.running.0;
                if me.kind.get() == kind::CALL {
                    me.kind.set(kind::FULL);
                }
                for (at, register) in me.context.t.iter().enumerate() {
                    register.set(0xDEAD_0000 + at);
                }
                let outcome = rig.look();
                rig.leave_for(outcome);
            });
            if self.stopped.is_some() {
                break;
            }
        }
    }

    fn look(&mut self) -> Outcome {
        let me = self.running.0;
        // (an external interrupt precedes one of the timer: RISC-V privileged
        // architecture, 3.1.9)
        if with(|state| state.lines().next().is_some()) {
            return self.kernel.0.on_line::<Hart>(me);
        }
        with(|state| state.alarm = None);
        self.kernel.0.on_timer::<Hart>(me)
    }

    /// Runs the kernel until it leaves for a thread in user mode, or none.
    fn enter(&mut self, run: impl FnOnce(&mut Rig)) {
        assert!(self.stopped.is_none(), "the machine has stopped");
        with(|state| state.looks = 0);
        let ran = catch_unwind(AssertUnwindSafe(|| {
            run(self);
            let mut turns = 0;
            while self.works() {
                turns += 1;
                assert!(turns < MOST_TURNS, "the kernel comes to no end");
                let outcome = match <Hart as giornata_core::Machine>::pending() {
                    true => self.look(),
                    false => self.kernel.0.work::<Hart>(self.running.0),
                };
                self.leave_for(outcome);
            }
        }));
        if let Err(panic) = ran {
            match panic.downcast::<Stopped>() {
                Ok(stopped) => self.stopped = Some(stopped.0),
                Err(panic) => resume_unwind(panic),
            }
        }
    }

    /// Whether the thread that runs does so in the kernel: an idle thread that is not the
    /// first of the queue was left for to look at timer and lines.
    fn works(&self) -> bool {
        let running = self.running.0;
        match running.kind.get() {
            kind::WORK | kind::FINISHES.. => true,
            kind::IDLE => !std::ptr::eq(self.kernel.0.first(), running),
            _ => false,
        }
    }

    /// The exit path looks at the control page of a thread that it leaves and that has not
    /// ended.
    fn heed_page(&self, left: Ref<Thread>, outcome: Outcome) -> Outcome {
        let page = left.control;
        let is_left = next(outcome).is_some_and(|next| !std::ptr::eq(next, left));
        if page == 0 || !is_left || !left.lives() || !left.process.is_alive() {
            return outcome;
        }
        let word = |offset| <Hart as giornata_core::Machine>::load(page + offset);
        match word(CEILING) | word(NEXT_LOCK) {
            0 => outcome,
            _ => self.kernel.0.heed_page::<Hart>(left, outcome),
        }
    }

    /// The exit path: charges the thread that is left, records the switch, resumes.
    fn leave_for(&mut self, outcome: Outcome) {
        let (left, kernel) = (self.running.0, self.kernel.0);
        let outcome = self.heed_page(left, outcome);
        let mut next = next(outcome).unwrap_or(left);
        if !std::ptr::eq(next, left) && !std::ptr::eq(next.process, kernel.hart().loaded.get()) {
            // its space has to be loaded: the one place that looks whether it is alive
            match next.process.is_alive() {
                true if next.kind.get() != kind::IDLE => kernel.hart().loaded.set(next.process),
                true => {}
                // (which is itself if it was chosen)
                false => next = next.process.reaper,
            }
        }
        if !std::ptr::eq(left, next) {
            let now = <Hart as giornata_core::Machine>::now();
            let (spent, carry) = left
                .spent
                .get()
                .overflowing_add(kernel.hart().uncharged(now));
            left.spent.set(spent);
            left.spent_high
                .set(left.spent_high.get() + u32::from(carry));
            kernel.hart().since.set(now);
            assert_eq!(left.label & 0xFF, giornata_abi::ring::Kind::Switch as u32);
            kernel
                .trace
                .write(now, left.label, next.label, outcome.answer() as u32);
            self.switches.push(next.number() as usize);
        }
        self.running = Shown(next);
        if next.limited.get() != 0 {
            kernel.limit::<Hart>(next);
        }
        self.resume(next);
    }

    fn resume(&mut self, thread: Ref<Thread>) {
        let number = thread.number() as usize;
        assert!(
            thread.process.is_alive() || thread.kind.get() == kind::WORK,
            "thread {number} runs, whose process is not alive"
        );
        if thread.kind.get() != kind::AGAIN {
            if let Some(results) = go_on(thread) {
                self.results[number] = Some(results);
            }
            return;
        }
        // an interrupt that waits comes first, as it would in user mode
        if with(|state| state.is_pending()) {
            let outcome = self.look();
            return self.leave_for(outcome);
        }
        let pc = &thread.context.pc;
        pc.set(pc.get().wrapping_sub(4));
        thread.kind.set(kind::CALL);
        let (call, arguments) = call_of(thread, &mut self.diversion);
        self.trap_call(call, arguments);
    }
}

//! Drivers at work: values copied, device registers, upcalls.
//!
//! The thread of an upcall is in the reaction band, above everything: what falls due
//! meanwhile is latched. The machine stands still until it ends. The budget is the
//! thread's limit.
//!
//! ```text
//!   call, branch, trigger, timeout
//!        |
//!     COPYING ---- no upcall -------------> the block goes on
//!        |
//!     RUNNING -- return --> RETURNED -----> the same, or goes elsewhere, or begins
//!        |                                                   ^
//!        +-- budget, fault --> OVERRUN, FAULT ---------------+
//! ```

use core::hint::cold_path;

use giornata_abi::ring::{Kind, head};
use giornata_abi::trace::Violation;

use crate::micro::{
    Cause, Code, Copies, Copy, Driver, Port, Program, Touch, Upcall, Wait, Write, group_flag, job,
    stage,
};
use crate::sched::limit;
use crate::{Error, Machine, Outcome, Ref, System, Thread, same};

/// Copies that are made without a look at timer and lines.
pub(super) const PIECE: usize = 32;

#[inline(always)]
fn copy_eight<M: Machine>(from: usize, to: usize) {
    let next = |at: usize| at.wrapping_add(4);
    let (low, high) = (M::load(from), M::load(next(from)));
    M::store(to, low);
    M::store(next(to), high);
}

/// Whether none of these tasks has a job, nor has had one that was stopped. (Where a job
/// of their ring is left, it may be another's.)
#[inline(never)]
fn are_idle(touches: &[Touch]) -> bool {
    let has_job = |touch: &Touch| match touch.group.flags.get() & group_flag::APART {
        0 => touch.group.rank.head.get().is_some(),
        _ => {
            let epoch = touch.group.epoch.get();
            touch.tasks.iter().any(|task| task.job.get() != epoch)
        }
    };
    !touches.iter().any(has_job)
}

impl Driver {
    /// A word of its device register, or less: what is read, or 0 if it was stored.
    #[inline(never)]
    fn access_word<M: Machine>(&self, offset: usize) -> u32 {
        let (at, width) = (self.register.wrapping_add(offset), self.width.min(4));
        let Some(copy) = self.copies.first() else {
            return M::input(at, width);
        };
        M::output(at, width, M::load(copy.from.wrapping_add(offset)));
        0
    }
}

impl Port {
    /// A word of its value; 0 behind the end.
    #[inline(never)]
    fn word<M: Machine>(&self, offset: u32) -> u32 {
        match offset < self.size {
            true => M::load(self.place.wrapping_add(offset as usize)),
            false => 0,
        }
    }
}

impl System {
    /// Runs a driver that copies a little, if no task can be at it; else nothing has
    /// changed and false is returned.
    #[inline(never)]
    pub(super) extern "C" fn call_short<M: Machine>(&self, driver: Ref<Driver>) -> bool {
        if driver.is_not_short != 0 || driver.copies.len() > PIECE || !are_idle(driver.touches) {
            cold_path();
            return false;
        }
        self.copy_on::<M>(driver.copies)
    }

    /// Copies what a run of calls would, in their place, if no task can be at it; else the
    /// calls are next. `None`: something waits, and it is not done.
    #[inline(never)]
    pub(super) fn copy_run<M: Machine>(&self, run: Ref<Copies>, rest: Code) -> Option<Code> {
        if self.micro.progress.get() == 0 && !are_idle(run.touches) {
            return Some(rest);
        }
        let done = self.copy_on::<M>(run.copies);
        done.then(|| rest.get(run.calls..).unwrap_or(&[]))
    }

    /// Copies what is left. False: something waits, and it is not done.
    #[inline(never)]
    fn copy_on<M: Machine>(&self, copies: &'static [Copy]) -> bool {
        let progress = &self.micro.progress;
        let mut left = copies.get(progress.take() as usize..).unwrap_or(&[]);
        loop {
            let (piece, rest) = left.split_at_checked(PIECE).unwrap_or((left, &[]));
            let (pairs, last) = piece.as_chunks::<2>();
            // (of two, the places first: their loads do not wait for each other)
            for [first, second] in pairs {
                let places = (first.from, first.to, second.from, second.to);
                copy_eight::<M>(places.0, places.1);
                copy_eight::<M>(places.2, places.3);
            }
            if let [copy] = last {
                copy_eight::<M>(copy.from, copy.to);
            }
            left = rest;
            if left.is_empty() {
                return true;
            }
            if crate::machine::waits::<M>() {
                progress.set(copies.len().wrapping_sub(left.len()) as u32);
                return false;
            }
        }
    }

    /// A driver begins its work, unless it may not.
    #[inline(never)]
    pub(super) fn call_driver<M: Machine>(&self, driver: Ref<Driver>, program: Ref<Program>) {
        let micro = &self.micro;
        for touch in driver.touches {
            let group = touch.group;
            if group.flags.get() & (group_flag::APART | group_flag::ALWAYS) == 0
                && group.rank.head.get().is_none()
            {
                continue;
            }
            for task in touch.tasks {
                if task.is_released() {
                    return self.violate::<M>(
                        program,
                        Violation::TimeSafety,
                        Some(task),
                        Some(driver),
                    );
                }
                if touch.reads & task.job.get() & job::STOPPED != 0 {
                    // what it writes keeps its old value
                    return;
                }
            }
        }
        if let Some(upcall) = driver.upcall {
            if !upcall.thread.process.is_alive() {
                return self.violate::<M>(program, Violation::Fault, None, Some(driver));
            }
            self.note_upcall::<M>(driver, stage::RUNNING, 0);
        }
        micro.stage.set(stage::COPYING);
        micro.driver.set(Some(driver));
        self.drive::<M>(driver);
    }

    fn note_upcall<M: Machine>(&self, driver: Ref<Driver>, stage: u32, value: usize) {
        self.note_instantly::<M>(
            head(Kind::Upcall, 0, driver.number as u16),
            stage,
            value as u32,
        );
    }

    /// A piece of the work of a driver.
    #[inline(never)]
    pub(super) fn drive<M: Machine>(&self, driver: Ref<Driver>) {
        let micro = &self.micro;
        let stage = micro.stage.get();
        let (copies, writes) = match (stage, driver.upcall) {
            (stage::COPYING, _) => (driver.copies, driver.writes),
            (stage::RETURNED, Some(upcall)) => (&[][..], upcall.results),
            _ => (&[][..], &[][..]),
        };
        if driver.register != 0 {
            self.access_register::<M>(driver);
        } else if !self.copy_values::<M>(copies, writes) {
            return;
        }
        match driver.upcall {
            Some(upcall) if stage == stage::COPYING => self.begin_upcall(upcall),
            _ => {
                micro.driver.set(None);
                if stage != stage::COPYING {
                    self.end_upcall::<M>(driver, stage);
                }
            }
        }
    }

    /// Copies what is left. False: something waits, and it is not done.
    #[inline(never)]
    fn copy_values<M: Machine>(&self, copies: &'static [Copy], writes: &'static [Write]) -> bool {
        let micro = &self.micro;
        let count = copies.len();
        if (micro.progress.get() as usize) < count {
            if !self.copy_on::<M>(copies) {
                return false;
            }
            micro.progress.set(count as u32);
        }
        let mut index = micro.progress.take() as usize;
        while let Some(write) = writes.get(index.wrapping_sub(count)) {
            let (port, from) = (write.port, write.from);
            let mut offset = micro.offset.take();
            while offset < port.size {
                let at = from.wrapping_add(offset as usize);
                self.put_words::<M>(port, offset, M::load(at), M::load(at.wrapping_add(4)));
                offset = offset.wrapping_add(8);
                if offset & 31 == 0 && crate::machine::waits::<M>() {
                    micro.offset.set(offset);
                    micro.progress.set(index as u32);
                    return false;
                }
            }
            self.written::<M>(port, micro.instant.get());
            index = index.wrapping_add(1);
            if crate::machine::waits::<M>() {
                micro.progress.set(index as u32);
                return false;
            }
        }
        true
    }

    /// Eight bytes of a port at most, and 0 behind its end; notes whether they change.
    #[inline(never)]
    pub(super) fn put_words<M: Machine>(&self, port: Ref<Port>, offset: u32, low: u32, high: u32) {
        self.put_word::<M>(port, offset, low);
        self.put_word::<M>(port, offset.wrapping_add(4), high);
    }

    /// The same of four bytes.
    #[inline(never)]
    pub(super) fn put_word<M: Machine>(&self, port: Ref<Port>, offset: u32, word: u32) {
        // (negative behind the end of a value of less than 8 bytes)
        let left = port.size.wrapping_sub(offset).cast_signed();
        let value = match left {
            4.. => word,
            1.. => word & !u32::MAX.wrapping_shl(left as u32 * 8),
            _ => 0,
        };
        let place = port.place.wrapping_add(offset as usize);
        let changed = M::load(place) ^ value;
        self.micro.changed.set(self.micro.changed.get() | changed);
        M::store(place, value);
    }

    /// The value of a port is whole: whoever waits for a change of it hears, and the trace.
    #[inline(never)]
    pub(super) fn written<M: Machine>(&self, port: Ref<Port>, at: u32) {
        if self.micro.changed.take() != 0 {
            port.version.set(port.version.get().wrapping_add(1));
            self.fire(&port.watchers, at);
        }
        if port.traced == 0 {
            return;
        }
        if at == self.micro.instant.get() {
            self.tell_instant::<M>();
        }
        let (mut first, mut label) = (at, head(Kind::Port, 0, port.number as u16));
        let mut offset = 0;
        loop {
            let (second, third) = (
                port.word::<M>(offset),
                port.word::<M>(offset.wrapping_add(4)),
            );
            self.trace.write(first, label, second, third);
            offset = offset.wrapping_add(8);
            if offset >= port.size {
                return;
            }
            first = port.word::<M>(offset);
            offset = offset.wrapping_add(4);
            label = head(Kind::More, 0, port.number as u16);
        }
    }

    /// Reads a device register into a port, or writes it.
    #[inline(never)]
    fn access_register<M: Machine>(&self, driver: Ref<Driver>) {
        let low = driver.access_word::<M>(0);
        let high = match driver.width {
            8 => driver.access_word::<M>(4),
            _ => 0,
        };
        if let Some(write) = driver.writes.first() {
            self.put_words::<M>(write.port, 0, low, high);
            self.written::<M>(write.port, self.micro.instant.get());
        }
    }

    /// The values lie in the block: the thread of the upcall has the hart.
    #[inline(never)]
    fn begin_upcall(&self, upcall: Ref<Upcall>) {
        let thread = upcall.thread;
        self.micro.stage.set(stage::RUNNING);
        thread.begin_at(upcall.entry, upcall.block, upcall.body);
        let limited = match upcall.budget {
            0 => 0,
            _ => limit::OWN | limit::FRESH,
        };
        thread.limited.set(limited);
        thread.limit.set(upcall.budget);
        thread.waits.set(None);
        self.insert(thread);
    }

    /// Begins the upcall of a predicate. False: it has no answer, so it does not hold.
    #[inline(never)]
    pub(super) fn ask_upcall<M: Machine>(&self, wait: &Wait, program: Ref<Program>) -> bool {
        let Cause::Upcall(driver) = wait.cause.get() else {
            return false;
        };
        self.call_driver::<M>(driver, program);
        driver.upcall.is_some() && self.micro.driver.get().is_some()
    }

    /// The caller's upcall ends with a value. What it puts out is copied; then the machine
    /// goes on.
    pub(crate) fn return_upcall<M: Machine>(&self, me: Ref<Thread>, value: usize) -> Outcome {
        if !self.stop_upcall::<M>(me, stage::RETURNED, value) {
            return Outcome::error(Error::EPERM);
        }
        self.react::<M>();
        self.dispatch()
    }

    /// Takes the hart from the thread of an upcall. False: it runs none.
    #[inline(never)]
    pub(super) fn stop_upcall<M: Machine>(
        &self,
        thread: Ref<Thread>,
        stage: u32,
        value: usize,
    ) -> bool {
        let micro = &self.micro;
        let (Some(driver), stage::RUNNING) = (micro.driver.get(), micro.stage.get()) else {
            return false;
        };
        if !driver
            .upcall
            .is_some_and(|upcall| same(upcall.thread, thread))
        {
            return false;
        }
        self.remove(thread);
        thread.waits.set(Some(self.no_list));
        self.note_upcall::<M>(driver, stage, value);
        micro.stage.set(stage);
        micro.value.set(value);
        true
    }

    /// An upcall has ended, its results are copied: who waits for it goes on.
    #[inline(never)]
    fn end_upcall<M: Machine>(&self, driver: Ref<Driver>, stage: u32) {
        let micro = &self.micro;
        let asker = micro.asker.take();
        let branches = micro.branches.take() != 0;
        if stage == stage::RETURNED {
            if micro.value.get() == 0 {
                return;
            }
            if branches {
                micro.code.set(micro.target.get());
            }
            if let Some(asker) = asker {
                self.unhang_trigger(asker);
                self.begin_block::<M>(asker, asker.code.get());
            }
            return;
        }
        let violation = match stage {
            stage::OVERRUN => Violation::Overrun,
            _ => Violation::Fault,
        };
        let program = micro.program.get().or(asker.map(|asker| asker.program));
        if let Some(program) = program {
            self.violate::<M>(program, violation, None, Some(driver));
        }
    }
}

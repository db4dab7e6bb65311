//! Microcode that comes while the system runs.
//!
//! ```text
//!            switch_program          its instant              safe
//!   nothing ----------------> asked -------------> ripe ---------------> nothing
//!      ^     stage_program      |     agenda         |    rooms are exchanged
//!      |     fills the spare    | withdraw           | withdraw
//!      +----- room -------------+--------------------+
//! ```
//! A program that may be replaced has two rooms. What comes is resolved when it is
//! staged, record by record, into the spare room, which nothing refers to; so whatever
//! lies there, complete or not, refers to nothing that the program may not use. What
//! the kernel does not prove of it (that it ends, how many steps it takes) it bounds.
//!
//! An instant is safe when no task of the program has a job. To carry ports and phases
//! over, the program must also wait for nothing but its next round, which the new code
//! then begins.

use giornata_abi::load::{How, MOST, RECORD, state};
use giornata_abi::ring::{Kind, head};

use crate::micro::{Cause, Change, Op, Program, Room, block, mode};
use crate::sched::agenda::FARTHEST;
use crate::{Error, Machine, Outcome, Process, Ref, System, Thread, same};

/// Bits of [`Change::asked`]: its alarm is set; its instant has come; it takes the round
/// over.
const ARMED: u32 = 1;
const RIPE: u32 = 2;
const CARRIES: u32 = 4;
const ASKED: u32 = 8;
/// Addresses in a frame: none.
const NONE: u32 = 0xFFFF;

impl System {
    /// The change of a program, if the caller may make it: else none, and why.
    #[inline(never)]
    fn change_of(&self, me: Ref<Thread>, program: usize) -> (Option<Ref<Change>>, Error) {
        let Some(program) = self.micro.programs.get(program) else {
            return (None, Error::ESRCH);
        };
        let change = program.change;
        let own = change.filter(|change| same(change.loader, me.process));
        (own, Error::EPERM)
    }

    /// Resolves a few records into the spare room of a program.
    #[inline(never)]
    pub(crate) fn stage_program<M: Machine>(
        &self,
        me: Ref<Thread>,
        target: usize,
        place: usize,
        address: usize,
        length: usize,
    ) -> Outcome {
        let (found, error) = self.change_of(me, target >> 16);
        let Some(change) = found else {
            return Outcome::error(error);
        };
        let (section, room) = (target & 0xFFFF, change.spare.get());
        if section > 1 || length.wrapping_sub(1) >= MOST || length & (RECORD - 1) != 0 {
            return Outcome::error(Error::EINVAL);
        }
        let mut done = 0;
        while done < length {
            let mut words = [0; RECORD / 4];
            if !fetch::<M>(me.process, address.wrapping_add(done), &mut words) {
                return Outcome::error(Error::EFAULT);
            }
            if change.asked.get() != 0 {
                return Outcome::error(Error::EBUSY);
            }
            let at = place.wrapping_add(done / RECORD);
            let resolved = match section {
                0 => resolve(change, room, at, words),
                _ => resolve_wait(change, room, at, words),
            };
            if resolved.is_none() {
                return Outcome::error(Error::EINVAL);
            }
            done = done.wrapping_add(RECORD);
        }
        Outcome::DONE
    }

    /// Asks for what has been staged to take a program's place.
    #[inline(never)]
    pub(crate) fn switch_program<M: Machine>(
        &self,
        me: Ref<Thread>,
        program: usize,
        address: usize,
        how: usize,
        low: usize,
        high: usize,
    ) -> Outcome {
        let asked = self.ask_for_change::<M>(me, program, address, how, low as u32, high as u32);
        if let Err(error) = asked {
            return Outcome::error(error);
        }
        me.answer(0);
        self.react::<M>();
        self.dispatch_from(me)
    }

    #[inline(never)]
    fn ask_for_change<M: Machine>(
        &self,
        me: Ref<Thread>,
        program: usize,
        address: usize,
        how: usize,
        low: u32,
        high: u32,
    ) -> Result<(), Error> {
        let (found, error) = self.change_of(me, program);
        let (Some(change), Some(program)) = (found, self.micro.programs.get(program)) else {
            return Err(error);
        };
        if how == How::Withdraw as usize {
            return self.withdraw_change(change);
        }
        let mut words = [0; 8];
        if !fetch::<M>(me.process, address, &mut words) {
            return Err(Error::EFAULT);
        }
        let [counts, a, b, c, d, parts, bound, tag] = words;
        let room = change.spare.get();
        let count = counts & NONE;
        let carries = how == How::CarryOver as usize;
        let fits = count as usize <= room.code.len() && (counts >> 16) as usize <= room.waits.len();
        let is_never = low & high == u32::MAX;
        let broken = how > How::CarryOver as usize || !fits || is_never;
        if broken || carries && count == 0 || parts.wrapping_sub(1) >> 31 != 0 {
            return Err(Error::EINVAL);
        }
        if change.asked.get() != 0 {
            return Err(Error::EBUSY);
        }
        // start, resume, round, handlers (which are nobody's while nothing is asked for)
        let addresses = [a >> 16, b >> 16, b, c, c >> 16, d, d >> 16];
        for (index, (place, address)) in change.code.iter().zip(&addresses).enumerate() {
            let address = address & NONE;
            let code = room.code.get(address as usize..count as usize);
            let must = count != 0 && index <= carries as usize;
            place.set(code.unwrap_or(&[]));
            if place.get().is_empty() && (address != NONE || must) {
                return Err(Error::EINVAL);
            }
        }
        let [new_parts, new_bound, new_tag] = &change.frame;
        new_parts.set(parts);
        new_bound.set(bound);
        new_tag.set(tag);
        let [until, until_high] = &change.until;
        until.set(low);
        until_high.set(high);
        change
            .asked
            .set(if carries { ASKED | CARRIES } else { ASKED });
        self.ripen::<M>(program);
        Ok(())
    }

    /// The alarm of a change has rung, or has to be set: at its instant the change is ripe.
    #[inline(never)]
    pub(crate) fn ripen<M: Machine>(&self, program: Ref<Program>) {
        let Some(change) = program.change else {
            return;
        };
        let now = M::now();
        let [low, high] = &change.until;
        let (ahead, borrow) = low.get().overflowing_sub(now);
        let above = high
            .get()
            .wrapping_sub(M::high(now))
            .wrapping_sub(borrow as u32);
        let ahead = match above.cast_signed() {
            ..0 => 0,
            0 => ahead.min(FARTHEST),
            _ => FARTHEST,
        };
        let asked = change.asked.get();
        if ahead == 0 {
            self.micro.ripe.set(self.micro.ripe.get().wrapping_add(1));
            change.asked.set(asked & !ARMED | RIPE);
            // (one whose alarm has rung begins at its own instant, however late that is)
            let rang = asked & ARMED != 0;
            self.begin_event(if rang { low.get() } else { now });
            return self.unsettle();
        }
        change.asked.set(asked | ARMED);
        let key = now.wrapping_add(ahead);
        self.set_alarm::<M>(&change.alarm, key);
    }

    /// What is asked for is asked for no longer.
    #[inline(never)]
    fn withdraw_change(&self, change: Ref<Change>) -> Result<(), Error> {
        let asked = change.asked.take();
        if asked & ARMED != 0 {
            self.agenda.remove(&change.alarm, self.records());
        }
        self.micro.ripe.set(
            self.micro
                .ripe
                .get()
                .wrapping_sub((asked & RIPE != 0) as u32),
        );
        if asked == 0 {
            Err(Error::EINVAL)
        } else {
            Ok(())
        }
    }

    /// How a program stands.
    pub(crate) fn program_status(&self, me: Ref<Thread>, program: usize) -> Outcome {
        let (found, error) = self.change_of(me, program);
        let (Some(change), Some(program)) = (found, self.micro.programs.get(program)) else {
            return Outcome::error(error);
        };
        let loaded = !program.block(block::START).is_empty() as usize * state::LOADED;
        let pending = (change.asked.get() != 0) as usize * state::PENDING;
        let (tag, changes) = (change.tag.get(), self.micro.changes.get());
        me.returns([loaded | pending, tag as usize, changes as usize, 0, 0, 0])
    }

    /// The machine has settled: changes that wait for a safe instant may happen.
    #[inline(never)]
    pub(super) fn consider_changes<M: Machine>(&self) {
        for program in self.micro.programs {
            if let Some(change) = program.change
                && change.asked.get() & RIPE != 0
            {
                self.try_change::<M>(program, change);
            }
        }
    }

    #[inline(never)]
    fn try_change<M: Machine>(&self, program: Ref<Program>, change: Ref<Change>) {
        let micro = &self.micro;
        if change.tasks.iter().any(|task| task.is_released()) {
            return;
        }
        let carries = change.asked.get() & CARRIES != 0;
        let [parts, bound, tag] = &change.frame;
        // the round: the only binding, for a time, that leads to it
        let mut round = None;
        let mut bindings = 0;
        for trigger in program.triggers {
            let bits = trigger.mode.get();
            if bits & (mode::TIMED | mode::HUNG) != 0 && bits & mode::S_THREAD == 0 {
                bindings += 1;
                let leads = core::ptr::addr_eq(
                    trigger.code.get().as_ptr(),
                    program.block(block::ROUND).as_ptr(),
                );
                let is_whole = trigger.rest.get() == 0 || parts.get() == program.parts.get();
                if leads && is_whole && bits & mode::TIMED != 0 {
                    round = Some(trigger);
                }
            }
        }
        if carries && (bindings != 1 || round.is_none()) {
            return;
        }
        let round = round.filter(|_| carries);
        for trigger in program.triggers {
            if trigger.mode.get() & !mode::COUNTED != 0
                && !round.is_some_and(|round| same(round, trigger))
            {
                self.disarm_trigger(trigger);
                self.unhang_trigger(trigger);
                self.leave_dispatchers(trigger);
                self.free_trigger(trigger);
            }
            trigger.set(mode::COUNTED);
        }
        let _ = self.withdraw_change(change);
        change.spare.set(change.used.replace(change.spare.get()));
        change.tag.set(tag.get());
        for (place, code) in program.code.iter().zip(&change.code) {
            place.set(code.get());
        }
        program.parts.set(parts.get());
        // (`clamp` would panic if `most` were 0)
        program.bound.set(bound.get().min(change.most).max(1));
        program.threads.set(0);
        // (the new code has the whole bound)
        program.counted.set(0);
        micro.changes.set(micro.changes.get().wrapping_add(1));
        self.unsettle();
        self.note_instantly::<M>(
            head(Kind::Change, 0, program.number as u16),
            carries as u32,
            tag.get(),
        );
        match round {
            Some(round) => round.code.set(program.block(block::RESUME)),
            None => self.start_program(program, micro.instant.get()),
        }
    }
}

/// Words of a process; false: it may not read all of them, or they lie across.
#[inline(never)]
fn fetch<M: Machine>(process: Ref<Process>, address: usize, words: &mut [u32]) -> bool {
    for (index, word) in words.iter_mut().enumerate() {
        let (bytes, place) = M::reach(
            process,
            address.wrapping_add(index.wrapping_mul(4)),
            4,
            false,
        );
        if bytes < 4 || place & 3 != 0 {
            return false;
        }
        *word = M::load(place);
    }
    true
}

/// Resolves an instruction; `None`: it names what is not there.
#[inline(never)]
fn resolve(
    change: &Change,
    room: &Room,
    at: usize,
    [w0, w1, ticks, parts]: [u32; 4],
) -> Option<()> {
    let (a, b, c) = (w0 as usize >> 16, w1 as usize & 0xFFFF, w1 as usize >> 16);
    let (step, release) = (room.steps.get(at)?, room.releases.get(at)?);
    let opcode = w0 & 0xFFFF;
    let code = |address: usize| room.code.get(address..);
    step.task.set(None);
    // (which operands are the predicate and the address)
    let (wait, target) = match opcode {
        3 | 8 => (Some(a), Some(b)),
        4 => {
            step.task.set(Some(change.tasks.get(a)?));
            (Some(b), Some(c))
        }
        5 => (Some(a), None),
        6 | 7 => (None, Some(a)),
        _ => (None, None),
    };
    step.wait.set(match wait {
        Some(index) => room.waits.get(index)?,
        None => change.always,
    });
    step.code.set(target.map_or(Some(&[][..]), code)?);
    let op = match opcode {
        0 => Op::Return,
        1 => Op::Call(change.drivers.get(a)?),
        2 => {
            let task = change.tasks.get(a)?;
            if ticks > FARTHEST || parts >= 1 << 31 {
                return None;
            }
            release.group.set(task.group);
            release.ticks.set(ticks);
            release.parts.set(parts);
            Op::Release(release)
        }
        3 => Op::Future(step),
        4 => Op::Dispatch(step),
        5 => Op::Idle(step),
        6 => Op::Fork(step),
        7 => Op::Jump(step),
        8 => Op::Branch(step),
        _ => return None,
    };
    room.code.get(at)?.set(op);
    Some(())
}

/// Resolves a predicate.
#[inline(never)]
fn resolve_wait(
    change: &Change,
    room: &Room,
    at: usize,
    [w0, parts, low, high]: [u32; 4],
) -> Option<()> {
    let wait = room.waits.get(at)?;
    let (kind, comparison, subject) = (w0 & 0xFF, w0 >> 8 & 7, w0 as usize >> 16);
    let cause = match kind {
        0 => Cause::True,
        1 => Cause::Never,
        2 => Cause::After,
        3 => Cause::Released(change.tasks.get(subject)?),
        4 => Cause::Completed(change.tasks.get(subject)?),
        5 => Cause::Changed(change.ports.get(subject)?),
        6 => Cause::Constant(change.ports.get(subject)?),
        7 => Cause::Activation(change.ports.get(subject)?),
        8 => Cause::Interrupt(change.lines.get(subject)?),
        9 => Cause::Message(change.mailboxes.get(subject)?),
        10 => Cause::Upcall(change.drivers.get(subject)?),
        _ => return None,
    };
    let detail = if kind == 2 { parts } else { comparison };
    if detail >= 1 << 31 {
        return None;
    }
    wait.cause.set(cause);
    wait.detail.set(detail);
    let [first, second] = &wait.value;
    first.set(low);
    second.set(high);
    Some(())
}

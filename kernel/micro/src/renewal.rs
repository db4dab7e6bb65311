//! The commonest thing that E code does, without the event loop: a block that
//! time starts only starts itself again, or another block, for a later time. A
//! clock at a fixed rate does so whenever nobody else wants anything.
//!
//! Such a block touches no task and no port. So where nothing but time is waited
//! for, its instant enables nothing else; what would be found by looking through
//! all phases is known before. It is found out first and carried out then; where
//! it is anything else, nothing has happened, and the event loop does it.
//!
//! Until the event loop next runs, what was found out of a block that starts
//! itself stays true: it is a beat, and nothing is looked at again.

use giornata_abi::id::NONE;
use giornata_abi::instruction::Opcode;
use giornata_abi::{Instant, PredicateKind};

use crate::machine::Machine;
use crate::predicates::{due, lookup};

/// `future`, `return`.
const STEPS: u32 = 2;

/// What a time trigger comes to whenever it fires: itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beat {
    /// NONE = it is another from now on, or not known.
    pub(crate) slot: u16,
    program: u16,
    period: u64,
    /// No other time trigger is due before this.
    horizon: Instant,
}

impl Beat {
    pub(crate) const NONE: Beat = Beat {
        slot: NONE,
        program: NONE,
        period: 0,
        horizon: Instant::NEVER,
    };
}

impl Machine<'_> {
    /// The time trigger of this timer fires at an instant: answers when it fires
    /// again, if that is all that comes of it; the caller arms the timer. `None`,
    /// and nothing has happened, where the event loop must find out. O(1) for a
    /// beat, else O(bindings).
    #[inline(always)] // one place in the kernel
    pub fn tick(&mut self, timer: u16, instant: Instant) -> Option<Instant> {
        let is_beat = timer == self.beat.slot && self.watching == 0 && !self.open;
        if !is_beat || instant == self.instant {
            if !self.starts_only(timer) {
                return None;
            }
            self.renew_trigger(timer, instant)?;
        }
        let Beat {
            program,
            period,
            horizon,
            ..
        } = self.beat;
        let due = Instant(instant.0.saturating_add(period));
        self.serial = self.serial.wrapping_add(1).max(1);
        (self.instant, self.horizon) = (instant, horizon.min(due));
        if let Some(binding) = self.bindings.get_mut(timer as usize) {
            binding.set_due(due);
        }
        if let Some(state) = self.programs.get_mut(program as usize) {
            state.steps_left(self.serial, 0);
            state.count_steps(STEPS);
        }
        Some(due)
    }

    /// Whether the block of a trigger starts another and does nothing else: found
    /// out first, because most blocks do more. O(1).
    #[inline(never)] // few registers
    fn starts_only(&self, slot: u16) -> bool {
        let binding = self.bindings.get(slot as usize);
        let code = binding.and_then(|binding| {
            let entry = self.system.programs.get(binding.program as usize)?;
            self.code(entry).get(binding.address as usize..)
        });
        match code {
            Some([future, end, ..]) => {
                future.opcode == Opcode::Future as u8 && end.opcode == Opcode::Return as u8
            }
            _ => false,
        }
    }

    /// Puts in its own place the trigger that comes of a time trigger which fires
    /// now, all but when it is due, if the block of that [starts
    /// another](Self::starts_only).
    #[inline(never)] // the first time only
    fn renew_trigger(&mut self, slot: u16, instant: Instant) -> Option<()> {
        let binding = self.bindings.get(slot as usize)?;
        let fired = binding.due()?;
        let is_quiet = self.watching == 0 && !self.open && instant != self.instant;
        if !is_quiet || fired.remainder != 0 || fired.nanos != instant.0 || !self.set_waits() {
            return None;
        }
        let (program, address) = (binding.program, binding.address);
        let entry = self.entry(program)?;
        let future = self.code(entry).get(address as usize)?;
        if entry.max_steps < STEPS || binding.predicate == NONE {
            return None;
        }
        let trigger = lookup(self.system.predicates, entry, future.a)?;
        if trigger.kind() != Some(PredicateKind::After) || trigger.value == 0 {
            return None;
        }
        let again = due(trigger, fired, entry.denominator);
        if again.remainder != 0 {
            return None;
        }
        let is_same = (binding.predicate, address) == (future.a, future.b);
        let (before, horizon) = self.others(slot);
        self.free_bindings.take_all(self.bindings, &mut self.fired);
        self.queue.remove_after(self.bindings, before);
        if let Some(binding) = self.bindings.get_mut(slot as usize) {
            binding.set_timed(program, future.a, future.b, again);
        }
        self.queue.push(self.bindings, slot);
        (self.scanned, self.interrupt) = (slot, NONE);
        self.beat = Beat {
            slot: if is_same { slot } else { NONE },
            program,
            period: again.nanos.saturating_sub(instant.0),
            horizon,
        };
        Some(())
    }

    /// Whether an instant that changes nothing enables no thread of S code.
    fn set_waits(&self) -> bool {
        if self.set.is_empty() {
            return true;
        }
        let thread = self.threads.get(self.set.last() as usize);
        let Some(thread) = thread.filter(|_| self.set.is_single()) else {
            return false;
        };
        let entry = self.entry(thread.program);
        let timeout = entry.and_then(|e| lookup(self.system.predicates, e, thread.timeout));
        matches!(
            timeout.and_then(|timeout| timeout.kind()),
            Some(
                PredicateKind::Never
                    | PredicateKind::Released
                    | PredicateKind::Completed
                    | PredicateKind::After
            )
        )
    }

    /// The slot before this one in the queue, and when the first of the others
    /// is due.
    fn others(&self, slot: u16) -> (u16, Instant) {
        let (mut before, mut horizon) = (NONE, Instant::NEVER);
        let mut seen = NONE;
        loop {
            let next = self.queue.after(self.bindings, seen);
            let Some(binding) = self.bindings.get(next as usize) else {
                return (before, horizon);
            };
            if next == slot {
                before = seen;
            } else if let Some(due) = binding.due() {
                horizon = horizon.min(Instant(due.nanos));
            }
            seen = next;
        }
    }
}

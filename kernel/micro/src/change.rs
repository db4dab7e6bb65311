//! A program gets other microcode while the machine runs ("Dynamic adaptation
//! of real-time code", section 1 of the paper).
//!
//! The kernel decides when, and brings a bank of tables in which the program is
//! another; what the machine has queued of the old one goes, or one trigger of
//! it now leads into the new one.

use giornata_abi::id::NONE;
use giornata_abi::system::{Bank, System};

use crate::host::Host;
use crate::machine::Machine;

impl<'a> Machine<'a> {
    /// While a change waits for its moment, a completion may be that: it is not
    /// taken for one that no code reacts to. O(1).
    pub fn attend(&mut self, attentive: bool) {
        if attentive == self.attentive {
            return;
        }
        self.attentive = attentive;
        self.watching = match attentive {
            true => self.watching.saturating_add(1),
            false => self.watching.saturating_sub(1),
        };
    }

    /// See [`attend`](Self::attend). O(1).
    pub fn is_attentive(&self) -> bool {
        self.attentive
    }

    /// Whether all that a program waits for is its next round: one time trigger
    /// that leads to it, and no task of a thread. A trigger between two
    /// nanoseconds counts as long as the denominator stays. O(slots).
    pub fn awaits_round(&self, program: u16, denominator: u32) -> bool {
        let Some(entry) = self.entry(program) else {
            return false;
        };
        let (mut count, mut is_round, mut slot) = (0, false, self.queue.after(self.bindings, NONE));
        while let Some(binding) = self.bindings.get(slot as usize) {
            if binding.program == program {
                count += 1;
                is_round = binding.predicate != NONE
                    && binding.address == entry.round
                    && binding
                        .due()
                        .is_some_and(|due| due.remainder == 0 || entry.denominator == denominator);
            }
            slot = self.queue.after(self.bindings, slot);
        }
        count == 1 && is_round && !self.open
    }

    /// The program's tables are those of `bank`; nothing of the old code is left
    /// but the trigger that [`awaits_round`](Self::awaits_round), which now leads
    /// to `address`. Only a settled machine does so; the caller runs it
    /// afterwards. O(slots).
    pub fn take_over(&mut self, program: u16, address: u16, bank: &Bank<'a>, host: &mut impl Host) {
        self.drop_threads(program, host);
        self.renew(program, bank);
        let mut slot = self.queue.after(self.bindings, NONE);
        while let Some(binding) = self.bindings.get_mut(slot as usize) {
            if binding.program == program {
                binding.address = address;
            }
            slot = self.queue.after(self.bindings, slot);
        }
        self.begin(self.instant, None);
    }

    /// The program's tables are those of `bank`; nothing is left of the old
    /// code. Only a settled machine does so; the caller
    /// [starts](Self::start) the new code, if there is any, and runs the
    /// machine. O(slots).
    pub fn replace(&mut self, program: u16, bank: &Bank<'a>, host: &mut impl Host) {
        self.begin(self.instant, None);
        self.stop(program, host);
        self.renew(program, bank);
    }

    fn renew(&mut self, program: u16, bank: &Bank<'a>) {
        self.forget_fired(program);
        if let Some(state) = self.programs.get_mut(program as usize) {
            state.forget_steps();
        }
        self.system = with_bank(&self.system, bank);
    }

    /// What fired in this instant was of the old code.
    fn forget_fired(&mut self, program: u16) {
        let mut seen = NONE;
        loop {
            let slot = self.fired.after(self.bindings, seen);
            let Some(binding) = self.bindings.get(slot as usize) else {
                return;
            };
            if binding.program != program {
                seen = slot;
                continue;
            }
            self.fired.remove_after(self.bindings, seen);
            self.free_bindings.push(self.bindings, slot);
        }
    }
}

/// The system with the tables of microcode of another bank.
pub fn with_bank<'a>(system: &System<'a>, bank: &Bank<'a>) -> System<'a> {
    System {
        programs: bank.programs,
        instructions: bank.instructions,
        predicates: bank.predicates,
        durations: bank.durations,
        ..*system
    }
}

//! The invariants of the machine, checked after each step in tests.

use giornata_abi::id::NONE;

use crate::chain::{Chain, Link};
use crate::machine::Machine;

impl Machine<'_> {
    /// Checks the machine's tables against its invariants; the answer names
    /// one that does not hold. O(slots²).
    pub fn check_invariants(&self) -> Result<(), &'static str> {
        let bindings = [self.queue, self.fired, self.free_bindings];
        if !stand_in_one_chain(self.bindings, &bindings) {
            return Err("every binding slot stands in exactly one chain");
        }
        if !stand_in_one_chain(self.threads, &[self.set, self.free_threads]) {
            return Err("every thread slot stands in exactly one chain");
        }
        self.check_queue()?;
        self.check_set()?;
        if self.open {
            self.check_open()
        } else {
            self.check_settled()
        }
    }

    fn check_queue(&self) -> Result<(), &'static str> {
        let (mut watching, mut slot) = (0, self.queue.after(self.bindings, NONE));
        while let Some(binding) = self.bindings.get(slot as usize) {
            match binding.due() {
                None => watching += 1,
                Some(due) if !self.open && due.nanos < self.horizon.0 => {
                    return Err("no time trigger is due before the horizon");
                }
                Some(_) => {}
            }
            if self.entry(binding.program).is_none() {
                return Err("every queued binding has a program");
            }
            slot = self.queue.after(self.bindings, slot);
        }
        if watching + self.attentive as u16 == self.watching {
            Ok(())
        } else {
            Err("event triggers in the queue are counted, and attention")
        }
    }

    fn check_set(&self) -> Result<(), &'static str> {
        for (program, state) in self.programs.iter().enumerate() {
            let (mut threads, mut slot) = (0, self.set.after(self.threads, NONE));
            while let Some(thread) = self.threads.get(slot as usize) {
                threads += (thread.program as usize == program) as u16;
                slot = self.set.after(self.threads, slot);
            }
            if threads != state.threads {
                return Err("a program's instances in the thread set are counted");
            }
            if !self.open && state.governed != (threads > 0) {
                return Err(
                    "a program is governed exactly if it has an instance in the thread set",
                );
            }
        }
        Ok(())
    }

    fn check_open(&self) -> Result<(), &'static str> {
        if self.block.program == NONE && (self.block.handler || self.block.outer_pc != NONE) {
            return Err("only a block that runs interrupts another");
        }
        if self.block.outer_pc != NONE && !self.block.handler {
            return Err("only a handler interrupts a block");
        }
        Ok(())
    }

    fn check_settled(&self) -> Result<(), &'static str> {
        if self.block.program != NONE {
            return Err("no block runs when settled");
        }
        let mut slot = self.set.after(self.threads, NONE);
        while self
            .threads
            .get(slot as usize)
            .is_some_and(|t| t.task == NONE)
        {
            slot = self.set.after(self.threads, slot);
        }
        let oldest = self.threads.get(slot as usize).map_or(NONE, |t| t.task);
        if oldest == self.running {
            Ok(())
        } else {
            Err("the oldest instance that dispatches has the hart when settled")
        }
    }
}

/// Whether each slot of the table stands in exactly one of the chains.
fn stand_in_one_chain<T: Link>(slots: &[T], chains: &[Chain]) -> bool {
    let mut total = 0;
    for chain in chains {
        let (mut slot, mut length) = (chain.after(slots, NONE), 0);
        while slot != NONE {
            length += 1;
            if length > slots.len() || slot as usize >= slots.len() {
                return false;
            }
            total += 1;
            if chain.after(slots, slot) == NONE && chain.last() != slot {
                return false;
            }
            slot = chain.after(slots, slot);
        }
    }
    total == slots.len() && (0..slots.len()).all(|slot| count(slots, chains, slot as u16) == 1)
}

fn count<T: Link>(slots: &[T], chains: &[Chain], wanted: u16) -> usize {
    let mut found = 0;
    for chain in chains {
        let mut slot = chain.after(slots, NONE);
        while slot != NONE {
            found += (slot == wanted) as usize;
            slot = chain.after(slots, slot);
        }
    }
    found
}

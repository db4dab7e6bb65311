//! The microcode interpreter of Algorithm 2, one instruction at a time.

use giornata_abi::id::NONE;
use giornata_abi::instruction::{Instruction, Opcode};
use giornata_abi::system::ProgramEntry;
use giornata_abi::trace::Violation;
use giornata_abi::{Predicate, PredicateKind};

use crate::host::Host;
use crate::machine::{Machine, Purpose};
use crate::predicates::{Truth, due, lookup, round, state_of};
use crate::program::{pick, resolve};
use crate::thread::SThread;
use crate::trigger::Binding;

impl<'a> Machine<'a> {
    /// Executes the block that runs, at most `left` instructions of it; answers
    /// how many are left. They are counted against the module's bound.
    pub(crate) fn execute(&mut self, host: &mut impl Host, entry: &ProgramEntry, left: u32) -> u32 {
        let program = self.block.program;
        let code = self.code(entry);
        let state = self.programs.get_mut(program as usize);
        let granted = state.map_or(left, |s| s.steps_left(self.serial, entry.max_steps));
        if granted == 0 {
            self.exceed(host, code);
            return left - 1;
        }
        let most = left.min(granted);
        let mut unused = most;
        while unused > 0 && self.block.program == program && self.upcall.is_none() {
            unused -= 1;
            match code.get(self.block.pc as usize) {
                Some(instruction) => self.step(host, entry, instruction),
                None => self.end_block(),
            }
            if host.is_interrupted() {
                break;
            }
        }
        if let Some(state) = self.programs.get_mut(program as usize) {
            state.count_steps(most - unused);
        }
        left - (most - unused)
    }

    /// A block wants a step beyond the module's bound: it is abandoned. The
    /// handler, once an instant, has the bound anew.
    #[cold]
    #[inline(never)]
    fn exceed(&mut self, host: &mut impl Host, code: &[Instruction]) {
        if code.get(self.block.pc as usize).is_none() {
            return self.end_block();
        }
        let state = self.programs.get_mut(self.block.program as usize);
        let has_more = !self.block.handler && state.is_some_and(|state| state.grant_again());
        self.abandon(host, !has_more);
    }

    pub(crate) fn code(&self, entry: &ProgramEntry) -> &'a [Instruction] {
        let start = entry.code as usize;
        let code = self.system.instructions.get(start..);
        let code = code.and_then(|code| code.get(..entry.code_length as usize));
        code.unwrap_or(&[])
    }

    /// Executes one instruction. O(1), except `future` of a trigger other than
    /// time: O(bindings).
    #[inline(always)]
    fn step(&mut self, host: &mut impl Host, entry: &ProgramEntry, instruction: &Instruction) {
        let &Instruction {
            opcode, a, b, c, ..
        } = instruction;
        self.block.pc = self.block.pc.wrapping_add(1);
        if opcode == Opcode::Release as u8 {
            // most of what runs, so it is found without a table of jumps
            return self.release(host, entry, a, b);
        }
        match Opcode::from_code(opcode) {
            Some(Opcode::Return | Opcode::Release) | None => self.end_block(),
            Some(Opcode::Call) => {
                let driver = resolve(self.system.links, entry.drivers, a);
                if driver != NONE {
                    self.call_driver(host, driver, self.block.program, Purpose::Call);
                }
            }
            Some(Opcode::Future) => self.future(host, entry, a, b),
            Some(Opcode::Dispatch) => self.dispatch(host, entry, a, b, c),
            Some(Opcode::Idle) => self.wait(host, entry, NONE, a, self.block.pc),
            Some(Opcode::Fork) => self.fork(host, a),
            Some(Opcode::Jump) => self.block.pc = a,
            Some(Opcode::Branch) => self.branch(host, a, b),
        }
    }

    /// Ends a block that needs more than there is: an overrun of the module.
    fn abandon(&mut self, host: &mut impl Host, default_only: bool) {
        let program = self.block.program;
        if default_only {
            self.block.handler = true; // no handler runs now
        } else {
            self.end_block();
        }
        self.violate(host, program, Violation::Overrun, NONE, NONE);
        if default_only {
            self.end_block();
        }
    }

    fn release(&mut self, host: &mut impl Host, entry: &ProgramEntry, task: u16, deadline: u16) {
        let task = self.task(entry, task);
        let Some(relative) = pick(self.system.durations, entry.durations, deadline) else {
            return;
        };
        if task == NONE {
            return;
        }
        let (block, denominator) = (&self.block, entry.denominator);
        if host.is_released(task) {
            return self.violate(host, block.program, Violation::TimeSafety, task, NONE);
        }
        let absolute = block
            .clock
            .plus(relative.nanos, relative.remainder, denominator);
        host.release(task, block.now, round(absolute, denominator));
        self.touch();
    }

    fn future(&mut self, host: &mut impl Host, entry: &ProgramEntry, predicate: u16, address: u16) {
        let Some(trigger) = lookup(self.system.predicates, entry, predicate) else {
            return;
        };
        let program = self.block.program;
        let slot = if trigger.kind == PredicateKind::After as u8 && trigger.value > 0 {
            let due = due(trigger, self.block.clock, entry.denominator);
            let slot = self.append_timed(program, predicate, address, due);
            if slot != NONE {
                host.arm(slot, round(due, entry.denominator));
            }
            slot
        } else {
            let state = state_of(host, self.system.links, entry, trigger);
            self.append_event(Binding::on_event(program, predicate, address, state))
        };
        if slot == NONE {
            self.violate(host, program, Violation::Overrun, NONE, NONE);
        }
    }

    /// Appends a binding that is not for a time. If its pair fired in this
    /// instant, it waits for a later one. O(bindings).
    #[inline(never)]
    fn append_event(&mut self, mut binding: Binding) -> u16 {
        if let Some(before) = self.find_fired(&binding) {
            let slot = self.fired.remove_after(self.bindings, before);
            self.free_bindings.push(self.bindings, slot);
            binding.spent = self.serial;
        } else if self.pair_is_spent(&binding) {
            binding.spent = self.serial;
        }
        self.append_watching(binding)
    }

    /// The slot before the fired binding of this pair.
    fn find_fired(&self, pair: &Binding) -> Option<u16> {
        let mut seen = NONE;
        loop {
            let slot = self.fired.after(self.bindings, seen);
            if self.bindings.get(slot as usize)?.same_pair(pair) {
                return Some(seen);
            }
            seen = slot;
        }
    }

    /// Whether a binding of this pair waits for a later instant.
    fn pair_is_spent(&self, pair: &Binding) -> bool {
        let mut slot = self.queue.after(self.bindings, NONE);
        while let Some(binding) = self.bindings.get(slot as usize) {
            if binding.spent == self.serial && binding.same_pair(pair) {
                return true;
            }
            slot = self.queue.after(self.bindings, slot);
        }
        false
    }

    fn dispatch(
        &mut self,
        host: &mut impl Host,
        entry: &ProgramEntry,
        task: u16,
        timeout: u16,
        address: u16,
    ) {
        let task = self.task(entry, task);
        if task != NONE && host.is_released(task) {
            self.wait(host, entry, task, timeout, address);
        }
    }

    /// Leaves an instance of this thread in the thread set, and the processor to others.
    #[inline(never)]
    fn wait(
        &mut self,
        host: &mut impl Host,
        entry: &ProgramEntry,
        task: u16,
        timeout: u16,
        expired: u16,
    ) {
        let Some(predicate) = lookup(self.system.predicates, entry, timeout) else {
            return self.end_block();
        };
        let thread = SThread {
            reference: self.block.reference,
            state: state_of(host, self.system.links, entry, predicate),
            program: self.block.program,
            task,
            timeout,
            completed: self.block.pc,
            expired,
            ..SThread::EMPTY
        };
        let slot = self.insert(thread);
        if slot == NONE {
            return self.abandon(host, self.block.handler);
        }
        self.arm_timeout(host, entry, predicate, slot);
        self.end_block();
    }

    fn arm_timeout(
        &mut self,
        host: &mut impl Host,
        entry: &ProgramEntry,
        timeout: &Predicate,
        slot: u16,
    ) {
        if timeout.kind() != Some(PredicateKind::After) {
            return;
        }
        let due = due(timeout, self.block.reference, entry.denominator);
        let due = round(due, entry.denominator);
        let timer = self.timer(slot);
        if let Some(thread) = self
            .threads
            .get_mut(slot as usize)
            .filter(|_| due > self.instant)
        {
            thread.armed = true;
            host.arm(timer, due);
        }
    }

    #[inline(never)]
    fn fork(&mut self, host: &mut impl Host, address: u16) {
        let thread = SThread {
            reference: self.block.clock,
            program: self.block.program,
            expired: address,
            ..SThread::EMPTY
        };
        if self.insert(thread) == NONE {
            self.violate(host, self.block.program, Violation::Overrun, NONE, NONE);
        }
    }

    /// Adds an instance to the thread set; answers its slot, NONE if none is free.
    #[inline(never)]
    fn insert(&mut self, thread: SThread) -> u16 {
        let slot = self.free_threads.pop(self.threads);
        if let Some(place) = self.threads.get_mut(slot as usize) {
            let program = thread.program;
            *place = thread;
            self.set.push(self.threads, slot);
            self.join_set(program);
        }
        slot
    }

    #[inline(never)]
    fn branch(&mut self, host: &mut impl Host, test: u16, address: u16) {
        match self.truth(host, self.block.program, test, self.block.reference, 0) {
            Truth::True => self.block.pc = address,
            Truth::False => {}
            Truth::Ask(driver) => {
                self.call_driver(host, driver, self.block.program, Purpose::Branch(address))
            }
        }
    }
}

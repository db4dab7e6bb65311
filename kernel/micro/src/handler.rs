//! Violations: the default action is the caller's; here is the report, and
//! the handler block that the program names.
//!
//! A violation inside a block runs its handler at once, as a call of one
//! level: `return` resumes the block. A violation that the kernel raises
//! waits until no block runs. Inside a handler there is the default only.

use giornata_abi::id::NONE;
use giornata_abi::trace::Violation;
use giornata_abi::{Instant, LogicalTime};

use crate::host::{Host, Report};
use crate::machine::{Machine, Phase};
use crate::program::locate;

/// Most violations that wait for their handlers; more get the default only.
const WAITING: usize = 8;

/// A violation whose handler has not run yet.
#[derive(Clone, Copy, Debug)]
struct Raised {
    /// NONE: its program was stopped.
    program: u16,
    violation: Violation,
    /// NONE: no task is involved.
    task: u16,
    /// NONE: no driver is involved.
    driver: u16,
}

impl Raised {
    /// What the host is told of it.
    fn report(&self, handled: bool, instant: Instant) -> Report {
        let some = |index| (index != NONE).then_some(index);
        Report {
            program: self.program,
            violation: self.violation,
            handled,
            instant,
            task: some(self.task),
            driver: some(self.driver),
        }
    }
}

/// The violations whose handlers wait, a ring.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    entries: [Raised; WAITING],
    first: u8,
    count: u8,
}

impl Pending {
    pub(crate) const EMPTY: Pending = Pending {
        entries: [Raised {
            program: NONE,
            violation: Violation::TimeSafety,
            task: NONE,
            driver: NONE,
        }; WAITING],
        first: 0,
        count: 0,
    };

    fn push(&mut self, raised: Raised) -> bool {
        let free = self.count < WAITING as u8;
        let last = (self.first + self.count) as usize % WAITING;
        if let Some(entry) = self.entries.get_mut(last).filter(|_| free) {
            *entry = raised;
            self.count += 1;
        }
        free
    }

    fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn pop(&mut self) -> Option<Raised> {
        self.count = self.count.checked_sub(1)?;
        let first = self.first as usize % WAITING;
        self.first = (first as u8 + 1) % WAITING as u8;
        self.entries.get(first).copied()
    }

    pub(crate) fn drop_program(&mut self, program: u16) {
        for raised in &mut self.entries {
            if raised.program == program {
                raised.program = NONE;
            }
        }
    }
}

impl Machine<'_> {
    /// Reports a violation that the kernel found (a job overrun, a process
    /// fault), after its default action, and has the program's handler run in
    /// this instant, which it opens again if it has settled. At most 8
    /// handlers wait at a time; a violation beyond them counts as not handled.
    /// The caller runs the machine afterwards. O(1).
    pub fn raise(
        &mut self,
        host: &mut impl Host,
        program: u16,
        violation: Violation,
        task: Option<u16>,
        driver: Option<u16>,
    ) {
        let raised = Raised {
            program,
            violation,
            task: task.unwrap_or(NONE),
            driver: driver.unwrap_or(NONE),
        };
        let handled = self.handler_of(program, violation) != NONE && self.pending.push(raised);
        host.report(raised.report(handled, self.instant));
        if !self.open {
            self.look();
        }
    }

    /// Reports a violation of what runs, and calls the program's handler. The
    /// task and the driver involved are NONE where there is none.
    #[cold]
    #[inline(never)]
    pub(crate) fn violate(
        &mut self,
        host: &mut impl Host,
        program: u16,
        violation: Violation,
        task: u16,
        driver: u16,
    ) {
        let raised = Raised {
            program,
            violation,
            task,
            driver,
        };
        let handled = !self.block.handler && self.handler_of(program, violation) != NONE;
        host.report(raised.report(handled, self.now()));
        if handled {
            self.call_handler(host, &raised);
        }
    }

    /// Starts the next handler that waits; whether there was one.
    pub(crate) fn start_pending_handler(&mut self, host: &mut impl Host) -> bool {
        !self.pending.is_empty() && self.start_first_pending(host)
    }

    #[cold]
    #[inline(never)]
    fn start_first_pending(&mut self, host: &mut impl Host) -> bool {
        let raised = self.pending.pop();
        if let Some(raised) = &raised {
            self.call_handler(host, raised);
        }
        raised.is_some()
    }

    /// Ends the block; the block that it interrupted goes on, if any.
    pub(crate) fn end_block(&mut self) {
        let block = &mut self.block;
        if block.outer_pc == NONE {
            block.program = NONE;
            block.handler = false;
        } else {
            block.pc = core::mem::replace(&mut block.outer_pc, NONE);
            block.reference = block.outer_reference;
            block.handler = false;
        }
    }

    /// Ends what runs, handlers and all.
    pub(crate) fn drop_block(&mut self) {
        self.block.outer_pc = NONE;
        self.end_block();
    }

    #[inline(never)]
    fn call_handler(&mut self, host: &mut impl Host, raised: &Raised) {
        let now = self.now();
        let Some(entry) = self.entry(raised.program) else {
            return;
        };
        let links = self.system.links;
        let involved = [
            (
                entry.violation_task,
                locate(links, entry.tasks, raised.task),
            ),
            (
                entry.violation_driver,
                locate(links, entry.drivers, raised.driver),
            ),
        ];
        for (port, local) in involved {
            if port != NONE {
                host.set_port(port, local as u64, now);
            }
        }
        self.touch();
        self.enter_handler(
            raised.program,
            self.handler_of(raised.program, raised.violation),
            now,
        );
    }

    fn enter_handler(&mut self, program: u16, address: u16, now: Instant) {
        let block = &mut self.block;
        if block.program == NONE {
            (block.clock, block.now) = (LogicalTime::at(now), now);
        } else {
            block.outer_pc = block.pc;
            block.outer_reference = block.reference;
        }
        (block.program, block.pc) = (program, address);
        block.reference = block.clock;
        block.handler = true;
        self.enter(Phase::Completions);
    }

    /// The program's handler block for this kind; NONE = the default only.
    fn handler_of(&self, program: u16, violation: Violation) -> u16 {
        let handlers = self.entry(program).map(|p| p.handlers);
        handlers
            .and_then(|h| h.get(violation as usize).copied())
            .unwrap_or(NONE)
    }
}

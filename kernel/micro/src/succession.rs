//! The commonest thing that S code does, without the event loop: the task that
//! it dispatched completed, and it dispatches the next, or idles.
//!
//! Where one instance is all that the thread set holds and nothing but time is
//! waited for besides, an instant at which its task completes can enable nothing
//! else. So what the event loop would come to is what the code says from there
//! on, up to the next instruction that waits. It is found out first and carried
//! out then; where it is anything else, nothing has happened, and the event loop
//! does it.

use giornata_abi::id::NONE;
use giornata_abi::instruction::{Instruction, Opcode};
use giornata_abi::system::ProgramEntry;
use giornata_abi::{Instant, PredicateKind};

use crate::host::Host;
use crate::machine::Machine;
use crate::predicates::lookup;
use crate::program::resolve;

/// Instructions that are looked at.
const MOST: u32 = 8;

/// What an instance waits for next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Succession {
    slot: u16,
    program: u16,
    /// The task that it dispatches; NONE: it idles.
    pub task: u16,
    timeout: u16,
    completed: u16,
    expired: u16,
    steps: u32,
}

impl Machine<'_> {
    /// What the code does when the dispatched task has completed; `None` where
    /// the event loop must find out. Changes nothing. O(1).
    #[inline(never)] // only where there is S code
    pub fn succession(&self, host: &impl Host, task: u16) -> Option<Succession> {
        let slot = self.set.last();
        let thread = self.threads.get(slot as usize)?;
        let is_alone = self.set.is_single() && self.watching == 0 && !self.open;
        if !is_alone || thread.task != task || thread.armed || self.running != task {
            return None;
        }
        let program = thread.program;
        let entry = self.entry(program)?;
        let released = |other: u16| other != task && host.is_released(other);
        let code = self.code(entry);
        let mut pc = thread.completed;
        let most = MOST.min(entry.max_steps);
        for steps in 1..=most {
            let &Instruction {
                opcode, a, b, c, ..
            } = code.get(pc as usize)?;
            pc = pc.wrapping_add(1);
            let (task, timeout, expired) = match Opcode::from_code(opcode)? {
                Opcode::Dispatch => match self.task(entry, a) {
                    next if next != NONE && released(next) => (next, b, c),
                    _ => continue,
                },
                Opcode::Idle => (NONE, a, pc),
                Opcode::Jump => {
                    pc = a;
                    continue;
                }
                _ => return None,
            };
            self.will_wait(entry, timeout, released)?;
            return Some(Succession {
                slot,
                program,
                task,
                timeout,
                completed: pc,
                expired,
                steps,
            });
        }
        None
    }

    /// Whether a timeout has neither expired nor anything to do with time or ports.
    fn will_wait(
        &self,
        entry: &ProgramEntry,
        timeout: u16,
        released: impl Fn(u16) -> bool,
    ) -> Option<()> {
        let timeout = lookup(self.system.predicates, entry, timeout)?;
        let waits = match timeout.kind()? {
            PredicateKind::Never => true,
            PredicateKind::Released => {
                let task = resolve(self.system.links, entry.tasks, timeout.subject);
                task == NONE || !released(task)
            }
            _ => false,
        };
        waits.then_some(())
    }

    /// Carries out a succession at the instant of the completion. The caller
    /// forbids the task that completed, and permits the next. O(1).
    pub fn succeed(&mut self, succession: &Succession, instant: Instant) {
        self.count_instant(instant);
        let Succession {
            slot,
            program,
            task,
            timeout,
            completed,
            expired,
            steps,
        } = *succession;
        if let Some(thread) = self.threads.get_mut(slot as usize) {
            (thread.task, thread.timeout, thread.state) = (task, timeout, 0);
            (thread.completed, thread.expired) = (completed, expired);
            (thread.spent, thread.reported) = (0, false);
        }
        if let Some(state) = self.programs.get_mut(program as usize) {
            state.steps_left(self.serial, 0);
            state.count_steps(steps);
        }
        (self.running, self.running_program) = match task {
            NONE => (NONE, NONE),
            _ => (task, program),
        };
    }
}

//! Instructions of the block that runs.

use giornata_abi::trace::Violation;

use crate::micro::cause::Truth;
use crate::micro::{Code, Op, Program, Step, Task, Trigger, mode};
use crate::{Machine, Ref, System};

impl System {
    /// The next instruction of the block; at its end the block that it interrupted, or none.
    #[inline(never)]
    pub(super) fn instruction<M: Machine>(&self, program: Ref<Program>) {
        let micro = &self.micro;
        let code = micro.code.get();
        let [op, rest @ ..] = code else {
            return self.end_block();
        };
        let op = op.get();
        if program.bound.get() != 0 && !self.counts(program) {
            return self.exceed::<M>(program);
        }
        micro.code.set(rest);
        let has_slots = match op {
            Op::Return => return self.end_block(),
            Op::Call(driver) => {
                if driver.is_not_short != 0 || !self.call_short::<M>(driver) {
                    self.call_driver::<M>(driver, program);
                }
                return;
            }
            Op::Copies(run) => {
                return micro
                    .code
                    .set(self.copy_run::<M>(run, rest).unwrap_or(code));
            }
            Op::Release(release) => {
                if !self.release_any::<M>(release, program) {
                    micro.code.set(code);
                }
                return;
            }
            Op::Jump(step) => return micro.code.set(step.code.get()),
            Op::Branch(step) => return self.branch::<M>(step, program),
            Op::Future(step) => self.take_trigger(program).is_some_and(|trigger| {
                trigger.code.set(step.code.get());
                self.activate::<M>(trigger, step.wait.get());
                true
            }),
            Op::Dispatch(step) => match step.task.get() {
                Some(task) if task.is_released() => self.suspend::<M>(step, Some(task)),
                _ => true,
            },
            Op::Idle(step) => self.suspend::<M>(step, None),
            Op::Fork(step) => self.join_set::<M>(None, step, step.code.get(), None),
        };
        if !has_slots {
            self.violate::<M>(program, Violation::Overrun, None, None);
        }
    }

    /// The block ends: the one that it interrupted goes on.
    #[inline(never)]
    fn end_block(&self) {
        let micro = &self.micro;
        self.end_s_thread();
        if micro.handling.replace(0) == 2 {
            micro.code.set(micro.outer.get());
            return micro.s_thread.set(micro.outer_thread.take());
        }
        micro.program.set(None);
        if micro.ripe.get() != 0 {
            self.unsettle();
        }
        if let Some(unused) = micro.unused.take() {
            self.free_trigger(unused);
        }
    }

    /// The thread of S code that runs, if one does, has come to its end.
    #[inline(never)]
    fn end_s_thread(&self) {
        let Some(thread) = self.micro.s_thread.take() else {
            return;
        };
        self.disarm_trigger(thread);
        let program = thread.program;
        program.threads.set(program.threads.get().wrapping_sub(1));
        self.unsettle();
        self.free_trigger(thread);
    }

    /// Counts an instruction. Whether there is a step left for it.
    fn counts(&self, program: Ref<Program>) -> bool {
        let count = self.micro.count.get();
        if program.counted.replace(count) != count {
            program.steps.set(0);
            program.exceeded.set(0);
        }
        let steps = program.steps.get();
        program.steps.set(steps.wrapping_add(1));
        steps < program.bound.get()
    }

    /// A block wants a step beyond its program's bound: it ends. The handler, once an
    /// instant, has the bound anew.
    #[inline(never)]
    fn exceed<M: Machine>(&self, program: Ref<Program>) {
        let micro = &self.micro;
        self.end_s_thread();
        micro.code.set(&[]);
        let again = micro.handling.get() == 0 && program.exceeded.replace(1) == 0;
        program
            .steps
            .set(if again { 0 } else { program.bound.get() });
        match again {
            true => micro.program.set(None),
            // (no handler runs for it)
            false => micro.handling.set(micro.handling.get().max(1)),
        }
        self.violate::<M>(program, Violation::Overrun, None, None);
        // (at the end of its code what runs ends)
        micro.program.set(Some(program));
    }

    /// Goes elsewhere if a test holds.
    #[inline(never)]
    fn branch<M: Machine>(&self, step: Ref<Step>, program: Ref<Program>) {
        let micro = &self.micro;
        let wait = step.wait.get();
        let time = match micro.s_thread.get() {
            Some(thread) => self.time_of(thread, wait),
            None => self.after_now::<M>(wait, program),
        };
        match self.evaluate::<M>(wait, 0, time) {
            Truth::True => micro.code.set(step.code.get()),
            Truth::False => {}
            Truth::Ask => {
                micro.target.set(step.code.get());
                micro
                    .branches
                    .set(self.ask_upcall::<M>(wait, program) as u32);
            }
        }
    }

    /// Leaves the thread of S code that runs, or a new one, in the thread set.
    #[inline(never)]
    fn suspend<M: Machine>(&self, step: Ref<Step>, task: Option<Ref<Task>>) -> bool {
        let micro = &self.micro;
        let code = match task {
            Some(_) => step.code.get(),
            None => micro.code.get(),
        };
        let is_in_set = self.join_set::<M>(micro.s_thread.take(), step, code, task);
        micro.code.set(&[]);
        is_in_set
    }

    /// Leaves a thread of S code in the thread set, `thread` or a new one: it goes on with
    /// what comes next when its task completes, with `code` when its timeout expires.
    /// False: there is no free one.
    #[inline(never)]
    fn join_set<M: Machine>(
        &self,
        thread: Option<Ref<Trigger>>,
        step: Ref<Step>,
        code: Code,
        task: Option<Ref<Task>>,
    ) -> bool {
        let Some(program) = self.micro.program.get() else {
            return false;
        };
        let waiting = match thread {
            Some(thread) => thread,
            None => {
                let Some(new) = self.take_free(None, &program.free[1]) else {
                    return false;
                };
                new.set(mode::S_THREAD);
                new.reference
                    .set(self.exact_now::<M>(), self.micro.rest.get());
                program.threads.set(program.threads.get().wrapping_add(1));
                self.unsettle();
                new
            }
        };
        waiting.then.set(self.micro.code.get());
        waiting.code.set(code);
        waiting.clear(mode::COMPLETED | mode::REPORTED);
        self.activate::<M>(waiting, step.wait.get());
        if let Some(task) = task {
            self.join_dispatchers(waiting, task);
        }
        true
    }
}

//! Violations: the default action is the caller's; here is the report, and the
//! handler that the program names.
//!
//! A violation of what runs calls its handler at once; one that the kernel raises
//! waits until no block runs. Inside a handler there is the default only.

use giornata_abi::ring::{Kind, NONE, head};
use giornata_abi::trace::Violation;

use crate::micro::cause::{set_wide, wide};
use crate::micro::{Code, Driver, Port, Program, Task, Trigger, block, mode};
use crate::{Machine, Ref, System};

impl System {
    /// A violation of what runs; the handler runs next.
    #[inline(never)]
    pub(super) fn violate<M: Machine>(
        &self,
        program: Ref<Program>,
        violation: Violation,
        task: Option<Ref<Task>>,
        driver: Option<Ref<Driver>>,
    ) {
        let micro = &self.micro;
        let code = program.block(block::HANDLERS + violation as usize);
        let handled = !code.is_empty() & (micro.handling.get() == 0);
        let involved = self.report::<M>(program, violation, task, driver, handled);
        if !handled {
            return;
        }
        micro.handling.set(1);
        if micro.program.get().is_some() {
            micro.handling.set(2);
            micro.outer.set(micro.code.get());
            micro.outer_thread.set(micro.s_thread.take());
        }
        self.begin_code(program, code);
        self.tell_handler::<M>(program, involved);
    }

    /// A violation that the kernel found, after its default action. The handler runs at
    /// this instant when no block does, if the program has a free trigger for it.
    #[inline(never)]
    pub(super) fn raise<M: Machine>(&self, violation: Violation, task: Ref<Task>, at: u32) {
        let program = task.group.program;
        let code = program.block(block::HANDLERS + violation as usize);
        let trigger = match code.is_empty() {
            true => None,
            false => self.take_free(None, &program.free[0]),
        };
        let involved = self.report::<M>(program, violation, Some(task), None, trigger.is_some());
        if let Some(trigger) = trigger {
            trigger.set(mode::HANDLER);
            trigger.code.set(code);
            set_wide(&trigger.state, involved);
            self.latch(trigger, at);
        }
    }

    /// Counts and records a violation. Returns what its handler calls the task (low word) and the
    /// driver.
    #[inline(never)]
    fn report<M: Machine>(
        &self,
        program: Ref<Program>,
        violation: Violation,
        task: Option<Ref<Task>>,
        driver: Option<Ref<Driver>>,
        handled: bool,
    ) -> u64 {
        const NOBODY: (u32, u32) = (NONE as u32, NONE as u32);
        let (task, local_task) = task.map_or(NOBODY, |task| {
            task.violations.set(task.violations.get().wrapping_add(1));
            (task.thread.number(), task.number)
        });
        let (driver, local_driver) = driver.map_or(NOBODY, |driver| (driver.number, driver.local));
        let label = head(Kind::Violation, 0, program.number as u16);
        let how = violation as u32 | (handled as u32) << 8;
        self.note_instantly::<M>(label, how, task | driver << 16);
        (local_driver as u64) << 32 | local_task as u64
    }

    /// Tells a handler who was involved.
    #[inline(never)]
    fn tell_handler<M: Machine>(&self, program: Ref<Program>, involved: u64) {
        let [task, driver] = program.involved;
        self.tell_port::<M>(task, involved as u32);
        self.tell_port::<M>(driver, (involved >> 32) as u32);
    }

    #[inline(never)]
    fn tell_port<M: Machine>(&self, port: Option<Ref<Port>>, value: u32) {
        if let Some(port) = port {
            self.put_words::<M>(port, 0, value, 0);
            self.written::<M>(port, self.micro.instant.get());
        }
    }

    /// The same for a handler whose trigger remembers who was involved.
    pub(super) fn begin_handler<M: Machine>(&self, trigger: Ref<Trigger>) {
        self.micro.handling.set(1);
        self.tell_handler::<M>(trigger.program, wide(&trigger.state));
    }
}

impl Program {
    /// Its code for a purpose; empty: there is none.
    #[inline(never)]
    pub(super) fn block(&self, which: usize) -> Code {
        match self.code.get(which) {
            Some(code) => code.get(),
            None => &[],
        }
    }
}

//! The kernel as the E/S machine sees it.

use crate::core_state::Core;
use crate::dispatch::{End, beginning};
use crate::hardware::Hardware;
use crate::thread::State;
use giornata_abi::id::NONE;
use giornata_abi::trace::TraceKind;
use giornata_abi::{Duration, Instant, Ticks, ValueType};
use giornata_micro::{Called, Host, Report};

impl<H: Hardware> Core<'_, H> {
    /// The agenda's event of a timer of microcode.
    fn timer_event(&self, timer: u16) -> u16 {
        self.threads.len().saturating_add(timer)
    }

    /// Tells a task of its job through its control page: `id` is its number with
    /// its generation above.
    #[inline(always)]
    fn announce_job(&mut self, task: u16, id: u32, job: u32, release: Instant, deadline: Instant) {
        let high = |instant: Instant| (instant.0 >> 32) as u32;
        let words = [
            id,
            job,
            release.0 as u32,
            high(release),
            deadline.0 as u32,
            high(deadline),
        ];
        self.hardware.store_job(task, words);
    }
}

impl<H: Hardware> Host for Core<'_, H> {
    #[inline(always)] // of each release
    fn is_released(&self, task: u16) -> bool {
        self.threads.at(task).is_busy()
    }

    fn conflict(&self, driver: u16) -> Option<u16> {
        let entry = self.system.drivers.get(driver as usize)?;
        self.links(entry.conflicts)
            .iter()
            .copied()
            .find(|task| self.is_released(*task))
    }

    fn call(&mut self, driver: u16, instant: Instant) -> Called {
        self.instant = instant;
        self.call_driver(driver)
    }

    fn release(&mut self, task: u16, instant: Instant, deadline: Instant) {
        let entry = self.thread_entry(task);
        let alive = self.processes.at(entry.process).is_alive();
        let left = match entry.budget {
            0 => Ticks(u64::MAX),
            budget => self.timebase.span(Duration(budget)),
        };
        let record = self.threads.at_mut(task);
        record.job = record.job.wrapping_add(1);
        record.deadline = deadline;
        record.spent_before = record.spent;
        record.left = left;
        record.priority = entry.priority;
        record.stopped = !alive;
        let (job, id) = (record.job, (record.generation as u32) << 16 | task as u32);
        self.has_stopped |= !alive;
        self.trace(TraceKind::Release, task, job, instant.0, deadline.0);
        if alive {
            self.announce_job(task, id, job, instant, deadline);
            self.hardware.start(task, beginning(entry));
            self.make_ready(task, End::Tail);
        }
    }

    fn port_type(&self, port: u16) -> ValueType {
        self.value_type(port)
    }

    fn port_value(&self, port: u16) -> u64 {
        self.arena_value(port)
    }

    fn port_version(&self, port: u16) -> u32 {
        self.ports.at(port).version
    }

    fn set_port(&mut self, port: u16, value: u64, instant: Instant) {
        self.write_scalar(port, value, instant);
    }

    fn has_message(&self, _mailbox: u16) -> bool {
        // a system has no mailboxes yet: the builder binds none
        false
    }

    fn arm(&mut self, timer: u16, at: Instant) {
        let event = self.timer_event(timer);
        self.agenda.insert(event, at);
    }

    fn disarm(&mut self, timer: u16) {
        let event = self.timer_event(timer);
        self.agenda.remove(event);
    }

    fn govern(&mut self, program: u16, governed: bool) {
        let Some(entry) = self.system.programs.get(program as usize) else {
            return;
        };
        for task in self.links(entry.tasks) {
            self.threads.at_mut(*task).governed = governed;
            self.reconsider(*task);
        }
    }

    fn permit(&mut self, task: u16, permitted: bool) {
        self.threads.at_mut(task).permitted = permitted;
        self.reconsider(task);
    }

    #[inline(always)]
    fn is_interrupted(&mut self) -> bool {
        self.hardware.is_interrupted()
    }

    fn report(&mut self, report: Report) {
        let detail = report.violation as u32 | (report.handled as u32) << 8;
        let (task, driver) = (report.task.unwrap_or(NONE), report.driver.unwrap_or(NONE));
        let y = task as u64 | (driver as u64) << 16;
        self.trace(
            TraceKind::Violation,
            report.program,
            detail,
            report.instant.0,
            y,
        );
    }
}

impl<H: Hardware> Core<'_, H> {
    /// Moves a released task between ready and held as S code now says.
    fn reconsider(&mut self, task: u16) {
        let record = self.threads.at(task);
        let may_run = !record.governed || record.permitted;
        match (record.state, may_run) {
            (State::Ready, false) => self.suspend(task, State::Held),
            (State::Held, true) => self.make_ready(task, End::Tail),
            _ => {}
        }
    }
}

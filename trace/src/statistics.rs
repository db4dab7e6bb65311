//! What a trace adds up to.

use giornata_abi::time::Timebase;
use giornata_abi::{Duration, Instant, Ticks};
use giornata_system::NameMap;

use crate::event::{Breach, Content, Event, UpcallStep};
use crate::fault::clean;
use crate::port::{Assembly, Write};
use crate::standing::Standing;

/// Largest, smallest and total of a series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    /// Members.
    pub count: u64,
    /// Smallest; 0 without members.
    pub least: u64,
    /// Largest; 0 without members.
    pub most: u64,
    /// Sum.
    pub total: u64,
}

impl Spread {
    /// Adds a member.
    pub fn add(&mut self, member: u64) {
        self.least = if self.count == 0 {
            member
        } else {
            self.least.min(member)
        };
        self.most = self.most.max(member);
        self.total = self.total.saturating_add(member);
        self.count += 1;
    }

    /// The mean, rounded to nearest; 0 without members.
    pub fn mean(&self) -> u64 {
        self.total
            .saturating_add(self.count / 2)
            .checked_div(self.count)
            .unwrap_or(0)
    }
}

/// One thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadTotals {
    /// What it is called since it was given a name last; empty: nothing else.
    pub called: String,
    /// Jobs released.
    pub releases: u64,
    /// Jobs completed.
    pub completions: u64,
    /// Jobs uncompleted at their deadlines.
    pub misses: u64,
    /// Violations in which it is named.
    pub violations: u64,
    /// From logical release to completion, in ns.
    pub response: Spread,
    /// Execution time of completed jobs, in ns.
    pub execution: Spread,
    /// The shortest relative deadline of a release, in ns; 0 = none seen.
    pub deadline: u64,
    /// Ticks on a processor, without the present turn; see [`Statistics::processor`].
    pub processor: u64,
    open: Option<(u32, Instant)>,
}

impl ThreadTotals {
    /// Its name, with what it is called.
    pub fn both(&self, name: &str) -> String {
        match self.called.as_str() {
            "" => name.into(),
            called => format!("{name} ({called})"),
        }
    }
}

/// One port.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PortTotals {
    /// Writes.
    pub writes: u64,
    /// The last value.
    pub value: Vec<u8>,
    /// From the logical instant to the write, in ticks.
    pub lag: Spread,
}

/// One driver that is an upcall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DriverTotals {
    /// From the logical instant to the beginning, in ticks; one member a call.
    pub lag: Spread,
    /// Calls that were stopped at the end of their budget.
    pub overruns: u64,
    /// Calls that faulted.
    pub faults: u64,
}

/// One process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessTotals {
    /// Faults.
    pub faults: u64,
    /// Times it was started anew.
    pub restarts: u64,
}

/// The totals of a trace so far.
#[derive(Clone, Debug)]
pub struct Statistics {
    /// By thread.
    pub threads: Vec<ThreadTotals>,
    /// By port.
    pub ports: Vec<PortTotals>,
    /// By driver.
    pub drivers: Vec<DriverTotals>,
    /// By process.
    pub processes: Vec<ProcessTotals>,
    /// Violations.
    pub violations: u64,
    /// Violations without a handler in the program.
    pub unhandled: u64,
    /// Interrupts delivered.
    pub interrupts: u64,
    /// The last tick seen.
    pub now: Ticks,
    /// The exit status, once the machine has stopped.
    pub stop: Option<u16>,
    /// When the first event came; 0 of a trace from its beginning.
    began: Option<Ticks>,
    /// Ticks of which records were lost.
    unknown: u64,
    base: Timebase,
    assembly: Assembly,
    running: Vec<Option<(u16, Ticks)>>,
}

impl Statistics {
    /// Nothing seen yet of a system.
    pub fn new(names: &NameMap) -> Statistics {
        Statistics {
            threads: vec![ThreadTotals::default(); names.threads.len()],
            ports: vec![PortTotals::default(); names.ports.len()],
            drivers: vec![DriverTotals::default(); names.drivers.len()],
            processes: vec![ProcessTotals::default(); names.processes.len()],
            violations: 0,
            unhandled: 0,
            interrupts: 0,
            now: Ticks(0),
            stop: None,
            began: None,
            unknown: 0,
            base: Timebase::new(names.timer_hertz),
            assembly: Assembly::new(names),
            running: Vec::new(),
        }
    }

    /// Adds an event. O(1). Returns the port write that it completes, if any.
    pub fn observe(&mut self, event: &Event) -> Option<Write> {
        let before = self.now;
        self.now = Ticks(self.now.0.max(event.tick.0));
        self.began.get_or_insert(match event.index {
            0 => Ticks(0),
            _ => event.tick,
        });
        match &event.content {
            Content::Switch { thread, .. } => self.switch(event, *thread),
            Content::Release {
                thread,
                job,
                at,
                deadline,
            } => {
                self.release(*thread, *job, *at, *deadline);
            }
            Content::Complete {
                thread,
                job,
                at,
                execution,
            } => {
                self.complete(*thread, *job, *at, *execution);
            }
            Content::Miss { thread, .. } => self.thread(*thread, |t| t.misses += 1),
            Content::Violation(breach) => self.violation(breach),
            Content::Port { .. } => return self.port(event),
            Content::Interrupt { .. } => self.interrupts += 1,
            Content::Name { thread, text } => self.thread(*thread, |t| t.called = clean(text)),
            Content::Fault { process, .. } => self.process(*process, |p| p.faults += 1),
            Content::Process {
                process,
                restarted: true,
                ..
            } => {
                self.process(*process, |p| p.restarts += 1);
            }
            Content::Upcall {
                driver, step, at, ..
            } => self.upcall(event, *driver, *step, *at),
            Content::Stop { status } => self.stop_at(event, *status),
            Content::Lost { .. } => self.lose(before, event.tick),
            _ => {}
        }
        None
    }

    /// Virtual time so far.
    pub fn instant(&self) -> Instant {
        self.base.instant(self.now)
    }

    /// How much of virtual time the totals are of: all, or what came since somebody
    /// looked; without what records were lost of.
    pub fn elapsed(&self) -> Ticks {
        let since = self.now.0.saturating_sub(self.began.unwrap_or(self.now).0);
        Ticks(since.saturating_sub(self.unknown))
    }

    /// Takes what the kernel has counted instead of what the trace has of it, where that is
    /// less, because records were lost.
    pub fn correct(&mut self, standing: &Standing) {
        for (totals, own) in self.processes.iter_mut().zip(&standing.processes) {
            totals.faults = totals.faults.max(own.ends.into());
            totals.restarts = totals.restarts.max(own.restarts.into());
        }
    }

    /// Records were lost between two instants: nobody knows who ran then.
    fn lose(&mut self, from: Ticks, until: Ticks) {
        for (thread, since) in std::mem::take(&mut self.running).into_iter().flatten() {
            let ran = from.0.saturating_sub(since.0);
            self.thread(thread, |t| t.processor = t.processor.saturating_add(ran));
        }
        let began = self.began.unwrap_or(until);
        self.unknown += until.0.saturating_sub(from.max(began).0);
    }

    /// Jobs released so far.
    pub fn releases(&self) -> u64 {
        self.threads.iter().map(|t| t.releases).sum()
    }

    /// Deadlines missed so far.
    pub fn misses(&self) -> u64 {
        self.threads.iter().map(|t| t.misses).sum()
    }

    /// Ticks that each thread has had a processor until `at`, with those of
    /// the threads that run now; `at` is not before the last event.
    pub fn processor(&self, at: Ticks) -> Vec<u64> {
        let mut ticks: Vec<u64> = self.threads.iter().map(|t| t.processor).collect();
        for (thread, since) in self.running.iter().flatten() {
            if let Some(ticks) = ticks.get_mut(usize::from(*thread)) {
                *ticks = ticks.saturating_add(at.0.saturating_sub(since.0));
            }
        }
        ticks
    }

    fn thread(&mut self, index: u16, change: impl FnOnce(&mut ThreadTotals)) {
        if let Some(thread) = self.threads.get_mut(usize::from(index)) {
            change(thread);
        }
    }

    fn process(&mut self, index: u16, change: impl FnOnce(&mut ProcessTotals)) {
        if let Some(process) = self.processes.get_mut(usize::from(index)) {
            change(process);
        }
    }

    fn switch(&mut self, event: &Event, next: Option<u16>) {
        let hart = usize::from(event.hart);
        if self.running.len() <= hart {
            self.running.resize(hart + 1, None);
        }
        let left = std::mem::replace(&mut self.running[hart], next.map(|t| (t, event.tick)));
        if let Some((thread, since)) = left {
            let ran = event.tick.0.saturating_sub(since.0);
            self.thread(thread, |t| t.processor = t.processor.saturating_add(ran));
        }
    }

    fn release(&mut self, thread: u16, job: u32, at: Instant, deadline: Option<Instant>) {
        self.thread(thread, |t| {
            t.releases += 1;
            t.open = Some((job, at));
            if let Some(Instant(deadline)) = deadline {
                let relative = deadline.saturating_sub(at.0);
                t.deadline = if t.deadline == 0 {
                    relative
                } else {
                    t.deadline.min(relative)
                };
            }
        });
    }

    fn complete(&mut self, thread: u16, job: u32, at: Instant, execution: Duration) {
        self.thread(thread, |t| {
            t.completions += 1;
            t.execution.add(execution.0);
            if let Some((open, released)) = t.open
                && open == job
            {
                t.response.add(at.0.saturating_sub(released.0));
                t.open = None;
            }
        });
    }

    fn violation(&mut self, breach: &Breach) {
        self.violations += 1;
        self.unhandled += u64::from(!breach.handled);
        if let Some(thread) = breach.task {
            self.thread(thread, |t| t.violations += 1);
        }
    }

    fn port(&mut self, event: &Event) -> Option<Write> {
        let write = self.assembly.push(event)?;
        let lag = event.tick.0.saturating_sub(self.base.ticks(write.at).0);
        let port = self.ports.get_mut(usize::from(write.port))?;
        port.writes += 1;
        port.lag.add(lag);
        port.value.clone_from(&write.value);
        Some(write)
    }

    fn upcall(&mut self, event: &Event, driver: u16, step: UpcallStep, at: Instant) {
        let lag = event.tick.0.saturating_sub(self.base.ticks(at).0);
        let Some(driver) = self.drivers.get_mut(usize::from(driver)) else {
            return;
        };
        match step {
            UpcallStep::Begun => driver.lag.add(lag),
            UpcallStep::Returned => {}
            UpcallStep::Overran => driver.overruns += 1,
            UpcallStep::Faulted => driver.faults += 1,
        }
    }

    fn stop_at(&mut self, event: &Event, status: u16) {
        for hart in 0..self.running.len() {
            let end = Event {
                hart: hart as u8,
                ..event.clone()
            };
            self.switch(&end, None);
        }
        self.stop = Some(status);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::*;
    use giornata_abi::trace::Violation;

    fn observe(events: &[Event]) -> Statistics {
        let mut statistics = Statistics::new(&names());
        for event in events {
            statistics.observe(event);
        }
        statistics
    }

    #[test]
    fn worst_and_mean_response_count_from_the_logical_release() {
        let statistics = observe(&[
            release(0, 0, 1, 10),
            complete(1_000, 0, 1),
            release(10, 0, 2, 10),
            complete(13_000, 0, 2),
        ]);
        let fast = &statistics.threads[0];
        assert_eq!((fast.releases, fast.completions, fast.misses), (2, 2, 0));
        assert_eq!(
            (fast.response.least, fast.response.most),
            (1_000_000, 3_000_000)
        );
        assert_eq!(fast.response.mean(), 2_000_000);
        assert_eq!(fast.deadline, 10_000_000);
    }

    #[test]
    fn of_a_trace_that_begins_later_only_that_part_counts() {
        let late = |mut event: Event| {
            event.index = 1_000;
            event
        };
        let events = [late(switch(5_000, Some(0))), late(switch(6_000, None))];
        let statistics = observe(&events);
        assert_eq!((statistics.now.0, statistics.elapsed().0), (60_000, 10_000));
        assert_eq!(observe(&[switch(6_000, None)]).elapsed().0, 60_000);
    }

    #[test]
    fn the_time_of_lost_records_is_nobodys() {
        let lost = |micros| event(micros, Content::Lost { count: 7 });
        let statistics = observe(&[
            switch(0, Some(0)),
            switch(100, Some(1)),
            switch(200, Some(0)),
            lost(10_000),
            switch(10_000, Some(1)),
            switch(10_200, None),
            event(10_300, Content::Stop { status: 0 }),
        ]);
        // thread 0 runs on from 200 us, and nobody knows until when
        assert_eq!(statistics.processor(statistics.now), [1_000, 3_000, 0]);
        assert_eq!(statistics.elapsed(), Ticks(5_000));
        let first = Event {
            index: 6,
            ..lost(10_000)
        };
        assert_eq!(
            observe(&[first, switch(10_500, None)]).elapsed(),
            Ticks(5_000)
        );
    }

    #[test]
    fn what_the_kernel_has_counted_stands_where_the_trace_has_less() {
        use crate::standing::ProcessStanding;
        let mut statistics = observe(&[]);
        let own = ProcessStanding {
            ends: 7,
            restarts: 6,
            first: None,
        };
        statistics.processes[0].faults = 9;
        statistics.correct(&Standing {
            processes: vec![own.clone(), own],
            ..Standing::default()
        });
        let told = |process: &ProcessTotals| (process.faults, process.restarts);
        let told: Vec<_> = statistics.processes.iter().map(told).collect();
        assert_eq!(told, [(9, 6), (7, 6)]);
    }

    #[test]
    fn a_completion_of_another_job_is_no_response() {
        let statistics = observe(&[release(10, 0, 2, 10), complete(13_000, 0, 1)]);
        assert_eq!(statistics.threads[0].response, Spread::default());
    }

    #[test]
    fn processor_time_is_what_lies_between_switches() {
        let stop = Content::Stop { status: 0 };
        let statistics = observe(&[
            switch(0, Some(0)),
            switch(100, Some(1)),
            switch(300, None),
            switch(900, Some(0)),
            event(1_000, stop),
        ]);
        assert_eq!(statistics.threads[0].processor, 2_000);
        assert_eq!(statistics.threads[1].processor, 2_000);
        assert_eq!(statistics.stop, Some(0));
    }

    #[test]
    fn misses_and_unhandled_violations_are_counted_apart() {
        let breach = |handled| Breach {
            program: 0,
            violation: Some(Violation::Overrun),
            handled,
            at: Instant(0),
            task: Some(1),
            driver: None,
        };
        let statistics = observe(&[
            event(
                1,
                Content::Miss {
                    thread: 1,
                    job: 1,
                    deadline: Instant(0),
                },
            ),
            event(1, Content::Violation(breach(true))),
            event(1, Content::Violation(breach(false))),
        ]);
        assert_eq!(
            (
                statistics.misses(),
                statistics.violations,
                statistics.unhandled
            ),
            (1, 2, 1)
        );
        assert_eq!(statistics.threads[1].violations, 2);
    }

    #[test]
    fn lag_of_a_port_is_from_its_logical_instant() {
        let statistics = observe(&[port_piece(
            0,
            0,
            20_000_000,
            u64::from(1.5f32.to_bits()).to_le_bytes(),
        )]);
        let servo = &statistics.ports[0];
        assert_eq!((servo.writes, servo.lag.most), (1, 12));
        assert_eq!(servo.value, 1.5f32.to_le_bytes());
    }

    #[test]
    fn indices_out_of_range_are_ignored() {
        let statistics = observe(&[
            release(0, 99, 1, 10),
            complete(1, 99, 1),
            switch(5, Some(99)),
            switch(6, None),
        ]);
        assert_eq!(statistics.releases(), 0);
    }
}

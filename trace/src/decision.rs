//! What the kernel decided, in words: the same for one event log, whatever the queues
//! are made of and whatever machine runs it.

use giornata_abi::trace::Violation;
use giornata_abi::{Duration, Instant};
use giornata_system::NameMap;
use giornata_system::names::ThreadRole;

use crate::event::{Breach, Content, Event, UpcallStep};

/// The decision trace of tasks and programs: who of the threads that run jobs and upcalls
/// runs next, what is released, completes, is called and written, and what is violated;
/// with logical instants, without stamps and measured times. What follows a completion, an
/// interrupt or the end of a budget in its instant bears none, for that is measured too.
///
/// A thread that runs again after another one that runs no job or upcall, or after none,
/// is told once: when those run is a matter of time. O(events).
pub fn decision_trace(events: &[Event], names: &NameMap) -> Vec<String> {
    let mut teller = Teller {
        names,
        running: None,
        measured: None,
    };
    events
        .iter()
        .filter_map(|event| teller.tell(event))
        .collect()
}

struct Teller<'a> {
    names: &'a NameMap,
    /// Who of the threads that are told ran last.
    running: Option<u16>,
    /// The instant of the last event that comes when it comes.
    measured: Option<Instant>,
}

impl Teller<'_> {
    fn tell(&mut self, event: &Event) -> Option<String> {
        Some(match &event.content {
            Content::Switch {
                thread: Some(thread),
                ..
            } => {
                let known = self.names.threads.get(usize::from(*thread))?;
                let is_told = known.role != ThreadRole::Thread;
                if !is_told || self.running.replace(*thread) == Some(*thread) {
                    return None;
                }
                format!("runs {}", self.thread(*thread))
            }
            Content::Release {
                thread,
                job,
                at,
                deadline,
            } => {
                let window = deadline.map_or(Duration::ZERO, |end| end.since(*at));
                let name = self.thread(*thread);
                self.told(*at, &format!("release {name} {job}, {} ns", window.0))
            }
            Content::Complete {
                thread, job, at, ..
            } => {
                (self.running, self.measured) = (None, Some(*at));
                format!("complete {} {job}", self.thread(*thread))
            }
            Content::Miss { thread, job, .. } => format!("miss {} {job}", self.thread(*thread)),
            Content::Port {
                port,
                offset,
                at,
                piece,
            } => {
                let port = self.names.ports.get(usize::from(*port))?;
                let bytes = piece.bytes();
                self.told(*at, &format!("write {}+{offset} {bytes:02x?}", port.name))
            }
            Content::Upcall {
                driver,
                step,
                at,
                value,
            } => {
                let value = match step {
                    UpcallStep::Returned => *value,
                    _ => 0,
                };
                self.told(*at, &format!("{} {step:?} {value}", self.driver(*driver)))
            }
            Content::Interrupt { at, .. } => {
                self.measured = Some(*at);
                return None;
            }
            Content::Violation(breach) => {
                if let Some(Violation::Overrun | Violation::Fault) = breach.violation {
                    self.measured = Some(breach.at);
                }
                self.told(breach.at, &self.violation(breach))
            }
            Content::Fault { process, cause, .. } => format!("fault of {process}: {cause:?}"),
            Content::Process {
                process, restarted, ..
            } => format!("process {process} ended, restarted: {restarted}"),
            Content::Change {
                program, at, tag, ..
            } => self.told(*at, &format!("program {program} becomes {tag:#x}")),
            _ => return None,
        })
    }

    fn violation(&self, breach: &Breach) -> String {
        let task = breach.task.map(|task| self.thread(task));
        let driver = breach.driver.map(|driver| self.driver(driver));
        let [task, driver] = [task, driver].map(Option::unwrap_or_default);
        let how = breach.violation.map_or("violation", Violation::name);
        let handled = breach.handled;
        format!("{how} of `{task}` by `{driver}`, handled: {handled}")
    }

    fn told(&self, at: Instant, what: &str) -> String {
        match self.measured == Some(at) {
            true => format!("then {what}"),
            false => format!("@{} {what}", at.0),
        }
    }

    fn thread(&self, thread: u16) -> String {
        let known = self.names.threads.get(usize::from(thread));
        let process = known.map_or(u16::MAX, |known| known.process);
        let process = self.names.processes.get(usize::from(process));
        let name = |process: &str, thread: &str| format!("{process}.{thread}");
        match (process, known) {
            (Some(process), Some(known)) => name(&process.name, &known.name),
            _ => thread.to_string(),
        }
    }

    fn driver(&self, driver: u16) -> String {
        let known = self.names.drivers.get(usize::from(driver));
        known.map_or(driver.to_string(), |known| known.name.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::*;
    use giornata_abi::Ticks;

    #[test]
    fn decisions_are_equal_whatever_they_cost() {
        let late = |mut event: Event| {
            event.tick = Ticks(event.tick.0 + 3);
            event
        };
        let events = [switch(100, Some(0)), release(0, 0, 1, 10)];
        let slower = [switch(900, Some(0)), late(release(0, 0, 1, 10))];
        let of = |events: &[Event]| decision_trace(events, &names());
        assert_eq!(of(&events).len(), 2);
        assert_eq!(of(&events), of(&slower));
        assert_ne!(of(&events), of(&[switch(100, Some(1)), events[1].clone()]));
        assert_ne!(
            of(&events),
            of(&[switch(100, Some(0)), release(1, 0, 1, 10)])
        );
    }

    #[test]
    fn who_goes_on_after_none_is_told_once_and_who_has_a_new_job_again() {
        let events = [
            switch(1, Some(0)),
            switch(2, None),
            switch(3, Some(0)),
            complete(4, 0, 1),
            switch(5, Some(0)),
        ];
        let words = decision_trace(&events, &names());
        assert_eq!(words.len(), 3, "{words:?}");
    }
}

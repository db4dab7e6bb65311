//! What is told in full the first time, and afterwards only counted.

use giornata_abi::Instant;
use giornata_abi::trace::Violation;
use giornata_system::NameMap;

use crate::event::{Breach, Content, Event};
use crate::narration::{driver_name, process_name, program_name, thread_name};

/// What came before, by its words.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repetition {
    causes: Vec<Cause>,
}

#[derive(Clone, Debug)]
struct Cause {
    words: String,
    /// Times since it was told.
    more: u64,
    /// The logical instant that was counted last: several drivers that meet a job at one
    /// instant are one time.
    at: Option<Instant>,
}

impl Repetition {
    /// Whether this is the first of its kind; it is counted otherwise. O(causes).
    pub(crate) fn is_first(&mut self, words: String, at: Option<Instant>) -> bool {
        match self.causes.iter_mut().find(|cause| cause.words == words) {
            Some(cause) => {
                if at.is_none() || cause.at != at {
                    cause.more += 1;
                    cause.at = at;
                }
                false
            }
            None => {
                let more = 0;
                self.causes.push(Cause { words, more, at });
                true
            }
        }
    }

    /// What came again, with how often, in the order in which it first came.
    pub(crate) fn sums(&self) -> impl Iterator<Item = (&str, u64)> {
        let again = self.causes.iter().filter(|cause| cause.more > 0);
        again.map(|cause| (cause.words.as_str(), cause.more))
    }
}

/// What an event repeats if it comes again, and its logical instant; `None` where each
/// is told.
pub(crate) fn cause(event: &Event, names: &NameMap) -> Option<(String, Option<Instant>)> {
    Some(match &event.content {
        Content::Violation(breach) => (violation(breach, names), Some(breach.at)),
        Content::Miss { thread, .. } => {
            let words = format!("missed deadlines of task {}", thread_name(names, *thread));
            (words, None)
        }
        Content::Process {
            process, restarted, ..
        } => {
            let what = if *restarted { "restarts" } else { "ends" };
            let process = process_name(names, *process);
            (format!("{what} of process {process}"), None)
        }
        _ => return None,
    })
}

fn violation(breach: &Breach, names: &NameMap) -> String {
    let kind = breach.violation.map_or("unknown", Violation::name);
    let whose = match (breach.task, breach.driver) {
        (Some(task), _) => format!("task {}", thread_name(names, task)),
        (None, Some(driver)) => format!("driver {}", driver_name(names, driver)),
        (None, None) => format!("program {}", program_name(names, breach.program)),
    };
    let answer = if breach.handled { "" } else { ", not handled" };
    format!("violations {kind} of {whose}{answer}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_told_and_the_others_are_counted_by_instant() {
        let mut repetition = Repetition::default();
        let mut is_first = |words: &str, ms: u64| {
            repetition.is_first(words.to_string(), Some(Instant(ms * 1_000_000)))
        };
        assert!(is_first("late", 20) && is_first("overrun", 22));
        assert!(!is_first("late", 20) && !is_first("late", 40) && !is_first("late", 40));
        assert_eq!(repetition.sums().collect::<Vec<_>>(), [("late", 1)]);
    }
}

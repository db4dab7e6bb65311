//! How the threads of a system stand, as a table for people.

use giornata_abi::Ticks;
use giornata_abi::time::Timebase;
use giornata_symbols::Symbols;
use giornata_system::NameMap;

use crate::narration::{align, process_name, thread_name};
use crate::notation::seconds;
use crate::standing::{Awaited, Standing, State};

/// A column that says nothing of a thread.
const NOTHING: &str = "-";

/// A table of threads: state, what each waits for, since when, stack, restarts of its
/// process, violations of its jobs, where it is. `since` is by thread: when it was left,
/// entered or released last; `only`: those that are shown, all of them if it is empty.
pub fn task_states(
    (names, symbols): (&NameMap, Option<&Symbols>),
    standing: &Standing,
    since: impl Fn(u16) -> Option<Ticks>,
    only: &[u16],
) -> Vec<String> {
    let base = Timebase::new(names.timer_hertz);
    let mut rows = vec![HEADS.map(String::from)];
    for (index, thread) in (0u16..).zip(&names.threads) {
        let Some(own) = standing.threads.get(usize::from(index)) else {
            continue;
        };
        if !only.is_empty() && !only.contains(&index) {
            continue;
        }
        let (word, about) = standing.describe(index, names);
        let lives = !matches!(own.state, State::Absent | State::Dead | State::Ending);
        let at = since(index).filter(|_| lives);
        let place = symbols.and_then(|symbols| standing.place(index, names, symbols));
        let used = own
            .stack_used
            .map_or(NOTHING.into(), |used| used.to_string());
        rows.push([
            format!("{}/{}", process_name(names, thread.process), thread.name),
            word.into(),
            about,
            at.map_or(NOTHING.into(), |at| seconds(base.instant(at))),
            format!("{used}/{}", thread.stack),
            own.restarts.to_string(),
            own.violations.to_string(),
            place.map_or_else(String::new, |place| place.to_string()),
        ]);
    }
    align(&rows, HEADS.len(), 0)
}

const HEADS: [&str; 8] = [
    "thread",
    "state",
    "for",
    "since",
    "stack",
    "restarts",
    "violations",
    "where",
];

impl Standing {
    /// A word for what a thread does, and what that is about.
    pub(crate) fn describe(&self, thread: u16, names: &NameMap) -> (&'static str, String) {
        let Some(own) = self.threads.get(usize::from(thread)) else {
            return ("unknown", String::new());
        };
        let base = Timebase::new(names.timer_hertz);
        let until = own
            .until
            .map(|at| format!("until {}", seconds(base.instant(at))));
        let word = match own.state {
            State::Running => "running",
            State::Ready => "ready",
            State::Idle => "idle",
            State::Ended => "ended",
            State::Absent => "none",
            State::Ending => "ending",
            State::Dead => "dead",
            State::Sleeps => return ("sleeps", until.unwrap_or_default()),
            State::Waits(Awaited::Unknown) => return ("waits", until.unwrap_or_default()),
            State::Waits(awaited) => {
                let what = self.awaited(awaited, names);
                let until = until.map_or_else(String::new, |until| format!(" {until}"));
                return ("waits", what + &until);
            }
        };
        (word, String::new())
    }

    fn awaited(&self, awaited: Awaited, names: &NameMap) -> String {
        match awaited {
            Awaited::Object(index) => {
                let owner = self.owners.get(usize::from(index)).copied().flatten();
                let object = names.objects.get(usize::from(index));
                let (kind, name) = object.map_or(("object", NOTHING), |object| {
                    (object.kind.as_str(), object.name.as_str())
                });
                match (owner, kind) {
                    (Some(owner), "mutex") => {
                        format!("{kind} {name}, owner {}", thread_name(names, owner))
                    }
                    _ => format!("{kind} {name}"),
                }
            }
            Awaited::Reply(server) => format!("a reply of {}", thread_name(names, server)),
            Awaited::End => "the end of a thread or process".into(),
            Awaited::Line(number) => {
                let line = names.interrupts.iter().find(|line| line.number == number);
                match line {
                    Some(line) => format!("interrupt {number} ({})", line.name),
                    None => format!("interrupt {number}"),
                }
            }
            Awaited::Unknown => String::new(),
        }
    }
}

//! How the threads of a system stand, as a table for people.

use giornata_abi::time::Timebase;
use giornata_abi::{Instant, Ticks};
use giornata_symbols::Symbols;
use giornata_system::NameMap;
use giornata_system::names::ThreadName;

use crate::narration::{align, process_name, thread_name};
use crate::notation::seconds;
use crate::rows::StateRow;
use crate::standing::{Awaited, Standing, State, ThreadStanding};

/// A column that says nothing of a thread.
const NOTHING: &str = "-";

/// A table of threads: state, what each waits for, since when, stack, restarts of its
/// process, violations of its jobs, where it is. `since` is by thread: when it was left,
/// entered or released last; `only`: those that are shown, all of them if it is empty.
pub fn task_states(
    known: (&NameMap, Option<&Symbols>),
    standing: &Standing,
    since: impl Fn(u16) -> Option<Ticks>,
    only: &[u16],
) -> Vec<String> {
    state_table(&state_rows(known, standing, since, only))
}

/// The rows of that table.
pub fn state_rows(
    (names, symbols): (&NameMap, Option<&Symbols>),
    standing: &Standing,
    since: impl Fn(u16) -> Option<Ticks>,
    only: &[u16],
) -> Vec<StateRow> {
    let base = Timebase::new(names.timer_hertz);
    let all = (0u16..).zip(&names.threads).zip(&standing.threads);
    let shown = all.filter(|((index, _), _)| only.is_empty() || only.contains(index));
    let row = |((index, thread), own): ((u16, &ThreadName), &ThreadStanding)| {
        let (word, about) = standing.describe(index, names);
        let lives = !matches!(own.state, State::Absent | State::Dead | State::Ending);
        let at = since(index).filter(|_| lives);
        let place = symbols.and_then(|symbols| standing.place(index, names, symbols));
        StateRow {
            thread: format!("{}/{}", process_name(names, thread.process), thread.both()),
            state: word.into(),
            about,
            since_ns: at.map(|at| base.instant(at).0),
            stack_used: own.stack_used,
            stack: thread.stack,
            restarts: own.restarts,
            violations: own.violations,
            place: place.map_or_else(String::new, |place| place.to_string()),
        }
    };
    shown.map(row).collect()
}

/// Rows as a table.
pub fn state_table(states: &[StateRow]) -> Vec<String> {
    let mut rows = vec![HEADS.map(String::from)];
    let or_nothing = |text: Option<String>| text.unwrap_or_else(|| NOTHING.into());
    rows.extend(states.iter().map(|row| {
        let used = or_nothing(row.stack_used.map(|used| used.to_string()));
        [
            row.thread.clone(),
            row.state.clone(),
            row.about.clone(),
            or_nothing(row.since_ns.map(|at| seconds(Instant(at)))),
            format!("{used}/{}", row.stack),
            row.restarts.to_string(),
            row.violations.to_string(),
            row.place.clone(),
        ]
    }));
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

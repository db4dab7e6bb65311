//! What a run may suffer and still be good: `expect` of a system file, `--expect` of a
//! command.
//!
//! ```text
//! expectation  KIND | KIND:NAME          overrun, overrun:control, stop:control
//! KIND         one of `Kind::ALL`
//!              | late:DURATION       late:5ms
//! NAME         a process, thread, task, driver or program, by kind; a task or driver also
//!              by its function, a thread also as PROCESS/THREAD; the exit status for
//!              `status`
//! ```
//! Without a name it is about every process, or thread, that there is. With a duration
//! `late` does not say what happens, but from where on an instant is late.

use std::fmt;
use std::str::FromStr;

use crate::NameMap;
use crate::names::ThreadRole;
use crate::problem::{Findings, suggest};

use crate::section::{Section, as_text};
use giornata_abi::Duration;
use giornata_analysis::quantity;
use toml::Spanned;

macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $name:ident = $text:literal of $about:ident,)*) => {
        /// What can happen that a good run does not have.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Kind { $($(#[doc = $doc])* $name,)* }

        impl Kind {
            /// Every kind.
            pub const ALL: &'static [Kind] = &[$(Kind::$name,)*];

            /// Its name in system files and reports.
            pub const fn name(self) -> &'static str {
                match self { $(Kind::$name => $text,)* }
            }

            /// What it happens to.
            const fn about(self) -> About {
                match self { $(Kind::$name => About::$about,)* }
            }
        }
    };
}

kinds! {
    /// A process did what it may not, and ended.
    Fault = "fault" of Process,
    /// A process panicked, and ended.
    Panic = "panic" of Process,
    /// A process was ended without a fault of its own: by its supervisor.
    Stop = "stop" of Process,
    /// A process that had ended began anew.
    Restart = "restart" of Process,
    /// A job completed after its deadline.
    Miss = "miss" of Task,
    /// A job, an upcall or a reaction of a program used more than its budget.
    Overrun = "overrun" of Work,
    /// A driver or a release met a job that had not completed.
    TimeSafety = "time-safety" of Task,
    /// S code dispatched two tasks at once.
    TimeShare = "time-share" of Task,
    /// An instant of a program was handled later than it may.
    Late = "late" of Program,
    /// A thread was ready and never ran.
    NeverRun = "never-run" of Thread,
    /// A thread could not run for at least the last half of the run.
    Starved = "starved" of Thread,
    /// A thread waited for a mutex for at least the last half of the run.
    Blocked = "blocked" of Thread,
    /// The machine stopped with an exit status other than 0.
    Status = "status" of Status,
}

/// What a kind of event happens to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum About {
    Process,
    /// A thread, or the one of a task.
    Thread,
    Task,
    Program,
    /// A task, a driver or a program.
    Work,
    Status,
}

/// What something happened to, by the indices of a [`NameMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A process.
    Process(u16),
    /// A thread; that of a task for what happens to its jobs.
    Thread(u16),
    /// A driver.
    Driver(u16),
    /// A program.
    Program(u16),
    /// The machine, by its exit status.
    Status(i32),
}

impl Subject {
    /// What it is called in `KIND:NAME`: the shortest name that no other subject of the
    /// kind has, and else the longest.
    pub fn name(self, kind: Kind, names: &NameMap) -> String {
        let own = self.names(names);
        let is_own = |name: &&String| {
            let mut others = subjects(kind, names).into_iter().filter(|s| *s != self);
            !others.any(|other| other.names(names).contains(name))
        };
        let found = own.iter().find(is_own).or(own.last());
        found.cloned().unwrap_or_else(|| format!("{self:?}"))
    }

    /// All that it is called, the usual name first.
    fn names(self, names: &NameMap) -> Vec<String> {
        let process = |index: u16| names.processes.get(usize::from(index));
        match self {
            Subject::Process(index) => process(index).map(|p| p.name.clone()).into_iter().collect(),
            Subject::Program(index) => {
                let program = names.programs.get(usize::from(index));
                program.map(|p| p.name.clone()).into_iter().collect()
            }
            Subject::Driver(index) => match names.drivers.get(usize::from(index)) {
                Some(driver) => distinct([driver.function.clone(), driver.name.clone()]),
                None => Vec::new(),
            },
            Subject::Thread(index) => match names.threads.get(usize::from(index)) {
                Some(thread) => {
                    let owner = process(thread.process).map_or("?", |p| p.name.as_str());
                    let function = match thread.role {
                        ThreadRole::Task => thread.function.clone(),
                        _ => String::new(),
                    };
                    let whole = format!("{owner}/{}", thread.name);
                    distinct([thread.name.clone(), function, whole])
                }
                None => Vec::new(),
            },
            Subject::Status(status) => vec![status.to_string()],
        }
    }
}

/// The names that are not empty, each once.
fn distinct<const N: usize>(names: [String; N]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for name in names {
        if !name.is_empty() && !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// Everything of a system that a kind of event can happen to.
fn subjects(kind: Kind, names: &NameMap) -> Vec<Subject> {
    let threads = |fits: fn(ThreadRole) -> bool| {
        let threads = (0u16..).zip(&names.threads);
        threads.filter_map(move |(i, t)| fits(t.role).then_some(Subject::Thread(i)))
    };
    let is_task = |role| role == ThreadRole::Task;
    match kind.about() {
        About::Process => (0..names.processes.len() as u16)
            .map(Subject::Process)
            .collect(),
        About::Thread => threads(|role| role != ThreadRole::Upcall).collect(),
        About::Task => threads(is_task).collect(),
        About::Program => (0..names.programs.len() as u16)
            .map(Subject::Program)
            .collect(),
        About::Work => {
            let drivers = (0u16..).zip(&names.drivers);
            let upcalls = drivers.filter(|(_, driver)| driver.process.is_some());
            let upcalls = upcalls.map(|(index, _)| Subject::Driver(index));
            let programs = (0..names.programs.len() as u16).map(Subject::Program);
            threads(is_task).chain(upcalls).chain(programs).collect()
        }
        About::Status => Vec::new(),
    }
}

/// Something that is to happen, and so is no surprise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// What.
    pub kind: Kind,
    /// To what; anything that it can happen to without it.
    pub name: Option<String>,
}

impl Expectation {
    /// Whether something that happened is what was expected.
    pub fn covers(&self, kind: Kind, subject: Subject, names: &NameMap) -> bool {
        let is_meant = |name: &String| subject.names(names).contains(name);
        self.kind == kind && self.name.as_ref().is_none_or(is_meant)
    }

    /// How late an instant may be, if it says that: `late:5ms`.
    pub fn bound(&self) -> Option<Duration> {
        let name = self.name.as_ref().filter(|_| self.kind == Kind::Late)?;
        quantity::duration(name).map(Duration)
    }

    /// What is wrong with its name in a system, if anything: reason and mend.
    ///
    /// # Errors
    /// The system has nothing of that name that this could happen to.
    pub fn check(&self, names: &NameMap) -> Result<(), (String, String)> {
        let Some(name) = self.name.as_ref().filter(|_| self.bound().is_none()) else {
            return Ok(());
        };
        let what = match self.kind.about() {
            About::Status => {
                let is_status = name.parse().is_ok_and(|status: u16| status > 0);
                let reason = || format!("`{name}` is no exit status");
                let mend = "write a number from 1 to 65535";
                return is_status
                    .then_some(())
                    .ok_or_else(|| (reason(), mend.into()));
            }
            About::Process => "process",
            About::Thread => "thread",
            About::Task => "task",
            About::Program => "program",
            About::Work => "task, driver or program",
        };
        let subjects = subjects(self.kind, names);
        let known: Vec<String> = subjects.iter().flat_map(|s| s.names(names)).collect();
        if known.contains(name) {
            return Ok(());
        }
        let of = self.kind.name();
        let reason = format!("there is no {what} `{name}` for `{of}` to happen to");
        Err((reason, suggest(name, known.iter().map(String::as_str))))
    }
}

impl FromStr for Expectation {
    /// What is wrong, and what to write instead.
    type Err = (String, String);

    fn from_str(text: &str) -> Result<Expectation, (String, String)> {
        let (word, name) = match text.split_once(':') {
            Some((word, name)) => (word, Some(name)),
            None => (text, None),
        };
        let kind = Kind::ALL.iter().find(|kind| kind.name() == word);
        let Some(&kind) = kind else {
            let reason = format!("nothing that can happen is called `{word}`");
            return Err((reason, suggest(word, Kind::ALL.iter().map(|k| k.name()))));
        };
        if name.is_some_and(|name| name.trim() != name || name.is_empty()) {
            let reason = format!("`{text}` does not name what `{word}` happens to");
            return Err((reason, format!("write `{word}:NAME`, or `{word}` for any")));
        }
        let name = name.map(str::to_owned);
        Ok(Expectation { kind, name })
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{}:{name}", self.kind.name()),
            None => f.write_str(self.kind.name()),
        }
    }
}

/// The key `expect` of the top level.
pub(crate) fn list(findings: &mut Findings, top: &Section<'_>) -> Vec<Spanned<Expectation>> {
    let mut all = Vec::new();
    for value in top.list(findings, "expect") {
        let Some(text) = as_text(findings, value, "an entry of `expect`") else {
            continue;
        };
        match text.get_ref().parse() {
            Ok(expectation) => all.push(Spanned::new(text.span(), expectation)),
            Err((reason, mend)) => findings.refuse(text.span(), reason, mend),
        }
    }
    all
}

/// Refuses expectations of what the system does not have.
pub(crate) fn check(findings: &mut Findings, all: &[Spanned<Expectation>], names: &NameMap) {
    for expectation in all {
        if let Err((reason, mend)) = expectation.get_ref().check(names) {
            findings.refuse(expectation.span(), reason, mend);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(text: &str) -> (String, String) {
        text.parse::<Expectation>().unwrap_err()
    }

    #[test]
    fn an_expectation_is_written_as_it_was_read() {
        for text in [
            "fault:water",
            "never-run:io/poll",
            "overrun",
            "status:3",
            "late:5ms",
        ] {
            let read: Expectation = text.parse().unwrap();
            assert_eq!(read.to_string(), text);
        }
    }

    #[test]
    fn only_late_has_a_bound() {
        let bound = |text: &str| text.parse::<Expectation>().unwrap().bound();
        assert_eq!(bound("late:20us"), Some(Duration(20_000)));
        assert_eq!(["late", "late:pump", "miss:5ms"].map(bound), [None; 3]);
    }

    #[test]
    fn an_unknown_kind_is_refused_with_the_nearest() {
        let (why, mend) = reason("overun:control");
        assert_eq!(why, "nothing that can happen is called `overun`");
        assert_eq!(mend, "did you mean `overrun`?");
        assert!(reason("").1.starts_with("known here: fault, panic"));
    }

    #[test]
    fn a_name_that_is_empty_or_has_blanks_about_it_is_refused() {
        for text in ["fault:", "fault: water", "fault:water "] {
            assert_eq!(reason(text).1, "write `fault:NAME`, or `fault` for any");
        }
    }
}

//! When a process that faults is restarted, and how often: `restart` of `[process.*]`.

use giornata_abi::system::FaultPolicy;
use serde::{Deserialize, Serialize};

use crate::definition::Form::{Duration, Number, Word};
use crate::definition::Silent::Value;
use crate::definition::{Table, key};
use crate::problem::{Findings, suggest};
use crate::section::Section;

const MILLISECOND: u64 = 1_000_000;
const SECOND: u64 = 1000 * MILLISECOND;
/// The longest pause that can be asked for, in ns: within what one alarm of every board can
/// tell.
const LONGEST: u64 = 10 * SECOND;
/// The longest window, in ns.
const LONGEST_WINDOW: u64 = 24 * 3600 * SECOND;
/// What `then` may be.
const THEN: [&str; 2] = ["stop", "halt"];

/// When a process is restarted, and how often. Durations are in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestartRule {
    /// From a fault to the second restart of a window. Twice as long before each further
    /// one; 0: all are at once, as the first is.
    pub pause: u64,
    /// The longest pause.
    pub longest_pause: u64,
    /// Restarts in a window; 0: any number.
    pub most: u16,
    /// How long restarts are counted from the first on.
    pub within: u64,
    /// A fault that is one too many halts the machine; else the process stays stopped.
    pub halts: bool,
}

impl Default for RestartRule {
    fn default() -> RestartRule {
        RestartRule {
            pause: MILLISECOND,
            longest_pause: SECOND,
            most: 10,
            within: 10 * SECOND,
            halts: false,
        }
    }
}

impl RestartRule {
    /// What comes of a fault that is one too many.
    pub fn beyond(&self) -> FaultPolicy {
        match self.halts {
            true => FaultPolicy::Halt,
            false => FaultPolicy::Stop,
        }
    }
}

pub(crate) static RESTART: Table = Table {
    about: "When a process with `on-fault = \"restart\"` is restarted, and how often, as in `restart = { most = 3, within = \"1s\", then = \"halt\" }`. Restarts that a supervisor asks for are at once, and are not counted",
    keys: &[
        key(
            "pause",
            Duration,
            Value("\"1ms\""),
            "How long it stays away before the second restart of a window; twice as long before the third, and so on. The first is at once. `\"0ms\"`: all are. Up to 10s",
        ),
        key(
            "longest-pause",
            Duration,
            Value("\"1s\""),
            "How long it stays away at most. Up to 10s",
        ),
        key(
            "most",
            Number(0, u16::MAX as u64),
            Value("10"),
            "Restarts in a window. 0: any number",
        ),
        key(
            "within",
            Duration,
            Value("\"10s\""),
            "How long a window is. It begins at a restart, and the first restart after its end begins the next. Up to 24 hours",
        ),
        key(
            "then",
            Word(&THEN),
            Value("\"stop\""),
            "What comes of a fault after the last restart of a window. `stop`: the process stays stopped, and its supervisor is told, which may start it. `halt`: the machine stops with status 1",
        ),
    ],
};

/// The rule of a process that `restarts`, or does not.
pub(crate) fn section(
    findings: &mut Findings,
    process: &Section<'_>,
    restarts: bool,
) -> RestartRule {
    let mut rule = RestartRule::default();
    let Some(section) = process.section(findings, "restart") else {
        return rule;
    };
    if !restarts {
        let reason = "`restart` says how a process is restarted, and this one is not";
        let mend = "add `on-fault = \"restart\"`, or leave it out";
        findings.refuse(section.span(), reason, mend);
    }
    let mut duration = |key: &str, longest: u64, of: &mut u64| {
        let told = section.duration(findings, key)?;
        *of = *told.get_ref();
        if *of > longest {
            let reason = format!("`{key}` is too long");
            let mend = format!("write at most {} s", longest / SECOND);
            findings.refuse(told.span(), reason, mend);
        }
        Some(told.span())
    };
    duration("pause", LONGEST, &mut rule.pause);
    let longest = duration("longest-pause", LONGEST, &mut rule.longest_pause);
    let within = duration("within", LONGEST_WINDOW, &mut rule.within);
    if rule.longest_pause < rule.pause {
        match longest {
            Some(span) => {
                let reason = "`longest-pause` is shorter than `pause`";
                findings.refuse(span, reason, "the first pause is the shortest one");
            }
            // (a pause that is longer than what it would grow to does not grow)
            None => rule.longest_pause = rule.pause,
        }
    }
    if let Some(span) = within.filter(|_| rule.within == 0) {
        let mend = "write how long restarts are counted, as in \"10s\", or `most = 0`";
        findings.refuse(span, "a window without length holds no restart", mend);
    }
    if let Some(most) = section.number(findings, "most") {
        rule.most = *most.get_ref() as u16;
    }
    if let Some(then) = section.text(findings, "then") {
        let word = then.get_ref().as_str();
        rule.halts = word == "halt";
        if !THEN.contains(&word) {
            let reason = format!("nothing is called \"{word}\" that could be done then");
            findings.refuse(then.span(), reason, suggest(word, THEN));
        }
    }
    rule
}

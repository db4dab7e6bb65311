//! What annotations mean: `key value` pairs separated by `,` or `;`, with comments
//! anywhere between them.
//!
//! | key | on | value |
//! |---|---|---|
//! | `wcet` | task, job, sensor, actuator, variable | a time, like `2ms` |
//! | `budget` | task, job | a time, like `2ms` |
//! | `priority` | task, job | 1..=255, 255 is the most urgent |
//!
//! What a task says holds for each of its jobs that says nothing itself. Any other
//! key is warned about once.

use std::collections::BTreeSet;

use super::Code;
use super::tree::Annotation;
use crate::annotation::{pairs, priority};
use crate::diagnostic::{Findings, Span};
use crate::quantity::{self, QuantityError};
use crate::spelling::nearest;
use crate::token::without_comments;

/// Where an annotation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// On a task or a job.
    Jobs,
    /// On what a driver function reads, writes or initialises.
    Driver,
}

/// The keys that have a meaning.
const KEYS: [&str; 3] = ["wcet", "budget", "priority"];
/// The mend for a key that has none.
const KNOWN: &str = "known are `wcet 2ms` on tasks, jobs, sensors, actuators and variables, `budget 3ms` and `priority n` on tasks and jobs";

/// What annotations say, as far as it is understood.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Notes {
    /// Nanoseconds, and where that stands.
    pub(super) wcet: Option<(u64, Span)>,
    /// Nanoseconds, and where that stands.
    pub(super) budget: Option<(u64, Span)>,
    /// 1..=255.
    pub(super) priority: Option<u8>,
}

impl Notes {
    /// These, and of what they do not say the others'.
    pub(super) fn or(self, others: Notes) -> Notes {
        Notes {
            wcet: self.wcet.or(others.wcet),
            budget: self.budget.or(others.budget),
            priority: self.priority.or(others.priority),
        }
    }
}

/// Reads annotations; remembers what it has warned about.
#[derive(Debug, Default)]
pub(super) struct Reader {
    warned: BTreeSet<String>,
}

impl Reader {
    /// What the annotations at one place say.
    pub(super) fn read(
        &mut self,
        annotations: &[Annotation],
        place: Place,
        findings: &mut Findings,
    ) -> Notes {
        let mut notes = Notes::default();
        for annotation in annotations {
            let plain = without_comments(&annotation.text);
            for (start, pair) in pairs(annotation.span.start, &plain, &[',', ';']) {
                let end = start + pair.len();
                self.pair(pair, Span { start, end }, place, &mut notes, findings);
            }
        }
        notes
    }

    fn pair(
        &mut self,
        pair: &str,
        span: Span,
        place: Place,
        notes: &mut Notes,
        findings: &mut Findings,
    ) {
        let (key, value) = pair.split_once(char::is_whitespace).unwrap_or((pair, ""));
        let value = value.trim();
        let is_known = KEYS.contains(&key) && (place == Place::Jobs || key == "wcet");
        if is_known {
            if let Err(help) = apply(key, value, span, notes) {
                let message = match value {
                    "" => format!("`{key}` needs a value"),
                    _ => format!("`{value}` is no value for `{key}`"),
                };
                findings.report(Code::Annotation, span, message, help);
            }
        } else if self.warned.insert(key.to_owned()) {
            let message = format!("the annotation `{key}` has no meaning here");
            let help = match nearest(key, KEYS) {
                Some(meant) if meant != key => format!("did you mean `{meant}`?"),
                _ => KNOWN.to_owned(),
            };
            findings.report(Code::UnknownAnnotation, span, message, help);
        }
    }
}

fn apply(key: &str, value: &str, span: Span, notes: &mut Notes) -> Result<(), &'static str> {
    let time = || match quantity::nanos(value).map_err(QuantityError::help)? {
        0 => Err("a time of 0 says nothing: leave it out, or write a time from 1ns"),
        nanos => Ok(Some((nanos, span))),
    };
    match key {
        "wcet" => notes.wcet = time()?,
        "budget" => notes.budget = time()?,
        _ => {
            let priority = priority(value);
            notes.priority =
                Some(priority.ok_or("a priority is 1 to 255; 255 is the most urgent")?);
        }
    }
    Ok(())
}

//! What annotations mean: `key value` pairs separated by `;`, with comments
//! anywhere between them.
//!
//! | key | on | value |
//! |---|---|---|
//! | `wcet` | task, driver, sensor, actuator, output, `taskfreq` line | a time, like `2ms` |
//! | `priority` | task, `taskfreq` line | 1..=255, 255 is the most urgent |
//! | `host` | anything | the node of a distributed program |
//! | `push` | anything | `(ports)` sent to other nodes |
//!
//! `host` and `push` are checked and kept in the tree; the compiler of one
//! node has no use for them. Any other key is kept too, and warned about once.

use std::collections::BTreeSet;

use super::Code;
use super::tree::Annotation;
use crate::annotation::{pairs, priority};
use crate::diagnostic::{Findings, Span};
use crate::quantity;
use crate::spelling::nearest;
use crate::token::without_comments;

/// Where an annotation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Program,
    Port,
    Task,
    Driver,
    Line,
    Invoke,
}

impl Place {
    const fn takes(self, key: Key) -> bool {
        match key {
            Key::Wcet => matches!(
                self,
                Place::Port | Place::Task | Place::Driver | Place::Invoke
            ),
            Key::Priority => matches!(self, Place::Task | Place::Invoke),
            Key::Host | Key::Push => true,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Wcet,
    Priority,
    Host,
    Push,
}

/// The keys that have a meaning.
const KEYS: [(&str, Key); 4] = [
    ("wcet", Key::Wcet),
    ("priority", Key::Priority),
    ("host", Key::Host),
    ("push", Key::Push),
];
/// The mend for a key that has none.
const KNOWN: &str = "known are `wcet 2ms` on tasks, drivers and ports, `priority n` on tasks, `host name`, `push (ports)`; it is kept, and not mentioned again";

impl Key {
    fn of(text: &str) -> Option<Key> {
        let found = KEYS.into_iter().find(|(name, _)| *name == text);
        found.map(|(_, key)| key)
    }
}

/// What annotations say, as far as it is understood.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Notes {
    /// Nanoseconds.
    pub(super) wcet: Option<u64>,
    /// 1..=255.
    pub(super) priority: Option<u8>,
    /// Where the last of them stands.
    pub(super) span: Span,
}

/// Reads annotations; remembers what it has warned about.
#[derive(Debug, Default)]
pub(super) struct Reader {
    warned: BTreeSet<String>,
}

impl Reader {
    /// What the annotations at one place say.
    pub(super) fn read<'a>(
        &mut self,
        annotations: impl IntoIterator<Item = &'a Annotation>,
        place: Place,
        findings: &mut Findings,
    ) -> Notes {
        let mut notes = Notes::default();
        for annotation in annotations {
            let plain = without_comments(&annotation.text);
            for (start, pair) in pairs(annotation.span.start, &plain, &[';']) {
                let span = Span {
                    start,
                    end: start + pair.len(),
                };
                self.pair(pair, span, place, &mut notes, findings);
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
        match Key::of(key).filter(|key| place.takes(*key)) {
            Some(known) => {
                notes.span = span;
                if let Err(help) = apply(known, value, notes) {
                    let message = match value {
                        "" => format!("`{key}` needs a value"),
                        _ => format!("`{value}` is no value for `{key}`"),
                    };
                    findings.report(Code::Annotation, span, message, help);
                }
            }
            None if self.warned.insert(key.to_owned()) => {
                let message = format!("the annotation `{key}` has no meaning here");
                let help = match nearest(key, KEYS.map(|(name, _)| name)) {
                    Some(meant) if meant != key => format!("did you mean `{meant}`?"),
                    _ => KNOWN.to_owned(),
                };
                findings.report(Code::UnknownAnnotation, span, message, help);
            }
            None => {}
        }
    }
}

fn apply(key: Key, value: &str, notes: &mut Notes) -> Result<(), &'static str> {
    match key {
        Key::Wcet => {
            notes.wcet = Some(quantity::nanos(value).map_err(quantity::QuantityError::help)?)
        }
        Key::Priority => {
            notes.priority =
                Some(priority(value).ok_or("a priority is 1 to 255; 255 is the most urgent")?)
        }
        Key::Host if value.is_empty() => return Err("name a node: `host name`"),
        Key::Push if !is_list(value) => return Err("list ports in parentheses: `push (a, b)`"),
        Key::Host | Key::Push => {}
    }
    Ok(())
}

fn is_list(value: &str) -> bool {
    value.starts_with('(') && value.ends_with(')')
}

//! What stands in brackets: numbers, or annotations as `key value` pairs separated
//! by `;`, with comments anywhere between them.
//!
//! | key | on | value |
//! |---|---|---|
//! | `wcet` | filter, function, source, sink | a time, like `2ms` |
//!
//! Other keys are warned about once.

use std::collections::BTreeSet;

use super::Code;
use super::graph::{MOST, MOST_TOKENS};
use super::sequence::{SequenceError, sequence};
use super::tree::Annotation;
use crate::annotation::pairs;
use crate::diagnostic::{Findings, Span};
use crate::quantity;
use crate::spelling::nearest;
use crate::token::without_comments;

/// The key that has a meaning.
const WCET: &str = "wcet";
const KNOWN: &str = "known is `wcet 2ms` on filters, functions, sources and sinks";

/// Whether brackets hold numbers rather than an annotation.
pub(super) fn are_numbers(brackets: &Annotation) -> bool {
    let plain = without_comments(&brackets.text);
    let first = plain.trim_start().chars().next();
    first.is_none_or(|first| first.is_ascii_digit() || first == ',' || first == '-')
}

/// Numbers of at most 2^31 - 1, as [`sequence`] reads them; what is none is reported.
pub(super) fn numbers(brackets: &Annotation, findings: &mut Findings) -> Option<Vec<u32>> {
    let plain = without_comments(&brackets.text);
    let (code, message, help) = match sequence(&plain, MOST_TOKENS) {
        Ok(numbers) => return Some(numbers.into_iter().map(|number| number as u32).collect()),
        Err(SequenceError::TooLong) => (
            Code::TooBig,
            format!("this list is longer than {MOST} numbers"),
            "split the program",
        ),
        Err(SequenceError::Piece(piece)) => (
            Code::Number,
            match piece {
                "" => "a number is missing in this list".to_owned(),
                _ => format!("`{}` is no number of tokens", shown(piece)),
            },
            "write whole numbers up to 2147483647, separated by `,`: `[2, 1]`, or `3*1` for 1, 1, 1",
        ),
    };
    findings.report(code, brackets.span, message, help);
    None
}

/// What of a piece a message shows.
pub(super) fn shown(piece: &str) -> String {
    piece
        .chars()
        .take(40)
        .flat_map(char::escape_debug)
        .collect()
}

/// Reads annotations; remembers what it has warned about.
#[derive(Debug, Default)]
pub(super) struct Reader {
    warned: BTreeSet<String>,
}

impl Reader {
    /// The worst-case execution time of the annotations at one place, in nanoseconds.
    pub(super) fn wcet<'t>(
        &mut self,
        annotations: impl IntoIterator<Item = &'t Annotation>,
        findings: &mut Findings,
    ) -> Option<u64> {
        let mut wcet = None;
        for annotation in annotations {
            let plain = without_comments(&annotation.text);
            for (start, pair) in pairs(annotation.span.start, &plain, &[';']) {
                let end = start + pair.len();
                let span = Span { start, end };
                let (key, value) = pair.split_once(char::is_whitespace).unwrap_or((pair, ""));
                match key {
                    WCET => wcet = time(value.trim(), span, findings).or(wcet),
                    _ => self.warn(key, span, findings),
                }
            }
        }
        wcet
    }

    fn warn(&mut self, key: &str, span: Span, findings: &mut Findings) {
        if self.warned.insert(key.to_owned()) {
            let message = format!("the annotation `{}` has no meaning here", shown(key));
            let help = match nearest(key, [WCET]) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => KNOWN.to_owned(),
            };
            findings.report(Code::UnknownAnnotation, span, message, help);
        }
    }
}

fn time(value: &str, span: Span, findings: &mut Findings) -> Option<u64> {
    let error = match quantity::nanos(value) {
        Ok(nanos) => return Some(nanos),
        Err(error) => error,
    };
    let message = match value {
        "" => format!("`{WCET}` needs a value"),
        _ => format!("`{}` is no value for `{WCET}`", shown(value)),
    };
    findings.report(Code::Annotation, span, message, error.help());
    None
}

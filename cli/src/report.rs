//! Findings and results, for people or for programs.

use std::io::{self, IsTerminal, Write};

use miette::{Diagnostic, SourceSpan};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// What a command came to; the number is the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Verdict {
    Good = 0,
    Negative = 1,
    BadInput = 2,
    Unknown = 3,
}

impl Verdict {
    const fn name(self) -> &'static str {
        match self {
            Verdict::Good => "good",
            Verdict::Negative => "negative",
            Verdict::BadInput => "bad input",
            Verdict::Unknown => "unknown",
        }
    }
}

/// Collects what a command has to say, or says it at once.
pub(crate) struct Report {
    as_json: bool,
    diagnostics: Vec<Value>,
    results: Map<String, Value>,
}

impl Report {
    pub(crate) fn new(as_json: bool) -> Report {
        Report {
            as_json,
            diagnostics: Vec::new(),
            results: Map::new(),
        }
    }

    /// Whether the standard output is taken by JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.as_json
    }

    /// Whether colours are seen: see https://no-color.org.
    pub(crate) fn is_coloured(&self) -> bool {
        let is_refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        !self.as_json && !is_refused && io::stdout().is_terminal()
    }

    /// Something about the input: to the standard error, or into `diagnostics`.
    pub(crate) fn diagnose(&mut self, diagnostic: impl Diagnostic + Send + Sync + 'static) {
        self.diagnose_report(&miette::Report::new(diagnostic));
    }

    /// The same, of a diagnostic whose type is forgotten.
    pub(crate) fn diagnose_report(&mut self, report: &miette::Report) {
        if self.as_json {
            flatten(report.as_ref(), &mut self.diagnostics);
        } else {
            // Nobody is left to be told that the standard error is closed.
            let _ = writeln!(io::stderr(), "{report:?}");
        }
    }

    /// Text for people only.
    pub(crate) fn say(&self, text: impl AsRef<str>) {
        if !self.as_json {
            emit(text.as_ref().as_bytes());
        }
    }

    /// A result for programs only.
    pub(crate) fn tell(&mut self, key: &str, value: impl Into<Value>) {
        self.results.insert(key.to_owned(), value.into());
    }

    /// The same, of each field of a record.
    pub(crate) fn tell_all(&mut self, record: &impl Serialize) {
        if let Ok(Value::Object(fields)) = serde_json::to_value(record) {
            self.results.extend(fields);
        }
    }

    /// Writes the one JSON object, if that was asked for.
    pub(crate) fn finish(mut self, verdict: Verdict) {
        if self.as_json {
            self.tell("verdict", verdict.name());
            self.results
                .insert("diagnostics".to_owned(), Value::Array(self.diagnostics));
            emit(format!("{:#}\n", Value::Object(self.results)).as_bytes());
        }
    }
}

/// Writes to the standard output; a reader that has gone wants no more.
pub(crate) fn emit(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}

/// A diagnostic and those it is made of, one object each.
fn flatten(diagnostic: &dyn Diagnostic, into: &mut Vec<Value>) {
    let related: Vec<&dyn Diagnostic> = diagnostic.related().into_iter().flatten().collect();
    if related.is_empty() {
        into.push(describe(diagnostic));
    }
    related.into_iter().for_each(|one| flatten(one, into));
}

fn describe(diagnostic: &dyn Diagnostic) -> Value {
    let severity = match diagnostic.severity() {
        Some(miette::Severity::Warning) => "warning",
        Some(miette::Severity::Advice) => "note",
        _ => "error",
    };
    let mut object = json!({
        "severity": severity,
        "code": diagnostic.code().map(|code| code.to_string()),
        "message": diagnostic.to_string(),
        "help": diagnostic.help().map(|help| help.to_string()),
    });
    if let Some(place) = place(diagnostic) {
        object["place"] = place;
    }
    object
}

/// File, line and column (in characters from 1) of the first label, and the
/// line, of a very long one what is near the label.
fn place(diagnostic: &dyn Diagnostic) -> Option<Value> {
    let label = diagnostic.labels()?.next()?;
    let contents = diagnostic
        .source_code()?
        .read_span(&SourceSpan::from((label.offset(), 0)), 1, 1)
        .ok()?;
    let data = contents.data();
    let at = label.offset().checked_sub(contents.span().offset())?;
    let start = data
        .get(..at)?
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |newline| newline + 1);
    let end = data[at..]
        .iter()
        .position(|byte| *byte == b'\n')
        .map_or(data.len(), |newline| at + newline);
    let newlines = data[..start].iter().filter(|byte| **byte == b'\n').count();
    // what is shown may begin in the middle of a long line
    let left_out = if newlines == 0 { contents.column() } else { 0 };
    Some(json!({
        "file": contents.name(),
        "line": contents.line() + newlines + 1,
        "column": left_out + String::from_utf8_lossy(&data[start..at]).chars().count() + 1,
        "length": label.len(),
        "text": String::from_utf8_lossy(&data[start..end]).trim_end_matches('\r'),
    }))
}

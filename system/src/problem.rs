//! What is wrong with a system, where, and what mends it.

use giornata_lang::SourceText;
pub(crate) use giornata_lang::spelling::nearest;
use miette::{Diagnostic, LabeledSpan, Severity, SourceCode};
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// A text that problems point into.
pub type Source = Arc<SourceText>;

/// One thing that is wrong: reason, place, mend.
#[derive(Debug, Clone)]
pub struct Problem {
    reason: String,
    mend: String,
    label: String,
    place: Option<(Source, Range<usize>)>,
}

impl Problem {
    /// A problem without a place in a text. Reason and mend are phrases.
    pub fn new(reason: impl Into<String>, mend: impl Into<String>) -> Problem {
        Problem {
            reason: reason.into(),
            mend: mend.into(),
            label: "here".into(),
            place: None,
        }
    }

    /// The same at a place of a text.
    pub fn at(mut self, source: &Source, span: Range<usize>) -> Problem {
        self.place = Some((source.clone(), span));
        self
    }

    /// What stands at the place, in words; "here" otherwise.
    pub fn label(mut self, label: impl Into<String>) -> Problem {
        self.label = label.into();
        self
    }

    /// Why it is refused.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Problem {}

impl Diagnostic for Problem {
    fn help(&self) -> Option<Box<dyn fmt::Display + '_>> {
        (!self.mend.is_empty()).then(|| Box::new(&self.mend) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.place
            .as_ref()
            .map(|(source, _)| &**source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let (source, span) = self.place.as_ref()?;
        let span = source.shown(span.clone());
        let label = LabeledSpan::new(Some(self.label.clone()), span.start, span.len());
        Some(Box::new(std::iter::once(label)))
    }
}

/// Everything that is wrong with one system: at least one problem.
#[derive(Debug)]
pub struct Refusal {
    about: String,
    problems: Vec<Problem>,
    /// How many more there are.
    left_out: usize,
}

impl Refusal {
    /// The problems, in the order found.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.problems.len();
        let count = shown + self.left_out;
        let noun = if count == 1 { "problem" } else { "problems" };
        write!(f, "{}: {count} {noun}", self.about)?;
        match self.left_out {
            0 => Ok(()),
            _ => write!(f, ", the first {shown} of them here"),
        }
    }
}

impl std::error::Error for Refusal {}

impl Diagnostic for Refusal {
    fn severity(&self) -> Option<Severity> {
        Some(Severity::Error)
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        Some(Box::new(self.problems.iter().map(|p| p as &dyn Diagnostic)))
    }
}

/// Collects problems while a check goes on, so that one run tells them all.
#[derive(Debug)]
pub(crate) struct Findings {
    about: String,
    source: Source,
    problems: Vec<Problem>,
    /// Place and reason of all that were found, also those that were left out.
    told: BTreeSet<(usize, usize, String)>,
}

/// Of more problems nobody reads the rest: they follow from the first ones.
const MOST_PROBLEMS: usize = 50;

impl Findings {
    /// None yet, about the file at `path` with this text.
    pub(crate) fn about(path: &Path, text: &str) -> Findings {
        let about = path.display().to_string();
        let source = Arc::new(SourceText::new(&about, text));
        Findings {
            about,
            source,
            problems: Vec::new(),
            told: BTreeSet::new(),
        }
    }

    /// The text that spans point into.
    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    /// Notes a problem at a place of the file; the same at one place only once, and
    /// not more than can be read. O(log problems).
    pub(crate) fn refuse(
        &mut self,
        span: Range<usize>,
        reason: impl Into<String>,
        mend: impl Into<String>,
    ) {
        let problem = Problem::new(reason, mend).at(&self.source, span.clone());
        let is_new = self
            .told
            .insert((span.start, span.end, problem.reason.clone()));
        if is_new && self.problems.len() < MOST_PROBLEMS {
            self.problems.push(problem);
        }
    }

    /// `value`, or all that was found to be wrong.
    pub(crate) fn conclude<T>(self, value: T) -> Result<T, Refusal> {
        if self.problems.is_empty() {
            return Ok(value);
        }
        Err(Refusal {
            about: self.about,
            left_out: self.told.len().saturating_sub(self.problems.len()),
            problems: self.problems,
        })
    }

    /// How many problems there are so far.
    pub(crate) fn count(&self) -> usize {
        self.problems.len()
    }
}

/// The text of a file.
///
/// # Errors
/// It is not UTF-8: where the first byte lies that begins no character.
pub(crate) fn utf8(path: &Path, bytes: Vec<u8>) -> Result<String, Problem> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        let source = Arc::new(SourceText::new(path.display().to_string(), text));
        let (line, column) = source.position(at);
        let reason = format!(
            "{} is not UTF-8: what stands in line {line}, column {column} is no character",
            path.display()
        );
        let length = char::REPLACEMENT_CHARACTER.len_utf8();
        Problem::new(reason, "save the file as UTF-8").at(&source, at..at + length)
    })
}

/// A refusal of one problem.
impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Refusal {
        let about = problem
            .place
            .as_ref()
            .map_or("system", |(source, _)| source.name())
            .to_string();
        Refusal {
            about,
            problems: vec![problem],
            left_out: 0,
        }
    }
}

/// The entry of `known` that `word` was most likely meant to be, as a mend.
pub fn suggest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    match nearest(word, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if known.is_empty() => "there is none to choose from".into(),
        None => format!("known here: {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_word_is_suggested_and_far_ones_are_listed() {
        assert_eq!(
            suggest("tsks", ["tasks", "drivers"]),
            "did you mean `tasks`?"
        );
        assert_eq!(
            suggest("bananas", ["tasks", "drivers"]),
            "known here: tasks, drivers"
        );
    }
}

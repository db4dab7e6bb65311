//! What is wrong with a system, where, and what mends it.

use miette::{Diagnostic, LabeledSpan, NamedSource, Severity, SourceCode};
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// A text that problems point into.
pub type Source = Arc<NamedSource<String>>;

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
        let (_, span) = self.place.as_ref()?;
        let label = LabeledSpan::new(Some(self.label.clone()), span.start, span.len());
        Some(Box::new(std::iter::once(label)))
    }
}

/// Everything that is wrong with one system: at least one problem.
#[derive(Debug)]
pub struct Refusal {
    about: String,
    problems: Vec<Problem>,
}

impl Refusal {
    /// The problems, in the order found.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.problems.len();
        let noun = if count == 1 { "problem" } else { "problems" };
        write!(f, "{}: {count} {noun}", self.about)
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
}

impl Findings {
    /// None yet, about the file at `path` with this text.
    pub(crate) fn about(path: &Path, text: &str) -> Findings {
        let about = path.display().to_string();
        let source = Arc::new(NamedSource::new(&about, text.to_string()).with_language("toml"));
        Findings {
            about,
            source,
            problems: Vec::new(),
        }
    }

    /// The text that spans point into.
    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    /// Notes a problem at a place of the file; the same at one place only once.
    pub(crate) fn refuse(
        &mut self,
        span: Range<usize>,
        reason: impl Into<String>,
        mend: impl Into<String>,
    ) {
        let problem = Problem::new(reason, mend).at(&self.source, span.clone());
        let told = |other: &Problem| {
            other.reason == problem.reason
                && other.place.as_ref().is_some_and(|(_, at)| *at == span)
        };
        if !self.problems.iter().any(told) {
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
            problems: self.problems,
        })
    }

    /// How many problems there are so far.
    pub(crate) fn count(&self) -> usize {
        self.problems.len()
    }
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

/// The one of the known words that is probably meant, if one is near.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let close = known.into_iter().map(|k| (distance(word, k), k)).min();
    let (_, meant) = close.filter(|(steps, meant)| *steps <= 1 + meant.len() / 3)?;
    Some(meant)
}

/// Edits from one word to the other: insert, delete, replace, or swap two neighbours
/// (the optimal string alignment distance). O(product of lengths).
fn distance(a: &str, b: &str) -> usize {
    let [a, b] = [a, b].map(|word| word.chars().take(64).collect::<Vec<char>>());
    let mut rows: [Vec<usize>; 3] = [vec![], vec![], (0..=b.len()).collect()];
    for (i, x) in a.iter().enumerate() {
        rows.rotate_left(1);
        let [before, last, row] = &mut rows;
        row.clear();
        row.push(i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = last[j] + usize::from(x != y);
            let mut least = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i - 1] == *y && b[j - 1] == *x {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
    }
    rows[2][b.len()]
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

    #[test]
    fn distance_counts_edits() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", ""), 0);
        assert_eq!(distance("abc", ""), 3);
    }

    #[test]
    fn digits_that_are_swapped_are_nearer_than_others() {
        assert_eq!(distance("qemu-virt46", "qemu-virt64"), 1);
        let boards = ["qemu-virt32", "qemu-virt32-pmp", "qemu-virt64", "rtl-pmp"];
        assert_eq!(
            suggest("qemu-virt46", boards),
            "did you mean `qemu-virt64`?"
        );
    }
}

//! Source texts as reports show them.
//!
//! A report shows the lines around a place. A line that is much wider than a
//! terminal is cut to a window around the place, so that file, line and column
//! stay in the report whatever the text is: the layout of reports counts columns
//! in 16 bits, and takes time for every byte that it shows.

use std::ops::Range;

use miette::{MietteError, MietteSpanContents, NamedSource, SourceCode, SourceSpan, SpanContents};

/// A line of more bytes is cut.
const LONGEST_LINE: usize = 400;
/// Bytes of a cut line that are shown before a place.
const BEFORE: usize = 60;
/// The most bytes of a place itself.
const PLACE: usize = 120;
/// Bytes that are shown behind it.
const BEHIND: usize = 60;

/// A text with the name of its file.
#[derive(Debug)]
pub struct SourceText {
    named: NamedSource<String>,
    /// The byte at which each line begins; at least one.
    lines: Vec<usize>,
    has_long_lines: bool,
}

impl SourceText {
    /// A text and what it is called in reports. O(text).
    pub fn new(name: impl AsRef<str>, text: impl Into<String>) -> SourceText {
        let text = text.into();
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        SourceText {
            lines: std::iter::once(0).chain(ends).collect(),
            has_long_lines: text.lines().any(|line| line.len() > LONGEST_LINE),
            named: NamedSource::new(name, text),
        }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        self.named.name()
    }

    /// All of it.
    pub fn text(&self) -> &str {
        self.named.inner()
    }

    /// The part of a place that a report can underline: all of it, unless a long
    /// line is near.
    pub fn shown(&self, place: Range<usize>) -> Range<usize> {
        let (first, last) = self.lines_of(&place);
        if !self.is_cut(first.saturating_sub(1), last + 1) {
            return place;
        }
        let most = (place.start + PLACE).min(self.line(first).end);
        let end = place.end.min(most).max(place.start);
        place.start..self.boundary(end)
    }

    /// Line and column of a byte, in characters from 1; a byte past the end counts
    /// as the end. O(log lines + the line).
    pub fn position(&self, at: usize) -> (usize, usize) {
        let at = self.boundary(at);
        let line = self.line_of(at);
        let before = self.text().get(self.lines[line]..at).unwrap_or("");
        (line + 1, before.chars().count() + 1)
    }

    fn line_of(&self, at: usize) -> usize {
        self.lines.partition_point(|start| *start <= at).max(1) - 1
    }

    /// The first and the last line of a place.
    fn lines_of(&self, place: &Range<usize>) -> (usize, usize) {
        let last = place.end.saturating_sub(1).max(place.start);
        (self.line_of(place.start), self.line_of(last))
    }

    /// A line without its end.
    fn line(&self, line: usize) -> Range<usize> {
        let start = self.lines.get(line).copied().unwrap_or(self.text().len());
        let next = self.lines.get(line + 1);
        start..next.map_or(self.text().len(), |next| next - 1)
    }

    /// Whether one of these lines is too long to be shown as a whole.
    fn is_cut(&self, first: usize, last: usize) -> bool {
        let last = last.min(self.lines.len() - 1);
        self.has_long_lines && (first..=last).any(|line| self.line(line).len() > LONGEST_LINE)
    }

    /// The last boundary of a character up to a byte.
    fn boundary(&self, at: usize) -> usize {
        let at = at.min(self.text().len());
        let boundaries = (0..=at).rev();
        let mut boundaries = boundaries.filter(|at| self.text().is_char_boundary(*at));
        boundaries.next().unwrap_or(0)
    }

    /// The window of a long line around a place in it. Several places that are far
    /// apart have no window of their own: each is shown by itself.
    fn window(&self, place: Range<usize>) -> Result<MietteSpanContents<'_>, MietteError> {
        let (first, last) = self.lines_of(&place);
        if first != last || place.len() > PLACE || place.end > self.text().len() {
            return Err(MietteError::OutOfBounds);
        }
        let line = self.line(first);
        let start = self
            .boundary(place.start.saturating_sub(BEFORE))
            .max(line.start);
        let end = self.boundary(place.end + BEHIND).min(line.end).max(start);
        let column = self.position(start).1 - 1;
        Ok(MietteSpanContents::new_named(
            self.name().to_owned(),
            &self.text().as_bytes()[start..end],
            SourceSpan::from((start, end - start)),
            first,
            column,
            1,
        ))
    }
}

impl SourceCode for SourceText {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let place = span.offset()..span.offset() + span.len();
        let (first, last) = self.lines_of(&place);
        // without lines around, only name, line and column are asked for
        let is_place = (lines_before, lines_after) == (0, 0);
        if is_place || !self.is_cut(first.saturating_sub(lines_before), last + lines_after) {
            return self.named.read_span(span, lines_before, lines_after);
        }
        Ok(Box::new(self.window(place)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_lines_are_shown_with_their_neighbours() {
        let text = SourceText::new("a", "one\ntwo\nthree\n");
        let shown = text.read_span(&SourceSpan::from((4, 3)), 1, 1).unwrap();
        assert_eq!((shown.data(), shown.line()), (&b"one\ntwo\nthree\n"[..], 0));
        assert_eq!(text.shown(4..9), 4..9);
        assert_eq!(text.position(9), (3, 2));
    }

    #[test]
    fn a_long_line_is_cut_to_a_window_of_whole_characters() {
        let text = SourceText::new("a", format!("one\n{}x{0}\nthree", "ä".repeat(5_000)));
        let at = 4 + 10_000;
        assert_eq!(text.position(at), (2, 5_001));
        let shown = text.read_span(&SourceSpan::from((at, 1)), 1, 1).unwrap();
        assert_eq!(
            (shown.line(), shown.column(), shown.name()),
            (1, 4_970, Some("a"))
        );
        let data = std::str::from_utf8(shown.data()).unwrap();
        assert_eq!(data, format!("{}x{0}", "ä".repeat(30)));
        // a place of its own line is not shown longer than the window
        assert_eq!(text.shown(at..at + 9_000).len(), PLACE - 1);
        let both = SourceSpan::from((4, 10_000));
        assert!(text.read_span(&both, 1, 1).is_err());
    }
}

//! Places in a text: bytes here, lines and UTF-16 units in the protocol.

use giornata_lang::diagnostic::Span;
use lsp_types::{Position, Range};

/// A text with the byte at which each line begins.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) text: String,
    lines: Vec<usize>,
}

impl Text {
    pub(crate) fn new(text: String) -> Text {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let lines = std::iter::once(0).chain(ends).collect();
        Text { text, lines }
    }

    /// The byte at a position; one beyond a line is its end.
    pub(crate) fn offset(&self, position: Position) -> usize {
        let line = position.line as usize;
        let end = self.text.len();
        let start = self.lines.get(line).copied().unwrap_or(end);
        let next = self.lines.get(line + 1).copied().unwrap_or(end);
        let mut units = 0;
        for (at, character) in self.text[start..next].char_indices() {
            if units >= position.character as usize || character == '\n' {
                return start + at;
            }
            units += character.len_utf16();
        }
        next
    }

    fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.lines.partition_point(|start| *start <= offset).max(1) - 1;
        let before = &self.text[self.lines[line]..offset];
        Position {
            line: line as u32,
            character: before.encode_utf16().count() as u32,
        }
    }

    pub(crate) fn range(&self, span: Span) -> Range {
        Range {
            start: self.position(span.start),
            end: self.position(span.end),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_units_of_16_bits() {
        let text = Text::new("ä𝄞x\nsecond\n".into());
        let x = text.text.find('x').unwrap();
        let position = text.position(x);
        assert_eq!((position.line, position.character), (0, 3));
        assert_eq!(text.offset(position), x);
        let second = text.text.find("cond").unwrap();
        assert_eq!(text.offset(text.position(second)), second);
        let far = Position {
            line: 0,
            character: 99,
        };
        assert_eq!(text.offset(far), text.text.find('\n').unwrap());
        let beyond = Position {
            line: 9,
            character: 9,
        };
        assert_eq!(text.offset(beyond), text.text.len());
    }
}

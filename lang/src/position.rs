//! Where instructions come from, as modules tell it.

use giornata_abi::module::Position;

use crate::diagnostic::Span;

/// The byte at which each line of a text begins. O(text).
pub(crate) fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0)
        .chain(text.match_indices('\n').map(|(at, _)| at + 1))
        .collect()
}

/// The table of source positions: one entry wherever the place changes.
/// `lines`: the byte at which each line begins.
pub(crate) fn positions(spans: &[Span], lines: &[usize]) -> Vec<Position> {
    let mut table: Vec<Position> = Vec::new();
    for (address, span) in spans.iter().enumerate() {
        let line = lines.partition_point(|start| *start <= span.start);
        let start = lines.get(line.wrapping_sub(1)).copied().unwrap_or(0);
        let column = u16::try_from(span.start - start + 1).unwrap_or(u16::MAX);
        let position = Position {
            address: address as u16,
            column,
            line: line as u32,
        };
        if table
            .last()
            .is_none_or(|last| (last.line, last.column) != (position.line, position.column))
        {
            table.push(position);
        }
    }
    table
}

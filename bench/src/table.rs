//! Rows for people: as Markdown for documents, aligned for terminals.

use std::fmt::Write as _;

use crate::{Catalogue, Kind, Row};

const HEAD: [&str; 12] = [
    "operation",
    "config",
    "min",
    "median",
    "max",
    "instr.",
    "published",
    "peer",
    "floor",
    "must",
    "aim",
    "goal",
];

/// A Markdown table; operations with what they are.
pub fn markdown(catalogue: &Catalogue, rows: &[Row]) -> String {
    let mut text = format!("| {} |\n|---|---|", HEAD.join(" | "));
    text.push_str(&"---:|".repeat(9));
    text.push_str("---|\n");
    for row in rows {
        let mut cells = cells(catalogue, row);
        let what = catalogue.operation(&row.op).map(|o| o.what.as_str());
        cells[0] = format!("`{}` {}", row.op, what.unwrap_or_default());
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text
}

/// Aligned columns.
pub fn plain(catalogue: &Catalogue, rows: &[Row]) -> String {
    let mut lines = vec![HEAD.map(String::from).to_vec()];
    lines.extend(rows.iter().map(|row| cells(catalogue, row)));
    let width = |column: usize| {
        let cells = lines.iter().map(|line| line[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..HEAD.len()).map(width).collect();
    let mut text = String::new();
    for line in &lines {
        let mut padded = String::new();
        for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
            let _ = match column {
                0 | 1 | 11 => write!(padded, "{cell:<width$}  "),
                _ => write!(padded, "{cell:>width$}  "),
            };
        }
        let _ = writeln!(text, "{}", padded.trim_end());
    }
    text
}

/// Where the figures beside the measured ones come from, as a Markdown list.
pub fn sources(catalogue: &Catalogue) -> String {
    let mut text = String::new();
    for operation in &catalogue.operations {
        for figure in operation.figures.iter().filter(|f| f.kind < Kind::Must) {
            let kind = match figure.kind {
                Kind::Published => "published",
                Kind::Peer => "peer",
                _ => "floor",
            };
            let _ = writeln!(
                text,
                "- `{}`, {kind}: {} {}: {}",
                operation.op, figure.value, operation.unit, figure.source
            );
        }
    }
    text
}

fn cells(catalogue: &Catalogue, row: &Row) -> Vec<String> {
    let optional = |figure: Option<u64>| figure.map_or("-".into(), |figure| figure.to_string());
    let mut cells = vec![row.op.clone(), format!("{} {}", row.board, row.config)];
    cells.extend([row.min, row.median, row.max].map(|figure| figure.to_string()));
    let others = [
        row.instructions,
        row.published,
        row.peer,
        row.floor,
        row.must,
        row.aim,
    ];
    cells.extend(others.map(optional));
    cells.push(goal(row, catalogue.judged(row)).into());
    cells
}

/// How the row stands to its goals.
fn goal(row: &Row, figure: u64) -> &'static str {
    match (row.must, row.aim) {
        (Some(must), _) if figure > must => "MISSED",
        (_, Some(aim)) if figure <= aim => "aim",
        (Some(_), _) => "must",
        (None, _) => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::tests::row;

    fn catalogue() -> Catalogue {
        let text = "[[operation]]\nop = \"yield\"\nwhat = \"yield to an equal\"\nfigures = [{ kind = \"peer\", value = 164, source = \"ThreadX 6.4.2 on the same RTL\" }, { kind = \"must\", value = 185, source = \"goal\" }]\n";
        Catalogue::parse("kernel", text).unwrap()
    }

    fn goals(median: u64) -> Row {
        Row {
            must: Some(185),
            aim: Some(140),
            peer: Some(164),
            ..row("yield", median)
        }
    }

    #[test]
    fn table_says_which_goal_is_reached() {
        let rows = [goals(140), goals(185), goals(186), row("other", 1)];
        let text = plain(&catalogue(), &rows);
        let ends: Vec<&str> = text
            .lines()
            .skip(1)
            .map(|l| l.rsplit("  ").next().unwrap())
            .collect();
        assert_eq!(ends[..3], ["aim", "must", "MISSED"]);
        assert!(text.lines().nth(4).unwrap().ends_with('-'));
    }

    #[test]
    fn markdown_rows_have_as_many_cells_as_the_head() {
        let text = markdown(&catalogue(), &[goals(140)]);
        let bars: Vec<usize> = text.lines().map(|line| line.matches('|').count()).collect();
        assert_eq!(bars, [13, 13, 13]);
        assert!(text.contains("`yield` yield to an equal"));
    }

    #[test]
    fn sources_are_those_of_others_figures() {
        assert_eq!(
            sources(&catalogue()),
            "- `yield`, peer: 164 cycles: ThreadX 6.4.2 on the same RTL\n"
        );
    }
}

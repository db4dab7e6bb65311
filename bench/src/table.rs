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
    for row in shown(catalogue, rows) {
        let mut cells = cells(catalogue, row);
        let what = catalogue.operation(&row.op).map(|o| o.what.as_str());
        cells[0] = format!("`{}` {}", row.op, what.unwrap_or_default());
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    for (title, lines) in comparisons(catalogue, rows) {
        let _ = writeln!(text, "\n## {title}\n");
        for (index, line) in lines.iter().enumerate() {
            let _ = writeln!(text, "| {} |", line.join(" | "));
            if index == 0 {
                let _ = writeln!(text, "|---|{}---|", "---:|".repeat(line.len() - 2));
            }
        }
    }
    text
}

/// Aligned columns.
pub fn plain(catalogue: &Catalogue, rows: &[Row]) -> String {
    let mut lines = vec![HEAD.map(String::from).to_vec()];
    let shown = shown(catalogue, rows);
    lines.extend(shown.iter().map(|row| cells(catalogue, row)));
    aligned(&lines, &[0, 1, 11])
}

/// Aligned columns of how much the number of threads and the caches matter.
pub fn compared(catalogue: &Catalogue, rows: &[Row]) -> String {
    let mut text = String::new();
    for (title, lines) in comparisons(catalogue, rows) {
        let last = lines[0].len() - 1;
        let _ = write!(text, "\n{title}\n{}", aligned(&lines, &[0, last]));
    }
    text
}

/// Lines of cells; those of some columns stand to the left.
fn aligned(lines: &[Vec<String>], left: &[usize]) -> String {
    let columns = lines.first().map_or(0, Vec::len);
    let width = |column: usize| {
        let cells = lines.iter().map(|line| line[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for line in lines {
        let mut padded = String::new();
        for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
            let _ = match left.contains(&column) {
                true => write!(padded, "{cell:<width$}  "),
                false => write!(padded, "{cell:>width$}  "),
            };
        }
        let _ = writeln!(text, "{}", padded.trim_end());
    }
    text
}

/// The rows of the main table: not those that are only there to be compared with
/// others among more threads.
fn shown<'a>(catalogue: &Catalogue, rows: &'a [Row]) -> Vec<&'a Row> {
    let is_compared = |row: &Row| {
        let is = |(op, size): (&str, u32)| {
            row.sized() == Some((op, size)) && catalogue.operation(op).is_ok()
        };
        catalogue.flat.iter().any(|flat| flat.sized().any(is))
    };
    let has_figures = |row: &Row| row.published.or(row.peer).or(row.must).is_some();
    rows.iter()
        .filter(|row| has_figures(row) || !is_compared(row))
        .collect()
}

/// Tables of what the suite compares its own rows by, with their titles.
fn comparisons(catalogue: &Catalogue, rows: &[Row]) -> Vec<(String, Vec<Vec<String>>)> {
    let flat = catalogue.flat.iter();
    let mut tables: Vec<_> = flat.flat_map(|flat| flat.tables(catalogue, rows)).collect();
    let rate = catalogue.rate.iter();
    tables.extend(rate.filter_map(|rate| rate.table(catalogue, rows)));
    let shipped = catalogue.shipped.iter();
    tables.extend(shipped.filter_map(|shipped| shipped.table(catalogue, rows)));
    tables
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
            let count = match &catalogue.rate {
                Some(rate) => format!(", {} operations", rate.operations(figure.value)),
                None => String::new(),
            };
            let _ = writeln!(
                text,
                "- `{}`, {kind}: {} {}{count}: {}",
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
    cells.push(row.goal_met(catalogue.judged(row)).into());
    cells
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
        let counting = Catalogue {
            rate: Some(crate::Rate { cycles: 1_000_000 }),
            ..catalogue()
        };
        assert!(sources(&counting).contains("164 cycles, 6097 operations: "));
    }
}

//! The live table: tasks with their worst response against the deadline,
//! processor load, ports.

use giornata_abi::{Duration, ValueType};
use giornata_system::NameMap;
use giornata_system::names::ThreadRole;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Cell, Row, Table, Widget};

use crate::notation::{millis, percent, port_value, seconds};
use crate::statistics::{PortTotals, Statistics, ThreadTotals};

/// Ports shown at most; actuators and sensors come first.
const MOST_PORTS: usize = 12;
/// Cells of the bar that shows a response against its deadline.
const BAR: u64 = 6;

/// The live table of a running system.
#[derive(Clone, Copy, Debug)]
pub struct Dashboard<'a> {
    /// What is shown in the first line.
    pub title: &'a str,
    /// The system.
    pub names: &'a NameMap,
    /// Its totals so far.
    pub totals: &'a Statistics,
}

/// Lines that the table of a system wants.
pub fn height(names: &NameMap) -> u16 {
    let threads = names.threads.len();
    let ports = shown_ports(names).len();
    u16::try_from(threads + ports + 5).unwrap_or(u16::MAX)
}

impl Widget for Dashboard<'_> {
    fn render(self, area: Rect, buffer: &mut Buffer) {
        let threads = self.names.threads.len() as u16 + 1;
        let rows = Layout::vertical([
            Constraint::Length(1),
            Constraint::Length(1),
            Constraint::Length(threads),
            Constraint::Length(1),
            Constraint::Min(0),
        ]);
        let [status, _, tasks, _, ports] = rows.areas(area);
        self.status().render(status, buffer);
        self.tasks().render(tasks, buffer);
        self.ports().render(ports, buffer);
    }
}

impl Dashboard<'_> {
    fn status(&self) -> Line<'static> {
        let totals = self.totals;
        let now = totals.now;
        let busy = totals.processor(now).iter().sum();
        let count = |label: &str, count: u64| {
            let style = if count == 0 {
                Style::new()
            } else {
                Style::new().fg(Color::Red)
            };
            Span::styled(format!("  {label} {count}"), style)
        };
        Line::from(vec![
            Span::styled(
                self.title.to_string(),
                Style::new().add_modifier(Modifier::BOLD),
            ),
            Span::raw(format!(
                "  virtual {}  releases {}",
                seconds(totals.instant()),
                totals.releases()
            )),
            count("missed", totals.misses()),
            count("violations", totals.violations),
            Span::raw(format!("  load {} %", percent(busy, totals.elapsed().0))),
        ])
    }

    fn tasks(&self) -> Table<'static> {
        let processor = self.totals.processor(self.totals.now);
        let threads = self.names.threads.iter().zip(&self.totals.threads);
        let rows = threads.zip(processor).map(|((thread, totals), ran)| {
            let process = self.names.processes.get(usize::from(thread.process));
            let process = process.map_or_else(String::new, |process| process.name.clone());
            let mut cells = vec![totals.both(&thread.name).into(), process.into()];
            cells.extend(job_cells(thread.role, totals));
            cells.push(right(percent(ran, self.totals.elapsed().0)));
            let style = if totals.misses > 0 {
                Style::new().fg(Color::Red)
            } else {
                Style::new()
            };
            Row::new(cells).style(style)
        });
        // with the gaps between them, 79 of a terminal's 80 columns
        let widths = [14, 10, 8, 6, BAR as u16, 11, 11, 6].map(Constraint::Length);
        let head: [Cell<'static>; 8] = [
            "thread".into(),
            "process".into(),
            right("released".into()),
            right("missed".into()),
            "".into(),
            right("worst".into()),
            right("deadline".into()),
            right("load %".into()),
        ];
        Table::new(rows.collect::<Vec<_>>(), widths).header(header(head))
    }

    fn ports(&self) -> Table<'static> {
        let rows = shown_ports(self.names).into_iter().map(|index| {
            let totals = self.totals.ports.get(index).cloned().unwrap_or_default();
            Row::new(self.port_cells(index, &totals))
        });
        let widths = [24, 10, 8].map(Constraint::Length);
        let widths = widths.into_iter().chain([Constraint::Min(0)]);
        let head: [Cell<'static>; 4] = [
            "port".into(),
            "kind".into(),
            right("writes".into()),
            "  value".into(),
        ];
        Table::new(rows, widths).header(header(head))
    }

    fn port_cells(&self, index: usize, totals: &PortTotals) -> [Cell<'static>; 4] {
        let name = self.names.port(index as u16).unwrap_or_default();
        let port = self.names.ports.get(index);
        let kind = port.map_or_else(String::new, |port| port.kind.clone());
        let shown = match port.filter(|_| totals.writes > 0) {
            Some(port) => port_value(&totals.value, port),
            None => "-".into(),
        };
        [
            name.into(),
            kind.into(),
            right(totals.writes.to_string()),
            format!("  {shown}").into(),
        ]
    }
}

fn job_cells(role: ThreadRole, totals: &ThreadTotals) -> [Cell<'static>; 5] {
    if role != ThreadRole::Task {
        return ["-", "-", "", "-", "-"].map(|text| right(text.into()));
    }
    let deadline = if totals.deadline == 0 {
        "-".into()
    } else {
        millis(Duration(totals.deadline))
    };
    [
        right(totals.releases.to_string()),
        right(totals.misses.to_string()),
        bar(totals.response.most, totals.deadline).into(),
        right(millis(Duration(totals.response.most))),
        right(deadline),
    ]
}

fn right(text: String) -> Cell<'static> {
    Cell::from(Line::from(text).right_aligned())
}

fn bar(part: u64, whole: u64) -> String {
    let full = part
        .saturating_mul(BAR)
        .checked_div(whole)
        .unwrap_or(0)
        .min(BAR) as usize;
    "█".repeat(full) + &"░".repeat(BAR as usize - full)
}

fn header<const N: usize>(cells: [Cell<'static>; N]) -> Row<'static> {
    Row::new(cells).style(Style::new().add_modifier(Modifier::DIM))
}

/// Traced ports: those that read as numbers before those that are bytes, of
/// each actuators, then sensors, then the others, in table order.
fn shown_ports(names: &NameMap) -> Vec<usize> {
    let rank = |kind: &str| match kind {
        "actuator" => 0,
        "sensor" => 1,
        _ => 2,
    };
    let mut ports: Vec<usize> = (0..names.ports.len())
        .filter(|&index| names.ports[index].traced)
        .collect();
    ports.sort_by_key(|&index| {
        let port = &names.ports[index];
        (port.value_type() == ValueType::Opaque, rank(&port.kind))
    });
    ports.truncate(MOST_PORTS);
    ports
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::*;

    fn screen(totals: &Statistics, width: u16, lines: u16) -> Vec<String> {
        let names = names();
        let area = Rect::new(0, 0, width, lines);
        let mut buffer = Buffer::empty(area);
        Dashboard {
            title: "sample",
            names: &names,
            totals,
        }
        .render(area, &mut buffer);
        let row = |y| {
            (0..width)
                .map(|x| buffer[(x, y)].symbol())
                .collect::<String>()
                .trim_end()
                .to_string()
        };
        (0..lines).map(row).collect()
    }

    fn totals() -> Statistics {
        let mut totals = Statistics::new(&names());
        for event in [
            switch(0, Some(0)),
            release(0, 0, 1, 10),
            complete(5_000, 0, 1),
            switch(5_000, None),
            port_piece(0, 0, 10_000_000, u64::from(1.5f32.to_bits()).to_le_bytes()),
        ] {
            totals.observe(&event);
        }
        totals
    }

    #[test]
    fn the_table_shows_response_against_deadline_and_port_values() {
        // a terminal of 80 columns cuts nothing
        let lines = screen(&totals(), 80, height(&names()));
        assert!(
            lines[0].starts_with("sample  virtual 0.010 s  releases 1  missed 0  violations 0"),
            "{lines:#?}"
        );
        let fast = "███░░░    5.000 ms   10.000 ms  49.99";
        assert!(lines[3].ends_with(fast), "{lines:#?}");
        assert_eq!(lines[3].chars().count(), 79, "{lines:#?}");
        assert!(
            lines[8].starts_with("servo") && lines[8].ends_with("1.5000"),
            "{lines:#?}"
        );
    }

    #[test]
    fn a_screen_that_is_too_small_cuts_the_table() {
        for (width, lines) in [(1, 1), (20, 3), (200, 2)] {
            assert_eq!(screen(&totals(), width, lines).len(), usize::from(lines));
        }
    }
}

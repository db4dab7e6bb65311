//! The live table on a terminal. What processes say scrolls above it; the
//! table stays when the run ends.

use std::io::{IsTerminal, Stdout, stdout};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use giornata_symbols::Symbols;
use giornata_system::NameMap;
use giornata_trace::{Dashboard, Event, Narrator, Statistics, height};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Position;
use ratatui::text::Line;
use ratatui::widgets::Widget;
use ratatui::{Terminal, TerminalOptions, Viewport};

use crate::flight::Observer;

/// Between two pictures.
const FRAME: Duration = Duration::from_millis(80);

/// The live table.
pub(crate) struct Screen<'a> {
    title: &'a str,
    names: &'a NameMap,
    terminal: Terminal<CrosstermBackend<Stdout>>,
    narrator: Narrator<'a>,
    drawn: Option<Instant>,
}

/// Whether there is a terminal to draw on.
pub(crate) fn is_there() -> bool {
    stdout().is_terminal() && std::env::var_os("TERM").is_some_and(|term| term != "dumb")
}

impl<'a> Screen<'a> {
    /// A table in the lines below the cursor. The terminal keeps its mode, so
    /// that Ctrl-C works as ever.
    ///
    /// # Errors
    /// The terminal does not answer where its cursor is.
    pub(crate) fn new(
        title: &'a str,
        names: &'a NameMap,
        symbols: &'a Symbols,
    ) -> Result<Screen<'a>> {
        let (_, lines) =
            ratatui::crossterm::terminal::size().context("the size of the terminal")?;
        let wanted = height(names).min(lines.saturating_sub(1)).max(1);
        let options = TerminalOptions {
            viewport: Viewport::Inline(wanted),
        };
        let backend = CrosstermBackend::new(stdout());
        let terminal = Terminal::with_options(backend, options).context("the terminal")?;
        Ok(Screen {
            title,
            names,
            terminal,
            narrator: Narrator::new(names, false).with_symbols(symbols),
            drawn: None,
        })
    }

    /// Draws the final table and leaves it there.
    ///
    /// # Errors
    /// The terminal is gone; so below.
    pub(crate) fn end(mut self, totals: &Statistics) -> Result<()> {
        let mut lines = Vec::new();
        self.narrator.end(|line| lines.push(line));
        self.scroll(lines)?;
        self.draw(totals)?;
        let area = self.terminal.get_frame().area();
        self.terminal
            .set_cursor_position(Position::new(0, area.bottom().saturating_sub(1)))?;
        println!();
        Ok(())
    }

    fn scroll(&mut self, lines: Vec<String>) -> Result<()> {
        let Ok(count @ 1..) = u16::try_from(lines.len()) else {
            return Ok(());
        };
        self.terminal.insert_before(count, |buffer| {
            for (line, row) in lines.into_iter().zip(buffer.area.rows()) {
                Line::from(line).render(row, buffer);
            }
        })?;
        Ok(())
    }

    fn draw(&mut self, totals: &Statistics) -> Result<()> {
        let dashboard = Dashboard {
            title: self.title,
            names: self.names,
            totals,
        };
        self.terminal.draw(|frame| {
            let area = frame.area();
            frame.render_widget(dashboard, area);
            // A visible cursor below the table: it stays visible after Ctrl-C.
            frame.set_cursor_position(Position::new(0, area.bottom().saturating_sub(1)));
        })?;
        self.drawn = Some(Instant::now());
        Ok(())
    }
}

impl Observer for Screen<'_> {
    fn see(&mut self, event: &Event, before: &Statistics) -> Result<()> {
        let mut lines = Vec::new();
        self.narrator.tell(event, before, |line| lines.push(line));
        self.scroll(lines)
    }

    fn pause(&mut self, totals: &Statistics) -> Result<()> {
        if self.drawn.is_some_and(|drawn| drawn.elapsed() < FRAME) {
            return Ok(());
        }
        self.draw(totals)
    }
}

//! `giornata top SYSTEM [--once]`

use std::cell::RefCell;
use std::io::{IsTerminal, stdout};
use std::time::{Duration, Instant};

use giornata_link::Session;
use giornata_system::NameMap;
use giornata_trace::{Dashboard, Event, Statistics, height, summary};
use ratatui::backend::CrosstermBackend;
use ratatui::{Terminal, TerminalOptions, Viewport};

use crate::arguments::Top;
use crate::complaint::Complaint;
use crate::remote::{connect, fail, stream, wrong};
use crate::report::{Report, Verdict};

/// What `--once` sees.
const GLIMPSE: Duration = Duration::from_secs(1);
/// Between two pictures.
const FRAME: Duration = Duration::from_millis(100);

/// Shows a live table until the line ends, or one table.
pub(crate) fn run(arguments: &Top, report: &mut Report) -> Verdict {
    let opened = stream::names(&arguments.system, report)
        .and_then(|names| Ok((names, connect(&arguments.line, report)?)));
    let (names, mut session) = match opened {
        Ok(opened) => opened,
        Err(verdict) => return verdict,
    };
    let live = !arguments.once && !report.is_json() && stdout().is_terminal();
    let shown = if live {
        match screen(&names) {
            Ok(terminal) => show(&mut session, &names, terminal),
            Err(error) => {
                let message = format!("the terminal does not draw: {error}");
                let help = "print one table with --once";
                return wrong(Complaint::new("giornata::terminal", message, help), report);
            }
        }
    } else {
        glimpse(&mut session, &names, report)
    };
    match shown {
        Ok(()) => Verdict::Good,
        Err(failure) => fail(&arguments.line, &failure, report),
    }
}

/// Watches for a moment and prints the table.
fn glimpse(
    session: &mut Session,
    names: &NameMap,
    report: &mut Report,
) -> Result<(), giornata_link::Failure> {
    let mut totals = Statistics::new(names);
    let see = |_, _: &_, events: &[Event]| {
        events.iter().for_each(|event| _ = totals.observe(event));
    };
    stream::watch(session, names, Some(GLIMPSE), see, || true)?;
    report.tell("releases", totals.releases());
    report.tell("missed", totals.misses());
    report.tell("violations", totals.violations);
    let lines = summary(names, &totals);
    report.tell("table", lines.clone());
    lines
        .iter()
        .for_each(|line| report.say(format!("{line}\n")));
    Ok(())
}

type Screen = Terminal<CrosstermBackend<std::io::Stdout>>;

/// A table in the lines below the cursor. The terminal keeps its mode, so that
/// Ctrl-C works as ever.
fn screen(names: &NameMap) -> std::io::Result<Screen> {
    let (_, lines) = ratatui::crossterm::terminal::size()?;
    let wanted = height(names).min(lines.saturating_sub(1)).max(1);
    let viewport = Viewport::Inline(wanted);
    Terminal::with_options(
        CrosstermBackend::new(stdout()),
        TerminalOptions { viewport },
    )
}

/// Draws until the line ends.
fn show(
    session: &mut Session,
    names: &NameMap,
    mut terminal: Screen,
) -> Result<(), giornata_link::Failure> {
    let totals = RefCell::new(Statistics::new(names));
    let mut drawn = Instant::now() - FRAME;
    let see = |_, _: &_, events: &[Event]| {
        let mut totals = totals.borrow_mut();
        events.iter().for_each(|event| _ = totals.observe(event));
    };
    stream::watch(session, names, None, see, || {
        if drawn.elapsed() < FRAME {
            return true;
        }
        drawn = Instant::now();
        let (title, totals) = (names.system.as_str(), &*totals.borrow());
        let dashboard = Dashboard {
            title,
            names,
            totals,
        };
        // A terminal that has gone ends the watch.
        terminal
            .draw(|frame| frame.render_widget(dashboard, frame.area()))
            .is_ok()
    })
}

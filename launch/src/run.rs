//! A system built, run and shown: as a live table on a terminal, or as plain lines.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Args;
use giornata_system::expect::Expectation;
use giornata_system::names::name_map;
use giornata_trace::{Event, Narrator, Perfetto, Recording, Statistics};

use crate::debug::Dumping;
use crate::flight::{Landing, Observer, fly};
use crate::home::root;
use crate::image::{Image, build};
use crate::machine::Patience;
use crate::report::RunReport;
use crate::screen::{self, Screen};
use crate::{Verdict, interrupt, link, time};

/// How a system is run.
#[derive(Clone, Debug, Args)]
pub struct How {
    /// A board instead of the one that the system file names.
    #[arg(long)]
    pub board: Option<String>,
    /// Virtual time after which the machine stops.
    #[arg(long = "for", value_name = "DURATION", default_value = "10s", value_parser = time::parse)]
    pub length: giornata_abi::Duration,
    /// Write a trace that Perfetto loads (https://ui.perfetto.dev).
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Write the trace as it came, for `giornata schedule --from-trace`.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Let the hostlink listen there, at a console of QEMU or the serial line of a
    /// chip: tcp:HOST:PORT or unix:PATH.
    #[arg(long, value_name = "ADDRESS")]
    pub link: Option<String>,
    /// Write what the machine holds when it has stopped: for `giornata debug --from`.
    #[arg(long, value_name = "FILE")]
    pub dump: Option<PathBuf>,
    /// What may go wrong beside what the system file's `expect` says, like
    /// fault:water or overrun:control; may be repeated.
    #[arg(long, value_name = "KIND[:NAME]", value_parser = expectation)]
    pub expect: Vec<Expectation>,
    /// Say at the end how every thread stands: what it waits for, since when, where.
    #[arg(long)]
    pub tasks: bool,
    /// Plain lines, also on a terminal.
    #[arg(long)]
    pub headless: bool,
}

impl How {
    /// For so long, on the board that the file names, as plain lines.
    pub fn plain(length: giornata_abi::Duration) -> How {
        How {
            board: None,
            length,
            trace: None,
            record: None,
            link: None,
            dump: None,
            expect: Vec::new(),
            tasks: false,
            headless: true,
        }
    }
}

/// Builds a system and runs it; `title` stands over the table and in the last line.
///
/// # Errors
/// It cannot be built or started, or a file cannot be written.
pub fn run(title: &str, system: &Path, options: &How) -> Result<Verdict> {
    let mut image = prepare(system, options)?;
    match &options.dump {
        Some(file) => Dumping::new(&mut image, file)?.during(|| watch(title, options, &image)),
        None => watch(title, options, &image),
    }
}

/// A system that is built as the options say; the account of it goes to the standard error.
fn prepare(system: &Path, options: &How) -> Result<Image> {
    check_expectations(system, &options.expect)?;
    let mut image = build(system, options.board.as_deref(), options.length)?;
    if let Some(address) = &options.link {
        link::plug_in(&mut image.host, address)?;
    }
    let expected = options.expect.iter().map(ToString::to_string);
    image.names.expect.extend(expected);
    eprintln!("{}", image.report);
    interrupt::listen().context("Ctrl-C")?;
    Ok(image)
}

fn watch(title: &str, options: &How, image: &Image) -> Result<Verdict> {
    let live = if options.headless || !screen::is_there() {
        None
    } else {
        Screen::new(title, &image.names, &image.symbols).ok()
    };
    match live {
        Some(screen) => show(title, options, image, screen),
        None => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            let verdict = tell(title, options, image, &mut out)?;
            out.flush().context("standard output")?;
            Ok(verdict)
        }
    }
}

/// Builds a system and runs it without a word on the standard output: the report, with the
/// lines that would have been written while it ran.
///
/// # Errors
/// As [`run`].
pub fn report(title: &str, system: &Path, options: &How) -> Result<RunReport> {
    let mut image = prepare(system, options)?;
    let tell = |image: &Image| {
        let mut lines = Vec::new();
        let mut story = Story {
            out: &mut lines,
            narrator: Narrator::new(&image.names, true).with_symbols(&image.symbols),
        };
        let end = observe(options, image, &mut story)?;
        story.end()?;
        let mut report = end.report(title, image, options.tasks);
        let lines = String::from_utf8_lossy(&lines);
        report.events = lines.lines().map(String::from).collect();
        Ok(report)
    };
    match &options.dump {
        Some(file) => Dumping::new(&mut image, file)?.during(|| tell(&image)),
        None => tell(&image),
    }
}

/// An expectation of the command line; what is wrong with it, and what to write.
fn expectation(text: &str) -> Result<Expectation, String> {
    text.parse()
        .map_err(|(reason, mend): (String, String)| format!("{reason}; {mend}"))
}

/// Refuses expectations of what the system does not have, before it is built.
fn check_expectations(system: &Path, expectations: &[Expectation]) -> Result<()> {
    if expectations.is_empty() {
        return Ok(());
    }
    // (what is wrong with the system itself is said where it is built)
    let Ok(model) = giornata_system::check(system, root()) else {
        return Ok(());
    };
    let names = name_map(&model, &[]);
    for expectation in expectations {
        if let Err((reason, mend)) = expectation.check(&names) {
            bail!("--expect {expectation}: {reason}; {mend}");
        }
    }
    Ok(())
}

/// Runs an image and writes plain lines, the same each time.
///
/// # Errors
/// As [`run`].
pub fn tell(title: &str, options: &How, image: &Image, out: &mut dyn Write) -> Result<Verdict> {
    let mut story = Story {
        out,
        narrator: Narrator::new(&image.names, true).with_symbols(&image.symbols),
    };
    let end = observe(options, image, &mut story)?;
    story.end()?;
    let report = end.report(title, image, options.tasks);
    for line in report.tables().into_iter().chain(report.last_words()) {
        writeln!(out, "{line}").context("standard output")?;
    }
    Ok(report.verdict)
}

fn show(title: &str, options: &How, image: &Image, mut screen: Screen<'_>) -> Result<Verdict> {
    let end = observe(options, image, &mut screen)?;
    screen.end(end.totals())?;
    let report = end.report(title, image, options.tasks);
    let lines = report.last_words();
    lines.iter().for_each(|line| println!("{line}"));
    Ok(report.verdict)
}

/// How a run ends.
enum End {
    /// The machine has stopped.
    Landed(Box<Landing>),
    /// The program was asked to end before that; what there was so far.
    Interrupted(Box<Statistics>),
}

impl End {
    fn totals(&self) -> &Statistics {
        match self {
            End::Landed(landing) => &landing.totals,
            End::Interrupted(totals) => totals,
        }
    }

    /// `tasks`: how all threads stand is said; else only how those do that did not get on.
    fn report(&self, title: &str, image: &Image, tasks: bool) -> RunReport {
        match self {
            End::Landed(landing) => {
                RunReport::of((title, &image.names, &image.symbols), landing, tasks)
            }
            End::Interrupted(totals) => RunReport::interrupted(title, &image.names, totals),
        }
    }
}

/// Runs an image until its machine stops, or the program is asked to end.
fn ride(image: &Image, patience: Patience, observer: &mut dyn Observer) -> Result<End> {
    let mut watched = Watched {
        observer,
        so_far: None,
    };
    match fly(image, patience, &mut watched) {
        Ok(landing) => Ok(End::Landed(Box::new(landing))),
        // (a machine that hears of it as well may have ended before it was stopped)
        Err(error) => match watched.so_far.filter(|_| interrupt::is_asked()) {
            Some((_, totals)) => Ok(End::Interrupted(totals)),
            None => Err(error),
        },
    }
}

/// How old the totals may be of a run that is broken off.
const AGE: Duration = Duration::from_millis(200);

/// Breaks a run off when the program is asked to end.
struct Watched<'a> {
    observer: &'a mut dyn Observer,
    so_far: Option<(Instant, Box<Statistics>)>,
}

impl Observer for Watched<'_> {
    fn hear(&mut self, bytes: &[u8]) -> Result<()> {
        self.observer.hear(bytes)
    }

    fn see(&mut self, event: &Event, before: &Statistics) -> Result<()> {
        self.observer.see(event, before)
    }

    fn pause(&mut self, totals: &Statistics) -> Result<()> {
        self.observer.pause(totals)?;
        let is_asked = interrupt::is_asked();
        let is_old = |at: &Instant| at.elapsed() >= AGE;
        if is_asked || self.so_far.as_ref().is_none_or(|(at, _)| is_old(at)) {
            self.so_far = Some((Instant::now(), Box::new(totals.clone())));
        }
        if is_asked {
            bail!("the program was asked to end");
        }
        Ok(())
    }
}

fn observe(options: &How, image: &Image, observer: &mut dyn Observer) -> Result<End> {
    let Some(path) = &options.record else {
        return observe_drawing(options, image, observer);
    };
    let failed = || format!("cannot write {}", path.display());
    let mut file = BufWriter::new(create(path)?);
    file.write_all(&Recording::heading(&image.names)?)
        .with_context(failed)?;
    let mut keeper = Keeper { file, observer };
    let end = observe_drawing(options, image, &mut keeper)?;
    keeper.file.flush().with_context(failed)?;
    Ok(end)
}

/// The same, with a trace for Perfetto if one is wanted.
fn observe_drawing(options: &How, image: &Image, observer: &mut dyn Observer) -> Result<End> {
    let patience = Patience::of(image, options.length);
    let Some(path) = &options.trace else {
        return ride(image, patience, observer);
    };
    let mut recorder = Recorder {
        file: Perfetto::with_symbols(
            BufWriter::new(create(path)?),
            &image.names,
            Some(&image.symbols),
        )?,
        observer,
    };
    let end = ride(image, patience, &mut recorder)?;
    recorder
        .file
        .finish()
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(end)
}

/// A file to write, in a folder that is made if need be.
fn create(path: &Path) -> Result<File> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let made = folder.map_or(Ok(()), std::fs::create_dir_all);
    let file = made.and_then(|()| File::create(path));
    file.with_context(|| format!("cannot write {}", path.display()))
}

/// Plain lines.
struct Story<'a, 'n> {
    out: &'a mut dyn Write,
    narrator: Narrator<'n>,
}

impl Story<'_, '_> {
    fn end(mut self) -> Result<()> {
        let mut lines = Vec::new();
        self.narrator.end(|line| lines.push(line));
        self.write(&lines)
    }

    fn write(&mut self, lines: &[String]) -> Result<()> {
        lines
            .iter()
            .try_for_each(|line| writeln!(self.out, "{line}"))
            .context("standard output")
    }
}

impl Observer for Story<'_, '_> {
    fn see(&mut self, event: &Event, before: &Statistics) -> Result<()> {
        let mut lines = Vec::new();
        self.narrator.tell(event, before, |line| lines.push(line));
        self.write(&lines)
    }

    fn pause(&mut self, _: &Statistics) -> Result<()> {
        self.out.flush().context("standard output")
    }
}

/// Keeps the stream as it comes.
struct Keeper<'a, W: Write> {
    file: W,
    observer: &'a mut dyn Observer,
}

impl<W: Write> Observer for Keeper<'_, W> {
    fn hear(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).context("the recorded trace")?;
        self.observer.hear(bytes)
    }

    fn see(&mut self, event: &Event, before: &Statistics) -> Result<()> {
        self.observer.see(event, before)
    }

    fn pause(&mut self, totals: &Statistics) -> Result<()> {
        self.observer.pause(totals)
    }
}

/// Writes the trace file on the way.
struct Recorder<'a, W: Write> {
    file: Perfetto<'a, W>,
    observer: &'a mut dyn Observer,
}

impl<W: Write> Observer for Recorder<'_, W> {
    fn hear(&mut self, bytes: &[u8]) -> Result<()> {
        self.observer.hear(bytes)
    }

    fn see(&mut self, event: &Event, before: &Statistics) -> Result<()> {
        self.file.push(event).context("the trace file")?;
        self.observer.see(event, before)
    }

    fn pause(&mut self, totals: &Statistics) -> Result<()> {
        self.observer.pause(totals)
    }
}

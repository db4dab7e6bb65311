//! `./x run`: builds a system and runs it in QEMU.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use giornata_abi::Duration;
use giornata_trace::{Event, Narrator, Perfetto, Recording, Statistics, closing, summary};

use crate::crates::root;
use crate::screen::{self, Screen};
use crate::time;
use giornata_launch::Verdict;
use giornata_launch::flight::{Landing, Observer, fly};
use giornata_launch::image::{Image, build};
use giornata_launch::link;
use giornata_launch::machine::Patience;

/// What `./x run` flies when nothing else is said.
const DEFAULT: &str = "flight-control";

/// `./x run [SYSTEM] [--board BOARD] [--for 10s] [--trace FILE] [--record FILE] [--headless]`
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// NAME or NAME/FILE: examples/NAME/system.toml or examples/NAME/FILE.toml.
    #[arg(default_value = DEFAULT)]
    pub(crate) system: String,
    /// A board in the stead of the one that the system file names.
    #[arg(long)]
    pub(crate) board: Option<String>,
    /// Virtual time after which the machine stops.
    #[arg(long = "for", value_name = "DURATION", default_value = "10s", value_parser = time::parse)]
    pub(crate) length: Duration,
    /// Write a trace that Perfetto loads (https://ui.perfetto.dev).
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Write the trace as it came, for `giornata schedule --from-trace`.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Let the hostlink listen there, at a console of QEMU or the serial line of a
    /// chip: tcp:HOST:PORT or unix:PATH.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) link: Option<String>,
    /// Plain lines, also on a terminal.
    #[arg(long)]
    pub(crate) headless: bool,
}

impl Options {
    /// The default system for the default time, as plain lines, with a trace file.
    pub(crate) fn plain(trace: PathBuf) -> Options {
        Options {
            system: DEFAULT.into(),
            board: None,
            length: Duration::from_millis(10_000),
            trace: Some(trace),
            record: None,
            link: None,
            headless: true,
        }
    }
}

/// Builds and runs; 0 ok, 1 a deadline missed or a violation unhandled, 3 not known.
pub(crate) fn run(options: &Options) -> Result<Verdict> {
    let path = find(&options.system)?;
    let mut image = build(&path, options.board.as_deref(), options.length)?;
    if let Some(address) = &options.link {
        link::plug_in(&mut image.host, address)?;
    }
    eprintln!("{}", image.report);
    let live = if options.headless || !screen::is_there() {
        None
    } else {
        Screen::new(&options.system, &image.names).ok()
    };
    match live {
        Some(screen) => show(options, &image, screen),
        None => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            let verdict = tell(options, &image, &mut out)?;
            out.flush().context("standard output")?;
            Ok(verdict)
        }
    }
}

/// Runs an image and writes plain lines, the same each time.
pub(crate) fn tell(options: &Options, image: &Image, out: &mut dyn Write) -> Result<Verdict> {
    let mut story = Story {
        out,
        narrator: Narrator::new(&image.names, true),
    };
    let landing = observe(options, image, &mut story)?;
    story.end(&landing.totals)?;
    let (word, verdict, reasons) = landing.verdict();
    for reason in reasons {
        writeln!(out, "{}: {reason}", options.system)?;
    }
    writeln!(out, "{}", closing(&options.system, word, &landing.totals))?;
    Ok(verdict)
}

fn show(options: &Options, image: &Image, mut screen: Screen<'_>) -> Result<Verdict> {
    let landing = observe(options, image, &mut screen)?;
    screen.end(&landing.totals)?;
    let (word, verdict, reasons) = landing.verdict();
    for reason in reasons {
        println!("{}: {reason}", options.system);
    }
    println!("{}", closing(&options.system, word, &landing.totals));
    Ok(verdict)
}

fn observe(options: &Options, image: &Image, observer: &mut dyn Observer) -> Result<Landing> {
    let Some(path) = &options.record else {
        return observe_drawing(options, image, observer);
    };
    let failed = || format!("cannot write {}", path.display());
    let mut file = BufWriter::new(File::create(path).with_context(failed)?);
    file.write_all(&Recording::heading(&image.names)?)
        .with_context(failed)?;
    let mut keeper = Keeper { file, observer };
    let landing = observe_drawing(options, image, &mut keeper)?;
    keeper.file.flush().with_context(failed)?;
    Ok(landing)
}

/// The same, with a trace for Perfetto if one is wanted.
fn observe_drawing(
    options: &Options,
    image: &Image,
    observer: &mut dyn Observer,
) -> Result<Landing> {
    let patience = Patience::of(options.length);
    let Some(path) = &options.trace else {
        return fly(image, patience, observer);
    };
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    let mut recorder = Recorder {
        file: Perfetto::new(BufWriter::new(file), &image.names)?,
        observer,
    };
    let landing = fly(image, patience, &mut recorder)?;
    recorder
        .file
        .finish()
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(landing)
}

/// The system file of `NAME` or `NAME/FILE`; a path to a `.toml` is taken as it is.
///
/// # Errors
/// There is none: with the names there are.
pub(crate) fn find(system: &str) -> Result<PathBuf> {
    if system.ends_with(".toml") && Path::new(system).is_file() {
        return Ok(PathBuf::from(system));
    }
    let examples = root().join("examples");
    let (name, file) = system.split_once('/').unwrap_or((system, "system"));
    let plain =
        |part: &str| !part.is_empty() && !part.contains(['/', '\\']) && !part.starts_with('.');
    let path = examples.join(name).join(format!("{file}.toml"));
    if plain(name) && plain(file) && path.is_file() {
        return Ok(path);
    }
    bail!(
        "there is no system `{system}`; there are: {}",
        systems(&examples)?.join(", ")
    )
}

/// All systems under examples/, as one would name them.
fn systems(examples: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for folder in std::fs::read_dir(examples).context("the folder examples/")? {
        let folder = folder?.path();
        let Ok(files) = std::fs::read_dir(&folder) else {
            continue;
        };
        for file in files {
            names.extend(system_name(&folder, &file?.path()));
        }
    }
    names.sort();
    Ok(names)
}

fn system_name(folder: &Path, file: &Path) -> Option<String> {
    let folder = folder.file_name()?.to_str()?;
    let name = file.file_name()?.to_str()?.strip_suffix(".toml")?;
    match name {
        "Cargo" => None,
        "system" => Some(folder.to_string()),
        other => Some(format!("{folder}/{other}")),
    }
}

/// Plain lines.
struct Story<'a, 'n> {
    out: &'a mut dyn Write,
    narrator: Narrator<'n>,
}

impl Story<'_, '_> {
    fn end(mut self, totals: &Statistics) -> Result<()> {
        let mut lines = Vec::new();
        self.narrator.end(|line| lines.push(line));
        lines.extend(summary(self.narrator.names(), totals));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_system_is_refused_with_the_names_there_are() {
        for system in [
            "no-such-system",
            "../examples/x",
            "",
            "a/b/c",
            "flight-control/no-such-file",
        ] {
            let error = find(system).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("there is no system `{system}`; there are:")),
                "{error}"
            );
        }
    }

    #[test]
    fn a_system_is_named_by_its_folder_and_file() {
        let name = |file| system_name(Path::new("examples/pump"), Path::new(file));
        assert_eq!(name("system.toml").as_deref(), Some("pump"));
        assert_eq!(name("overload.toml").as_deref(), Some("pump/overload"));
        assert_eq!(name("Cargo.toml"), None);
        assert_eq!(name("flight.giotto"), None);
    }
}

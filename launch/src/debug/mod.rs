//! A system under a debugger: QEMU waits, gdb begins with the symbols of the kernel and of
//! every process; or a dump of a machine, read by the same commands.
//!
//! ```text
//!   giornata debug --- gdb on the terminal ----- commands of launch/gdb
//!        |                    | socket `gdb`          | socket `control`
//!        |                   QEMU <--- monitor ---- this program
//!        |                    | console
//!        +--- log file <--- narration
//! ```
//! The machine counts instructions, so its time stands still while it is stopped: no
//! deadline is missed because of a breakpoint.

mod core_file;
mod debugger;
mod halted;
mod pages;
mod session;
mod stub;
mod telling;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use giornata_abi::Duration;
use giornata_system::DebugMap;
use object::{Object, ObjectSymbol};

use crate::image::{Host, Image, build};
use crate::qmp::Post;
use crate::{Verdict, time};
use session::Session;

/// How a system is debugged.
#[derive(Clone, Debug, Default, Args)]
pub struct How {
    /// A board instead of the one that the system file names.
    #[arg(long)]
    pub board: Option<String>,
    /// Virtual time after which the machine stops [default: never].
    #[arg(long = "for", value_name = "DURATION", value_parser = time::parse)]
    pub length: Option<Duration>,
    /// Write what the machine says there [default: NAME.debug.log beside the image].
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// When the session ends, write what the machine holds: for --from.
    #[arg(long, value_name = "FILE")]
    pub dump: Option<PathBuf>,
    /// Look at a dump instead of at a machine.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["board", "length", "log", "dump"])]
    pub from: Option<PathBuf>,
    /// What the debugger gets besides, such as `-ex "break steer"`.
    #[arg(last = true, value_name = "ARGUMENTS")]
    pub arguments: Vec<OsString>,
}

impl From<&crate::run::How> for How {
    /// The same system under a debugger; it has no end.
    fn from(run: &crate::run::How) -> How {
        How {
            board: run.board.clone(),
            dump: run.dump.clone(),
            ..How::default()
        }
    }
}

/// Builds a system and begins a session with its machine.
///
/// # Errors
/// It cannot be built or started; there is no debugger here; its board has no emulator.
pub fn run(title: &str, system: &Path, how: &How) -> Result<Verdict> {
    let debugger = debugger::find()?;
    let length = how.length.unwrap_or(Duration(0));
    let mut image = build(system, how.board.as_deref(), length)?;
    let map = read_map(&image.debug_map)?;
    let Host::Emulator(emulator) = &mut image.host else {
        bail!(
            "{} is simulated cycle by cycle, which no debugger can stop: take a board of QEMU, \
             such as `--board qemu-virt32-pmp`",
            map.names.board
        );
    };
    let mut session = Session::new(&folder_of(&image.debug_map), map)?;
    let post = session.prepare(emulator)?;
    let log = how.log.clone();
    let log = log.unwrap_or_else(|| image.elf.with_extension("debug.log"));
    session.live(title, &image.names, &log, how.dump.as_deref());
    session::with_machine(image, &log, post, |monitor| {
        session.serve(monitor, || debugger.start(&session, &how.arguments))
    })?;
    Ok(Verdict::Good)
}

/// Begins a session with a dump.
///
/// # Errors
/// It cannot be read, or is none; there is no debugger here.
pub fn open(file: &Path, how: &How) -> Result<Verdict> {
    let debugger = debugger::find()?;
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let about = core_file::about(&bytes).with_context(|| file.display().to_string())?;
    let folder = PathBuf::from(&about.folder);
    let mut session = Session::new(&folder, about.map)?;
    session.dumped(file, about.hart)?;
    debugger.start(&session, &how.arguments)?;
    Ok(Verdict::Good)
}

fn read_map(path: &Path) -> Result<DebugMap> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    DebugMap::from_json(&text)
        .map_err(anyhow::Error::msg)
        .with_context(|| path.display().to_string())
}

fn folder_of(file: &Path) -> PathBuf {
    let folder = file.parent().unwrap_or(Path::new(""));
    folder.canonicalize().unwrap_or_else(|_| folder.into())
}

/// Where the kernel comes when the machine stops, whyever it does.
const STOP: &str = "giornata_stop";

/// A machine that runs by itself, and of which a dump is made when it stops.
pub struct Dumping {
    post: Post,
    session: Session,
    stop: u64,
    file: PathBuf,
}

impl Dumping {
    /// Tells the emulator of an image to wait for this program.
    ///
    /// # Errors
    /// Its board has no emulator.
    pub fn new(image: &mut Image, file: &Path) -> Result<Dumping> {
        let map = read_map(&image.debug_map)?;
        let stop = address_of(STOP, &image.kernel)?;
        let Host::Emulator(emulator) = &mut image.host else {
            bail!("a simulated chip has no dump: take a board of QEMU");
        };
        let mut session = Session::new(&folder_of(&image.debug_map), map)?;
        Ok(Dumping {
            post: session.wait(emulator)?,
            session,
            stop,
            file: file.into(),
        })
    }

    /// While `run` lasts, waits for the machine to stop, writes the dump and lets it go.
    ///
    /// # Errors
    /// Those of `run`, or the dump cannot be made.
    pub fn during<T>(self, run: impl FnOnce() -> Result<T>) -> Result<T> {
        std::thread::scope(|scope| {
            let dumper = scope.spawn(|| {
                let mut monitor = self.post.answer()?;
                let mut stub = self.session.stub()?;
                stub.run_to(self.stop)?;
                let dumped = self.session.dump(&mut monitor, &self.file);
                stub.detach()?;
                dumped
            });
            let result = run();
            self.post.close();
            let dumped = dumper
                .join()
                .unwrap_or_else(|_| bail!("the dump broke off"));
            let result = result?;
            dumped.context("no dump was written")?;
            Ok(result)
        })
    }
}

/// Where a function of an executable lies.
fn address_of(name: &str, executable: &Path) -> Result<u64> {
    let path = || executable.display().to_string();
    let bytes = std::fs::read(executable).with_context(path)?;
    let file = object::File::parse(&*bytes).with_context(path)?;
    let symbol = file.symbol_by_name(name);
    let symbol = symbol.with_context(|| format!("{} has no {name}", path()))?;
    Ok(symbol.address())
}

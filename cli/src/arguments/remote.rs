//! What can be asked of a running machine.

use std::path::PathBuf;

use clap::Args;
use giornata_link::Address;

pub(super) const KEY_EXAMPLES: &str = "\
Examples:
  giornata key pilot.key                makes the key, prints its public half
  giornata load gains.giotto --program flight --link tcp:127.0.0.1:4000 --key pilot.key";

pub(super) const LOAD_EXAMPLES: &str = "\
Examples:
  giornata load gains.giotto --program flight --link tcp:127.0.0.1:4000
  giornata load gains.gmod --program flight --carry-over --link unix:/tmp/link
  giornata load gains.gmod --program flight --hold --link serial:/dev/ttyUSB0@115200
  giornata load gains.giotto --program flight --check system.toml --link tcp:127.0.0.1:4000

The machine checks the module whole before anything changes. It changes when all
tasks of the program have completed; with --carry-over at the program's next
round, whose phase and ports the module takes over.";

pub(super) const PATCH_EXAMPLES: &str = "\
Examples:
  giornata patch gains.gmod --base flight.gmod --program flight --link tcp:127.0.0.1:4000

The base is the module that runs; the machine refuses a patch of any other.";

pub(super) const SHUTDOWN_EXAMPLES: &str = "\
Examples:
  giornata shutdown --link tcp:127.0.0.1:4000
  giornata shutdown --status 3 --link tcp:127.0.0.1:4000 --key pilot.key";

pub(super) const STATUS_EXAMPLES: &str = "\
Examples:
  giornata status --link tcp:127.0.0.1:4000
  giornata status --json --link serial:/dev/ttyUSB0@115200";

pub(super) const SWITCH_EXAMPLES: &str = "\
Examples:
  giornata switch flight --link tcp:127.0.0.1:4000               to what `load --hold` sent
  giornata switch flight --carry-over --link tcp:127.0.0.1:4000
  giornata switch flight --withdraw --link tcp:127.0.0.1:4000    what has not happened";

pub(super) const TASKS_EXAMPLES: &str = "\
Examples:
  giornata tasks system.toml --link tcp:127.0.0.1:4000
  giornata tasks flight-control/loadable --link unix:/tmp/link

The process of the hostlink server needs the grant `inspect = true`. The machine goes
on while it is read: the rows are not of one instant, and threads that stood otherwise
when they were read a second time are named. With the grant `trace = true` the machine
is watched for a second before: when threads ran last is known of those that ran then.";

pub(super) const TOP_EXAMPLES: &str = "\
Examples:
  giornata top system.toml --link tcp:127.0.0.1:4000
  giornata top system.toml --once --link tcp:127.0.0.1:4000      one second, then the table";

pub(super) const TRACE_EXAMPLES: &str = "\
Examples:
  giornata trace                          run the project here; for https://ui.perfetto.dev
  giornata trace -o flight.trace          a recording, for `giornata schedule --from-trace`
  giornata trace system.toml --link tcp:127.0.0.1:4000 --for 10s
  giornata trace system.toml --link tcp:127.0.0.1:4000 --for 2s -o flight.trace";

pub(super) const UNLOAD_EXAMPLES: &str = "\
Examples:
  giornata unload telemetry --link tcp:127.0.0.1:4000";

/// The line to the machine.
#[derive(Clone, Debug, Args)]
pub(crate) struct Line {
    /// Where the machine is: tcp:HOST:PORT, unix:PATH or serial:PATH@BAUD.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) link: Address,
    /// How long an answer, or a change, is waited for.
    #[arg(long, value_name = "DURATION", default_value = "10s")]
    pub(crate) timeout: String,
}

/// The line, and the right to change what is at its end.
#[derive(Clone, Debug, Args)]
pub(crate) struct Permit {
    #[command(flatten)]
    pub(crate) line: Line,
    /// Signs, where the machine asks for it; `giornata key` makes one.
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Key {
    /// Where the key goes; it must not be there yet.
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Load {
    /// A program (.giotto, .psi) or a module (.gmod).
    pub(crate) file: PathBuf,
    /// The program of the machine whose place it takes.
    #[arg(long, value_name = "NAME")]
    pub(crate) program: String,
    /// At the program's next round, with its phase and ports.
    #[arg(long, conflicts_with = "hold")]
    pub(crate) carry_over: bool,
    /// Only when `giornata switch` says so.
    #[arg(long)]
    pub(crate) hold: bool,
    /// Only if all jobs are in time together with the other programs of this
    /// system file (TOML), which run.
    #[arg(long, value_name = "SYSTEM")]
    pub(crate) check: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) permit: Permit,
}

#[derive(Debug, Args)]
pub(crate) struct Patch {
    /// A program (.giotto, .psi) or a module (.gmod).
    pub(crate) file: PathBuf,
    /// The module that runs.
    #[arg(long, value_name = "FILE")]
    pub(crate) base: PathBuf,
    /// The program of the machine whose place it takes.
    #[arg(long, value_name = "NAME")]
    pub(crate) program: String,
    /// At the program's next round, with its phase and ports.
    #[arg(long, conflicts_with = "hold")]
    pub(crate) carry_over: bool,
    /// Only when `giornata switch` says so.
    #[arg(long)]
    pub(crate) hold: bool,
    #[command(flatten)]
    pub(crate) permit: Permit,
}

#[derive(Debug, Args)]
pub(crate) struct Switch {
    /// The program.
    pub(crate) program: String,
    /// At the program's next round, with its phase and ports.
    #[arg(long, conflicts_with = "withdraw")]
    pub(crate) carry_over: bool,
    /// Take back a change that has not happened, and drop what is held.
    #[arg(long)]
    pub(crate) withdraw: bool,
    #[command(flatten)]
    pub(crate) permit: Permit,
}

#[derive(Debug, Args)]
pub(crate) struct Unload {
    /// The program.
    pub(crate) program: String,
    #[command(flatten)]
    pub(crate) permit: Permit,
}

#[derive(Debug, Args)]
pub(crate) struct Shutdown {
    /// The status that the machine stops with.
    #[arg(long, default_value_t = 0)]
    pub(crate) status: u8,
    #[command(flatten)]
    pub(crate) permit: Permit,
}

#[derive(Debug, Args)]
pub(crate) struct Status {
    #[command(flatten)]
    pub(crate) line: Line,
}

#[derive(Debug, Args)]
pub(crate) struct Tasks {
    /// The system that the machine runs, as it was built last: a system file, its folder,
    /// or an example by its name [default: the project here].
    pub(crate) system: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) line: Line,
}

#[derive(Debug, Args)]
pub(crate) struct Top {
    /// The system file of the machine: its names.
    pub(crate) system: PathBuf,
    /// Watch for a second, print the table and end.
    #[arg(long)]
    pub(crate) once: bool,
    #[command(flatten)]
    pub(crate) line: Line,
}

#[derive(Debug, Args)]
pub(crate) struct Trace {
    /// A system file, its folder, or an example by its name [default: the project here].
    pub(crate) system: Option<PathBuf>,
    /// How long [default: 10s of virtual time, or 1s of a machine that runs].
    #[arg(long = "for", value_name = "DURATION")]
    pub(crate) length: Option<String>,
    /// Where it goes: NAME.json is for Perfetto, others are recordings, for `giornata
    /// schedule --from-trace` [default: below `target`; with --link it is printed].
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// A board instead of the one that the system file names.
    #[arg(long, conflicts_with = "link")]
    pub(crate) board: Option<String>,
    /// The machine that runs: tcp:HOST:PORT, unix:PATH or serial:PATH@BAUD.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) link: Option<Address>,
    /// How long an answer of it is waited for.
    #[arg(long, value_name = "DURATION", default_value = "10s")]
    pub(crate) timeout: String,
}

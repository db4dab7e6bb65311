//! What can be asked for.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use giornata_abi::trace::Violation;

use remote::{
    KEY_EXAMPLES, LOAD_EXAMPLES, PATCH_EXAMPLES, SHUTDOWN_EXAMPLES, STATUS_EXAMPLES,
    SWITCH_EXAMPLES, TASKS_EXAMPLES, TOP_EXAMPLES, TRACE_EXAMPLES, UNLOAD_EXAMPLES,
};
pub(crate) use remote::{
    Key, Line, Load, Patch, Permit, Shutdown, Status, Switch, Tasks, Top, Trace, Unload,
};

mod remote;

const EXIT_CODES: &str = "\
Exit codes: 0 good, 1 a negative verdict, 2 bad input, 3 unknown.";

const CHECK_EXAMPLES: &str = "\
Examples:
  giornata check flight.giotto          a program: names, types, switches, timing
  giornata check edges.sigma            a stream graph: can it run for ever?
  giornata check flight.gmod            a module: would a kernel load it?
  giornata check system.toml            a system with its programs
  giornata check --json flight.giotto   the same for other programs to read";

const IDENTIFIERS_EXAMPLES: &str = "\
Examples:
  giornata identifiers system.toml        what a process in Rust names, as constants
  giornata identifiers system.toml --c    the same for C

Build scripts call it through the crate `giornata-build`.";

const SCHEMA_EXAMPLES: &str = "\
Examples:
  giornata schema > system.schema.json
  giornata schema --board > board.schema.json
  giornata schema --markdown              every key, its range and its meaning

The first line `#:schema system.schema.json` of a system file tells editors of it.";

const BUILD_EXAMPLES: &str = "\
Examples:
  giornata build                          the project of this folder, or of one above
  giornata build pump --board rtl-pmp";

const RUN_EXAMPLES: &str = "\
Examples:
  giornata run                            the project of this folder, or of one above
  giornata run pump/overload.toml --for 2s
  giornata run --trace pump.json          for https://ui.perfetto.dev
  giornata run --expect panic:pump        a run that is good although the pump panics
  giornata run --headless > pump.txt      plain lines, the same each time
  giornata run --json                     all of its report for other programs to read
  giornata run --dump pump.core           what it holds at the end, for `giornata debug --from`";

const DEBUG_EXAMPLES: &str = "\
Examples:
  giornata debug                          the project of this folder, or of one above
  giornata debug pump --board qemu-virt32-pmp
  giornata debug pump -- -ex 'break pump::control' -ex continue
  giornata debug pump --dump pump.core    what the machine holds when the session ends
  giornata debug --from pump.core         looks at that

In gdb, `giornata-threads` tells how every thread stands.";

const COMPARE_EXAMPLES: &str = "\
Examples:
  giornata simulate system.toml --functions --for 2s --record sim.trace
  giornata run --for 2s --record machine.trace
  giornata compare sim.trace machine.trace

A time-safe program writes the same values to the same ports at the same logical
instants everywhere. Exit code 1: they differ, and where.";

const NEW_EXAMPLES: &str = "\
Examples:
  giornata new pump                       a process in Rust under a timing program
  giornata new pump --c                   two processes in C
  giornata new \"my systems/pump 2\" --name pump2 --board qemu-virt32-pmp";

const TEST_EXAMPLES: &str = "\
Examples:
  giornata test                           the project of this folder, or of one above
  giornata test --bless                   take what its runs say now
  giornata test --bless --for 2s          runs of two virtual seconds from now on

Unit tests are those of cargo, and in a project with C sources each file of tests/*.c:
a program for the host that ends with 0. Then each system file with a .golden file of
its name is run, and what it says is compared.";

const SIZE_EXAMPLES: &str = "\
Examples:
  giornata size                           the project of this folder, or of one above
  giornata size --json                    for other programs to read";

const COMPILE_EXAMPLES: &str = "\
Examples:
  giornata compile flight.giotto                writes flight.gmod beside it
  giornata compile flight.giotto -o out/f.gmod
  giornata compile flight.giotto -o - | sha256sum
  giornata compile flight.giotto --handler overrun=shed_load";

const DISASM_EXAMPLES: &str = "\
Examples:
  giornata disasm flight.gmod
  giornata disasm flight.giotto         compiles it first";

const ANALYZE_EXAMPLES: &str = "\
Examples:
  giornata analyze flight.giotto                  is every job in time, earliest deadline first?
  giornata analyze flight.gmod --strategy rm      with fixed priorities by rate?
  giornata analyze flight.giotto --wcet wcet.toml with times from a file
  giornata analyze flight.scheduled.gmod          does its S code keep it time-safe?
  giornata analyze                                all programs of the system here as one, by its budgets
  giornata analyze flight.giotto --board rtl-pmp  with the kernel's own time on a board
  giornata analyze flight.giotto --board qemu-virt64 --measured
  giornata analyze flight.giotto --harts 2        on two harts with one queue: what do the tests say?
  giornata analyze edges.sigma                    a stream graph: buffers, throughput, counters
  giornata analyze graph.xml                      the same of a graph of SDF3

A file of times has a line for each task:
  control = \"2ms\"
It stands above the annotations `[wcet 2ms]` of the source. Drivers, and the kernel
without `--board`, are taken to need no time, and guards to answer anything.";

const SCHEDULE_EXAMPLES: &str = "\
Examples:
  giornata schedule flight.giotto --strategy edf        writes flight.scheduled.gmod
  giornata schedule flight.giotto --strategy edf-nonpreemptive --listing
  giornata schedule flight.giotto --strategy edf --complete -o flight.gmod
  giornata schedule partial.gmod --complete             where its S code idles, the rest runs
  giornata schedule flight.giotto --from-trace flight.trace

A trace is recorded by `giornata simulate flight.giotto --record flight.trace` or, of
a board, by `./x run SYSTEM --record flight.trace`. What its scheduler decided in
the second hyperperiod becomes S code; worst-case times are for the check.

edf and edf-nonpreemptive unroll one round of a program without mode switches;
synchronous runs all that is released before the next release; rm is one block
for all releases, mode switches included.";

const SIMULATE_EXAMPLES: &str = "\
Examples:
  giornata simulate flight.giotto                    one second, worst-case times
  giornata simulate flight.giotto --exec-time control=2ms,navigate=1ms
  giornata simulate system.toml --exec-time uniform --seed 7 --for 10s
  giornata simulate flight.gmod --scheduler fifo --svg schedule.svg
  giornata simulate flight.giotto --harts 2          on two harts with one queue
  giornata simulate flight.giotto --record f.trace   for `giornata schedule --from-trace`
  giornata simulate system.toml --functions          with what its functions compute
  giornata simulate flight.giotto --json             the same for other programs to read

The kernel of the boards runs on a virtual clock. Without --functions, tasks and
drivers take time and compute nothing, and guards answer false unless --guard says
otherwise.";

/// Compile, analyse and simulate real-time programs.
#[derive(Debug, Parser)]
#[command(name = "giornata", version, after_help = EXIT_CODES, arg_required_else_help = true)]
pub(crate) struct Arguments {
    /// Write one JSON object to the standard output instead of text.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Say whether a program's jobs are all in time, or what is known of a stream graph.
    #[command(after_help = ANALYZE_EXAMPLES)]
    Analyze(Analyze),
    /// Build a system: one executable for its board.
    #[command(after_help = BUILD_EXAMPLES)]
    Build(Build),
    /// Say whether a program, module or system is sound.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Check),
    /// Say whether two recorded runs wrote the same values at the same instants.
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(Compare),
    /// Compile a Giotto program to a module.
    #[command(after_help = COMPILE_EXAMPLES)]
    Compile(Compile),
    /// Run a system under gdb, or look at a dump of one.
    #[command(after_help = DEBUG_EXAMPLES)]
    Debug(Debug),
    /// List the microcode of a module or program.
    #[command(after_help = DISASM_EXAMPLES)]
    Disasm(Disasm),
    /// Print the names of a system file as constants of Rust or C.
    #[command(after_help = IDENTIFIERS_EXAMPLES)]
    Identifiers(Identifiers),
    /// Make a key that signs what machines are asked to do.
    #[command(after_help = KEY_EXAMPLES)]
    Key(Key),
    /// Serve an editor: findings, definitions and instants of Giotto programs.
    LanguageServer,
    /// Load a program or module into a running machine.
    #[command(after_help = LOAD_EXAMPLES)]
    Load(Load),
    /// Make a folder with a system that runs, to begin from.
    #[command(after_help = NEW_EXAMPLES)]
    New(New),
    /// Load a module by sending what it has that the running one has not.
    #[command(after_help = PATCH_EXAMPLES)]
    Patch(Patch),
    /// Build a system and run it, in QEMU or on the simulated chip.
    #[command(after_help = RUN_EXAMPLES)]
    Run(Run),
    /// Generate S code: a schedule that the module carries.
    #[command(after_help = SCHEDULE_EXAMPLES)]
    Schedule(Schedule),
    /// Print the JSON schema of system files, for editors, or their reference.
    #[command(after_help = SCHEMA_EXAMPLES)]
    Schema(Schema),
    /// Stop a running machine.
    #[command(after_help = SHUTDOWN_EXAMPLES)]
    Shutdown(Shutdown),
    /// Run a program or system on a virtual clock and draw its schedule.
    #[command(after_help = SIMULATE_EXAMPLES)]
    Simulate(Simulate),
    /// Build a system and tell where its memory goes.
    #[command(after_help = SIZE_EXAMPLES)]
    Size(Build),
    /// Say how the programs of a running machine stand.
    #[command(after_help = STATUS_EXAMPLES)]
    Status(Status),
    /// Change to the module that a running machine holds, or withdraw a change.
    #[command(after_help = SWITCH_EXAMPLES)]
    Switch(Switch),
    /// Say how the threads of a running machine stand, and what they wait for.
    #[command(after_help = TASKS_EXAMPLES)]
    Tasks(Tasks),
    /// Run the tests of a project on the host, and its systems against their transcripts.
    #[command(after_help = TEST_EXAMPLES)]
    Test(Test),
    /// Watch the tasks of a running machine.
    #[command(after_help = TOP_EXAMPLES)]
    Top(Top),
    /// Run a system for its trace, or print that of a running machine.
    #[command(after_help = TRACE_EXAMPLES)]
    Trace(Trace),
    /// Empty a program of a running machine.
    #[command(after_help = UNLOAD_EXAMPLES)]
    Unload(Unload),
}

/// What a command looks at without a machine.
#[derive(Debug, Args)]
pub(crate) struct InputFile {
    /// A program (.giotto, .psi), a stream graph (.sigma, .xml), a module (.gmod) or a system
    /// file (.toml) [default: that of the project here].
    file: Option<PathBuf>,
}

impl InputFile {
    /// The file; without a word the system file of the project that the current folder
    /// belongs to, or what its name would be.
    pub(crate) fn path(&self) -> PathBuf {
        let here = || giornata_launch::project::find(None).ok();
        let file = self.file.clone().or_else(here);
        file.unwrap_or_else(|| PathBuf::from("system.toml"))
    }
}

/// Who decides among released tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StrategyName {
    /// Earliest deadline first.
    Edf,
    /// The same, but no job preempts another.
    EdfNonpreemptive,
    /// Fixed priorities by rate.
    Rm,
}

/// How S code schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindName {
    /// The earliest-deadline-first schedule of one round.
    Edf,
    /// The same, reordered so that no job preempts another.
    EdfNonpreemptive,
    /// All tasks by decreasing rate at each release.
    Rm,
    /// All that is released completes before the next release.
    Synchronous,
}

#[derive(Debug, Args)]
pub(crate) struct Schedule {
    /// A program (.giotto, .psi) or a module (.gmod).
    pub(crate) file: PathBuf,
    /// The schedule.
    #[arg(long, value_enum, required_unless_present_any = ["complete", "from_trace"])]
    pub(crate) strategy: Option<KindName>,
    /// Make S code of what a recorded run did in its second hyperperiod.
    #[arg(long, value_name = "TRACE", conflicts_with_all = ["strategy", "complete"])]
    pub(crate) from_trace: Option<PathBuf>,
    /// Also dispatch what may wait in other than the worst case; in a module
    /// that carries S code, the tasks that it lacks.
    #[arg(long)]
    pub(crate) complete: bool,
    /// Worst-case times (TOML), instead of those in the source.
    #[arg(long, value_name = "FILE")]
    pub(crate) wcet: Option<PathBuf>,
    /// Where the module goes [default: FILE with the extension scheduled.gmod].
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// List the module's code as well.
    #[arg(long)]
    pub(crate) listing: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Analyze {
    #[command(flatten)]
    pub(crate) input: InputFile,
    /// The scheduler of the E code [default: the S code that the module carries, else edf].
    #[arg(long, value_enum)]
    pub(crate) strategy: Option<StrategyName>,
    /// Worst-case times (TOML), instead of those in the source.
    #[arg(long, value_name = "FILE")]
    pub(crate) wcet: Option<PathBuf>,
    /// Charge the jobs with what the kernel takes on this board.
    #[arg(long, value_name = "NAME")]
    pub(crate) board: Option<String>,
    /// Charge the most that was measured where there is a bound too: no guarantee, and
    /// near what happens.
    #[arg(long, requires = "board")]
    pub(crate) measured: bool,
    /// Harts that run the tasks, the first of one queue [default: those of the board, less a
    /// control hart that is apart; of a program 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=8))]
    pub(crate) harts: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct Build {
    /// A system file, its folder, or an example by its name [default: the project here].
    pub(crate) system: Option<PathBuf>,
    /// A board instead of the one that the system file names.
    #[arg(long)]
    pub(crate) board: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Debug {
    /// A system file, its folder, or an example by its name [default: the project here].
    pub(crate) system: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) how: giornata_launch::debug::How,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// A system file, its folder, or an example by its name [default: the project here].
    pub(crate) system: Option<PathBuf>,
    /// The system if none is named and there is none here.
    #[arg(long = "or", value_name = "SYSTEM", hide = true)]
    pub(crate) default: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) how: giornata_launch::run::How,
    /// Run it under gdb, as `giornata debug` does.
    #[arg(long, conflicts_with_all = ["trace", "record", "link", "headless", "expect"])]
    pub(crate) gdb: bool,
}

#[derive(Debug, Args)]
pub(crate) struct New {
    /// The folder to make; it may be there if it is empty.
    pub(crate) path: PathBuf,
    /// The project's name [default: the folder's].
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Write the processes in C.
    #[arg(long, conflicts_with_all = ["rust", "posix"])]
    pub(crate) c: bool,
    /// A program after POSIX, in C
    #[arg(long, conflicts_with = "rust")]
    pub(crate) posix: bool,
    /// Write the process in Rust [default].
    #[arg(long)]
    pub(crate) rust: bool,
    /// The board.
    #[arg(long, default_value = "qemu-virt64")]
    pub(crate) board: String,
}

#[derive(Debug, Args)]
pub(crate) struct Test {
    /// A system file or its folder [default: the project here, all its systems].
    pub(crate) system: Option<PathBuf>,
    /// A board instead of the one that the system file names.
    #[arg(long)]
    pub(crate) board: Option<String>,
    /// Virtual time of a run [default: what its transcript says, else 10s].
    #[arg(long = "for", value_name = "DURATION", value_parser = giornata_launch::time::parse)]
    pub(crate) length: Option<giornata_abi::Duration>,
    /// Write the transcripts anew; a system.golden where there is none.
    #[arg(long)]
    pub(crate) bless: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) input: InputFile,
}

#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// What `--record` has written.
    pub(crate) one: PathBuf,
    /// The same of another run.
    pub(crate) other: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Compile {
    /// A program (.giotto, .psi).
    pub(crate) file: PathBuf,
    /// Where the module goes; `-` is the standard output [default: FILE with the extension gmod].
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The module's name [default: the file's name without extension].
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// A driver function that runs at a violation; may be repeated.
    #[arg(long, value_name = "VIOLATION=FUNCTION", value_parser = handler)]
    pub(crate) handler: Vec<(Violation, String)>,
}

#[derive(Debug, Args)]
pub(crate) struct Disasm {
    /// A module, or a program (.giotto, .psi).
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Identifiers {
    /// A system file.
    pub(crate) system: PathBuf,
    /// A board instead of the one that the system file names.
    #[arg(long)]
    pub(crate) board: Option<String>,
    /// A header for C instead of a module for Rust.
    #[arg(long)]
    pub(crate) c: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Schema {
    /// Of the files of boards.
    #[arg(long)]
    pub(crate) board: bool,
    /// The reference of all keys, a page in Markdown, instead of the schema.
    #[arg(long)]
    pub(crate) markdown: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Simulate {
    #[command(flatten)]
    pub(crate) input: InputFile,
    /// How long jobs and drivers take: worst (what the program states as wcet,
    /// else the system file's budget), best (no time), uniform (by chance, up to
    /// the worst), and TASK=DURATION for one of them; may be repeated.
    #[arg(long, value_name = "TIMES", value_delimiter = ',')]
    pub(crate) exec_time: Vec<String>,
    /// Run the task and driver functions of the system's process crates, compiled for
    /// the host; guards too, but for what --guard says.
    #[arg(long)]
    pub(crate) functions: bool,
    /// Who schedules the released tasks [default: what the system file says, else edf].
    #[arg(long, value_enum)]
    pub(crate) scheduler: Option<Policy>,
    /// Harts that run threads, the first of one queue [default: those of the system's board,
    /// less a control hart that is apart; of a program 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=8))]
    pub(crate) harts: Option<u32>,
    /// What a guard answers: GUARD=true, GUARD=false or GUARD=random; may be repeated.
    #[arg(long, value_name = "GUARD=ANSWER", value_delimiter = ',')]
    pub(crate) guard: Vec<String>,
    /// What chance is drawn from.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// How much virtual time is simulated.
    #[arg(long = "for", value_name = "DURATION", default_value = "1s")]
    pub(crate) length: String,
    /// Columns of the chart [default: the terminal's, else 80].
    #[arg(long, value_parser = clap::value_parser!(u16).range(20..=1000))]
    pub(crate) width: Option<u16>,
    /// Write the trace, as a board would send it.
    #[arg(long, value_name = "OUT")]
    pub(crate) record: Option<PathBuf>,
    /// Draw the chart as SVG too.
    #[arg(long, value_name = "OUT")]
    pub(crate) svg: Option<PathBuf>,
}

/// Who schedules released tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Policy {
    /// Earliest deadline first.
    Edf,
    /// Rate monotonic: the shorter the deadline, the higher the priority.
    Rm,
    /// In the order of releases, each job to its end.
    Fifo,
}

/// `overrun=shed_load`
fn handler(text: &str) -> Result<(Violation, String), String> {
    let (kind, function) = text
        .split_once('=')
        .ok_or("write VIOLATION=FUNCTION, like overrun=shed_load")?;
    let violation = Violation::ALL
        .into_iter()
        .find(|violation| violation.name() == kind);
    let known = || {
        format!(
            "no violation `{kind}`: there are {}",
            Violation::ALL.map(Violation::name).join(", ")
        )
    };
    let is_name = |c: char| c == '_' || c.is_ascii_alphanumeric();
    match violation {
        None => Err(known()),
        Some(_) if function.is_empty() || !function.chars().all(is_name) => {
            Err(format!("`{function}` is not the name of a function"))
        }
        Some(violation) => Ok((violation, function.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_consistent() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_handler_is_a_violation_and_a_function() {
        assert_eq!(
            handler("overrun=shed_load"),
            Ok((Violation::Overrun, "shed_load".to_owned()))
        );
        assert!(
            handler("overrun")
                .unwrap_err()
                .contains("VIOLATION=FUNCTION")
        );
        assert!(
            handler("overload=f")
                .unwrap_err()
                .contains("time-safety, time-share, overrun, fault")
        );
        assert!(handler("fault=a b").unwrap_err().contains("not the name"));
        assert!(handler("fault=").is_err());
    }
}

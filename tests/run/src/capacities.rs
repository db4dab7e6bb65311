//! What a bystander feels of one process that makes the most of what it was given: of many
//! waiters, joiners, alarms, mailboxes. Nothing that is done with interrupts off may grow with
//! that.
//!
//! The system files are written here; the sources lie in tests/capacities.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use giornata_abi::Duration;
use giornata_launch::image::build;
use giornata_launch::transcript::record;
use giornata_trace::transcript;

use crate::crates::{BOARDS, root};
use crate::workers;

/// How late the bystander, which is more urgent than all others, may be at most: ns.
const MOST: u32 = 5_000;
/// How much there is of what one process is given.
const CROWDS: [usize; 4] = [10, 100, 1_000, 4_000];
/// In the short form, and of what.
const SHORT_CROWD: usize = 1_000;
const SHORT: [&str; 4] = ["wait_in_order", "hang", "join", "receive"];
/// When a run is over that does not end itself.
const LONGEST: Duration = Duration::from_millis(1_500);
/// Where the table lies.
const RESULTS: &str = "docs/results/capacities.md";
const SOURCES: [&str; 3] = ["bystander.c", "crowd.c", "giver.c"];

/// A function of tests/capacities/crowd.c.
struct Crowd {
    name: &'static str,
    what: &'static str,
    /// What there is many of.
    many: Many,
}

#[derive(Clone, Copy, PartialEq)]
enum Many {
    Threads,
    Mailboxes,
    Messages,
    Ceilings,
}

const fn crowd(name: &'static str, many: Many, what: &'static str) -> Crowd {
    Crowd { name, what, many }
}

/// All capacities.
const ALL: [Crowd; 12] = [
    crowd(
        "wait_for_one",
        Many::Threads,
        "threads that wait for a semaphore",
    ),
    crowd(
        "wait_in_order",
        Many::Threads,
        "the same of 40 priorities, which change",
    ),
    crowd(
        "broadcast",
        Many::Threads,
        "threads that wait for a condition, which is broadcast",
    ),
    crowd(
        "join",
        Many::Threads,
        "threads, half of which join the others",
    ),
    crowd(
        "hang",
        Many::Threads,
        "threads that hang on the owner of two mutexes, one of which is deleted",
    ),
    crowd(
        "sleep_apart",
        Many::Threads,
        "threads that sleep until instants of their own",
    ),
    crowd(
        "die_waiting",
        Many::Threads,
        "threads of a process that dies, to which a semaphore is given",
    ),
    crowd(
        "call",
        Many::Threads,
        "callers of a mailbox, whose server ends",
    ),
    crowd(
        "receive",
        Many::Mailboxes,
        "mailboxes that a thread has received from, which faults",
    ),
    crowd(
        "receive_and_exit",
        Many::Mailboxes,
        "the same of a thread that exits",
    ),
    crowd("queue", Many::Messages, "messages in a mailbox"),
    crowd(
        "own",
        Many::Ceilings,
        "mutexes with ceilings, locked one after another",
    ),
];

/// How late the bystander was.
#[derive(Clone, Copy)]
struct Late {
    worst: u32,
    before: u32,
}

/// Runs all that the form has; writes the table with `bless`.
///
/// # Errors
/// A bystander was too late, or said nothing.
pub(crate) fn check(full: bool, bless: bool) -> Result<String> {
    let full = full || bless;
    let is_run =
        |crowd: &&Crowd, count: usize| full || SHORT.contains(&crowd.name) && count == SHORT_CROWD;
    let plans: Vec<(&Crowd, usize)> = ALL
        .iter()
        .flat_map(|crowd| CROWDS.map(|count| (crowd, count)))
        .filter(|(crowd, count)| is_run(crowd, *count))
        .collect();
    let run = |(crowd, count): &(&Crowd, usize)| {
        run(crowd, *count).with_context(|| format!("{} of {count}", crowd.name))
    };
    let all: Vec<Late> = workers::each(&plans, run)
        .into_iter()
        .collect::<Result<_>>()?;
    let late: Vec<String> = plans
        .iter()
        .zip(&all)
        .filter(|(_, late)| late.worst > MOST)
        .map(|((crowd, count), late)| format!("{} of {count}: {} ns", crowd.name, late.worst))
        .collect();
    if bless {
        let path = root().join(RESULTS);
        std::fs::write(&path, table(&all)).with_context(|| path.display().to_string())?;
    }
    ensure!(
        late.is_empty(),
        "a bystander was later than {MOST} ns: {}",
        late.join(", ")
    );
    let worst = all.iter().map(|late| late.worst).max().unwrap_or(0);
    Ok(format!(
        "{} systems, a bystander {worst} ns late at most",
        plans.len()
    ))
}

fn table(all: &[Late]) -> String {
    let mut text = format!(
        "# What a bystander feels of capacities\n\n\
         Written by `./x test capacities --bless`: how late a thread of priority 100 woke at \
         worst, in ns, on {}, where an instruction is a nanosecond, while a process of \
         priority 50 at most did what costs most with so much of what it was given. More than \
         {MOST} ns fail. The bystander's own way into the kernel and out of it is in all figures: \
         {} to {} ns before anything was done.\n\n| what there is of it |",
        BOARDS[0],
        all.iter().map(|late| late.before).min().unwrap_or(0),
        all.iter().map(|late| late.before).max().unwrap_or(0),
    );
    for count in CROWDS {
        let _ = write!(text, " {count} |");
    }
    text += "\n|---|---|---|---|---|\n";
    for (crowd, row) in ALL.iter().zip(all.chunks(CROWDS.len())) {
        let _ = write!(text, "| {} |", crowd.what);
        for late in row {
            let _ = write!(text, " {} |", late.worst);
        }
        text += "\n";
    }
    text
}

fn run(crowd: &Crowd, count: usize) -> Result<Late> {
    let system = write_system(crowd, count)?;
    let image = build(&system, Some(BOARDS[0]), LONGEST)?;
    let (events, _) = record(&image, LONGEST)?;
    let lines = transcript(&events, &image.names);
    let said = lines.iter().find_map(|line| line.split_once("worst "));
    let Some((_, said)) = said else {
        bail!("the bystander says nothing: {lines:?}");
    };
    let figures: Vec<u32> = said
        .split(' ')
        .filter_map(|word| word.parse().ok())
        .collect();
    let [worst, before] = figures[..] else {
        bail!("the bystander says {said}");
    };
    Ok(Late { worst, before })
}

/// Writes the files of a system into a folder of its own.
fn write_system(crowd: &Crowd, count: usize) -> Result<PathBuf> {
    let folder = root().join(format!("target/capacities/{}-{count}", crowd.name));
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).with_context(|| name.to_string())
    };
    for source in SOURCES {
        let text = std::fs::read_to_string(root().join("tests/capacities").join(source))?;
        // (the first comes before what it says in a system file of its own)
        let text = match source {
            "crowd.c" => format!("#define CROWD {count}\n{text}"),
            _ => text,
        };
        write(source, &text)?;
    }
    write("system.toml", &system(crowd, count))?;
    Ok(Path::new(&folder).join("system.toml"))
}

fn system(crowd: &Crowd, count: usize) -> String {
    let of = |many: Many, least: usize| match crowd.many == many {
        true => count.max(least),
        false => least,
    };
    let boxes: Vec<String> = (0..of(Many::Mailboxes, 1))
        .map(|at| format!("m{at:04}"))
        .collect();
    let ceilings: Vec<String> = (0..of(Many::Ceilings, 1))
        .map(|at| format!("c{at:04}"))
        .collect();
    let list = |names: &[String], rights: &str| {
        let all: Vec<String> = names
            .iter()
            .map(|name| format!("{name} = {rights}"))
            .collect();
        all.join(", ")
    };
    let mut text = format!(
        "format = 1\nname = \"capacities\"\nboard = \"{}\"\n[kernel]\nconfig = \"emeralds\"\n\
         [semaphore.crowd]\n[condition.news]\n[mutex.one]\n[mutex.two]\n",
        BOARDS[0],
    );
    for name in &boxes {
        let _ = writeln!(text, "[mailbox.{name}]");
    }
    for (at, name) in ceilings.iter().enumerate() {
        let ceiling = 99 - at * 40 / ceilings.len();
        let _ = writeln!(
            text,
            "[mutex.{name}]\nprotocol = \"ceiling\"\nceiling = {ceiling}"
        );
    }
    let mutexes = ceilings.iter().map(|name| format!("{name:?}"));
    let _ = write!(
        text,
        "[process.attacker]\nc = [\"crowd.c\"]\nmax-priority = 50\n\
         threads = {{ {} = {{ priority = 50 }} }}\n\
         spare-threads = {{ count = {}, stack = \"4K\" }}\nmessages = {}\n\
         grants = {{ semaphore = [\"crowd\"], condition = [\"news\"], manage = [\"two\"], \
         mutex = [\"one\", \"two\", {}], mailbox = {{ {} }} }}\n",
        crowd.name,
        of(Many::Threads, 4),
        of(Many::Messages, 8),
        mutexes.collect::<Vec<_>>().join(", "),
        list(&boxes, "[\"send\", \"receive\", \"full\"]"),
    );
    if crowd.name == "die_waiting" {
        text += "[process.giver]\nc = [\"giver.c\"]\nmax-priority = 60\n\
                 threads = { give = { priority = 60 } }\n\
                 grants = { semaphore = [\"crowd\"] }\n";
    }
    text + "[process.bystander]\nc = [\"bystander.c\"]\nmax-priority = 100\n\
            threads = { bystand = { priority = 100 } }\ngrants = { shutdown = true }\n\
            [process.trace]\ncrate = \"giornata-trace-server\"\n\
            threads = { serve = { priority = 1 } }\n\
            grants = { device = [\"uart0\"], trace = true }\n"
}

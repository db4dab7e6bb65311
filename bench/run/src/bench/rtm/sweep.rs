//! Where the task manager pays for Giornata: single calls among n threads that are ready, or n
//! alarms that are set, with the kernel's own queues and with those in hardware.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use giornata_launch::image;
use giornata_soc::{Image, Point, Run, Sight, Watch};
use giornata_system::image::BuildOptions;
use serde::{Deserialize, Serialize};

use super::giornata::BOARDS;
use super::program::Compiler;
use super::{Chips, SUITE, Tasks};
use crate::bench::folder;
use crate::crates::root;

/// Threads, or alarms.
pub(super) const SIZES: [u32; 6] = [2, 4, 8, 16, 32, 48];
/// The first samples are those with cold caches.
const COLD: usize = 8;
const LEAST_SAMPLES: usize = 32;

/// Marks of `bench/rtm/rows/giornata.c`.
mod mark {
    pub(super) const FIRST: u16 = 10;
    pub(super) const LAST: u16 = 12;
    pub(super) const POSTED: u16 = 13;
    pub(super) const BLOCK: u16 = 14;
    pub(super) const SLEEP: u16 = 15;
    pub(super) const WOKEN: u16 = 16;
}

/// What the n threads are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Crowd {
    /// Of distinct priorities, ready or waiting.
    Priorities,
    /// Of distinct deadlines.
    Deadlines,
    /// They wait up to distinct instants.
    Timed,
    /// They sleep until distinct instants.
    Sleepers,
}

/// A call, or an interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Operation {
    Ready,
    ReadyByDeadline,
    First,
    FirstByDeadline,
    Arm,
    Cancel,
    Expire,
}

impl Operation {
    pub(super) const ALL: [Operation; 7] = [
        Operation::Ready,
        Operation::ReadyByDeadline,
        Operation::First,
        Operation::FirstByDeadline,
        Operation::Arm,
        Operation::Cancel,
        Operation::Expire,
    ];

    /// For people.
    pub(super) fn name(self) -> &'static str {
        match self {
            Operation::Ready => "make ready, priorities",
            Operation::ReadyByDeadline => "make ready, deadlines",
            Operation::First => "take the first, priorities",
            Operation::FirstByDeadline => "take the first, deadlines",
            Operation::Arm => "arm and switch",
            Operation::Cancel => "cancel and make ready",
            Operation::Expire => "expire and switch",
        }
    }

    /// Among whom.
    fn crowd(self) -> Crowd {
        match self {
            Operation::Ready | Operation::First => Crowd::Priorities,
            Operation::ReadyByDeadline | Operation::FirstByDeadline => Crowd::Deadlines,
            Operation::Cancel => Crowd::Timed,
            Operation::Arm | Operation::Expire => Crowd::Sleepers,
        }
    }

    /// Its cycles, each time.
    fn samples(self, points: &[Point]) -> Vec<u64> {
        let sights: Vec<&Point> = points
            .iter()
            .filter(|point| point.sight != Sight::Line && point.sight != Sight::Wait)
            .collect();
        // the timer's line matters for what expires alone
        let without_timer: Vec<&Point> = sights
            .iter()
            .copied()
            .filter(|point| point.sight != Sight::Timer)
            .collect();
        let (enter, leave) = (Sight::Enter, Sight::Leave);
        let call = |mark| [Sight::Mark(mark), enter, leave, Sight::Mark(mark::POSTED)];
        match self {
            Operation::Ready | Operation::ReadyByDeadline => {
                spans(&without_timer, &call(mark::LAST), 0, 3)
            }
            Operation::Cancel => spans(&without_timer, &call(mark::FIRST), 0, 3),
            Operation::First | Operation::FirstByDeadline => {
                // (of each round the first: then the others are ready)
                let block = Sight::Mark(mark::BLOCK);
                let rounds = without_timer.split(|p| p.sight == Sight::Mark(mark::LAST));
                let first = |round: &[&Point]| {
                    let all = spans(round, &[block, enter, leave], 0, 2);
                    all.first().copied()
                };
                rounds.skip(1).filter_map(first).collect()
            }
            Operation::Arm => {
                let sleep = [Sight::Mark(mark::SLEEP), enter, leave, enter];
                spans(&without_timer, &sleep, 0, 2)
            }
            Operation::Expire => {
                let wake = [Sight::Timer, enter, leave, Sight::Mark(mark::WOKEN)];
                spans(&sights, &wake, 0, 2)
            }
        }
    }
}

/// Cycles between two sights of each place where all of some follow each other, without what
/// lies between two instructions that have nothing between them.
fn spans(points: &[&Point], sights: &[Sight], from: usize, to: usize) -> Vec<u64> {
    let windows = points.windows(sights.len());
    let found = windows.filter(|window| window.iter().map(|p| p.sight).eq(sights.iter().copied()));
    found
        .map(|window| window[to].cycle - window[from].cycle - 1)
        .collect()
}

/// Cycles of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Cycles {
    pub(super) median: u64,
    pub(super) least: u64,
    pub(super) most: u64,
}

impl Cycles {
    fn of(samples: &[u64]) -> Option<Cycles> {
        let mut sorted = samples.to_vec();
        sorted.sort_unstable();
        Some(Cycles {
            median: *sorted.get(sorted.len() / 2)?,
            least: *sorted.first()?,
            most: *sorted.last()?,
        })
    }

    pub(super) fn jitter(&self) -> u64 {
        self.most - self.least
    }
}

/// An operation among n.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Step {
    pub(super) operation: Operation,
    pub(super) n: u32,
    pub(super) without: Cycles,
    pub(super) with: Cycles,
}

/// All operations among all sizes.
///
/// # Errors
/// A system is refused, or an operation is seen too seldom.
pub(super) fn measure(compiler: &Compiler, chips: &Chips) -> Result<Vec<Step>> {
    let mut steps = Vec::new();
    for n in SIZES {
        for crowd in [
            Crowd::Priorities,
            Crowd::Deadlines,
            Crowd::Timed,
            Crowd::Sleepers,
        ] {
            let [without, with] = [Tasks::Software, Tasks::TaskManager].map(|tasks| {
                run(compiler, chips, crowd, n, tasks)
                    .with_context(|| format!("{n} threads, {crowd:?}"))
            });
            let (without, with) = (without?, with?);
            for operation in Operation::ALL {
                if operation.crowd() == crowd {
                    steps.push(Step {
                        operation,
                        n,
                        without: cycles(operation, n, &without)?,
                        with: cycles(operation, n, &with)?,
                    });
                }
            }
        }
    }
    steps.sort_by_key(|step| (step.operation as u32, step.n));
    Ok(steps)
}

fn cycles(operation: Operation, n: u32, points: &[Point]) -> Result<Cycles> {
    let samples = operation.samples(points);
    let warm = samples.get(COLD..).unwrap_or_default();
    ensure!(
        warm.len() >= LEAST_SAMPLES,
        "`{}` among {n} is seen {} times",
        operation.name(),
        samples.len()
    );
    Cycles::of(warm).context("samples")
}

fn run(
    compiler: &Compiler,
    chips: &Chips,
    crowd: Crowd,
    n: u32,
    tasks: Tasks,
) -> Result<Vec<Point>> {
    let place = compiler.place(&format!("sweep-{n}-{crowd:?}").to_lowercase())?;
    let image = build(&place, crowd, n, tasks.board())?;
    let report = chips.giornata(tasks).run(&Run {
        latency: chips.chip.latency,
        watch: Watch::Points,
        ..Run::new(image)
    })?;
    report.expect_success()?;
    Ok(report.points)
}

fn build(place: &Path, crowd: Crowd, n: u32, board: &str) -> Result<Image> {
    let path = place.join("system.toml");
    let source = folder(SUITE).join("rows/giornata.c");
    let system = system(crowd, n, &source.display().to_string());
    fs::write(&path, system).with_context(|| path.display().to_string())?;
    fs::write(place.join("threads.c"), threads(crowd, n))?;
    let built = image::build_as(BuildOptions::new(&path, root()).on(board))?;
    Ok(Image::read(built.to_boot())?)
}

/// The system file.
fn system(crowd: Crowd, n: u32, source: &str) -> String {
    let mut text = format!(
        "name = \"sweep\"\nboard = \"{}\"\n\n[kernel]\nconfig = \"emeralds\"\n\
         trace-console = false\n\n[semaphore.turn]\n\n",
        BOARDS[0]
    );
    let mut names = vec!["turn".to_string()];
    for number in 0..n {
        let _ = writeln!(text, "[semaphore.s{number}]\n");
        names.push(format!("s{number}"));
    }
    let _ = write!(
        text,
        "[process.crowd]\nc = [\"threads.c\", {source:?}]\nmax-priority = 250\n\
         grants = {{ semaphore = {names:?}, shutdown = true }}\n[process.crowd.threads]\n"
    );
    for number in 0..n {
        let urgency = match crowd {
            Crowd::Deadlines => {
                format!("policy = \"deadline\", deadline = \"{}ms\"", 8000 + number)
            }
            _ => format!("priority = {}", 100 + number),
        };
        let _ = writeln!(text, "t{number} = {{ {urgency} }}");
    }
    text += match crowd {
        Crowd::Sleepers => "spin = { priority = 1 }\n",
        _ => "lead = { priority = 240 }\nlast = { priority = 1 }\n",
    };
    text
}

/// The threads' functions.
fn threads(crowd: Crowd, n: u32) -> String {
    let body = match crowd {
        Crowd::Sleepers => "hold",
        _ => "crowd",
    };
    let mut text = format!(
        "#include <giornata.h>\n#include <identifiers.h>\n\n\
         extern const unsigned crowd_count, crowd_is_timed;\n\
         const unsigned crowd_count = {n}, crowd_is_timed = {};\n\
         extern const gio_id crowd_semaphores[];\nconst gio_id crowd_semaphores[] = {{\n",
        u32::from(crowd == Crowd::Timed)
    );
    for number in 0..n {
        let _ = writeln!(text, "    SEMAPHORE_S{number},");
    }
    let _ = write!(text, "}};\n\nvoid {body}(unsigned number);\n");
    for number in 0..n {
        let _ = write!(
            text,
            "\nvoid t{number}(void);\nvoid t{number}(void)\n{{\n    {body}({number});\n}}\n"
        );
    }
    text
}

/// For which n a figure with the task manager is below that without, for people.
pub(super) fn pays_at(
    steps: &[Step],
    operation: Operation,
    figure: impl Fn(&Cycles) -> u64,
) -> String {
    let mine = steps.iter().filter(|step| step.operation == operation);
    let (pays, does_not): (Vec<&Step>, Vec<&Step>) =
        mine.partition(|step| figure(&step.with) < figure(&step.without));
    if pays.is_empty() {
        return "none".into();
    }
    if does_not.is_empty() {
        return "all".into();
    }
    let sizes: Vec<String> = pays.iter().map(|step| step.n.to_string()).collect();
    sizes.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::rtm::tests::marks_of;

    fn step(n: u32, without: u64, with: u64) -> Step {
        let cycles = |median| Cycles {
            median,
            least: median - 1,
            most: median + 1,
        };
        Step {
            operation: Operation::Arm,
            n,
            without: cycles(without),
            with: cycles(with),
        }
    }

    #[test]
    fn hardware_pays_where_its_figure_is_below() {
        let at = |steps: &[Step]| pays_at(steps, Operation::Arm, |cycles| cycles.median);
        let steps = [step(2, 100, 90), step(4, 100, 110), step(8, 120, 110)];
        assert_eq!(at(&steps), "2, 8");
        assert_eq!(at(&steps[..1]), "all");
        assert_eq!(at(&steps[1..2]), "none");
        assert_eq!(pays_at(&steps, Operation::Arm, Cycles::jitter), "none");
        assert_eq!(pays_at(&steps, Operation::Expire, Cycles::jitter), "none");
    }

    #[test]
    fn operations_are_between_their_marks() {
        let point = |(cycle, sight)| Point {
            sight,
            cycle,
            instructions: 0,
            pc: 0,
            hart: 0,
        };
        let points: Vec<Point> = [
            (10, Sight::Mark(mark::LAST)),
            (12, Sight::Enter),
            (40, Sight::Timer),
            (90, Sight::Leave),
            (91, Sight::Mark(mark::POSTED)),
            (100, Sight::Mark(mark::BLOCK)),
            (101, Sight::Enter),
            (160, Sight::Leave),
            (170, Sight::Mark(mark::BLOCK)),
            (171, Sight::Enter),
            (200, Sight::Leave),
        ]
        .map(point)
        .into();
        assert_eq!(Operation::Ready.samples(&points), [80]);
        assert_eq!(Operation::First.samples(&points), [59]);
        assert!(Operation::Expire.samples(&points).is_empty());
    }

    #[test]
    fn marks_in_c_have_these_numbers() {
        let numbers = [
            ("FIRST", mark::FIRST),
            ("LAST", mark::LAST),
            ("POSTED", mark::POSTED),
            ("BLOCK", mark::BLOCK),
            ("SLEEP", mark::SLEEP),
            ("WOKEN", mark::WOKEN),
        ];
        // (one more parts two others, and nothing is counted from it)
        assert_eq!(marks_of("rows/giornata.c", &numbers), numbers.len() + 1);
    }
}

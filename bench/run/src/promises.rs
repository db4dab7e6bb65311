//! What the example flight-control promises, held against a run in QEMU.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use giornata_abi::time::Timebase;
use giornata_abi::{Duration, Instant};
use giornata_system::NameMap;
use giornata_trace::{
    Content, Event, PortValue, UpcallStep, decision_trace, first_difference, port_trace,
};

use crate::bench::limits as promised;
use crate::crates::{BOARDS, CHIPS, root, target_folder};
use crate::prebuilt::prebuild;
use crate::process::{capture, example};
use crate::workers;
use giornata_launch::image::build;
use giornata_launch::transcript::record;

/// The example, where its modules are put, what is added to it, and the example
/// with more than it can do.
const EXAMPLE: &str = "examples/flight-control/system.toml";
const PREBUILT: &str = "target/promises";
const CHANGING: &str = "tests/target/modules/live.toml";
const OVERLOAD: &str = "examples/flight-control/overload.toml";
/// The flight that the promises are about.
const FLIGHT: Duration = Duration::from_millis(10_000);
/// The flight on chips, which take a minute for a second.
const SHORT_FLIGHT: Duration = Duration::from_millis(200);
/// The flight that others join; it ends itself.
const CHANGING_FLIGHT: Duration = Duration::from_millis(1900);
/// Actuators act at multiples of this.
const PERIOD: u64 = 20_000_000;
/// The driver of the servos.
const SERVO: &str = "write_servo";

/// Flies the example and the overloaded example; a note with the figures.
pub(crate) fn check() -> Result<String> {
    let example = prebuild(&root().join(EXAMPLE), &root().join(PREBUILT))?;
    let example = example.to_str().context("a path that is text")?;
    let calm = BOARDS.map(|board| (example, board, FLIGHT));
    let changing = BOARDS.map(|board| (CHANGING, board, CHANGING_FLIGHT));
    let overload = [(OVERLOAD, BOARDS[0], FLIGHT)];
    let all: Vec<Plan<'_>> = calm.into_iter().chain(changing).chain(overload).collect();
    let mut flown = fly_all(&all)?;
    let (overloaded, other_names) = flown.pop().context("the overload")?;
    let changing = flown.split_off(BOARDS.len());
    let (events, names) = flown.first().context("a flight")?;
    check_windows(events, FLIGHT)?;
    let lag = check_servos(events, names)?;
    let trace = port_trace(events, names);
    compare_with_simulator(example, &trace)?;
    for (board, flown) in BOARDS.iter().zip(&flown).skip(1) {
        compare_with_board(&trace, flown, board, FLIGHT)?;
    }
    let changes = check_changes(&changing)?;
    let bursts = check_overload(&trace, &overloaded, &other_names)?;
    let calm = compare_decisions(example, events, names)?;
    let late = compare_decisions(OVERLOAD, &overloaded, &other_names)?;
    Ok(format!(
        "servos {lag}; of the same module files {} port writes as in the simulator and on {}, {changes} with a program that comes and goes; {bursts}; {calm} and {late} decisions as in the simulator",
        trace.len(),
        BOARDS[1..].join(", "),
    ))
}

/// What flies, where, and for how long.
type Plan<'a> = (&'a str, &'a str, Duration);

/// What a flight came to.
type Flown = (Vec<Event>, NameMap);

/// Flies each, side by side.
fn fly_all(plans: &[Plan<'_>]) -> Result<Vec<Flown>> {
    let fly = |(system, board, length): &Plan<'_>| {
        let image = build(&root().join(system), Some(board), *length)?;
        let (events, _) = record(&image, *length)?;
        Ok((events, image.names))
    };
    workers::each(plans, fly).into_iter().collect()
}

/// Modules that come while the helicopter flies are the same bytes on every
/// board, and so are the ports; how many writes were compared.
fn check_changes(flown: &[Flown]) -> Result<usize> {
    let (events, names) = flown.first().context("a flight")?;
    let trace = port_trace(events, names);
    let joined = |write: &&PortValue| write.port.starts_with("gimbal.");
    ensure!(trace.iter().filter(joined).count() > 300, "nothing joined");
    let mut writes = 0;
    for (board, flown) in BOARDS.iter().zip(flown).skip(1) {
        writes = compare_with_board(&trace, flown, board, CHANGING_FLIGHT)?;
    }
    Ok(writes)
}

/// Flies the example on the simulated chips for a short time; a note.
pub(crate) fn check_chips() -> Result<String> {
    let boards = || BOARDS.into_iter().take(1).chain(CHIPS);
    let plans: Vec<Plan<'_>> = boards()
        .map(|board| (EXAMPLE, board, SHORT_FLIGHT))
        .collect();
    let flown = fly_all(&plans)?;
    let (events, names) = flown.first().context("a flight")?;
    let trace = port_trace(events, names);
    let mut writes = 0;
    for (board, flown) in boards().zip(&flown).skip(1) {
        writes = compare_with_board(&trace, flown, board, SHORT_FLIGHT)?;
    }
    Ok(format!(
        "{writes} port writes on {} as in QEMU",
        CHIPS.join(", ")
    ))
}

/// No miss, no violation; every job that was released completes by its deadline.
fn check_windows(events: &[Event], length: Duration) -> Result<()> {
    let mut open: BTreeMap<u16, Instant> = BTreeMap::new();
    for event in events {
        match event.content {
            Content::Miss { thread, job, .. } => bail!("thread {thread} missed with job {job}"),
            Content::Violation(breach) => bail!("a violation: {breach:?}"),
            Content::Release {
                thread,
                job,
                deadline,
                ..
            } => {
                let before = open.insert(thread, deadline.unwrap_or(Instant::NEVER));
                ensure!(
                    before.is_none(),
                    "job {job} of thread {thread} met an earlier one"
                );
            }
            Content::Complete {
                thread, job, at, ..
            } => {
                let deadline = open.remove(&thread).context("a job completed unreleased")?;
                ensure!(
                    at <= deadline,
                    "job {job} of thread {thread} left its window"
                );
            }
            _ => {}
        }
    }
    let end = Instant::START + length;
    let late = open.iter().find(|(_, deadline)| **deadline < end);
    ensure!(late.is_none(), "a job never completed: {late:?}");
    Ok(())
}

/// From the instants of the servos' writes to the call of their driver, and to its
/// return: ticks.
pub(crate) struct Lags {
    pub(crate) called: Vec<u64>,
    pub(crate) returned: Vec<u64>,
}

/// A flight, and how late its servos were.
pub(crate) struct Flight {
    pub(crate) lags: Lags,
    pub(crate) board: &'static str,
    pub(crate) kernel_hash: String,
    pub(crate) timer_hertz: u64,
}

/// Flies the example.
///
/// # Errors
/// It cannot be built or does not fly.
pub(crate) fn fly_for_lags() -> Result<Flight> {
    let board = BOARDS[0];
    let image = build(&root().join(EXAMPLE), Some(board), FLIGHT)?;
    let (events, _) = record(&image, FLIGHT)?;
    Ok(Flight {
        lags: Lags::of(&events, &image.names)?,
        board,
        kernel_hash: image.report.kernel_hash.clone(),
        timer_hertz: image.names.timer_hertz.into(),
    })
}

impl Lags {
    /// The servos' driver is called at exact multiples of the period.
    ///
    /// The write at instant 0 follows the initialisers of all programs and belongs
    /// to no period; the lags are those of the 500 that follow.
    fn of(events: &[Event], names: &NameMap) -> Result<Lags> {
        let timebase = Timebase::new(names.timer_hertz);
        let (mut called, mut returned): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
        for event in events {
            let Content::Upcall {
                driver, step, at, ..
            } = event.content
            else {
                continue;
            };
            let known = names
                .drivers
                .get(usize::from(driver))
                .context("an unknown driver")?;
            if known.function != SERVO || at == Instant::START {
                continue;
            }
            ensure!(at.0 % PERIOD == 0, "the servos moved at {} ns", at.0);
            let lag = event.tick.0.saturating_sub(timebase.ticks(at).0);
            match step {
                UpcallStep::Begun => called.push(lag),
                UpcallStep::Returned => returned.push(lag),
                other => bail!("the servos' driver did not return: {other:?}"),
            }
        }
        ensure!(
            called.len() as u64 >= FLIGHT.0 / PERIOD - 1,
            "the servos moved {} times",
            called.len()
        );
        Ok(Lags { called, returned })
    }

    /// Between the least and the largest.
    pub(crate) fn jitter(&self) -> Option<u64> {
        Some(self.called.iter().max()? - self.called.iter().min()?)
    }
}

/// The servos' driver is called soon; a note.
fn check_servos(events: &[Event], names: &NameMap) -> Result<String> {
    let lags = Lags::of(events, names)?;
    let text = format!(
        "{} called {}, returned {}",
        lags.called.len(),
        spread(&lags.called)?,
        spread(&lags.returned)?
    );
    let (lag, jitter) = promised()?;
    ensure!(
        lags.called.iter().max() <= Some(&lag) && lags.jitter() <= Some(jitter),
        "the servos are late: {text}"
    );
    Ok(text)
}

/// Least, median and largest of some lags.
fn spread(lags: &[u64]) -> Result<String> {
    let mut sorted = lags.to_vec();
    sorted.sort_unstable();
    let middle = sorted.get(sorted.len() / 2).context("no lag")?;
    let (first, last) = (
        sorted.first().context("no lag")?,
        sorted.last().context("no lag")?,
    );
    Ok(format!("{first}/{middle}/{last} ticks"))
}

/// What the simulator says of a flight: port writes, or decisions if a file tells how long jobs
/// take.
fn simulate(system: &str, times: Option<&Path>) -> Result<String> {
    let mut command = Command::new(example("flight", false)?);
    command.arg(root().join(system));
    command.arg((FLIGHT.0 / 1_000_000).to_string()).args(times);
    capture(&mut command)
}

/// The simulator, with the same task functions, writes the same values at the
/// same instants.
fn compare_with_simulator(system: &str, trace: &[PortValue]) -> Result<()> {
    let text = simulate(system, None)?;
    let said: Vec<&str> = text.lines().collect();
    let flown: Vec<String> = trace.iter().map(line).collect();
    // the last instant ends one run before and the other after what is due in it
    let common = said.len().min(flown.len());
    ensure!(common > 10_000, "only {common} port writes to compare");
    let flown: Vec<&str> = flown.iter().map(String::as_str).take(common).collect();
    let Some(at) = first_difference(&flown, &said[..common]) else {
        return Ok(());
    };
    bail!(
        "port write {at} differs\n  QEMU      {}\n  simulator {}",
        flown[at],
        said[at]
    )
}

/// The simulator, in which jobs take as long as they did, decides the same in the same
/// order: the one dispatch of the machine and the host. How many decisions were compared.
fn compare_decisions(system: &str, events: &[Event], names: &NameMap) -> Result<usize> {
    let times = events.iter().filter_map(|event| match event.content {
        Content::Complete {
            thread,
            job,
            execution,
            ..
        } => Some(format!("{thread} {job} {}\n", execution.0)),
        _ => None,
    });
    let file = target_folder().join("promises-times.txt");
    std::fs::write(&file, times.collect::<String>()).context("the execution times")?;
    let text = simulate(system, Some(&file))?;
    let simulated: Vec<&str> = text.lines().collect();
    let flown = decision_trace(events, names);
    // (as of port writes)
    let common = simulated.len().min(flown.len());
    ensure!(common > 10_000, "only {common} decisions to compare");
    let flown: Vec<&str> = flown.iter().map(String::as_str).take(common).collect();
    let Some(at) = first_difference(&flown, &simulated[..common]) else {
        return Ok(common);
    };
    bail!(
        "decision {at} differs\n  QEMU      {}\n  simulator {}\n  after {:#?}",
        flown[at],
        simulated[at],
        &flown[at.saturating_sub(8)..at]
    )
}

/// Another board, with another width of words and other protection, keeps the
/// windows and writes the same values at the same instants.
fn compare_with_board(
    trace: &[PortValue],
    (events, names): &Flown,
    board: &str,
    length: Duration,
) -> Result<usize> {
    check_windows(events, length).with_context(|| board.to_string())?;
    let other = port_trace(events, names);
    let common = trace.len().min(other.len());
    let least = length.0 / 1_000_000;
    ensure!(
        common as u64 > least,
        "only {common} port writes of {board} to compare"
    );
    let Some(at) = first_difference(&trace[..common], &other[..common]) else {
        return Ok(common);
    };
    bail!(
        "port write {at} differs\n  {}  {}\n  {board}  {}",
        BOARDS[0],
        line(&trace[at]),
        line(&other[at])
    )
}

fn line(write: &PortValue) -> String {
    let value: String = write
        .value
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("{} {} {value}", write.at.0, write.port)
}

/// Overruns and violations are reported, the handler runs, and the world and
/// the logger see what they see without the overload.
fn check_overload(calm: &[PortValue], events: &[Event], names: &NameMap) -> Result<String> {
    let breaches: Vec<_> = events
        .iter()
        .filter_map(|event| match event.content {
            Content::Violation(breach) => Some(breach),
            _ => None,
        })
        .collect();
    let handled = breaches.iter().filter(|breach| breach.handled).count();
    let handler = |event: &&Event| {
        matches!(event.content, Content::Upcall { driver, step: UpcallStep::Returned, .. }
            if names.drivers.get(usize::from(driver)).is_some_and(|d| d.function == "shed_load"))
    };
    let ran = events.iter().filter(handler).count();
    ensure!(
        handled > 0 && ran == handled,
        "{handled} violations handled, {ran} handlers ran"
    );
    ensure!(
        breaches.len() > handled,
        "no time-safety violation was seen"
    );
    ensure!(
        breaches.iter().all(|b| b.task.is_some()),
        "a violation without its task"
    );
    let world = |trace: &[PortValue]| -> Vec<PortValue> {
        let concerned =
            |w: &&PortValue| w.port.starts_with("plant.") || w.port.starts_with("telemetry.");
        trace.iter().filter(concerned).cloned().collect()
    };
    let (calm, late) = (world(calm), world(&port_trace(events, names)));
    let difference = first_difference(&calm, &late);
    ensure!(
        difference.is_none(),
        "the world or the logger noticed the overload: {difference:?}"
    );
    Ok(format!(
        "overload: {} violations, {handled} handled, {} port writes of world and logger unchanged",
        breaches.len(),
        calm.len()
    ))
}

//! What the tests of the kernel share: a checked simulation and short words.

use crate::dice::Dice;
use giornata_abi::call::{Answer, Call};
use giornata_abi::id::NONE;
use giornata_abi::trace::{TraceKind, TraceRecord};
use giornata_abi::{Duration, Error, Instant};
use giornata_sim::{Act, Answers, Script, Simulation, Storage, Tables, Work, trace};

/// A system before its boot, checked after each of its kernel's entries; under an
/// interpreter, which is there for something else, the checks take most of the time.
pub(crate) fn simulate<R>(
    tables: &Tables,
    work: impl for<'a> FnOnce(&mut Simulation<'a>) -> R,
) -> R {
    let mut storage = Storage::new(&tables.system());
    let mut simulation = Simulation::new(tables, &mut storage);
    if !cfg!(miri) {
        simulation.check_always();
    }
    work(&mut simulation)
}

/// What is decided in 200 ms, with execution times by seed of which some end at
/// one tick, and on that of a release.
pub(crate) fn decisions(tables: &Tables, seed: u64) -> Vec<trace::Decision> {
    simulate(tables, |simulation| {
        let mut dice = Dice(seed);
        simulation.set_durations(move |_, _| us(dice.below(12) as u64 * 500));
        simulation.run_until(at_us(200_000));
        trace::decisions(simulation.records())
    })
}

pub(crate) fn us(count: u64) -> Duration {
    Duration::from_micros(count)
}

pub(crate) fn at_us(count: u64) -> Instant {
    Instant(count * 1000)
}

pub(crate) fn compute(micros: u64) -> Act {
    Act::Compute(us(micros))
}

pub(crate) fn sleep_until(micros: u64) -> Act {
    Act::sleep_until(at_us(micros))
}

pub(crate) fn call(call: Call, arguments: &[usize]) -> Act {
    Act::call(call, arguments)
}

pub(crate) fn refused(error: Error) -> Answer {
    Answer::error(error)
}

/// An instant that never comes, in two halves.
pub(crate) const FOR_EVER: [usize; 2] = [u32::MAX as usize; 2];

/// Lets a thread do these things; what its calls are answered.
pub(crate) fn direct(simulation: &mut Simulation<'_>, thread: u16, acts: Vec<Act>) -> Answers {
    let script = Script::new(acts);
    let answers = script.answers();
    simulation.set_thread(thread, script);
    answers
}

/// Jobs of each thread take so long; upcalls no time.
pub(crate) fn job_times<const N: usize>(
    times: [(u16, u64); N],
) -> impl FnMut(Work, u32) -> Duration + 'static {
    move |work, _| {
        let find = |thread| times.iter().find(|(t, _)| *t == thread);
        match work {
            Work::Job(thread) => find(thread).map_or(Duration::ZERO, |(_, micros)| us(*micros)),
            Work::Upcall(_) => Duration::ZERO,
        }
    }
}

/// Who ran from when on, in microseconds; `None` is idle. A timer of 10 MHz.
pub(crate) fn timeline(records: &[TraceRecord]) -> Vec<(u64, Option<u16>)> {
    let switches = trace::switches(records).into_iter();
    switches
        .map(|(tick, thread)| (tick / 10, (thread != NONE).then_some(thread)))
        .collect()
}

/// The same from this microsecond on.
pub(crate) fn timeline_from(records: &[TraceRecord], micros: u64) -> Vec<(u64, Option<u16>)> {
    let all = timeline(records).into_iter();
    all.filter(|(at, _)| *at >= micros).collect()
}

/// Who ran, in order, without idling.
pub(crate) fn order(records: &[TraceRecord]) -> Vec<u16> {
    timeline(records)
        .into_iter()
        .filter_map(|(_, thread)| thread)
        .collect()
}

/// How many records of a kind there are.
pub(crate) fn count(records: &[TraceRecord], kind: TraceKind) -> usize {
    trace::of_kind(records, kind).count()
}

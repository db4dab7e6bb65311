//! Runs with execution times of many kinds, one after the other.
//!
//! Where threads drift against the releases, or count from completions, a
//! breach may need a certain phase and certain times together, and come late.
//! Going all ways does not get so far; a run does. In a run every execution time
//! is known, so every instant is, and a breach that it ends in is what the
//! kernel does. That none is found shows nothing.

use giornata_abi::{Duration, Instant};

use super::{Checker, Safety, State};

/// So many runs are tried.
const RUNS: u64 = 24;

/// Each for so many instants.
const INSTANTS: u64 = 10_000;

impl Checker<'_> {
    /// Notes a breach if one of the runs ends in one; whether it does. O(instants
    /// of all runs).
    pub(super) fn runs_into_breach(&mut self) -> bool {
        let runs = (0..RUNS).map(|run| self.run_for_long(run));
        let mut ends = runs.filter_map(Result::err);
        let breach = ends.find(|end| matches!(end, Safety::Unsafe(_)));
        let is_found = breach.is_some();
        if let Some(breach) = breach {
            self.checked.safety = breach;
        }
        is_found
    }

    fn run_for_long(&mut self, run: u64) -> Result<(), Safety> {
        self.nodes.clear();
        let mut open = Vec::new();
        self.settle(State::at_start(self.program), &mut open)?;
        for instant in 0..INSTANTS {
            // of several outcomes of tests any
            let choice = scattered(&[run, instant]) % open.len().max(1) as u64;
            if open.is_empty() {
                break;
            }
            let mut state = open.swap_remove(choice as usize);
            open.clear();
            for job in &mut state.jobs {
                if job.release == state.at {
                    let worst = self.times.of_task(job.task);
                    job.left = execution(run, job.task, job.number, worst);
                }
            }
            self.go_on(&state, &mut open)?;
        }
        Ok(())
    }

    /// From one instant to the next, of which completions are some.
    fn go_on(&mut self, state: &State, open: &mut Vec<State>) -> Result<(), Safety> {
        if self.mixed(state).is_some() {
            return Ok(());
        }
        let bound = self.bound(state);
        let Some(running) = self.running(state)? else {
            return self.rest(state, bound, open);
        };
        let end = state.at + state.jobs[running].left;
        match end <= bound && end < Instant::NEVER {
            true => self.complete(state, running, end, true, open),
            false => self.preempt(state, running, bound, open),
        }
    }
}

/// What a job computes: in some runs most often its worst case, in others less.
fn execution(run: u64, task: u16, number: u32, worst: Duration) -> Duration {
    let chance = scattered(&[run, task.into(), number.into()]);
    let (kind, part) = (chance % 16, scattered(&[chance]));
    let worsts = [15, 12, 8, 4][run as usize % 4];
    let nothings = 16 - (16 - worsts) / 2;
    match kind {
        kind if kind < worsts => worst,
        kind if kind >= nothings => Duration::ZERO,
        _ => Duration(part % (worst.0 + 1)),
    }
}

/// A number that looks random: the steps of SplitMix64 (Steele, Lea, Flood, 2014).
fn scattered(seeds: &[u64]) -> u64 {
    seeds.iter().fold(0, |state: u64, seed| {
        let mut z = (state ^ seed).wrapping_add(0x9E37_79B9_7F4A_7C15);
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    })
}

//! What shows that a program is not time-safe: who ran when, up to the breach.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use giornata_abi::{Duration, Instant};

use crate::job::{Breach, Segment};
use crate::program::Program;

/// Of a long timeline so many stretches before the breach are shown.
const SHOWN: usize = 24;

/// A run that ends in a breach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// Who ran when, in order, from the start of the program.
    pub segments: Vec<Segment>,
    /// What happened then.
    pub breach: Breach,
}

impl Witness {
    /// How long each job that completed in the run computed; every other job
    /// needs its worst-case time. O(stretches^2) at worst.
    pub fn executions(&self) -> BTreeMap<(u16, u32), Duration> {
        let mut executed: BTreeMap<(u16, u32), Duration> = BTreeMap::new();
        let mut completed = BTreeMap::new();
        for segment in &self.with_room() {
            let job = (segment.task, segment.number);
            let time = executed.entry(job).or_insert(Duration::ZERO);
            *time = *time + segment.until.since(segment.from);
            if segment.completes {
                completed.insert(job, *time);
            }
        }
        completed
    }

    /// The stretches, none of them empty that ends a job which ran before: if
    /// nothing were left of it, it would have completed then. Who runs just
    /// before it gives it a nanosecond.
    fn with_room(&self) -> Vec<Segment> {
        let mut segments = self.segments.clone();
        let mut ran = BTreeSet::new();
        for at in 0..segments.len() {
            let segment = segments[at];
            let is_empty = segment.from == segment.until;
            if is_empty && ran.contains(&(segment.task, segment.number)) {
                segments[at].from = Instant(segment.from.0.saturating_sub(1));
                push_back(&mut segments[..=at]);
            }
            ran.insert((segment.task, segment.number));
        }
        segments
    }

    /// The run as text, one stretch a line, the last ones if there are many.
    pub fn text(&self, program: &Program) -> String {
        let mut text = String::new();
        let skipped = self.segments.len().saturating_sub(SHOWN);
        if skipped > 0 {
            let _ = writeln!(text, "  ... {skipped} earlier stretches");
        }
        for segment in self.segments.iter().skip(skipped) {
            let _ = writeln!(text, "  {}", stretch(program, segment));
        }
        let _ = writeln!(text, "  {}", breach(program, &self.breach));
        text
    }
}

/// Ends every stretch where the one after it begins, from the last on.
fn push_back(segments: &mut [Segment]) {
    for at in (1..segments.len()).rev() {
        let limit = segments[at].from;
        let before = &mut segments[at - 1];
        if before.until <= limit {
            return;
        }
        let is_empty = before.from == before.until;
        before.until = limit;
        if is_empty || before.from > limit {
            // what it had, it keeps, so far as there is room
            before.from = limit;
        }
    }
}

fn stretch(program: &Program, segment: &Segment) -> String {
    let end = match segment.completes {
        true => "completes",
        false => "is preempted",
    };
    format!(
        "{:>12} .. {:>12}  {} (job {}) {end}",
        show(Duration(segment.from.0)),
        show(Duration(segment.until.0)),
        program.task_name(segment.task),
        segment.number + 1,
    )
}

fn breach(program: &Program, breach: &Breach) -> String {
    let job = breach.job();
    let what = match breach {
        Breach::Late { .. } => "has not completed at its deadline",
        Breach::Touched { .. } => "has not completed when a driver touches its ports",
        Breach::Released { .. } => "has not completed when it is released again",
        Breach::Unfinished { .. } => "has not completed at the next release",
        Breach::Shared { .. } => "is dispatched while another thread dispatches",
    };
    format!(
        "{:>12}  {} (job {}), released at {}, {what}: it needs {} more",
        show(Duration(breach.at().0)),
        program.task_name(job.task),
        job.number + 1,
        show(Duration(job.release.0)),
        show(job.left),
    )
}

/// A time in the largest unit that leaves it whole.
pub fn show(time: Duration) -> String {
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")];
    let whole = |(nanos, _): &(u64, &str)| time.0.is_multiple_of(*nanos);
    match units.into_iter().find(whole).filter(|_| time.0 > 0) {
        Some((nanos, unit)) => format!("{} {unit}", time.0 / nanos),
        None if time.0 == 0 => "0 ms".to_owned(),
        None => format!("{} ns", time.0),
    }
}

/// An instant in the largest unit that leaves it whole.
pub fn show_instant(at: Instant) -> String {
    show(Duration(at.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_ran_before_has_something_left_when_it_completes() {
        let stretch = |task, from, until, completes| Segment {
            task,
            number: 0,
            from: Instant(from),
            until: Instant(until),
            completes,
        };
        let job = crate::job::Job {
            task: 9,
            number: 0,
            release: Instant(0),
            deadline: Instant(0),
            left: Duration(0),
        };
        let witness = Witness {
            segments: vec![
                stretch(1, 0, 10, false),
                stretch(2, 10, 19, true),
                stretch(3, 19, 19, true),
                stretch(1, 19, 19, true),
            ],
            breach: Breach::Late { job },
        };
        let times: Vec<u64> = witness.executions().values().map(|t| t.0).collect();
        assert_eq!(times, [11, 8, 0]);
    }

    #[test]
    fn times_are_shown_in_the_largest_whole_unit() {
        let shown = [0, 7, 1_500_000, 20_000_000, 3_000_000_000].map(|t| show(Duration(t)));
        assert_eq!(shown, ["0 ms", "7 ns", "1500 us", "20 ms", "3 s"]);
    }
}

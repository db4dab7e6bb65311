//! The periodic view of a program: each task as one that is released at most
//! every so often, which the classic tests take.
//!
//! - Earliest deadline first: the processor demand criterion by QPA (Zhang,
//!   Burns, "Schedulability Analysis for Real-Time Systems with EDF
//!   Scheduling", IEEE Trans. Computers 58(9), 2009).
//! - Fixed priorities: response times (Joseph, Pandya, Comp. J. 29(5), 1986).
//!
//! Both count on the worst phases. They are exact for tasks that are released
//! together at some time, as those of a Giotto mode are, and safe for others.

use std::collections::BTreeMap;

use giornata_abi::{Duration, Instant};

use crate::ecode::ECode;
use crate::program::Program;
use crate::round::Round;
use crate::times::Times;
use crate::walk::{Strategy, Verdict, by_rate, walk};

/// After so many steps a test does not know.
const MOST_STEPS: usize = 1_000_000;

/// After so many a response is not known: each is at least one job of another task.
const MOST_RESPONSE_STEPS: usize = 100_000;

/// A task as the classic tests see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Periodic {
    /// The task.
    pub task: u16,
    /// The shortest time between releases.
    pub period: Duration,
    /// The shortest relative deadline.
    pub deadline: Duration,
    /// The worst-case time.
    pub time: Duration,
}

/// What the demand criterion says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// In no interval more must complete than fits.
    Fits,
    /// In an interval of this length so much must complete.
    Exceeds {
        /// The interval.
        interval: Duration,
        /// What must complete in it.
        demand: Duration,
    },
    /// The tasks need more than one processor for ever.
    Overload,
    /// Not found out in a reasonable number of steps.
    Unknown,
}

/// The periodic view of a program without mode switches; `None` of any other,
/// and of one that ends. By decreasing rate.
pub fn periodic(program: &Program, code: &ECode, times: &Times) -> Option<Vec<Periodic>> {
    let nothing = Times::from_list(vec![Duration::ZERO; program.tasks.len()]);
    let walked = walk(program, code, &nothing, Strategy::EarliestDeadline);
    if !code.is_single_mode() || walked.verdict != Verdict::Schedulable {
        return None;
    }
    let round = Round::of(&walked);
    let first = round.intervals.get(round.repeats?)?.from;
    let length = round.intervals.last()?.until.since(first);
    let mut releases: BTreeMap<u16, Vec<(Instant, Duration)>> = BTreeMap::new();
    for (_, job) in round.jobs().filter(|(_, job)| job.release >= first) {
        let window = (job.release, job.deadline.since(job.release));
        releases.entry(job.task).or_default().push(window);
    }
    let view = |task: u16| {
        let windows = releases.get(&task)?;
        let again = windows.first()?.0 + length;
        let next = windows.iter().skip(1).map(|w| w.0).chain([again]);
        let gaps = windows.iter().zip(next).map(|(w, next)| next.since(w.0));
        Some(Periodic {
            task,
            period: gaps.min()?,
            deadline: windows.iter().map(|w| w.1).min()?,
            time: times.of_task(task),
        })
    };
    Some(by_rate(code).into_iter().filter_map(view).collect())
}

/// What must complete within `interval` of a common release.
fn demand(tasks: &[Periodic], interval: u128) -> u128 {
    let one = |task: &Periodic| match interval.checked_sub(u128::from(task.deadline.0)) {
        None => 0,
        Some(rest) => (rest / period(task) + 1).saturating_mul(u128::from(task.time.0)),
    };
    sum(tasks.iter().map(one))
}

fn sum(numbers: impl Iterator<Item = u128>) -> u128 {
    numbers.fold(0, u128::saturating_add)
}

/// At least 1.
fn period(task: &Periodic) -> u128 {
    u128::from(task.period.0.max(1))
}

/// What a task needs in so much time after a common release.
fn needed(task: &Periodic, time: u128) -> u128 {
    time.div_ceil(period(task))
        .saturating_mul(u128::from(task.time.0))
}

/// The last deadline before `interval`, after a common release.
fn deadline_before(tasks: &[Periodic], interval: u128) -> Option<u128> {
    let last = |task: &Periodic| {
        let before = interval.checked_sub(1)?;
        let rest = before.checked_sub(u128::from(task.deadline.0))?;
        Some(before - rest % period(task))
    };
    tasks.iter().filter_map(last).max()
}

/// The processor demand criterion.
pub fn qpa(tasks: &[Periodic]) -> Demand {
    if is_overloaded(tasks) {
        return Demand::Overload;
    }
    let Some(busy) = busy_period(tasks) else {
        return Demand::Unknown;
    };
    let Some(least) = tasks.iter().map(|t| u128::from(t.deadline.0)).min() else {
        return Demand::Fits;
    };
    let mut at = deadline_before(tasks, busy + 1);
    for _ in 0..MOST_STEPS {
        let Some(interval) = at else {
            return Demand::Fits;
        };
        let due = demand(tasks, interval);
        if due > interval {
            return Demand::Exceeds {
                interval: Duration(interval as u64),
                demand: Duration(due.min(u128::from(u64::MAX)) as u64),
            };
        }
        if due <= least {
            return Demand::Fits;
        }
        at = match due < interval {
            true => Some(due),
            false => deadline_before(tasks, interval),
        };
    }
    Demand::Unknown
}

/// Whether the tasks need more than one processor for ever, by fractions of
/// 2^-64. An overload of less than that shows as a busy period without end.
fn is_overloaded(tasks: &[Periodic]) -> bool {
    let fraction = |t: &Periodic| (u128::from(t.time.0) << 64) / period(t);
    sum(tasks.iter().map(fraction)) > 1 << 64
}

/// How long the processor is busy after a common release, at most; `None` if
/// that was not found out.
fn busy_period(tasks: &[Periodic]) -> Option<u128> {
    let mut busy: u128 = tasks.iter().map(|t| u128::from(t.time.0)).sum();
    for _ in 0..MOST_STEPS {
        match sum(tasks.iter().map(|t| needed(t, busy))) {
            next if next == busy => return Some(busy),
            next if next > u128::from(u64::MAX) => return None,
            next => busy = next,
        }
    }
    None
}

/// For each task its longest response under fixed priorities, the first the
/// most urgent; `None` if that is beyond its deadline, or was not found out in a reasonable
/// number of steps. O(tasks^2 * steps).
pub fn responses(tasks: &[Periodic]) -> Vec<Option<Duration>> {
    (0..tasks.len())
        .map(|index| response(tasks, index))
        .collect()
}

fn response(tasks: &[Periodic], index: usize) -> Option<Duration> {
    let (higher, rest) = tasks.split_at_checked(index)?;
    let task = rest.first()?;
    let mut response = u128::from(task.time.0);
    for _ in 0..MOST_RESPONSE_STEPS {
        if response > u128::from(task.deadline.0) {
            return None;
        }
        let preemptions = higher.iter().map(|t| needed(t, response));
        let next = sum(preemptions.chain([u128::from(task.time.0)]));
        if next == response {
            return Some(Duration(response as u64));
        }
        response = next;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(task: u16, period: u64, deadline: u64, time: u64) -> Periodic {
        let [period, deadline, time] = [period, deadline, time].map(Duration);
        Periodic {
            task,
            period,
            deadline,
            time,
        }
    }

    #[test]
    fn response_times_are_those_of_the_textbook() {
        // Burns and Wellings: periods 7, 12, 20, times 3, 3, 5
        let tasks = [task(0, 7, 7, 3), task(1, 12, 12, 3), task(2, 20, 20, 5)];
        let responses = responses(&tasks).into_iter().map(|r| r.map(|r| r.0));
        assert_eq!(responses.collect::<Vec<_>>(), [Some(3), Some(6), Some(20)]);
        assert_eq!(
            super::responses(&[task(0, 5, 5, 3), task(1, 9, 9, 5)])[1],
            None
        );
    }

    #[test]
    fn a_response_without_end_is_given_up() {
        let never = [task(0, 1, 1, 1), task(1, u64::MAX, u64::MAX, 1)];
        let [first, second] = responses(&never)[..] else {
            panic!("one for each task");
        };
        assert_eq!((first, second), (Some(Duration(1)), None));
    }

    #[test]
    fn demand_fits_up_to_full_load_and_no_further() {
        assert_eq!(qpa(&[task(0, 4, 4, 2), task(1, 8, 8, 4)]), Demand::Fits);
        assert_eq!(qpa(&[task(0, 4, 4, 2), task(1, 8, 8, 5)]), Demand::Overload);
        let tight = [task(0, 10, 3, 2), task(1, 10, 4, 3)];
        let [interval, demand] = [4, 5].map(Duration);
        assert_eq!(qpa(&tight), Demand::Exceeds { interval, demand });
        assert_eq!(qpa(&[]), Demand::Fits);
    }

    /// The criterion at every instant of a long interval.
    fn fits_everywhere(tasks: &[Periodic]) -> bool {
        (1..2000).all(|at| demand(tasks, at) <= at)
    }

    #[test]
    fn qpa_skips_no_interval_that_matters() {
        let mut state = 1u64;
        let mut below = |bound: u64| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) % bound
        };
        let mut verdicts = [0, 0];
        for _ in 0..2000 {
            let tasks: Vec<Periodic> = (0..3)
                .map(|i| {
                    let period = [4, 5, 6, 8, 10, 12][below(6) as usize];
                    let time = 1 + below(3);
                    task(i, period, time + below(period), time)
                })
                .collect();
            let fits = qpa(&tasks) == Demand::Fits;
            assert_eq!(fits, fits_everywhere(&tasks), "{tasks:?}");
            verdicts[usize::from(fits)] += 1;
        }
        assert!(verdicts.iter().all(|n| *n > 200), "{verdicts:?}");
    }
}

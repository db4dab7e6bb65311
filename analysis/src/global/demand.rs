//! A test of how much must run in an interval that ends where a job is late.

use std::collections::BTreeSet;

use giornata_abi::Duration;
use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};

use super::{Lack, Ratio, Says, Tasks, fraction};
use crate::periodic::Periodic;

/// Beyond so many interval lengths the test does not know.
const MOST_LENGTHS: usize = 20_000;

/// BAR: S. K. Baruah, "Techniques for Multiprocessor Global Schedulability Analysis", RTSS
/// 2007. O(tasks^2 log tasks) for each length that is looked at.
///
/// Before a job is late there is a last instant at which a hart is free; at most `harts - 1`
/// jobs are under way then. From there on all harts must run others for more than the job
/// leaves. Two corrections: a late job has run at least one nanosecond less than its time
/// (the author's own, for whole numbers), and lengths between steps of the demand are looked
/// at too, because what is under way grows between them.
pub(super) fn bar(tasks: &Tasks<'_>, harts: u32) -> Says {
    let jobs = tasks.jobs();
    let tasks = tasks.all;
    let load: Ratio = tasks
        .iter()
        .map(|task| fraction(task.time, task.period))
        .sum();
    let all = Ratio::from(BigInt::from(harts));
    if load >= all {
        return match load > all {
            true => Says::of(load, all, None),
            false => Says::Unknown,
        };
    }
    for (_, late) in jobs {
        let late = &late;
        let Some(lengths) = lengths(tasks, late, harts, &(&all - &load)) else {
            return Says::Unknown;
        };
        for length in lengths {
            let needed = most_before(tasks, late, harts, length);
            let fits = length.saturating_sub(late.time.0.into()) * u128::from(harts);
            if needed > fits {
                let interval = Duration(length.min(u64::MAX.into()) as u64);
                let lack = Lack::of_time(needed, fits, late.task, Some(interval));
                return Says::NotShown(lack);
            }
        }
    }
    Says::Schedulable
}

/// What others can run before a job of `late` in an interval that ends at its deadline.
fn most_before(tasks: &[Periodic], late: &Periodic, harts: u32, length: u128) -> u128 {
    let (time, deadline) = (u128::from(late.time.0), u128::from(late.deadline.0));
    let (mut all, mut carried) = (0u128, Vec::new());
    for task in tasks {
        let (most, own) = match task.task == late.task {
            true => (length.saturating_sub(deadline), time),
            false => (length.saturating_sub(time) + 1, 0),
        };
        let within = |work: u128| work.saturating_sub(own).min(most);
        let without = within(demand(task, length));
        all = all.saturating_add(without);
        carried.push(within(with_carried(task, length)).saturating_sub(without));
    }
    carried.sort_unstable();
    let carried = carried.iter().rev().take(harts.saturating_sub(1) as usize);
    carried.fold(all, |sum, work| sum.saturating_add(*work))
}

/// What must run of a task within so much time, if no job is under way at its beginning.
fn demand(task: &Periodic, length: u128) -> u128 {
    let (time, period) = (u128::from(task.time.0), period(task));
    match length.checked_sub(task.deadline.0.into()) {
        None => 0,
        Some(rest) => (rest / period + 1).saturating_mul(time),
    }
}

/// The same if one is.
fn with_carried(task: &Periodic, length: u128) -> u128 {
    let (time, period) = (u128::from(task.time.0), period(task));
    let whole = (length / period).saturating_mul(time);
    whole.saturating_add(time.min(length % period))
}

fn period(task: &Periodic) -> u128 {
    task.period.0.max(1).into()
}

/// The lengths between which nothing of the test bends upwards, up to where it must hold.
/// `None` if there are too many.
fn lengths(
    tasks: &[Periodic],
    late: &Periodic,
    harts: u32,
    free: &Ratio,
) -> Option<BTreeSet<u128>> {
    let least = u128::from(late.deadline.0);
    let last = last_length(tasks, late, harts, free)?.max(least);
    let mut lengths = BTreeSet::from([least]);
    let own = u128::from(late.time.0);
    for task in tasks {
        let (period, time) = (period(task), u128::from(task.time.0));
        let deadline = u128::from(task.deadline.0);
        // (jobs whose work all lies beyond, from the first interval on)
        let first = (least / period).saturating_sub(1);
        for job in first.. {
            let begins = job.saturating_mul(period);
            if begins > last {
                break;
            }
            let due = begins.saturating_add(deadline);
            let bends = [
                begins,
                begins.saturating_add(time),
                due,
                due.saturating_sub(1),
            ];
            lengths.extend(bends.iter().filter(|at| (least..=last).contains(*at)));
            if lengths.len() > MOST_LENGTHS {
                return None;
            }
        }
        // where the demand of some jobs is as much as the late one leaves, or as comes before it
        let beyond = match task.task == late.task {
            true => least,
            false => own.saturating_sub(1),
        };
        let leaves = |jobs: u128| jobs.saturating_mul(time).saturating_add(beyond);
        for jobs in 1.. {
            let at = leaves(jobs);
            // (more jobs come later than that, but of a task that never rests)
            let ends = period.checked_sub(time).filter(|rest| *rest > 0);
            if at > last || ends.is_some_and(|rest| jobs > beyond / rest + 2) {
                break;
            }
            if at >= least {
                lengths.insert(at);
            }
            if lengths.len() > MOST_LENGTHS || jobs > MOST_LENGTHS as u128 {
                return None;
            }
        }
    }
    Some(lengths)
}

/// The longest interval in which the test can fail.
fn last_length(tasks: &[Periodic], late: &Periodic, harts: u32, free: &Ratio) -> Option<u128> {
    let mut times: Vec<u64> = tasks.iter().map(|task| task.time.0).collect();
    times.sort_unstable();
    let carried = times.iter().rev().take(harts.saturating_sub(1) as usize);
    let carried: BigInt = carried.map(|time| BigInt::from(*time)).sum();
    let shorter = tasks.iter().map(|task| {
        let shorter = task.period.0.saturating_sub(task.deadline.0);
        fraction(task.time, task.period) * BigInt::from(shorter)
    });
    let own = BigInt::from(late.time.0) * BigInt::from(harts);
    let sum: Ratio = shorter.sum::<Ratio>() + Ratio::from(carried + own);
    match free.is_zero() {
        true => None,
        false => (sum / free).ceil().to_integer().to_u128(),
    }
}

//! Tasks as they run on several harts, tick by tick: not by the code of any analysis.

use giornata_analysis::{Policy, global};

use crate::seed::{Seed, cases};
use crate::sets::{Row, sporadic};

/// Ticks of a run.
const LENGTH: u64 = 400;

/// When jobs come and what they need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrivals {
    /// Of all that is random; nothing is if there is none.
    pub(crate) seed: Option<u64>,
    /// Jobs may come later than they could, too.
    pub(crate) sporadic: bool,
    /// Jobs may need less than their time.
    pub(crate) shorter: bool,
}

impl Arrivals {
    /// All tasks begin at once, and take all their time.
    pub(crate) const TOGETHER: Arrivals = Arrivals {
        seed: None,
        sporadic: false,
        shorter: false,
    };
}

#[derive(Clone, Copy, Debug)]
struct Job {
    task: usize,
    deadline: u64,
    left: u64,
    number: u64,
}

/// Whether a job is late in a run.
pub(crate) fn is_late(rows: &[Row], harts: u32, policy: &Policy, arrivals: Arrivals) -> bool {
    let mut seed = Seed(arrivals.seed.unwrap_or(0));
    let is_random = arrivals.seed.is_some();
    let mut next: Vec<u64> = rows
        .iter()
        .map(|row| if is_random { seed.below(row.0 + 1) } else { 0 })
        .collect();
    let (mut jobs, mut number) = (Vec::<Job>::new(), 0);
    for now in 0..LENGTH {
        for (task, (period, deadline, time)) in rows.iter().enumerate() {
            if next[task] != now {
                continue;
            }
            let later = if arrivals.sporadic {
                seed.below(3) * seed.below(*period) / 2
            } else {
                0
            };
            next[task] += period + later;
            let left = if arrivals.shorter {
                seed.below(time + 1)
            } else {
                *time
            };
            number += 1;
            jobs.push(Job {
                task,
                deadline: now + deadline,
                left,
                number,
            });
        }
        jobs.retain(|job| job.left > 0);
        if jobs.iter().any(|job| job.deadline <= now) {
            return true;
        }
        jobs.sort_by_key(|job| match policy {
            Policy::EarliestDeadline => (job.deadline, job.task as u64),
            Policy::Priorities(ranks) => (ranks[job.task], job.number),
        });
        for job in jobs.iter_mut().take(harts as usize) {
            job.left -= 1;
        }
    }
    false
}

fn set(seed: &mut Seed, harts: u32) -> Vec<Row> {
    let count = u64::from(harts) + 1 + seed.below(4);
    let row = |_| {
        let period = seed.choose(&[4, 5, 6, 8, 10, 12, 15, 20, 30]);
        let time = 1 + seed.below(period) * (1 + seed.below(3)) / 4;
        let time = time.min(period);
        let deadline = match seed.below(3) {
            0 => time + seed.below(period - time + 1),
            _ => period,
        };
        (period, deadline, time)
    };
    (0..count).map(row).collect()
}

/// By the shortest deadline; equal ones share a rank.
fn by_rate(rows: &[Row]) -> Policy {
    let rank = |row: &Row| rows.iter().filter(|other| other.1 < row.1).count() as u64;
    Policy::Priorities(rows.iter().map(rank).collect())
}

#[test]
fn no_job_is_late_where_a_test_says_so() {
    let (mut seed, mut shown, mut late) = (Seed(11), [0; 2], [0; 2]);
    let cases = cases(200, 4000);
    for _ in 0..cases {
        let harts = 2 + seed.below(3) as u32;
        let rows = set(&mut seed, harts);
        for (which, policy) in [Policy::EarliestDeadline, by_rate(&rows)]
            .iter()
            .enumerate()
        {
            let found = global(&sporadic(&rows), harts, policy);
            let random = (0..12).map(|run| Arrivals {
                seed: Some(seed.next()),
                sporadic: run % 3 == 1,
                shorter: run % 3 == 2,
            });
            let mut runs = std::iter::once(Arrivals::TOGETHER).chain(random.collect::<Vec<_>>());
            let found_late = runs.find(|arrivals| is_late(&rows, harts, policy, *arrivals));
            if let (Some(test), Some(arrivals)) = (found.shown_by(), found_late) {
                panic!("{test:?} of {rows:?} on {harts} harts under {policy:?}: {arrivals:?}");
            }
            shown[which] += u64::from(found.shown_by().is_some());
            late[which] += u64::from(found_late.is_some());
        }
    }
    // each has its share
    let is_some = |count: &u64| count * 12 > cases;
    assert!(
        shown.iter().chain(&late).all(is_some),
        "{shown:?} {late:?} of {cases}"
    );
}

//! All that can happen to a few sporadic tasks: T. P. Baker, M. Cirinei, "Brute-Force
//! Determination of Multiprocessor Schedulability for Sets of Sporadic Hard-Deadline Tasks",
//! OPODIS 2007.

use std::collections::HashSet;

use giornata_analysis::global::Test;
use giornata_analysis::{Policy, Says, global};

use crate::seed::{Seed, cases};
use crate::sets::{Row, sporadic};

/// Of each task: time until its next job may come, time until its deadline, time that is left.
type State = Vec<(u64, u64, u64)>;

/// Whether jobs can come so that one is late, each at any tick from the earliest on.
fn can_be_late(rows: &[Row], harts: usize) -> bool {
    let start: State = vec![(0, 0, 0); rows.len()];
    let (mut seen, mut open) = (HashSet::from([start.clone()]), vec![start]);
    while let Some(state) = open.pop() {
        for choice in 0..1usize << rows.len() {
            let Some(begun) = with_jobs(rows, &state, choice) else {
                continue;
            };
            let Some(next) = after_a_tick(begun, harts) else {
                return true;
            };
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    false
}

/// A job of each chosen task comes; `None` if one may not.
fn with_jobs(rows: &[Row], state: &State, choice: usize) -> Option<State> {
    let mut begun = state.clone();
    for (task, (period, deadline, time)) in rows.iter().enumerate() {
        if choice & 1 << task == 0 {
            continue;
        }
        match begun[task] {
            (0, _, 0) => begun[task] = (*period, *deadline, *time),
            _ => return None,
        }
    }
    Some(begun)
}

/// The state a tick later; `None` if a job is late then.
fn after_a_tick(mut state: State, harts: usize) -> Option<State> {
    let mut ready: Vec<usize> = (0..state.len()).filter(|task| state[*task].2 > 0).collect();
    ready.sort_by_key(|task| (state[*task].1, *task));
    for task in ready.into_iter().take(harts) {
        state[task].2 -= 1;
    }
    for (next, deadline, left) in &mut state {
        *next = next.saturating_sub(1);
        *deadline = deadline.saturating_sub(1);
        if *left == 0 {
            *deadline = 0;
        } else if *deadline == 0 {
            return None;
        }
    }
    Some(state)
}

#[test]
fn no_order_of_releases_contradicts_a_test() {
    let (mut seed, mut good) = (Seed(21), 0);
    let (mut holding, mut bad) = (std::collections::BTreeMap::new(), 0);
    for _ in 0..cases(250, 3000) {
        let count = 3 + seed.below(2);
        let row = |_| {
            let period = 2 + seed.below(4);
            let time = 1 + seed.below(period.min(4));
            let time = time.min(1 + seed.below(period));
            (period, time + seed.below(period - time + 1), time)
        };
        let rows: Vec<Row> = (0..count).map(row).collect();
        let harts = 2;
        let is_late = can_be_late(&rows, harts);
        let found = global(&sporadic(&rows), harts as u32, &Policy::EarliestDeadline);
        for (test, says) in &found.tests {
            if *says == Says::Schedulable {
                assert!(!is_late, "{test:?} of {rows:?}");
                *holding.entry(test.name()).or_insert(0) += 1;
            }
        }
        match is_late {
            true => bad += 1,
            false => good += 1,
        }
    }
    let names = [Test::Gfb, Test::Bak, Test::Bar, Test::Bcl, Test::Rta].map(Test::name);
    assert!(
        names.iter().all(|name| holding.get(name) > Some(&10)),
        "{holding:?} of {good}"
    );
    assert!(bad > 50 && good > 50, "{good} {bad}");
}

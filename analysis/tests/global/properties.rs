//! What must hold of any tests: against the exact one of one hart, with more harts, with
//! shorter times, and of numbers of any size.

use giornata_analysis::global::{Fit, Sporadic, Test, partition};
use giornata_analysis::{Demand, Global, Periodic, Policy, Says, global, qpa, responses};
use proptest::prelude::*;

use crate::runs::{Arrivals, is_late};
use crate::seed::{Seed, cases};
use crate::sets::{Row, sporadic, tasks};

fn set(seed: &mut Seed) -> Vec<Row> {
    let count = 2 + seed.below(5);
    let row = |_| {
        let period = 3 + seed.below(30);
        let time = 1 + seed.below(period) * (1 + seed.below(3)) / 4;
        (period, time + seed.below(period - time + 1), time)
    };
    (0..count).map(row).collect()
}

fn holds(found: &Global, wanted: Test) -> bool {
    found.tests.contains(&(wanted, Says::Schedulable))
}

/// Of one hart, demand and response times are known exactly. BAR is then the criterion of
/// demand itself.
#[test]
fn one_hart_is_what_the_exact_tests_say() {
    let (mut seed, mut verdicts) = (Seed(31), [0, 0]);
    for _ in 0..cases(1000, 20_000) {
        let mut rows = set(&mut seed);
        rows.iter_mut().for_each(|row| row.2 = row.2.div_ceil(2));
        let fits = qpa(&tasks(&rows)) == Demand::Fits;
        let found = global(&sporadic(&rows), 1, &Policy::EarliestDeadline);
        assert!(fits || found.shown_by().is_none(), "{rows:?} {found:?}");
        let is_known = !found.tests.contains(&(Test::Bar, Says::Unknown));
        assert!(
            !is_known || holds(&found, Test::Bar) == fits,
            "{rows:?} {found:?}"
        );
        verdicts[usize::from(fits)] += 1;

        rows.sort_by_key(|row| row.1);
        let ranks = (0..rows.len() as u64).collect();
        let found = global(&sporadic(&rows), 1, &Policy::Priorities(ranks));
        let exact = responses(&tasks(&rows));
        for (bound, exact) in found.responses.iter().zip(exact) {
            assert!(
                exact.is_some_and(|exact| exact <= *bound),
                "{rows:?} {found:?}"
            );
        }
    }
    assert!(verdicts.iter().all(|count| *count > 100), "{verdicts:?}");
}

/// (Not of BAR: of more harts more jobs are under way at the beginning.)
#[test]
fn another_hart_turns_no_yes_into_no() {
    let (mut seed, mut kept) = (Seed(32), [0; 4]);
    for _ in 0..cases(1000, 20_000) {
        let rows = set(&mut seed);
        let found = [1, 2, 3, 4].map(|m| global(&sporadic(&rows), m, &Policy::EarliestDeadline));
        for (which, test) in [Test::Gfb, Test::Bak, Test::Bcl, Test::Rta]
            .into_iter()
            .enumerate()
        {
            let says = found.each_ref().map(|found| holds(found, test));
            assert!(says.is_sorted(), "{test:?} of {rows:?}: {says:?}");
            kept[which] += usize::from(says[1] && says[2]);
        }
    }
    assert!(kept.iter().all(|count| *count > 50), "{kept:?}");
}

#[test]
fn shorter_times_turn_no_yes_into_no() {
    let (mut seed, mut kept) = (Seed(33), [0; 3]);
    for _ in 0..cases(1000, 20_000) {
        let rows = set(&mut seed);
        let mut shorter = rows.clone();
        let which = seed.below(rows.len() as u64) as usize;
        shorter[which].2 = (shorter[which].2 / 2).max(1);
        let [before, after] =
            [&rows, &shorter].map(|rows| global(&sporadic(rows), 2, &Policy::EarliestDeadline));
        for (which, test) in [Test::Gfb, Test::Bcl, Test::Rta].into_iter().enumerate() {
            assert!(
                !holds(&before, test) || holds(&after, test),
                "{test:?} of {rows:?}"
            );
            kept[which] += usize::from(holds(&before, test));
        }
    }
    assert!(kept.iter().all(|count| *count > 50), "{kept:?}");
}

/// More time to a deadline leaves densities less.
#[test]
fn later_deadlines_turn_no_yes_of_gfb_into_no() {
    let mut seed = Seed(34);
    for _ in 0..cases(500, 5000) {
        let rows = set(&mut seed);
        let later: Vec<Row> = rows
            .iter()
            .map(|row| (row.0, row.1.midpoint(row.0), row.2))
            .collect();
        let [before, after] =
            [&rows, &later].map(|rows| global(&sporadic(rows), 2, &Policy::EarliestDeadline));
        assert!(
            !holds(&before, Test::Gfb) || holds(&after, Test::Gfb),
            "{rows:?}"
        );
    }
}

/// What is allotted is every task once, and no hart is ever late with its own.
#[test]
fn a_partition_is_in_time_on_each_of_its_harts() {
    let (mut seed, mut found) = (Seed(35), [0, 0]);
    for _ in 0..cases(300, 5000) {
        let mut rows = set(&mut seed);
        rows.sort_by_key(|row| row.1);
        let ranks = Policy::Priorities((0..rows.len() as u64).collect());
        for policy in [Policy::EarliestDeadline, ranks] {
            for fit in Fit::ALL {
                let Some(parts) = partition(&tasks(&rows), 2, &policy, fit) else {
                    found[0] += 1;
                    continue;
                };
                found[1] += 1;
                let mut all: Vec<usize> = parts.iter().flatten().copied().collect();
                all.sort_unstable();
                assert!(all.into_iter().eq(0..rows.len()));
                for part in parts {
                    let part: Vec<Row> = part.into_iter().map(|at| rows[at]).collect();
                    let ranks = Policy::Priorities((0..part.len() as u64).collect());
                    let own = if policy == Policy::EarliestDeadline {
                        &policy
                    } else {
                        &ranks
                    };
                    assert!(!is_late(&part, 1, own, Arrivals::TOGETHER), "{part:?}");
                }
            }
        }
    }
    assert!(found.iter().all(|count| *count > 50), "{found:?}");
}

fn any_number() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(0),
        Just(1),
        Just(u64::MAX),
        any::<u64>(),
        0..100u64,
        any::<u32>().prop_map(u64::from)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(
        std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
    ))]

    #[test]
    fn no_number_is_too_great(
        rows in proptest::collection::vec((any_number(), any_number(), any_number()), 0..5),
        harts in 0..4u32,
    ) {
        let constrained: Vec<Periodic> = tasks(&rows)
            .into_iter()
            .map(|task| Periodic { deadline: task.deadline.min(task.period), ..task })
            .collect();
        let view: Vec<Sporadic> = constrained.iter().copied().map(Sporadic::from).collect();
        for policy in [Policy::EarliestDeadline, Policy::Priorities(vec![0; rows.len()])] {
            let found = global(&view, harts, &policy);
            if let Some((_, lack)) = found.closest() {
                let _ = (lack.needed(), lack.fits());
            }
            let is_hopeless = constrained.iter().any(|task| task.time > task.deadline);
            prop_assert!(!is_hopeless || found.shown_by().is_none(), "{found:?}");
            for fit in Fit::ALL {
                let _ = partition(&constrained, harts, &policy, fit);
            }
        }
        let _ = giornata_analysis::global::load(&view);
    }
}

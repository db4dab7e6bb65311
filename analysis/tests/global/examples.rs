//! Sets that can be followed by hand, and what each test says of them.

use giornata_abi::Duration;
use giornata_analysis::global::{Lack, Test, load};
use giornata_analysis::{Global, Policy, Says, global};

use crate::runs::{Arrivals, is_late};
use crate::sets::{Row, sporadic};

fn by_deadlines(rows: &[Row], harts: u32) -> Global {
    global(&sporadic(rows), harts, &Policy::EarliestDeadline)
}

fn holding(found: &Global) -> Vec<Test> {
    let holds = |(_, says): &&(Test, Says)| *says == Says::Schedulable;
    found
        .tests
        .iter()
        .filter(holds)
        .map(|(test, _)| *test)
        .collect()
}

fn lack(found: &Global, wanted: Test) -> &Lack {
    let mut tests = found.tests.iter();
    match tests.find(|(test, _)| *test == wanted) {
        Some((_, Says::NotShown(lack))) => lack,
        other => panic!("{other:?}"),
    }
}

/// S. K. Dhall, C. L. Liu, "On a Real-Time Scheduling Problem", Operations Research 26, 1978:
/// tasks that need little of each hart come first, and one that needs nearly a whole one is
/// late: it runs from 2 to 12 and should have completed at 11.
#[test]
fn dhall_s_effect_is_shown_by_a_run_and_no_test_denies_it() {
    for harts in [2, 4, 8] {
        let mut rows = vec![(10, 10, 2); harts as usize];
        rows.push((11, 11, 10));
        assert_eq!(load(&sporadic(&rows)), u64::from(harts) * 200 + 910);
        for policy in [
            Policy::EarliestDeadline,
            Policy::Priorities([vec![0; harts as usize], vec![1]].concat()),
        ] {
            let found = global(&sporadic(&rows), harts, &policy);
            assert_eq!(found.shown_by(), None, "{found:?}");
            assert!(is_late(&rows, harts, &policy, Arrivals::TOGETHER));
        }
    }
}

/// On one hart more than it has such tasks everything fits: each task has its own.
#[test]
fn tasks_that_are_no_more_than_harts_respond_in_their_own_time() {
    let rows = [(10, 10, 2), (10, 10, 2), (11, 11, 10), (7, 7, 7)];
    let found = by_deadlines(&rows, 4);
    assert_eq!(found.responses, [2, 2, 10, 7].map(Duration));
    // (2/10 + 2/10 + 10/11 + 1 is more than 4 less three times the last)
    assert_eq!(holding(&found), [Test::Rta]);
}

/// Five thirds are exactly two less one third: a sum of rounded numbers would be more.
#[test]
fn gfb_is_exact_where_it_just_holds() {
    assert!(holding(&by_deadlines(&[(3, 3, 1); 5], 2)).contains(&Test::Gfb));
    let found = by_deadlines(&[(3, 3, 1); 6], 2);
    let lack = lack(&found, Test::Gfb);
    assert_eq!((lack.needed(), lack.fits()), (2000, 1666));
}

/// Densities 1/5 + 1/2 + 2/3 are more than 2 - 2/3. With the density of the third, the loads
/// are 1/5, 1/4 (1 + 2/3) and 1/2 (1 + 1/3), in all 77/60 <= 80/60; of the second 1/5, 1/2 and
/// 3/4, in all 29/20 <= 30/20; of the first 1/5, 39/100 and 84/100, in all 1.43 <= 1.8.
#[test]
fn bak_holds_where_gfb_does_not() {
    let found = by_deadlines(&[(5, 5, 1), (4, 2, 1), (4, 3, 2)], 2);
    assert_eq!(
        holding(&found),
        [Test::Bak, Test::Bar, Test::Bcl, Test::Rta]
    );
    let lack = lack(&found, Test::Gfb);
    assert_eq!((lack.needed(), lack.fits()), (1367, 1333));
}

/// 3/10 + 1/2 + 3/5 are exactly 2 - 3/5. As the second sees them the loads are 3/10, 1/2 and
/// 3/5 + (3 - 5/2) / 4, in all 1.525, and 2 - 1/2 are less.
#[test]
fn gfb_holds_where_bak_does_not() {
    let found = by_deadlines(&[(10, 10, 3), (4, 4, 2), (5, 5, 3)], 2);
    assert_eq!(holding(&found), [Test::Gfb]);
    let lack = lack(&found, Test::Bak);
    assert_eq!(
        (lack.task, lack.needed(), lack.fits()),
        (Some(1), 1525, 1500)
    );
}

/// The first leaves 1, of which the others take 1 each: as much as fits, but the third takes
/// no more than that. The second leaves 2, of which 2 and 1 are taken, of 4; the third 3, of
/// which 3 and 2 are taken, of 6. All densities are 3/2, more than 2 - 3/4.
#[test]
fn bcl_holds_where_loads_do_not() {
    let found = by_deadlines(&[(4, 4, 3), (4, 4, 2), (4, 4, 1)], 2);
    assert_eq!(holding(&found), [Test::Bcl, Test::Rta]);
    let lack = lack(&found, Test::Gfb);
    assert_eq!((lack.needed(), lack.fits()), (1500, 1250));
}

/// Of the second, which leaves 1 of its 3, 2 are taken at most, as much as fits; within 4, as
/// it leaves 2, the others must run 2 each. BCL counts 2 of each of the others, which the 1
/// that is left cuts to 1: as much as fits, and none of them is that short.
#[test]
fn bar_holds_where_nothing_else_does() {
    let found = by_deadlines(&[(4, 4, 2), (4, 3, 2), (4, 4, 2)], 2);
    assert_eq!(holding(&found), [Test::Bar]);
    let lack = lack(&found, Test::Bcl);
    assert_eq!((lack.task, lack.needed(), lack.fits()), (Some(1), 2, 2));
}

/// The first leaves nothing, and each of the others may run 1 in its window. But these respond
/// within 2, which leaves them 2 of their 4: what they run of a window of 2 that ends with
/// theirs is nothing.
#[test]
fn slack_that_is_found_shortens_what_others_wait() {
    let found = by_deadlines(&[(4, 2, 2), (4, 4, 1), (4, 4, 1)], 2);
    assert_eq!(holding(&found), [Test::Rta]);
    assert_eq!(found.responses, [2, 2, 2].map(Duration));
}

/// The two more urgent tasks delay the third by what they run while it waits: in 3 they run
/// up to 2 each, of which it waits for 2 at a time.
#[test]
fn fixed_priorities_have_responses_of_their_own() {
    let rows = [(4, 4, 1), (4, 4, 1), (8, 8, 2)];
    let found = global(&sporadic(&rows), 2, &Policy::Priorities(vec![0, 0, 1]));
    assert_eq!(holding(&found), [Test::Rta]);
    assert_eq!(found.responses, [1, 1, 3].map(Duration));
    // (as the most urgent it waits for nobody)
    let found = global(&sporadic(&rows), 2, &Policy::Priorities(vec![1, 1, 0]));
    assert_eq!(found.responses[2], Duration(2));
}

/// The test that is closest: 1.525 of 1.5 are less too much than 2 of 1.666.
#[test]
fn what_is_not_shown_names_the_closest_test() {
    let found = by_deadlines(&[(3, 3, 2), (3, 3, 2), (3, 3, 2)], 2);
    assert_eq!(holding(&found), []);
    let closest = found
        .closest()
        .map(|(test, lack)| (test, lack.needed(), lack.fits()));
    assert_eq!(closest, Some((Test::Bcl, 2, 2)));
}

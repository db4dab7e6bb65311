//! Rules 2 and 3: who hangs on whom while an owner cannot run, and how all come back.

use super::stage::*;
use giornata_abi::Error::{EOWNERDEAD, ETIMEDOUT};
use giornata_test_model::Request;
use giornata_test_model::model::{Life, Parking, State};
use giornata_test_model::request::NEVER;

/// The supervisor, which does to the others what is told; the owner of mutex A, the
/// middle one, which owns B and waits for A, the waiter, which waits for B.
const SUPERVISOR: usize = 0;
const OWNER: usize = 1;
const MIDDLE: usize = 2;
const WAITER: usize = 3;
const A: usize = 0;
const B: usize = 1;
/// What the owner waits for.
const SEMAPHORE: usize = 2;

/// What ends the wait of one of the three.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ending {
    Timeout,
    Death,
    Grant,
}

use Ending::{Death, Grant, Timeout};

const THREE: [usize; 3] = [OWNER, MIDDLE, WAITER];
const ENDINGS: [Ending; 3] = [Timeout, Death, Grant];

/// All three wait; those in `timed` until 100, 110, 120.
fn tree(timed: &[usize]) -> Stage {
    let mut system = processes(&[20, 3, 6, 9]);
    let objects = [system.mutex(), system.mutex(), system.semaphore()];
    assert_eq!(objects, [A, B, SEMAPHORE]);
    let mut stage = Stage::new(&system);
    let until = |thread: usize| match timed.contains(&thread) {
        true => 90 + 10 * thread as u64,
        false => NEVER,
    };
    stage
        .sleep(SUPERVISOR, 10)
        .sleep(WAITER, 3)
        .sleep(MIDDLE, 2);
    stage.lock(OWNER, A).pass(2).lock(MIDDLE, B);
    stage.lock_until(MIDDLE, A, until(MIDDLE)).runs(OWNER);
    stage
        .pass(3)
        .lock_until(WAITER, B, until(WAITER))
        .runs(OWNER);
    stage.lock_until(OWNER, SEMAPHORE, until(OWNER)).idles();
    assert_eq!(stage.model.parked(WAITER), Some(Parking::Thread(MIDDLE)));
    assert_eq!(stage.model.parked(MIDDLE), Some(Parking::Thread(OWNER)));
    stage.pass(10).runs(SUPERVISOR);
    stage
}

/// Ends the wait of one. A grant lets whoever is below in the chain go on and give back
/// what it owns.
fn end(stage: &mut Stage, thread: usize, ending: Ending) {
    match ending {
        Timeout => {
            let at = stage.model.now() + 1;
            let until = 90 + 10 * thread as u64;
            stage.sleep(SUPERVISOR, at.max(until)).pass(at.max(until));
        }
        Death => {
            if stage.model.life(thread) == Life::Alive {
                stage.kill(SUPERVISOR, thread);
            }
        }
        Grant => {
            if matches!(stage.model.state(OWNER), State::Blocked(_)) {
                stage.unlock(SUPERVISOR, SEMAPHORE);
            }
            for below in THREE.into_iter().filter(|below| *below < thread) {
                give_back(stage, below);
            }
        }
    }
}

/// The supervisor sleeps until the thread has run and given back what it owns.
fn give_back(stage: &mut Stage, thread: usize) {
    let until = stage.model.now() + 1;
    stage.sleep(SUPERVISOR, until);
    if stage.model.runs() == Some(thread) {
        for mutex in [A, B] {
            if stage.model.owner(mutex) == Some(thread) {
                stage.unlock(thread, mutex);
            }
        }
    }
    stage.pass(until).runs(SUPERVISOR);
}

/// Everybody who lives goes on to its end; who could not.
fn finish(stage: &mut Stage) -> Vec<usize> {
    stage.call(SUPERVISOR, Request::Exit { value: 0 });
    for _ in 0..20 {
        match stage.model.runs() {
            Some(thread) => {
                let owned = [A, B]
                    .into_iter()
                    .find(|m| stage.model.owner(*m) == Some(thread));
                match owned {
                    Some(mutex) => stage.unlock(thread, mutex),
                    None => stage.call(thread, Request::Exit { value: 0 }),
                };
            }
            None => break,
        }
    }
    let stuck = |thread: &usize| *stage.model.state(*thread) != State::Dormant;
    THREE.into_iter().filter(stuck).collect()
}

#[test]
fn an_owner_whose_wait_times_out_runs_for_the_whole_tree() {
    let mut stage = tree(&[OWNER]);
    end(&mut stage, OWNER, Timeout);
    stage.sleep(SUPERVISOR, 1000).runs(OWNER);
    assert_eq!(stage.error(OWNER), Some(ETIMEDOUT));
    assert!(
        THREE
            .iter()
            .all(|thread| stage.model.parked(*thread).is_none())
    );
}

#[test]
fn an_owner_that_is_granted_runs_for_the_whole_tree() {
    let mut stage = tree(&[]);
    end(&mut stage, OWNER, Grant);
    stage.sleep(SUPERVISOR, 1000).runs(OWNER);
    stage
        .unlock(OWNER, A)
        .runs(MIDDLE)
        .unlock(MIDDLE, B)
        .runs(WAITER);
    assert_eq!(stage.last(WAITER), Some(DONE));
}

#[test]
fn an_owner_that_dies_leaves_its_mutex_to_the_middle_for_the_waiter() {
    let mut stage = tree(&[]);
    end(&mut stage, OWNER, Death);
    stage.sleep(SUPERVISOR, 1000).runs(MIDDLE);
    assert_eq!(stage.error(MIDDLE), Some(EOWNERDEAD));
    stage.unlock(MIDDLE, B).runs(WAITER);
    assert_eq!(stage.last(WAITER), Some(DONE));
}

#[test]
fn a_middle_that_times_out_runs_for_its_waiter_and_the_owner_stays_where_it_is() {
    let mut stage = tree(&[MIDDLE]);
    end(&mut stage, MIDDLE, Timeout);
    stage.sleep(SUPERVISOR, 1000).runs(MIDDLE);
    assert_eq!(stage.error(MIDDLE), Some(ETIMEDOUT));
    stage.unlock(MIDDLE, B).runs(WAITER);
    assert!(matches!(stage.model.state(OWNER), State::Blocked(_)));
}

#[test]
fn a_middle_that_dies_leaves_its_mutex_to_the_waiter() {
    let mut stage = tree(&[]);
    end(&mut stage, MIDDLE, Death);
    stage.sleep(SUPERVISOR, 1000).runs(WAITER);
    assert_eq!(stage.error(WAITER), Some(EOWNERDEAD));
}

#[test]
fn a_waiter_that_times_out_leaves_the_middle_hanging() {
    let mut stage = tree(&[WAITER]);
    end(&mut stage, WAITER, Timeout);
    stage.sleep(SUPERVISOR, 1000).runs(WAITER);
    assert_eq!(stage.error(WAITER), Some(ETIMEDOUT));
    assert_eq!(stage.model.parked(MIDDLE), Some(Parking::Thread(OWNER)));
    stage.sleep(WAITER, 1000).idles();
}

#[test]
fn a_waiter_that_dies_leaves_the_middle_hanging() {
    let mut stage = tree(&[]);
    end(&mut stage, WAITER, Death);
    stage.sleep(SUPERVISOR, 1000).idles();
    assert_eq!(stage.model.parked(MIDDLE), Some(Parking::Thread(OWNER)));
}

#[test]
fn parking_is_a_tree_whatever_ends_first() {
    let all = THREE.map(|thread| ENDINGS.map(|ending| (thread, ending)));
    let all = all.as_flattened();
    for (first, one) in all {
        for (second, other) in all {
            let is_timed = |(_, ending): &&(usize, Ending)| *ending == Timeout;
            let endings = [(*first, *one), (*second, *other)];
            let timed = endings.iter().filter(is_timed).map(|(thread, _)| *thread);
            let timed: Vec<usize> = timed.collect();
            let mut stage = tree(&timed);
            for (thread, ending) in endings {
                end(&mut stage, thread, ending);
            }
            // who waits for an owner that is never given what it waits for stays
            let stuck = finish(&mut stage);
            let owner_stays = stuck.contains(&OWNER);
            let waits_behind = |thread: usize| stage.model.waits_for(thread).is_some();
            let rest = stuck.iter().filter(|thread| **thread != OWNER);
            for thread in rest {
                let reason = owner_stays && waits_behind(*thread);
                assert!(reason, "{endings:?}: {thread} is lost");
            }
            let touched = endings.iter().any(|(t, e)| *t == OWNER || *e == Grant);
            assert_eq!(owner_stays, !touched, "{endings:?}");
        }
    }
}

#[test]
fn a_blocked_owner_is_as_urgent_in_a_wait_list_as_whoever_hangs_on_it() {
    let mut system = threads(&[20, 3, 6, 9]);
    let [m, s] = [system.mutex(), system.semaphore()];
    let mut stage = Stage::new(&system);
    stage
        .sleep(0, 10)
        .sleep(3, 2)
        .lock(2, s)
        .lock(1, m)
        .lock(1, s);
    assert_eq!(stage.model.waiters(s), [2, 1]);
    stage.pass(2).lock(3, m).idles();
    assert_eq!(stage.model.waiters(s), [1, 2]);
    stage.pass(10).unlock(0, s).sleep(0, 50).runs(1);
    stage.unlock(1, m).runs(3);
}

#[test]
fn an_owner_with_many_helpers_brings_all_of_them_back() {
    let helpers = [9, 9, 8, 8, 7, 7, 6, 6, 5];
    let mut system = threads(&[&helpers[..], &[3, 20]].concat());
    let [m, s] = [system.mutex(), system.semaphore()];
    let (owner, driver) = (helpers.len(), helpers.len() + 1);
    let mut stage = Stage::new(&system);
    stage.sleep(driver, 10);
    for helper in 0..helpers.len() {
        stage.sleep(helper, 1);
    }
    stage.lock(owner, m).lock(owner, s).pass(1);
    for helper in 0..helpers.len() {
        stage.lock(helper, m);
    }
    stage
        .idles()
        .pass(10)
        .unlock(driver, s)
        .sleep(driver, 50)
        .runs(owner);
    stage.unlock(owner, m);
    // one after the other in order of urgency, then of asking
    for helper in 0..helpers.len() {
        stage.runs(helper).unlock(helper, m).sleep(helper, 50);
    }
    stage.runs(owner);
}

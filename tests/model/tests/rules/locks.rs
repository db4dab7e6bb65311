//! Helping, circles and depth (rule 5), and the words of private mutexes.

use super::stage::*;
use giornata_abi::Error::{EBUSY, EDEADLK, EIDRM, EINVAL, EOWNERDEAD, EPERM};
use giornata_test_model::Request;
use giornata_test_model::model::{Event, Noted, Word};
use giornata_test_model::request::NEVER;
use giornata_test_model::system::Kind;

#[test]
fn an_owner_runs_on_the_place_of_whoever_waits_for_it_through_a_chain() {
    let mut system = threads(&[9, 6, 3, 7]);
    let [a, b] = [system.mutex(), system.mutex()];
    let mut stage = Stage::new(&system);
    // 0 and 3 come later than 2 and 1
    stage.sleep(0, 20).sleep(3, 10).sleep(1, 5).lock(2, a);
    stage.pass(5).lock(1, b).lock(1, a).runs(2);
    // in the place of 1, which is less urgent than 3
    stage.pass(10).runs(3).sleep(3, 25).runs(2);
    stage.pass(20).lock(0, b).runs(2);
    // in the place of 0 by way of 1
    stage.pass(25).runs(2).unlock(2, a).runs(1);
    assert_eq!(stage.last(1), Some(DONE));
    stage.unlock(1, b).runs(0);
    assert_eq!(stage.model.owner(b), Some(0));
}

#[test]
fn mutexes_given_back_in_any_order_leave_the_owner_what_is_left() {
    let mut system = threads(&[9, 6, 3, 7]);
    let [a, b] = [system.mutex(), system.mutex()];
    let mut stage = Stage::new(&system);
    stage.sleep(0, 2).sleep(3, 3).sleep(1, 1);
    stage.lock(2, a).lock(2, b);
    stage.pass(1).lock(1, a).runs(2).pass(2).lock(0, b).runs(2);
    stage.pass(3).runs(2).unlock(2, b).runs(0);
    // 2 goes on in the place of 1 when those above it have run
    stage
        .sleep(0, 9)
        .runs(3)
        .sleep(3, 9)
        .runs(2)
        .unlock(2, a)
        .runs(1);
}

#[test]
fn a_lock_that_would_close_a_circle_is_refused_and_changes_nothing() {
    let mut system = threads(&[9, 6, 3]);
    let [a, b, c] = [system.mutex(), system.mutex(), system.mutex()];
    let mut stage = Stage::new(&system);
    stage.lock(0, a).lock(0, a);
    assert_eq!(stage.error(0), Some(EDEADLK));
    stage.sleep(0, 2).lock(1, b).sleep(1, 1).lock(2, c);
    stage.pass(1).lock(1, c).runs(2).pass(2).lock(0, b).runs(2);
    stage.lock(2, a);
    assert_eq!(stage.error(2), Some(EDEADLK));
    stage.runs(2).unlock(2, c).runs(1).unlock(1, b).runs(0);
}

#[test]
fn a_lock_beyond_the_depth_of_the_manifest_is_refused() {
    let mut system = threads(&[9, 8, 7, 6]);
    system.depth = 2;
    let mutexes = [system.mutex(), system.mutex(), system.mutex()];
    let mut stage = Stage::new(&system);
    for (thread, mutex) in [(0, 2), (1, 1), (2, 0)] {
        stage.sleep(thread, mutex as u64 + 1);
    }
    stage.lock(3, mutexes[0]);
    stage
        .pass(1)
        .lock(2, mutexes[1])
        .lock(2, mutexes[0])
        .runs(3);
    stage
        .pass(2)
        .lock(1, mutexes[2])
        .lock(1, mutexes[1])
        .runs(3);
    stage.pass(3).lock(0, mutexes[2]);
    assert_eq!(stage.error(0), Some(EDEADLK));
}

#[test]
fn a_lock_that_closes_a_circle_through_a_signalled_waiter_is_refused() {
    let mut system = threads(&[9, 6]);
    let [a, m] = [system.mutex(), system.mutex()];
    let condition = system.object(Kind::Condition);
    let mut stage = Stage::new(&system);
    // 0 owns a and waits with m; 1 owns m and waits for a
    stage.lock(0, a).lock(0, m).wait(0, condition, m);
    stage.lock(1, m).signal(1, condition).runs(1);
    assert_eq!(stage.model.owner(m), Some(1), "0 wants it");
    stage.lock(1, a);
    assert_eq!(stage.error(1), Some(EDEADLK));
}

#[test]
fn a_condition_answers_edeadlk_where_its_mutex_waits_for_the_waiter() {
    let mut system = threads(&[9, 6, 12]);
    let [a, m] = [system.mutex(), system.mutex()];
    let condition = system.object(Kind::Condition);
    let mut stage = Stage::new(&system);
    stage
        .sleep(2, 1)
        .lock(0, a)
        .lock(0, m)
        .wait(0, condition, m);
    stage.lock(1, m).lock(1, a).idles();
    stage.pass(1).signal(2, condition).runs(2);
    stage.sleep(2, 9).runs(0);
    assert_eq!(stage.error(0), Some(EDEADLK));
    assert_eq!(stage.model.owner(m), Some(1));
    stage.unlock(0, a).runs(0).sleep(0, 9).runs(1);
    assert_eq!(stage.last(1), Some(DONE));
}

#[test]
fn a_waiter_with_an_announced_mutex_runs_once_it_owns_it_and_not_before() {
    let mut system = threads(&[9, 5]);
    let [s, m] = [system.semaphore(), system.mutex()];
    let mut stage = Stage::new(&system);
    let announced = stage.id(m);
    stage.event(Event::Announce(Some(announced)), 0);
    stage.lock(0, s).lock(1, m);
    stage.unlock(1, s).runs(1).unlock(1, m).runs(0);
    assert_eq!(stage.last(0), Some(DONE), "what it waited for");
    assert_eq!(stage.model.noted(0), Some(Noted::Taken));
    assert_eq!(stage.model.owner(m), Some(0));
}

#[test]
fn an_announced_mutex_that_would_close_a_circle_becomes_a_plain_wake() {
    let mut system = threads(&[9, 5]);
    let [s, m, a] = [system.semaphore(), system.mutex(), system.mutex()];
    let mut stage = Stage::new(&system);
    let announced = stage.id(m);
    stage.lock(0, a);
    stage.event(Event::Announce(Some(announced)), 0);
    stage.lock_until(0, s, 10).lock(1, m).lock(1, a).idles();
    // 1 owns m and waits for 0
    stage.pass(10).runs(0);
    assert_eq!(stage.model.noted(0), None);
    stage.unlock(0, a);
    assert_eq!(stage.model.owner(m), Some(1));
}

#[test]
fn a_mutex_that_is_deleted_tells_whoever_waits_for_it_and_frees_its_owner() {
    let mut system = threads(&[9, 6, 3]);
    let [m, s] = [system.ceiling_mutex(20), system.semaphore()];
    let mut stage = Stage::new(&system);
    stage.sleep(0, 3).sleep(1, 2).lock(2, m).lock_until(2, s, 9);
    stage.pass(2).lock(1, m).idles();
    let object = stage.id(m);
    stage.pass(3).call(0, Request::DeleteObject { object });
    stage.sleep(0, 20).runs(1);
    assert_eq!(stage.error(1), Some(EIDRM));
    stage.sleep(1, 20).pass(9).runs(2);
    assert_eq!(stage.model.place(2).unwrap().priority, 3);
}

#[test]
fn the_word_of_a_private_mutex_is_taken_over_once_and_not_read_again() {
    let mut system = threads(&[9, 5]);
    let m = system.object(Kind::Mutex {
        ceiling: None,
        private: true,
    });
    let mut stage = Stage::new(&system);
    let ids = [0, 1].map(|thread| stage.model.thread_id(thread));
    stage.sleep(0, 1);
    stage.store(1, m, Word::Held(ids[1]));
    stage.pass(1).lock(0, m).runs(1);
    assert_eq!(stage.model.word(m), Word::Contended(Some(ids[1])));
    // the owner writes nonsense: the kernel knows who owns it
    stage.store(1, m, Word::Held(ids[0]));
    stage.unlock(1, m).runs(0);
    assert_eq!(stage.last(0), Some(DONE));
    assert_eq!(stage.model.word(m), Word::Held(ids[0]));
}

#[test]
fn a_forged_word_of_a_private_mutex_hurts_nobody_else() {
    let mut system = threads(&[9]);
    system.process();
    system.thread(giornata_test_model::system::Scheduling::Fifo(3));
    let m = system.object(Kind::Mutex {
        ceiling: None,
        private: true,
    });
    let mut stage = Stage::new(&system);
    let other = stage.model.thread_id(1);
    stage.store(0, m, Word::Held(other));
    stage.lock(0, m);
    assert_eq!(stage.error(0), Some(EINVAL));
    let gone = giornata_abi::id::Id { slot: 0, serial: 9 };
    stage.store(0, m, Word::Held(gone));
    stage.lock(0, m);
    assert_eq!(stage.error(0), Some(EOWNERDEAD));
    stage.store(0, m, Word::Contended(None));
    stage.unlock(0, m);
    assert_eq!(stage.error(0), Some(EPERM));
}

#[test]
fn a_private_mutex_that_nobody_waits_for_any_more_is_forgotten() {
    let mut system = threads(&[9, 5]);
    let m = system.object(Kind::Mutex {
        ceiling: None,
        private: true,
    });
    let mut stage = Stage::new(&system);
    let low = stage.model.thread_id(1);
    stage.sleep(0, 1);
    stage.store(1, m, Word::Held(low));
    stage.pass(1).lock_until(0, m, 0);
    assert_eq!(stage.error(0), Some(EBUSY));
    assert_eq!(stage.model.word(m), Word::Held(low));
    stage.lock_until(0, m, 5).runs(1).pass(5).runs(0);
    assert_eq!(stage.model.word(m), Word::Held(low));
    assert_eq!(stage.model.owner(m), None, "the word knows");
    stage.lock_until(0, m, NEVER).runs(1);
    assert_eq!(stage.model.word(m), Word::Contended(Some(low)));
}

//! Rule 7: the end of threads and processes.

use super::stage::*;
use giornata_abi::Error::{EAGAIN, EBUSY, EIDRM, EOWNERDEAD, ESRCH};
use giornata_abi::trace::FaultCause;
use giornata_test_model::Request;
use giornata_test_model::model::{Event, Life, Tenancy};
use giornata_test_model::request::NEVER;
use giornata_test_model::system::Scheduling::Fifo;

#[test]
fn a_mutex_of_a_dead_owner_passes_to_its_waiter_before_the_rest_of_the_teardown() {
    let mut system = processes(&[5, 3, 9, 7]);
    system.processes[1].restarts = true;
    let [m, s] = [system.mutex(), system.semaphore()];
    let mut stage = Stage::new(&system);
    stage
        .sleep(2, 1)
        .sleep(3, 2)
        .sleep(0, 2)
        .lock(1, m)
        .lock(1, s);
    stage.pass(1).lock(2, m).idles();
    // 0 kills 1: 2 owns the mutex and runs; the restart is as urgent as 0 alone
    stage.pass(2).sleep(3, 3).kill(0, 1).runs(2);
    assert_eq!(stage.error(2), Some(EOWNERDEAD));
    assert_eq!(stage.model.life(1), Life::Dying);
    stage.pass(3).sleep(2, 9).runs(3).sleep(3, 9);
    stage.runs(0);
    assert_eq!(stage.model.life(1), Life::Alive);
}

#[test]
fn a_mutex_that_nobody_waited_for_tells_the_next_that_locks_it_and_no_other() {
    let mut system = threads(&[7, 5]);
    let m = system.mutex();
    let mut stage = Stage::new(&system);
    stage.lock(0, m).call(0, Request::Exit { value: 0 });
    stage.lock(1, m);
    assert_eq!(stage.error(1), Some(EOWNERDEAD));
    stage.unlock(1, m).lock(1, m);
    assert_eq!(stage.last(1), Some(DONE));
}

#[test]
fn a_dead_thread_is_never_chosen_and_lends_nothing() {
    let mut system = processes(&[5, 9, 3, 7]);
    let m = system.mutex();
    let mut stage = Stage::new(&system);
    stage.sleep(1, 1).sleep(3, 2).sleep(0, 2).lock(2, m);
    stage.pass(1).lock(1, m).runs(2);
    // 2 runs in the place of 1 until that dies
    stage.pass(2).runs(2).pass(3);
    stage.event(Event::Fault(FaultCause::Store), 3);
    stage.runs(1);
    assert_eq!(stage.error(1), Some(EOWNERDEAD));
    stage
        .call(1, Request::Exit { value: 0 })
        .runs(3)
        .sleep(3, 9);
    stage.runs(0);
}

#[test]
fn a_dead_waiter_gets_nothing_that_the_living_wait_for() {
    let mut system = processes(&[9, 6, 3, 2]);
    let s = system.semaphore();
    let mut stage = Stage::new(&system);
    stage.sleep(0, 1).lock(1, s).lock(2, s);
    stage.pass(1).kill(0, 1).unlock(0, s).sleep(0, 9).runs(2);
    assert_eq!(stage.last(2), Some(DONE));
}

#[test]
fn a_process_begins_anew_and_its_supervisor_is_told_once() {
    let mut system = processes(&[9, 5]);
    system.processes[1].restarts = true;
    let mut stage = Stage::new(&system);
    stage
        .call(0, Request::AwaitProcess { until: NEVER })
        .runs(1);
    let first = stage.model.thread_id(1);
    stage.event(Event::Fault(FaultCause::Load), 1);
    stage.runs(0);
    let told = [1, 1, FaultCause::Load as u32 | 1 << 16];
    assert_eq!(stage.values(0)[..3], told);
    assert_ne!(stage.model.thread_id(1), first, "its id names another life");
    stage
        .call(0, Request::AwaitProcess { until: NEVER })
        .runs(1);
}

#[test]
fn a_process_that_stays_dead_can_be_started_by_call() {
    let system = processes(&[9, 5]);
    let mut stage = Stage::new(&system);
    let start = Request::CreateProcess { process: 1 };
    stage.kill(0, 1).kill(0, 1);
    assert_eq!(stage.error(0), Some(ESRCH));
    assert_eq!(stage.model.life(1), Life::Dead);
    stage.call(0, start).runs(0);
    assert_eq!(stage.model.life(1), Life::Alive);
    stage.sleep(0, 9).runs(1);
}

#[test]
fn a_created_thread_ends_and_its_joiner_gets_the_value() {
    let mut system = threads(&[5]);
    let spare = system.spare();
    let mut stage = Stage::new(&system);
    let create = Request::CreateThread { priority: 3 };
    stage.call(0, create.clone());
    let thread = stage.model.thread_id(spare);
    assert_eq!(stage.values(0)[..2], [spare as u32, thread.serial]);
    let join = Request::JoinThread {
        thread,
        until: NEVER,
    };
    stage.call(0, join.clone()).runs(spare);
    stage.call(spare, Request::Exit { value: 99 }).runs(0);
    assert_eq!(stage.values(0)[0], 99);
    assert_eq!(stage.model.tenancy(spare), Tenancy::Free);
    stage.call(0, join);
    assert_eq!(stage.error(0), Some(ESRCH));
    stage.call(0, create);
    assert_eq!(stage.values(0)[1], thread.serial + 1, "no id comes twice");
}

#[test]
fn a_detached_thread_frees_its_place_when_it_ends() {
    let mut system = threads(&[5]);
    let spare = system.spare();
    let mut stage = Stage::new(&system);
    stage.call(0, Request::CreateThread { priority: 3 });
    let thread = stage.model.thread_id(spare);
    stage.call(0, Request::DetachThread { thread }).sleep(0, 9);
    stage.call(spare, Request::Exit { value: 1 });
    assert_eq!(stage.model.tenancy(spare), Tenancy::Free);
}

#[test]
fn deleting_an_object_wakes_everybody_and_a_condition_gives_no_mutex() {
    let mut system = threads(&[9, 5, 3]);
    let m = system.mutex();
    let c = system.object(giornata_test_model::system::Kind::Condition);
    let mut stage = Stage::new(&system);
    stage.lock(0, m).wait(0, c, m).lock(1, m).wait(1, c, m);
    stage.lock(2, m);
    let object = stage.id(c);
    stage.call(2, Request::DeleteObject { object }).runs(0);
    assert_eq!(stage.error(0), Some(EIDRM));
    assert_eq!(stage.model.owner(m), Some(2));
    stage.sleep(0, 9).runs(1);
    assert_eq!(stage.error(1), Some(EIDRM));
}

#[test]
fn what_a_dead_process_owned_and_served_is_free() {
    let mut system = processes(&[9]);
    system.process();
    system.processes[1].supervisor = Some(0);
    system.thread(Fifo(5));
    system.thread(Fifo(4));
    let [m, mailbox] = [system.ceiling_mutex(30), system.mailbox()];
    let mut stage = Stage::new(&system);
    stage.sleep(0, 1).lock(1, m).runs(1);
    let id = stage.id(mailbox);
    let serve = Request::ReceiveBytes {
        mailbox: id,
        until: NEVER,
        capacity: 8,
        full: true,
    };
    stage.call(1, serve.clone()).runs(2).pass(1).kill(0, 1);
    stage.lock(0, m);
    assert_eq!(stage.error(0), Some(EOWNERDEAD));
    stage.call(0, serve).idles();
}

#[test]
fn a_dead_thread_whose_timeout_comes_ends_in_its_own_turn() {
    let mut system = processes(&[5, 9]);
    let [m, mailbox] = [system.ceiling_mutex(7), system.mailbox()];
    let mut stage = Stage::new(&system);
    let object = stage.id(mailbox);
    let serve = |until| Request::ReceiveBytes {
        mailbox: object,
        until,
        capacity: 8,
        full: true,
    };
    stage.call(1, serve(10)).lock(0, m).kill(0, 1);
    stage.call(0, serve(0));
    assert_eq!(stage.error(0), Some(EBUSY));
    // at 9, and the rest of the teardown is as urgent as 0 without the ceiling
    stage.pass(10).runs(0).call(0, serve(0));
    assert_eq!(stage.error(0), Some(EAGAIN));
    assert_eq!(stage.model.life(1), Life::Dying);
}

#[test]
fn the_timeout_of_a_dead_thread_that_has_ended_never_comes() {
    let system = processes(&[5, 9]);
    let mut stage = Stage::new(&system);
    stage.sleep(1, 10).kill(0, 1).runs(0);
    assert_eq!(stage.model.life(1), Life::Dead);
    assert_eq!(stage.model.next_event(), None);
}

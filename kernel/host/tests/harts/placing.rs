//! Which threads run on several harts.

use giornata_abi::call::Call;
use giornata_abi::region::READ_WRITE;
use giornata_abi::ring::{Kind, split_head};
use giornata_abi::trace::FaultCause;
use giornata_core::process::region::{READ, WRITE};
use giornata_records::ObjectKind;

use crate::stage::{EVER, Stage, object, region, system, thread, threads};

const LOW: usize = EVER[0];
const HIGH: usize = EVER[1];

#[test]
fn at_rest_the_most_urgent_run() {
    let stage = Stage::new(&threads(3, &[5, 9, 7, 6, 8]));
    assert_eq!(stage.running(), [1, 2, 4]);
    stage.check_at_rest();
}

#[test]
fn a_hart_apart_runs_no_thread() {
    let mut system = threads(3, &[5, 9, 7]);
    system.control_apart = true;
    let mut stage = Stage::new(&system);
    assert_eq!(stage.running(), [1, 2]);
    assert_eq!(stage.hart_of(1).min(stage.hart_of(2)), Some(1));
    stage.call(1, Call::Sleep, &[100, 0]).settle();
    assert_eq!(stage.running(), [0, 2]);
}

#[test]
fn a_thread_that_is_queued_takes_the_hart_of_the_least_urgent() {
    let mut stage = Stage::new(&threads(2, &[5, 9, 7]));
    stage.call(1, Call::Sleep, &[10, 0]).settle();
    assert_eq!(stage.running(), [0, 2]);
    let least = stage.hart_of(0);
    stage.rig.advance(10);
    stage.check();
    assert_eq!(stage.running(), [1, 2]);
    assert_eq!(stage.hart_of(1), least);
}

#[test]
fn equals_keep_their_order_and_a_yield_goes_behind_all_of_them() {
    let mut stage = Stage::new(&threads(2, &[5, 5, 5, 5]));
    assert_eq!(stage.running(), [0, 1]);
    stage.call(0, Call::Yield, &[]).settle();
    assert_eq!(stage.running(), [1, 2]);
    stage.call(1, Call::Yield, &[]).settle();
    assert_eq!(stage.running(), [2, 3]);
    stage.call(3, Call::Yield, &[]).settle();
    assert_eq!(stage.running(), [0, 2]);
}

#[test]
fn an_interrupt_too_many_changes_nothing() {
    let mut stage = Stage::new(&threads(3, &[5, 9, 7, 6]));
    let before: Vec<_> = (0..3).map(|hart| stage.rig.runs(hart).number()).collect();
    for hart in 0..3 {
        stage.rig.kick(hart);
        stage.section(hart);
    }
    let after: Vec<_> = (0..3).map(|hart| stage.rig.runs(hart).number()).collect();
    assert_eq!(before, after);
    assert!(!(0..3).any(|hart| stage.rig.is_kicked(hart)));
}

#[test]
fn a_waiter_lends_its_urgency_to_an_owner_on_another_hart() {
    // the least urgent owns what the most urgent wants, and those between have the harts
    let mut system = threads(2, &[3, 9, 5, 6]);
    let mutex = object(&mut system, ObjectKind::Mutex);
    let mut stage = Stage::new(&system);
    for thread in [1, 2, 3] {
        stage.call(thread, Call::Sleep, &[10 * thread, 0]).settle();
    }
    stage.call(0, Call::Lock, &[mutex, 1, LOW, HIGH]).settle();
    stage.rig.advance(30);
    // 1, 2 and 3 are ready: 1 and 3 run
    assert_eq!(stage.running(), [1, 3]);
    stage.call(1, Call::Lock, &[mutex, 1, LOW, HIGH]).settle();
    assert_eq!(stage.running(), [0, 3], "the owner runs in the place of 1");
    stage.call(0, Call::Unlock, &[mutex, 1]).settle();
    assert_eq!(stage.running(), [1, 3]);
    assert_eq!(stage.returned(1).map(|[answer, ..]| answer), Some(0));
}

#[test]
fn an_owner_that_blocks_parks_its_waiters_wherever_they_are() {
    let mut system = threads(3, &[3, 9, 8, 1, 2]);
    let mutex = object(&mut system, ObjectKind::Mutex);
    let mut stage = Stage::new(&system);
    stage.call(1, Call::Sleep, &[5, 0]).settle();
    stage.call(2, Call::Sleep, &[5, 0]).settle();
    stage.call(0, Call::Lock, &[mutex, 1, LOW, HIGH]).settle();
    stage.rig.advance(5);
    stage.call(1, Call::Lock, &[mutex, 1, LOW, HIGH]).settle();
    stage.call(2, Call::Lock, &[mutex, 1, LOW, HIGH]).settle();
    stage.call(0, Call::Sleep, &[50, 0]).settle();
    assert_eq!(stage.running(), [3, 4], "nobody runs for 1 and 2");
    stage.rig.advance(50);
    stage.check();
    assert!(stage.running().contains(&0));
    stage.call(0, Call::Unlock, &[mutex, 1]).settle();
    assert!(stage.running().contains(&1), "{:?}", stage.running());
}

#[test]
fn a_waiter_that_gives_up_in_the_queue_runs_by_itself() {
    // on three harts, the second waiter of one owner is redundant: no queue changes with its wait
    let mut system = threads(3, &[3, 9, 8, 1]);
    let mutex = object(&mut system, ObjectKind::Mutex);
    let mut stage = Stage::new(&system);
    stage.call(1, Call::Sleep, &[5, 0]).settle();
    stage.call(2, Call::Sleep, &[5, 0]).settle();
    stage.call(0, Call::Lock, &[mutex, 1, LOW, HIGH]).settle();
    stage.rig.advance(5);
    stage.call(1, Call::Lock, &[mutex, 1, LOW, HIGH]).settle();
    stage.call(2, Call::Lock, &[mutex, 1, 20, 0]).settle();
    assert_eq!(stage.running(), [0, 3]);
    stage.rig.advance(20);
    stage.check();
    assert_eq!(stage.running(), [0, 2, 3]);
}

#[test]
fn nobody_runs_after_its_process_died() {
    let mut system = system(2, 3);
    for (process, priority) in [(0, 9), (0, 8), (1, 7), (1, 6)] {
        thread(&mut system, process, priority);
    }
    let mut stage = Stage::new(&system);
    assert_eq!(stage.running(), [0, 1, 2]);
    let (faulty, other) = (stage.hart_of(0).unwrap(), stage.hart_of(1).unwrap());
    stage.rig.fault_on(faulty, FaultCause::Illegal, 0, 0);
    stage.check();
    assert!(stage.rig.is_kicked(other), "it is to leave thread 1");
    // a call that it makes before that is not carried out
    let _ = stage.returned(1);
    stage.call_on(other, Call::SetPriority, &[1, 1, 3]);
    assert_eq!(stage.returned(1), None);
    assert_eq!(stage.rig.thread(1).rank().level(), 256 - 8);
    // whatever the reaper does meanwhile, it waits for that hart
    for _ in 0..20 {
        if stage.rig.has_section(faulty) {
            stage.section(faulty);
        }
    }
    assert_eq!(stage.hart_of(1), Some(other));
    assert!(
        stage.rig.thread(1).lives(),
        "its end waits until it is left"
    );
    stage.settle();
    assert_eq!(stage.running(), [2, 3]);
}

#[test]
fn a_process_begins_anew_when_every_hart_has_left_it() {
    let mut system = system(2, 3);
    for (process, priority) in [(1, 9), (1, 8), (0, 7)] {
        thread(&mut system, process, priority);
    }
    system.threads.sort_by_key(|thread| thread.process);
    let mut stage = Stage::new(&system);
    let hart = stage.hart_of(1).unwrap();
    stage.rig.fault_on(hart, FaultCause::Illegal, 0, 0);
    stage.settle();
    assert_eq!(stage.running(), [0, 1, 2], "both have begun again");
}

#[test]
fn records_say_which_hart_has_written_them() {
    let mut stage = Stage::new(&threads(3, &[9, 8, 7]));
    for thread in 0..3 {
        let hart = stage.hart_of(thread).unwrap();
        stage.rig.take_trace(|_| {});
        stage.call_on(hart, Call::Log, &[4, 7, 0, 0, 0]);
        stage.call_on(hart, Call::SetPriority, &[thread, 1, 5]);
        let mut told = Vec::new();
        stage.rig.take_trace(|[_, head, ..]| {
            if let (Some(kind @ (Kind::Log | Kind::Priority)), of, _) = split_head(head) {
                told.push((kind, usize::from(of)));
            }
        });
        assert_eq!(told, [(Kind::Log, hart), (Kind::Priority, hart)]);
        stage.settle();
    }
}

#[test]
fn a_detach_that_death_ended_is_forgotten() {
    let mut system = system(2, 3);
    thread(&mut system, 1, 9);
    thread(&mut system, 1, 8);
    region(&mut system, READ | WRITE);
    let mut stage = Stage::new(&system);
    for _ in 0..2 {
        // the other hart has the region, and has not come when the process dies
        stage.call(0, Call::AttachRegion, &[0, READ_WRITE]).settle();
        assert_eq!(stage.running(), [0, 1]);
        let (own, other) = (stage.hart_of(0).unwrap(), stage.hart_of(1).unwrap());
        stage.call_on(own, Call::DetachRegion, &[0]);
        assert!(stage.rig.is_kicked(other), "it loses the region");
        assert_eq!(stage.returned(0), None, "the call waits for it");
        stage.rig.fault_on(other, FaultCause::Illegal, 0, 0);
        stage.settle();
    }
}

#[test]
fn who_has_used_a_quantum_on_any_hart_goes_behind_its_equals() {
    let mut system = threads(2, &[9, 5, 5]);
    for thread in [1, 2] {
        system.threads[thread].allowance = 10;
        system.threads[thread].role |= giornata_core::sched::thread::role::ROUND_ROBIN;
    }
    let mut stage = Stage::new(&system);
    assert_eq!(stage.running(), [0, 1]);
    stage.rig.advance(9);
    assert_eq!(stage.running(), [0, 1]);
    stage.rig.advance(1);
    assert_eq!(stage.running(), [0, 2]);
    stage.rig.advance(10);
    assert_eq!(stage.running(), [0, 1]);
}

#[test]
fn of_a_process_that_is_not_parallel_one_thread_runs_at_a_time() {
    let mut system = system(2, 3);
    system.processes[0].in_turn = true;
    for (process, priority) in [(0, 9), (0, 8), (0, 7), (1, 3), (1, 2), (1, 1)] {
        thread(&mut system, process, priority);
    }
    let mut stage = Stage::new(&system);
    assert_eq!(stage.running(), [0, 3, 4]);
    stage.call(0, Call::Sleep, &[10, 0]).settle();
    assert_eq!(stage.running(), [1, 3, 4]);
    stage.rig.advance(10);
    stage.check();
    assert_eq!(stage.running(), [0, 3, 4], "its most urgent has its turn");
}

#[test]
fn a_thread_begins_when_another_hart_has_left_one_of_its_process() {
    let mut system = system(2, 3);
    system.processes[0].in_turn = true;
    system.control_apart = true;
    for (process, priority) in [(0, 9), (0, 3), (1, 8), (1, 2)] {
        thread(&mut system, process, priority);
    }
    let [first, second] = [(); 2].map(|()| object(&mut system, ObjectKind::Semaphore));
    let mut stage = Stage::new(&system);
    stage.call(0, Call::Lock, &[first, 1, LOW, HIGH]).settle();
    stage.call(2, Call::Lock, &[second, 1, LOW, HIGH]).settle();
    assert_eq!(stage.running(), [1, 3]);
    let hart = stage.hart_of(1).unwrap();
    stage.call(3, Call::Unlock, &[first, 1]);
    assert_eq!(stage.running(), [1, 3], "1 has its registers still");
    stage.call(3, Call::Unlock, &[second, 1]);
    assert_eq!(stage.running(), [1, 2], "0 cannot begin on this hart");
    stage.section(hart);
    assert_eq!(stage.running(), [0, 2]);
}

#[test]
fn what_is_due_to_a_process_that_is_not_parallel_rings_where_it_runs() {
    let mut system = system(1, 2);
    system.processes[0].in_turn = true;
    system.control_apart = true;
    for priority in [9, 3] {
        thread(&mut system, 0, priority);
    }
    let semaphore = object(&mut system, ObjectKind::Semaphore);
    let mut stage = Stage::new(&system);
    stage.call(0, Call::Lock, &[semaphore, 1, 10, 0]).settle();
    assert_eq!(stage.running(), [1]);
    stage.rig.pass(10);
    stage.section(0);
    assert!(stage.rig.is_kicked(1), "the timer of hart 0 is not for it");
    assert!(stage.rig.thread(0).waits().is_some());
    stage.section(1);
    assert_eq!(stage.running(), [0]);
}

#[test]
fn long_work_is_put_back_when_another_hart_waits_for_the_lock() {
    // a broadcast to many, while another hart has been interrupted
    let mut system = threads(2, &[2, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
    let mutex = object(&mut system, ObjectKind::Mutex);
    let condition = object(&mut system, ObjectKind::Condition);
    let mut stage = Stage::new(&system);
    for thread in (1..=9).rev() {
        stage
            .call(thread, Call::Lock, &[mutex, 1, LOW, HIGH])
            .settle();
        stage
            .call(thread, Call::Wait, &[condition, 1, mutex, LOW, HIGH, 0])
            .settle();
    }
    assert_eq!(stage.running(), [0]);
    let hart = stage.hart_of(0).unwrap();
    stage.rig.kick(1 - hart);
    stage.call_on(hart, Call::Broadcast, &[condition, 1]);
    let waiting = (1..=9).filter(|thread| stage.rig.thread(*thread).waits().is_some());
    assert_eq!(
        waiting.count(),
        8,
        "one has been woken in the first section"
    );
    stage.settle();
    let waiting = (1..=9).filter(|thread| stage.rig.thread(*thread).waits().is_some());
    assert_eq!(waiting.count(), 0);
}

//! Threads that are interrupted for a signal (POSIX.1 2.4): each wait ends, the function runs
//! before anything else, and then the thread goes on where it was.

use giornata_abi::Error;
use giornata_abi::call::Call;
use giornata_abi::posix::{CALL, FRAME, Operation};
use giornata_core::sched::thread::role;

use crate::stage::{
    DATA_SIZE, Stage, USER, condition, mutex, processes, semaphore, thread, threads,
};

const FUNCTION: usize = 0x1234;
const STACK: usize = USER + 0x800;
const EVER: usize = usize::MAX;

/// The running thread interrupts another; returns the answer if it goes on.
fn interrupt(stage: &mut Stage, slot: usize, serial: usize) -> Option<usize> {
    let operation = Operation::Interrupt as usize;
    let results = stage
        .rig
        .call_number(CALL, [operation, slot, serial, FUNCTION, 0, 0]);
    stage.rig.check_invariants();
    results.map(|[answer, ..]| answer)
}

fn set_stack(stage: &mut Stage, slot: usize, sp: usize) {
    stage.rig.thread(slot).context.sp.set(sp);
}

/// The running thread is in the function; it goes back, and has this answer then.
#[track_caller]
fn goes_back_with(stage: &mut Stage, slot: usize, pc: usize, answer: usize) {
    stage.runs(slot);
    let context = &stage.rig.thread(slot).context;
    let frame = context.a[0].get();
    assert_eq!(context.pc.get(), FUNCTION);
    assert_eq!(
        (frame, frame),
        (context.sp.get(), (STACK - FRAME * 8) & !15)
    );
    let back = [Operation::GoBack as usize, frame, 0, 0, 0, 0];
    stage.rig.call_number(CALL, back);
    stage.rig.check_invariants();
    stage.runs(slot);
    let context = &stage.rig.thread(slot).context;
    let found = (context.pc.get(), context.sp.get(), context.a[0].get());
    assert_eq!(found, (pc, STACK, answer));
}

/// The more urgent of two threads waits as `wait` says, and is interrupted.
#[track_caller]
fn ends_with(stage: &mut Stage, error: Error, wait: impl FnOnce(&mut Stage)) {
    set_stack(stage, 0, STACK);
    wait(stage);
    stage.runs(1);
    let pc = stage.rig.thread(0).context.pc.get();
    assert_eq!(interrupt(stage, 0, 1), None);
    goes_back_with(stage, 0, pc, error as usize);
}

#[test]
fn a_sleep_ends() {
    let mut stage = Stage::new(&threads(&[9, 5]));
    ends_with(&mut stage, Error::EINTR, |stage| {
        stage.sleep(0, 1000);
    });
    // and its alarm is no more
    stage.sleep(0, 2000).runs(1).advance(1500).runs(1);
}

#[test]
fn a_wait_for_a_semaphore_ends_and_takes_none() {
    let mut all = threads(&[9, 5]);
    let slots = semaphore(&mut all, 0);
    let mut stage = Stage::new(&all);
    for until in [EVER, 700] {
        ends_with(&mut stage, Error::EINTR, |stage| {
            stage.lock_until(0, slots, until);
        });
        assert!(stage.waiters(slots).is_empty());
    }
    stage.sleep(0, 2000).unlock(1, slots).advance(800).runs(1);
}

#[test]
fn a_wait_for_a_condition_ends_without_the_mutex() {
    let mut all = threads(&[9, 5]);
    let (gate, changed) = (mutex(&mut all), condition(&mut all));
    let mut stage = Stage::new(&all);
    stage.lock(0, gate);
    ends_with(&mut stage, Error::EINTR, |stage| {
        stage.wait(0, changed, gate);
        // another has the mutex, which does not matter
        stage.lock(1, gate);
    });
    assert_eq!(stage.owner(gate), Some(1));
    stage.call(0, Call::Unlock, &[gate, 0]);
}

#[test]
fn a_wait_for_a_mutex_ends_and_its_owner_goes_on_alone() {
    let mut all = threads(&[5, 5]);
    let gate = mutex(&mut all);
    thread(&mut all, 0, 9, role::AUTOSTART);
    let mut stage = Stage::new(&all);
    // the last, which is the most urgent, begins
    set_stack(&mut stage, 2, STACK);
    stage.sleep(2, 10).lock(0, gate).advance(10).lock(2, gate);
    stage.runs(0);
    let pc = stage.rig.thread(2).context.pc.get();
    assert_eq!(interrupt(&mut stage, 2, 1), None);
    goes_back_with(&mut stage, 2, pc, Error::EINTR as usize);
    stage.sleep(2, 1000).runs(0).unlock(0, gate).runs(0);
}

#[test]
fn a_wait_for_a_mutex_with_a_timeout_ends_with_its_alarm() {
    let mut all = threads(&[5, 5]);
    let gate = mutex(&mut all);
    thread(&mut all, 0, 9, role::AUTOSTART);
    let mut stage = Stage::new(&all);
    set_stack(&mut stage, 2, STACK);
    stage.sleep(2, 10).lock(0, gate).advance(10);
    stage.lock_until(2, gate, 500).runs(0);
    let pc = stage.rig.thread(2).context.pc.get();
    assert_eq!(interrupt(&mut stage, 2, 1), None);
    goes_back_with(&mut stage, 2, pc, Error::EINTR as usize);
    stage.sleep(2, 1000).advance(600).runs(0);
}

#[test]
fn who_does_not_wait_goes_on_with_all_its_registers() {
    let mut stage = Stage::new(&threads(&[9, 5]));
    // it is interrupted by the clock, with something in each register
    stage
        .sleep(0, 100)
        .runs(1)
        .advance(100)
        .interrupted()
        .runs(0);
    set_stack(&mut stage, 1, STACK);
    let context = &stage.rig.thread(1).context;
    for (number, register) in context.a.iter().chain(&context.t).enumerate() {
        register.set(1000 + number);
    }
    context.ra.set(77);
    let pc = stage.rig.thread(1).context.pc.get();
    assert_eq!(interrupt(&mut stage, 1, 1), Some(0));
    stage.sleep(0, 1000);
    goes_back_with(&mut stage, 1, pc, 1000);
    let context = &stage.rig.thread(1).context;
    for (number, register) in context.a.iter().chain(&context.t).enumerate() {
        assert_eq!(register.get(), 1000 + number);
    }
    assert_eq!(context.ra.get(), 77);
}

#[test]
fn functions_nest_and_a_stack_has_an_end() {
    let mut stage = Stage::new(&threads(&[9, 5]));
    set_stack(&mut stage, 1, USER + 2 * FRAME * 8 + 64);
    assert_eq!(interrupt(&mut stage, 1, 1), Some(0));
    assert_eq!(interrupt(&mut stage, 1, 1), Some(0));
    assert_eq!(interrupt(&mut stage, 1, 1), Some(Error::EFAULT as usize));
    let fault = [Operation::GoBack as usize, USER + DATA_SIZE - 8, 0, 0, 0, 0];
    let refused = stage.rig.call_number(CALL, fault);
    assert_eq!(
        refused.map(|[answer, ..]| answer),
        Some(Error::EFAULT as usize)
    );
}

#[test]
fn there_is_nobody_else_to_interrupt() {
    let mut stage = Stage::new(&processes(&[&[9], &[5]]));
    let none = Some(Error::ESRCH as usize);
    for (slot, serial) in [(0, 1), (0, 2), (1, 1), (7, 1), (usize::MAX, usize::MAX)] {
        assert_eq!(interrupt(&mut stage, slot, serial), none, "{slot} {serial}");
    }
}

//! What dead threads owned, waited for and published.

use giornata_abi::Error;
use giornata_abi::call::Call;
use giornata_abi::control;
use giornata_abi::system::FaultPolicy;
use giornata_abi::trace::FaultCause;
use giornata_core::process::life;
use giornata_host::Rig;
use giornata_records::Description;

use crate::stage::*;

/// Ticks of a piece.
const PIECE: u64 = 10;

/// Publishes a ceiling in the control page of a thread.
fn publish(rig: &mut Rig, process: usize, thread: usize, ceiling: u32) {
    rig.set_word(control(process, thread) + control::CEILING, ceiling);
}

/// A process of priorities 50 and 40 that restarts, and others of these.
fn system_with(policy: FaultPolicy, others: &[u8]) -> Description {
    let mut description = system();
    let faulty = process(&mut description, &[50, 40]);
    on_fault(&mut description, faulty, policy);
    for priority in others {
        process(&mut description, &[*priority]);
    }
    description
}

#[test]
fn a_process_that_faults_inside_a_ceiling_is_torn_down_at_once() {
    // whoever waits at the ceiling, below it, above it; a ceiling above the deadline band
    for (ceiling, other) in [(60, 55), (60, 60), (60, 70), (250, 210)] {
        let mut description = system_with(FaultPolicy::Restart, &[other]);
        description.threads[2].priority = other;
        let mut rig = Rig::boot(&description);
        assert_eq!(rig.running(), 2);
        sleep(&mut rig, 100);
        assert_eq!(rig.running(), 0);
        publish(&mut rig, 0, 0, ceiling);
        advance(&mut rig, 100);
        let inside = rig.running() == 0;
        assert_eq!(
            inside,
            ceiling >= other.into(),
            "{ceiling} keeps {other} away"
        );
        if !inside {
            sleep(&mut rig, 200);
        }
        let faults = fault_records(&rig).len();
        fault(&mut rig);
        rig.interrupt();
        assert_eq!(fault_records(&rig).len(), faults + 1, "it faults once");
        if inside {
            assert_eq!(rig.running(), 2, "whoever was kept away runs");
            sleep(&mut rig, 1000);
        }
        assert_eq!(rig.running(), 0);
        assert_eq!(rig.process(0).generation.get(), 1);
        assert_eq!(rig.word(control(0, 0) + control::CEILING), 0);
    }
}

#[test]
fn a_fault_inside_a_ceiling_halts_the_machine_if_it_is_to() {
    let mut rig = Rig::boot(&system_with(FaultPolicy::Halt, &[210]));
    sleep(&mut rig, 100);
    publish(&mut rig, 0, 0, 250);
    advance(&mut rig, 100);
    assert_eq!(rig.running(), 0);
    rig.fault(FaultCause::Store, 0, 0);
    // (the teardown is as urgent as the thread was without its ceiling)
    assert_eq!(rig.running(), 2);
    rig.call(Call::Sleep, [1000, 0, 0, 0, 0, 0]);
    assert_eq!(rig.stopped(), Some(1));
}

#[test]
fn a_dead_thread_that_waits_is_not_chosen_whatever_ceiling_its_page_names() {
    let mut rig = Rig::boot(&system_with(FaultPolicy::Restart, &[45]));
    sleep(&mut rig, 100);
    assert_eq!(rig.running(), 2);
    publish(&mut rig, 0, 0, 250);
    publish(&mut rig, 0, 1, 250);
    sleep(&mut rig, 60);
    assert_eq!(rig.running(), 1);
    rig.pass(60);
    rig.fault(FaultCause::Store, 0, 0);
    assert_eq!(rig.running(), 2);
    rig.set_piece_time(1);
    rig.take_switches();
    advance(&mut rig, 100);
    assert_eq!(rig.running(), 2);
    assert!(!rig.take_switches().contains(&0));
}

#[test]
fn a_mutex_of_a_dead_owner_passes_when_the_chain_meets_it_before_any_zeroing() {
    let mut description = system_with(FaultPolicy::Restart, &[45, 90]);
    let mutex = mutex(&mut description);
    let mut rig = Rig::boot(&description);
    sleep(&mut rig, 100);
    sleep(&mut rig, 60);
    sleep(&mut rig, 50);
    assert_eq!(rig.running(), 1);
    assert_eq!(lock(&mut rig, mutex, FOR_EVER), DONE);
    rig.pass(50);
    rig.fault(FaultCause::Store, 0, 0);
    assert_eq!(rig.running(), 2, "more urgent than the teardown");
    rig.pass(60);
    rig.interrupt();
    assert_eq!(rig.running(), 3);
    rig.set_word(data(0) + 16, 77);
    assert!(rig.process(0).life.get() < life::RESTORE);
    let died = refused(Error::EOWNERDEAD);
    assert_eq!(lock(&mut rig, mutex, FOR_EVER), died);
    assert_eq!(rig.word(data(0) + 16), 77, "the memory is as it was");
    assert_eq!(unlock(&mut rig, mutex), DONE);
    assert_eq!(lock(&mut rig, mutex, AT_ONCE), DONE, "told once");
}

#[test]
fn the_teardown_releases_what_nobody_has_asked_for() {
    let mut description = system_with(FaultPolicy::Stop, &[45]);
    let mutexes = [(); 3].map(|()| mutex(&mut description));
    let mut rig = Rig::boot(&description);
    for mutex in mutexes {
        lock(&mut rig, mutex, FOR_EVER);
    }
    fault(&mut rig);
    assert_eq!(rig.running(), 2);
    for mutex in mutexes {
        assert_eq!(lock(&mut rig, mutex, AT_ONCE), refused(Error::EOWNERDEAD));
        assert_eq!(unlock(&mut rig, mutex), DONE);
    }
}

#[test]
fn a_thread_that_exits_hands_its_mutexes_on() {
    let mut description = system_with(FaultPolicy::Stop, &[90]);
    let [first, second] = [(); 2].map(|()| mutex(&mut description));
    let mut rig = Rig::boot(&description);
    sleep(&mut rig, 100);
    lock(&mut rig, first, FOR_EVER);
    lock(&mut rig, second, FOR_EVER);
    advance(&mut rig, 100);
    assert_eq!(rig.running(), 2);
    assert_eq!(lock(&mut rig, second, FOR_EVER), None);
    assert_eq!(rig.running(), 0);
    call(&mut rig, Call::Exit, [0]);
    let died = refused(Error::EOWNERDEAD);
    assert_eq!((rig.running(), rig.take_results(2)), (2, died));
    // (the exit goes on as a call that begins again, in the place of who waits for it)
    lock(&mut rig, first, FOR_EVER);
    assert_eq!((rig.running(), rig.take_results(2)), (2, died));
}

#[test]
fn what_a_dead_process_has_comes_back_as_urgently_as_those_that_wait_for_it() {
    // 0 (50) faults; 1 (40) owns the mutex and sleeps; 3 (90) hangs on it; 2 (70) computes
    let mut description = system_with(FaultPolicy::Restart, &[70, 90]);
    let mutex = mutex(&mut description);
    let mut rig = Rig::boot(&description);
    sleep(&mut rig, 100);
    sleep(&mut rig, 200);
    sleep(&mut rig, 50);
    assert_eq!(rig.running(), 1);
    lock(&mut rig, mutex, FOR_EVER);
    sleep(&mut rig, 100_000);
    advance(&mut rig, 100);
    assert_eq!(rig.running(), 3);
    assert_eq!(lock(&mut rig, mutex, FOR_EVER), None);
    assert_eq!(rig.running(), 0);
    rig.pass(200);
    // 2 is ready when the teardown begins, and wakes before its first piece
    rig.set_piece_time(PIECE);
    rig.fault(FaultCause::Store, 0, 0);
    rig.check_invariants();
    assert_eq!(rig.running(), 3, "first who waited");
    assert_eq!(rig.take_results(3), refused(Error::EOWNERDEAD));
    assert!(rig.process(0).life.get() <= life::THREADS);
    sleep(&mut rig, 1_000_000);
    assert_eq!(
        rig.running(),
        2,
        "then the rest goes on as urgently as who faulted"
    );
    assert!(!rig.process(0).is_alive());
    sleep(&mut rig, 1_000_000);
    assert_eq!(rig.running(), 0);
}

#[test]
fn a_teardown_hastens_for_a_chain_that_hangs_on_it() {
    // 3 (90) waits for 2 (30), which hangs on 1 (40) of the dead process; 4 (70) computes
    let mut description = system_with(FaultPolicy::Restart, &[30, 90, 70]);
    let [first, second] = [(); 2].map(|()| mutex(&mut description));
    let mut rig = Rig::boot(&description);
    sleep(&mut rig, 100);
    sleep(&mut rig, 200);
    sleep(&mut rig, 50);
    assert_eq!(rig.running(), 1);
    lock(&mut rig, first, FOR_EVER);
    sleep(&mut rig, 100_000);
    assert_eq!(rig.running(), 2);
    lock(&mut rig, second, FOR_EVER);
    lock(&mut rig, first, FOR_EVER);
    assert!(rig.is_idle());
    advance(&mut rig, 50);
    assert_eq!(rig.running(), 0);
    advance(&mut rig, 50);
    assert_eq!(rig.running(), 3);
    lock(&mut rig, second, FOR_EVER);
    assert_eq!(rig.running(), 0);
    rig.pass(200);
    rig.set_piece_time(PIECE);
    rig.fault(FaultCause::Store, 0, 0);
    rig.check_invariants();
    assert_eq!(rig.running(), 2, "in the place of 3");
    assert_eq!(rig.take_results(2), refused(Error::EOWNERDEAD));
    unlock(&mut rig, second);
    assert_eq!((rig.running(), rig.take_results(3)), (3, DONE));
}

#[test]
fn a_dead_thread_lends_nothing() {
    // 0 (50) hangs on 1 (30); 3 (20) kills 0's process when 1 and 2 (45) are about to wake
    let mut description = system();
    for priority in [50, 30, 45, 20] {
        process(&mut description, &[priority]);
    }
    description.processes[0].supervisor = Some(3);
    let mutex = mutex(&mut description);
    let mut rig = Rig::boot(&description);
    sleep(&mut rig, 10);
    sleep(&mut rig, 300);
    assert_eq!(rig.running(), 1);
    lock(&mut rig, mutex, FOR_EVER);
    sleep(&mut rig, 300);
    advance(&mut rig, 10);
    assert_eq!(rig.running(), 0);
    assert_eq!(lock(&mut rig, mutex, FOR_EVER), None);
    assert_eq!(rig.running(), 3);
    rig.pass(290);
    rig.take_switches();
    assert_eq!(call(&mut rig, Call::KillProcess, [0]), None);
    assert_eq!(rig.running(), 2, "1 has its own place only");
    let ran = rig.take_switches();
    assert!(!ran.contains(&0) && !ran.contains(&1), "{ran:?}");
    sleep(&mut rig, 1000);
    assert_eq!(rig.running(), 1);
    assert_eq!(unlock(&mut rig, mutex), DONE);
    sleep(&mut rig, 1000);
    assert_eq!((rig.running(), rig.take_results(3)), (3, DONE));
}

#[test]
fn a_crash_with_a_long_chain_of_mutexes_delays_more_urgent_threads_by_one_piece() {
    const LINKS: usize = if cfg!(miri) { 20 } else { 100 };
    let mut description = system();
    let faulty = process(&mut description, &[150; LINKS]);
    on_fault(&mut description, faulty, FaultPolicy::Restart);
    for thread in &mut description.threads {
        thread.control = 0;
    }
    process(&mut description, &[151]);
    description.depth = LINKS as u32 + 1;
    let mutexes: Vec<usize> = (0..LINKS).map(|_| mutex(&mut description)).collect();
    let (mut rig, bystander) = (Rig::boot(&description), LINKS);
    sleep(&mut rig, 1_000_000);
    // each thread owns a mutex, and wants that of the one before it
    for (link, mutex) in mutexes.iter().enumerate() {
        assert_eq!(rig.running(), link);
        assert_eq!(lock(&mut rig, *mutex, FOR_EVER), DONE);
        sleep(&mut rig, 1000 * (LINKS - link));
    }
    assert!(rig.is_idle());
    for (link, mutex) in mutexes.iter().enumerate().rev() {
        advance(&mut rig, 1000);
        assert_eq!(rig.running(), link);
        if link != 0 {
            assert_eq!(lock(&mut rig, mutex - 1, FOR_EVER), None);
        }
    }
    let gap = 7 * PIECE;
    rig.advance(1_000_000 - rig.now());
    assert_eq!(rig.running(), bystander);
    let mut due = rig.now() + gap;
    rig.set_piece_time(PIECE);
    rig.call(Call::Sleep, [due as usize, 0, 0, 0, 0, 0]);
    assert_eq!(rig.running(), 0, "in the place of all");
    rig.fault(FaultCause::Store, 0, 0);
    let mut woken = 0;
    while !rig.process(0).is_alive() {
        assert_eq!(rig.running(), bystander);
        assert!(rig.now() <= due + 2 * PIECE, "late by {}", rig.now() - due);
        woken += 1;
        due = rig.now() + gap;
        rig.call(Call::Sleep, [due as usize, 0, 0, 0, 0, 0]);
    }
    assert!(woken > LINKS / 7, "{woken}");
    rig.check_invariants();
}

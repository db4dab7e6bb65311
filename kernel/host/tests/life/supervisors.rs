//! Processes that others supervise; memory that a process allocates.

use giornata_abi::Error;
use giornata_abi::call::Call;
use giornata_abi::ring::Kind;
use giornata_abi::system::FaultPolicy;
use giornata_abi::trace::FaultCause;
use giornata_host::{Results, Rig};
use giornata_records::{Description, Restart};

use crate::stage::*;

const CHILD: usize = 1;
/// Bit of how a process ended: it was restarted.
const RESTARTED: usize = 1 << 16;

/// Process 0, with threads 0 and 1 of priorities 5 and 4, supervises process 1, whose
/// thread 2 has this priority.
fn supervised(priority: u8, by_call: bool, policy: FaultPolicy) -> Description {
    let mut description = system();
    process(&mut description, &[5, 4]);
    process(&mut description, &[priority]);
    let child = &mut description.processes[CHILD];
    child.supervisor = Some(0);
    child.by_call = by_call;
    child.on_fault = Some(policy);
    description
}

fn start(rig: &mut Rig) -> Option<Results> {
    call(rig, Call::CreateProcess, [CHILD])
}

fn kill(rig: &mut Rig) -> Option<Results> {
    call(rig, Call::KillProcess, [CHILD])
}

fn watch(rig: &mut Rig, [low, high]: [usize; 2]) -> Option<Results> {
    call(rig, Call::AwaitProcess, [low, high])
}

/// The end of the child.
fn ended(generation: usize, how: usize) -> Option<Results> {
    values([CHILD, generation, how])
}

#[test]
fn a_process_by_call_does_not_run_until_it_is_started() {
    let mut rig = Rig::boot(&supervised(8, true, FaultPolicy::Stop));
    assert_eq!(rig.running(), 0);
    assert_eq!(kill(&mut rig), refused(Error::ESRCH));
    assert_eq!(watch(&mut rig, AT_ONCE), refused(Error::EAGAIN));
    assert_eq!(start(&mut rig), None, "it is more urgent");
    assert_eq!(
        (rig.running(), rig.take_results(2)),
        (2, Some([7, 8, 0, 0, 0, 0, 0]))
    );
    sleep(&mut rig, 100);
    assert_eq!(rig.take_results(0), DONE);
    assert_eq!(start(&mut rig), refused(Error::EEXIST));
    assert_eq!(
        watch(&mut rig, AT_ONCE),
        refused(Error::EAGAIN),
        "a start is no news"
    );
    assert_eq!(process_records(&rig), [(1, 1, 1)]);
}

#[test]
fn a_supervisor_is_told_of_the_end_of_a_process_and_starts_it_again() {
    let mut rig = Rig::boot(&supervised(8, true, FaultPolicy::Stop));
    for generation in 1..4 {
        start(&mut rig);
        assert_eq!(rig.running(), 2);
        sleep(&mut rig, 1000 * generation);
        assert_eq!(watch(&mut rig, FOR_EVER), None);
        advance(&mut rig, 1000);
        assert_eq!(rig.running(), 2);
        rig.fault(FaultCause::Illegal, 0, 0);
        rig.check_invariants();
        assert_eq!(rig.running(), 0);
        assert_eq!(
            rig.take_results(0),
            ended(generation, FaultCause::Illegal as usize)
        );
        assert_eq!(
            watch(&mut rig, AT_ONCE),
            refused(Error::EAGAIN),
            "told once"
        );
    }
    start(&mut rig);
    fault(&mut rig);
    assert_eq!(rig.running(), 0);
    let how = FaultCause::Store as usize;
    assert_eq!(
        watch(&mut rig, AT_ONCE),
        ended(4, how),
        "it came before the call"
    );
}

#[test]
fn who_waits_for_news_waits_no_longer_than_it_says_and_alone() {
    let mut rig = Rig::boot(&supervised(3, false, FaultPolicy::Stop));
    assert_eq!(watch(&mut rig, [50, 0]), None);
    assert_eq!(rig.running(), 1);
    assert_eq!(watch(&mut rig, FOR_EVER), refused(Error::EBUSY));
    advance(&mut rig, 50);
    assert_eq!(rig.take_results(0), refused(Error::ETIMEDOUT));
    assert_eq!(watch(&mut rig, FOR_EVER), None);
    assert_eq!(kill(&mut rig), None, "the other is told at once");
    assert_eq!(rig.take_results(0), ended(0, FaultCause::Killed as usize));
    assert_eq!(kill(&mut rig), refused(Error::ESRCH));
}

#[test]
fn a_supervisor_ends_a_process_that_runs_for_ever() {
    let mut rig = Rig::boot(&supervised(3, false, FaultPolicy::Restart));
    sleep(&mut rig, 30);
    sleep(&mut rig, 40);
    assert_eq!(rig.running(), 2);
    advance(&mut rig, 30);
    // it has begun anew before the call returns
    assert_eq!(kill(&mut rig), DONE);
    let how = RESTARTED | FaultCause::Killed as usize;
    assert_eq!(watch(&mut rig, AT_ONCE), ended(1, how));
    sleep(&mut rig, 50);
    assert_eq!(
        (rig.running(), rig.take_results(2)),
        (2, Some([7, 8, 0, 0, 0, 0, 0]))
    );
}

#[test]
fn only_the_supervisor_decides_over_a_process() {
    let mut rig = Rig::boot(&supervised(8, false, FaultPolicy::Stop));
    assert_eq!(rig.running(), 2);
    for denied in [start, kill, |rig: &mut Rig| watch(rig, FOR_EVER)] {
        assert_eq!(denied(&mut rig), refused(Error::EPERM));
    }
    sleep(&mut rig, 100);
    for number in [0, 2, 9, usize::MAX] {
        let expected = refused(if number == 0 {
            Error::EPERM
        } else {
            Error::ESRCH
        });
        assert_eq!(call(&mut rig, Call::KillProcess, [number]), expected);
        assert_eq!(call(&mut rig, Call::CreateProcess, [number]), expected);
    }
}

#[test]
fn a_process_whose_end_is_under_way_is_neither_killed_nor_started() {
    let mut rig = Rig::boot(&supervised(3, false, FaultPolicy::Restart));
    // the less urgent supervisor kills; the other wakes between the pieces
    sleep(&mut rig, 100);
    rig.set_pace(40);
    advance(&mut rig, 20);
    assert_eq!(rig.running(), 1);
    assert_eq!(kill(&mut rig), None);
    assert_eq!(rig.running(), 0, "the teardown gives way");
    rig.set_pace(0);
    assert!(!rig.process(CHILD).is_alive());
    assert_eq!(kill(&mut rig), refused(Error::ESRCH));
    assert_eq!(start(&mut rig), refused(Error::EBUSY));
    sleep(&mut rig, 100_000);
    assert_eq!((rig.running(), rig.take_results(1)), (1, DONE));
    assert!(rig.process(CHILD).is_alive());
}

#[test]
fn a_supervisor_that_dies_is_told_in_its_next_life() {
    let mut description = supervised(8, false, FaultPolicy::Stop);
    on_fault(&mut description, 0, FaultPolicy::Restart);
    let mut rig = Rig::boot(&description);
    sleep(&mut rig, 100);
    assert_eq!(watch(&mut rig, FOR_EVER), None);
    assert_eq!(rig.running(), 1);
    // the supervisor dies while one of its threads waits for news
    fault(&mut rig);
    assert_eq!(rig.running(), 0);
    sleep(&mut rig, 200);
    sleep(&mut rig, 300);
    advance(&mut rig, 100);
    assert_eq!(rig.running(), 2, "its child lives on");
    fault(&mut rig);
    assert!(rig.is_idle());
    advance(&mut rig, 100);
    assert_eq!(rig.running(), 0);
    assert_eq!(
        watch(&mut rig, AT_ONCE),
        ended(0, FaultCause::Store as usize)
    );
}

#[test]
fn a_supervisor_is_killed_by_its_own_and_its_children_live_on() {
    let mut description = supervised(8, false, FaultPolicy::Stop);
    let grandparent = process(&mut description, &[7]);
    description.processes[0].supervisor = Some(grandparent);
    let mut rig = Rig::boot(&description);
    sleep(&mut rig, 100);
    assert_eq!(rig.running(), 3);
    sleep(&mut rig, 50);
    watch(&mut rig, FOR_EVER);
    advance(&mut rig, 50);
    assert_eq!(rig.running(), 3);
    assert_eq!(call(&mut rig, Call::KillProcess, [0]), DONE);
    sleep(&mut rig, 150);
    assert!(rig.is_idle(), "both its threads have ended");
    advance(&mut rig, 50);
    assert_eq!(rig.running(), 2);
    fault(&mut rig);
    assert!(rig.is_idle());
    // its news wait for a supervisor that is started again
    advance(&mut rig, 50);
    assert_eq!(call(&mut rig, Call::CreateProcess, [0]), DONE);
    sleep(&mut rig, 1000);
    assert_eq!(rig.running(), 0);
    assert_eq!(
        watch(&mut rig, AT_ONCE),
        ended(0, FaultCause::Store as usize)
    );
}

#[test]
fn memory_is_taken_up_to_the_quota_and_is_whole_again_after_a_restart() {
    let mut description = system();
    process(&mut description, &[5]);
    description.processes[0].heap = (0x5000, 64);
    on_fault(&mut description, 0, FaultPolicy::Restart);
    let mut rig = Rig::boot(&description);
    let full = refused(Error::ENOMEM);
    for _ in 0..2 {
        for (bytes, expected) in [
            (1, values([0x5000])),
            (49, full),
            (usize::MAX, full),
            (33, values([0x5010])),
            (32, full),
            (1, full),
            (0, values([0x5040])),
        ] {
            assert_eq!(call(&mut rig, Call::Allocate, [bytes]), expected, "{bytes}");
        }
        fault(&mut rig);
    }
}

#[test]
fn a_process_that_is_killed_tells_which_of_its_threads_was_where() {
    // threads 2, 3 and 4 of the child: who computes is told, else who waits for a mutex,
    // else the first that waits
    for (computes, wants) in [(Some(3), None), (None, Some(4)), (None, None)] {
        let mut description = system();
        process(&mut description, &[9, 8]);
        process(&mut description, &[7, 6, 5]);
        let door = mutex(&mut description);
        description.processes[CHILD].supervisor = Some(0);
        let mut rig = Rig::boot(&description);
        lock(&mut rig, door, FOR_EVER);
        sleep(&mut rig, 1000);
        sleep(&mut rig, 100);
        for thread in 2..5 {
            assert_eq!(rig.running(), thread);
            if computes == Some(thread) {
                break;
            }
            match wants == Some(thread) {
                true => lock(&mut rig, door, FOR_EVER),
                false => call(&mut rig, Call::Sleep, [5000, 0]),
            };
        }
        let expected = computes.or(wants).unwrap_or(2);
        advance(&mut rig, 100);
        let context = &rig.thread(expected).context;
        let is_interrupted = computes == Some(expected);
        context.sp.set(DATA + 64);
        context.pc.set(0x1234);
        context.ra.set(0x5678);
        assert_eq!(kill(&mut rig), DONE);
        let ra = if is_interrupted { 0x5678 } else { 0 };
        let [_, label, sp, told] = records(&rig, Kind::Registers)[0];
        assert_eq!(
            (label >> 16, sp, told),
            (expected as u32, DATA as u32 + 64, ra),
            "{computes:?} {wants:?}"
        );
        let [_, label, cause, pc] = records(&rig, Kind::Fault)[0];
        let back = if is_interrupted { 0 } else { 4 };
        assert_eq!((label >> 16, cause, pc), (1, 8 | 256 << 16, 0x1234 - back));
        assert_eq!(records(&rig, Kind::FaultText).len(), 16, "its stack");
        rig.check_invariants();
    }
}

#[test]
fn a_supervisor_neither_pays_for_restarts_that_it_asks_for_nor_waits_for_a_pause() {
    let mut description = supervised(3, false, FaultPolicy::Restart);
    description.processes[CHILD].restart = Restart {
        pause: 100,
        longest: 100,
        most: 2,
        window: 100_000,
        beyond: None,
    };
    let mut rig = Rig::boot(&description);
    sleep(&mut rig, 10_000);
    for _ in 0..10 {
        assert_eq!(kill(&mut rig), DONE);
        assert!(rig.process(CHILD).is_alive(), "at once, and not counted");
    }
    sleep(&mut rig, 1000);
    fault(&mut rig);
    assert_eq!(rig.running(), 2, "the first is at once");
    fault(&mut rig);
    advance(&mut rig, 99);
    assert!(rig.is_idle());
    advance(&mut rig, 1);
    assert_eq!(rig.running(), 2);
    // the rule's last: it stays away, until its supervisor starts it, and counts anew
    fault(&mut rig);
    advance(&mut rig, 900);
    assert_eq!(rig.running(), 1);
    let how = FaultCause::Store as usize;
    assert_eq!(watch(&mut rig, AT_ONCE), ended(12, how));
    assert_eq!(start(&mut rig), DONE);
    sleep(&mut rig, 1050);
    fault(&mut rig);
    assert_eq!(rig.running(), 2);
    fault(&mut rig);
    advance(&mut rig, 50);
    // and one that pauses is started at once
    assert_eq!(rig.running(), 1);
    assert!(!rig.process(CHILD).is_alive());
    assert_eq!(kill(&mut rig), refused(Error::ESRCH));
    assert_eq!(start(&mut rig), DONE);
    assert!(rig.process(CHILD).is_alive());
    sleep(&mut rig, 2000);
    assert_eq!(rig.running(), 2);
    advance(&mut rig, 500);
    assert_eq!(rig.running(), 2, "no alarm is left of the pause");
}

//! The teardown of a process: in pieces, by a thread of the kernel that is as urgent as
//! who began it; and nothing of a dead process runs.

use giornata_abi::Error;
use giornata_abi::call::Call;
use giornata_abi::ring::Kind;
use giornata_abi::system::FaultPolicy;
use giornata_abi::trace::FaultCause;
use giornata_core::process::life;
use giornata_core::process::region::{READ, WRITE};
use giornata_host::{MEMORY, Results, Rig};
use giornata_records::{Description, Object, ObjectKind, Region, Rights};

use crate::stage::*;

/// Lives of a process that is killed again and again.
const KILLS: u32 = if cfg!(miri) { 20 } else { 10_000 };
/// Ticks of a piece.
const PIECE: u64 = 10;

/// A process with threads of these priorities that restarts, and one with a thread of
/// priority `other`: the last thread.
fn dying(priorities: &[u8], other: u8) -> Description {
    let mut description = system();
    let faulty = process(&mut description, priorities);
    on_fault(&mut description, faulty, FaultPolicy::Restart);
    process(&mut description, &[other]);
    description
}

#[test]
fn a_more_urgent_thread_runs_after_one_piece_of_a_teardown() {
    let (most, large) = if cfg!(miri) {
        (200, 0x2_0000)
    } else {
        (1000, 0x8_0000)
    };
    for (threads, zeroed) in [(most, 0x1000), (3, large)] {
        let priorities: Vec<u8> = vec![8; threads];
        let mut description = system();
        let faulty = process(&mut description, &priorities);
        on_fault(&mut description, faulty, FaultPolicy::Restart);
        for thread in &mut description.threads {
            thread.control = 0;
        }
        description.processes[faulty].stacks = (description.processes[faulty].data.2, zeroed);
        let bystander = process(&mut description, &[9]);
        assert_eq!(bystander, 1);
        let mut rig = Rig::boot(&description);
        assert_eq!(rig.running(), threads);
        // the bystander wakes in the midst of the teardown, again and again
        rig.set_piece_time(PIECE);
        sleep(&mut rig, 40);
        assert_eq!(rig.running(), 0);
        rig.fault(FaultCause::Store, 0, 0);
        let mut due = 40;
        while !rig.process(0).is_alive() {
            assert_eq!(rig.running(), threads);
            let late = rig.now() - due;
            assert!(
                late <= 2 * PIECE,
                "{late} ticks late in {}",
                rig.process(0).life.get()
            );
            due = rig.now() + 70;
            rig.call(Call::Sleep, [due as usize, 0, 0, 0, 0, 0]);
        }
        assert!(due > 1000, "the teardown has many pieces");
        assert_ne!(rig.running(), threads);
        rig.check_invariants();
    }
}

#[test]
fn a_less_urgent_thread_waits_for_a_teardown() {
    let mut rig = Rig::boot(&dying(&[8, 8, 8], 7));
    sleep(&mut rig, 1000);
    sleep(&mut rig, 1000);
    rig.set_piece_time(PIECE);
    fault(&mut rig);
    assert_eq!(rig.running(), 0, "it lives again before the other ran");
}

#[test]
fn a_teardown_is_as_urgent_as_who_faulted_and_no_dead_thread_runs_until_it_comes() {
    // 1 is the most urgent of all, but sleeps; 0 faults; 3 computes
    let mut description = dying(&[4, 9, 5], 7);
    line(&mut description, 5, 0);
    let mut rig = Rig::boot(&description);
    assert_eq!(rig.running(), 1);
    sleep(&mut rig, 100);
    assert_eq!(rig.running(), 3);
    sleep(&mut rig, 50);
    call(&mut rig, Call::AwaitInterrupt, [5]);
    assert_eq!(rig.running(), 0);
    rig.set_piece_time(PIECE);
    // 3 wakes at the first look
    rig.pass(50);
    rig.fault(FaultCause::Store, 0, 0);
    assert_eq!(rig.running(), 3);
    assert!(!rig.process(0).is_alive());
    // what wakes threads of the dead process does not make them run
    rig.take_switches();
    advance(&mut rig, 200);
    rig.raise(5);
    rig.check_invariants();
    assert_eq!(rig.running(), 3);
    let ran = rig.take_switches();
    assert!(ran.iter().all(|thread| *thread > 2), "{ran:?}");
    sleep(&mut rig, 10_000);
    assert_eq!((rig.running(), rig.process(0).generation.get()), (1, 1));
}

#[test]
fn a_dead_thread_that_is_woken_costs_one_piece_in_its_place() {
    let mut rig = Rig::boot(&dying(&[4, 9], 7));
    sleep(&mut rig, 100);
    sleep(&mut rig, 50);
    assert_eq!(rig.running(), 0);
    rig.pass(60);
    rig.fault(FaultCause::Store, 0, 0);
    assert_eq!(rig.running(), 2);
    assert_eq!(
        rig.process(0).life.get(),
        life::MESSAGE,
        "it has hardly begun"
    );
    rig.set_piece_time(PIECE);
    rig.take_switches();
    advance(&mut rig, 40);
    // the reaper had the turn of thread 1, for that alone
    let reaper = rig.process(0).reaper.number() as usize;
    assert_eq!(rig.take_switches(), [reaper, 2]);
    assert_eq!(rig.process(0).life.get(), life::MESSAGE);
    assert!(rig.thread(1).waits().is_some());
}

#[test]
fn each_dying_process_has_a_thread_of_the_kernel_of_its_own() {
    let mut description = system();
    for priority in [5, 6] {
        let faulty = process(&mut description, &[priority]);
        on_fault(&mut description, faulty, FaultPolicy::Restart);
    }
    process(&mut description, &[9]);
    let mut rig = Rig::boot(&description);
    // 2 wakes after the first piece of the one teardown, and of the other
    rig.set_piece_time(PIECE);
    sleep(&mut rig, 100);
    sleep(&mut rig, 200);
    rig.pass(95);
    assert_eq!(rig.running(), 0);
    rig.fault(FaultCause::Store, 0, 0);
    assert_eq!(rig.running(), 2);
    rig.pass(100);
    sleep(&mut rig, 300);
    assert_eq!(rig.running(), 1);
    rig.pass(300);
    rig.fault(FaultCause::Store, 0, 0);
    assert_eq!(rig.running(), 2);
    let lives = [0, 1].map(|process| rig.process(process).is_alive());
    assert_eq!(lives, [false; 2]);
    sleep(&mut rig, 1_000_000);
    assert_eq!(rig.running(), 1);
    sleep(&mut rig, 1_000_000);
    assert_eq!(rig.running(), 0);
    let restarts: Vec<u32> = process_records(&rig)
        .iter()
        .map(|record| record.0)
        .collect();
    assert_eq!(restarts, [1, 0], "the more urgent is done first");
}

#[test]
fn its_threads_begin_together() {
    // the first of them to begin is the most urgent of all
    let mut rig = Rig::boot(&dying(&[9, 8, 4], 7));
    sleep(&mut rig, 100);
    sleep(&mut rig, 100);
    sleep(&mut rig, 50);
    assert_eq!(rig.running(), 2);
    fault(&mut rig);
    assert_eq!(rig.running(), 0);
    for thread in 0..3 {
        assert_eq!(rig.thread(thread).serial.get(), 2);
        assert!(rig.thread(thread).waits().is_none(), "{thread} is ready");
    }
}

#[test]
fn the_rest_of_a_restart_is_as_urgent_as_the_threads_that_have_begun() {
    // the reaper is less urgent than thread 4, which computes, but thread 0 is not
    let mut description = system();
    let faulty = process(&mut description, &[9, 3, 3, 3]);
    on_fault(&mut description, faulty, FaultPolicy::Restart);
    process(&mut description, &[7]);
    let mut rig = Rig::boot(&description);
    sleep(&mut rig, 100);
    sleep(&mut rig, 50);
    assert_eq!(rig.running(), 1);
    rig.set_piece_time(PIECE);
    rig.fault(FaultCause::Store, 0, 0);
    // 4 wakes after each piece, until thread 0 has begun
    let mut looks = 0;
    while rig.running() != 0 {
        if rig.running() == 4 {
            assert!(rig.thread(0).waits().is_some(), "the rest precedes 4");
            looks += 1;
        }
        let next = (rig.now() + PIECE + 1) as usize;
        rig.call(Call::Sleep, [next, 0, 0, 0, 0, 0]);
    }
    assert!(looks > 10);
    assert!((0..4).all(|thread| rig.thread(thread).waits().is_none()));
    rig.set_piece_time(0);
    rig.check_invariants();
}

#[test]
fn what_a_process_had_not_heard_of_its_next_life_does_not_hear_of() {
    let mut description = dying(&[8, 3], 5);
    line(&mut description, 5, 0);
    let mut rig = Rig::boot(&description);
    call(&mut rig, Call::AwaitInterrupt, [5]);
    sleep(&mut rig, 1000);
    assert_eq!(rig.running(), 1);
    fault(&mut rig);
    assert_eq!(rig.running(), 0);
    // the line is masked: what comes now waits in the controller
    rig.raise(5);
    assert_eq!(rig.running(), 0);
    call(&mut rig, Call::AwaitInterrupt, [5]);
    rig.interrupt();
    assert_eq!(
        (rig.running(), rig.take_results(0)),
        (0, DONE),
        "and comes then"
    );
    assert_eq!(records(&rig, Kind::Process).len(), 1);
}

#[cfg(feature = "services")]
#[test]
fn ten_thousand_kills_leave_every_place_for_a_thread_free() {
    let mut description = system();
    process(&mut description, &[5]);
    let child = process(&mut description, &[8, 7, 6]);
    spares(&mut description, 3);
    line(&mut description, 9, child);
    description.processes[child].supervisor = Some(0);
    on_fault(&mut description, child, FaultPolicy::Restart);
    let mut rig = Rig::boot(&description);
    for life in 1..=KILLS {
        assert_eq!(rig.running(), 1);
        let until = rig.now() as usize + 1000;
        for _ in 0..3 {
            assert!(call(&mut rig, Call::CreateThread, [0, 0, 2]).is_some());
        }
        assert_eq!(
            call(&mut rig, Call::CreateThread, [0, 0, 2]),
            refused(Error::EAGAIN)
        );
        let [joined, detached] =
            [4, 5].map(|thread: usize| rig.thread(thread).serial.get() as usize);
        match life % 4 {
            0 => call(&mut rig, Call::JoinThread, [4, joined, until, 0]),
            1 => call(
                &mut rig,
                Call::JoinThread,
                [4, joined, FOR_EVER[0], FOR_EVER[1]],
            ),
            2 => call(&mut rig, Call::AwaitInterrupt, [9]),
            _ => call(&mut rig, Call::Sleep, [until, 0]),
        };
        assert_eq!(rig.running(), 2);
        match life % 3 {
            0 => call(&mut rig, Call::Exit, [0]),
            1 => call(&mut rig, Call::Sleep, [until, 0]),
            _ => call(&mut rig, Call::DetachThread, [5, detached]),
        };
        if life % 3 == 2 {
            sleep(&mut rig, until);
        }
        assert_eq!(rig.running(), 3);
        sleep(&mut rig, until);
        // 0 kills it
        assert_eq!(rig.running(), 0);
        assert_eq!(call(&mut rig, Call::KillProcess, [child]), None);
        assert_eq!(rig.running(), 1);
        assert_eq!(rig.thread(1).serial.get(), life + 1);
        for spare in 4..7 {
            assert_eq!(rig.thread(spare).serial.get(), life);
        }
        advance(&mut rig, 10);
    }
}

#[cfg(feature = "services")]
#[test]
fn ten_thousand_kills_leave_all_pools_as_they_were() {
    const MESSAGES: usize = 3;
    let mut description = system();
    process(&mut description, &[5]);
    let child = process(&mut description, &[8, 7]);
    line(&mut description, 9, child);
    let lock = mutex(&mut description);
    let everything = Rights {
        used: true,
        managed: true,
        received: true,
        direct: true,
        full: true,
    };
    description.objects.push(Object {
        kind: ObjectKind::Mailbox,
        rights: vec![everything; 2],
        ..description.objects[lock].clone()
    });
    let mailbox = lock + 1;
    description.regions.push(Region {
        address: 0x6000_0000,
        size: 0x200,
        place: (MEMORY + 0x4_0000) as u64,
        grants: vec![READ | WRITE; 2],
        ..Region::default()
    });
    description.processes[child].supervisor = Some(0);
    description.processes[child].messages = (MESSAGES as u32, 16);
    description.processes[child].heap = (0x7000_0000, 48);
    on_fault(&mut description, child, FaultPolicy::Restart);
    let mut rig = Rig::boot(&description);
    for life in 1..=KILLS {
        let until = rig.now() as usize + 1000;
        let done = |results: Option<Results>| results.expect("it goes on")[0] == 0;
        assert_eq!(rig.running(), 1);
        assert_eq!(rig.process(child).free_messages(), MESSAGES);
        for _ in 0..3 {
            assert!(done(call(&mut rig, Call::Allocate, [16])));
        }
        let full = refused(Error::ENOMEM);
        assert_eq!(call(&mut rig, Call::Allocate, [1]), full);
        assert!(done(call(&mut rig, Call::AttachRegion, [0, 0])));
        let locked = match life {
            1 => DONE,
            _ => refused(Error::EOWNERDEAD),
        };
        assert_eq!(super::stage::lock(&mut rig, lock, AT_ONCE), locked);
        for _ in 0..MESSAGES {
            assert!(done(call(&mut rig, Call::Send, [mailbox, 1, 1, 2, 3, 4])));
        }
        let empty = refused(Error::EAGAIN);
        assert_eq!(call(&mut rig, Call::Send, [mailbox, 1]), empty);
        match life % 3 {
            0 => call(&mut rig, Call::AwaitInterrupt, [9]),
            1 => call(&mut rig, Call::Sleep, [until, 0]),
            _ => call(&mut rig, Call::SendBytes, [mailbox, 1, DATA, 20, 0, 0]),
        };
        if rig.running() == 1 {
            sleep(&mut rig, until);
        }
        // the other waits for its mutex, and hangs on it
        let _ = super::stage::lock(&mut rig, lock, FOR_EVER);
        assert_eq!(rig.running(), 0);
        assert_ne!(rig.access(child, 0x6000_0000), 0);
        assert_eq!(call(&mut rig, Call::KillProcess, [child]), None);
        assert_eq!(rig.access(child, 0x6000_0000), 0);
        assert_eq!(rig.object(lock).owner().map(|owner| owner.number()), None);
        for thread in [1, 2] {
            assert_eq!(rig.running(), thread);
            sleep(&mut rig, until);
        }
        // what was sent outlives its sender, and comes back to its pool
        for _ in 0..MESSAGES {
            let [low, high] = AT_ONCE;
            assert!(done(call(&mut rig, Call::Receive, [mailbox, 1, low, high])));
        }
        sleep(&mut rig, until + 5);
        let ticks = (until + 10) as u64 - rig.now();
        advance(&mut rig, ticks);
    }
}

#[test]
fn a_death_takes_no_piece_for_each_thread_of_the_others() {
    let ticks_of_a_death = |others: &[u8]| {
        let mut description = system();
        let mortal = process(&mut description, &[9]);
        on_fault(&mut description, mortal, FaultPolicy::Stop);
        process(&mut description, others);
        // it may receive, so a client of it may be anywhere
        let rights = Rights {
            used: true,
            received: true,
            ..Rights::default()
        };
        let mailbox = mutex(&mut description);
        description.objects[mailbox].kind = ObjectKind::Mailbox;
        description.objects[mailbox].rights = vec![rights; 2];
        let mut rig = Rig::boot(&description);
        rig.set_piece_time(1);
        fault(&mut rig);
        assert!(!rig.process(mortal).is_alive());
        rig.now()
    };
    let (few, many) = (ticks_of_a_death(&[5; 2]), ticks_of_a_death(&[5; 34]));
    assert!(many <= few + 2, "{many} pieces instead of {few}");
}

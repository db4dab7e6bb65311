use giornata_abi::call::Call;
use giornata_core::process::grant;
use giornata_host::Rig;

use crate::threads;

fn sleep(rig: &mut Rig, until: u64) {
    let [low, high] = [until as u32 as usize, (until >> 32) as usize];
    rig.call(Call::Sleep, [low, high, 0, 0, 0, 0]);
    rig.check_invariants();
}

#[test]
fn sleepers_wake_at_their_instants_in_order() {
    let mut rig = Rig::boot(&threads(&[4, 3, 2, 1]));
    for until in [400, 100, 300, 200] {
        sleep(&mut rig, until);
    }
    assert!(rig.is_idle());
    for (instant, thread) in [(100, 1), (200, 3), (300, 2), (400, 0)] {
        rig.advance(instant - rig.now() - 1);
        rig.check_invariants();
        rig.take_switches();
        rig.advance(1);
        rig.check_invariants();
        assert_eq!(rig.take_switches().first(), Some(&thread));
        while !rig.is_idle() {
            sleep(&mut rig, 1_000_000);
        }
    }
}

#[test]
fn an_instant_that_has_passed_does_not_wait() {
    let mut rig = Rig::boot(&threads(&[4]));
    rig.advance(1000);
    sleep(&mut rig, 999);
    rig.interrupt();
    assert_eq!(rig.running(), 0);
}

#[test]
fn an_instant_beyond_the_horizon_comes_when_it_comes() {
    let mut rig = Rig::boot(&threads(&[4]));
    let until = 5 << 32 | 77;
    sleep(&mut rig, until);
    rig.advance(until - 1);
    rig.check_invariants();
    assert!(rig.is_idle());
    rig.advance(1);
    assert_eq!((rig.running(), rig.now()), (0, until));
}

#[test]
fn an_instant_more_than_half_of_all_time_ahead_is_not_past() {
    let mut rig = Rig::boot(&threads(&[4]));
    rig.advance(1000);
    let until = [u32::MAX as usize - 1, u32::MAX as usize];
    rig.call(Call::Sleep, [until[0], until[1], 0, 0, 0, 0]);
    rig.check_invariants();
    assert!(rig.is_idle());
    rig.advance(1 << 33);
    rig.check_invariants();
    assert!(rig.is_idle());
}

#[test]
fn who_would_sleep_for_ever_is_refused() {
    let mut rig = Rig::boot(&threads(&[4]));
    let ever = u32::MAX as usize;
    let refused = [giornata_abi::Error::EINVAL as usize, 0, 0, 0, 0, 0, 0];
    assert_eq!(
        rig.call(Call::Sleep, [ever, ever, 0, 0, 0, 0]),
        Some(refused)
    );
}

#[test]
fn the_clock_and_the_time_spent_are_64_bits_wide() {
    let mut rig = Rig::boot(&threads(&[4, 3]));
    rig.advance(3 << 32 | 5);
    assert_eq!(rig.call(Call::Clock, [0; 6]), Some([0, 5, 3, 0, 0, 0, 0]));
    rig.advance(10);
    sleep(&mut rig, 9 << 32);
    assert_eq!(rig.running(), 1);
    rig.advance(100);
    assert_eq!(
        rig.call(Call::CpuTime, [0; 6]),
        Some([0, 100, 0, 0, 0, 0, 0])
    );
}

#[test]
fn who_reads_the_trace_is_told_how_far_it_is_written() {
    let mut description = threads(&[4]);
    let refused = [giornata_abi::Error::EPERM as usize, 0, 0, 0, 0, 0, 0];
    let mut rig = Rig::boot(&description);
    assert_eq!(rig.call(Call::TracePosition, [0; 6]), Some(refused));
    description.processes[0].grants = grant::TRACE;
    let mut rig = Rig::boot(&description);
    for _ in 0..3 {
        let written = rig.kernel().trace.written.get() as usize;
        let told = [0, written, 0, 0, 0, 0, 0];
        assert_eq!(rig.call(Call::TracePosition, [0; 6]), Some(told));
        rig.call(Call::Log, [4, 0, 0, 0, 0, 0]);
        assert_eq!(rig.kernel().trace.written.get() as usize, written + 16);
    }
}

#[test]
fn an_interrupt_wakes_its_handler_once() {
    let mut rig = Rig::boot(&threads(&[4, 3]));
    rig.call(Call::AwaitInterrupt, [5, 0, 0, 0, 0, 0]);
    assert_eq!(rig.running(), 1);
    rig.raise(5);
    rig.check_invariants();
    assert_eq!((rig.running(), rig.take_results(0)), (0, Some([0; 7])));
    rig.raise(5);
    assert_eq!(rig.running(), 0);
    rig.call(Call::AwaitInterrupt, [5, 0, 0, 0, 0, 0]);
    rig.interrupt();
    assert_eq!(rig.running(), 0);
}

#[test]
fn a_line_comes_no_oftener_than_its_interval_allows() {
    let mut description = threads(&[4, 3]);
    description.lines[0].interval = 100;
    let mut rig = Rig::boot(&description);
    let wait = |rig: &mut Rig| {
        rig.call(Call::AwaitInterrupt, [5, 0, 0, 0, 0, 0]);
        rig.check_invariants();
    };
    wait(&mut rig);
    rig.advance(10);
    rig.raise(5);
    assert_eq!((rig.running(), rig.now()), (0, 10));
    // it is up all the time
    for come in [110, 210, 310] {
        rig.raise(5);
        wait(&mut rig);
        rig.interrupt();
        assert_eq!(rig.running(), 1, "held back at {}", rig.now());
        rig.advance(come - 1 - rig.now());
        assert_eq!(rig.running(), 1, "held back at {}", rig.now());
        rig.advance(1);
        rig.check_invariants();
        assert_eq!((rig.running(), rig.now()), (0, come));
    }
    // who waits when it has passed is not held back
    rig.advance(150);
    assert_eq!(rig.running(), 0);
    wait(&mut rig);
    assert_eq!(rig.running(), 1);
    rig.raise(5);
    assert_eq!(rig.running(), 0);
}

#[test]
fn the_handler_of_a_line_runs_before_all_that_is_due_has_rung() {
    const SLEEPERS: usize = 30;
    let mut rig = Rig::boot(&threads(&[[9].as_slice(), &[3; SLEEPERS]].concat()));
    rig.call(Call::AwaitInterrupt, [5, 0, 0, 0, 0, 0]);
    for _ in 0..SLEEPERS {
        sleep(&mut rig, 1_000);
    }
    assert!(rig.is_idle());
    // so much passes whenever the kernel reads its clock; the line rises behind a few
    rig.set_pace(50);
    rig.raise_at(1_300, 5);
    rig.pass(1_000);
    rig.interrupt();
    rig.check_invariants();
    assert_eq!(rig.running(), 0);
    assert_eq!(rig.kernel().agenda.next(), 1_000, "all have rung");
    // and the others do later
    rig.set_pace(0);
    rig.call(Call::AwaitInterrupt, [5, 0, 0, 0, 0, 0]);
    let mut woken = 0;
    for _ in 0..SLEEPERS {
        rig.advance(10_000);
        rig.check_invariants();
        woken += usize::from(!rig.is_idle());
        sleep(&mut rig, 1_000_000_000);
    }
    assert_eq!(woken, SLEEPERS);
}

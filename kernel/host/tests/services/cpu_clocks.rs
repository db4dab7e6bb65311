//! CPU-time clocks (POSIX.1 `clock_getcpuclockid`).

use giornata_abi::Error;
use giornata_abi::call::Call;
use giornata_abi::posix::{CALL, Operation};
use giornata_core::sched::thread::role;
use giornata_host::Rig;

use crate::stage::{processes, thread, threads};

/// What an operation returns to the running thread.
fn operation(rig: &mut Rig, operation: Operation, arguments: [usize; 2]) -> [usize; 3] {
    let [a, b] = arguments;
    let results = rig.call_number(CALL, [operation as usize, a, b, 0, 0, 0]);
    let [error, low, high, ..] = results.expect("it goes on");
    rig.check_invariants();
    [error, low, high]
}

fn thread_time(rig: &mut Rig, slot: usize, serial: usize) -> [usize; 3] {
    operation(rig, Operation::ThreadTime, [slot, serial])
}

fn process_time(rig: &mut Rig) -> [usize; 3] {
    operation(rig, Operation::ProcessTime, [0, 0])
}

fn sleep(rig: &mut Rig, until: usize) {
    rig.call(Call::Sleep, [until, 0, 0, 0, 0, 0]);
}

#[test]
fn a_clock_shows_what_its_thread_has_run_and_no_other() {
    let mut rig = Rig::boot(&threads(&[9, 5]));
    rig.advance(40);
    assert_eq!(
        thread_time(&mut rig, 0, 1),
        [0, 40, 0],
        "what runs, up to now"
    );
    assert_eq!(thread_time(&mut rig, 1, 1), [0, 0, 0]);
    sleep(&mut rig, 1000);
    rig.advance(70);
    assert_eq!(rig.running(), 1);
    assert_eq!(thread_time(&mut rig, 0, 1), [0, 40, 0]);
    assert_eq!(thread_time(&mut rig, 1, 1), [0, 70, 0]);
    assert_eq!(process_time(&mut rig), [0, 110, 0]);
}

#[test]
fn a_clock_is_64_bits_wide() {
    let mut rig = Rig::boot(&threads(&[9, 5]));
    for step in 1..=6 {
        rig.advance(1 << 30);
        sleep(&mut rig, step << 30);
    }
    let all = 6 << 30;
    let expected = [0, all & 0xFFFF_FFFF, all >> 32];
    assert_eq!(process_time(&mut rig), expected);
}

#[test]
fn threads_of_others_and_such_as_there_are_none_have_no_clock() {
    let mut rig = Rig::boot(&processes(&[&[9], &[5]]));
    let none = [Error::ESRCH as usize, 0, 0];
    for (slot, serial) in [(0, 2), (1, 1), (2, 0), (usize::MAX, 1), (0, usize::MAX)] {
        assert_eq!(thread_time(&mut rig, slot, serial), none, "{slot} {serial}");
    }
    assert_eq!(
        rig.call_number(CALL, [Operation::ALL.len(), 0, 0, 0, 0, 0]),
        Some([Error::ENOSYS as usize, 0, 0, 0, 0, 0, 0])
    );
}

#[test]
fn what_a_thread_has_run_that_ended_remains_in_the_time_of_its_process() {
    let mut all = threads(&[5]);
    thread(&mut all, 0, 9, role::SPARE);
    let mut rig = Rig::boot(&all);
    for round in 1..=3 {
        let created = rig.call(Call::CreateThread, [0x100, 0, 9, 0, 0, 0]);
        assert_eq!(created, None, "the new one runs first");
        assert_eq!(rig.running(), 1);
        rig.advance(50);
        rig.call(Call::Exit, [0; 6]);
        assert_eq!(rig.running(), 0);
        assert_eq!(thread_time(&mut rig, 1, round), [0, 50, 0], "to be joined");
        rig.call(Call::JoinThread, [1, round, 0, 0, 0, 0]);
        let none = [Error::ESRCH as usize, 0, 0];
        assert_eq!(thread_time(&mut rig, 1, round), none);
        assert_eq!(process_time(&mut rig), [0, 50 * round, 0]);
    }
}

#[test]
fn the_time_of_all_threads_and_the_kernel_and_the_idle_one_is_what_has_passed() {
    let mut rig = Rig::boot(&processes(&[&[9, 9], &[5, 3]]));
    // (any numbers that differ)
    let mut random = 12345u32;
    let mut passed = 0u64;
    for _ in 0..2000 {
        random = random.wrapping_mul(1_103_515_245).wrapping_add(12345);
        let step = random >> 20;
        rig.advance(step.into());
        passed += u64::from(step);
        if !rig.is_idle() {
            match random >> 8 & 3 {
                0 => drop(rig.call(Call::Yield, [0; 6])),
                1 => sleep(
                    &mut rig,
                    (passed + u64::from(random >> 16 & 0xFFF)) as usize,
                ),
                _ => drop(rig.call(Call::Clock, [0; 6])),
            }
        }
        let kernel = rig.kernel();
        let spent = |thread: &giornata_core::Thread| {
            u64::from(thread.spent_high.get()) << 32 | u64::from(thread.spent.get())
        };
        let all: u64 = kernel.threads.iter().map(spent).sum();
        let running = u64::from(kernel.hart().uncharged(passed as u32));
        assert_eq!(all + running, passed);
    }
}

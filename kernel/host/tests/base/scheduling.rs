use giornata_abi::call::Call;
use giornata_core::sched::thread::role;
use giornata_host::Rig;

use crate::threads;

#[test]
fn the_most_urgent_runs_first() {
    let rig = Rig::boot(&threads(&[1, 200, 7]));
    rig.check_invariants();
    assert_eq!(rig.running(), 1);
}

#[test]
fn yield_gives_the_turn_to_the_next_of_equal_urgency() {
    let mut rig = Rig::boot(&threads(&[5, 5, 9, 5]));
    assert_eq!(rig.running(), 2);
    assert_eq!(rig.call(Call::Yield, [0; 6]), Some([0; 7]));
    rig.call(Call::Sleep, [100, 0, 0, 0, 0, 0]);
    for expected in [0, 1, 3, 0] {
        rig.check_invariants();
        assert_eq!(rig.running(), expected);
        rig.call(Call::Yield, [0; 6]);
    }
}

#[test]
fn a_number_that_names_no_call_is_refused() {
    let mut rig = Rig::boot(&threads(&[5]));
    let refused = Some([giornata_abi::Error::ENOSYS as usize, 0, 0, 0, 0, 0, 0]);
    assert_eq!(rig.call_number(63, [0; 6]), refused);
    assert_eq!(rig.call_number(usize::MAX, [0; 6]), refused);
}

#[test]
fn threads_with_deadlines_run_by_them_inside_the_band() {
    let mut description = threads(&[200, 200, 7, 201, 200]);
    for (thread, deadline) in [(0, 300), (1, 100), (4, 200)] {
        description.threads[thread].role |= role::DEADLINE;
        description.threads[thread].deadline = deadline;
    }
    let mut rig = Rig::boot(&description);
    for expected in [3, 1, 4, 0, 2] {
        rig.check_invariants();
        assert_eq!(rig.running(), expected);
        rig.call(Call::Exit, [0; 6]);
    }
}

#[test]
fn a_deadline_begins_anew_at_the_end_of_a_sleep() {
    let mut description = threads(&[200, 200, 7]);
    for (thread, deadline) in [(0, 300), (1, 200)] {
        description.threads[thread].role |= role::DEADLINE;
        description.threads[thread].deadline = deadline;
    }
    let mut rig = Rig::boot(&description);
    assert_eq!(rig.running(), 1);
    rig.call(Call::Sleep, [150, 0, 0, 0, 0, 0]);
    assert_eq!(rig.running(), 0);
    // its next deadline is 350
    rig.advance(150);
    rig.check_invariants();
    assert_eq!(rig.running(), 0);
    rig.call(Call::Sleep, [160, 0, 0, 0, 0, 0]);
    assert_eq!(rig.running(), 1);
    // that one's is 460
    rig.advance(10);
    rig.check_invariants();
    assert_eq!(rig.running(), 1);
    // alone in the band for more than half of a word, and then not
    for until in [1 << 31, (1 << 32) + 500] {
        for _ in 0..2 {
            let sleep = [until as u32 as usize, (until >> 32) as usize, 0, 0, 0, 0];
            rig.call(Call::Sleep, sleep);
        }
        assert_eq!(rig.running(), 2);
        rig.advance(until - rig.now());
        rig.check_invariants();
        assert_eq!(rig.running(), 1);
    }
}

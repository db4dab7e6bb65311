//! Who runs: the one order of urgency.

use crate::rig::*;
use giornata_abi::call::Call;
use giornata_abi::system::BAND_DEADLINE;
use giornata_sim::{Ended, Scheduling, Script, SystemBuilder};

/// Threads of one process with these schedulings, each running its acts.
fn run<const N: usize>(
    threads: [(Scheduling, Vec<giornata_sim::Act>); N],
    max_priority: u8,
) -> Vec<(u64, Option<u16>)> {
    let mut b = SystemBuilder::new();
    let process = b.process();
    b.process_entry(process).max_priority = max_priority;
    let indices = threads
        .each_ref()
        .map(|(scheduling, _)| b.thread(process, *scheduling));
    simulate(&b.finish(), |simulation| {
        for (thread, (_, acts)) in indices.into_iter().zip(threads) {
            simulation.set_thread(thread, Script::new(acts));
        }
        assert_eq!(simulation.run(), Ended::Quiet);
        timeline(simulation.records())
    })
}

const FIFO: Scheduling = Scheduling::Fifo(5);

#[test]
fn equal_priorities_run_first_in_first_out_each_to_its_end() {
    let timeline = run(
        [
            (FIFO, vec![compute(3)]),
            (FIFO, vec![compute(2)]),
            (FIFO, vec![compute(1)]),
        ],
        255,
    );
    assert_eq!(
        timeline,
        [(0, Some(0)), (3, Some(1)), (5, Some(2)), (6, None)]
    );
}

#[test]
fn a_higher_priority_preempts_and_the_preempted_keeps_its_place() {
    let urgent = vec![sleep_until(1), compute(2)];
    let timeline = run(
        [
            (FIFO, vec![compute(3)]),
            (FIFO, vec![compute(1)]),
            (Scheduling::Fifo(6), urgent),
        ],
        255,
    );
    let expected = [
        (0, Some(2)),
        (0, Some(0)),
        (1, Some(2)),
        (3, Some(0)),
        (5, Some(1)),
        (6, None),
    ];
    assert_eq!(timeline, expected);
}

#[test]
fn yield_goes_behind_the_equals() {
    let yielding = vec![compute(1), call(Call::Yield, &[]), compute(1)];
    let timeline = run([(FIFO, yielding), (FIFO, vec![compute(2)])], 255);
    assert_eq!(
        timeline,
        [(0, Some(0)), (1, Some(1)), (3, Some(0)), (4, None)]
    );
}

#[test]
fn yield_does_not_yield_to_the_less_urgent() {
    let yielding = vec![compute(1), call(Call::Yield, &[]), compute(1)];
    let timeline = run(
        [(Scheduling::Fifo(6), yielding), (FIFO, vec![compute(2)])],
        255,
    );
    assert_eq!(timeline, [(0, Some(0)), (2, Some(1)), (4, None)]);
}

#[test]
fn round_robin_goes_to_the_tail_after_its_quantum() {
    let round = Scheduling::RoundRobin(5, 2_000);
    let timeline = run([(round, vec![compute(5)]), (round, vec![compute(3)])], 255);
    let expected = [
        (0, Some(0)),
        (2, Some(1)),
        (4, Some(0)),
        (6, Some(1)),
        (7, Some(0)),
        (8, None),
    ];
    assert_eq!(timeline, expected);
}

#[test]
fn a_preempted_quantum_goes_on_where_it_was() {
    let round = Scheduling::RoundRobin(5, 4_000);
    let urgent = vec![sleep_until(3), compute(10)];
    let timeline = run(
        [
            (round, vec![compute(5)]),
            (round, vec![compute(1)]),
            (Scheduling::Fifo(9), urgent),
        ],
        255,
    );
    let expected = [
        (0, Some(2)),
        (0, Some(0)),
        (3, Some(2)),
        (13, Some(0)),
        (14, Some(1)),
        (15, Some(0)),
        (16, None),
    ];
    assert_eq!(timeline, expected);
}

#[test]
fn a_lone_round_robin_thread_runs_on_after_its_quantum() {
    let timeline = run([(Scheduling::RoundRobin(5, 1_000), vec![compute(7)])], 255);
    assert_eq!(timeline, [(0, Some(0)), (7, None)]);
}

#[test]
fn earlier_deadlines_run_first_and_equal_ones_by_thread_number() {
    let by = Scheduling::Deadline;
    let timeline = run(
        [
            (by(9_000), vec![compute(1)]),
            (by(5_000), vec![compute(1)]),
            (by(5_000), vec![compute(1)]),
        ],
        255,
    );
    assert_eq!(
        timeline,
        [(0, Some(1)), (1, Some(2)), (2, Some(0)), (3, None)]
    );
}

#[test]
fn a_deadline_counts_anew_from_each_wakeup() {
    let sleeper = vec![sleep_until(4), compute(1)];
    let timeline = run(
        [
            (Scheduling::Deadline(3_000), sleeper),
            (Scheduling::Deadline(6_000), vec![compute(9)]),
        ],
        255,
    );
    // woken at 4 its deadline is 7, after the other's 6
    assert_eq!(
        timeline,
        [(0, Some(0)), (0, Some(1)), (9, Some(0)), (10, None)]
    );
}

#[test]
fn the_deadline_band_lies_between_the_fixed_priorities_that_the_system_names() {
    let by = Scheduling::Deadline(1_000);
    let timeline = run(
        [
            (Scheduling::Fifo(199), vec![compute(1)]),
            (by, vec![compute(1)]),
            (Scheduling::Fifo(201), vec![compute(1)]),
        ],
        255,
    );
    assert_eq!(
        timeline,
        [(0, Some(2)), (1, Some(1)), (2, Some(0)), (3, None)]
    );
}

#[test]
fn a_raised_priority_goes_behind_its_new_equals_and_a_lowered_before_them() {
    let set = |thread, priority| call(Call::SetPriority, &[thread, priority]);
    let chief = vec![set(1, 8), set(3, 7), compute(1)];
    let timeline = run(
        [
            (Scheduling::Fifo(10), chief),
            (Scheduling::Fifo(5), vec![compute(1)]),
            (Scheduling::Fifo(8), vec![compute(1)]),
            (Scheduling::Fifo(9), vec![compute(1)]),
            (Scheduling::Fifo(7), vec![compute(1)]),
        ],
        255,
    );
    // 1 raised to 8: behind 2; 3 lowered to 7: before 4
    let expected = [
        (0, Some(0)),
        (1, Some(2)),
        (2, Some(1)),
        (3, Some(3)),
        (4, Some(4)),
        (5, None),
    ];
    assert_eq!(timeline, expected);
}

#[test]
fn a_running_thread_that_lowers_itself_is_preempted_at_once() {
    let lower = vec![compute(1), call(Call::SetPriority, &[0, 4]), compute(1)];
    let timeline = run(
        [(Scheduling::Fifo(6), lower), (FIFO, vec![compute(2)])],
        255,
    );
    assert_eq!(
        timeline,
        [(0, Some(0)), (1, Some(1)), (3, Some(0)), (4, None)]
    );
}

/// A thread of priority 5 publishes a ceiling for 10 us; threads of 7 and 9
/// become ready at 2 us. When do they run?
fn under_ceiling(ceiling: u32, granted: u8) -> (Vec<(u64, Option<u16>)>, u32) {
    let mut b = SystemBuilder::new();
    let process = b.process();
    b.process_entry(process).max_priority = granted;
    let holder = b.thread(process, FIFO);
    let urgent = [7, 9].map(|priority| b.thread(process, Scheduling::Fifo(priority)));
    let tables = b.finish();
    let page = tables.threads[0].control as usize;
    simulate(&tables, |simulation| {
        for thread in urgent {
            simulation.set_thread(thread, Script::new([sleep_until(2), compute(1)]));
        }
        let mut step = 0;
        simulation.set_thread(holder, move |moment: &mut giornata_sim::Moment<'_>| {
            step += 1;
            let in_force = if step == 1 { ceiling } else { 0 };
            moment
                .memory
                .write(page + 24, &in_force.to_le_bytes())
                .unwrap();
            match step {
                1 => compute(10),
                2 => call(Call::Yield, &[]),
                _ => giornata_sim::Act::End(0),
            }
        });
        simulation.run();
        let pending = simulation
            .board()
            .memory(process)
            .word(page + 28, 4)
            .unwrap();
        (timeline(simulation.records()), pending as u32)
    })
}

#[test]
fn a_ceiling_keeps_off_threads_up_to_it_and_no_others() {
    let (timeline, pending) = under_ceiling(7, 255);
    let expected = [
        (0, Some(2)),
        (0, Some(1)),
        (0, Some(0)),
        (2, Some(2)),
        (3, Some(0)),
        (11, Some(1)),
        (12, Some(0)),
        (12, None),
    ];
    assert_eq!(timeline, expected);
    assert_eq!(pending, 1, "the holder is told");
}

#[test]
fn a_ceiling_is_clamped_to_what_the_process_is_granted() {
    let (timeline, _) = under_ceiling(u32::MAX, 7);
    assert_eq!(timeline, under_ceiling(7, 255).0);
}

#[test]
fn a_ceiling_of_a_process_without_grants_means_nothing() {
    let (timeline, pending) = under_ceiling(255, 0);
    assert!(timeline.contains(&(2, Some(2))) && timeline.contains(&(3, Some(1))));
    assert_eq!(pending, 0);
}

const SECOND: u64 = 1_000_000;

#[test]
fn deadlines_beyond_the_span_of_keys_are_renewed_when_they_have_come_near() {
    let by = |seconds: u64| Scheduling::Deadline(seconds * 1_000_000_000);
    let timeline = run(
        [
            (by(200), vec![compute(150 * SECOND)]),
            (by(190), vec![compute(30 * SECOND)]),
        ],
        255,
    );
    let [(0, Some(0)), (taken, Some(1)), (back, Some(0)), (end, None)] = timeline[..] else {
        panic!("{timeline:?}");
    };
    // parked at first, in the order of numbers; the earlier goes first once both are known
    assert!(
        taken > 121 * SECOND && taken < 160 * SECOND,
        "taken over at {taken}"
    );
    assert_eq!((back, end), (taken + 30 * SECOND, 180 * SECOND));
}

#[test]
fn a_parked_deadline_never_precedes_a_nearer_one_however_long_it_waits() {
    const DAY: u64 = 86_400_000_000_000;
    for woken in [10, 60, 100, 150, 300] {
        let sleeper = vec![sleep_until(woken * SECOND), compute(SECOND)];
        let background = (Scheduling::Deadline(DAY), vec![compute(400 * SECOND)]);
        let timeline = run(
            [background, (Scheduling::Deadline(60_000_000_000), sleeper)],
            255,
        );
        assert!(
            timeline.contains(&(woken * SECOND, Some(1))),
            "{timeline:?}"
        );
    }
}

#[test]
fn a_ceiling_outlasts_the_end_of_a_quantum() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    let holder = b.thread(process, Scheduling::RoundRobin(5, 2_000));
    let equal = b.thread(process, FIFO);
    let tables = b.finish();
    let page = tables.threads[0].control as usize;
    let timeline = simulate(&tables, |simulation| {
        let mut in_force = 5u32;
        simulation.set_thread(holder, move |moment: &mut giornata_sim::Moment<'_>| {
            moment
                .memory
                .write(page + 24, &in_force.to_le_bytes())
                .unwrap();
            match std::mem::take(&mut in_force) {
                0 => giornata_sim::Act::End(0),
                _ => compute(5),
            }
        });
        simulation.set_thread(equal, Script::new([compute(1)]));
        simulation.run();
        timeline(simulation.records())
    });
    assert_eq!(timeline, [(0, Some(holder)), (5, Some(equal)), (6, None)]);
}

#[test]
fn programs_of_a_fixed_slot_run_their_governed_tasks_there() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    let rival = b.thread(process, Scheduling::Fifo(250));
    let task = b.task(process, "t", &[], &[]).thread;
    let program = b.program("a: release t 1ms\n fork s\n return\ns: dispatch t\n return");
    assert_eq!(b.program_entry(program).slot, BAND_DEADLINE);
    for (slot, expected) in [(BAND_DEADLINE, [rival, task]), (251, [task, rival])] {
        b.program_entry(program).slot = slot;
        let tables = b.clone().finish();
        let order = simulate(&tables, |simulation| {
            simulation.set_thread(rival, Script::new([compute(5)]));
            simulation.set_durations(job_times([(task, 5)]));
            simulation.run();
            order(simulation.records())
        });
        assert_eq!(order, expected);
    }
}

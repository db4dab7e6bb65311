//! Instants: nominal time, the latched clock, order, once an instant, steps.

use std::mem::offset_of;

use giornata_abi::call::Call;
use giornata_abi::control::ControlPage;

use crate::support::{MS, World, trace};

const PERIODIC: &str = "
    denominator 3
    task t
    start a
a:  release t, 10ms/3
    future after(10ms/3), a
    return
";

#[test]
fn the_kth_release_lies_at_the_multiple_of_the_period_rounded_down() {
    let mut world = World::new(&[PERIODIC]);
    world.takes("t", &[1.0]);
    let count = 600;
    world.run_until(count as u64 * 10 * MS / 3);
    let releases = &world.releases["t"];
    assert_eq!(releases.len(), count);
    for (k, release) in releases.iter().enumerate() {
        assert_eq!(*release, k as u64 * 10_000_000 / 3, "release {k}");
    }
}

#[test]
fn programs_begin_at_tick_0_however_long_boot_took() {
    let source = "
        task t
        start a
    a:  release t, 1ms
        future after(10ms), a
        return
    ";
    let first_alarm = |clock| {
        let mut world = World::new(&[source]);
        world.clock = clock;
        world.begin();
        world.rig().alarm()
    };
    assert_eq!(first_alarm(0), Some(10 * MS));
    assert_eq!(first_alarm(3 * MS), Some(10 * MS));
    // a clock that has run for long says nothing of the boot
    let late = 5 << 32 | 77;
    assert_eq!(first_alarm(late), Some(late + 10 * MS));
}

#[test]
fn a_million_releases_do_not_drift() {
    const RELEASES: u64 = if cfg!(miri) { 300 } else { 1_000_000 };
    const PERIOD: u64 = 1_000_003;
    let source = "
        denominator 7919
        task t
        start a
    a:  release t, 1ns
        future after(1000003ns/7919), a
        return
    ";
    let mut world = World::new(&[source]);
    world.begin();
    // (some 126 ns apart: 2^27 in all, so that no low word comes twice)
    for k in 0..RELEASES {
        let at = k * PERIOD / 7919;
        let rig = world.rig();
        if k > 0 {
            assert_eq!(rig.alarm(), Some(at), "release {k}");
            rig.advance(at - rig.now());
        }
        assert_eq!(rig.running(), 1, "release {k}");
        let _ = rig.call(Call::Complete, [0; 6]);
    }
}

#[test]
fn s_code_does_not_drift_either() {
    let source = "
        denominator 3
        port p i32 output
        driver d writes p
        start s
    s:  call d
        idle after(10ms/3)
        fork s
        return
    ";
    let trace = trace(&[source], 21, |_| {});
    let at = "@0ms d @3333333ns d @6666666ns d @10ms d @13333333ns d @16666666ns d @20ms d";
    assert_eq!(trace, at);
}

#[test]
fn a_time_trigger_handled_late_keeps_its_nominal_instant() {
    let source = "
        task t
        start a
    a:  future after(10ms), b
        return
    b:  release t, 5ms
        future after(10ms), b
        return
    ";
    let mut world = World::new(&[source]);
    world.run_until(MS);
    world.rig().pass(9 * MS + 777);
    world.rig().interrupt();
    world.attend();
    world.settle();
    assert_eq!(world.releases["t"], [10 * MS]);
    assert_eq!(world.words.join(" "), "@0ms t!15ms run:t");
    assert_eq!(world.rig().alarm(), Some(20 * MS));
}

#[test]
fn a_tick_that_only_renews_itself_keeps_its_instants_beside_others() {
    let tick = "
        denominator 3
        start a
    a:  future after(10ms/3), a
        return
    ";
    let tasks = "
        task t
        start a
    a:  release t, 1ms
        future after(5ms), a
        return
    ";
    let mut world = World::new(&[tick, tasks]);
    world.begin();
    let rig = world.rig();
    // the least common instant is 10 ms, where both ring at once
    let instants = |k: u64| [10 * k, 15 * k].map(|third| third * MS / 3);
    let mut all: Vec<u64> = (1..=60).flat_map(instants).collect();
    all.sort_unstable();
    all.dedup();
    for at in all.into_iter().filter(|at| *at <= 200 * MS) {
        if rig.running() == 1 {
            let _ = rig.call(Call::Complete, [0; 6]);
        }
        assert_eq!(rig.alarm(), Some(at));
        rig.advance(at - rig.now());
        rig.check_invariants();
        assert_eq!(rig.running() == 1, at % (5 * MS) == 0, "at {at}");
    }
}

#[test]
fn a_tick_that_is_periods_late_keeps_its_nominal_instants() {
    let tick = "
        start a
    a:  future after(3ms), a
        return
    ";
    let mut world = World::new(&[tick]);
    world.run_until(MS);
    let rig = world.rig();
    rig.pass(9 * MS + 777);
    rig.interrupt();
    rig.check_invariants();
    assert_eq!(rig.alarm(), Some(12 * MS));
}

#[test]
fn an_event_is_handled_at_the_clock_latched_for_it() {
    let source = "
        irq button
        task t
        start a
    a:  future irq(button), b
        return
    b:  release t, 5ms
        future after(10ms), a
        return
    ";
    let trace = trace(&[source], 20, |world| world.interrupt_at(3.25, "button"));
    assert_eq!(
        trace,
        "@0ms @3250us t!8250us run:t @4250us t-done run:idle @13250us"
    );
}

#[test]
fn conditions_of_an_instant_are_evaluated_against_the_latched_clock() {
    // the timeout is due 1 ns after the instant in which it is looked at
    let source = "
        irq button
        port p i32 output
        driver early writes p
        driver late writes p
        start a
    a:  future irq(button), b
        idle after(5000001ns)
        call late
        return
    b:  call early
        return
    ";
    let trace = trace(&[source], 20, |world| world.interrupt_at(5.0, "button"));
    assert_eq!(trace, "@0ms @5ms early @5000001ns late");
}

#[test]
fn completions_come_before_triggers_before_timeouts() {
    let source = "
        port p i32 output
        task t
        driver completion writes p
        driver trigger writes p
        driver timeout writes p
        start a
    a:  future after(5ms), g
        fork i
        release t, 10ms
        dispatch t
        call completion
        return
    g:  call trigger
        return
    i:  idle after(5ms)
        call timeout
        return
    ";
    let trace = trace(&[source], 20, |world| world.takes("t", &[5.0]));
    assert_eq!(
        trace,
        "@0ms t!10ms run:t @5ms t-done completion trigger timeout run:idle"
    );
}

#[test]
fn triggers_fire_in_the_order_of_the_queue() {
    let source = "
        port p i32 output
        driver first writes p
        driver second writes p
        driver third writes p
        start a
    a:  future after(5ms), x
        future after(4ms), y
        future after(5ms), z
        return
    x:  call first
        return
    y:  call second
        future after(1ms), w
        return
    w:  call second
        return
    z:  call third
        return
    ";
    assert_eq!(
        trace(&[source], 20, |_| {}),
        "@0ms @4ms second @5ms first third second"
    );
}

#[test]
fn what_waited_for_the_next_instant_comes_to_its_place_among_what_falls_due_with_it() {
    let source = "
        port p i32 output
        driver rung
        driver one
        driver two
        start a
    a:  future after(1ms), r
        future p == 0, x
        future p == 0, y
        return
    r:  call rung
        return
    x:  call one
        future p == 0, x
        return
    y:  call two
        future p == 0, y
        return
    ";
    assert_eq!(
        trace(&[source], 2, |_| {}),
        "@0ms one two @1ms rung one two"
    );
}

#[test]
fn what_becomes_true_in_an_instant_is_handled_in_it() {
    let source = "
        port p i32 output
        task t
        driver set writes p
        driver seen writes p
        start a
    a:  future p > 3, s
        future released(t), r
        future after(1ms), b
        return
    b:  release t, 9ms
        call set
        return
    s:  call seen
        return
    r:  call seen
        return
    ";
    let trace = trace(&[source], 2, |world| world.writes("set", "p", &[4]));
    assert_eq!(trace, "@0ms @1ms t!10ms set seen seen run:t");
}

#[test]
fn a_pair_that_fired_waits_for_a_later_instant() {
    let source = "
        irq button
        port p i32 output
        driver d writes p
        start a
    a:  future irq(button), b
        return
    b:  call d
        future irq(button), b
        return
    ";
    let trace = trace(&[source], 10, |world| {
        for at in [1.0, 1.0, 2.0] {
            world.interrupt_at(at, "button");
        }
    });
    // twice at 1 ms is one instant, handled in two goes
    assert_eq!(trace, "@0ms @1ms d @2ms d");
}

#[test]
fn a_level_that_stays_true_fires_once_in_each_instant() {
    let source = "
        irq button
        port p i32 output
        driver d
        start b
    b:  call d
        future p == 0, b
        return
    ";
    let trace = trace(&[source], 10, |world| {
        // p == 0 holds already, so b runs by its trigger in the first instant too
        for at in [1.0, 2.0] {
            world.write_at(at, "p", 0);
        }
        world.write_at(3.0, "p", 1);
    });
    assert_eq!(trace, "@0ms d d @1ms d @2ms d @3ms");
}

#[test]
fn two_bindings_of_one_pair_fire_both() {
    let source = "
        irq button
        port p i32 output
        driver d writes p
        start a
    a:  future irq(button), b
        future irq(button), b
        return
    b:  call d
        return
    ";
    assert_eq!(
        trace(&[source], 9, |w| w.interrupt_at(1.0, "button")),
        "@0ms @1ms d d"
    );
}

#[test]
fn the_same_instant_again_goes_on_with_it() {
    let mut world = World::new(&[PERIODIC]);
    world.takes("t", &[0.0, 9.0]);
    world.run_until(1);
    // the job has completed in the instant of its release, and is not released again
    assert_eq!(
        world.words.join(" "),
        "@0ms t!3333333ns run:t @0ms t-done run:idle"
    );
    assert_eq!(world.releases["t"], [0]);
}

#[test]
fn a_long_reaction_gives_way_between_instructions() {
    let mut source = String::from("irq x\ntask t\nport p i32 output\ndriver d writes p\nstart a\n");
    source.push_str("a: future after(1ms), b\nreturn\nb: ");
    for _ in 0..100 {
        source.push_str("call d\n");
    }
    source.push_str("return\n");
    let mut world = World::new(&[&source]);
    world.run_until(MS - 1);
    // each instruction takes 10 ns; after some, somebody more urgent has something to do
    world.rig().set_piece_time(10);
    world.rig().pass(1);
    world.rig().raise_at(MS + 200, super::support::CALL);
    world.rig().interrupt();
    world.read_trace();
    let done = world.words.len() - 1;
    assert!(
        (1..30).contains(&done),
        "{done} instructions before who is more urgent"
    );
    assert_eq!(world.rig().running(), 0);
    world.attend();
    world.read_trace();
    assert_eq!(world.words.len(), 101, "the rest comes after it");
}

#[test]
fn a_module_beyond_its_step_bound_is_abandoned() {
    let source = "
        steps 3
        port p i32 output
        driver d writes p
        start a
    a:  call d
        call d
        call d
        call d
        return
    ";
    assert_eq!(trace(&[source], 1, |_| {}), "@0ms d d d [overrun]");
}

#[test]
fn the_step_bound_counts_all_blocks_of_an_instant_and_starts_anew_in_the_next() {
    let source = "
        steps 6
        port p i32 output
        driver d writes p
        start a
    a:  future after(1ms), b
        future after(1ms), c
        future after(2ms), b
        return
    b:  call d
        call d
        return
    c:  call d
        call d
        call d
        call d
        return
    ";
    let trace = trace(&[source], 5, |_| {});
    assert_eq!(trace, "@0ms @1ms d d d d d [overrun] @2ms d d");
}

#[test]
fn the_handler_of_a_module_overrun_runs_in_the_same_instant_with_a_bound_of_its_own() {
    let source = "
        steps 3
        port p i32 output
        driver d writes p
        driver mend writes p
        handler overrun h
        start a
    a:  call d
        jump a
    h:  call mend
        return
    ";
    assert_eq!(
        trace(&[source], 1, |_| {}),
        "@0ms d d [overrun+handler] mend"
    );
}

#[test]
fn a_handler_beyond_the_bound_is_abandoned_too() {
    let source = "
        steps 3
        port p i32 output
        driver d writes p
        handler overrun h
        start a
    a:  call d
        jump a
    h:  call d
        jump h
    ";
    assert_eq!(
        trace(&[source], 1, |_| {}),
        "@0ms d d [overrun+handler] d d [overrun]"
    );
}

#[test]
fn a_job_that_has_not_begun_when_it_is_met_is_told_its_own_number_and_window() {
    let source = "
        task t
        task u
        start a
    a:  release t, 10ms
        release u, 10ms
        future after(10ms), a
        return
    ";
    let mut world = World::new(&[source]);
    world.takes("t", &[12.0]);
    world.run_until(13 * MS);
    let words = "@0ms t!10ms u!10ms run:t @10ms [time-safety:t] [time-safety:u] @12ms t-done run:u";
    assert_eq!(world.words.join(" "), words);
    let running = world.rig().running();
    let page = world.rig().thread(running).control;
    let mut job = [0; 16];
    world
        .rig()
        .read(page + offset_of!(ControlPage, job), &mut job);
    let word = |at: usize| u32::from_le_bytes(job[4 * at..][..4].try_into().unwrap());
    // number, release in two words, deadline
    assert_eq!([0, 1, 2, 3].map(word), [1, 0, 0, 10 * MS as u32]);
}

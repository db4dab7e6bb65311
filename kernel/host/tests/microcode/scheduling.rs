//! Who runs: S code rules its module's tasks, the default scheduler the rest.

use crate::support::{World, trace};

const OTHER: &str = "
    task other
    start b
b:  release other, 50ms
    return
";

fn idling(timeout: &str) -> String {
    format!("task t\nstart a\na: release t, 9ms\nidle {timeout}\nreturn")
}

#[test]
fn idle_gives_the_modules_tasks_nothing() {
    let trace = trace(&[&idling("after(5ms)")], 20, |_| {});
    assert_eq!(trace, "@0ms t!9ms @5ms run:t @6ms t-done run:idle");
}

#[test]
fn idle_lets_everybody_else_run_as_usual() {
    let trace = trace(&[&idling("after(5ms)"), OTHER], 20, |world| {
        world.takes("other", &[2.0])
    });
    assert_eq!(
        trace,
        "@0ms t!9ms other!50ms run:other @2ms other-done run:idle @5ms run:t @6ms t-done run:idle"
    );
}

#[test]
fn s_code_that_has_ended_leaves_its_tasks_to_the_default_scheduler() {
    let source = "
        task t
        task u
        start a
    a:  release t, 20ms
        release u, 10ms
        dispatch t, after(2ms)
        return
    ";
    let trace = trace(&[source], 20, |world| world.takes("t", &[5.0]));
    // t first by S code, then EDF: u, t
    assert_eq!(
        trace,
        "@0ms t!20ms u!10ms run:t @2ms run:u @3ms u-done run:t @6ms t-done run:idle"
    );
}

#[test]
fn a_task_that_governing_s_code_does_not_dispatch_waits() {
    let source = "
        task t
        task u
        start a
    a:  release t, 20ms
        release u, 10ms
        dispatch t
        return
    ";
    let trace = trace(&[source], 20, |_| {});
    assert_eq!(
        trace,
        "@0ms t!20ms u!10ms run:t @1ms t-done run:u @2ms u-done run:idle"
    );
}

#[test]
fn the_host_is_told_who_is_governed_and_dispatched() {
    let source = "task t\nstart a\na: release t, 9ms\nidle after(2ms)\ndispatch t\nreturn";
    let mut world = World::new(&[source, OTHER]);
    world.takes("t", &[3.0]);
    let governed = |world: &mut World| {
        let programs = world.rig().kernel().micro.programs;
        [0, 1].map(|program: usize| programs[program].governed.get() != 0)
    };
    let dispatched = |world: &mut World| {
        let task = world.rig().kernel().dispatched();
        task.map(|task| task.thread.number())
    };
    world.run_until(1_000_000);
    assert_eq!(governed(&mut world), [true, false]);
    assert_eq!(dispatched(&mut world), None);
    world.run_until(3_000_000);
    assert_eq!(dispatched(&mut world), Some(1));
    assert_eq!(world.running_task(), Some(0));
    world.run_until(10_000_000);
    assert_eq!(governed(&mut world), [false, false]);
    assert_eq!(dispatched(&mut world), None);
}

const OLDER: &str = "task t\nport p i32 output\ndriver after_t writes p\nstart a
    a: release t, 9ms\ndispatch t\ncall after_t\nreturn";
const YOUNGER: &str = "task u\nport q i32 output\ndriver after_u writes q\nstart b
    b: release u, 5ms\ndispatch u\ncall after_u\nreturn";

#[test]
fn two_threads_that_dispatch_different_tasks_violate_time_share() {
    let trace = trace(&[OLDER, YOUNGER], 20, |world| world.takes("t", &[3.0]));
    // the older keeps the hart, although the younger's task has the earlier deadline
    assert_eq!(
        trace,
        "@0ms t!9ms u!5ms [time-share:u] run:t @3ms t-done after_t run:u @4ms u-done after_u run:idle"
    );
}

#[test]
fn two_threads_that_dispatch_the_same_task_violate_nothing() {
    let source = "
        task t
        port p i32 output
        driver d writes p
        start a
    a:  release t, 9ms
        fork b
        dispatch t
        call d
        return
    b:  dispatch t
        call d
        return
    ";
    assert_eq!(
        trace(&[source], 9, |_| {}),
        "@0ms t!9ms run:t @1ms t-done d d run:idle"
    );
}

#[test]
fn a_time_share_violation_is_reported_once_for_each_dispatch() {
    let ticking = "port r i32 output\ndriver tick writes r\nstart c
        c: call tick\nfuture after(1ms), c\nreturn";
    let trace = trace(&[OLDER, YOUNGER, ticking], 3, |world| {
        world.takes("t", &[5.0])
    });
    assert_eq!(trace.matches("time-share").count(), 1);
    assert_eq!(trace.matches("tick").count(), 3);
}

#[test]
fn exclusive_slots_compose_without_violation() {
    // at 5 ms both timeouts expire; the younger module's slot begins as the other's ends
    let first = "task t\nstart a\na: release t, 20ms\ndispatch t, after(5ms)\nidle after(10ms)\ndispatch t\nreturn";
    let second =
        "task u\nstart b\nb: release u, 20ms\nidle after(5ms)\ndispatch u, after(10ms)\nreturn";
    for sources in [[first, second], [second, first]] {
        let trace = trace(&sources, 30, |world| {
            world.takes("t", &[7.0]);
            world.takes("u", &[3.0]);
        });
        assert!(!trace.contains("time-share"), "{trace}");
        assert!(
            trace.ends_with("@5ms run:u @8ms u-done run:idle @10ms run:t @12ms t-done run:idle"),
            "{trace}"
        );
    }
}

#[test]
fn a_waiting_threads_timeout_goes_on() {
    let younger = "task u\nport q i32 output\ndriver gave_up writes q\nstart b
        b: release u, 9ms\ndispatch u, after(2ms), x\nreturn\nx: call gave_up\nreturn";
    let trace = trace(&[OLDER, younger], 20, |world| world.takes("t", &[3.0]));
    // u falls to the default scheduler at 2 ms; both deadlines are 9 ms, so the older task goes on
    assert_eq!(
        trace,
        "@0ms t!9ms u!9ms [time-share:u] run:t @2ms gave_up @3ms t-done after_t run:u @4ms u-done run:idle"
    );
}

#[test]
fn a_handler_of_time_share_runs_in_the_same_instant() {
    let younger = "task u\nport who u16 violation-task\nport q i32 output\ndriver mend writes q
        handler time-share h\nstart b\nb: release u, 9ms\ndispatch u\nreturn\nh: call mend\nreturn";
    let trace = trace(&[OLDER, younger], 2, |world| world.takes("t", &[3.0]));
    assert_eq!(
        trace,
        "@0ms t!9ms u!9ms [time-share:u+handler] who=0 mend run:t"
    );
}

//! What each instruction does.

use crate::support::trace;

/// Declarations that most tests share.
const HEAD: &str = "
    irq button
    port p i32 output
    task t
    task u
    driver d writes p
    driver e writes p
    driver f writes p
    start a
";

fn run(code: &str) -> String {
    trace(&[&format!("{HEAD}{code}")], 100, |world| {
        world.takes("t", &[4.0]);
        world.takes("u", &[2.0]);
        world.interrupt_at(50.0, "button");
    })
}

#[test]
fn call_runs_a_driver_before_the_next_instruction() {
    assert_eq!(run("a: call d\ncall e\nreturn"), "@0ms d e @50ms");
}

#[test]
fn release_marks_a_task_with_a_deadline_after_the_instant() {
    let code = "a: future after(3ms), b\nreturn\nb: release t, 7ms\nreturn";
    assert_eq!(
        run(code),
        "@0ms @3ms t!10ms run:t @7ms t-done run:idle @50ms"
    );
}

#[test]
fn future_runs_a_block_when_its_trigger_is_enabled() {
    let code = "a: future after(3ms), b\ncall d\nreturn\nb: call e\nreturn";
    assert_eq!(run(code), "@0ms d @3ms e @50ms");
}

#[test]
fn future_counts_from_the_instant_even_in_an_old_thread() {
    let code = "a: idle after(3ms)\nfuture after(3ms), b\nreturn\nb: call e\nreturn";
    assert_eq!(run(code), "@0ms @3ms @6ms e @50ms");
}

#[test]
fn a_trigger_starts_its_block_with_the_instant_as_reference_time() {
    let code = "a: future after(3ms), b\nreturn\nb: idle after(4ms)\ncall e\nreturn";
    assert_eq!(run(code), "@0ms @3ms @7ms e @50ms");
}

#[test]
fn future_keeps_the_state_of_its_port_at_activation() {
    let code = "a: call d\nfuture changed(p), b\nreturn\nb: call e\nreturn";
    let source = format!("{HEAD}{code}");
    let trace = trace(&[&source], 9, |world| {
        world.writes("d", "p", &[5]);
        world.write_at(1.0, "p", 5);
        world.write_at(2.0, "p", 6);
    });
    assert_eq!(trace, "@0ms d @1ms @2ms e");
}

#[test]
fn dispatch_of_a_completed_task_takes_no_time() {
    assert_eq!(run("a: dispatch t\ncall d\nreturn"), "@0ms d @50ms");
}

#[test]
fn dispatch_goes_on_when_the_task_completes() {
    let code = "a: release t, 9ms\ndispatch t, after(5ms), x\ncall d\nreturn\nx: call e\nreturn";
    assert_eq!(run(code), "@0ms t!9ms run:t @4ms t-done d run:idle @50ms");
}

#[test]
fn dispatch_goes_to_its_address_when_the_timeout_expires_first() {
    let code = "a: release t, 9ms\ndispatch t, after(3ms), x\ncall d\nreturn\nx: call e\nreturn";
    // the S code has ended: the default scheduler finishes the job
    assert_eq!(
        run(code),
        "@0ms t!9ms run:t @3ms e @4ms t-done run:idle @50ms"
    );
}

#[test]
fn dispatch_prefers_completion_when_both_come_at_once() {
    let code = "a: release t, 9ms\ndispatch t, after(4ms), x\ncall d\nreturn\nx: call e\nreturn";
    assert_eq!(run(code), "@0ms t!9ms run:t @4ms t-done d run:idle @50ms");
}

#[test]
fn dispatch_with_an_expired_timeout_goes_to_its_address_at_once() {
    let code = "a: release t, 9ms\ndispatch t, true, x\ncall d\nreturn\nx: call e\nreturn";
    assert_eq!(run(code), "@0ms t!9ms e run:t @4ms t-done run:idle @50ms");
}

#[test]
fn idle_waits_for_its_timeout() {
    assert_eq!(
        run("a: idle after(3ms)\ncall d\nreturn"),
        "@0ms @3ms d @50ms"
    );
}

#[test]
fn a_second_idle_of_the_same_length_expires_at_once() {
    let code = "a: idle after(3ms)\ncall d\nidle after(3ms)\ncall e\nreturn";
    assert_eq!(run(code), "@0ms @3ms d e @50ms");
}

#[test]
fn timeouts_count_from_the_reference_time_and_not_from_the_dispatch() {
    let code =
        "a: release t, 9ms\nidle after(2ms)\ndispatch t, after(5ms), x\nreturn\nx: call e\nreturn";
    assert_eq!(
        run(code),
        "@0ms t!9ms @2ms run:t @5ms e @6ms t-done run:idle @50ms"
    );
}

#[test]
fn jump_keeps_the_reference_time() {
    let code = "a: idle after(3ms)\njump b\nb: idle after(5ms)\ncall d\nreturn";
    assert_eq!(run(code), "@0ms @3ms @5ms d @50ms");
}

#[test]
fn fork_sets_the_reference_time_to_the_latched_clock() {
    let code = "a: idle after(3ms)\nfork b\nreturn\nb: idle after(5ms)\ncall d\nreturn";
    assert_eq!(run(code), "@0ms @3ms @8ms d @50ms");
}

#[test]
fn the_parent_of_a_fork_goes_on_first() {
    assert_eq!(
        run("a: fork b\ncall d\nreturn\nb: call e\nreturn"),
        "@0ms d e @50ms"
    );
}

#[test]
fn a_forked_thread_runs_in_the_same_instant_after_the_triggers() {
    let code = "
    a:  future after(3ms), x
        future after(3ms), y
        return
    x:  fork b
        return
    y:  call d
        return
    b:  call e
        return
    ";
    assert_eq!(run(code), "@0ms @3ms d e @50ms");
}

#[test]
fn threads_run_in_the_order_in_which_they_wait() {
    let code = "a: fork x\nfork y\nfork z\nreturn\nx: call f\nreturn\ny: call d\nreturn\nz: call e\nreturn";
    assert_eq!(run(code), "@0ms f d e @50ms");
}

#[test]
fn branch_goes_to_its_address_if_the_test_holds() {
    let code = "a: branch p == 0, x\ncall d\nx: branch p != 0, y\ncall e\ny: return";
    assert_eq!(run(code), "@0ms e @50ms");
}

#[test]
fn return_ends_the_block() {
    assert_eq!(run("a: call d\nreturn\ncall e\nreturn"), "@0ms d @50ms");
}

//! Violations: what is one, its default action, and the program's handlers.

use std::fmt::Write;

use crate::support::{End, Event, LINES, MS, Work, World, trace};

const HEAD: &str = "
    port p i32 output
    port who u16 violation-task
    port what u16 violation-driver
    task s
    task t in x out y
    driver feed reads p writes x
    driver fetch reads y writes p
    driver free writes p
    driver mend writes p
    driver note writes p
    start a
a:  release t, 9ms
    future after(2ms), b
    return
";

/// t runs until 4 ms; at 2 ms block b runs.
fn run(code: &str) -> String {
    let trace = trace(&[&format!("{HEAD}{code}")], 20, |world| {
        world.takes("t", &[4.0])
    });
    trace.replace("@0ms t!9ms run:t ", "")
}

#[test]
fn a_driver_that_writes_what_a_running_job_reads_is_skipped() {
    let end = "@2ms [time-safety:t:feed] free @4ms t-done run:idle";
    assert_eq!(run("b: call feed\ncall free\nreturn"), end);
}

#[test]
fn a_driver_that_reads_what_a_running_job_writes_is_skipped() {
    let end = "@2ms [time-safety:t:fetch] free @4ms t-done run:idle";
    assert_eq!(run("b: call fetch\ncall free\nreturn"), end);
}

#[test]
fn a_driver_that_touches_no_running_job_is_no_violation() {
    assert_eq!(
        run("b: call free\nreturn"),
        "@2ms free @4ms t-done run:idle"
    );
}

#[test]
fn a_driver_is_free_again_when_the_job_completes() {
    assert_eq!(
        run("b: dispatch t\ncall feed\nreturn"),
        "@2ms @4ms t-done feed run:idle"
    );
}

#[test]
fn a_release_of_an_uncompleted_task_is_skipped() {
    let end = "@2ms [time-safety:t] free @4ms t-done run:idle";
    assert_eq!(run("b: release t, 5ms\ncall free\nreturn"), end);
}

#[test]
fn a_handler_runs_at_once_and_its_return_resumes_the_block() {
    let code = "
    b:  call free
        call feed
        call free
        return
    h:  call mend
        return
        handler time-safety h
    ";
    let end = "@2ms free [time-safety:t:feed+handler] who=1 what=0 mend free @4ms t-done run:idle";
    assert_eq!(run(code), end);
}

#[test]
fn a_handler_can_read_which_task_and_driver_were_involved() {
    let code = "
    b:  release t, 5ms
        call fetch
        return
    h:  branch what == 1, x
        call note
        return
    x:  branch who == 1, y
        return
    y:  call mend
        return
        handler time-safety h
    ";
    let end = "@2ms [time-safety:t+handler] who=1 what=65535 note \
               [time-safety:t:fetch+handler] who=1 what=1 mend @4ms t-done run:idle";
    assert_eq!(run(code), end);
}

#[test]
fn a_violation_inside_a_handler_takes_the_default_only() {
    let code = "
    b:  call feed
        call free
        return
    h:  call fetch
        call mend
        return
        handler time-safety h
    ";
    let end = "@2ms [time-safety:t:feed+handler] who=1 what=0 [time-safety:t:fetch] mend free \
               @4ms t-done run:idle";
    assert_eq!(run(code), end);
}

#[test]
fn a_handler_keeps_to_its_kind() {
    let code = "b: call feed\nreturn\nh: call mend\nreturn\nhandler overrun h";
    assert_eq!(run(code), "@2ms [time-safety:t:feed] @4ms t-done run:idle");
}

#[test]
fn the_interrupted_block_keeps_its_reference_time() {
    let code = "
    b:  idle after(1ms)
        call feed
        idle after(5ms)
        call free
        return
    h:  call mend
        return
        handler time-safety h
    ";
    let end = "@2ms @3ms [time-safety:t:feed+handler] who=1 what=0 mend @7ms free run:t @9ms t-done run:idle";
    // the thread governs t and gives it nothing until 7 ms
    assert_eq!(run(code), end.replace("@2ms", "@2ms run:idle"));
}

#[test]
fn a_handler_may_end_as_a_thread_of_its_own() {
    let code = "
    b:  call feed
        call free
        return
    h:  dispatch t
        call mend
        return
        handler time-safety h
    ";
    let end = "@2ms [time-safety:t:feed+handler] who=1 what=0 free @4ms t-done mend run:idle";
    assert_eq!(run(code), end);
}

#[test]
fn a_handler_may_arm_the_future() {
    let code = "
    b:  call feed
        return
    h:  future after(3ms), b
        return
        handler time-safety h
    ";
    let end = "@2ms [time-safety:t:feed+handler] who=1 what=0 @4ms t-done run:idle @5ms feed";
    assert_eq!(run(code), end);
}

/// At 3 ms the job of t has used its budget, or its process faults.
fn stopped(handlers: &str, faults: bool) -> String {
    let code = format!("b: call free\nreturn\nh: call mend\nreturn\n{handlers}");
    let source = format!("{HEAD}{code}");
    let trace = trace(&[&source], 20, |world| {
        world.takes("t", &[4.0]);
        match faults {
            true => world.at(3.0, Event::Fault),
            false => world.limit("t", 3.0),
        }
    });
    trace.replace("@0ms t!9ms run:t @2ms free ", "")
}

#[test]
fn an_overrun_job_is_reported_and_handled_in_the_instant() {
    assert_eq!(stopped("", false), "@3ms [overrun:t] run:idle");
    assert_eq!(
        stopped("handler overrun h", false),
        "@3ms [overrun:t+handler] who=1 what=65535 mend run:idle"
    );
}

#[test]
fn what_a_stopped_job_would_put_out_is_not_copied() {
    let code = "b: future after(3ms), c\nreturn\nc: call fetch\ncall feed\nreturn";
    let trace = trace(&[&format!("{HEAD}{code}")], 20, |world| {
        world.takes("t", &[4.0]);
        world.limit("t", 3.0);
    });
    let end = "@2ms @3ms [overrun:t] run:idle @5ms feed";
    assert_eq!(trace, format!("@0ms t!9ms run:t {end}"));
}

#[test]
fn a_fault_of_a_tasks_process_is_reported_and_handled_in_the_instant() {
    assert_eq!(stopped("", true), "@3ms [fault:t] run:idle");
    assert_eq!(
        stopped("handler fault h", true),
        "@3ms [fault:t+handler] who=1 what=65535 mend run:idle"
    );
}

#[test]
fn what_a_completed_job_has_put_out_is_lost_with_its_process() {
    // t completes at 1 ms, and u, which is of its process, faults at 2 ms
    let source = "
        port p i32 output
        task t out o
        task u
        copy fetch reads o writes p
        driver free
        steps 20
        start a
    a:  release t, 5ms
        release u, 9ms
        future after(3ms), c
        return
    c:  call fetch
        call free
        return";
    let trace = trace(&[source], 20, |world| {
        world.takes("t", &[1.0]);
        world.takes("u", &[4.0]);
        world.at(2.0, Event::Fault);
    });
    let end = trace.split("@3ms").nth(1).unwrap().trim();
    assert_eq!(end, "free");
}

/// So many tasks with jobs, when their process faults.
fn fault_of(tasks: usize) -> String {
    let declared: String = (0..tasks).map(|task| format!("task t{task}\n")).collect();
    let released: String = (0..tasks)
        .map(|task| format!("release t{task}, 9ms\n"))
        .collect();
    let source = format!(
        "{declared}
        port p i32 output
        port who u16 violation-task
        driver mend writes p
        handler fault h
        steps 100
        start a
    a:  {released} return
    h:  call mend
        return"
    );
    trace(&[&source], 20, |world| {
        world.takes("t0", &[4.0]);
        world.at(3.0, Event::Fault);
    })
}

#[test]
fn s_code_that_loops_over_jobs_ends_with_the_process_that_runs_them() {
    // (each round takes the time of a job, as the verifier sees it)
    let source = "
        task t
        start a
    a:  fork s
        return
    s:  release t, 9ms
        dispatch t
        fork s
        return";
    let trace = trace(&[source], 20, |world| {
        world.takes("t", &[1.0]);
        world.at(2.5, Event::Fault);
    });
    let end = trace.split("@2500us").nth(1).unwrap_or(&trace).trim();
    assert_eq!(
        end,
        "[fault:t] t!11500us t!11500us t!11500us [overrun] run:idle"
    );
}

#[test]
fn several_raised_violations_run_their_handlers_in_turn() {
    let end = fault_of(3).split("@3ms").nth(1).unwrap().trim().to_string();
    // the teardown stops one task a piece, and who hears of it comes first
    let expected = "[fault:t0+handler] who=0 mend [fault:t1+handler] who=1 mend \
                    [fault:t2+handler] who=2 mend run:idle";
    assert_eq!(end, expected);
}

#[test]
fn more_than_eight_waiting_handlers_fall_to_the_default() {
    // two threads of S code that dispatch at once violate time sharing; so do ten
    let mut source =
        String::from("port p i32 output\ndriver mend writes p\nhandler time-share h\nsteps 1000\n");
    for task in 0..12 {
        source.push_str(&format!("task t{task}\n"));
    }
    source.push_str("start a\na: ");
    for task in 0..12 {
        source.push_str(&format!("release t{task}, 9ms\nfork b{task}\n"));
    }
    source.push_str("return\nh: call mend\nreturn\n");
    for task in 0..12 {
        source.push_str(&format!("b{task}: dispatch t{task}\nreturn\n"));
    }
    let trace = trace(&[&source], 1, |_| {});
    assert_eq!(trace.matches("time-share").count(), 11, "{trace}");
    let handled = trace.matches("+handler").count();
    assert!((8..11).contains(&handled), "{trace}");
    assert_eq!(trace.matches("mend").count(), handled);
}

#[test]
fn a_dispatch_of_a_stopped_job_goes_on() {
    let source = "
        port p i32 output
        task t
        driver d writes p
        start a
    a:  release t, 9ms
        dispatch t
        call d
        return
    ";
    let trace = trace(&[source], 20, |world| {
        world.takes("t", &[9.0]);
        world.limit("t", 3.0);
    });
    assert_eq!(trace, "@0ms t!9ms run:t @3ms [overrun:t] d run:idle");
}

#[test]
fn an_overrun_upcall_keeps_the_block_going() {
    let source =
        format!("{HEAD}b: call note\ncall free\nreturn\nh: call mend\nreturn\nhandler overrun h");
    let trace = trace(&[&source], 3, |world| {
        world.takes("t", &[4.0]);
        world.answers("note", &[End::Overrun]);
    });
    assert_eq!(
        trace,
        "@0ms t!9ms run:t @2ms note() [overrun:note+handler] who=65535 what=4 mend free"
    );
}

#[test]
fn a_faulted_upcall_is_a_fault_of_its_driver() {
    let source = format!("{HEAD}b: call note\ncall free\nreturn");
    let trace = trace(&[&source], 3, |world| world.answers("note", &[End::Fault]));
    assert_eq!(
        trace,
        "@0ms t!9ms run:t @1ms t-done run:idle @2ms note() [fault:note] free"
    );
}

#[test]
fn a_driver_that_cannot_run_is_a_fault() {
    let source =
        format!("{HEAD}b: call note\ncall free\nreturn\nh: call mend\nreturn\nhandler fault h");
    let trace = trace(&[&source], 3, |world| {
        world.takes("t", &[4.0]);
        world.does("note", Work::Fails);
    });
    assert_eq!(
        trace,
        "@0ms t!9ms run:t @2ms [fault:note+handler] who=65535 what=4 mend free"
    );
}

#[test]
fn a_predicate_whose_driver_conflicts_is_false_and_a_violation() {
    let code = "b: future upcall(feed), c\nreturn\nc: call free\nreturn\nh: call mend\nreturn\nhandler time-safety h";
    let source = format!("{HEAD}{code}");
    let trace = trace(&[&source], 9, |world| {
        world.takes("t", &[4.0]);
        world.answers("feed", &[End::Returned(1)]);
    });
    assert_eq!(
        trace,
        "@0ms t!9ms run:t @2ms [time-safety:t:feed+handler] who=1 what=0 mend @4ms t-done feed() free run:idle"
    );
}

#[test]
fn no_slot_for_a_thread_or_trigger_is_an_overrun_of_the_module() {
    // without a bound the tables are small; each round leaves one thread more
    let source = "
        port p i32 output
        driver mend writes p
        handler overrun h
        start a
    a:  fork b
        future after(1ms), a
        return
    b:  idle never
        return
    h:  call mend
        return
    ";
    let trace = trace(&[source], 5, |_| {});
    assert_eq!(trace, "@0ms @1ms @2ms @3ms @4ms [overrun+handler] mend");
}

#[test]
fn what_a_stopped_job_puts_out_is_not_copied() {
    for apart in ["", "future completed(s), b"] {
        let source = format!(
            "{HEAD_OF_STOPPED}
            start a
        a:  call fetch
            call feed
            release t, 9ms
            {apart}
            future after(10ms), a
            return
        b:  return"
        );
        let trace = trace(&[&source], 35, |world| {
            world.takes("t", &[1.0, 5.0, 1.0]);
            world.limit("t", 4.0);
        });
        let end = "@0ms fetch feed t!9ms run:t @1ms t-done run:idle \
                   @10ms fetch feed t!19ms run:t @14ms [overrun:t] run:idle \
                   @20ms feed t!29ms run:t @21ms t-done run:idle \
                   @30ms fetch feed t!39ms run:t @31ms t-done run:idle";
        assert_eq!(trace, end, "{apart}");
    }
}

const HEAD_OF_STOPPED: &str = "
    port p i32 output
    task s
    task t in x out y
    driver feed reads p writes x
    driver fetch reads y writes p
";

/// Twelve tasks that are released together every 2 ms, of which the second still runs at
/// 4 ms, and the others behind it wait. If the release is `in_pieces`, a line rises
/// meanwhile, and each look at the hart finds it.
fn a_crowd_released(in_pieces: bool) -> String {
    let mut source = String::from("irq x\nport p i32 output\nport o i32 output\n");
    source.push_str("driver mend writes p\ndriver free writes p\ndriver press writes o\n");
    for number in 0..12 {
        writeln!(source, "task t{number}").unwrap();
    }
    source.push_str("start a\na: future irq(x), q\nfuture after(2ms), b\nreturn\n");
    source.push_str("q: call press\nreturn\nb: ");
    for number in 0..12 {
        writeln!(source, "release t{number}, 9ms").unwrap();
    }
    source.push_str("call free\nfuture after(2ms), b\nreturn\n");
    source.push_str("h: call mend\nreturn\nhandler time-safety h\n");
    let mut world = World::new(&[&source]);
    world.takes("t1", &[4.0]);
    world.run_until(4 * MS - 1);
    world.words.clear();
    if in_pieces {
        world.rig().set_piece_time(10);
        world.rig().raise_at(4 * MS + 1, LINES);
    }
    world.run_until(4 * MS + MS / 2);
    world.rig().set_piece_time(0);
    world.words.join(" ")
}

#[test]
fn a_handler_runs_behind_the_release_that_it_is_of_though_something_waits() {
    let whole = a_crowd_released(false);
    let late: Vec<String> = (1..12)
        .map(|task| format!("[time-safety:t{task}+handler] mend"))
        .collect();
    assert_eq!(whole, format!("@4ms t0!13ms {} free", late.join(" ")));
    assert_eq!(a_crowd_released(true), format!("{whole} press"));
}

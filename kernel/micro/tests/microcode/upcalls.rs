//! The E machine as a stored continuation: an upcall suspends the reaction
//! anywhere, and its end resumes it there.

use giornata_abi::Instant;
use giornata_micro::{Progress, UpcallEnd};

use crate::support::{World, link, trace};

const SOURCE: &str = "
    port p i32 output
    task t
    driver ask writes p
    driver d writes p
    start a
a:  call d
    call ask
    call d
    return
";

#[test]
fn an_upcall_suspends_the_reaction_and_its_end_resumes_it() {
    let tables = link(&[SOURCE]);
    let mut slots = tables.slots();
    let mut world = World::new(&tables, &mut slots);
    world.answers("ask", &[UpcallEnd::Returned(0)]);
    world.start_all();
    assert!(world.machine.begin(Instant::START, None));
    let (machine, kernel) = (&mut world.machine, &mut world.kernel);
    assert_eq!(machine.run(kernel), Progress::Upcall);
    assert_eq!(
        machine.run(kernel),
        Progress::Upcall,
        "nothing happens before it ends"
    );
    assert!(
        !machine.begin(Instant(9), None),
        "what comes meanwhile waits"
    );
    assert_eq!(kernel.words, ["@0ms", "d", "ask()"]);
    machine.upcall_ended(kernel, UpcallEnd::Returned(0));
    assert_eq!(machine.run(kernel), Progress::Settled);
    assert_eq!(kernel.words, ["@0ms", "d", "ask()", "d"]);
}

#[test]
fn an_end_without_an_upcall_is_ignored() {
    let tables = link(&[SOURCE]);
    let mut slots = tables.slots();
    let mut world = World::new(&tables, &mut slots);
    world
        .machine
        .upcall_ended(&mut world.kernel, UpcallEnd::Fault);
    assert_eq!(world.machine.run(&mut world.kernel), Progress::Settled);
    assert!(world.kernel.reports.is_empty());
}

#[test]
fn a_violation_raised_during_an_upcall_waits_for_the_block() {
    use giornata_abi::trace::Violation;
    let source = SOURCE.replace("start a", "handler fault h\nstart a") + "h: call d\nreturn";
    let tables = link(&[&source]);
    let mut slots = tables.slots();
    let mut world = World::new(&tables, &mut slots);
    world.answers("ask", &[UpcallEnd::Fault]);
    world.start_all();
    assert!(world.machine.begin(Instant::START, None));
    assert_eq!(world.machine.run(&mut world.kernel), Progress::Upcall);
    world
        .machine
        .raise(&mut world.kernel, 0, Violation::Fault, Some(0), None);
    world.react();
    // the fault of the upcall runs its handler inside the block, the task's after it
    let words = "@0ms d ask() [fault:t+handler] [fault:ask+handler] d d d";
    assert_eq!(world.kernel.words.join(" "), words);
}

#[test]
fn what_an_upcall_writes_is_seen_by_earlier_triggers() {
    let source = "
        port p i32 output
        driver ask writes p
        driver seen
        start a
    a:  future p > 0, s
        future after(1ms), b
        return
    b:  call ask
        return
    s:  call seen
        return
    ";
    let tables = link(&[source]);
    let mut slots = tables.slots();
    let mut world = World::new(&tables, &mut slots);
    world.answers("ask", &[UpcallEnd::Returned(0)]);
    world.start_all();
    world.run_until(1_000_000);
    assert!(world.machine.begin(Instant(1_000_000), None));
    assert_eq!(world.machine.run(&mut world.kernel), Progress::Upcall);
    world.kernel.set(0, 1); // the driver's output is copied back
    world.react();
    assert_eq!(world.kernel.words.join(" "), "@0ms ask() seen");
}

#[test]
fn upcalls_of_predicates_and_calls_interleave_without_nesting() {
    let source = "
        port p i32 output
        driver even
        driver odd
        driver act
        start a
    a:  future upcall(even), x
        future upcall(odd), y
        return
    x:  call act
        return
    y:  call act
        future upcall(odd), y
        return
    ";
    let trace = trace(&[source], 9, |world| {
        world.answers("even", &[UpcallEnd::Returned(0), UpcallEnd::Returned(1)]);
        world.answers("odd", &[UpcallEnd::Returned(1)]);
        world.answers("act", &[UpcallEnd::Returned(0)]);
        world.write_at(1.0, "p", 1);
    });
    let words = "@0ms even() odd() act() @1ms even() act() odd() act()";
    assert_eq!(trace, words);
}

#[test]
fn an_overrun_or_faulted_predicate_is_false() {
    for (end, word) in [(UpcallEnd::Overrun, "overrun"), (UpcallEnd::Fault, "fault")] {
        for code in [
            "future upcall(ask), y\nreturn",
            "idle upcall(ask)\njump y",
            "branch upcall(ask), y\nreturn",
        ] {
            let source = format!("driver ask\ndriver d\nstart a\na: {code}\ny: call d\nreturn");
            let trace = trace(&[&source], 9, |world| world.answers("ask", &[end]));
            assert_eq!(trace, format!("@0ms ask() [{word}:ask]"), "{code}");
        }
    }
}

#[test]
fn a_driver_done_at_once_has_no_answer() {
    let source =
        "driver ask\ndriver d\nstart a\na: branch upcall(ask), y\nreturn\ny: call d\nreturn";
    assert_eq!(trace(&[source], 9, |_| {}), "@0ms ask");
}

#[test]
fn a_completion_latched_behind_the_scan_is_handled_in_the_same_instant() {
    let source = "
        port p i32 output
        task t
        driver ask
        driver d writes p
        start a
    a:  release t, 9ms
        fork b
        dispatch t
        call d
        return
    b:  idle upcall(ask)
        return
    ";
    let tables = link(&[source]);
    let mut slots = tables.slots();
    let mut world = World::new(&tables, &mut slots);
    world.answers("ask", &[UpcallEnd::Returned(0)]);
    world.start_all();
    assert!(world.machine.begin(Instant::START, None));
    assert_eq!(world.machine.run(&mut world.kernel), Progress::Upcall);
    world.kernel.tasks[0].deadline = None;
    world.machine.completed(0);
    world.react();
    assert_eq!(world.kernel.words.join(" "), "@0ms t!9ms ask() d");
}

#[test]
fn a_program_started_in_a_reaction_runs_in_the_same_instant() {
    let source = "driver ask\nstart a\na: idle upcall(ask)\nreturn";
    let other = "driver d\nstart a\na: call d\nreturn";
    let tables = link(&[source, other]);
    let mut slots = tables.slots();
    let mut world = World::new(&tables, &mut slots);
    world.answers("ask", &[UpcallEnd::Returned(0)]);
    assert!(world.machine.start(0, Instant::START));
    assert!(world.machine.begin(Instant::START, None));
    assert_eq!(world.machine.run(&mut world.kernel), Progress::Upcall);
    assert!(world.machine.start(1, Instant::START));
    world.react();
    assert_eq!(world.kernel.words.join(" "), "@0ms ask() d");
}

//! The E machine as a stored continuation: an upcall suspends the reaction
//! anywhere, and its end resumes it there.

use giornata_abi::call::Call;
use giornata_abi::trace::FaultCause;

use crate::support::{End, World, trace};

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

/// A world in whose first instant an upcall runs.
fn in_upcall(sources: &[&str]) -> World {
    let mut world = World::new(sources);
    world.answers("ask", &[End::Returned(0)]);
    world.system.budget = 1_000_000;
    world.holds_upcalls = true;
    world.begin();
    world
}

/// The thread of the upcall of `ask`.
fn asked(world: &World) -> usize {
    let driver = world
        .system
        .drivers
        .iter()
        .find(|driver| driver.name == "ask");
    driver.unwrap().thread
}

#[test]
fn an_upcall_suspends_the_reaction_and_its_end_resumes_it() {
    let mut world = in_upcall(&[SOURCE]);
    assert_eq!(world.rig().running(), asked(&world));
    assert_eq!(world.words, ["@0ms", "d", "ask()"]);
    // what comes meanwhile waits
    world.rig().raise(crate::support::CALL);
    world.rig().advance(9);
    assert_eq!(world.rig().running(), asked(&world));
    let _ = world.rig().call(Call::Return, [0; 6]);
    world.holds_upcalls = false;
    world.attend();
    world.read_trace();
    assert_eq!(world.words, ["@0ms", "d", "ask()", "d"]);
}

#[test]
fn a_return_without_an_upcall_is_refused() {
    let mut world = World::new(&[SOURCE]);
    world.answers("ask", &[End::Returned(0)]);
    world.begin();
    world.rig().raise(crate::support::CALL);
    assert_eq!(world.rig().running(), 0);
    let refused = world.rig().call(Call::Return, [0; 6]).unwrap();
    assert_eq!(refused[0], giornata_abi::Error::EPERM as usize);
}

#[test]
fn a_violation_raised_during_an_upcall_waits_for_the_block() {
    // the fault of the upcall runs its handler inside the block
    let source = SOURCE.replace("start a", "handler fault h\nstart a") + "h: call d\nreturn";
    let mut world = in_upcall(&[&source]);
    world.rig().fault(FaultCause::Load, 0, 0);
    world.holds_upcalls = false;
    world.attend();
    world.read_trace();
    assert_eq!(
        world.words.join(" "),
        "@0ms d ask() [fault:ask+handler] d d"
    );
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
    let trace = trace(&[source], 2, |world| {
        world.answers("ask", &[End::Returned(0)]);
        world.puts_out("ask", "p", 1);
    });
    assert_eq!(trace, "@0ms @1ms ask() seen");
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
        world.answers("even", &[End::Returned(0), End::Returned(1)]);
        world.answers("odd", &[End::Returned(1)]);
        world.answers("act", &[End::Returned(0)]);
        world.write_at(1.0, "p", 1);
    });
    let words = "@0ms even() odd() act() @1ms even() act() odd() act()";
    assert_eq!(trace, words);
}

#[test]
fn an_overrun_or_faulted_predicate_is_false() {
    for (end, word) in [(End::Overrun, "overrun"), (End::Fault, "fault")] {
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
fn a_timer_that_rings_during_an_upcall_is_handled_at_its_instant() {
    let source = "
        port p i32 output
        task t
        driver ask
        driver d writes p
        start a
    a:  future after(5ns), b
        call ask
        return
    b:  call d
        release t, 9ms
        return
    ";
    let mut world = in_upcall(&[source]);
    world.rig().advance(20);
    assert_eq!(world.rig().running(), asked(&world));
    world.now = 20;
    let _ = world.rig().call(Call::Return, [0; 6]);
    // (its instant has passed when it is armed, so the timer interrupts)
    world.rig().interrupt();
    world.holds_upcalls = false;
    world.attend();
    world.settle();
    assert_eq!(world.releases["t"], [5]);
    assert_eq!(world.words.join(" "), "@0ms ask() d t!9000005ns run:t");
}

#[test]
fn an_upcall_does_not_pay_for_the_one_before_it() {
    let source = "driver ask\ndriver d\nstart a\na: call ask\ncall ask\ncall d\nreturn";
    let mut world = World::new(&[source]);
    world.system.budget = 10;
    world.answers("ask", &[End::Returned(0)]);
    world.holds_upcalls = true;
    world.begin();
    for _ in 0..2 {
        assert_eq!(world.rig().running(), asked(&world));
        world.rig().pass(8);
        world.rig().interrupt();
        let _ = world.rig().call(Call::Return, [0; 6]);
    }
    world.attend();
    world.settle();
    assert_eq!(world.words.join(" "), "@0ms ask() ask() d");
}

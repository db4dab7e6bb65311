//! Programs come, compose and go through the trigger queue and the thread set.

use giornata_abi::Instant;
use giornata_micro::{Progress, UpcallEnd};

use crate::support::{MS, World, link, trace};

fn ticking(name: &str, period: u64) -> String {
    format!(
        "port {name}p i32 output\ndriver {name} writes {name}p\nstart a
         a: call {name}\nfuture after({period}ms), a\nreturn"
    )
}

#[test]
fn programs_compose_through_the_trigger_queue() {
    let trace = trace(&[&ticking("x", 2), &ticking("y", 3)], 7, |_| {});
    assert_eq!(trace, "@0ms x y @2ms x @3ms y @4ms x @6ms y x");
}

#[test]
fn a_programs_port_trace_is_the_same_in_any_company() {
    let alone = trace(&[&ticking("x", 2)], 50, |_| {});
    let company = trace(
        &[&ticking("y", 3), &ticking("x", 2), &ticking("z", 5)],
        50,
        |_| {},
    );
    let own = |trace: &str| {
        let mut at = "";
        let mut words = Vec::new();
        for word in trace.split(' ') {
            match word {
                "x" => words.push(format!("{at} x")),
                word if word.starts_with('@') => at = word,
                _ => {}
            }
        }
        words
    };
    assert_eq!(own(&alone), own(&company));
}

#[test]
fn a_program_started_for_later_begins_then() {
    let (x, y) = (ticking("x", 2), ticking("y", 2));
    let tables = link(&[&x, &y]);
    let mut slots = tables.slots();
    let mut world = World::new(&tables, &mut slots);
    assert!(world.machine.start(0, Instant::START));
    assert!(world.machine.start(1, Instant(3 * MS)));
    assert!(!world.machine.start(2, Instant::START), "no such program");
    world.run_until(3 * MS);
    assert!(world.machine.begin(Instant(3 * MS), None));
    world.react();
    world.run_until(6 * MS);
    assert_eq!(
        world.kernel.words.join(" "),
        "@0ms x @2ms x y @4ms x @5ms y"
    );
}

const S_CODE: &str = "
    task t
    port p i32 output
    driver d writes p
    start a
a:  future after(5ms), b
    future changed(p), b
    fork i
    release t, 9ms
    dispatch t, after(8ms), b
    return
i:  idle after(7ms)
    call d
    return
b:  call d
    return
";

#[test]
fn a_stopped_program_leaves_nothing() {
    let other = ticking("y", 1);
    let tables = link(&[S_CODE, &other]);
    let mut slots = tables.slots();
    let mut world = World::new(&tables, &mut slots);
    world.takes("t", &[20.0]);
    world.start_all();
    world.run_until(2 * MS);
    assert!(world.machine.governs(0));
    world.machine.stop(0, &mut world.kernel);
    world.react();
    assert!(!world.machine.governs(0));
    assert_eq!(world.machine.dispatched(0), None);
    assert_eq!(
        world.kernel.timers.len(),
        1,
        "the other program's timer is left"
    );
    world.kernel.words.clear();
    world.run_until(9 * MS);
    assert_eq!(
        world.kernel.words.join(" "),
        "@2ms y @3ms y @4ms y @5ms y @6ms y @7ms y @8ms y"
    );
    // its job is the default scheduler's
    assert_eq!(world.kernel.running, 0);
}

#[test]
fn a_stopped_holder_leaves_the_hart_to_the_next_thread() {
    let first = "task t\nstart a\na: release t, 9ms\ndispatch t\nreturn";
    let second = "task u\nstart b\nb: release u, 9ms\ndispatch u\nreturn";
    let tables = link(&[first, second]);
    let mut slots = tables.slots();
    let mut world = World::new(&tables, &mut slots);
    world.takes("t", &[20.0]);
    world.start_all();
    world.run_until(2 * MS);
    assert_eq!(world.machine.dispatched(0), Some(0));
    world.machine.stop(0, &mut world.kernel);
    world.react();
    assert_eq!(world.machine.dispatched(1), Some(1));
}

#[test]
fn a_program_stopped_in_its_upcall_ends_with_it() {
    let source = "port p i32 output\ndriver ask writes p\ndriver d writes p\nstart a
        a: call ask\ncall d\nreturn";
    let tables = link(&[source]);
    let mut slots = tables.slots();
    let mut world = World::new(&tables, &mut slots);
    world.answers("ask", &[UpcallEnd::Returned(0)]);
    world.start_all();
    assert!(world.machine.begin(Instant::START, None));
    assert_eq!(world.machine.run(&mut world.kernel), Progress::Upcall);
    world.machine.stop(0, &mut world.kernel);
    assert_eq!(
        world.machine.run(&mut world.kernel),
        Progress::Upcall,
        "the upcall still runs"
    );
    world
        .machine
        .upcall_ended(&mut world.kernel, UpcallEnd::Fault);
    assert_eq!(world.machine.run(&mut world.kernel), Progress::Settled);
    assert_eq!(world.kernel.words, ["@0ms", "ask()"]);
    assert!(world.kernel.reports.is_empty());
}

#[test]
fn a_program_can_be_started_again() {
    let source = ticking("x", 2);
    let tables = link(&[&source]);
    let mut slots = tables.slots();
    let mut world = World::new(&tables, &mut slots);
    world.start_all();
    world.run_until(MS);
    world.machine.stop(0, &mut world.kernel);
    world.react();
    assert!(world.machine.start(0, Instant(MS)));
    assert!(world.machine.begin(Instant(MS), None));
    world.react();
    world.run_until(4 * MS);
    assert_eq!(world.kernel.words.join(" "), "@0ms x x @3ms x");
}

#[test]
fn a_machine_without_slots_refuses_to_start() {
    let source = ticking("x", 2);
    let tables = link(&[&source]);
    let mut slots = tables.slots();
    slots.bindings.clear();
    let mut world = World::new(&tables, &mut slots);
    assert!(!world.machine.start(0, Instant::START));
    assert!(world.machine.begin(Instant::START, None));
    world.react();
}

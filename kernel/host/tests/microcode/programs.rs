//! Programs compose through what is due and the thread set.

use crate::support::trace;

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
fn a_holder_that_ends_leaves_the_hart_to_the_next_thread() {
    let first = "task t\nstart a\na: release t, 9ms\ndispatch t, after(2ms), x\nx: return";
    let second = "task u\nstart b\nb: release u, 9ms\ndispatch u\nreturn";
    let trace = trace(&[first, second], 30, |world| {
        world.takes("t", &[5.0]);
        world.takes("u", &[9.0]);
    });
    // then t is the default scheduler's: both have one deadline, so they go by number
    assert_eq!(
        trace,
        "@0ms t!9ms u!9ms [time-share:u] run:t @2ms @5ms t-done run:u @14ms u-done run:idle"
    );
}

#[test]
fn programs_of_fixed_priority_slots_compete_by_urgency() {
    let low = "task t\nstart a\na: release t, 9ms\nfork s\nreturn\ns: dispatch t\nreturn";
    let edf = "task u\nstart b\nb: future after(1ms), c\nreturn\nc: release u, 20ms\nreturn";
    for (slot, expected) in [
        (
            50,
            "@0ms t!9ms run:t @1ms u!21ms run:u @2ms u-done run:t @6ms t-done run:idle",
        ),
        (
            150,
            "@0ms t!9ms run:t @1ms u!21ms @5ms t-done run:u @6ms u-done run:idle",
        ),
    ] {
        let trace = trace(&[low, edf], 30, |world| {
            world.takes("t", &[5.0]);
            world.system.slots.insert(0, slot);
        });
        assert_eq!(trace, expected, "slot {slot}");
    }
}

#[test]
fn tasks_of_fixed_priorities_go_by_priority_and_among_equals_by_release() {
    let source = "
        task a
        task b
        task c
        start s
    s:  release b, 20ms
        release a, 20ms
        future after(1ms), u
        return
    u:  release c, 20ms
        return
    ";
    let trace = trace(&[source], 30, |world| {
        for task in ["a", "b"] {
            world.system.priorities.insert(task.to_string(), 120);
            world.takes(task, &[3.0]);
        }
        world.system.priorities.insert("c".to_string(), 130);
    });
    assert_eq!(
        trace,
        "@0ms b!20ms a!20ms run:b @1ms c!21ms run:c @2ms c-done run:b @4ms b-done run:a @7ms a-done run:idle"
    );
}

#[test]
fn equals_of_fixed_priorities_run_in_the_order_of_the_code_whatever_their_deadlines() {
    let source = "
        task a
        task b
        task c
        start s
    s:  release b, 10ms
        release a, 30ms
        release c, 20ms
        return
    ";
    let trace = trace(&[source], 9, |world| {
        for task in ["a", "b", "c"] {
            world.system.priorities.insert(task.to_string(), 120);
        }
    });
    assert_eq!(
        trace,
        "@0ms b!10ms a!30ms c!20ms run:b @1ms b-done run:a @2ms a-done run:c @3ms c-done run:idle"
    );
}

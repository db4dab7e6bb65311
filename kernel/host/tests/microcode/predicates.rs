//! Predicates mean the same for triggers, timeouts and branches.

use crate::support::{End, Event, World, trace};

const HEAD: &str = "
    irq button
    irq other
    mailbox news
    port p i32 output
    port q f32 input
    port r u8 input
    task t
    driver ask
    driver yes
    driver no
";

/// Runs the predicate as a trigger, as a timeout and as a branch at 10 ms;
/// answers the three traces up to 20 ms, the last without its first instants.
fn all(predicate: &str, prepare: impl Fn(&mut World)) -> [String; 3] {
    let trigger = format!("start a\na: future {predicate}, y\nreturn\ny: call yes\nreturn");
    let timeout = format!("start a\na: idle {predicate}\ncall yes\nreturn");
    let [trigger, timeout] =
        [trigger, timeout].map(|code| trace(&[&format!("{HEAD}{code}")], 20, &prepare));
    [trigger, timeout, branch(predicate, prepare)]
}

/// The last of them alone.
fn branch(predicate: &str, prepare: impl Fn(&mut World)) -> String {
    let code = format!(
        "start a\na: future after(10ms), b\nreturn
         b: branch {predicate}, y\ncall no\nreturn\ny: call yes\nreturn"
    );
    trace(&[&format!("{HEAD}{code}")], 20, prepare)
}

#[test]
fn true_holds_always() {
    let [trigger, timeout, branch] = all("true", |_| {});
    assert_eq!([trigger, timeout], ["@0ms yes", "@0ms yes"]);
    assert_eq!(branch, "@0ms @10ms yes");
}

#[test]
fn never_holds_never() {
    let [trigger, timeout, branch] = all("never", |_| {});
    assert_eq!([trigger, timeout], ["@0ms", "@0ms"]);
    assert_eq!(branch, "@0ms @10ms no");
}

#[test]
fn after_holds_from_its_time_on() {
    let [trigger, timeout, branch] = all("after(7ms)", |_| {});
    assert_eq!([trigger, timeout], ["@0ms @7ms yes", "@0ms @7ms yes"]);
    assert_eq!(
        branch, "@0ms @10ms no",
        "the block's reference time is its instant"
    );
}

#[test]
fn after_in_a_branch_counts_from_the_threads_reference_time() {
    let code =
        "start a\na: idle after(10ms)\nbranch after(10ms), y\ncall no\nreturn\ny: call yes\nreturn";
    assert_eq!(
        trace(&[&format!("{HEAD}{code}")], 20, |_| {}),
        "@0ms @10ms yes"
    );
}

#[test]
fn released_and_completed_are_levels_of_a_task() {
    let code = "
        start a
    a:  future completed(t), c
        future released(t), r
        future after(2ms), b
        return
    b:  release t, 9ms
        branch released(t), x
        call no
    x:  branch completed(t), y
        future completed(t), c
        return
    y:  call no
        return
    c:  call yes
        return
    r:  call ask
        return
    ";
    let trace = trace(&[&format!("{HEAD}{code}")], 9, |_| {});
    assert_eq!(
        trace,
        "@0ms yes @2ms t!11ms ask run:t @3ms t-done yes run:idle"
    );
}

#[test]
fn idle_until_released_or_completed() {
    let code = "
        start a
    a:  future after(2ms), b
        idle released(t)
        call yes
        fork c
        dispatch t
        return
    c:  idle completed(t)
        call no
        return
    b:  release t, 9ms
        return
    ";
    let trace = trace(&[&format!("{HEAD}{code}")], 9, |_| {});
    assert_eq!(trace, "@0ms @2ms t!11ms yes run:t @3ms t-done no run:idle");
}

#[test]
fn changed_compares_with_the_value_at_activation() {
    for predicate in ["changed(p)", "p != activation", "p > activation"] {
        let [trigger, timeout, _] = all_but_branch(predicate, |world| {
            world.write_at(5.0, "p", 0);
            world.write_at(6.0, "p", 1);
        });
        assert_eq!(
            [trigger, timeout],
            ["@0ms @5ms @6ms yes", "@0ms @5ms @6ms yes"],
            "{predicate}"
        );
    }
}

/// Branches have no activation.
fn all_but_branch(predicate: &str, prepare: impl Fn(&mut World)) -> [String; 3] {
    let code = format!("start a\na: future {predicate}, y\nreturn\ny: call yes\nreturn");
    let timeout = format!("start a\na: idle {predicate}\ncall yes\nreturn");
    let run = |code: &str| trace(&[&format!("{HEAD}{code}")], 20, &prepare);
    [run(&code), run(&timeout), String::new()]
}

#[test]
fn a_threshold_against_activation_is_the_papers_trigger() {
    // p' < p, where p is the reading when the trigger was activated
    let [trigger, timeout, _] = all_but_branch("p < activation", |world| {
        world.write_at(5.0, "p", 7);
        world.write_at(6.0, "p", -1i32 as u32 as u64);
    });
    assert_eq!(
        [trigger, timeout],
        ["@0ms @5ms @6ms yes", "@0ms @5ms @6ms yes"]
    );
}

#[test]
fn constants_compare_by_the_ports_type() {
    let signed = |world: &mut World| {
        world.write_at(5.0, "p", 3);
        world.write_at(6.0, "p", -3i32 as u32 as u64);
    };
    let [trigger, timeout, branch] = all("p < -2", signed);
    assert_eq!(
        [trigger, timeout],
        ["@0ms @5ms @6ms yes", "@0ms @5ms @6ms yes"]
    );
    assert_eq!(branch, "@0ms @5ms @6ms @10ms yes");
    let float = |world: &mut World| {
        world.write_at(5.0, "q", (-8.0f32).to_bits() as u64);
        world.write_at(6.0, "q", 0.75f32.to_bits() as u64);
    };
    let [trigger, timeout, branch] = all("q >= 0.5", float);
    assert_eq!(
        [trigger, timeout],
        ["@0ms @5ms @6ms yes", "@0ms @5ms @6ms yes"]
    );
    assert_eq!(branch, "@0ms @5ms @6ms @10ms yes");
}

#[test]
fn every_comparison_means_what_it_says() {
    let cases = [
        ("==", [0, 1, 0]),
        ("!=", [1, 0, 1]),
        ("<", [1, 0, 0]),
        ("<=", [1, 1, 0]),
        (">", [0, 0, 1]),
        (">=", [0, 1, 1]),
    ];
    let values: &[u64] = if cfg!(miri) { &[4] } else { &[4, 5, 6] };
    for (sign, expected) in cases {
        for (value, holds) in values.iter().zip(expected) {
            let branch = branch(&format!("r {sign} 5"), |world| {
                world.write_at(1.0, "r", *value)
            });
            let word = if holds == 1 { "yes" } else { "no" };
            assert_eq!(
                branch,
                format!("@0ms @1ms @10ms {word}"),
                "{value} {sign} 5"
            );
        }
    }
}

#[test]
fn an_interrupt_holds_in_the_instant_in_which_it_came() {
    let [trigger, timeout, branch] = all("irq(button)", |world| {
        world.interrupt_at(4.0, "other");
        world.interrupt_at(5.0, "button");
    });
    assert_eq!(
        [trigger, timeout],
        ["@0ms @4ms @5ms yes", "@0ms @4ms @5ms yes"]
    );
    assert_eq!(branch, "@0ms @4ms @5ms @10ms no");
}

#[test]
fn a_branch_tells_which_interrupt_came() {
    let code = "
        start a
    a:  future irq(button), b
        future irq(other), b
        return
    b:  branch irq(button), y
        call no
        return
    y:  call yes
        return
    ";
    let trace = trace(&[&format!("{HEAD}{code}")], 20, |world| {
        world.interrupt_at(4.0, "other");
        world.interrupt_at(5.0, "button");
    });
    assert_eq!(trace, "@0ms @4ms no @5ms yes");
}

#[test]
fn a_message_holds_while_the_mailbox_has_one() {
    let [trigger, timeout, branch] = all("message(news)", |world| {
        world.at(5.0, Event::Message(0, true));
        world.at(6.0, Event::Message(0, false));
    });
    assert_eq!(
        [trigger, timeout],
        ["@0ms @5ms yes @6ms", "@0ms @5ms yes @6ms"]
    );
    assert_eq!(branch, "@0ms @5ms @6ms @10ms no");
}

#[test]
fn an_upcall_holds_when_it_answers_true() {
    let [trigger, timeout, branch] = all("upcall(ask)", |world| {
        world.write_at(5.0, "p", 1);
        world.write_at(6.0, "p", 2);
        world.answers(
            "ask",
            &[End::Returned(0), End::Returned(0), End::Returned(7)],
        );
    });
    // asked once in each instant while it is armed
    assert_eq!(trigger, "@0ms ask() @5ms ask() @6ms ask() yes");
    assert_eq!(timeout, "@0ms ask() @5ms ask() @6ms ask() yes");
    assert_eq!(branch, "@0ms @5ms @6ms @10ms ask() no");
}

#[test]
fn a_branch_asks_each_time_it_is_executed() {
    let code = "
        start a
    a:  branch upcall(ask), y
        call no
        branch upcall(ask), y
        call no
        return
    y:  call yes
        return
    ";
    let trace = trace(&[&format!("{HEAD}{code}")], 20, |world| {
        world.answers("ask", &[End::Returned(0), End::Returned(1)]);
    });
    assert_eq!(trace, "@0ms ask() no ask() yes");
}

//! Neighbouring drivers that only copy: one table, and no difference to be seen.

use std::fmt::Write;

use crate::support::{LINES, MS, World};

/// Two copies in a chain, from `a` over `b` to `c`, and one from `a` to what task t reads.
const HEAD: &str = "
    port a i32 output
    port b i32 output
    port c i32 output
    task t in x
    copy first reads a writes b
    copy feed reads a writes x
    copy second reads b writes c
    driver note writes a
    start s
";

fn world(code: &str) -> World {
    let mut world = World::new(&[&format!("{HEAD}{code}")]);
    for (driver, from, to) in [
        ("first", "a", "b"),
        ("feed", "a", "x"),
        ("second", "b", "c"),
    ] {
        world.copies(driver, from, to);
    }
    world.holds("a", 7);
    world
}

#[test]
fn neighbours_copy_in_the_order_of_their_calls() {
    let mut world = world("s: call first\ncall feed\ncall second\nreturn");
    world.run_until(MS);
    assert_eq!(["b", "x", "c"].map(|port| world.value(port)), [7, 7, 7]);
}

#[test]
fn of_neighbours_only_the_one_that_touches_a_running_job_is_skipped() {
    let code = "
        s: release t, 9ms
           future after(2ms), l
           return
        l: call first
           call feed
           call second
           call note
           return";
    let mut world = world(code);
    world.takes("t", &[4.0]);
    world.run_until(9 * MS);
    let words = "@0ms t!9ms run:t @2ms [time-safety:t:feed] note @4ms t-done run:idle";
    assert_eq!(world.words.join(" "), words);
    assert_eq!(["b", "x", "c"].map(|port| world.value(port)), [7, 0, 7]);
}

#[test]
fn a_handler_of_a_skipped_neighbour_runs_between_the_others() {
    let code = "
        handler time-safety h
        s: release t, 9ms
           future after(2ms), l
           return
        l: call feed
           call first
           call second
           return
        h: call note
           return";
    let mut world = world(code);
    world.takes("t", &[4.0]);
    world.run_until(9 * MS);
    let words = "@2ms [time-safety:t:feed+handler] note @4ms";
    assert!(world.words.join(" ").contains(words), "{:?}", world.words);
    assert_eq!(["b", "x", "c"].map(|port| world.value(port)), [7, 0, 7]);
}

#[test]
fn a_jump_among_neighbours_leaves_those_before_it_out() {
    let mut world = world("s: jump l\nk: call first\nl: call feed\ncall second\nreturn");
    world.run_until(MS);
    assert_eq!(["b", "x", "c"].map(|port| world.value(port)), [0, 7, 0]);
}

#[test]
fn counted_code_pays_a_step_for_each_copy() {
    // (a program that declares fewer steps than it may take is counted)
    let code = "
        steps 4
        s: branch true, l
        k: call first
        l: call first
           call feed
           call second
           branch true, e
           call note
        e: return";
    let mut world = world(code);
    world.run_until(MS);
    assert_eq!(world.words.join(" "), "@0ms [overrun]");
    assert_eq!(["b", "x", "c"].map(|port| world.value(port)), [7, 7, 7]);
}

/// A hundred copies at 3 ms, and a line that drives `press`.
fn crowd() -> World {
    let mut source = String::from("irq button\nport from i32 output\ndriver press writes from\n");
    for number in 0..100 {
        writeln!(source, "port to{number} i32 output").unwrap();
        writeln!(source, "copy copy{number} reads from writes to{number}").unwrap();
    }
    source.push_str("task t\nstart s\ns: future irq(button), p\nfuture after(3ms), l\nreturn\n");
    source.push_str("p: call press\nreturn\nl: ");
    for number in 0..100 {
        writeln!(source, "call copy{number}").unwrap();
    }
    source.push_str("release t, 5ms\nfuture after(3ms), l\nreturn\n");
    let mut world = World::new(&[&source]);
    for number in 0..100 {
        world.copies(&format!("copy{number}"), "from", &format!("to{number}"));
    }
    world.holds("from", 9);
    world
}

#[test]
fn a_long_table_gives_way_to_lines_and_goes_on() {
    let mut world = crowd();
    world.run_until(2 * MS);
    // pieces take 100 us
    world.rig().set_piece_time(MS / 10);
    world.rig().raise_at(3 * MS + 1, LINES);
    world.run_until(3 * MS + 1);
    world.rig().set_piece_time(0);
    world.run_until(5 * MS);
    // the line stops the table behind the first of four pieces, and is taken at the next look;
    // its block runs behind the table
    assert_eq!(world.ran, [("press".to_string(), 3 * MS + 2 * MS / 10)]);
    assert_eq!(world.releases["t"], [3 * MS]);
    for number in 0..100 {
        assert_eq!(world.value(&format!("to{number}")), 9);
    }
}

#[test]
fn a_long_table_renews_its_trigger_without_drift() {
    let rounds: u64 = if cfg!(miri) { 2 } else { 10 };
    let mut world = crowd();
    world.takes("t", &[1.0]);
    world.run_until((3 * rounds + 1) * MS);
    let nominal: Vec<u64> = (1..=rounds).map(|round| 3 * MS * round).collect();
    assert_eq!(world.releases["t"], nominal);
}

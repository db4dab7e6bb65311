//! Neighbouring drivers that only copy: one table, and no difference to be seen.

use std::fmt::Write;

use giornata_abi::load::How;

use crate::support::{Coming, Event, LINES, MS, Room, World};

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

/// Ports whose values a driver exchanges, or moves on, though it sees each of them change.
const CIRCLE: &str = "
    port a i32 output
    port b i32 output
    port c i32 output
    copy exchange reads a b writes a b
    copy turn reads a b c writes a b c
    start s
";

fn circle(code: &str) -> World {
    let mut world = World::new(&[&format!("{CIRCLE}{code}")]);
    world.moves("exchange", &[("b", "a"), ("a", "b")]);
    world.moves("turn", &[("a", "b"), ("b", "c"), ("c", "a")]);
    for (port, value) in [("a", 1), ("b", 2), ("c", 3)] {
        world.holds(port, value);
    }
    world
}

fn values(world: &mut World) -> [u32; 3] {
    ["a", "b", "c"].map(|port| world.value(port))
}

#[test]
fn a_driver_reads_everything_before_it_writes() {
    let mut exchanged = circle("s: call exchange\nreturn");
    exchanged.run_until(MS);
    assert_eq!(values(&mut exchanged), [2, 1, 3]);
    let mut turned = circle("s: call turn\nreturn");
    turned.run_until(MS);
    assert_eq!(values(&mut turned), [3, 1, 2]);
}

#[test]
fn each_of_neighbours_reads_what_those_before_it_have_written() {
    let mut world = circle("s: call exchange\ncall turn\ncall turn\ncall exchange\nreturn");
    world.run_until(MS);
    assert_eq!(values(&mut world), [3, 1, 2]);
}

#[test]
fn ports_that_are_waited_for_are_read_before_they_are_written() {
    // (all three, and one that is written behind the copies of the others)
    for waited in [&["a", "b", "c"][..], &["a"], &["b"], &["c"]] {
        let futures: String = waited
            .iter()
            .map(|port| format!("future changed({port}), e\n"))
            .collect();
        let mut world = circle(&format!("s: {futures}call turn\ne: return"));
        world.run_until(MS);
        assert_eq!(values(&mut world), [3, 1, 2], "{waited:?} are waited for");
    }
}

#[test]
fn a_long_circle_gives_way_to_lines_and_stays_whole() {
    const COUNT: usize = 100;
    let names: Vec<String> = (0..COUNT).map(|number| format!("p{number}")).collect();
    let mut source = String::from("irq button\n");
    for name in &names {
        writeln!(source, "port {name} i32 output").unwrap();
    }
    let all = names.join(" ");
    writeln!(
        source,
        "driver press writes p0\ncopy turn reads {all} writes {all}"
    )
    .unwrap();
    source.push_str("start s\ns: future irq(button), p\nfuture after(3ms), l\nreturn\n");
    source.push_str("p: call press\nreturn\nl: call turn\nreturn\n");
    let mut world = World::new(&[&source]);
    let pairs: Vec<(&str, &str)> = (0..COUNT)
        .map(|at| (names[at].as_str(), names[(at + 1) % COUNT].as_str()))
        .collect();
    world.moves("turn", &pairs);
    for (value, name) in (1..).zip(&names) {
        world.holds(name, value);
    }
    world.run_until(2 * MS);
    // pieces take 100 us
    world.rig().set_piece_time(MS / 10);
    world.rig().raise_at(3 * MS + 1, LINES);
    world.run_until(3 * MS + 1);
    world.rig().set_piece_time(0);
    world.run_until(5 * MS);
    // (the line is taken behind the first piece)
    assert_eq!(world.ran, [("press".to_string(), 3 * MS + MS / 10)]);
    for (at, name) in names.iter().enumerate() {
        let value = world.value(name) as usize;
        assert_eq!(value, (at + COUNT - 1) % COUNT + 1, "{name}");
    }
}

#[test]
fn code_that_comes_exchanges_what_its_driver_reads() {
    let mut world = circle("s: return");
    let room = Room {
        loader: 0,
        limits: (16, 8, 1000),
        boots: true,
    };
    world.system.rooms.insert(0, room);
    let source = format!("{CIRCLE}s: call exchange\ncall turn\nreturn");
    let coming = Coming::of(&source, &format!("{CIRCLE}s: return"), 7);
    for call in coming.calls(0, How::Restart, 2 * MS) {
        world.at(0.5, Event::Call(call));
    }
    world.run_until(5 * MS);
    assert_eq!(values(&mut world), [3, 2, 1]);
}

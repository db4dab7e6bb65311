//! The short way of a tick, at which code wants nothing but the next one, comes
//! to what the event loop comes to.

use crate::rig::*;
use giornata_abi::ValueType;
use giornata_sim::{SystemBuilder, Tables};

/// Clocks at rates that meet tasks' releases, each other, and nothing; and how
/// many triggers of each wait at a time.
const TICKS: [(&str, u16); 5] = [
    ("a: future after(1ms) a\n return", 1),
    (
        "a: future after(700us) b\n return\nb: future after(300us) a\n return",
        1,
    ),
    (
        "a: future after(1500us) a\n future after(5ms) c\n return\nc: return",
        5,
    ),
    ("a: future after(10ms) a\n return", 1),
    ("a: future after(5ms) a\n return", 1),
];

/// Tasks every 20, 10 and 10 ms, the last a little later than the others.
const RELEASES: &str = "
a0: release t1 20ms
    release t2 10ms
    future after(1ms) c
    future after(10ms) a1
    return
a1: release t2 10ms
    future after(1ms) c
    future after(10ms) a0
    return
c:  release t3 9ms
    return
";

/// S code that waits for tasks, and for time; none.
const SCHEDULES: [&str; 3] = [
    "",
    "s: dispatch t2\n dispatch t1 until released(t2) else s\n idle released(t2)\n fork s\n return",
    "s: dispatch t2\n idle after(5ms)\n dispatch t1\n idle released(t2)\n fork s\n return",
];

/// No more room for triggers than is needed, so that each place soon has another.
/// `watched`: code waits for a port besides, that nobody writes, so that the
/// event loop looks at every instant.
fn system(ticks: &[(&str, u16)], schedule: &str, watched: bool) -> Tables {
    let mut b = SystemBuilder::new();
    let process = b.process();
    for name in ["t1", "t2", "t3"] {
        b.task(process, name, &[], &[]);
    }
    b.port("port", ValueType::U32);
    let start = if schedule.is_empty() { "" } else { " fork s\n" };
    let (first, last) = ticks.split_at(ticks.len() / 2);
    first.iter().for_each(|(tick, _)| _ = b.program(tick));
    b.program(&format!("start:{start} jump a0\n{RELEASES}{schedule}"));
    last.iter().for_each(|(tick, _)| _ = b.program(tick));
    if watched {
        b.program("a: future changed(port) a\n return");
    }
    b.tables.header.triggers = 3 + ticks.iter().map(|(_, waiting)| waiting).sum::<u16>();
    b.finish()
}

#[test]
fn the_short_way_of_a_tick_comes_to_what_the_event_loop_comes_to() {
    let runs = if cfg!(miri) { 1 } else { 20 };
    let sets = [
        &TICKS[..1],
        &TICKS[1..2],
        &TICKS[..2],
        &TICKS[..],
        &TICKS[2..],
        &TICKS[4..],
    ];
    for (set, ticks) in sets.into_iter().enumerate() {
        for (index, schedule) in SCHEDULES.into_iter().enumerate() {
            let (short, long) = (
                system(ticks, schedule, false),
                system(ticks, schedule, true),
            );
            for seed in 0..runs {
                assert_eq!(
                    decisions(&short, seed),
                    decisions(&long, seed),
                    "ticks {set}, schedule {index}, seed {seed}"
                );
            }
        }
    }
}

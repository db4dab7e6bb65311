//! Random programs, legal or not.

use std::fmt::Write as _;

use proptest::prelude::*;

/// A mode: period index, switches (frequency, target, driver), invocations by task.
type Mode = (
    usize,
    Vec<(u64, usize, usize)>,
    Vec<Option<u64>>,
    Vec<(u64, usize)>,
);

const PERIODS: [&str; 5] = ["12", "24", "36", "10", "7us"];
const FREQUENCIES: [u64; 6] = [1, 2, 3, 4, 6, 12];
const TASKS: usize = 3;

fn frequency() -> impl Strategy<Value = u64> {
    proptest::sample::select(FREQUENCIES.as_slice())
}

fn mode(modes: usize) -> impl Strategy<Value = Mode> {
    let exit = (frequency(), 0..modes, 0..4usize);
    let invocation = proptest::option::of(frequency());
    let exits = proptest::collection::vec(exit, 0..3);
    let invocations = proptest::collection::vec(invocation, TASKS);
    let updates = proptest::collection::vec((frequency(), 0..2usize), 0..3);
    (0..PERIODS.len(), exits, invocations, updates)
}

/// The text of a program with up to three modes.
pub(crate) fn program() -> impl Strategy<Value = String> {
    (1..4usize)
        .prop_flat_map(|modes| proptest::collection::vec(mode(modes), modes))
        .prop_map(|modes| text(&modes))
}

const DECLARATIONS: &str = "
sensor u32 s0 uses get0; bool s1 uses get1; key s2 uses get2;
actuator u32 a0 uses put0; u32 a1 uses put1;
output u32 o0 := init0; u32 o1 := init1; key o2 := init2;
task t0(u32 x) output (o0) state (u32 n := zero) { schedule f0(n, x, o0) }
task t1(bool b, u32 y) output (o1, o2) state () { schedule f1(o2, y, b, o1) }
task t2() output () state () { schedule f2() }
driver d0(s0) output (u32 x) { if constant_true() then copy_u32(s0, x) }
driver d1(s1, o0) output (bool b, u32 y) { if fresh(s1) then copy(s1, o0, b, y) }
driver d2() output () { if constant_true() then dummy() }
driver act0(o0) output (u32 a) { if constant_true() then copy(o0, a) }
driver act1(o1, s0) output (u32 a) { if wanted(o1) then mix(s0, o1, a) }
driver e0(s2) output (u32 o) { if pressed(s2) then preset(o) }
driver e1(o1) output (u32 v) { if high(o1) then copy_u32(o1, v) }
driver e2(s0, s1) output (u32 v) { if both(s0, s1) then copy(s0, v) }
driver e3() output (u32 v) { if constant_true() then reset(v) }
";

fn text(modes: &[Mode]) -> String {
    let mut text = format!("{DECLARATIONS}start m0 {{\n");
    for (index, (period, exits, invocations, updates)) in modes.iter().enumerate() {
        writeln!(text, "  mode m{index}(o0) period {} {{", PERIODS[*period]).unwrap();
        for (frequency, target, driver) in exits {
            // An exit that is always taken would end every other test early.
            let driver = if *frequency == 1 { *driver } else { driver % 3 };
            writeln!(text, "    exitfreq {frequency} do m{target}(e{driver});").unwrap();
        }
        for (frequency, actuator) in updates {
            writeln!(
                text,
                "    actfreq {frequency} do a{actuator}(act{actuator});"
            )
            .unwrap();
        }
        for (task, frequency) in invocations.iter().enumerate() {
            if let Some(frequency) = frequency {
                writeln!(text, "    taskfreq {frequency} do t{task}(d{task});").unwrap();
            }
        }
        text.push_str("  }\n");
    }
    text + "}\n"
}

//! The short way from a completed task to the next one that S code dispatches
//! comes to what the event loop comes to.

use crate::rig::*;
use giornata_abi::ValueType;
use giornata_sim::{SystemBuilder, Tables};

/// Releases of the paper's two tasks, every 20 and 10 ms, and one more.
const RELEASES: &str = "
a0: release t1 20ms
    release t2 10ms
    release t3 10ms
    future after(10ms) a1
    return
a1: release t2 10ms
    future after(10ms) a0
    return
";

/// S code of all kinds: the paper's listings, jumps, tasks that are not
/// released, code that waits for time, code that forks, code that goes round.
const SCHEDULES: [&str; 7] = [
    "s: dispatch t2
        dispatch t1
        idle released(t2)
        dispatch t2
        idle released(t1)
        fork s
        return",
    "s:  dispatch t2
         dispatch t1 until released(t2) else s1
         idle released(t2)
     s1: dispatch t2
         dispatch t1
         idle released(t1)
         fork s
         return",
    "s: dispatch t3
        dispatch t3
        dispatch t2
        dispatch t1
        jump w
        return
     w: idle released(t2)
        jump s",
    "s: dispatch t2 until after(3ms) else l
        dispatch t1
        idle released(t2)
        fork s
        return
     l: dispatch t1
        dispatch t2
        idle released(t2)
        fork s
        return",
    "s: dispatch t1 until released(t1) else s
        dispatch t2 until released(t1) else s
        idle released(t2)
        jump s",
    "s: dispatch t2
        idle after(5ms)
        dispatch t1
        idle released(t2)
        fork s
        return",
    "s: dispatch t2 until completed(t3) else s
        dispatch t3 until completed(t2) else s
        idle released(t2)
        jump s",
];

/// A system under a schedule. `watched`: code waits for a port besides, that
/// nobody writes, so that the event loop looks at every completion.
fn system(schedule: &str, watched: bool) -> Tables {
    let mut b = SystemBuilder::new();
    let process = b.process();
    for name in ["t1", "t2", "t3"] {
        b.task(process, name, &[], &[]);
    }
    b.port("port", ValueType::U32);
    b.program(&format!("start: fork s\n jump a0\n{RELEASES}{schedule}"));
    if watched {
        b.program("a: future changed(port) a\n return");
    }
    b.finish()
}

#[test]
fn the_short_way_under_s_code_comes_to_what_the_event_loop_comes_to() {
    let runs = if cfg!(miri) { 1 } else { 60 };
    for (index, schedule) in SCHEDULES.into_iter().enumerate() {
        let (short, long) = (system(schedule, false), system(schedule, true));
        for seed in 0..runs {
            assert_eq!(
                decisions(&short, seed),
                decisions(&long, seed),
                "schedule {index}, seed {seed}"
            );
        }
    }
}

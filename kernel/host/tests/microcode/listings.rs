//! The paper's listings (Figures 1 to 4) as golden traces: t1 every 20 ms, t2
//! every 10 ms, with short tasks, long ones, and ones longer than 10 ms.

use crate::support::{trace, verified};

const GIOTTO: &str = "
    port sensor i32 sensor
    port servo i32 actuator
    task t1 in navigation out control
    task t2 in measured out position
    driver da reads control writes servo
    driver ds reads sensor writes measured
    driver di reads position writes navigation
    START
a0: call da
    call ds
    call di
    release t1, 20ms
    release t2, 10ms
    future after(10ms), a1
    return
a1: call ds
    release t2, 10ms
    future after(10ms), a0
    return
";

const SYNCHRONOUS: &str = "
s0: dispatch t2
    dispatch t1
    idle released(t2)
    dispatch t2
    idle released(t1)
    fork s0
    return
";

const PREEMPTIVE: &str = "
s0: dispatch t2
    dispatch t1, released(t2), s1
    idle released(t2)
s1: dispatch t2
    dispatch t1
    idle released(t1)
    fork s0
    return
";

const NON_PREEMPTIVE: &str = "
s0: dispatch t2
    dispatch t1, released(t2), s1
    idle released(t2)
s1: dispatch t1
    dispatch t2
    idle released(t1)
    fork s0
    return
";

/// E code alone: the default scheduler is EDF.
fn edf() -> String {
    GIOTTO.replace("START", "start a0")
}

/// E and S code in one module; the start block forks the S code.
fn with(s_code: &str) -> String {
    GIOTTO.replace("START", "start b\nb: fork s0\njump a0") + s_code
}

/// The trace of the instants before 31 ms, one a line.
fn run(source: &str, t1: f64, t2: f64) -> String {
    if !cfg!(miri) {
        assert!(verified(source).is_ok(), "the listing is accepted");
    }
    let trace = trace(&[source], 31, |world| {
        world.takes("t1", &[t1]);
        world.takes("t2", &[t2]);
    });
    trace.replace(" @", "\n@")
}

fn assert_runs(source: &str, [t1, t2]: [f64; 2], expected: &str) {
    let expected: Vec<&str> = expected
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .collect();
    assert_eq!(run(source, t1, t2).lines().collect::<Vec<_>>(), expected);
}

const SHORT: [f64; 2] = [3.0, 2.0];
const LONG: [f64; 2] = [9.0, 4.0];
const T1_LONGER_THAN_ITS_HALF: [f64; 2] = [12.0, 3.0];
const T2_LONGER_THAN_ITS_PERIOD: [f64; 2] = [4.0, 12.0];

#[test]
#[cfg_attr(miri, ignore = "takes the ways that others take")]
fn giotto_with_edf_with_short_tasks() {
    assert_runs(
        &edf(),
        SHORT,
        "
         @0ms da ds di t1!20ms t2!10ms run:t2
         @2ms t2-done run:t1
         @5ms t1-done run:idle
         @10ms ds t2!20ms run:t2
         @12ms t2-done run:idle
         @20ms da ds di t1!40ms t2!30ms run:t2
         @22ms t2-done run:t1
         @25ms t1-done run:idle
         @30ms ds t2!40ms run:t2",
    );
}

#[test]
#[cfg_attr(miri, ignore = "takes the ways that others take")]
fn giotto_with_edf_with_long_tasks() {
    assert_runs(
        &edf(),
        LONG,
        "
         @0ms da ds di t1!20ms t2!10ms run:t2
         @4ms t2-done run:t1
         @10ms ds t2!20ms
         @13ms t1-done run:t2
         @17ms t2-done run:idle
         @20ms da ds di t1!40ms t2!30ms run:t2
         @24ms t2-done run:t1
         @30ms ds t2!40ms",
    );
}

#[test]
#[cfg_attr(miri, ignore = "takes the ways that others take")]
fn giotto_with_edf_with_t1_longer_than_10_ms() {
    assert_runs(
        &edf(),
        T1_LONGER_THAN_ITS_HALF,
        "
         @0ms da ds di t1!20ms t2!10ms run:t2
         @3ms t2-done run:t1
         @10ms ds t2!20ms
         @15ms t1-done run:t2
         @18ms t2-done run:idle
         @20ms da ds di t1!40ms t2!30ms run:t2
         @23ms t2-done run:t1
         @30ms ds t2!40ms",
    );
}

#[test]
#[cfg_attr(miri, ignore = "takes the ways that others take")]
fn giotto_with_edf_with_t2_longer_than_10_ms() {
    assert_runs(
        &edf(),
        T2_LONGER_THAN_ITS_PERIOD,
        "
         @0ms da ds di t1!20ms t2!10ms run:t2
         @10ms [time-safety:t2:ds] [time-safety:t2]
         @12ms t2-done run:t1
         @16ms t1-done run:idle
         @20ms da ds di t1!40ms t2!30ms run:t2
         @30ms [time-safety:t2:ds] [time-safety:t2]",
    );
}

#[test]
#[cfg_attr(miri, ignore = "takes the ways that others take")]
fn synchronous_s_code_with_short_tasks() {
    assert_runs(
        &with(SYNCHRONOUS),
        SHORT,
        "
         @0ms da ds di t1!20ms t2!10ms run:t2
         @2ms t2-done run:t1
         @5ms t1-done run:idle
         @10ms ds t2!20ms run:t2
         @12ms t2-done run:idle
         @20ms da ds di t1!40ms t2!30ms run:t2
         @22ms t2-done run:t1
         @25ms t1-done run:idle
         @30ms ds t2!40ms run:t2",
    );
}

#[test]
#[cfg_attr(miri, ignore = "takes the ways that others take")]
fn synchronous_s_code_with_long_tasks() {
    assert_runs(
        &with(SYNCHRONOUS),
        LONG,
        "
         @0ms da ds di t1!20ms t2!10ms run:t2
         @4ms t2-done run:t1
         @10ms ds t2!20ms
         @13ms t1-done run:t2
         @17ms t2-done run:idle
         @20ms da ds di t1!40ms t2!30ms run:t2
         @24ms t2-done run:t1
         @30ms ds t2!40ms",
    );
}

#[test]
#[cfg_attr(miri, ignore = "takes the ways that others take")]
fn synchronous_s_code_with_t1_longer_than_10_ms() {
    assert_runs(
        &with(SYNCHRONOUS),
        T1_LONGER_THAN_ITS_HALF,
        "
         @0ms da ds di t1!20ms t2!10ms run:t2
         @3ms t2-done run:t1
         @10ms ds t2!20ms
         @15ms t1-done run:t2
         @18ms t2-done run:idle
         @20ms da ds di t1!40ms t2!30ms run:t2
         @23ms t2-done run:t1
         @30ms ds t2!40ms",
    );
}

#[test]
#[cfg_attr(miri, ignore = "takes the ways that others take")]
fn synchronous_s_code_with_t2_longer_than_10_ms() {
    assert_runs(
        &with(SYNCHRONOUS),
        T2_LONGER_THAN_ITS_PERIOD,
        "
         @0ms da ds di t1!20ms t2!10ms run:t2
         @10ms [time-safety:t2:ds] [time-safety:t2]
         @12ms t2-done run:t1
         @16ms t1-done run:idle
         @20ms da ds di t1!40ms t2!30ms run:t2
         @30ms [time-safety:t2:ds] [time-safety:t2]",
    );
}

#[test]
#[cfg_attr(miri, ignore = "takes the ways that others take")]
fn preemptive_s_code_with_short_tasks() {
    assert_runs(
        &with(PREEMPTIVE),
        SHORT,
        "
         @0ms da ds di t1!20ms t2!10ms run:t2
         @2ms t2-done run:t1
         @5ms t1-done run:idle
         @10ms ds t2!20ms run:t2
         @12ms t2-done run:idle
         @20ms da ds di t1!40ms t2!30ms run:t2
         @22ms t2-done run:t1
         @25ms t1-done run:idle
         @30ms ds t2!40ms run:t2",
    );
}

#[test]
#[cfg_attr(miri, ignore = "takes the ways that others take")]
fn preemptive_s_code_with_long_tasks() {
    assert_runs(
        &with(PREEMPTIVE),
        LONG,
        "
         @0ms da ds di t1!20ms t2!10ms run:t2
         @4ms t2-done run:t1
         @10ms ds t2!20ms run:t2
         @14ms t2-done run:t1
         @17ms t1-done run:idle
         @20ms da ds di t1!40ms t2!30ms run:t2
         @24ms t2-done run:t1
         @30ms ds t2!40ms run:t2",
    );
}

#[test]
fn preemptive_s_code_with_t1_longer_than_10_ms() {
    assert_runs(
        &with(PREEMPTIVE),
        T1_LONGER_THAN_ITS_HALF,
        "
         @0ms da ds di t1!20ms t2!10ms run:t2
         @3ms t2-done run:t1
         @10ms ds t2!20ms run:t2
         @13ms t2-done run:t1
         @18ms t1-done run:idle
         @20ms da ds di t1!40ms t2!30ms run:t2
         @23ms t2-done run:t1
         @30ms ds t2!40ms run:t2",
    );
}

#[test]
#[cfg_attr(miri, ignore = "takes the ways that others take")]
fn preemptive_s_code_with_t2_longer_than_10_ms() {
    assert_runs(
        &with(PREEMPTIVE),
        T2_LONGER_THAN_ITS_PERIOD,
        "
         @0ms da ds di t1!20ms t2!10ms run:t2
         @10ms [time-safety:t2:ds] [time-safety:t2]
         @12ms t2-done run:t1
         @16ms t1-done run:idle
         @20ms da ds di t1!40ms t2!30ms run:t2
         @30ms [time-safety:t2:ds] [time-safety:t2]",
    );
}

#[test]
#[cfg_attr(miri, ignore = "takes the ways that others take")]
fn non_preemptive_s_code_with_short_tasks() {
    assert_runs(
        &with(NON_PREEMPTIVE),
        SHORT,
        "
         @0ms da ds di t1!20ms t2!10ms run:t2
         @2ms t2-done run:t1
         @5ms t1-done run:idle
         @10ms ds t2!20ms run:t2
         @12ms t2-done run:idle
         @20ms da ds di t1!40ms t2!30ms run:t2
         @22ms t2-done run:t1
         @25ms t1-done run:idle
         @30ms ds t2!40ms run:t2",
    );
}

#[test]
#[cfg_attr(miri, ignore = "takes the ways that others take")]
fn non_preemptive_s_code_with_long_tasks() {
    assert_runs(
        &with(NON_PREEMPTIVE),
        LONG,
        "
         @0ms da ds di t1!20ms t2!10ms run:t2
         @4ms t2-done run:t1
         @10ms ds t2!20ms
         @13ms t1-done run:t2
         @17ms t2-done run:idle
         @20ms da ds di t1!40ms t2!30ms run:t2
         @24ms t2-done run:t1
         @30ms ds t2!40ms",
    );
}

#[test]
#[cfg_attr(miri, ignore = "takes the ways that others take")]
fn non_preemptive_s_code_with_t1_longer_than_10_ms() {
    assert_runs(
        &with(NON_PREEMPTIVE),
        T1_LONGER_THAN_ITS_HALF,
        "
         @0ms da ds di t1!20ms t2!10ms run:t2
         @3ms t2-done run:t1
         @10ms ds t2!20ms
         @15ms t1-done run:t2
         @18ms t2-done run:idle
         @20ms da ds di t1!40ms t2!30ms run:t2
         @23ms t2-done run:t1
         @30ms ds t2!40ms",
    );
}

#[test]
fn non_preemptive_s_code_with_t2_longer_than_10_ms() {
    assert_runs(
        &with(NON_PREEMPTIVE),
        T2_LONGER_THAN_ITS_PERIOD,
        "
         @0ms da ds di t1!20ms t2!10ms run:t2
         @10ms [time-safety:t2:ds] [time-safety:t2]
         @12ms t2-done run:t1
         @16ms t1-done run:idle
         @20ms da ds di t1!40ms t2!30ms run:t1
         @24ms t1-done run:t2
         @30ms [time-safety:t2:ds] [time-safety:t2]",
    );
}

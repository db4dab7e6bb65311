//! S code that counts time from instants of its own: it stands elsewhere against
//! the releases in every round, or where execution times put it.

use std::fmt::Write;

use giornata_analysis::scode::SInstruction::{self, Again, Dispatch, DispatchUntil, Idle};
use giornata_analysis::scode::{SCode, Wait};
use giornata_analysis::{Safety, attach, is_safe_in_all_phases};

use crate::machine::Machine;
use crate::programs::{Sample, build};
use crate::scode::{Scheduled, brute_force};
use crate::seed::Seed;

/// A program of one mode: how often each task is released in a period of so
/// many milliseconds, and its worst case in microseconds.
fn program(period: u64, tasks: &[(u64, u64)]) -> Sample {
    let mut text = String::from("sensor u32 s uses get;\noutput\n");
    for i in 0..tasks.len() {
        let _ = writeln!(text, "  u32 o{i} := zero;");
    }
    for (i, (_, time)) in tasks.iter().enumerate() {
        let _ = writeln!(
            text,
            "task t{i}(u32 x) output (o{i}) state () [wcet {time}us] {{ schedule f{i}(x, o{i}) }}"
        );
    }
    text += "driver d(s) output (u32 x) { if constant_true() then copy(s, x) }\n";
    let _ = writeln!(text, "start m {{ mode m() period {period} {{");
    for (i, (rate, _)) in tasks.iter().enumerate() {
        let _ = writeln!(text, "taskfreq {rate} do t{i}(d);");
    }
    build(&(text + "} }\n"), 200 * period)
}

fn after(micros: u64, nanos: u64) -> Wait {
    Wait::After(micros * 1000 + nanos, 0)
}

/// Blocks, after the last of which the first begins again.
fn round(blocks: &[&[SInstruction]]) -> SCode {
    let mut blocks: Vec<Vec<SInstruction>> = blocks.iter().map(|b| b.to_vec()).collect();
    blocks.push(vec![Again(0)]);
    SCode { blocks }
}

/// The checker's verdict, and the kernel's on it.
fn is_safe(sample: &Sample, code: &SCode) -> bool {
    let scheduled = Scheduled::of(attach(&sample.bytes, code).unwrap());
    let machine = Machine::load(&scheduled.bytes);
    match scheduled.check(&sample.times).safety {
        Safety::Safe => {
            brute_force(&machine, sample, 3, &mut Seed(7)).unwrap();
            true
        }
        Safety::Unsafe(witness) => {
            let late = machine.follow(&witness, &sample.times, sample.length);
            assert!(!late.is_none(), "{}", witness.text(&scheduled.program));
            false
        }
        Safety::Unknown { limit } => panic!("undecided after {limit}"),
    }
}

#[test]
fn a_thread_that_polls_drifts_and_is_safe_in_every_phase() {
    let polls = |pause| round(&[&[Dispatch(0), Dispatch(1), Idle(pause)]]);
    let tasks = [(1, 8_247), (1, 5_115)];
    assert!(is_safe(&program(24, &tasks), &polls(after(3_632, 629))));
    // released just after it looked, they have 24 ms less the pause
    assert!(is_safe(&program(24, &tasks), &polls(after(10_637, 999))));
    assert!(!is_safe(&program(24, &tasks), &polls(after(11_641, 1))));
}

#[test]
fn a_thread_that_counts_from_completions_is_safe_wherever_they_put_it() {
    let (short, long) = (after(2_000, 0), after(15_959, 601));
    let code = round(&[&[
        DispatchUntil(1, long, 1),
        DispatchUntil(0, short, 1),
        Idle(short),
    ]]);
    assert!(is_safe(&program(24, &[(3, 1_979), (4, 2_775)]), &code));
    assert!(!is_safe(&program(24, &[(3, 2_979), (4, 3_775)]), &code));
}

#[test]
fn what_a_preempted_job_still_needs_depends_on_the_phase() {
    // the longest of all phases in every phase would be too long
    let pause = after(1_000, 0);
    let code = round(&[&[
        DispatchUntil(1, after(160, 203), 1),
        DispatchUntil(0, pause, 1),
        Idle(pause),
    ]]);
    assert!(is_safe(&program(12, &[(4, 917), (6, 362)]), &code));
    assert!(!is_safe(&program(12, &[(4, 1_917), (6, 362)]), &code));
}

#[test]
fn a_breach_that_takes_a_rare_phase_is_found_by_a_long_run() {
    let code = round(&[
        &[
            Dispatch(1),
            Dispatch(0),
            DispatchUntil(2, Wait::Released(1), 1),
            Idle(Wait::Released(1)),
        ],
        &[Dispatch(1), Dispatch(2), Idle(after(12_936, 934))],
    ]);
    let sample = program(24, &[(1, 8_504), (2, 2_613), (1, 7_086)]);
    assert!(!is_safe(&sample, &code));
    let scheduled = Scheduled::of(attach(&sample.bytes, &code).unwrap());
    let shown = is_safe_in_all_phases(&scheduled.program, &scheduled.code, &sample.times);
    assert_eq!(shown, Ok(false));
}

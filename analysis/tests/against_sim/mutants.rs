//! S code with one change: the checker accepts exactly what brute force finds
//! time-safe.

use std::collections::BTreeMap;

use giornata_analysis::scode::{SCode, SInstruction, Wait};
use giornata_analysis::{Kind, Safety, attach, check, generate, is_safe_in_all_phases};

use giornata_abi::Duration;

use crate::machine::Machine;
use crate::programs::{Sample, sample};
use crate::scode::{Scheduled, brute_force};
use crate::seed::{Seed, cases};

const KINDS: [Kind; 4] = [
    Kind::EarliestDeadline,
    Kind::NonPreemptive,
    Kind::RateMonotonic,
    Kind::Synchronous,
];

/// What has more states than this drifts.
const MANY_STATES: usize = 1_000;

/// The places of dispatches.
fn dispatches(code: &SCode) -> Vec<(usize, usize)> {
    let blocks = code.blocks.iter().enumerate();
    let places =
        blocks.flat_map(|(block, instructions)| (0..instructions.len()).map(move |at| (block, at)));
    let is_dispatch = |(block, at): &(usize, usize)| {
        let instruction = &code.blocks[*block][*at];
        matches!(
            instruction,
            SInstruction::Dispatch(_) | SInstruction::DispatchUntil(..)
        )
    };
    places.filter(is_dispatch).collect()
}

/// Changes one thing; says what.
fn mutate(code: &mut SCode, length: u64, seed: &mut Seed) -> &'static str {
    let places = dispatches(code);
    let (block, at) = seed.choose(&places);
    let chosen = code.blocks[block][at];
    match seed.below(4) {
        0 => {
            let (other_block, other) = seed.choose(&places);
            code.blocks[block][at] = code.blocks[other_block][other];
            code.blocks[other_block][other] = chosen;
            "swapped"
        }
        1 => {
            code.blocks[block].remove(at);
            "dropped"
        }
        2 => {
            let (SInstruction::Dispatch(task) | SInstruction::DispatchUntil(task, ..)) = chosen
            else {
                unreachable!("a dispatch")
            };
            let until = Wait::After(1 + seed.below(length), 0);
            code.blocks[block][at] = SInstruction::DispatchUntil(task, until, block + 1);
            "shortened"
        }
        _ => {
            // a wait that ends early
            let idle = |i: &SInstruction| matches!(i, SInstruction::Idle(_));
            if let Some(idle) = code.blocks[block].iter().position(idle) {
                let until = Wait::After(1 + seed.below(length), 0);
                code.blocks[block][idle] = SInstruction::Idle(until);
            }
            "waits less"
        }
    }
}

/// The same for many rounds: what drifts comes to other phases.
fn longer(sample: Sample, rounds: u64) -> Sample {
    let length = Duration(sample.length.0 * rounds);
    Sample { length, ..sample }
}

#[test]
fn the_checker_accepts_exactly_the_mutants_that_are_time_safe() {
    let mut seed = Seed(21);
    let mut verdicts: BTreeMap<(&str, bool), u32> = BTreeMap::new();
    let cases = cases(100, 1000);
    let mut mutants = 0;
    while mutants < cases {
        let sample = sample(&mut seed, 1);
        let (kind, complete) = (seed.choose(&KINDS), seed.below(2) == 0);
        let code = generate(&sample.program, &sample.code, &sample.times, kind, complete);
        let Ok(mut code) = code else { continue };
        let change = mutate(&mut code, sample.length.0 / 2, &mut seed);
        mutants += 1;
        let Ok(scheduled) = Scheduled::try_of(attach(&sample.bytes, &code).unwrap()) else {
            continue; // the verifier refuses it
        };
        let checked = check(&scheduled.program, &scheduled.code, &sample.times).unwrap();
        let machine = Machine::load(&scheduled.bytes);
        match checked.safety {
            Safety::Safe => {
                let mut own = Seed(mutants);
                let mut found = brute_force(&machine, &sample, 20, &mut own);
                if found.is_ok() && checked.states > MANY_STATES {
                    found = brute_force(&machine, &longer(sample, 100), 3, &mut own);
                }
                assert_eq!(found, Ok(()), "{kind:?} {change}: {code:?}");
                *verdicts.entry((change, true)).or_default() += 1;
            }
            Safety::Unsafe(witness) => {
                let late = machine.follow(&witness, &sample.times, sample.length);
                let text = witness.text(&scheduled.program);
                assert!(!late.is_none(), "{kind:?} {change}: {code:?}\n{text}");
                // nor is it found safe from the other side
                let is_safe =
                    is_safe_in_all_phases(&scheduled.program, &scheduled.code, &sample.times);
                assert_eq!(is_safe, Ok(false), "{kind:?} {change}: {code:?}\n{text}");
                *verdicts.entry((change, false)).or_default() += 1;
            }
            Safety::Unknown { .. } => panic!("undecided: {kind:?} {change}: {code:?}"),
        }
    }
    let least = cases as u32 / 50;
    assert_eq!(verdicts.len(), 8, "{verdicts:?}");
    assert!(
        verdicts.values().all(|n| *n >= least.min(2)),
        "{verdicts:?}"
    );
}

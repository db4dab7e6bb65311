//! S code that is generated: does it do what it was made for, and does the
//! checker know?

use giornata_abi::Duration;
use giornata_abi::module::Module;
use giornata_analysis::scode::{SCode, SInstruction};
use giornata_analysis::{
    Checked, Class, ECode, Kind, NoSCode, NotAnalysable, Program, Safety, Times, attach, check,
    fill_idle, generate, lacking,
};

use crate::machine::{Lateness, Machine};
use crate::programs::{Sample, sample};
use crate::seed::{Seed, cases};

const KINDS: [(Kind, Class); 4] = [
    (Kind::EarliestDeadline, Class::Preemptive),
    (Kind::NonPreemptive, Class::NonPreemptive),
    (Kind::RateMonotonic, Class::Preemptive),
    (Kind::Synchronous, Class::Synchronous),
];

/// A module with S code.
pub(crate) struct Scheduled {
    pub(crate) bytes: Vec<u8>,
    pub(crate) program: Program,
    pub(crate) code: ECode,
}

impl Scheduled {
    pub(crate) fn of(bytes: Vec<u8>) -> Scheduled {
        Scheduled::try_of(bytes).unwrap()
    }

    /// The module if the verifier accepts it.
    pub(crate) fn try_of(bytes: Vec<u8>) -> Result<Scheduled, NotAnalysable> {
        let program = Program::of(&Module::parse(&bytes).unwrap())?;
        let code = ECode::of(&program)?;
        Ok(Scheduled {
            bytes,
            program,
            code,
        })
    }

    pub(crate) fn check(&self, times: &Times) -> Checked {
        check(&self.program, &self.code, times).unwrap()
    }
}

/// Runs at worst-case times, and a few times at shorter ones.
pub(crate) fn brute_force(
    machine: &Machine,
    sample: &Sample,
    runs: u64,
    seed: &mut Seed,
) -> Result<(), Lateness> {
    let worst = sample.times.all();
    for run in 0..=runs {
        let salt = seed.next();
        let time = |task: u16, job: u32| {
            let worst = worst[usize::from(task)];
            let chance = &mut Seed(salt ^ u64::from(task) << 32 ^ u64::from(job));
            match run {
                0 => worst,
                // half of them at the extremes
                _ => match chance.below(4) {
                    0 => Duration::ZERO,
                    1 => worst,
                    _ => Duration(chance.below(worst.0 + 1)),
                },
            }
        };
        let late = machine.run(sample.length, time, |_, n| n % 2 == 0);
        if !late.is_none() {
            return Err(late);
        }
    }
    Ok(())
}

#[test]
fn generated_s_code_is_accepted_and_every_job_completes() {
    let (mut seed, mut made, mut infeasible) = (Seed(11), [0; 4], [0; 4]);
    for _ in 0..cases(100, 2000) {
        let sample = sample(&mut seed, 1);
        for (index, (kind, class)) in KINDS.into_iter().enumerate() {
            let complete = seed.below(2) == 0;
            let times = &sample.times;
            let code = match generate(&sample.program, &sample.code, times, kind, complete) {
                Ok(code) => code,
                Err(NoSCode::Infeasible(_)) => {
                    infeasible[index] += 1;
                    continue;
                }
                Err(other) => panic!("{other:?}"),
            };
            made[index] += 1;
            let scheduled = Scheduled::of(attach(&sample.bytes, &code).unwrap());
            let checked = scheduled.check(times);
            assert_eq!(checked.safety, Safety::Safe, "{kind:?} {complete}");
            assert!(checked.class <= class, "{kind:?}: {checked:?}");
            let machine = Machine::load(&scheduled.bytes);
            brute_force(&machine, &sample, 2, &mut seed).unwrap();
        }
    }
    assert!(
        made.iter().chain(&infeasible).all(|n| *n > 5),
        "{made:?} {infeasible:?}"
    );
}

/// The same without any dispatch of a task.
fn without(code: &SCode, task: u16) -> SCode {
    let keeps = |i: &SInstruction| match i {
        SInstruction::Dispatch(other) | SInstruction::DispatchUntil(other, ..) => *other != task,
        _ => true,
    };
    let block = |b: &Vec<SInstruction>| b.iter().copied().filter(keeps).collect();
    SCode {
        blocks: code.blocks.iter().map(block).collect(),
    }
}

#[test]
fn what_partial_s_code_lacks_runs_where_it_would_idle() {
    let (mut seed, mut safe, mut partial) = (Seed(13), 0, 0);
    while partial < cases(60, 600) {
        let sample = sample(&mut seed, 1);
        let kind = seed.choose(&KINDS).0;
        let code = generate(&sample.program, &sample.code, &sample.times, kind, false);
        let Ok(code) = code else { continue };
        let task = seed.below(sample.program.tasks.len() as u64) as u16;
        let bytes = attach(&sample.bytes, &without(&code, task)).unwrap();
        let Ok(before) = Scheduled::try_of(bytes) else {
            continue; // it only waits for the task: the verifier refuses that
        };
        partial += 1;
        // nobody runs it, and the code does not leave it to the default scheduler
        assert_ne!(before.check(&sample.times).safety, Safety::Safe);
        assert_eq!(lacking(&before.program, &before.code), Ok(vec![task]));
        let after = Scheduled::of(fill_idle(&before.bytes, &[task]).unwrap());
        assert_eq!(lacking(&after.program, &after.code), Ok(vec![]));
        let machine = Machine::load(&after.bytes);
        match after.check(&sample.times).safety {
            Safety::Safe => {
                brute_force(&machine, &sample, 2, &mut seed).unwrap();
                safe += 1;
            }
            Safety::Unsafe(witness) => {
                let late = machine.follow(&witness, &sample.times, sample.length);
                let text = witness.text(&after.program);
                assert!(!late.is_none(), "{kind:?} without {task}: {code:?}\n{text}");
            }
            Safety::Unknown { .. } => panic!("undecided"),
        }
    }
    assert!(safe * 5 > partial, "{safe} of {partial}");
}

#[test]
fn a_witness_of_the_checker_is_what_the_kernel_does() {
    // the S code of one program's times, with longer ones
    let (mut seed, mut refused) = (Seed(12), 0);
    for _ in 0..cases(100, 1000) {
        let sample = sample(&mut seed, 1);
        let kind = seed.choose(&KINDS).0;
        let code = generate(&sample.program, &sample.code, &sample.times, kind, false);
        let Ok(code) = code else { continue };
        let scheduled = Scheduled::of(attach(&sample.bytes, &code).unwrap());
        let longer = sample.times.scaled(1000 + seed.below(1500), 1000);
        let machine = Machine::load(&scheduled.bytes);
        let Safety::Unsafe(witness) = scheduled.check(&longer).safety else {
            continue;
        };
        refused += 1;
        let late = machine.follow(&witness, &longer, sample.length);
        assert!(!late.is_none(), "{}", witness.text(&scheduled.program));
    }
    assert!(refused > 10);
}

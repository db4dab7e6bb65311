//! Is E code schedulable? Asked of the analysis and of the kernel.

use giornata_abi::Duration;
use giornata_analysis::{Strategy, Verdict, walk};
use giornata_sim::Scheduler;

use crate::machine::Machine;
use crate::programs::{Sample, sample};
use crate::seed::{Seed, cases};

const STRATEGIES: [(Strategy, Scheduler); 2] = [
    (Strategy::EarliestDeadline, Scheduler::EarliestDeadline),
    (Strategy::RateMonotonic, Scheduler::RateMonotonic),
];

/// A time between nothing and the worst.
fn shorter(worst: Duration, salt: u64) -> Duration {
    Duration(Seed(salt).below(worst.0 + 1))
}

#[test]
fn programs_of_one_mode_are_decided_as_the_kernel_runs_them() {
    let (mut seed, mut verdicts) = (Seed(1), [0, 0]);
    for _ in 0..cases(300, 5000) {
        let sample = sample(&mut seed, 1);
        let worst = sample.times.all();
        for (strategy, scheduler) in STRATEGIES {
            let walked = walk(&sample.program, &sample.code, &sample.times, strategy);
            let machine = Machine::load(&sample.bytes).with(scheduler);
            let late = machine.run(sample.length, |t, _| worst[usize::from(t)], |_, _| true);
            let good = walked.verdict == Verdict::Schedulable;
            assert_eq!(good, late.is_none(), "{strategy:?} {walked:#?} {late:?}");
            verdicts[usize::from(good)] += 1;
            if good {
                for (task, figures) in walked.tasks.iter().enumerate() {
                    assert_eq!(figures.unwrap().response.0, late.responses[task]);
                }
                check_shorter_times(&sample, &machine, &mut seed);
            }
        }
    }
    assert!(
        verdicts.iter().all(|n| *n > 50),
        "{verdicts:?} is one-sided"
    );
}

/// Sustainability: jobs that need less are no later.
fn check_shorter_times(sample: &Sample, machine: &Machine, seed: &mut Seed) {
    let (worst, salt) = (sample.times.all(), seed.next());
    let time = |task: u16, job: u32| {
        let salt = salt ^ u64::from(task) << 32 ^ u64::from(job);
        shorter(worst[usize::from(task)], salt)
    };
    let late = machine.run(sample.length, time, |_, n| n % 2 == 0);
    assert!(late.is_none(), "{late:?}");
}

#[test]
fn no_verdict_on_programs_that_switch_modes_is_optimistic() {
    let (mut seed, mut verdicts, mut unknown) = (Seed(2), [0, 0], 0);
    let cases = cases(60, 1000);
    for _ in 0..cases {
        let modes = 2 + seed.below(2) as usize;
        let sample = sample(&mut seed, modes);
        let (strategy, scheduler) = seed.choose(&STRATEGIES);
        let walked = walk(&sample.program, &sample.code, &sample.times, strategy);
        match walked.verdict {
            Verdict::Schedulable => verdicts[1] += 1,
            Verdict::NotSchedulable(_) => verdicts[0] += 1,
            Verdict::Unknown { .. } => unknown += 1,
        }
        let machine = Machine::load(&sample.bytes).with(scheduler);
        let worst = sample.times.all();
        for salt in 0..4 {
            let length = Duration(sample.length.0 * 4);
            let answer = |driver: u16, n: u32| {
                Seed(salt << 32 | u64::from(n) << 16 | u64::from(driver)).next() & 1 == 0
            };
            let late = machine.run(length, |t, _| worst[usize::from(t)], answer);
            if walked.verdict == Verdict::Schedulable {
                assert!(late.is_none(), "{late:?}");
            }
        }
    }
    assert!(verdicts.iter().all(|n| *n > 5), "{verdicts:?} is one-sided");
    assert!(unknown * 20 <= cases, "{unknown} of {cases} unknown");
}

#[test]
fn a_witness_is_what_the_kernel_does() {
    let mut seed = Seed(3);
    for _ in 0..cases(40, 500) {
        let sample = sample(&mut seed, 1);
        let (strategy, scheduler) = STRATEGIES[0];
        let walked = walk(&sample.program, &sample.code, &sample.times, strategy);
        let Verdict::NotSchedulable(witness) = walked.verdict else {
            continue;
        };
        let machine = Machine::load(&sample.bytes).with(scheduler);
        let late = machine.follow(&witness, &sample.times, sample.length);
        assert!(!late.is_none());
        let text = witness.text(&sample.program);
        assert!(text.contains("has not completed"), "{text}");
    }
}

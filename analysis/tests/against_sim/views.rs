//! The periodic view, margins and orders without preemption, against what the
//! walk, the kernel and plain enumeration find.

use giornata_abi::Duration;
use giornata_analysis::{
    Demand, Kind, NoSCode, Safety, Strategy, Times, Verdict, attach, generate, greatest_factor,
    periodic, qpa, responses, walk,
};

use crate::machine::{Machine, listed};
use crate::programs::{Sample, build, sample};
use crate::scode::Scheduled;
use crate::seed::{Seed, cases};

fn is_schedulable(sample: &Sample, times: &Times, strategy: Strategy) -> bool {
    walk(&sample.program, &sample.code, times, strategy).verdict == Verdict::Schedulable
}

#[test]
fn the_classic_tests_agree_with_the_walk() {
    let (mut seed, mut verdicts) = (Seed(31), [0; 4]);
    for _ in 0..cases(200, 3000) {
        let sample = sample(&mut seed, 1);
        let times = &sample.times;
        let view = periodic(&sample.program, &sample.code, times).unwrap();
        let fits = qpa(&view) == Demand::Fits;
        let meets = is_schedulable(&sample, times, Strategy::EarliestDeadline);
        assert_eq!(fits, meets, "{view:?}");
        let walked = walk(
            &sample.program,
            &sample.code,
            times,
            Strategy::RateMonotonic,
        );
        let bounds = responses(&view);
        let meets = walked.verdict == Verdict::Schedulable;
        assert_eq!(bounds.iter().all(Option::is_some), meets, "{view:?}");
        if meets {
            for (task, bound) in view.iter().zip(&bounds) {
                let found = walked.tasks[usize::from(task.task)].unwrap();
                assert_eq!(Some(found.response), *bound, "{view:?}");
            }
        }
        verdicts[usize::from(fits)] += 1;
        verdicts[2 + usize::from(meets)] += 1;
    }
    assert!(verdicts.iter().all(|n| *n > 20), "{verdicts:?}");
}

#[test]
fn times_may_grow_as_far_as_is_said_and_no_further() {
    let mut seed = Seed(32);
    for _ in 0..cases(30, 300) {
        let sample = sample(&mut seed, 1);
        let strategy = seed.choose(&[Strategy::EarliestDeadline, Strategy::RateMonotonic]);
        let holds = |times: &Times| Some(is_schedulable(&sample, times, strategy));
        let factor = greatest_factor(&sample.times, holds).unwrap();
        assert!(factor > 0);
        assert_eq!(holds(&sample.times.scaled(factor, 1000)), Some(true));
        assert_eq!(holds(&sample.times.scaled(factor + 1, 1000)), Some(false));
        assert_eq!(
            factor >= 1000,
            is_schedulable(&sample, &sample.times, strategy)
        );
    }
}

/// Three tasks of whole milliseconds in a round of 12 ms.
fn small(seed: &mut Seed) -> (Sample, Vec<(u64, u64)>) {
    let rates: Vec<u64> = (0..3).map(|_| seed.choose(&[1, 2, 3, 4])).collect();
    let tasks: Vec<(u64, u64)> = rates
        .iter()
        .map(|rate| (12 / rate, 1 + seed.below(12 / rate / 2 + 1)))
        .collect();
    let mut text = String::from("output u32 o := zero;\n");
    for (i, (_, time)) in tasks.iter().enumerate() {
        text += &format!("task t{i}() output () state () [wcet {time}ms] {{ schedule f{i}() }}\n");
    }
    text += "driver d() output () { if constant_true() then dummy() }\nstart m { mode m() period 12 {\n";
    for (i, rate) in rates.iter().enumerate() {
        text += &format!("taskfreq {rate} do t{i}(d);\n");
    }
    (build(&(text + "} }"), 24), tasks)
}

/// Whether jobs (release, deadline, time) can run one after the other: every
/// order is tried, in steps of a millisecond.
fn can_run(now: u64, jobs: &[(u64, u64, u64)]) -> bool {
    if jobs.is_empty() {
        return true;
    }
    (0..jobs.len()).any(|index| {
        let (release, deadline, time) = jobs[index];
        let end = now.max(release) + time;
        let mut rest = jobs.to_vec();
        rest.remove(index);
        end <= deadline && can_run(end, &rest)
    })
}

#[test]
fn an_order_without_preemption_is_found_exactly_if_there_is_one() {
    let (mut seed, mut verdicts) = (Seed(33), [0, 0]);
    for _ in 0..cases(150, 2000) {
        let (sample, tasks) = small(&mut seed);
        let jobs = tasks.iter().flat_map(|(period, time)| {
            (0..12 / period).map(move |k| (k * period, (k + 1) * period, *time))
        });
        let jobs: Vec<(u64, u64, u64)> = jobs.collect();
        let made = generate(
            &sample.program,
            &sample.code,
            &sample.times,
            Kind::NonPreemptive,
            false,
        );
        let exists = match made {
            Ok(_) => true,
            Err(NoSCode::Infeasible(_)) => false,
            Err(other) => panic!("{other:?}"),
        };
        assert_eq!(exists, can_run(0, &jobs), "{tasks:?}");
        verdicts[usize::from(exists)] += 1;
    }
    assert!(verdicts.iter().all(|n| *n > 10), "{verdicts:?}");
}

#[test]
fn rate_monotonic_s_code_serves_programs_that_switch_modes() {
    let (mut seed, mut safe, mut unsafe_) = (Seed(34), 0, 0);
    for _ in 0..cases(60, 600) {
        let sample = sample(&mut seed, 2);
        let Sample {
            program,
            code,
            times,
            ..
        } = &sample;
        let Ok(made) = generate(program, code, times, Kind::RateMonotonic, false) else {
            continue;
        };
        let scheduled = Scheduled::of(attach(&sample.bytes, &made).unwrap());
        let machine = Machine::load(&scheduled.bytes);
        assert_eq!(scheduled.check(times).safety, Safety::Safe);
        let longer = times.scaled(1500, 1000);
        let longer_is_safe = scheduled.check(&longer).safety == Safety::Safe;
        for (times, is_safe) in [(times, true), (&longer, longer_is_safe)] {
            for salt in 0..3 {
                let answer = |driver: u16, n: u32| {
                    Seed(salt << 40 | u64::from(n) << 16 | u64::from(driver)).next() & 1 == 0
                };
                let length = Duration(sample.length.0 * 3);
                let none = std::collections::BTreeMap::new();
                let late = machine.run(length, listed(&none, times.all()), answer);
                assert!(late.is_none() || !is_safe, "{late:?}");
            }
        }
        safe += 1;
        unsafe_ += u32::from(!longer_is_safe);
    }
    assert!(safe > 10 && unsafe_ > 5, "{safe} {unsafe_}");
}

/// As many tasks as the paper's largest case, in its four rates.
#[test]
fn a_hundred_tasks_are_checked_in_a_state_for_each_release() {
    let mut text = String::from("output u32 o := zero;\n");
    for i in 0..100 {
        text += &format!("task t{i}() output () state () [wcet 150us] {{ schedule f{i}() }}\n");
    }
    text += "driver d() output () { if constant_true() then dummy() }\nstart m { mode m() period 60 {\n";
    for i in 0..100 {
        let rate = [1, 2, 3, 6][i / 25];
        text += &format!("taskfreq {rate} do t{i}(d);\n");
    }
    let sample = build(&(text + "} }"), 120);
    let Sample {
        program,
        code,
        times,
        ..
    } = &sample;
    for (kind, complete) in [
        (Kind::EarliestDeadline, false),
        (Kind::EarliestDeadline, true),
        (Kind::NonPreemptive, false),
        (Kind::RateMonotonic, false),
    ] {
        let made = generate(program, code, times, kind, complete);
        let made = made.unwrap_or_else(|why| panic!("{kind:?}: {why:?}"));
        let scheduled = Scheduled::of(attach(&sample.bytes, &made).unwrap());
        let checked = scheduled.check(times);
        assert_eq!(checked.safety, Safety::Safe);
        let instructions = scheduled.program.code.len() - program.code.len();
        assert!(
            checked.states <= instructions,
            "{} > {instructions}",
            checked.states
        );
        let none = std::collections::BTreeMap::new();
        let machine = Machine::load(&scheduled.bytes);
        let late = machine.run(sample.length, listed(&none, times.all()), |_, _| true);
        assert!(late.is_none(), "{kind:?} {late:?}");
    }
}

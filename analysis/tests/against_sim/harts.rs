//! Programs on several harts: what the tests of sporadic tasks say, against runs with
//! worst-case times.

use giornata_abi::Duration;
use giornata_abi::module::Module;
use giornata_analysis::global::{by_rates, sporadic};
use giornata_analysis::{
    ECode, Policy, Program, Strategy, Times, Verdict, Walked, global, periodic, walk, walk_on,
};
use giornata_lang::{Options, psi};
use giornata_sim::Scheduler;

use crate::machine::Machine;
use crate::programs::{Sample, sample};
use crate::seed::{Seed, cases};

/// Asks the tests and the walk; whether a test holds and whether the walk finds nothing.
fn compare(sample: &Sample, times: &Times, harts: u32, strategy: Strategy) -> (bool, bool) {
    let Sample { program, code, .. } = sample;
    let view = sporadic(program, code, times).unwrap();
    let policy = match strategy {
        Strategy::RateMonotonic => by_rates(program, code, &view),
        _ => Policy::EarliestDeadline,
    };
    let found = global(&view, harts, &policy);
    let walked: Walked = walk_on(program, code, times, strategy, harts);
    let is_good = walked.verdict == Verdict::Schedulable;
    let is_shown = found.shown_by().is_some();
    let is_known = !matches!(walked.verdict, Verdict::Unknown { .. });
    assert!(!is_shown || is_good || !is_known, "{found:?} {walked:#?}");
    for (task, bound) in view.iter().zip(&found.responses) {
        if let Some(figures) = walked.tasks[usize::from(task.least.task)] {
            assert!(
                figures.response <= *bound,
                "{task:?} {figures:?} {bound:?} on {harts}, {view:?} {:?}",
                walked.steps.iter().take(6).collect::<Vec<_>>()
            );
        }
    }
    (is_shown, is_good)
}

#[test]
fn no_test_holds_of_a_program_that_misses_a_deadline() {
    let mut seed = Seed(61);
    let (mut shown, mut late) = (0, 0);
    let cases = cases(150, 3000);
    for case in 0..cases {
        let modes = 1 + (case % 3) as usize;
        let sample = sample(&mut seed, modes);
        let harts = 2 + seed.below(2) as u32;
        let times = sample
            .times
            .scaled(u64::from(harts) * (5 + seed.below(6)), 10);
        for strategy in [Strategy::EarliestDeadline, Strategy::RateMonotonic] {
            let (is_shown, is_good) = compare(&sample, &times, harts, strategy);
            shown += u64::from(is_shown);
            late += u64::from(!is_good);
        }
    }
    assert!(
        shown * 6 > cases && late * 6 > cases,
        "{shown} {late} of {cases}"
    );
}

/// The kernel of several harts comes to what the walk does, to each response; and where a test
/// holds, no job is late whatever it needs.
#[test]
fn programs_run_on_several_harts_as_they_are_walked() {
    let (mut seed, mut verdicts) = (Seed(64), [0, 0]);
    for case in 0..cases(100, 2000) {
        let sample = sample(&mut seed, 1);
        let harts = 2 + (case % 3) as u32;
        let times = sample
            .times
            .scaled(u64::from(harts) * (5 + seed.below(6)), 10);
        for (strategy, scheduler) in [
            (Strategy::EarliestDeadline, Scheduler::EarliestDeadline),
            (Strategy::RateMonotonic, Scheduler::RateMonotonic),
        ] {
            let (is_shown, is_good) = compare(&sample, &times, harts, strategy);
            let walked = walk_on(&sample.program, &sample.code, &times, strategy, harts);
            let machine = Machine::on_harts(&sample.bytes, scheduler, harts);
            let worst = times.all();
            let late = machine.run(
                sample.length,
                |task, _| worst[usize::from(task)],
                |_, _| true,
            );
            assert_eq!(is_good, late.is_none(), "{strategy:?} {walked:#?} {late:?}");
            verdicts[usize::from(is_good)] += 1;
            if is_good {
                for (task, figures) in walked.tasks.iter().enumerate() {
                    assert_eq!(
                        figures.unwrap().response.0,
                        late.responses[task],
                        "{strategy:?}"
                    );
                }
            }
            if is_shown {
                let salt = seed.next();
                let shorter = |task: u16, job: u32| {
                    let salt = salt ^ u64::from(task) << 32 ^ u64::from(job);
                    Duration(Seed(salt).below(worst[usize::from(task)].0 + 1))
                };
                let late = machine.run(sample.length, shorter, |_, _| true);
                assert!(late.is_none(), "{late:?}");
            }
        }
    }
    assert!(verdicts.iter().all(|count| *count > 20), "{verdicts:?}");
}

/// Windows of several lengths, and more load than one hart has.
#[test]
fn no_test_holds_of_windows_that_miss_a_deadline() {
    let mut seed = Seed(63);
    let (mut shown, mut late) = (0, 0);
    let cases = cases(100, 3000);
    for _ in 0..cases {
        let text = crate::windows::program(&mut seed, 990);
        let (bytes, findings) = psi::compile("w.psi", &text, &Options::default());
        let bytes = bytes.unwrap_or_else(|| panic!("{findings:?}"));
        let program = Program::of(&Module::parse(&bytes).unwrap()).unwrap();
        let code = ECode::of(&program).unwrap();
        let times = Times::of(&program, None).unwrap();
        let sample = Sample {
            bytes,
            program,
            code,
            times: times.clone(),
            length: Duration::ZERO,
        };
        for strategy in [Strategy::EarliestDeadline, Strategy::RateMonotonic] {
            let (is_shown, is_good) = compare(&sample, &times, 2, strategy);
            shown += u64::from(is_shown);
            late += u64::from(!is_good);
        }
    }
    assert!(shown * 6 > cases && late > 0, "{shown} {late} of {cases}");
}

/// Of one mode it is the periodic view; of several each gap and each deadline is one that is
/// in the walk, or longer.
#[test]
fn the_sporadic_view_is_what_the_walk_releases() {
    let mut seed = Seed(62);
    for case in 0..cases(60, 1000) {
        let sample = sample(&mut seed, 1 + (case % 3) as usize);
        let Sample { program, code, .. } = &sample;
        let view = sporadic(program, code, &sample.times).unwrap();
        if let Some(periodic) = periodic(program, code, &sample.times) {
            let least: Vec<_> = view.iter().map(|task| task.least).collect();
            assert_eq!(least, periodic);
        }
        let nothing = Times::from_list(vec![Duration::ZERO; program.tasks.len()]);
        let walked = walk(program, code, &nothing, Strategy::EarliestDeadline);
        let jobs = walked.steps.iter().flat_map(|step| &step.released);
        for job in jobs {
            let task = view
                .iter()
                .find(|task| task.least.task == job.task)
                .unwrap();
            assert!(
                task.windows.contains(&job.deadline.since(job.release)),
                "{view:?}"
            );
            assert!(task.least.deadline <= task.least.period);
        }
    }
}

/// A task of windows of 2 and 4 ms: they begin 2 and 4 ms apart. One that chooses between a
/// window of 3 and one of 5.
#[test]
fn windows_are_as_far_apart_as_the_shortest_way() {
    let text = "task a { f() [wcet 1ms]; advance(2 ms); f() [wcet 1ms]; advance(4 ms); }
                task b { state bool s; g() -> s [wcet 1ms]; advance(3 ms);
                  if (s) { h() [wcet 1ms]; advance(5 ms); } else { advance(1 ms); } }";
    let (bytes, findings) = psi::compile("w.psi", text, &Options::default());
    let bytes = bytes.unwrap_or_else(|| panic!("{findings:?}"));
    let program = Program::of(&Module::parse(&bytes).unwrap()).unwrap();
    let code = ECode::of(&program).unwrap();
    let times = Times::of(&program, None).unwrap();
    let view = sporadic(&program, &code, &times).unwrap();
    let millis = |time: Duration| time.0 / 1_000_000;
    let mut found: Vec<_> = view
        .iter()
        .map(|t| {
            (
                program.task_name(t.least.task),
                millis(t.least.period),
                millis(t.least.deadline),
            )
        })
        .collect();
    found.sort_unstable();
    assert_eq!(found, [("a.f", 2, 2), ("b.g", 4, 3), ("b.h", 8, 5)]);
}

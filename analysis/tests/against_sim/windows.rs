//! Programs of windows: several triggers, and blocks behind others of their instant.

use giornata_abi::Duration;
use giornata_abi::module::Module;
use giornata_analysis::{ECode, Program, Strategy, Times, Verdict, walk};
use giornata_lang::{Options, psi};
use giornata_sim::{Scheduler, hyperperiod};

use crate::machine::Machine;
use crate::seed::{Seed, cases};

const STRATEGIES: [(Strategy, Scheduler); 2] = [
    (Strategy::EarliestDeadline, Scheduler::EarliestDeadline),
    (Strategy::RateMonotonic, Scheduler::RateMonotonic),
];

/// Widths of the windows of a round, in milliseconds.
const ROUNDS: [&[u64]; 7] = [&[2], &[3], &[1, 2], &[2, 1, 3], &[4], &[1, 3, 2], &[6, 6]];

/// Two or three tasks that read each other's variables, each job with a worst case of up
/// to `share` thousandths of its window.
pub(crate) fn program(seed: &mut Seed, share: u64) -> String {
    let tasks = 2 + seed.below(2);
    let mut text = String::new();
    for task in 0..tasks {
        text += &format!("task t{task} {{ export u32 v{task};\n");
        let windows: &[u64] = seed.choose(&ROUNDS);
        for (job, width) in windows.iter().enumerate() {
            let worst = (1 + seed.below(share)) * width;
            let other = (task + seed.below(tasks)) % tasks;
            let reads = ["", &format!("v{other}")][seed.below(2) as usize].to_owned();
            text += &format!(
                "f{task}_{job}({reads}) -> v{task} [wcet {worst}us]; advance({width} ms);\n"
            );
        }
        text += "}\n";
    }
    text
}

#[test]
fn programs_of_windows_are_decided_as_the_kernel_runs_them() {
    let (mut seed, mut verdicts) = (Seed(4), [0, 0]);
    for _ in 0..cases(100, 3000) {
        let text = program(&mut seed, 700);
        let (bytes, findings) = psi::compile("w.psi", &text, &Options::default());
        let bytes = bytes.unwrap_or_else(|| panic!("{findings:?}"));
        let module = Module::parse(&bytes).unwrap();
        let program = Program::of(&module).unwrap();
        let code = ECode::of(&program).unwrap();
        let times = Times::of(&program, None).unwrap();
        let length = Duration(hyperperiod(&[module]).unwrap().0 * 3);
        for (strategy, scheduler) in STRATEGIES {
            let walked = walk(&program, &code, &times, strategy);
            let worst = times.all();
            let machine = Machine::load(&bytes).with(scheduler);
            let late = machine.run(length, |t, _| worst[usize::from(t)], |_, _| true);
            let good = walked.verdict == Verdict::Schedulable;
            assert_eq!(good, late.is_none(), "{strategy:?} {text} {late:?}");
            verdicts[usize::from(good)] += 1;
            if good {
                for (task, figures) in walked.tasks.iter().enumerate() {
                    let response = figures.unwrap().response.0;
                    assert_eq!(response, late.responses[task], "{strategy:?} {text}");
                }
            }
        }
    }
    assert!(
        verdicts.iter().all(|n| *n > 30),
        "{verdicts:?} is one-sided"
    );
}

//! Simulated schedules held against what theory says of them, on task sets by
//! chance: periodic tasks that are released together at 0, each with its period
//! for a deadline.

mod folder;

use folder::Folder;
use giornata_sim::{Chance, Work};

/// The mode's period, ns.
const PERIOD: u64 = 120_000_000;
/// Frequencies of tasks; each divides the period.
const FREQUENCIES: [u64; 8] = [1, 2, 3, 4, 5, 6, 8, 10];
/// Task sets of each test.
const SETS: u64 = 40;

/// A task: period and execution time in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Task {
    period: u64,
    time: u64,
}

/// Two to five tasks of different periods, the shorter the earlier, with a
/// load of about `percent`.
fn tasks(set: u64, percent: u64) -> Vec<Task> {
    let chance = |number| Chance::new(set).draw(Work::Job(0), number);
    let count = 2 + chance(0) % 4;
    let mut chosen = FREQUENCIES.to_vec();
    while chosen.len() as u64 > count {
        let out = chance(chosen.len() as u32) % chosen.len() as u64;
        chosen.remove(out as usize);
    }
    let weights: Vec<u64> = (0..count).map(|i| 1 + chance(100 + i as u32) % 9).collect();
    let whole: u64 = weights.iter().sum();
    let task = |(frequency, weight): (&u64, &u64)| {
        let period = PERIOD / frequency;
        let time = period * percent * weight / (100 * whole);
        Task { period, time }
    };
    chosen.iter().rev().zip(&weights).map(task).collect()
}

/// The tasks as a program in Giotto: `t0`, `t1`, ... in their order.
fn program(tasks: &[Task]) -> String {
    let lines = |line: &dyn Fn(usize, &Task) -> String| -> String {
        tasks
            .iter()
            .enumerate()
            .map(|(i, task)| line(i, task))
            .collect()
    };
    format!(
        "output {}{} driver none() output () {{ if true() then dummy() }}\n\
         start m {{ mode m() period 120 {{ {} }} }}",
        lines(&|i, _| format!("u32 p{i} := zero; ")),
        lines(&|i, task| format!(
            "task t{i}() output (p{i}) state () [wcet {}ns] {{ schedule f{i}(p{i}) }}\n",
            task.time
        )),
        lines(&|i, task| format!("taskfreq {} do t{i}(none); ", PERIOD / task.period)),
    )
}

/// Exit code and JSON of a simulation of two hyperperiods.
fn simulate(folder: &Folder, tasks: &[Task], scheduler: &str) -> (i32, serde_json::Value) {
    folder.write("set.giotto", program(tasks));
    let words = [
        "simulate",
        "set.giotto",
        "--for",
        "240ms",
        "--json",
        "--scheduler",
    ];
    folder.json(&[&words[..], &[scheduler]].concat())
}

/// The load in parts of the period: at most `PERIOD` fits.
fn demand(tasks: &[Task]) -> u64 {
    tasks
        .iter()
        .map(|task| task.time * (PERIOD / task.period))
        .sum()
}

/// The worst response of a task under fixed priorities: the least fixed point
/// of the time that it and all that precede it need (Joseph and Pandya 1986);
/// `None` beyond its deadline.
fn response(tasks: &[Task], index: usize) -> Option<u64> {
    let task = tasks[index];
    let mut response = task.time;
    loop {
        let before = tasks[..index].iter();
        let others: u64 = before.map(|t| response.div_ceil(t.period) * t.time).sum();
        let next = task.time + others;
        if next > task.period {
            return None;
        }
        if next == response {
            return Some(response);
        }
        response = next;
    }
}

#[test]
fn earliest_deadline_first_misses_exactly_beyond_full_load() {
    let folder = Folder::new("theory-edf");
    let mut missed = 0;
    for set in 0..SETS {
        let mut tasks = tasks(set, 96 + set % 9);
        if set % 5 == 0 {
            // the last task takes all that is left, to the nanosecond
            let last = tasks.len() - 1;
            tasks[last].time = 0;
            let left = PERIOD - demand(&tasks);
            tasks[last].time = left / (PERIOD / tasks[last].period);
        }
        let (code, json) = simulate(&folder, &tasks, "edf");
        let fits = demand(&tasks) <= PERIOD;
        assert_eq!(code, i32::from(!fits), "{tasks:?}: {:#}", json["totals"]);
        missed += code;
    }
    assert!(
        (5..35).contains(&missed),
        "{missed} of {SETS}: one side is not tried"
    );
}

#[test]
fn responses_under_fixed_priorities_are_those_of_the_analysis() {
    let folder = Folder::new("theory-rm");
    let (mut compared, mut missed) = (0, 0);
    for set in 0..SETS {
        let tasks = tasks(set, 80 + set % 21);
        let expected: Option<Vec<u64>> = (0..tasks.len()).map(|i| response(&tasks, i)).collect();
        let (code, json) = simulate(&folder, &tasks, "rm");
        assert_eq!(code, i32::from(expected.is_none()), "{tasks:?}");
        missed += code;
        let Some(expected) = expected else { continue };
        for (row, expected) in json["tasks"].as_array().unwrap().iter().zip(expected) {
            assert_eq!(row["response_ns"]["max"], expected, "{tasks:?}: {row:#}");
            compared += 1;
        }
    }
    assert!(
        compared > 50 && missed > 3,
        "{compared} compared, {missed} missed"
    );
}

#[test]
fn the_processor_is_busy_for_what_the_jobs_take() {
    let folder = Folder::new("theory-busy");
    for set in 0..SETS / 4 {
        let tasks = tasks(set, 60);
        for scheduler in ["edf", "rm"] {
            let (_, json) = simulate(&folder, &tasks, scheduler);
            assert_eq!(json["totals"]["busy_ns"], 2 * demand(&tasks), "{tasks:?}");
            for (row, task) in json["tasks"].as_array().unwrap().iter().zip(&tasks) {
                assert_eq!(row["releases"], 2 * PERIOD / task.period);
                assert_eq!(row["completions"], row["releases"]);
            }
        }
    }
}

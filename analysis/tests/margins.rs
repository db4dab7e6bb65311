//! The greatest factors of times, held against what theory and exhaustive search say of
//! them: random sets of periodic tasks, released together, each with its period for a
//! deadline.

use std::collections::HashMap;
use std::fmt::Write;

use giornata_abi::module::Module;
use giornata_analysis::{
    ECode, Program, Strategy, Times, Verdict, greatest_factor, greatest_factor_of, walk,
    walk_without_preemption,
};
use giornata_lang::giotto::{Options, compile};

/// Factors are in thousandths, and end there.
const UNIT: u128 = 1000;
const MOST: u64 = 1_000_000;
/// Sets of tasks, from that many seeds.
const SETS: u64 = 60;
/// The mode's period, ns.
const ROUND: u64 = 120_000_000;
const FREQUENCIES: [u64; 8] = [1, 2, 3, 4, 5, 6, 8, 10];

/// A task: jobs in a round, and the execution time of each in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Task {
    jobs: u64,
    time: u64,
}

impl Task {
    fn period(self) -> u64 {
        ROUND / self.jobs
    }
}

/// SplitMix64 (Steele, Lea, Flood, 2014).
struct Seed(u64);

impl Seed {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ z >> 31) % bound
    }
}

/// 2 to 6 tasks with a load of 40 to 120 %.
fn tasks(seed: &mut Seed) -> Vec<Task> {
    let count = 2 + seed.below(5);
    let target = 400 + seed.below(800);
    let shares: Vec<u64> = (0..count).map(|_| 1 + seed.below(100)).collect();
    let whole: u64 = shares.iter().sum();
    let task = |share: &u64| {
        let jobs = FREQUENCIES[seed.below(8) as usize];
        let time = (ROUND * target * share / (1000 * whole * jobs)).max(1);
        Task { jobs, time }
    };
    shares.iter().map(task).collect()
}

fn program(tasks: &[Task]) -> (Program, ECode, Times) {
    let mut text = String::from("output ");
    for i in 0..tasks.len() {
        let _ = write!(text, "u32 p{i} := zero; ");
    }
    text += "driver none() output () { if true() then dummy() }\n";
    for (i, task) in tasks.iter().enumerate() {
        let time = task.time;
        let _ = writeln!(
            text,
            "task t{i}() output (p{i}) state () [wcet {time}ns] {{ schedule f{i}(p{i}) }}"
        );
    }
    text += "start m { mode m() period 120 { ";
    for (i, task) in tasks.iter().enumerate() {
        let _ = write!(text, "taskfreq {} do t{i}(none); ", task.jobs);
    }
    text += "} }";
    let bytes = compile("set.giotto", &text, &Options::default()).0.unwrap();
    let program = Program::of(&Module::parse(&bytes).unwrap()).unwrap();
    let times = Times::of(&program, None).unwrap();
    let code = ECode::of(&program).unwrap();
    (program, code, times)
}

/// Earliest deadline first: whatever needs no more than the processor has (Liu and
/// Layland 1973).
fn fits_edf(tasks: &[Task]) -> bool {
    let demand = tasks
        .iter()
        .map(|task| u128::from(task.time) * u128::from(task.jobs));
    demand.sum::<u128>() <= u128::from(ROUND)
}

/// Fixed priorities, the shorter the period the higher, of equal ones the first: the least
/// fixed point of what a job and all before it need (Joseph and Pandya 1986).
fn fits_rm(tasks: &[Task]) -> bool {
    (0..tasks.len()).all(|own| {
        let rank = |i: usize| (tasks[i].period(), i);
        let more_urgent = (0..tasks.len()).filter(|other| rank(*other) < rank(own));
        let more_urgent: Vec<Task> = more_urgent.map(|other| tasks[other]).collect();
        let mut response = tasks[own].time;
        loop {
            let need = |task: &Task| response.div_ceil(task.period()) * task.time;
            let next = tasks[own].time + more_urgent.iter().map(need).sum::<u64>();
            if next > tasks[own].period() {
                return false;
            }
            if next == response {
                return true;
            }
            response = next;
        }
    })
}

/// Without preemption: the earliest instant at which so many jobs of each task can have
/// completed in time, whatever the order. Jobs of one task change places without harm, so
/// theirs is that of their releases.
fn fits_without_preemption(tasks: &[Task]) -> bool {
    let start = vec![0u64; tasks.len()];
    let mut ends = HashMap::from([(start, 0u64)]);
    let all: u64 = tasks.iter().map(|task| task.jobs).sum();
    for _ in 0..all {
        let mut next: HashMap<Vec<u64>, u64> = HashMap::new();
        for (done, end) in &ends {
            for (i, task) in tasks.iter().enumerate().filter(|(i, t)| done[*i] < t.jobs) {
                let release = done[i] * task.period();
                let end = release.max(*end) + task.time;
                let mut done = done.clone();
                done[i] += 1;
                // (whoever comes next ends too late, or starts after this)
                let due = |(next, done): (&Task, &u64)| match *done < next.jobs {
                    true => ((done + 1) * next.period()).saturating_sub(next.time),
                    false => u64::MAX,
                };
                let latest = tasks.iter().zip(&done).map(due).min();
                if end > release + task.period() || latest.is_some_and(|latest| end > latest) {
                    continue;
                }
                let best = next.entry(done).or_insert(u64::MAX);
                *best = end.min(*best);
            }
        }
        ends = next;
    }
    !ends.is_empty()
}

/// The tasks, the times of some of them multiplied by a factor and rounded up.
fn scaled(tasks: &[Task], which: &[usize], factor: u64) -> Vec<Task> {
    let mut tasks = tasks.to_vec();
    for i in which {
        let product = u128::from(tasks[*i].time) * u128::from(factor);
        tasks[*i].time = product.div_ceil(UNIT) as u64;
    }
    tasks
}

/// The greatest factor for which the times of some tasks may be multiplied.
fn greatest(tasks: &[Task], which: &[usize], fits: fn(&[Task]) -> bool) -> u64 {
    // the least that does not hold
    let (mut good, mut bad) = (0, MOST + 1);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        match fits(&scaled(tasks, which, middle)) {
            true => good = middle,
            false => bad = middle,
        }
    }
    good
}

#[test]
fn the_greatest_factors_are_those_of_an_oracle() {
    let mut differences = Vec::new();
    let mut bounded = 0;
    for set in 0..SETS {
        let tasks = tasks(&mut Seed(set));
        let (program, code, times) = program(&tasks);
        let verdict = |verdict: Verdict| match verdict {
            Verdict::Schedulable => Some(true),
            Verdict::NotSchedulable(_) => Some(false),
            Verdict::Unknown { .. } => None,
        };
        let by = |strategy| {
            let (program, code) = (&program, &code);
            move |times: &Times| verdict(walk(program, code, times, strategy).verdict)
        };
        let edf = by(Strategy::EarliestDeadline);
        let rm = by(Strategy::RateMonotonic);
        let apart =
            |times: &Times| verdict(walk_without_preemption(&program, &code, times).verdict);
        type Holds<'a> = &'a dyn Fn(&Times) -> Option<bool>;
        type Fits = fn(&[Task]) -> bool;
        let strategies: [(&str, Holds<'_>, Fits); 3] = [
            ("edf", &edf, fits_edf),
            ("rm", &rm, fits_rm),
            ("edf-nonpreemptive", &apart, fits_without_preemption),
        ];
        for (name, holds, fits) in strategies {
            let everyone: Vec<usize> = (0..tasks.len()).collect();
            let found = greatest_factor(&times, holds);
            let expected = greatest(&tasks, &everyone, fits);
            if found != Some(expected) {
                differences.push(format!("{set} {name} all: {found:?}, not {expected}"));
            }
            for task in 0..tasks.len() {
                let found = greatest_factor_of(&times, task as u16, holds);
                let expected = greatest(&tasks, &[task], fits);
                bounded += u64::from(expected != 0 && expected != MOST);
                if found != Some(expected) {
                    differences.push(format!("{set} {name} {task}: {found:?}, not {expected}"));
                }
            }
        }
    }
    assert!(
        bounded > SETS,
        "{bounded} factors that are neither nothing nor all"
    );
    assert!(differences.is_empty(), "{differences:#?}");
}

/// A set of which no order without preemption exists, and of which there are so many orders to
/// try that a search which remembers instants, and not who has come how far, gives up.
#[test]
fn a_set_with_very_many_orders_is_decided() {
    let tasks = [
        (5, 7_336_408),
        (2, 1_897_346),
        (10, 337_306),
        (3, 8_573_197),
        (4, 2_213_571),
        (1, 5_481_224),
        (8, 2_529_795),
        (5, 1_939_510),
        (1, 7_589_387),
        (1, 2_529_795),
    ];
    let tasks = tasks.map(|(jobs, time)| Task { jobs, time });
    let (program, code, times) = program(&tasks);
    let walked = walk_without_preemption(&program, &code, &times);
    assert!(
        matches!(walked.verdict, Verdict::NotSchedulable(_)),
        "{:?}",
        walked.verdict
    );
    let holds = |times: &Times| match walk_without_preemption(&program, &code, times).verdict {
        Verdict::Schedulable => Some(true),
        Verdict::NotSchedulable(_) => Some(false),
        Verdict::Unknown { .. } => None,
    };
    let alone = greatest_factor_of(&times, 0, holds).expect("it is found out");
    assert!((1..1000).contains(&alone));
    assert!(fits_without_preemption(&scaled(&tasks, &[0], alone)));
    assert!(!fits_without_preemption(&scaled(&tasks, &[0], alone + 1)));
}

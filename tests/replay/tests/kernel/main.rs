//! What was recorded of the first kernel is what this one does, but for what is
//! explained: see `explained.rs`.
//!
//! The short form replays every tenth log, the long one (`GIORNATA_LONG` in the environment) all of them.

mod calls;
mod circumstances;
mod describe;
mod explained;
mod machine;
mod places;
mod programs;
mod state;

use std::collections::BTreeMap;
use std::thread;

use giornata_replay_logs as logs;

use describe::CodeUrgency;
use explained::{Parting, Reason};

/// Of the short form: one log of so many.
const SAMPLE: u32 = 10;
/// Logs of a hundred that are to be as recorded at least, with code above all threads.
const SAME: usize = 89;

/// What became of some logs.
#[derive(Debug, Default)]
struct Census {
    same: usize,
    /// By reason: the numbers of logs.
    explained: BTreeMap<Reason, Vec<u32>>,
    /// What nothing explains, for people.
    unexplained: Vec<String>,
}

impl Census {
    fn add(&mut self, other: Census) {
        self.same += other.same;
        for (reason, numbers) in other.explained {
            self.explained.entry(reason).or_default().extend(numbers);
        }
        self.unexplained.extend(other.unexplained);
    }

    fn count(&mut self, record: &logs::Record, scenario: &logs::Scenario, urgency: CodeUrgency) {
        let replay = machine::run(scenario, urgency);
        let difference = logs::difference(scenario, record, &replay.observation);
        let Some(difference) = difference else {
            self.same += 1;
            return;
        };
        let parting = Parting {
            scenario,
            record,
            replay: &replay,
            step: difference.step,
        };
        match Reason::of(&parting) {
            Some(reason) => {
                let numbers = self.explained.entry(reason).or_default();
                numbers.push(scenario.number);
            }
            None => self.unexplained.push(difference.to_string()),
        }
    }

    fn check(&self, urgency: CodeUrgency) {
        println!("code: {urgency:?}; the same: {}", self.same);
        for (reason, numbers) in &self.explained {
            let some = &numbers[..numbers.len().min(8)];
            println!("{:6} {reason:?}: {some:?}", numbers.len());
        }
        let count = self.unexplained.len();
        assert!(
            count == 0,
            "{count} unexplained, such as {}",
            self.unexplained[0]
        );
    }
}

/// Which logs are replayed.
fn is_chosen(number: u32) -> bool {
    std::env::var_os("GIORNATA_LONG").is_some() || number.is_multiple_of(SAMPLE)
}

/// Replays the chosen logs of a chunk.
fn replay(chunk: u32, urgency: CodeUrgency) -> Census {
    let mut census = Census::default();
    let records = logs::chunk(chunk).unwrap_or_else(|why| panic!("chunk {chunk}: {why}"));
    for (number, record) in (chunk * logs::CHUNK..).zip(&records) {
        let scenario = is_chosen(number).then(|| logs::scenario(number));
        // (the urgency of code is of no interest where there is none)
        let is_its = |scenario: &logs::Scenario| {
            urgency == CodeUrgency::Reaction || !scenario.system.programs.is_empty()
        };
        if let Some(scenario) = scenario.filter(is_its) {
            census.count(record, &scenario, urgency);
        }
    }
    census
}

/// Replays all chosen logs, on as many harts of the host as there are.
fn replay_all(urgency: CodeUrgency) -> Census {
    let chunks: Vec<u32> = (0..logs::COUNT / logs::CHUNK).collect();
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let mut all = Census::default();
    thread::scope(|scope| {
        let share = chunks.len().div_ceil(workers);
        let replay = |chunk: &u32| self::replay(*chunk, urgency);
        let workers: Vec<_> = chunks
            .chunks(share)
            .map(|share| scope.spawn(move || share.iter().map(replay).collect::<Vec<_>>()))
            .collect();
        for worker in workers {
            let done = worker.join().expect("a replay that comes to its end");
            done.into_iter().for_each(|census| all.add(census));
        }
    });
    all
}

#[test]
fn with_code_above_all_threads_the_kernel_does_what_was_recorded() {
    let census = replay_all(CodeUrgency::Reaction);
    census.check(CodeUrgency::Reaction);
    assert!(
        !census.explained.contains_key(&Reason::CodeUrgency),
        "it waits for nobody"
    );
    let explained: usize = census.explained.values().map(Vec::len).sum();
    assert!(census.same * 100 >= (census.same + explained) * SAME);
}

#[test]
fn with_code_as_urgent_as_its_tasks_the_kernel_does_what_was_recorded() {
    replay_all(CodeUrgency::OfItsTasks).check(CodeUrgency::OfItsTasks);
}

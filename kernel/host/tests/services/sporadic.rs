//! Sporadic servers against the rules of the standard (POSIX.1-2017, 2.8.4, SCHED_SPORADIC),
//! which are written down here as they stand there.

use std::collections::VecDeque;

use giornata_abi::Error;
use giornata_abi::call::Call;
use giornata_abi::posix::{CALL, Operation, policy};

use crate::random::Random;
use crate::stage::{Stage, processes, threads};

const HIGH: usize = 9;
const LOW: usize = 3;

/// Budget, period and pending replenishments at most.
#[derive(Clone, Copy, Debug)]
struct Parameters {
    budget: u64,
    period: u64,
    most: usize,
}

fn set_policy(stage: &mut Stage, thread: usize, how: usize, budget: u64, period: u64) -> usize {
    let operation = Operation::SetPolicy as usize;
    let arguments = [operation, thread, 1, how, budget as usize, period as usize];
    let results = stage.rig.call_number(CALL, arguments);
    stage.rig.check_invariants();
    results.map_or(0, |[answer, ..]| answer)
}

fn how(parameters: Parameters) -> usize {
    policy::SPORADIC | HIGH << policy::HIGH | LOW << policy::LOW | parameters.most << policy::MOST
}

/// A server as the standard has it.
#[derive(Debug)]
struct Model {
    with: Parameters,
    capacity: u64,
    activation_time: u64,
    /// What it has used since then.
    used: u64,
    pending: VecDeque<(u64, u64)>,
    is_high: bool,
    is_blocked: bool,
}

impl Model {
    fn new(with: Parameters, now: u64) -> Model {
        Model {
            with,
            capacity: with.budget,
            activation_time: now,
            used: 0,
            pending: VecDeque::new(),
            is_high: true,
            is_blocked: false,
        }
    }

    fn assign(&mut self, now: u64) {
        let may_be = self.capacity > 0 && self.pending.len() < self.with.most;
        if may_be && !self.is_blocked && !self.is_high {
            // rule 2
            self.activation_time = now;
            self.used = 0;
        }
        self.is_high = may_be;
    }

    /// Rule 6.
    fn schedule(&mut self, now: u64) {
        let at = self.activation_time + self.with.period;
        self.pending.push_back((at, self.used));
        self.used = 0;
        self.carry_out(now);
    }

    /// Rule 7.
    fn carry_out(&mut self, now: u64) {
        while let Some((at, amount)) = self.pending.front().copied()
            && at <= now
        {
            self.pending.pop_front();
            self.capacity = (self.capacity + amount).min(self.with.budget);
        }
        if !self.is_blocked && !self.is_high {
            self.assign(now);
        }
    }

    /// It has run for a tick, which ends now.
    fn run(&mut self, now: u64) {
        if self.is_high {
            self.capacity -= 1;
            self.used += 1;
            self.carry_out(now);
            if self.capacity == 0 {
                // rule 5
                self.is_high = false;
                self.schedule(now);
                self.assign(now);
            }
        } else {
            self.carry_out(now);
        }
    }

    fn block(&mut self, now: u64) {
        if self.is_high {
            // rule 4
            self.schedule(now);
        }
        self.is_blocked = true;
    }

    fn wake(&mut self, now: u64) {
        self.carry_out(now);
        self.is_blocked = false;
        self.is_high = false;
        self.assign(now);
    }
}

/// A pattern of arrivals: the server waits and runs for random times, and whoever is less
/// urgent than its higher priority, and more than its lower one, takes the rest. Each tick
/// the kernel runs whom the model says.
fn pattern(seed: u64) {
    let mut random = Random::new(seed);
    let period = 4 + random.below(24);
    let with = Parameters {
        budget: 1 + random.below(period - 1),
        period,
        most: 1 + random.below(4) as usize,
    };
    // 0 is the server, 1 between its priorities, 2 the least urgent
    let mut stage = Stage::new(&threads(&[HIGH as u8, 5, 1]));
    assert_eq!(
        set_policy(&mut stage, 0, how(with), with.budget, with.period),
        0
    );
    let mut model = Model::new(with, stage.rig.now());
    // who is between rests now and then, so that the server runs with its lower priority
    let (mut wakes, mut left) = (None, 1 + random.below(12));
    let (mut other_wakes, mut other_left) = (None::<u64>, 1 + random.below(20));
    let mut high_used = Vec::new();
    for _ in 0..150 {
        let now = stage.rig.now();
        let expected = match (model.is_blocked, model.is_high, other_wakes) {
            (false, true, _) => 0,
            (_, _, None) => 1,
            (false, false, Some(_)) => 0,
            (true, _, Some(_)) => 2,
        };
        assert_eq!(
            stage.rig.running(),
            expected,
            "{with:?}, seed {seed}, tick {now}: {model:?}"
        );
        // what the running thread does next
        if expected == 0 && left == 0 {
            let until = now + 1 + random.below(2 * period);
            left = 1 + random.below(12);
            model.block(now);
            wakes = Some(until);
            stage.sleep(0, until as usize);
            continue;
        }
        if expected == 1 && other_left == 0 {
            let until = now + 1 + random.below(10);
            other_left = 1 + random.below(20);
            other_wakes = Some(until);
            stage.sleep(1, until as usize);
            continue;
        }
        let was_high = expected == 0 && model.is_high;
        stage.advance(now + 1);
        let now = now + 1;
        match expected {
            0 => left -= 1,
            1 => other_left -= 1,
            _ => {}
        }
        if was_high {
            high_used.push(now);
        }
        match expected {
            0 => model.run(now),
            _ => model.carry_out(now),
        }
        if wakes == Some(now) {
            wakes = None;
            model.wake(now);
        }
        if other_wakes == Some(now) {
            other_wakes = None;
        }
    }
    interferes_as_a_periodic_thread(with, &high_used);
}

/// In no span of time has it run more with its higher priority than a periodic thread of its
/// budget and period could: at most a budget for each period that begins there, and one that
/// was begun before.
fn interferes_as_a_periodic_thread(with: Parameters, used: &[u64]) {
    for (first, begin) in used.iter().enumerate() {
        for (count, end) in used[first..].iter().enumerate() {
            let span = end - begin + 1;
            let most = with.budget * span.div_ceil(with.period);
            let ran = count as u64 + 1;
            assert!(ran <= most, "{with:?}: {ran} in {span} ticks from {begin}");
        }
    }
}

#[test]
fn a_server_follows_the_standard_whatever_arrives() {
    let count = if cfg!(miri) { 3 } else { 10_000 };
    for seed in 1..=count {
        pattern(seed);
    }
}

#[test]
fn a_server_has_its_lower_priority_while_its_budget_is_used_up() {
    let mut stage = Stage::new(&threads(&[HIGH as u8, 5]));
    let with = Parameters {
        budget: 10,
        period: 100,
        most: 2,
    };
    assert_eq!(set_policy(&mut stage, 0, how(with), 10, 100), 0);
    stage.runs(0).advance(9).runs(0).advance(10).runs(1);
    stage
        .advance(99)
        .runs(1)
        .advance(100)
        .runs(0)
        .advance(110)
        .runs(1);
    // what it used in part comes back in part
    stage
        .advance(200)
        .runs(0)
        .advance(204)
        .sleep(0, 250)
        .runs(1);
    stage
        .advance(250)
        .runs(0)
        .advance(256)
        .runs(1)
        .advance(300)
        .runs(0);
    stage
        .advance(304)
        .runs(1)
        .advance(350)
        .runs(0)
        .advance(356)
        .runs(1);
}

#[test]
fn policies_change_while_threads_run() {
    let mut stage = Stage::new(&threads(&[HIGH as u8, HIGH as u8]));
    let turns = policy::ROUND_ROBIN | HIGH << policy::HIGH;
    assert_eq!(set_policy(&mut stage, 0, turns, 10, 0), 0);
    // (who gets what it has comes behind its equals)
    stage.runs(1);
    assert_eq!(set_policy(&mut stage, 1, turns, 20, 0), 0);
    stage.runs(0).advance(9).runs(0).advance(10).runs(1);
    stage
        .advance(29)
        .runs(1)
        .advance(30)
        .runs(0)
        .advance(40)
        .runs(1);
    let fifo = policy::FIFO | HIGH << policy::HIGH;
    assert_eq!(set_policy(&mut stage, 1, fifo, 0, 0), 0);
    stage.runs(0).advance(50).runs(1).advance(500).runs(1);
}

#[test]
fn a_policy_has_to_make_sense() {
    let mut stage = Stage::new(&processes(&[&[HIGH as u8], &[5]]));
    let with = Parameters {
        budget: 10,
        period: 100,
        most: 2,
    };
    let good = how(with);
    let equal = good & !(0xFF << policy::LOW) | HIGH << policy::LOW;
    for (how, budget, period) in [
        (good, 0, 100),
        (good, 101, 100),
        (good, 10, 1 << 31),
        (equal, 10, 100),
        (good & !(0xFF << policy::MOST), 10, 100),
        (good | 5 << policy::MOST, 10, 100),
        (policy::ROUND_ROBIN | HIGH << policy::HIGH, 0, 0),
        (4, 10, 100),
        (0xFF, 10, 100),
    ] {
        let refused = set_policy(&mut stage, 0, how, budget, period);
        assert_eq!(
            refused,
            Error::EINVAL as usize,
            "{how:#x} {budget} {period}"
        );
    }
    for thread in [1, 2, usize::MAX] {
        let refused = set_policy(&mut stage, thread, good, 10, 100);
        assert_eq!(refused, Error::ESRCH as usize);
    }
}

#[test]
fn a_cpu_time_timer_wakes_who_sleeps() {
    let mut stage = Stage::new(&threads(&[HIGH as u8, 5, 4]));
    let timer = |stage: &mut Stage, thread: usize, at: usize| {
        let arguments = [Operation::SetTimer as usize, thread, 1, at, 0, 0];
        let results = stage.rig.call_number(CALL, arguments);
        results.map_or(0, |[answer, ..]| answer)
    };
    assert_eq!(timer(&mut stage, 1, 50), 0);
    stage.sleep(0, 20).runs(1).advance(20).runs(0);
    // it has run 20
    stage
        .advance(60)
        .sleep(0, 10_000)
        .runs(1)
        .advance(89)
        .runs(1);
    stage.advance(90).runs(0).refused(0, Error::EINTR);
    // it expires once, and can be taken back
    stage.sleep(0, 200).runs(1).advance(200).runs(0);
    assert_eq!(timer(&mut stage, 1, 300), 0);
    assert_eq!(timer(&mut stage, 1, 0), 0);
    stage
        .call(0, Call::Sleep, &[1000, 0])
        .runs(1)
        .advance(999)
        .runs(1);
    stage.advance(1000).runs(0);
    assert_eq!(timer(&mut stage, 0, 5), Error::ESRCH as usize);
}

//! Crowds: hundreds that wait for one thing, against a sorted list.

use std::cmp::Reverse;

use giornata_abi::Error;
use giornata_abi::call::Call;
use giornata_abi::trace::FaultCause;

use crate::random::Random;
use crate::stage::*;

/// Threads beside the one that gives, changes priorities and lets time pass.
const CROWD: usize = if cfg!(miri) { 12 } else { 100 };
const STEPS: usize = if cfg!(miri) { 60 } else { 200 };
const SEEDS: std::ops::Range<u64> = 1..4;
/// The most urgent of all.
const DRIVER: usize = 0;

/// What the crowd waits for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum What {
    /// A semaphore, in its list.
    Semaphore,
    /// A mutex whose owner sleeps: parked on that.
    Owner,
}

/// Who waits, sorted: by priority, then by when it asked.
#[derive(Default)]
struct Sorted {
    waiters: Vec<(Reverse<usize>, usize, usize)>,
    asked: usize,
}

impl Sorted {
    fn come(&mut self, thread: usize, priority: usize) {
        self.asked += 1;
        self.waiters.push((Reverse(priority), self.asked, thread));
        self.waiters.sort_unstable();
    }

    /// Returns whether it was there.
    fn go(&mut self, thread: usize) -> bool {
        let all = self.waiters.len();
        self.waiters.retain(|waiter| waiter.2 != thread);
        self.waiters.len() < all
    }

    fn set_priority(&mut self, thread: usize, priority: usize) {
        for waiter in &mut self.waiters {
            if waiter.2 == thread {
                waiter.0 = Reverse(priority);
            }
        }
        self.waiters.sort_unstable();
    }

    fn threads(&self) -> Vec<usize> {
        self.waiters.iter().map(|waiter| waiter.2).collect()
    }
}

struct Crowd {
    stage: Stage,
    what: What,
    slot: usize,
    owner: usize,
    sorted: Sorted,
    priorities: Vec<usize>,
    /// What the calls return of those that wait no more, and have not run since.
    expected: Vec<Option<usize>>,
    random: Random,
}

impl Crowd {
    fn new(what: What, seed: u64) -> Crowd {
        let mut random = Random::new(seed);
        let mut priorities: Vec<u8> = (0..CROWD).map(|_| 1 + random.below(9) as u8).collect();
        priorities.insert(DRIVER, 100);
        // (it owns the mutex before anybody asks, and sleeps ever after)
        priorities.push(50);
        let mut system = threads(&priorities);
        let slot = match what {
            What::Semaphore => semaphore(&mut system, 0),
            What::Owner => mutex(&mut system),
        };
        let owner = priorities.len() - 1;
        let mut stage = Stage::new(&system);
        stage.sleep(DRIVER, 1);
        if what == What::Owner {
            stage.lock(owner, slot).returned(owner, DONE);
        }
        stage.sleep(owner, 100_000_000);
        Crowd {
            stage,
            what,
            slot,
            owner,
            sorted: Sorted::default(),
            expected: vec![None; priorities.len()],
            priorities: priorities.into_iter().map(usize::from).collect(),
            random,
        }
    }

    /// All that are ready ask, some of them for a time; then the driver's sleep ends, and
    /// with it the time of others.
    fn others_run(&mut self) {
        while !self.stage.rig.is_idle() && self.stage.rig.running() != DRIVER {
            let thread = self.stage.rig.running();
            if let Some(expected) = self.expected[thread].take() {
                self.stage.returned(thread, expected);
            }
            let now = self.stage.rig.now() as usize;
            let (stage, slot) = (&mut self.stage, self.slot);
            match self.random.below(3) {
                0 => stage.lock_until(thread, slot, now + 1 + self.random.below(40) as usize),
                _ => stage.lock(thread, slot),
            };
            self.sorted.come(thread, self.priorities[thread]);
            self.compare();
        }
    }

    fn driver_sleeps(&mut self) {
        let until = self.stage.rig.now() + 1 + self.random.below(9);
        self.stage.sleep(DRIVER, until as usize);
        self.others_run_until(until);
    }

    fn others_run_until(&mut self, until: u64) {
        self.others_run();
        self.stage.advance(until);
        self.stage.runs(DRIVER);
        self.stage.rig.take_results(DRIVER);
        for thread in 1..=CROWD {
            if self.stage.rig.thread(thread).waits().is_none() && self.sorted.go(thread) {
                self.expected[thread] = Some(Error::ETIMEDOUT as usize);
            }
        }
    }

    fn step(&mut self) {
        match self.random.below(4) {
            0 => self.driver_sleeps(),
            1 if self.what == What::Semaphore && !self.sorted.waiters.is_empty() => {
                let first = self.sorted.threads()[0];
                self.stage.unlock(DRIVER, self.slot).returned(DRIVER, DONE);
                self.sorted.go(first);
                self.expected[first] = Some(DONE);
            }
            _ => {
                let thread = 1 + self.random.below(CROWD as u64) as usize;
                let priority = 1 + self.random.below(9) as usize;
                self.stage.set_priority(DRIVER, thread, priority);
                self.stage.returned(DRIVER, DONE);
                self.priorities[thread] = priority;
                self.sorted.set_priority(thread, priority);
            }
        }
        self.compare();
    }

    fn compare(&self) {
        let waiters = match self.what {
            What::Semaphore => self.stage.waiters(self.slot),
            What::Owner => self.stage.parked_on(self.owner),
        };
        assert_eq!(waiters, self.sorted.threads());
    }
}

#[test]
fn a_crowd_waits_by_priority_and_then_by_when_each_asked() {
    for what in [What::Semaphore, What::Owner] {
        for seed in SEEDS {
            let mut crowd = Crowd::new(what, seed);
            crowd.others_run_until(1);
            for _ in 0..STEPS {
                crowd.step();
            }
        }
    }
}

/// A semaphore for which `DRIVER` (priority 30) sleeps until instant 10, threads of a process
/// that then dies wait, and behind them one of another process. Returns it, and that one.
fn behind_dead_ones(dead: usize) -> (Stage, usize, usize) {
    let mut priorities = vec![20; dead];
    priorities.push(10);
    let mut system = processes(&[&[30], &priorities, &[15]]);
    let slot = semaphore(&mut system, 0);
    let (faulty, last) = (dead + 1, dead + 2);
    let mut stage = Stage::new(&system);
    stage.sleep(DRIVER, 10);
    for thread in (1..=dead).chain([last]) {
        stage.lock(thread, slot);
    }
    // the end of the process has done two pieces then
    stage.runs(faulty).rig.set_piece_time(5);
    stage.rig.fault(FaultCause::Store, 0, 0);
    stage.runs(DRIVER).returned(DRIVER, DONE);
    assert_eq!(stage.waiters(slot).len(), dead + 1);
    (stage, slot, last)
}

#[test]
fn a_semaphore_is_given_to_who_waits_behind_many_dead_ones() {
    for dead in [1, 4, 5, 23] {
        let (mut stage, slot, last) = behind_dead_ones(dead);
        stage.unlock(DRIVER, slot).returned(DRIVER, DONE);
        assert_eq!(stage.waiters(slot), []);
        stage.sleep(DRIVER, 100_000).runs(last).returned(last, DONE);
    }
}

#[test]
fn who_waits_behind_dead_ones_is_told_that_the_semaphore_ends() {
    for dead in [1, 4, 5, 23] {
        let (mut stage, slot, last) = behind_dead_ones(dead);
        stage
            .call(DRIVER, Call::DeleteObject, &[slot, 1])
            .returned(DRIVER, DONE);
        stage.sleep(DRIVER, 100_000).runs(last);
        stage.refused(last, Error::EIDRM);
    }
}

/// What is broken when a fault is planted in a crowd that waits for a semaphore.
#[track_caller]
fn finds(broken: &str, plant: impl FnOnce(&Stage, &[usize])) {
    let mut crowd = Crowd::new(What::Semaphore, 1);
    crowd.others_run_until(1);
    assert_eq!(crowd.stage.rig.kernel().check_invariants(), Ok(()));
    plant(&crowd.stage, &crowd.sorted.threads());
    assert_eq!(crowd.stage.rig.kernel().check_invariants(), Err(broken));
}

#[test]
fn a_way_that_is_longer_than_it_was_told_is_found() {
    finds("the shorter way down is on the right", |stage, _| {
        let first = stage.rig.object(0).waiters().unwrap();
        let linked = &first.context.t[2];
        linked.set(linked.get() + (1 << 16));
    });
}

#[test]
fn a_waiter_below_one_that_asked_after_it_is_found() {
    finds("nobody precedes who is above it", |stage, waiters| {
        let [first, second] = [waiters[0], waiters[1]].map(|waiter| stage.rig.thread(waiter));
        assert!(std::ptr::eq(first.rank(), second.rank()));
        let asked = first.context.t[3].get();
        second.context.t[3].set(asked.wrapping_sub(1));
    });
}

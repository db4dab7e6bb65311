//! Random calls on one to eight harts, whose interrupts take a while: after each section the
//! Placing Invariant holds, and at rest the first of the queue run.
//!
//! `GIORNATA_LONG` in the environment makes it ten million steps; `HARTS_SEED` sets the first
//! system, `HARTS_SYSTEMS` how many there are; with `HARTS_LOG` each step is told.

use giornata_abi::call::Call;
use giornata_abi::trace::FaultCause;
use giornata_core::sched::thread::kind;
use giornata_records::ObjectKind;
use giornata_test_model::random::Dice;

use crate::stage::{EVER, Stage, object, system, thread};

/// Steps of one system.
const STEPS: u64 = 2_000;
/// Systems, and the same of the long form.
const SYSTEMS: u64 = if cfg!(miri) { 1 } else { 100 };
const LONG_SYSTEMS: u64 = 5_000;
/// Systems that have shown a fault.
const FOUND: [u64; 1] = [103_317];
/// Steps that an interrupt takes at most.
const FLIGHT: u32 = 3;

struct World {
    stage: Stage,
    dice: Dice,
    /// Steps for which each hart has been interrupted.
    flights: Vec<u32>,
    mutexes: Vec<usize>,
    semaphores: Vec<usize>,
    conditions: Vec<usize>,
    mailboxes: Vec<usize>,
    has_faults: bool,
    is_told: bool,
}

impl World {
    /// Tells what is about to happen.
    fn tell(&self, hart: usize, what: impl std::fmt::Debug) {
        if self.is_told {
            let rig = &self.stage.rig;
            let runs = |hart| (rig.runs(hart).number(), rig.is_kicked(hart));
            let runs: Vec<_> = (0..rig.harts()).map(runs).collect();
            println!(
                "{runs:?} {}\n{}: hart {hart}: {what:?}",
                self.stage.queue(),
                rig.now()
            );
        }
    }

    fn new(seed: u64) -> World {
        let mut dice = Dice(seed);
        let harts = 2 + dice.below(7) as u32;
        let processes = 1 + dice.below(3);
        let mut all = system(processes, harts);
        all.control_apart = dice.one_in(2);
        let mut owners: Vec<usize> = (0..4 + dice.below(12))
            .map(|_| dice.below(processes))
            .collect();
        owners.sort_unstable();
        for process in owners {
            thread(&mut all, process, 10 + dice.below(6) as u8);
            if dice.one_in(6) {
                let last = all.threads.last_mut().expect("it is there");
                last.allowance = 1 + dice.below(9) as u32;
                last.role |= giornata_core::sched::thread::role::ROUND_ROBIN;
            }
        }
        for process in &mut all.processes {
            process.in_turn = dice.one_in(3);
        }
        let mut objects = |kind: ObjectKind, count: usize| -> Vec<usize> {
            (0..count).map(|_| object(&mut all, kind)).collect()
        };
        let mutexes = objects(ObjectKind::Mutex, 1 + dice.below(4));
        let semaphores = objects(ObjectKind::Semaphore, 1 + dice.below(2));
        let conditions = objects(ObjectKind::Condition, 1);
        let mailboxes = objects(ObjectKind::Mailbox, 1 + dice.below(2));
        if dice.one_in(2) {
            all.objects[mutexes[0]].ceiling = Some(16);
        }
        let has_faults = dice.one_in(2);
        let stage = Stage::new(&all);
        World {
            flights: vec![0; harts as usize],
            stage,
            dice,
            mutexes,
            semaphores,
            conditions,
            mailboxes,
            has_faults,
            is_told: std::env::var_os("HARTS_LOG").is_some(),
        }
    }

    fn step(&mut self) {
        self.stage.rig.pass(1);
        // who has been interrupted comes after a few steps at the latest
        for hart in 0..self.flights.len() {
            self.flights[hart] = match self.stage.rig.is_kicked(hart) {
                true => self.flights[hart] + 1,
                false => 0,
            };
            if self.flights[hart] > FLIGHT {
                self.flights[hart] = 0;
                self.tell(hart, "comes");
                self.stage.section(hart);
            }
        }
        let hart = self.dice.below(self.flights.len());
        let me = self.stage.rig.runs(hart);
        let is_in_user_mode = matches!(me.kind.get(), kind::CALL);
        let is_late = self.dice.one_in(2) && is_in_user_mode;
        if self.stage.rig.has_section(hart) && !is_late {
            self.tell(hart, "section");
            self.stage.section(hart);
            return;
        }
        if is_in_user_mode {
            self.act(hart);
        }
    }

    /// What a thread does that runs.
    fn act(&mut self, hart: usize) {
        let me = self.stage.rig.runs(hart);
        let number = me.number() as usize;
        let now = self.stage.rig.now() as usize;
        let dice = &mut self.dice;
        let until = |dice: &mut Dice, most: usize| match dice.one_in(3) {
            true => [now + dice.below(most), 0],
            false => EVER,
        };
        let mutex = dice.pick(&self.mutexes);
        let semaphore = dice.pick(&self.semaphores);
        let condition = dice.pick(&self.conditions);
        let mailbox = dice.pick(&self.mailboxes);
        let held = me.held().map(|mutex| mutex.number as usize);
        let (call, arguments) = match dice.below(25) {
            0..=4 => {
                let [low, high] = until(dice, 20);
                (Call::Lock, [mutex, 1, low, high, 0, 0])
            }
            5..=8 => (Call::Unlock, [held.unwrap_or(mutex), 1, 0, 0, 0, 0]),
            9..=11 => (Call::Unlock, [semaphore, 1, 0, 0, 0, 0]),
            12..=13 => {
                let low = now + dice.below(30);
                (Call::Lock, [semaphore, 1, low, 0, 0, 0])
            }
            14 => (Call::Yield, [0; 6]),
            15 => (Call::Sleep, [now + dice.below(25), 0, 0, 0, 0, 0]),
            16 => (Call::Send, [mailbox, 1, 1, 2, 3, 4]),
            17 => {
                let low = now + dice.below(30);
                (Call::Receive, [mailbox, 1, low, 0, 0, 0])
            }
            18 => (Call::Call, [mailbox, 1, 1, 2, 3, 4]),
            19 => {
                // (to a client that it has, as a rule)
                let [client, token] = self
                    .stage
                    .returned(number)
                    .map_or([0; 2], |[.., a, b]| [a, b]);
                (Call::ReplyReceive, [client >> 16, token, 1, 2, 3, 4])
            }
            20 => {
                let priority = 10 + dice.below(6);
                let serial = me.serial.get() as usize;
                (Call::SetPriority, [number, serial, priority, 0, 0, 0])
            }
            21 => {
                let [low, high] = until(dice, 20);
                (Call::Wait, [condition, 1, mutex, low, high, 0])
            }
            22 => (Call::Signal, [condition, 1, 0, 0, 0, 0]),
            23 => (Call::Broadcast, [condition, 1, 0, 0, 0, 0]),
            _ if self.has_faults && dice.one_in(10) => {
                self.tell(hart, "faults");
                self.stage.rig.fault_on(hart, FaultCause::Illegal, 0, 0);
                return self.stage.check();
            }
            _ => (Call::Null, [0; 6]),
        };
        self.tell(hart, (call, arguments));
        self.stage.call_on(hart, call, &arguments);
    }
}

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn the_first_ends_run_or_their_harts_have_been_interrupted() {
    let usual = match std::env::var_os("GIORNATA_LONG") {
        Some(_) => LONG_SYSTEMS,
        None => SYSTEMS,
    };
    let first = from_environment("HARTS_SEED").unwrap_or(0);
    let count = from_environment("HARTS_SYSTEMS").unwrap_or(usual);
    for seed in FOUND.into_iter().chain(first..first + count) {
        let run = std::panic::catch_unwind(|| {
            let mut world = World::new(seed);
            for _ in 0..STEPS {
                world.step();
            }
            world.stage.settle().check_at_rest();
            // SAFETY: no reference to a record is kept.
            unsafe { world.stage.rig.free() };
        });
        assert!(run.is_ok(), "the system of seed {seed}");
    }
}

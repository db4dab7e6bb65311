//! Random graphs on one hart: each instance has its tokens and room, none is lost, filters take
//! turns, and what a process had come to outlives it.
#![cfg(not(feature = "harts"))]

use giornata_abi::call::Call;
use giornata_abi::trace::FaultCause;
use giornata_test_model::random::Dice;
use std::cell::Cell;
use std::rc::Rc;

use crate::graph::Graph;
use crate::stage::Stage;

const STEPS: u64 = 1_500;
const GRAPHS: u64 = if cfg!(miri) { 1 } else { 150 };

/// Priorities of threads that sleep and wake.
const URGENT: [u8; 2] = [210, 9];

struct World {
    stage: Stage,
    dice: Dice,
    has_faults: bool,
    /// The next call that begins again is another, once.
    diverts: Rc<Cell<bool>>,
    faults: u64,
    told: u64,
    pieces: u64,
    /// Faults in the end of an instance.
    ends_cut: u64,
}

impl World {
    fn new(seed: u64) -> World {
        let mut dice = Dice(seed);
        let (graph, owners) = Graph::with_owners(&mut dice);
        let mut stage = Stage::new(graph, 1, &URGENT, &owners);
        stage.rig.set_piece_time(dice.below(3) as u64);
        let diverts = Rc::new(Cell::new(false));
        let diverted = Rc::clone(&diverts);
        stage
            .rig
            .divert(move |_, call, arguments| match diverted.take() {
                true => (Call::Null as usize, arguments),
                false => (call, arguments),
            });
        World {
            stage,
            has_faults: dice.one_in(2),
            dice,
            diverts,
            faults: 0,
            told: 0,
            pieces: 0,
            ends_cut: 0,
        }
    }

    fn step(&mut self) {
        let dice = &mut self.dice;
        let rig = &mut self.stage.rig;
        if rig.is_idle() {
            assert!(
                self.has_faults || rig.now() == 0,
                "a live graph always has a filter that runs"
            );
            rig.advance(5);
            return self.stage.check();
        }
        let running = rig.running();
        if running < URGENT.len() {
            let until = rig.now() as usize + 1 + dice.below(12);
            rig.call(Call::Sleep, [until, 0, 0, 0, 0, 0]);
            return self.stage.check();
        }
        let filter = self.stage.filter_of(running).expect("a filter runs");
        if self.stage.filter(filter).is_ending() && self.has_faults && dice.one_in(3) {
            self.ends_cut += 1;
            self.fault(running);
            return self.stage.check();
        }
        match dice.below(12) {
            0 => self.stage.rig.advance(1),
            1 => {
                self.stage.rig.call(Call::Null, [0; 6]);
            }
            2 if self.has_faults && dice.one_in(4) => self.fault(running),
            _ => self.end(running),
        }
        self.stage.check();
    }

    /// The instance that runs ends.
    fn end(&mut self, thread: usize) {
        let filter = self.stage.filter_of(thread).expect("a filter runs");
        let before = self.stage.ring();
        assert_eq!(before.first(), Some(&filter), "filters take turns");
        if !self.stage.filter(filter).is_ending() {
            self.stage.model.end(filter);
        }
        self.diverts.set(self.dice.one_in(3));
        let _ = self.stage.rig.call(Call::Complete, [0; 6]);
        if self.stage.filter(filter).is_ending() {
            self.pieces += 1;
            return;
        }
        let after = self.stage.ring();
        let others = &before[1..];
        assert_eq!(&after[..others.len()], others, "who was ready goes first");
        let is_last = after.iter().position(|ready| *ready == filter);
        assert!(
            is_last.is_none_or(|place| place == after.len() - 1),
            "who goes on goes last"
        );
    }

    fn fault(&mut self, thread: usize) {
        self.faults += 1;
        let process = self.stage.rig.thread(thread).process.number as usize;
        self.stage.rig.fault(FaultCause::Illegal, 0, 0);
        for _ in 0..1_000 {
            self.stage.check();
            if self.stage.rig.is_idle() || self.stage.rig.running() < URGENT.len() {
                self.stage.rig.advance(1);
            }
            if self.stage.rig.process(process).is_alive() {
                break;
            }
        }
        if !self.stage.rig.process(process).is_alive() {
            return;
        }
        for filter in 0..self.stage.model.graph.cycles.len() {
            let own = self.stage.filter(filter);
            if own.thread.process.number as usize == process {
                assert!(!own.is_ending(), "an end that had begun is done");
                self.stage.check_told(filter);
                self.told += 1;
            }
        }
    }
}

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn instances_have_their_tokens_and_room_and_none_is_lost() {
    let first = from_environment("STREAMS_SEED").unwrap_or(0);
    let count = from_environment("STREAMS_GRAPHS").unwrap_or(GRAPHS);
    let mut sums = [0; 5];
    for seed in first..first + count {
        let run = std::panic::catch_unwind(|| {
            let mut world = World::new(seed);
            for _ in 0..STEPS {
                world.step();
            }
            let World {
                faults,
                told,
                pieces,
                ends_cut,
                ..
            } = world;
            let ended = world.stage.model.ended.iter().sum::<u64>();
            // SAFETY: no reference to a record is kept.
            unsafe { world.stage.rig.free() };
            [ended, faults, told, pieces, ends_cut]
        });
        let Ok(counts) = run else {
            panic!("the graph of seed {seed}");
        };
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum += count;
        }
    }
    if count == GRAPHS && !cfg!(miri) {
        assert!(
            sums[0] > 10_000 && sums[1..].iter().all(|sum| *sum > 50),
            "{sums:?}"
        );
    }
}

#[test]
fn an_instance_that_uses_up_its_budget_ends_its_process_alone() {
    use crate::graph::Channel;
    use crate::stage::system;
    let graph = Graph {
        cycles: vec![1, 1],
        channels: vec![Channel {
            from: 0,
            to: 1,
            puts: vec![1],
            takes: vec![1],
            capacity: 4,
            initial: 0,
        }],
    };
    let mut all = system(&graph, 1, &[], &[1, 2]);
    let source = all.streams.as_ref().expect("a graph").filters[0].thread;
    all.threads[source].allowance = 10;
    let mut stage = Stage::of(&all, graph);
    for _ in 0..3 {
        // (each instance has all of it)
        stage.rig.advance(9);
        assert_eq!(stage.rig.running(), source);
        stage.model.end(0);
        stage.rig.call(Call::Complete, [0; 6]);
        stage.check();
        if stage.rig.running() != source {
            stage.model.end(1);
            stage.rig.call(Call::Complete, [0; 6]);
        }
        stage.check();
    }
    stage.rig.advance(10);
    stage.check();
    let owner = stage.rig.thread(source).process.number as usize;
    assert!(!stage.rig.process(owner).is_alive());
    assert!(stage.rig.process(owner + 1).is_alive());
    let mut causes = Vec::new();
    stage.rig.take_trace(|words| causes.push(words));
    let fault = |words: &giornata_abi::ring::Words| {
        words[1] & 0xFF == giornata_abi::ring::Kind::Fault as u32
    };
    let found = causes.iter().find(|words| fault(words)).expect("a fault");
    assert_eq!(found[2] & 0xFFFF, FaultCause::Overrun as u32);
    // what it has put is taken, then there is nothing more
    for _ in 0..4 {
        if !stage.rig.is_idle() {
            stage.model.end(1);
            stage.rig.call(Call::Complete, [0; 6]);
            stage.check();
        }
    }
    assert!(stage.rig.is_idle());
}

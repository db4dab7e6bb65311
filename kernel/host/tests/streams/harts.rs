//! Random graphs on several harts, which do their sections in any order.
#![cfg(feature = "harts")]

use giornata_abi::call::Call;
use giornata_abi::trace::FaultCause;
use giornata_core::sched::thread::kind;
use giornata_test_model::random::Dice;

use crate::graph::Graph;
use crate::stage::Stage;

const STEPS: u64 = 3_000;
const GRAPHS: u64 = if cfg!(miri) { 1 } else { 100 };
/// The priority of a thread that sleeps and wakes.
const URGENT: [u8; 1] = [9];

struct World {
    stage: Stage,
    dice: Dice,
    has_faults: bool,
    /// Steps in which more than one filter ran.
    at_once: u64,
}

impl World {
    fn new(seed: u64) -> World {
        let mut dice = Dice(seed);
        let (graph, owners) = Graph::with_owners(&mut dice);
        let stage = Stage::new(graph, 2 + dice.below(4) as u32, &URGENT, &owners);
        World {
            stage,
            has_faults: dice.one_in(2),
            dice,
            at_once: 0,
        }
    }

    fn step(&mut self) {
        self.stage.rig.pass(1);
        let rig = &self.stage.rig;
        let runs = (0..rig.harts()).map(|hart| rig.runs(hart).number() as usize);
        let filters = runs.filter_map(|thread| self.stage.filter_of(thread));
        self.at_once += u64::from(filters.count() > 1);
        let hart = self.dice.below(self.stage.rig.harts());
        let me = self.stage.rig.runs(hart);
        let is_in_user_mode = me.kind.get() == kind::CALL;
        if self.stage.rig.has_section(hart) && !(is_in_user_mode && self.dice.one_in(3)) {
            self.stage.rig.section(hart);
            return self.stage.check();
        }
        if !is_in_user_mode || self.stage.rig.is_kicked(hart) {
            return;
        }
        let number = me.number() as usize;
        match self.stage.filter_of(number) {
            None => {
                let until = self.stage.rig.now() as usize + 1 + self.dice.below(30);
                let arguments = [until, 0, 0, 0, 0, 0];
                self.stage
                    .rig
                    .call_on(hart, Call::Sleep as usize, arguments);
            }
            Some(_) if self.has_faults && self.dice.one_in(150) => {
                self.stage.rig.fault_on(hart, FaultCause::Illegal, 0, 0);
            }
            Some(filter) => {
                if !self.stage.filter(filter).is_ending() {
                    self.stage.model.end(filter);
                }
                self.stage
                    .rig
                    .call_on(hart, Call::Complete as usize, [0; 6]);
            }
        }
        self.stage.check();
    }
}

#[test]
fn instances_have_their_tokens_and_room_on_any_harts() {
    let (mut ended, mut at_once) = (0, 0);
    for seed in 0..GRAPHS {
        let run = std::panic::catch_unwind(|| {
            let mut world = World::new(seed);
            for _ in 0..STEPS {
                world.step();
            }
            let counts = (world.stage.model.ended.iter().sum::<u64>(), world.at_once);
            // SAFETY: no reference to a record is kept.
            unsafe { world.stage.rig.free() };
            counts
        });
        let Ok(counts) = run else {
            panic!("the graph of seed {seed}");
        };
        ended += counts.0;
        at_once += counts.1;
    }
    if !cfg!(miri) {
        assert!(ended > 10_000 && at_once > 10_000, "{ended} {at_once}");
    }
}

//! The quantum or budget that the system file gives a thread holds whatever policies and
//! timers it asks for.

use giornata_abi::posix::{CALL, Operation, policy};
use giornata_records::Description;

use crate::stage::{Stage, threads};

const PRIORITY: usize = 5;
/// Ticks of the file's quantum.
const QUANTUM: u32 = 10;

/// Threads 0 and 1 of one priority, each with a quantum, and 2, more urgent, of the same
/// process.
fn system() -> Description {
    let mut description = threads(&[PRIORITY as u8, PRIORITY as u8, 9]);
    for thread in &mut description.threads[..2] {
        thread.allowance = QUANTUM;
    }
    description
}

fn call(stage: &mut Stage, operation: Operation, [b, c, d, e]: [usize; 4]) {
    let target = [operation as usize, b, 1, c, d, e];
    let results = stage.rig.call_number(CALL, target);
    stage.rig.check_invariants();
    assert!(results.is_none_or(|[answer, ..]| answer == 0));
}

fn set_policy(stage: &mut Stage, thread: usize, kind: usize, budget: usize, period: usize) {
    let how = kind | PRIORITY << policy::HIGH | (PRIORITY - 1) << policy::LOW | 4 << policy::MOST;
    call(stage, Operation::SetPolicy, [thread, how, budget, period]);
}

fn set_timer(stage: &mut Stage, thread: usize, at: usize) {
    call(stage, Operation::SetTimer, [thread, at, 0, 0]);
}

/// The most ticks for which thread 0 ran on end until an instant, beside thread 1 that is as
/// urgent and wants to run all the time. 2 sleeps, again if its timer wakes it.
fn longest_turn(stage: &mut Stage, until: u64) -> u32 {
    let (mut longest, mut turn) = (0, 0);
    while stage.rig.now() < until {
        if stage.rig.running() == 2 {
            stage.sleep(2, until as usize);
        }
        turn = match stage.rig.running() {
            0 => turn + 1,
            _ => 0,
        };
        longest = longest.max(turn);
        stage.rig.advance(1);
        stage.rig.check_invariants();
    }
    assert_eq!(stage.rig.running(), 2);
    longest
}

#[test]
fn a_quantum_of_the_system_file_outlasts_what_a_thread_asks_for() {
    type Asks = dyn Fn(&mut Stage);
    let asks: [(&str, &Asks); 6] = [
        ("nothing", &|_| {}),
        ("fifo", &|stage| {
            set_policy(stage, 0, policy::FIFO, 0, 0);
        }),
        ("round-robin, and back", &|stage| {
            set_policy(stage, 0, policy::ROUND_ROBIN, 50, 0);
            set_policy(stage, 0, policy::FIFO, 0, 0);
        }),
        ("a longer quantum", &|stage| {
            set_policy(stage, 0, policy::ROUND_ROBIN, 50, 0);
        }),
        ("a timer that rings", &|stage| set_timer(stage, 0, 5)),
        ("a timer, and none", &|stage| {
            set_timer(stage, 0, 500);
            set_timer(stage, 0, 0);
        }),
    ];
    for (what, ask) in asks {
        let mut stage = Stage::new(&system());
        assert_eq!(stage.rig.running(), 2);
        ask(&mut stage);
        assert_eq!(longest_turn(&mut stage, 200), QUANTUM, "{what}");
    }
}

#[test]
fn a_shorter_quantum_that_a_thread_asks_for_holds_too() {
    let mut stage = Stage::new(&system());
    set_policy(&mut stage, 0, policy::ROUND_ROBIN, 3, 0);
    assert_eq!(longest_turn(&mut stage, 200), 3);
    set_policy(&mut stage, 0, policy::FIFO, 0, 0);
    assert_eq!(longest_turn(&mut stage, 400), QUANTUM);
}

/// SplitMix64 (Steele, Lea, Flood, 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ z >> 31) % bound) as usize
    }
}

#[test]
fn no_series_of_policies_and_timers_makes_a_turn_longer_than_the_system_file_says() {
    for seed in 0..100 {
        let mut random = Random(seed);
        let mut stage = Stage::new(&system());
        for _ in 0..20 {
            // (2 runs)
            match random.below(6) {
                0 => set_policy(&mut stage, 0, policy::FIFO, 0, 0),
                1 => set_policy(&mut stage, 0, policy::ROUND_ROBIN, 1 + random.below(40), 0),
                2 => {
                    let period = 2 + random.below(80);
                    let budget = 1 + random.below(period as u64 - 1);
                    set_policy(&mut stage, 0, policy::SPORADIC, budget, period);
                }
                3 => set_timer(&mut stage, 0, 0),
                _ => {
                    let spent = stage.rig.thread(0).spent.get() as usize;
                    set_timer(&mut stage, 0, spent + 1 + random.below(60));
                }
            }
            let until = stage.rig.now() + 1 + random.below(100) as u64;
            let longest = longest_turn(&mut stage, until);
            assert!(longest <= QUANTUM, "{longest} in {seed}");
        }
    }
}

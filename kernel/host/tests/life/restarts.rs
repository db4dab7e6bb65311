//! When a process that faults is restarted, and how often; what is kept of its first end.

use giornata_abi::ring::Kind;
use giornata_abi::system::FaultPolicy;
use giornata_abi::trace::FaultCause;
use giornata_core::process::life;
use giornata_host::Rig;
use giornata_records::{Description, Restart};

use crate::stage::*;

const SICK: usize = 0;

fn rule(most: u32, window: u64) -> Restart {
    Restart {
        pause: 10,
        longest: 50,
        most,
        window,
        beyond: Some(FaultPolicy::Stop),
    }
}

/// Process 0, whose thread 0 is the most urgent, and process 1 with thread 1.
fn sick(rule: Restart) -> Description {
    let mut description = system();
    process(&mut description, &[9]);
    on_fault(&mut description, SICK, FaultPolicy::Restart);
    description.processes[SICK].restart = rule;
    process(&mut description, &[5]);
    description
}

/// The ticks from a fault of process 0, which runs, until it runs again; `None`: it does not
/// within so many.
fn pause(rig: &mut Rig, patience: u64) -> Option<u64> {
    let before = rig.now();
    fault(rig);
    while rig.running() != 0 {
        assert_eq!(rig.running(), 1, "whoever is well has the processor");
        if rig.now() - before >= patience {
            return None;
        }
        advance(rig, 1);
    }
    Some(rig.now() - before)
}

#[test]
fn restarts_come_after_pauses_that_grow_and_end_when_there_were_too_many() {
    let mut rig = Rig::boot(&sick(rule(6, 10_000)));
    let pauses: Vec<_> = (0..7).map(|_| pause(&mut rig, 1000)).collect();
    let all = [0, 10, 20, 40, 50, 50].map(Some);
    assert_eq!(pauses, [&all[..], &[None]].concat());
    assert_eq!(rig.process(SICK).life.get(), life::DEAD);
    let ends = process_records(&rig);
    let restarts = (1..=6).map(|generation| (0, 1, generation));
    assert_eq!(ends, restarts.chain([(0, 0, 6)]).collect::<Vec<_>>());
    advance(&mut rig, 100_000);
    assert_eq!(rig.running(), 1, "for good");
}

#[test]
fn a_window_without_end_of_restarts_begins_the_count_anew() {
    let mut rig = Rig::boot(&sick(rule(2, 1000)));
    for _ in 0..50 {
        assert_eq!(pause(&mut rig, 100), Some(0));
        advance(&mut rig, 500);
        assert_eq!(pause(&mut rig, 100), Some(10));
        advance(&mut rig, 490);
    }
    // both of a window, and one tick too early
    assert_eq!(pause(&mut rig, 100), Some(0));
    assert_eq!(pause(&mut rig, 100), Some(10));
    advance(&mut rig, 989);
    assert_eq!(pause(&mut rig, 100), None);
}

#[test]
fn without_a_rule_a_process_is_restarted_at_once_as_often_as_it_faults() {
    let mut rig = Rig::boot(&sick(Restart::default()));
    for _ in 0..1000 {
        assert_eq!(pause(&mut rig, 0), Some(0));
    }
}

#[test]
fn pauses_are_as_the_rule_says_however_often_they_were_doubled() {
    for (first, longest) in [(0, 50), (1, 3), (50, 50)] {
        let mut rig = Rig::boot(&sick(Restart {
            pause: first,
            longest,
            ..rule(0, 1 << 40)
        }));
        assert_eq!(pause(&mut rig, 0), Some(0));
        for doubled in 0..100 {
            let expected = (u128::from(first) << doubled.min(64)).min(longest.into()) as u64;
            assert_eq!(pause(&mut rig, 100), Some(expected), "{first} {doubled}");
        }
    }
}

#[test]
fn too_many_restarts_halt_the_machine_where_the_rule_says_so() {
    let mut rig = Rig::boot(&sick(Restart {
        beyond: Some(FaultPolicy::Halt),
        ..rule(1, 1000)
    }));
    assert_eq!(pause(&mut rig, 100), Some(0));
    rig.fault(FaultCause::Store, 0, 0);
    assert_eq!(rig.stopped(), Some(1));
}

/// What the rule means, in numbers that never wrap.
struct Rule {
    restart: Restart,
    begun: u64,
    count: u32,
}

impl Rule {
    fn pause(&mut self, now: u64) -> Option<u64> {
        let Restart {
            pause,
            longest,
            most,
            window,
            ..
        } = self.restart;
        if self.count == 0 || now - self.begun >= window {
            (self.begun, self.count) = (now, 0);
        }
        if most != 0 && self.count == most {
            return None;
        }
        self.count += 1;
        Some(match self.count {
            1 => 0,
            count => (u128::from(pause) << (count - 2).min(64)).min(longest.into()) as u64,
        })
    }
}

/// SplitMix64 (Steele, Lea, Flood, 2014).
fn random(seed: &mut u64, bound: u64) -> u64 {
    *seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *seed;
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    (z ^ z >> 31) % bound
}

#[test]
fn random_faults_are_followed_by_what_the_rule_means() {
    let (mut stopped, mut began_anew) = (0, 0);
    for seed in 0..200 {
        let mut seed = seed << 32;
        let mut any = |bound| random(&mut seed, bound);
        let pause = any(40) as u32;
        let restart = Restart {
            pause,
            longest: pause + any(2000) as u32,
            most: any(12) as u32,
            window: 1 + any(3000),
            beyond: None,
        };
        // (the low word of the clock wraps on the way)
        let boot = (1 << 32) - any(5000);
        let mut rig = Rig::boot_at(&sick(restart.clone()), boot);
        let mut rule = Rule {
            restart,
            begun: 0,
            count: 0,
        };
        for _ in 0..60 {
            let (now, count) = (rig.now(), rule.count);
            let expected = rule.pause(now);
            began_anew += u32::from(rule.count == 1 && count > 1);
            fault(&mut rig);
            match expected {
                None => {
                    advance(&mut rig, 5000);
                    assert_eq!(rig.process(SICK).life.get(), life::DEAD);
                    stopped += 1;
                    break;
                }
                Some(0) => {}
                Some(pause) => {
                    advance(&mut rig, pause - 1);
                    assert_eq!(rig.process(SICK).life.get(), life::PAUSE);
                    advance(&mut rig, 1);
                }
            }
            assert_eq!((rig.running(), rig.now() - now), (0, expected.unwrap_or(0)));
            rig.pass(random(&mut seed, 800));
        }
    }
    assert!(stopped > 20 && began_anew > 20, "{stopped} {began_anew}");
}

#[test]
fn the_first_end_is_kept_whatever_the_ring_loses() {
    let mut description = sick(Restart::default());
    description.trace_records = 64;
    let mut rig = Rig::boot(&description);
    for offset in (0..DATA_SIZE).step_by(4) {
        rig.set_word(data(0) + offset, offset as u32);
    }
    advance(&mut rig, 77);
    let context = &rig.thread(0).context;
    context.sp.set(DATA + 64);
    context.ra.set(0x5678);
    rig.fault(FaultCause::Store, 0x1234, 0x9999);
    for _ in 0..100 {
        rig.fault(FaultCause::Illegal, 0x4321, 0);
    }
    let faults = records(&rig, Kind::Fault);
    let is_lost = |cause: FaultCause| faults.iter().all(|words| words[2] & 0xFF != cause as u32);
    assert!(is_lost(FaultCause::Store), "the ring has only 64 records");
    let process = rig.process(SICK);
    let first = &process.first;
    assert_eq!((process.ends.get(), process.generation.get()), (101, 101));
    assert_eq!(first.at.each_ref().map(|word| word.get()), [77, 0]);
    assert_eq!(first.how.get(), FaultCause::Store as u32 | 256 << 16);
    assert_eq!((first.pc.get(), first.address.get()), (0x1234, 0x9999));
    assert_eq!((first.sp.get(), first.ra.get()), (DATA + 64, 0x5678));
    assert_eq!(first.thread.get(), 1);
    let kept: Vec<u32> = first.bytes.iter().map(|word| word.get()).collect();
    assert_eq!(kept, (64..192).step_by(4).collect::<Vec<u32>>());
}

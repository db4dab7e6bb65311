//! Ceilings that threads publish, and mutexes whose owners have a ceiling at once: whoever
//! runs is the same at every tick (POSIX, `PTHREAD_PRIO_PROTECT`).

use crate::random::Random;
use crate::stage::{Stage, ceiling_mutex, threads};

const PRIORITIES: [u8; 5] = [9, 9, 7, 5, 5];
const CEILINGS: [u8; 3] = [7, 9, 12];
/// How deep ceilings nest.
const DEPTH: usize = 3;

/// What a thread does next, whichever way its ceilings are kept.
#[derive(Clone, Copy, Debug)]
enum Step {
    Run(u64),
    Sleep(u64),
    Raise(usize),
    Lower,
    Yield,
}

/// A thread: what it has yet to run, and its ceilings, by number.
#[derive(Default)]
struct Body {
    left: u64,
    ceilings: Vec<usize>,
}

impl Body {
    fn next(&self, random: &mut Random, priority: u8) -> Step {
        let depth = self.ceilings.len();
        match random.below(10) {
            0..=3 => Step::Run(1 + random.below(6)),
            4..=5 if depth < DEPTH => {
                let number = random.below(CEILINGS.len() as u64) as usize;
                match CEILINGS[number] >= priority {
                    true => Step::Raise(number),
                    false => Step::Run(1),
                }
            }
            6..=7 if depth != 0 => Step::Lower,
            8 if depth == 0 => Step::Sleep(1 + random.below(12)),
            9 if depth == 0 => Step::Yield,
            _ => Step::Run(1),
        }
    }
}

/// The mutex of a thread for a ceiling, at a depth: nobody else ever wants it.
fn mutex(thread: usize, depth: usize, ceiling: usize) -> usize {
    (thread * DEPTH + depth) * CEILINGS.len() + ceiling
}

/// Who runs at each step of a program, whose ceilings are published or those of mutexes.
fn run(seed: u64, is_published: bool) -> Vec<(u64, Option<usize>)> {
    let random = &mut Random::new(seed);
    let mut all = threads(&PRIORITIES);
    for _ in 0..PRIORITIES.len() * DEPTH {
        for ceiling in CEILINGS {
            ceiling_mutex(&mut all, ceiling);
        }
    }
    let mut stage = Stage::new(&all);
    let mut bodies: Vec<Body> = PRIORITIES.iter().map(|_| Body::default()).collect();
    let mut ran = Vec::new();
    for _ in 0..120 {
        let now = stage.rig.now();
        let runs = (!stage.rig.is_idle()).then(|| stage.rig.running());
        ran.push((now, runs));
        let Some(runs) = runs else {
            stage.advance(now + 1);
            continue;
        };
        let body = &mut bodies[runs];
        if body.left != 0 {
            body.left -= 1;
            stage.advance(now + 1);
            continue;
        }
        let depth = body.ceilings.len();
        let highest = |body: &Body| body.ceilings.iter().map(|c| CEILINGS[*c]).max();
        match body.next(random, PRIORITIES[runs]) {
            Step::Run(ticks) => body.left = ticks,
            Step::Sleep(ticks) => _ = stage.sleep(runs, (now + ticks) as usize),
            Step::Yield => _ = stage.yields(runs),
            Step::Raise(number) => {
                body.ceilings.push(number);
                match is_published {
                    true => stage.publish(runs, highest(body).unwrap_or(0).into()),
                    false => stage.lock(runs, mutex(runs, depth, number)),
                };
            }
            Step::Lower => {
                let number = body.ceilings.pop().unwrap_or_default();
                if !is_published {
                    stage.unlock(runs, mutex(runs, depth - 1, number));
                    continue;
                }
                stage.publish(runs, highest(body).unwrap_or(0).into());
                if stage.is_put_off(runs) {
                    stage.put_off(runs, false).yields(runs);
                }
            }
        }
    }
    ran
}

#[test]
fn a_published_ceiling_is_as_good_as_an_immediate_one() {
    let count = if cfg!(miri) { 3 } else { 5_000 };
    for seed in 1..=count {
        assert_eq!(run(seed, true), run(seed, false), "seed {seed}");
    }
}

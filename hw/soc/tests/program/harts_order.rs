//! The order in which harts see each other's accesses: litmus tests of two harts, the
//! first and the last, while all others wait.

use crate::memory::{Word, fence};
use crate::{barrier, expect, probe};

const ROUNDS: u32 = 250;
/// What the coherence test writes.
const VALUES: u32 = 1_000;

static X: Word = Word::new();
static Y: Word = Word::new();
static FIRST: Word = Word::new();
static SECOND: Word = Word::new();

/// How often each pair of results came.
type Outcomes = [[u32; 2]; 2];

pub fn check(hart: usize, harts: usize) {
    let mut dice = Dice(0x9E37 + 7_919 * hart as u32);
    // With fences: data that was written before a flag is seen behind it.
    let passed = message_passing(hart, harts, &mut dice);
    expect(passed[1][0] == 0, 2);
    // (both ends of the race were met, or the test would say nothing)
    expect(
        hart != 0 || (passed[1][1] > 0 && passed[0][0] + passed[0][1] > 0),
        3,
    );
    // With fences: of two harts that write first and read then one sees the other.
    let fenced = store_buffering(hart, harts, &mut dice, fence);
    expect(fenced[0][0] == 0, 4);
    let plain = store_buffering(hart, harts, &mut dice, || {});
    if hart == 0 {
        // Without fences both may have read too early.
        probe(plain[0][0]);
    }
    coherence(hart, harts);
    reservations(hart, harts);
}

fn message_passing(hart: usize, harts: usize, dice: &mut Dice) -> Outcomes {
    race(hart, harts, dice, |is_first| match is_first {
        true => {
            X.set(1);
            fence();
            Y.set(1);
        }
        false => {
            let flag = Y.get();
            fence();
            let data = X.get();
            FIRST.set(flag);
            SECOND.set(data);
        }
    })
}

fn store_buffering(hart: usize, harts: usize, dice: &mut Dice, order: impl Fn()) -> Outcomes {
    race(hart, harts, dice, |is_first| {
        let (mine, other, result) = match is_first {
            true => (&X, &Y, &FIRST),
            false => (&Y, &X, &SECOND),
        };
        mine.set(1);
        order();
        result.set(other.get());
    })
}

/// Lets the first and the last hart act at about the same time; outcomes are for the first.
fn race(hart: usize, harts: usize, dice: &mut Dice, act: impl Fn(bool)) -> Outcomes {
    let mut outcomes = Outcomes::default();
    for _ in 0..ROUNDS {
        if hart == 0 {
            X.set(0);
            Y.set(0);
        }
        barrier(harts);
        // Both lines are in both caches.
        let _ = (X.get(), Y.get());
        if hart == 0 || hart == harts - 1 {
            dice.wait();
            act(hart == 0);
        }
        barrier(harts);
        if hart == 0 {
            outcomes[usize::from(FIRST.get() != 0)][usize::from(SECOND.get() != 0)] += 1;
        }
    }
    outcomes
}

/// Values of one word are never seen in another order than that in which they were written.
fn coherence(hart: usize, harts: usize) {
    if hart == 0 {
        X.set(0);
        // (for what follows)
        Y.set(0);
    }
    barrier(harts);
    if hart == 0 {
        (1..=VALUES).for_each(|value| X.set(value));
    } else {
        let mut last = 0;
        while last != VALUES {
            let value = X.get();
            expect(value >= last, 5);
            last = value;
        }
    }
    barrier(harts);
}

/// A reservation holds until a hart stores to the word.
fn reservations(hart: usize, harts: usize) {
    if hart == 0 {
        X.set(5);
        fence();
        expect(X.reserve() == 5 && X.store_reserved(6), 6);
        expect(X.get() == 6, 7);
        X.reserve();
        Y.set(1);
        while Y.get() != 2 {}
        expect(!X.store_reserved(9), 8);
        fence();
        expect(X.get() == 7, 9);
        // Nor does it hold when this hart has stored,
        X.reserve();
        X.set(8);
        expect(!X.store_reserved(9) && X.get() == 8, 11);
        // and one for another word does not serve.
        X.reserve();
        expect(!Y.store_reserved(9) && Y.get() == 2, 10);
    } else if hart == harts - 1 {
        while Y.get() != 1 {}
        X.set(7);
        fence();
        Y.set(2);
    }
    barrier(harts);
}

/// Numbers that look like chance and are the same in each run.
struct Dice(u32);

impl Dice {
    /// A few cycles, more or less.
    fn wait(&mut self) {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        for _ in 0..self.0 % 24 {
            // SAFETY: the instruction does nothing.
            unsafe { core::arch::asm!("nop") };
        }
    }
}

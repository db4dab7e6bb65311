//! Filters that do what they may not (`filters.sigma`).

use core::hint::black_box;

use giornata_rt::restartable::Word;
use giornata_rt::stream::{Room, Tokens};
use giornata_rt::{filter, log};

/// Instances of a life before something happens, if it does.
const BEFORE: u32 = 7;
/// Tokens after which the last filter tells.
const ALL: u32 = 1_000;

type Token = [u32; 4];

fn token(number: u32) -> Token {
    [number, !number, number.wrapping_mul(5), number ^ 0xA5A5]
}

#[filter]
pub(crate) fn feed(out: &mut Room<Token>, #[state(u32::default)] next: &mut u32) {
    out[0] = token(*next);
    *next += 1;
    // (with few records of the trace from there on)
    if *next > 2 * ALL {
        (0..100_000).for_each(|round| {
            black_box(round);
        });
    }
}

/// Instances of this life.
static COUNT: Word = Word::new(0);

/// Passes tokens on. In each of its first lives it is stopped when it has put half of an
/// instance's tokens.
#[filter]
pub(crate) fn meddle(x: &Tokens<Token>, y: &mut Room<Token>) {
    y[0] = x[0];
    let count = COUNT.load();
    COUNT.store(count + 1);
    // (each life has passed on that many instances, of two tokens)
    let life = x[0][0] / (2 * BEFORE);
    if count == BEFORE {
        match life {
            1 => {
                let input = core::ptr::from_ref(&x[0]).cast_mut().cast::<u32>();
                // SAFETY: none: the process may only read this, and ends here.
                unsafe { input.write_volatile(0) };
            }
            2 => loop {
                black_box(count);
            },
            3 => panic!("nobody reads what I write"),
            _ => {}
        }
    }
    y[1] = x[1];
}

#[filter]
pub(crate) fn eat(
    tokens: &Tokens<Token>,
    #[state(u32::default)] next: &mut u32,
    #[state(u32::default)] wrong: &mut u32,
) {
    for own in tokens.iter() {
        *wrong += u32::from(*own != token(*next));
        *next += 1;
    }
    if *next == ALL {
        log!("{} tokens, {} wrong", *next, *wrong);
    }
}

#[filter]
pub(crate) fn pour(out: &mut Room<u32>, #[state(u32::default)] next: &mut u32) {
    out[0] = *next;
    *next += 1;
}

/// Ends with its process when it has passed on some tokens.
#[filter]
pub(crate) fn spoil(x: &Tokens<u32>, y: &mut Room<u32>) {
    y[0] = x[0];
    if x[0] == BEFORE {
        let place = core::ptr::without_provenance_mut::<u32>(16);
        // SAFETY: none: nothing is there, and the process ends here.
        unsafe { place.write_volatile(0) };
    }
}

#[filter]
pub(crate) fn dregs(tokens: &Tokens<u32>) {
    black_box(tokens[0]);
}

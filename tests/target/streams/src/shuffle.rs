//! `shuffle.sigma`

use giornata_rt::stream::{Room, Tokens};
use giornata_rt::{filter, log, shutdown};

const ROUNDS: u32 = 100;

#[filter]
pub(crate) fn counter(out: &mut Room<u32>, #[state(u32::default)] next: &mut u32) {
    out[0] = *next;
    *next += 1;
}

#[filter]
pub(crate) fn double(x: &Tokens<u32>, y: &mut Room<u32>) {
    for (from, to) in x.iter().zip(y.iter_mut()) {
        *to = 2 * from;
    }
}

#[filter]
pub(crate) fn triple(x: &Tokens<u32>, y: &mut Room<u32>) {
    y[0] = 3 * x[0];
}

/// Of 0, 1 and 2 the last is tripled and comes first, then the others doubled; turned, the last
/// of these comes first.
#[filter]
pub(crate) fn compare(
    plain: &Tokens<u32>,
    turned: &Tokens<u32>,
    #[state(u32::default)] rounds: &mut u32,
    #[state(u32::default)] wrong: &mut u32,
) {
    let expected = [2 * plain[1], 3 * plain[2], 2 * plain[0]];
    let is_wrong = plain[0] != 3 * *rounds || !turned.iter().eq(&expected);
    *wrong += u32::from(is_wrong);
    *rounds += 1;
    if *rounds == ROUNDS {
        log!("{} rounds, {} wrong", *rounds, *wrong);
        let _ = shutdown(u8::from(*wrong != 0));
    }
}

//! `cycles.sigma`

use giornata_rt::restartable::Word;
use giornata_rt::stream::{Room, Tokens};
use giornata_rt::{filter, log, shutdown};

const ROUNDS: u32 = 200;

type Triple = [u16; 3];

/// What the source gives next. (Both its functions run on its one thread.)
static NEXT: Word = Word::new(0);

fn triple(number: u32) -> Triple {
    let number = number as u16;
    [number, number.wrapping_mul(3), !number]
}

fn give(out: &mut Room<Triple>) {
    for token in out.iter_mut() {
        *token = triple(NEXT.load());
        NEXT.store(NEXT.load().wrapping_add(1));
    }
}

#[filter]
pub(crate) fn numbers_0(out: &mut Room<Triple>) {
    give(out);
}

#[filter]
pub(crate) fn numbers_1(out: &mut Room<Triple>) {
    give(out);
}

fn sum(tokens: &Tokens<Triple>) -> Triple {
    let mut sum = [0u16; 3];
    for token in tokens.iter() {
        for (to, from) in sum.iter_mut().zip(token) {
            *to = to.wrapping_add(*from);
        }
    }
    sum
}

/// Two are added.
#[filter]
pub(crate) fn deal_0(x: &Tokens<Triple>, y: &mut Room<Triple>, z: &mut Room<u8>) {
    y[0] = if z.is_empty() { sum(x) } else { [0; 3] };
}

/// Nothing is taken.
#[filter]
pub(crate) fn deal_1(
    x: &Tokens<Triple>,
    y: &mut Room<Triple>,
    z: &mut Room<u8>,
    #[state(u8::default)] round: &mut u8,
) {
    let count = x.len() as u16;
    y.iter_mut()
        .for_each(|token| *token = [count, 7, y_mark(*round)]);
    for (byte, number) in z.iter_mut().zip(0..) {
        *byte = number ^ *round;
    }
    *round = round.wrapping_add(1);
}

fn y_mark(round: u8) -> u16 {
    u16::from(round) << 8
}

/// Three are added, and the last of them goes on.
#[filter]
pub(crate) fn deal_2(x: &Tokens<Triple>, y: &mut Room<Triple>, z: &mut Room<u8>) {
    y[0] = if z.is_empty() { sum(x) } else { [0; 3] };
    y[1] = x[2];
}

#[filter]
pub(crate) fn check_cycles(
    y: &Tokens<Triple>,
    z: &Tokens<u8>,
    #[state(u32::default)] rounds: &mut u32,
    #[state(u32::default)] wrong: &mut u32,
) {
    let (first, mark) = (5 * *rounds, *rounds as u8);
    let added = |from: u32, count: u32| {
        (from..from + count)
            .map(triple)
            .fold([0u16; 3], |sum, token| {
                core::array::from_fn(|at| sum[at].wrapping_add(token[at]))
            })
    };
    let constant = [0, 7, y_mark(mark)];
    let expected = [
        added(first, 2),
        constant,
        constant,
        added(first + 2, 3),
        triple(first + 4),
    ];
    let is_right = y.iter().eq(&expected) && z.iter().copied().eq((0..5).map(|n| n ^ mark));
    *wrong += u32::from(!is_right);
    *rounds += 1;
    if *rounds == ROUNDS {
        log!("{} rounds, {} wrong", *rounds, *wrong);
        let _ = shutdown(u8::from(*wrong != 0));
    }
}

//! Threads that send each other messages.

use bench_marks::emeralds::{ROUND_TRIP, SEND_SWITCH};
use bench_marks::mark;
use giornata_rt::abi::Instant;
use giornata_rt::{Error, call, thread};

use crate::alone::measured;
use crate::{LETTERS, REPLIES, ROUNDS, end};

/// Sends to one that is more urgent.
#[thread]
pub(crate) fn writing() {
    let send =
        || -> Result<(), Error> { measured!(SEND_SWITCH: call::send(LETTERS, 3, [1, 2, 3, 4])) };
    end((0..ROUNDS).all(|_| send().is_ok()));
}

/// Receives from one that is less urgent: what it goes on with ends the span.
#[thread]
pub(crate) fn reading() {
    while call::receive(LETTERS, Instant::NEVER).is_ok() {
        mark::<{ SEND_SWITCH + 1 }>();
    }
    end(false);
}

/// Asks, and waits for the answer.
#[thread]
pub(crate) fn asking() {
    let ask = || -> Result<(), Error> {
        mark::<ROUND_TRIP>();
        call::send(LETTERS, 3, [1, 2, 3, 4])?;
        let (words, _) = call::receive(REPLIES, Instant::NEVER)?;
        mark::<{ ROUND_TRIP + 1 }>();
        match words {
            [2, 2, 3, 4] => Ok(()),
            _ => Err(Error::EINVAL),
        }
    };
    end((0..ROUNDS).all(|_| ask().is_ok()));
}

/// Answers what is asked.
#[thread]
pub(crate) fn answering() {
    let answer = || -> Result<(), Error> {
        let ([first, rest @ ..], priority) = call::receive(LETTERS, Instant::NEVER)?;
        let [b, c, d] = rest;
        call::send(REPLIES, priority, [first + 1, b, c, d])
    };
    while answer().is_ok() {}
    end(false);
}

//! Threads that send each other messages.

use bench_marks::emeralds::{REQUEST, ROUND_TRIP, SEND_SWITCH};
use bench_marks::{mark, measured};
use giornata_rt::abi::Instant;
use giornata_rt::mailbox::Mailbox;
use giornata_rt::request::reply_receive;
use giornata_rt::{Error, call, thread};

use crate::{LETTERS, LETTERS_NUMBER, REPLIES, ROUNDS, end};

/// Where requests come.
const REQUESTS: Mailbox = Mailbox::new(LETTERS_NUMBER);

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

/// Asks and waits for the answer in one call.
#[thread]
pub(crate) fn calling() {
    let ask = || -> Result<(), Error> {
        match measured!(REQUEST: REQUESTS.call(3, [1, 2, 3, 4]))? {
            [2, 2, 3, 4] => Ok(()),
            _ => Err(Error::EINVAL),
        }
    };
    end((0..ROUNDS).all(|_| ask().is_ok()));
}

/// Answers, and waits for the next request, in one call.
#[thread]
pub(crate) fn replying() {
    let serve = || -> Result<(), Error> {
        let mut request = REQUESTS.receive_request()?;
        loop {
            let [first, rest @ ..] = request.words;
            let [b, c, d] = rest;
            request = reply_receive(request.client, [first + 1, b, c, d])?;
        }
    };
    end(serve().is_ok());
}

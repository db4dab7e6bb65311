//! A process that another starts, again and again.

use bench_marks::emeralds::CREATE_PROCESS;
use bench_marks::mark;
use giornata_rt::abi::Instant;
use giornata_rt::{Error, call, thread};

use crate::{ROUNDS, end};

/// The process that is started, by its place in the system file.
const CHILD: u16 = 1;

/// Starts it, and ends it when it has run.
#[thread]
pub(crate) fn parent() {
    let all = || -> Result<(), Error> {
        mark::<CREATE_PROCESS>();
        call::create_process(CHILD)?;
        call::kill_process(CHILD)?;
        call::await_process(Instant::NEVER).map(drop)
    };
    end((0..ROUNDS).all(|_| all().is_ok()));
}

/// Its first instruction ends the span; more urgent than who starts it.
#[thread]
pub(crate) fn child() {
    mark::<{ CREATE_PROCESS + 1 }>();
}

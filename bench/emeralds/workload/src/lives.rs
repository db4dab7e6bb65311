//! A process that another starts, again and again.

use bench_marks::emeralds::{CREATE_LARGE, CREATE_PROCESS};
use bench_marks::mark;
use giornata_rt::abi::Instant;
use giornata_rt::{Error, call, thread};

use crate::{ROUNDS, end};

/// The processes that are started, by their places in the system file.
const CHILD: u16 = 1;
const LARGE: u16 = 2;

/// Starts them, and ends each when it has run.
#[thread]
pub(crate) fn parent() {
    let all = || -> Result<(), Error> {
        mark::<CREATE_PROCESS>();
        call::create_process(CHILD)?;
        kill(CHILD)?;
        mark::<CREATE_LARGE>();
        call::create_process(LARGE)?;
        kill(LARGE)
    };
    end((0..ROUNDS).all(|_| all().is_ok()));
}

fn kill(process: u16) -> Result<(), Error> {
    call::kill_process(process)?;
    call::await_process(Instant::NEVER).map(drop)
}

/// Its first instruction ends the span; more urgent than who starts it.
#[thread]
pub(crate) fn child() {
    mark::<{ CREATE_PROCESS + 1 }>();
}

/// The same of the process with more memory.
#[thread]
pub(crate) fn large() {
    mark::<{ CREATE_LARGE + 1 }>();
}

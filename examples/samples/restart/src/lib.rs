//! A worker that panics at its third piece of work, and a supervisor that is told of
//! the end and starts the worker anew: with fresh memory, and nothing else in the
//! system has noticed.

#![no_std]

#[allow(dead_code, reason = "all that system.toml names")]
mod identifiers {
    include!(concat!(env!("OUT_DIR"), "/identifiers.rs"));
}

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use giornata_rt::time::{self, Duration, Instant};
use giornata_rt::{Error, log, process, supervisor, thread};
use identifiers::PROCESS_WORKER;

/// How often the worker is started anew.
const PATIENCE: u16 = 3;

/// In the worker's own memory: 0 at the beginning of each life.
static PIECES: AtomicU32 = AtomicU32::new(0);

#[thread]
fn work() {
    loop {
        let piece = PIECES.fetch_add(1, Relaxed) + 1;
        log!("piece {piece}");
        assert!(piece < 3, "the work is too hard");
        // refused to tasks and upcalls only
        let _ = time::sleep(Duration::from_millis(500));
    }
}

fn supervise() -> Result<(), Error> {
    PROCESS_WORKER.start()?;
    loop {
        let end = supervisor::await_end(Instant::NEVER)?;
        log!("the worker has ended: {:?}", end.cause);
        if end.generation > PATIENCE {
            log!("that is often enough");
            return Ok(());
        }
        PROCESS_WORKER.start()?;
    }
}

#[thread]
fn watch() {
    if let Err(error) = supervise() {
        log!("supervision fails: {}", error.name());
    }
}

process! { threads: [work, watch] }

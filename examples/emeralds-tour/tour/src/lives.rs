//! Processes that are started, die, and are started again (EMERALDS, section 4).

use giornata_rt::supervisor;
use giornata_rt::time::Instant;
use giornata_rt::{Error, Id, log, thread};

use crate::name;
use crate::plan::{REPLIES, STUNT};

pub(crate) fn show() -> Result<(), Error> {
    STUNT.start()?;
    let end = supervisor::await_end(Instant::NEVER)?;
    log!("told: {:?}, life {}", end.cause, end.generation);
    STUNT.start()?;
    let [lives, ..] = REPLIES.receive()?.words;
    log!("it is back, lives before: {lives}");
    log!("start it while it lives: {}", name(&STUNT.start()));
    STUNT.kill()?;
    let end = supervisor::await_end(Instant::NEVER)?;
    log!("told: {:?}, life {}", end.cause, end.generation);
    log!("end it once more: {}", name(&STUNT.kill()));
    Ok(())
}

/// Crashes in the first life, and says so in the second.
#[thread]
pub(crate) fn leap() {
    let lives = thread::own().map_or(0, Id::generation);
    assert!(lives > 0, "the stunt goes wrong");
    log!("lives again: {}", name(&REPLIES.send(1, [lives.into(); 4])));
}

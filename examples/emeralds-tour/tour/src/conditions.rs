//! Conditions: a thread that has a mutex waits until others have changed what it
//! protects (EMERALDS, section 7.2).

use giornata_rt::sync::{Locked, Woken};
use giornata_rt::time::{self, Duration};
use giornata_rt::{Error, log, thread};

use crate::name;
use crate::plan::{BUS, CHANGE};

/// How many letters there are: nobody reaches them without the mutex.
static LETTERS: Locked<u32> = Locked::new(BUS, 0);

pub(crate) fn show() -> Result<(), Error> {
    let patient = thread::create(receive, 40, 40)?;
    let eager = thread::create(receive, 60, 60)?;
    *LETTERS.lock()? += 1;
    log!("one letter");
    CHANGE.signal()?;
    *LETTERS.lock()? += 1;
    log!("another, told to all");
    CHANGE.broadcast()?;
    thread::join(eager)?;
    thread::join(patient)?;

    log!("nobody waits, so lost: {}", name(&CHANGE.signal()));
    let soon = time::now() + Duration::from_millis(1);
    let (letters, woken) = CHANGE.wait_until(LETTERS.lock()?, soon)?;
    let timed_out = woken == Woken::TimedOut;
    log!("{} letters, none in time: {timed_out}", *letters);
    Ok(())
}

extern "C" fn receive(priority: usize) -> usize {
    let letter = LETTERS
        .lock()
        .and_then(|letters| CHANGE.wait_while(letters, |letters| **letters == 0));
    match letter {
        Ok(mut letters) => {
            *letters -= 1;
            log!("{priority} takes a letter");
        }
        Err(error) => log!("{priority}: {}", error.name()),
    }
    0
}

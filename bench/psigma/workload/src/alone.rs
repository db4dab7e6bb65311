//! What a thread calls while nobody else runs.

use bench_marks::psigma::{GIVE, LOCK, NULL, TAKE, UNLOCK, YIELD};
use bench_marks::{NOTHING, NOTHING_END, mark, measured};
use giornata_rt::{Error, call, thread, yield_now};

use crate::object::{BUS, READY};

/// Every operation in turn, until the machine stops.
#[thread]
pub(crate) fn lone() {
    let all = || -> Result<(), Error> {
        mark::<NOTHING>();
        mark::<NOTHING_END>();
        measured!(NULL: call::null())?;
        measured!(GIVE: READY.release())?;
        measured!(TAKE: READY.acquire())?;
        measured!(YIELD: yield_now());
        let guard = measured!(LOCK: BUS.lock())?;
        measured!(UNLOCK: drop(guard));
        Ok(())
    };
    while all().is_ok() {}
}

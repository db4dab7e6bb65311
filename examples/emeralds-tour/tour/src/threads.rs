//! Threads that come while the process runs (EMERALDS, section 4), and what a
//! thread can say of itself and of time.

use giornata_rt::time::{self, Duration};
use giornata_rt::{Error, call, log, thread, yield_now};

use crate::{GUIDE, name};

pub(crate) fn show() -> Result<(), Error> {
    let own = thread::own()?;

    let double = thread::create(double, 21, 20)?;
    log!("joined: {}", thread::join(double)?);

    let stroll = thread::create(stroll, 0, GUIDE - 5)?;
    thread::detach(stroll)?;
    log!("to join it all the same: {}", name(&thread::join(stroll)));

    let millisecond = Duration::from_millis(1);
    let (began, spent) = (time::now(), thread::cpu_time()?);
    time::sleep(millisecond)?;
    let has_slept = time::now() >= began + millisecond;
    let was_idle = thread::cpu_time()? < spent + millisecond;
    log!("slept: {has_slept}, others ran meanwhile: {was_idle}");

    thread::set_priority(own, 20)?;
    let equal = thread::create(equal, 0, 20)?;
    log!("created an equal, which waits");
    yield_now();
    log!("it has had its turn");
    thread::join(equal)?;
    thread::set_priority(own, GUIDE)?;
    call::null() // the cheapest call
}

extern "C" fn double(argument: usize) -> usize {
    log!("more urgent, so at once: doubles {argument}");
    thread::exit_with(2 * argument)
}

extern "C" fn stroll(_: usize) -> usize {
    log!("less urgent, so while the guide sleeps");
    0
}

extern "C" fn equal(_: usize) -> usize {
    log!("the equal runs");
    0
}

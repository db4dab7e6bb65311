//! The loads with interrupts: a thread raises one, whose handler gives a semaphore. The
//! handler is a thread in user mode too, the most urgent one of the process.

use bench_marks::thread_metric::{INTERRUPT, INTERRUPT_PREEMPTION};
use giornata_rt::device::{Device, Register, Registers};
use giornata_rt::sync::{PrivateSemaphore, Semaphore};
use giornata_rt::{Error, interrupt, thread};

use crate::count::Count;
use crate::{end, repeat};

/// The line of the chip's interrupt generator.
const LINE: u16 = 1;
/// A store raises the line after so many cycles.
const RAISE: Register<u32, 8> = Register::at(0);
/// A store lowers it.
const LOWER: Register<u32, 8> = Register::at(4);

/// What the handler gives and the interrupted thread takes, while nobody waits: neither
/// makes a call.
static POSTED: PrivateSemaphore = PrivateSemaphore::new(0, 0);
/// What a thread waits for that the handler resumes.
const RESUMED: Semaphore = Semaphore::new(0);

static RAISED: Count = Count::new();
static HANDLED: Count = Count::new();
static TAKEN: Count = Count::new();

fn is_complete() -> bool {
    [&RAISED, &HANDLED, &TAKEN]
        .into_iter()
        .all(Count::is_complete)
}

/// The generator's registers: the first device that the system file grants.
fn generator() -> Result<Registers<8>, Error> {
    Device::granted(0).ok_or(Error::EPERM)?.registers()
}

/// Raises the line, and counts: the interrupt comes before it returns.
#[inline(always)]
fn raise(generator: &Registers<8>) {
    generator.write(RAISE, 1);
    // waits for the store
    generator.read(RAISE);
    RAISED.add();
}

/// Handles one interrupt after the other.
fn handle(act: impl Fn() -> Result<(), Error>) -> Result<(), Error> {
    let generator = generator()?;
    loop {
        interrupt::wait(LINE)?;
        generator.write(LOWER, 0);
        // waits for the store
        generator.read(RAISE);
        HANDLED.add();
        act()?;
    }
}

/// Gives what the interrupted thread takes.
#[thread]
pub(crate) fn handle_and_post() {
    end(handle(|| POSTED.release()).is_ok());
}

/// Resumes a thread.
#[thread]
pub(crate) fn handle_and_resume() {
    end(handle(|| RESUMED.release()).is_ok());
}

/// Is what the interrupt resumes, without a handler between.
#[thread]
pub(crate) fn handle_and_count() {
    let count = || {
        TAKEN.add();
        Ok(())
    };
    end(handle(count).is_ok());
}

/// Raises an interrupt, and takes what its handler gave.
#[thread]
pub(crate) fn interrupted() {
    let all = || -> Result<(), Error> {
        let generator = generator()?;
        repeat::<INTERRUPT>(|| {
            raise(&generator);
            POSTED.acquire()?;
            TAKEN.add();
            Ok(())
        })
    };
    end(all().is_ok() && is_complete());
}

/// Raises an interrupt, behind which a more urgent thread runs.
#[thread]
pub(crate) fn preempted() {
    let all = || -> Result<(), Error> {
        let generator = generator()?;
        repeat::<INTERRUPT_PREEMPTION>(|| {
            raise(&generator);
            Ok(())
        })
    };
    end(all().is_ok() && is_complete());
}

/// The more urgent one: counts each time it is resumed.
#[thread]
pub(crate) fn resumed() {
    while RESUMED.acquire().is_ok() {
        TAKEN.add();
    }
    end(false);
}

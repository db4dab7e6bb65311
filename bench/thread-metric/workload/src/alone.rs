//! The loads of a single thread: computing, a queue, a mailbox, a semaphore.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use bench_marks::thread_metric::{BASIC, MESSAGE, MESSAGE_MAILBOX, SYNCHRONIZATION};
use bench_marks::{NOTHING, NOTHING_END, mark};
use giornata_rt::mailbox::Mailbox;
use giornata_rt::sync::{PrivateQueue, PrivateSemaphore};
use giornata_rt::{Error, thread};

use crate::count::Count;
use crate::{ROUNDS, end, repeat};

/// Elements of the array that is worked on.
const ELEMENTS: usize = 1024;

static ARRAY: [AtomicU32; ELEMENTS] = [const { AtomicU32::new(0) }; ELEMENTS];
/// There is one from the beginning.
static TOKEN: PrivateSemaphore = PrivateSemaphore::new(0, 1);
static QUEUE: PrivateQueue<1> = PrivateQueue::new(1, 2);
const MAILBOX: Mailbox = Mailbox::new(3);

static COMPUTED: Count = Count::new();
static RECEIVED: Count = Count::new();
static DELIVERED: Count = Count::new();
static GIVEN: Count = Count::new();

/// Works on the whole array once.
fn compute() -> Result<(), Error> {
    let count = COMPUTED.add();
    for (index, element) in (0_u32..).zip(&ARRAY) {
        let value = element.load(Relaxed).wrapping_add(count) ^ index;
        element.store(value, Relaxed);
    }
    Ok(())
}

/// Whether what was received is what was sent.
fn compare(received: u32, sent: u32) -> Result<(), Error> {
    match received == sent {
        true => Ok(()),
        false => Err(Error::EINVAL),
    }
}

/// Sends 16 bytes and receives them.
fn pass() -> Result<(), Error> {
    let count = RECEIVED.add();
    QUEUE.send([1, 2, 3, count])?;
    compare(QUEUE.receive()?[3], count)
}

/// The same by a mailbox.
fn deliver() -> Result<(), Error> {
    let count = DELIVERED.add();
    MAILBOX.send(0, [1, 2, 3, count])?;
    compare(MAILBOX.receive()?.words[3], count)
}

/// Takes the semaphore and gives it back.
fn take_and_give() -> Result<(), Error> {
    TOKEN.acquire()?;
    TOKEN.release()?;
    GIVEN.add();
    Ok(())
}

/// One load after the other.
#[thread]
pub(crate) fn lone() {
    for _ in 0..ROUNDS {
        mark::<NOTHING>();
        mark::<NOTHING_END>();
    }
    let all = || -> Result<(), Error> {
        repeat::<BASIC>(compute)?;
        repeat::<MESSAGE>(pass)?;
        repeat::<MESSAGE_MAILBOX>(deliver)?;
        repeat::<SYNCHRONIZATION>(take_and_give)
    };
    let is_complete = all().is_ok()
        && [&COMPUTED, &RECEIVED, &DELIVERED, &GIVEN]
            .iter()
            .all(|c| c.is_complete());
    end(is_complete);
}

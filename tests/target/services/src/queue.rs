//! A private queue between a thread that has the processor while nobody else wants it, one
//! that preempts it again and again, wherever it is, and the one that receives from both.

use giornata_rt::sync::PrivateQueue;
use giornata_rt::time::{self, Duration, Instant};
use giornata_rt::{log, shutdown, thread};

use crate::name;

/// Messages of the less urgent sender, and of the more urgent one.
const SENT: [u32; 2] = [1_000, 200];
/// A time that has nothing to do with how long a message takes.
const BETWEEN: Duration = Duration(7_919);

/// When the first is sent.
const BEGIN: Instant = Instant(1_000_000);

/// As `queue.toml` numbers its semaphores.
static QUEUE: PrivateQueue<3> = PrivateQueue::new(0, 1);

/// Sends one message after the other, each not before so long after the one before.
fn send(sender: u32, between: Duration) {
    for count in 0..SENT[sender as usize] {
        let _ = time::sleep_until(BEGIN + Duration(between.0 * count as u64));
        if let Err(error) = QUEUE.send([sender, count, !count, count ^ sender]) {
            log!("send: {}", error.name());
        }
    }
}

#[thread]
pub(crate) fn send_always() {
    send(0, Duration::ZERO);
}

#[thread]
pub(crate) fn send_between() {
    send(1, BETWEEN);
}

/// Checks that what each sends comes whole and in order, and all of it.
#[thread]
pub(crate) fn receive_all() {
    log!("of an empty queue: {}", name(&QUEUE.try_receive()));
    log!(
        "until 100 us: {}",
        name(&QUEUE.receive_until(Instant(100_000)))
    );
    let mut received = [0; 2];
    for _ in 0..SENT[0] + SENT[1] {
        let Ok([sender, count, other, mixed]) = QUEUE.receive() else {
            log!("receive: refused");
            return;
        };
        let expected = received[sender as usize];
        received[sender as usize] += 1;
        if [count, other, mixed] != [expected, !expected, expected ^ sender] {
            log!("of {sender}: {count} where {expected} is next");
        }
    }
    log!("received {} and {}", received[0], received[1]);
    for _ in 0..4 {
        log!("into a queue of three: {}", name(&QUEUE.try_send([0; 4])));
    }
    log!("not stopped: {}", shutdown(0).name());
}

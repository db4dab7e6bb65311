//! Processes that use every service there is, and one that ends them at random
//! instants and starts them again. What they use must be whole after each end: who
//! gets a mutex of a dead owner is told, messages and places and memory come back,
//! a server's mailbox gets a new server. A victim that finds something wrong panics,
//! and the killer, which knows every end that is its own, tells of any other.
//!
//! Chance is a matter of instants and of fixed seeds, so that each run is the same.

#![no_std]

mod dice;
mod killer;
mod victims;

use giornata_rt::mailbox::Mailbox;
use giornata_rt::process;
use giornata_rt::sync::{Condition, Mutex, PrivateMutex, Semaphore};
use giornata_rt::time::Duration;

use killer::{kill_100, kill_10000};
use victims::{client, crew, net, service};

// As the system files number their objects.

/// What most of them want.
const BUS: Mutex = Mutex::new(0);
/// One with a ceiling.
const TOP: Mutex = Mutex::new(1);
/// Only the crew's threads have it.
static OWN: PrivateMutex = PrivateMutex::new(2);
/// One, while nobody is at work inside [`BUS`].
const INSIDE: Semaphore = Semaphore::new(3);
const SLOTS: Semaphore = Semaphore::new(4);
/// One for each victim that is to count what it can take.
const AUDIT: Semaphore = Semaphore::new(5);
const NEWS: Condition = Condition::new(6);
const REQUESTS: Mailbox = Mailbox::new(7);
const REPLIES: Mailbox = Mailbox::new(8);
/// The server's.
const STACK: Mailbox = Mailbox::new(9);
/// Where victims send what they count.
const SCRATCH: Mailbox = Mailbox::new(10);
/// What they counted.
const REPORTS: Mailbox = Mailbox::new(11);

/// Bytes of the longest message.
const LONGEST: usize = 40;

fn us(count: u64) -> Duration {
    Duration::from_micros(count)
}

process! {
    threads: [kill_100, kill_10000, client, crew, net, service],
}

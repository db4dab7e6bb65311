//! What the threads of the suite `emeralds` do. Each operation stands between
//! marks of its own; the stubs of the calls are measured with it.
//!
//! All system files number their objects alike: the mutexes `bus` and `spare`,
//! the semaphore `ready`, the conditions `change` and `sign`, the mailboxes
//! `letters`, `replies` and `box`.

#![no_std]

mod alone;
mod chain;
mod hint;
mod letters;
mod lives;
mod pair;

use alone::{keeping, lone};
use chain::{begins, last, middle};
use giornata_rt::call::Number;
use giornata_rt::{Id, process, shutdown};
use hint::{given, giving};
use letters::{answering, asking, calling, reading, replying, writing};
use lives::{child, large, parent};
use pair::{giving_on, high, low, taking};

/// Object ids, as at boot.
const BUS: Number = Id::new(0, 0).0;
const SPARE: u16 = 1;
const READY: Number = Id::new(2, 0).0;
const CHANGE: Number = Id::new(3, 0).0;
const SIGN: u16 = 4;
const LETTERS_NUMBER: u16 = 5;
const LETTERS: Number = Id::new(LETTERS_NUMBER, 0).0;
const REPLIES: Number = Id::new(6, 0).0;
const BOX: u16 = 7;

/// Of `chain.toml`, in whose place others have a condition and a mutex that is created.
const SPARE_READY: Number = Id::new(3, 0).0;
const SECOND: Number = Id::new(1, 0).0;

/// Regions of `alone.toml`: one that another process has, and one that nobody has.
const KEPT: u16 = 0;
const FRESH: u16 = 1;

/// How often each thing is done: the first are not counted, a hundred are.
const ROUNDS: u32 = 120;

/// Ends the run: well if every call answered what it should.
fn end(is_well: bool) {
    // Never refused: every system grants it.
    let _ = shutdown(!is_well as u8);
}

process! {
    threads: [
        lone, keeping, high, low, taking, giving_on, writing, reading, asking, answering, calling, replying,
        giving, given, parent, child, large, begins, middle, last,
    ],
}

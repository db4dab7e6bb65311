//! A thread that asks and waits busily for the answer of a less urgent one: there have to be two
//! harts for that.

#![no_std]

use core::hint::spin_loop;
use core::sync::atomic::{AtomicU32, Ordering};

use giornata_rt::{log, process, shutdown, thread};

/// How often it asks.
const QUESTIONS: u32 = 1_000;

/// The number of the last question, and of the last that has an answer. (Each has one writer.)
static ASKED: AtomicU32 = AtomicU32::new(0);
static ANSWERED: AtomicU32 = AtomicU32::new(0);

#[thread]
fn ask() {
    for question in 1..=QUESTIONS {
        ASKED.store(question, Ordering::Release);
        while ANSWERED.load(Ordering::Acquire) != question {
            spin_loop();
        }
    }
    log!("{QUESTIONS} questions, {QUESTIONS} answers");
    shutdown(0);
}

#[thread]
fn answer() {
    loop {
        let question = ASKED.load(Ordering::Acquire);
        ANSWERED.store(question, Ordering::Release);
    }
}

process! { threads: [ask, answer] }

//! One job or upcall.
//!
//! The system calls that a body makes are answered on the spot as far as that
//! needs no kernel (`null`, `clock`); calls whose answer is known beforehand
//! (`log`, `panic`) are kept for the simulated kernel, in order; all others are
//! refused with `EPERM`, as a task has no use of them.

use giornata_abi::call::{Answer, Call, Request};
use giornata_abi::process::Body;
use giornata_abi::{Error, Instant};
use giornata_rt::host;
use std::cell::RefCell;

/// Most bytes of a panic's message that are kept.
const TEXT: usize = 96;

/// A call that the simulated kernel is to hear of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// Which.
    pub call: Call,
    /// Its arguments; of a panic the length of the text and the line.
    pub arguments: [usize; 6],
    /// Of a panic, what it says.
    pub text: Vec<u8>,
}

/// What came of a job or upcall.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// What the body returned.
    pub value: usize,
    /// The calls that it made, in order.
    pub calls: Vec<Made>,
}

impl Ran {
    /// One that panicked with a message, of which the first bytes are kept.
    pub fn panicked(mut text: Vec<u8>) -> Ran {
        text.truncate(TEXT);
        let arguments = [0, text.len(), 0, 0, 0, 0];
        let call = Call::Panic;
        Ran {
            value: 0,
            calls: vec![Made {
                call,
                arguments,
                text,
            }],
        }
    }
}

struct Inbox {
    now: Instant,
    calls: Vec<Made>,
}

thread_local! {
    static INBOX: RefCell<Inbox> = const {
        RefCell::new(Inbox { now: Instant::START, calls: Vec::new() })
    };
}

/// Runs a body at an instant: on its block, in the memory of its process.
pub fn run(body: Body, now: Instant, block: &mut [u64], states: &mut host::Memory) -> Ran {
    INBOX.with_borrow_mut(|inbox| {
        inbox.now = now;
        inbox.calls.clear();
    });
    host::set_hook(answer);
    let block = block.as_mut_ptr().cast();
    let value = states.run(|| body(block));
    let calls = INBOX.with_borrow_mut(|inbox| std::mem::take(&mut inbox.calls));
    Ran { value, calls }
}

/// Answers a body's system call.
fn answer(request: Request) -> Answer {
    let arguments = request.arguments;
    INBOX.with_borrow_mut(|inbox| match Call::from_number(request.number) {
        Some(Call::Null | Call::Yield) => Answer::DONE,
        Some(Call::Clock) => Answer::wide(inbox.now.0),
        Some(call @ Call::Log) => {
            let text = Vec::new();
            inbox.calls.push(Made {
                call,
                arguments,
                text,
            });
            Answer::DONE
        }
        Some(call @ Call::Panic) => {
            let [address, length, line, ..] = arguments;
            let text = message(address, length);
            let arguments = [0, text.len(), line, 0, 0, 0];
            inbox.calls.push(Made {
                call,
                arguments,
                text,
            });
            Answer::DONE
        }
        Some(_) => Answer::error(Error::EPERM),
        None => Answer::error(Error::ENOSYS),
    })
}

/// The first bytes of a panic's message.
fn message(address: usize, length: usize) -> Vec<u8> {
    let mut text = vec![0; length.min(TEXT)];
    let from = std::ptr::with_exposed_provenance::<u8>(address);
    // SAFETY: the runtime's host side calls `Panic` with the address and length
    // of a string that is alive during the call, its provenance exposed;
    // `text` is at most as long, and nobody else's.
    unsafe { std::ptr::copy_nonoverlapping(from, text.as_mut_ptr(), text.len()) };
    text
}

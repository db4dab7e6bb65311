//! Real task and driver functions as behaviours: the code that runs on a board,
//! compiled for the host.
//!
//! A body runs in one piece at the end of its virtual execution time: its
//! inputs lie in the block since the release and do not change meanwhile, its
//! outputs are looked at after the completion only. A job that is stopped
//! before its end has not run at all.
//!
//! The system calls that a body makes are answered on the spot as far as that
//! needs no kernel (`null`, `clock`); calls whose answer is known beforehand
//! (`log`, `panic`) are made of the simulated kernel when the body has ended,
//! in order; all others are refused with `EPERM`, as a task has no use of them.

use crate::behaviour::{Act, Behaviour, Moment};
use giornata_abi::call::{Answer, Call, Request};
use giornata_abi::process::{Body, Direction, Function, block_offsets};
use giornata_abi::{Error, Instant};
use giornata_rt::host;
use std::cell::RefCell;
use std::collections::VecDeque;

/// Most bytes of a panic's message that are kept.
const TEXT: usize = 96;

/// What the body that runs has called.
struct Inbox {
    now: Instant,
    requests: VecDeque<(Call, [usize; 6])>,
    panic: Option<([u8; TEXT], usize)>,
}

thread_local! {
    static INBOX: RefCell<Inbox> = const {
        RefCell::new(Inbox { now: Instant::START, requests: VecDeque::new(), panic: None })
    };
}

/// A real task or driver function.
pub struct Native {
    body: Body,
    /// Its block, while it runs: as many words as it has.
    block: Vec<u64>,
    value: Option<usize>,
}

impl Native {
    /// A function of a process's table.
    pub fn new(function: &Function) -> Native {
        let parameters = function.parameters.iter();
        let placed = parameters.filter(|p| p.direction != Direction::State);
        let length = block_offsets(placed.map(|p| p.size), |_| {});
        Native {
            body: function.body,
            block: vec![0; length.div_ceil(8)],
            value: None,
        }
    }

    fn run(&mut self, moment: &mut Moment<'_>) {
        INBOX.with_borrow_mut(|inbox| {
            inbox.now = moment.now;
            inbox.requests.clear();
            inbox.panic = None;
        });
        host::set_hook(answer);
        for (index, word) in self.block.iter_mut().enumerate() {
            *word = moment.load(8 * index, 8);
        }
        let (body, block) = (self.body, self.block.as_mut_ptr().cast());
        self.value = Some(moment.states.run(|| body(block)));
        for (index, word) in self.block.iter().enumerate() {
            moment.store(8 * index, 8, *word);
        }
    }
}

impl Behaviour for Native {
    fn next(&mut self, moment: &mut Moment<'_>) -> Act {
        if moment.begins {
            self.run(moment);
        }
        let (request, panic) =
            INBOX.with_borrow_mut(|inbox| (inbox.requests.pop_front(), inbox.panic));
        match request {
            Some((Call::Panic, [_, length, line, ..])) => {
                // the message crosses into the process's own memory
                let (room, (text, _)) = (moment.room(), panic.unwrap_or(([0; TEXT], 0)));
                let _ = moment.write(room, &text[..length]);
                Act::call(Call::Panic, &[room, length, line])
            }
            Some((call, arguments)) => Act::Call(call, arguments),
            None => Act::End(self.value.take().unwrap_or(0)),
        }
    }
}

/// Answers a body's system call.
fn answer(request: Request) -> Answer {
    let arguments = request.arguments;
    INBOX.with_borrow_mut(|inbox| match Call::from_number(request.number) {
        Some(Call::Null | Call::Yield) => Answer::DONE,
        Some(Call::Clock) => Answer::wide(inbox.now.0),
        Some(Call::Log) => {
            inbox.requests.push_back((Call::Log, arguments));
            Answer::DONE
        }
        Some(Call::Panic) => {
            let [address, length, line, ..] = arguments;
            inbox.panic = Some(message(address, length));
            let arguments = [0, length.min(TEXT), line, 0, 0, 0];
            inbox.requests.push_back((Call::Panic, arguments));
            Answer::DONE
        }
        Some(_) => Answer::error(Error::EPERM),
        None => Answer::error(Error::ENOSYS),
    })
}

/// The first bytes of a panic's message.
fn message(address: usize, length: usize) -> ([u8; TEXT], usize) {
    let mut text = [0; TEXT];
    let length = length.min(TEXT);
    let from = std::ptr::with_exposed_provenance::<u8>(address);
    // SAFETY: the runtime's host side calls `Panic` with the address and length
    // of a string that is alive during the call, its provenance exposed;
    // `text` is at least as long, and nobody else's.
    unsafe { std::ptr::copy_nonoverlapping(from, text.as_mut_ptr(), length) };
    (text, length)
}

//! Messages between processes, by way of a protocol server (EMERALDS, section 6.1).

use giornata_rt::mailbox::Mailbox;
use giornata_rt::time::{self, Duration, Instant};
use giornata_rt::{Error, log, thread};

use crate::GUIDE;
use crate::plan::{NET, OFFICE, REPLIES, REQUESTS, STACK};

/// Bytes of the longest message.
const LONGEST: usize = 32;

pub(crate) fn show() -> Result<(), Error> {
    NET.start()?;
    OFFICE.start()?;
    time::sleep(Duration::from_millis(1))?; // until both wait

    let between = thread::create(between, 0, GUIDE - 2)?;
    REQUESTS.send_bytes(7, b"6 times 7")?;
    let reply = REPLIES.receive()?;
    log!("reply {}, priority {}", reply.words[0], reply.priority);
    thread::join(between)?;

    REQUESTS.send_via(STACK, 3, 7, b"for the node 3")?;
    time::sleep(Duration::from_millis(1))
}

/// More urgent than the server is of itself, and less than the guide.
extern "C" fn between(_: usize) -> usize {
    log!("who is between the two comes after them");
    0
}

/// The server: takes what is sent to `requests`, and sends it on.
#[thread]
pub(crate) fn carry() {
    let mut bytes = [0; LONGEST];
    while let Ok(full) = STACK.receive_full(Instant::NEVER, &mut bytes) {
        let text = &bytes[..full.received.length];
        if full.from.incoming {
            log!("carries {} bytes on", text.len());
            let to = Mailbox::from_id(full.destination);
            if let Err(error) = to.send_direct(full.received.priority, text) {
                log!("carries nothing: {}", error.name());
            }
        } else {
            log!("sends {} bytes out, to node {}", text.len(), full.from.node);
        }
    }
}

/// Answers each request.
#[thread]
pub(crate) fn answer() {
    let mut bytes = [0; LONGEST];
    while let Ok(request) = REQUESTS.receive_bytes(Instant::NEVER, &mut bytes) {
        let text = core::str::from_utf8(&bytes[..request.length]);
        log!("answers: {}", text.unwrap_or("no text"));
        if let Err(error) = REPLIES.send(request.priority, [6 * 7, 0, 0, 0]) {
            log!("no answer: {}", error.name());
        }
    }
}

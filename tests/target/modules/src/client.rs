//! The other end of the line, in the same process: a client that talks to the
//! real server through bytes, at instants of its own choice.

use giornata_hostlink::{Kernel, Line, Server};
use giornata_hostlink_wire::frame::{Collector, MAX, encode};
use giornata_hostlink_wire::{Action, CHUNK, Change, Message, Reply, Request};

/// Bytes on their way to the server and back.
pub(crate) struct Wire {
    to: [u8; MAX],
    next: usize,
    end: usize,
    back: Collector,
    whole: bool,
}

impl Line for Wire {
    fn read(&mut self, into: &mut [u8]) -> usize {
        let waiting = self.to.get(self.next..self.end).unwrap_or(&[]);
        let count = waiting.len().min(into.len());
        for (to, from) in into.iter_mut().zip(waiting) {
            *to = *from;
        }
        self.next += count;
        count
    }

    fn write(&mut self, bytes: &[u8]) -> usize {
        let mut taken = 0;
        for byte in bytes {
            if self.whole {
                break;
            }
            taken += 1;
            self.whole = self.back.push(*byte);
        }
        taken
    }
}

/// What came of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Came {
    Session(u32),
    Ticket(u32),
    Done,
    Refused,
    Damaged,
    Nothing,
}

/// A client with its server.
pub(crate) struct Client<'s, 'm, 'a> {
    pub(crate) server: &'s mut Server<'m, 'a>,
    pub(crate) wire: Wire,
    pub(crate) session: u32,
    pub(crate) number: u32,
}

impl<'s, 'm, 'a> Client<'s, 'm, 'a> {
    pub(crate) fn new(server: &'s mut Server<'m, 'a>) -> Client<'s, 'm, 'a> {
        Client {
            server,
            wire: Wire {
                to: [0; MAX],
                next: 0,
                end: 0,
                back: Collector::new(),
                whole: false,
            },
            session: 0,
            number: 0,
        }
    }

    /// Sends one request, whose frame `spoil` may damage, and hears the answer.
    pub(crate) fn ask(
        &mut self,
        action: Action<'_>,
        programs: &mut Kernel,
        spoil: impl FnOnce(&mut [u8]),
    ) -> Came {
        self.number = self.number.wrapping_add(1);
        let request = Request {
            session: self.session,
            number: self.number,
            action,
        };
        let Ok(length) = encode(&request, &mut self.wire.to) else {
            return Came::Nothing;
        };
        spoil(self.wire.to.get_mut(..length).unwrap_or(&mut []));
        (self.wire.next, self.wire.end) = (0, length);
        self.hear(programs)
    }

    /// Lets the server work until it has answered or has nothing to do.
    fn hear(&mut self, programs: &mut Kernel) -> Came {
        while self.server.step(&mut self.wire, programs) || self.wire.whole {
            if !core::mem::take(&mut self.wire.whole) {
                continue;
            }
            let mut frame = core::mem::take(&mut self.wire.back);
            return match frame.take::<Message<'_>>() {
                Ok(Message::Answer { reply, .. }) => match reply {
                    Reply::Greeting(greeting) => Came::Session(greeting.session),
                    Reply::Ticket(ticket) => Came::Ticket(ticket),
                    Reply::Done | Reply::Standing(_) | Reply::Records { .. } => Came::Done,
                    Reply::Refused { .. } => Came::Refused,
                },
                Ok(Message::Event(_)) => Came::Damaged,
                Err(_) => Came::Nothing,
            };
        }
        Came::Nothing
    }

    /// Opens a session.
    pub(crate) fn open(&mut self, programs: &mut Kernel) {
        let version = giornata_hostlink_wire::VERSION;
        if let Came::Session(session) = self.ask(Action::Hello { version }, programs, |_| {}) {
            self.session = session;
        }
    }

    /// Uploads a module and asks for the change.
    pub(crate) fn bring(
        &mut self,
        program: &str,
        module: &[u8],
        change: Change,
        programs: &mut Kernel,
    ) -> Came {
        let length = module.len() as u32;
        let begin = Action::Begin {
            program,
            length,
            base: None,
        };
        let Came::Ticket(ticket) = self.ask(begin, programs, |_| {}) else {
            return Came::Refused;
        };
        for (index, bytes) in (0u32..).zip(module.chunks(CHUNK)) {
            let chunk = Action::Chunk {
                ticket,
                offset: index * CHUNK as u32,
                bytes,
            };
            if self.ask(chunk, programs, |_| {}) != Came::Done {
                return Came::Refused;
            }
        }
        let commit = Action::Commit {
            ticket,
            change,
            signature: None,
        };
        self.ask(commit, programs, |_| {})
    }
}

//! Sessions: which request is expected next.

use giornata_hostlink_wire::{Code, Request};

use crate::words::{Refused, refuse};

/// The open session. Session numbers and tickets repeat only after 2^32 - 1 others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Session {
    /// The number of the latest session; 0 = none has been opened.
    pub(crate) current: u32,
    /// The number of the last request that was admitted.
    last: u32,
    tickets: u32,
}

impl Session {
    pub(crate) const fn new() -> Session {
        Session {
            current: 0,
            last: 0,
            tickets: 0,
        }
    }

    /// Opens the next session; its requests are numbered from the request's number on.
    pub(crate) fn open(&mut self, request: &Request<'_>) {
        self.current = self.current.wrapping_add(1).max(1);
        self.last = request.number;
    }

    /// Checks that the request is the next one of the session, and counts it.
    pub(crate) fn admit(&mut self, request: &Request<'_>) -> Result<(), Refused> {
        if self.current == 0 || request.session != self.current {
            return Err(refuse(
                Code::Session,
                format_args!("this is not the session that is open; begin with Hello"),
            ));
        }
        let next = self.last.wrapping_add(1);
        if request.number != next {
            return Err(refuse(
                Code::Number,
                format_args!(
                    "request {} came where {next} is the next; begin again with Hello",
                    request.number
                ),
            ));
        }
        self.last = next;
        Ok(())
    }

    /// A new ticket.
    pub(crate) fn ticket(&mut self) -> u32 {
        self.tickets = self.tickets.wrapping_add(1).max(1);
        self.tickets
    }
}

//! Which requests are the next of whom they should come from.

use giornata_hostlink_wire::{Code, Request};

use crate::words::{Refused, refuse};

/// The session that is open. Numbers of sessions and tickets never come again
/// before 2^32 of them have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Session {
    /// The latest; 0 = none has been opened.
    pub(crate) current: u32,
    /// The number of the last request that was looked at.
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

    /// Opens the next session, which goes on from the request's number.
    pub(crate) fn open(&mut self, request: &Request<'_>) {
        self.current = self.current.wrapping_add(1).max(1);
        self.last = request.number;
    }

    /// Whether the request is the next of the session; if so it counts.
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

    /// A ticket that was not given before.
    pub(crate) fn ticket(&mut self) -> u32 {
        self.tickets = self.tickets.wrapping_add(1).max(1);
        self.tickets
    }
}

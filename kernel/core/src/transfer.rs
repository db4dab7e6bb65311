//! Values on their way, a piece at a time: a long copy lets interrupts be
//! latched between two pieces, and nobody sees half a value meanwhile, because
//! no thread runs before it is whole.

use crate::core_state::{Core, EMPTY_RANGE};
use crate::driver::PIECES;
use crate::hardware::{BadAddress, CHUNK, Hardware};
use crate::impossible::Place;
use giornata_abi::Error;
use giornata_abi::call::Answer;
use giornata_abi::id::NONE;
use giornata_abi::system::{MoveEntry, Range};
use giornata_micro::UpcallEnd;

/// What a transfer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A copy driver.
    Copy,
    /// The inputs of the upcall of a driver.
    Inputs(u16),
    /// The outputs of an upcall that returned this value.
    Outputs(usize),
    /// `read_port` by a thread.
    Read(u16),
    /// The first pass of a thread's `write_port` to this port: only looks
    /// whether all can be read.
    Probe(u16, u16),
    /// Its second pass.
    Write(u16),
    /// A message of a thread, to be put into a mailbox.
    #[allow(dead_code)] // nobody makes one where there are no services
    Send(u16, u16, u16),
    /// The first message of a mailbox to a thread.
    #[allow(dead_code)] // nobody makes one where there are no services
    Receive(u16, u16),
}

/// A transfer that was interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Transfer {
    pub(crate) purpose: Purpose,
    /// What is to be moved, if it is in the tables.
    moves: Range,
    /// Else this alone.
    single: MoveEntry,
    done: Done,
}

/// What of a transfer is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Done {
    /// Whole values.
    values: u16,
    /// Bytes of the next one.
    bytes: u16,
    /// They changed it.
    changed: bool,
}

impl Done {
    /// Nothing.
    pub(crate) const NOTHING: Done = Done {
        values: 0,
        bytes: 0,
        changed: false,
    };
}

/// How far a transfer got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moved {
    /// There is more to move.
    Part(Done),
    /// All is moved.
    All,
    /// An address is not what it should be.
    Bad,
}

impl Transfer {
    /// What is left of what a driver moves.
    pub(crate) const fn of_driver(purpose: Purpose, moves: Range, done: Done) -> Transfer {
        Transfer {
            purpose,
            moves,
            single: NOTHING,
            done,
        }
    }

    /// The one value that a system call moves.
    pub(crate) const fn of_call(purpose: Purpose, single: MoveEntry) -> Transfer {
        Transfer {
            purpose,
            moves: EMPTY_RANGE,
            single,
            done: Done::NOTHING,
        }
    }
}

impl<H: Hardware> Core<'_, H> {
    /// Begins what a driver moves. What cannot be moved in one burst stays for
    /// later; at its end comes what it is for. O(pieces of a burst).
    pub(crate) fn begin_transfer(&mut self, purpose: Purpose, moves: Range) {
        match self.move_values(self.moves(moves), Done::NOTHING) {
            Moved::Part(done) => {
                self.transfer = Some(Transfer::of_driver(purpose, moves, done));
            }
            Moved::All => self.end_transfer(purpose, &NOTHING),
            Moved::Bad => self.break_transfer(purpose),
        }
    }

    /// Goes on with a transfer.
    #[inline(never)]
    pub(crate) fn resume_transfer(&mut self) {
        let Some(transfer) = self.transfer.take() else {
            return;
        };
        let single = [transfer.single];
        let steps = match transfer.single.size {
            0 => self.moves(transfer.moves),
            _ => &single[..],
        };
        match self.move_values(steps, transfer.done) {
            Moved::Part(done) => self.transfer = Some(Transfer { done, ..transfer }),
            Moved::All => self.end_transfer(transfer.purpose, &transfer.single),
            Moved::Bad => self.break_transfer(transfer.purpose),
        }
    }

    /// Moves values, from where it got to, a burst of pieces at most.
    pub(crate) fn move_values(&mut self, steps: &[MoveEntry], done: Done) -> Moved {
        let Done {
            mut values,
            mut bytes,
            mut changed,
        } = done;
        let mut pieces = PIECES;
        while let Some(step) = steps.get(values as usize) {
            if pieces == 0 {
                return Moved::Part(Done {
                    values,
                    bytes,
                    changed,
                });
            }
            pieces -= 1;
            let length = step.size.saturating_sub(bytes).min(CHUNK as u16);
            match self.move_piece(step, bytes, length) {
                Ok(change) => changed |= change,
                Err(BadAddress) => return Moved::Bad,
            }
            bytes = bytes.saturating_add(length);
            if bytes >= step.size {
                if step.port != NONE {
                    self.finish_write(step, changed);
                }
                (values, bytes, changed) = (values.saturating_add(1), 0, false);
            }
        }
        Moved::All
    }

    fn end_transfer(&mut self, purpose: Purpose, single: &MoveEntry) {
        match purpose {
            Purpose::Copy => self.ended = Some(UpcallEnd::Returned(0)),
            Purpose::Inputs(driver) => self.enter_upcall(driver),
            Purpose::Outputs(value) => self.ended = Some(UpcallEnd::Returned(value)),
            Purpose::Probe(thread, port) => {
                let MoveEntry { source, from, .. } = *single;
                let step = MoveEntry::output(source, from, self.port(port), port);
                self.transfer = Some(Transfer::of_call(Purpose::Write(thread), step));
            }
            Purpose::Read(thread) => self.answer(thread, Answer::DONE),
            Purpose::Write(thread) => {
                self.answer(thread, Answer::DONE);
                self.written = true;
            }
            Purpose::Send(thread, message, mailbox) => {
                self.end_send(thread, message, mailbox, true);
            }
            Purpose::Receive(thread, mailbox) => self.end_receive(thread, mailbox, true),
        }
    }

    fn break_transfer(&mut self, purpose: Purpose) {
        match purpose {
            Purpose::Read(thread) | Purpose::Probe(thread, _) | Purpose::Write(thread) => {
                self.answer(thread, Answer::error(Error::EFAULT));
            }
            Purpose::Send(thread, message, mailbox) => {
                self.end_send(thread, message, mailbox, false);
            }
            Purpose::Receive(thread, mailbox) => self.end_receive(thread, mailbox, false),
            Purpose::Copy | Purpose::Inputs(_) | Purpose::Outputs(_) => {
                self.impossible(Place::System, 0);
                self.ended = Some(UpcallEnd::Fault);
            }
        }
    }
}

const NOTHING: MoveEntry = MoveEntry {
    source: NONE,
    sink: NONE,
    from: 0,
    to: 0,
    size: 0,
    port: NONE,
    task: NONE,
    traced: 0,
};

//! Values on their way, a piece at a time: a long copy lets interrupts be
//! latched between two pieces, and nobody sees half a value meanwhile, because
//! no thread runs before it is whole.

use crate::core_state::Core;
use crate::hardware::{BadAddress, CHUNK, Hardware};
use crate::port::Place;
use giornata_abi::call::Answer;
use giornata_abi::{Error, Instant};
use giornata_micro::UpcallEnd;

/// What a transfer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A copy driver: each read port to the written port of its position.
    Copy(u16),
    /// The inputs of an upcall: read ports to the driver's block.
    Inputs(u16),
    /// The outputs of an upcall that returned: its block to the written ports.
    Outputs(u16, usize),
    /// `read_port`: thread, port, user address.
    Read(u16, u16, usize),
    /// The first pass of `write_port`, which only looks whether all can be read.
    Probe(u16, u16, usize),
    /// The second pass of `write_port`.
    Write(u16, u16, usize),
}

/// A transfer in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Transfer {
    purpose: Purpose,
    /// Position in the port lists.
    index: u16,
    /// Byte in the value.
    offset: u16,
    /// Byte in the block.
    block: u32,
    changed: bool,
}

impl Transfer {
    pub(crate) const fn new(purpose: Purpose) -> Transfer {
        Transfer {
            purpose,
            index: 0,
            offset: 0,
            block: 0,
            changed: false,
        }
    }
}

/// One value to move.
struct Move {
    from: Place,
    to: Option<Place>,
    size: u16,
}

/// How far a transfer got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moved {
    /// There is more to move.
    More,
    /// All is moved.
    All(Purpose),
    /// An address is not what it should be.
    Bad(Purpose),
}

impl<H: Hardware> Core<'_, H> {
    /// Starts the second half of an upcall: its outputs.
    pub(crate) fn output_transfer(&self, driver: u16, value: usize) -> Transfer {
        let reads = self
            .driver_entry(driver)
            .map_or(&[][..], |d| self.links(d.reads));
        let sizes = reads.iter().map(|port| self.port(*port).size as usize);
        let block = giornata_abi::process::block_offsets(sizes, |_| {}) as u32;
        Transfer {
            block,
            ..Transfer::new(Purpose::Outputs(driver, value))
        }
    }

    fn next_move(&self, transfer: &Transfer) -> Option<Move> {
        let at = transfer.index as usize;
        let port = |ports: &[u16]| ports.get(at).copied();
        match transfer.purpose {
            Purpose::Copy(driver) => {
                let entry = self.driver_entry(driver)?;
                let (from, to) = (
                    port(self.links(entry.reads))?,
                    port(self.links(entry.writes))?,
                );
                let size = self.port(from).size.min(self.port(to).size);
                Some(Move {
                    from: Place::Port(from),
                    to: Some(Place::Port(to)),
                    size,
                })
            }
            Purpose::Inputs(driver) => {
                let entry = self.driver_entry(driver)?;
                let from = port(self.links(entry.reads))?;
                let to = Place::User(
                    entry.process,
                    entry.block.wrapping_add(transfer.block) as usize,
                );
                Some(Move {
                    from: Place::Port(from),
                    to: Some(to),
                    size: self.port(from).size,
                })
            }
            Purpose::Outputs(driver, _) => {
                let entry = self.driver_entry(driver)?;
                let to = port(self.links(entry.writes))?;
                let from = Place::User(
                    entry.process,
                    entry.block.wrapping_add(transfer.block) as usize,
                );
                Some(Move {
                    from,
                    to: Some(Place::Port(to)),
                    size: self.port(to).size,
                })
            }
            _ if at != 0 => None,
            Purpose::Read(thread, port, address) => {
                let to = Place::User(self.thread_entry(thread).process, address);
                Some(Move {
                    from: Place::Port(port),
                    to: Some(to),
                    size: self.port(port).size,
                })
            }
            Purpose::Probe(thread, port, address) | Purpose::Write(thread, port, address) => {
                let from = Place::User(self.thread_entry(thread).process, address);
                let to =
                    matches!(transfer.purpose, Purpose::Write(..)).then_some(Place::Port(port));
                Some(Move {
                    from,
                    to,
                    size: self.port(port).size,
                })
            }
        }
    }

    /// Moves one piece. O([`CHUNK`]).
    pub(crate) fn move_piece(&mut self, transfer: &mut Transfer, instant: Instant) -> Moved {
        let Some(step) = self.next_move(transfer) else {
            return Moved::All(transfer.purpose);
        };
        if self.move_bytes(transfer, &step).is_err() {
            return Moved::Bad(transfer.purpose);
        }
        if transfer.offset >= step.size {
            if let Some(Place::Port(port)) = step.to {
                self.finish_write(port, transfer.changed, instant);
            }
            transfer.index = transfer.index.saturating_add(1);
            transfer.block = transfer
                .block
                .wrapping_add((step.size as u32).next_multiple_of(8));
            (transfer.offset, transfer.changed) = (0, false);
        }
        Moved::More
    }

    fn move_bytes(&mut self, transfer: &mut Transfer, step: &Move) -> Result<(), BadAddress> {
        let length = step.size.saturating_sub(transfer.offset).min(CHUNK as u16);
        match (step.to, step.from) {
            (Some(to), from) => {
                transfer.changed |= self.copy_piece(from, to, transfer.offset, length)?;
            }
            (None, Place::User(process, from)) => {
                self.probe(process, from.wrapping_add(transfer.offset as usize), length)?;
            }
            (None, Place::Port(_)) => {}
        }
        transfer.offset = transfer.offset.saturating_add(length);
        Ok(())
    }

    /// Moves up to `pieces` pieces; what is left stays for later. `true` when
    /// the transfer has ended and its end has been carried out.
    pub(crate) fn run_transfer(&mut self, mut transfer: Transfer, pieces: u8) -> bool {
        for _ in 0..pieces {
            match self.move_piece(&mut transfer, self.instant) {
                Moved::More => {}
                Moved::All(purpose) => {
                    self.transfer = None;
                    self.end_transfer(purpose);
                    return true;
                }
                Moved::Bad(purpose) => {
                    self.transfer = None;
                    self.break_transfer(purpose);
                    return true;
                }
            }
        }
        self.transfer = Some(transfer);
        false
    }

    fn end_transfer(&mut self, purpose: Purpose) {
        match purpose {
            Purpose::Copy(_) => self.ended = Some(UpcallEnd::Returned(0)),
            Purpose::Inputs(driver) => self.enter_upcall(driver),
            Purpose::Outputs(_, value) => self.ended = Some(UpcallEnd::Returned(value)),
            Purpose::Probe(thread, port, address) => {
                self.transfer = Some(Transfer::new(Purpose::Write(thread, port, address)));
            }
            Purpose::Read(thread, ..) => self.threads.at_mut(thread).set_answer(Answer::DONE),
            Purpose::Write(thread, ..) => {
                self.threads.at_mut(thread).set_answer(Answer::DONE);
                self.written = true;
            }
        }
    }

    fn break_transfer(&mut self, purpose: Purpose) {
        match purpose {
            Purpose::Read(thread, ..) | Purpose::Probe(thread, ..) | Purpose::Write(thread, ..) => {
                self.threads
                    .at_mut(thread)
                    .set_answer(Answer::error(Error::EFAULT));
            }
            Purpose::Copy(driver) | Purpose::Inputs(driver) | Purpose::Outputs(driver, _) => {
                self.impossible(crate::impossible::Place::System, driver as u64);
                self.ended = Some(UpcallEnd::Fault);
            }
        }
    }
}

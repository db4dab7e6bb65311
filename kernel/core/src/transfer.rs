//! Values on their way, a piece at a time: a long copy lets interrupts be
//! latched between two pieces, and nobody sees half a value meanwhile, because
//! no thread runs before it is whole.

use crate::core_state::Core;
use crate::hardware::{BadAddress, CHUNK, Hardware};
use crate::port::Place;
use giornata_abi::Error;
use giornata_abi::call::Answer;
use giornata_abi::id::NONE;
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

/// What was left to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moved {
    /// A piece, which is moved now.
    Piece,
    /// Nothing.
    All,
}

/// One end of a transfer: where its values lie.
#[derive(Clone, Copy)]
enum Side<'t> {
    /// In these ports.
    Ports(&'t [u16]),
    /// In user memory, one after the other: process and address.
    Block(u16, usize),
    /// Nowhere: it is only looked at what would be read for these ports.
    Nowhere(&'t [u16]),
}

/// From where to where a transfer goes.
struct Route<'t> {
    from: Side<'t>,
    to: Side<'t>,
}

impl<'a, H: Hardware> Core<'a, H> {
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

    fn route<'t>(&self, purpose: &'t Purpose) -> Route<'t>
    where
        'a: 't,
    {
        let (driver, port, user) = match purpose {
            Purpose::Copy(driver) | Purpose::Inputs(driver) | Purpose::Outputs(driver, _) => {
                (*driver, &NONE, (NONE, 0))
            }
            Purpose::Read(thread, port, address)
            | Purpose::Probe(thread, port, address)
            | Purpose::Write(thread, port, address) => {
                (NONE, port, (self.thread_entry(*thread).process, *address))
            }
        };
        let (reads, writes, block) = match self.driver_entry(driver) {
            Some(entry) => (
                Side::Ports(self.links(entry.reads)),
                Side::Ports(self.links(entry.writes)),
                Side::Block(entry.process, entry.block as usize),
            ),
            None => {
                let port = Side::Ports(core::slice::from_ref(port));
                (port, port, Side::Block(user.0, user.1))
            }
        };
        let (from, to) = match purpose {
            Purpose::Copy(_) => (reads, writes),
            Purpose::Inputs(_) | Purpose::Read(..) => (reads, block),
            Purpose::Outputs(..) | Purpose::Write(..) => (block, writes),
            Purpose::Probe(_, port, _) => (block, Side::Nowhere(core::slice::from_ref(port))),
        };
        Route { from, to }
    }

    /// Where the value lies that has this position on a side, and its bytes;
    /// `None` if there is none.
    fn place(&self, side: Side<'_>, transfer: &Transfer) -> Option<(Place, u16)> {
        let (Side::Ports(ports) | Side::Nowhere(ports)) = side else {
            let Side::Block(process, address) = side else {
                return None;
            };
            let address = address.wrapping_add(transfer.block as usize);
            return Some((Place::User(process, address), u16::MAX));
        };
        let port = self.port(*ports.get(transfer.index as usize)?);
        let place = match (side, port.process) {
            (Side::Nowhere(_), _) => Place::Nowhere,
            (_, NONE) => Place::Arena(port.place as usize),
            (_, process) => Place::User(process, port.place as usize),
        };
        Some((place, port.size))
    }

    /// Moves one piece. O([`CHUNK`]).
    fn move_piece(
        &mut self,
        route: &Route<'_>,
        transfer: &mut Transfer,
    ) -> Result<Moved, BadAddress> {
        let (Some((from, held)), Some((to, room))) = (
            self.place(route.from, transfer),
            self.place(route.to, transfer),
        ) else {
            return Ok(Moved::All);
        };
        let size = held.min(room);
        let length = size.saturating_sub(transfer.offset).min(CHUNK as u16);
        transfer.changed |= self.copy_piece(from, to, transfer.offset, length)?;
        transfer.offset = transfer.offset.saturating_add(length);
        if transfer.offset >= size {
            if let Side::Ports(ports) = route.to
                && let Some(port) = ports.get(transfer.index as usize)
            {
                self.finish_write(*port, transfer.changed, self.instant);
            }
            transfer.index = transfer.index.saturating_add(1);
            transfer.block = transfer
                .block
                .wrapping_add((size as u32).next_multiple_of(8));
            (transfer.offset, transfer.changed) = (0, false);
        }
        Ok(Moved::Piece)
    }

    /// Moves up to `pieces` pieces; what is left stays for later. `true` when
    /// the transfer has ended and its end has been carried out.
    pub(crate) fn run_transfer(&mut self, mut transfer: Transfer, pieces: u8) -> bool {
        let purpose = transfer.purpose;
        let route = self.route(&purpose);
        for _ in 0..pieces {
            match self.move_piece(&route, &mut transfer) {
                Ok(Moved::Piece) => {}
                Ok(Moved::All) => {
                    self.transfer = None;
                    self.end_transfer(purpose);
                    return true;
                }
                Err(BadAddress) => {
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

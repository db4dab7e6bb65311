//! Values of ports: where they lie and how they change.
//!
//! A port of a program lies in the kernel's arena, where no process can reach
//! it; a task's own copy lies in the task's block in its process. Values cross
//! by copy, in pieces of at most [`CHUNK`](crate::CHUNK) bytes.

use crate::core_state::Core;
use crate::hardware::{BadAddress, CHUNK, Hardware};
use giornata_abi::id::NONE;
use giornata_abi::system::PortEntry;
use giornata_abi::trace::TraceKind;
use giornata_abi::{Instant, ValueType};

/// What changes of a port.
#[derive(Clone, Copy, Debug)]
pub struct Port {
    /// Counts the writes that changed the value.
    pub(crate) version: u32,
}

impl Port {
    /// A port that has never changed.
    pub const EMPTY: Port = Port { version: 0 };
}

/// One piece of a value in transit.
pub(crate) type Piece = [u8; CHUNK];

/// A place that values are copied from or to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A port, by its index.
    Port(u16),
    /// User memory: process and address.
    User(u16, usize),
}

impl<H: Hardware> Core<'_, H> {
    /// The entry of a port; an empty one for an index that names none.
    pub(crate) fn port(&self, port: u16) -> PortEntry {
        self.system
            .ports
            .get(port as usize)
            .copied()
            .unwrap_or(PortEntry {
                process: NONE,
                size: 0,
                place: 0,
                value_type: 0,
                traced: 0,
                program: NONE,
            })
    }

    /// Reads `length` bytes at `offset` of a place into the front of a piece.
    pub(crate) fn read_piece(
        &mut self,
        place: Place,
        offset: u16,
        length: u16,
    ) -> Result<Piece, BadAddress> {
        let mut piece = [0; CHUNK];
        let Some(to) = piece.get_mut(..length as usize) else {
            return Err(BadAddress);
        };
        match self.resolve(place) {
            Resolved::Arena(start) => {
                let start = start as usize + offset as usize;
                let from = self
                    .arena
                    .get(start..start + length as usize)
                    .ok_or(BadAddress)?;
                to.copy_from_slice(from);
            }
            Resolved::User(process, address) => {
                self.hardware
                    .read(process, address.wrapping_add(offset as usize), to)?;
            }
        }
        Ok(piece)
    }

    /// Writes the front of a piece to `offset` of a place; answers whether the
    /// bytes of an arena port changed.
    pub(crate) fn write_piece(
        &mut self,
        place: Place,
        offset: u16,
        from: &[u8],
    ) -> Result<bool, BadAddress> {
        match self.resolve(place) {
            Resolved::Arena(start) => {
                let start = start as usize + offset as usize;
                let to = self
                    .arena
                    .get_mut(start..start + from.len())
                    .ok_or(BadAddress)?;
                let changed = to != from;
                to.copy_from_slice(from);
                Ok(changed)
            }
            Resolved::User(process, address) => {
                self.hardware
                    .write(process, address.wrapping_add(offset as usize), from)?;
                Ok(false)
            }
        }
    }

    fn resolve(&self, place: Place) -> Resolved {
        match place {
            Place::User(process, address) => Resolved::User(process, address),
            Place::Port(port) => {
                let entry = self.port(port);
                match entry.process {
                    NONE => Resolved::Arena(entry.place),
                    process => Resolved::User(process, entry.place as usize),
                }
            }
        }
    }

    /// After the last piece of a write: counts the change and traces the value.
    pub(crate) fn finish_write(&mut self, port: u16, changed: bool, instant: Instant) {
        let entry = self.port(port);
        if entry.process != NONE {
            return;
        }
        if changed {
            let version = &mut self.ports.at_mut(port).version;
            *version = version.wrapping_add(1);
        }
        if entry.traced == 0 || !self.traces(TraceKind::Port) {
            return;
        }
        let mut offset = 0;
        while offset < entry.size {
            let value =
                self.arena_word(entry.place as usize + offset as usize, entry.size - offset);
            self.trace(TraceKind::Port, port, offset as u32, instant.0, value);
            offset = offset.saturating_add(8);
        }
    }

    /// Up to 8 bytes of the arena, little-endian, zero-extended.
    fn arena_word(&self, start: usize, length: u16) -> u64 {
        let mut word = [0; 8];
        for (i, byte) in word.iter_mut().enumerate().take(length as usize) {
            *byte = self.arena.get(start + i).copied().unwrap_or(0);
        }
        u64::from_le_bytes(word)
    }

    /// The first 8 bytes of a program's port; 0 for a task's own copy.
    pub(crate) fn arena_value(&self, port: u16) -> u64 {
        let entry = self.port(port);
        if entry.process != NONE {
            return 0;
        }
        self.arena_word(entry.place as usize, entry.size)
    }

    /// Writes a scalar port of the kernel.
    pub(crate) fn write_scalar(&mut self, port: u16, value: u64, instant: Instant) {
        let size = self.port(port).size.min(8);
        let bytes = value.to_le_bytes();
        let Some(bytes) = bytes.get(..size as usize) else {
            return;
        };
        let changed = self
            .write_piece(Place::Port(port), 0, bytes)
            .unwrap_or(false);
        self.finish_write(port, changed, instant);
    }

    /// How the port's value compares.
    pub(crate) fn value_type(&self, port: u16) -> ValueType {
        ValueType::from_code(self.port(port).value_type).unwrap_or(ValueType::Opaque)
    }
}

enum Resolved {
    Arena(u32),
    User(u16, usize),
}

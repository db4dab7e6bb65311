//! Values of ports: where they lie and how they change.
//!
//! A port of a program lies in the kernel's arena, where no process can reach
//! it; a task's own copy lies in the task's block in its process. Values cross
//! by copy, in pieces of at most [`CHUNK`](crate::CHUNK) bytes.

use crate::core_state::Core;
use crate::hardware::{BadAddress, Hardware};
use giornata_abi::id::NONE;
use giornata_abi::system::PortEntry;
use giornata_abi::trace::{TraceKind, TraceRecord};
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

/// A place that values are copied from or to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The arena, by its offset.
    Arena(usize),
    /// User memory: process and address.
    User(u16, usize),
    /// Nowhere: what is to be copied is only read.
    Nowhere,
}

impl<'a, H: Hardware> Core<'a, H> {
    /// The entry of a port; an empty one for an index that names none.
    pub(crate) fn port(&self, port: u16) -> &'a PortEntry {
        self.system.ports.get(port as usize).unwrap_or(&NO_PORT)
    }

    /// Copies `length` bytes, at most 64, at `offset` of one place to the
    /// same offset of another; answers whether bytes of the arena changed.
    pub(crate) fn copy_piece(
        &mut self,
        from: Place,
        to: Place,
        offset: u16,
        length: u16,
    ) -> Result<bool, BadAddress> {
        let (offset, length) = (offset as usize, length as usize);
        match (from, to) {
            (Place::User(process, from), Place::Arena(to)) => {
                let from = from.wrapping_add(offset);
                let to = span(&mut *self.arena, to.wrapping_add(offset), length)?;
                self.hardware.read(process, from, to)
            }
            (Place::Arena(from), Place::User(process, to)) => {
                let bytes = span(&mut *self.arena, from.wrapping_add(offset), length)?;
                self.hardware.write(process, to.wrapping_add(offset), bytes)?;
                Ok(false)
            }
            (Place::Arena(from), Place::Arena(to)) => {
                let from = from.wrapping_add(offset);
                let piece = self.piece.get_mut(..length).ok_or(BadAddress)?;
                piece.copy_from_slice(span(&mut *self.arena, from, length)?);
                self.piece_to_arena(to.wrapping_add(offset), length)
            }
            (Place::User(process, from), to) => {
                let piece = self.piece.get_mut(..length).ok_or(BadAddress)?;
                self.hardware
                    .read(process, from.wrapping_add(offset), piece)?;
                if let Place::User(process, to) = to {
                    self.hardware
                        .write(process, to.wrapping_add(offset), piece)?;
                }
                Ok(false)
            }
            (_, Place::Nowhere) | (Place::Nowhere, _) => Ok(false),
        }
    }

    /// Writes the front of the piece in transit to the arena, if it differs.
    fn piece_to_arena(&mut self, to: usize, length: usize) -> Result<bool, BadAddress> {
        let piece = self.piece.get(..length).ok_or(BadAddress)?;
        let place = span(&mut *self.arena, to, length)?;
        let changed = place != piece;
        if changed {
            place.copy_from_slice(piece);
        }
        Ok(changed)
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
        if entry.traced != 0 && self.traces(TraceKind::Port) {
            self.trace_value(port, entry, instant);
        }
    }

    /// A record for each eight bytes of a port's value. O(bytes).
    fn trace_value(&mut self, port: u16, entry: &PortEntry, instant: Instant) {
        let mut record = TraceRecord {
            kind: TraceKind::Port as u8,
            hart: self.hart.id,
            subject: port,
            detail: 0,
            tick: self.hart.entered.0.wrapping_sub(self.origin.0),
            x: instant.0,
            y: 0,
        };
        let mut left = entry.size;
        while left > 0 {
            let place = entry.place.wrapping_add(record.detail) as usize;
            record.y = self.arena_word(place, left);
            self.hardware.trace(record);
            record.detail = record.detail.wrapping_add(8);
            left = left.saturating_sub(8);
        }
    }

    /// Up to 8 bytes of the arena, little-endian, zero-extended.
    fn arena_word(&self, start: usize, length: u16) -> u64 {
        let tail = self.arena.get(start..).unwrap_or(&[]);
        // a port is aligned and padded to 8 bytes, so a whole word is there
        let word = tail
            .first_chunk()
            .map_or(0, |bytes| u64::from_le_bytes(*bytes));
        match length {
            8.. => word,
            _ => word & !(u64::MAX << (8 * length as u32)),
        }
    }

    /// The first 8 bytes of a program's port; 0 for a task's own copy.
    pub(crate) fn arena_value(&self, port: u16) -> u64 {
        let entry = self.port(port);
        if entry.process != NONE {
            return 0;
        }
        self.arena_word(entry.place as usize, entry.size)
    }

    /// Writes a scalar: a port of the kernel, or a task's own copy.
    pub(crate) fn write_scalar(&mut self, port: u16, value: u64, instant: Instant) {
        let entry = self.port(port);
        let (place, size) = (entry.place as usize, entry.size.min(8) as usize);
        if let Some(piece) = self.piece.first_chunk_mut() {
            *piece = value.to_le_bytes();
        }
        let changed = match (entry.process, self.piece.get(..size)) {
            (NONE, _) => self.piece_to_arena(place, size),
            (process, Some(bytes)) => self.hardware.write(process, place, bytes).map(|()| false),
            (_, None) => Err(BadAddress),
        };
        self.finish_write(port, changed.unwrap_or(false), instant);
    }

    /// The first 8 bytes of a port of the kernel or of a task's own copy; 0
    /// where its process has hidden it.
    pub(crate) fn read_scalar(&mut self, port: u16) -> u64 {
        let entry = self.port(port);
        let mut word = [0; 8];
        match (entry.process, word.get_mut(..entry.size.min(8) as usize)) {
            (NONE, _) | (_, None) => self.arena_value(port),
            (process, Some(bytes)) => {
                let read = self.hardware.read(process, entry.place as usize, bytes);
                read.map_or(0, |_| u64::from_le_bytes(word))
            }
        }
    }

    /// How the port's value compares.
    pub(crate) fn value_type(&self, port: u16) -> ValueType {
        ValueType::from_code(self.port(port).value_type).unwrap_or(ValueType::Opaque)
    }
}

/// `length` bytes of the arena.
fn span(arena: &mut [u8], start: usize, length: usize) -> Result<&mut [u8], BadAddress> {
    let tail = arena.get_mut(start..).ok_or(BadAddress)?;
    tail.get_mut(..length).ok_or(BadAddress)
}

static NO_PORT: PortEntry = PortEntry {
    process: NONE,
    size: 0,
    place: 0,
    value_type: 0,
    traced: 0,
    task: NONE,
};

//! Values of ports: where they lie and how they change.
//!
//! A port of a program lies in the kernel's arena, where no process can reach
//! it; a task's own copy lies in the task's block in its process. Values cross
//! by copy, in pieces of at most [`CHUNK`](crate::CHUNK) bytes.

use crate::core_state::Core;
use crate::hardware::{BadAddress, Hardware};
use giornata_abi::id::NONE;
use giornata_abi::system::{MoveEntry, NOWHERE, PortEntry};
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

impl<'a, H: Hardware> Core<'a, H> {
    /// The entry of a port; an empty one for an index that names none.
    pub(crate) fn port(&self, port: u16) -> &'a PortEntry {
        self.system.ports.get(port as usize).unwrap_or(&NO_PORT)
    }

    /// Moves `length` bytes (at most [`CHUNK`]) at `offset` of a value; answers
    /// whether bytes of the arena changed.
    pub(crate) fn move_piece(
        &mut self,
        step: &MoveEntry,
        offset: u16,
        length: u16,
    ) -> Result<bool, BadAddress> {
        let (offset, length) = (offset as usize, length as usize);
        let from = (step.from as usize).wrapping_add(offset);
        let to = (step.to as usize).wrapping_add(offset);
        match (step.source, step.sink) {
            (NONE, NONE) => self.within_arena(from / 8, to / 8, length),
            (NONE, process) => {
                let words = self.arena.get(from / 8..).ok_or(BadAddress)?;
                self.hardware.write(process, to, words, length)?;
                Ok(false)
            }
            (process, NONE) => {
                let words = self.arena.get_mut(to / 8..).ok_or(BadAddress)?;
                self.hardware.read(process, from, words, length)
            }
            (process, sink) => self.between_processes(process, from, sink, to, length),
        }
    }

    /// Moves words inside the arena; answers whether they changed anything.
    fn within_arena(&mut self, from: usize, to: usize, length: usize) -> Result<bool, BadAddress> {
        let mut changed = false;
        for (index, before) in (0..length).step_by(8).enumerate() {
            let word = self.arena.get(from.wrapping_add(index)).copied();
            let word = masked(word.ok_or(BadAddress)?, length.wrapping_sub(before) as u16);
            let place = self.arena.get_mut(to.wrapping_add(index));
            let place = place.ok_or(BadAddress)?;
            changed |= *place != word;
            *place = word;
        }
        Ok(changed)
    }

    #[inline(never)]
    fn between_processes(
        &mut self,
        source: u16,
        from: usize,
        sink: u16,
        to: usize,
        length: usize,
    ) -> Result<bool, BadAddress> {
        self.hardware.read(source, from, &mut self.piece, length)?;
        if sink != NOWHERE {
            self.hardware.write(sink, to, &self.piece, length)?;
        }
        Ok(false)
    }

    /// After the last piece of a write to a port of the kernel: counts the
    /// change and traces the value. O(bytes).
    pub(crate) fn finish_write(&mut self, step: &MoveEntry, changed: bool) {
        if changed {
            let version = &mut self.ports.at_mut(step.port).version;
            *version = version.wrapping_add(1);
        }
        if step.traced == 0 || !self.traces(TraceKind::Port) {
            return;
        }
        let record = TraceRecord {
            kind: TraceKind::Port as u8,
            hart: self.hart.id,
            subject: step.port,
            detail: 0,
            tick: self.hart.entered.0.wrapping_sub(self.origin.0),
            x: self.instant.0,
            y: 0,
        };
        let start = step.to as usize / 8;
        let words = step.size.div_ceil(8) as usize;
        if let Some(value) = self.arena.get(start..start.wrapping_add(words)) {
            self.hardware.trace_value(record, value);
        }
    }

    /// A word of the arena. What a port does not fill of its last word is zero.
    fn arena_word(&self, place: u32) -> u64 {
        self.arena.get(place as usize / 8).copied().unwrap_or(0)
    }

    /// The first 8 bytes of a program's port; 0 for a task's own copy.
    pub(crate) fn arena_value(&self, port: u16) -> u64 {
        let entry = self.port(port);
        if entry.process != NONE {
            return 0;
        }
        self.arena_word(entry.place)
    }

    /// Writes a scalar to where a move leads.
    pub(crate) fn store_scalar(&mut self, step: &MoveEntry, value: u64) {
        let (to, size) = (step.to as usize, step.size.min(8));
        let value = masked(value, size);
        if step.sink != NONE {
            // a process that has hidden its own block hears nothing
            let _ = self.hardware.write(step.sink, to, &[value], size as usize);
            return;
        }
        if let Some(word) = self.arena.get_mut(to / 8) {
            let changed = core::mem::replace(word, value) != value;
            self.finish_write(step, changed);
        }
    }

    /// Writes a scalar port of the kernel.
    pub(crate) fn write_scalar(&mut self, port: u16, value: u64, instant: Instant) {
        let step = MoveEntry::output(NONE, 0, self.port(port), port);
        self.instant = instant;
        self.store_scalar(&step, value);
    }

    /// The first 8 bytes of what a move reads; 0 where its process has hidden it.
    pub(crate) fn load_scalar(&mut self, step: &MoveEntry) -> u64 {
        let size = step.size.min(8);
        if step.source == NONE {
            return self.arena_word(step.from);
        }
        let mut word = [0];
        let read = self
            .hardware
            .read(step.source, step.from as usize, &mut word, size as usize);
        let [value] = word;
        read.map_or(0, |_| value)
    }

    /// How the port's value compares.
    pub(crate) fn value_type(&self, port: u16) -> ValueType {
        ValueType::from_code(self.port(port).value_type).unwrap_or(ValueType::Opaque)
    }
}

/// The low `length` bytes of a word.
pub(crate) fn masked(word: u64, length: u16) -> u64 {
    match length {
        8.. => word,
        _ => word & !(u64::MAX << (8 * length as u32)),
    }
}

static NO_PORT: PortEntry = PortEntry {
    process: NONE,
    size: 0,
    place: 0,
    value_type: 0,
    traced: 0,
    task: NONE,
};

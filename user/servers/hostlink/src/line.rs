//! The line: bytes in and out, and what waits on this side of it.

use giornata_hostlink_wire::Message;
use giornata_hostlink_wire::frame::{self, MAX};

/// A line that never blocks.
pub trait Line {
    /// Takes bytes that have come to the front of `into`; answers how many.
    fn read(&mut self, into: &mut [u8]) -> usize;
    /// Sends bytes from the front of `bytes`; answers how many it took.
    fn write(&mut self, bytes: &[u8]) -> usize;
}

/// Bytes that have come and have not been looked at.
pub(crate) struct Inbox {
    bytes: [u8; 64],
    next: usize,
    end: usize,
}

impl Inbox {
    pub(crate) const fn new() -> Inbox {
        Inbox {
            bytes: [0; 64],
            next: 0,
            end: 0,
        }
    }

    /// The next byte of the line.
    pub(crate) fn next(&mut self, line: &mut impl Line) -> Option<u8> {
        if self.next >= self.end {
            self.next = 0;
            self.end = line.read(&mut self.bytes).min(self.bytes.len());
        }
        let byte = self.bytes.get(..self.end)?.get(self.next).copied()?;
        self.next += 1;
        Some(byte)
    }
}

/// Frames that the line has not taken yet.
pub(crate) struct Outbox {
    bytes: [u8; 4 * MAX],
    next: usize,
    end: usize,
}

impl Outbox {
    pub(crate) const fn new() -> Outbox {
        Outbox {
            bytes: [0; 4 * MAX],
            next: 0,
            end: 0,
        }
    }

    /// Whether so many more frames fit, of any length.
    pub(crate) fn has_room(&mut self, frames: usize) -> bool {
        if self.next > 0 {
            self.bytes.copy_within(self.next..self.end, 0);
            self.end -= self.next;
            self.next = 0;
        }
        self.bytes.len() - self.end >= frames * MAX
    }

    /// Adds the frame of a message, for which there is room.
    pub(crate) fn put(&mut self, message: &Message<'_>) {
        let mut bytes = [0; MAX];
        // All that this server says fits a frame, as a test of `wire` shows.
        let length = frame::encode(message, &mut bytes).unwrap_or(0);
        let frame = bytes.get(..length).unwrap_or(&[]);
        if let Some(place) = self.bytes.get_mut(self.end..self.end + length) {
            place.copy_from_slice(frame);
            self.end += length;
        }
    }

    /// Hands the line what it takes; whether it took any.
    pub(crate) fn flush(&mut self, line: &mut impl Line) -> bool {
        let waiting = self.bytes.get(self.next..self.end).unwrap_or(&[]);
        if waiting.is_empty() {
            return false;
        }
        let taken = line.write(waiting).min(waiting.len());
        self.next += taken;
        taken > 0
    }
}

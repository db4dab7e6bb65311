//! The line and the server's buffers for received bytes and for frames to send.

use giornata_hostlink_wire::Message;
use giornata_hostlink_wire::frame::{self, MAX};

/// A serial line whose operations never block.
pub trait Line {
    /// Copies received bytes to the front of `into` and returns their number.
    fn read(&mut self, into: &mut [u8]) -> usize;
    /// Accepts bytes from the front of `bytes` to send, and returns their number.
    fn write(&mut self, bytes: &[u8]) -> usize;
}

/// Received bytes that have not been processed yet.
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

    /// The next received byte, if there is one.
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

/// Frames that the line has not accepted yet.
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

    /// Whether this many more frames fit, whatever their lengths.
    pub(crate) fn has_room(&mut self, frames: usize) -> bool {
        if self.next > 0 {
            self.bytes.copy_within(self.next..self.end, 0);
            self.end -= self.next;
            self.next = 0;
        }
        self.bytes.len() - self.end >= frames * MAX
    }

    /// Adds the frame of a message; the caller has checked that there is room.
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

    /// Passes waiting bytes to the line; returns whether it accepted any.
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

//! The upload of a module file into the memory of the server.

use giornata_abi::{Duration, Instant};
use giornata_hostlink_wire::{CHUNK, Code};

use crate::place::Place;
use crate::words::{Refused, refuse};

/// The current upload. Bytes that do not arrive in the order of their offsets are
/// refused, and the upload stays unchanged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Upload {
    /// Index of its place.
    pub(crate) place: usize,
    pub(crate) ticket: u32,
    /// The announced size in bytes.
    pub(crate) length: usize,
    /// Number of bytes received so far.
    received: usize,
    /// For a patch, the tag of the module that it is based on.
    base: Option<u32>,
    /// When it last made progress.
    touched: Instant,
}

impl Upload {
    /// Begins an upload. `place` has the index `index` and no pending change.
    pub(crate) fn begin(
        index: usize,
        place: &mut Place<'_>,
        length: u32,
        base: Option<u32>,
        now: Instant,
    ) -> Result<Upload, Refused> {
        let (length, room) = (length as usize, place.room());
        if length == 0 || length > room {
            return Err(refuse(
                Code::Length,
                format_args!(
                    "a module of {length} bytes has no place; this server takes up to {room} bytes"
                ),
            ));
        }
        let upload = Upload {
            place: index,
            ticket: 0,
            length,
            received: 0,
            base,
            touched: now,
        };
        upload.check_base(place)?;
        // What is held lies where the upload goes.
        place.coming = None;
        Ok(upload)
    }

    /// Whether it has made no progress for longer than `patience`.
    pub(crate) fn is_over(&self, now: Instant, patience: Duration) -> bool {
        now.0.saturating_sub(self.touched.0) > patience.0
    }

    /// Checks that all bytes have been received.
    pub(crate) fn check_whole(&self) -> Result<(), Refused> {
        if self.received == self.length {
            return Ok(());
        }
        Err(refuse(
            Code::Incomplete,
            format_args!(
                "{} of {} bytes have come; send the rest",
                self.received, self.length
            ),
        ))
    }

    /// Appends the next bytes.
    pub(crate) fn append(
        &mut self,
        place: &mut Place<'_>,
        offset: u32,
        bytes: &[u8],
        now: Instant,
    ) -> Result<(), Refused> {
        if bytes.is_empty() || bytes.len() > CHUNK {
            return Err(refuse(
                Code::Length,
                format_args!("a piece has 1 to {CHUNK} bytes"),
            ));
        }
        let end = self.end_of(offset, bytes.len())?;
        let spare = place.spare();
        let buffer = place.buffers.get_mut(spare);
        let target = buffer.and_then(|buffer| buffer.get_mut(self.received..end));
        let Some(target) = target else {
            return Err(refuse(
                Code::Length,
                format_args!("there is no room for it"),
            ));
        };
        target.copy_from_slice(bytes);
        (self.received, self.touched) = (end, now);
        Ok(())
    }

    /// Appends bytes of the running module.
    pub(crate) fn copy(
        &mut self,
        place: &mut Place<'_>,
        offset: u32,
        [from, length]: [u32; 2],
        now: Instant,
    ) -> Result<(), Refused> {
        if self.base.is_none() {
            return Err(refuse(
                Code::Base,
                format_args!("this is no patch; name the module that it is one of in Begin"),
            ));
        }
        self.check_base(place)?;
        let end = self.end_of(offset, length as usize)?;
        let copied = place.copy(from as usize, self.received, length as usize);
        if copied.is_none() {
            return Err(refuse(
                Code::Offset,
                format_args!(
                    "bytes {from} to {from} + {length} are not in the module that runs; make the patch anew"
                ),
            ));
        }
        (self.received, self.touched) = (end, now);
        Ok(())
    }

    /// Checks that a patch is based on the running module, and that the server has its
    /// bytes.
    fn check_base(&self, place: &Place<'_>) -> Result<(), Refused> {
        let Some(base) = self.base else { return Ok(()) };
        let running = place.running;
        if running.bytes == crate::place::Bytes::Nowhere {
            return Err(refuse(
                Code::Base,
                format_args!("this server does not have the module that runs; load a whole one"),
            ));
        }
        if base != running.tag {
            return Err(refuse(
                Code::Base,
                format_args!(
                    "the patch is one of module {base:08x}, and {:08x} runs; make it anew",
                    running.tag
                ),
            ));
        }
        Ok(())
    }

    /// The end of a piece, which must be the next one.
    fn end_of(&self, offset: u32, length: usize) -> Result<usize, Refused> {
        if offset as usize != self.received {
            return Err(refuse(
                Code::Offset,
                format_args!(
                    "a piece for byte {offset} came where byte {} is the next; send that one",
                    self.received
                ),
            ));
        }
        match self.received.checked_add(length) {
            Some(end) if end <= self.length => Ok(end),
            _ => Err(refuse(
                Code::Length,
                format_args!("more than the {} bytes that were announced", self.length),
            )),
        }
    }
}

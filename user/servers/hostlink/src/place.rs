//! The place of one program: the running module and its possible replacement.
//!
//! ```text
//!   interface (read-only)    buffer 0    buffer 1
//!        ^                      ^            ^
//!      runs after boot        runs        uploaded, held or requested module
//! ```
//!
//! The Buffer Invariant: an upload is never written to the buffer that holds the
//! running module; while a change is pending, the other buffer is not written
//! either.

use giornata_abi::Error;
use giornata_abi::load::{Frame, state};
use giornata_abi::module::{Module, ModuleError};
use giornata_hostlink_wire::{Code, NAME};
use giornata_microcode::interface::Limits;
use giornata_rt::call::ProgramStatus;

use crate::facts::Facts;
use crate::programs::Programs;
use crate::words::{Refused, refuse, refuse_by_kernel};

/// A replaceable program.
pub struct Place<'a> {
    pub(crate) name: &'a str,
    pub(crate) program: u16,
    pub(crate) interface: Module<'a>,
    /// The file of the interface.
    file: &'a [u8],
    pub(crate) limits: Limits,
    pub(crate) buffers: [&'a mut [u8]; 2],
    pub(crate) running: Running,
    pub(crate) coming: Option<Coming>,
}

/// Where the bytes of a module are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bytes {
    /// Nowhere: the program is empty, or was changed before this server started.
    Nowhere,
    Interface,
    /// In the buffer of this index, with this length.
    Buffer(usize, usize),
}

/// The running module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Running {
    pub(crate) bytes: Bytes,
    pub(crate) tag: u32,
    pub(crate) facts: Option<Facts>,
}

/// A module that is held or requested, or a request to empty the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coming {
    pub(crate) bytes: Bytes,
    pub(crate) frame: Frame,
    pub(crate) facts: Option<Facts>,
    /// The kernel's count of changes when this one was requested; `None`: it is held.
    pub(crate) asked: Option<u32>,
}

impl Coming {
    /// An empty program.
    pub(crate) const NOTHING: Coming = Coming {
        bytes: Bytes::Nowhere,
        frame: Frame::EMPTY,
        facts: None,
        asked: None,
    };
}

impl<'a> Place<'a> {
    /// The place of the program with index `program`. `file` is the module file of its
    /// interface; each of `buffers` is as long as the largest module file.
    ///
    /// # Errors
    /// The interface is not a valid module.
    pub fn new(
        name: &'a str,
        program: u16,
        file: &'a [u8],
        limits: Limits,
        buffers: [&'a mut [u8]; 2],
    ) -> Result<Place<'a>, ModuleError> {
        let interface = Module::parse(file)?;
        let name = name.get(..name.floor_char_boundary(NAME)).unwrap_or("");
        Ok(Place {
            name,
            program,
            interface,
            file,
            limits,
            buffers,
            running: Running {
                bytes: Bytes::Interface,
                tag: interface.header().crc,
                facts: Some(Facts::of_interface(&interface)),
            },
            coming: None,
        })
    }

    /// Queries the program's status from the kernel, and notes a change that has
    /// happened.
    pub(crate) fn refresh(&mut self, programs: &mut impl Programs) -> Result<ProgramStatus, Error> {
        let status = programs.status(self.program)?;
        let is_over = status.state & state::PENDING == 0;
        // The count is that of all programs.
        if let Some(coming) = self.coming
            && coming.asked.is_some_and(|before| before != status.changes)
            && is_over
            && status.tag == coming.frame.tag
        {
            self.running = Running {
                bytes: coming.bytes,
                tag: coming.frame.tag,
                facts: coming.facts,
            };
            self.coming = None;
        }
        let is_loaded = status.state & state::LOADED != 0;
        if !is_loaded || status.tag != self.running.tag {
            self.running = Running {
                bytes: Bytes::Nowhere,
                tag: status.tag,
                facts: None,
            };
        }
        Ok(status)
    }

    /// The same, for a request that must not run while a change is pending.
    pub(crate) fn settle(
        &mut self,
        programs: &mut impl Programs,
    ) -> Result<ProgramStatus, Refused> {
        let status = self.refresh(programs);
        let status = status.map_err(|error| refuse_by_kernel("look at the program", error))?;
        let is_busy = status.state & state::PENDING != 0;
        let is_asked = self.coming.is_some_and(|coming| coming.asked.is_some());
        if is_busy || is_asked {
            return Err(refuse(
                Code::Busy,
                format_args!(
                    "a change of `{}` is under way; try again in a moment, or withdraw it",
                    self.name
                ),
            ));
        }
        Ok(status)
    }

    /// The module file at that location.
    pub(crate) fn bytes(&self, place: Bytes) -> Option<&[u8]> {
        match place {
            Bytes::Nowhere => None,
            Bytes::Interface => Some(self.file),
            Bytes::Buffer(index, length) => self.buffers.get(index)?.get(..length),
        }
    }

    /// The index of the buffer for uploads.
    pub(crate) fn spare(&self) -> usize {
        match self.running.bytes {
            Bytes::Buffer(0, _) => 1,
            _ => 0,
        }
    }

    /// Largest size of a module file, in bytes.
    pub(crate) fn room(&self) -> usize {
        let [first, second] = &self.buffers;
        first.len().min(second.len())
    }

    /// Copies bytes of the running module to the spare buffer; `None` if a range is
    /// out of bounds.
    pub(crate) fn copy(&mut self, from: usize, to: usize, length: usize) -> Option<()> {
        let (running, spare) = (self.running.bytes, self.spare());
        let [first, second] = &mut self.buffers;
        let (spare, other) = match spare {
            0 => (first, second),
            _ => (second, first),
        };
        let source = match running {
            Bytes::Nowhere => return None,
            Bytes::Interface => self.file,
            Bytes::Buffer(_, length) => other.get(..length)?,
        };
        let source = source.get(from..from.checked_add(length)?)?;
        let target = spare.get_mut(to..to.checked_add(length)?)?;
        target.copy_from_slice(source);
        Some(())
    }
}

//! The place of one program: what runs there, and what may come.
//!
//! ```text
//!   interface (read-only)    buffer 0    buffer 1
//!        ^                      ^            ^
//!      runs after boot        runs        upload, or what is held or asked for
//! ```
//!
//! The Buffer Invariant: the buffer that holds the bytes of what runs is never
//! the one that an upload is written to; while a change is asked for, nothing
//! is written to the other one either.

use giornata_abi::Error;
use giornata_abi::load::{Frame, state};
use giornata_abi::module::{Module, ModuleError};
use giornata_hostlink_wire::{Code, NAME};
use giornata_microcode::interface::Limits;
use giornata_rt::call::ProgramStatus;

use crate::facts::Facts;
use crate::programs::Programs;
use crate::words::{Refused, refuse, refuse_by_kernel};

/// A program that may be replaced.
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

/// Where the bytes of a module lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bytes {
    /// Nowhere: the program is empty, or was changed before this server began.
    Nowhere,
    Interface,
    /// In a buffer, so many of them.
    Buffer(usize, usize),
}

/// What runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Running {
    pub(crate) bytes: Bytes,
    pub(crate) tag: u32,
    pub(crate) facts: Option<Facts>,
}

/// What has been staged, or is an emptying.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coming {
    pub(crate) bytes: Bytes,
    pub(crate) frame: Frame,
    pub(crate) facts: Option<Facts>,
    /// How many changes there had been when this was asked for; `None`: it is held.
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
    /// The place of the program of this index. `file` is that of its interface;
    /// each of `buffers` is as long as a module file may become.
    ///
    /// # Errors
    /// The interface is no module.
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

    /// Asks the kernel how the program stands, and learns of a change that has
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

    /// The same, for a request that needs the place at rest.
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

    /// The module file that lies there.
    pub(crate) fn bytes(&self, place: Bytes) -> Option<&[u8]> {
        match place {
            Bytes::Nowhere => None,
            Bytes::Interface => Some(self.file),
            Bytes::Buffer(index, length) => self.buffers.get(index)?.get(..length),
        }
    }

    /// The buffer that uploads go to.
    pub(crate) fn spare(&self) -> usize {
        match self.running.bytes {
            Bytes::Buffer(0, _) => 1,
            _ => 0,
        }
    }

    /// Most bytes of a module file.
    pub(crate) fn room(&self) -> usize {
        let [first, second] = &self.buffers;
        first.len().min(second.len())
    }

    /// Copies bytes of what runs to the spare buffer; `None` if either lies
    /// outside.
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

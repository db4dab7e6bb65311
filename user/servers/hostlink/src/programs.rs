//! The programs of the machine, as the kernel lets their loader handle them.

use giornata_abi::load::{Frame, How, Section};
use giornata_abi::{Error, Instant};
use giornata_rt::call::{self, ProgramStatus};
use giornata_rt::{clock, machine, time};

/// What the server asks of the kernel. Programs are named by their index.
pub trait Programs {
    /// The clock.
    fn clock(&mut self) -> Instant;
    /// Ticks a second of the timer in which the kernel counts durations.
    fn hertz(&mut self) -> u32;
    /// Writes whole records, at most [`MOST`](giornata_abi::load::MOST) bytes, into the
    /// spare room.
    fn stage(
        &mut self,
        program: u16,
        section: Section,
        place: usize,
        records: &[u8],
    ) -> Result<(), Error>;
    /// Asks for what has been staged to take the program's place.
    fn switch(&mut self, program: u16, frame: &Frame, how: How) -> Result<(), Error>;
    /// How the program stands.
    fn status(&mut self, program: u16) -> Result<ProgramStatus, Error>;
    /// Stops the machine; comes back only if it is refused.
    fn shutdown(&mut self, status: u8) -> Error;
}

/// The kernel below this process.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    earliest: Instant,
}

impl Kernel {
    /// Changes happen as soon as they are safe.
    pub const fn at_once() -> Kernel {
        Kernel::not_before(Instant(0))
    }

    /// Changes happen when they are safe, and not before an instant: where it
    /// lies late enough, it does not matter how fast the board is.
    pub const fn not_before(earliest: Instant) -> Kernel {
        Kernel { earliest }
    }
}

impl Programs for Kernel {
    fn clock(&mut self) -> Instant {
        time::now()
    }

    fn hertz(&mut self) -> u32 {
        clock::hertz()
    }

    fn stage(
        &mut self,
        program: u16,
        section: Section,
        place: usize,
        records: &[u8],
    ) -> Result<(), Error> {
        call::stage_program(program, section, place, records)
    }

    fn switch(&mut self, program: u16, frame: &Frame, how: How) -> Result<(), Error> {
        call::switch_program(program, frame, how, self.earliest)
    }

    fn status(&mut self, program: u16) -> Result<ProgramStatus, Error> {
        call::program_status(program)
    }

    fn shutdown(&mut self, status: u8) -> Error {
        machine::shutdown(status)
    }
}

//! The kernel's interface for replacing programs.

use giornata_abi::load::{Frame, How, Section};
use giornata_abi::{Error, Instant};
use giornata_rt::call::{self, ProgramStatus};
use giornata_rt::{clock, machine, time};

/// The kernel's services for the server. Programs are identified by their index.
pub trait Programs {
    /// The current time.
    fn clock(&mut self) -> Instant;
    /// The frequency in Hz of the timer with which the kernel measures durations.
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
    /// Requests that the staged module replace the program.
    fn switch(&mut self, program: u16, frame: &Frame, how: How) -> Result<(), Error>;
    /// The status of the program.
    fn status(&mut self, program: u16) -> Result<ProgramStatus, Error>;
    /// Stops the machine; returns only if the call is refused.
    fn shutdown(&mut self, status: u8) -> Error;
}

/// The kernel that runs this process.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    earliest: Instant,
}

impl Kernel {
    /// Changes take effect as soon as they are safe.
    pub const fn at_once() -> Kernel {
        Kernel::not_before(Instant(0))
    }

    /// Changes take effect when they are safe, but not before `earliest`. If that is
    /// late enough, the instant does not depend on the speed of the board.
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

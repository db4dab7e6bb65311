//! Processes that this one supervises: it starts them, ends them, and is notified when
//! they end. Which they are is in the system file; others get `EPERM`.

use crate::call;
use giornata_abi::trace::FaultCause;
use giornata_abi::{Error, Instant};

/// Bit of how a process ended: it was started anew.
const RESTARTED: usize = 1 << 16;

/// A process, by its number in the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process(u16);

/// What became of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Which.
    pub process: Process,
    /// How often it has begun anew so far.
    pub generation: u16,
    /// Why it ended.
    pub cause: Option<FaultCause>,
    /// It lives again, as the system file wants it.
    pub is_restarted: bool,
}

impl Process {
    /// The process of this number.
    pub const fn new(index: u16) -> Process {
        Process(index)
    }

    /// Its number.
    pub const fn index(self) -> u16 {
        self.0
    }

    /// Starts the process from its image; it is restored as urgently as the caller.
    /// (EMERALDS 4, `create_proc`.) Does not block.
    ///
    /// `EEXIST`: it lives. `EBUSY`: it is being torn down or restored.
    pub fn start(self) -> Result<(), Error> {
        call::create_process(self.0)
    }

    /// Ends the process: what it held is given back, and the system file says
    /// whether it begins anew. Does not block; it is torn down as urgently as the
    /// caller.
    ///
    /// `ESRCH`: it does not live.
    pub fn kill(self) -> Result<(), Error> {
        call::kill_process(self.0)
    }
}

/// Waits for the next process that ended; what came before the call counts.
///
/// `ETIMEDOUT`; at [`Instant::START`] it does not block: `EAGAIN`. `EBUSY`: another
/// thread waits. `EPERM`: this process supervises none. O(processes).
pub fn await_end(until: Instant) -> Result<End, Error> {
    let [process, generation, how] = call::await_process(until)?;
    let causes = FaultCause::ALL.into_iter();
    Ok(End {
        process: Process(process as u16),
        generation: generation as u16,
        cause: causes.into_iter().find(|c| *c as usize == how & 0xFFFF),
        is_restarted: how & RESTARTED != 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use giornata_abi::call::{Answer, Call};

    #[test]
    fn an_end_is_told_with_its_cause() {
        crate::host::set_hook(|request| {
            assert_eq!(request.number, Call::AwaitProcess as usize);
            Answer::words([3, 7, FaultCause::Store as usize | RESTARTED])
        });
        let end = await_end(Instant::NEVER).unwrap();
        crate::host::clear_hook();
        let expected = End {
            process: Process::new(3),
            generation: 7,
            cause: Some(FaultCause::Store),
            is_restarted: true,
        };
        assert_eq!(end, expected);
    }
}

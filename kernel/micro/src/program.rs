//! What the machine keeps for each program, and how a linked program's local
//! indices become the system's.

use giornata_abi::id::NONE;
use giornata_abi::system::Range;

/// State of one program.
#[derive(Clone, Copy, Debug)]
pub struct ProgramState {
    /// The instant (by its serial number) that `steps` belongs to.
    instant: u32,
    steps: u32,
    /// Its instances in the thread set.
    pub(crate) threads: u16,
    /// What the host was told last.
    pub(crate) governed: bool,
    /// It went beyond its step bound in this instant, and its handler got a fresh one.
    exceeded: bool,
}

impl ProgramState {
    /// Nothing queued, nothing run.
    pub const EMPTY: ProgramState = ProgramState {
        instant: 0,
        steps: 0,
        threads: 0,
        governed: false,
        exceeded: false,
    };

    /// Counts one step in the instant; whether it is within `bound`.
    pub(crate) fn count_step(&mut self, instant: u32, bound: u32) -> bool {
        if self.instant != instant {
            *self = ProgramState {
                instant,
                steps: 0,
                exceeded: false,
                ..*self
            };
        }
        self.steps = self.steps.saturating_add(1);
        self.steps <= bound
    }

    /// Grants one more bound of steps, once an instant, so that a handler can
    /// run; whether it did.
    pub(crate) fn grant_again(&mut self) -> bool {
        let granted = !self.exceeded;
        if granted {
            self.exceeded = true;
            self.steps = 0;
        }
        granted
    }
}

/// The system-wide index behind a local one; NONE if there is none. O(1).
pub(crate) fn resolve(links: &[u16], range: Range, local: u16) -> u16 {
    range.of(links).get(local as usize).copied().unwrap_or(NONE)
}

/// The local index of a system-wide one; NONE if the program does not have it. O(size).
pub(crate) fn locate(links: &[u16], range: Range, global: Option<u16>) -> u16 {
    let position = global.and_then(|g| range.of(links).iter().position(|l| *l == g));
    position.map_or(NONE, |p| p as u16)
}

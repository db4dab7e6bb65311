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

    /// The steps within `bound` that it has left in the instant.
    pub(crate) fn steps_left(&mut self, instant: u32, bound: u32) -> u32 {
        if self.instant != instant {
            self.instant = instant;
            self.steps = 0;
            self.exceeded = false;
        }
        bound.saturating_sub(self.steps)
    }

    /// Counts steps of those that were left.
    pub(crate) fn count_steps(&mut self, steps: u32) {
        self.steps = self.steps.saturating_add(steps);
    }

    /// Other code has the whole bound.
    pub(crate) fn forget_steps(&mut self) {
        (self.steps, self.exceeded) = (0, false);
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
    pick(links, range, local).copied().unwrap_or(NONE)
}

/// The entry of a pool that a program's local index names. O(1).
#[inline(always)]
pub(crate) fn pick<T>(pool: &[T], range: Range, local: u16) -> Option<&T> {
    if local < range.count {
        pool.get(range.start as usize + local as usize)
    } else {
        None
    }
}

/// The local index of a system-wide one; NONE if the program does not have it. O(size).
pub(crate) fn locate(links: &[u16], range: Range, global: u16) -> u16 {
    let position = range.of(links).iter().position(|l| *l == global);
    position.map_or(NONE, |p| p as u16)
}

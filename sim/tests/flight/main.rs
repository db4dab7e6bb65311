//! The example flight-control in the simulator, with its real task functions.

mod determinism;
mod overload;
mod system;
mod windows;

use giornata_sim::{Scheduler, Tables};
use system::Flight;

impl Flight {
    /// The same system under another scheduler.
    pub(crate) fn scheduled(&self, scheduler: Scheduler) -> Tables {
        let mut tables = self.tables.clone();
        scheduler.apply(&mut tables);
        tables
    }

    /// The index of a task's thread.
    pub(crate) fn task(&self, name: &str) -> u16 {
        let found = self
            .model
            .threads
            .iter()
            .position(|thread| thread.function == name);
        found.expect("a task of this name") as u16
    }
}

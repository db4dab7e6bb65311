//! The example flight-control in the simulator, with its real task functions.

mod determinism;
mod overload;
mod system;
mod windows;

use giornata_records::Description;
use giornata_sim::{Scheduler, describe};
use system::Flight;

impl Flight {
    /// The same system under another scheduler.
    pub(crate) fn scheduled(&self, scheduler: Scheduler) -> Description {
        let mut model = self.model.clone();
        scheduler.apply(&mut model);
        describe(&model).expect("the system fits its records")
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

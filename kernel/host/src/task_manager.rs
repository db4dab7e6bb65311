//! The model of the task manager as the kernel of this thread drives it.

use giornata_manager::{Device, install};
use giornata_records::Description;
use giornata_rtm::{Model, Parameters};

/// Gives a system a task manager as after a reset, and the records for it. Some have more
/// threads and alarms than that has records.
pub(crate) fn give(description: &Description) -> Description {
    let records = [16, 64, 256][description.threads.len() % 3];
    let parameters = Parameters::EXTENDED.with_records(records);
    install(Box::new(Registers(Model::new(parameters))));
    Description {
        task_records: records.into(),
        ..description.clone()
    }
}

struct Registers(Model);

impl Device for Registers {
    fn read(&mut self, at: u16) -> u32 {
        self.0.read(at)
    }

    fn write(&mut self, at: u16, value: u32) {
        self.0.write(at, 0xF, value);
    }
}

//! The model of the task manager as the kernel of this thread drives it.

use giornata_manager::{Device, install};
use giornata_records::Description;
use giornata_rtm::{Model, Parameters, Sense, register};

/// Gives a system a task manager as after a reset, and the records for it. Some have more
/// threads and alarms than that has records.
pub(crate) fn give(description: &Description) -> Description {
    let records = [16, 64, 256][description.threads.len() % 3];
    let parameters = Parameters {
        records,
        delay_cells: records,
        ..Parameters::EXTENDED
    };
    install(Box::new(Registers {
        model: Model::new(parameters),
        records: records.into(),
    }));
    Description {
        task_records: records.into(),
        ..description.clone()
    }
}

struct Registers {
    model: Model,
    records: usize,
}

/// The number of a record or an event, if an address lies in a block of them.
fn index(at: usize, block: u16, bytes: usize, count: usize) -> Option<u16> {
    let number = at.checked_sub(block.into())? / bytes;
    (number < count).then_some(number as u16)
}

impl Device for Registers {
    fn read(&mut self, at: usize) -> u32 {
        if at == register::TOP.into() {
            return self.model.first(Sense::Ready);
        }
        if at == register::NEXT.into() {
            return self.model.take_next();
        }
        match index(at, register::WAITER, 4, 256) {
            Some(event) => self.model.first(Sense::Waits(event as u8)),
            None => panic!("the kernel loads from {at:#x}"),
        }
    }

    fn write(&mut self, at: usize, value: u32) {
        if at == register::NEXT.into() {
            return self.model.begin();
        }
        if let Some(record) = index(at, register::KEYS, 4, self.records) {
            return self.model.set_key(record, value);
        }
        let bytes = register::RECORD_BYTES.into();
        match index(at, register::RECORDS, bytes, self.records) {
            Some(record) if at.is_multiple_of(bytes) => {
                let [status, priority, event, _] = value.to_le_bytes();
                self.model.set(record, status, priority, event);
            }
            _ => panic!("the kernel stores to {at:#x}"),
        }
    }
}

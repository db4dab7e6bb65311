//! Drivers: copies and register accesses by the kernel, upcalls by processes.

use crate::core_state::{Core, EMPTY_RANGE, Upcall};
use crate::dispatch::beginning;
use crate::event::Beginning;
use crate::hardware::Hardware;
use crate::transfer::{Done, Moved, Purpose, Transfer};
use giornata_abi::id::NONE;
use giornata_abi::system::{DriverEntry, DriverWork};
use giornata_abi::trace::TraceKind;
use giornata_abi::{Duration, Ticks};
use giornata_micro::{Called, UpcallEnd};

/// Pieces of a copy that are moved before the kernel looks at interrupts.
pub(crate) const PIECES: u8 = 8;

impl<'a, H: Hardware> Core<'a, H> {
    pub(crate) fn driver_entry(&self, driver: u16) -> Option<&'a DriverEntry> {
        self.system.drivers.get(driver as usize)
    }

    /// Runs a driver, or begins to. One that reads an output of a job that was
    /// stopped does nothing: what it writes keeps its old value.
    pub(crate) fn call_driver(&mut self, driver: u16) -> Called {
        let Some(entry) = self.driver_entry(driver) else {
            return Called::Failed;
        };
        if self.has_stopped && self.reads_stopped_job(entry) {
            return Called::Done;
        }
        match entry.work {
            work if work == DriverWork::Copy as u8 => self.copy(entry),
            work if work == DriverWork::Load as u8 => {
                let value = self.hardware.load_register(entry.entry, entry.width);
                if let [step, ..] = self.moves(entry.moves) {
                    self.store_scalar(step, value);
                }
                Called::Done
            }
            work if work == DriverWork::Store as u8 => {
                if let [step, ..] = self.moves(entry.moves) {
                    let value = self.load_scalar(step);
                    self.hardware
                        .store_register(entry.entry, entry.width, value);
                }
                Called::Done
            }
            _ => self.begin_upcall(driver, entry),
        }
    }

    /// A copy; short ones are done on the spot.
    fn copy(&mut self, entry: &DriverEntry) -> Called {
        match self.move_values(self.moves(entry.moves), Done::NOTHING) {
            Moved::All => Called::Done,
            Moved::Bad => Called::Failed,
            Moved::Part(done) => {
                self.transfer = Some(Transfer::of_driver(Purpose::Copy, entry.moves, done));
                Called::Started
            }
        }
    }

    fn reads_stopped_job(&self, entry: &DriverEntry) -> bool {
        let mut moves = self.moves(entry.moves).iter();
        moves.any(|step| step.task != NONE && self.threads.at(step.task).stopped)
    }

    fn begin_upcall(&mut self, driver: u16, entry: &DriverEntry) -> Called {
        if !self.processes.at(entry.process).is_alive() {
            return Called::Failed;
        }
        self.trace(TraceKind::Upcall, driver, 1, self.instant.0, 0);
        self.begin_transfer(Purpose::Inputs(driver), entry.moves);
        Called::Started
    }

    /// The inputs lie in the block: the upcall's thread takes the hart.
    pub(crate) fn enter_upcall(&mut self, driver: u16) {
        let Some(entry) = self.driver_entry(driver) else {
            return;
        };
        let thread = self.process_entry(entry.process).upcall;
        let beginning = Beginning {
            entry: entry.start,
            arguments: [entry.block as usize, entry.entry as usize],
            ..beginning(self.thread_entry(thread))
        };
        self.hardware.start(thread, beginning);
        let left = match entry.budget {
            0 => Ticks(u64::MAX),
            budget => self.timebase.span(Duration(budget as u64)),
        };
        self.upcall = Some(Upcall {
            driver,
            thread,
            left,
        });
    }

    /// The upcall's thread made a call: `return`, with a value.
    pub(crate) fn return_upcall(&mut self, value: usize) {
        let Some(upcall) = self.upcall.take() else {
            return;
        };
        self.trace(
            TraceKind::Upcall,
            upcall.driver,
            0,
            self.instant.0,
            value as u64,
        );
        let results = self
            .driver_entry(upcall.driver)
            .map_or(EMPTY_RANGE, |d| d.results);
        self.begin_transfer(Purpose::Outputs(value), results);
    }

    /// The upcall ends without a result: its ports keep their values.
    pub(crate) fn abort_upcall(&mut self, end: UpcallEnd) -> Option<Upcall> {
        let upcall = self.upcall.take()?;
        let how = if end == UpcallEnd::Overrun { 2 } else { 3 };
        self.trace(TraceKind::Upcall, upcall.driver, how, self.instant.0, 0);
        self.ended = Some(end);
        Some(upcall)
    }
}

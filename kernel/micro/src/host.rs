//! What the E and S machines need of the kernel around them.

use giornata_abi::trace::Violation;
use giornata_abi::{Instant, ValueType};

/// How a driver call began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Called {
    /// The driver ran; its ports are written.
    Done,
    /// An upcall was started: the machine stops here until
    /// [`Machine::upcall_ended`](crate::Machine::upcall_ended).
    Started,
    /// The driver cannot run: its process is dead or its block is not its own.
    Failed,
}

/// How an upcall ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpcallEnd {
    /// It returned this value; its ports are written.
    Returned(usize),
    /// It used up its budget; its ports keep their values.
    Overrun,
    /// Its process faulted; its ports keep their values.
    Fault,
}

/// A violation, as it is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// The program concerned.
    pub program: u16,
    /// What was violated.
    pub violation: Violation,
    /// Whether the program names a handler block, which runs now.
    pub handled: bool,
    /// The logical instant.
    pub instant: Instant,
    /// Thread of the task involved.
    pub task: Option<u16>,
    /// The driver involved, system-wide index.
    pub driver: Option<u16>,
}

/// The kernel as the machines see it. All indices are system-wide: tasks are
/// thread indices, drivers and ports entries of the system's tables.
///
/// Every operation is O(1) or as stated, and none blocks.
pub trait Host {
    /// Whether the task is released and has not completed.
    fn is_released(&self, task: u16) -> bool;

    /// The first task of the driver's conflict set that is released and
    /// uncompleted. O(size of the set).
    fn conflict(&self, driver: u16) -> Option<u16>;

    /// Runs a driver in logical zero time at `instant`.
    fn call(&mut self, driver: u16, instant: Instant) -> Called;

    /// Marks a task released: a new job, with this absolute deadline.
    fn release(&mut self, task: u16, instant: Instant, deadline: Instant);

    /// The type by which a port compares.
    fn port_type(&self, port: u16) -> ValueType;

    /// The first 8 bytes of a port's value, little-endian, zero-extended.
    fn port_value(&self, port: u16) -> u64;

    /// A number that changes whenever the port's value changes.
    fn port_version(&self, port: u16) -> u32;

    /// Writes a scalar port of the kernel (who was involved in a violation).
    fn set_port(&mut self, port: u16, value: u64, instant: Instant);

    /// Whether the mailbox holds a message.
    fn has_message(&self, mailbox: u16) -> bool;

    /// Asks to be entered at `at`; replaces an earlier request of this timer.
    fn arm(&mut self, timer: u16, at: Instant);

    /// Withdraws the request of this timer, if any.
    fn disarm(&mut self, timer: u16);

    /// S code of the program governs its tasks from now on (`true`), or the
    /// default scheduler does (`false`). O(tasks of the program).
    fn govern(&mut self, program: u16, governed: bool);

    /// Permits (or forbids) a task of a governed program to use the processor.
    fn permit(&mut self, task: u16, permitted: bool);

    /// Whether an interrupt waits: the machine is left between two steps. O(1).
    fn is_interrupted(&mut self) -> bool;

    /// Counts and logs a violation.
    fn report(&mut self, report: Report);
}

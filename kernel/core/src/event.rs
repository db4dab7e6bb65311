//! What enters the kernel, and what leaves it.
//!
//! The kernel is a state machine: one [`Event`] in, one [`Outcome`] out. The
//! caller (the trap path of an architecture, or the simulator) latches the
//! clock, hands over the event, and carries out the outcome.

use giornata_abi::Ticks;
use giornata_abi::call::Request;
use giornata_abi::trace::FaultCause;

/// A hart, by its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hart(pub u8);

/// Why the kernel was entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The alarm rang.
    Timer,
    /// A line of the interrupt controller; it stays masked until opened again.
    Interrupt(u16),
    /// The running thread made a system call.
    Call(Request),
    /// The running thread did what it may not.
    Fault {
        /// What.
        cause: FaultCause,
        /// Where.
        pc: usize,
        /// The address concerned.
        address: usize,
    },
    /// The caller comes back after [`Next::More`].
    Resume,
}

/// What the hart does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Run this thread: as it was interrupted, or as the kernel last told the
    /// hardware to let it leave.
    Run(u16),
    /// Wait for an interrupt.
    Idle,
    /// Work is left: hand in what interrupts are pending as events, then
    /// [`Event::Resume`]. No thread runs in between.
    More,
    /// Stop the machine with this status.
    Stop(u8),
}

/// What a call of the services came to on a short way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)] // the way into the kernel reads it
pub enum Served {
    /// Nothing has happened: it has to go the long way.
    No = 0,
    /// It has been answered, and the caller goes on.
    AtOnce = 1,
    /// It may have led elsewhere:
    /// [`Kernel::go_elsewhere`](crate::Kernel::go_elsewhere) comes next.
    Changed = 2,
}

/// What an event comes to. Dropping it loses a scheduling decision.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What this hart does next.
    pub next: Next,
    /// When the alarm must ring; `None` = not at all.
    pub alarm: Option<Ticks>,
    /// Harts to interrupt, one bit each.
    pub poke: u32,
}

/// Where and with what a thread begins: what
/// [`Hardware::start`](crate::Hardware::start) gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beginning {
    /// Program counter.
    pub entry: u32,
    /// Stack pointer.
    pub stack_top: u32,
    /// `tp`: where its control page ends.
    pub thread_pointer: u32,
    /// `a0`, `a1`; all other registers are 0.
    pub arguments: [usize; 2],
}

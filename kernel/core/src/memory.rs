//! The memory that a system's tables need, given to the kernel from outside.

use crate::interrupt::Interrupt;
use crate::load;
use crate::port::Port;
use crate::process::Process;
use crate::services::{self, Message, Object, Pool, Region, Tie};
use crate::thread::Thread;
use giornata_abi::system::SystemHeader;
use giornata_micro::{Binding, ProgramState, SThread};
use giornata_queue::{AgendaEvent, ReadyNode, WaitNode};

/// How many entries of each table a system needs. O(1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Threads; also nodes of the ready queue.
    pub threads: usize,
    /// Processes.
    pub processes: usize,
    /// Ports.
    pub ports: usize,
    /// Words of 8 bytes of the port arena.
    pub arena: usize,
    /// Interrupt lines.
    pub interrupts: usize,
    /// Events of the agenda.
    pub events: usize,
    /// Slots of the trigger queue.
    pub triggers: usize,
    /// Slots of the thread set.
    pub s_threads: usize,
    /// Programs.
    pub programs: usize,
    /// Objects that threads synchronise by; 0 where the kernel knows none.
    pub objects: usize,
    /// Threads that can be tied to them.
    pub ties: usize,
    /// Messages.
    pub messages: usize,
    /// Processes with a pool of messages.
    pub pools: usize,
    /// Regions that processes share.
    pub regions: usize,
}

impl Needs {
    /// What the system with this header needs.
    pub fn of(header: &SystemHeader) -> Needs {
        let (threads, triggers, s_threads) = (
            header.threads as usize,
            header.triggers as usize,
            header.s_threads as usize,
        );
        let [objects, ties, messages, pools, regions] = services::needs(header);
        Needs {
            threads,
            processes: header.processes as usize,
            ports: header.ports as usize,
            arena: (header.arena_size as usize).div_ceil(8),
            interrupts: header.interrupts as usize,
            // one for each thread and timer of microcode, the stop, and a change
            events: threads + triggers + s_threads + 1 + load::events(header),
            triggers,
            s_threads,
            programs: header.programs as usize,
            objects,
            ties,
            messages,
            pools,
            regions,
        }
    }
}

/// The kernel's tables: slices of at least the lengths that [`Needs`] states.
/// What they hold before does not matter.
pub struct Memory<'a> {
    /// See [`Needs::threads`].
    pub threads: &'a mut [Thread],
    /// See [`Needs::processes`].
    pub processes: &'a mut [Process],
    /// See [`Needs::ports`].
    pub ports: &'a mut [Port],
    /// See [`Needs::arena`].
    pub arena: &'a mut [u64],
    /// See [`Needs::interrupts`].
    pub interrupts: &'a mut [Interrupt],
    /// Nodes of the ready queue, one for each thread.
    pub ready_nodes: &'a mut [ReadyNode],
    /// See [`Needs::events`].
    pub agenda_events: &'a mut [AgendaEvent],
    /// See [`Needs::triggers`].
    pub triggers: &'a mut [Binding],
    /// See [`Needs::s_threads`].
    pub s_threads: &'a mut [SThread],
    /// See [`Needs::programs`].
    pub programs: &'a mut [ProgramState],
    /// See [`Needs::objects`].
    pub objects: &'a mut [Object],
    /// See [`Needs::ties`].
    pub ties: &'a mut [Tie],
    /// Nodes of the rings of waiters, one for each tie.
    pub wait_nodes: &'a mut [WaitNode],
    /// See [`Needs::messages`].
    pub messages: &'a mut [Message],
    /// See [`Needs::pools`].
    pub pools: &'a mut [Pool],
    /// See [`Needs::regions`].
    pub regions: &'a mut [Region],
}

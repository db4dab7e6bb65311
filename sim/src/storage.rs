//! The memory of the simulated kernel, to be used again from run to run.

use giornata_abi::system::System;
use giornata_core::{
    Interrupt, Memory, Message, Needs, Object, Pool, Port, Process, Region, Thread, Tie,
};
use giornata_micro::{Binding, ProgramState, SThread};
use giornata_queue::{AgendaEvent, Handover, ReadyNode, WaitNode};

/// The tables that a kernel needs in RAM, and its hand-over.
pub struct Storage {
    threads: Vec<Thread>,
    processes: Vec<Process>,
    ports: Vec<Port>,
    arena: Vec<u64>,
    interrupts: Vec<Interrupt>,
    ready_nodes: Vec<ReadyNode>,
    agenda_events: Vec<AgendaEvent>,
    triggers: Vec<Binding>,
    s_threads: Vec<SThread>,
    programs: Vec<ProgramState>,
    objects: Vec<Object>,
    ties: Vec<Tie>,
    wait_nodes: Vec<WaitNode>,
    messages: Vec<Message>,
    pools: Vec<Pool>,
    regions: Vec<Region>,
    handover: Handover,
}

impl Storage {
    /// Memory for the kernel of this system, as much as it needs and no more.
    pub fn new(system: &System<'_>) -> Storage {
        let needs = Needs::of(system.header);
        Storage {
            threads: vec![Thread::EMPTY; needs.threads],
            processes: vec![Process::EMPTY; needs.processes],
            ports: vec![Port::EMPTY; needs.ports],
            arena: vec![0; needs.arena],
            interrupts: vec![Interrupt::EMPTY; needs.interrupts],
            ready_nodes: vec![ReadyNode::EMPTY; needs.threads],
            agenda_events: vec![AgendaEvent::EMPTY; needs.events],
            triggers: vec![Binding::EMPTY; needs.triggers],
            s_threads: vec![SThread::EMPTY; needs.s_threads],
            programs: vec![ProgramState::EMPTY; needs.programs],
            objects: vec![Object::EMPTY; needs.objects],
            ties: vec![Tie::EMPTY; needs.ties],
            wait_nodes: vec![WaitNode::EMPTY; needs.ties],
            messages: vec![Message::EMPTY; needs.messages],
            pools: vec![Pool::EMPTY; needs.pools],
            regions: vec![Region::EMPTY; needs.regions],
            handover: Handover::new(),
        }
    }

    /// What a kernel is made of.
    pub(crate) fn lend(&mut self) -> (Memory<'_>, &Handover) {
        self.handover = Handover::new();
        let memory = Memory {
            threads: &mut self.threads,
            processes: &mut self.processes,
            ports: &mut self.ports,
            arena: &mut self.arena,
            interrupts: &mut self.interrupts,
            ready_nodes: &mut self.ready_nodes,
            agenda_events: &mut self.agenda_events,
            triggers: &mut self.triggers,
            s_threads: &mut self.s_threads,
            programs: &mut self.programs,
            objects: &mut self.objects,
            ties: &mut self.ties,
            wait_nodes: &mut self.wait_nodes,
            messages: &mut self.messages,
            pools: &mut self.pools,
            regions: &mut self.regions,
        };
        (memory, &self.handover)
    }
}

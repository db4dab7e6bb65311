//! This kernel as a machine of a replay.

use crate::requests::{self, Rooms};
use crate::tables::{Built, build};
use crate::watch::Watch;
use giornata_abi::call::Answer;
use giornata_abi::call::{Call, Request};
use giornata_abi::process::block_offsets;
use giornata_abi::system::ThreadKind;
use giornata_abi::trace::{FaultCause, TraceKind};
use giornata_abi::{Instant, Ticks};
use giornata_core::{Event, Next, State, Vitality, Wait};
use giornata_replay_logs as logs;
use giornata_replay_logs::TICK_NANOS;
use giornata_sim::{Simulation, Storage, Tables};

/// What the kernel does with a scenario.
pub(crate) fn run(scenario: &logs::Scenario) -> logs::Record {
    let built = build(&scenario.system);
    let mut storage = Storage::new(&built.tables.system());
    let mut simulation = Simulation::new(&built.tables, &mut storage);
    simulation.check_always();
    let mut machine = Machine {
        simulation,
        built: &built,
        system: &scenario.system,
        watch: Watch::new(scenario),
        clock: 0,
        traced: 0,
        stored: 0,
    };
    machine.enter(Event::Timer);
    let observation = logs::play(scenario, &mut machine);
    let records = machine.simulation.records().iter();
    let mut impossible = records.filter(|record| record.kind == TraceKind::Impossible as u8);
    assert_eq!(impossible.next(), None, "scenario {}", scenario.number);
    logs::Record {
        observation,
        touches: machine.watch.touches(),
    }
}

/// The kernel, with what is needed to say what it does.
pub(crate) struct Machine<'a> {
    pub(crate) simulation: Simulation<'a>,
    built: &'a Built,
    pub(crate) system: &'a logs::System,
    watch: Watch,
    clock: u64,
    /// Records of the trace, and stores to registers, that have been looked at.
    traced: usize,
    stored: usize,
}

impl Machine<'_> {
    /// Enters the kernel and lets it work until nothing is left.
    fn enter(&mut self, event: Event) {
        let now = Ticks(0);
        let mut next = self.simulation.inject(now, event);
        let mut is_settled = false;
        loop {
            if let Next::Stop(_) = next {
                break;
            }
            if let Some(line) = self.simulation.take_interrupt() {
                next = self.simulation.inject(now, Event::Interrupt(line));
            } else if next == Next::More || !is_settled {
                // a thread that runs ahead of what is due does so no more
                is_settled = next != Next::More;
                next = self.simulation.inject(now, Event::Resume);
            } else {
                break;
            }
        }
        let mut watch = std::mem::take(&mut self.watch);
        watch.look(self);
        self.watch = watch;
    }

    pub(crate) fn tables(&self) -> &Tables {
        &self.built.tables
    }

    /// The thread that runs, an upcall's too.
    fn thread(&mut self) -> Option<u16> {
        match self.simulation.outcome().next {
            Next::Run(thread) => Some(thread),
            _ => None,
        }
    }

    /// Where the block of whoever runs lies, and the offsets of its inputs and of
    /// its outputs.
    fn block(&mut self) -> Option<(u16, usize, Vec<usize>, Vec<usize>)> {
        let thread = self.thread()?;
        let entry = self.tables().threads[usize::from(thread)];
        if let Some(driver) = self.simulation.kernel().upcall_in_progress() {
            let logs::Driver::Upcall { reads, writes, .. } =
                &self.system.drivers[usize::from(driver)]
            else {
                return None;
            };
            let mut offsets = Vec::new();
            let sizes = std::iter::repeat_n(4, reads.len() + writes.len());
            block_offsets(sizes, |offset| offsets.push(offset));
            let outputs = offsets.split_off(reads.len());
            let block = self.tables().drivers[usize::from(driver)].block;
            return Some((entry.process, block as usize, offsets, outputs));
        }
        let task = self.built.tasks[usize::from(thread)].as_ref()?;
        let place = |port: &u16| self.tables().ports[usize::from(*port)].place as usize;
        let inputs = task.inputs.iter().map(place).collect();
        let outputs = task.outputs.iter().map(place).collect();
        Some((entry.process, 0, inputs, outputs))
    }

    fn end(&mut self) {
        let thread = self.thread().expect("somebody runs");
        let kind = self.tables().threads[usize::from(thread)].kind;
        let call = match kind == ThreadKind::Upcall as u8 {
            true => Call::Return,
            false => Call::Complete,
        };
        self.enter(Event::Call(Request {
            number: call as usize,
            arguments: [0; 6],
        }));
    }
}

impl logs::Machine for Machine<'_> {
    fn begin_step(&mut self, step: usize) {
        self.watch.begin_step(step);
    }

    fn runner(&mut self) -> logs::Runner {
        match self.simulation.outcome().next {
            Next::Stop(status) => logs::Runner::Stopped(status),
            Next::Idle | Next::More => logs::Runner::Idle,
            Next::Run(thread) => match self.simulation.kernel().upcall_in_progress() {
                Some(driver) => logs::Runner::Upcall(driver.into()),
                None => logs::Runner::Thread(thread.into()),
            },
        }
    }

    fn alarm(&mut self) -> Option<u64> {
        self.simulation.outcome().alarm.map(|tick| tick.0)
    }

    fn set_clock(&mut self, tick: u64) {
        let runner = self.runner();
        self.watch.time_passes(runner, tick - self.clock);
        self.clock = tick;
        self.simulation.pass_until(Ticks(tick));
    }

    fn timer(&mut self) {
        self.watch.begin_entry(None);
        self.enter(Event::Timer);
    }

    fn raise(&mut self, line: u16) {
        self.note_entry(None);
        self.simulation.raise(line);
        match self.simulation.take_interrupt() {
            Some(line) => self.enter(Event::Interrupt(line)),
            None => self.enter(Event::Resume),
        }
    }

    fn set_register(&mut self, address: u32, value: u32) {
        self.simulation
            .board()
            .registers
            .insert(address, value.into());
    }

    fn call(&mut self, request: &logs::Request<'_>) {
        self.note_entry(Some(request));
        let thread = self.thread().expect("somebody runs");
        let rooms = Rooms::of(thread);
        let process = self.tables().threads[usize::from(thread)].process;
        let memory = self.simulation.board().memory(process);
        let request = requests::registers(request, &rooms, memory);
        self.enter(Event::Call(request));
    }

    fn inputs(&mut self) -> Vec<u32> {
        let Some((process, block, inputs, _)) = self.block() else {
            return Vec::new();
        };
        let memory = self.simulation.board().memory(process);
        let word = |offset: usize| memory.word(block + offset, 4).expect("in the block") as u32;
        inputs.into_iter().map(word).collect()
    }

    fn complete(&mut self, values: &[u32]) {
        self.note_entry(None);
        let (process, block, _, outputs) = self.block().expect("a task or an upcall runs");
        let memory = self.simulation.board().memory(process);
        for (offset, value) in outputs.into_iter().zip(values) {
            let written = memory.write(block + offset, &value.to_le_bytes());
            written.expect("in the block");
        }
        self.end();
    }

    fn fault(&mut self) {
        self.note_entry(None);
        self.watch.note_fault(self.simulation.kernel());
        self.enter(Event::Fault {
            cause: FaultCause::Store,
            pc: 0,
            address: 0,
        });
    }

    fn departure(&mut self, call: Option<&logs::Call>) -> logs::Departure {
        let Some(thread) = self.thread() else {
            return logs::Departure::Resumed;
        };
        match self.simulation.take_departure(thread) {
            (true, _) => logs::Departure::Begins,
            (false, None) => logs::Departure::Resumed,
            (false, Some(Answer(registers))) => {
                let process = self.tables().threads[usize::from(thread)].process;
                let memory = self.simulation.board().memory(process);
                let rooms = Rooms::of(thread);
                let answer = requests::answer(call, registers, &rooms, memory);
                self.watch.note_answer(call, answer.error);
                logs::Departure::Returns(answer)
            }
        }
    }

    fn take_writes(&mut self) -> Vec<logs::Write> {
        let records = &self.simulation.records()[self.traced..];
        self.traced += records.len();
        let ports = records
            .iter()
            .filter(|record| record.kind == TraceKind::Port as u8)
            .map(|record| logs::Write::Port(record.x, record.subject.into(), record.y as u32));
        let mut writes: Vec<logs::Write> = ports.collect();
        let stores = &self.simulation.board().stores[self.stored..];
        let stores = stores
            .iter()
            .map(|store| logs::Write::Register(store.address, store.value as u32));
        let before = writes.len();
        writes.extend(stores);
        self.stored += writes.len() - before;
        writes
    }

    fn object_id(&mut self, slot: usize) -> Option<u64> {
        let id = self.simulation.kernel().id_of_object(slot as u16)?;
        Some(id.0.into())
    }

    fn thread_id(&mut self, thread: usize) -> Option<u64> {
        let id = self.simulation.kernel().id_of_thread(thread as u16)?;
        Some(id.0.into())
    }

    fn state(&mut self) -> logs::State {
        let system = self.system;
        logs::State {
            threads: (0..system.threads.len() as u16)
                .map(|thread| self.state_of(thread))
                .collect(),
            objects: (0..system.objects.len())
                .map(|slot| self.state_of_object(slot))
                .collect(),
            processes: (0..system.processes.len() as u16)
                .map(
                    |process| match self.simulation.kernel().vitality_of(process) {
                        Vitality::Alive => logs::ProcessState::Alive,
                        Vitality::Changing => logs::ProcessState::Changing,
                        Vitality::Dead => logs::ProcessState::Dead,
                    },
                )
                .collect(),
            ports: (0..system.ports as u16)
                .map(|port| self.simulation.kernel().value_of(port) as u32)
                .collect(),
        }
    }
}

impl Machine<'_> {
    fn note_entry(&mut self, request: Option<&logs::Request<'_>>) {
        let alarm = self.simulation.outcome().alarm;
        let is_late = alarm.is_some_and(|alarm| alarm.0 <= self.clock);
        let running = self.thread();
        self.watch.begin_entry(running);
        self.watch
            .note_call(request, is_late, self.simulation.kernel());
    }

    fn state_of(&mut self, thread: u16) -> logs::ThreadState {
        let kernel = self.simulation.kernel();
        let tick = |at: Instant| (at != Instant::NEVER).then_some(at.0 / TICK_NANOS);
        match kernel.wait_of(thread) {
            Some(Wait::Instant(at)) => logs::ThreadState::Sleeping(at.0 / TICK_NANOS),
            Some(Wait::Interrupt(line)) => logs::ThreadState::AwaitsInterrupt(line),
            Some(Wait::Object(slot, until)) => logs::ThreadState::Waits(slot.into(), tick(until)),
            Some(Wait::End(until)) => logs::ThreadState::AwaitsEnd(tick(until)),
            None => match kernel.state_of(thread) {
                Some(State::Ready) => logs::ThreadState::Ready,
                Some(State::Held) => logs::ThreadState::Held,
                _ => logs::ThreadState::Inactive,
            },
        }
    }

    fn state_of_object(&mut self, slot: usize) -> logs::ObjectState {
        let (kernel, index) = (self.simulation.kernel(), slot as u16);
        if kernel.id_of_object(index).is_none() {
            return logs::ObjectState::Gone;
        }
        match self.system.objects[slot].kind {
            logs::ObjectKind::Mutex | logs::ObjectKind::CeilingMutex(_) => {
                let owner = kernel.owner_of(index).map(usize::from);
                logs::ObjectState::Mutex(owner, kernel.is_abandoned(index))
            }
            logs::ObjectKind::Semaphore { .. } => {
                logs::ObjectState::Semaphore(kernel.count_of(index))
            }
            logs::ObjectKind::Condition => logs::ObjectState::Condition,
            logs::ObjectKind::Mailbox { .. } => {
                let message = |(priority, length, words): (u32, u16, [u32; 4])| logs::Message {
                    priority,
                    length: length.into(),
                    content: match length {
                        0..=16 => u64::from(words[1]) << 32 | u64::from(words[0]),
                        _ => 0,
                    },
                };
                logs::ObjectState::Mailbox(kernel.messages_of(index).map(message).collect())
            }
        }
    }
}

//! The tables of a scenario's system.

use giornata_abi::ValueType;
use giornata_abi::system::{
    BAND_DEADLINE, FaultPolicy, OBJECT_AT_BOOT, REGION_READ, REGION_WRITE, RIGHT_DIRECT,
    RIGHT_FULL, RIGHT_MANAGE, RIGHT_RECEIVE, RIGHT_USE,
};
use giornata_replay_logs as logs;
use giornata_replay_logs::TICK_NANOS;
use giornata_sim::{Scheduling, SystemBuilder, Tables, Task};

/// Where processes have memory to take.
pub(crate) const HEAP: u32 = 0x5000;
/// The type of all ports.
const PORT: ValueType = ValueType::I32;

/// A scenario's system as the simulator has it. Threads, objects, ports and
/// drivers have the same indices.
pub(crate) struct Built {
    pub(crate) tables: Tables,
    /// By thread: the ports of a task.
    pub(crate) tasks: Vec<Option<Task>>,
}

/// Builds a scenario's system.
pub(crate) fn build(system: &logs::System) -> Built {
    let mut builder = Builder {
        b: SystemBuilder::new(),
        system,
        ports: Vec::new(),
        tasks: vec![None; system.threads.len()],
    };
    let header = &mut builder.b.tables.header;
    header.timer_hertz = (1_000_000_000 / TICK_NANOS) as u32;
    header.deadline_band = logs::DEADLINE_BAND.into();
    builder.add_ports();
    for process in 0..system.processes.len() {
        builder.add_process(process);
    }
    builder.grant_ports();
    builder.add_objects();
    builder.add_regions();
    for line in &system.lines {
        let owner = line.owner.map(|process| process as u16);
        builder.b.interrupt(line.number, owner);
        builder.b.throttle(nanos(line.interval) as u32);
    }
    builder.add_drivers();
    for program in &system.programs {
        let index = builder.b.program(&program.to_string());
        let entry = builder.b.program_entry(index);
        entry.slot = program.slot.map_or(BAND_DEADLINE, u16::from);
    }
    Built {
        tables: builder.b.finish(),
        tasks: builder.tasks,
    }
}

fn nanos(ticks: u64) -> u64 {
    ticks * TICK_NANOS
}

struct Builder<'s> {
    b: SystemBuilder,
    system: &'s logs::System,
    ports: Vec<u16>,
    tasks: Vec<Option<Task>>,
}

impl Builder<'_> {
    fn add_ports(&mut self) {
        for port in 0..self.system.ports {
            self.ports.push(self.b.port(&format!("p{port}"), PORT));
        }
    }

    fn add_process(&mut self, index: usize) {
        let b = &mut self.b;
        let (process, from) = (b.process(), &self.system.processes[index]);
        let entry = b.process_entry(process);
        entry.on_fault = match from.on_fault {
            logs::OnFault::Stop => FaultPolicy::Stop,
            logs::OnFault::Restart => FaultPolicy::Restart,
            logs::OnFault::Halt => FaultPolicy::Halt,
        } as u8;
        entry.max_priority = from.max_priority;
        entry.by_call = from.starts_by_call.into();
        (entry.heap, entry.heap_size) = (HEAP, from.heap);
        if let Some(supervisor) = from.supervisor {
            entry.supervisor = supervisor as u16;
        }
        b.messages(process, from.messages, from.message_size);
        for thread in self.system.threads_of(index) {
            self.add_thread(process, thread);
        }
    }

    fn add_thread(&mut self, process: u16, thread: usize) {
        let b = &mut self.b;
        let index = match self.system.threads[thread].role {
            logs::Role::Given(scheduling) => b.thread(process, self::scheduling(scheduling)),
            logs::Role::Spare => b.spare_thread(process),
            logs::Role::Upcalls => b.upcall_thread(process),
            logs::Role::Task {
                inputs,
                outputs,
                budget,
            } => {
                let shapes = |count| vec![PORT.into(); count];
                let (inputs, outputs) = (shapes(inputs), shapes(outputs));
                let task = b.task(process, &format!("t{thread}"), &inputs, &outputs);
                let index = task.thread;
                b.tables.threads[index as usize].budget = nanos(budget.unwrap_or(0));
                self.tasks[thread] = Some(task);
                index
            }
        };
        assert_eq!(usize::from(index), thread);
    }

    fn grant_ports(&mut self) {
        for (process, from) in (0..).zip(&self.system.processes) {
            let ports = |list: &[usize]| list.iter().map(|port| self.ports[*port]).collect();
            let (readable, writable): (Vec<u16>, Vec<u16>) =
                (ports(&from.readable), ports(&from.writable));
            self.b.grant_ports(process, &readable, &writable);
        }
    }

    fn add_objects(&mut self) {
        let b = &mut self.b;
        for object in &self.system.objects {
            let index = match object.kind {
                logs::ObjectKind::Mutex => b.mutex(),
                logs::ObjectKind::CeilingMutex(ceiling) => b.ceiling_mutex(ceiling),
                logs::ObjectKind::Semaphore { initial, most } => b.semaphore(initial, most),
                logs::ObjectKind::Condition => b.condition(),
                logs::ObjectKind::Mailbox { server: None } => b.mailbox(),
                logs::ObjectKind::Mailbox {
                    server: Some(server),
                } => b.attached_mailbox(server as u16),
            };
            if !object.at_boot {
                b.tables.objects[usize::from(index)].flags &= !OBJECT_AT_BOOT;
            }
            for (process, rights) in (0..).zip(&object.rights) {
                b.grant_object(process, index, self::rights(*rights));
            }
        }
    }

    fn add_regions(&mut self) {
        for region in &self.system.regions {
            let index = self.b.region(region.size);
            for (process, (reads, writes)) in (0..).zip(&region.rights) {
                let read = if *reads { REGION_READ } else { 0 };
                let write = if *writes { REGION_WRITE } else { 0 };
                self.b.grant_region(process, index, read | write);
            }
        }
    }

    fn add_drivers(&mut self) {
        for (index, driver) in self.system.drivers.iter().enumerate() {
            let name = format!("d{index}");
            let ports = |list: &[usize]| list.iter().map(|port| self.ports[*port]).collect();
            match driver {
                logs::Driver::Copy(values) => {
                    let from: Vec<u16> = values.iter().map(|(from, _)| self.port(*from)).collect();
                    let to: Vec<u16> = values.iter().map(|(_, to)| self.port(*to)).collect();
                    self.b.copy(&name, &from, &to)
                }
                logs::Driver::Load { register, port } => {
                    self.b.load(&name, *register, 4, self.ports[*port])
                }
                logs::Driver::Store { register, port } => {
                    self.b.store(&name, *register, 4, self.ports[*port])
                }
                logs::Driver::Upcall {
                    process,
                    reads,
                    writes,
                    budget,
                } => {
                    let (reads, writes): (Vec<u16>, Vec<u16>) = (ports(reads), ports(writes));
                    let budget = nanos(*budget) as u32;
                    self.b
                        .upcall(&name, *process as u16, &reads, &writes, budget)
                }
            };
        }
    }

    fn port(&self, place: logs::Place) -> u16 {
        let task = |thread: usize| self.tasks[thread].as_ref().expect("a task");
        match place {
            logs::Place::Port(port) => self.ports[port],
            logs::Place::Input(thread, input) => task(thread).inputs[input],
            logs::Place::Output(thread, output) => task(thread).outputs[output],
        }
    }
}

fn scheduling(from: logs::Scheduling) -> Scheduling {
    match from {
        logs::Scheduling::Fifo(priority) => Scheduling::Fifo(priority),
        logs::Scheduling::RoundRobin(priority, ticks) => {
            Scheduling::RoundRobin(priority, nanos(ticks) as u32)
        }
        logs::Scheduling::Deadline(ticks) => Scheduling::Deadline(nanos(ticks)),
    }
}

fn rights(from: logs::Rights) -> u16 {
    let all = RIGHT_USE | RIGHT_MANAGE | RIGHT_RECEIVE | RIGHT_DIRECT | RIGHT_FULL;
    match from {
        logs::Rights::All => all,
        logs::Rights::NoManaging => all & !RIGHT_MANAGE,
        logs::Rights::UseOnly => RIGHT_USE,
        logs::Rights::Nothing => 0,
    }
}

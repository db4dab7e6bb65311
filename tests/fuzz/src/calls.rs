//! System calls, faults and interrupts: what hostile processes and hardware
//! bring to the kernel.

use giornata_abi::call::{Call, Request};
use giornata_abi::trace::{FaultCause, TraceKind};
use giornata_abi::{Ticks, ValueType};
use giornata_core::{Event, Next};
use giornata_sim::{SCRATCH, Scheduling, Shape, Simulation, Storage, SystemBuilder, Tables};

/// Interrupt lines of the system, and one that it does not use.
const LINES: [u16; 4] = [3, 10, 11, 99];

/// Values that arguments like to take.
const EDGES: [usize; 8] = [
    0,
    1,
    usize::MAX,
    isize::MAX as usize,
    SCRATCH,
    SCRATCH + 4095,
    0x8000_0000,
    u32::MAX as usize,
];

/// Choices read from the input; zeros when it has ended.
struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    fn word(&mut self) -> u64 {
        (0..8).fold(0, |word, _| word << 8 | u64::from(self.byte()))
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[usize::from(self.byte()) % from.len()]
    }

    /// An argument: small, an edge, or anything.
    fn argument(&mut self) -> usize {
        match self.byte() {
            small @ 0..=127 => usize::from(small),
            128..=191 => self.pick(&EDGES),
            _ => self.word() as usize,
        }
    }

    fn event(&mut self, next: Next) -> Event {
        let runs = matches!(next, Next::Run(_));
        match self.byte() % 8 {
            0..=4 if runs => Event::Call(self.request()),
            5 if runs => Event::Fault {
                cause: self.pick(&FaultCause::ALL),
                pc: self.argument(),
                address: self.argument(),
            },
            6 => Event::Interrupt(self.pick(&LINES)),
            _ if next == Next::More => Event::Resume,
            _ => Event::Timer,
        }
    }

    fn request(&mut self) -> Request {
        let number = match self.byte() {
            known if usize::from(known) < 2 * Call::ALL.len() => usize::from(known) / 2,
            _ => self.argument(),
        };
        let mut arguments = [0; 6];
        arguments.fill_with(|| self.argument());
        Request { number, arguments }
    }
}

/// Two processes with threads of every policy and a task, drivers of every kind,
/// and a program that releases, calls and waits.
fn system() -> Tables {
    let mut b = SystemBuilder::new();
    let ports = [
        b.port("small", Shape::Scalar(ValueType::U32)),
        b.port("large", Shape::Bytes(700)),
    ];
    let scalar = [Shape::Scalar(ValueType::U32)];
    let mut tasks = Vec::new();
    for process in 0..2 {
        b.process();
        let entry = b.process_entry(process);
        entry.on_fault = 1;
        entry.max_priority = 200;
        b.upcall_thread(process);
        b.thread(process, Scheduling::Fifo(7));
        b.thread(process, Scheduling::RoundRobin(7, 50_000));
        b.thread(process, Scheduling::Deadline(1_000_000));
        b.grant_ports(process, &ports, &ports[..1 + usize::from(process)]);
        tasks.push(b.task(process, "t", &scalar, &scalar));
    }
    let task = &tasks[0];
    b.copy("in", &ports[..1], &task.inputs);
    b.copy("out", &task.outputs, &ports[..1]);
    b.upcall("look", 1, &ports[..1], &ports[..1], 20_000);
    b.interrupt(3, None);
    b.interrupt(10, Some(0));
    b.interrupt(11, Some(1));
    b.program(
        "start: call in\n release t 500us\n future after(1000us) next\n future irq(3) hit\n return\n\
         next: call out\n call look\n jump start\n\
         hit: call look\n future changed(small) hit\n return\n",
    );
    b.finish()
}

/// Plays `data` as events. Every invariant holds after each, and nothing that
/// cannot happen happens.
pub fn explore(data: &[u8]) {
    let tables = system();
    let mut storage = Storage::new(&tables.system());
    let mut simulation = Simulation::new(&tables, &mut storage);
    simulation.check_always();
    let mut choices = Choices(data);
    let mut next = simulation.inject(Ticks(0), Event::Timer);
    while !choices.0.is_empty() && !matches!(next, Next::Stop(_)) {
        let after = if next == Next::More {
            0
        } else {
            u64::from(choices.byte()) * 64
        };
        let event = choices.event(next);
        next = simulation.inject(Ticks(after), event);
    }
    let impossible = |kind: u8| kind == TraceKind::Impossible as u8;
    assert!(
        !simulation
            .records()
            .iter()
            .any(|record| impossible(record.kind))
    );
}

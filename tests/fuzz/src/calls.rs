//! System calls, faults and interrupts: what hostile processes and hardware
//! bring to the kernel.

use giornata_abi::ValueType;
use giornata_abi::call::Call;
use giornata_abi::system::FaultPolicy;
use giornata_abi::trace::FaultCause;
use giornata_core::micro::block;
use giornata_core::sched::thread::role;
use giornata_host::{MEMORY, Rig};
use giornata_records::program::{
    Driver, Group, Move, Op, Port, Program, Programs, Task, To, Upcall, Wait,
};
use giornata_records::{Description, Line, Object, ObjectKind, Process, Region, Rights, Thread};

/// Interrupt lines of the system, and one that it does not use.
const LINES: [u32; 4] = [3, 10, 11, 60];
/// The user address of each process's data, and its bytes.
const DATA: usize = 0x4000_0000;
const DATA_SIZE: usize = 0x2000;
/// Simulated memory of each process: pristine data, data with control pages at its end.
const ROOM: usize = 0x4000;
/// Where its control pages begin in its data.
const PAGES: usize = 0x1000;
/// Behind the memory of processes: ports, scratch of the machine, a shared region.
const PORTS: usize = 0x4_0000;
const SCRATCH: usize = 0x4_8000;
const SHARED: usize = 0x5_0000;
const PROCESSES: usize = 2;

/// Values that arguments like to take.
const EDGES: [usize; 10] = [
    0,
    1,
    usize::MAX,
    isize::MAX as usize,
    DATA,
    DATA + DATA_SIZE - 1,
    DATA + DATA_SIZE,
    0x8000_0000,
    u32::MAX as usize,
    0xFFFF,
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

    /// An argument: small, a slot and a priority, an address, an edge, or anything.
    fn argument(&mut self) -> usize {
        match self.byte() {
            small @ 0..=127 => usize::from(small),
            128..=159 => usize::from(self.byte() % 16) | usize::from(self.byte()) << 16,
            160..=191 => DATA + usize::from(self.byte()) * 32,
            192..=223 => self.pick(&EDGES),
            _ => self.word() as usize,
        }
    }

    fn call(&mut self) -> (usize, [usize; 6]) {
        let number = match self.byte() {
            known if usize::from(known) < 4 * Call::COUNT => usize::from(known) / 4,
            _ => self.argument(),
        };
        let mut arguments = [0; 6];
        arguments.fill_with(|| self.argument());
        (number, arguments)
    }
}

fn at(offset: usize) -> u64 {
    (MEMORY + offset) as u64
}

fn object(kind: ObjectKind, ceiling: Option<u8>, private: bool) -> Object {
    let all = Rights {
        used: true,
        managed: true,
        received: true,
        direct: true,
        full: true,
    };
    Object {
        kind,
        at_boot: true,
        initial: u32::from(kind == ObjectKind::Semaphore),
        most: 3,
        ceiling,
        private,
        server: None,
        rights: vec![all; PROCESSES],
    }
}

fn process(number: usize) -> Process {
    let room = number * ROOM;
    Process {
        max_priority: 200,
        data: (DATA as u64, DATA_SIZE as u64, at(room + 0x2000)),
        image: (at(room), 0x404, (PAGES - 0x404) as u64),
        restartable: (0x100, 0x120),
        supervisor: (number > 0).then_some(0),
        on_fault: Some(FaultPolicy::Restart),
        messages: (3, 200),
        heap: ((DATA + 0x800) as u64, 0x100),
        ..Process::default()
    }
}

/// Two processes with threads of every policy and a task, drivers of every kind, objects
/// of every kind, and a program that releases, calls and waits.
fn system() -> Description {
    let mut threads = Vec::new();
    for number in 0..PROCESSES {
        let mut add = |role: u16, priority: u8, allowance: u32| {
            let index = threads.len();
            let page = number * ROOM + 0x2000 + PAGES + 64 * index;
            threads.push(Thread {
                process: number,
                priority,
                role,
                allowance,
                deadline: 1_000_000,
                entry: 0x1000 + 16 * index as u64,
                stack: (0x5000_0000 + 256 * (index as u64 + 1), 256),
                control: at(page),
                ..Thread::default()
            });
        };
        add(role::AUTOSTART, 7, 0);
        add(role::AUTOSTART | role::ROUND_ROBIN, 7, 50_000);
        add(role::AUTOSTART | role::DEADLINE, 150, 0);
        add(role::SPARE, 0, 0);
        add(role::SPARE, 0, 0);
        add(role::TASK, 150, 400_000);
        add(role::UPCALL, 0, 0);
    }
    let kinds = [
        object(ObjectKind::Mutex, None, false),
        object(ObjectKind::Mutex, None, true),
        object(ObjectKind::Mutex, Some(180), false),
        object(ObjectKind::Semaphore, None, false),
        object(ObjectKind::Condition, None, false),
        object(ObjectKind::Mailbox, None, false),
        object(ObjectKind::Mailbox, None, false),
    ];
    let line = |(index, number): (usize, &u32)| Line {
        number: *number,
        process: (index > 0).then(|| index - 1),
        interval: 0,
    };
    Description {
        band: 150,
        depth: 4,
        processes: (0..PROCESSES).map(process).collect(),
        threads,
        objects: kinds.into(),
        lines: LINES.iter().take(3).enumerate().map(line).collect(),
        regions: vec![Region {
            address: 0x6000_0000,
            size: 0x200,
            place: at(SHARED),
            grants: vec![3; PROCESSES],
            ..Region::default()
        }],
        programs: programs(),
        trace_records: 64,
        ..Description::default()
    }
}

/// A program whose task is thread 5, and whose upcalls are thread 13's.
fn programs() -> Programs {
    let port = |place: usize, size: u32, order: Option<ValueType>| Port {
        place: at(PORTS + place),
        size,
        order,
        traced: true,
        readers: vec![0, 1],
        writers: vec![0],
    };
    let (task, upcalls) = (5, 13);
    let block = at(0x2000 + 0x600);
    let own = |from: u64, to: To| Move { from, to, size: 4 };
    let copies = |moves: Vec<Move>| Driver {
        touches: vec![task],
        reads: Vec::new(),
        moves,
        ..Driver::default()
    };
    let look = Upcall {
        thread: upcalls,
        entry: 0x2000,
        block: (DATA + 0x600) as u64,
        body: 7,
        budget: 20_000,
        results: vec![own(at(ROOM + 0x2000 + 0x600), To::Port(0))],
    };
    let code = vec![
        Op::Call(0),
        Op::Release(task, 500_000, 0),
        Op::Future(0, 5),
        Op::Future(1, 8),
        Op::Return,
        Op::Call(1),
        Op::Call(2),
        Op::Jump(0),
        Op::Call(2),
        Op::Future(2, 8),
        Op::Return,
    ];
    let mut blocks = [None; block::COUNT];
    blocks[block::START] = Some(0);
    Programs {
        programs: vec![Program {
            groups: vec![Group {
                tasks: vec![Task {
                    thread: task,
                    number: 0,
                }],
                ..Group::default()
            }],
            code,
            waits: vec![
                Wait::After(1_000_000, 0),
                Wait::Interrupt(0),
                Wait::Changed(0),
            ],
            blocks,
            parts: 1,
            bound: 64,
            triggers: 8,
            ..Program::default()
        }],
        ports: vec![port(0, 4, Some(ValueType::U32)), port(0x100, 700, None)],
        drivers: vec![
            copies(vec![own(at(PORTS), To::Place(block))]),
            copies(vec![own(block, To::Port(0))]),
            Driver {
                upcall: Some(look),
                ..Driver::default()
            },
        ],
        precede: None,
        scratch: at(SCRATCH),
        spare: (0, 0),
    }
}

/// Plays `data` as events. Every invariant holds after each.
pub fn explore(data: &[u8]) {
    let mut rig = Rig::boot(&system());
    play(&mut rig, data);
    // SAFETY: no record of the rig was asked for.
    unsafe { rig.free() };
}

fn play(rig: &mut Rig, data: &[u8]) {
    let mut choices = Choices(data);
    rig.set_pace(u64::from(choices.byte() % 8));
    rig.set_piece_time(u64::from(choices.byte()) * 16);
    while !choices.0.is_empty() && rig.stopped().is_none() {
        let runs = !rig.is_idle();
        match choices.byte() % 8 {
            0..=4 if runs => {
                let (number, arguments) = choices.call();
                let _ = rig.call_number(number, arguments);
            }
            5 if runs => {
                let cause = choices.pick(&FaultCause::ALL);
                let (pc, address) = (choices.argument(), choices.argument());
                rig.fault(cause, pc, address);
            }
            6 => rig.raise(choices.pick(&LINES)),
            _ => rig.advance(u64::from(choices.byte()) * 4096),
        }
        if rig.stopped().is_none() {
            rig.check_invariants();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_events_keep_the_invariants() {
        let mut state = 1u64;
        let mut byte = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 56) as u8
        };
        for _ in 0..200 {
            let data: Vec<u8> = (0..4096).map(|_| byte()).collect();
            explore(&data);
        }
    }
}

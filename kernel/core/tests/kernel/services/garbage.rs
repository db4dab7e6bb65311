//! Random systems of threads, objects, messages, regions and supervisors under random
//! calls keep every invariant: what a model would say of them is not asked, only
//! that the kernel stays whole, whatever processes ask for.

use crate::dice::Dice;
use crate::rig::{count, simulate};
use giornata_abi::call::{Call, Request};
use giornata_abi::message::{receive, send};
use giornata_abi::system::{
    FaultPolicy, ObjectEntry, ObjectKind, REGION_READ, REGION_WRITE, RIGHT_USE,
};
use giornata_abi::trace::{FaultCause, TraceKind};
use giornata_abi::{Id, Ticks};
use giornata_core::{Event, Next};
use giornata_sim::{SCRATCH, SHARED, Scheduling, Simulation, SystemBuilder, Tables};

const SEQUENCES: u64 = if cfg!(miri) { 2 } else { 2_000 };
const LENGTH: usize = 300;
const OBJECTS: usize = 7;
const REGIONS: u16 = 3;
/// Where the words of private semaphores lie.
const WORD: usize = SCRATCH + 64;

const CALLS: [Call; 26] = [
    Call::Lock,
    Call::Lock,
    Call::Unlock,
    Call::Unlock,
    Call::Wait,
    Call::Signal,
    Call::Broadcast,
    Call::DeleteObject,
    Call::CreateObject,
    Call::Send,
    Call::Send,
    Call::SendBytes,
    Call::Receive,
    Call::ReceiveBytes,
    Call::ReceiveBytes,
    Call::CreateThread,
    Call::CreateThread,
    Call::JoinThread,
    Call::DetachThread,
    Call::CreateProcess,
    Call::KillProcess,
    Call::AwaitProcess,
    Call::Allocate,
    Call::AttachRegion,
    Call::AttachRegion,
    Call::DetachRegion,
];

fn random_system(dice: &mut Dice) -> Tables {
    let mut b = SystemBuilder::new();
    let processes = 1 + dice.below(3) as u16;
    for index in 0..processes {
        let process = b.process();
        let entry = b.process_entry(process);
        let policies = [
            FaultPolicy::Stop,
            FaultPolicy::Restart,
            FaultPolicy::Restart,
        ];
        entry.on_fault = dice.pick(&policies) as u8;
        entry.max_priority = dice.pick(&[7, 9, 255]);
        (entry.heap, entry.heap_size) = (0x5000, 48);
        if index > 0 && dice.one_in(2) {
            entry.supervisor = 0;
            entry.by_call = dice.below(2) as u16;
        }
        for _ in 0..1 + dice.below(3) {
            let scheduling = match dice.below(4) {
                0 => Scheduling::Deadline(dice.word() >> dice.below(64)),
                1 => Scheduling::RoundRobin(7, 1 + dice.below(100_000) as u32),
                _ => Scheduling::Fifo(dice.pick(&[3, 7, 8, 255])),
            };
            b.thread(process, scheduling);
        }
        for _ in 0..dice.below(3) {
            b.spare_thread(process);
        }
        b.messages(process, dice.below(4) as u16, dice.pick(&[0, 40, 200]));
    }
    for _ in 0..OBJECTS {
        add_object(&mut b, dice, processes);
    }
    for region in 0..REGIONS {
        b.region(dice.pick(&[4096, 8192]));
        for process in 0..processes {
            let rights = dice.pick(&[0, REGION_READ, REGION_READ | REGION_WRITE]);
            b.grant_region(process, region, rights);
        }
    }
    b.finish()
}

fn add_object(b: &mut SystemBuilder, dice: &mut Dice, processes: u16) {
    let is_mailbox = |(_, object): &(usize, &ObjectEntry)| object.kind == ObjectKind::Mailbox as u8;
    let before = b.tables.objects.iter().enumerate();
    let servers: Vec<u16> = before
        .filter(is_mailbox)
        .map(|(index, _)| index as u16)
        .collect();
    let object = match dice.below(9) {
        0 | 1 => b.mutex(),
        2 => b.ceiling_mutex(dice.pick(&[7, 9])),
        3 => b.private_mutex(),
        4 => match dice.one_in(2) {
            true => b.private_semaphore(),
            false => b.semaphore(dice.below(2) as u32, 2),
        },
        5 => b.condition(),
        6 if !servers.is_empty() => b.attached_mailbox(dice.pick(&servers)),
        _ => b.mailbox(),
    };
    let is_private = b.tables.objects[object as usize].flags & 4 != 0;
    if is_private {
        return b.grant_object(dice.below(processes as usize) as u16, object, RIGHT_USE);
    }
    for process in 0..processes {
        let rights = dice.pick(&[0, RIGHT_USE, u16::MAX, u16::MAX]);
        b.grant_object(process, object, rights);
    }
}

fn random_id(dice: &mut Dice) -> usize {
    let generation = dice.pick(&[0, 0, 0, 0, 1, 2]);
    Id::new(dice.below(OBJECTS) as u16, generation).0 as usize
}

fn random_thread(dice: &mut Dice, tables: &Tables) -> usize {
    let thread = dice.below(tables.threads.len()) as u16;
    Id::new(thread, dice.pick(&[0, 0, 1, 2])).0 as usize
}

fn random_request(dice: &mut Dice, tables: &Tables) -> Request {
    let call = dice.pick(&CALLS);
    let until = dice.pick(&[0, 1, 50_000, 500_000, u32::MAX as usize]);
    let high = if until == u32::MAX as usize { until } else { 0 };
    let word = dice.pick(&[0, 0, 0, WORD, WORD, 0x8000_0000]);
    let place = dice.pick(&[SCRATCH, SCRATCH, SCRATCH, SHARED as usize, 0x8000_0000]);
    let length = dice.pick(&[0, 3, 16, 17, 40, 150, 5000]);
    let arguments = match call {
        Call::Lock => [random_id(dice), until, high, word, 0, 0],
        Call::Unlock => [random_id(dice), word, 0, 0, 0, 0],
        Call::Wait => [random_id(dice), random_id(dice), until, high, word, 0],
        Call::CreateObject => [dice.below(OBJECTS), dice.below(2), random_id(dice), 0, 0, 0],
        Call::Send => [random_id(dice), dice.below(3), 1, 2, 3, 4],
        Call::SendBytes => {
            let how = dice.pick(&[0, 0, send::DIRECT, send::VIA, send::VIA, 3]);
            let via = dice.below(OBJECTS);
            [random_id(dice), dice.below(3), place, length, how, via]
        }
        Call::Receive => [random_id(dice), until, high, 0, 0, 0],
        Call::ReceiveBytes => {
            let how = dice.pick(&[0, receive::FULL, receive::FULL]);
            [random_id(dice), until, high, place, length, how]
        }
        Call::CreateThread => [0x4000, 7, dice.pick(&[3, 7, 8, 300]), 0, 0, 0],
        Call::JoinThread => [random_thread(dice, tables), until, high, 0, 0, 0],
        Call::DetachThread => [random_thread(dice, tables), 0, 0, 0, 0, 0],
        Call::AwaitProcess => [until, high, 0, 0, 0, 0],
        Call::CreateProcess | Call::KillProcess => [dice.below(4), 0, 0, 0, 0, 0],
        Call::AttachRegion => [dice.below(4), dice.pick(&[0, 0, 1, 2]), 0, 0, 0, 0],
        Call::DetachRegion => [dice.below(4), 0, 0, 0, 0, 0],
        Call::Allocate => [dice.below(64), 0, 0, 0, 0, 0],
        _ => [random_id(dice), 0, 0, 0, 0, 0],
    };
    Request {
        number: call as usize,
        arguments,
    }
}

fn random_event(dice: &mut Dice, tables: &Tables, next: Next) -> Event {
    let Next::Run(thread) = next else {
        return match next {
            Next::More => Event::Resume,
            _ => Event::Timer,
        };
    };
    let request = |call: Call, a: usize| {
        Event::Call(Request {
            number: call as usize,
            arguments: [a, 0, 0, 0, 0, 0],
        })
    };
    match dice.below(24) {
        0 => Event::Fault {
            cause: FaultCause::Illegal,
            pc: 0,
            address: 0,
        },
        1 => request(Call::Exit, 5),
        2 => request(Call::Yield, 0),
        3 => request(Call::Sleep, dice.below(1_000_000)),
        4 => {
            let own = Id::new(thread, dice.pick(&[0, 1])).0 as usize;
            let mut arguments = [own, dice.pick(&[2, 7, 9]), 0, 0, 0, 0];
            let other = random_thread(dice, tables);
            arguments[0] = dice.pick(&[own, other]);
            let number = Call::SetPriority as usize;
            Event::Call(Request { number, arguments })
        }
        5 => Event::Timer,
        _ => Event::Call(random_request(dice, tables)),
    }
}

/// A process writes what it likes into the word of its private semaphores.
fn scribble(dice: &mut Dice, tables: &Tables, simulation: &mut Simulation<'_>) {
    let process = dice.below(tables.processes.len()) as u16;
    let thread = dice.below(tables.threads.len()) as u32;
    let words = [0, thread | 1 << 14, thread | 3 << 14, 1 << 15, 2];
    let word: u32 = dice.pick(&words);
    let memory = simulation.board().memory(process);
    memory.write(WORD, &word.to_le_bytes()).unwrap();
}

fn run(seed: u64) -> Result<(), String> {
    let dice = &mut Dice(seed);
    let tables = random_system(dice);
    simulate(&tables, |simulation| {
        let mut next = simulation.inject(Ticks(0), Event::Timer);
        for _ in 0..LENGTH {
            if dice.one_in(8) {
                scribble(dice, &tables, simulation);
            }
            let event = random_event(dice, &tables, next);
            let span = 1 << dice.below(12);
            let after = match next {
                Next::More => 0,
                Next::Idle => 1000 + dice.below(10_000),
                _ => dice.below(span),
            };
            next = simulation.inject(Ticks(after as u64), event);
        }
        match count(simulation.records(), TraceKind::Impossible) {
            0 => Ok(()),
            impossible => Err(format!("{impossible} times the impossible")),
        }
    })
}

#[test]
fn whatever_processes_ask_of_services_the_kernel_stays_whole() {
    for seed in 0..SEQUENCES {
        match std::panic::catch_unwind(|| run(seed)) {
            Ok(Ok(())) => {}
            Ok(Err(why)) => panic!("seed {seed}: {why}"),
            Err(_) => panic!("seed {seed} failed"),
        }
    }
}

//! Ten thousand random systems under random events keep every invariant.
//!
//! The events are those that hardware and hostile processes can bring about:
//! calls and faults only from a thread that runs, everything else at any time,
//! garbage included. Nothing that cannot happen may be recorded.

use crate::dice::{Dice, LINES, random_system};
use giornata_abi::call::{Call, Request};
use giornata_abi::trace::{FaultCause, TraceKind};
use giornata_abi::{Id, Ticks};
use giornata_core::{Event, Next};
use giornata_sim::{SCRATCH, Simulation, Tables};

const SEQUENCES: u64 = if cfg!(miri) { 2 } else { 10_000 };
const LENGTH: usize = 100;

const TO_OBJECTS: [Call; 8] = [
    Call::Lock,
    Call::Lock,
    Call::Unlock,
    Call::Wait,
    Call::Signal,
    Call::Broadcast,
    Call::DeleteObject,
    Call::CreateObject,
];

/// The id of an object, of an early generation.
fn random_id(dice: &mut Dice) -> usize {
    let generation = dice.pick(&[0, 0, 0, 1, 2]);
    Id::new(dice.below(5) as u16, generation).0 as usize
}

fn random_request(dice: &mut Dice, tables: &Tables) -> Request {
    let call = match dice.below(3) {
        0 => dice.pick(&TO_OBJECTS),
        _ => dice.pick(Call::ALL),
    };
    let number = if dice.one_in(20) {
        dice.word() as usize
    } else {
        call as usize
    };
    let likely = match call {
        Call::ReadPort | Call::WritePort => {
            let port = dice.below(tables.ports.len());
            [port, SCRATCH, tables.ports[port].size as usize, 0, 0, 0]
        }
        Call::Sleep => [dice.below(2_000_000), 0, 0, 0, 0, 0],
        Call::AwaitInterrupt => [dice.pick(&LINES) as usize, 0, 0, 0, 0, 0],
        Call::SetPriority => [dice.below(12), dice.below(256), 0, 0, 0, 0],
        Call::Lock => [random_id(dice), dice.below(2_000_000), 0, 0, 0, 0],
        Call::Wait => [
            random_id(dice),
            random_id(dice),
            dice.below(2_000_000),
            0,
            0,
            0,
        ],
        Call::CreateObject | Call::OpenObject => [dice.below(5), 0, 0, 0, 0, 0],
        Call::Unlock | Call::Signal | Call::Broadcast | Call::DeleteObject => {
            [random_id(dice), 0, 0, 0, 0, 0]
        }
        Call::Log => [1 + dice.below(16), 0, 0, 0, 0, 0],
        _ => [dice.below(300), 0, 0, 0, 0, 0],
    };
    let mut garbage = || match dice.below(6) {
        0 => 0,
        1 => usize::MAX,
        2 => SCRATCH + 4095,
        3 => 0x8000_0000,
        4 => u32::MAX as usize,
        _ => dice.word() as usize,
    };
    let arguments = likely.map(|one| if garbage() % 4 == 1 { garbage() } else { one });
    Request { number, arguments }
}

fn random_event(dice: &mut Dice, tables: &Tables, next: Next) -> Event {
    let runs = matches!(next, Next::Run(_));
    let line = match dice.below(8) {
        0 => dice.word() as u16,
        _ => dice.pick(&LINES),
    };
    match dice.below(10) {
        0..=4 if runs => Event::Call(random_request(dice, tables)),
        5 if runs && dice.one_in(3) => Event::Fault {
            cause: dice.pick(&FaultCause::ALL),
            pc: dice.word() as usize,
            address: dice.word() as usize,
        },
        6 if runs => end_of(tables, next),
        7 => Event::Interrupt(line),
        _ if next == Next::More => Event::Resume,
        _ => Event::Timer,
    }
}

/// The call by which a thread of this kind ends.
fn end_of(tables: &Tables, next: Next) -> Event {
    let Next::Run(thread) = next else {
        return Event::Timer;
    };
    let call = [Call::Exit, Call::Complete, Call::Return];
    let kind = tables.threads[thread as usize].kind;
    Event::Call(Request {
        number: call[kind as usize] as usize,
        arguments: [1, 0, 0, 0, 0, 0],
    })
}

/// A process writes what it likes into a control page of its own.
fn scribble(dice: &mut Dice, tables: &Tables, simulation: &mut Simulation<'_>) {
    let thread = tables.threads[dice.below(tables.threads.len())];
    let page = thread.control as usize + dice.pick(&[0, 4, 24, 24, 24, 28]);
    let word = dice.word() as u32 >> dice.below(32);
    simulation
        .board()
        .memory(thread.process)
        .write(page, &word.to_le_bytes())
        .unwrap();
}

fn run(seed: u64) -> Result<u64, String> {
    let dice = &mut Dice(seed);
    let tables = random_system(dice);
    crate::rig::simulate(&tables, |simulation| {
        let mut next = simulation.inject(Ticks(0), Event::Timer);
        for _ in 0..LENGTH {
            if matches!(next, Next::Stop(_)) {
                break;
            }
            if dice.one_in(10) {
                scribble(dice, &tables, simulation);
            }
            let event = random_event(dice, &tables, next);
            let span = 1 << dice.below(16);
            let after = if next == Next::More {
                0
            } else {
                dice.below(span)
            };
            next = simulation.inject(Ticks(after as u64), event);
        }
        let impossible = crate::rig::count(simulation.records(), TraceKind::Impossible);
        if impossible == 0 {
            Ok(simulation.entries())
        } else {
            let mut records = simulation.records().iter();
            let first = records.find(|r| r.kind == TraceKind::Impossible as u8);
            Err(format!(
                "{impossible} times the impossible, first {first:?}"
            ))
        }
    })
}

#[test]
fn every_random_sequence_of_events_keeps_every_invariant() {
    let mut entries = 0;
    for seed in 0..SEQUENCES {
        let outcome = std::panic::catch_unwind(|| run(seed));
        entries += match outcome {
            Ok(Ok(entries)) => entries,
            Ok(Err(why)) => panic!("seed {seed}: {why}"),
            Err(_) => panic!("seed {seed} failed"),
        };
    }
    assert!(
        entries > SEQUENCES * LENGTH as u64 / 2,
        "only {entries} entries: runs end too early"
    );
}

//! Calls in registers, and answers out of them.

use crate::tables::HEAP;
use giornata_abi::Error;
use giornata_abi::Id;
use giornata_abi::call::{Call, Request};
use giornata_abi::message::{Envelope, receive, send};
use giornata_abi::region::{READ_ONLY, READ_WRITE};
use giornata_replay_logs as logs;
use giornata_replay_logs::{Call as Logged, TICK_NANOS};
use giornata_sim::{ProcessMemory, SCRATCH};

/// Where a thread has its buffers.
pub(crate) struct Rooms {
    /// What it sends, or writes into a port.
    out: usize,
    /// What it receives, or reads from a port.
    into: usize,
}

impl Rooms {
    pub(crate) fn of(thread: u16) -> Rooms {
        let room = logs::ROOM * usize::from(thread);
        Rooms {
            out: SCRATCH + room,
            into: SCRATCH + 2048 + room,
        }
    }
}

/// An instant in two halves.
fn until(until: logs::Until) -> [usize; 2] {
    let nanos = match until {
        logs::Until::Now => 0,
        logs::Until::Tick(tick) => tick * TICK_NANOS,
        logs::Until::Never => u64::MAX,
    };
    [nanos as u32 as usize, (nanos >> 32) as usize]
}

/// The registers of a call; what it sends lies in the memory of the thread's
/// process.
pub(crate) fn registers(
    request: &logs::Request<'_>,
    rooms: &Rooms,
    memory: &mut ProcessMemory,
) -> Request {
    let [low, high] = until(request.until);
    let (first, second) = (request.first as usize, request.second as usize);
    let (call, arguments): (Call, &[usize]) = match *request.call {
        Logged::Null => (Call::Null, &[]),
        Logged::Yield => (Call::Yield, &[]),
        Logged::Clock => (Call::Clock, &[]),
        Logged::CpuTime => (Call::CpuTime, &[]),
        Logged::Exit(value) => (Call::Exit, &[value as usize]),
        Logged::Panic => (Call::Panic, &[]),
        Logged::Sleep(_) => (Call::Sleep, &[low, high]),
        Logged::AwaitInterrupt(line) => (Call::AwaitInterrupt, &[line.into()]),
        Logged::ReadPort(port) => (Call::ReadPort, &[port, rooms.into, 4]),
        Logged::WritePort(port, value) => {
            put(memory, rooms.out, &value.to_le_bytes());
            (Call::WritePort, &[port, rooms.out, 4])
        }
        Logged::SetPriority(_, priority) => (Call::SetPriority, &[first, priority.into()]),
        Logged::Create(slot, None) => (Call::CreateObject, &[slot]),
        Logged::Create(slot, Some(_)) => (Call::CreateObject, &[slot, 1, second]),
        Logged::Open(slot) => (Call::OpenObject, &[slot]),
        Logged::Delete(_) => (Call::DeleteObject, &[first]),
        Logged::Lock(..) => (Call::Lock, &[first, low, high]),
        Logged::Unlock(_) => (Call::Unlock, &[first]),
        Logged::Wait(..) => (Call::Wait, &[first, second, low, high]),
        Logged::Signal(_) => (Call::Signal, &[first]),
        Logged::Broadcast(_) => (Call::Broadcast, &[first]),
        Logged::Send(_, priority, [a, b]) => (
            Call::Send,
            &[first, priority as usize, a as usize, b as usize],
        ),
        Logged::SendBytes(_, priority, length, way) => {
            let bytes: Vec<u8> = (0..length)
                .map(|place| logs::message_byte(length, place))
                .collect();
            put(memory, rooms.out, &bytes);
            let (how, via) = match way {
                logs::Way::Usual => (0, 0),
                logs::Way::Direct => (send::DIRECT, 0),
                logs::Way::By(server, node) => (send::VIA, server | usize::from(node) << 16),
            };
            let (priority, length) = (priority as usize, length as usize);
            (
                Call::SendBytes,
                &[first, priority, rooms.out, length, how, via],
            )
        }
        Logged::Receive(..) => (Call::Receive, &[first, low, high]),
        Logged::ReceiveBytes(..) => (
            Call::ReceiveBytes,
            &[first, low, high, rooms.into, logs::ROOM, 0],
        ),
        Logged::Serve(..) => (
            Call::ReceiveBytes,
            &[first, low, high, rooms.into, logs::ROOM, receive::FULL],
        ),
        Logged::CreateThread(priority) => (Call::CreateThread, &[0, 0, priority.into()]),
        Logged::Join(..) => (Call::JoinThread, &[first, low, high]),
        Logged::Detach(_) => (Call::DetachThread, &[first]),
        Logged::CreateProcess(process) => (Call::CreateProcess, &[process]),
        Logged::KillProcess(process) => (Call::KillProcess, &[process]),
        Logged::AwaitProcess(_) => (Call::AwaitProcess, &[low, high]),
        Logged::Allocate(bytes) => (Call::Allocate, &[bytes as usize]),
        Logged::AttachRegion(region, true) => (Call::AttachRegion, &[region, READ_WRITE]),
        Logged::AttachRegion(region, false) => (Call::AttachRegion, &[region, READ_ONLY]),
        Logged::DetachRegion(region) => (Call::DetachRegion, &[region]),
    };
    let mut all = [0; 6];
    all[..arguments.len()].copy_from_slice(arguments);
    Request {
        number: call as usize,
        arguments: all,
    }
}

fn put(memory: &mut ProcessMemory, at: usize, bytes: &[u8]) {
    memory.write(at, bytes).expect("in the scratch page");
}

/// What a call returned.
pub(crate) fn answer(
    call: Option<&Logged>,
    registers: [usize; 6],
    rooms: &Rooms,
    memory: &mut ProcessMemory,
) -> logs::Answer {
    let [error, words @ ..] = registers.map(|register| register as u64);
    let error = error as u8;
    let has_words = error == 0 || error == Error::EOWNERDEAD as u8;
    let words = match call.filter(|_| has_words) {
        Some(call) => words_of(call, words, rooms, memory),
        None => Vec::new(),
    };
    logs::Answer { error, words }
}

fn words_of(call: &Logged, words: [u64; 5], rooms: &Rooms, memory: &mut ProcessMemory) -> Vec<u64> {
    let thread = |id: u64| u64::from(Id(id as u32).index());
    match call {
        Logged::Clock | Logged::CpuTime => vec![words[1] << 32 | words[0]],
        Logged::ReadPort(_) => vec![memory.word(rooms.into, 4).expect("in the scratch page")],
        Logged::Create(..) | Logged::Open(_) | Logged::Join(..) => vec![words[0]],
        Logged::Receive(..) => words.to_vec(),
        Logged::ReceiveBytes(..) | Logged::Serve(..) => {
            let [length, priority, destination, from, sender] = words;
            let bytes = memory.range(rooms.into, length as usize);
            let digest = logs::digest(bytes.expect("in the scratch page"));
            let mut all = vec![length, priority, thread(sender), digest];
            if let Logged::Serve(..) = call {
                let Envelope { node, incoming } = Envelope::from_word(from as usize);
                all.extend([destination, node.into(), incoming.into()]);
            }
            all
        }
        Logged::CreateThread(_) => vec![thread(words[0])],
        Logged::AwaitProcess(_) => words[..3].to_vec(),
        Logged::Allocate(_) => vec![words[0] - u64::from(HEAP)],
        Logged::AttachRegion(..) => vec![words[1]],
        _ => Vec::new(),
    }
}

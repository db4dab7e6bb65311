//! Calls in registers, and answers out of them.

use giornata_abi::Error;
use giornata_abi::call::Call;
use giornata_abi::message::{Envelope, receive, send};
use giornata_abi::region::{READ_ONLY, READ_WRITE};
use giornata_host::Results;
use giornata_replay_logs as logs;
use giornata_replay_logs::{Call as Logged, TICK_NANOS};

use crate::places::{At, HEAP};

/// Where a thread has its buffers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffers {
    pub(crate) sent: At,
    pub(crate) received: At,
}

/// An id in one word: the slot below, the serial number above.
pub(crate) fn id(slot: usize, serial: u32) -> u64 {
    slot as u64 | u64::from(serial) << 32
}

/// An instant in two registers.
fn halves(until: logs::Until) -> [usize; 2] {
    let tick = match until {
        logs::Until::Now => 0,
        logs::Until::Tick(tick) => tick,
        logs::Until::Never => u64::MAX,
    };
    [tick as u32 as usize, (tick >> 32) as usize]
}

/// What a call sends from memory.
pub(crate) fn bytes(call: &Logged) -> Vec<u8> {
    match *call {
        Logged::WritePort(_, value) => value.to_le_bytes().to_vec(),
        Logged::SendBytes(_, _, length, _) => (0..length)
            .map(|place| logs::message_byte(length, place))
            .collect(),
        _ => Vec::new(),
    }
}

/// The number and the registers of a call.
pub(crate) fn registers(request: &logs::Request<'_>, buffers: &Buffers) -> (Call, [usize; 6]) {
    let [low, high] = halves(request.until);
    let [slot, serial] = [
        request.first as u32 as usize,
        (request.first >> 32) as usize,
    ];
    let second = request.second as u32 as usize;
    let (sent, received) = (buffers.sent.user(), buffers.received.user());
    let to = |priority: u32| slot | (priority as usize) << 16;
    let (call, arguments): (Call, &[usize]) = match *request.call {
        Logged::Null => (Call::Null, &[]),
        Logged::Yield => (Call::Yield, &[]),
        Logged::Clock => (Call::Clock, &[]),
        Logged::CpuTime => (Call::CpuTime, &[]),
        Logged::Exit(value) => (Call::Exit, &[value as usize]),
        Logged::Panic => (Call::Panic, &[]),
        Logged::Sleep(_) => (Call::Sleep, &[low, high]),
        Logged::AwaitInterrupt(line) => (Call::AwaitInterrupt, &[line.into()]),
        Logged::ReadPort(port) => (Call::ReadPort, &[port, received, 4]),
        Logged::WritePort(port, _) => (Call::WritePort, &[port, sent, 4]),
        Logged::SetPriority(_, priority) => (Call::SetPriority, &[slot, serial, priority.into()]),
        Logged::Create(slot, None) => (Call::CreateObject, &[slot]),
        Logged::Create(slot, Some(_)) => (Call::CreateObject, &[slot, 1, second]),
        Logged::Open(slot) => (Call::OpenObject, &[slot]),
        Logged::Delete(_) => (Call::DeleteObject, &[slot, serial]),
        Logged::Lock(..) => (Call::Lock, &[slot, serial, low, high]),
        Logged::Unlock(_) => (Call::Unlock, &[slot, serial]),
        Logged::Wait(..) => (Call::Wait, &[slot, serial, second, low, high]),
        Logged::Signal(_) => (Call::Signal, &[slot, serial]),
        Logged::Broadcast(_) => (Call::Broadcast, &[slot, serial]),
        Logged::Send(_, priority, [a, b]) => {
            (Call::Send, &[to(priority), serial, a as usize, b as usize])
        }
        Logged::SendBytes(_, priority, length, way) => {
            let (how, via) = match way {
                logs::Way::Usual => (0, 0),
                logs::Way::Direct => (send::DIRECT, 0),
                logs::Way::By(server, node) => (send::VIA, server | usize::from(node) << 16),
            };
            let length = length as usize;
            (
                Call::SendBytes,
                &[to(priority), serial, sent, length, how, via],
            )
        }
        Logged::Receive(..) => (Call::Receive, &[slot, serial, low, high]),
        Logged::ReceiveBytes(..) => (
            Call::ReceiveBytes,
            &[slot, serial, low, high, received, logs::ROOM],
        ),
        Logged::Serve(..) => {
            let how = receive::FULL << 16;
            (
                Call::ReceiveBytes,
                &[slot, serial, low, high, received, logs::ROOM | how],
            )
        }
        Logged::CreateThread(priority) => (Call::CreateThread, &[0, 0, priority.into()]),
        Logged::Join(..) => (Call::JoinThread, &[slot, serial, low, high]),
        Logged::Detach(_) => (Call::DetachThread, &[slot, serial]),
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
    (call, all)
}

/// What a call returned; `memory` are the bytes that its caller received.
pub(crate) fn answer(
    call: Option<&Logged>,
    results: Results,
    memory: impl FnOnce(usize) -> Vec<u8>,
) -> logs::Answer {
    let [error, values @ ..] = results.map(|register| register as u64);
    let error = error as u8;
    let has_words = error == 0 || error == Error::EOWNERDEAD as u8;
    let words = match call.filter(|_| has_words) {
        Some(call) => words(call, values, memory),
        None => Vec::new(),
    };
    logs::Answer { error, words }
}

fn words(call: &Logged, values: [u64; 6], memory: impl FnOnce(usize) -> Vec<u8>) -> Vec<u64> {
    let [first, second, third, ..] = values;
    match call {
        Logged::Clock | Logged::CpuTime => vec![(second << 32 | first) * TICK_NANOS],
        Logged::ReadPort(_) => {
            let word = memory(4).try_into().map(u32::from_le_bytes);
            vec![word.expect("a value").into()]
        }
        Logged::Create(..) | Logged::Open(_) => vec![id(first as usize, second as u32)],
        Logged::Join(..) => vec![first],
        Logged::Receive(..) => {
            let [a, b, c, d, priority, _] = values;
            vec![a, b, c, d, priority & 0xFFFF]
        }
        Logged::ReceiveBytes(..) | Logged::Serve(..) => {
            let [length, slot, serial, from, sender, _] = values;
            let (length, priority) = (length & 0xFFFF, length >> 16);
            let digest = logs::digest(&memory(length as usize));
            let mut all = vec![length, priority, sender, digest];
            if let Logged::Serve(..) = call {
                let Envelope { node, incoming } = Envelope::from_word(from as usize);
                all.extend([
                    id(slot as usize, serial as u32),
                    node.into(),
                    incoming.into(),
                ]);
            }
            all
        }
        Logged::CreateThread(_) => vec![first],
        Logged::AwaitProcess(_) => vec![first, second, third],
        Logged::Allocate(_) => vec![first - HEAP as u64],
        Logged::AttachRegion(..) => vec![second],
        _ => Vec::new(),
    }
}

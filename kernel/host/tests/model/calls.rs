//! Calls as registers, and registers as replies.

use giornata_abi::Error;
use giornata_abi::call::{Call, NOBODY};
use giornata_abi::id::Id;
use giornata_abi::message::{receive, send};
use giornata_host::Results;
use giornata_test_model::request::Route;
use giornata_test_model::system::{Kind, System};
use giornata_test_model::{Reply, Request};

use crate::system::{FIRST_LINE, Places};

/// An instant in two registers.
fn halves(instant: u64) -> [usize; 2] {
    [instant as u32 as usize, (instant >> 32) as usize]
}

/// An id in two registers.
fn id(id: Id) -> [usize; 2] {
    [id.slot as usize, id.serial as usize]
}

/// An id with 16 bits of something else beside its slot.
fn with(upper: usize, whose: Id) -> [usize; 2] {
    let [slot, serial] = id(whose);
    [slot | upper << 16, serial]
}

/// Six registers, from parts that follow each other.
fn pad(parts: &[&[usize]]) -> [usize; 6] {
    let mut registers = [0; 6];
    let parts = parts.iter().copied().flatten();
    for (register, value) in registers.iter_mut().zip(parts) {
        *register = *value;
    }
    registers
}

/// The number and the registers of a call of a thread. The bytes that it sends lie where
/// the thread has its place for that.
pub(crate) fn registers(request: &Request, system: &System, thread: usize) -> (Call, [usize; 6]) {
    let places = Places::new(system, thread);
    let word = |slot: usize| match system.objects.get(slot).map(|spec| spec.kind) {
        Some(Kind::Mutex { private: true, .. }) => places.word(slot),
        _ => 0,
    };
    let wide = |words: &[u32; 4]| words.map(|word| word as usize);
    match request {
        Request::Yield => (Call::Yield, pad(&[])),
        Request::Exit { value } => (Call::Exit, pad(&[&[*value as usize]])),
        Request::Sleep { until } => (Call::Sleep, pad(&[&halves(*until)])),
        Request::AwaitInterrupt { line } => (Call::AwaitInterrupt, pad(&[&[FIRST_LINE + line]])),
        Request::SetPriority { thread, priority } => (
            Call::SetPriority,
            pad(&[&id(*thread), &[*priority as usize]]),
        ),
        Request::CreateObject { slot, server } => (
            Call::CreateObject,
            pad(&[&[*slot, server.is_some().into(), server.unwrap_or(0)]]),
        ),
        Request::DeleteObject { object } => (Call::DeleteObject, pad(&[&id(*object)])),
        Request::OpenObject { slot } => (Call::OpenObject, pad(&[&[*slot]])),
        Request::Lock { object, until } => (
            Call::Lock,
            pad(&[&id(*object), &halves(*until), &[word(object.slot as usize)]]),
        ),
        Request::Unlock { object } => (
            Call::Unlock,
            pad(&[&id(*object), &[word(object.slot as usize)]]),
        ),
        Request::Wait {
            condition,
            mutex,
            until,
        } => (
            Call::Wait,
            pad(&[&id(*condition), &[*mutex], &halves(*until), &[word(*mutex)]]),
        ),
        Request::Signal { condition } => (Call::Signal, pad(&[&id(*condition)])),
        Request::Broadcast { condition } => (Call::Broadcast, pad(&[&id(*condition)])),
        Request::Send {
            mailbox,
            priority,
            words,
        } => (
            Call::Send,
            pad(&[&with((*priority).into(), *mailbox), &wide(words)]),
        ),
        Request::SendBytes {
            mailbox,
            priority,
            bytes,
            route,
        } => {
            let (how, via) = match route {
                Route::Usual => (0, 0),
                Route::Direct => (send::DIRECT, 0),
                Route::Via(server, node) => (send::VIA, server | usize::from(*node) << 16),
            };
            let to = with((*priority).into(), *mailbox);
            (
                Call::SendBytes,
                pad(&[&to, &[places.sent(), bytes.len(), how, via]]),
            )
        }
        Request::Receive { mailbox, until } => {
            (Call::Receive, pad(&[&id(*mailbox), &halves(*until)]))
        }
        Request::ReceiveBytes {
            mailbox,
            until,
            capacity,
            full,
        } => {
            let how = if *full { receive::FULL } else { 0 };
            let into = [places.received(), capacity | how << 16];
            (
                Call::ReceiveBytes,
                pad(&[&id(*mailbox), &halves(*until), &into]),
            )
        }
        Request::CreateThread { priority } => {
            (Call::CreateThread, pad(&[&[0x4000, 7, *priority as usize]]))
        }
        Request::JoinThread { thread, until } => {
            (Call::JoinThread, pad(&[&id(*thread), &halves(*until)]))
        }
        Request::DetachThread { thread } => (Call::DetachThread, pad(&[&id(*thread)])),
        Request::CreateProcess { process } => (Call::CreateProcess, pad(&[&[*process]])),
        Request::KillProcess { process } => (Call::KillProcess, pad(&[&[*process]])),
        Request::AwaitProcess { until } => (Call::AwaitProcess, pad(&[&halves(*until)])),
        Request::Call {
            mailbox,
            priority,
            words,
        } => (
            Call::Call,
            pad(&[&with((*priority).into(), *mailbox), &wide(words)]),
        ),
        Request::ReplyReceive {
            client,
            token,
            words,
        } => {
            let client = [client.unwrap_or(NOBODY), *token as usize];
            (Call::ReplyReceive, pad(&[&client, &wide(words)]))
        }
        Request::Forward {
            mailbox,
            client,
            token,
        } => (
            Call::Forward,
            pad(&[&id(*mailbox), &[*client, *token as usize]]),
        ),
    }
}

/// What a call returned; `bytes`: what lies where its caller receives.
pub(crate) fn reply(results: Results, bytes: impl FnOnce(usize) -> Option<Vec<u8>>) -> Reply {
    let [a0, values @ ..] = results.map(|value| value as u32);
    match a0 {
        0 => {
            let mut reply = Reply::values(&values);
            reply.bytes = bytes((values[0] & 0xFFFF) as usize);
            reply
        }
        code => {
            assert_eq!(values, [0; 6], "a refusal with values");
            Reply::refused(Error::from_code(code as usize).expect("the code of an error"))
        }
    }
}

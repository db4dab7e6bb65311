//! For tests: what the registers of a call say, as the second kernel has them.

use giornata_abi::call::{Call, Request};

use crate::host::Reply;
use crate::id::Id;

/// The arguments of a call as the first kernel has them; the clock counts nanoseconds.
pub(crate) fn logical(request: &Request) -> [usize; 6] {
    let [a, b, c, d, e, f] = request.arguments;
    let id = Id::of_parts(a & 0xFFFF, b).0 as usize;
    match Call::from_number(request.number) {
        Some(Call::Lock | Call::Wait | Call::Unlock | Call::JoinThread) => [id, c, d, e, f, 0],
        Some(
            Call::DeleteObject
            | Call::Signal
            | Call::Broadcast
            | Call::DetachThread
            | Call::SetPriority,
        ) => [id, c, 0, 0, 0, 0],
        Some(Call::ReceiveBytes) => [id, c, d, e, f & 0xFFFF, f >> 16],
        Some(Call::Receive) => [id, c, d, 0, 0, 0],
        _ => [a, b, c, d, e, f],
    }
}

/// What `CreateObject`, `OpenObject` and `CreateThread` answer.
pub(crate) fn made(id: Id) -> Reply {
    let (slot, serial) = id.parts();
    Reply([0, slot, serial, 0, 0, 0, 0])
}

/// What `ReceiveBytes` answers of a message.
pub(crate) fn delivered(length: usize, priority: u32, sender: Id) -> Reply {
    let (slot, serial) = sender.parts();
    let both = length | (priority as usize) << 16;
    Reply([0, both, 0, 1, 0, slot, serial])
}

//! For tests: what the registers of a call say, as the first kernel has them.

use giornata_abi::call::{Answer, Request};

use crate::host::Reply;
use crate::id::Id;

/// The arguments of a call.
pub(crate) fn logical(request: &Request) -> [usize; 6] {
    request.arguments
}

/// What `CreateObject`, `OpenObject` and `CreateThread` answer.
pub(crate) fn made(id: Id) -> Reply {
    Answer::word(id.0 as usize).into()
}

/// What `ReceiveBytes` answers of a message.
pub(crate) fn delivered(length: usize, priority: u32, sender: Id) -> Reply {
    Answer::five([length, priority as usize, 0, 0, sender.0 as usize]).into()
}

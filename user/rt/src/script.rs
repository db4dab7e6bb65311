//! For tests: a kernel that expects certain calls, and what registers say. Tests name an
//! id as one argument, and an instant in nanoseconds.

use core::cell::Cell;
use giornata_abi::Error;
use giornata_abi::call::{Answer, Call, Request};
use std::rc::Rc;
use std::vec::Vec;

use crate::host::Reply;
use crate::id::Id;

/// The low half of "for ever", and the high one.
pub(crate) const EVER: usize = u32::MAX as usize;

/// A kernel that expects certain calls; when it is dropped, it has had all.
pub(crate) struct Script {
    made: Rc<Cell<usize>>,
    expected: usize,
}

/// Expects these calls in this order: the first arguments, and the error
/// that is returned.
pub(crate) fn expect<const N: usize>(calls: [(Call, &[usize], Option<Error>); N]) -> Script {
    let calls = calls.map(|(call, arguments, error)| (call, Vec::from(arguments), error));
    let made = Rc::new(Cell::new(0));
    let count = made.clone();
    crate::host::set_hook(move |request| {
        let (call, arguments, error) = &calls[count.get()];
        count.set(count.get() + 1);
        assert_eq!(Call::from_number(request.number), Some(*call));
        assert_eq!(&logical(&request)[..arguments.len()], arguments);
        error.map_or(Answer::DONE, Answer::error)
    });
    Script { made, expected: N }
}

impl Script {
    /// All calls have been made.
    #[track_caller]
    pub(crate) fn finish(self) {
        crate::host::clear_hook();
        assert_eq!(self.made.get(), self.expected);
    }
}

/// The arguments of a call, each id as one.
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

/// What `CreateObject`, `OpenObject` and `CreateThread` return.
pub(crate) fn made(id: Id) -> Reply {
    let (slot, serial) = id.parts();
    Reply([0, slot, serial, 0, 0, 0, 0])
}

/// What `ReceiveBytes` returns of a message.
pub(crate) fn delivered(length: usize, priority: u32, sender: Id) -> Reply {
    let (slot, serial) = sender.parts();
    let both = length | (priority as usize) << 16;
    Reply([0, both, 0, 1, 0, slot, serial])
}

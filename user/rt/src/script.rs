//! For tests: a kernel that expects certain calls. Tests name arguments as the first
//! kernel has them, an id and an instant as one of each.

use core::cell::Cell;
use giornata_abi::Error;
use giornata_abi::call::{Answer, Call};
use std::rc::Rc;
use std::vec::Vec;

pub(crate) use crate::answers::{delivered, logical, made};

/// The low half of "for ever", and the high one.
pub(crate) const EVER: usize = u32::MAX as usize;

/// A kernel that expects certain calls; told that it goes, it has had all.
pub(crate) struct Script {
    made: Rc<Cell<usize>>,
    expected: usize,
}

/// Expects these calls in this order: the first arguments, and the error
/// that is the answer.
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

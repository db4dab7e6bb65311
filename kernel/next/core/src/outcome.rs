//! What an entry into the kernel comes to.

use crate::{Error, Ref, Thread};

/// The result of the caller, and who runs next.
///
/// Two registers, `a0` and `a1` of the trap path:
///
/// | `next` | `answer` |
/// |---|---|
/// | none | the caller goes on with it in `a0`, and 0 in `a1..` |
/// | the caller | it goes on as its context's kind says |
/// | another thread | the reason, for the record of the switch |
#[must_use]
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Outcome {
    /// See above.
    pub answer: usize,
    /// See above.
    pub next: Option<Ref<Thread>>,
}

impl Outcome {
    /// The caller goes on: success.
    pub const DONE: Outcome = Outcome {
        answer: 0,
        next: None,
    };

    /// The caller goes on: a refusal.
    #[inline(always)]
    pub const fn error(error: Error) -> Outcome {
        Outcome {
            answer: error as usize,
            next: None,
        }
    }

    /// The hart leaves for a thread.
    #[inline(always)]
    pub const fn switch(next: Ref<Thread>) -> Outcome {
        Outcome {
            answer: 0,
            next: Some(next),
        }
    }

    /// The same, and what the record of the switch tells.
    #[inline(always)]
    pub const fn because(next: Ref<Thread>, reason: usize) -> Outcome {
        Outcome {
            answer: reason,
            next: Some(next),
        }
    }
}

//! What an entry into the kernel comes to.

use core::cell::Cell;

use crate::{Error, Ref, Thread};

/// The result of the caller, and who runs next.
///
/// Two registers, `a0` and `a1` of the trap path:
///
/// | next | answer |
/// |---|---|
/// | none | the caller goes on with it in `a0`, and 0 in `a1..` |
/// | the caller | 0 or a reason: it goes on as its context's kind says; [`PAIR`](crate::trace::reason::PAIR): with 0 in `a0`, `a1` and `a2` of its context, and 0 in `a3..`; else the address of six words of 32 bits: it goes on with 0 in `a0` and these in `a1..a6` |
/// | another thread | the reason, for the record of the switch |
///
/// One integer as wide as both, and not a struct, so that the compiler makes tail calls of
/// what returns it.
#[must_use]
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Outcome(Double);

/// An integer of two registers.
type Double = <Registers<{ size_of::<usize>() }> as TwoRegisters>::Both;

struct Registers<const BYTES: usize>;
trait TwoRegisters {
    type Both;
}
impl TwoRegisters for Registers<4> {
    type Both = u64;
}
impl TwoRegisters for Registers<8> {
    type Both = u128;
}

impl Outcome {
    /// The caller goes on: success.
    pub const DONE: Outcome = Outcome(0);

    /// The caller goes on: with an answer.
    #[inline(always)]
    pub const fn returns(answer: usize) -> Outcome {
        Outcome(answer as Double)
    }

    /// The caller goes on: a refusal.
    #[inline(always)]
    pub const fn error(error: Error) -> Outcome {
        Outcome::returns(error as usize)
    }

    /// The hart leaves for a thread.
    #[inline(always)]
    pub fn switch(next: Ref<Thread>) -> Outcome {
        Outcome((core::ptr::from_ref(next).expose_provenance() as Double) << usize::BITS)
    }

    /// The caller goes on with six words. They are looked at before anything else happens,
    /// so their place may be free by then.
    #[inline(always)]
    pub fn words(caller: Ref<Thread>, words: &'static [Cell<u32>; 6]) -> Outcome {
        #[cfg(feature = "harts")]
        {
            // (another hart may have their place before the caller goes on)
            caller.returns(words.each_ref().map(|word| word.get() as usize))
        }
        #[cfg(not(feature = "harts"))]
        Outcome::switch(caller).with(core::ptr::from_ref(words).expose_provenance())
    }

    /// The same, and what the record of the switch tells.
    #[inline(always)]
    pub fn because(next: Ref<Thread>, reason: usize) -> Outcome {
        Outcome(Outcome::switch(next).0 | reason as Double)
    }

    /// The same with a reason, where it has none.
    #[cfg_attr(feature = "harts", allow(dead_code))]
    #[inline(always)]
    pub(crate) fn with(self, reason: usize) -> Outcome {
        Outcome(self.0 | reason as Double)
    }

    /// What lies in `a0`.
    pub fn answer(&self) -> usize {
        self.0 as usize
    }

    /// The address of the next, for the exit path of a host; 0: the caller goes on.
    pub fn next_address(&self) -> usize {
        (self.0 >> usize::BITS) as usize
    }
}

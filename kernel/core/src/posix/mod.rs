//! What POSIX.13 PSE51 asks for beyond the services that threads synchronise by: one more
//! call, whose operation says what is to be done.

mod ceiling;
mod cpu_clock;
mod policy;
mod real_time;
mod signal;
mod word;

use giornata_abi::Error;
use giornata_abi::posix::Operation;

use crate::thread::tenancy;
use crate::{Kernel, Machine, Outcome, Ref, Thread};

pub(crate) use ceiling::has_left_ceiling;
pub(crate) use cpu_clock::keep_time;
pub(crate) use policy::{SERVER, has_waited, note_taken, pays_for_itself};
pub(crate) use real_time::note_real_time;
pub(crate) use word::{lock_word, note_word, noted_word, unlock_word};

/// The call of an ordinary thread. Others are refused before.
///
/// It has no entry in the table of calls, whose bytes and whose comparison are the same in
/// every kernel: the trap path finds it behind that.
pub extern "C-unwind" fn call<M: Machine>(
    operation: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
    me: Ref<Thread>,
) -> Outcome {
    let kernel = M::kernel();
    match Operation::from_number(operation) {
        Some(Operation::ThreadTime) => kernel.thread_time::<M>(me, b, c),
        Some(Operation::ProcessTime) => kernel.process_time::<M>(me),
        Some(Operation::Interrupt) => kernel.interrupt::<M>(me, b, c, d),
        Some(Operation::SetPolicy) => kernel.set_policy::<M>(me, b, c, d, e, f),
        Some(Operation::SetTimer) => kernel.set_timer(me, b, c, d, e),
        Some(Operation::RealTime) => kernel.real_time(me),
        Some(Operation::GoBack) => kernel.go_back::<M>(me, b),
        None => Outcome::error(Error::ENOSYS),
    }
}

impl Kernel {
    /// An ordinary thread of the caller's process, by its id. O(1).
    #[inline(never)]
    fn ordinary(&self, me: Ref<Thread>, slot: usize, serial: usize) -> Option<Ref<Thread>> {
        let (thread, other) = self.sibling(me, slot, serial)?;
        (other == 0 && thread.tenancy.get() >= tenancy::GIVEN).then_some(thread)
    }
}

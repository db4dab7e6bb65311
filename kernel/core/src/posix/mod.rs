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
use giornata_abi::ring::Kind;

use crate::sched::thread::tenancy;
use crate::{Machine, Outcome, Ref, System, Thread, same};

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
    let system = M::system();
    match Operation::from_number(operation) {
        Some(Operation::ThreadTime) => system.thread_time::<M>(me, b, c),
        Some(Operation::ProcessTime) => system.process_time::<M>(me),
        Some(Operation::Interrupt) => system.interrupt::<M>(me, b, c, d),
        Some(Operation::SetPolicy) => system.set_policy::<M>(me, b, c, d, e, f),
        Some(Operation::SetTimer) => system.set_timer::<M>(me, b, c, d, e),
        Some(Operation::RealTime) => system.real_time(me),
        Some(Operation::GoBack) => system.signal_return::<M>(me, b),
        Some(Operation::SetName) => {
            system.set_name::<M>(me, b, [c as u32, d as u32, e as u32, f as u32])
        }
        None => Outcome::error(Error::ENOSYS),
    }
}

impl System {
    /// Records what a thread of the caller's process is called.
    #[inline(never)]
    fn set_name<M: Machine>(&self, me: Ref<Thread>, who: usize, text: [u32; 4]) -> Outcome {
        let (slot, bytes) = (who & 0xFFFF, who >> 16);
        let thread = self.threads.get(slot);
        let Some(thread) = thread.filter(|thread| same(thread.process, me.process)) else {
            return Outcome::error(Error::ESRCH);
        };
        if bytes > size_of_val(&text) {
            return Outcome::error(Error::EINVAL);
        }
        let label = self.head(Kind::Name, thread.number() as u16);
        self.write_text::<M>(label, bytes as u32, text);
        Outcome::DONE
    }

    /// An ordinary thread of the caller's process, by its id. O(1).
    #[inline(never)]
    fn ordinary(&self, me: Ref<Thread>, slot: usize, serial: usize) -> Option<Ref<Thread>> {
        let (thread, other) = self.sibling(me, slot, serial)?;
        (other == 0 && thread.tenancy.get() >= tenancy::GIVEN).then_some(thread)
    }
}

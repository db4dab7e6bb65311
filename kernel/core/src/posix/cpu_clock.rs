//! CPU-time clocks (POSIX.1 `clock_getcpuclockid`): a thread's is what the exit path charges
//! it for anyway, a process's the sum of its threads'. So a switch costs nothing for them.

use giornata_abi::Error;

use crate::{Machine, Outcome, Ref, System, Thread, differ};

/// What a thread has run up to the last switch.
fn spent(thread: Ref<Thread>) -> u64 {
    u64::from(thread.spent_high.get()) << 32 | u64::from(thread.spent.get())
}

/// The next tenant of a thread's place begins: what the last one has run remains in the
/// time of the process.
pub(crate) fn keep_time(thread: Ref<Thread>) {
    let process = thread.process;
    let ended = u64::from(process.ended_high.get()) << 32 | u64::from(process.ended.get());
    let ended = ended.wrapping_add(spent(thread));
    process.ended.set(ended as u32);
    process.ended_high.set((ended >> 32) as u32);
}

impl System {
    /// Ticks that a thread of the caller's process has run, one that has ended and is to be
    /// joined too.
    #[inline(never)]
    pub(crate) fn thread_time<M: Machine>(
        &self,
        me: Ref<Thread>,
        slot: usize,
        serial: usize,
    ) -> Outcome {
        let thread = self.threads.get(slot).filter(|thread| {
            let other = differ(thread.process, me.process);
            let other = other | (thread.serial.get() ^ serial as u32) as usize;
            other == 0 && (thread.lives() || thread.has_ended())
        });
        match thread {
            Some(thread) => time(me, self.cpu_time_of::<M>(me, thread)),
            None => Outcome::error(Error::ESRCH),
        }
    }

    /// Ticks that the threads of the caller's process have run. O(threads of the process).
    #[inline(never)]
    pub(crate) fn process_time<M: Machine>(&self, me: Ref<Thread>) -> Outcome {
        let process = me.process;
        let mut all = u64::from(process.ended_high.get()) << 32 | u64::from(process.ended.get());
        for thread in process.threads {
            all = all.wrapping_add(self.cpu_time_of::<M>(me, thread));
        }
        time(me, all)
    }

    /// What a thread has run up to now; `me` runs.
    fn cpu_time_of<M: Machine>(&self, me: Ref<Thread>, thread: Ref<Thread>) -> u64 {
        let running = self.uncharged_of::<M>(me, thread);
        spent(thread).wrapping_add(running.into())
    }
}

/// The result of a call that returns ticks.
fn time(me: Ref<Thread>, ticks: u64) -> Outcome {
    me.pair(ticks as u32 as usize, (ticks >> 32) as usize)
}

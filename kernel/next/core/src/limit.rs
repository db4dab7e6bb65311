//! Limits of execution time: a thread's quantum, a job's budget.

use crate::{Kernel, Machine, Ref, Thread, before};

impl Kernel {
    /// A thread whose time is limited is about to run: the alarm is the earlier of the
    /// next time event and the instant at which it has run for as long as it may.
    pub fn limit<M: Machine>(&self, thread: Ref<Thread>) {
        let since = self.trace.since.get();
        let left = thread.limit.get().wrapping_sub(thread.spent.get());
        let (end, next) = (since.wrapping_add(left), self.agenda.next());
        M::alarm(if before(end, next) { end } else { next }, M::now());
    }
}

//! What must be true of the records between two events. For tests.

use crate::process::life;
use crate::sched::epoch::LONG;
use crate::sched::thread::{kind, role, state, tenancy};
use crate::{Process, Rank, Ref, System, Thread, is_not, same};

macro_rules! hold {
    ($condition:expr, $broken:literal) => {
        if !$condition {
            return Err($broken);
        }
    };
}

impl System {
    /// The first that is broken, if any. O(threads squared).
    pub fn check_invariants(&self) -> Result<(), &'static str> {
        self.check_ranks()?;
        self.check_mail()?;
        self.check_locks()?;
        self.check_micro()?;
        self.check_streams()?;
        self.check_harts()?;
        hold!(
            self.agenda.is_in_order(),
            "alarms stand in order, and know their neighbours"
        );
        for thread in self.threads {
            let ready = thread.waits.get().is_none();
            // (who serves calls runs on the places of its clients, and may be in no queue)
            // (so may a task that has no job, in the ring of its group)
            let has_no_place =
                same(thread.rank.get(), self.idle().rank.get()) || thread.is(state::IN_RING);
            hold!(
                ready == self.is_queued(thread) || ready && has_no_place,
                "a thread is in the ready queue exactly if it waits for nothing"
            );
            hold!(
                !(ready && thread.is(state::PARKED | state::SLEEPS)),
                "a ready thread neither sleeps nor is parked"
            );
            self.check_wait(thread)?;
        }
        for process in self.processes {
            self.check_process(process)?;
        }
        self.check_regions()
    }

    /// The Wait Invariant: a thread that waits is known to exactly one thing that wakes it,
    /// the object in whose list it is, the agenda, the owner on whom it hangs or an interrupt
    /// line; one that is ready to none of these.
    fn check_wait(&self, thread: Ref<Thread>) -> Result<(), &'static str> {
        // (jobs, upcalls and kernel threads are known to what releases them; the reaper of a
        // process that ends sees to what its threads waited for)
        let kernels = matches!(thread.kind.get(), kind::WORK | kind::IDLE);
        if kernels || thread.has_jobs() || !thread.lives() || !thread.process.is_alive() {
            return Ok(());
        }
        let awaits = |line: &&Ref<crate::Line>| is_not(line.handler.get(), thread) == 0;
        let lines = self.lines.iter().flatten().filter(awaits).count();
        let others = [state::SLEEPS, state::PARKED].map(|bit| usize::from(thread.is(bit)));
        let [sleeps, parked] = others;
        let (list, known) = match thread.waits.get() {
            None => (true, 1),
            Some(object) if same(object, self.no_list) => (true, 0),
            Some(object) => (self.is_in(thread, object.waiters.get()), 1),
        };
        hold!(list, "who waits for an object is in its list");
        hold!(
            known + lines + sleeps + parked == 1,
            "a thread that waits is known to one thing that wakes it, a ready one to none"
        );
        hold!(
            !thread.is(state::SLEEPS) || thread.is(state::ARMED),
            "who sleeps has an alarm"
        );
        let is_armed = self.agenda.holds(&thread.alarm);
        hold!(
            is_armed.is_none_or(|is_armed| is_armed == thread.is(state::ARMED)),
            "the mark of a thread whose alarm is set is true"
        );
        Ok(())
    }

    /// The Death Invariant, and what a process has.
    fn check_process(&self, process: Ref<Process>) -> Result<(), &'static str> {
        let (life, reaper) = (process.life.get(), process.reaper);
        let works = reaper.waits.get().is_none();
        hold!(
            works != matches!(life, life::ALIVE | life::DEAD | life::PAUSE),
            "a reaper is in the ready queue exactly while it has work"
        );
        let mut free = 0;
        for thread in process.threads {
            let (role, tenancy) = (thread.role, thread.tenancy.get());
            if role & role::SPARE != 0 && tenancy == tenancy::NOBODY {
                free += 1;
            }
            hold!(
                tenancy != tenancy::NOBODY && tenancy != tenancy::ENDED
                    || role & role::TASK != 0
                    || thread.waits.get().is_some(),
                "nobody's place is not in the ready queue"
            );
            hold!(
                life != life::DEAD || tenancy == tenancy::NOBODY,
                "nobody lives in a dead process"
            );
        }
        if process.is_alive() {
            let mut at = process.spare.get();
            while let Some(place) = at {
                free -= 1;
                at = place.parked.get();
            }
            hold!(free >= 0, "a free place is listed once");
        }
        for thread in process.threads {
            hold!(
                life != life::DEAD || thread.held.get().is_none(),
                "a dead process owns no mutex"
            );
        }
        hold!(
            life != life::DEAD
                || process.attached.get() == 0 && process.joiners.waiters.get().is_none(),
            "a dead process has no region, and nobody waits in it"
        );
        Ok(())
    }

    /// The Sharing Invariant.
    fn check_regions(&self) -> Result<(), &'static str> {
        for (index, region) in self.regions.iter().enumerate() {
            let has = |process: &&Process| process.attached.get() >> index & 1 != 0;
            let users = self.processes.iter().filter(has).count();
            hold!(
                users == region.users.get() as usize,
                "a region knows how many processes have it"
            );
            hold!(
                users == 0 || region.zeroed.get() == region.size,
                "what is attached has been zeroed"
            );
        }
        Ok(())
    }

    /// The deadlines of both passed so long ago that they are held equal, whatever the
    /// numbers of their threads.
    fn is_as_long_past(&self, below: &Rank, rank: &Rank) -> bool {
        let ago = self.hart().since.get().wrapping_sub(rank.deadline());
        rank.level() == self.band && below.deadline() == rank.deadline() && ago >= LONG / 2
    }

    fn check_ranks(&self) -> Result<(), &'static str> {
        let mut rank = self.first_rank();
        hold!(same(rank, self.top.get()), "the top is the first");
        hold!(
            rank.head
                .get()
                .is_some_and(|head| same(head, self.first.get())),
            "the slot is the head of the top"
        );
        while let Some(below) = self.next_rank(rank) {
            hold!(
                !below.is_above(rank) || self.is_as_long_past(below, rank),
                "open ranks stand in order"
            );
            hold!(below.head.get().is_some(), "an open rank has a head");
            self.check_neighbours(rank, below)?;
            rank = below;
        }
        hold!(
            rank.head
                .get()
                .is_some_and(|head| head.kind.get() == kind::IDLE),
            "the last rank is the idle one"
        );
        Ok(())
    }

    fn is_queued(&self, thread: Ref<Thread>) -> bool {
        let mut rank = Some(self.first_rank());
        while let Some(open) = rank {
            if let Some(head) = open.head.get() {
                let mut at = head;
                loop {
                    if same(at, thread) {
                        return same(thread.rank.get(), open);
                    }
                    at = at.next.get();
                    if same(at, head) {
                        break;
                    }
                }
            }
            rank = self.next_rank(open);
        }
        false
    }
}

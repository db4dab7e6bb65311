//! What must be true of mutexes, chains and places between two events. For tests.

use crate::sched::thread::{role, state, tenancy};
use crate::sync::object::kind;
use crate::{Object, Ref, System, Thread, same};

macro_rules! hold {
    ($condition:expr, $broken:literal) => {
        if !$condition {
            return Err($broken);
        }
    };
}

impl System {
    /// The Chain, Parking, and Place Invariants, and those of what threads own. O(threads
    /// squared and objects).
    pub(crate) fn check_locks(&self) -> Result<(), &'static str> {
        for thread in self.threads {
            self.check_chain(thread)?;
            self.check_parking(thread)?;
            self.check_held(thread)?;
            self.check_place(thread)?;
        }
        for process in self.processes {
            self.check_waiters(&process.joiners)?;
        }
        for object in self.objects {
            self.check_waiters(object)?;
            let is_mutex = object.made & kind::KIND == kind::MUTEX;
            hold!(
                !is_mutex || self.wanted_by(object) == object.count.get() as usize,
                "a mutex counts who wants it"
            );
            hold!(
                !is_mutex || object.owner().is_none() || object.lives() || object.count.get() != 0,
                "nobody owns what is no more and not wanted"
            );
        }
        Ok(())
    }

    fn check_waiters(&self, object: Ref<Object>) -> Result<(), &'static str> {
        for thread in self.all_of(object.waiters()) {
            hold!(
                thread.waits().is_some_and(|other| same(other, object)),
                "whoever is among those that wait for something waits for it"
            );
        }
        self.check_heap(object.waiters())
    }

    fn wanted_by(&self, mutex: Ref<Object>) -> usize {
        let wants = |thread: &&'static Thread| {
            let wanted = thread.wants().is_some_and(|wanted| same(wanted, mutex));
            wanted && thread.is_linked()
        };
        self.threads.iter().filter(wants).count()
    }

    fn check_chain(&self, thread: Ref<Thread>) -> Result<(), &'static str> {
        let (mut at, mut left) = (thread, self.threads.len());
        while let Some(owner) = at
            .wants()
            .filter(|_| at.is_linked())
            .and_then(|it| it.owner())
        {
            hold!(left > 0, "a chain has no circle");
            left -= 1;
            at = owner;
        }
        Ok(())
    }

    fn check_parking(&self, thread: Ref<Thread>) -> Result<(), &'static str> {
        let is_free = thread.role & role::SPARE != 0 && thread.tenancy.get() == tenancy::NOBODY;
        hold!(
            is_free || thread.is(state::PARKED_ON) == thread.parked.get().is_some(),
            "the mark of a thread with others parked on it is true"
        );
        if thread.is(state::PARKED) {
            let Some(holder) = self.holder(thread) else {
                return Err("a parked thread hangs on another");
            };
            hold!(
                self.is_in(thread, holder.parked.get()),
                "a parked thread is in the heap of its holder"
            );
            let owner = thread.wants().and_then(|wanted| wanted.owner());
            let is_mutex = |wanted: Ref<Object>| wanted.made & kind::KIND == kind::MUTEX;
            hold!(
                !thread.wants().is_some_and(is_mutex)
                    || owner.is_some_and(|owner| same(owner, holder)),
                "a parked thread hangs on the owner of what it wants"
            );
        }
        let first = thread.parked.get().filter(|_| !is_free);
        for other in self.all_of(first) {
            hold!(
                other.is(state::PARKED) && self.holder(other).is_some_and(|it| same(it, thread)),
                "whoever hangs on another is parked, and knows on whom"
            );
        }
        self.check_heap(first)
    }

    fn check_held(&self, thread: Ref<Thread>) -> Result<(), &'static str> {
        let (mut at, mut count) = (thread.held.get(), 0);
        let mut ceiling = 0;
        while let Some(mutex) = at {
            let owner = mutex.owner.get();
            hold!(
                owner.is_some_and(|owner| same(owner, thread)),
                "what a thread has in its list it owns"
            );
            let own = match mutex.has_ceiling() {
                true => mutex.most.get(),
                false => u32::MAX,
            };
            hold!(ceiling <= own, "the most urgent ceiling is the first");
            (ceiling, count) = (own, count + 1);
            at = mutex.held_next.get();
            hold!(
                at.is_none_or(|next| next.held_prev.get().is_some_and(|prev| same(prev, mutex))),
                "neighbours in what a thread owns know each other"
            );
        }
        let owns = |object: &&'static Object| {
            let owner = object.owner.get();
            object.made & kind::KIND == kind::MUTEX
                && owner.is_some_and(|owner| same(owner, thread))
        };
        hold!(
            self.objects.iter().filter(owns).count() == count,
            "what a thread owns is in its list"
        );
        let has_ceiling = thread.held.get().is_some_and(|first| first.has_ceiling());
        hold!(
            thread.is(state::CEILING) == has_ceiling || thread.tenancy.get() == 0,
            "the mark of a thread with a ceiling is true"
        );
        Ok(())
    }

    /// (That of a server follows from its messages.)
    fn check_place(&self, thread: Ref<Thread>) -> Result<(), &'static str> {
        if thread.is(state::SERVES) || !thread.lives() || thread.has_jobs() {
            return Ok(());
        }
        let mut place = self.base(thread);
        if let Some(first) = thread.parked.get()
            && first.rank().is_above(place)
        {
            place = first.rank();
        }
        hold!(
            same(place, thread.rank()),
            "a thread has the place that its own, its ceilings and its helpers give it"
        );
        Ok(())
    }
}

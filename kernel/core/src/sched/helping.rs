//! Helping: a thread that waits for somebody keeps its place, and lends it.
//!
//! A thread that wants a mutex, or has called a server, stays in the ready queue at
//! its own urgency. When its turn comes the dispatcher follows `wants` from owner to
//! owner and runs the end of the chain. So nothing is inherited, computed or given
//! back: chains, several mutexes, releases in any order, timeouts and deaths are
//! right by construction.
//!
//! ```text
//!  queue:  high ---- middle ---- low             high -+
//!           |  wants   |  wants   |                    +-> middle -+ parked
//!           +--------> +--------> + runs     parked -> +           +-> low waits
//! ```
//! An owner that cannot run (it sleeps, or waits for an object) lends nothing on: its
//! waiters leave the ready queue and are *parked* on it, each on its immediate owner,
//! and come back with it. See [`crate::sched::parking`].
//!
//! The Chain Invariant: what is *wanted* by a thread that is ready or parked, or waits for
//! somebody to receive its request, makes a chain, and chains have no circles. Whatever makes a link (`lock`, a call, a waking
//! with a mutex to take) asks `System::may_wait` before. (A thread that waits for a
//! condition notes its mutex in `wants` too; that is no link until it is woken.)

use core::hint::cold_path;

use giornata_abi::control::{NEXT_LOCK, TAKEN};

use crate::sched::limit;
use crate::sched::parking::PIECE;
use crate::sched::thread::{self, state};
use crate::sync::object::kind;
use crate::trace::reason;
use crate::{Error, Machine, Object, Outcome, Rank, Ref, System, Thread, before, posix, same};

/// Threads that are looked at to find who asked first for a mutex: with more of them
/// in the queue the order of turns decides.
const ASKERS: u32 = 64;

/// What a thread has to do before it goes on: its wait is refused. Else what is to be
/// written to its control page, [`TAKEN`] or what follows, or 0; and above, which mutex it
/// has taken.
const REFUSED: usize = 3;

/// Whether a thread owns a mutex.
pub(crate) fn is_owner(mutex: Ref<Object>, me: Ref<Thread>) -> bool {
    mutex.owner.get().is_some_and(|owner| same(owner, me))
}

impl Thread {
    /// Whether it can run in the place of another. A job never does: whoever waits for a
    /// mutex that one took by its word waits for its completion (it has no handles).
    #[inline(always)]
    fn can_run(&self) -> bool {
        let waits = crate::some(self.waits.get()) | self.process.life.get() as usize;
        waits == 0 && !self.handles.is_empty()
    }

    /// Whether what it wants makes a chain.
    #[inline(always)]
    pub(crate) fn is_linked(&self) -> bool {
        self.waits.get().is_none() || self.is(state::PARKED | state::ORPHAN)
    }
}

impl System {
    /// Another thread's turn: the first of the queue runs, or the owner of what it
    /// wants.
    #[inline(always)]
    pub(crate) fn dispatch(&self) -> Outcome {
        let slot = self.first.get();
        self.run_wanting(slot, slot.wants.get())
    }

    /// The same, of a caller whose result is written: it goes on if it has the turn.
    #[inline(never)]
    pub(crate) extern "C" fn dispatch_from(&self, me: Ref<Thread>) -> Outcome {
        let _ = me;
        self.dispatch()
    }

    /// The first of the queue, with what it wants at hand.
    #[inline(always)]
    pub(crate) fn run_wanting(&self, slot: Ref<Thread>, wants: Option<Ref<Object>>) -> Outcome {
        if cfg!(feature = "harts") || wants.is_none() {
            return Outcome::switch(slot);
        }
        cold_path();
        self.resolve()
    }

    /// Follows what the first of the queue wants to a thread that can run. O(depth of
    /// the chain), which the system bounds.
    ///
    /// Where something has to change first it does, a few times; then the idle thread
    /// has the turn, so that the hart looks at its timer and lines before it goes on.
    #[inline(never)]
    pub(crate) extern "C" fn resolve(&self) -> Outcome {
        let mut changes = PIECE;
        loop {
            let slot = self.first.get();
            if cfg!(feature = "harts") || !slot.process.is_alive() {
                // it lends nothing: its turn is its own end
                return Outcome::switch(slot);
            }
            match self.end_of_chain(slot, changes != 0) {
                Some(end) if same(end, slot) => return Outcome::switch(end),
                Some(end) => {
                    let donor = (slot.number() as usize) << 16;
                    return Outcome::because(end, reason::HELPS | donor);
                }
                None if changes == 0 => return Outcome::switch(self.idle()),
                None => changes = changes.wrapping_sub(1),
            }
        }
    }

    /// Follows what a thread of the queue wants to one that can run. None: something has
    /// changed, if it may (else it would have to), and who runs is to be asked anew. O(depth).
    #[inline(always)]
    pub(crate) fn end_of_chain(&self, slot: Ref<Thread>, may_change: bool) -> Option<Ref<Thread>> {
        let mut at = slot;
        let mut links = self.depth;
        let mut limited = 0;
        let wanted = loop {
            let Some(wanted) = at.wants.get() else {
                break None;
            };
            match wanted.owner.get() {
                Some(owner) if owner.can_run() && links != 0 => {
                    limited |= at.limited.get();
                    at = owner;
                }
                None if at.state.get() | wanted.odd_to_take() == 0 => {
                    self.set_wants(at, None);
                    wanted.count.set(0);
                    wanted.give_to(at);
                    break None;
                }
                _ => break Some(wanted),
            }
            links = links.wrapping_sub(1);
        };
        if let Some(wanted) = wanted {
            if !may_change {
                return None;
            }
            // (a reaper's time is nobody's; behind whom it ends, the chain may be a circle)
            return self.end_link(slot, at, wanted);
        }
        if limited != 0 {
            // (the exit path finds out who pays)
            at.limited.set(at.limited.get() | limit::LENT);
        }
        Some(at)
    }

    /// Nobody can run for what `at` wants as it is: a mutex is taken, or the thread
    /// parked, and who runs is to be asked anew. Returns who runs otherwise: the reaper of
    /// a server whose process is being restarted.
    #[inline(never)]
    fn end_link(
        &self,
        slot: Ref<Thread>,
        at: Ref<Thread>,
        wanted: Ref<Object>,
    ) -> Option<Ref<Thread>> {
        let is_mutex = wanted.made & kind::KIND == kind::MUTEX;
        match wanted.owner.get() {
            // it is no more
            Some(_) if is_mutex && !wanted.lives() => self.take(at, wanted),
            // nobody serves it
            None if !is_mutex => self.orphan(at, wanted),
            // it is free: the most urgent that wants it takes it now
            None => {
                let first = self.first_asker(wanted, slot.rank.get());
                self.take(first.unwrap_or(at), wanted);
            }
            Some(owner) if !owner.process.is_alive() => {
                // (what it does with a mutex it does until its hart has left it)
                if !is_mutex || owner.still_runs() {
                    return Some(owner.process.reaper);
                }
                self.abandon(wanted, owner);
            }
            // others made the chain longer behind its first, which does not wait so long
            Some(owner) if owner.can_run() => {
                self.finish_later(slot, REFUSED);
                return Some(slot);
            }
            Some(owner) => self.park(at, owner),
        }
        None
    }

    /// Whether a thread may wait for something of this owner, if so many threads are to
    /// come behind it at most: that closes no circle, and the chain does not become too
    /// long. O(depth).
    #[inline(always)]
    pub(crate) fn may_wait_now(
        &self,
        thread: Ref<Thread>,
        owner: Ref<Thread>,
        mut links: u32,
    ) -> bool {
        let mut at = owner;
        loop {
            if same(at, thread) || links == 0 {
                cold_path();
                return false;
            }
            links = links.wrapping_sub(1);
            let Some(wanted) = at.wants.get() else {
                return true;
            };
            match wanted.owner.get() {
                Some(owner) if at.is_linked() => at = owner,
                _ => return true,
            }
        }
    }

    /// Whether a thread may wait for something of this owner, see above: those in whose
    /// place it runs wait as long as it does. O(depth).
    #[inline(never)]
    pub(crate) extern "C" fn may_wait(&self, thread: Ref<Thread>, owner: Ref<Thread>) -> bool {
        let (mut at, mut links) = (self.entry(), self.depth);
        while !same(at, thread) {
            match at.wants.get().and_then(|wanted| wanted.owner.get()) {
                Some(owner) if links != 0 => at = owner,
                _ => {
                    // it does not run
                    links = self.depth;
                    break;
                }
            }
            links = links.wrapping_sub(1);
        }
        self.may_wait_now(thread, owner, links)
    }

    /// A thread asks for something: who asked earlier of two is told by this number.
    #[inline(always)]
    pub(crate) fn ask(&self, thread: Ref<Thread>) {
        let asked = self.wait_serial.get().wrapping_add(1);
        self.wait_serial.set(asked);
        thread.asked().set(asked as usize);
    }

    /// Of the most urgent in the queue whose chains lead to a free mutex, down to a
    /// rank, who asked for it first. O(64).
    #[inline(never)]
    pub(crate) fn first_asker(&self, mutex: Ref<Object>, last: Ref<Rank>) -> Option<Ref<Thread>> {
        let mut found: Option<Ref<Thread>> = None;
        let (mut rank, mut left) = (self.first_rank(), ASKERS);
        loop {
            let head = rank.head.get()?;
            let mut thread = head;
            loop {
                let mut at = thread;
                while let Some(wanted) = at.wants.get() {
                    if same(wanted, mutex) {
                        let asked = |thread: Ref<Thread>| thread.asked().get() as u32;
                        let is_first = found.is_none_or(|found| before(asked(at), asked(found)));
                        if is_first && at.process.is_alive() {
                            found = Some(at);
                        }
                        break;
                    }
                    match wanted.owner.get() {
                        Some(owner) if owner.waits.get().is_none() && left != 0 => at = owner,
                        _ => break,
                    }
                    left = left.wrapping_sub(1);
                }
                if left == 0 {
                    return found;
                }
                left = left.wrapping_sub(1);
                thread = thread.next.get();
                if same(thread, head) {
                    break;
                }
            }
            match self.next_rank(rank) {
                Some(below) if found.is_none() && !same(rank, last) => rank = below,
                _ => return found,
            }
        }
    }

    /// A thread that wanted a free mutex has it. One that was deleted is had by nobody:
    /// its call returns EIDRM.
    #[inline(never)]
    pub(crate) fn take(&self, thread: Ref<Thread>, mutex: Ref<Object>) {
        self.stop_wanting(thread, mutex);
        posix::note_taken(thread);
        self.disarm_if_set(thread);
        let is_told = thread.is(state::HINTED);
        thread.clear(state::HINTED);
        let kind = mutex.kind.get();
        if kind & kind::KIND != kind::MUTEX {
            if !is_told {
                thread.answer(Error::EIDRM as usize);
            }
            return;
        }
        let is_abandoned = self.acquire(thread, mutex);
        if is_abandoned && !is_told {
            thread.answer(Error::EOWNERDEAD as usize);
        }
        if is_told || kind & kind::PRIVATE != 0 {
            // there is something to be written to its memory before it goes on
            let told = is_told as usize * (1 + is_abandoned as usize);
            self.finish_later(thread, told | (mutex.number as usize) << 8);
        }
    }

    /// A thread has something to do in the kernel before it goes on, see
    /// [`finish_wait`](Self::finish_wait).
    fn finish_later(&self, thread: Ref<Thread>, what: usize) {
        let mut kind = thread.kind.replace(thread::kind::FINISHES);
        if kind == thread::kind::FINISHES {
            // (whose wait was to be refused has come to the mutex before)
            kind = thread.noted().get() as u8;
        }
        thread.noted().set(what << 8 | kind as usize);
    }

    /// The turn of a thread that has something to do in the kernel before it goes on: its
    /// wait is refused, or something is written to its memory.
    #[inline(never)]
    pub(crate) fn finish_wait<M: Machine>(&self, me: Ref<Thread>) {
        let noted = me.noted().get();
        me.kind.set(noted as u8);
        match noted >> 8 & REFUSED {
            REFUSED => {
                // (unless it has been given what it wants meanwhile)
                if let Some(wanted) = me.wants.get() {
                    self.disarm_if_set(me);
                    self.cancel_wait(me);
                    me.refuse(Error::EDEADLK);
                    self.publish::<M>(me, wanted);
                }
            }
            told => {
                if told != 0 {
                    let page = me.control;
                    M::store(
                        page.wrapping_add(NEXT_LOCK),
                        (told as u32).wrapping_add(TAKEN - 1),
                    );
                }
                // (unless its time came between, and it was written then)
                let mutex = self.objects.get(noted >> 16);
                if let Some(mutex) = mutex.filter(|mutex| is_owner(mutex, me)) {
                    self.publish::<M>(me, mutex);
                }
            }
        }
    }

    /// Who pays for the time of `runner`, the end of the chain that has the turn; none: it
    /// has no limit, or not the turn. O(depth of the chain).
    #[inline(never)]
    pub(crate) fn payer(&self, runner: Ref<Thread>) -> Option<Ref<Thread>> {
        let mut at = self.entry();
        let mut payer = None;
        loop {
            if payer.is_none()
                && at.limited.get() & limit::OWN != 0
                && !posix::pays_for_itself(self, at, runner)
            {
                payer = Some(at);
            }
            if same(at, runner) {
                return payer;
            }
            at = at.wants.get()?.owner.get()?;
            // (of several harts one may go on although its entry leads elsewhere by now)
            if cfg!(feature = "harts") && !at.process.is_alive() {
                return None;
            }
        }
    }

    /// A thread that waits has given a ceiling up that it published.
    pub(crate) fn settle_waiting(&self, thread: Ref<Thread>) {
        self.settle_place(thread, false);
    }

    /// A thread has left its place, and perhaps a ceiling with it, in whose place another ran.
    pub(crate) fn settle_chain(&self, runner: Ref<Thread>, slot: Ref<Thread>) {
        self.settle_place(slot, false);
        self.settle_place(runner, false);
    }

    /// Takes what was run on its budget from the limit of a donor.
    #[inline(always)]
    pub(crate) fn settle_donor(&self) {
        self.hart().settle_donor();
    }
}

//! Mutexes of all types and protocols.
//!
//! The word of a mutex says who has it, as that of a private mutex of `giornata_rt`, so it is
//! taken and given back without an entry while nobody waits. The protocols "none" and
//! "inherit" are one: the kernel always runs the owner in the place of its waiters. With
//! "protect" the owner publishes the ceiling in its control page, which the scheduler reads
//! when it is about to leave the thread.
//!
//! A mutex that nobody can have any more says that a thread has it which there never is, so
//! that what is fast needs no test for it.

use core::cell::Cell;
use core::ffi::c_int;
use core::mem::offset_of;
use core::ptr::null;

use giornata_abi::word::{LOCKED, WAITED_FOR};
use giornata_rt::clock::Ticks;
use giornata_rt::restartable::Word;
use giornata_rt::sync::word_at_hand;
use giornata_rt::thread::Outer;
use giornata_rt::{Id, call};

use crate::entry;
use crate::error::{Errno, number};
use crate::thread;
use crate::time::{REALTIME, TimeSpec, awaited, has_waited};
use crate::twin::twin;
use crate::waiting::{Kind, WordObject};

/// Bits of `kind`: the type, besides the one that checks errors, and what else it is.
const NORMAL: u8 = 1;
pub(crate) const RECURSIVE: u8 = 2;
pub(crate) const ROBUST: u8 = 4;
pub(crate) const PROTECT: u8 = 8;

/// What `state` says besides 0.
pub(crate) mod state {
    /// A robust one, whose owner ended: whoever has it now has to mend what it protects.
    pub(super) const INCONSISTENT: u8 = 1;
    /// The same, and nobody has mended it.
    pub(super) const UNRECOVERABLE: u8 = 2;
    /// Its owner ended; it is not robust.
    pub(super) const STALLED: u8 = 3;
    pub(crate) const DESTROYED: u8 = 4;
}

/// The word of a mutex that nobody can have: of a thread that there is not.
const NOBODY: u32 = 0xFFFF << 16 | LOCKED | (LOCKED - 1);
/// `EAGAIN` of a recursive one beyond this.
const MOST: u32 = u32::MAX - 1;

/// `pthread_mutex_t`: all zero is one of the default type.
#[derive(Debug)]
#[repr(C)]
pub struct Mutex {
    word: Word,
    object: WordObject,
    pub(crate) kind: Cell<u8>,
    state: Cell<u8>,
    /// Of a recursive one: how often its owner has it, but for once.
    more: Cell<u32>,
    pub(crate) ceiling: Cell<u8>,
    /// With a ceiling: that of its owner before, as it locked it.
    pub(crate) outer: Cell<u8>,
    /// With a ceiling: the one that its owner took before.
    pub(crate) before: Cell<*const Mutex>,
}

/// Until when somebody waits.
#[derive(Clone, Copy)]
pub(crate) enum Until<'a> {
    /// Without end.
    Never,
    /// Not at all.
    Now,
    Tick(Ticks),
    /// By this clock.
    At(usize, &'a TimeSpec),
}

impl Until<'_> {
    #[inline(always)]
    pub(crate) fn tick(self) -> Result<Ticks, Errno> {
        match self {
            Until::Never => Ok(Ticks::NEVER),
            Until::Now => Ok(Ticks(0)),
            Until::Tick(tick) => Ok(tick),
            // (a tick of 0 would be not at all, which has another error)
            Until::At(clock, time) => Ok(awaited(clock, *time)?.max(Ticks(1))),
        }
    }

    fn is_now(self) -> bool {
        matches!(self, Until::Now)
    }

    /// The caller has waited, and is not to be told if the clock is set.
    pub(crate) fn is_over(self) {
        if matches!(self, Until::At(..)) {
            has_waited();
        }
    }
}

/// What the owner loses for as long as it waits for a condition.
pub(crate) struct Depth(u32);

impl Mutex {
    /// Where its word lies in it.
    pub(crate) const WORD: usize = offset_of!(Mutex, word);

    fn is(&self, bits: u8) -> bool {
        self.kind.get() & bits != 0
    }

    /// Whether the caller, whose word is `mine`, has it.
    fn is_owned(&self, mine: u32) -> bool {
        self.word.load() & !WAITED_FOR == mine
    }

    fn address(&self) -> usize {
        (&raw const self.word).expose_provenance()
    }

    /// Locks it if nobody has it, and it has no ceiling.
    #[inline(always)]
    fn take(&self) -> bool {
        !self.is(PROTECT) && self.word.compare_exchange(0, word_at_hand()).is_ok()
    }

    /// Locks it. No entry if nobody has it.
    pub(crate) fn lock(&self, until: Until<'_>) -> Result<(), Errno> {
        if self.take() {
            return Ok(());
        }
        let mine = word_at_hand();
        match self.is(PROTECT) {
            true => self.lock_protected(mine, until),
            false => self.lock_by_call(mine, until),
        }
    }

    fn lock_protected(&self, mine: u32, until: Until<'_>) -> Result<(), Errno> {
        let own = thread::own();
        let ceiling = self.ceiling.get();
        if own.priority() > ceiling.into() && !self.is_owned(mine) {
            return Err(Errno::EINVAL);
        }
        let outer = thread::raise(ceiling);
        if self.word.compare_exchange(0, mine).is_ok() {
            self.note_ceiling(own, outer);
            return Ok(());
        }
        thread::restore(outer);
        if self.is_owned(mine) {
            return self.lock_by_call(mine, until);
        }
        // whoever has it waits for something else, or its ceiling was changed
        let locked = self.lock_by_call(mine, until);
        if matches!(locked, Ok(()) | Err(Errno::EOWNERDEAD)) {
            self.note_ceiling(own, thread::raise(self.ceiling.get()));
        }
        locked
    }

    /// It is the last that `own` has taken of those with a ceiling, which had `outer` before.
    fn note_ceiling(&self, own: &thread::Place, outer: Outer) {
        self.outer.set(outer.ceiling());
        self.before.set(own.mutexes.get());
        own.mutexes.set(self);
    }

    /// It is none of them any more. Returns the ceiling of the others.
    #[inline(always)]
    fn forget_ceiling(&self, own: &thread::Place) -> Outer {
        if !core::ptr::eq(own.mutexes.get(), self) {
            return self.forget_within(own);
        }
        own.mutexes.set(self.before.get());
        Outer::at(self.outer.get())
    }

    /// The same if the caller has locked others since. O(n^2) in those that it has.
    #[cold]
    #[inline(never)]
    fn forget_within(&self, own: &thread::Place) -> Outer {
        // SAFETY: mutexes of the caller are on the list, which it has locked, so they are
        // there.
        let next = |place: &Cell<*const Mutex>| unsafe { place.get().as_ref() };
        let (mut place, mut first) = (&own.mutexes, 0);
        while let Some(mutex) = next(place) {
            first = mutex.outer.get();
            match core::ptr::eq(mutex, self) {
                true => place.set(self.before.get()),
                false => place = &mutex.before,
            }
        }
        let highest = |mut place| {
            let mut highest = first;
            while let Some(mutex) = next(place) {
                highest = mutex.ceiling.get().max(highest);
                place = &mutex.before;
            }
            highest
        };
        let mut place = &own.mutexes;
        while let Some(mutex) = next(place) {
            place = &mutex.before;
            mutex.outer.set(highest(place));
        }
        Outer::at(highest(&own.mutexes))
    }

    /// The same out of line.
    #[inline(never)]
    fn lock_by_call(&self, mine: u32, until: Until<'_>) -> Result<(), Errno> {
        self.wait_for(mine, until)
    }

    /// Locks it with an entry.
    #[inline(always)]
    fn wait_for(&self, mine: u32, until: Until<'_>) -> Result<(), Errno> {
        loop {
            if self.is_owned(mine) {
                return self.lock_again(until);
            }
            self.check(until)?;
            let tick = until.tick()?;
            let ask = |id| entry::lock(id, tick, self.address());
            let locked = self.object.call(Kind::Mutex, ask);
            until.is_over();
            if locked.is_ok() && self.state.get() == 0 {
                return Ok(());
            }
            match self.locked(mine, locked, until) {
                // (a handler has run meanwhile: it waits on)
                Err(Errno::EINTR) => {}
                locked => return locked,
            }
        }
    }

    /// The caller has it already.
    #[cold]
    #[inline(never)]
    fn lock_again(&self, until: Until<'_>) -> Result<(), Errno> {
        if self.is(RECURSIVE) {
            let more = self.more.get();
            if more == MOST {
                return Err(Errno::EAGAIN);
            }
            self.more.set(more + 1);
            return Ok(());
        }
        if until.is_now() {
            return Err(Errno::EBUSY);
        }
        let tick = until.tick()?;
        match self.is(NORMAL) {
            true => dead_lock(tick),
            false => Err(Errno::EDEADLK),
        }
    }

    /// Whether anybody can have it.
    fn check(&self, until: Until<'_>) -> Result<(), Errno> {
        match self.state.get() {
            state::UNRECOVERABLE => Err(Errno::ENOTRECOVERABLE),
            state::STALLED if until.is_now() => Err(Errno::EBUSY),
            state::STALLED => Err(Errno::EDEADLK),
            state::DESTROYED => Err(Errno::EINVAL),
            _ => Ok(()),
        }
    }

    /// What comes of a mutex that the kernel has given the caller, or refused it.
    pub(crate) fn locked(
        &self,
        mine: u32,
        locked: Result<(), Errno>,
        until: Until<'_>,
    ) -> Result<(), Errno> {
        match locked {
            Err(Errno::EOWNERDEAD) if self.is(ROBUST) => {
                self.more.set(0);
                self.state.set(state::INCONSISTENT);
                locked
            }
            Err(Errno::EOWNERDEAD) => {
                self.state.set(state::STALLED);
                self.give_back(mine)?;
                self.check(until)
            }
            Err(Errno::EDEADLK) if until.is_now() => Err(Errno::EBUSY),
            // it may have become one that nobody can have while the caller waited
            Ok(()) | Err(Errno::ETIMEDOUT) if self.is_owned(mine) => match self.check(until) {
                Ok(()) => locked,
                Err(error) => {
                    self.give_back(mine)?;
                    Err(error)
                }
            },
            // it has before the kernel looked at its word, which names no thread then
            Err(Errno::EINVAL) => self.check(until).and(locked),
            _ => locked,
        }
    }

    /// Unlocks it, whatever there is to see to.
    fn unlock_any(&self, mine: u32) -> Result<(), Errno> {
        if !self.is_owned(mine) {
            return Err(Errno::EPERM);
        }
        if let Some(less) = self.more.get().checked_sub(1) {
            self.more.set(less);
            return Ok(());
        }
        if self.state.get() == state::INCONSISTENT {
            self.state.set(state::UNRECOVERABLE);
        }
        if !self.is(PROTECT) {
            return self.give_back(mine);
        }
        let outer = self.forget_ceiling(thread::own());
        let given = self.give_back(mine);
        thread::restore(outer);
        given
    }

    /// The caller, whose word is `mine`, has it no more.
    #[inline(always)]
    fn give_back(&self, mine: u32) -> Result<(), Errno> {
        if let state::UNRECOVERABLE | state::STALLED = self.state.get() {
            return self.give_to_nobody(mine);
        }
        if self.word.load() == mine && self.word.compare_exchange(mine, 0).is_ok() {
            return Ok(());
        }
        self.give_by_call()
    }

    /// The same of one that nobody can have any more: who waits for it is told, one after
    /// another, by who had it before; the last lets the word name nobody.
    #[cold]
    #[inline(never)]
    fn give_to_nobody(&self, mine: u32) -> Result<(), Errno> {
        if self.word.compare_exchange(mine, NOBODY).is_ok() {
            return Ok(());
        }
        // (who waits may give up before the kernel looks: then it is free, and no thread of the
        // process may run, which would just take it, until its word names nobody)
        let outer = thread::raise(u8::MAX);
        let given = self.give_by_call();
        let _ = self.word.compare_exchange(0, NOBODY);
        thread::restore(outer);
        given
    }

    /// The same with an entry.
    #[inline(always)]
    fn give_by_call(&self) -> Result<(), Errno> {
        let give = |id: Id| call::unlock_word(id.0, self.address());
        self.object.call(Kind::Mutex, give)
    }

    /// The caller is about to wait for a condition, which the mutex is given back for.
    /// `EPERM`: it does not have it. `ENOTRECOVERABLE`: it has not mended what the mutex protects,
    /// so that nobody can have it any more; it is given back.
    pub(crate) fn lay_down(&self) -> Result<Depth, Errno> {
        let mine = word_at_hand();
        if !self.is_owned(mine) {
            return Err(Errno::EPERM);
        }
        let depth = Depth(self.more.replace(0));
        if self.state.get() == state::INCONSISTENT {
            self.unlock_any(mine)?;
            return Err(Errno::ENOTRECOVERABLE);
        }
        Ok(depth)
    }

    /// Lets `wait`, which gives the mutex back, waits and takes it again, run with what it
    /// calls the mutex.
    pub(crate) fn wait(
        &self,
        mut wait: impl FnMut(Id, usize) -> Result<(), giornata_rt::Error>,
    ) -> Result<(), Errno> {
        let mine = word_at_hand();
        let own = self.is(PROTECT).then(thread::own);
        if let Some(own) = own {
            let outer = self.forget_ceiling(own);
            // (not before the mutex is another's: a thread of a priority below the ceiling
            // that wants it runs this one first)
            thread::restore(outer);
        }
        let waited = self.object.call(Kind::Mutex, |id| {
            match wait(id, self.address()) {
                // it has waited, but another mutex has the object now
                Err(giornata_rt::Error::EINVAL) if !self.is_owned(mine) => {
                    Err(giornata_rt::Error::EINTR)
                }
                waited => waited,
            }
        });
        // (else it is about to be given back: see `locked`)
        let is_kept = self.is_owned(mine)
            && self.check(Until::Never).is_ok()
            && (waited != Err(Errno::EOWNERDEAD) || self.is(ROBUST));
        if let (Some(own), true) = (own, is_kept) {
            self.note_ceiling(own, thread::raise(self.ceiling.get()));
        }
        waited
    }

    /// Locks it for who gave it back to wait, whatever the caller's priority by now.
    fn take_again(&self, mine: u32) -> Result<(), Errno> {
        if !self.is(PROTECT) {
            return self.lock(Until::Never);
        }
        let own = thread::own();
        let taken = match self.word.compare_exchange(0, mine) {
            Ok(_) => Ok(()),
            Err(_) => self.lock_by_call(mine, Until::Never),
        };
        if self.is_owned(mine) {
            self.note_ceiling(own, thread::raise(self.ceiling.get()));
        }
        taken
    }

    /// The caller has waited: `waited` is what the kernel says of the condition and of the
    /// mutex.
    pub(crate) fn take_up(
        &self,
        Depth(more): Depth,
        waited: Result<(), Errno>,
    ) -> Result<(), Errno> {
        let mine = word_at_hand();
        let taken = match waited {
            // a handler has run, or so: before the mutex was given back, or after
            Err(Errno::EINTR) if self.is_owned(mine) => Ok(()),
            Err(Errno::EINTR) => self.take_again(mine),
            waited => self.locked(mine, waited, Until::Never),
        };
        if self.is_owned(mine) {
            self.more.set(more);
        }
        taken
    }
}

/// A thread waits for itself: until the tick only, if there is one.
fn dead_lock(until: Ticks) -> Result<(), Errno> {
    loop {
        let slept = entry::sleep(until);
        if slept.is_ok() && until != Ticks::NEVER {
            return Err(Errno::ETIMEDOUT);
        }
    }
}

/// Locks a mutex, whatever there is to see to.
pub(crate) extern "C" fn lock_for_ever(mutex: &Mutex) -> c_int {
    let mine = word_at_hand();
    number(match mutex.is(PROTECT) {
        true => mutex.lock_protected(mine, Until::Never),
        false => mutex.wait_for(mine, Until::Never),
    })
}

/// The same of one with a ceiling, which the caller has published already, and had `outer`
/// before; but another has the mutex.
pub(crate) extern "C" fn lock_at_ceiling(mutex: &Mutex, outer: u32) -> c_int {
    thread::restore(Outer::at(outer as u8));
    lock_for_ever(mutex)
}

/// See POSIX, `pthread_mutex_trylock()`: as [`pthread_mutex_lock`], but `EBUSY` where that
/// blocks or says `EDEADLK`. One entry if another thread has it.
///
/// # Safety
/// As [`pthread_mutex_lock`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_mutex_trylock(mutex: *const Mutex) -> c_int {
    // SAFETY: by contract.
    number(unsafe { &*mutex }.lock(Until::Now))
}

/// See POSIX, `pthread_mutex_timedlock()`: as [`pthread_mutex_lock`], until CLOCK_REALTIME
/// shows `time` (`ETIMEDOUT`). `EINVAL`, if it has to wait: the nanoseconds are not those of
/// a second.
///
/// # Safety
/// As [`pthread_mutex_lock`]; `time` may be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_mutex_timedlock(
    mutex: *const Mutex,
    time: *const TimeSpec,
) -> c_int {
    // SAFETY: by contract.
    let mutex = unsafe { &*mutex };
    // SAFETY: by contract.
    let time = unsafe { &*time };
    number(mutex.lock(Until::At(REALTIME, time)))
}

/// See POSIX.1-2024, `pthread_mutex_clocklock()`: as [`pthread_mutex_timedlock`], until a clock
/// shows `time`. `EINVAL`, too, if it has to wait: it is none that one can wait for.
///
/// # Safety
/// As [`pthread_mutex_timedlock`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_mutex_clocklock(
    mutex: *const Mutex,
    clock: usize,
    time: *const TimeSpec,
) -> c_int {
    // SAFETY: by contract.
    let mutex = unsafe { &*mutex };
    // SAFETY: by contract.
    number(mutex.lock(Until::At(clock, unsafe { &*time })))
}

/// Unlocks a mutex, whatever there is to see to.
pub(crate) extern "C" fn unlock_any(mutex: &Mutex) -> c_int {
    number(mutex.unlock_any(word_at_hand()))
}

/// The caller has unlocked one with a ceiling, and a preemption was put off meanwhile.
pub(crate) extern "C" fn leave_ceiling(outer: u32) -> c_int {
    thread::restore(Outer::at(outer as u8));
    0
}

/// See POSIX, `pthread_mutex_consistent()`: what the mutex protects is in order again. No
/// entry. `EINVAL`: it is not robust, or nobody has to say so. `EPERM`: another thread has it.
///
/// # Safety
/// As [`pthread_mutex_lock`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_mutex_consistent(mutex: *const Mutex) -> c_int {
    // SAFETY: by contract.
    let mutex = unsafe { &*mutex };
    number(if mutex.state.get() != state::INCONSISTENT {
        Err(Errno::EINVAL)
    } else if !mutex.is_owned(word_at_hand()) {
        Err(Errno::EPERM)
    } else {
        mutex.state.set(0);
        Ok(())
    })
}

/// See POSIX, `pthread_mutex_destroy()`. No entry. `EBUSY`: a thread has it, or waits for it.
/// `EINVAL`: it is destroyed already.
///
/// # Safety
/// As [`pthread_mutex_lock`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_mutex_destroy(mutex: *const Mutex) -> c_int {
    // SAFETY: by contract.
    let mutex = unsafe { &*mutex };
    let is_dead = matches!(mutex.state.get(), state::UNRECOVERABLE | state::STALLED);
    number(if mutex.state.get() == state::DESTROYED {
        Err(Errno::EINVAL)
    } else if mutex.word.compare_exchange(0, NOBODY).is_err()
        && !(is_dead && mutex.word.load() == NOBODY)
    {
        Err(Errno::EBUSY)
    } else {
        mutex.state.set(state::DESTROYED);
        Ok(())
    })
}

/// Whether the caller has a mutex. No entry.
///
/// # Safety
/// As [`pthread_mutex_lock`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn giornata_posix_has_mutex(mutex: *const Mutex) -> c_int {
    // SAFETY: by contract.
    unsafe { &*mutex }.is_owned(word_at_hand()).into()
}

/// What `pthread_mutex_init()` makes of its attributes: `bits` are those of `kind`.
///
/// # Safety
/// The memory of a mutex lies at `mutex`, which nobody uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn giornata_posix_mutex_init(mutex: *mut Mutex, bits: c_int, ceiling: c_int) {
    let made = Mutex {
        word: Word::new(0),
        object: WordObject::none(),
        kind: Cell::new(bits as u8),
        state: Cell::new(0),
        more: Cell::new(0),
        ceiling: Cell::new(ceiling as u8),
        outer: Cell::new(0),
        before: Cell::new(null()),
    };
    // SAFETY: by contract.
    unsafe { mutex.write(made) };
}

/// See POSIX, `pthread_mutex_getprioceiling()`. No entry. `EINVAL`: it has none.
///
/// # Safety
/// As [`pthread_mutex_lock`]; `ceiling` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_mutex_getprioceiling(
    mutex: *const Mutex,
    ceiling: *mut c_int,
) -> c_int {
    // SAFETY: by contract.
    let mutex = unsafe { &*mutex };
    number(
        match mutex.is(PROTECT) && mutex.state.get() < state::DESTROYED {
            true => {
                // SAFETY: by contract.
                unsafe { ceiling.write(mutex.ceiling.get().into()) };
                Ok(())
            }
            false => Err(Errno::EINVAL),
        },
    )
}

/// See POSIX, `pthread_mutex_setprioceiling()`: locks the mutex, whatever the caller's
/// priority, changes its ceiling and unlocks it. Errors and cost as [`pthread_mutex_lock`];
/// `EINVAL` too: it has no ceiling, or `ceiling` is no priority.
///
/// # Safety
/// As [`pthread_mutex_lock`]; `before` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_mutex_setprioceiling(
    mutex: *const Mutex,
    ceiling: c_int,
    before: *mut c_int,
) -> c_int {
    // SAFETY: by contract.
    let mutex = unsafe { &*mutex };
    // SAFETY: by contract.
    let before = unsafe { before.as_mut() };
    number(set_ceiling(mutex, ceiling).map(|old| {
        if let Some(before) = before {
            *before = old;
        }
    }))
}

fn set_ceiling(mutex: &Mutex, ceiling: c_int) -> Result<c_int, Errno> {
    let ceiling = u8::try_from(ceiling).map_err(|_| Errno::EINVAL)?;
    if !mutex.is(PROTECT) {
        return Err(Errno::EINVAL);
    }
    let mine = word_at_hand();
    let owned = match mutex.word.compare_exchange(0, mine) {
        Ok(_) => Ok(()),
        Err(_) => mutex.lock_by_call(mine, Until::Never),
    };
    owned?;
    let old = mutex.ceiling.replace(ceiling);
    match mutex.more.get().checked_sub(1) {
        Some(less) => mutex.more.set(less),
        None => mutex.give_back(mine)?,
    }
    Ok(old.into())
}

twin!(
    "pthread_mutex_t",
    Mutex {
        word: "__word",
        object: "__bound",
        kind: "__kind",
        state: "__state",
        more: "__more",
        ceiling: "__ceiling",
        outer: "__outer",
        before: "__before"
    }
);

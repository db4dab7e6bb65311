//! Condition variables: a thread gives its mutex back and waits, in one step; who is
//! signalled goes on when it has the mutex again, and not before.
//!
//! A thread that waits notes the mutex in `wants`, and the serial number of its tenant.
//! That is no link of a chain until it wakes: then it asks for the mutex, if it may.
//! (EMERALDS, section 7: a thread can tell in the same way, before any wait, which
//! mutex it will lock then; two switches are saved if another has that.)

use core::cell::Cell;

use giornata_abi::next::control::{NEXT_LOCK, NEXT_SERIAL};
use giornata_abi::system::RIGHT_USE;

use crate::object::kind;
use crate::operation::{DONE, GOES_ON, STAYS};
use crate::parking::PIECE;
use crate::place::is_hint;
use crate::thread::state;
use crate::wait::leave;
use crate::{Error, Kernel, Machine, Object, Ref, Thread, before, same};

impl Kernel {
    /// All that wait for a condition when it begins go on. In pieces of four, as a call
    /// that begins again, with the serial number of when it began.
    #[inline(never)]
    pub(crate) fn broadcast<M: Machine>(
        &self,
        condition: Ref<Object>,
        slot: &Cell<usize>,
        began: &Cell<usize>,
    ) -> usize {
        if slot.get() & GOES_ON == 0 {
            slot.set(slot.get() | GOES_ON);
            began.set(self.asked.get() as usize);
        }
        let mut left = PIECE;
        while let Some(waiter) = earlier(condition, began.get() as u32) {
            if left == 0 {
                if M::pending() {
                    return STAYS;
                }
                left = PIECE;
            }
            left = left.wrapping_sub(1);
            leave(waiter);
            match waiter.process.is_alive() {
                true => self.awaken::<M>(waiter),
                false => waiter.waits.set(Some(self.nowhere)),
            }
        }
        DONE
    }

    /// A thread wakes. If it waited for a condition it wants its mutex; if it has told
    /// which one it will lock, it wants that if another has it. What would close a circle
    /// it does not want: EDEADLK after a condition, else it just goes on.
    #[inline(always)]
    pub(crate) fn want_next<M: Machine>(&self, thread: Ref<Thread>) {
        if thread.wants.get().is_some() || thread.is(state::HINTED) {
            self.want_noted::<M>(thread);
        }
    }

    #[inline(never)]
    fn want_noted<M: Machine>(&self, thread: Ref<Thread>) {
        let Some(mutex) = thread.wants.get() else {
            match self.told::<M>(thread) {
                Some(mutex) => self.want(thread, mutex),
                None => thread.clear(state::HINTED),
            }
            return;
        };
        thread.clear(state::HINTED);
        if mutex.made & kind::KIND != kind::MUTEX {
            // a caller, of which that is a link again
            return;
        }
        thread.wants.set(None);
        let is_it = mutex.kind.get() & kind::KIND == kind::MUTEX
            && mutex.serial.get() == thread.noted().get() as u32;
        let word = if is_it { mutex.word.get() } else { 0 };
        let mut error = Error::EIDRM as usize;
        if is_it {
            error = self.copy_word::<M>(thread, mutex, word);
            if error == DONE {
                if !self.is_refused(thread, mutex) {
                    self.want(thread, mutex);
                    return self.publish::<M>(thread, mutex);
                }
                error = Error::EDEADLK as usize;
            }
        }
        thread.answer(error);
    }

    fn is_refused(&self, thread: Ref<Thread>, mutex: Ref<Object>) -> bool {
        let owner = self.owner_of(mutex);
        owner.is_some_and(|owner| !self.may_wait(thread, owner))
    }

    /// The mutex that a thread has told of, if another has it and it may wait for that.
    fn told<M: Machine>(&self, thread: Ref<Thread>) -> Option<Ref<Object>> {
        let page = thread.control;
        let word = M::load(page.wrapping_add(NEXT_LOCK));
        let serial = M::load(page.wrapping_add(NEXT_SERIAL));
        if !is_hint(word) {
            return None;
        }
        let (mutex, _) = self.slot_of(thread, !word as usize, RIGHT_USE.into());
        let mutex = mutex.filter(|mutex| mutex.serial.get() == serial)?;
        let is_plain = mutex.kind.get() & (kind::KIND | kind::PRIVATE) == kind::MUTEX;
        let is_below = mutex.has_ceiling() && thread.own.get().level() < mutex.most.get();
        let fits = is_plain && !is_below && self.owner_of(mutex).is_some();
        (fits && !self.is_refused(thread, mutex)).then_some(mutex)
    }
}

/// The most urgent in a list of those that asked up to a serial number.
#[inline(never)]
fn earlier(object: Ref<Object>, began: u32) -> Option<Ref<Thread>> {
    let first = object.waiters.get()?;
    let mut at = first;
    loop {
        if !before(began, at.asked().get() as u32) {
            return Some(at);
        }
        at = at.next.get();
        if same(at, first) {
            return None;
        }
    }
}

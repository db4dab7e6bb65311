//! Condition variables: a thread gives its mutex back and waits, in one step; who is
//! signalled goes on when it has the mutex again, and not before.
//!
//! A thread that waits notes the mutex in `wants`, and the serial number of its tenant.
//! That is no link of a chain until it wakes: then it asks for the mutex, if it may.
//! (EMERALDS, section 7: a thread can tell in the same way, before any wait, which
//! mutex it will lock then; two switches are saved if another has that.)

use giornata_abi::next::call::Call;
use giornata_abi::next::control::{NEXT_LOCK, NEXT_SERIAL};
use giornata_abi::system::RIGHT_USE;

use crate::mutex::is_owner;
use crate::object::kind;
use crate::parking::PIECE;
use crate::place::is_hint;
use crate::thread::state;
use crate::wait::leave;
use crate::{Error, Kernel, Machine, Object, Outcome, Ref, Thread, before, same};

/// In the register of the slot: a broadcast that goes on, and the serial number of
/// when it began is the third argument.
const GOES_ON: usize = 1 << 16;

/// A condition by its id.
#[inline(never)]
fn find_condition(
    kernel: &Kernel,
    me: Ref<Thread>,
    slot: usize,
    serial: usize,
) -> Result<Ref<Object>, Error> {
    let condition = kernel.find(me, slot, serial)?;
    match condition.kind.get() {
        kind::CONDITION => Ok(condition),
        _ => Err(Error::EINVAL),
    }
}

/// [`sync::wait`](crate::sync::wait) with any mutex, and until an instant. As a call that
/// begins again it lets those go first that hang on the caller.
#[inline(never)]
#[allow(clippy::too_many_arguments)]
pub(crate) extern "C" fn wait_any<M: Machine>(
    slot: usize,
    serial: usize,
    mutex_slot: usize,
    low: usize,
    high: usize,
    word: usize,
    me: Ref<Thread>,
    kernel: Ref<Kernel>,
) -> Outcome {
    let both = kernel.find(me, slot, serial).and_then(|condition| {
        let mutex = kernel.slot_of(me, mutex_slot, RIGHT_USE.into())?;
        let fit = condition.kind.get() == kind::CONDITION && mutex.made & kind::KIND == kind::MUTEX;
        match fit {
            true => Ok((condition, kernel.copy_word::<M>(me, mutex, word)?)),
            false => Err(Error::EINVAL),
        }
    });
    let (condition, mutex) = match both {
        Ok(both) => both,
        Err(error) => return Outcome::error(error),
    };
    if !is_owner(mutex, me) {
        kernel.publish::<M>(me, mutex);
        return Outcome::error(Error::EPERM);
    }
    kernel.unpark(me);
    if me.is(state::PARKED_ON) {
        let arguments = [slot, serial, mutex_slot, low, high, word];
        return kernel.again(me, Call::Wait, arguments);
    }
    kernel.release(mutex);
    kernel.publish::<M>(me, mutex);
    me.noted().set(mutex.serial.get() as usize);
    me.wants.set(Some(mutex));
    kernel.enter(me, condition);
    let _ = kernel.wait_until::<M>(me, low, high);
    kernel.go()
}

/// [`sync::signal`](crate::sync::signal), whoever waits.
#[inline(never)]
#[allow(clippy::too_many_arguments)]
pub(crate) extern "C" fn signal_any<M: Machine>(
    slot: usize,
    serial: usize,
    _: usize,
    _: usize,
    _: usize,
    _: usize,
    me: Ref<Thread>,
    kernel: Ref<Kernel>,
) -> Outcome {
    match find_condition(kernel, me, slot, serial) {
        Ok(condition) => {
            kernel.wake_first::<M>(condition);
            me.answer(0);
            kernel.go()
        }
        Err(error) => Outcome::error(error),
    }
}

impl Kernel {
    /// All that wait for a condition when it begins go on. In pieces of four, as a call
    /// that begins again; once it has begun it ends in success.
    #[inline(never)]
    pub(crate) fn broadcast<M: Machine>(
        &self,
        me: Ref<Thread>,
        slot: usize,
        serial: usize,
        began: usize,
    ) -> Outcome {
        let goes_on = slot & GOES_ON != 0;
        let began = if goes_on {
            began
        } else {
            self.asked.get() as usize
        };
        let condition = match find_condition(self, me, slot & !GOES_ON, serial) {
            Ok(condition) => condition,
            Err(_) if goes_on => return Outcome::DONE,
            Err(error) => return Outcome::error(error),
        };
        let mut left = PIECE;
        while let Some(waiter) = earlier(condition, began as u32) {
            if left == 0 {
                if M::pending() {
                    let slot = slot | GOES_ON;
                    return self.again(me, Call::Broadcast, [slot, serial, began, 0, 0, 0]);
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
        me.answer(0);
        self.go()
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
        let error = match self.copy_word::<M>(thread, mutex, word) {
            _ if !is_it => Error::EIDRM,
            Err(error) => error,
            Ok(_) if self.is_refused(thread, mutex) => Error::EDEADLK,
            Ok(_) => {
                self.want(thread, mutex);
                return self.publish::<M>(thread, mutex);
            }
        };
        thread.answer(error as usize);
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
        let mutex = self.find(thread, !word as usize, serial as usize).ok()?;
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

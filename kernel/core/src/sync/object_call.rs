//! Calls to objects that are no mailboxes: whatever is not usual.
//!
//! See [`crate::slow_path`]: the arguments lie in the caller's registers, and a call that
//! is not over when a piece is done is made again with them.

use giornata_abi::call::Call;
#[cfg(feature = "slots")]
use giornata_abi::system::RIGHT_MANAGE;
use giornata_abi::system::RIGHT_USE;

use crate::sched::helping::is_owner;
use crate::sched::thread::state;
use crate::sched::wait::Woken;
use crate::sync::object::kind;
use crate::{Error, Machine, Outcome, Ref, System, Thread, posix};

/// What an operation comes to that is over: 0 or an [`Error`].
pub(crate) const DONE: usize = 0;
/// Of one that is not over: it waits, or begins again; or its values are in place.
pub(crate) const STAYS: usize = usize::MAX;

/// In the register of the slot: a call that has had an effect goes on.
pub(crate) const GOES_ON: usize = 1 << 16;

#[cfg(feature = "slots")]
const CREATE: usize = Call::CreateObject as usize;
#[cfg(feature = "slots")]
const DELETE: usize = Call::DeleteObject as usize;
const OPEN: usize = Call::OpenObject as usize;
const LOCK: usize = Call::Lock as usize;
const WAIT: usize = Call::Wait as usize;
const SIGNAL: usize = Call::Signal as usize;
const BROADCAST: usize = Call::Broadcast as usize;

/// Carries a call out.
#[inline(never)]
pub(crate) fn carry_out<M: Machine>(me: Ref<Thread>, system: Ref<System>) -> Outcome {
    let answer = run::<M>(me, system);
    if answer != STAYS {
        // (also if another runs: it may have come to the mutex, and so to its ceiling)
        me.end_call(answer);
    }
    system.dispatch_from(me)
}

#[inline(never)]
fn run<M: Machine>(me: Ref<Thread>, system: Ref<System>) -> usize {
    let [slot, serial, third, fourth, fifth, sixth, _, number] = &me.context.a;
    let number = number.get();
    let (place, goes_on) = match number {
        #[cfg(feature = "slots")]
        DELETE | BROADCAST => (slot.get() & !GOES_ON, slot.get() & GOES_ON != 0),
        #[cfg(not(feature = "slots"))]
        BROADCAST => (slot.get() & !GOES_ON, slot.get() & GOES_ON != 0),
        _ => (slot.get(), false),
    };
    let rights = match number {
        // (those that create and delete come first)
        #[cfg(feature = "slots")]
        ..=DELETE => RIGHT_MANAGE.into(),
        #[cfg(feature = "slots")]
        OPEN => u32::MAX,
        _ => RIGHT_USE.into(),
    };
    let (found, why) = system.slot_of(me, place, rights);
    let Some(object) = found else {
        return why as usize;
    };
    #[cfg(feature = "slots")]
    if number == CREATE {
        return system.create_any::<M>(me, object);
    }
    let is_tenant =
        cfg!(feature = "slots") && number == OPEN || object.serial.get() == serial.get() as u32;
    let lives = object.lives() && is_tenant;
    if !lives && !goes_on {
        return Error::ESRCH as usize;
    }
    #[cfg(feature = "slots")]
    if number == OPEN {
        me.results([place, object.serial.get() as usize, 0, 0, 0, 0]);
        return STAYS;
    }
    #[cfg(feature = "slots")]
    if number == DELETE {
        return system.delete_any::<M>(object, slot);
    }
    if !lives {
        // a broadcast: after its first effect a call ends in success
        return DONE;
    }
    let (mut mutex, mut word) = (object, third.get());
    if number == LOCK {
        word = fifth.get();
    } else if number >= WAIT {
        if number == WAIT {
            let (found, why) = system.slot_of(me, word, RIGHT_USE.into());
            let Some(found) = found else {
                return why as usize;
            };
            (mutex, word) = (found, sixth.get());
        }
        if object.kind.get() != kind::CONDITION {
            return Error::EINVAL as usize;
        }
        if number == SIGNAL {
            return match system.wake_first::<M>(object) {
                Woken::NotYet => STAYS,
                _ => DONE,
            };
        }
        if number == BROADCAST {
            return system.broadcast::<M>(object, slot, third);
        }
    }
    let is_mutex = mutex.made & kind::KIND == kind::MUTEX;
    let is_semaphore = mutex.made & kind::KIND == kind::SEMAPHORE && number != WAIT;
    if !is_mutex && !is_semaphore {
        return Error::EINVAL as usize;
    }
    let error = system.copy_word::<M>(me, mutex, word);
    if error != DONE {
        return error;
    }
    let answer = if number == LOCK {
        system.lock_any::<M>(me, mutex)
    } else if is_semaphore {
        system.increment::<M>(mutex)
    } else if !is_owner(mutex, me) {
        Error::EPERM as usize
    } else {
        // whoever hangs on it goes first
        system.unpark(me);
        if me.is(state::PARKED_ON) {
            STAYS
        } else {
            system.release(mutex);
            if number == WAIT {
                me.noted().set(mutex.serial.get() as usize);
                posix::note_word(me, word);
                system.set_wants(me, Some(mutex));
                system.enter(me, object);
                system.wait_until::<M>(me, fourth.get(), fifth.get())
            } else {
                DONE
            }
        }
    };
    system.publish::<M>(me, mutex);
    answer
}

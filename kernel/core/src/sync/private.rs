//! Private mutexes and semaphores: the threads of one process take them by a word of
//! its memory, and come here only when one has to wait, see [`giornata_abi::word`].
//!
//! On the way in, what the word says is taken over, unless the kernel knows better; on
//! the way out, what has become of it is written to the word, and forgotten if
//! nobody waits. The kernel knows better while somebody owns or wants the mutex by its
//! record, or waits for the semaphore: then the word is not read again, whatever
//! the process has written there.
//!
//! The Word Invariant: word and record tell one story. A record is in use if and only if its
//! word has the mark `WAITED_FOR`; then the record alone says who has the object, else the
//! word alone does. Four rules keep it:
//!
//! 1. Whatever takes a word over ([`System::copy_word`]) or changes a record in use tells the
//!    word ([`System::publish`]) before the event is over, also where the call is refused or
//!    begins again.
//! 2. A thread that is given a mutex while it does not run finds that in its word when it goes
//!    on ([`System::finish_wait`]). Until then the record is in use.
//! 3. What a call that waited for a mutex returns says whether its thread has the mutex: whoever
//!    changes the answer looks at that, and not at the answer before.
//! 4. When the kernel writes a word, no thread of the process is behind the load of a
//!    restartable block and before its store. Those that do not run have begun their block anew
//!    since they lost the processor; the one that the timer interrupts may keep it, so it
//!    begins anew when something is due, whoever runs next: [`begin_block_anew`].

use core::hint::cold_path;

use giornata_abi::process::RESTARTABLE_BLOCK;
use giornata_abi::word::{LIMIT, LOCKED, MOST, WAITED_FOR};

use crate::sched::thread;
use crate::sync::object::kind;
use crate::sync::object_call::DONE;
use crate::{Error, Machine, Object, Process, Ref, System, Thread, same};

/// Where a word of a process lies; `None` if it may not write it.
#[inline(never)]
fn place_of<M: Machine>(process: Ref<Process>, address: usize) -> Option<usize> {
    let (length, place) = M::reach(process, address, 4, true);
    (length == 4 && address & 3 == 0).then_some(place)
}

/// Whether an object is private.
#[inline(always)]
fn is_private(object: Ref<Object>) -> bool {
    object.made & kind::PRIVATE != 0
}

/// What the word of a private mutex says of its owner.
#[inline(always)]
pub(crate) fn id_of(owner: Ref<Thread>) -> u32 {
    owner.number() | owner.serial.get() << 16 | LOCKED
}

impl System {
    /// An operation on an object begins, with the address of its word; 0 of one that is
    /// not private (else EINVAL). Takes over what the word says. Returns 0 or why not.
    #[inline(always)]
    pub(crate) fn copy_word<M: Machine>(
        &self,
        me: Ref<Thread>,
        object: Ref<Object>,
        word: usize,
    ) -> usize {
        match is_private(object) {
            false if word == 0 => DONE,
            _ => self.copy::<M>(me, object, word),
        }
    }

    #[inline(never)]
    fn copy<M: Machine>(&self, me: Ref<Thread>, object: Ref<Object>, word: usize) -> usize {
        const INVALID: usize = Error::EINVAL as usize;
        if word == 0 || !is_private(object) {
            return INVALID;
        }
        let Some(place) = place_of::<M>(me.process, word) else {
            return Error::EFAULT as usize;
        };
        let is_mutex = object.made & kind::KIND == kind::MUTEX;
        let is_wanted = is_mutex && object.count.get() != 0;
        if object.owner.get().is_some() || object.waiters.get().is_some() || is_wanted {
            return match object.word.get() == word {
                true => DONE,
                false => INVALID,
            };
        }
        let value = M::load(place);
        // (whoever binds objects to words finds out that the word has another object)
        if cfg!(feature = "posix") && value & WAITED_FOR != 0 {
            return INVALID;
        }
        object.word.set(word);
        object.kind.set(object.made);
        if !is_mutex {
            object.count.set(value & MOST);
        } else if value & LOCKED != 0 {
            let owner = self.threads.get((value & (LOCKED - 1)) as usize);
            let owner = owner.filter(|owner| same(owner.process, me.process));
            let Some(owner) = owner else {
                return INVALID;
            };
            if owner.lives() && owner.serial.get() as u16 == (value >> 16) as u16 {
                self.acquire(owner, object);
            } else {
                object.kind.set(object.made | kind::ABANDONED);
            }
        }
        DONE
    }

    /// An operation on an object is over: if it is private its word says how it stands.
    #[inline(never)]
    pub(crate) fn publish<M: Machine>(&self, me: Ref<Thread>, object: Ref<Object>) {
        if !is_private(object) {
            return;
        }
        let Some(place) = place_of::<M>(me.process, object.word.get()) else {
            // a process that has taken the memory back harms itself
            return;
        };
        let count = object.count.get();
        let (mut value, is_wanted) = match object.made & kind::KIND == kind::MUTEX {
            true => match object.owner.get() {
                Some(owner) => (id_of(owner), count != 0),
                None if object.kind.get() & kind::ABANDONED != 0 => {
                    // the next to ask finds out that its owner ended
                    (M::load(place) & !WAITED_FOR, count != 0)
                }
                None => (0, count != 0),
            },
            false => (
                count | object.most.get() << LIMIT,
                object.waiters.get().is_some(),
            ),
        };
        if is_wanted {
            value |= WAITED_FOR;
        } else {
            self.release(object);
        }
        M::store(place, value);
    }
}

/// A thread that the timer interrupts in a block of its restartable sequences begins the
/// block anew, also if it goes on at once: a timeout may write the word that it has loaded (rule
/// 4 of the Word Invariant). O(1).
#[inline(always)]
pub(crate) fn begin_block_anew<M: Machine>(me: Ref<Thread>) {
    let (process, pc) = (me.process, me.context.pc.get());
    let offset = pc.wrapping_sub(process.restart_begin);
    if me.kind.get() == thread::kind::FULL && offset < process.restart_bytes {
        cold_path();
        let block = pc & !(RESTARTABLE_BLOCK - 1);
        me.context.pc.set(block);
        M::resume_at(block);
    }
}

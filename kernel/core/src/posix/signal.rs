//! Handlers of signals in the frames of threads (POSIX.1 2.4): a thread of a process lets
//! another run a function before it goes on with what it did.
//!
//! What signals there are, whom each is for and who blocks it, the process knows. Its
//! threads are interrupted one by another, so the one that is to run a handler does not run:
//! its registers are written to its own stack, at once, and the exit path knows nothing of
//! signals.

use core::cell::Cell;
use core::hint::cold_path;

use giornata_abi::Error;
use giornata_abi::posix::FRAME;

use crate::sched::thread::{Context, kind, state};
use crate::sync::object::kind as object;
use crate::{Machine, Object, Outcome, Process, Ref, System, Thread, same};

/// Bytes of a register.
const WORD: usize = size_of::<usize>();

/// Copies between the registers of a thread and its frame at a user address. Returns whether
/// all of it is the process's.
#[inline(always)]
fn transfer<M: Machine>(
    process: Ref<Process>,
    frame: usize,
    context: &Context,
    word: impl Fn(&Cell<usize>, usize),
) -> bool {
    const SIZE: usize = FRAME * WORD;
    let (length, first) = M::reach(process, frame, SIZE, true);
    if length == SIZE && frame & (WORD - 1) == 0 {
        // (without a loop, which would take four times as long)
        let [a0, a1, a2, a3, a4, a5, a6, a7] = &context.a;
        let [t0, t1, t2, t3, t4, t5, t6] = &context.t;
        let at = |number: usize| first.wrapping_add(number * WORD);
        word(a0, at(0));
        word(a1, at(1));
        word(a2, at(2));
        word(a3, at(3));
        word(a4, at(4));
        word(a5, at(5));
        word(a6, at(6));
        word(a7, at(7));
        word(t0, at(8));
        word(t1, at(9));
        word(t2, at(10));
        word(t3, at(11));
        word(t4, at(12));
        word(t5, at(13));
        word(t6, at(14));
        word(&context.pc, at(15));
        word(&context.sp, at(16));
        word(&context.ra, at(17));
        return true;
    }
    cold_path();
    // it lies in two pages, or not all of it is the process's
    let behind = frame.wrapping_add(length);
    let (rest, second) = M::reach(process, behind, SIZE.wrapping_sub(length), true);
    if (frame | length) & (WORD - 1) != 0 || length.wrapping_add(rest) < SIZE {
        return false;
    }
    let rest = [&context.pc, &context.sp, &context.ra];
    let all = context.a.iter().chain(&context.t).chain(rest);
    for (number, register) in all.enumerate() {
        let offset = number * WORD;
        word(
            register,
            match offset < length {
                true => first.wrapping_add(offset),
                false => second.wrapping_add(offset.wrapping_sub(length)),
            },
        );
    }
    true
}

#[cfg(target_pointer_width = "32")]
#[inline(always)]
fn load_word<M: Machine>(place: usize) -> usize {
    M::load(place) as usize
}

#[cfg(target_pointer_width = "64")]
fn load_word<M: Machine>(place: usize) -> usize {
    M::load(place) as usize | (M::load(place.wrapping_add(4)) as usize) << 32
}

#[cfg(target_pointer_width = "32")]
#[inline(always)]
fn store_word<M: Machine>(place: usize, value: usize) {
    M::store(place, value as u32);
}

#[cfg(target_pointer_width = "64")]
fn store_word<M: Machine>(place: usize, value: usize) {
    M::store(place, value as u32);
    M::store(place.wrapping_add(4), (value >> 32) as u32);
}

impl System {
    /// A thread of the caller's process runs `handler` when it next has the turn, with the
    /// frame as its argument, and then goes on by [`System::signal_return`]. If it waits, its wait
    /// ends: EINTR. O(depth).
    ///
    /// EBUSY: it has something to do in the kernel first. EFAULT: its stack has no room.
    #[inline(never)]
    pub(crate) fn interrupt<M: Machine>(
        &self,
        me: Ref<Thread>,
        slot: usize,
        serial: usize,
        handler: usize,
    ) -> Outcome {
        let found = self.ordinary(me, slot, serial);
        let Some(thread) = found.filter(|thread| !same(*thread, me)) else {
            return Outcome::error(Error::ESRCH);
        };
        self.end_wait::<M>(thread);
        let is_busy = thread.wants.get().is_some()
            || thread.waits.get().is_some()
            || thread.kind.get() >= kind::FINISHES;
        let error = match is_busy {
            true => Error::EBUSY as usize,
            false => push::<M>(thread, handler),
        };
        me.answer(error);
        self.dispatch()
    }

    /// The wait of a thread ends, unless it waits for a reply.
    fn end_wait<M: Machine>(&self, thread: Ref<Thread>) {
        const INTERRUPTED: usize = Error::EINTR as usize;
        let is_mutex = |wanted: Ref<Object>| wanted.made & object::KIND == object::MUTEX;
        if thread.wants.get().is_some_and(|wanted| !is_mutex(wanted)) {
            return;
        }
        let waits = thread.waits.get().is_some();
        if waits && thread.is(state::SLEEPS) {
            thread.answer(INTERRUPTED);
            return self.awaken::<M>(thread);
        }
        if waits && !thread.is(state::PARKED) {
            self.leave_wait::<M>(thread);
            // (a mutex that it gave back for a condition it does not take again)
            self.set_wants(thread, None);
            thread.refuse(Error::EINTR);
            return self.awaken::<M>(thread);
        }
        if thread.wants.get().is_some() && thread.kind.get() != kind::FINISHES {
            self.disarm_if_set(thread);
            // (what its call returns with the mutex stays so: its time may have been over before)
            if self.time_out::<M>(thread) {
                thread.answer(INTERRUPTED);
            }
        }
    }

    /// The caller goes on with the registers in a frame. EFAULT: it is not its process's.
    #[inline(never)]
    pub(crate) fn signal_return<M: Machine>(&self, me: Ref<Thread>, frame: usize) -> Outcome {
        let load = |register: &Cell<usize>, place: usize| register.set(load_word::<M>(place));
        if !transfer::<M>(me.process, frame, &me.context, load) {
            return Outcome::error(Error::EFAULT);
        }
        me.kind.set(kind::FULL);
        M::return_at(me.context.pc.get());
        Outcome::switch(me)
    }
}

/// Writes the registers of a thread, as it would go on with them, to its stack, and lets it
/// begin with `handler`. Returns 0 or why not.
fn push<M: Machine>(thread: Ref<Thread>, handler: usize) -> usize {
    let context = &thread.context;
    let kind = thread.kind.get();
    // what a call does not return is 0 behind it
    let kept = match kind {
        kind::FULL | kind::AGAIN => 8,
        kind::RESULTS => 7,
        _ => 1,
    };
    if kind != kind::FULL {
        let behind = context.a.get(kept..).into_iter().flatten();
        behind.for_each(|register| register.set(0));
        context.t.iter().for_each(|register| register.set(0));
        context.ra.set(0);
    }
    if kind == kind::AGAIN {
        context.pc.set(context.pc.get().wrapping_sub(4));
    }
    let frame = context.sp.get().wrapping_sub(FRAME * WORD) & !15;
    let store = |register: &Cell<usize>, place: usize| store_word::<M>(place, register.get());
    let is_there = transfer::<M>(thread.process, frame, context, store);
    thread.kind.set(kind::FULL);
    if !is_there {
        return Error::EFAULT as usize;
    }
    context.pc.set(handler);
    context.sp.set(frame);
    context.ra.set(0);
    thread.answer(frame);
    0
}

//! What every trap path has: the call that a thread makes, and the registers with which it goes on.

use std::cell::Cell;

use giornata_abi::call::Call;
use giornata_abi::posix;
use giornata_core::sched::thread::kind;
use giornata_core::trace::reason;
use giornata_core::{Error, Handler, Outcome, Ref, Thread, calls};

use crate::hart::Hart;
use crate::rig::{Diversion, Results, record};

static CALLS: [Handler; Call::TABLE] = calls::table::<Hart>();

/// The words with which a caller goes on, if this is their address.
fn words(answer: usize) -> Option<Results> {
    if answer == 0 || answer & reason::BITS != 0 {
        return None;
    }
    let words = record::<[Cell<u32>; 6]>(answer as u64);
    let mut results = [0; 7];
    for (result, word) in results[1..].iter_mut().zip(words) {
        *result = word.get() as usize;
    }
    Some(results)
}

/// Whom the hart leaves for; none: the caller goes on.
pub(crate) fn next(outcome: Outcome) -> Option<Ref<Thread>> {
    match outcome.next_address() {
        0 => None,
        address => Some(record(address as u64)),
    }
}

/// A thread makes a call: what the kernel comes to.
pub(crate) fn carry_out(
    me: Ref<Thread>,
    number: usize,
    [a0, a1, a2, a3, a4, a5]: [usize; 6],
) -> Outcome {
    let outcome = match CALLS.get(number) {
        // (of ordinary threads, as in the trap path)
        _ if number == posix::CALL && usize::from(me.tenancy.get()) >= Call::COUNT => {
            giornata_core::posix::call::<Hart>(a0, a1, a2, a3, a4, a5, me)
        }
        Some(handler) if number < usize::from(me.tenancy.get()) => {
            handler(a0, a1, a2, a3, a4, a5, me)
        }
        _ if number < Call::COUNT => Outcome::error(Error::EPERM),
        _ => Outcome::error(Error::ENOSYS),
    };
    // behind the call, also where a way that is no switch leads there (but with all
    // registers of a frame, where `Machine::return_at` said)
    if me.kind.get() != kind::FULL {
        me.context.pc.set(me.context.pc.get().wrapping_add(4));
    }
    outcome
}

/// The registers with which a caller goes on whose context does not say.
pub(crate) fn results_of(me: Ref<Thread>, outcome: Outcome) -> Option<Results> {
    match next(outcome) {
        None => Some([outcome.answer(), 0, 0, 0, 0, 0, 0]),
        Some(next) if !std::ptr::eq(next, me) => None,
        Some(_) if outcome.answer() == reason::PAIR => {
            let [_, a1, a2, ..] = &me.context.a;
            Some([0, a1.get(), a2.get(), 0, 0, 0, 0])
        }
        Some(_) => words(outcome.answer()),
    }
}

/// The first registers of a thread's context.
fn registers(thread: Ref<Thread>, count: usize) -> Results {
    let mut results = [0; 7];
    for (result, register) in results.iter_mut().zip(&thread.context.a).take(count) {
        *result = register.get();
    }
    results
}

/// A thread goes on in user mode, if its kind says so: with these registers, if it comes from a
/// call.
pub(crate) fn go_on(thread: Ref<Thread>) -> Option<Results> {
    let count = match thread.kind.get() {
        kind::CALL => 1,
        kind::RESULTS => 7,
        kind::FULL => 0,
        _ => return None,
    };
    thread.kind.set(kind::CALL);
    (count != 0).then(|| registers(thread, count))
}

/// The call that a thread makes again, or what its process calls instead.
pub(crate) fn call_of(
    thread: Ref<Thread>,
    diversion: &mut Option<Diversion>,
) -> (usize, [usize; 6]) {
    let [a0, a1, a2, a3, a4, a5, _, a7] = &thread.context.a;
    let arguments = [a0, a1, a2, a3, a4, a5].map(|register| register.get());
    match diversion {
        Some(Diversion(diverts)) => diverts(thread.number() as usize, a7.get(), arguments),
        None => (a7.get(), arguments),
    }
}

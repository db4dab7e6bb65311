//! The answers that the documentation of the system calls promises.
//!
//! Written from the table of calls alone: errors are tested in the order in
//! which a call lists them, and EPERM for the wrong kind of caller before all.

use giornata_rt::Error;
use giornata_rt::abi::call::{Call, Callers};
use giornata_rt::call::Number;

use crate::value::Place;

/// What the caller is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caller {
    Thread,
    Task,
    Upcall,
}

/// What the caller is and may.
#[derive(Clone, Copy)]
pub(crate) struct Rights {
    pub(crate) caller: Caller,
    /// Ports of the system.
    pub(crate) ports: usize,
    /// The only port it may read and not write, of four bytes.
    pub(crate) readable: Option<usize>,
    /// The only port it may write, and so read, of four bytes.
    pub(crate) writable: Option<usize>,
    /// Its own id, which it alone of its process has.
    pub(crate) own: Number,
    /// Threads of the system; none has another generation than 0.
    pub(crate) threads: Number,
    /// Highest priority it may ask for.
    pub(crate) max_priority: usize,
}

/// What a call must answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Promise {
    /// A refusal.
    Refused(Error),
    /// Success without results.
    Done,
    /// Success with so many results.
    Results(usize),
    /// It blocks or ends the caller: not to be made here.
    Apart,
}

use Promise::{Apart, Done, Refused, Results};

/// What call `number` with `arguments` must answer; `place` is what `arguments[1]` points to.
pub(crate) fn promise(
    rights: &Rights,
    number: usize,
    arguments: &[usize; 3],
    place: Option<Place>,
) -> Promise {
    let Some(call) = Call::from_number(number) else {
        return Refused(Error::ENOSYS);
    };
    if call == Call::Panic || !may_call(rights.caller, call) {
        return if call == Call::Panic {
            Apart
        } else {
            Refused(Error::EPERM)
        };
    }
    let [a, b, c] = *arguments;
    match call {
        // (whose other registers are the caller's)
        Call::Null => Results(5),
        Call::Yield => Done,
        Call::Clock | Call::CpuTime => Results(2),
        Call::Own => Results(4),
        Call::Exit | Call::Complete | Call::Return | Call::Panic => Apart,
        Call::Sleep => sleep(a, b),
        // no interrupt is granted, and neither is the shutdown
        Call::AwaitInterrupt | Call::Shutdown => Refused(Error::EPERM),
        Call::ReadPort => {
            let granted = [rights.readable, rights.writable].contains(&Some(a));
            port(
                rights,
                granted,
                a,
                c,
                place.is_some_and(|place| place.writable),
            )
        }
        Call::WritePort => {
            let granted = rights.writable == Some(a);
            port(
                rights,
                granted,
                a,
                c,
                place.is_some_and(|place| place.readable),
            )
        }
        Call::Log => log(a),
        Call::SetPriority if b as u32 != 1 => Refused(Error::ESRCH),
        Call::SetPriority => set_priority(rights, a as Number, c),
        // nobody is trusted with a device that reads and writes memory by itself, nor
        // is the trace granted
        Call::DeviceAddress | Call::TracePosition => Refused(Error::EPERM),
        // of other configurations of the kernel
        _ => Refused(Error::ENOSYS),
    }
}

fn may_call(caller: Caller, call: Call) -> bool {
    match call.callers() {
        Callers::All => true,
        Callers::Any => caller != Caller::Upcall,
        Callers::Thread => caller == Caller::Thread,
        Callers::Task => caller == Caller::Task,
        Callers::Upcall => caller == Caller::Upcall,
    }
}

/// Halves are 32 bits of their registers. Instants within a second of the
/// start may lie ahead, later ones do; the last one never comes.
fn sleep(low: usize, high: usize) -> Promise {
    match (low as u32, high as u32) {
        (u32::MAX, u32::MAX) => Refused(Error::EINVAL),
        (0..=1_000_000, 0) => Done,
        _ => Apart,
    }
}

fn port(rights: &Rights, granted: bool, port: usize, length: usize, fits: bool) -> Promise {
    if port >= rights.ports {
        return Refused(Error::ESRCH);
    }
    match (granted, length, fits) {
        (false, _, _) => Refused(Error::EPERM),
        (true, 4, true) => Done,
        (true, 4, false) => Refused(Error::EFAULT),
        (true, _, _) => Refused(Error::EINVAL),
    }
}

/// One to sixteen bytes; bit 8 says that more follows.
fn log(length: usize) -> Promise {
    match length & !0x100 {
        1..=16 => Apart,
        _ => Refused(Error::EINVAL),
    }
}

/// Of a thread that lives, or may.
fn set_priority(rights: &Rights, thread: Number, priority: usize) -> Promise {
    if thread >= rights.threads {
        return Refused(Error::ESRCH);
    }
    if thread != rights.own || priority > rights.max_priority {
        return Refused(Error::EPERM);
    }
    Done
}

//! The slow path of calls to objects.
//!
//! The handlers of the table decide by all that may be unusual, or-ed into one branch before
//! anything has changed. What is unusual begins anew here, as a call that is made again: its
//! number and its arguments lie in the caller's registers. So it can end in any piece,
//! and say in those where it goes on.

use giornata_abi::call::Call;

use crate::mail::mailbox;
use crate::sched::thread;
use crate::sync::object_call;
use crate::{Machine, Outcome, Ref, System, Thread};

/// The general handler of a call.
macro_rules! slow_path {
    ($call:ident, $a:expr, $b:expr, $c:expr, $me:expr, $system:expr) => {{
        core::hint::cold_path();
        const CALL: usize = giornata_abi::call::Call::$call as usize;
        $crate::slow_path::begin_of_three::<M, CALL>($a, $b, $c, $me, $system)
    }};
    ($call:ident, $a:expr, $b:expr, $c:expr, $d:expr, $e:expr, $f:expr, $me:expr, $system:expr) => {{
        core::hint::cold_path();
        const CALL: usize = giornata_abi::call::Call::$call as usize;
        $crate::slow_path::begin::<M, CALL>($a, $b, $c, $d, $e, $f, $me, $system)
    }};
}
pub(crate) use slow_path;

/// The call `CALL` with its arguments. (Three instructions, out of line: where it is
/// entered from all registers are taken, and they stay as they are.)
#[cold]
#[inline(never)]
#[allow(clippy::too_many_arguments)] // those of the call
pub(crate) extern "C" fn begin<M: Machine, const CALL: usize>(
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
    me: Ref<Thread>,
    system: Ref<System>,
) -> Outcome {
    let [.., number] = &me.context.a;
    number.set(CALL);
    general::<M>(a, b, c, d, e, f, me, system)
}

/// The same of a call that has three arguments.
#[cold]
#[inline(never)]
pub(crate) extern "C" fn begin_of_three<M: Machine, const CALL: usize>(
    a: usize,
    b: usize,
    c: usize,
    me: Ref<Thread>,
    system: Ref<System>,
) -> Outcome {
    let [.., number] = &me.context.a;
    number.set(CALL);
    general::<M>(a, b, c, 0, 0, 0, me, system)
}

/// A call with two arguments.
#[cold]
#[inline(never)]
pub(crate) extern "C" fn begin_as<M: Machine>(
    a: usize,
    b: usize,
    call: usize,
    me: Ref<Thread>,
    system: Ref<System>,
) -> Outcome {
    let [.., number] = &me.context.a;
    number.set(call);
    general::<M>(a, b, 0, 0, 0, 0, me, system)
}

/// Any call to an object, whatever there is to see to. Its number is in `a7` of the
/// caller's context, and its arguments come there too.
#[cold]
#[inline(never)]
#[allow(clippy::too_many_arguments)]
extern "C" fn general<M: Machine>(
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
    me: Ref<Thread>,
    system: Ref<System>,
) -> Outcome {
    let [a0, a1, a2, a3, a4, a5, _, number] = &me.context.a;
    a0.set(a);
    a1.set(b);
    a2.set(c);
    a3.set(d);
    a4.set(e);
    a5.set(f);
    #[cfg(feature = "mail")]
    me.request().priority.set(a);
    me.kind.set(thread::kind::AGAIN);
    match number.get() < Call::Send as usize {
        true => object_call::carry_out::<M>(me, system),
        false => mailbox::carry_out::<M>(me, system),
    }
}

//! The table of system calls: the one dispatch of the trap path, the simulation and
//! the tests.

use giornata_abi::Error;
use giornata_abi::next::call::Call;

use crate::thread::kind;
use crate::{Kernel, Machine, Outcome, Ref, Thread};

/// What carries out a call: `a0..a5` of the caller, the caller, the kernel.
pub type Handler =
    extern "C" fn(usize, usize, usize, usize, usize, usize, Ref<Thread>, Ref<Kernel>) -> Outcome;

macro_rules! handlers {
    ($($call:ident = $name:ident($($argument:ident),*; $me:ident, $kernel:ident) $body:expr;)*) => {
        $(extern "C" fn $name<M: Machine>($($argument: usize,)* $me: Ref<Thread>, $kernel: Ref<Kernel>) -> Outcome { $body })*

        /// The handlers by number of call; what names no call is refused.
        pub const fn table<M: Machine>() -> [Handler; Call::TABLE] {
            let mut table: [Handler; Call::TABLE] = [no_such_call; Call::TABLE];
            $(table[Call::$call as usize] = $name::<M>;)*
            table
        }
    };
}

handlers! {
    Null = null(_a, _b, _c, _d, _e, _f; _me, _kernel) Outcome::DONE;
    Yield = yield_now(_a, _b, _c, _d, _e, _f; me, kernel) kernel.yield_now(me);
    Clock = clock(_a, _b, _c, _d, _e, _f; me, kernel) kernel.clock::<M>(me);
    Sleep = sleep(low, high, _c, _d, _e, _f; me, kernel) kernel.sleep::<M>(me, low, high);
    AwaitInterrupt = await_interrupt(number, _b, _c, _d, _e, _f; me, kernel) kernel.await_interrupt::<M>(me, number);
    CpuTime = cpu_time(_a, _b, _c, _d, _e, _f; me, kernel) kernel.cpu_time::<M>(me);
}

extern "C" fn no_such_call(
    _: usize,
    _: usize,
    _: usize,
    _: usize,
    _: usize,
    _: usize,
    _: Ref<Thread>,
    _: Ref<Kernel>,
) -> Outcome {
    Outcome::error(Error::ENOSYS)
}

impl Kernel {
    /// The turn of a thread that lives in the kernel: a piece of work, after which the
    /// hart looks at its timer and lines.
    pub fn work<M: Machine>(&self, me: Ref<Thread>) -> Outcome {
        let _ = me;
        self.go()
    }

    /// Saves the arguments of a call that is not done: the caller makes it again when
    /// it has its turn. Whoever is more urgent runs first.
    #[inline(never)]
    pub(crate) fn again(&self, me: Ref<Thread>, call: Call, arguments: [usize; 6]) -> Outcome {
        let [a0, a1, a2, a3, a4, a5, _, a7] = &me.context.a;
        for (place, argument) in [a0, a1, a2, a3, a4, a5].into_iter().zip(arguments) {
            place.set(argument);
        }
        a7.set(call as usize);
        me.kind.set(kind::AGAIN);
        self.go()
    }
}

//! What kernels of the configuration `pse51` do for POSIX beyond [`Call`]: one more call,
//! with an operation in `a0` and its arguments in `a1..a5`. Only ordinary threads make it,
//! as those of [`Callers::Thread`](crate::call::Callers::Thread); kernels without it
//! return ENOSYS. Results are as of any call.

use crate::call::Call;

/// Its number, in `a7`: behind those that every kernel knows.
pub const CALL: usize = Call::TABLE;

/// Registers in a frame, each a word: `a0..a7`, `t0..t6`, `pc`, `sp`, `ra`.
pub const FRAME: usize = 18;

/// What `how` says in `SetPolicy`: the policy in the lowest byte, and parameters from these
/// bits on, a byte each.
pub mod policy {
    /// SCHED_FIFO.
    pub const FIFO: usize = 0;
    /// SCHED_RR.
    pub const ROUND_ROBIN: usize = 1;
    /// SCHED_SPORADIC.
    pub const SPORADIC: usize = 2;
    /// By deadlines: `period` is how long after its activation, or the end of a sleep, a
    /// deadline is. Its priority is that of the deadline band.
    pub const DEADLINE: usize = 3;
    /// The priority.
    pub const HIGH: usize = 8;
    /// The priority of a server that has used its budget up.
    pub const LOW: usize = 16;
    /// Replenishments that can be pending at once, up to [`REPLENISHMENTS`].
    pub const MOST: usize = 24;
    /// `SS_REPL_MAX`.
    pub const REPLENISHMENTS: usize = 4;
}

macro_rules! operations {
    ($($(#[doc = $doc:literal])* $name:ident = $code:literal, $text:literal, $errors:literal;)*) => {
        /// What the call is to do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Operation { $($(#[doc = $doc])* $name = $code,)* }

        impl Operation {
            /// Every operation.
            pub const ALL: &'static [Operation] = &[$(Operation::$name,)*];

            /// The operation with this number.
            pub const fn from_number(number: usize) -> Option<Operation> {
                match number { $($code => Some(Operation::$name),)* _ => None }
            }

            /// Its name, with arguments and results.
            pub const fn signature(self) -> &'static str {
                match self { $(Operation::$name => $text,)* }
            }

            /// The errors that it can return.
            pub const fn errors(self) -> &'static str {
                match self { $(Operation::$name => $errors,)* }
            }
        }
    };
}

operations! {
    /// Ticks that a thread of the caller's process has executed: what its CPU-time clock shows (POSIX.1 `clock_getcpuclockid`, `CLOCK_THREAD_CPUTIME_ID`). O(1).
    ThreadTime = 0, "thread_time(slot, serial) -> low, high", "ESRCH";
    /// Ticks that all threads of the caller's process have executed, those that have ended too (`CLOCK_PROCESS_CPUTIME_ID`). O(threads of the system).
    ProcessTime = 1, "process_time() -> low, high", "";
    /// Another thread of the caller's process runs a function before it goes on, for a signal: its registers are pushed to its stack as a frame (see [`FRAME`]), whose address the function has as its argument. A wait of it ends with EINTR, but for a reply (EBUSY, as while it has something to do in the kernel). EFAULT: its stack has no room. O(chain of owners).
    Interrupt = 2, "interrupt(slot, serial, function)", "ESRCH EBUSY EFAULT";
    /// The caller goes on with the registers of a frame. Returns only if it is refused. O(1).
    GoBack = 3, "go_back(frame)", "EFAULT";
    /// A thread of the caller's process is scheduled as POSIX.1 2.8.4 says, from now on and with all of its budget: `how` is a [`policy`] and its parameters, `budget` and `period` are ticks, 2^30 at most; the budget of SCHED_RR is its quantum. The ready queue as of `set_priority`. O(depth).
    SetPolicy = 4, "set_policy(slot, serial, how, budget, period)", "ESRCH EINVAL EPERM";
    /// When another thread of the caller's process has run so many ticks, the caller's sleep ends with EINTR, if it sleeps; 0: not any more. O(1).
    SetTimer = 5, "set_timer(slot, serial, low, high)", "ESRCH";
    /// What the board's real-time clock showed when the system began, in ns since 1970, and the tick of that instant. ENOSYS: the board has none. O(1).
    RealTime = 6, "real_time() -> low, high, tick_low, tick_high", "ENOSYS";
    /// The trace tells what a thread of the caller's process is called from now on: up to 16 bytes, of which each word holds 4, the lowest first. `who` is its slot, and the bytes in the upper half. O(1).
    SetName = 7, "set_name(who, first, second, third, fourth)", "ESRCH EINVAL";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_has_the_number_that_names_it() {
        for (index, operation) in Operation::ALL.iter().enumerate() {
            assert_eq!(Operation::from_number(index), Some(*operation));
        }
        assert_eq!(Operation::from_number(Operation::ALL.len()), None);
    }

    #[test]
    fn the_call_is_none_that_every_kernel_knows() {
        assert_eq!(Call::from_number(CALL), None);
    }
}

//! What kernels of the configuration `pse51` do for POSIX beyond [`Call`]: one more call,
//! with an operation in `a0` and its arguments in `a1..a5`. Only ordinary threads make it,
//! as those of [`Callers::Thread`](crate::call::Callers::Thread); kernels without it
//! return ENOSYS. Results are as of any call.

use crate::call::Call;

/// Its number, in `a7`: behind those that every kernel knows.
pub const CALL: usize = Call::TABLE;

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

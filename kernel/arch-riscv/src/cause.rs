//! Why a hart trapped, and what that means to the kernel.

use giornata_abi::trace::FaultCause;

/// `mcause` of the interrupts that are enabled.
pub mod interrupt {
    const FLAG: usize = 1 << (usize::BITS - 1);
    /// The alarm.
    pub const TIMER: usize = FLAG | 7;
    /// A line of the controller.
    pub const EXTERNAL: usize = FLAG | 11;
}

/// `mcause` of an illegal instruction.
pub const ILLEGAL: usize = 2;
/// `mcause` of `ecall` from user mode.
pub const USER_CALL: usize = 8;

/// The faults that exceptions from user mode are, by `mcause`.
const FAULTS: [FaultCause; 16] = {
    use FaultCause::{Breakpoint, Execute, Illegal, Load, Store};
    [
        Execute, Execute, Illegal, Breakpoint, Load, Load, Store, Store, Illegal, Illegal, Illegal,
        Illegal, Execute, Load, Illegal, Store,
    ]
};

/// The fault that an exception from user mode is. What has no meaning here
/// (there is no exception from user mode left) counts as illegal.
pub fn fault(mcause: usize) -> FaultCause {
    FAULTS.get(mcause).copied().unwrap_or(FaultCause::Illegal)
}

/// The same where a load or store ran into the guard below a stack.
pub fn with_guard(cause: FaultCause, is_below_stack: impl FnOnce() -> bool) -> FaultCause {
    if matches!(cause, FaultCause::Load | FaultCause::Store) && is_below_stack() {
        return FaultCause::StackOverflow;
    }
    cause
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loads_and_stores_overflow_a_stack() {
        use FaultCause::*;
        assert_eq!(with_guard(Load, || true), StackOverflow);
        assert_eq!(with_guard(Store, || true), StackOverflow);
        assert_eq!(with_guard(Store, || false), Store);
        assert_eq!(with_guard(Execute, || true), Execute);
    }

    #[test]
    fn every_exception_from_user_mode_has_a_cause() {
        use FaultCause::*;
        let causes = [
            Execute, Execute, Illegal, Breakpoint, Load, Load, Store, Store, Illegal, Illegal,
            Illegal, Illegal, Execute, Load, Illegal, Store,
        ];
        for (mcause, cause) in causes.into_iter().enumerate() {
            assert_eq!(fault(mcause), cause, "{mcause}");
        }
    }
}

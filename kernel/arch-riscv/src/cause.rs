//! Why a hart trapped, and what that means to the kernel.

use giornata_abi::trace::FaultCause;

use crate::space::PAGE;

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

/// The fault that an exception from user mode is. What has no meaning here
/// (there is no exception from user mode left) counts as illegal.
pub fn fault(mcause: usize) -> FaultCause {
    match mcause {
        0 | 1 | 12 => FaultCause::Execute,
        3 => FaultCause::Breakpoint,
        4 | 5 | 13 => FaultCause::Load,
        6 | 7 | 15 => FaultCause::Store,
        _ => FaultCause::Illegal,
    }
}

/// Whether a load or store at `address` with the stack pointer at `sp` ran into
/// the guard of a stack: within a page of the stack pointer, unmapped itself,
/// and below a page that is mapped.
pub fn is_stack_overflow(
    cause: FaultCause,
    address: usize,
    sp: usize,
    is_mapped: impl Fn(usize) -> bool,
) -> bool {
    matches!(cause, FaultCause::Load | FaultCause::Store)
        && address.abs_diff(sp) <= PAGE
        && !is_mapped(address)
        && is_mapped(address.wrapping_add(PAGE))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STACK: core::ops::Range<usize> = 0x5000..0x7000;

    fn overflow(cause: FaultCause, address: usize, sp: usize) -> bool {
        is_stack_overflow(cause, address, sp, |page| STACK.contains(&page))
    }

    #[test]
    fn a_push_below_the_stack_is_an_overflow() {
        assert!(overflow(FaultCause::Store, 0x4FF8, 0x4FF0));
        assert!(overflow(FaultCause::Store, 0x4FF8, 0x5010));
        assert!(overflow(FaultCause::Load, 0x4010, 0x4000));
    }

    #[test]
    fn a_wild_access_is_none() {
        assert!(!overflow(FaultCause::Store, 0x4FF8, 0x6100)); // far from sp
        assert!(!overflow(FaultCause::Store, 0x5010, 0x5000)); // mapped: read-only
        assert!(!overflow(FaultCause::Store, 0x7010, 0x7000)); // above the stack
        assert!(!overflow(FaultCause::Execute, 0x4FF8, 0x4FF0));
        assert!(!overflow(FaultCause::Store, 8, 16)); // nothing mapped above
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

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

/// Most bytes below a stack that are called an overflow of it: two frames of the largest for
/// which there are guards everywhere. Who is farther down has a stray stack pointer, mostly.
const FARTHEST: usize = 128 << 10;
/// An access this far below a stack pointer is of the frame there.
const FRAME: usize = 64;

/// The same where a load or store of a frame ran below the stack, which ends at `bottom`:
/// between that and the stack pointer.
pub fn with_guard(cause: FaultCause, bottom: usize, address: usize, sp: usize) -> FaultCause {
    let below = bottom.wrapping_sub(address);
    let above = address.wrapping_sub(sp).wrapping_add(FRAME);
    let is_frame = below.wrapping_sub(1) < FARTHEST && above <= FARTHEST;
    if is_frame && matches!(cause, FaultCause::Load | FaultCause::Store) {
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
        let overflow = |cause| with_guard(cause, 0x5000, 0x4FF8, 0x4FF0);
        assert_eq!(overflow(Load), StackOverflow);
        assert_eq!(overflow(Store), StackOverflow);
        assert_eq!(overflow(Execute), Execute);
    }

    #[test]
    fn a_stack_overflows_between_its_end_and_the_stack_pointer() {
        use FaultCause::*;
        let store = |address, sp| with_guard(Store, 0x500_0000, address, sp);
        for (address, sp) in [
            (0x4FF_FFF8, 0x4FF_FFF0),
            (0x4FF_FFF8, 0x500_0010),
            // a frame that is larger than a page, touched at either end
            (0x4FF_FFF8, 0x4FF_0000),
            (0x4FF_0010, 0x4FF_0000),
        ] {
            assert_eq!(store(address, sp), StackOverflow, "{address:x} {sp:x}");
        }
        for (address, sp) in [
            (0x4FF_FFF8, 0x500_0800),
            (0x500_0000, 0x4FF_FFF0),
            (0x4FD_FFF8, 0x4FD_FFF0),
            (0x10, 0x500_0010),
            (usize::MAX, 0x500_0010),
        ] {
            assert_eq!(store(address, sp), Store, "{address:x} {sp:x}");
        }
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

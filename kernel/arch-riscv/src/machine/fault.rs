//! Exceptions: of a thread, and of the kernel itself.

use giornata_core::{Outcome, Ref, Thread};

use super::boot::system;
use super::csr::{self, read};
use super::floating;
use crate::cause;

/// An exception. Those of user mode are the thread's fault, or its first use of floating
/// point; one of machine mode is a bug of the kernel.
#[unsafe(link_section = ".text.cold.fault")]
pub(super) extern "C" fn fault(me: Ref<Thread>, mcause: usize, address: usize) -> Outcome {
    if read!("mstatus") & csr::MPP != 0 {
        bug(mcause, read!("mepc"), address);
    }
    if mcause == cause::ILLEGAL && floating::take(me) {
        return Outcome::DONE;
    }
    #[cfg(feature = "harts")]
    if super::harts::has_old_rights() {
        return Outcome::DONE;
    }
    let place = me.place;
    let bottom = place.stack_top.wrapping_sub(place.stack_size);
    let sp = me.context.sp.get();
    let cause = cause::with_guard(cause::fault(mcause), bottom, address, sp);
    system().fault::<super::Riscv>(me, cause as u32, me.context.pc.get(), address)
}

/// The kernel itself trapped: nothing that it holds can be relied on.
fn bug(mcause: usize, pc: usize, address: usize) -> ! {
    unsafe extern "C" {
        /// Of the image.
        fn giornata_trapped(mcause: usize, pc: usize, address: usize) -> !;
    }
    // SAFETY: the image says its last words and ends the machine.
    unsafe { giornata_trapped(mcause, pc, address) }
}

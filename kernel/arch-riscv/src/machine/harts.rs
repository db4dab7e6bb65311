//! Several harts: where their records and stacks lie, how they interrupt each other, whose timer
//! rings for whom.
//!
//! ```text
//!   RECORDS - 8 K * n - 8 K    a page that nobody may touch
//!   RECORDS - 8 K * n - 4 K    the stack of hart n, which ends at its record
//!   RECORDS                    the record of the system
//! ```
//!
//! The timer of hart 0 rings for the agenda, and for the limit of whom that runs; that of each
//! other for the limit of whom it runs.

use core::hint::cold_path;
use core::ptr::{with_exposed_provenance, with_exposed_provenance_mut};

use giornata_core::{Hart, Outcome, Ref, Thread, before};

use super::boot::system;
use super::csr::{self, FS, MIE, MPIE, MPP, MPRV, TW, read, write};
use super::hart::TIMER_DEVICE;
use super::{Riscv, floating, space};
use crate::board::{HARTS, RECORDS};
use crate::clock::COMPARE;

/// Bytes of a stack and the guard below it.
const STRIDE: usize = 8192;
/// Bytes that the record of a hart has at the end of its stack.
const ROOM: usize = 192;
const _: () = assert!(size_of::<Hart>() <= ROOM);

/// Numbers of the machine's harts from one of the kernel's to the next: in an emulator that runs
/// one after the other, a hart between them does nothing.
const PLACES: usize = if cfg!(feature = "in-turn") { 2 } else { 1 };

/// Where the record of a hart lies.
pub(super) const fn place(number: usize) -> usize {
    RECORDS - STRIDE * number - ROOM
}

/// Before anything else of the kernel runs: each hart has a record, and runs its idle thread.
pub(super) fn prepare() {
    let system = system();
    let harts = &*system.harts;
    let mut idle = system.idle_threads();
    for number in 0..HARTS {
        let Some(own) = idle.next() else {
            return;
        };
        let at = with_exposed_provenance_mut::<Hart>(place(number));
        // SAFETY: it is the end of a stack that nobody uses yet (Stack Invariant).
        unsafe { at.write(Hart::new(number as u32, own)) };
        // SAFETY: as above, and from now on it is reached through its cells.
        let hart: Ref<Hart> = unsafe { &*at };
        own.on.hart.set(Some(hart));
        if let Some(link) = harts.all.get(number) {
            link.set(Some(hart));
        }
        if number == 0 {
            harts.here.set(hart);
            hart.member.apart.set(harts.apart);
        }
    }
    system.note_change();
    if cfg!(feature = "in-turn") {
        begin_turns();
    }
}

/// Waits until the hart beyond the kernel's has set the timers that end slices.
fn begin_turns() {
    kick(HARTS as u32);
    while read!("mip") & csr::KICK == 0 {
        // SAFETY: it waits for an interrupt that `mstatus` keeps off.
        unsafe { core::arch::asm!("wfi", options(nomem, nostack)) };
    }
    take_kick();
}

/// Lets the other harts come.
pub(super) fn call_others() {
    for number in 1..HARTS {
        kick(number as u32);
    }
}

/// Whether another hart waits for the lock: more tickets than one have been drawn.
#[inline(always)]
pub(super) fn is_awaited() -> bool {
    let [next, serving] = &system().harts.lock;
    // SAFETY: a word of the record, which other harts write by atomic instructions only.
    let next = unsafe { next.as_ptr().read_volatile() };
    next.wrapping_sub(serving.get()) > 1
}

/// Interrupts a hart.
#[inline(always)]
pub(super) fn kick(hart: u32) {
    TIMER_DEVICE.store(4 * PLACES * hart as usize, 1u32);
    #[cfg(feature = "in-turn")]
    {
        // (an emulator that runs one hart after the other goes on with the next then)
        let own = compare(system().hart().member.number);
        let value: u32 = TIMER_DEVICE.load(own);
        TIMER_DEVICE.store(own, value);
    }
}

/// Another hart has interrupted this one, if it has: it is about to look.
#[inline(always)]
pub(super) fn take_kick() {
    let system = system();
    let number = system.hart().member.number;
    let is_stale = system.take_kick();
    TIMER_DEVICE.store(4 * PLACES * number as usize, 0u32);
    if is_stale || number == 0 {
        cold_path();
        renew(is_stale, number);
    }
}

/// What others have changed that this hart alone reaches: rights of the process that it has
/// loaded, and of hart 0 which lines may come.
#[inline(never)]
extern "C" fn renew(is_stale: bool, number: u32) {
    if is_stale {
        space::renew_rights(system().hart().loaded.get());
    }
    if number == 0 {
        #[cfg(not(feature = "plic"))]
        super::lines::renew();
    }
}

/// Another hart has interrupted this one. (Who runs is decided behind each entry.)
#[unsafe(link_section = ".text.hot.on_kick")]
pub(super) extern "C" fn on_kick(me: Ref<Thread>) -> Outcome {
    take_kick();
    system().on_kick::<Riscv>(me)
}

/// Whether another hart has changed the rights of the process that this one runs, which it had not
/// loaded yet: what has faulted is tried again with those.
pub(super) fn has_old_rights() -> bool {
    let is_late = system().hart().member.stale.get() != 0;
    if is_late {
        take_kick();
    }
    is_late
}

/// Who runs behind an entry: see [`System::assign`](giornata_core::System::assign).
#[unsafe(link_section = ".text.hot.assign")]
pub(super) extern "C" fn assign(outcome: Outcome, me: Ref<Thread>) -> Outcome {
    let next = system().assign::<Riscv>(outcome, me);
    if next.next_address() != core::ptr::from_ref(me).addr() {
        floating::leave();
    }
    next
}

/// Where the instant of a hart's timer lies.
#[inline(always)]
pub(super) fn compare(hart: u32) -> usize {
    COMPARE + 8 * PLACES * hart as usize
}

/// The timer of a hart that is not the first does not ring again until it is set.
#[inline(always)]
pub(super) fn silence() {
    let number = system().hart().member.number;
    if number != 0 {
        TIMER_DEVICE.store(compare(number) + 4, u32::MAX);
    }
}

/// When the timer of hart 0 is to ring, if the agenda has something at an instant.
///
/// Whoever sets it has seen that its own has rung: a limit that is up would be pending for ever.
/// It is set anew behind the entry.
#[inline(always)]
pub(super) fn earliest(at: u32) -> u32 {
    let system = system();
    let is_another = system.forgets_limit(|| read!("mip") & csr::TIMER != 0);
    if system.hart().member.number == 0 {
        return at;
    }
    if is_another {
        silence();
    }
    match system.harts.all.first().and_then(|first| first.get()) {
        Some(first) if first.member.limited.get() != 0 && before(first.alarm.get(), at) => {
            first.alarm.get()
        }
        _ => at,
    }
}

unsafe extern "C" {
    fn giornata_trap();
    #[allow(improper_ctypes)] // it is only handed on
    fn giornata_join(idle: Ref<Thread>) -> !;
}

/// Prepares a hart that is not the first, and lets it run whoever is to run there. The guard
/// below its stack has `size` bytes.
///
/// # Safety
/// To be called once by each hart, in machine mode with interrupts off and on its own stack,
/// when the first has interrupted it.
pub unsafe fn join(number: usize, size: usize) -> ! {
    space::prepare(RECORDS - STRIDE * number - STRIDE, size);
    TIMER_DEVICE.store(compare(number as u32) + 4, u32::MAX);
    let status = read!("mstatus") & !(FS | MPP | MPRV | MIE) | TW | MPIE;
    // SAFETY: as for the first.
    unsafe { write!("mstatus", status) };
    // SAFETY: as for the first.
    unsafe { write!("mtvec", giornata_trap as *const () as usize) };
    // SAFETY: these only; `mstatus` keeps them off in machine mode.
    unsafe { write!("mie", csr::TIMER | csr::KICK) };
    // SAFETY: the first hart has made it, before it interrupted this one.
    let hart = unsafe { &*with_exposed_provenance::<Hart>(place(number)) };
    let idle = hart.member.current.get();
    // SAFETY: by contract; the idle thread becomes the running one (Scratch Invariant).
    unsafe { giornata_join(idle) }
}

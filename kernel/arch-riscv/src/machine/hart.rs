//! The hart as the kernel's core sees it.
#![allow(clippy::multiple_unsafe_ops_per_block)] // a place in a block, and the access there

use core::ptr::{with_exposed_provenance, with_exposed_provenance_mut};

use giornata_core::{Machine, Process, Ref, Region, System};

use super::csr::{EXTERNAL, KICK, TIMER, read, write};
use super::{lines, space};
use crate::board::{CLINT, CYCLES_ARE_TICKS, REAL_TIME};
use crate::clock::{COMPARE, TIME, high_ahead, high_at};
use crate::device::Device;

/// The hart and its devices.
#[derive(Debug)]
pub struct Riscv;

// SAFETY: the board says where the CLINT lies (Device Invariant).
pub(super) const TIMER_DEVICE: Device = unsafe { Device::at(CLINT) };
const WIDE: bool = size_of::<usize>() == 8;
const TIME_IS_SHOWN: bool = cfg!(feature = "time");

#[inline(always)]
fn low() -> u32 {
    match CYCLES_ARE_TICKS {
        true => read!("mcycle") as u32,
        false if TIME_IS_SHOWN => read!("time") as u32,
        false => TIMER_DEVICE.load(TIME),
    }
}

/// The high word, where a register holds no more than a word.
#[cfg(target_arch = "riscv32")]
#[inline(always)]
fn high() -> u32 {
    match CYCLES_ARE_TICKS {
        true => read!("mcycleh") as u32,
        false if TIME_IS_SHOWN => read!("timeh") as u32,
        false => TIMER_DEVICE.load(TIME + 4),
    }
}

#[cfg(target_arch = "riscv64")]
#[inline(always)]
fn high() -> u32 {
    TIMER_DEVICE.load(TIME + 4)
}

/// The clock counts from 0 again, so that the instants of a system do not depend on how
/// long it took to boot. A timer that cannot be set ignores this; one that has to agree
/// with `mcycle` is left alone.
pub(super) fn restart_clock() {
    if !CYCLES_ARE_TICKS {
        TIMER_DEVICE.store(TIME, 0u32);
        TIMER_DEVICE.store(TIME + 4, 0u32);
    }
}

/// The timer whose instant lies there rings at an instant.
#[inline(always)]
fn set_timer(compare: usize, at: u32, now: u32) {
    if WIDE {
        let count: u64 = TIMER_DEVICE.load(TIME);
        let ahead = at.wrapping_sub(count as u32) as i32;
        return TIMER_DEVICE.store(compare, count.wrapping_add_signed(ahead.into()));
    }
    let high = high_ahead(at, now, high, low);
    if cfg!(feature = "harts") {
        // (another hart's timer is not masked meanwhile)
        TIMER_DEVICE.store(compare + 4, u32::MAX);
    }
    // (what rings between the two stores is masked)
    TIMER_DEVICE.store(compare, at);
    TIMER_DEVICE.store(compare + 4, high);
}

/// Bytes of a word.
const WORD: usize = size_of::<usize>();
/// Bytes that are zeroed without a branch: eight words.
const BLOCK: usize = 8 * WORD;

impl Machine for Riscv {
    #[inline(always)]
    fn system() -> Ref<System> {
        super::boot::system()
    }

    #[inline(always)]
    fn now() -> u32 {
        low()
    }

    fn high(now: u32) -> u32 {
        high_at(now, high, low)
    }

    #[inline(always)]
    fn alarm(at: u32, now: u32) {
        if cfg!(feature = "posix") {
            super::boot::system().hart().alarm.set(at);
        }
        #[cfg(feature = "harts")]
        let at = super::harts::earliest(at);
        set_timer(COMPARE, at, now);
    }

    #[inline(always)]
    fn pending() -> bool {
        read!("mip") & (TIMER | EXTERNAL | KICK) != 0
    }

    #[inline(always)]
    fn claim() -> u32 {
        #[cfg(feature = "harts")]
        super::harts::take_kick();
        lines::claim()
    }

    #[inline(always)]
    fn unmask(line: u32) {
        lines::unmask(line);
    }

    #[inline(always)]
    fn mask(line: u32) {
        lines::mask(line);
    }

    #[inline(never)]
    fn reach(process: Ref<Process>, address: usize, length: usize, write: bool) -> (usize, usize) {
        let offset = address.wrapping_sub(process.data);
        if offset < process.data_size {
            let length = length.min(process.data_size.wrapping_sub(offset));
            return (length, process.data_place.wrapping_add(offset));
        }
        space::reach(process, address, length, write)
    }

    #[inline(never)]
    fn copy(from: usize, to: usize, length: usize) {
        let to = with_exposed_provenance_mut::<u8>(to);
        // SAFETY: core has had both places checked (Memory Invariant).
        unsafe { to.copy_from_nonoverlapping(with_exposed_provenance(from), length) };
    }

    #[inline(never)]
    fn zero(mut at: usize, mut length: usize) {
        if at.is_multiple_of(WORD) {
            while length >= BLOCK {
                let block = with_exposed_provenance_mut::<usize>(at);
                // SAFETY: core has had the place checked (Memory Invariant).
                let zero = |word| unsafe { block.add(word).write_volatile(0) };
                zero(0);
                zero(1);
                zero(2);
                zero(3);
                zero(4);
                zero(5);
                zero(6);
                zero(7);
                at = at.wrapping_add(BLOCK);
                length = length.wrapping_sub(BLOCK);
            }
        }
        // SAFETY: as above.
        unsafe { with_exposed_provenance_mut::<u8>(at).write_bytes(0, length) };
    }

    #[inline(always)]
    fn load(at: usize) -> u32 {
        // SAFETY: core has had the place checked (Memory Invariant).
        unsafe { with_exposed_provenance::<u32>(at).read_volatile() }
    }

    #[inline(always)]
    fn store(at: usize, value: u32) {
        // SAFETY: core has had the place checked (Memory Invariant).
        unsafe { with_exposed_provenance_mut::<u32>(at).write_volatile(value) }
    }

    fn real_time() -> u64 {
        // Goldfish: a read of the low word keeps the high one of the same instant.
        const HIGH: usize = 4;
        if REAL_TIME == 0 {
            return 0;
        }
        let low = Self::input(REAL_TIME, 4);
        u64::from(Self::input(REAL_TIME + HIGH, 4)) << 32 | u64::from(low)
    }

    fn input(at: usize, width: u32) -> u32 {
        // SAFETY: the builder names registers of the board, with their width.
        let device = unsafe { Device::at(at) };
        match width {
            1 => u32::from(device.load::<u8>(0)),
            2 => u32::from(device.load::<u16>(0)),
            _ => device.load(0),
        }
    }

    fn output(at: usize, width: u32, value: u32) {
        // SAFETY: as above.
        let device = unsafe { Device::at(at) };
        match width {
            1 => device.store(0, value as u8),
            2 => device.store(0, value as u16),
            _ => device.store(0, value),
        }
    }

    fn open_region(process: Ref<Process>, region: Ref<Region>, grant: u32, access: u32) {
        space::open_region(process, region, grant, access);
    }

    fn return_at(pc: usize) {
        // SAFETY: the address of a call, behind which the trap path lets the caller go on.
        unsafe { write!("mepc", pc.wrapping_sub(4)) };
    }

    fn resume_at(pc: usize) {
        // SAFETY: the beginning of a block of the interrupted thread's restartable sequences.
        unsafe { write!("mepc", pc) };
    }

    #[cfg(feature = "harts")]
    #[inline(always)]
    fn is_awaited() -> bool {
        super::harts::is_awaited()
    }

    #[cfg(feature = "harts")]
    #[inline(always)]
    fn kick(hart: u32) {
        super::harts::kick(hart);
    }

    #[cfg(feature = "harts")]
    fn hart_alarm(hart: u32, at: u32, now: u32) {
        set_timer(super::harts::compare(hart), at, now);
    }

    fn stop(status: usize) -> ! {
        unsafe extern "C" {
            /// Of the image.
            fn giornata_stop(status: usize) -> !;
        }
        // SAFETY: the image ends the machine.
        unsafe { giornata_stop(status) }
    }
}

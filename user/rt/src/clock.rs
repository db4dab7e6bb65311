//! Nanoseconds and ticks of the board's timer: the kernel counts ticks.

pub use giornata_abi::Ticks;

use giornata_abi::Instant;

#[cfg(not(target_os = "none"))]
pub use host::set_rate;

/// The first tick whose [`instant`] is not before `at`; [`Instant::NEVER`] is never.
/// Some sixty instructions where registers are short; no entry.
#[inline(always)]
pub fn ticks(at: Instant) -> Ticks {
    if at == Instant::NEVER {
        return Ticks(u64::MAX);
    }
    rate::ticks(at)
}

/// The first tick not before so many seconds and nanoseconds, which may be more than those of
/// a second; what 64 bits do not hold is never. Some twenty-five instructions where registers
/// are short; no entry.
pub fn ticks_of(seconds: u64, nanoseconds: u32) -> Ticks {
    rate::ticks_of(seconds, nanoseconds)
}

/// The tick of the clock at the entry of this call; 0 where it may not be asked.
pub fn now() -> Ticks {
    Ticks(crate::stubs::clock_ticks())
}

/// The instant of a tick, rounded down. Cost as [`ticks`].
pub fn instant(ticks: Ticks) -> Instant {
    rate::instant(ticks)
}

/// Ticks a second of the board's timer. No entry.
pub fn hertz() -> u32 {
    rate::hertz()
}

#[cfg(target_os = "none")]
mod rate {
    use super::*;
    use crate::riscv::GRANTS;

    #[inline(never)]
    pub(super) fn ticks(at: Instant) -> Ticks {
        GRANTS.rate.ticks(at)
    }

    pub(super) fn ticks_of(seconds: u64, nanoseconds: u32) -> Ticks {
        GRANTS.rate.ticks_of(seconds, nanoseconds)
    }

    pub(super) fn instant(ticks: Ticks) -> Instant {
        GRANTS.rate.instant(ticks)
    }

    pub(super) fn hertz() -> u32 {
        GRANTS.rate.hertz
    }
}

#[cfg(not(target_os = "none"))]
use host as rate;

#[cfg(not(target_os = "none"))]
mod host {
    use super::*;
    use core::cell::Cell;
    use giornata_abi::rate::Rate;

    std::thread_local! {
        static RATE: Cell<Rate> = const { Cell::new(NANOS) };
    }

    /// A tick a nanosecond.
    const NANOS: Rate = match Rate::new(1_000_000_000) {
        Some(rate) => rate,
        None => unreachable!(),
    };

    /// Sets the timer of the board that this host thread stands for: a tick a
    /// nanosecond until it is set.
    pub fn set_rate(rate: Rate) {
        RATE.set(rate);
    }

    pub(super) fn ticks(at: Instant) -> Ticks {
        RATE.get().ticks(at)
    }

    pub(super) fn ticks_of(seconds: u64, nanoseconds: u32) -> Ticks {
        RATE.get().ticks_of(seconds, nanoseconds)
    }

    pub(super) fn instant(ticks: Ticks) -> Instant {
        RATE.get().instant(ticks)
    }

    pub(super) fn hertz() -> u32 {
        RATE.get().hertz
    }
}

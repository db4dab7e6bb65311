//! What the edge knows of its board.

use core::ops::Range;

/// Addresses and clocks of one board, from its file under `boards/`.
#[derive(Clone, Debug)]
pub struct Board {
    /// Core-local interruptor: timer and software interrupts.
    pub clint: usize,
    /// Platform-level interrupt controller.
    pub plic: usize,
    /// Which context of it is the boot hart's machine mode.
    pub plic_context: usize,
    /// RAM that the kernel copies from and to on behalf of processes: all of
    /// it except the kernel's own.
    pub memory: Range<usize>,
    /// Ticks a second of the timer.
    pub timer_hertz: u32,
    /// What `mcycle` counts in one tick of the timer.
    pub cycles_per_tick: u32,
}

impl Board {
    /// `mcycle` counts as nanoseconds. O(1).
    pub fn nanos(&self, cycles: u64) -> u64 {
        let per_second = self.cycles_per_tick as u64 * self.timer_hertz as u64;
        let per_micro = (per_second / 1_000_000).max(1);
        // thousands first: exact up to 2^54 cycles, half a year at 1 GHz
        cycles.saturating_mul(1000) / per_micro
    }

    /// `mcycle` counts as thousandths of a tick. O(1).
    pub fn milliticks(&self, cycles: u64) -> u64 {
        cycles.saturating_mul(1000) / (self.cycles_per_tick as u64).max(1)
    }

    /// Ticks of the timer as nanoseconds. O(1).
    pub fn tick_nanos(&self, ticks: u64) -> u64 {
        self.nanos(ticks.saturating_mul(self.cycles_per_tick as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: Board = Board {
        clint: 0,
        plic: 0,
        plic_context: 0,
        memory: 0..0,
        timer_hertz: 10_000_000,
        cycles_per_tick: 100,
    };

    #[test]
    fn cycles_convert_to_nanoseconds_and_ticks() {
        assert_eq!(BOARD.nanos(12_345), 12_345);
        assert_eq!(BOARD.milliticks(12_345), 123_450);
        assert_eq!(BOARD.tick_nanos(7), 700);
    }

    #[test]
    fn a_clock_below_a_megahertz_divides_by_nothing() {
        let slow = Board {
            timer_hertz: 0,
            cycles_per_tick: 0,
            ..BOARD
        };
        assert_eq!(slow.nanos(5), 5_000);
        assert_eq!(slow.milliticks(5), 5_000);
    }
}

//! The trace server: a process that sends the trace out of the machine.
//!
//! It reads the kernel's trace ring, which is mapped read-only, and sends every
//! record as one frame over a 16550 UART, the first device that the system file
//! grants it. Its thread `serve` should have a low priority, because it may be
//! late: records that the kernel overwrites before they are sent are reported as
//! one `Lost` record. When the machine stops, the kernel sends the remaining
//! records itself, starting at [`GIORNATA_TRACE_CURSOR`].

#![cfg_attr(not(test), no_std)]

mod frame;

use core::cell::UnsafeCell;

use giornata_abi::control::TraceCursor;
use giornata_ns16550::Uart;
use giornata_rt::device::Device;
use giornata_rt::ring::{Reader, Ring};
use giornata_rt::time::{self, Duration, Instant};
use giornata_rt::{process, thread};

use frame::Frame;

/// Programs usually run at multiples of this period. The server wakes half-way
/// between two of them, so that its system calls do not delay the kernel then.
const ROUND: Duration = Duration::from_millis(10);
const HALF: Duration = Duration::from_millis(5);

/// The next such half-way instant after `now`.
const fn next_gap(now: Instant) -> Instant {
    time::next_between(now, ROUND, HALF)
}

/// The cursor, in the layout that the kernel reads.
#[repr(transparent)]
pub struct Cursor(UnsafeCell<TraceCursor>);

// SAFETY: the server's only thread writes it; the kernel reads it while the
// thread does not run, and believes nothing of it.
unsafe impl Sync for Cursor {}

impl Cursor {
    /// Publishes that `sent` records have been sent.
    fn publish(&self, sent: u64) {
        // SAFETY: the cell is this thread's to write.
        unsafe { self.0.get().write_volatile(TraceCursor { sent }) }
    }
}

/// The number of records sent; zero again after a restart of the process.
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub static GIORNATA_TRACE_CURSOR: Cursor = Cursor(UnsafeCell::new(TraceCursor { sent: 0 }));

/// Sends records forever, one frame each.
#[thread]
fn serve() -> ! {
    let (Some(ring), Some(device)) = (Ring::granted(), Device::granted(0)) else {
        panic!("grant it the trace and a UART");
    };
    let mut reader = Reader::new(ring);
    let Ok(mut uart) = Uart::open(device) else {
        panic!("its first device is no UART: it has less than eight registers");
    };
    loop {
        match reader.next() {
            Some((sequence, record)) => {
                uart.send(Frame::new(sequence, &record).bytes());
                GIORNATA_TRACE_CURSOR.publish(reader.sent());
            }
            // Never refused to a thread.
            None => _ = time::sleep_until(next_gap(time::now())),
        }
    }
}

process! { threads: [serve] }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_sleeps_to_the_next_half_way_instant() {
        let after = |micros: u64| next_gap(Instant(micros * 1000)).0 / 1000;
        assert_eq!(
            [0, 4_999, 5_000, 14_999, 15_000].map(after),
            [5_000, 5_000, 15_000, 15_000, 25_000]
        );
    }

    #[test]
    fn the_server_is_one_thread() {
        let names: Vec<_> = process()
            .functions
            .iter()
            .map(|function| (function.kind, function.name))
            .collect();
        assert_eq!(
            names,
            [(giornata_rt::process::FunctionKind::Thread, "serve")]
        );
    }

    #[test]
    fn the_cursor_is_what_the_kernel_reads() {
        GIORNATA_TRACE_CURSOR.publish(0x1_0000_0002);
        // SAFETY: nobody writes it now.
        let cursor = unsafe { GIORNATA_TRACE_CURSOR.0.get().read_volatile() };
        assert_eq!(cursor.sent, 0x1_0000_0002);
        assert_eq!(size_of::<Cursor>(), size_of::<TraceCursor>());
    }
}

//! Constructors: functions that run before any other of the process, once in its life.
//!
//! The thread of the process that runs first calls them, on its own stack. Whoever starts
//! meanwhile waits: a thread of the process's priorities does not start before, because the
//! first one has published the highest ceiling; another sleeps as often as it has to.

use giornata_abi::{Duration, Instant};

use crate::call;
use crate::restartable::Word;
use crate::thread::Control;

/// What `STATE` says besides 0.
const BEGUN: u32 = 1;
const DONE: u32 = 2;
/// How long a thread sleeps before it looks again.
const PAUSE: Duration = Duration(1_000_000);

static STATE: Word = Word::new(0);

unsafe extern "C" {
    /// Addresses of functions: see `CONSTRUCTORS_SYMBOLS` of `giornata_abi`.
    #[link_name = "__giornata_constructors"]
    static FIRST: extern "C" fn();
    #[link_name = "__giornata_constructors_end"]
    static END: extern "C" fn();
}

/// Calls the constructors, or waits until another thread has. The start code calls it, in
/// processes that have constructors. O(1) when they have run.
#[unsafe(no_mangle)]
extern "C" fn giornata_construct() {
    match STATE.compare_exchange(0, BEGUN) {
        Ok(_) => {
            let outer = Control::of_caller().map(|page| page.raise_ceiling(u8::MAX));
            let (mut next, end) = (&raw const FIRST, &raw const END);
            while next != end {
                // SAFETY: the linker lays the addresses of functions there, up to the end.
                let constructor = unsafe { next.read() };
                constructor();
                next = next.wrapping_add(1);
            }
            STATE.store(DONE);
            if let (Some(page), Some(outer)) = (Control::of_caller(), outer) {
                page.restore_ceiling(outer);
            }
        }
        Err(DONE) => {}
        Err(_) => {
            while STATE.load() != DONE {
                wait();
            }
        }
    }
}

/// Lets other threads go on. Who may not wait cannot go on, either: the process faults.
fn wait() {
    let slept = call::clock().and_then(|Instant(now)| call::sleep(Instant(now + PAUSE.0)));
    if slept.is_err() {
        call::panic(
            b"a driver ran before the constructors of its process were done",
            b"",
            0,
        )
    }
}

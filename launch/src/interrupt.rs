//! Ctrl-C, and being asked to end in another way, while a machine runs: the run ends, and
//! what it came to so far is told. Asked a second time, the program ends at once.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

/// What a shell says of a program that Ctrl-C has ended.
const STATUS: i32 = 130;

static ASKED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// From now on it is noted instead of ending the program.
///
/// # Errors
/// The host does not let a program do that.
pub(crate) fn listen() -> io::Result<()> {
    if ASKED.get().is_some() {
        return Ok(());
    }
    let asked = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // the second time: registered first, so that the first time does not count here
        flag::register_conditional_shutdown(signal, STATUS, asked.clone())?;
        flag::register(signal, asked.clone())?;
    }
    let _ = ASKED.set(asked);
    Ok(())
}

/// Whether Ctrl-C is noted: what runs beside this program had better not hear of it.
pub(crate) fn is_noted() -> bool {
    ASKED.get().is_some()
}

/// Whether the program has been asked to end since it listens.
pub(crate) fn is_asked() -> bool {
    ASKED
        .get()
        .is_some_and(|asked| asked.load(Ordering::Relaxed))
}

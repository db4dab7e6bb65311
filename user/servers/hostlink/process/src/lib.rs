//! The hostlink server as a process: its line, the kernel's calls, and all
//! programs of the system that may be replaced.
//!
//! The system file grants it the line as its first device, a VirtIO console or
//! a 16550 UART; those programs; `trusted-dma` if it is a console, for its
//! queues; if it is to stream the trace, `trace`; and if it is to tell how threads
//! stand, `inspect`:
//!
//! ```toml
//! [process.hostlink]
//! crate = "giornata-hostlink-server"
//! stack = "64K"
//! threads = { serve = { priority = 1 } }
//! grants = { device = ["virtio0"], program = ["flight"], trusted-dma = true }
//! ```
//!
//! It obeys whoever has the line, or the owner of the key that the section
//! `[hostlink]` names:
//!
//! ```toml
//! [hostlink]
//! key = "operator.pub"      # or its 64 hexadecimal digits
//! seed = 4711               # another one for each machine
//! ```

#![cfg_attr(not(test), no_std)]

mod identifiers {
    #![allow(
        dead_code,
        unreachable_pub,
        clippy::type_complexity,
        reason = "the builder writes it for all processes"
    )]
    include!(concat!(env!("OUT_DIR"), "/identifiers.rs"));
}

mod line;

use core::cell::UnsafeCell;

use giornata_hostlink::{Kernel, Memory, Place, Server, Settings, nonce};
use giornata_microcode::interface::Limits;
use giornata_microcode::verify::Scratch;
use giornata_rt::abi::control::TraceCursor;
use giornata_rt::records::Records;
use giornata_rt::ring::{Reader, Ring};
use giornata_rt::time::{self, Duration, Instant};
use giornata_rt::{process, thread};

use identifiers::{HOSTLINK_KEY, HOSTLINK_SEED, LOADABLE};
use line::AnyLine;

/// Most bytes of a module file.
const MODULE: usize = 16 * 1024;
/// Checks of modules of up to half as many instructions.
const SCRATCH: usize = 4096;
/// Most symbols of a module.
const SYMBOLS: usize = 1024;
/// An upload of which nothing is heard for so long is dropped.
const PATIENCE: Duration = Duration::from_millis(5000);
/// Programs act at round instants. The server wakes between two of them, so
/// that none of its system calls keeps the kernel when one comes.
const ROUND: Duration = Duration::from_millis(10);
const BETWEEN: Duration = Duration::from_millis(3);

/// What the server works in.
struct Work {
    buffers: [[[u8; MODULE]; 2]; LOADABLE.len()],
    scratch: [Scratch; SCRATCH],
    map: [u16; SYMBOLS],
}

/// Memory that one thread takes, once.
#[repr(transparent)]
struct Once<T>(UnsafeCell<T>);

// SAFETY: only the thread that calls `run` touches it.
unsafe impl<T> Sync for Once<T> {}

static WORK: Once<Work> = Once(UnsafeCell::new(Work {
    buffers: [[[0; MODULE]; 2]; LOADABLE.len()],
    scratch: [Scratch::EMPTY; SCRATCH],
    map: [0; SYMBOLS],
}));

/// Where the kernel looks for how much of the trace has gone over the console:
/// nothing has. What the host has asked for here it hears once more there, in
/// the rest that the kernel hands out at a stop.
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub static GIORNATA_TRACE_CURSOR: TraceCursor = TraceCursor { sent: 0 };

/// The next instant between two rounds after `now`.
const fn next_gap(now: Instant) -> Instant {
    time::next_between(now, ROUND, BETWEEN)
}

/// Serves for ever. `key`: the public key of who may change the machine, or
/// whoever has the line; `seed`: a number that no other machine has.
///
/// # Panics
/// There is no line, or a grant is missing: the process faults, and says so.
pub fn run(key: Option<[u8; 32]>, seed: u64) -> ! {
    let mut line = AnyLine::open();
    // SAFETY: the only thread that calls this takes it once.
    let Work {
        buffers,
        scratch,
        map,
    } = unsafe { &mut *WORK.0.get() };
    let mut buffers = buffers.iter_mut();
    let mut places: [Place<'_>; LOADABLE.len()] = core::array::from_fn(|index| {
        let Some([first, second]) = buffers.next() else {
            panic!("there are buffers for each program");
        };
        place(index, [first, second])
    });
    let settings = Settings {
        nonce: nonce(time::now(), seed),
        key,
        patience: PATIENCE,
    };
    let memory = Memory { scratch, map };
    let mut server = Server::new(settings, &mut places, memory, trace());
    if let (Some(records), Ok(own)) = (Records::granted(), thread::own()) {
        server.lend_records(records, own.index());
    }
    loop {
        while server.step(&mut line, &mut Kernel::at_once()) {}
        line.acknowledge();
        // Never refused to a thread.
        _ = time::sleep_until(next_gap(time::now()));
    }
}

fn place<'a>(index: usize, buffers: [&'a mut [u8; MODULE]; 2]) -> Place<'a> {
    let (name, program, _, limits, interface, _) = LOADABLE[index];
    let buffers = buffers.map(|buffer| &mut buffer[..]);
    match Place::new(
        name,
        program,
        interface,
        Limits::from_words(limits),
        buffers,
    ) {
        Ok(place) => place,
        Err(why) => panic!("the interface of {name}: {why}"),
    }
}

fn trace() -> Option<Reader> {
    Ring::granted().map(Reader::new)
}

/// Obeys whom the system file names.
#[thread]
fn serve() -> ! {
    run(HOSTLINK_KEY, HOSTLINK_SEED)
}

process! { threads: [serve] }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_sleeps_to_the_next_instant_between_rounds() {
        let after = |micros: u64| next_gap(Instant(micros * 1000)).0 / 1000;
        assert_eq!(
            [0, 2_999, 3_000, 12_999, 13_000].map(after),
            [3_000, 3_000, 13_000, 13_000, 23_000]
        );
    }

    #[test]
    fn the_server_is_one_thread() {
        let all = process().functions.iter();
        let names: Vec<_> = all.map(|f| (f.kind, f.name)).collect();
        let thread = giornata_rt::process::FunctionKind::Thread;
        assert_eq!(names, [(thread, "serve")]);
    }
}

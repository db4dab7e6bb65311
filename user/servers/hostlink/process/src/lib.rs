//! The hostlink server as a process: a VirtIO console, the kernel's calls, and
//! all programs of the system that may be replaced.
//!
//! The system file grants it the console as its first device, those programs,
//! `trusted-dma` for the console's queues, and if it is to stream the trace,
//! `trace`:
//!
//! ```toml
//! [process.hostlink]
//! crate = "giornata-hostlink-server"
//! stack = "64K"
//! threads = { serve = { priority = 1 } }
//! grants = { device = ["virtio0"], program = ["flight"], trusted-dma = true }
//! ```
//!
//! It obeys whoever has the line. A process that obeys the owner of a key only
//! is a crate of its own whose thread calls [`run`] with it.

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

use core::cell::UnsafeCell;

use giornata_hostlink::{Kernel, Memory, Place, Server, Settings, nonce};
use giornata_micro::interface::Limits;
use giornata_micro::verify::Scratch;
use giornata_rt::abi::control::TraceRing;
use giornata_rt::ring::{Reader, Ring};
use giornata_rt::time::{self, Duration, Instant};
use giornata_rt::{call, machine, process, thread};
use giornata_virtio_console::{Console, Shared};

use identifiers::LOADABLE;

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
static SHARED: Once<Shared> = Once(UnsafeCell::new(Shared::new()));

/// The next instant between two rounds after `now`.
const fn next_gap(now: Instant) -> Instant {
    time::next_between(now, ROUND, BETWEEN)
}

/// Serves for ever. `key`: the public key of who may change the machine, or
/// whoever has the line; `seed`: a number that no other machine has.
///
/// # Panics
/// There is no console, or a grant is missing: the process faults, and says so.
pub fn run(key: Option<[u8; 32]>, seed: u64) -> ! {
    let mut console = console();
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
    loop {
        while server.step(&mut console, &mut Kernel::at_once()) {}
        console.acknowledge();
        // Never refused to a thread.
        _ = time::sleep_until(next_gap(time::now()));
    }
}

fn console() -> Console {
    let Some(registers) = machine::device(0) else {
        panic!("grant it a VirtIO console as its first device");
    };
    let shared = SHARED.0.get();
    let Ok(physical) = call::device_address(shared) else {
        panic!("grant it trusted-dma");
    };
    let registers = core::ptr::with_exposed_provenance_mut(registers);
    // SAFETY: the builder granted the device, whose registers lie there; the
    // memory is this thread's, and the kernel says where it lies.
    match unsafe { Console::new(registers, shared, physical) } {
        Ok(console) => console,
        Err(why) => panic!("{why}"),
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
    let ring = core::ptr::with_exposed_provenance::<TraceRing>(machine::trace_ring()?);
    // SAFETY: the builder granted the ring, which lies there.
    Some(Reader::new(unsafe { Ring::new(ring) }))
}

/// Obeys whoever has the line.
#[thread]
fn serve() -> ! {
    run(None, 0)
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

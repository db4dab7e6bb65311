//! The process of the hostlink server: it connects the server to its line, to the
//! kernel's system calls and to all replaceable programs of the system.
//!
//! The system file grants it the line as its first device, which is a VirtIO console
//! or a 16550 UART; the programs; `trusted-dma` for the queues of a VirtIO console;
//! `trace` if it should stream the trace; and `inspect` if it should report the states
//! of threads:
//!
//! ```toml
//! [process.hostlink]
//! crate = "giornata-hostlink-server"
//! stack = "64K"
//! threads = { serve = { priority = 1 } }
//! grants = { device = ["virtio0"], program = ["flight"], trusted-dma = true }
//! ```
//!
//! Without a key it accepts requests from whoever can reach the line. With a key in
//! the section `[hostlink]`, requests that change the machine must be signed by its
//! owner:
//!
//! ```toml
//! [hostlink]
//! key = "operator.pub"      # or its 64 hexadecimal digits
//! seed = 4711               # different for each machine
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

/// Largest size of a module file, in bytes.
const MODULE: usize = 16 * 1024;
/// Scratch entries for checks: two for each instruction of the largest module.
const SCRATCH: usize = 4096;
/// Largest number of symbols of an interface.
const SYMBOLS: usize = 1024;
/// An upload without progress for this long is dropped.
const PATIENCE: Duration = Duration::from_millis(5000);
/// Programs usually run at multiples of this period. The server wakes between two of
/// them, so that its system calls do not delay the kernel then.
const ROUND: Duration = Duration::from_millis(10);
const BETWEEN: Duration = Duration::from_millis(3);

/// The working memory of the server.
struct Work {
    buffers: [[[u8; MODULE]; 2]; LOADABLE.len()],
    scratch: [Scratch; SCRATCH],
    map: [u16; SYMBOLS],
}

/// Memory that a single thread takes, once.
#[repr(transparent)]
struct Once<T>(UnsafeCell<T>);

// SAFETY: only the thread that calls `run` touches it.
unsafe impl<T> Sync for Once<T> {}

static WORK: Once<Work> = Once(UnsafeCell::new(Work {
    buffers: [[[0; MODULE]; 2]; LOADABLE.len()],
    scratch: [Scratch::EMPTY; SCRATCH],
    map: [0; SYMBOLS],
}));

/// Tells the kernel how many trace records have been sent over the console: none.
/// When the machine stops, the kernel therefore sends all records in its ring to the
/// console, including those already streamed to the host.
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub static GIORNATA_TRACE_CURSOR: TraceCursor = TraceCursor { sent: 0 };

/// The next wake-up instant after `now`.
const fn next_gap(now: Instant) -> Instant {
    time::next_between(now, ROUND, BETWEEN)
}

/// Serves forever. `key`: the public key of the owner, who alone may change the
/// machine, or `None` if whoever can reach the line may; `seed`: a number that should be
/// different for each machine.
///
/// # Panics
/// Panics if there is no line or a grant is missing; the panic message is reported.
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

/// Serves with the key and seed of the system file.
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

//! A machine in a thread: the hostlink server on a socket.

use std::cell::RefCell;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration as Wall;

use giornata_abi::call::{Answer, Call};
use giornata_abi::load::{Frame, How, Section, state};
use giornata_abi::module::Module;
use giornata_abi::ring::{BYTES, Kind, Words, head, members};
use giornata_abi::{Duration, Error, Instant};
use giornata_hostlink::{Line, Memory, Place, Programs, Server, Settings, nonce};
use giornata_microcode::interface::Limits;
use giornata_microcode::verify::Scratch;
use giornata_rt::call::ProgramStatus;
use giornata_rt::host::set_hook;
use giornata_rt::records::Records;
use giornata_rt::ring::{Reader, Ring};

use crate::folder::Folder;

const CAPACITY: usize = 256;
/// What stands for the kernel's records.
static RECORDS: [u32; 100] = [7; 100];

/// What test and machine both see.
#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    stalled: AtomicBool,
    changes: AtomicU32,
}

pub(crate) struct Machine {
    shared: Arc<Shared>,
    port: u16,
    thread: Option<JoinHandle<()>>,
}

impl Machine {
    /// Boots with `flight.gmod` of the folder; obeys the owner of `key`, its
    /// public half in hexadecimal digits.
    pub(crate) fn start(folder: &Folder, key: Option<String>) -> Machine {
        Machine::start_as(folder, key, false)
    }

    /// The same with records of a kernel that nobody has built.
    pub(crate) fn start_with_records(folder: &Folder) -> Machine {
        Machine::start_as(folder, None, true)
    }

    fn start_as(folder: &Folder, key: Option<String>, has_records: bool) -> Machine {
        let interface = std::fs::read(folder.0.join("flight.gmod")).unwrap();
        let byte = |key: &String, at| u8::from_str_radix(&key[2 * at..2 * at + 2], 16).unwrap();
        let key = key.map(|key| core::array::from_fn(|at| byte(&key, at)));
        let shared = Arc::new(Shared::default());
        let own = shared.clone();
        let (tell, told) = mpsc::channel();
        let thread = thread::spawn(move || {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            tell.send(listener.local_addr().unwrap().port()).unwrap();
            run((&interface, key, has_records), &listener, &own);
        });
        Machine {
            shared,
            port: told.recv().unwrap(),
            thread: Some(thread),
        }
    }

    /// The address of no machine.
    pub(crate) fn nobody() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        format!("tcp:{}", listener.local_addr().unwrap())
    }

    pub(crate) fn link(&self) -> String {
        format!("tcp:127.0.0.1:{}", self.port)
    }

    /// No change happens from now on.
    pub(crate) fn stall(&self) {
        self.shared.stalled.store(true, Ordering::SeqCst);
    }

    /// How often the program has been changed.
    pub(crate) fn changes(&self) -> u32 {
        self.shared.changes.load(Ordering::SeqCst)
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        // One that has failed has said so.
        _ = self.thread.take().map(JoinHandle::join);
    }
}

/// A ring that is written as the kernel does, a release at a time.
struct Trace {
    records: [Words; CAPACITY],
    written: usize,
}

impl Trace {
    fn write(&mut self) {
        let tick = self.written as u32;
        let release = [tick, head(Kind::Release, 0, 0), members::ONE, 1000];
        self.records[self.written % CAPACITY] = release;
        self.written += 1;
    }
}

/// A ring, and who reads it on this thread; the clock counts its records.
fn trace() -> (Rc<RefCell<Trace>>, Reader) {
    let trace = Rc::new(RefCell::new(Trace {
        records: [[0; 4]; CAPACITY],
        written: 0,
    }));
    let asked = trace.clone();
    set_hook(move |request| {
        let written = asked.borrow().written;
        match Call::from_number(request.number) {
            Some(Call::TracePosition) => Answer::word(written * BYTES),
            Some(Call::Clock) => Answer::wide(written as u64),
            _ => unreachable!("a reader asks for nothing else"),
        }
    });
    let first = trace.borrow().records.as_ptr();
    // SAFETY: the hook keeps the ring until the thread of the machine ends.
    let reader = Reader::new(unsafe { Ring::new(first, CAPACITY as u32) });
    (trace, reader)
}

type What<'a> = (&'a [u8], Option<[u8; 32]>, bool);

fn run((interface, key, has_records): What<'_>, listener: &TcpListener, shared: &Shared) {
    let limits = Limits {
        instructions: 200,
        predicates: 50,
        durations: 50,
        steps: 100,
        triggers: 20,
        threads: 20,
    };
    let mut buffers = [[0; 8192]; 2];
    let [first, second] = &mut buffers;
    let mut places = [Place::new("flight", 0, interface, limits, [first, second]).unwrap()];
    let (mut scratch, mut map) = ([Scratch::EMPTY; 400], [0; 100]);
    let memory = Memory {
        scratch: &mut scratch,
        map: &mut map,
    };
    let settings = Settings {
        nonce: nonce(Instant(1), 2),
        key,
        patience: Duration(5_000_000_000),
    };
    let (trace, reader) = trace();
    let mut server = Server::new(settings, &mut places, memory, Some(reader));
    if has_records {
        // SAFETY: they are there for good, and never written.
        let records = unsafe { Records::new((&raw const RECORDS).cast(), size_of_val(&RECORDS)) };
        server.lend_records(records, 0);
    }
    let tag = Module::parse(interface).unwrap().header().crc;
    let mut kernel = Kernel {
        tag,
        loaded: true,
        asked: None,
        clock: 0,
        shared,
    };
    let mut socket = Socket {
        listener,
        stream: None,
    };
    listener.set_nonblocking(true).unwrap();
    while !shared.stop.load(Ordering::SeqCst) {
        socket.accept();
        if !server.step(&mut socket, &mut kernel) {
            kernel.happen();
            trace.borrow_mut().write();
            thread::sleep(Wall::from_micros(500));
        }
    }
}

/// One host after the other.
struct Socket<'a> {
    listener: &'a TcpListener,
    stream: Option<TcpStream>,
}

impl Socket<'_> {
    fn accept(&mut self) {
        if let Ok((stream, _)) = self.listener.accept() {
            stream.set_nonblocking(true).unwrap();
            self.stream = Some(stream);
        }
    }
}

impl Line for Socket<'_> {
    fn read(&mut self, into: &mut [u8]) -> usize {
        let read = self.stream.as_mut().map(|stream| stream.read(into));
        read.and_then(Result::ok).unwrap_or(0)
    }

    fn write(&mut self, bytes: &[u8]) -> usize {
        let Some(stream) = &mut self.stream else {
            return bytes.len();
        };
        match stream.write(bytes) {
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::WouldBlock => 0,
            // Nobody listens.
            Err(_) => bytes.len(),
        }
    }
}

/// A kernel in which a change happens a moment after it was asked for.
struct Kernel<'a> {
    tag: u32,
    loaded: bool,
    asked: Option<Frame>,
    clock: u64,
    shared: &'a Shared,
}

impl Kernel<'_> {
    fn happen(&mut self) {
        self.clock += 500_000;
        if self.shared.stalled.load(Ordering::SeqCst) {
            return;
        }
        if let Some(frame) = self.asked.take() {
            (self.tag, self.loaded) = (frame.tag, frame.instructions > 0);
            self.shared.changes.fetch_add(1, Ordering::SeqCst);
        }
    }
}

impl Programs for Kernel<'_> {
    fn clock(&mut self) -> Instant {
        Instant(self.clock)
    }

    fn hertz(&mut self) -> u32 {
        1_000_000_000
    }

    fn stage(&mut self, _: u16, _: Section, _: usize, _: &[u8]) -> Result<(), Error> {
        Ok(())
    }

    fn switch(&mut self, _: u16, frame: &Frame, how: How) -> Result<(), Error> {
        self.asked = (how != How::Withdraw).then_some(*frame);
        Ok(())
    }

    fn status(&mut self, _: u16) -> Result<ProgramStatus, Error> {
        let loaded = if self.loaded { state::LOADED } else { 0 };
        let pending = if self.asked.is_some() {
            state::PENDING
        } else {
            0
        };
        Ok(ProgramStatus {
            state: loaded | pending,
            tag: self.tag,
            changes: self.shared.changes.load(Ordering::SeqCst),
        })
    }

    fn shutdown(&mut self, _: u8) -> Error {
        Error::EPERM
    }
}

//! A simulated kernel, line and host for the server.

use std::collections::VecDeque;

use ed25519_compact::{KeyPair, Seed};
use giornata_abi::linked::Times;
use giornata_abi::load::{Frame, How, Linked, LinkedWait, MOST, RECORD, Section, state};
use giornata_abi::module::Module;
use giornata_abi::{Duration, Error, Instant, PredicateKind, Record, ValueType};
use giornata_hostlink::{Line, Memory, Place, Programs, Server, Settings, nonce};
use giornata_hostlink_wire::frame::{Collector, MAX, encode};
use giornata_hostlink_wire::{
    Action, CHUNK, Change, Code, Deed, Event, Greeting, Message, Permission, Reply, Request,
    Signature, Statistics, VERSION,
};
use giornata_lang::giotto::{Options, compile};
use giornata_microcode::interface::Limits;
use giornata_microcode::verify::Scratch;
use giornata_rt::call::ProgramStatus;
use giornata_rt::ring::Reader;

/// The interface: two tasks, a sensor, an actuator.
pub(crate) const INTERFACE: &str = "
sensor f64 position uses read_position;
actuator f64 servo uses write_servo;
output f64 state := zero; f64 command := zero;
task control(f64 x) output (command) state () [wcet 2ms] { schedule steer(x, command) }
task navigate(f64 x) output (state) state () [wcet 1ms] { schedule look(x, state) }
driver sense(position) output (f64 x) { if constant_true() then copy_f64(position, x) }
driver feed(state) output (f64 x) { if constant_true() then copy_f64(state, x) }
driver show(command) output (f64 x) { if constant_true() then copy_f64(command, x) }
start m { mode m() period 20 { actfreq 1 do servo(show); taskfreq 1 do control(feed); taskfreq 2 do navigate(sense); } }
";

/// The same program with other frequencies.
pub(crate) fn faster() -> Vec<u8> {
    module(&INTERFACE.replace("period 20", "period 10"))
}

/// A part of the program, which releases other tasks.
pub(crate) fn part() -> Vec<u8> {
    module(&INTERFACE.replace("taskfreq 1 do control(feed);", ""))
}

/// Uses a port that the interface does not have.
pub(crate) fn unfit() -> Vec<u8> {
    module(&INTERFACE.replace("position", "height"))
}

pub(crate) fn module(source: &str) -> Vec<u8> {
    let (bytes, diagnostics) = compile("test.giotto", source, &Options::default());
    bytes.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

pub(crate) fn tag(module: &[u8]) -> u32 {
    Module::parse(module).unwrap().header().crc
}

pub(crate) const SECOND: u64 = 1_000_000_000;
pub(crate) const PATIENCE: Duration = Duration(5 * SECOND);
/// The timer's frequency.
pub(crate) const HERTZ: u32 = 10_000_000;

/// A program in the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    /// The bytes of each section in the room in use.
    pub(crate) used: [Vec<u8>; 2],
    /// The same for the spare room.
    pub(crate) staged: [Vec<u8>; 2],
    /// Number of records in each section of the program.
    counts: [u16; 2],
    pub(crate) asked: Option<(Frame, How)>,
    pub(crate) tag: u32,
    pub(crate) loaded: bool,
}

/// A simulated kernel; a requested change happens when the test calls [`Fake::happen`].
#[derive(Clone, Debug)]
pub(crate) struct Fake {
    pub(crate) clock: u64,
    pub(crate) rooms: Vec<Room>,
    /// Number of changes of all programs.
    pub(crate) changes: u32,
    /// Number of calls that change something.
    pub(crate) calls: usize,
    pub(crate) refusal: Option<Error>,
    pub(crate) refuses_switch: bool,
    pub(crate) hertz: u32,
    pub(crate) stopped: Option<u8>,
}

impl Fake {
    pub(crate) fn new(module: &[u8]) -> Fake {
        let header = *Module::parse(module).unwrap().header();
        let room = Room {
            used: records(module),
            staged: [const { Vec::new() }; 2],
            counts: [header.instructions, header.predicates],
            asked: None,
            tag: header.crc,
            loaded: true,
        };
        Fake {
            clock: 77,
            rooms: vec![room.clone(), room],
            changes: 0,
            calls: 0,
            refusal: None,
            refuses_switch: false,
            hertz: HERTZ,
            stopped: None,
        }
    }

    /// Makes the first requested change: swaps the rooms of its program.
    pub(crate) fn happen(&mut self) {
        let Some(room) = self.rooms.iter_mut().find(|room| room.asked.is_some()) else {
            return;
        };
        core::mem::swap(&mut room.used, &mut room.staged);
        let (frame, _) = room.asked.take().unwrap();
        (room.tag, room.loaded) = (frame.tag, frame.instructions > 0);
        room.counts = [frame.instructions, frame.predicates];
        self.changes += 1;
    }

    /// The records in the sections of the running program.
    pub(crate) fn runs(&self, index: usize) -> [Vec<u8>; 2] {
        let room = &self.rooms[index];
        core::array::from_fn(|section| {
            let size = usize::from(room.counts[section]) * RECORD;
            room.used[section][..size].to_vec()
        })
    }

    fn count(&mut self) -> Result<(), Error> {
        self.calls += 1;
        self.refusal.map_or(Ok(()), Err)
    }
}

impl Programs for Fake {
    fn clock(&mut self) -> Instant {
        Instant(self.clock)
    }

    fn hertz(&mut self) -> u32 {
        self.hertz
    }

    fn stage(
        &mut self,
        program: u16,
        section: Section,
        place: usize,
        records: &[u8],
    ) -> Result<(), Error> {
        self.count()?;
        let room = &mut self.rooms[usize::from(program)];
        assert!(
            records.len() <= MOST && records.len().is_multiple_of(RECORD) && !records.is_empty()
        );
        if room.asked.is_some() {
            return Err(Error::EBUSY);
        }
        let (start, all) = (place * RECORD, &mut room.staged[section as usize]);
        all.resize(all.len().max(start + records.len()), 0xEE);
        all[start..start + records.len()].copy_from_slice(records);
        Ok(())
    }

    fn switch(&mut self, program: u16, frame: &Frame, how: How) -> Result<(), Error> {
        self.count()?;
        if self.refuses_switch {
            return Err(Error::EINVAL);
        }
        let room = &mut self.rooms[usize::from(program)];
        if room.asked.is_some() && how != How::Withdraw {
            return Err(Error::EBUSY);
        }
        room.asked = (how != How::Withdraw).then_some((*frame, how));
        Ok(())
    }

    fn status(&mut self, program: u16) -> Result<ProgramStatus, Error> {
        let room = &self.rooms[usize::from(program)];
        let bit = |holds: bool, bit: usize| if holds { bit } else { 0 };
        Ok(ProgramStatus {
            state: bit(room.loaded, state::LOADED) | bit(room.asked.is_some(), state::PENDING),
            tag: room.tag,
            changes: self.changes,
        })
    }

    fn shutdown(&mut self, status: u8) -> Error {
        self.stopped = Some(status);
        Error::EPERM
    }
}

/// Both directions of a line, which transfers a few bytes at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pipe {
    pub(crate) to_server: VecDeque<u8>,
    pub(crate) to_host: VecDeque<u8>,
}

impl Line for Pipe {
    fn read(&mut self, into: &mut [u8]) -> usize {
        let count = into.len().min(7).min(self.to_server.len());
        for (place, byte) in into.iter_mut().zip(self.to_server.drain(..count)) {
            *place = byte;
        }
        count
    }

    fn write(&mut self, bytes: &[u8]) -> usize {
        let count = bytes.len().min(50);
        self.to_host.extend(&bytes[..count]);
        count
    }
}

/// The result of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Got {
    Greeting(Greeting),
    Ticket(u32),
    Done,
    /// Loaded, pending; tag, changes, tag of the held module.
    Standing(String, [bool; 2], u32, u32, Option<u32>),
    /// The reader, and the bytes.
    Records(u16, Vec<u8>),
    Refused(Code, String),
}

/// An event from the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    Trace(u64, Vec<u8>),
    Statistics(Statistics),
    Damaged,
}

/// A server with its kernel and line, and the host at the other end of the line.
pub(crate) struct Bench<'m, 'a> {
    pub(crate) server: Server<'m, 'a>,
    pub(crate) kernel: Fake,
    pub(crate) pipe: Pipe,
    collector: Collector,
    pub(crate) greeting: Greeting,
    pub(crate) number: u32,
    pub(crate) key: Option<KeyPair>,
    pub(crate) told: Vec<Told>,
    /// All bytes that the host has sent.
    pub(crate) sent: Vec<u8>,
}

pub(crate) fn key(seed: u8) -> KeyPair {
    KeyPair::from_seed(Seed::new([seed; 32]))
}

pub(crate) const LIMITS: Limits = Limits {
    instructions: 100,
    predicates: 50,
    durations: 50,
    steps: 100,
    triggers: 20,
    threads: 20,
};

/// Runs a test with a server of two programs, `flight` and `second`.
pub(crate) fn with_server<R>(
    signed: bool,
    trace: Option<Reader>,
    test: impl FnOnce(&mut Bench<'_, '_>) -> R,
) -> R {
    let interface = module(INTERFACE);
    let mut buffers = [const { [0u8; 4096] }; 4];
    let [a, b, c, d] = &mut buffers;
    let mut places = [
        Place::new("flight", 0, &interface, LIMITS, [a, b]).unwrap(),
        Place::new("second", 1, &interface, LIMITS, [c, d]).unwrap(),
    ];
    let (mut scratch, mut map) = ([Scratch::EMPTY; 400], [0; 100]);
    let key = signed.then(|| key(1));
    let settings = Settings {
        nonce: nonce(Instant(77), 0xFEED),
        key: key.as_ref().map(|key| *key.pk),
        patience: PATIENCE,
    };
    let memory = Memory {
        scratch: &mut scratch,
        map: &mut map,
    };
    let mut bench = Bench {
        server: Server::new(settings, &mut places, memory, trace),
        kernel: Fake::new(&interface),
        pipe: Pipe::default(),
        collector: Collector::new(),
        greeting: Greeting {
            version: 0,
            session: 0,
            nonce: [0; 16],
            places: 0,
            signed: false,
            clock: 0,
        },
        number: 0,
        key,
        told: Vec::new(),
        sent: Vec::new(),
    };
    bench.hello();
    test(&mut bench)
}

impl Bench<'_, '_> {
    pub(crate) fn hello(&mut self) {
        let Got::Greeting(greeting) = self.ask(Action::Hello { version: VERSION }) else {
            panic!("no greeting");
        };
        self.greeting = greeting;
    }

    /// The frame of the next request.
    pub(crate) fn frame(&mut self, action: Action<'_>) -> Vec<u8> {
        self.number += 1;
        let request = Request {
            session: self.greeting.session,
            number: self.number,
            action,
        };
        let mut bytes = [0; MAX];
        let length = encode(&request, &mut bytes).unwrap();
        bytes[..length].to_vec()
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.pipe.to_server.extend(bytes);
        self.sent.extend(bytes);
    }

    /// Lets the server work until it has nothing to do; returns its replies.
    pub(crate) fn run(&mut self) -> Vec<Got> {
        let mut steps = 0;
        while self.server.step(&mut self.pipe, &mut self.kernel) {
            steps += 1;
            assert!(steps < 100_000, "the server never rests");
        }
        self.receive()
    }

    fn receive(&mut self) -> Vec<Got> {
        let mut all = Vec::new();
        for byte in core::mem::take(&mut self.pipe.to_host) {
            if !self.collector.push(byte) {
                continue;
            }
            match self
                .collector
                .take::<Message<'_>>()
                .expect("a whole message")
            {
                Message::Answer { reply, .. } => all.push(got(reply)),
                Message::Event(event) => self.told.push(told(event)),
            }
        }
        all
    }

    /// Sends a request and returns its only reply.
    pub(crate) fn ask(&mut self, action: Action<'_>) -> Got {
        let frame = self.frame(action);
        self.send(&frame);
        let mut all = self.run();
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }

    pub(crate) fn code(&mut self, action: Action<'_>) -> Option<Code> {
        match self.ask(action) {
            Got::Refused(code, words) => {
                assert!(!words.is_empty());
                Some(code)
            }
            _ => None,
        }
    }

    /// The signature of the next request, if there is a key.
    pub(crate) fn sign(
        &self,
        ticket: u32,
        deed: Deed,
        detail: u8,
        program: &str,
        module: &[u8],
    ) -> Option<Signature> {
        let key = self.key.as_ref()?;
        let permission = Permission {
            nonce: self.greeting.nonce,
            session: self.greeting.session,
            number: self.number + 1,
            ticket,
            deed,
            detail,
            program,
            module,
        };
        let mut text = Vec::new();
        permission.write(&mut |piece| text.extend_from_slice(piece));
        Some(Signature::from_bytes(&key.sk.sign(&text, None)))
    }

    pub(crate) fn begin(&mut self, program: &str, length: usize, base: Option<u32>) -> u32 {
        let length = length as u32;
        match self.ask(Action::Begin {
            program,
            length,
            base,
        }) {
            Got::Ticket(ticket) => ticket,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn upload(&mut self, program: &str, module: &[u8]) -> u32 {
        let ticket = self.begin(program, module.len(), None);
        for (index, bytes) in module.chunks(CHUNK).enumerate() {
            let offset = (index * CHUNK) as u32;
            assert_eq!(
                self.ask(Action::Chunk {
                    ticket,
                    offset,
                    bytes
                }),
                Got::Done
            );
        }
        ticket
    }

    pub(crate) fn commit(
        &mut self,
        ticket: u32,
        program: &str,
        module: &[u8],
        change: Change,
    ) -> Got {
        let signature = self.sign(ticket, Deed::Commit, change as u8, program, module);
        self.ask(Action::Commit {
            ticket,
            change,
            signature,
        })
    }

    pub(crate) fn load(&mut self, program: &str, module: &[u8], change: Change) -> Got {
        let ticket = self.upload(program, module);
        self.commit(ticket, program, module, change)
    }

    pub(crate) fn status(&mut self, place: u16) -> Got {
        self.ask(Action::Status { place })
    }
}

fn got(reply: Reply<'_>) -> Got {
    match reply {
        Reply::Greeting(greeting) => Got::Greeting(greeting),
        Reply::Ticket(ticket) => Got::Ticket(ticket),
        Reply::Done => Got::Done,
        Reply::Standing(s) => Got::Standing(
            s.program.to_owned(),
            [s.loaded, s.pending],
            s.tag,
            s.changes,
            s.held,
        ),
        Reply::Records { reader, bytes } => Got::Records(reader, bytes.to_vec()),
        Reply::Refused { code, words } => Got::Refused(code, words.to_owned()),
    }
}

fn told(event: Event<'_>) -> Told {
    match event {
        Event::Trace { last, records } => Told::Trace(last, records.to_vec()),
        Event::Statistics(statistics) => Told::Statistics(statistics),
        Event::Damaged => Told::Damaged,
    }
}

/// The records of a module as they are staged if its indices equal those of the
/// interface.
pub(crate) fn records(module: &[u8]) -> [Vec<u8>; 2] {
    let module = Module::parse(module).unwrap();
    let times = Times::of(&module, HERTZ).unwrap();
    let mut all = [const { Vec::new() }; 2];
    for own in module.instructions() {
        let deadline = module.duration(own.b);
        let deadline = deadline.map(|own| times.ticks(own.nanos, own.remainder));
        Linked::of(&own, deadline).append_to(&mut all[0]);
    }
    for own in module.predicates() {
        let is_constant = own.kind() == Some(PredicateKind::Constant);
        let port = module.port(own.subject).filter(|_| is_constant);
        let order = port.and_then(|port| ValueType::from_code(port.value_type));
        LinkedWait::of(&own, &times, order).append_to(&mut all[1]);
    }
    all
}

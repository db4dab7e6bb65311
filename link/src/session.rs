//! A session with a machine: one request after the other, and what comes
//! between.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

use giornata_abi::module::Module;
use giornata_hostlink_wire::frame::{Collector, MAX, encode};
use giornata_hostlink_wire::{
    Action, CHUNK, Change, Code, Deed, Event, Greeting, Message, NAME, Permission, RECORD, Reply,
    Request, STRETCH, Signature, Statistics, VERSION,
};

use crate::address::Transport;
use crate::key::Key;
use crate::patch::{Edit, edits};

/// Pieces of the kernel's records that are asked for before the first of them has come:
/// fewer than a server's queues hold.
const AT_ONCE: usize = 8;
/// Between two tries where the machine is busy.
const PAUSE: Duration = Duration::from_millis(20);

/// Why something was not done.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The machine refuses.
    #[error("{words}")]
    Refused {
        /// Why, for programs.
        code: Code,
        /// Why and what to do, in the machine's words.
        words: String,
    },
    /// No answer came in time.
    #[error("the machine does not answer")]
    Silent,
    /// What was asked for has not happened in time.
    #[error("the change has not happened in time; it is still asked for")]
    Pending,
    /// Other than a hostlink server is at the other end.
    #[error("what answers is no hostlink server of this version")]
    Strange,
    /// The line is gone.
    #[error("the line failed: {0}")]
    Line(#[from] io::Error),
}

/// How a program stands, see [`giornata_hostlink_wire::Standing`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The program's name.
    pub program: String,
    /// It has code.
    pub loaded: bool,
    /// A change has been asked for and has not happened.
    pub pending: bool,
    /// The checksum of the module that runs.
    pub tag: u32,
    /// How many changes of programs there have been since boot.
    pub changes: u32,
    /// The checksum of a module that is held.
    pub held: Option<u32>,
    /// Most bytes of a module file.
    pub room: u32,
}

/// Some of the kernel's records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The thread that has copied them, by its number: it ran meanwhile.
    pub reader: u16,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// What came by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// Records of the trace, and the number of the first of them.
    Trace(u64, Vec<u8>),
    /// What the server has counted.
    Statistics(Statistics),
}

/// An answer, on its own.
enum Answer {
    Greeting(Greeting),
    Ticket(u32),
    Done,
    Standing(Standing),
    Records(Copied),
}

/// The number of a request, and what came of it.
type Answered = (u32, Result<Answer, Failure>);

/// An open session.
pub struct Session {
    line: Box<dyn Transport>,
    collector: Collector,
    input: VecDeque<u8>,
    told: VecDeque<Told>,
    greeting: Greeting,
    number: u32,
    key: Option<Key>,
    /// How long an answer is waited for, and a change where one is.
    patience: Duration,
}

impl Session {
    /// Opens a session. `key` signs where the machine asks for it.
    ///
    /// # Errors
    /// The machine does not answer, or speaks another version.
    pub fn open(
        line: Box<dyn Transport>,
        key: Option<Key>,
        patience: Duration,
    ) -> Result<Session, Failure> {
        let greeting = Greeting {
            version: 0,
            session: 0,
            nonce: [0; 16],
            places: 0,
            signed: false,
            clock: 0,
        };
        let mut session = Session {
            line,
            collector: Collector::new(),
            input: VecDeque::new(),
            told: VecDeque::new(),
            greeting,
            number: first_number(),
            key,
            patience,
        };
        // Ends what was on the line before.
        session.line.write_all(&[0])?;
        match session.ask(Action::Hello { version: VERSION })? {
            Answer::Greeting(greeting) => session.greeting = greeting,
            _ => return Err(Failure::Strange),
        }
        Ok(session)
    }

    /// Who is at the other end.
    pub fn greeting(&self) -> &Greeting {
        &self.greeting
    }

    /// How all programs stand that may be replaced.
    ///
    /// # Errors
    /// As every request: the machine refuses or does not answer.
    pub fn standings(&mut self) -> Result<Vec<Standing>, Failure> {
        (0..self.greeting.places)
            .map(|place| self.standing(place))
            .collect()
    }

    fn standing(&mut self, place: u16) -> Result<Standing, Failure> {
        match self.ask(Action::Status { place })? {
            Answer::Standing(standing) => Ok(standing),
            _ => Err(Failure::Strange),
        }
    }

    fn standing_of(&mut self, program: &str) -> Result<Standing, Failure> {
        let all = self.standings()?;
        all.into_iter()
            .find(|s| s.program == program)
            .ok_or(Failure::Strange)
    }

    /// Sends a module for a program, and asks for the change.
    ///
    /// # Errors
    /// As every request. Nothing has changed then.
    pub fn load(&mut self, program: &str, module: &[u8], change: Change) -> Result<(), Failure> {
        self.send_module(
            program,
            module,
            None,
            &[Edit::Insert(module.to_vec())],
            change,
        )
    }

    /// Sends what a module has that `base`, which runs, has not.
    ///
    /// # Errors
    /// As every request; also if another module runs.
    pub fn patch(
        &mut self,
        program: &str,
        base: &[u8],
        module: &[u8],
        change: Change,
    ) -> Result<(), Failure> {
        let tag = Module::parse(base).map_or(0, |base| base.header().crc);
        self.send_module(program, module, Some(tag), &edits(base, module), change)
    }

    fn send_module(
        &mut self,
        program: &str,
        module: &[u8],
        base: Option<u32>,
        edits: &[Edit],
        change: Change,
    ) -> Result<(), Failure> {
        let program = known(program);
        let length = u32::try_from(module.len()).unwrap_or(u32::MAX);
        let begin = Action::Begin {
            program,
            length,
            base,
        };
        let Answer::Ticket(ticket) = self.ask_until_free(|_| begin)? else {
            return Err(Failure::Strange);
        };
        let mut offset = 0;
        for edit in edits {
            match edit {
                Edit::Copy(from, length) => {
                    let [from, length] = [*from, *length].map(|n| n as u32);
                    self.do_it(Action::Copy {
                        ticket,
                        offset,
                        from,
                        length,
                    })?;
                    offset += length;
                }
                Edit::Insert(bytes) => {
                    for bytes in bytes.chunks(CHUNK) {
                        self.do_it(Action::Chunk {
                            ticket,
                            offset,
                            bytes,
                        })?;
                        offset += bytes.len() as u32;
                    }
                }
            }
        }
        self.ask_until_free(|session| Action::Commit {
            ticket,
            change,
            signature: session.sign(ticket, Deed::Commit, change as u8, program, module),
        })?;
        Ok(())
    }

    /// Asks for the change to what is held.
    ///
    /// # Errors
    /// As every request.
    pub fn switch(&mut self, program: &str, change: Change) -> Result<(), Failure> {
        let program = known(program);
        self.ask_until_free(|session| Action::Switch {
            program,
            change,
            signature: session.sign(0, Deed::Switch, change as u8, program, &[]),
        })?;
        Ok(())
    }

    /// Asks for a program to become empty.
    ///
    /// # Errors
    /// As every request.
    pub fn unload(&mut self, program: &str) -> Result<(), Failure> {
        let program = known(program);
        self.ask_until_free(|session| Action::Unload {
            program,
            signature: session.sign(0, Deed::Unload, 0, program, &[]),
        })?;
        Ok(())
    }

    /// Takes back a change that has not happened, or drops what is held.
    ///
    /// # Errors
    /// As every request.
    pub fn withdraw(&mut self, program: &str) -> Result<(), Failure> {
        let program = known(program);
        let signature = self.sign(0, Deed::Withdraw, 0, program, &[]);
        self.do_it(Action::Withdraw { program, signature })
    }

    /// Stops the machine.
    ///
    /// # Errors
    /// The machine refuses; that it does not answer is what was asked for.
    pub fn shutdown(&mut self, status: u8) -> Result<(), Failure> {
        let signature = self.sign(0, Deed::Shutdown, status, "", &[]);
        match self.do_it(Action::Shutdown { status, signature }) {
            Err(Failure::Silent | Failure::Line(_)) => Ok(()),
            other => other,
        }
    }

    /// So many bytes of the kernel's records from `at` on, counted from the first of all.
    /// They are copied piece by piece while the machine runs: not at one instant.
    ///
    /// # Errors
    /// As every request; also if the server has no grant to read them, or some of these
    /// bytes lie beyond them.
    pub fn read(&mut self, at: u32, length: usize) -> Result<Copied, Failure> {
        let mut all = Copied {
            reader: 0,
            bytes: Vec::new(),
        };
        while all.bytes.len() < length {
            // several are on their way at a time: the server looks at its line in rounds
            let starts = (all.bytes.len()..length).step_by(STRETCH).take(AT_ONCE);
            let mut numbers = Vec::new();
            for start in starts {
                let start = start.min(u32::MAX as usize);
                let action = Action::Read {
                    // (beyond all addresses there are no records either: it is refused)
                    at: at.saturating_add(start as u32),
                    length: (length - start).min(STRETCH) as u32,
                };
                numbers.push(self.send(action)?);
            }
            for number in numbers {
                match self.answer_to(number)? {
                    Answer::Records(Copied { reader, bytes }) => {
                        all.reader = reader;
                        all.bytes.extend(bytes);
                    }
                    _ => return Err(Failure::Strange),
                }
            }
        }
        Ok(all)
    }

    /// Says what the machine is to send by itself.
    ///
    /// # Errors
    /// As every request.
    pub fn stream(&mut self, trace: bool, statistics: bool) -> Result<(), Failure> {
        self.do_it(Action::Stream { trace, statistics })
    }

    /// Waits until no change of the program is under way.
    ///
    /// # Errors
    /// As every request; [`Failure::Pending`] after the session's patience.
    pub fn wait(&mut self, program: &str) -> Result<Standing, Failure> {
        let end = Instant::now() + self.patience;
        loop {
            let standing = self.standing_of(program)?;
            if !standing.pending {
                return Ok(standing);
            }
            if Instant::now() >= end {
                return Err(Failure::Pending);
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// The next that came by itself; waits a moment for it.
    ///
    /// # Errors
    /// The line is gone.
    pub fn hear(&mut self) -> Result<Option<Told>, Failure> {
        if self.told.is_empty() {
            self.receive()?;
            while self.take_message()?.is_some() {}
        }
        Ok(self.told.pop_front())
    }

    /// The signature of the next request, if there is a key and need of it.
    fn sign(
        &self,
        ticket: u32,
        deed: Deed,
        detail: u8,
        program: &str,
        module: &[u8],
    ) -> Option<Signature> {
        let key = self.key.as_ref().filter(|_| self.greeting.signed)?;
        Some(key.sign(&Permission {
            nonce: self.greeting.nonce,
            session: self.greeting.session,
            number: self.number.wrapping_add(1),
            ticket,
            deed,
            detail,
            program,
            module,
        }))
    }

    fn do_it(&mut self, action: Action<'_>) -> Result<(), Failure> {
        match self.ask(action)? {
            Answer::Done => Ok(()),
            _ => Err(Failure::Strange),
        }
    }

    /// Asks again while the machine is busy with a change before.
    fn ask_until_free<'a>(
        &mut self,
        action: impl Fn(&Session) -> Action<'a>,
    ) -> Result<Answer, Failure> {
        let end = Instant::now() + self.patience;
        loop {
            let action = action(self);
            match self.ask(action) {
                Err(Failure::Refused {
                    code: Code::Busy, ..
                }) if Instant::now() < end => std::thread::sleep(PAUSE),
                other => return other,
            }
        }
    }

    /// Sends a request and waits for its answer.
    fn ask(&mut self, action: Action<'_>) -> Result<Answer, Failure> {
        let number = self.send(action)?;
        self.answer_to(number)
    }

    /// Sends a request; its number.
    fn send(&mut self, action: Action<'_>) -> Result<u32, Failure> {
        self.number = self.number.wrapping_add(1);
        let request = Request {
            session: self.greeting.session,
            number: self.number,
            action,
        };
        let mut frame = [0; MAX];
        let length = encode(&request, &mut frame).map_err(|_| Failure::Strange)?;
        self.line.write_all(&frame[..length])?;
        self.line.flush()?;
        Ok(self.number)
    }

    /// Waits for the answer to a request; those to requests before it are dropped.
    fn answer_to(&mut self, asked: u32) -> Result<Answer, Failure> {
        let end = Instant::now() + self.patience;
        loop {
            while let Some(answer) = self.take_message()? {
                match answer {
                    (number, answer) if number == asked => return answer,
                    // An answer to somebody before.
                    _ => {}
                }
            }
            if Instant::now() >= end {
                return Err(Failure::Silent);
            }
            self.receive()?;
        }
    }

    /// Takes what has come; waits a moment where nothing has.
    fn receive(&mut self) -> Result<(), Failure> {
        let mut bytes = [0; 1024];
        match self.line.read(&mut bytes) {
            Ok(0) => Err(Failure::Line(ErrorKind::UnexpectedEof.into())),
            Ok(count) => {
                self.input.extend(&bytes[..count]);
                Ok(())
            }
            Err(error) => match error.kind() {
                ErrorKind::TimedOut | ErrorKind::WouldBlock | ErrorKind::Interrupted => Ok(()),
                _ => Err(Failure::Line(error)),
            },
        }
    }

    /// The next answer among the bytes that have come; events are kept.
    fn take_message(&mut self) -> Result<Option<Answered>, Failure> {
        while let Some(byte) = self.input.pop_front() {
            if !self.collector.push(byte) {
                continue;
            }
            // What is damaged is asked for again, by whoever misses it.
            match self.collector.take::<Message<'_>>() {
                Ok(Message::Answer { number, reply, .. }) => {
                    return Ok(Some((number, answer(reply))));
                }
                Ok(Message::Event(Event::Trace { last, records })) => {
                    let first = first_of(last, records.len() / RECORD);
                    self.told.push_back(Told::Trace(first, records.to_vec()));
                }
                Ok(Message::Event(Event::Statistics(counted))) => {
                    self.told.push_back(Told::Statistics(counted));
                }
                Ok(Message::Event(Event::Damaged)) | Err(_) => {}
            }
        }
        Ok(None)
    }
}

/// Requests of two hosts, one after the other, should not be alike.
fn first_number() -> u32 {
    let mut bytes = [0; 4];
    // Without a source of chance they are; sessions tell them apart.
    _ = getrandom::fill(&mut bytes);
    u32::from_le_bytes(bytes)
}

/// A name that a machine can know: longer ones do not fit a message.
fn known(program: &str) -> &str {
    &program[..program.floor_char_boundary(NAME)]
}

/// The number of the first of so many records up to `last`.
fn first_of(last: u64, count: usize) -> u64 {
    last.saturating_add(1).saturating_sub(count as u64)
}

fn answer(reply: Reply<'_>) -> Result<Answer, Failure> {
    match reply {
        Reply::Greeting(greeting) => Ok(Answer::Greeting(greeting)),
        Reply::Ticket(ticket) => Ok(Answer::Ticket(ticket)),
        Reply::Done => Ok(Answer::Done),
        Reply::Standing(s) => Ok(Answer::Standing(Standing {
            program: s.program.to_owned(),
            loaded: s.loaded,
            pending: s.pending,
            tag: s.tag,
            changes: s.changes,
            held: s.held,
            room: s.room,
        })),
        Reply::Records { reader, bytes } => Ok(Answer::Records(Copied {
            reader,
            bytes: bytes.to_vec(),
        })),
        Reply::Refused { code, words } => Err(Failure::Refused {
            code,
            words: words.to_owned(),
        }),
    }
}

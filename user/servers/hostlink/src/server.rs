//! The server: handles one request at a time and sends replies and events.

use giornata_abi::{Duration, Error, Instant};
use giornata_hostlink_wire::frame::Collector;
use giornata_hostlink_wire::{
    Action, Code, Event, Greeting, Message, Reply, Request, STRETCH, Standing, Statistics, VERSION,
};
use giornata_microcode::verify::Scratch;
use giornata_rt::records::Records;
use giornata_rt::ring::Reader;

use crate::line::{Inbox, Line, Outbox};
use crate::place::Place;
use crate::programs::Programs;
use crate::session::Session;
use crate::stream::Stream;
use crate::upload::Upload;
use crate::words::{Refused, refuse, refuse_by_kernel};

/// The settings of the system file.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Distinguishes this boot of this machine from others, see [`nonce`](crate::nonce).
    pub nonce: [u8; 16],
    /// The public key of the owner, who alone may change the machine; `None`: whoever
    /// can reach the line may.
    pub key: Option<[u8; 32]>,
    /// An upload without progress for this long is dropped.
    pub patience: Duration,
}

/// Working memory for checks.
pub struct Memory<'m> {
    /// As many entries as
    /// [`scratch_needed`](giornata_microcode::verify::scratch_needed) returns for the
    /// largest module that the limits allow.
    pub scratch: &'m mut [Scratch],
    /// As many entries as [`map_needed`](giornata_microcode::interface::map_needed)
    /// returns for the largest interface.
    pub map: &'m mut [u16],
}

/// The server. [`Server::step`] does all of its work.
pub struct Server<'m, 'a> {
    pub(crate) settings: Settings,
    pub(crate) places: &'m mut [Place<'a>],
    pub(crate) memory: Memory<'m>,
    pub(crate) session: Session,
    pub(crate) upload: Option<Upload>,
    pub(crate) counted: Statistics,
    trace: Option<Reader>,
    records: Option<(Records, u16)>,
    stream: Stream,
    inbox: Inbox,
    outbox: Outbox,
    collector: Collector,
}

/// The outcome of a request, from which the reply is made.
pub(crate) enum Outcome {
    Greeting,
    Ticket(u32),
    Done,
    /// The index of a place and its program's status, just queried.
    Standing(usize, giornata_rt::call::ProgramStatus),
    /// Number of bytes of the kernel's records, and the thread that copied them.
    Records(usize, u16),
}

pub(crate) type Answer = Result<Outcome, Refused>;

impl<'m, 'a> Server<'m, 'a> {
    /// A server that has not handled a request yet. `trace`: the ring, if it is granted.
    pub fn new(
        settings: Settings,
        places: &'m mut [Place<'a>],
        memory: Memory<'m>,
        trace: Option<Reader>,
    ) -> Server<'m, 'a> {
        Server {
            settings,
            places,
            memory,
            session: Session::new(),
            upload: None,
            counted: Statistics::default(),
            trace,
            records: None,
            stream: Stream::new(),
            inbox: Inbox::new(),
            outbox: Outbox::new(),
            collector: Collector::new(),
        }
    }

    /// Gives the server the kernel's records, which the process has been granted, and the
    /// number of the thread that runs it.
    pub fn lend_records(&mut self, records: Records, thread: u16) {
        self.records = Some((records, thread));
    }

    /// Handles at most one request and sends everything that is due; never blocks.
    /// Returns whether there was anything to do: if not, the caller may sleep.
    pub fn step(&mut self, line: &mut impl Line, programs: &mut impl Programs) -> bool {
        let mut busy = self.outbox.flush(line);
        let now = programs.clock();
        let patience = self.settings.patience;
        self.upload = self.upload.filter(|upload| !upload.is_over(now, patience));
        if self.outbox.has_room(1) {
            busy |= self.receive(line, programs, now);
        }
        let trace = self.trace.as_mut();
        busy |= self
            .stream
            .send(&mut self.outbox, trace, &mut self.counted, now);
        self.outbox.flush(line) || busy
    }

    /// Receives bytes up to the end of a frame; returns whether there were any.
    fn receive(
        &mut self,
        line: &mut impl Line,
        programs: &mut impl Programs,
        now: Instant,
    ) -> bool {
        let mut any = false;
        while let Some(byte) = self.inbox.next(line) {
            any = true;
            if self.collector.push(byte) {
                self.handle_frame(programs, now);
                break;
            }
        }
        any
    }

    fn handle_frame(&mut self, programs: &mut impl Programs, now: Instant) {
        let mut frame = core::mem::take(&mut self.collector);
        let Ok(request) = frame.take::<Request<'_>>() else {
            self.counted.damaged = self.counted.damaged.saturating_add(1);
            self.outbox.put(&Message::Event(Event::Damaged));
            return;
        };
        self.counted.requests = self.counted.requests.saturating_add(1);
        let mut copy = [0; STRETCH];
        let answer = self.handle(&request, programs, now, &mut copy);
        if answer.is_err() {
            self.counted.refused = self.counted.refused.saturating_add(1);
        }
        let reply = match &answer {
            Ok(Outcome::Greeting) => Reply::Greeting(self.greeting(now)),
            Ok(Outcome::Ticket(ticket)) => Reply::Ticket(*ticket),
            Ok(Outcome::Done) => Reply::Done,
            Ok(Outcome::Standing(place, status)) => match self.places.get(*place) {
                Some(place) => Reply::Standing(standing(place, *status)),
                None => Reply::Done,
            },
            Ok(Outcome::Records(length, reader)) => Reply::Records {
                reader: *reader,
                bytes: copy.get(..*length).unwrap_or(&[]),
            },
            Err(refused) => Reply::Refused {
                code: refused.code,
                words: refused.words.text(),
            },
        };
        self.outbox.put(&Message::Answer {
            session: self.session.current,
            number: request.number,
            reply,
        });
    }

    fn handle(
        &mut self,
        request: &Request<'_>,
        programs: &mut impl Programs,
        now: Instant,
        copy: &mut [u8; STRETCH],
    ) -> Answer {
        if let Action::Hello { version } = request.action {
            return self.open(request, version);
        }
        self.session.admit(request)?;
        match request.action {
            Action::Hello { .. } => Ok(Outcome::Greeting),
            Action::Begin {
                program,
                length,
                base,
            } => self.begin(program, length, base, programs, now),
            Action::Chunk {
                ticket,
                offset,
                bytes,
            } => {
                let (upload, place) = self.uploading(ticket)?;
                upload.append(place, offset, bytes, now)?;
                Ok(Outcome::Done)
            }
            Action::Copy {
                ticket,
                offset,
                from,
                length,
            } => {
                let (upload, place) = self.uploading(ticket)?;
                place.refresh(programs).map_err(unseen)?;
                upload.copy(place, offset, [from, length], now)?;
                Ok(Outcome::Done)
            }
            Action::Status { place } => self.stand(place, programs),
            Action::Read { at, length } => self.read(at, length, copy),
            Action::Stream { trace, statistics } => {
                let reader = self.trace.as_mut();
                if trace && reader.is_none() {
                    return Err(refuse(
                        Code::Kernel,
                        format_args!("this server has no trace; grant it in the system file"),
                    ));
                }
                self.stream.ask(trace, statistics, reader, now);
                Ok(Outcome::Done)
            }
            _ => self.do_deed(request, programs),
        }
    }

    fn open(&mut self, request: &Request<'_>, version: u16) -> Answer {
        if version != VERSION {
            return Err(refuse(
                Code::Version,
                format_args!(
                    "this server speaks version {VERSION} of the protocol, not {version}; use the tool that the system was built with"
                ),
            ));
        }
        self.session.open(request);
        self.upload = None;
        self.stream = Stream::new();
        Ok(Outcome::Greeting)
    }

    fn greeting(&self, now: Instant) -> Greeting {
        Greeting {
            version: VERSION,
            session: self.session.current,
            nonce: self.settings.nonce,
            places: u16::try_from(self.places.len()).unwrap_or(u16::MAX),
            signed: self.settings.key.is_some(),
            clock: now.0,
        }
    }

    fn begin(
        &mut self,
        program: &str,
        length: u32,
        base: Option<u32>,
        programs: &mut impl Programs,
        now: Instant,
    ) -> Answer {
        let index = self.find(program)?;
        let Some(place) = self.places.get_mut(index) else {
            return Err(absent(program));
        };
        place.settle(programs)?;
        let mut upload = Upload::begin(index, place, length, base, now)?;
        upload.ticket = self.session.ticket();
        self.upload = Some(upload);
        Ok(Outcome::Ticket(upload.ticket))
    }

    fn stand(&mut self, index: u16, programs: &mut impl Programs) -> Answer {
        let index = usize::from(index);
        let Some(place) = self.places.get_mut(index) else {
            let count = self.places.len();
            return Err(refuse(
                Code::Program,
                format_args!("there are {count} programs that may be replaced"),
            ));
        };
        let status = place.refresh(programs).map_err(unseen)?;
        Ok(Outcome::Standing(index, status))
    }

    /// Copies some of the kernel's records. No bytes that are asked for make it read any
    /// others than these.
    fn read(&self, at: u32, length: u32, copy: &mut [u8; STRETCH]) -> Answer {
        let Some((records, thread)) = self.records else {
            return Err(refuse(
                Code::Kernel,
                format_args!(
                    "this server may not read the kernel's records; grant it `inspect = true` in the system file"
                ),
            ));
        };
        let length = length as usize;
        let Some(into) = copy.get_mut(..length) else {
            return Err(refuse(
                Code::Length,
                format_args!("{length} bytes are too many at once; read {STRETCH} at most"),
            ));
        };
        match records.read(at as usize, into) {
            true => Ok(Outcome::Records(length, thread)),
            false => Err(refuse(
                Code::Offset,
                format_args!(
                    "{length} bytes at {at} lie outside of the kernel's records, which have {}; use the debug map of the image that runs",
                    records.length()
                ),
            )),
        }
    }

    /// The index of a program's place.
    pub(crate) fn find(&self, program: &str) -> Result<usize, Refused> {
        let found = self.places.iter().position(|place| place.name == program);
        found.ok_or_else(|| absent(program))
    }

    /// The upload with this ticket, and its place.
    pub(crate) fn uploading(
        &mut self,
        ticket: u32,
    ) -> Result<(&mut Upload, &mut Place<'a>), Refused> {
        let upload = self.upload.as_mut().filter(|u| u.ticket == ticket);
        let with_place = upload.and_then(|upload| {
            let place = self.places.get_mut(upload.place)?;
            Some((upload, place))
        });
        with_place.ok_or_else(|| {
            refuse(
                Code::Ticket,
                format_args!(
                    "no upload with ticket {ticket} is under way: it is done, was dropped, or another has begun; begin anew"
                ),
            )
        })
    }
}

fn absent(program: &str) -> Refused {
    refuse(
        Code::Program,
        format_args!(
            "no program `{program}` may be replaced here; ask for the status, which names them"
        ),
    )
}

fn unseen(error: Error) -> Refused {
    refuse_by_kernel("look at the program", error)
}

fn standing<'s>(place: &'s Place<'_>, status: giornata_rt::call::ProgramStatus) -> Standing<'s> {
    use giornata_abi::load::state::{LOADED, PENDING};
    let has = |bit| status.state & bit != 0;
    let held = place.coming.filter(|coming| coming.asked.is_none());
    Standing {
        program: place.name,
        loaded: has(LOADED),
        pending: has(PENDING),
        tag: status.tag,
        changes: status.changes,
        held: held.map(|coming| coming.frame.tag),
        room: u32::try_from(place.room()).unwrap_or(u32::MAX),
    }
}

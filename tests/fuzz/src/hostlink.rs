//! The line to the hostlink server: any bytes, any requests under the right
//! numbers, and any module in a sound frame.

use giornata_abi::load::{Frame, How, MOST, RECORD, Section, state};
use giornata_abi::{Duration, Error, Instant};
use giornata_hostlink::{Line, Memory, Place, Programs, Server, Settings, nonce};
use giornata_hostlink_wire::frame::{MAX, encode};
use giornata_hostlink_wire::{Action, CHUNK, Change, Request, VERSION};
use giornata_microcode::interface::Limits;
use giornata_microcode::verify::Scratch;
use giornata_rt::call::ProgramStatus;
use giornata_rt::records::Records;

use crate::module::mend_frame;

/// The interface of the only program.
const INTERFACE: &[u8] = include_bytes!("../seeds/module/flight.gmod");
/// What stands for the kernel's records; what is read beyond them, a sanitizer sees.
static RECORDS: [u32; 75] = [0x5A5A_5A5A; 75];
const PROGRAM: &str = "flight";
/// A public key whose private half nobody here has.
const KEY: [u8; 32] = [0x66; 32];

/// Feeds `data` to servers. No call that changes anything reaches the kernel
/// where a signature is asked for; where none is, what becomes a program has
/// been staged whole.
pub fn explore(data: &[u8]) {
    drive(Some(KEY), data);
    let requests = requests(data);
    drive(Some(KEY), &requests);
    drive(None, &requests);
    if let Some(module) = mend_frame(data) {
        drive(None, &upload(&module));
    }
}

/// Lets a server work on all of `bytes`; how often the program was changed.
fn drive(key: Option<[u8; 32]>, bytes: &[u8]) -> u32 {
    let mut buffers = [[0; 8192], [0; 8192]];
    let [first, second] = &mut buffers;
    let limits = Limits {
        instructions: 400,
        predicates: 100,
        durations: 100,
        steps: 1000,
        triggers: 100,
        threads: 100,
    };
    let Ok(place) = Place::new(PROGRAM, 0, INTERFACE, limits, [first, second]) else {
        return 0;
    };
    let (mut scratch, mut map) = (vec![Scratch::EMPTY; 800], vec![0; 1000]);
    let memory = Memory {
        scratch: &mut scratch,
        map: &mut map,
    };
    let settings = Settings {
        nonce: nonce(Instant(0), 0),
        key,
        patience: Duration(1),
    };
    let mut places = [place];
    let mut server = Server::new(settings, &mut places, memory, None);
    // SAFETY: they outlive the server, and are never written.
    let records = unsafe { Records::new((&raw const RECORDS).cast(), size_of_val(&RECORDS)) };
    server.lend_records(records, 0);
    let mut line = Once(bytes);
    let mut kernel = Kernel {
        staged: [0; 2],
        tag: 0,
        loaded: true,
        changes: 0,
        is_closed: key.is_some(),
    };
    while server.step(&mut line, &mut kernel) {}
    assert!(line.0.is_empty());
    kernel.changes
}

/// A line on which bytes come, and that takes any.
struct Once<'a>(&'a [u8]);

impl Line for Once<'_> {
    fn read(&mut self, into: &mut [u8]) -> usize {
        let count = into.len().min(self.0.len());
        let (now, later) = self.0.split_at(count);
        into.iter_mut().zip(now).for_each(|(to, from)| *to = *from);
        self.0 = later;
        count
    }

    fn write(&mut self, bytes: &[u8]) -> usize {
        bytes.len()
    }
}

/// A kernel that does at once what it is asked.
struct Kernel {
    /// Records of each section, by the last call that staged some.
    staged: [usize; 2],
    tag: u32,
    loaded: bool,
    changes: u32,
    is_closed: bool,
}

impl Programs for Kernel {
    fn clock(&mut self) -> Instant {
        Instant(0)
    }

    fn hertz(&mut self) -> u32 {
        10_000_000
    }

    fn stage(
        &mut self,
        _: u16,
        section: Section,
        place: usize,
        records: &[u8],
    ) -> Result<(), Error> {
        assert!(!self.is_closed, "nobody has signed this");
        assert!(records.len() <= MOST && records.len().is_multiple_of(RECORD));
        if let Some(staged) = self.staged.get_mut(section as usize) {
            *staged = place + records.len() / RECORD;
        }
        Ok(())
    }

    fn switch(&mut self, _: u16, frame: &Frame, how: How) -> Result<(), Error> {
        assert!(!self.is_closed, "nobody has signed this");
        if how == How::Withdraw {
            return Ok(());
        }
        self.loaded = frame.instructions > 0;
        let counts = [frame.instructions, frame.predicates];
        for (count, staged) in counts.into_iter().zip(self.staged) {
            assert!(count == 0 || usize::from(count) == staged);
        }
        (self.tag, self.changes) = (frame.tag, self.changes + 1);
        Ok(())
    }

    fn status(&mut self, _: u16) -> Result<ProgramStatus, Error> {
        let state = if self.loaded { state::LOADED } else { 0 };
        Ok(ProgramStatus {
            state,
            tag: self.tag,
            changes: self.changes,
        })
    }

    fn shutdown(&mut self, _: u8) -> Error {
        assert!(!self.is_closed, "nobody has signed this");
        Error::EPERM
    }
}

/// A host that counts its requests rightly.
struct Host {
    number: u32,
    bytes: Vec<u8>,
}

impl Host {
    /// The first session of a server.
    fn new() -> Host {
        let mut host = Host {
            number: 0,
            bytes: Vec::new(),
        };
        host.ask(Action::Hello { version: VERSION });
        host
    }

    fn ask(&mut self, action: Action<'_>) {
        let (mut frame, number) = ([0; MAX], self.number);
        let request = Request {
            session: 1,
            number,
            action,
        };
        if let Ok(length) = encode(&request, &mut frame) {
            self.bytes.extend_from_slice(&frame[..length]);
            self.number += 1;
        }
    }
}

/// An upload of a whole module, and what can follow it.
fn upload(module: &[u8]) -> Vec<u8> {
    let (mut host, ticket, signature) = (Host::new(), 1, None);
    let length = module.len() as u32;
    host.ask(Action::Begin {
        program: PROGRAM,
        length,
        base: None,
    });
    for (index, bytes) in module.chunks(CHUNK).enumerate() {
        let offset = (index * CHUNK) as u32;
        host.ask(Action::Chunk {
            ticket,
            offset,
            bytes,
        });
    }
    let change = Change::CarryOver;
    host.ask(Action::Commit {
        ticket,
        change,
        signature,
    });
    let change = Change::Restart;
    host.ask(Action::Commit {
        ticket,
        change,
        signature,
    });
    host.ask(Action::Status { place: 0 });
    host.bytes
}

/// Requests of all kinds with operands from the input.
fn requests(mut data: &[u8]) -> Vec<u8> {
    let mut host = Host::new();
    while let Some((operation, rest)) = data.split_first() {
        let operands = rest.first_chunk().copied().unwrap_or([0u8; 4]);
        data = rest.get(4..).unwrap_or(&[]);
        let [a, b, c, d] = operands.map(u32::from);
        let (ticket, offset, signature) = (a % 4, b << 3, None);
        let program = if d == 7 { "none" } else { PROGRAM };
        let change = [Change::Hold, Change::Restart, Change::CarryOver][(c % 3) as usize];
        let (taken, later) = data.split_at(data.len().min(c as usize));
        host.ask(match operation % 11 {
            0 => Action::Begin {
                program,
                length: b << (c % 8),
                base: (d % 2 == 0).then_some(0),
            },
            1 | 2 => {
                data = later;
                Action::Chunk {
                    ticket,
                    offset,
                    bytes: taken,
                }
            }
            3 => Action::Copy {
                ticket,
                offset,
                from: c << (d % 16),
                length: d,
            },
            4 => Action::Commit {
                ticket,
                change,
                signature,
            },
            5 => Action::Switch {
                program,
                change,
                signature,
            },
            6 => Action::Unload { program, signature },
            7 => Action::Withdraw { program, signature },
            8 => Action::Stream {
                trace: a % 2 == 0,
                statistics: b % 2 == 0,
            },
            9 => Action::Shutdown {
                status: 0,
                signature,
            },
            _ => Action::Read {
                at: (b << (d % 32)).wrapping_sub(c),
                length: a,
            },
        });
    }
    host.bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upload_of_the_seed_changes_the_program_where_nobody_need_sign() {
        let requests = upload(INTERFACE);
        assert_eq!(drive(None, &requests), 1);
        assert_eq!(drive(Some(KEY), &requests), 0);
        explore(INTERFACE);
    }
}

//! What is brought when.

use giornata_hostlink::{Kernel, Memory, Place, Server, Settings};
use giornata_hostlink_wire::{Action, CHUNK, Change};
use giornata_microcode::interface::Limits;
use giornata_microcode::verify::Scratch;
use giornata_rt::time::{self, Duration, Instant};
use giornata_rt::{call, log, shutdown, thread};

use crate::client::{Came, Client};
use crate::identifiers::{LOADABLE, MODULES};

/// Most bytes of a module file.
const LARGEST: usize = 2048;
/// Uploads that are harmed.
const HARMED: u32 = 500;
/// The program that comes and goes.
const PROGRAM: &str = "gimbal";

const fn ms(count: u64) -> Instant {
    Instant(count * 1_000_000)
}

/// Serves one client in this thread.
fn with_client(work: impl FnOnce(&mut Client<'_, '_, '_>)) {
    let mut buffers = [[0; LARGEST]; 2];
    let [first, second] = &mut buffers;
    let Some((name, program, _, room, interface, _)) = LOADABLE.first() else {
        panic!("nothing may be loaded");
    };
    let limits = Limits::from_words(*room);
    let Ok(place) = Place::new(name, *program, interface, limits, [first, second]) else {
        panic!("the interface is no module");
    };
    let mut places = [place];
    let (mut scratch, mut map) = ([Scratch::EMPTY; 256], [0; 64]);
    let memory = Memory {
        scratch: &mut scratch,
        map: &mut map,
    };
    let settings = Settings {
        nonce: [0; 16],
        key: None,
        patience: Duration::from_millis(50),
    };
    let mut server = Server::new(settings, &mut places, memory, None);
    work(&mut Client::new(&mut server));
}

fn module(source: &str) -> &'static [u8] {
    let found = MODULES
        .iter()
        .find(|(program, name, _)| (*program, *name) == (PROGRAM, source));
    found.map_or(&[], |(_, _, bytes)| bytes)
}

fn tell(what: &str, came: Came) {
    let status = call::program_status(LOADABLE.first().map_or(0, |(_, program, ..)| *program));
    let (state, changes) = status.map_or((0, 0), |status| (status.state, status.changes));
    let came = match came {
        Came::Done => "done",
        _ => "refused",
    };
    log!("{what}: {came}, state {state}, {changes} changes");
}

/// The gimbal's controller joins, gets other gains, and goes.
#[thread]
pub(crate) fn feed() {
    with_client(|client| {
        client.open(&mut Kernel::at_once());
        let steps: [(u64, &str, u64, Change); 2] = [
            (105, "gimbal.giotto", 303, Change::Restart),
            (505, "gimbal-firm.giotto", 805, Change::CarryOver),
        ];
        for (when, source, at, change) in steps {
            let _ = time::sleep_until(ms(when));
            let came = client.bring(
                PROGRAM,
                module(source),
                change,
                &mut Kernel::not_before(ms(at)),
            );
            tell(source, came);
            let _ = time::sleep_until(ms(at + 40));
            tell("later", Came::Done);
        }
        let _ = time::sleep_until(ms(1205));
        let unload = Action::Unload {
            program: PROGRAM,
            signature: None,
        };
        let came = client.ask(unload, &mut Kernel::not_before(ms(1405)), |_| {});
        tell("unload", came);
        let _ = time::sleep_until(ms(1505));
        tell("later", Came::Done);
    });
}

/// Uploads that are cut, corrupted, out of order, out of date or unsound.
#[thread]
pub(crate) fn harm() {
    with_client(|client| {
        let (mut dice, mut let_through) = (0x2545_F491u32, 0);
        let whole = module("gimbal.giotto");
        for round in 0..HARMED {
            let mut roll = |sides: usize| {
                dice ^= dice << 13;
                dice ^= dice >> 17;
                dice ^= dice << 5;
                dice as usize % sides
            };
            let (kind, at, by) = (round % 5, roll(whole.len()), 1 + roll(255) as u8);
            let kernel = &mut Kernel::at_once();
            client.open(kernel);
            let begin = Action::Begin {
                program: PROGRAM,
                length: whole.len() as u32,
                base: None,
            };
            let Came::Ticket(ticket) = client.ask(begin, kernel, |_| {}) else {
                continue;
            };
            let mut copy = [0; LARGEST];
            let bytes = copy.get_mut(..whole.len()).unwrap_or(&mut []);
            bytes.copy_from_slice(whole);
            if kind == 0
                && let Some(byte) = bytes.get_mut(at)
            {
                *byte ^= by;
            }
            let pieces = bytes.len().div_ceil(CHUNK);
            for (index, bytes) in bytes.chunks(CHUNK).enumerate() {
                let is_hit = index == at / CHUNK;
                let (offset, ticket) = match kind {
                    1 if is_hit => ((index + 1) % pieces, ticket),
                    2 if is_hit => (index, ticket.wrapping_sub(1)),
                    _ => (index, ticket),
                };
                let chunk = Action::Chunk {
                    ticket,
                    offset: (offset * CHUNK) as u32,
                    bytes,
                };
                if kind == 3 && is_hit {
                    break;
                }
                client.ask(chunk, kernel, |frame| {
                    let place = frame.get_mut(at % 16 + 1);
                    if let Some(byte) = place.filter(|_| kind == 4 && is_hit) {
                        *byte ^= by;
                    }
                });
            }
            let commit = Action::Commit {
                ticket,
                change: Change::Restart,
                signature: None,
            };
            let_through += u32::from(client.ask(commit, kernel, |_| {}) == Came::Done);
        }
        log!("harmed uploads: {HARMED}, let through: {let_through}");
        tell("after", Came::Done);
    });
}

/// Ends the run.
#[thread]
pub(crate) fn finish() {
    let _ = time::sleep_until(ms(1900));
    shutdown(0);
}

//! Makes the calls and compares the answers.

use giornata_rt::abi::call::Call;
use giornata_rt::{Error, call, log, thread};

use crate::law::{Caller, Promise, Rights, promise};
use crate::value::{LENGTHS, NO_CALLS, PLACES, Place, VALUES, places};

/// Wrong answers of one call that are told; more are counted only.
const MOST_TOLD: u32 = 4;
/// What the system file gives the sweeping thread.
const PRIORITY: u8 = 50;
const MAX_PRIORITY: usize = 100;

/// A sweep by one caller.
pub(crate) struct Sweep {
    rights: Rights,
    places: [Place; PLACES],
    tells: bool,
}

/// Answers of one call, counted: success, then by error code.
#[derive(Default)]
struct Tally {
    made: u32,
    answers: [u32; 8],
    wrong: u32,
}

impl Sweep {
    /// The sweep of a thread, which finds its ports and itself first.
    pub(crate) fn new(caller: Caller) -> Option<Sweep> {
        let own = thread::own().ok()?.0;
        let ports = (0..).find(|&port| probe(Call::ReadPort, port) == Some(Error::ESRCH))?;
        let granted = |call, port: &usize| probe(call, *port) != Some(Error::EPERM);
        let writable = (0..ports).find(|port| granted(Call::WritePort, port));
        let readable =
            (0..ports).find(|port| granted(Call::ReadPort, port) && Some(*port) != writable);
        let threads = (0..)
            .find(|&id| thread::set_priority(giornata_rt::Id(id), 255) == Err(Error::ESRCH))?;
        log!(
            "thread {own} of {threads}, reads port {readable:?} and writes {writable:?} of {ports}"
        );
        let rights = Rights {
            caller,
            ports,
            readable,
            writable,
            own,
            threads,
            max_priority: MAX_PRIORITY,
        };
        Some(Sweep {
            rights,
            places: places(),
            tells: true,
        })
    }

    /// The sweep of a caller that may not speak and is granted nothing. It
    /// leaves out what depends on counts that it cannot find.
    pub(crate) fn silent(caller: Caller) -> Sweep {
        let rights = Rights {
            caller,
            ports: 1,
            readable: None,
            writable: None,
            own: 0,
            threads: 1,
            max_priority: 0,
        };
        Sweep {
            rights,
            places: places(),
            tells: false,
        }
    }

    /// All calls; answers how many answers were wrong.
    pub(crate) fn all(&self) -> u32 {
        let calls: u32 = Call::ALL.iter().map(|&call| self.call(call)).sum();
        let numbers: u32 = NO_CALLS.iter().map(|&number| self.number(number)).sum();
        calls + numbers
    }

    fn call(&self, call: Call) -> u32 {
        let mut tally = Tally::default();
        match call {
            Call::ReadPort | Call::WritePort => self.ports(call, &mut tally),
            Call::SetPriority => self.priorities(&mut tally),
            _ => self.product(call as usize, &mut tally),
        }
        self.tell(call.signature(), &tally)
    }

    fn number(&self, number: usize) -> u32 {
        let mut tally = Tally::default();
        self.product(number, &mut tally);
        self.tell("no call", &tally)
    }

    /// All values in the first two registers, and a third that goes through them too.
    fn product(&self, number: usize, tally: &mut Tally) {
        for (index, &a) in VALUES.iter().enumerate() {
            for (offset, &b) in VALUES.iter().enumerate() {
                let c = VALUES[(index + offset) % VALUES.len()];
                self.check(number, [a, b, c], None, tally);
            }
        }
    }

    fn ports(&self, call: Call, tally: &mut Tally) {
        let known = [self.rights.readable, self.rights.writable]
            .into_iter()
            .flatten();
        let known = known.chain([self.rights.ports.wrapping_sub(1), self.rights.ports]);
        // A silent caller knows neither ports nor their count: any port will
        // do where the kind of caller decides.
        for port in known
            .chain(VALUES)
            .filter(|&port| self.tells || port == 0 || self.decided(call))
        {
            for place in self.places {
                for length in LENGTHS {
                    self.check(
                        call as usize,
                        [port, place.address, length],
                        Some(place),
                        tally,
                    );
                }
            }
        }
    }

    /// Whether the kind of caller decides what the call answers.
    fn decided(&self, call: Call) -> bool {
        promise(&self.rights, call as usize, &[usize::MAX; 3], None)
            == Promise::Refused(Error::EPERM)
    }

    fn priorities(&self, tally: &mut Tally) {
        let own = self.rights.own as usize;
        let threads = VALUES
            .into_iter()
            .chain([own, own | 1 << 16, own | 0xFFFF_0000]);
        for thread in threads {
            for priority in VALUES {
                for &serial in &VALUES[..4] {
                    let arguments = [thread, serial, priority];
                    self.check(Call::SetPriority as usize, arguments, None, tally);
                }
            }
        }
        if self.rights.caller == Caller::Thread {
            // Its own, and within its grant: not refused.
            let _ = thread::set_priority(giornata_rt::Id(self.rights.own), PRIORITY);
        }
    }

    /// Makes one call, if it comes back, and compares.
    fn check(&self, number: usize, arguments: [usize; 3], place: Option<Place>, tally: &mut Tally) {
        let promised = promise(&self.rights, number, &arguments, place);
        if promised == Promise::Apart {
            return;
        }
        let [a, b, c] = arguments;
        // SAFETY: where `read_port` may write lies a variable that nobody reads.
        let answer = unsafe { call::raw(number, [a, b, c, 0, 0, 0]) };
        tally.made += 1;
        if let Some(count) = tally.answers.get_mut(answer[0]) {
            *count += 1;
        }
        if !keeps(promised, answer) {
            tally.wrong += 1;
            if self.tells && tally.wrong <= MOST_TOLD {
                log!("call {number}({a:#x}, {b:#x}, {c:#x}) answered {answer:x?}");
            }
        }
    }

    fn tell(&self, name: &str, tally: &Tally) -> u32 {
        if self.tells {
            let [done, refused @ ..] = tally.answers;
            log!("{name}: {} calls, {done} done", tally.made);
            for (&error, &count) in Error::ALL
                .iter()
                .zip(&refused)
                .filter(|(_, count)| **count != 0)
            {
                log!("  {} {count}", error.name());
            }
            if tally.wrong != 0 {
                log!("  WRONG {}", tally.wrong);
            }
        }
        tally.wrong
    }
}

/// Whether an answer is the one promised; what it does not name is 0.
fn keeps(promised: Promise, answer: call::Registers) -> bool {
    match promised {
        Promise::Refused(error) => answer == [error as usize, 0, 0, 0, 0, 0],
        Promise::Done => answer == [0; 6],
        Promise::Results(count) => {
            answer[0] == 0 && answer[1 + count..].iter().all(|&word| word == 0)
        }
        Promise::Apart => true,
    }
}

/// The error of a call for a port at an address that nobody has, with a length that no port has.
fn probe(call: Call, port: usize) -> Option<Error> {
    // SAFETY: nothing lies at 0.
    let [code, ..] = unsafe { call::raw(call as usize, [port, 0, 0, 0, 0, 0]) };
    Error::from_code(code)
}

//! Differences between the recorded kernel and this one that are meant, each with its
//! reason and with what has to hold where the two part.
//!
//! A reason holds at the step at which the kernels part, or it explains nothing: from
//! there on they do different things, and nothing is compared.

use giornata_abi::Error;
use giornata_replay_logs::{self as logs, Call, Event, Kind, Occurrence, Record, Scenario};

use crate::circumstances::{self as at, Bits};
use crate::machine::Replay;

/// Where two kernels part.
#[derive(Debug)]
pub(crate) struct Parting<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) record: &'a Record,
    pub(crate) replay: &'a Replay,
    /// The step; one more than there are if only the states at the end differ.
    pub(crate) step: usize,
}

/// Why two kernels may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reason {
    /// KERNEL 2: a waiter keeps its place. A mutex that is given back is free until the
    /// turn of a waiter comes: who is more urgent, or does not wait, takes it before; who
    /// times out, changes its urgency or ends before its turn has not had it.
    Handover,
    /// KERNEL 2: a ceiling is a property of the owner. A waiter comes to it when its turn
    /// comes and it takes the mutex, not when the mutex is given back.
    Ceiling,
    /// KERNEL 2: a thread that waits for a condition is no link of a chain: who waits for
    /// a mutex of its hangs on it, and wakes with it.
    NestedWait,
    /// KERNEL 3: work that nobody called for is a thread with an urgency like any other.
    /// A process is torn down and restored at that, and more urgent threads come before.
    Teardown,
    /// KERNEL 3 and 7.6: the receiver copies a long message when its turn comes, and the
    /// message belongs to the sender's pool until then.
    BoundMessage,
    /// KERNEL 4: an instant that is due before a call is seen in the call, not before it;
    /// what is due at once is handled in the order of the agenda.
    Late,
    /// A line that has not come since the boot is not held back for its interval.
    FirstInterval,
    /// The interface: a wait names its mutex by the slot, so an id of before is the same
    /// as a mutex that the caller does not own.
    WaitBySlot,
    /// KERNEL 3: code is a thread with an urgency, a little above what it releases. While
    /// somebody as urgent runs, what falls due waits, with its instant. (Every log is
    /// replayed with code above all threads as well, as it was in the recorded kernel.)
    CodeUrgency,
    /// The execution time of a thread counts from the beginning of its life.
    CpuTime,
    /// KERNEL 2, equals: who asked first, among waiters and those ready.
    Equals,
    /// KERNEL 2: a server's urgency is two values, looked at when a message comes or goes.
    Server,
}

impl Reason {
    /// All, in the order in which they are looked at.
    pub(crate) const ALL: [Reason; 12] = [
        Reason::BoundMessage,
        Reason::WaitBySlot,
        Reason::CpuTime,
        Reason::FirstInterval,
        Reason::Handover,
        Reason::Ceiling,
        Reason::NestedWait,
        Reason::Teardown,
        Reason::Late,
        Reason::Equals,
        Reason::Server,
        Reason::CodeUrgency,
    ];

    /// The first that explains a difference.
    pub(crate) fn of(parting: &Parting<'_>) -> Option<Reason> {
        Reason::ALL
            .into_iter()
            .find(|reason| reason.explains(parting))
    }

    fn explains(self, parting: &Parting<'_>) -> bool {
        let touched = |kind| parting.is_touched(kind);
        match self {
            Reason::Handover => {
                touched(Kind::Handover)
                    && (parting.has(at::FREE_AND_WANTED)
                        || parting.returns(Some(Error::EOWNERDEAD), None)
                        || parting.is_about_deaths())
            }
            Reason::Ceiling => touched(Kind::Ceiling) && parting.has(at::CEILING),
            Reason::NestedWait => touched(Kind::NestedWait) && parting.has(at::NESTED_WAIT),
            // (what was given to a thread of it is seen later)
            Reason::Teardown => {
                parting.has(at::CHANGING)
                    || touched(Kind::Teardown) && parting.has_had(at::CHANGING)
            }
            Reason::BoundMessage => {
                parting.has(at::BOUND) && parting.returns(None, Some(Error::EAGAIN))
            }
            // (an act that was put back, or a budget used too late, may be seen later)
            Reason::Late => {
                parting.has(at::LATE)
                    || parting.has_had(at::LATE_LIMIT)
                    || touched(Kind::Late) && parting.has_had(at::PUT_BACK)
            }
            Reason::CodeUrgency => parting.has_had(at::CODE_WAITS),
            Reason::FirstInterval => parting.has(at::FIRST_INTERVAL),
            Reason::WaitBySlot => parting.returns(Some(Error::ESRCH), Some(Error::EPERM)),
            Reason::CpuTime => parting.is_about_cpu_time(),
            Reason::Equals => touched(Kind::Equals) && parting.has(at::EQUALS),
            Reason::Server => touched(Kind::Servers) && parting.has(at::SERVER),
        }
    }
}

impl Parting<'_> {
    fn has(&self, bits: Bits) -> bool {
        let last = self.replay.circumstances.len() - 1;
        self.replay.circumstances[self.step.min(last)] & bits != 0
    }

    /// The same of this step or one before.
    fn has_had(&self, bits: Bits) -> bool {
        let circumstances = &self.replay.circumstances;
        let steps = circumstances.len().min(self.step + 1);
        circumstances[..steps].iter().any(|step| step & bits != 0)
    }

    /// Whether the recorded kernel was in a state up to here that leaves this open.
    fn is_touched(&self, kind: Kind) -> bool {
        let mut touches = self.record.touches.iter();
        touches.any(|touch| touch.kind == kind && touch.step <= self.step)
    }

    /// Whether the only difference is at the end, whether the last owners of free mutexes
    /// have died.
    fn is_about_deaths(&self) -> bool {
        let without_deaths = |observation: &logs::Observation| {
            let mut end = observation.end.clone();
            for object in &mut end.objects {
                if let logs::ObjectState::Mutex(_, is_abandoned) = object {
                    *is_abandoned = false;
                }
            }
            (observation.steps.clone(), end)
        };
        without_deaths(&self.record.observation) == without_deaths(&self.replay.observation)
    }

    /// Whether the only difference is the execution time that a call returned, in a life
    /// that is not the first.
    fn is_about_cpu_time(&self) -> bool {
        let step = |observation: &logs::Observation| observation.steps.get(self.step).cloned();
        let steps = [&self.record.observation, &self.replay.observation].map(step);
        let [Some(there), Some(here)] = steps else {
            return false;
        };
        let is_call = matches!(
            self.scenario.events.get(self.step.wrapping_sub(1)),
            Some(Event::Call(Call::CpuTime))
        );
        let is_same = |(one, other): (&Occurrence, &Occurrence)| match (one, other) {
            (Occurrence::Returns(0, one), Occurrence::Returns(0, other)) => one[0] > other[0],
            (one, other) => one == other,
        };
        is_call && there.len() == here.len() && there.iter().zip(&here).all(is_same)
    }

    /// Whether a call returned one error there (none: success) and another one here.
    fn returns(&self, there: Option<Error>, here: Option<Error>) -> bool {
        let error = |observation: &logs::Observation| {
            let step = observation.steps.get(self.step)?;
            step.iter().find_map(|occurrence| match occurrence {
                Occurrence::Returns(error, _) => Some(*error),
                _ => None,
            })
        };
        let number = |error: Option<Error>| Some(error.map_or(0, |error| error as u8));
        error(&self.record.observation) == number(there)
            && error(&self.replay.observation) == number(here)
    }
}

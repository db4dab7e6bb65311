//! Evaluation of predicates: one meaning for triggers, timeouts and branches.

use giornata_abi::id::NONE;
use giornata_abi::system::ProgramEntry;
use giornata_abi::{Comparison, Instant, LogicalTime, Predicate, PredicateKind};

use crate::host::Host;
use crate::program::{pick, resolve};

/// What a predicate comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    True,
    False,
    /// This driver must be asked.
    Ask(u16),
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Truth {
        if holds { Truth::True } else { Truth::False }
    }
}

/// Against what a predicate is evaluated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    /// The latched clock.
    pub(crate) instant: Instant,
    /// The interrupt that came at this instant; NONE without one.
    pub(crate) interrupt: u16,
    /// Elapsed time counts from here.
    pub(crate) reference: LogicalTime,
    /// The port's state at activation, see [`state_of`].
    pub(crate) state: u64,
}

/// The predicate with this local index.
pub(crate) fn lookup<'a>(
    pool: &'a [Predicate],
    program: &ProgramEntry,
    local: u16,
) -> Option<&'a Predicate> {
    pick(pool, program.predicates, local)
}

/// The instant of an exact time; most are whole.
#[inline(always)]
pub(crate) fn round(time: LogicalTime, denominator: u32) -> Instant {
    match time.remainder {
        0 => Instant(time.nanos),
        _ => round_fraction(time, denominator),
    }
}

#[inline(never)]
fn round_fraction(time: LogicalTime, denominator: u32) -> Instant {
    time.rounded(denominator)
}

/// When `after` expires that counts from `reference`; exact.
#[inline(never)]
pub(crate) fn due(predicate: &Predicate, reference: LogicalTime, denominator: u32) -> LogicalTime {
    reference.plus(predicate.value, predicate.remainder, denominator)
}

/// The state of a predicate's port now: what is kept at activation. O(1).
pub(crate) fn state_of(
    host: &impl Host,
    links: &[u16],
    program: &ProgramEntry,
    predicate: &Predicate,
) -> u64 {
    let port = resolve(links, program.ports, predicate.subject);
    match predicate.kind() {
        Some(PredicateKind::Changed) if port != NONE => host.port_version(port) as u64,
        Some(PredicateKind::Activation) if port != NONE => order_key(host, port),
        _ => 0,
    }
}

/// Evaluates a predicate of `program`. What does not exist is false. O(1).
pub(crate) fn evaluate(
    host: &impl Host,
    links: &[u16],
    program: &ProgramEntry,
    predicate: &Predicate,
    moment: &Moment,
) -> Truth {
    use PredicateKind::*;
    let Some(kind) = predicate.kind() else {
        return Truth::False;
    };
    let range = match kind {
        True => return Truth::True,
        Never => return Truth::False,
        After => {
            let due = due(predicate, moment.reference, program.denominator);
            return (round(due, program.denominator) <= moment.instant).into();
        }
        Released | Completed => program.tasks,
        Changed | Constant | Activation => program.ports,
        Interrupt => program.interrupts,
        Message => program.mailboxes,
        Upcall => program.drivers,
    };
    let subject = resolve(links, range, predicate.subject);
    if subject == NONE {
        return Truth::False;
    }
    let holds = match kind {
        Released => host.is_released(subject),
        Completed => !host.is_released(subject),
        Changed => host.port_version(subject) as u64 != moment.state,
        Interrupt => subject == moment.interrupt,
        Message => host.has_message(subject),
        Upcall => return Truth::Ask(subject),
        _ => {
            let constant = host.port_type(subject).order_key(predicate.value);
            let right = if kind == Constant {
                constant
            } else {
                moment.state
            };
            let comparison = Comparison::from_code(predicate.comparison);
            comparison.is_some_and(|c| c.holds(order_key(host, subject), right))
        }
    };
    holds.into()
}

/// A port's value as a key whose order is the order of its type.
#[inline(never)]
fn order_key(host: &impl Host, port: u16) -> u64 {
    host.port_type(port).order_key(host.port_value(port))
}

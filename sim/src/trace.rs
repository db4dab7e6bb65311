//! Events as comparable vectors, without names: what tests of systems look at.

use giornata_abi::Instant;
use giornata_abi::ring::Words;
use giornata_abi::trace::Violation;
use giornata_trace::{Breach, Content, Event, Expansion, Piece};

/// A piece of a port's value, as the port trace has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortPiece {
    /// The logical instant.
    pub at: Instant,
    /// The port.
    pub port: u16,
    /// Byte offset of the piece.
    pub offset: u32,
    /// Its bytes.
    pub piece: Piece,
}

impl PortPiece {
    /// Its bytes as a number, little-endian.
    pub fn value(&self) -> u64 {
        let bytes = self.piece.bytes().iter().take(8).rev();
        bytes.fold(0, |value, byte| value << 8 | u64::from(*byte))
    }
}

/// All records since boot as events, of a timer of so many ticks a second.
pub fn events(records: &[Words], hertz: u32) -> Vec<Event> {
    let mut expansion = Expansion::new(hertz);
    let mut events = Vec::new();
    for (index, record) in (0..).zip(records) {
        expansion.push(index, *record, |event| events.push(event));
    }
    events
}

/// A `Port` event as a piece of the port trace.
pub fn port_piece(event: &Event) -> Option<PortPiece> {
    match event.content {
        Content::Port {
            port,
            offset,
            at,
            piece,
        } => Some(PortPiece {
            at,
            port,
            offset,
            piece,
        }),
        _ => None,
    }
}

/// The port trace: every write of a traced port, in order, by pieces.
pub fn ports(events: &[Event]) -> Vec<PortPiece> {
    events.iter().filter_map(port_piece).collect()
}

/// The violations.
pub fn violations(events: &[Event]) -> Vec<Breach> {
    let breach = |event: &Event| match event.content {
        Content::Violation(breach) => Some(breach),
        _ => None,
    };
    events.iter().filter_map(breach).collect()
}

/// Those of one kind.
pub fn violations_of(events: &[Event], wanted: Violation) -> Vec<Breach> {
    let mut violations = violations(events);
    violations.retain(|breach| breach.violation == Some(wanted));
    violations
}

/// Who ran when: thread (`None` is idle) and tick of each change.
pub fn switches(events: &[Event]) -> Vec<(u64, Option<u16>)> {
    let switch = |event: &Event| match event.content {
        Content::Switch { thread, .. } => Some((event.tick.0, thread)),
        _ => None,
    };
    events.iter().filter_map(switch).collect()
}

/// What one task's jobs come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskTotals {
    /// Jobs released.
    pub releases: u32,
    /// Jobs completed.
    pub completions: u32,
    /// Jobs completed after their deadlines.
    pub misses: u32,
    /// Longest time from logical release to completion, ns.
    pub worst_response: u64,
    /// Execution time of completed jobs, ns.
    pub execution: u64,
}

/// The totals of the task that this thread runs.
pub fn totals(events: &[Event], task: u16) -> TaskTotals {
    let mut totals = TaskTotals::default();
    let mut released = Instant::START;
    for event in events {
        match event.content {
            Content::Release { thread, at, .. } if thread == task => {
                totals.releases += 1;
                released = at;
            }
            Content::Complete {
                thread,
                at,
                execution,
                ..
            } if thread == task => {
                totals.completions += 1;
                totals.execution += execution.0;
                totals.worst_response = totals.worst_response.max(at.since(released).0);
            }
            Content::Miss { thread, .. } if thread == task => totals.misses += 1,
            _ => {}
        }
    }
    totals
}

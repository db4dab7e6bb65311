//! Records as comparable vectors, without names: what tests of the kernel
//! itself look at. Systems with a name map have richer views in the trace
//! crate, which reads the same records.

use giornata_abi::Instant;
use giornata_abi::trace::{TraceKind, TraceRecord, Violation};

/// A piece of a port's value, as the port trace has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PortPiece {
    /// The logical instant.
    pub at: Instant,
    /// The port.
    pub port: u16,
    /// Byte offset of the piece.
    pub offset: u32,
    /// Up to 8 bytes, little-endian.
    pub value: u64,
}

/// A decision of the kernel: a record without its stamp and measured times.
pub type Decision = (TraceKind, u16, u32, u64);

/// A violation: program, kind, whether handled, instant, task, driver.
pub type Breach = (u16, Violation, bool, Instant, u16, u16);

/// The records of one kind.
pub fn of_kind(records: &[TraceRecord], kind: TraceKind) -> impl Iterator<Item = &TraceRecord> {
    records
        .iter()
        .filter(move |record| record.kind == kind as u8)
}

/// The port trace: every write of a traced port, in order, by pieces.
pub fn ports(records: &[TraceRecord]) -> Vec<PortPiece> {
    of_kind(records, TraceKind::Port).map(port_piece).collect()
}

/// A `Port` record as a piece of the port trace.
pub fn port_piece(record: &TraceRecord) -> PortPiece {
    PortPiece {
        at: Instant(record.x),
        port: record.subject,
        offset: record.detail,
        value: record.y,
    }
}

/// The decision trace: switches, releases, completions, misses, violations,
/// upcalls, interrupts, faults and what became of processes.
pub fn decisions(records: &[TraceRecord]) -> Vec<Decision> {
    use TraceKind::*;
    let decided = [
        Switch, Release, Complete, Miss, Violation, Upcall, Interrupt, Fault, Process,
    ];
    let decision = |record: &TraceRecord| {
        let kind = TraceKind::from_code(record.kind)?;
        decided
            .contains(&kind)
            .then_some((kind, record.subject, record.detail, record.x))
    };
    records.iter().filter_map(decision).collect()
}

/// The physical trace: ticks with kind, subject and detail.
pub fn physical(records: &[TraceRecord]) -> Vec<(u64, u8, u16, u32)> {
    records
        .iter()
        .map(|r| (r.tick, r.kind, r.subject, r.detail))
        .collect()
}

/// The violations.
pub fn violations(records: &[TraceRecord]) -> Vec<Breach> {
    let breach = |record: &TraceRecord| {
        let kind = giornata_abi::trace::Violation::from_code(record.detail as u8)?;
        let (task, driver) = (record.y as u16, (record.y >> 16) as u16);
        let handled = record.detail >> 8 & 1 != 0;
        Some((
            record.subject,
            kind,
            handled,
            Instant(record.x),
            task,
            driver,
        ))
    };
    of_kind(records, TraceKind::Violation)
        .filter_map(breach)
        .collect()
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
pub fn totals(records: &[TraceRecord], thread: u16) -> TaskTotals {
    let mut totals = TaskTotals::default();
    let mut released = 0;
    for record in records.iter().filter(|r| r.subject == thread) {
        match TraceKind::from_code(record.kind) {
            Some(TraceKind::Release) => {
                totals.releases += 1;
                released = record.x;
            }
            Some(TraceKind::Complete) => {
                totals.completions += 1;
                totals.execution += record.y;
                totals.worst_response = totals.worst_response.max(record.x - released);
            }
            Some(TraceKind::Miss) => totals.misses += 1,
            _ => {}
        }
    }
    totals
}

/// Who ran when: thread (65535 = idle) and tick of each change, up to `until`.
pub fn switches(records: &[TraceRecord]) -> Vec<(u64, u16)> {
    of_kind(records, TraceKind::Switch)
        .map(|r| (r.tick, r.subject))
        .collect()
}

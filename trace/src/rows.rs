//! The rows of the tables that a finished run is told by, each once: for people as text, for
//! programs as fields of the same values.

use giornata_system::NameMap;
use giornata_system::names::ThreadRole;
use serde::Serialize;

use crate::narration::process_name;
use crate::notation::{percent, port_value};
use crate::statistics::Statistics;

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ThreadRow {
    /// Its name in the system file.
    pub thread: String,
    /// What it called itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub called: Option<String>,
    /// Its process.
    pub process: String,
    /// Jobs released; tasks only.
    pub released: Option<u64>,
    /// Deadlines missed; tasks only.
    pub missed: Option<u64>,
    /// The longest response in ns; tasks only.
    pub worst_ns: Option<u64>,
    /// The shortest relative deadline in ns, if it has had one.
    pub deadline_ns: Option<u64>,
    /// Its part of the processor in percent, to hundredths.
    pub load_percent: String,
}

/// A port that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PortRow {
    /// Its name.
    pub port: String,
    /// `sensor`, `actuator` and so on.
    pub kind: String,
    /// How often it was written.
    pub writes: u64,
    /// From the logical instant to the write, in ticks: least and most.
    pub lag_ticks: [u64; 2],
    /// The last value.
    pub last_value: String,
}

/// How a thread stood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StateRow {
    /// Its name, as `PROCESS/THREAD`.
    pub thread: String,
    /// A word for what it does.
    pub state: String,
    /// What it waits for, and until when; empty: nothing.
    #[serde(rename = "for")]
    pub about: String,
    /// When it was left, entered or released last, in ns.
    pub since_ns: Option<u64>,
    /// Bytes of its stack in use.
    pub stack_used: Option<u32>,
    /// Bytes of its stack.
    pub stack: u32,
    /// Restarts of its process.
    pub restarts: u32,
    /// Violations of its jobs.
    pub violations: u32,
    /// The function it is in, and the line; empty: not known.
    #[serde(rename = "where")]
    pub place: String,
}

/// A process of which there is something to tell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProcessRow {
    /// Its name.
    pub process: String,
    /// Times that it faulted, panicked or was ended.
    pub faults: u64,
    /// Times that it began anew.
    pub restarts: u64,
}

/// A row for each thread.
pub fn thread_rows(names: &NameMap, totals: &Statistics) -> Vec<ThreadRow> {
    let processor = totals.processor(totals.now);
    let elapsed = totals.elapsed().0;
    let all = names.threads.iter().zip(&totals.threads).zip(processor);
    all.map(|((thread, total), ran)| {
        let is_task = thread.role == ThreadRole::Task;
        ThreadRow {
            thread: thread.name.clone(),
            called: Some(total.called.clone()).filter(|called| !called.is_empty()),
            process: process_name(names, thread.process),
            released: is_task.then_some(total.releases),
            missed: is_task.then_some(total.misses),
            worst_ns: is_task.then_some(total.response.most),
            deadline_ns: Some(total.deadline).filter(|deadline| *deadline != 0),
            load_percent: percent(ran, elapsed),
        }
    })
    .collect()
}

/// A row for each port that was written.
pub fn port_rows(names: &NameMap, totals: &Statistics) -> Vec<PortRow> {
    let all = (0u16..).zip(names.ports.iter().zip(&totals.ports));
    let written = all.filter(|(_, (_, total))| total.writes != 0);
    written
        .map(|(index, (port, total))| PortRow {
            port: names.port(index).unwrap_or_default(),
            kind: port.kind.clone(),
            writes: total.writes,
            lag_ticks: [total.lag.least, total.lag.most],
            last_value: port_value(&total.value, port),
        })
        .collect()
}

/// A row for each process.
pub fn process_rows(names: &NameMap, totals: &Statistics) -> Vec<ProcessRow> {
    let all = names.processes.iter().zip(&totals.processes);
    all.map(|(process, total)| ProcessRow {
        process: process.name.clone(),
        faults: total.faults,
        restarts: total.restarts,
    })
    .collect()
}

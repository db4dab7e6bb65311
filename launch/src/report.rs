//! What a run came to: said to people as lines, and to programs as one JSON object, both made
//! of the same values.

use giornata_symbols::Symbols;
use giornata_system::NameMap;
use giornata_trace::{
    Found, PortRow, ProcessRow, StateRow, Statistics, ThreadRow, closing, port_rows, port_table,
    process_rows, state_table, thread_rows, thread_table,
};
use serde::Serialize;

use crate::Verdict;
use crate::flight::{Conclusion, Landing};

/// The report of a run.
#[derive(Clone, Debug, Serialize)]
pub struct RunReport {
    /// The system, as the last line calls it.
    pub system: String,
    /// The board.
    pub board: String,
    /// What was told while it ran: log, faults, violations and totals by the second.
    pub events: Vec<String>,
    /// The threads.
    pub threads: Vec<ThreadRow>,
    /// The ports that were written.
    pub ports: Vec<PortRow>,
    /// The processes.
    pub processes: Vec<ProcessRow>,
    /// What happened that `expect` has a word for.
    pub findings: Vec<Found>,
    /// What was expected and did not happen.
    pub unmet: Vec<String>,
    /// What was expected and happened, with how often.
    pub expected: Vec<(String, u64)>,
    /// The lines that say why the verdict is as it is, with how to mend it.
    pub reasons: Vec<String>,
    /// How threads stood at the end: all of them if that was asked for, else those that did
    /// not get on; `None` if the machine did not tell.
    pub states: Option<Vec<StateRow>>,
    /// Virtual time in ns.
    pub virtual_ns: u64,
    /// Jobs released.
    pub releases: u64,
    /// Deadlines missed.
    pub missed: u64,
    /// Violations.
    pub violations: u64,
    /// Records of the trace that were lost.
    pub lost: u64,
    /// The status of the machine; `None` if the run was broken off.
    pub status: Option<i32>,
    /// What the last line says behind the name of the system.
    pub result: String,
    /// The last line.
    pub closing: String,
    /// The exit code.
    #[serde(skip)]
    pub verdict: Verdict,
}

impl RunReport {
    /// The report of a machine that has stopped. `tasks`: how all threads stand is told.
    pub fn of(
        (title, names, symbols): (&str, &NameMap, &Symbols),
        landing: &Landing,
        tasks: bool,
    ) -> RunReport {
        let Conclusion {
            word,
            verdict,
            mut reasons,
            concerned,
            found,
            unmet,
            expected,
        } = landing.conclude(symbols);
        if tasks && landing.standing.is_none() {
            reasons.push(
                "the machine did not tell how its threads stand: `trace-console = false` keeps \
                 it from that, and so does a kernel that trapped"
                    .into(),
            );
        }
        let only = if tasks { &[][..] } else { &concerned };
        let is_told = tasks || !concerned.is_empty();
        let states = is_told
            .then(|| landing.states(names, symbols, only))
            .flatten();
        RunReport {
            findings: found,
            unmet,
            expected,
            reasons,
            states,
            lost: landing.damage.lost,
            status: Some(landing.status),
            verdict,
            ..RunReport::ended(title, names, &landing.totals, &word)
        }
    }

    /// The report of a run that was broken off.
    pub fn interrupted(title: &str, names: &NameMap, totals: &Statistics) -> RunReport {
        RunReport::ended(title, names, totals, "interrupted")
    }

    fn ended(title: &str, names: &NameMap, totals: &Statistics, result: &str) -> RunReport {
        RunReport {
            system: title.into(),
            board: names.board.clone(),
            events: Vec::new(),
            threads: thread_rows(names, totals),
            ports: port_rows(names, totals),
            processes: process_rows(names, totals),
            findings: Vec::new(),
            unmet: Vec::new(),
            expected: Vec::new(),
            reasons: Vec::new(),
            states: None,
            virtual_ns: totals.instant().0,
            releases: totals.releases(),
            missed: totals.misses(),
            violations: totals.violations,
            lost: 0,
            status: None,
            result: result.into(),
            closing: closing(title, result, totals),
            verdict: Verdict::Unknown,
        }
    }

    /// The tables of threads and ports, a line each.
    pub fn tables(&self) -> Vec<String> {
        let mut lines = thread_table(&self.threads);
        lines.extend(port_table(&self.ports));
        lines
    }

    /// What is said below the tables: why, how threads stand, and the last line.
    pub fn last_words(&self) -> Vec<String> {
        let reasons = self.reasons.iter();
        let mut lines: Vec<String> = reasons
            .map(|reason| format!("{}: {reason}", self.system))
            .collect();
        if let Some(states) = &self.states {
            lines.extend(state_table(states));
        }
        lines.push(self.closing.clone());
        lines
    }
}

#[cfg(test)]
mod tests;

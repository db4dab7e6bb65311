//! What the trace has lost of the ends of processes: the kernel has counted them, and kept
//! the first of each process.

use giornata_system::expect::{Kind, Subject};

use super::{Judge, end_of};
use crate::standing::{ProcessStanding, Standing};
use crate::verdict::finding::Finding;

impl Judge {
    /// Counts the ends and restarts of processes that the kernel knows of and the trace does
    /// not, as those of what came first.
    pub(super) fn count_lost(&mut self, standing: Option<&Standing>) {
        let processes = standing.map_or(&[][..], |standing| &standing.processes);
        for (process, own) in (0u16..).zip(processes) {
            self.count_lost_of(process, own);
        }
    }

    fn count_lost_of(&mut self, process: u16, own: &ProcessStanding) {
        let Some(first) = &own.first else {
            return;
        };
        let subject = Subject::Process(process);
        let is_end = |f: &&Finding| {
            f.subject == subject && matches!(f.kind, Kind::Fault | Kind::Panic | Kind::Stop)
        };
        let known = self.findings.iter().filter(is_end);
        let (ends, restarts) = known.fold((0, 0), |(ends, restarts), finding| {
            // (that it was needed before it was started is no end)
            let is_one = finding.kind != Kind::Stop || finding.fault.is_some();
            let count = if is_one { finding.count } else { 0 };
            (ends + count, restarts + finding.restarts)
        });
        let lost = u64::from(own.ends).saturating_sub(ends);
        if lost == 0 {
            return;
        }
        let (kind, place) = end_of(first.cause, (first.code, first.pc, first.address));
        let at = self.base.instant(first.tick);
        let index = self.find(kind, subject, place, at);
        let finding = &mut self.findings[index];
        finding.count += lost;
        finding.first = finding.first.min(at);
        finding.fault = Some(first.clone());
        // (its first start by its supervisor is none)
        let begins = self.names.processes.get(usize::from(process));
        let starts = u64::from(begins.is_some_and(|process| process.by_call));
        let restarted = u64::from(own.restarts).saturating_sub(starts);
        finding.restarts += restarted.saturating_sub(restarts);
        if restarted > 0 && !self.turns.contains(&(Kind::Restart, subject)) {
            self.turns.push((Kind::Restart, subject));
        }
    }
}

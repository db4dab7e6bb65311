//! Findings about threads that do not get on.

use giornata_abi::Ticks;
use giornata_system::expect::{Kind, Subject};

use super::Judge;
use crate::standing::Standing;
use crate::verdict::blocked;
use crate::verdict::finding::Finding;
use crate::verdict::occupancy::Waiting;

impl Judge {
    /// Threads that wait for a mutex for at least the last half of the run.
    pub(super) fn count_blocked(&mut self, now: Ticks, standing: Option<&Standing>) {
        let Some(standing) = standing else {
            return;
        };
        for blocked in blocked::blocked(standing, &self.occupancy, now, &self.names) {
            let at = self.base.instant(blocked.since);
            let subject = Subject::Thread(blocked.thread);
            let index = self.find(Kind::Blocked, subject, (0, 0), at);
            let finding = &mut self.findings[index];
            finding.count = 1;
            finding.other = Some(blocked.owner);
            finding.mutex = Some(blocked.mutex);
        }
    }

    /// Threads that did not get the processor.
    pub(super) fn count_waiting(&mut self, now: Ticks) {
        for waiting in self.occupancy.waiting(now, &self.names) {
            let at = self.base.instant(waiting.since);
            let subject = Subject::Thread(waiting.thread);
            // (what it waits for is known better)
            let is_blocked = |f: &Finding| (f.kind, f.subject) == (Kind::Blocked, subject);
            if self.findings.iter().any(is_blocked) || self.is_over(waiting) {
                continue;
            }
            let index = self.find(waiting.kind, subject, (0, 0), at);
            self.findings[index].count = 1;
            self.findings[index].other = waiting.other;
        }
    }

    /// Whether a thread did not run only because a thread that had work to do stopped the
    /// machine when it was done, or because it would have sent the trace, which the kernel
    /// has sent at the end instead.
    fn is_over(&self, waiting: Waiting) -> bool {
        let Some(ended_by) = self.ended_by else {
            return false;
        };
        let thread = self.names.threads.get(usize::from(waiting.thread));
        let process = thread.and_then(|t| self.names.processes.get(usize::from(t.process)));
        waiting.other == Some(ended_by) || process.is_some_and(|process| process.reads_trace)
    }
}

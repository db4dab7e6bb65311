//! From events to findings, and from findings to a judgement.

use giornata_abi::time::Timebase;
use giornata_abi::trace::{FaultCause, Violation};
use giornata_abi::{Duration, Instant, Ticks};
use giornata_symbols::Symbols;
use giornata_system::NameMap;
use giornata_system::expect::{Expectation, Kind, Subject};
use giornata_system::names::ProcessName;
use serde::Serialize;

use super::finding::{Finding, Place};
use super::lateness::Lateness;
use super::occupancy::Occupancy;
use super::wording;
use crate::event::{Breach, Content, Event};
use crate::fault::{Fault, clean};
use crate::message::{Assembly, Message};
use crate::standing::Standing;

/// The job of a task that is under way, or was last.
#[derive(Clone, Copy, Debug, Default)]
struct Job {
    number: u32,
    released: Option<Instant>,
    /// Ticks that its thread had run by its release.
    before: u64,
    /// The finding about its being late.
    late: Option<usize>,
}

/// Watches a run.
#[derive(Clone, Debug)]
pub struct Judge {
    names: NameMap,
    base: Timebase,
    messages: Assembly,
    occupancy: Occupancy,
    findings: Vec<Finding>,
    /// By process: the finding that ended it, until it lives again.
    ended: Vec<Option<usize>>,
    /// What processes went through, whatever led to it: for what was expected.
    turns: Vec<(Kind, Subject)>,
    /// By thread.
    jobs: Vec<Job>,
    /// By thread: ticks on a processor, without the present turn.
    ran: Vec<u64>,
    running: Option<(u16, Ticks)>,
    lateness: Lateness,
    /// The thread that stopped the machine with status 0, if one did.
    ended_by: Option<u16>,
}

/// Something that happened in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Found {
    /// Its kind, as in `expect`.
    pub kind: &'static str,
    /// What it happened to, as in `expect`.
    pub name: String,
    /// The thread that was in the way, if one was.
    pub by: Option<String>,
    /// How often.
    pub count: u64,
    /// When first, in ns.
    pub first_ns: u64,
    /// Whether it was expected.
    pub expected: bool,
    /// What happened, where, and what mends it.
    pub text: String,
}

/// What came of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    /// What happened and was not expected, as one would expect it: `overrun:control`; of a
    /// thread that did not get the processor or a mutex with who had that:
    /// `starved:poll by spin`.
    pub unexpected: Vec<String>,
    /// The threads that this happened to or because of, of those that did not get on.
    pub concerned: Vec<u16>,
    /// One line for each: what, how often, and what mends it.
    pub reasons: Vec<String>,
    /// What was expected and did not happen.
    pub unmet: Vec<String>,
    /// What was expected and happened, with how often.
    pub expected: Vec<(String, u64)>,
    /// All that happened, expected or not.
    pub found: Vec<Found>,
}

impl Judge {
    /// Nothing seen yet of a system.
    pub fn new(names: &NameMap) -> Judge {
        Judge {
            base: Timebase::new(names.timer_hertz),
            messages: Assembly::new(names),
            occupancy: Occupancy::new(names),
            findings: Vec::new(),
            ended: vec![None; names.processes.len()],
            turns: Vec::new(),
            jobs: vec![Job::default(); names.threads.len()],
            ran: vec![0; names.threads.len()],
            running: None,
            lateness: Lateness::new(names),
            ended_by: None,
            names: names.clone(),
        }
    }

    /// Adds an event. O(findings) where something goes wrong, O(threads) where a process
    /// begins or ends, else O(1).
    pub fn observe(&mut self, event: &Event) {
        self.occupancy.observe(event, &self.names);
        let mut faults = Vec::new();
        self.messages.push(event, |_, message| faults.push(message));
        faults.into_iter().for_each(|fault| self.explain(fault));
        if let Some(late) = self.lateness.observe(event, &self.names) {
            let subject = Subject::Program(late.program);
            let index = self.find(Kind::Late, subject, (0, 0), self.base.instant(event.tick));
            let finding = &mut self.findings[index];
            finding.count_at(late.at);
            if late.lag > finding.worst {
                finding.worst = late.lag;
                finding.other = late.instead;
            }
        }
        match &event.content {
            Content::Switch { thread, .. } => self.switch(event.tick, *thread),
            Content::Name { thread, text } => {
                if let Some(named) = self.names.threads.get_mut(usize::from(*thread)) {
                    named.called = clean(text);
                }
            }
            Content::Release {
                thread, job, at, ..
            } => {
                let before = self.ran_until(*thread, event.tick);
                if let Some(open) = self.jobs.get_mut(usize::from(*thread)) {
                    *open = Job {
                        number: *job,
                        released: Some(*at),
                        before,
                        late: None,
                    };
                }
            }
            Content::Complete { thread, at, .. } => self.complete(*thread, *at),
            Content::Miss { thread, job, .. } => self.miss(event, *thread, *job),
            Content::Violation(breach) => self.violation(event, breach),
            Content::Fault {
                process,
                cause,
                code,
                pc,
                address,
                ..
            } => self.fault(event, *process, *cause, (*code, *pc, *address)),
            Content::Process {
                process, restarted, ..
            } => self.turn(event, *process, *restarted),
            Content::Stop { status: 0 } => {
                let stop_at = self.names.stop_at;
                let is_early = stop_at == 0 || event.tick < self.base.ticks(Instant(stop_at));
                self.ended_by = self.running().filter(|_| is_early);
            }
            _ => {}
        }
    }

    /// What was expected of the whole run, beside what the system file says; `status` is
    /// that of the machine.
    ///
    /// `is_whole`: the trace tells all. Of a trace that does not, nothing is said to have
    /// stayed away, and nobody to have waited.
    /// `symbols`: what addresses are called; without it they are told as numbers.
    /// `standing`: how threads stood when the machine stopped; without it nobody is said to
    /// have waited for a mutex.
    pub fn conclude(
        &self,
        now: Ticks,
        status: i32,
        is_whole: bool,
        (symbols, standing): (Option<&Symbols>, Option<&Standing>),
    ) -> Judgement {
        let mut whole = self.clone();
        let mut faults = Vec::new();
        whole.messages.flush(&mut |_, message| faults.push(message));
        faults.into_iter().for_each(|fault| whole.explain(fault));
        whole.count_lost(standing);
        if is_whole {
            whole.count_blocked(now, standing);
            whole.count_waiting(now);
        }
        whole.count_status(now, status);
        whole.judge(now, is_whole, (symbols, standing))
    }

    /// The thread that runs, as far as it has a name.
    pub fn running(&self) -> Option<u16> {
        self.running.map(|(thread, _)| thread)
    }

    /// When a thread was entered, left or released last.
    pub fn since(&self, thread: u16) -> Option<Ticks> {
        self.occupancy.since(thread)
    }

    /// Whether a task has a job that was released and has not ended.
    pub fn has_job(&self, thread: u16) -> bool {
        self.occupancy.has_job(thread)
    }

    fn switch(&mut self, tick: Ticks, next: Option<u16>) {
        if let Some((left, since)) = std::mem::replace(&mut self.running, next.map(|n| (n, tick)))
            && let Some(ran) = self.ran.get_mut(usize::from(left))
        {
            *ran = ran.saturating_add(tick.0.saturating_sub(since.0));
        }
    }

    fn ran_until(&self, thread: u16, tick: Ticks) -> u64 {
        let turn = match self.running {
            Some((running, since)) if running == thread => tick.0.saturating_sub(since.0),
            _ => 0,
        };
        let ran = self.ran.get(usize::from(thread)).copied().unwrap_or(0);
        ran.saturating_add(turn)
    }

    /// The finding of this cause, made if it is the first.
    fn find(&mut self, kind: Kind, subject: Subject, place: Place, at: Instant) -> usize {
        let same = |f: &Finding| (f.kind, f.subject, f.place) == (kind, subject, place);
        if let Some(index) = self.findings.iter().position(same) {
            return index;
        }
        let finding = Finding {
            place,
            ..Finding::new(kind, subject, at)
        };
        self.findings.push(finding);
        self.findings.len() - 1
    }

    /// A job that was late has ended after all.
    fn complete(&mut self, thread: u16, at: Instant) {
        if let Some(job) = self.jobs.get(usize::from(thread))
            && let (Some(late), Some(released)) = (job.late, job.released)
        {
            let worst = &mut self.findings[late].worst;
            *worst = (*worst).max(at.since(released));
        }
    }

    /// A job completed late; nothing new if a driver or a release has met it.
    fn miss(&mut self, event: &Event, thread: u16, number: u32) {
        let at = self.base.instant(event.tick);
        let known = self.jobs.get(usize::from(thread)).copied();
        let known = known.filter(|job| job.number == number);
        let late = known.and_then(|job| job.late);
        let index = late.unwrap_or_else(|| {
            let index = self.find(Kind::Miss, Subject::Thread(thread), (0, 0), at);
            self.findings[index].count += 1;
            index
        });
        let finding = &mut self.findings[index];
        finding.late += 1;
        if let Some(released) = known.and_then(|job| job.released) {
            finding.worst = finding.worst.max(at.since(released));
        }
    }

    fn violation(&mut self, event: &Event, breach: &Breach) {
        let at = self.base.instant(event.tick);
        let subject = match (breach.task, breach.driver) {
            (Some(thread), _) => Subject::Thread(thread),
            (None, Some(driver)) => Subject::Driver(driver),
            (None, None) => Subject::Program(breach.program),
        };
        let kind = match breach.violation {
            Some(Violation::TimeSafety) => Kind::TimeSafety,
            Some(Violation::TimeShare) => Kind::TimeShare,
            Some(Violation::Overrun) => Kind::Overrun,
            Some(Violation::Fault) => return self.skip(subject, at),
            // (of a newer kernel: the totals count it)
            None => return,
        };
        let index = self.find(kind, subject, (0, 0), at);
        let mut ran = Duration(0);
        if let Some(thread) = breach.task {
            let spent = self.ran_until(thread, event.tick);
            if let Some(job) = self.jobs.get_mut(usize::from(thread)) {
                let ticks = Ticks(spent.saturating_sub(job.before));
                ran = Duration(self.base.instant(ticks).0);
                if kind == Kind::TimeSafety {
                    job.late = Some(index);
                }
                if kind == Kind::Overrun
                    && let (Some(late), Some(released)) = (job.late, job.released)
                {
                    // (stopped: this long it took at least)
                    let worst = &mut self.findings[late].worst;
                    *worst = (*worst).max(at.since(released));
                }
            }
        }
        let finding = &mut self.findings[index];
        finding.handled += u64::from(breach.handled);
        match kind {
            Kind::TimeSafety => finding.count_at(breach.at),
            _ => finding.count += 1,
        }
        if kind == Kind::Overrun {
            finding.worst = finding.worst.max(ran);
        }
    }

    /// A job was stopped, or a driver not called, because its process had ended.
    fn skip(&mut self, subject: Subject, at: Instant) {
        let process = match subject {
            Subject::Thread(thread) => {
                let thread = self.names.threads.get(usize::from(thread));
                thread.map(|thread| thread.process)
            }
            Subject::Driver(driver) => {
                let driver = self.names.drivers.get(usize::from(driver));
                driver.and_then(|driver| driver.process)
            }
            _ => None,
        };
        let Some(process) = process else {
            return;
        };
        let ended = self.ended.get(usize::from(process)).copied().flatten();
        let index = ended.unwrap_or_else(|| {
            // a process that its supervisor has not started
            let index = self.find(Kind::Stop, Subject::Process(process), (0, 0), at);
            self.findings[index].count = self.findings[index].count.max(1);
            index
        });
        self.findings[index].skipped += 1;
    }

    fn fault(
        &mut self,
        event: &Event,
        process: u16,
        cause: Option<FaultCause>,
        (code, pc, address): (u32, u64, u64),
    ) {
        let (kind, place) = end_of(cause, (code, pc, address));
        let at = self.base.instant(event.tick);
        let index = self.find(kind, Subject::Process(process), place, at);
        self.findings[index].count += 1;
        if let Some(ended) = self.ended.get_mut(usize::from(process)) {
            *ended = Some(index);
        }
    }

    /// What is told of a fault, which comes behind it. A panic that tells another place
    /// or message is another cause, though it was made by the same call of the kernel.
    fn explain(&mut self, message: Message) {
        let Message::Fault(fault) = message else {
            return;
        };
        let process = usize::from(fault.process);
        let Some(index) = self.ended.get(process).copied().flatten() else {
            return;
        };
        let finding = &mut self.findings[index];
        let first = finding.fault.get_or_insert_with(|| fault.clone());
        if first.is_same_panic(&fault) {
            return;
        }
        finding.count -= 1;
        let kind = finding.kind;
        let same = |f: &Finding| {
            let of = |known: &Fault| known.process == fault.process && known.is_same_panic(&fault);
            f.kind == kind && f.fault.as_ref().is_some_and(of)
        };
        let other = self.findings.iter().position(same);
        let other = other.unwrap_or_else(|| {
            let own = &self.findings[index];
            let mut finding = Finding::new(kind, own.subject, self.base.instant(fault.tick));
            finding.fault = Some(fault);
            self.findings.push(finding);
            self.findings.len() - 1
        });
        self.findings[other].count += 1;
        self.ended[process] = Some(other);
    }

    /// A process stays away, or lives again.
    fn turn(&mut self, event: &Event, process: u16, restarted: bool) {
        let (subject, at) = (Subject::Process(process), self.base.instant(event.tick));
        let Some(ended) = self.ended.get_mut(usize::from(process)) else {
            return;
        };
        let cause = if restarted { ended.take() } else { *ended };
        let kind = if restarted { Kind::Restart } else { Kind::Stop };
        match cause {
            Some(index) if restarted => self.findings[index].restarts += 1,
            Some(index) => self.findings[index].stops += 1,
            // its supervisor starts it
            None if restarted => return,
            None => {
                let index = self.find(kind, subject, (0, 0), at);
                self.findings[index].count += 1;
                self.ended[usize::from(process)] = Some(index);
            }
        }
        if !self.turns.contains(&(kind, subject)) {
            self.turns.push((kind, subject));
        }
    }

    /// An exit status; not if it is that of a process whose fault halts the machine.
    fn count_status(&mut self, now: Ticks, status: i32) {
        let halts = |(index, ended): (usize, &Option<usize>)| {
            let process = self.names.processes.get(index);
            let halts = |process: &ProcessName| {
                process.on_fault == "halt" || process.restart.is_some_and(|rule| rule.halts)
            };
            ended.is_some() && process.is_some_and(halts)
        };
        if status != 0 && !self.ended.iter().enumerate().any(halts) {
            let at = self.base.instant(now);
            let index = self.find(Kind::Status, Subject::Status(status), (0, 0), at);
            self.findings[index].count = 1;
        }
    }

    fn judge(
        &self,
        now: Ticks,
        is_whole: bool,
        (symbols, standing): (Option<&Symbols>, Option<&Standing>),
    ) -> Judgement {
        let names = &self.names;
        let expectations: Vec<Expectation> =
            names.expect.iter().filter_map(|e| e.parse().ok()).collect();
        let mut judgement = Judgement::default();
        let mut expected: Vec<(String, u64)> = Vec::new();
        for finding in &self.findings {
            let (kind, subject) = (finding.kind, finding.subject);
            let title = format!("{}:{}", kind.name(), subject.name(kind, names));
            let is_meant = |e: &Expectation| e.covers(kind, subject, names);
            let is_expected = expectations.iter().any(is_meant);
            let end = self.base.instant(now);
            let text = wording::sentence(finding, (names, symbols, standing), end);
            let by = finding
                .other
                .map(|other| Subject::Thread(other).name(Kind::NeverRun, names));
            judgement.found.push(Found {
                kind: kind.name(),
                name: subject.name(kind, names),
                by: by.clone(),
                count: finding.count,
                first_ns: finding.first.0,
                expected: is_expected,
                text: text.clone(),
            });
            if is_expected {
                match expected.iter_mut().find(|(other, _)| *other == title) {
                    Some((_, count)) => *count += finding.count,
                    None => expected.push((title, finding.count)),
                }
                continue;
            }
            if let (Some(other), Subject::Thread(thread)) = (finding.other, subject) {
                judgement.concerned.extend([thread, other]);
            }
            let title = match by {
                Some(other) => format!("{title} by {other}"),
                None => title,
            };
            if !judgement.unexpected.contains(&title) {
                judgement.unexpected.push(title);
            }
            judgement.reasons.push(text);
        }
        judgement.expected = expected;
        if is_whole {
            let came = |e: &&Expectation| {
                let mut findings = self.findings.iter().map(|f| (f.kind, f.subject));
                let mut turns = self.turns.iter().copied();
                !findings.any(|(kind, subject)| e.covers(kind, subject, names))
                    && !turns.any(|(kind, subject)| e.covers(kind, subject, names))
            };
            // (a bound is nothing that has to happen)
            let stated = expectations.iter().filter(|e| e.bound().is_none());
            let unmet = stated.filter(came);
            judgement.unmet = unmet.map(ToString::to_string).collect();
        }
        judgement
    }
}

/// What a process that ends is found to have done, and what tells it apart from others of
/// the kind.
fn end_of(cause: Option<FaultCause>, (code, pc, address): (u32, u64, u64)) -> (Kind, Place) {
    match cause {
        // (pc: the message, address: the line)
        Some(FaultCause::Panic) => (Kind::Panic, (address as u32, pc)),
        Some(FaultCause::Killed) => (Kind::Stop, (0, 0)),
        _ => (Kind::Fault, (code, pc)),
    }
}

mod lost;
mod waiting;

#[cfg(test)]
mod tests;

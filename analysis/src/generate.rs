//! S code from schedules.
//!
//! A block for each interval between releases: the jobs that run in it, in
//! order, then a wait for the next release. A job that the interval does not
//! see complete is dispatched until then, any other to its completion. This is
//! the form of the paper's listings (Figures 3 and 4), and it makes S code
//! *sustainable*: which block runs when depends on releases only, and within a
//! block the order is fixed, so jobs that need less complete no later.
//!
//! The wait is for a task of the next release whose earlier job has completed
//! by then: of several the one with the longest deadline.

use giornata_abi::{Duration, Instant};

use crate::ecode::ECode;
use crate::job::{Breach, Job, Segment};
use crate::nonpreemptive;
use crate::program::{NotAnalysable, Program};
use crate::round::{Interval, Round};
use crate::scan::SThreads;
use crate::scode::{SCode, SInstruction, Wait};
use crate::timeline::Witness;
use crate::times::Times;
use crate::walk::{Strategy, Verdict, Walked, by_rate, run_in_order, walk};

/// How S code schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The earliest-deadline-first schedule of one round.
    EarliestDeadline,
    /// The same reordered so that no job preempts another.
    NonPreemptive,
    /// All tasks by decreasing rate at each release.
    RateMonotonic,
    /// Every released job completes before the next release.
    Synchronous,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 4] = [
        Kind::EarliestDeadline,
        Kind::NonPreemptive,
        Kind::RateMonotonic,
        Kind::Synchronous,
    ];

    /// What commands and system files call it.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::EarliestDeadline => "edf",
            Kind::NonPreemptive => "edf-nonpreemptive",
            Kind::RateMonotonic => "rm",
            Kind::Synchronous => "synchronous",
        }
    }

    /// The kind of this name.
    pub fn of_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Why there is no S code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoSCode {
    /// The schedule does not exist; this run shows where it fails.
    Infeasible(Witness),
    /// More states or orders than are followed.
    Unknown {
        /// How many are followed.
        limit: usize,
    },
    /// The schedule of one round is that of a program without mode switches.
    SwitchesModes,
}

/// Generates S code. With `complete`, blocks also dispatch jobs that in the
/// worst case have completed before or not begun yet: the code then never
/// idles while a job waits, and serves jobs that exceed their times as well.
///
/// # Errors
/// That there is none, and why.
pub fn generate(
    program: &Program,
    code: &ECode,
    times: &Times,
    kind: Kind,
    complete: bool,
) -> Result<SCode, NoSCode> {
    match kind {
        Kind::EarliestDeadline => {
            let round = scheduled_round(program, code, times)?;
            let plans = plans(&round, complete);
            Ok(blocks(&round, &plans))
        }
        Kind::NonPreemptive => {
            let mut round = pattern(program, code)?;
            nonpreemptive::order(&mut round, times)?;
            Ok(blocks(&round, &plans(&round, false)))
        }
        Kind::Synchronous => {
            let mut round = pattern(program, code)?;
            synchronise(&mut round, times)?;
            Ok(blocks(&round, &plans(&round, false)))
        }
        Kind::RateMonotonic => {
            decide(walk(program, code, times, Strategy::RateMonotonic))?;
            Ok(reused(program, code))
        }
    }
}

/// The tasks that E code releases and no S code dispatches, by decreasing rate.
///
/// # Errors
/// S code that is beyond the analysis, with its place.
pub fn lacking(program: &Program, code: &ECode) -> Result<Vec<u16>, NotAnalysable> {
    let threads = SThreads::of(program, code)?;
    let mut tasks = by_rate(code);
    tasks.retain(|task| !threads.dispatched().contains(task));
    Ok(tasks)
}

/// Whether a program's jobs can run without preempting each other; a program
/// that switches modes is not decided.
pub fn walk_without_preemption(program: &Program, code: &ECode, times: &Times) -> Walked {
    let nothing = Times::from_list(vec![Duration::ZERO; program.tasks.len()]);
    let mut walked = walk(program, code, &nothing, Strategy::EarliestDeadline);
    let mut round = Round::of(&walked);
    let ordered = match code.is_single_mode() {
        true => nonpreemptive::order(&mut round, times),
        false => Err(NoSCode::SwitchesModes),
    };
    walked.tasks = vec![None; program.tasks.len()];
    walked.verdict = match ordered {
        Ok(()) => {
            round.note_figures(&mut walked.tasks);
            Verdict::Schedulable
        }
        Err(NoSCode::Infeasible(witness)) => Verdict::NotSchedulable(witness),
        Err(NoSCode::Unknown { limit }) => Verdict::Unknown { limit },
        Err(NoSCode::SwitchesModes) => Verdict::Unknown {
            limit: walked.states,
        },
    };
    walked
}

/// The earliest-deadline-first schedule of a program without modes.
pub(crate) fn scheduled_round(
    program: &Program,
    code: &ECode,
    times: &Times,
) -> Result<Round, NoSCode> {
    walked(program, code, times, Strategy::EarliestDeadlineThenRate)
}

/// The release pattern of a program without modes; nobody runs in it.
pub(crate) fn pattern(program: &Program, code: &ECode) -> Result<Round, NoSCode> {
    let nothing = Times::from_list(vec![Duration::ZERO; program.tasks.len()]);
    walked(program, code, &nothing, Strategy::EarliestDeadline)
}

fn walked(
    program: &Program,
    code: &ECode,
    times: &Times,
    strategy: Strategy,
) -> Result<Round, NoSCode> {
    if !code.is_single_mode() {
        return Err(NoSCode::SwitchesModes);
    }
    Ok(Round::of(&decide(walk(program, code, times, strategy))?))
}

fn decide(walked: Walked) -> Result<Walked, NoSCode> {
    match walked.verdict {
        Verdict::Schedulable => Ok(walked),
        Verdict::NotSchedulable(witness) => Err(NoSCode::Infeasible(witness)),
        Verdict::Unknown { limit } => Err(NoSCode::Unknown { limit }),
    }
}

/// Runs what each release brings, earliest deadline first, before the next.
fn synchronise(round: &mut Round, times: &Times) -> Result<(), NoSCode> {
    let mut segments = Vec::new();
    for interval in &mut round.intervals {
        let mut jobs = interval.released.clone();
        jobs.iter_mut()
            .for_each(|job| job.left = times.of_task(job.task));
        jobs.sort_by_key(|job| (job.deadline, job.deadline.since(job.release), job.task));
        interval.segments = run_in_order(&mut jobs, interval.from, interval.until);
        segments.extend_from_slice(&interval.segments);
        if let Some(job) = jobs.into_iter().find(|job| job.left > Duration::ZERO) {
            let breach = Breach::Unfinished {
                job,
                at: interval.until,
            };
            return Err(NoSCode::Infeasible(Witness { segments, breach }));
        }
        if let Some(witness) = late(&interval.released, &segments) {
            return Err(NoSCode::Infeasible(witness));
        }
    }
    Ok(())
}

/// A job that completes after its deadline.
fn late(jobs: &[Job], segments: &[Segment]) -> Option<Witness> {
    let misses = |job: &&Job| {
        let its = |s: &&Segment| (s.task, s.number) == (job.task, job.number);
        segments
            .iter()
            .rfind(its)
            .is_some_and(|s| s.until > job.deadline)
    };
    jobs.iter().find(misses).map(|job| Witness {
        segments: segments.to_vec(),
        breach: Breach::Late { job: *job },
    })
}

/// A task, and whether it is dispatched only until the next release.
pub(crate) type Turn = (u16, bool);

/// Who is dispatched in each interval.
fn plans(round: &Round, complete: bool) -> Vec<Vec<Turn>> {
    let intervals = round.intervals.iter().enumerate();
    let plan = |(index, interval): (usize, &Interval)| match complete {
        true => all_that_may_wait(round, index),
        false => those_that_run(interval),
    };
    intervals.map(plan).collect()
}

/// Whom an interval saw run, in order.
pub(crate) fn those_that_run(interval: &Interval) -> Vec<Turn> {
    let mut turns: Vec<(Segment, bool)> = Vec::new();
    for segment in &interval.segments {
        let is_it =
            |(s, _): &&mut (Segment, bool)| (s.task, s.number) == (segment.task, segment.number);
        match turns.iter_mut().find(is_it) {
            Some((_, continues)) => *continues = !segment.completes,
            None => turns.push((*segment, !segment.completes)),
        }
    }
    turns
        .into_iter()
        .map(|(s, continues)| (s.task, continues))
        .collect()
}

/// Every job whose deadline has not passed, as if none had completed. What the
/// round repeats was released a round earlier, too.
fn all_that_may_wait(round: &Round, index: usize) -> Vec<Turn> {
    let Some(interval) = round.intervals.get(index) else {
        return Vec::new();
    };
    let earlier = round
        .jobs()
        .filter(|(at, _)| *at <= index)
        .map(|(_, job)| *job);
    let mut jobs: Vec<Job> = earlier.chain(a_round_before(round, index)).collect();
    jobs.retain(|job| job.deadline > interval.from);
    jobs.sort_by_key(|job| (job.deadline, job.deadline.since(job.release), job.task));
    let turn = |job: &Job| (job.task, job.deadline > interval.until);
    jobs.iter().map(turn).collect()
}

/// The jobs of the last pass through the round, moved to before its first.
fn a_round_before(round: &Round, index: usize) -> Vec<Job> {
    let Some(first) = round.repeats.filter(|first| index >= *first) else {
        return Vec::new();
    };
    let (Some(begin), Some(last)) = (round.intervals.get(first), round.intervals.last()) else {
        return Vec::new();
    };
    let length = last.until.since(begin.from);
    let repeated = round.jobs().filter(|(at, _)| *at >= first);
    // before the first pass there was none; in the first one such a job has
    // completed, and its dispatch does nothing
    let earlier = repeated.filter(|(_, job)| job.deadline > last.until);
    earlier
        .map(|(_, job)| Job {
            release: begin.from,
            deadline: Instant(job.deadline.0 - length.0),
            ..*job
        })
        .collect()
}

/// The blocks of a round.
pub(crate) fn blocks(round: &Round, plans: &[Vec<Turn>]) -> SCode {
    let mut code = SCode::default();
    for (index, plan) in plans.iter().enumerate() {
        let next = round.after(index);
        let wait = next
            .and_then(|next| sign_of(&next.released))
            .map(Wait::Released);
        let follows = match index + 1 < plans.len() {
            true => index + 1,
            // the block that starts the round again, with a reference time of its own
            false => plans.len(),
        };
        let mut block: Vec<SInstruction> = Vec::new();
        for (task, continues) in plan.iter().copied() {
            block.push(match wait.filter(|_| continues) {
                Some(wait) => SInstruction::DispatchUntil(task, wait, follows),
                None => SInstruction::Dispatch(task),
            });
        }
        block.extend(wait.map(SInstruction::Idle));
        code.blocks.push(block);
    }
    if let Some(first) = round.repeats {
        code.blocks.push(vec![SInstruction::Again(first)]);
    }
    code
}

/// The task by which a release is known.
fn sign_of(released: &[Job]) -> Option<u16> {
    let relative = |job: &Job| job.deadline.since(job.release);
    let longest = released.iter().map(relative).max()?;
    let tasks = released.iter().filter(|job| relative(job) == longest);
    tasks.map(|job| job.task).min()
}

/// One block for all releases: every task by decreasing rate, from the top
/// again at each release. Where one task is released whenever any is, it is
/// the sign; else the block begins anew at each step of the grid on which all
/// instants lie.
fn reused(program: &Program, code: &ECode) -> SCode {
    let tasks = by_rate(code);
    let sign = tasks
        .first()
        .copied()
        .filter(|task| is_always_released(code, *task));
    let wait = match sign {
        Some(task) => Wait::Released(task),
        None => grid(program, code),
    };
    let deadlines = code.shortest_deadlines();
    let shortest = deadlines.values().min().copied();
    let to_completion = |task: &u16| sign.is_some() && deadlines.get(task).copied() == shortest;
    let dispatch = |task: u16| match to_completion(&task) {
        true => SInstruction::Dispatch(task),
        false => SInstruction::DispatchUntil(task, wait, 1),
    };
    let mut block: Vec<SInstruction> = tasks.into_iter().map(dispatch).collect();
    block.push(SInstruction::Idle(wait));
    SCode {
        blocks: vec![block, vec![SInstruction::Again(0)]],
    }
}

fn is_always_released(code: &ECode, task: u16) -> bool {
    let mut releasing = code.all().filter(|r| !r.releases.is_empty());
    releasing.all(|r| r.releases.iter().any(|release| release.task == task))
}

/// The longest time that every distance between instants is a multiple of.
fn grid(program: &Program, code: &ECode) -> Wait {
    let denominator = u128::from(program.denominator.max(1));
    let units =
        |f: &crate::ecode::Future| u128::from(f.nanos) * denominator + u128::from(f.remainder);
    let distances = code.all().flat_map(|r| &r.futures).map(units);
    let grid = distances.fold(0, greatest_common_divisor);
    Wait::After((grid / denominator) as u64, (grid % denominator) as u32)
}

pub(crate) fn greatest_common_divisor(a: u128, b: u128) -> u128 {
    match b {
        0 => a,
        b => greatest_common_divisor(b, a % b),
    }
}

//! S code from a run that was recorded: the decisions of another scheduler over
//! one hyperperiod become code that repeats them. That is how the paper's
//! authors made theirs (section 7).
//!
//! What is released when, the E code says, and the recording has to agree. What
//! precedes the round is taken from the beginning of the run, the round itself
//! from its second pass: by then nothing is left of the start.
//!
//! A run on a machine shows decisions a little later than the instants that
//! they belong to. So an interval does not begin at its instant, but where the
//! first release of that instant stands in the recording.

use std::collections::BTreeMap;

use giornata_abi::{Duration, Instant};

use crate::ecode::ECode;
use crate::generate::{NoSCode, blocks, pattern, those_that_run};
use crate::job::Segment;
use crate::program::Program;
use crate::round::Round;
use crate::scode::SCode;
use crate::timeline::{show, show_instant};

/// One thing of a recorded run that has to do with the program's tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// A task is released.
    Released {
        /// The task.
        task: u16,
        /// The logical instant.
        at: Instant,
        /// The time by the clock.
        clock: Instant,
    },
    /// Somebody has the hart from now on.
    Runs {
        /// The task; `None` for anybody and anything else.
        task: Option<u16>,
        /// The time by the clock.
        clock: Instant,
    },
    /// A job completes.
    Completed {
        /// The task.
        task: u16,
        /// The instant.
        at: Instant,
        /// The time by the clock.
        clock: Instant,
    },
    /// A job has not completed in time, as the recording says.
    Missed {
        /// The task.
        task: u16,
        /// When it should have.
        at: Instant,
    },
}

/// Why a recording makes no S code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotRecorded {
    /// The program has no one round that could be recorded.
    NoRound(NoSCode),
    /// The program releases nothing any more after a while.
    Ends,
    /// The recording is of another program: a task is released when this one
    /// does not.
    Foreign {
        /// The task.
        task: u16,
        /// When.
        at: Instant,
    },
    /// A job was late.
    Late {
        /// The task.
        task: u16,
        /// When it should have completed.
        at: Instant,
    },
    /// The recording ends before the second pass through the round does.
    TooShort {
        /// How long it has to be, from the program's start.
        needed: Duration,
    },
}

impl NotRecorded {
    /// The reason in words.
    pub fn text(&self, program: &Program) -> String {
        match self {
            NotRecorded::NoRound(NoSCode::SwitchesModes) => {
                "the program switches modes: no one round repeats".to_owned()
            }
            NotRecorded::NoRound(_) => {
                "the program's round is longer than the analysis follows".to_owned()
            }
            NotRecorded::Ends => "the program ends: there is no round that repeats".to_owned(),
            NotRecorded::Foreign { task, at } => format!(
                "the trace is of another program: task `{}` is released at {}, and this program does not do so",
                program.task_name(*task),
                show_instant(*at)
            ),
            NotRecorded::Late { task, at } => format!(
                "the trace shows a miss: task `{}` had not completed at {}",
                program.task_name(*task),
                show_instant(*at)
            ),
            NotRecorded::TooShort { needed } => format!(
                "the trace ends before the second hyperperiod does: the release at {} is not in it",
                show(*needed)
            ),
        }
    }
}

/// The S code of a recorded run, from the machine's start on; decisions after
/// the second pass through the round are not looked at. O(decisions).
///
/// # Errors
/// Why the run makes none.
pub fn recorded(
    program: &Program,
    code: &ECode,
    decisions: impl IntoIterator<Item = Decision>,
) -> Result<SCode, NotRecorded> {
    let mut recorder = Recorder::of(program, code)?;
    for decision in decisions {
        if recorder.step(decision)? {
            return Ok(recorder.finish());
        }
    }
    let needed = Duration(recorder.end.0);
    Err(NotRecorded::TooShort { needed })
}

/// An interval as it comes in the run.
struct Pass {
    /// Its place in the round.
    interval: usize,
    /// When it begins, from the program's start on.
    from: Instant,
    /// Whether this pass is the one that is taken.
    taken: bool,
}

/// A job that has not completed.
#[derive(Clone, Copy)]
struct Open {
    number: u32,
    deadline: Instant,
}

struct Recorder {
    round: Round,
    passes: Vec<Pass>,
    /// When the second pass is over, from the program's start on.
    end: Instant,
    /// The instant of the run at which the program starts.
    origin: Option<Instant>,
    /// The pass that is under way.
    current: Option<usize>,
    open: BTreeMap<u16, Open>,
    /// Who runs, and since when by the clock.
    running: Option<(u16, Instant)>,
}

impl Recorder {
    fn of(program: &Program, code: &ECode) -> Result<Recorder, NotRecorded> {
        let mut round = pattern(program, code).map_err(NotRecorded::NoRound)?;
        let first = round.repeats.ok_or(NotRecorded::Ends)?;
        let (Some(begin), Some(last)) = (round.intervals.get(first), round.intervals.last()) else {
            return Err(NotRecorded::Ends);
        };
        let length = last.until.since(begin.from);
        let pass = |(index, shift, taken)| Pass {
            interval: index,
            from: round.intervals[index].from + shift,
            taken,
        };
        let all = round.intervals.len();
        let once = (0..all).map(|index| (index, Duration::ZERO, index < first));
        let again = (first..all).map(|index| (index, length, true));
        let passes: Vec<Pass> = once.chain(again).map(pass).collect();
        let end = last.until + length;
        let begins_quietly = round
            .intervals
            .first()
            .is_some_and(|i| i.released.is_empty());
        for interval in &mut round.intervals {
            interval.segments.clear();
        }
        Ok(Recorder {
            round,
            passes,
            end,
            origin: None,
            current: begins_quietly.then_some(0),
            open: BTreeMap::new(),
            running: None,
        })
    }

    /// Takes a decision; whether all is known then.
    fn step(&mut self, decision: Decision) -> Result<bool, NotRecorded> {
        match decision {
            Decision::Released { task, at, clock } => return self.released(task, at, clock),
            Decision::Runs { task, clock } => {
                self.rest(clock);
                self.running = task.map(|task| (task, clock));
            }
            Decision::Completed { task, at, clock } => self.completed(task, at, clock)?,
            Decision::Missed { task, at } => return Err(NotRecorded::Late { task, at }),
        }
        Ok(false)
    }

    fn released(&mut self, task: u16, at: Instant, clock: Instant) -> Result<bool, NotRecorded> {
        if let Some(late) = self.open.get(&task) {
            let at = late.deadline;
            return Err(NotRecorded::Late { task, at });
        }
        let next = self.current.map_or(0, |current| current + 1);
        let origin = *self.origin.get_or_insert_with(|| {
            let from = self.passes.get(next).map_or(Instant(0), |pass| pass.from);
            Instant(at.0.saturating_sub(from.0))
        });
        let since = Instant(at.since(origin).0);
        let begins = |pass: Option<&Pass>| pass.is_some_and(|pass| pass.from == since);
        let current = self.current.and_then(|current| self.passes.get(current));
        if !begins(current) {
            if next == self.passes.len() && since == self.end {
                self.rest(clock);
                return Ok(true);
            }
            if !begins(self.passes.get(next)) {
                return Err(NotRecorded::Foreign { task, at });
            }
            // who runs has to begin anew in the new interval
            self.rest(clock);
            self.current = Some(next);
        }
        self.open_job(task, at)
            .ok_or(NotRecorded::Foreign { task, at })?;
        Ok(false)
    }

    fn open_job(&mut self, task: u16, at: Instant) -> Option<()> {
        let pass = self.passes.get(self.current?)?;
        let interval = self.round.intervals.get(pass.interval)?;
        let job = interval.released.iter().find(|job| job.task == task)?;
        let open = Open {
            number: job.number,
            deadline: at + job.deadline.since(job.release),
        };
        self.open.insert(task, open);
        Some(())
    }

    /// What has run until now is a stretch; it may go on.
    fn rest(&mut self, clock: Instant) {
        let Some((task, since)) = self.running else {
            return;
        };
        self.running = Some((task, clock));
        if let Some(open) = self.open.get(&task).copied().filter(|_| since < clock) {
            self.note(task, open.number, (since, clock), false);
        }
    }

    fn completed(&mut self, task: u16, at: Instant, clock: Instant) -> Result<(), NotRecorded> {
        let Some(open) = self.open.remove(&task) else {
            return Ok(());
        };
        if at > open.deadline {
            let at = open.deadline;
            return Err(NotRecorded::Late { task, at });
        }
        let since = match self.running.take_if(|(running, _)| *running == task) {
            Some((_, since)) => since,
            None => clock,
        };
        self.note(task, open.number, (since, clock), true);
        Ok(())
    }

    /// Notes a stretch, if this pass is taken.
    fn note(&mut self, task: u16, number: u32, (from, until): (Instant, Instant), completes: bool) {
        let pass = self.current.and_then(|current| self.passes.get(current));
        let Some(pass) = pass.filter(|pass| pass.taken) else {
            return;
        };
        if let Some(interval) = self.round.intervals.get_mut(pass.interval) {
            interval.segments.push(Segment {
                task,
                number,
                from,
                until,
                completes,
            });
        }
    }

    fn finish(self) -> SCode {
        let plans: Vec<_> = self.round.intervals.iter().map(those_that_run).collect();
        blocks(&self.round, &plans)
    }
}

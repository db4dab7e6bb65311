//! S code for several programs of one hart, each in time slots of its own: "if
//! S code components are assigned exclusive time slots in which tasks are
//! dispatched, then the composed S code is time-sharing" (section 7 of the paper).
//!
//! The programs are scheduled as one, earliest deadline first, for a round of
//! all of them. Each gets a thread that goes through the round by the clock:
//!
//! ```text
//!   schedule   a0 a0 b0 a1 .  b0 .        . = nobody
//!   of a       a0 until 2, idle until 3, a1 until 5, idle until 7, again
//!   of b       idle until 2, b0 until 3, idle until 5, b0 until 7, again
//! ```
//! A slot lasts until the next one of anybody begins, so whoever runs before
//! nobody may run longer. A job that completes early leaves the rest of its
//! slot to threads outside microcode.

use giornata_abi::Instant;

use crate::ecode::ECode;
use crate::generate::{NoSCode, scheduled_round};
use crate::program::{NotAnalysable, Origin, Program};
use crate::round::Round;
use crate::scode::{SCode, SInstruction, Wait};
use crate::times::Times;

/// Why there are no time slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoSlots {
    /// The code of a program is beyond the analysis.
    Beyond(NotAnalysable),
    /// Instants lie between nanoseconds, and slots do not.
    Fractions,
    /// There is no schedule.
    Schedule(NoSCode),
}

/// A thread for each of the programs that `whole` is composed of, in order, to
/// be attached to its module. The size of each is that of the schedule of a
/// round of all.
///
/// # Errors
/// That there is no such schedule, and why.
pub fn slots(whole: &Program, times: &Times) -> Result<Vec<SCode>, NoSlots> {
    if whole.denominator > 1 {
        return Err(NoSlots::Fractions);
    }
    let code = ECode::of(whole).map_err(NoSlots::Beyond)?;
    let round = scheduled_round(whole, &code, times).map_err(NoSlots::Schedule)?;
    let slots = cut(&round);
    let ends = whole.origins.iter().skip(1).map(|origin| origin.task);
    let ends = ends.chain([whole.tasks.len() as u16]);
    let thread = |(origin, end): (&Origin, u16)| {
        let own = |slot: &&Slot| (origin.task..end).contains(&slot.task);
        let own = slots.iter().filter(own).map(|slot| Slot {
            task: slot.task - origin.task,
            ..*slot
        });
        thread(&own.collect::<Vec<_>>(), &round)
    };
    Ok(whole.origins.iter().zip(ends).map(thread).collect())
}

/// A stretch of the hart for one task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slot {
    task: u16,
    from: Instant,
    until: Instant,
}

/// The slots of a round and of what comes before it, each until the next.
fn cut(round: &Round) -> Vec<Slot> {
    let begin = begin_of(round);
    let mut slots: Vec<Slot> = Vec::new();
    let segments = round.intervals.iter().flat_map(|i| &i.segments);
    for segment in segments.filter(|s| s.until > s.from) {
        let (task, from, until) = (segment.task, segment.from, segment.until);
        match slots.last_mut() {
            // what comes before the round ends with its first instant
            Some(last) if (last.task, last.until) == (task, from) && begin != Some(from) => {
                last.until = until;
            }
            _ => slots.push(Slot { task, from, until }),
        }
    }
    let end = round.intervals.last().map_or(Instant::NEVER, |i| i.until);
    let nexts = slots.iter().skip(1).map(|slot| slot.from);
    let nexts: Vec<Instant> = nexts.chain([end]).collect();
    for (slot, next) in slots.iter_mut().zip(nexts) {
        let begin = begin.filter(|at| *at >= slot.until);
        slot.until = begin.map_or(next, |at| next.min(at));
    }
    slots
}

/// When the round begins that is repeated.
fn begin_of(round: &Round) -> Option<Instant> {
    let first = round.intervals.get(round.repeats?)?;
    Some(first.from)
}

/// The thread of one program: its slots by the clock, and the round again.
fn thread(slots: &[Slot], round: &Round) -> SCode {
    let Some(begin) = begin_of(round) else {
        return pass(slots, Instant::START, None, 0);
    };
    let end = round.intervals.last().map_or(begin, |i| i.until);
    let (before, within): (Vec<Slot>, Vec<Slot>) = slots.iter().partition(|s| s.from < begin);
    let mut code = SCode::default();
    if begin > Instant::START {
        code = pass(&before, Instant::START, Some(begin), 0);
        let first = code.blocks.len() + 1;
        code.blocks.push(vec![SInstruction::Again(first)]);
    }
    let first = code.blocks.len();
    code.blocks
        .extend(pass(&within, begin, Some(end), first).blocks);
    code.blocks.push(vec![SInstruction::Again(first)]);
    code
}

/// Goes through slots once, by a clock that starts at `origin`: a block for
/// each, the first of which is block `first`, and one that waits for the end.
fn pass(slots: &[Slot], origin: Instant, end: Option<Instant>, first: usize) -> SCode {
    let after = |at: Instant| Wait::After(at.since(origin).0, 0);
    let mut code = SCode::default();
    for (index, slot) in slots.iter().enumerate() {
        let mut block = Vec::new();
        // the job before may have completed early, and this one not have come
        if slot.from > origin {
            block.push(SInstruction::Idle(after(slot.from)));
        }
        block.push(match slot.until {
            Instant::NEVER => SInstruction::Dispatch(slot.task),
            until => {
                let next = first + index + 1;
                SInstruction::DispatchUntil(slot.task, after(until), next)
            }
        });
        code.blocks.push(block);
    }
    let wait = end.map(|end| SInstruction::Idle(after(end)));
    code.blocks.push(wait.into_iter().collect());
    code
}

//! The kernel's own time, charged to the jobs that it delays.
//!
//! At an instant the kernel works before any job runs; when a job completes it
//! chooses the next. Time after an instant delays the job that runs next, which
//! then is released and uncompleted; and the chain of others behind it as if
//! that job had taken longer. So a schedule with the kernel's time in it is one
//! without, of longer jobs: each is charged all instants from its release to its
//! deadline, and its own completion. An analysis of these jobs is never
//! optimistic; how pessimistic it is grows with the instants in a deadline.
//!
//! That holds if the kernel is done with an instant when the next one comes.

use giornata_abi::Duration;

use crate::ecode::{ECode, Future, Reaction};
use crate::program::Program;
use crate::times::Times;

/// Microcode steps after which the kernel looks at interrupts.
const STEPS_IN_PIECE: u32 = 1;

/// What the kernel of a board takes at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// An instant at which code runs, without what follows.
    pub instant: Duration,
    /// A release.
    pub release: Duration,
    /// A driver that copies.
    pub copy: Duration,
    /// A driver that is a function: to it and back, without its own time.
    pub function: Duration,
    /// So many steps of microcode as are taken without a look at interrupts.
    pub piece: Duration,
    /// The completion of a job, and whom it gives way to.
    pub completion: Duration,
    /// The same for the pieces of S code; `None` if nobody knows.
    pub s_piece: Option<Duration>,
}

/// Why the kernel's time cannot be charged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Uncharged {
    /// Two triggers wait at a time, so instants may come at any distance.
    #[error(
        "the program has more than one trigger at a time: nothing is known of how close instants are"
    )]
    SeveralTriggers,
    /// The kernel is not done with an instant when the next one comes.
    #[error("the kernel needs {} ns at an instant, and the next one comes after {} ns", .needed.0, .distance.0)]
    TooClose {
        /// What it needs.
        needed: Duration,
        /// How much later the next instant may come.
        distance: Duration,
    },
    /// What S code takes was not found out for the board.
    #[error("what S code takes is not known of this board")]
    SCode,
    /// The verifier cannot tell how many steps an instant takes.
    #[error("how many steps the S code of an instant takes is not known")]
    Steps,
}

/// Worst-case times with the kernel's, and what they are made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charged {
    /// The times.
    pub times: Times,
    /// The longest that an instant takes.
    pub instant: Duration,
    /// What a completion takes.
    pub completion: Duration,
    /// For each task the kernel's part of its time.
    pub parts: Vec<Duration>,
}

/// Adds the kernel's time to that of the jobs. O(code).
///
/// # Errors
/// Why there is no bound.
pub fn charge(
    program: &Program,
    code: &ECode,
    times: &Times,
    costs: &Costs,
) -> Result<Charged, Uncharged> {
    let s_code = s_code(program, code, costs)?;
    let most = |reactions: &mut dyn Iterator<Item = &Reaction>| {
        let all = reactions.map(|reaction| costs.of(reaction) + s_code);
        all.max().unwrap_or(Duration::ZERO)
    };
    let firsts = program.starts.iter();
    let start = most(&mut firsts.flat_map(|at| code.reactions(*at)));
    let later = most(&mut code.later(&program.starts));
    let instant = start.max(later);
    let distance = distance(code)?;
    if let Some(distance) = distance.filter(|distance| *distance < instant) {
        let needed = instant;
        return Err(Uncharged::TooClose { needed, distance });
    }
    let completion = costs.completion + s_code;
    let part = |task: u16| {
        let instants = distance.map_or(1, |distance| {
            longest_deadline(code, task).0.div_ceil(distance.0.max(1))
        });
        // the start is one of them, once
        let all = later.0.saturating_mul(instants.max(1));
        let beyond = start.0.saturating_sub(later.0);
        Duration(all.saturating_add(beyond).saturating_add(completion.0))
    };
    let parts: Vec<Duration> = (0..program.tasks.len() as u16).map(part).collect();
    let sum = |(time, part): (&Duration, &Duration)| Duration(time.0.saturating_add(part.0));
    let all: Vec<Duration> = times.all().iter().zip(&parts).map(sum).collect();
    Ok(Charged {
        times: Times::from_list(all),
        instant,
        completion,
        parts,
    })
}

impl Costs {
    /// What the kernel takes for a reaction.
    fn of(&self, reaction: &Reaction) -> Duration {
        let parts = [
            (self.instant, 1),
            (self.release, reaction.releases.len() as u64),
            (self.copy, reaction.work.copies.into()),
            (self.function, reaction.work.functions.into()),
            (self.piece, (reaction.work.steps / STEPS_IN_PIECE).into()),
        ];
        let sum = parts
            .iter()
            .map(|(cost, count)| cost.0.saturating_mul(*count));
        Duration(sum.fold(0, u64::saturating_add))
    }
}

/// What S code takes at an instant, or when a job completes.
fn s_code(program: &Program, code: &ECode, costs: &Costs) -> Result<Duration, Uncharged> {
    if code.threads().is_empty() {
        return Ok(Duration::ZERO);
    }
    let piece = costs.s_piece.ok_or(Uncharged::SCode)?;
    let steps = program.steps.ok_or(Uncharged::Steps)?;
    let pieces = u64::from(steps / STEPS_IN_PIECE) + 1;
    Ok(Duration(piece.0.saturating_mul(pieces)))
}

/// The shortest time from an instant to the next; `None` if there is one instant
/// only.
fn distance(code: &ECode) -> Result<Option<Duration>, Uncharged> {
    // (a block of the same instant is a second one too)
    let is_at_once = |future: &Future| (future.nanos, future.remainder) == (0, 0);
    let is_one = |r: &Reaction| r.futures.len() <= 1 && !r.futures.iter().any(is_at_once);
    if !code.all().all(is_one) {
        return Err(Uncharged::SeveralTriggers);
    }
    let futures = code.all().flat_map(|reaction| &reaction.futures);
    // instants are rounded to a nanosecond
    let least = futures
        .map(|future| future.nanos.saturating_sub(1).max(1))
        .min();
    let whole = code
        .all()
        .flat_map(|r| &r.futures)
        .all(|f| f.remainder == 0);
    Ok(least.map(|least| Duration(least + u64::from(whole))))
}

/// The longest time that a job of the task has.
fn longest_deadline(code: &ECode, task: u16) -> Duration {
    let releases = code.all().flat_map(|reaction| &reaction.releases);
    let its = releases.filter(|release| release.task == task);
    let longest = its.map(|release| release.nanos + u64::from(release.remainder > 0));
    Duration(longest.max().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use giornata_abi::module::Module;
    use giornata_lang::giotto;

    const COSTS: Costs = Costs {
        instant: Duration(1_000),
        release: Duration(100),
        copy: Duration(10),
        function: Duration(20),
        piece: Duration::ZERO,
        completion: Duration(5),
        s_piece: None,
    };

    /// Two tasks, the one twice as often as the other, with a start of two
    /// functions more than any other instant.
    const PROGRAM: &str = "
output u32 x := first; u32 y := second;
task often() output (x) state () [wcet 1ms] { schedule often(x) }
task seldom() output (y) state () [wcet 1ms] { schedule seldom(y) }
driver none() output () { if true() then dummy() }
start m { mode m() period 20ms { taskfreq 2 do often(none); taskfreq 1 do seldom(none); } }
";

    fn charged(text: &str, costs: &Costs) -> Result<Charged, Uncharged> {
        let (bytes, findings) = giotto::compile("p", text, &giotto::Options::default());
        let bytes = bytes.unwrap_or_else(|| panic!("{findings:?}"));
        let program = Program::of(&Module::parse(&bytes).unwrap()).unwrap();
        let code = ECode::of(&program).unwrap();
        let times = Times::of(&program, None).unwrap();
        charge(&program, &code, &times, costs)
    }

    #[test]
    fn a_job_is_charged_the_instants_before_its_deadline_and_its_completion() {
        let charged = charged(PROGRAM, &COSTS).unwrap();
        // at 20 ms both release and both outputs are copied; the start calls two functions
        let (later, start) = (1_000 + 2 * 100 + 2 * 10, 1_000 + 2 * 100 + 2 * 20);
        assert_eq!(charged.instant, Duration(start));
        let beyond = start - later;
        let parts = [later + beyond + 5, 2 * later + beyond + 5].map(Duration);
        assert_eq!(charged.parts, parts);
        let times = parts.map(|part| Duration(1_000_000 + part.0));
        assert_eq!(charged.times.all(), times);
    }

    #[test]
    fn a_kernel_that_is_not_done_before_the_next_instant_is_not_charged() {
        let slow = Costs {
            instant: Duration(10_000_000),
            ..COSTS
        };
        let distance = Duration(10_000_000);
        let refused = charged(PROGRAM, &slow).unwrap_err();
        assert!(matches!(refused, Uncharged::TooClose { distance: d, .. } if d == distance));
    }
}

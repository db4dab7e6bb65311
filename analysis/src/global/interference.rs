//! Tests that bound what others keep a job from running by: of its whole window, or of no
//! more than it takes to respond.

use giornata_abi::Duration;

use super::{Lack, Policy, Says, Tasks};
use crate::periodic::Periodic;

/// After so many steps response times are not known.
const MOST_STEPS: usize = 100_000;

/// BCL: M. Bertogna, M. Cirinei, G. Lipari, "Improved Schedulability Analysis of EDF on
/// Multiprocessor Platforms", ECRTS 2005. O(tasks^2).
///
/// A job is late only if all harts run others for more of its window than it leaves.
pub(super) fn bcl(tasks: &Tasks<'_>, harts: u32) -> Says {
    let mut worst: Option<Lack> = None;
    for (place, late) in tasks.jobs() {
        let left = u128::from(late.deadline.0.saturating_sub(late.time.0));
        let others = tasks.others(place);
        let works: Vec<u128> = others.map(|(_, task)| in_window(task, &late, 0)).collect();
        let needed: u128 = works.iter().map(|work| *work.min(&left)).sum();
        let fits = left * u128::from(harts);
        // (as much as fits harms nobody where one of the others runs at all times of it)
        let is_met = needed == fits && works.iter().any(|work| (1..=left).contains(work));
        if needed < fits || is_met {
            continue;
        }
        let lack = Lack::of_time(needed, fits, late.task, Some(late.deadline));
        if worst.as_ref().is_none_or(|worst| lack.exceeds(worst)) {
            worst = Some(lack);
        }
    }
    worst.map_or(Says::Schedulable, Says::NotShown)
}

/// What jobs of a task that are no less urgent run in the window of a job of `late`, at most:
/// the last of them ends with it, and each completes at least `slack` before its deadline.
fn in_window(task: &Periodic, late: &Periodic, slack: u64) -> u128 {
    let (window, period) = (late.deadline.0, task.period.0.max(1));
    let whole = u128::from(window / period) * u128::from(task.time.0);
    whole + u128::from(task.time.0.min((window % period).saturating_sub(slack)))
}

/// What jobs of a task run in any interval, at most, if each completes `slack` before its
/// deadline: the first of them as late as it can be, all others as early.
fn in_interval(task: &Periodic, interval: u128, slack: u64) -> u128 {
    let (time, period) = (u128::from(task.time.0), u128::from(task.period.0.max(1)));
    let lead = u128::from(
        task.deadline
            .0
            .saturating_sub(task.time.0)
            .saturating_sub(slack),
    );
    let length = interval + lead;
    let whole = (length / period).saturating_mul(time);
    whole.saturating_add(time.min(length % period))
}

/// RTA: M. Bertogna, M. Cirinei, "Response-Time Analysis for Globally Scheduled Symmetric
/// Multiprocessor Platforms", RTSS 2007, for earliest deadline first and for fixed priorities.
/// Each bound makes the slack of its task known, by which other bounds may become shorter;
/// that is done until nothing changes. O(tasks^2 log tasks) for each step of a response.
///
/// Returns for each task its longest response, or what exceeds its deadline.
pub(super) fn responses(tasks: &Tasks<'_>, harts: u32, policy: &Policy) -> (Says, Vec<Duration>) {
    let mut responses = Responses {
        tasks,
        harts: harts.max(1).into(),
        policy,
        slacks: vec![0; tasks.all.len()],
        longest: vec![Duration::ZERO; tasks.all.len()],
        steps: 0,
    };
    loop {
        match responses.improve() {
            None => return (Says::Unknown, Vec::new()),
            Some((_, true)) => {}
            Some((Some(lack), false)) => return (Says::NotShown(lack), Vec::new()),
            Some((None, false)) => return (Says::Schedulable, responses.longest),
        }
    }
}

struct Responses<'a> {
    tasks: &'a Tasks<'a>,
    harts: u128,
    policy: &'a Policy,
    /// How long before its deadline each task completes, as far as is known.
    slacks: Vec<u64>,
    /// Its longest response.
    longest: Vec<Duration>,
    steps: usize,
}

impl Responses<'_> {
    /// Bounds all responses once more: what exceeds its deadline most, and whether a slack
    /// has grown. `None` if that was not found out.
    fn improve(&mut self) -> Option<(Option<Lack>, bool)> {
        let (mut late, mut grows) = (None::<Lack>, false);
        for (place, task) in self.tasks.view.iter().enumerate() {
            let (mut slack, mut longest) = (u64::MAX, 0);
            for window in &task.windows {
                let deadline = *window;
                let job = Periodic {
                    deadline,
                    ..task.least
                };
                let response = self.response(place, &job)?;
                let rest = u128::from(window.0).checked_sub(response);
                slack = slack.min(rest.unwrap_or(0) as u64);
                longest = response.max(longest);
                if rest.is_none() {
                    let lack = Lack::of_time(response, window.0.into(), job.task, None);
                    if late.as_ref().is_none_or(|late| lack.exceeds(late)) {
                        late = Some(lack);
                    }
                }
            }
            let known = self.slacks.get_mut(place)?;
            grows |= slack > *known;
            *known = slack.max(*known);
            *self.longest.get_mut(place)? = Duration(longest.min(u64::MAX.into()) as u64);
        }
        Some((late, grows))
    }

    /// The response of a job, or a time beyond its deadline that it is not within.
    ///
    /// A response of the job's own time and `wait` is one if all harts are kept from it
    /// for less than `wait + 1`. Where they are not, the works that were found say how much
    /// longer it is at least.
    fn response(&mut self, place: usize, late: &Periodic) -> Option<u128> {
        let (time, deadline) = (u128::from(late.time.0), u128::from(late.deadline.0));
        let mut response = time;
        while response <= deadline {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return None;
            }
            let mut works: Vec<u128> = self.works(place, late, response).collect();
            let beyond = response - time + 1;
            match first_beyond(&mut works, beyond, self.harts) {
                least if least == beyond => return Some(response),
                least => response = time + least - 1,
            }
        }
        Some(response)
    }

    /// What each other task runs, at most, before a job of `late` has responded.
    fn works(&self, place: usize, late: &Periodic, response: u128) -> impl Iterator<Item = u128> {
        self.tasks.others(place).map(move |(other, task)| {
            let slack = self.slacks.get(other).copied().unwrap_or(0);
            let work = in_interval(task, response, slack);
            match self.policy {
                Policy::EarliestDeadline => work.min(in_window(task, late, slack)),
                Policy::Priorities(ranks) if ranks.get(other) <= ranks.get(place) => work,
                Policy::Priorities(_) => 0,
            }
        })
    }
}

/// The least number, not below `from`, such that the works, each counted up to that number,
/// are less than `harts` times as much.
fn first_beyond(works: &mut [u128], from: u128, harts: u128) -> u128 {
    works.sort_unstable();
    let mut whole = 0u128;
    for (index, work) in works.iter().enumerate() {
        // numbers up to this work, of which this and all behind it count in full
        let counted = (works.len() - index) as u128;
        if let Some(free) = harts.checked_sub(counted).filter(|free| *free > 0) {
            let least = (whole / free + 1).max(from);
            if least <= *work {
                return least;
            }
        }
        whole = whole.saturating_add(*work);
    }
    (whole / harts + 1).max(from)
}

//! A program as sporadic tasks: of each the windows that its jobs have, and how they follow
//! each other on any way that the program can go.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap, VecDeque};

use giornata_abi::{Duration, Instant};

use super::Policy;
use crate::agenda::{Agenda, Due};
use crate::ecode::ECode;
use crate::periodic::Periodic;
use crate::program::Program;
use crate::times::Times;
use crate::walk::{MOST_STATES, Strategy, by_rate, ranks};

/// What happens to a task at an instant, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    /// Its job must have completed.
    Touch(u16),
    /// A job is released, which has so much time.
    Release(u16, Duration),
}

/// The way from one instant to the next.
#[derive(Clone, Debug)]
struct Way {
    from: usize,
    to: usize,
    takes: Duration,
    events: Vec<Event>,
}

/// A task as the tests see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sporadic {
    /// Its shortest window as deadline. Deadlines, and releases, come at least the period
    /// apart; a job that is released behind the deadline of another comes later than that by
    /// the difference of both, at least.
    pub least: Periodic,
    /// The windows of its jobs, ascending.
    pub windows: Vec<Duration>,
}

impl From<Periodic> for Sporadic {
    /// A task whose jobs all have the same window.
    fn from(least: Periodic) -> Sporadic {
        let windows = vec![least.deadline];
        Sporadic { least, windows }
    }
}

/// The sporadic view of any program, by decreasing rate. `None` if the program has more
/// states, or triggers at a time, than are followed, or does not leave each job the whole of
/// its window: if a driver touches its ports, or a release of its task comes, before its
/// deadline.
///
/// What the view leaves out is when tasks are released against each other, so a test that
/// it passes holds for the program, and not the other way round. O(windows * states).
pub fn sporadic(program: &Program, code: &ECode, times: &Times) -> Option<Vec<Sporadic>> {
    let ways = ways(program, code)?;
    let mut leading: Vec<Vec<usize>> = Vec::new();
    for (index, way) in ways.iter().enumerate() {
        let least = way.from.max(way.to) + 1;
        leading.resize(leading.len().max(least), Vec::new());
        leading.get_mut(way.from)?.push(index);
    }
    let view = |task: u16| {
        let windows: BTreeSet<Duration> = ways.iter().flat_map(|way| way.windows(task)).collect();
        let mut apart = u64::MAX;
        for window in &windows {
            let since = since_release((task, *window), &ways, &leading);
            apart = apart.min(after_window((task, *window), &ways, &since)?);
        }
        let deadline = *windows.first()?;
        let least = Periodic {
            task,
            period: Duration(deadline.0.saturating_add(apart)),
            deadline,
            time: times.of_task(task),
        };
        let windows = windows.into_iter().collect();
        Some(Sporadic { least, windows })
    };
    by_rate(code).into_iter().map(view).collect()
}

/// The priorities that a program's tasks have by rate.
pub fn by_rates(program: &Program, code: &ECode, tasks: &[Sporadic]) -> Policy {
    let ranks = ranks(program, code, Strategy::RateMonotonic);
    let rank = |task: &Sporadic| ranks.get(usize::from(task.least.task)).copied();
    Policy::Priorities(tasks.iter().filter_map(rank).collect())
}

/// All ways between the states of the trigger queue.
fn ways(program: &Program, code: &ECode) -> Option<Vec<Way>> {
    let denominator = program.denominator;
    let (mut known, mut ways) = (HashMap::new(), Vec::new());
    let mut open = VecDeque::from([(0, Instant::START, Agenda::starting_at(&program.starts))]);
    // (the state before the first instant comes again nowhere)
    let mut states = 1;
    while let Some((from, since, agenda)) = open.pop_front() {
        let Some(at) = agenda.next(denominator) else {
            continue;
        };
        for (reactions, later) in agenda.fire(code, denominator)? {
            let mut key = Vec::new();
            later.key(at, &mut key);
            let to = *known.entry(key).or_insert(states);
            if to == states {
                states += 1;
                open.push_back((to, at, later));
            }
            if states.max(ways.len()) > MOST_STATES {
                return None;
            }
            ways.push(Way {
                from,
                to,
                takes: at.since(since),
                events: events(at, &reactions, denominator),
            });
        }
    }
    Some(ways)
}

fn events(at: Instant, reactions: &[Due<'_>], denominator: u32) -> Vec<Event> {
    let mut events = Vec::new();
    for (clock, reaction) in reactions {
        let touched = reaction.touched.iter().copied();
        events.extend(touched.map(Event::Touch));
        events.extend(reaction.releases.iter().map(|release| {
            let deadline = clock.plus(release.nanos, release.remainder, denominator);
            Event::Release(release.task, deadline.rounded(denominator).since(at))
        }));
        let clashes = reaction.clashes.iter().copied();
        events.extend(clashes.map(Event::Touch));
    }
    events
}

impl Way {
    fn windows(&self, task: u16) -> impl Iterator<Item = Duration> + '_ {
        self.events.iter().filter_map(move |event| match event {
            Event::Release(other, window) if *other == task => Some(*window),
            _ => None,
        })
    }
}

/// For each state how long ago a job of the task with this window was released, at least, if
/// no other was since; `None` if it cannot have been. (E. W. Dijkstra, "A note on two problems
/// in connexion with graphs", 1959.)
fn since_release(
    (task, window): (u16, Duration),
    ways: &[Way],
    leading: &[Vec<usize>],
) -> Vec<Option<u64>> {
    let mut since: Vec<Option<u64>> = vec![None; leading.len()];
    let releasing = ways
        .iter()
        .filter(|way| way.windows(task).last() == Some(window));
    let mut open: BinaryHeap<Reverse<(u64, usize)>> =
        releasing.map(|way| Reverse((0, way.to))).collect();
    while let Some(Reverse((time, state))) = open.pop() {
        let Some(place) = since.get_mut(state).filter(|place| place.is_none()) else {
            continue;
        };
        *place = Some(time);
        let next = leading.get(state).into_iter().flatten();
        let next = next.filter_map(|way| ways.get(*way));
        let next = next.filter(|way| way.windows(task).next().is_none());
        open.extend(next.map(|way| Reverse((time.saturating_add(way.takes.0), way.to))));
    }
    since
}

/// How long after the end of such a window the task is released again, at least; `None` if
/// something comes before its end.
fn after_window(
    (task, window): (u16, Duration),
    ways: &[Way],
    since: &[Option<u64>],
) -> Option<u64> {
    let mut apart = u64::MAX;
    for way in ways {
        let before = since.get(way.from).copied().flatten();
        let mut since = before.map(|time| time.saturating_add(way.takes.0));
        for event in &way.events {
            let (is_its, released) = match event {
                Event::Touch(other) => (*other == task, None),
                Event::Release(other, window) => (*other == task, Some(*window)),
            };
            if !is_its {
                continue;
            }
            let rest = since.map(|since| since.checked_sub(window.0));
            if rest == Some(None) {
                return None;
            }
            if let Some(released) = released {
                apart = apart.min(rest.flatten().unwrap_or(u64::MAX));
                since = (released == window).then_some(0);
            }
        }
    }
    Some(apart)
}

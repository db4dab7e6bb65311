//! Tasks that each keep to one hart.

use super::{Policy, Ratio, fraction};
use crate::periodic::{Demand, Periodic, qpa, responses};

/// Which hart is tried first for a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// The first.
    First,
    /// The one that is loaded least.
    Worst,
}

impl Fit {
    /// Both, in the order in which they are tried.
    pub const ALL: [Fit; 2] = [Fit::First, Fit::Worst];

    /// The name in the literature.
    pub const fn name(self) -> &'static str {
        match self {
            Fit::First => "first-fit decreasing",
            Fit::Worst => "worst-fit decreasing",
        }
    }
}

/// For each hart the places of the tasks that it runs, each hart scheduled alone; `None` if
/// a task fits nowhere. By decreasing utilisation (D. S. Johnson, "Near-Optimal Bin Packing
/// Algorithms", 1973), each fit decided by the exact test of one hart. O(tasks * harts)
/// tests.
pub fn partition(
    tasks: &[Periodic],
    harts: u32,
    policy: &Policy,
    fit: Fit,
) -> Option<Vec<Vec<usize>>> {
    let load = |place: &usize| {
        let task = tasks.get(*place);
        task.map_or_else(Ratio::default, |task| fraction(task.time, task.period))
    };
    let mut places: Vec<usize> = (0..tasks.len()).collect();
    places.sort_by_key(|place| std::cmp::Reverse(load(place)));
    let mut parts: Vec<Vec<usize>> = vec![Vec::new(); harts as usize];
    for place in places {
        let mut order: Vec<usize> = (0..parts.len()).collect();
        if fit == Fit::Worst {
            let sum = |hart: &usize| {
                parts
                    .get(*hart)
                    .into_iter()
                    .flatten()
                    .map(load)
                    .sum::<Ratio>()
            };
            order.sort_by_cached_key(sum);
        }
        let with = |hart: &usize| {
            let mut part = parts.get(*hart).cloned().unwrap_or_default();
            part.push(place);
            part.sort_unstable();
            fits(tasks, &part, policy).then_some((*hart, part))
        };
        let (hart, part) = order.iter().find_map(with)?;
        *parts.get_mut(hart)? = part;
    }
    Some(parts)
}

/// Whether one hart can run these tasks. Places are in the order of priorities.
fn fits(tasks: &[Periodic], places: &[usize], policy: &Policy) -> bool {
    let part: Vec<Periodic> = places
        .iter()
        .filter_map(|at| tasks.get(*at).copied())
        .collect();
    match policy {
        Policy::EarliestDeadline => qpa(&part) == Demand::Fits,
        Policy::Priorities(ranks) => {
            // (those of one rank run in the order of their releases: each as the last of them)
            let rank = |place: &usize| ranks.get(*place);
            (0..part.len()).all(|index| {
                let own = places.get(index).and_then(rank);
                let is_before =
                    |other: &usize| *other != index && places.get(*other).and_then(rank) <= own;
                let before = (0..part.len()).filter(is_before).chain([index]);
                let order: Vec<Periodic> = before.filter_map(|at| part.get(at).copied()).collect();
                responses(&order).last().is_some_and(Option::is_some)
            })
        }
    }
}

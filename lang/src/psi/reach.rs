//! Jobs and windows that no way leads to.
//!
//! Ways are followed with what the tests of one instant say of each variable, as
//! a range of its order keys; nothing is known of an instant from another.

use std::collections::{BTreeMap, BTreeSet};

use giornata_abi::{Comparison, ValueType};

use super::Code;
use super::model::{Constant, Model, Node, Task};
use super::ways::{Mode, Next, Ways, next};
use crate::diagnostic::{Findings, Span};
use crate::tables::value_type;

/// A task whose places, each with what is known there, come to more is not looked at.
const MOST_KNOWN: usize = 200_000;

/// For each port that has been tested at this instant, the least and the greatest key.
type Known = BTreeMap<usize, (u64, u64)>;

/// Warns of what is never reached. O(places).
pub(super) fn check(model: &Model, task: usize, findings: &mut Findings) {
    let task = &model.tasks[task];
    let Some(reached) = reached(model, task) else {
        return;
    };
    let is_reached: BTreeSet<Span> = reached
        .iter()
        .filter_map(|node| place(&task.nodes[*node]))
        .collect();
    let mut reported = BTreeSet::new();
    for node in &reached {
        for first in after(&task.nodes[*node]) {
            let Some(span) = first_place(task, first, &reached) else {
                continue;
            };
            if !is_reached.contains(&span) && reported.insert(span) {
                let message = "no way leads here: the tests before cannot all come out like this";
                let help = "remove it, or correct a test";
                findings.report(Code::Unreachable, span, message, help);
            }
        }
    }
}

/// Where a job or a window stands.
fn place(node: &Node) -> Option<Span> {
    match node {
        Node::Job { span, .. } | Node::Advance { span, .. } => Some(*span),
        _ => None,
    }
}

fn after(node: &Node) -> Vec<usize> {
    match node {
        Node::Test { holds, fails, .. } => vec![*holds, *fails],
        Node::Join { next }
        | Node::Note { next, .. }
        | Node::Job { next, .. }
        | Node::Advance { next, .. } => vec![*next],
    }
}

/// The first job or window from a node on that is not reached.
fn first_place(task: &Task, mut node: usize, reached: &BTreeSet<usize>) -> Option<Span> {
    while !reached.contains(&node) {
        let here = &task.nodes[node];
        if let Some(span) = place(here) {
            return Some(span);
        }
        node = *after(here).first()?;
    }
    None
}

/// The nodes that a way leads to. `None`: too many places to tell.
fn reached(model: &Model, task: &Task) -> Option<BTreeSet<usize>> {
    let ways = Ways::of(task);
    let first = (task.start, Mode::Free, Known::new());
    let (mut seen, mut open) = (BTreeSet::from([first.clone()]), vec![first]);
    let mut sum = 0usize;
    while let Some((node, mode, known)) = open.pop() {
        sum += 1 + known.len();
        if sum > MOST_KNOWN {
            return None;
        }
        let mut go = |(node, mode): (usize, Mode), known: Known| {
            let place = (node, mode, known);
            if seen.insert(place.clone()) {
                open.push(place);
            }
        };
        match (next(task, &ways, node, mode), &task.nodes[node]) {
            (Next::Now(node, mode), Node::Note { from, to, .. }) => {
                let mut known = known;
                match known.get(from).copied() {
                    Some(range) => known.insert(*to, range),
                    None => known.remove(to),
                };
                go((node, mode), known);
            }
            (Next::Now(node, mode), _) => go((node, mode), known),
            (
                Next::Either([holds, fails]),
                Node::Test {
                    port,
                    comparison,
                    constant,
                    ..
                },
            ) => {
                let of = value_type(&model.ports[*port].type_name);
                let range = known.get(port).copied().unwrap_or_else(|| keys(of));
                let ranges = [*comparison, negated(*comparison)];
                let ranges = ranges.map(|how| narrowed(range, how, of, *constant));
                for (place, range) in [holds, fails].into_iter().zip(ranges) {
                    if let Some(range) = range {
                        let mut known = known.clone();
                        known.insert(*port, range);
                        go(place, known);
                    }
                }
            }
            (Next::Window { then, .. }, _) => go(then, Known::new()),
            _ => {}
        }
    }
    Some(seen.into_iter().map(|(node, ..)| node).collect())
}

/// The order keys of a type: the least and the greatest.
fn keys(of: ValueType) -> (u64, u64) {
    use ValueType::*;
    let all = u64::MAX >> (64 - 8 * u32::from(of.size().unwrap_or(8)));
    match of {
        Opaque => (0, u64::MAX),
        Bool => (0, 1),
        I8 | I16 | I32 | I64 => {
            let half = all / 2;
            (of.order_key(half + 1), of.order_key(half))
        }
        U8 | U16 | U32 | U64 | F32 | F64 => (0, all),
    }
}

fn negated(comparison: Comparison) -> Comparison {
    use Comparison::*;
    match comparison {
        Equal => NotEqual,
        NotEqual => Equal,
        Less => GreaterOrEqual,
        LessOrEqual => Greater,
        Greater => LessOrEqual,
        GreaterOrEqual => Less,
    }
}

/// The part of a range for which a comparison holds; `None`: there is none.
fn narrowed(
    (least, greatest): (u64, u64),
    comparison: Comparison,
    of: ValueType,
    Constant(raw): Constant,
) -> Option<(u64, u64)> {
    use Comparison::*;
    let key = of.order_key(raw);
    let range = match comparison {
        Equal => (least.max(key), greatest.min(key)),
        NotEqual if key == least => (least.checked_add(1)?, greatest),
        NotEqual if key == greatest => (least, greatest.checked_sub(1)?),
        NotEqual => (least, greatest),
        Less => (least, greatest.min(key.checked_sub(1)?)),
        LessOrEqual => (least, greatest.min(key)),
        Greater => (least.max(key.checked_add(1)?), greatest),
        GreaterOrEqual => (least.max(key), greatest),
    };
    (range.0 <= range.1).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_nothing_passes_leaves_no_range() {
        let of = ValueType::U8;
        assert_eq!(narrowed(keys(of), Comparison::Less, of, Constant(0)), None);
        let above = narrowed(keys(of), Comparison::Greater, of, Constant(254));
        assert_eq!(above, Some((255, 255)));
        let none = narrowed(above.unwrap(), Comparison::NotEqual, of, Constant(255));
        assert_eq!(none, None);
    }

    #[test]
    fn signed_ranges_go_from_the_least_to_the_greatest() {
        let of = ValueType::I8;
        let negative = narrowed(keys(of), Comparison::Less, of, Constant(0));
        let least = of.order_key(0x80);
        assert_eq!(negative, Some((least, of.order_key(0xff))));
        assert_eq!(
            narrowed(keys(of), Comparison::Less, of, Constant(0x80)),
            None
        );
    }
}

//! The trigger queue in logical time: which blocks start when.

use std::collections::VecDeque;

use giornata_abi::{Instant, LogicalTime};

use crate::ecode::{ECode, Reaction};

/// More triggers at a time, or more choices at an instant, are not followed.
pub const MOST_TRIGGERS: usize = 128;

/// Time triggers in queue order, each with its exact due time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agenda {
    bindings: Vec<(LogicalTime, u16)>,
}

/// A reaction and the exact time of its instant.
pub type Due<'e> = (LogicalTime, &'e Reaction);

/// An instant under way.
#[derive(Clone, Debug)]
struct Begun<'e> {
    /// Blocks whose turn is still to come, in order.
    due: VecDeque<(LogicalTime, u16)>,
    later: Agenda,
    reactions: Vec<Due<'e>>,
}

impl<'e> Begun<'e> {
    /// The instant after one more reaction. A block that it starts at the same instant
    /// has its turn behind all that are due. (The verifier has seen to it that this ends.)
    fn after(&self, clock: LogicalTime, reaction: &'e Reaction, denominator: u32) -> Begun<'e> {
        let mut next = self.clone();
        next.reactions.push((clock, reaction));
        for future in &reaction.futures {
            let due = clock.plus(future.nanos, future.remainder, denominator);
            match (future.nanos, future.remainder) {
                (0, 0) => next.due.push_back((due, future.address)),
                _ => next.later.bindings.push((due, future.address)),
            }
        }
        next
    }
}

impl Agenda {
    /// The queue before programs start: their first blocks, due at once.
    pub fn starting_at(addresses: &[u16]) -> Agenda {
        let binding = |address: &u16| (LogicalTime::default(), *address);
        Agenda {
            bindings: addresses.iter().map(binding).collect(),
        }
    }

    /// The next instant; `None` if no block will ever start.
    pub fn next(&self, denominator: u32) -> Option<Instant> {
        let instants = self
            .bindings
            .iter()
            .map(|(due, _)| due.rounded(denominator));
        instants.min()
    }

    /// What can happen at the next instant: for each choice of outcomes the
    /// reactions in order, and the queue afterwards. One choice where nothing
    /// branches. `None` beyond [`MOST_TRIGGERS`]. O(product of the outcomes).
    pub fn fire<'e>(
        &self,
        code: &'e ECode,
        denominator: u32,
    ) -> Option<Vec<(Vec<Due<'e>>, Agenda)>> {
        let Some(now) = self.next(denominator) else {
            return Some(Vec::new());
        };
        let is_due = |(due, _): &(LogicalTime, u16)| due.rounded(denominator) <= now;
        let (due, bindings): (Vec<_>, _) = self.bindings.iter().copied().partition(is_due);
        let begun = Begun {
            due: due.into(),
            later: Agenda { bindings },
            reactions: Vec::new(),
        };
        // (depth first, so that choices come in the order of outcomes)
        let (mut open, mut choices) = (vec![begun], Vec::new());
        while let Some(mut begun) = open.pop() {
            let Some((clock, address)) = begun.due.pop_front() else {
                choices.push((begun.reactions, begun.later));
                continue;
            };
            let outcomes = code.reactions(address).iter().rev();
            open.extend(outcomes.map(|reaction| begun.after(clock, reaction, denominator)));
            let triggers = open
                .iter()
                .map(|begun| begun.due.len() + begun.later.bindings.len());
            let most = triggers.max().unwrap_or(0);
            if (open.len() + choices.len()).max(most) > MOST_TRIGGERS {
                return None;
            }
        }
        Some(choices)
    }

    /// The queue as seen from `now`: what tells states apart.
    pub(crate) fn key(&self, now: Instant, key: &mut Vec<u64>) {
        key.push(self.bindings.len() as u64);
        for (due, address) in &self.bindings {
            let fraction = u64::from(due.remainder) << 16 | u64::from(*address);
            key.extend([due.nanos.wrapping_sub(now.0), fraction]);
        }
    }
}

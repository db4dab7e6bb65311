//! The trigger queue in logical time: which blocks start when.

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
        let is_due = |(due, _): &&(LogicalTime, u16)| due.rounded(denominator) <= now;
        let later = |binding: &(LogicalTime, u16)| !is_due(&binding);
        let rest = Agenda {
            bindings: self.bindings.iter().copied().filter(later).collect(),
        };
        let mut choices = vec![(Vec::new(), rest)];
        for (clock, address) in self.bindings.iter().filter(is_due) {
            let outcomes = code.reactions(*address);
            let extend = |(before, agenda): &(Vec<Due<'e>>, Agenda)| {
                let (before, agenda) = (before.clone(), agenda.clone());
                let one = move |reaction: &'e Reaction| {
                    let mut reactions = before.clone();
                    reactions.push((*clock, reaction));
                    (reactions, agenda.after(*clock, reaction, denominator))
                };
                outcomes.iter().map(one).collect::<Vec<_>>()
            };
            choices = choices.iter().flat_map(extend).collect();
            let triggers = choices.iter().map(|(_, agenda)| agenda.bindings.len());
            if choices.len().max(triggers.max().unwrap_or(0)) > MOST_TRIGGERS {
                return None;
            }
        }
        Some(choices)
    }

    /// The queue with the triggers of a reaction at `clock`.
    fn after(&self, clock: LogicalTime, reaction: &Reaction, denominator: u32) -> Agenda {
        let mut agenda = self.clone();
        let bind =
            |f: &crate::ecode::Future| (clock.plus(f.nanos, f.remainder, denominator), f.address);
        agenda.bindings.extend(reaction.futures.iter().map(bind));
        agenda
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

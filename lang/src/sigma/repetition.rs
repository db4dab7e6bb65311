//! Consistency: how often each filter runs so that every channel holds after it
//! what it held before.
//!
//! A channel whose producer puts p tokens a cycle and whose consumer takes c asks
//! for cycles in the ratio c : p. A graph where all channels ask for the same is
//! *consistent*; the smallest whole numbers that satisfy them are the *repetition
//! vector*. (Lee, Messerschmitt: *Static Scheduling of Synchronous Data Flow
//! Programs*, 1987; Bilsen and others, 1996, for cycles of several positions.)

use super::graph::{Graph, sum};
use super::ratio::{Ratio, gcd, lcm};

/// The repetition vector of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repetition {
    cycles: Vec<u64>,
    instances: Vec<u64>,
    components: Vec<usize>,
    count: usize,
}

/// Why a graph has no repetition vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoRepetition {
    /// The first channel in the order of the graph that contradicts those before it.
    Inconsistent {
        /// Its index.
        channel: usize,
        /// Cycles of its producer and of its consumer that it asks for.
        asked: (u64, u64),
        /// Cycles of the same two that the channels before it ask for.
        others: Ratio,
    },
    /// The numbers of this filter's component exceed 64 bits.
    TooLarge {
        /// Its index.
        filter: usize,
    },
}

impl Repetition {
    /// The repetition vector of a graph. Components that no channel connects are
    /// independent: each has its own smallest numbers. O(channels + filters log filters).
    pub fn of(graph: &Graph) -> Result<Repetition, NoRepetition> {
        let mut groups = Groups::new(graph.filters().len());
        for (number, channel) in graph.channels().iter().enumerate() {
            let (puts, takes) = (sum(&channel.from.rates), sum(&channel.to.rates));
            let (from, to) = (channel.from.filter, channel.to.filter);
            let asked = Ratio::new(takes.into(), puts.into()).unwrap_or(Ratio::ONE);
            match groups.relate(from, to, asked) {
                Related::Agree => {}
                Related::TooLarge => return Err(NoRepetition::TooLarge { filter: from }),
                Related::Contradict(others) => {
                    return Err(NoRepetition::Inconsistent {
                        channel: number,
                        // from sums of rates, which are below 2^64
                        asked: (asked.numerator() as u64, asked.denominator() as u64),
                        others,
                    });
                }
            }
        }
        groups.repetition(graph)
    }

    /// Whole cycles of each filter in an iteration.
    pub fn cycles(&self) -> &[u64] {
        &self.cycles
    }

    /// Instances of each filter in an iteration: cycles times positions.
    pub fn instances(&self) -> &[u64] {
        &self.instances
    }

    /// The component that each filter belongs to, from 0, in the order of their first filters.
    pub fn components(&self) -> &[usize] {
        &self.components
    }

    /// How many components there are.
    pub fn component_count(&self) -> usize {
        self.count
    }

    /// Instances of all filters together, saturating.
    pub fn total(&self) -> u64 {
        let each = self.instances.iter();
        each.fold(0, |total, more| total.saturating_add(*more))
    }
}

/// What a channel says about two filters.
enum Related {
    Agree,
    /// Cycles of the first for one of the second, as known before.
    Contradict(Ratio),
    TooLarge,
}

/// Filters that channels have related so far.
struct Groups {
    /// The group of each filter.
    group: Vec<usize>,
    /// Cycles of each filter for one of its group's unit.
    share: Vec<Ratio>,
    members: Vec<Vec<usize>>,
}

impl Groups {
    fn new(filters: usize) -> Groups {
        Groups {
            group: (0..filters).collect(),
            share: vec![Ratio::ONE; filters],
            members: (0..filters).map(|filter| vec![filter]).collect(),
        }
    }

    /// Notes that `a` runs `asked` cycles for one of `b`. Of two groups the smaller
    /// joins the larger, so that a filter moves O(log filters) times.
    fn relate(&mut self, a: usize, b: usize, asked: Ratio) -> Related {
        let known = self.share[b]
            .inverse()
            .and_then(|one| one.times(self.share[a]));
        let Some(known) = known else {
            return Related::TooLarge;
        };
        if self.group[a] == self.group[b] {
            return match known == asked {
                true => Related::Agree,
                false => Related::Contradict(known),
            };
        }
        // what a's group must be multiplied by so that `known` becomes `asked`
        let factor = known.inverse().and_then(|one| one.times(asked));
        let is_smaller = self.members[self.group[a]].len() < self.members[self.group[b]].len();
        let (factor, small, large) = match is_smaller {
            true => (factor, self.group[a], self.group[b]),
            false => (
                factor.and_then(Ratio::inverse),
                self.group[b],
                self.group[a],
            ),
        };
        for member in std::mem::take(&mut self.members[small]) {
            let share = factor.and_then(|factor| self.share[member].times(factor));
            let Some(share) = share else {
                return Related::TooLarge;
            };
            (self.share[member], self.group[member]) = (share, large);
            self.members[large].push(member);
        }
        Related::Agree
    }

    /// Shares as smallest whole numbers.
    fn repetition(self, graph: &Graph) -> Result<Repetition, NoRepetition> {
        let filters = self.group.len();
        let mut cycles = vec![0; filters];
        let mut instances = vec![0; filters];
        let mut components = vec![0; filters];
        let mut count = 0;
        let mut is_numbered = vec![false; filters];
        for filter in 0..filters {
            let group = self.group[filter];
            if std::mem::replace(&mut is_numbered[group], true) {
                continue;
            }
            let members = &self.members[group];
            let numbers = self.whole(members);
            let numbers = numbers.ok_or(NoRepetition::TooLarge { filter })?;
            for (member, number) in members.iter().zip(numbers) {
                let positions = graph.cycle(*member) as u64;
                cycles[*member] = number;
                instances[*member] = number
                    .checked_mul(positions)
                    .ok_or(NoRepetition::TooLarge { filter: *member })?;
                components[*member] = count;
            }
            count += 1;
        }
        Ok(Repetition {
            cycles,
            instances,
            components,
            count,
        })
    }

    /// The smallest whole numbers in the ratio of the members' shares.
    fn whole(&self, members: &[usize]) -> Option<Vec<u64>> {
        let shares = members.iter().map(|member| self.share[*member]);
        let scale = shares
            .clone()
            .try_fold(1, |scale, share| lcm(scale, share.denominator()))?;
        let scaled = shares.map(|share| share.numerator().checked_mul(scale / share.denominator()));
        let scaled: Vec<u128> = scaled.collect::<Option<_>>()?;
        let common = scaled.iter().fold(0, |common, number| gcd(common, *number));
        let smallest = scaled
            .iter()
            .map(|number| (number / common.max(1)).try_into().ok());
        smallest.collect()
    }
}

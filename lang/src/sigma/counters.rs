//! Dependency counters: what the end of an instance changes, counted in tokens.
//!
//! Each dependency has a *balance*: what is there less what the taker's next instance
//! needs. When an instance ends, the increment of its position is added: what it gives
//! to others, and what its own next position needs. The *dependency counter* of a
//! filter is the number of its balances below zero; its next instance may start when
//! the counter is zero, as it may be from the beginning. (Louise and others: *Psigma*,
//! section 3.1.2; tokens and free room both count, since buffers are circular.)
//!
//! Unlike [vector clocks](super::clocks), which count instances and repeat after an
//! iteration, these tables are as long as the filters' own cycles.

use super::dependency::{Dependency, dependencies};
use super::graph::Graph;

/// A change of one balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Increment {
    /// Index into [`Counters::dependencies`].
    pub dependency: usize,
    /// What is added, not 0.
    pub change: i32,
}

/// The tables of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counters<'a> {
    /// All dependencies; those of a filter on itself are left out.
    pub dependencies: Vec<Dependency<'a>>,
    /// The balance of each at the beginning.
    pub balances: Vec<i32>,
    /// The dependency counter of each filter at the beginning.
    pub counters: Vec<u32>,
    /// What the end of an instance adds, by filter and position.
    pub increments: Vec<Vec<Vec<Increment>>>,
}

impl<'a> Counters<'a> {
    /// The tables of a graph that is live in these capacities, or the channel whose
    /// rates exceed counters of 32 bits. O(rates).
    ///
    /// # Errors
    /// The index of the channel.
    pub fn of(graph: &'a Graph, capacities: &'a [Option<u64>]) -> Result<Counters<'a>, usize> {
        let filters = graph.filters();
        let mut counters = Counters {
            dependencies: Vec::new(),
            balances: Vec::new(),
            counters: vec![0; filters.len()],
            increments: (0..filters.len())
                .map(|filter| vec![Vec::new(); graph.cycle(filter)])
                .collect(),
        };
        for dependency in dependencies(graph, capacities) {
            // the channels from a filter to itself never hold a live one up
            if dependency.giver != dependency.taker {
                counters.add(dependency).ok_or(dependency.channel)?;
            }
        }
        Ok(counters)
    }

    fn add(&mut self, dependency: Dependency<'a>) -> Option<()> {
        let number = self.dependencies.len();
        let mut note = |filter: usize, position: usize, change: i32| {
            if change != 0 {
                self.increments[filter][position].push(Increment {
                    dependency: number,
                    change,
                });
            }
        };
        for (position, given) in dependency.given.iter().enumerate() {
            note(dependency.giver, position, i32::try_from(*given).ok()?);
        }
        let next = dependency.needed.iter().cycle().skip(1);
        for (position, (_, next)) in dependency.needed.iter().zip(next).enumerate() {
            note(dependency.taker, position, -i32::try_from(*next).ok()?);
        }
        let first = i64::from(*dependency.needed.first()?);
        let balance = i32::try_from(dependency.initial as i64 - first).ok()?;
        self.counters[dependency.taker] += u32::from(balance < 0);
        self.balances.push(balance);
        self.dependencies.push(dependency);
        Some(())
    }
}

//! The slowest cycle of a graph of instances: the largest ratio of time to iterations.
//!
//! A cycle's ratio is guessed, first that of a single node or 0; if the longest paths
//! under arcs of time less ratio times iterations have a cycle, that cycle has a larger
//! ratio, which is the next guess; if they end, there is none. Every guess is the exact
//! ratio of a cycle and larger than the last, so the search ends with the largest.
//! (Lawler: *Combinatorial Optimization*, 1976, section 3.13, with cycles instead of
//! halving; compared with others by Dasdan: *Experimental Analysis of the Fastest
//! Optimum Cycle Ratio and Mean Algorithms*, 2004.)

use super::effort::{Beyond, Effort};
use super::execution::Resource;
use super::ratio::Ratio;

/// Nodes that take time, and arcs between them.
#[derive(Debug, Default)]
pub(super) struct Weighted {
    times: Vec<u64>,
    arcs: Vec<Arc>,
}

/// A node waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arc {
    /// Who is waited for.
    from: usize,
    /// Who waits.
    pub(super) to: usize,
    /// How many iterations earlier that is; at least 1 in every cycle together.
    delay: u64,
    /// The channel that makes it wait.
    pub(super) on: Option<(usize, Resource)>,
}

impl Weighted {
    /// Adds a node. Arcs of delay 0 lead from earlier nodes to later ones.
    pub(super) fn push(&mut self, time: u64) {
        self.times.push(time);
    }

    pub(super) fn wait(
        &mut self,
        to: usize,
        from: usize,
        delay: u64,
        on: Option<(usize, Resource)>,
    ) {
        self.arcs.push(Arc {
            from,
            to,
            delay,
            on,
        });
    }
}

/// The largest ratio of a cycle, and the arcs of a cycle that has it; 0 and no arc if
/// no cycle takes time.
pub(super) fn slowest_cycle(
    weighted: &Weighted,
    effort: &mut Effort,
) -> Result<(Ratio, Vec<Arc>), Beyond> {
    let mut arcs = weighted.arcs.clone();
    arcs.sort_by_key(|arc| arc.to);
    let mut best = (Ratio::whole(0), Vec::new());
    while let Some(cycle) = Paths::new(weighted, &arcs).cycle_above(best.0, effort)? {
        best = (ratio(weighted, &cycle)?, cycle);
    }
    Ok(best)
}

/// Time of the nodes of a cycle over its iterations.
fn ratio(weighted: &Weighted, cycle: &[Arc]) -> Result<Ratio, Beyond> {
    let time = cycle.iter().map(|arc| u128::from(weighted.times[arc.from]));
    let delay = cycle.iter().map(|arc| u128::from(arc.delay));
    // a graph that is live has no cycle without a delay
    Ratio::new(time.sum(), delay.sum()).ok_or(Beyond::Numbers)
}

/// The longest paths that are known.
struct Paths<'a> {
    weighted: &'a Weighted,
    /// Sorted by their end.
    arcs: &'a [Arc],
    lengths: Vec<i128>,
    /// The last arc of the longest path to each node.
    last: Vec<Option<usize>>,
}

impl<'a> Paths<'a> {
    fn new(weighted: &'a Weighted, arcs: &'a [Arc]) -> Paths<'a> {
        Paths {
            weighted,
            arcs,
            lengths: vec![0; weighted.times.len()],
            last: vec![None; weighted.times.len()],
        }
    }

    /// A cycle whose ratio is larger, if there is one. Each round lengthens all paths
    /// by all arcs without delay that follow, so there are as many rounds as arcs with
    /// a delay in the longest of the paths.
    fn cycle_above(
        mut self,
        ratio: Ratio,
        effort: &mut Effort,
    ) -> Result<Option<Vec<Arc>>, Beyond> {
        let time = i128::try_from(ratio.denominator()).map_err(|_| Beyond::Numbers)?;
        let delay = i128::try_from(ratio.numerator()).map_err(|_| Beyond::Numbers)?;
        loop {
            effort.spend(self.arcs.len() as u64 + self.lengths.len() as u64)?;
            if !self.lengthen(time, delay)? {
                return Ok(None);
            }
            if let Some(cycle) = self.cycle() {
                return Ok(Some(cycle));
            }
        }
    }

    /// One round; whether any path is longer now.
    fn lengthen(&mut self, time: i128, delay: i128) -> Result<bool, Beyond> {
        let mut is_longer = false;
        for (number, arc) in self.arcs.iter().enumerate() {
            let gain = time.checked_mul(self.weighted.times[arc.from].into());
            let loss = delay.checked_mul(arc.delay.into());
            let length = gain
                .zip(loss)
                .and_then(|(gain, loss)| {
                    gain.checked_sub(loss)?.checked_add(self.lengths[arc.from])
                })
                .ok_or(Beyond::Numbers)?;
            if length > self.lengths[arc.to] {
                (self.lengths[arc.to], self.last[arc.to]) = (length, Some(number));
                is_longer = true;
            }
        }
        Ok(is_longer)
    }

    /// A cycle of last arcs, in the order of time: its ratio is above that of the paths,
    /// since going round it made them longer.
    fn cycle(&self) -> Option<Vec<Arc>> {
        const NEVER: usize = usize::MAX;
        let mut seen = vec![NEVER; self.last.len()];
        for start in 0..self.last.len() {
            let mut at = start;
            while seen[at] == NEVER {
                seen[at] = start;
                match self.last[at] {
                    Some(arc) => at = self.arcs[arc].from,
                    None => break,
                }
            }
            if seen[at] == start && self.last[at].is_some() {
                return Some(self.round(at));
            }
        }
        None
    }

    /// The cycle of last arcs through a node.
    fn round(&self, node: usize) -> Vec<Arc> {
        let mut cycle = Vec::new();
        let mut at = node;
        while let Some(arc) = self.last[at].map(|arc| self.arcs[arc]) {
            cycle.push(arc);
            at = arc.from;
            if at == node {
                break;
            }
        }
        cycle.reverse();
        cycle
    }
}

//! A graph of blocks, its loops, and the longest way through it.

use crate::cost::Cost;
use petgraph::algo::dominators::{Dominators, simple_fast};
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What may happen at the end of a node, besides going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Exit {
    /// Back to the caller.
    Return,
    /// Out of the kernel.
    Leave,
    /// The hart waits.
    Wait,
    /// Interrupts are looked at.
    Look,
}

/// A block in a graph.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Address of its first instruction.
    pub(crate) address: u64,
    pub(crate) cost: Cost,
    pub(crate) exit: Option<Exit>,
    pub(crate) next: Vec<usize>,
}

/// Blocks, some of which are entered from outside.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
}

/// A loop: its top, and the nodes in it, those of loops inside it included.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) top: usize,
    pub(crate) nodes: BTreeSet<usize>,
}

/// How often a loop goes round.
#[derive(Clone, Debug)]
pub(crate) struct Rounds {
    /// How often its top is reached at most.
    pub(crate) passes: Cost,
    /// Its body is executed so often instead: the top is reached once more if it
    /// is what tests whether to go on.
    pub(crate) is_body: bool,
    /// The top of a loop around it: the number is that of all passes that go back
    /// while that one runs.
    pub(crate) total_in: Option<usize>,
}

/// A loop that is entered at this node beside its top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Irreducible(pub(crate) usize);

/// How a way ends: at a node outside a loop, or with an exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Goal {
    Node(usize),
    Exit(Exit),
}

impl Graph {
    /// The loops that are reached from `sources`, inner ones before those
    /// around them.
    pub(crate) fn loops(&self, sources: &[usize]) -> Result<Vec<Loop>, Irreducible> {
        let (graph, root) = self.petgraph(sources);
        let dominators = simple_fast(&graph, root);
        let mut latches: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let mut forward = graph.clone();
        for edge in graph.edge_indices() {
            let Some((from, to)) = graph.edge_endpoints(edge) else {
                continue;
            };
            if dominates(&dominators, to, from) {
                latches.entry(to.index()).or_default().insert(from.index());
            }
        }
        forward.retain_edges(|graph, edge| {
            graph
                .edge_endpoints(edge)
                .is_none_or(|(from, to)| !dominates(&dominators, to, from))
        });
        if let Err(cycle) = petgraph::algo::toposort(&forward, None) {
            let node = cycle.node_id();
            // nodes that are not reached have no dominator and do not count
            if dominators.immediate_dominator(node).is_some() {
                return Err(Irreducible(node.index()));
            }
        }
        let mut loops: Vec<Loop> = latches
            .into_iter()
            .map(|(top, latches)| Loop {
                nodes: self.body(&graph, top, &latches),
                top,
            })
            .collect();
        loops.sort_by_key(|found| found.nodes.len());
        Ok(loops)
    }

    /// Whether what is reached from a node goes round nowhere but back to the tops of these
    /// loops.
    pub(crate) fn is_without_other_loops(&self, source: usize, loops: &[Loop]) -> bool {
        let goes_back = |from: usize, to: usize| {
            let mut tops = loops.iter().filter(|found| found.top == to);
            tops.any(|found| found.nodes.contains(&from))
        };
        let (mut graph, _) = self.petgraph(&[source]);
        graph.retain_edges(|graph, edge| {
            let ends = graph.edge_endpoints(edge);
            ends.is_none_or(|(from, to)| !goes_back(from.index(), to.index()))
        });
        petgraph::algo::toposort(&graph, None).is_ok()
    }

    fn petgraph(&self, sources: &[usize]) -> (DiGraph<(), ()>, NodeIndex) {
        let reached = self.reached(sources);
        let mut graph = DiGraph::new();
        for _ in &self.nodes {
            graph.add_node(());
        }
        let root = graph.add_node(());
        for source in sources {
            graph.update_edge(root, NodeIndex::new(*source), ());
        }
        for from in reached {
            for to in &self.nodes[from].next {
                graph.update_edge(NodeIndex::new(from), NodeIndex::new(*to), ());
            }
        }
        (graph, root)
    }

    /// The nodes that some way from the sources reaches.
    pub(crate) fn reached(&self, sources: &[usize]) -> BTreeSet<usize> {
        let mut reached = BTreeSet::new();
        let mut work = sources.to_vec();
        while let Some(node) = work.pop() {
            if reached.insert(node) {
                work.extend(&self.nodes[node].next);
            }
        }
        reached
    }

    /// Everything from which a latch is reached without the top.
    fn body(
        &self,
        graph: &DiGraph<(), ()>,
        top: usize,
        latches: &BTreeSet<usize>,
    ) -> BTreeSet<usize> {
        let mut nodes = BTreeSet::from([top]);
        let mut work: Vec<usize> = latches.iter().copied().collect();
        while let Some(node) = work.pop() {
            if nodes.insert(node) {
                let before =
                    graph.neighbors_directed(NodeIndex::new(node), petgraph::Direction::Incoming);
                work.extend(before.map(NodeIndex::index));
            }
        }
        nodes
    }

    /// Takes out what leads nowhere: nodes from which no exit is reached.
    pub(crate) fn without_dead_ends(mut self) -> Graph {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for (from, node) in self.nodes.iter().enumerate() {
            for to in &node.next {
                before[*to].push(from);
            }
        }
        let exits = self
            .nodes
            .iter()
            .enumerate()
            .filter(|(_, n)| n.exit.is_some());
        let mut work: Vec<usize> = exits.map(|(index, _)| index).collect();
        let mut alive = BTreeSet::new();
        while let Some(node) = work.pop() {
            if alive.insert(node) {
                work.extend(&before[node]);
            }
        }
        for node in &mut self.nodes {
            node.next.retain(|to| alive.contains(to));
        }
        self
    }

    /// The longest way from each source to each exit. `rounds` says how often
    /// each loop goes round; loops are given inner ones first.
    pub(crate) fn longest(
        &self,
        sources: &[usize],
        loops: &[Loop],
        rounds: &HashMap<usize, Rounds>,
    ) -> BTreeMap<(usize, Exit), Cost> {
        let mut ways = Ways {
            graph: self,
            inside: HashMap::new(),
            out: HashMap::new(),
            owed: HashMap::new(),
        };
        for found in loops {
            ways.contract(found, &rounds[&found.top]);
        }
        let all: BTreeSet<usize> = self.reached(sources);
        let mut longest = BTreeMap::new();
        for source in sources {
            let start = ways.outermost(*source);
            for (goal, cost) in ways.from(start, &all, None) {
                if let Goal::Exit(exit) = goal {
                    longest.insert((*source, exit), cost);
                }
            }
        }
        longest
    }
}

fn dominates(dominators: &Dominators<NodeIndex>, above: NodeIndex, below: NodeIndex) -> bool {
    dominators
        .dominators(below)
        .is_some_and(|mut all| all.any(|node| node == above))
}

/// The longest ways through loops that have been contracted to their tops.
struct Ways<'g> {
    graph: &'g Graph,
    /// The top of the innermost contracted loop that a node lies in, where the
    /// node is not a top itself; for a top the loop around it.
    inside: HashMap<usize, usize>,
    /// How a contracted loop is left, and what that takes from its top on.
    out: HashMap<usize, BTreeMap<Goal, Cost>>,
    /// What loops in it take in all, by the top of a loop that is not contracted yet.
    owed: HashMap<usize, Cost>,
}

impl Ways<'_> {
    /// Replaces a loop by its top.
    fn contract(&mut self, found: &Loop, rounds: &Rounds) {
        let ways = self.from(found.top, &found.nodes, Some(found.top));
        let back = ways
            .get(&Goal::Node(found.top))
            .cloned()
            .unwrap_or_default();
        let own = self.owed.remove(&found.top).unwrap_or_default();
        let repeated = match rounds.total_in {
            Some(outer) => {
                let all = rounds.passes.times(&back).plus(&own);
                let owed = self.owed.entry(outer).or_default();
                *owed = owed.plus(&all);
                Cost::default()
            }
            None => self.again(found, rounds).times(&back).plus(&own),
        };
        let out = ways
            .into_iter()
            .filter(|(goal, _)| *goal != Goal::Node(found.top))
            .map(|(goal, cost)| (goal, cost.plus(&repeated)))
            .collect();
        self.out.insert(found.top, out);
        for node in &found.nodes {
            if *node != found.top {
                self.inside.entry(*node).or_insert(found.top);
            }
        }
    }

    /// How often a loop goes back: the last pass does not.
    fn again(&self, found: &Loop, rounds: &Rounds) -> Cost {
        let leaves = |to: &usize| !found.nodes.contains(to);
        // a loop of one block tests behind its body
        let tests_first =
            found.nodes.len() > 1 && self.graph.nodes[found.top].next.iter().any(leaves);
        match rounds.is_body && tests_first {
            true => rounds.passes.clone(),
            false => rounds.passes.less_one(),
        }
    }

    /// The node that stands for a node once loops are contracted.
    fn outermost(&self, node: usize) -> usize {
        let mut node = node;
        while let Some(top) = self.inside.get(&node) {
            node = *top;
        }
        node
    }

    /// The longest ways from a node through a region to what lies outside it,
    /// and back to its top.
    fn from(
        &self,
        start: usize,
        region: &BTreeSet<usize>,
        top: Option<usize>,
    ) -> BTreeMap<Goal, Cost> {
        let mut found: BTreeMap<Goal, Cost> = BTreeMap::new();
        let mut best: HashMap<usize, Cost> = HashMap::from([(start, Cost::default())]);
        for node in self.sorted(start, region, top) {
            let here = best[&node].clone();
            for (goal, cost) in self.leave(node) {
                let cost = here.plus(&cost);
                match goal {
                    Goal::Node(to) if region.contains(&to) && Some(to) != top => {
                        cost.raise(best.entry(self.outermost(to)).or_default());
                    }
                    goal => cost.raise(found.entry(goal).or_default()),
                }
            }
        }
        found
    }

    /// Where control goes from a node, and what that takes.
    fn leave(&self, node: usize) -> Vec<(Goal, Cost)> {
        if let Some(out) = self.out.get(&node) {
            return out
                .iter()
                .map(|(goal, cost)| (*goal, cost.clone()))
                .collect();
        }
        let block = &self.graph.nodes[node];
        let next = block.next.iter().map(|to| Goal::Node(*to));
        next.chain(block.exit.map(Goal::Exit))
            .map(|goal| (goal, block.cost.clone()))
            .collect()
    }

    /// The nodes of a region that are reached from its start, each after all
    /// that lead to it.
    fn sorted(&self, start: usize, region: &BTreeSet<usize>, top: Option<usize>) -> Vec<usize> {
        let next = |node: usize| -> Vec<usize> {
            let goals = self.leave(node);
            let inside = goals.into_iter().filter_map(|(goal, _)| match goal {
                Goal::Node(to) if region.contains(&to) && Some(to) != top => {
                    Some(self.outermost(to))
                }
                _ => None,
            });
            inside.collect()
        };
        let mut order = Vec::new();
        let mut seen = BTreeSet::from([start]);
        let mut work = vec![(start, next(start))];
        while let Some((node, left)) = work.last_mut() {
            match left.pop() {
                Some(to) if seen.insert(to) => work.push((to, next(to))),
                Some(_) => {}
                None => {
                    order.push(*node);
                    work.pop();
                }
            }
        }
        order.reverse();
        order
    }
}

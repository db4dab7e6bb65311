//! Strongly connected components without a heap (Tarjan's algorithm with the
//! call stack kept in the scratch records).

use super::graph::{Edge, Graph, SLOTS};

const UNSEEN: u32 = u32::MAX;

/// Working memory of the verifier for one node; it needs
/// [`scratch_needed`](super::scratch_needed) of them.
#[derive(Clone, Copy, Debug)]
pub struct Scratch {
    /// Order of discovery, or [`UNSEEN`].
    index: u32,
    low: u32,
    /// Node from which this one was reached.
    parent: u32,
    /// Node below on the stack of open components.
    below: u32,
    /// First node found of the component; equal within one.
    component: u32,
    /// What a pass computes for the node.
    pub(super) value: u32,
    /// Next slot to follow.
    cursor: u8,
    /// Edges that take time, one bit a slot.
    pub(super) cut: u8,
    open: bool,
}

impl Scratch {
    /// A record to fill a slice with.
    pub const EMPTY: Scratch = Scratch {
        index: UNSEEN,
        low: 0,
        parent: UNSEEN,
        below: UNSEEN,
        component: UNSEEN,
        value: 0,
        cursor: 0,
        cut: 0,
        open: false,
    };
}

/// Whether the nodes of an edge lie in one component.
pub(super) fn is_inside(scratch: &[Scratch], node: u32, edge: &Edge) -> bool {
    let component = |node: u32| scratch.get(node as usize).map(|s| s.component);
    component(node) == component(edge.to)
}

/// Finds the components of the subgraph of those edges that `follows` accepts.
/// Calls `close` for each component, after those that it leads to, with its
/// last node; [`rest_of`] gives the others. O(nodes).
pub(super) fn find(
    graph: &Graph<'_>,
    scratch: &mut [Scratch],
    follows: impl Fn(&[Scratch], u32, u8, &Edge) -> bool,
    mut close: impl FnMut(&mut [Scratch], u32),
) {
    for s in scratch.iter_mut() {
        *s = Scratch {
            value: s.value,
            cut: s.cut,
            ..Scratch::EMPTY
        };
    }
    let mut state = Search {
        next_index: 0,
        top: UNSEEN,
    };
    for root in 0..graph.nodes() {
        if scratch
            .get(root as usize)
            .is_some_and(|s| s.index == UNSEEN)
        {
            state.visit(graph, scratch, root, &follows, &mut close);
        }
    }
}

/// The other nodes of a component that is being closed, from its last node on.
pub(super) fn rest_of(scratch: &[Scratch], node: u32) -> Option<u32> {
    scratch
        .get(node as usize)
        .map(|s| s.below)
        .filter(|below| *below != UNSEEN)
}

struct Search {
    next_index: u32,
    /// Top of the stack of nodes whose component is open.
    top: u32,
}

impl Search {
    fn visit(
        &mut self,
        graph: &Graph<'_>,
        scratch: &mut [Scratch],
        root: u32,
        follows: &impl Fn(&[Scratch], u32, u8, &Edge) -> bool,
        close: &mut impl FnMut(&mut [Scratch], u32),
    ) {
        let mut node = root;
        self.discover(scratch, node, UNSEEN);
        while node != UNSEEN {
            match next_edge(graph, scratch, node, follows) {
                Some(to) => match scratch.get(to as usize).map(|s| (s.index, s.open)) {
                    Some((UNSEEN, _)) => {
                        self.discover(scratch, to, node);
                        node = to;
                    }
                    Some((index, true)) => lower(scratch, node, index),
                    _ => {}
                },
                None => node = self.finish(scratch, node, close),
            }
        }
    }

    fn discover(&mut self, scratch: &mut [Scratch], node: u32, parent: u32) {
        let Some(s) = scratch.get_mut(node as usize) else {
            return;
        };
        (s.index, s.low) = (self.next_index, self.next_index);
        (s.parent, s.below, s.open) = (parent, self.top, true);
        s.cursor = 0;
        self.top = node;
        self.next_index = self.next_index.wrapping_add(1);
    }

    /// All edges of the node are followed; returns the node to continue with.
    fn finish(
        &mut self,
        scratch: &mut [Scratch],
        node: u32,
        close: &mut impl FnMut(&mut [Scratch], u32),
    ) -> u32 {
        let Some(s) = scratch.get(node as usize).copied() else {
            return UNSEEN;
        };
        lower(scratch, s.parent, s.low);
        if s.low == s.index {
            self.close_component(scratch, node);
            close(scratch, node);
        }
        s.parent
    }

    /// Takes a component off the stack; `below` links its nodes, from `root` on.
    fn close_component(&mut self, scratch: &mut [Scratch], root: u32) {
        let (first, mut node, mut last) = (self.top, self.top, UNSEEN);
        while let Some(s) = scratch.get_mut(node as usize) {
            (s.component, s.open) = (root, false);
            if node == root {
                break;
            }
            last = node;
            node = s.below;
        }
        let under = scratch.get(root as usize).map_or(UNSEEN, |s| s.below);
        self.top = under;
        if let Some(s) = scratch.get_mut(last as usize) {
            s.below = UNSEEN;
        }
        if let Some(s) = scratch.get_mut(root as usize) {
            s.below = if first == root { UNSEEN } else { first };
        }
    }
}

fn lower(scratch: &mut [Scratch], node: u32, low: u32) {
    if let Some(s) = scratch.get_mut(node as usize) {
        s.low = s.low.min(low);
    }
}

fn next_edge(
    graph: &Graph<'_>,
    scratch: &mut [Scratch],
    node: u32,
    follows: &impl Fn(&[Scratch], u32, u8, &Edge) -> bool,
) -> Option<u32> {
    loop {
        let s = scratch.get_mut(node as usize)?;
        let slot = s.cursor;
        if slot >= SLOTS {
            return None;
        }
        s.cursor += 1;
        if let Some(edge) = graph.edge(node, slot)
            && follows(scratch, node, slot, &edge)
        {
            return Some(edge.to);
        }
    }
}

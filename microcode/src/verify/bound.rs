//! How many steps one instant can take.
//!
//! Call a trigger binding or thread instance a *token*: what can run in an
//! instant starts from a token. If every run from a token to its end leaves at
//! most one token behind, then there are never more tokens than the start block
//! leaves, and one instant costs at most the most expensive run of each. The
//! cost of a run is the longest path through the graph of what takes no time,
//! forks and enabled triggers included.
//!
//! A cycle of that graph takes time, so a path goes round it once, and once
//! more for each event in it that can occur at most once an instant: a trigger
//! binding that fires, a task that becomes released.
//!
//! What this leaves undecided, and the machine enforces: code that multiplies
//! tokens, handlers that leave tokens, handlers of drivers that predicates call,
//! and cycles that rest on ports not changing. A job that is
//! stopped at the very instant of its release is not accounted for.

use giornata_abi::id::NONE;
use giornata_abi::instruction::Opcode;
use giornata_abi::trace::Violation;
use giornata_abi::{Predicate, PredicateKind};

use super::Verified;
use super::components::{Scratch, is_inside, rest_of};
use super::graph::{Condition, Edge, Graph, SLOTS};

/// Saturated: the count of tokens or steps is undecided.
const MANY: u32 = u32::MAX;

/// Computes the bounds of steps and slots. O(code).
pub(super) fn compute(
    graph: &Graph<'_>,
    scratch: &mut [Scratch],
    rests_on_changes: bool,
) -> Verified {
    let tokens = if rests_on_changes || predicates_can_violate(graph) {
        None
    } else {
        count_tokens(graph, scratch)
    };
    let steps = tokens.and_then(|tokens| count_steps(graph, scratch, tokens));
    let needed = Needed::of(graph);
    let slots = |all: u32, kept: u32| match tokens {
        Some(tokens) if all > 0 => kept.saturating_add(tokens),
        _ => all.saturating_add(1),
    };
    let narrow = |count: u32| count.min(NONE as u32 - 1) as u16;
    Verified {
        steps,
        triggers: narrow(slots(needed.futures, needed.events).max(1)),
        threads: narrow(if needed.waits == 0 {
            0
        } else {
            slots(needed.waits, 0)
        }),
    }
}

/// Instructions that fill slots.
struct Needed {
    futures: u32,
    /// Those futures whose slots stay taken until the instant ends.
    events: u32,
    waits: u32,
}

impl Needed {
    fn of(graph: &Graph<'_>) -> Needed {
        let mut needed = Needed {
            futures: 0,
            events: 0,
            waits: 0,
        };
        for instruction in graph.module.instructions() {
            match instruction.opcode() {
                Some(Opcode::Future) => {
                    needed.futures += 1;
                    let timed =
                        |p: Predicate| p.kind() == Some(PredicateKind::After) && p.value > 0;
                    needed.events +=
                        !graph.module.predicate(instruction.a).is_some_and(timed) as u32;
                }
                Some(Opcode::Dispatch | Opcode::Idle | Opcode::Fork) => needed.waits += 1,
                _ => {}
            }
        }
        needed
    }
}

/// Whether the upcall of a predicate, outside any block, can start a handler.
fn predicates_can_violate(graph: &Graph<'_>) -> bool {
    let module = &graph.module;
    let handlers = module.header().handlers.iter().any(|h| *h != NONE);
    handlers
        && module
            .predicates()
            .any(|p| p.kind() == Some(PredicateKind::Upcall))
}

/// Tokens that the start block leaves, if no later run leaves more than one.
fn count_tokens(graph: &Graph<'_>, scratch: &mut [Scratch]) -> Option<u32> {
    find_components(
        graph,
        scratch,
        |node, slot, _| runs_on(graph, node, slot),
        tokens_of,
    );
    let header = *graph.module.header();
    let handlers = header.handlers.into_iter().filter(|h| *h != NONE);
    let quiet = handlers
        .into_iter()
        .all(|h| value(scratch, graph.handler_node(h)) == 0);
    let single = entries(graph).all(|node| value(scratch, node) <= 1);
    let first = value(scratch, graph.node(header.start));
    (quiet && single && first != MANY).then_some(first.max(1))
}

/// Whether the run itself goes along the edge, rather than another token.
fn runs_on(graph: &Graph<'_>, node: u32, slot: u8) -> bool {
    match graph.instruction(node).map(|(opcode, _)| opcode) {
        Some(Opcode::Idle) | None => false,
        Some(Opcode::Dispatch | Opcode::Future | Opcode::Fork) => slot == 0,
        Some(_) => slot < 2,
    }
}

/// Nodes at which a token can lie.
fn entries<'g>(graph: &'g Graph<'_>) -> impl Iterator<Item = u32> + 'g {
    (0..graph.module.header().instructions).flat_map(|address| {
        let [first, second] = match graph.module.instruction(address).map(|i| (i.opcode(), i)) {
            Some((Some(Opcode::Future), i)) => [Some(i.b), None],
            Some((Some(Opcode::Fork), i)) => [Some(i.a), None],
            Some((Some(Opcode::Idle), _)) => [address.checked_add(1), None],
            Some((Some(Opcode::Dispatch), i)) => [address.checked_add(1), Some(i.c)],
            _ => [None, None],
        };
        [first, second]
            .into_iter()
            .flatten()
            .map(|address| graph.node(address))
    })
}

/// Tokens that a run through a component leaves at most.
fn tokens_of(graph: &Graph<'_>, scratch: &[Scratch], component: &Component) -> u32 {
    let (mut own, mut after) = (0, 0);
    for node in component.nodes(scratch) {
        let (armed, kept) = match graph.instruction(node).map(|(opcode, _)| opcode) {
            Some(Opcode::Future | Opcode::Fork) => (1, 0),
            Some(Opcode::Idle | Opcode::Dispatch) => (0, 1),
            _ => (0, 0),
        };
        if armed > 0 && component.cyclic {
            return MANY;
        }
        own = own.max(armed);
        after = after.max(kept);
        for slot in (0..2).filter(|slot| runs_on(graph, node, *slot)) {
            if let Some(edge) = graph
                .edge(node, slot)
                .filter(|e| !is_inside(scratch, node, e))
            {
                after = after.max(value(scratch, edge.to));
            }
        }
    }
    after.saturating_add(own)
}

/// Steps of the costliest instant with so many tokens.
fn count_steps(graph: &Graph<'_>, scratch: &mut [Scratch], tokens: u32) -> Option<u32> {
    find_components(graph, scratch, |_, _, _| true, cost_of);
    let header = *graph.module.header();
    let costliest = entries(graph)
        .map(|node| value(scratch, node))
        .max()
        .unwrap_or(0);
    let raised = [Violation::Overrun, Violation::Fault].map(|kind| {
        let handler = header
            .handlers
            .get(kind as usize)
            .copied()
            .filter(|h| *h != NONE);
        handler.map_or(0, |h| value(scratch, graph.handler_node(h)))
    });
    let raised = raised.into_iter().fold(0, u32::saturating_add);
    let steps = value(scratch, graph.node(header.start))
        .max(costliest.saturating_mul(tokens))
        .saturating_add(raised.saturating_mul(header.tasks as u32));
    (steps < MANY).then_some(steps)
}

/// Steps of the longest path from a component on.
fn cost_of(graph: &Graph<'_>, scratch: &[Scratch], component: &Component) -> u32 {
    let (mut size, mut again, mut spawned, mut followed) = (0u32, 0u32, 0u32, 0u32);
    let mut all_followed = 0u32;
    for node in component.nodes(scratch) {
        size = size.saturating_add(1);
        let mut handlers = 0;
        for slot in 0..SLOTS {
            let Some(edge) = graph.edge(node, slot) else {
                continue;
            };
            if is_inside(scratch, node, &edge) {
                again += (edge.once || matches!(edge.condition, Condition::Released(_))) as u32;
                continue;
            }
            let cost = value(scratch, edge.to);
            match (slot, edge.spawns) {
                (2.., _) => handlers = cost.max(handlers),
                (_, true) => spawned = spawned.saturating_add(cost),
                (_, false) => {
                    followed = followed.max(cost);
                    all_followed = all_followed.saturating_add(cost);
                }
            }
        }
        spawned = spawned.saturating_add(handlers);
    }
    if component.cyclic {
        // each round may leave the cycle at another fork
        let round = size.saturating_add(spawned).saturating_add(all_followed);
        round.saturating_mul(again.saturating_add(1))
    } else {
        size.saturating_add(spawned).saturating_add(followed)
    }
}

/// A component while it is being closed.
struct Component {
    root: u32,
    cyclic: bool,
}

impl Component {
    fn nodes<'s>(&self, scratch: &'s [Scratch]) -> impl Iterator<Item = u32> + use<'s> {
        core::iter::successors(Some(self.root), |node| rest_of(scratch, *node))
    }
}

fn value(scratch: &[Scratch], node: u32) -> u32 {
    scratch.get(node as usize).map_or(0, |s| s.value)
}

/// Computes a value for each component, sinks first.
fn find_components(
    graph: &Graph<'_>,
    scratch: &mut [Scratch],
    follows: impl Fn(u32, u8, &Edge) -> bool,
    compute: impl Fn(&Graph<'_>, &[Scratch], &Component) -> u32,
) {
    super::components::find(
        graph,
        scratch,
        |_, node, slot, edge| follows(node, slot, edge),
        |scratch, root| {
            let cyclic = rest_of(scratch, root).is_some() || loops(graph, scratch, root, &follows);
            let component = Component { root, cyclic };
            let result = compute(graph, scratch, &component);
            let mut node = Some(root);
            while let Some(s) = node.and_then(|n| scratch.get_mut(n as usize)) {
                s.value = result;
                node = node.and_then(|n| rest_of(scratch, n));
            }
        },
    );
}

fn loops(
    graph: &Graph<'_>,
    scratch: &[Scratch],
    node: u32,
    follows: &impl Fn(u32, u8, &Edge) -> bool,
) -> bool {
    (0..SLOTS)
        .filter_map(|slot| Some((slot, graph.edge(node, slot)?)))
        .any(|(slot, edge)| follows(node, slot, &edge) && is_inside(scratch, node, &edge))
}

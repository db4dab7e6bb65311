//! No code repeats for ever in no time: the search for zero-time cycles.
//!
//! The rule: every cycle of the graph must *take time*. A cycle takes time if
//! what its edges need cannot hold in one instant:
//!
//! - it passes the completion of a task (a dispatch that goes on, a wait or
//!   test that the task is completed) and a release of the same task
//!   (`released(t)`, or `release` itself): within an instant a task can become
//!   released but never completed, so the next round has to run the task. This
//!   is why the S code of the paper may loop: `dispatch t ... idle(released t);
//!   fork a0`;
//! - it waits for `after(d)`, d at least 1 ns, and sets the reference time to
//!   now (`fork`, or a block that `future` starts at once): then d has not
//!   passed. With `jump` instead of `fork` the reference time stays, the
//!   second wait expires at once, and the cycle is refused;
//! - it waits for a port to change from its value at activation, and no code
//!   on any cycle calls a driver that writes the port;
//! - it passes a `future` whose trigger is not enabled by itself when it is
//!   armed: its pair fires at most once an instant. So blocks may arm
//!   `after(d)`, interrupts, messages and port tests for themselves.
//!
//! Whatever else can be true already counts as taking no time, whether it will
//! be or not. What depends on several modules (one waits for a port that
//! another writes) is left to the step bound at run time.

use giornata_abi::instruction::Opcode;

use super::components::{Scratch, find, is_inside};
use super::error::{Location, Reason, VerifyError};
use super::graph::{Condition, Edge, Graph, SLOTS};

/// Rejects code with a cycle that can take no time. Returns whether that rests
/// on ports that no other program writes meanwhile.
pub(super) fn check(graph: &Graph<'_>, scratch: &mut [Scratch]) -> Result<bool, VerifyError> {
    scratch.iter_mut().for_each(|s| (s.cut, s.value) = (0, 0));
    let (mut rests_on_changes, mut round) = (false, 0);
    loop {
        find(graph, scratch, is_kept, |_, _| {});
        let Some(node) = node_on_cycle(graph, scratch) else {
            return Ok(rests_on_changes);
        };
        let changes = cut_changes(graph, scratch);
        rests_on_changes |= changes;
        round += 1;
        if !cut_opposites(graph, scratch, round) && !changes {
            let location = Location::Instruction(graph.address(node));
            return Err(VerifyError {
                location,
                reason: Reason::ZeroTimeCycle,
            });
        }
    }
}

/// Whether an edge takes no time, as far as is known.
fn is_kept(scratch: &[Scratch], node: u32, slot: u8, edge: &Edge) -> bool {
    !edge.once && !is_cut(scratch, node, slot)
}

fn is_cut(scratch: &[Scratch], node: u32, slot: u8) -> bool {
    scratch
        .get(node as usize)
        .is_none_or(|s| s.cut >> slot & 1 != 0)
}

fn cut(scratch: &mut [Scratch], node: u32, slot: u8) {
    if let Some(s) = scratch.get_mut(node as usize) {
        s.cut |= 1 << slot;
    }
}

/// All edges that are kept and lie on a cycle.
fn edges_on_cycles<'g>(
    graph: &'g Graph<'_>,
    scratch: &'g [Scratch],
) -> impl Iterator<Item = (u32, u8, Edge)> + 'g {
    let slots = (0..graph.nodes()).flat_map(|node| (0..SLOTS).map(move |slot| (node, slot)));
    slots.filter_map(|(node, slot)| {
        let edge = graph.edge(node, slot)?;
        let on_cycle = is_kept(scratch, node, slot, &edge) && is_inside(scratch, node, &edge);
        on_cycle.then_some((node, slot, edge))
    })
}

fn node_on_cycle(graph: &Graph<'_>, scratch: &[Scratch]) -> Option<u32> {
    edges_on_cycles(graph, scratch)
        .map(|(node, _, _)| node)
        .next()
}

/// Cuts waits for changes of ports that no code on a cycle writes. Leaves the
/// components as they are.
fn cut_changes(graph: &Graph<'_>, scratch: &mut [Scratch]) -> bool {
    let mut any = false;
    for node in 0..graph.nodes() {
        for slot in 0..2 {
            let Some(edge) = graph.edge(node, slot) else {
                continue;
            };
            if let Condition::Changed(port) = edge.condition
                && !is_cut(scratch, node, slot)
                && is_inside(scratch, node, &edge)
                && !edges_on_cycles(graph, scratch).any(|(node, ..)| writes(graph, node, port))
            {
                cut(scratch, node, slot);
                any = true;
            }
        }
    }
    any
}

/// Whether the node runs a driver that writes the port.
fn writes(graph: &Graph<'_>, node: u32, port: u16) -> bool {
    use giornata_abi::PredicateKind::Upcall;
    let Some((opcode, instruction)) = graph.instruction(node) else {
        return false;
    };
    let upcall = |index| {
        graph
            .module
            .predicate(index)
            .filter(|p| p.kind() == Some(Upcall))
    };
    let driver = match opcode {
        Opcode::Call => Some(instruction.a),
        Opcode::Branch | Opcode::Idle => upcall(instruction.a).map(|p| p.subject),
        Opcode::Dispatch => upcall(instruction.b).map(|p| p.subject),
        _ => None,
    };
    let driver = driver.and_then(|d| graph.module.driver(d));
    driver.is_some_and(|d| graph.module.list(d.writes).any(|written| written == port))
}

/// One round: cuts the edges all of whose cycles need the opposite condition
/// too. Returns whether there was any.
fn cut_opposites(graph: &Graph<'_>, scratch: &mut [Scratch], round: u32) -> bool {
    let before = count_cuts(graph, scratch);
    cut_pair(graph, scratch, Condition::Elapsed, Condition::Reset);
    for node in 0..graph.nodes() {
        for slot in 0..SLOTS {
            let condition = graph.edge(node, slot).map(|edge| edge.condition);
            if let Some(Condition::Completed(task)) = condition
                && mark(scratch, task, round)
            {
                cut_pair(
                    graph,
                    scratch,
                    Condition::Released(task),
                    Condition::Completed(task),
                );
            }
        }
    }
    count_cuts(graph, scratch) > before
}

/// Marks a task as done in this round; false if it was already.
fn mark(scratch: &mut [Scratch], task: u16, round: u32) -> bool {
    scratch
        .get_mut(task as usize)
        .is_some_and(|s| core::mem::replace(&mut s.value, round) != round)
}

fn cut_pair(graph: &Graph<'_>, scratch: &mut [Scratch], one: Condition, other: Condition) {
    cut_without(graph, scratch, one, other);
    cut_without(graph, scratch, other, one);
}

/// Cuts each edge that needs `wanted` and lies on no cycle without `opposite`.
fn cut_without(graph: &Graph<'_>, scratch: &mut [Scratch], wanted: Condition, opposite: Condition) {
    find(
        graph,
        scratch,
        |scratch, node, slot, edge| {
            is_kept(scratch, node, slot, edge) && edge.condition != opposite
        },
        |_, _| {},
    );
    for node in 0..graph.nodes() {
        for slot in 0..SLOTS {
            if let Some(edge) = graph.edge(node, slot)
                && edge.condition == wanted
                && !is_inside(scratch, node, &edge)
            {
                cut(scratch, node, slot);
            }
        }
    }
}

fn count_cuts(graph: &Graph<'_>, scratch: &[Scratch]) -> u32 {
    let nodes = scratch.iter().take(graph.nodes() as usize);
    nodes.map(|s| s.cut.count_ones()).sum()
}

//! The code as a graph of what can run after what in the same instant.
//!
//! A node is an instruction outside handlers, or the same instruction inside a
//! handler, where violations start no further handler. An edge leads to what can run after the node
//! *in no time*: the next instruction, a jump's target, a forked thread, a
//! wait that is over already, the block of a trigger that is enabled already,
//! a handler. What an edge needs to take no time is its [`Condition`].

use giornata_abi::id::NONE;
use giornata_abi::instruction::{Instruction, Opcode};
use giornata_abi::module::Module;
use giornata_abi::{Comparison, Predicate, PredicateKind};

/// Edges that a node can have: next, target, and a handler of each kind.
pub(super) const SLOTS: u8 = 6;

/// What holds whenever an edge is taken in no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    /// Nothing in particular.
    Nothing,
    /// The task has no job.
    Completed(u16),
    /// The task has an uncompleted job. Within an instant a task can become
    /// released, but never completed: that takes time.
    Released(u16),
    /// At least a nanosecond has passed since the reference time.
    Elapsed,
    /// The reference time is now.
    Reset,
    /// The port changed in this instant.
    Changed(u16),
}

/// What can follow a node in the same instant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) to: u32,
    pub(super) condition: Condition,
    /// The node goes on as well.
    pub(super) spawns: bool,
    /// At most once an instant: a trigger's pair that fired waits for a later one.
    pub(super) once: bool,
}

/// The graph of a module's code.
pub(super) struct Graph<'m> {
    pub(super) module: Module<'m>,
    /// 1, or 2 if there are handlers.
    modes: u32,
}

impl<'m> Graph<'m> {
    /// The graph of a module whose contents are sound.
    pub(super) fn of(module: &Module<'m>) -> Graph<'m> {
        let handlers = module.header().handlers.iter().any(|h| *h != NONE);
        Graph {
            module: *module,
            modes: 1 + handlers as u32,
        }
    }

    /// Count of nodes.
    pub(super) fn nodes(&self) -> u32 {
        self.module.header().instructions as u32 * self.modes
    }

    /// The node of an instruction outside handlers.
    pub(super) fn node(&self, address: u16) -> u32 {
        address as u32 * self.modes
    }

    /// The node of an instruction inside a handler.
    pub(super) fn handler_node(&self, address: u16) -> u32 {
        address as u32 * self.modes + self.modes - 1
    }

    /// The address of a node.
    pub(super) fn address(&self, node: u32) -> u16 {
        (node / self.modes) as u16
    }

    /// The instruction of a node.
    pub(super) fn instruction(&self, node: u32) -> Option<(Opcode, Instruction)> {
        let instruction = self.module.instruction(self.address(node))?;
        Some((instruction.opcode()?, instruction))
    }

    /// The edge of a node in a slot, if there is one. O(1).
    pub(super) fn edge(&self, node: u32, slot: u8) -> Option<Edge> {
        let (opcode, instruction) = self.instruction(node)?;
        match slot {
            0 => self.next(node, opcode, &instruction),
            1 => self.target(node, opcode, &instruction),
            _ => self.handler(node, opcode, &instruction, slot - 2),
        }
    }

    fn within(&self, node: u32) -> u32 {
        node % self.modes
    }

    fn same_mode(&self, node: u32, address: u16) -> u32 {
        self.node(address) + self.within(node)
    }

    fn predicate(&self, index: u16) -> Option<Predicate> {
        self.module.predicate(index)
    }

    fn next(&self, node: u32, opcode: Opcode, i: &Instruction) -> Option<Edge> {
        let following = self.address(node).checked_add(1)?;
        let following = Some(following).filter(|a| *a < self.module.header().instructions)?;
        let condition = match opcode {
            Opcode::Return | Opcode::Jump => return None,
            Opcode::Call | Opcode::Future | Opcode::Fork => Condition::Nothing,
            Opcode::Release => Condition::Released(i.a),
            Opcode::Dispatch => Condition::Completed(i.a),
            Opcode::Idle => {
                let condition = holding(&self.predicate(i.a)?)?;
                return Some(Edge::plain(self.node(following), condition));
            }
            Opcode::Branch => failing(&self.predicate(i.a)?)?,
        };
        Some(Edge::plain(self.same_mode(node, following), condition))
    }

    fn target(&self, node: u32, opcode: Opcode, i: &Instruction) -> Option<Edge> {
        match opcode {
            Opcode::Jump => Some(Edge::plain(self.same_mode(node, i.a), Condition::Nothing)),
            Opcode::Branch => {
                let condition = holding(&self.predicate(i.a)?)?;
                Some(Edge::plain(self.same_mode(node, i.b), condition))
            }
            Opcode::Dispatch => Some(Edge::plain(self.node(i.c), holding(&self.predicate(i.b)?)?)),
            Opcode::Fork => Some(Edge::spawned(self.node(i.a), Condition::Reset)),
            Opcode::Future => {
                let trigger = self.predicate(i.a)?;
                let once = match holding(&trigger)? {
                    Condition::Elapsed => return None, // the activation is now
                    Condition::Nothing => !is_enabled_at_activation(&trigger),
                    _ => true,
                };
                Some(Edge {
                    once,
                    ..Edge::spawned(self.node(i.b), Condition::Reset)
                })
            }
            _ => None,
        }
    }

    fn handler(&self, node: u32, opcode: Opcode, i: &Instruction, kind: u8) -> Option<Edge> {
        const TIME_SAFETY: u8 = 0;
        const TIME_SHARE: u8 = 1;
        let address = *self.module.header().handlers.get(kind as usize)?;
        if address == NONE || self.within(node) != 0 {
            return None;
        }
        let is_upcall =
            opcode == Opcode::Branch && self.predicate(i.a)?.kind() == Some(PredicateKind::Upcall);
        let condition = match (opcode, kind) {
            (Opcode::Release, TIME_SAFETY) => Condition::Released(i.a),
            (Opcode::Dispatch, TIME_SHARE) => Condition::Nothing,
            (Opcode::Call, kind) if kind != TIME_SHARE => Condition::Nothing,
            (Opcode::Branch, kind) if kind != TIME_SHARE && is_upcall => Condition::Nothing,
            _ => return None,
        };
        Some(Edge::spawned(self.handler_node(address), condition))
    }
}

impl Edge {
    const fn plain(to: u32, condition: Condition) -> Edge {
        Edge {
            to,
            condition,
            spawns: false,
            once: false,
        }
    }

    const fn spawned(to: u32, condition: Condition) -> Edge {
        Edge {
            to,
            condition,
            spawns: true,
            once: false,
        }
    }
}

/// What follows if the predicate holds at once; `None`: it never does.
fn holding(predicate: &Predicate) -> Option<Condition> {
    use PredicateKind::*;
    let strict = [Comparison::NotEqual, Comparison::Less, Comparison::Greater];
    Some(match predicate.kind()? {
        Never => return None,
        After if predicate.value > 0 => Condition::Elapsed,
        Released => Condition::Released(predicate.subject),
        Completed => Condition::Completed(predicate.subject),
        Changed => Condition::Changed(predicate.subject),
        Activation if strict.iter().any(|c| *c as u8 == predicate.comparison) => {
            Condition::Changed(predicate.subject)
        }
        True | After | Activation | Constant | Interrupt | Message | Upcall => Condition::Nothing,
    })
}

/// What follows if the test fails; `None`: it never does.
fn failing(predicate: &Predicate) -> Option<Condition> {
    Some(match predicate.kind()? {
        PredicateKind::True => return None,
        PredicateKind::Released => Condition::Completed(predicate.subject),
        PredicateKind::Completed => Condition::Released(predicate.subject),
        _ => Condition::Nothing,
    })
}

/// Whether the trigger is enabled whenever it is armed.
fn is_enabled_at_activation(trigger: &Predicate) -> bool {
    matches!(
        trigger.kind(),
        Some(PredicateKind::True | PredicateKind::After | PredicateKind::Activation)
    )
}

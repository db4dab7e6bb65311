//! A module in the indices of its interface.

use giornata_abi::id::NONE;
use giornata_abi::instruction::{Instruction, Opcode, Operand};
use giornata_abi::linked::Times;
use giornata_abi::load::{Frame, Linked, LinkedWait};
use giornata_abi::module::{Module, PortKind};
use giornata_abi::{Comparison, Predicate, PredicateKind, ValueType};

use super::error::LinkError;

/// A verified module whose operands are indices of an interface.
#[derive(Clone, Copy, Debug)]
pub struct LinkedModule<'m> {
    pub(super) module: Module<'m>,
    pub(super) maps: Maps<&'m [u16]>,
    pub(super) steps: u32,
}

/// The map, one part for each table of symbols: the interface's index for each
/// index of the module.
#[derive(Clone, Copy, Debug)]
pub(super) struct Maps<M> {
    pub(super) tasks: M,
    pub(super) drivers: M,
    pub(super) ports: M,
    pub(super) interrupts: M,
    pub(super) mailboxes: M,
}

/// Splits the caller's memory into the parts of the map; `None` if it is too short.
pub(super) fn split_map<'m>(
    module: &Module<'_>,
    map: &'m mut [u16],
) -> Option<Maps<&'m mut [u16]>> {
    let header = module.header();
    let (tasks, rest) = map.split_at_mut_checked(header.tasks.into())?;
    let (drivers, rest) = rest.split_at_mut_checked(header.drivers.into())?;
    let (ports, rest) = rest.split_at_mut_checked(header.ports.into())?;
    let (interrupts, rest) = rest.split_at_mut_checked(header.interrupts.into())?;
    let (mailboxes, _) = rest.split_at_mut_checked(header.mailboxes.into())?;
    Some(Maps {
        tasks,
        drivers,
        ports,
        interrupts,
        mailboxes,
    })
}

/// The entry of a map; NONE if there is none.
pub(super) fn look_up(map: &[u16], index: u16) -> u16 {
    map.get(usize::from(index)).copied().unwrap_or(NONE)
}

impl<'m> LinkedModule<'m> {
    /// The module before linking.
    pub fn module(&self) -> &Module<'m> {
        &self.module
    }

    /// How its durations become ticks of a timer of that rate; `None`: they divide them too
    /// finely. O(its predicates and durations).
    pub fn times(&self, hertz: u32) -> Option<Times> {
        Times::of(&self.module, hertz)
    }

    /// What the kernel needs besides the records. `times`: see [`times`](Self::times).
    pub fn frame(&self, times: &Times) -> Frame {
        let header = self.module.header();
        Frame {
            instructions: header.instructions,
            predicates: header.predicates,
            durations: 0,
            start: header.start,
            round: header.round,
            resume: header.resume,
            handlers: header.handlers,
            denominator: times.parts,
            max_steps: self.steps,
            tag: header.crc,
        }
    }

    /// The linked instruction at an address. O(1).
    pub fn instruction(&self, address: u16) -> Option<Instruction> {
        let own = self.module.instruction(address)?;
        let [a, b, c] = own.opcode().map_or([Operand::None; 3], Opcode::operands);
        Some(Instruction {
            a: self.operand(a, own.a),
            b: self.operand(b, own.b),
            c: self.operand(c, own.c),
            ..own
        })
    }

    fn operand(&self, kind: Operand, value: u16) -> u16 {
        match kind {
            Operand::Task => look_up(self.maps.tasks, value),
            Operand::Driver => look_up(self.maps.drivers, value),
            // These name the module's own pools and code.
            Operand::None
            | Operand::Predicate
            | Operand::Test
            | Operand::Duration
            | Operand::Address => value,
        }
    }

    /// The linked predicate at an index. O(1).
    pub fn predicate(&self, index: u16) -> Option<Predicate> {
        use PredicateKind::*;
        let own = self.module.predicate(index)?;
        let map = match own.kind()? {
            True | Never | After => return Some(own),
            Released | Completed => self.maps.tasks,
            Changed | Constant | Activation => self.maps.ports,
            Interrupt => self.maps.interrupts,
            Message => self.maps.mailboxes,
            Upcall => self.maps.drivers,
        };
        let subject = look_up(map, own.subject);
        let value = self.map_of_constant(&own).map_or(own.value, |map| {
            let local = u16::try_from(own.value).unwrap_or(NONE);
            look_up(map, local).into()
        });
        Some(Predicate {
            subject,
            value,
            ..own
        })
    }

    /// The map for the constant of a predicate, if that is an index: ports that
    /// tell a handler whom a violation concerns hold the index of a task or driver.
    fn map_of_constant(&self, predicate: &Predicate) -> Option<&'m [u16]> {
        if predicate.kind() != Some(PredicateKind::Constant) {
            return None;
        }
        let port = self.module.port(predicate.subject)?;
        match PortKind::from_code(port.kind)? {
            PortKind::ViolationTask => Some(self.maps.tasks),
            PortKind::ViolationDriver => Some(self.maps.drivers),
            _ => None,
        }
    }

    /// Refuses order comparisons with such constants: the interface's indices
    /// are in another order.
    pub(super) fn check_comparisons(&self) -> Result<(), LinkError<'m>> {
        let compares_order = |p: &Predicate| {
            let comparison = Comparison::from_code(p.comparison);
            self.map_of_constant(p).is_some()
                && !matches!(comparison, Some(Comparison::Equal | Comparison::NotEqual))
        };
        let Some(found) = self.module.predicates().find(compares_order) else {
            return Ok(());
        };
        let port = self.module.port(found.subject);
        Err(LinkError::Ordered(
            port.map_or("", |port| self.module.text(port.name)),
        ))
    }

    /// The record of the instruction at an address, for the kernel. O(1).
    pub fn staged_instruction(&self, address: u16, times: &Times) -> Option<Linked> {
        let own = self.instruction(address)?;
        let deadline = self.module.duration(own.b);
        let deadline = deadline.map(|own| times.ticks(own.nanos, own.remainder));
        Some(Linked::of(&own, deadline))
    }

    /// The record of the predicate at an index, for the kernel. O(1).
    pub fn staged_predicate(&self, index: u16, times: &Times) -> Option<LinkedWait> {
        let (own, linked) = (self.module.predicate(index)?, self.predicate(index)?);
        let port = match own.kind() {
            Some(PredicateKind::Constant) => self.module.port(own.subject),
            _ => None,
        };
        let order = port.and_then(|port| ValueType::from_code(port.value_type));
        Some(LinkedWait::of(&linked, times, order))
    }

    /// The tasks that its code releases, by the interface's index, in the order
    /// of the code, with repetitions. O(code).
    pub fn released(&self) -> impl Iterator<Item = u16> + use<'m> {
        let tasks = self.maps.tasks;
        let releases = |i: &Instruction| i.opcode() == Some(Opcode::Release);
        let all = self.module.instructions().filter(releases);
        all.map(|release| look_up(tasks, release.a))
    }
}

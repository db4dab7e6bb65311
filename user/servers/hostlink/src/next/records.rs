//! A module as the second kernel takes it: in ticks of the timer and order keys.

use giornata_abi::load::{Frame, Section};
use giornata_abi::next::linked::Times;
use giornata_abi::next::load::{Linked, LinkedWait};
use giornata_abi::{Error, Instruction, Opcode, Predicate, PredicateKind, ValueType};
use giornata_hostlink_wire::Code;
use giornata_microcode::interface::LinkedModule;

use crate::pieces::stage_all;
use crate::programs::Programs;
use crate::words::{Refused, refuse};

/// The conversion of every duration of a module; `None`: 31 bits cannot name the parts of
/// a tick that they need.
fn times(linked: &LinkedModule<'_>) -> Option<Times> {
    let frame = linked.frame();
    let none = Times::new(frame.denominator, giornata_rt::clock::hertz());
    let predicates = (0..frame.predicates).map_while(|at| linked.predicate(at));
    let waits = predicates
        .filter(|own| own.kind() == Some(PredicateKind::After))
        .map(|own| (own.value, own.remainder));
    let durations = (0..frame.durations).map_while(|at| linked.duration(at));
    let mut all = waits.chain(durations.map(|own| (own.nanos, own.remainder)));
    all.try_fold(none, |times, (nanos, remainder)| {
        times.including(nanos, remainder)
    })
}

/// What the kernel needs besides the records.
pub(crate) fn frame(linked: &LinkedModule<'_>) -> Result<Frame, Refused> {
    let times = times(linked).ok_or_else(|| {
        refuse(
            Code::Unfit,
            format_args!(
                "durations of the module divide ticks of the timer too finely; write multiples of a tick"
            ),
        )
    })?;
    Ok(Frame {
        durations: 0,
        denominator: times.parts,
        ..linked.frame()
    })
}

/// Writes the records into the spare room of a program.
pub(crate) fn stage(
    program: u16,
    linked: &LinkedModule<'_>,
    programs: &mut impl Programs,
) -> Result<(), Error> {
    let (times, frame) = (times(linked).ok_or(Error::EINVAL)?, linked.frame());
    let instruction = |at| {
        let own: Instruction = linked.instruction(at)?;
        let deadline = match own.opcode() {
            Some(Opcode::Release) => linked.duration(own.b),
            _ => None,
        };
        let deadline = deadline.map(|own| times.ticks(own.nanos, own.remainder));
        Some(Linked::of(&own, deadline))
    };
    let instructions = (0..frame.instructions).map_while(instruction);
    stage_all(program, Section::Instructions, instructions, programs)?;
    let predicate = |at| {
        let own: Predicate = linked.predicate(at)?;
        // (the type is told by the module's own number of the port)
        let port = match own.kind() {
            Some(PredicateKind::Constant) => linked.module().predicate(at)?.subject,
            _ => u16::MAX,
        };
        let port = linked.module().port(port);
        let order = port.and_then(|port| ValueType::from_code(port.value_type));
        Some(LinkedWait::of(&own, &times, order))
    };
    let predicates = (0..frame.predicates).map_while(predicate);
    stage_all(program, Section::Predicates, predicates, programs)
}

//! A module as the first kernel takes it: with the records of its file.

use giornata_abi::Error;
use giornata_abi::load::{Frame, Section};
use giornata_microcode::interface::LinkedModule;

use crate::pieces::stage_all;
use crate::programs::Programs;
use crate::words::Refused;

/// What the kernel needs besides the records.
pub(crate) fn frame(linked: &LinkedModule<'_>) -> Result<Frame, Refused> {
    Ok(linked.frame())
}

/// Writes the records into the spare room of a program.
pub(crate) fn stage(
    program: u16,
    linked: &LinkedModule<'_>,
    programs: &mut impl Programs,
) -> Result<(), Error> {
    let frame = linked.frame();
    let instructions = (0..frame.instructions).map_while(|at| linked.instruction(at));
    stage_all(program, Section::Instructions, instructions, programs)?;
    let predicates = (0..frame.predicates).map_while(|at| linked.predicate(at));
    stage_all(program, Section::Predicates, predicates, programs)?;
    let durations = (0..frame.durations).map_while(|at| linked.duration(at));
    stage_all(program, Section::Durations, durations, programs)
}

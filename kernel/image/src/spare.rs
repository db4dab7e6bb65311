//! The spare tables of microcode, behind all others of a system.

use giornata_abi::instruction::{DurationEntry, Instruction};
use giornata_abi::predicate::Predicate;
use giornata_abi::system::{FLAG_SPARE, ProgramEntry, SystemHeader};
use giornata_arch_riscv::Places;

use crate::blob::{Refusal, end};

/// Where they lie if the system at `start` has them; its other tables end at `at`.
pub(crate) fn find(
    header: &SystemHeader,
    mut at: usize,
    start: usize,
) -> Result<Option<Places>, Refusal> {
    if header.flags & FLAG_SPARE == 0 {
        return Ok(None);
    }
    let sizes = [
        (header.programs as usize, size_of::<ProgramEntry>()),
        (header.instructions as usize, size_of::<Instruction>()),
        (header.predicates as usize, size_of::<Predicate>()),
        (header.durations as usize, size_of::<DurationEntry>()),
    ];
    let mut places = [0; 4];
    for (place, (count, size)) in places.iter_mut().zip(sizes) {
        *place = at;
        at = end(at, count, size);
    }
    match at <= end(start, header.length as usize, 1) {
        true => Ok(Some(places)),
        false => Err(Refusal::Length),
    }
}

//! Windows of Psi programs against the timer of the board.

use crate::board::Board;
use crate::file::{Spanned, SystemFile};
use crate::problem::{Problem, Refusal};
use crate::project::parse;
use giornata_abi::{Opcode, PredicateKind};
use giornata_lang::Language;

/// Nanoseconds in a second.
const SECOND: u128 = 1_000_000_000;

/// Refuses a program of windows one of which is shorter than a tick of the board's
/// timer: it would begin and end at one tick, and a trigger fires once at each.
/// O(instructions).
pub(crate) fn check(
    file: &SystemFile,
    source: &Spanned<String>,
    bytes: &[u8],
    board: &Board,
) -> Result<(), Refusal> {
    let module = parse(file, source, bytes)?;
    let written = module.text(module.header().source);
    if Language::of_file(written) != Some(Language::Psi) {
        return Ok(());
    }
    for (address, instruction) in (0u16..).zip(module.instructions()) {
        let wait = match instruction.opcode() {
            Some(Opcode::Future) => module.predicate(instruction.a),
            _ => None,
        };
        let time = wait.filter(|wait| wait.kind() == Some(PredicateKind::After));
        let Some(time) = time.map(|wait| wait.value) else {
            continue;
        };
        if u128::from(time) * u128::from(board.timer_hertz) < SECOND {
            let line = module.position(address).map_or(0, |place| place.line);
            let tick = SECOND.div_ceil(u128::from(board.timer_hertz.max(1)));
            let reason = format!(
                "{written}, line {line}: a window of {time} ns is shorter than a tick of {}, {tick} ns",
                board.name
            );
            let mend = "widen the window, or choose a board whose timer is faster";
            let problem = Problem::new(reason, mend);
            return Err(problem.at(&file.source, source.span()).into());
        }
    }
    Ok(())
}

//! How many steps an instant of a program takes at most.

use giornata_abi::id::NONE;
use giornata_abi::trace::Violation;
use giornata_abi::{Instruction, Opcode};

use crate::assembler::longest_path;

/// Instructions of a handler block: a call and a return.
const HANDLER_STEPS: u32 = 2;

/// The most steps that an instant of the program can take. A driver can meet a
/// time-safety violation, an overrun or a fault, one at a time, a release only
/// the first; and at any instant any job can overrun, and any process fault.
pub(crate) fn most_steps(code: &[Instruction], handlers: &[u16; 4], tasks: u32) -> u32 {
    let handler = |kind: Violation| {
        if handlers[kind as usize] == NONE {
            0
        } else {
            HANDLER_STEPS
        }
    };
    let (safety, overrun, fault) = (
        handler(Violation::TimeSafety),
        handler(Violation::Overrun),
        handler(Violation::Fault),
    );
    let cost = |instruction: &Instruction| match instruction.opcode() {
        Some(Opcode::Call) => 1 + safety.max(overrun).max(fault),
        Some(Opcode::Release) => 1 + safety,
        _ => 1,
    };
    // Handlers lie behind the program: none of its paths leads into them.
    let first_handler = handlers
        .iter()
        .copied()
        .min()
        .map_or(code.len(), usize::from);
    let program = code.get(..first_handler).unwrap_or(code);
    longest_path(program, cost) + tasks * (overrun + fault)
}

//! The verifier: decides whether a module may be loaded.
//!
//! It checks what the interpreter relies on (opcodes, operands, addresses),
//! what the rest of the system relies on (kinds, types and lists of ports,
//! drivers and tasks), and that no code can repeat for ever in no time
//! (`termination`); and it computes how many steps one instant can take
//! (`bound`). The frame of the file is checked by
//! [`Module::parse`](giornata_abi::module::Module::parse).
//!
//! No heap: the caller provides one [`Scratch`] for each node of the code's
//! graph, see [`scratch_needed`].

mod bound;
mod components;
mod contents;
mod error;
mod graph;
mod termination;

use giornata_abi::id::NONE;
use giornata_abi::module::Module;

pub use components::Scratch;
pub use error::{Location, Reason, VerifyError};

use graph::Graph;

/// What the verifier computed for a module that it accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Most microcode steps in one instant. Decidable where every run of a block
    /// or thread, except the start block, leaves at most one trigger or thread.
    /// `None`: the builder sets a bound and the machine enforces it.
    pub steps: Option<u32>,
    /// Binding slots that the module needs; without a decided bound, for one
    /// binding of each `future`.
    pub triggers: u16,
    /// Thread slots that the module needs; without a decided bound, for one
    /// instance of each dispatch, idle and fork.
    pub threads: u16,
}

/// How many [`Scratch`] records [`verify`] needs: two for each instruction,
/// at least one for each port and task. O(1).
pub fn scratch_needed(module: &Module<'_>) -> usize {
    let header = module.header();
    let code = 2 * header.instructions as usize;
    code.max(header.ports as usize).max(header.tasks as usize)
}

/// Verifies a module. O(size) for its contents; termination is linear in the
/// code for each task that S code both waits for and runs, times the rounds in
/// which such waits are found to break cycles (one or two in practice).
pub fn verify(module: &Module<'_>, scratch: &mut [Scratch]) -> Result<Verified, VerifyError> {
    if scratch.len() < scratch_needed(module) {
        return Err(VerifyError {
            location: Location::Header,
            reason: Reason::Scratch,
        });
    }
    contents::check(module, scratch)?;
    let graph = Graph::of(module);
    let rests_on_changes = termination::check(&graph, scratch)?;
    let verified = bound::compute(&graph, scratch, rests_on_changes);
    let declared = module.header().max_steps;
    match verified.steps {
        Some(needed) if declared != 0 && declared < needed => Err(VerifyError {
            location: Location::Header,
            reason: Reason::Steps { declared, needed },
        }),
        _ => Ok(verified),
    }
}

/// Whether an address names an instruction, or is NONE.
fn is_handler(address: u16, instructions: u16) -> bool {
    address == NONE || address < instructions
}

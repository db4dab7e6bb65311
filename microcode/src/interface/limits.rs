//! What a program slot offers a module besides symbols, and the checks of it.

use giornata_abi::module::Module;

use super::error::{LinkError, Resource};
use crate::verify::Verified;

/// Capacities of a program slot that its module may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Instructions.
    pub instructions: u16,
    /// Predicates.
    pub predicates: u16,
    /// Durations.
    pub durations: u16,
    /// Microcode steps in one instant.
    pub steps: u32,
    /// Slots of the trigger queue.
    pub triggers: u16,
    /// Slots of the thread set.
    pub threads: u16,
}

impl Limits {
    /// The limits as words, in the order of the fields: the builder's format for a loader.
    pub const fn words(&self) -> [u32; 6] {
        [
            self.instructions as u32,
            self.predicates as u32,
            self.durations as u32,
            self.steps,
            self.triggers as u32,
            self.threads as u32,
        ]
    }

    /// Reads what [`words`](Self::words) wrote; a word beyond its field saturates.
    pub const fn from_words(words: [u32; 6]) -> Limits {
        const fn narrow(word: u32) -> u16 {
            if word > u16::MAX as u32 {
                u16::MAX
            } else {
                word as u16
            }
        }
        let [
            instructions,
            predicates,
            durations,
            steps,
            triggers,
            threads,
        ] = words;
        Limits {
            instructions: narrow(instructions),
            predicates: narrow(predicates),
            durations: narrow(durations),
            steps,
            triggers: narrow(triggers),
            threads: narrow(threads),
        }
    }
}

/// Checks that there is room for the records. Runs before the verifier, because
/// callers size its scratch memory by these limits.
pub(super) fn check_room<'m>(module: &Module<'m>, limits: &Limits) -> Result<(), LinkError<'m>> {
    use Resource::*;
    let header = module.header();
    check_limit(Instructions, header.instructions, limits.instructions)?;
    check_limit(Predicates, header.predicates, limits.predicates)?;
    check_limit(Durations, header.durations, limits.durations)
}

/// Checks what the verifier computed; returns the module's step bound.
pub(super) fn check_demand<'m>(
    module: &Module<'m>,
    verified: &Verified,
    limits: &Limits,
) -> Result<u32, LinkError<'m>> {
    check_limit(Resource::Triggers, verified.triggers, limits.triggers)?;
    check_limit(Resource::Threads, verified.threads, limits.threads)?;
    // Where no bound is declared or decidable, the kernel enforces the slot's.
    let declared = Some(module.header().max_steps).filter(|steps| *steps != 0);
    let steps = declared.or(verified.steps).unwrap_or(limits.steps);
    check_limit(Resource::Steps, steps, limits.steps)?;
    Ok(steps)
}

fn check_limit<'m>(
    resource: Resource,
    needed: impl Into<u32>,
    allowed: impl Into<u32>,
) -> Result<(), LinkError<'m>> {
    let (needed, allowed) = (needed.into(), allowed.into());
    if needed <= allowed {
        return Ok(());
    }
    Err(LinkError::LimitExceeded {
        resource,
        needed,
        allowed,
    })
}

//! The properties in which the old and the new module must match for a change that
//! carries over.

use giornata_abi::id::NONE;
use giornata_abi::module::Module;
use giornata_microcode::interface::LinkedModule;

use crate::words::{Refused, refuse};
use giornata_hostlink_wire::Code;

/// The most tasks of an interface that the comparison supports.
const TASKS: usize = 256;

/// The properties of a module that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    round: u16,
    resume: u16,
    denominator: u32,
    /// Tasks that its code releases, one bit for each index in the interface;
    /// `None` if an index is too large.
    released: Option<[u32; TASKS / 32]>,
}

impl Facts {
    /// The properties of a linked module.
    pub(crate) fn of(linked: &LinkedModule<'_>) -> Facts {
        Facts::new(linked.module(), linked.released())
    }

    /// The properties of the interface's own code.
    pub(crate) fn of_interface(interface: &Module<'_>) -> Facts {
        use giornata_abi::instruction::Opcode;
        let all = interface.instructions();
        let releases = all.filter(|i| i.opcode() == Some(Opcode::Release));
        Facts::new(interface, releases.map(|release| release.a))
    }

    fn new(module: &Module<'_>, released: impl Iterator<Item = u16>) -> Facts {
        let mut bits = Some([0u32; TASKS / 32]);
        for task in released {
            let word = |bits: &mut [u32; TASKS / 32]| {
                let word = bits.get_mut(usize::from(task / 32))?;
                *word |= 1 << (task % 32);
                Some(())
            };
            if bits.as_mut().and_then(word).is_none() {
                bits = None;
            }
        }
        let header = module.header();
        Facts {
            round: header.round,
            resume: header.resume,
            denominator: header.denominator,
            released: bits,
        }
    }

    /// Checks whether this module can continue at the next round of the module `before`.
    pub(crate) fn follow(&self, before: Option<&Facts>) -> Result<(), Refused> {
        let refuse = |words| Err(refuse(Code::CarryOver, format_args!("{words}")));
        let Some(before) = before else {
            return refuse(
                "nothing runs there, or nothing that this server knows; load without carrying over",
            );
        };
        if self.resume == NONE {
            return refuse(
                "the module has no block that goes on with a round; compile it from Giotto, or load without carrying over",
            );
        }
        if before.round == NONE {
            return refuse("the module that runs has no rounds; load without carrying over");
        }
        if self.denominator != before.denominator {
            return refuse(
                "the two modules divide the nanosecond differently; give them the same periods, or load without carrying over",
            );
        }
        if self.released.is_none() || self.released != before.released {
            return refuse(
                "the module releases other tasks than the one that runs; release the same, or load without carrying over",
            );
        }
        Ok(())
    }
}

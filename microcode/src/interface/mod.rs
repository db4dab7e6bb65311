//! Linking of a module against a symbolic interface.
//!
//! A program slot whose module may be replaced at run time has an *interface*: a
//! module whose symbol tables name everything that may be used there, in the
//! order of the kernel's tables. A new module uses any part of it, by name and
//! with equal meaning, drivers by their meaning alone; its code is free.
//!
//! ```text
//!   module's symbols        map            interface's symbols
//!   0 port angle      --->  [2, 0]         0 port servo
//!   1 port servo                           1 port rate
//!                                          2 port angle
//! ```
//!
//! The Map Invariant: an entry of the map names a symbol of the interface with
//! the same meaning, and no two entries of a table name the same symbol, except
//! drivers. So whatever the [verifier](crate::verify) finds of the module holds
//! for the linked code: what it takes for two tasks are two; of a driver it uses
//! only what it writes. What symbols state for analyses (execution times,
//! priorities) may differ; the system's own values apply.
//!
//! No heap: the caller provides the verifier's scratch memory and the map.

mod error;
mod limits;
mod linked;
mod matching;

use giornata_abi::module::Module;

pub use error::{Difference, LinkError, Resource, SymbolKind};
pub use limits::Limits;
pub use linked::LinkedModule;

use crate::verify::{Scratch, verify};
use matching::Matcher;

/// Entries of the map that [`link`] fills for a module: one per symbol. O(1).
pub fn map_needed(module: &Module<'_>) -> usize {
    let header = module.header();
    let tables = [
        header.tasks,
        header.drivers,
        header.ports,
        header.interrupts,
        header.mailboxes,
    ];
    tables.into_iter().map(usize::from).sum()
}

/// Verifies `module` and links it against `interface`, whose own contents the
/// caller vouches for. `scratch` is as long as
/// [`scratch_needed`](crate::verify::scratch_needed) says, `map` as
/// [`map_needed`]. O(the verifier's, plus the product of the symbol counts).
///
/// # Errors
/// The first thing that the slot does not admit.
pub fn link<'m>(
    module: Module<'m>,
    interface: &Module<'_>,
    limits: &Limits,
    scratch: &mut [Scratch],
    map: &'m mut [u16],
) -> Result<LinkedModule<'m>, LinkError<'m>> {
    limits::check_room(&module, limits)?;
    let verified = verify(&module, scratch).map_err(LinkError::Rejected)?;
    let steps = limits::check_demand(&module, &verified, limits)?;
    let maps = linked::split_map(&module, map).ok_or(LinkError::MapTooShort)?;
    let matcher = Matcher {
        module,
        interface: *interface,
    };
    let linked = LinkedModule {
        module,
        maps: matcher.match_all(maps)?,
        steps,
    };
    linked.check_comparisons()?;
    Ok(linked)
}

//! Where the threads of a model begin.

use crate::model::{Model, Thread};
use crate::names::ThreadRole;
use crate::place::ProcessPlacement;
use giornata_abi::process::FunctionKind;

/// Where a thread begins.
pub(crate) struct Start {
    /// The start code.
    pub(crate) entry: u32,
    /// The body that this runs.
    pub(crate) body: u32,
    /// What the body gets.
    pub(crate) argument: u32,
}

impl Start {
    pub(crate) fn of(
        model: &Model,
        index: u16,
        thread: &Thread,
        place: &ProcessPlacement,
    ) -> Start {
        let kind = match thread.role {
            ThreadRole::Task => FunctionKind::Task,
            ThreadRole::Upcall => FunctionKind::Driver,
            ThreadRole::Thread => FunctionKind::Thread,
        };
        let body = model
            .function_of(index)
            .and_then(|f| place.bodies.get(f))
            .copied();
        Start {
            entry: place.start.get(kind as usize).copied().unwrap_or(0),
            body: body.unwrap_or(0),
            argument: match thread.role {
                ThreadRole::Thread => place.area.wrapping_add(thread.control),
                _ => place.area.wrapping_add(thread.block),
            },
        }
    }
}

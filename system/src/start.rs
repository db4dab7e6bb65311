//! Where the threads of a model begin.

use crate::model::{Model, Thread};
use crate::names::ThreadRole;
use crate::place::ProcessPlacement;
use crate::streams;
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
            // (its body calls the functions of the filter)
            ThreadRole::Thread | ThreadRole::Filter => FunctionKind::Thread,
        };
        let body = model
            .function_of(index)
            .and_then(|f| place.bodies.get(f))
            .copied();
        Start {
            entry: place.start.get(kind as usize).copied().unwrap_or(0),
            body: match thread.role {
                ThreadRole::Filter => place.run_filter,
                _ => body.unwrap_or(0),
            },
            argument: match thread.role {
                ThreadRole::Thread => place.area.wrapping_add(thread.control),
                ThreadRole::Filter => {
                    let words = streams::words(model, thread.process, |_| 0, |_| 0);
                    place.filters.wrapping_add(words.offset(index))
                }
                _ => place.area.wrapping_add(thread.block),
            },
        }
    }
}

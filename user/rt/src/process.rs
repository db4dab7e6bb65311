//! What a process provides, as the attributes describe it and
//! [`process!`](macro@crate::process) lists it.

pub use giornata_abi::process::{
    Body, Direction, Function, FunctionKind, Parameter, ProcessTable, TABLE_MAGIC,
};

/// Implemented by [`macro@crate::task`] for a type with the function's name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a task",
    label = "listed under `tasks`",
    note = "put `#[task]` before the function, or list it under `drivers` or `threads`"
)]
pub trait TaskFunction {
    /// The function's entry in the table.
    const FUNCTION: Function;
}

/// Implemented by [`macro@crate::driver`] for a type with the function's name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a driver",
    label = "listed under `drivers`",
    note = "put `#[driver]` before the function, or list it under `tasks` or `threads`"
)]
pub trait DriverFunction {
    /// The function's entry in the table.
    const FUNCTION: Function;
}

/// Implemented by [`macro@crate::filter`] for a type with the function's name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no function of a filter",
    label = "listed under `filters`",
    note = "put `#[filter]` before the function, or list it under `tasks`, `drivers` or `threads`"
)]
pub trait FilterFunction {
    /// The function's entry in the table.
    const FUNCTION: Function;
}

/// Implemented by [`macro@crate::thread`] for a type with the function's name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a thread",
    label = "listed under `threads`",
    note = "put `#[thread]` before the function, or list it under `tasks` or `drivers`"
)]
pub trait ThreadFunction {
    /// The function's entry in the table.
    const FUNCTION: Function;
}

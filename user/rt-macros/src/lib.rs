//! The attributes of `giornata-rt`: they turn plain functions into the tasks,
//! drivers, threads and filters of a process, and list them in its table.
//!
//! Use them through `giornata-rt`; the generated code names it.

mod body;
mod function;
mod table;
mod type_name;
mod value;

use proc_macro::TokenStream;

use function::Kind;

/// A task: runs one job per release. Inputs are `&T`, outputs `&mut T`, and
/// `#[state(init)] name: &mut S` is kept from job to job; `init` makes it at
/// the first job after a start or restart of the process. `S` is `Clone`: each
/// job works on a copy, and a job that is stopped because its budget is used up
/// leaves the state as it was.
///
/// The values of `T` are plain bytes (see `PortValue`) or `bool`. An output
/// holds the last job's value until it is assigned, and leaves the task when
/// the function returns: a job that is stopped leaves the old values.
#[proc_macro_attribute]
pub fn task(attribute: TokenStream, item: TokenStream) -> TokenStream {
    function::expand(Kind::Task, attribute.into(), item.into()).into()
}

/// A driver: an upcall in logical zero time, for sensors, actuators, guards,
/// initialisers and handlers. Parameters as of a task.
///
/// A driver that returns `bool` is a guard. A returned value of any type but
/// `usize` is one more output, after the others; a returned `usize` is the
/// upcall's value in the trace.
#[proc_macro_attribute]
pub fn driver(attribute: TokenStream, item: TokenStream) -> TokenStream {
    function::expand(Kind::Driver, attribute.into(), item.into()).into()
}

/// A thread: runs from start to end and may block. Takes nothing, or its
/// control page as `control: Control`; returns nothing, or `!`.
#[proc_macro_attribute]
pub fn thread(attribute: TokenStream, item: TokenStream) -> TokenStream {
    function::expand(Kind::Thread, attribute.into(), item.into()).into()
}

/// A function of a filter of a stream graph: runs an instance. Inputs are `&Tokens<T>`, the
/// outputs `&mut Room<T>`, in the order of the graph's program, and `T` is the type of a token;
/// `#[state(init)] name: &mut S` as of a task. Returns nothing.
#[proc_macro_attribute]
pub fn filter(attribute: TokenStream, item: TokenStream) -> TokenStream {
    function::expand(Kind::Filter, attribute.into(), item.into()).into()
}

/// The table of a process: `process! { tasks: [a, b], drivers: [c], threads: [d], filters: [e] }`.
///
/// Gives the crate `pub fn process() -> &'static ProcessTable`, and on the
/// bare target the symbol that the builder reads.
#[proc_macro]
pub fn process(input: TokenStream) -> TokenStream {
    table::expand(input.into()).into()
}

/// Makes a struct the value of ports: lays it out as C does and derives
/// `Clone`, `Copy` and what `PortValue` asks for. Padding is refused.
#[proc_macro_attribute]
pub fn value(attribute: TokenStream, item: TokenStream) -> TokenStream {
    value::expand(attribute.into(), item.into()).into()
}

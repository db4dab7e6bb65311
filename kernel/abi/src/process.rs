//! How a process names its functions: the table that `giornata-rt` puts into
//! every image under [`TABLE_SYMBOL`], and that the builder and the simulator
//! read.
//!
//! A *block* is the memory through which values enter and leave a task or
//! driver: the parameters in order (inputs, then outputs, as declared), each at
//! the next multiple of 8 bytes. States have no place in it.

use crate::rate::Rate;
use crate::record::record;

/// The symbol of the [`ProcessTable`] in a process image.
pub const TABLE_SYMBOL: &str = "GIORNATA_PROCESS";
/// First word of the table.
pub const TABLE_MAGIC: usize = 0x4750_5431;
/// Symbol of the code at which every task, thread and upcall starts.
///
/// `a0` = first argument (block address), `a1` = body function; calls the body
/// and then completes, exits or returns by kind, see [`FunctionKind`].
pub const START_SYMBOLS: [&str; 3] = [
    "giornata_start_task",
    "giornata_start_driver",
    "giornata_start_thread",
];
/// Symbols of what fills the caller's thread-local variables with their initial values and
/// then goes on at the start code of that kind, in processes that have such variables.
pub const LOCAL_START_SYMBOLS: [&str; 3] = [
    "giornata_start_local_task",
    "giornata_start_local_driver",
    "giornata_start_local_thread",
];
/// Symbols that the builder defines around the addresses of functions that run before any
/// other of the process: constructors of C++, and functions that C sources declare so. If
/// there are any, threads start at the code of [`LOCAL_START_SYMBOLS`], of which the first
/// calls them.
pub const CONSTRUCTORS_SYMBOLS: [&str; 2] =
    ["__giornata_constructors", "__giornata_constructors_end"];
/// Symbols that the builder defines where a process has thread-local variables: address of
/// their initial values, address behind those, bytes of all of them; each a multiple of 8.
pub const LOCALS_SYMBOLS: [&str; 3] = [
    "__giornata_locals",
    "__giornata_locals_end",
    "__giornata_locals_bytes",
];
/// Optional symbols around the process's restartable sequences. A thread that loses the
/// processor between them, or is interrupted there while a timeout may write a word of its
/// process, goes on where its block of [`RESTARTABLE_BLOCK`] bytes begins, so each block can be
/// executed anew from its beginning as long as its last instruction has not been.
pub const RESTARTABLE_SYMBOLS: [&str; 2] =
    ["giornata_restartable_begin", "giornata_restartable_end"];
/// Bytes, a power of two, from a multiple of them on.
pub const RESTARTABLE_BLOCK: usize = 32;

/// The symbol of the [filters](crate::filter) that the builder lays beside the constants of a
/// process that has some.
pub const FILTERS_SYMBOL: &str = "GIORNATA_FILTERS";
/// The symbol of the code that runs the instances of a filter. It is the body of its thread,
/// whose argument is the address of the filter's words.
pub const FILTER_SYMBOL: &str = "giornata_run_filter";

/// The symbol of the [`Grants`] that the builder lays beside a process's constants.
pub const GRANTS_SYMBOL: &str = "GIORNATA_GRANTS";

record! {
    /// Where a process finds what it was granted, and how its clock counts. The
    /// addresses of its devices follow, one `u32` each, in the order of the system
    /// file, then as many lengths in bytes, and then the address of the kernel's
    /// records, if they are granted.
    pub struct Grants {
        /// Nanoseconds and ticks of the board's timer.
        pub rate: Rate,
        /// Address of the trace ring; 0 = not granted.
        pub trace_ring: u32,
        /// Records that the trace ring holds, a power of two; 0 = not granted.
        pub trace_records: u32,
        /// Count of devices.
        pub devices: u32,
        /// Bytes of the kernel's records; 0 = not granted.
        pub kernel_records: u32,
    }
}

/// What a function is started as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(usize)]
pub enum FunctionKind {
    /// One job per release.
    Task = 0,
    /// An upcall: sensors, actuators, guards, initialisers, handlers.
    Driver = 1,
    /// An ordinary thread; the body gets its control page's address.
    Thread = 2,
    /// An instance of a filter; the body gets its [`FilterPort`]s.
    Filter = 3,
}

/// Direction of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(usize)]
pub enum Direction {
    /// Read by the function.
    Input = 0,
    /// Written by the function.
    Output = 1,
    /// Kept by the function between its jobs; not in the block.
    State = 2,
}

/// What an instance of a filter finds at one of its ports: tokens in a circular buffer.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FilterPort {
    /// The buffer.
    pub buffer: *mut u8,
    /// Tokens that it holds.
    pub capacity: usize,
    /// Where the first token of this instance lies: below `capacity`.
    pub first: usize,
    /// Tokens that this instance takes or puts: at most `capacity`.
    pub count: usize,
}

/// A parameter of a task or driver.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Parameter {
    /// Direction.
    pub direction: Direction,
    /// Bytes.
    pub size: usize,
    /// The type's name as written in the source, without its path.
    pub type_name: &'static str,
}

/// The body of a function: reads and writes its block; a driver's answer is a value.
pub type Body = extern "C" fn(block: *mut u8) -> usize;

/// A function that the process provides.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Function {
    /// What it is started as.
    pub kind: FunctionKind,
    /// Its name.
    pub name: &'static str,
    /// Its code.
    pub body: Body,
    /// Its parameters.
    pub parameters: &'static [Parameter],
}

/// Everything a process provides.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ProcessTable {
    /// [`TABLE_MAGIC`].
    pub magic: usize,
    /// The functions.
    pub functions: &'static [Function],
}

/// Byte offsets of a block's parameters, by size, and the block's length.
///
/// Each parameter lies at the next multiple of 8 bytes; states are left out.
pub fn block_offsets(sizes: impl Iterator<Item = usize>, mut each: impl FnMut(usize)) -> usize {
    let mut at = 0;
    for size in sizes {
        each(at);
        at = (at + size).next_multiple_of(8);
    }
    at
}

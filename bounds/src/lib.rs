//! Worst-case instructions of every entry into the kernel, from the control-flow
//! graph of its binary and the declared bounds of its loops.
//!
//! ```text
//! ELF --> Binary --> Program (functions, blocks) --> Shape --+
//!           |  line tables                                   +--> longest way --> Bounds
//! kernel/bounds.toml --> Declarations ----------- passes ----+
//! capacities of a system -------------------------- values --+
//! ```
//! [`Watch`] follows what a machine executes and says how near it comes.
//!
//! A bound is that of a stretch in which interrupts are off and nobody looks at
//! them: from a trap, a look at pending interrupts or the end of a wait to the
//! next of these or to the way out. What it rests on is told by [`ASSUMPTIONS`].

mod analysis;
mod binary;
mod cost;
mod declarations;
mod decode;
mod error;
mod expression;
mod graph;
mod log;
mod pass;
mod procedure;
mod program;
mod shape;
mod value;
mod watch;

pub use analysis::{Analysis, Bound, Bounds, Called, Shares};
pub use binary::Binary;
pub use cost::Cost;
pub use declarations::{Declarations, From};
pub use error::Error;
pub use watch::Watch;

/// What a bound rests on beside the binary itself.
pub const ASSUMPTIONS: [&str; 7] = [
    "each loop reaches its top at most as often as declared each time it is entered; \
     the reasons stand beside the declarations",
    "functions whose calls are declared are called at most so often in one stretch; \
     the reasons stand beside the declarations, and runs that are watched are counted",
    "functions follow the calling convention: they come back behind the call, with the \
     registers kept that it keeps",
    "a jump through a table of constants takes one of its entries; a jump into a run of \
     code begins at one of its instructions",
    "functions declared as stops end the machine: no process waits for what comes after",
    "a kind of entry does not execute the functions that it is declared to be without",
    "an instruction is counted once, whatever its cycles; the kernel is not interrupted",
];

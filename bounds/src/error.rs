//! Why a bound is not known.

/// What stands between a binary and its bounds. Places are `function, file:line
/// (address)`; each text says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file is no kernel that can be read.
    #[error("the kernel's binary: {0}")]
    Binary(String),
    /// The declarations cannot be read.
    #[error("{file}: {reason}")]
    Declarations {
        /// Which file.
        file: String,
        /// What is wrong with it, and where.
        reason: String,
    },
    /// Bytes that are reached but are no instruction.
    #[error(
        "{place}: these bytes are no instruction; if control never gets there, \
         name the function in front of them under `stops`"
    )]
    NotCode {
        /// Where.
        place: String,
    },
    /// A jump through a register whose targets are unknown.
    #[error(
        "{place}: the targets of this jump through a register are unknown; \
         call a function by its name, or name this one under `stops` if it never returns"
    )]
    Indirect {
        /// Where.
        place: String,
    },
    /// A function that calls itself.
    #[error(
        "recursion without a bound: {chain}; make it a loop, or declare how often one of \
         them is called again at most while it is under way: \
         [[recursion]], `function`, `times`, `why`"
    )]
    Recursion {
        /// The functions, from the outermost.
        chain: String,
    },
    /// A loop that is entered at two places.
    #[error(
        "{place}: this loop is entered at more than one place, so it has no top to \
         count at; write it as one loop"
    )]
    Irreducible {
        /// Where.
        place: String,
    },
    /// Loops without a bound.
    #[error("{} without a declared bound:\n{}", count(loops.len()), loops.join("\n"))]
    Undeclared {
        /// A paragraph each: where, and what to declare.
        loops: Vec<String>,
    },
    /// An expression names a capacity that the system does not have.
    #[error("{place}: no capacity is called `{name}`; there are: {known}")]
    Capacity {
        /// Whose expression.
        place: String,
        /// The name.
        name: String,
        /// All names.
        known: String,
    },
    /// Something that the declarations name is not in the binary.
    #[error("{0}")]
    Missing(String),
}

fn count(loops: usize) -> String {
    match loops {
        1 => "a loop".into(),
        n => format!("{n} loops"),
    }
}

//! What the builder tells a process of its filters, in words of 32 bits beside its constants.
//!
//! ```text
//!   a filter: [HEAD] words, see [`head`]
//!             of each port, inputs first: [PORT] words, see [`port`]
//!             of each position: the address of its function; the rate of each port
//!             of a `permute`: the number of the input token behind each output token
//! ```
//!
//! How far a filter had come when it begins, its thread's control page says: the position where
//! that of a task has the number of its job, and the cycles before it in place of the release.

/// Ports of a filter at most.
pub const MOST_PORTS: usize = 32;

/// Words in front of the ports.
pub const HEAD: usize = 4;
/// Words of a port.
pub const PORT: usize = 5;

/// The words in front of the ports.
pub mod head {
    /// What its instances do: a number of [`does`](super::does).
    pub const DOES: usize = 0;
    /// Positions of its cycle.
    pub const POSITIONS: usize = 1;
    /// Ports that it takes tokens from.
    pub const INPUTS: usize = 2;
    /// Ports that it puts tokens in.
    pub const OUTPUTS: usize = 3;
}

/// The words of a port.
pub mod port {
    /// The address of its buffer.
    pub const BUFFER: usize = 0;
    /// Tokens that this holds.
    pub const CAPACITY: usize = 1;
    /// Bytes of a token.
    pub const BYTES: usize = 2;
    /// Where the first token lies that the filter takes or puts.
    pub const FIRST: usize = 3;
    /// Tokens that it takes or puts in a cycle.
    pub const CYCLE: usize = 4;
}

/// What the instances of a filter do.
pub mod does {
    /// They call the function of their position.
    pub const CALLS: u32 = 0;
    /// Each output gets all tokens of the only input.
    pub const COPIES: u32 = 1;
    /// The outputs get the tokens of the inputs, each those behind the one before.
    pub const DEALS: u32 = 2;
    /// The only output gets those of the only input in another order.
    pub const PERMUTES: u32 = 3;
}

//! S code with labels instead of addresses.

/// What a timeout waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// A task becomes ready.
    Released(u16),
    /// A time since the thread's reference time: whole ns, and 1/denominator ns.
    After(u64, u32),
}

/// One instruction. Blocks are named by their place in [`SCode`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SInstruction {
    /// Runs a task to completion.
    Dispatch(u16),
    /// Runs a task; when the wait is over first, goes on with a block.
    DispatchUntil(u16, Wait, usize),
    /// Runs none until the wait is over.
    Idle(Wait),
    /// Goes on with a block, at a new reference time.
    Again(usize),
    /// Goes on with a block, at the same reference time.
    Jump(usize),
}

/// S code: blocks, each of which falls through to the next unless it ends in
/// [`SInstruction::Again`] or [`SInstruction::Jump`]. The first begins at the
/// start of the program; the last is followed by the thread's end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SCode {
    /// The blocks.
    pub blocks: Vec<Vec<SInstruction>>,
}

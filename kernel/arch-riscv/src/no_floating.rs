//! The floating-point registers of a thread on a hart that has none.

/// Nothing.
#[derive(Debug)]
pub struct Floating;

impl Floating {
    /// Nothing.
    pub const fn new() -> Floating {
        Floating
    }

    /// Does nothing.
    pub fn clear(&self) {}
}

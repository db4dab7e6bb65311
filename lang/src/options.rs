//! What a caller of a compiler can ask for.

/// What a compilation depends on besides the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The module's name; without one, the source's name without its extension.
    pub name: Option<String>,
    /// Driver function that handles a violation, in the order of
    /// [`Violation`](giornata_abi::trace::Violation). It gets the module's
    /// indices of the task and the driver involved, two `u16` (65535 = none).
    pub handlers: [Option<String>; 4],
}

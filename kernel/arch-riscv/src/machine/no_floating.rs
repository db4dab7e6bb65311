//! A hart without floating point: its instructions are illegal.

use super::hart::HartBlock;
use crate::context::Context;

/// Nothing changes.
pub(super) fn admit(_: &HartBlock, _: &'static Context) {}

/// There was nothing.
pub(super) fn forget(_: &HartBlock, _: &'static Context) {}

/// The instruction is not worth another try.
pub(super) fn take(_: &HartBlock, _: &'static Context) -> bool {
    false
}

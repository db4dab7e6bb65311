//! In the place of `spare`, in configurations whose programs stay as they are.

use giornata_abi::system::SystemHeader;
use giornata_arch_riscv::Places;

use crate::blob::Refusal;

/// There are none.
pub(crate) fn find(_: &SystemHeader, _: usize, _: usize) -> Result<Option<Places>, Refusal> {
    Ok(None)
}

//! Memory that the process takes while it runs, of a quota that the system file
//! states (EMERALDS 7.4, `mem_alloc`). It has it until it ends: what is given back
//! and taken again is for an allocator above this.

use core::ptr::with_exposed_provenance_mut;

use giornata_abi::Error;

use crate::call;

/// Takes `bytes` bytes, all 0, at a multiple of 16. O(1); does not block.
///
/// `ENOMEM`: the quota does not have them.
pub fn allocate(bytes: usize) -> Result<&'static mut [u8], Error> {
    let address = call::allocate(bytes)?;
    let start = with_exposed_provenance_mut::<u8>(address);
    // SAFETY: the kernel hands out each byte of the quota once, zeroed, and nothing
    // else lies there.
    Ok(unsafe { core::slice::from_raw_parts_mut(start, bytes) })
}

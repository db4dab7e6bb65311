//! The machine as a whole.

use giornata_abi::Error;

/// Where the registers of a device lie that the system file grants, and how many
/// bytes, by its place in `grants.device`; `None` beyond the last, and on the host.
pub(crate) fn device(index: usize) -> Option<(u32, u32)> {
    #[cfg(target_os = "none")]
    return crate::riscv::device(index);
    #[cfg(not(target_os = "none"))]
    return {
        let _ = index;
        None
    };
}

/// The address of the trace ring, if the manifest grants it; `None` on the host.
pub fn trace_ring() -> Option<usize> {
    #[cfg(target_os = "none")]
    return crate::riscv::trace_ring();
    #[cfg(not(target_os = "none"))]
    return None;
}

/// Stops the machine with `status`. Returns only when it is refused: `EPERM`
/// without the `shutdown` grant.
pub fn shutdown(status: u8) -> Error {
    crate::call::shutdown(status as usize)
}

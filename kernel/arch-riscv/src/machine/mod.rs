//! Machine mode: the parts that only a RISC-V hart can run.

mod boot;
mod csr;
mod fault;
mod hart;
#[cfg(feature = "harts")]
mod harts;
mod record;
mod trap;

#[cfg_attr(not(feature = "floating"), path = "no_floating.rs")]
mod floating;

#[cfg_attr(feature = "plic", path = "plic.rs")]
#[cfg_attr(
    all(not(feature = "plic"), not(feature = "harts")),
    path = "vexriscv.rs"
)]
#[cfg_attr(
    all(not(feature = "plic"), feature = "harts"),
    path = "vexriscv_smp.rs"
)]
mod lines;

#[cfg_attr(not(feature = "regions"), path = "pages.rs")]
#[cfg_attr(feature = "regions", path = "regions.rs")]
mod space;

pub use boot::{begin, system};
pub use hart::Riscv;
#[cfg(feature = "harts")]
pub use harts::join;

/// Where the stack of the hart ends that boots.
pub const STACK_TOP: usize = record::STACK_TOP;

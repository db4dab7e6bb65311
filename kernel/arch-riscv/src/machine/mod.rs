//! Machine mode: the parts that only a RISC-V hart can run.

mod csr;
mod edge;
mod floating;
mod hardware;
mod hart;
mod trap;

pub use edge::{Setup, boot};
pub use hardware::Machine;
pub use hart::STACK_TOP;

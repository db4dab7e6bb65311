//! Which of the two kernels an image is made for. Temporary: the second kernel
//! (`kernel/next`) stands beside the first until it replaces it, and this module goes
//! with the first.

use std::path::{Path, PathBuf};

/// A kernel, and the formats that its processes share with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Generation {
    /// `kernel/core` and what belongs to it.
    #[default]
    First,
    /// `kernel/next`.
    Second,
}

/// The variable of the environment that chooses.
const VARIABLE: &str = "GIORNATA_KERNEL";

impl Generation {
    /// What the environment asks for: `GIORNATA_KERNEL=next` is the second kernel, and
    /// without the variable it is the first. The only place where this is decided.
    ///
    /// # Panics
    /// The variable says something else.
    pub fn chosen() -> Generation {
        match std::env::var(VARIABLE).as_deref() {
            Err(std::env::VarError::NotPresent) => Generation::First,
            Ok("next") => Generation::Second,
            other => panic!("{VARIABLE} is {other:?}: write `next`, or leave it out"),
        }
    }

    /// Where what is made for a kernel lies, of what is made under `folder`: what is
    /// compiled for both has the same names.
    pub(crate) fn folder(self, folder: &Path) -> PathBuf {
        match self {
            Generation::First => folder.into(),
            Generation::Second => folder.join("next"),
        }
    }

    /// Bytes of the control page of a thread.
    pub(crate) fn control_page(self) -> u32 {
        use giornata_abi::Record;
        giornata_abi::control::ControlPage::SIZE as u32
    }

    /// Bytes of the trace ring's head, and of each of its records.
    pub(crate) fn ring(self) -> (u32, u32) {
        (0, giornata_abi::ring::BYTES as u32)
    }
}

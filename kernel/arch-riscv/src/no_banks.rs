//! In the place of `banks`, in configurations whose programs stay as they are.

use giornata_abi::load::Section;
use giornata_abi::system::{Bank, ProgramEntry, System};

/// No tables.
pub type Places = [usize; 4];

/// No banks.
#[derive(Debug)]
pub struct Banks;

impl Banks {
    /// Nothing.
    ///
    /// # Safety
    /// Any arguments do.
    pub unsafe fn new(_: &System<'static>, _: Option<Places>) -> Banks {
        Banks
    }

    /// Refuses.
    pub fn stage(&mut self, _: Section, _: usize, _: &[u64], _: usize) -> bool {
        false
    }

    /// Does nothing.
    pub fn restage(&mut self, _: Section, _: usize, _: usize) {}

    /// Does nothing.
    pub fn stage_entry(&mut self, _: u16, _: &ProgramEntry) {}

    /// There is none.
    pub fn flip(&mut self) -> Option<Bank<'static>> {
        None
    }
}

//! The two banks of tables that microcode lies in: one that the kernel reads,
//! one that it may write.

use core::ptr::{copy, with_exposed_provenance, with_exposed_provenance_mut};

use giornata_abi::instruction::{DurationEntry, Instruction};
use giornata_abi::load::Section;
use giornata_abi::predicate::Predicate;
use giornata_abi::system::{Bank, ProgramEntry, System, SystemHeader};

/// Where the tables of a bank begin: programs, instructions, predicates, durations.
pub type Places = [usize; 4];

/// Both banks.
///
/// Whoever holds slices of the bank in use reads no spare one: what
/// [`flip`](Banks::flip) answered before is not used after it.
#[derive(Debug)]
pub struct Banks {
    live: Places,
    spare: Places,
    /// Records of each table.
    counts: [usize; 4],
}

impl Banks {
    /// The banks of a system whose own tables are in use; without a spare one
    /// (`None`) nothing can be written.
    ///
    /// # Safety
    /// `spare` must be where four tables as long as those of the system lie, in
    /// memory that nobody else reads or writes from now on.
    pub unsafe fn new(system: &System<'static>, spare: Option<Places>) -> Banks {
        let SystemHeader {
            programs,
            instructions,
            predicates,
            durations,
            ..
        } = *system.header;
        let counts = [programs.into(), instructions, predicates, durations];
        Banks {
            live: [
                system.programs.as_ptr().expose_provenance(),
                system.instructions.as_ptr().expose_provenance(),
                system.predicates.as_ptr().expose_provenance(),
                system.durations.as_ptr().expose_provenance(),
            ],
            spare: spare.unwrap_or([0; 4]),
            counts: match spare {
                Some(_) => counts.map(|count| count as usize),
                None => [0; 4],
            },
        }
    }

    /// Where records of a section lie in one of the banks, if it has them.
    fn find(&self, bank: &Places, section: Section, first: usize, count: usize) -> Option<usize> {
        let [_, instructions, predicates, durations] = *bank;
        let [_, i, p, d] = self.counts;
        let (table, length) = match section {
            Section::Instructions => (instructions, i),
            Section::Predicates => (predicates, p),
            Section::Durations => (durations, d),
        };
        let is_inside = first <= length && count <= length - first;
        is_inside.then(|| table.wrapping_add(first.wrapping_mul(section.record())))
    }

    /// See [`Hardware::stage`](giornata_core::Hardware::stage).
    pub fn stage(&mut self, section: Section, first: usize, from: &[u64], length: usize) -> bool {
        let count = length / section.record();
        if length > size_of_val(from) {
            return false;
        }
        let Some(place) = self.find(&self.spare, section, first, count) else {
            return false;
        };
        let (from, to) = (
            from.as_ptr().cast::<u8>(),
            with_exposed_provenance_mut(place),
        );
        // SAFETY: the records lie in the spare bank, which nobody reads; every
        // bit pattern is a record (Record Invariant).
        unsafe { copy(from, to, count * section.record()) };
        true
    }

    /// See [`Hardware::restage`](giornata_core::Hardware::restage).
    pub fn restage(&mut self, section: Section, first: usize, count: usize) {
        let [from, to] =
            [&self.live, &self.spare].map(|bank| self.find(bank, section, first, count));
        let (Some(from), Some(to)) = (from, to) else {
            return;
        };
        let from = with_exposed_provenance::<u8>(from);
        let to = with_exposed_provenance_mut(to);
        // SAFETY: as in `stage`.
        unsafe { copy(from, to, count * section.record()) };
    }

    /// See [`Hardware::stage_entry`](giornata_core::Hardware::stage_entry).
    pub fn stage_entry(&mut self, program: u16, entry: &ProgramEntry) {
        let ([programs, ..], [count, ..]) = (self.spare, self.counts);
        if (program as usize) < count {
            let place = programs.wrapping_add(program as usize * size_of::<ProgramEntry>());
            // SAFETY: the entry lies in the spare bank, which nobody reads.
            unsafe { with_exposed_provenance_mut::<ProgramEntry>(place).write(*entry) };
        }
    }

    /// See [`Hardware::flip`](giornata_core::Hardware::flip).
    #[allow(clippy::multiple_unsafe_ops_per_block)] // four tables, one reason
    pub fn flip(&mut self) -> Option<Bank<'static>> {
        let [programs, instructions, predicates, durations] = self.spare;
        let [count, i, p, d] = self.counts;
        if count == 0 {
            return None;
        }
        core::mem::swap(&mut self.live, &mut self.spare);
        // SAFETY: the tables lie where `new` was told, and nobody writes the
        // bank in use; every bit pattern is a record (Record Invariant).
        let bank = unsafe {
            Bank {
                programs: slice(programs, count),
                instructions: slice::<Instruction>(instructions, i),
                predicates: slice::<Predicate>(predicates, p),
                durations: slice::<DurationEntry>(durations, d),
            }
        };
        Some(bank)
    }
}

/// # Safety
/// As [`core::slice::from_raw_parts`].
unsafe fn slice<T>(place: usize, count: usize) -> &'static [T] {
    // SAFETY: the caller vouches for it.
    unsafe { core::slice::from_raw_parts(with_exposed_provenance(place), count) }
}

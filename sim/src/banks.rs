//! The two banks of tables that microcode lies in, on the host.

use std::sync::{Mutex, PoisonError};

use giornata_abi::instruction::{DurationEntry, Instruction};
use giornata_abi::load::Section;
use giornata_abi::predicate::Predicate;
use giornata_abi::record::{Record, decode_all};
use giornata_abi::system::{Bank, FLAG_SPARE, ProgramEntry, System};

/// The tables of one bank.
#[derive(Clone)]
struct Tables {
    programs: Vec<ProgramEntry>,
    instructions: Vec<Instruction>,
    predicates: Vec<Predicate>,
    durations: Vec<DurationEntry>,
}

/// Both banks of a system; none where no program may be replaced.
pub(crate) struct Banks(Option<Pair>);

struct Pair {
    live: Tables,
    spare: Tables,
}

impl Banks {
    pub(crate) fn of(system: &System<'_>) -> Banks {
        if system.header.flags & FLAG_SPARE == 0 {
            return Banks(None);
        }
        let live = Tables {
            programs: system.programs.to_vec(),
            instructions: system.instructions.to_vec(),
            predicates: system.predicates.to_vec(),
            durations: system.durations.to_vec(),
        };
        let spare = live.clone();
        Banks(Some(Pair { live, spare }))
    }

    pub(crate) fn stage(
        &mut self,
        section: Section,
        first: usize,
        records: &[u64],
        length: usize,
    ) -> bool {
        let Some(Pair { spare, .. }) = &mut self.0 else {
            return false;
        };
        let bytes: Vec<u8> = records.iter().flat_map(|word| word.to_le_bytes()).collect();
        let Some(bytes) = bytes.get(..length) else {
            return false;
        };
        match section {
            Section::Instructions => write(&mut spare.instructions, first, bytes),
            Section::Predicates => write(&mut spare.predicates, first, bytes),
            Section::Durations => write(&mut spare.durations, first, bytes),
        }
    }

    pub(crate) fn restage(&mut self, section: Section, first: usize, count: usize) {
        let Some(Pair { live, spare }) = &mut self.0 else {
            return;
        };
        match section {
            Section::Instructions => {
                copy(&live.instructions, &mut spare.instructions, first, count)
            }
            Section::Predicates => copy(&live.predicates, &mut spare.predicates, first, count),
            Section::Durations => copy(&live.durations, &mut spare.durations, first, count),
        }
    }

    pub(crate) fn stage_entry(&mut self, program: u16, entry: &ProgramEntry) {
        if let Some(Pair { spare, .. }) = &mut self.0 {
            spare.programs[program as usize] = *entry;
        }
    }

    pub(crate) fn flip(&mut self) -> Option<Bank<'static>> {
        let Pair { live, spare } = self.0.as_mut()?;
        std::mem::swap(live, spare);
        Some(keep(live.clone()))
    }
}

/// All that was ever shown to a kernel, which may look at it for as long as it
/// likes: some kilobytes a change, until the simulating process ends.
static SHOWN: Mutex<Vec<Bank<'static>>> = Mutex::new(Vec::new());

/// The tables for the rest of the process's life; found anew at its end.
fn keep(tables: Tables) -> Bank<'static> {
    let bank = Bank {
        programs: tables.programs.leak(),
        instructions: tables.instructions.leak(),
        predicates: tables.predicates.leak(),
        durations: tables.durations.leak(),
    };
    let mut shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
    shown.push(bank);
    bank
}

fn write<R: Record>(table: &mut [R], first: usize, bytes: &[u8]) -> bool {
    let count = bytes.len() / R::SIZE;
    let Some(places) = table.get_mut(first..).and_then(|t| t.get_mut(..count)) else {
        return false;
    };
    for (place, record) in places.iter_mut().zip(decode_all(bytes)) {
        *place = record;
    }
    true
}

fn copy<R: Copy>(from: &[R], to: &mut [R], first: usize, count: usize) {
    to[first..first + count].copy_from_slice(&from[first..first + count]);
}

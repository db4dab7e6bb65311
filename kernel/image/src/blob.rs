//! The system's tables as they lie in memory beside the kernel.
//!
//! The header lies first; the tables follow in the order processes, threads,
//! ports, drivers, programs, interrupts, instructions, predicates, durations,
//! links, moves, spaces, objects, regions, each at the next multiple of 8 bytes from
//! the header's address; where programs may be replaced, once more programs,
//! instructions, predicates and durations.

use core::ops::Range;
use core::ptr::with_exposed_provenance;

use giornata_abi::module::crc32;
use giornata_abi::system::{MAGIC, System, SystemHeader, VERSION};
use giornata_arch_riscv::{Places, Regions};

use crate::spare;

/// Why the kernel does not boot a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// No system lies where it should.
    Magic,
    /// Its tables are of another version of the format.
    Version,
    /// It leaves RAM, or its tables leave it.
    Length,
    /// It is not as the builder wrote it.
    Checksum,
    /// The trace ring is not a power of two of slots in RAM.
    Trace,
    /// The kernel's tables need this many bytes.
    Memory(usize),
}

impl Refusal {
    /// In words.
    pub fn reason(self) -> &'static str {
        match self {
            Refusal::Magic => "there is no system beside the kernel",
            Refusal::Version => "the system is of another version",
            Refusal::Length => "the system's tables leave their memory",
            Refusal::Checksum => "the system is damaged",
            Refusal::Trace => "the trace ring is not a power of two of slots in memory",
            Refusal::Memory(_) => "the kernel's tables do not fit; bytes they need",
        }
    }
}

/// Walks over the tables.
struct Tables {
    at: usize,
}

impl Tables {
    /// The next table.
    ///
    /// # Safety
    /// The checks of [`read`] have passed, and `T` is a record (or an integer, or
    /// the cells of a record).
    unsafe fn next<T>(&mut self, count: usize) -> &'static [T] {
        let table = with_exposed_provenance(self.at);
        self.at = end(self.at, count, size_of::<T>());
        // SAFETY: the table lies in the blob, whose bytes change in cells only;
        // every bit pattern is a record (Record Invariant).
        unsafe { core::slice::from_raw_parts(table, count) }
    }
}

/// A system, the spaces of its processes, and where its spare tables of microcode
/// lie.
pub struct Found {
    /// The system.
    pub system: System<'static>,
    /// The spaces, where regions confine processes.
    pub spaces: &'static [Regions],
    /// See [`FLAG_SPARE`](giornata_abi::system::FLAG_SPARE).
    pub spare: Option<Places>,
}

/// Where the next table begins. Saturates, so that no count wraps around.
pub(crate) fn end(at: usize, count: usize, size: usize) -> usize {
    let end = at.saturating_add(count.saturating_mul(size));
    end.saturating_add(7) & !7
}

/// The tables that lie at `at`, with everything inside `memory`.
///
/// # Safety
/// `memory` is RAM that only the builder wrote to, and that nobody writes where
/// the blob lies; `at` is 8-byte aligned.
pub unsafe fn read(at: usize, memory: Range<usize>) -> Result<Found, Refusal> {
    // SAFETY: the caller vouches for it; every bit pattern is a header (Record Invariant).
    let header = unsafe { &*with_exposed_provenance::<SystemHeader>(at) };
    check(header, at, &memory)?;
    let body = with_exposed_provenance(at + size_of::<SystemHeader>());
    let length = (header.length as usize).saturating_sub(size_of::<SystemHeader>());
    // SAFETY: the length has been checked against RAM.
    let body: &[u8] = unsafe { core::slice::from_raw_parts(body, length) };
    if crc32(body) != header.crc {
        return Err(Refusal::Checksum);
    }
    // SAFETY: all checks have passed.
    let (system, spaces) = unsafe { tables(header, at) };
    let spare = spare::find(header, tables_end(header, at), at)?;
    Ok(Found {
        system,
        spaces,
        spare,
    })
}

fn check(header: &SystemHeader, at: usize, memory: &Range<usize>) -> Result<(), Refusal> {
    if header.magic != MAGIC {
        return Err(Refusal::Magic);
    }
    if header.version != VERSION {
        return Err(Refusal::Version);
    }
    let length = header.length as usize;
    if tables_end(header, at) > at.saturating_add(length).saturating_add(7) & !7
        || length > memory.end.saturating_sub(at)
    {
        return Err(Refusal::Length);
    }
    let ring = header.trace_ring as usize;
    let slots = (header.trace_capacity as usize)
        .saturating_mul(32)
        .saturating_add(16);
    let inside = ring >= at.saturating_add(length) && slots <= memory.end.saturating_sub(ring);
    if !header.trace_capacity.is_power_of_two() || !inside || !ring.is_multiple_of(8) {
        return Err(Refusal::Trace);
    }
    Ok(())
}

/// Where the tables end that every system has.
fn tables_end(header: &SystemHeader, at: usize) -> usize {
    let after = |at, (count, size)| end(at, count, size);
    sizes(header)
        .into_iter()
        .fold(at + size_of::<SystemHeader>(), after)
}

/// Entries and bytes of an entry of each table, in order.
fn sizes(header: &SystemHeader) -> [(usize, usize); 14] {
    use giornata_abi::instruction::{DurationEntry, Instruction};
    use giornata_abi::predicate::Predicate;
    use giornata_abi::system::{
        DriverEntry, InterruptEntry, MoveEntry, ObjectEntry, PortEntry, ProcessEntry, ProgramEntry,
        RegionEntry, SpaceEntry, ThreadEntry,
    };
    [
        (header.processes as usize, size_of::<ProcessEntry>()),
        (header.threads as usize, size_of::<ThreadEntry>()),
        (header.ports as usize, size_of::<PortEntry>()),
        (header.drivers as usize, size_of::<DriverEntry>()),
        (header.programs as usize, size_of::<ProgramEntry>()),
        (header.interrupts as usize, size_of::<InterruptEntry>()),
        (header.instructions as usize, size_of::<Instruction>()),
        (header.predicates as usize, size_of::<Predicate>()),
        (header.durations as usize, size_of::<DurationEntry>()),
        (header.links as usize, size_of::<u16>()),
        (header.moves as usize, size_of::<MoveEntry>()),
        (header.spaces as usize, size_of::<SpaceEntry>()),
        (header.objects as usize, size_of::<ObjectEntry>()),
        (header.regions as usize, size_of::<RegionEntry>()),
    ]
}

/// # Safety
/// The checks of [`read`] have passed.
#[allow(clippy::multiple_unsafe_ops_per_block)] // fourteen tables, one reason
unsafe fn tables(
    header: &'static SystemHeader,
    at: usize,
) -> (System<'static>, &'static [Regions]) {
    let mut next = Tables {
        at: at + size_of::<SystemHeader>(),
    };
    let spaces;
    // SAFETY: the checks have passed, and the fields are read in the tables' order.
    let system = unsafe {
        System {
            header,
            processes: next.next(header.processes as usize),
            threads: next.next(header.threads as usize),
            ports: next.next(header.ports as usize),
            drivers: next.next(header.drivers as usize),
            programs: next.next(header.programs as usize),
            interrupts: next.next(header.interrupts as usize),
            instructions: next.next(header.instructions as usize),
            predicates: next.next(header.predicates as usize),
            durations: next.next(header.durations as usize),
            links: next.next(header.links as usize),
            moves: next.next(header.moves as usize),
            objects: {
                spaces = next.next(header.spaces as usize);
                next.next(header.objects as usize)
            },
            regions: next.next(header.regions as usize),
        }
    };
    (system, spaces)
}

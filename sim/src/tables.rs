//! The tables of a system, owned: what the builder of a board's image writes
//! beside the kernel, or what a test puts together by hand.

use giornata_abi::instruction::{DurationEntry, Instruction};
use giornata_abi::predicate::Predicate;
use giornata_abi::record::{Record, decode_all};
use giornata_abi::system::{
    DriverEntry, InterruptEntry, MAGIC, MoveEntry, ObjectEntry, PortEntry, ProcessEntry,
    ProgramEntry, RegionEntry, SpaceEntry, System, SystemHeader, ThreadEntry, VERSION,
};

/// The tables of one system. Every field may be changed before a simulation
/// begins; [`system`](Self::system) is what the kernel sees.
#[derive(Clone, Debug, PartialEq)]
pub struct Tables {
    /// The head. Its counts follow the tables by [`count`](Self::count).
    pub header: SystemHeader,
    /// The processes.
    pub processes: Vec<ProcessEntry>,
    /// The threads.
    pub threads: Vec<ThreadEntry>,
    /// The ports.
    pub ports: Vec<PortEntry>,
    /// The drivers.
    pub drivers: Vec<DriverEntry>,
    /// The programs.
    pub programs: Vec<ProgramEntry>,
    /// The interrupt lines.
    pub interrupts: Vec<InterruptEntry>,
    /// The code of all programs.
    pub instructions: Vec<Instruction>,
    /// The predicates of all programs.
    pub predicates: Vec<Predicate>,
    /// The durations of all programs.
    pub durations: Vec<DurationEntry>,
    /// The pool of 16-bit indices.
    pub links: Vec<u16>,
    /// The values that drivers move.
    pub moves: Vec<MoveEntry>,
    /// What threads synchronise by.
    pub objects: Vec<ObjectEntry>,
    /// The memory that processes share.
    pub regions: Vec<RegionEntry>,
}

/// Cuts tables off the front of a blob; every table begins at a multiple of 8.
struct Cutter<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cutter<'_> {
    fn cut(&mut self, length: usize) -> Option<&[u8]> {
        let end = self.at.checked_add(length)?;
        let section = self.bytes.get(self.at..end)?;
        self.at = end.next_multiple_of(8);
        Some(section)
    }

    fn table<R: Record>(&mut self, count: usize) -> Option<Vec<R>> {
        Some(decode_all(self.cut(count.checked_mul(R::SIZE)?)?).collect())
    }
}

impl Tables {
    /// Reads the blob that an image carries for its kernel; `None` if it is
    /// none of this version, or cut short.
    pub fn from_blob(bytes: &[u8]) -> Option<Tables> {
        let mut cutter = Cutter { bytes, at: 0 };
        let header = SystemHeader::decode(cutter.cut(SystemHeader::SIZE)?)?;
        if header.magic != MAGIC || header.version != VERSION {
            return None;
        }
        Some(Tables {
            processes: cutter.table(header.processes as usize)?,
            threads: cutter.table(header.threads as usize)?,
            ports: cutter.table(header.ports as usize)?,
            drivers: cutter.table(header.drivers as usize)?,
            programs: cutter.table(header.programs as usize)?,
            interrupts: cutter.table(header.interrupts as usize)?,
            instructions: cutter.table(header.instructions as usize)?,
            predicates: cutter.table(header.predicates as usize)?,
            durations: cutter.table(header.durations as usize)?,
            links: cutter
                .cut(header.links as usize * 2)?
                .chunks_exact(2)
                .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
                .collect(),
            moves: cutter.table(header.moves as usize)?,
            objects: {
                cutter.cut(header.spaces as usize * SpaceEntry::SIZE)?;
                cutter.table(header.objects as usize)?
            },
            regions: cutter.table(header.regions as usize)?,
            header,
        })
    }

    /// Makes the header's counts those of the tables.
    pub fn count(&mut self) {
        let header = &mut self.header;
        header.processes = self.processes.len() as u16;
        header.threads = self.threads.len() as u16;
        header.ports = self.ports.len() as u16;
        header.drivers = self.drivers.len() as u16;
        header.programs = self.programs.len() as u16;
        header.interrupts = self.interrupts.len() as u16;
        header.instructions = self.instructions.len() as u32;
        header.predicates = self.predicates.len() as u32;
        header.durations = self.durations.len() as u32;
        header.links = self.links.len() as u32;
        header.moves = self.moves.len() as u32;
        header.objects = self.objects.len() as u16;
        header.regions = self.regions.len() as u16;
    }

    /// The tables as the kernel sees them.
    pub fn system(&self) -> System<'_> {
        System {
            header: &self.header,
            processes: &self.processes,
            threads: &self.threads,
            ports: &self.ports,
            drivers: &self.drivers,
            programs: &self.programs,
            interrupts: &self.interrupts,
            instructions: &self.instructions,
            predicates: &self.predicates,
            durations: &self.durations,
            links: &self.links,
            moves: &self.moves,
            objects: &self.objects,
            regions: &self.regions,
        }
    }
}

//! Reads the kernel's executable: its segments, and what its tables cost.

use crate::board::Board;
use crate::generation::Generation;
use crate::image::layout::Segment;
use crate::problem::{Problem, Refusal};
use giornata_abi::system::{FLAG_SPARE, SystemHeader};
use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol};
use sha2::{Digest, Sha256};

/// Bytes of a line of a cache; no board has longer ones.
const LINE: u32 = 64;
/// The symbol of the sizes of the kernel's records.
const SIZES_SYMBOL: &str = "GIORNATA_SIZES";
/// Entries of it.
const SIZES: usize = 17;

/// A linked kernel.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    /// Where it starts.
    pub(crate) entry: u32,
    /// What is loaded.
    pub(crate) segments: Vec<Segment>,
    /// Bytes of each of its records, as `kernel/image` states beside the symbol; the
    /// second kernel needs no memory but what the builder lays out.
    sizes: [u32; SIZES],
}

impl Kernel {
    /// Reads a kernel that must lie where the board says.
    pub(crate) fn read(
        board: &Board,
        generation: Generation,
        bytes: &[u8],
    ) -> Result<Kernel, Refusal> {
        let refuse = |reason: String| {
            Refusal::from(Problem::new(reason, "build it for this board and version"))
        };
        let file = object::File::parse(bytes)
            .map_err(|e| refuse(format!("the kernel is no ELF file: {e}")))?;
        let segments: Option<Vec<Segment>> = file.segments().map(|s| segment(&s)).collect();
        let segments = segments.ok_or_else(|| refuse("the kernel lies beyond 4 GiB".into()))?;
        let end = u64::from(board.kernel.0) + u64::from(board.kernel.1);
        for segment in &segments {
            let last = u64::from(segment.address) + u64::from(segment.size);
            if segment.address < board.kernel.0 || last > end {
                let over = last.saturating_sub(end);
                return Err(refuse(format!(
                    "the kernel leaves its {} bytes by {over}",
                    board.kernel.1
                )));
            }
        }
        let sizes = match generation {
            Generation::First => sizes(&file),
            Generation::Second => Some([0; SIZES]),
        };
        let sizes = sizes.ok_or_else(|| refuse(format!("the kernel has no {SIZES_SYMBOL}")))?;
        let entry = u32::try_from(file.entry())
            .map_err(|_| refuse("the kernel starts beyond 4 GiB".into()))?;
        Ok(Kernel {
            entry,
            segments,
            sizes,
        })
    }

    /// Tells kernels apart: 16 digits of the SHA-256 of what is loaded, and where.
    /// What does not run, such as the lines of the sources, does not count.
    pub(crate) fn hash(&self) -> String {
        let mut hash = Sha256::new();
        for segment in &self.segments {
            hash.update(segment.address.to_le_bytes());
            hash.update(segment.size.to_le_bytes());
            hash.update(&segment.bytes);
        }
        let digest = hash.finalize();
        digest.iter().take(8).map(|b| format!("{b:02x}")).collect()
    }

    /// Where `ram` bytes lie behind the kernel's own data, if the board leaves the
    /// kernel as many. There they share no line of a small cache with it.
    pub(crate) fn room_behind(&self, board: &Board, ram: u32) -> Option<u32> {
        let ends = self
            .segments
            .iter()
            .map(|segment| segment.address + segment.size);
        let start = ends.max()?.checked_next_multiple_of(LINE)?;
        let end = u64::from(board.kernel.0) + u64::from(board.kernel.1);
        (u64::from(start) + u64::from(ram) <= end).then_some(start)
    }

    /// Bytes of memory that the kernel needs for the tables of a system.
    pub(crate) fn ram(&self, header: &SystemHeader) -> u32 {
        let (threads, triggers) = (u64::from(header.threads), u64::from(header.triggers));
        let s_threads = u64::from(header.s_threads);
        let counts = [
            threads,
            threads,
            threads,
            u64::from(header.processes),
            u64::from(header.ports),
            u64::from(header.interrupts),
            threads + triggers + s_threads + 1 + u64::from(header.flags & FLAG_SPARE != 0),
            triggers,
            s_threads,
            u64::from(header.programs),
            1,
            // the registers of a context are in it
            0,
            u64::from(header.objects),
            threads,
            u64::from(header.messages),
            u64::from(header.processes),
            u64::from(header.regions),
        ];
        let records: u64 = counts
            .iter()
            .zip(self.sizes)
            .map(|(count, size)| count * u64::from(size))
            .sum();
        u32::try_from(records + u64::from(header.arena_size))
            .unwrap_or(u32::MAX)
            .next_multiple_of(16)
    }
}

impl Kernel {
    /// Bytes of RAM that the kernel keeps for a thread beyond its registers: in
    /// its context, its record, the ready queue, the agenda and the services.
    pub(crate) fn thread_bytes(&self) -> u32 {
        let [context, record, ready, _, _, _, event, ..] = self.sizes;
        let [.., registers, _, services, _, _, _] = self.sizes;
        (context + record + ready + event + services).saturating_sub(registers)
    }
}

fn segment<'a>(segment: &impl ObjectSegment<'a>) -> Option<Segment> {
    Some(Segment {
        address: u32::try_from(segment.address()).ok()?,
        bytes: segment.data().ok()?.to_vec(),
        size: u32::try_from(segment.size()).ok()?,
    })
}

fn sizes(file: &object::File<'_>) -> Option<[u32; SIZES]> {
    let symbol = file.symbols().find(|s| s.name() == Ok(SIZES_SYMBOL))?;
    let section = file.section_by_index(symbol.section_index()?).ok()?;
    let bytes = section
        .data_range(symbol.address(), 4 * SIZES as u64)
        .ok()??;
    let mut sizes = [0; SIZES];
    for (size, word) in sizes.iter_mut().zip(bytes.chunks_exact(4)) {
        *size = u32::from_le_bytes(word.try_into().ok()?);
    }
    Some(sizes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use giornata_abi::Record;

    #[test]
    fn the_kernels_memory_grows_by_what_each_record_takes() {
        // powers of two, so that a sum tells what is in it
        let kernel = Kernel {
            entry: 0,
            segments: Vec::new(),
            sizes: std::array::from_fn(|index| 16 << index),
        };
        let empty = SystemHeader::decode(&[0; SystemHeader::SIZE]).unwrap();
        let alone = kernel.ram(&empty);
        let grown = |change: fn(&mut SystemHeader)| {
            let mut header = empty;
            change(&mut header);
            kernel.ram(&header) - alone
        };
        let sum = |indices: &[usize]| indices.iter().map(|index| 16 << index).sum::<u32>();
        assert_eq!(grown(|h| h.threads = 1), sum(&[0, 1, 2, 6, 13]));
        assert_eq!(grown(|h| h.processes = 1), sum(&[3, 15]));
        assert_eq!(grown(|h| h.objects = 1), sum(&[12]));
        assert_eq!(grown(|h| h.messages = 1), sum(&[14]));
        assert_eq!(grown(|h| h.regions = 1), sum(&[16]));
        assert_eq!(grown(|h| h.triggers = 1), sum(&[6, 7]));
        assert_eq!(grown(|h| h.arena_size = 48), 48);
    }
}

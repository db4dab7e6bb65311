//! Reads the kernel's executable.

use crate::board::Board;
use crate::image::layout::Segment;
use crate::problem::{Problem, Refusal};
use object::{Object, ObjectSegment};
use sha2::{Digest, Sha256};

/// A linked kernel.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    /// Where it starts.
    pub(crate) entry: u32,
    /// What is loaded.
    pub(crate) segments: Vec<Segment>,
}

impl Kernel {
    /// Reads a kernel that must lie where the board says.
    pub(crate) fn read(board: &Board, bytes: &[u8]) -> Result<Kernel, Refusal> {
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
        let entry = u32::try_from(file.entry())
            .map_err(|_| refuse("the kernel starts beyond 4 GiB".into()))?;
        Ok(Kernel { entry, segments })
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
}

fn segment<'a>(segment: &impl ObjectSegment<'a>) -> Option<Segment> {
    Some(Segment {
        address: u32::try_from(segment.address()).ok()?,
        bytes: segment.data().ok()?.to_vec(),
        size: u32::try_from(segment.size()).ok()?,
    })
}

//! Records, as many a call as fit.

use giornata_abi::load::Section;
use giornata_abi::{Error, Record};

use crate::programs::Programs;

/// Most bytes that one call stages.
const PIECE: usize = 64;

/// Writes the records of a section.
pub(crate) fn stage_all<R: Record>(
    program: u16,
    section: Section,
    records: impl Iterator<Item = R>,
    programs: &mut impl Programs,
) -> Result<(), Error> {
    let (mut piece, mut length, mut place) = ([0; PIECE], 0, 0);
    let mut records = records.peekable();
    while let Some(record) = records.next() {
        record.encode(&mut |bytes| {
            if let Some(target) = piece.get_mut(length..length + bytes.len()) {
                target.copy_from_slice(bytes);
                length += bytes.len();
            }
        });
        if length + R::SIZE > PIECE || records.peek().is_none() {
            let whole = piece.get(..length).unwrap_or(&[]);
            programs.stage(program, section, place, whole)?;
            place += length / R::SIZE;
            length = 0;
        }
    }
    Ok(())
}

//! Module files: bytes with a sound frame and any contents.

use giornata_abi::instruction::DurationEntry;
use giornata_abi::module::{
    DriverSymbol, MAGIC, Module, ModuleHeader, NameSymbol, PortSymbol, Position, TaskSymbol,
    VERSION, crc32,
};
use giornata_abi::record::Record;
use giornata_abi::{Instruction, Predicate};
use giornata_microcode::{disassemble, verify};

/// Reads `data` as a module, once as it is and once with its frame mended so
/// that what lies behind the checksum is reached. Reading, verifying and
/// listing answer for any contents; what the verifier accepts, it accepts again.
pub fn explore(data: &[u8]) {
    let _ = Module::parse(data);
    let Some(framed) = mend_frame(data) else {
        return;
    };
    let Ok(module) = Module::parse(&framed) else {
        return;
    };
    let mut scratch = vec![verify::Scratch::EMPTY; verify::scratch_needed(&module)];
    let first = verify::verify(&module, &mut scratch);
    assert_eq!(
        first,
        verify::verify(&module, &mut scratch),
        "the verifier keeps no memory"
    );
    let mut listing = String::new();
    assert!(disassemble::listing(&module, &mut listing).is_ok());
}

/// The same bytes with magic, version, length and checksum that fit them, and a
/// string pool that takes what the tables leave.
pub(crate) fn mend_frame(data: &[u8]) -> Option<Vec<u8>> {
    let mut header = ModuleHeader::decode(data)?;
    let length = u32::try_from(data.len()).ok()?;
    header.magic = MAGIC;
    header.version = VERSION;
    header.length = length;
    header.strings = length.checked_sub(tables_end(&header)?)?;
    let mut bytes = Vec::with_capacity(data.len());
    header.append_to(&mut bytes);
    bytes.extend_from_slice(data.get(ModuleHeader::SIZE..)?);
    let crc = crc32(bytes.get(8..)?);
    bytes.get_mut(4..8)?.copy_from_slice(&crc.to_le_bytes());
    Some(bytes)
}

/// Where the tables that the header counts end.
fn tables_end(header: &ModuleHeader) -> Option<u32> {
    let sizes = [
        (header.instructions as usize, Instruction::SIZE),
        (header.predicates as usize, Predicate::SIZE),
        (header.durations as usize, DurationEntry::SIZE),
        (header.tasks as usize, TaskSymbol::SIZE),
        (header.drivers as usize, DriverSymbol::SIZE),
        (header.ports as usize, PortSymbol::SIZE),
        (header.interrupts as usize, NameSymbol::SIZE),
        (header.mailboxes as usize, NameSymbol::SIZE),
        (header.positions as usize, Position::SIZE),
        (header.links as usize, 2),
    ];
    let tables: usize = sizes.iter().map(|(count, size)| count * size).sum();
    u32::try_from(ModuleHeader::SIZE + tables).ok()
}

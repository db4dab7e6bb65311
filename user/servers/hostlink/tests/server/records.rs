//! The records of a module as the first kernel has them.

use giornata_abi::Record;
use giornata_abi::load::Section;
use giornata_abi::module::Module;

/// Bytes of a record of a section.
pub(crate) fn size(section: usize) -> usize {
    Section::ALL[section].record()
}

/// The records of a module as they are staged where its indices are the
/// interface's.
pub(crate) fn records(module: &[u8]) -> [Vec<u8>; 3] {
    let module = Module::parse(module).unwrap();
    let mut all = [const { Vec::new() }; 3];
    module.instructions().for_each(|r| r.append_to(&mut all[0]));
    module.predicates().for_each(|r| r.append_to(&mut all[1]));
    module.durations().for_each(|r| r.append_to(&mut all[2]));
    all
}

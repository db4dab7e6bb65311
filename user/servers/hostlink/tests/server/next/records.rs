//! The records of a module as the second kernel has them.

use giornata_abi::module::Module;
use giornata_abi::next::load::{Linked, LinkedWait, RECORD};
use giornata_abi::{Opcode, PredicateKind, Record};

/// Bytes of a record of a section.
pub(crate) fn size(_: usize) -> usize {
    RECORD
}

/// The records of each section of a module that only waits for times, where a tick is a
/// nanosecond.
pub(crate) fn records(module: &[u8]) -> [Vec<u8>; 3] {
    let module = Module::parse(module).unwrap();
    let mut all = [const { Vec::new() }; 3];
    for own in module.instructions() {
        let deadline = match own.opcode() {
            Some(Opcode::Release) => Some(module.duration(own.b).unwrap().nanos),
            _ => None,
        };
        let linked = Linked {
            opcode: own.opcode,
            reserved: 0,
            a: own.a,
            b: if deadline.is_some() { 0 } else { own.b },
            c: own.c,
            ticks: deadline.unwrap_or(0) as u32,
            parts: 0,
        };
        linked.append_to(&mut all[0]);
    }
    for own in module.predicates() {
        assert_eq!(own.kind(), Some(PredicateKind::After));
        let linked = LinkedWait {
            kind: own.kind,
            comparison: 0,
            subject: 0,
            parts: 0,
            value: [own.value as u32, (own.value >> 32) as u32],
        };
        linked.append_to(&mut all[1]);
    }
    all
}

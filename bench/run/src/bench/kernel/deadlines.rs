//! The module of `due-copies-100`: that of `due-copies-1`, with another deadline for each
//! task. Giotto knows no such program: a deadline there is a period.

use giornata_abi::instruction::Opcode;
use giornata_abi::module::{Module, crc32};
use giornata_system::rewrite;

/// Nanoseconds by which each release is due earlier than the one before it.
const STEP: u64 = 10_000;

/// The same module in which every release has a deadline of its own.
fn spread(bytes: &[u8]) -> Vec<u8> {
    let module = Module::parse(bytes).expect("a whole module");
    let mut writer = rewrite(&module);
    writer.durations.clear();
    let mut earlier = 0;
    let mut instructions = std::mem::take(&mut writer.instructions);
    for instruction in &mut instructions {
        if instruction.opcode == Opcode::Release as u8 {
            let deadline = module.duration(instruction.b).expect("a deadline");
            instruction.b = writer.duration(deadline.nanos - earlier, deadline.remainder);
            earlier += STEP;
        }
    }
    writer.instructions = instructions;
    writer.finish()
}

#[test]
fn the_module_with_a_hundred_deadlines_is_what_it_says() {
    use giornata_lang::giotto::{Options, compile};
    let folder = crate::crates::root().join("bench/kernel");
    let source = std::fs::read_to_string(folder.join("due-copies-1.giotto")).unwrap();
    let (bytes, findings) = compile("due-copies-1.giotto", &source, &Options::default());
    let wanted = spread(&bytes.unwrap_or_else(|| panic!("{findings:?}")));
    let path = folder.join("due-copies-100.gmod");
    if std::env::var_os("GIORNATA_BLESS").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read(&path).unwrap();
    assert_eq!(
        crc32(&found),
        crc32(&wanted),
        "write it anew with GIORNATA_BLESS=1"
    );
}

//! The module of `due-copies-100`: that of `due-copies-1`, with another deadline for each
//! task. Giotto knows no such program: a deadline there is a period.

use giornata_abi::instruction::Opcode;
use giornata_abi::module::{DriverSymbol, Module, ModuleWriter, Name, PortList, PortSymbol};
use giornata_abi::module::{TaskSymbol, crc32};

/// Nanoseconds by which each release is due earlier than the one before it.
const STEP: u64 = 10_000;

/// The same module in which every release has a deadline of its own.
fn spread(bytes: &[u8]) -> Vec<u8> {
    let module = Module::parse(bytes).expect("a whole module");
    let header = module.header();
    let mut writer = ModuleWriter::new(module.name(), module.text(header.source));
    writer.start = header.start;
    writer.round = header.round;
    writer.resume = header.resume;
    writer.denominator = header.denominator;
    writer.predicates = module.predicates().collect();
    writer.positions = module.positions().collect();
    let text = |name: Name, writer: &mut ModuleWriter| writer.text(module.text(name));
    let list = |ports: PortList, writer: &mut ModuleWriter| {
        let ports: Vec<u16> = module.list(ports).collect();
        writer.list(&ports)
    };
    for port in module.ports() {
        let (name, type_name) = (
            text(port.name, &mut writer),
            text(port.type_name, &mut writer),
        );
        writer.ports.push(PortSymbol {
            name,
            type_name,
            ..port
        });
    }
    for task in module.tasks() {
        let own = TaskSymbol {
            name: text(task.name, &mut writer),
            function: text(task.function, &mut writer),
            inputs: list(task.inputs, &mut writer),
            outputs: list(task.outputs, &mut writer),
            states: list(task.states, &mut writer),
            ..task
        };
        writer.tasks.push(own);
    }
    for driver in module.drivers() {
        let own = DriverSymbol {
            name: text(driver.name, &mut writer),
            function: text(driver.function, &mut writer),
            reads: list(driver.reads, &mut writer),
            writes: list(driver.writes, &mut writer),
            ..driver
        };
        writer.drivers.push(own);
    }
    let mut earlier = 0;
    for mut instruction in module.instructions() {
        if instruction.opcode == Opcode::Release as u8 {
            let deadline = module.duration(instruction.b).expect("a deadline");
            instruction.b = writer.duration(deadline.nanos - earlier, deadline.remainder);
            earlier += STEP;
        }
        writer.instructions.push(instruction);
    }
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

//! Random code in random worlds.

use giornata_abi::instruction::{Instruction, Opcode, Operand};
use giornata_abi::module::{
    DriverKind, DriverSymbol, Module, ModuleWriter, NameSymbol, PortKind, PortSymbol, TaskSymbol,
    crc32,
};
use giornata_abi::trace::Violation;
use giornata_abi::{Comparison, Predicate, PredicateKind, ValueType};
use giornata_micro::{UpcallEnd, disassemble};
use proptest::prelude::*;

use crate::support::{Event, MS, World, link_files, verify_bytes};

/// An instruction whose operands are in range for [`module`].
#[derive(Clone, Debug)]
struct Code(Vec<(u8, [u16; 3])>);

fn code() -> impl Strategy<Value = Code> {
    // returns are frequent, so that blocks are short and some code is sound
    let opcode = prop_oneof![3 => Just(0u8), 2 => Just(1), 2 => Just(2), 3 => Just(3), 2 => Just(4), 2 => Just(5), 1 => Just(6), 1 => Just(7), 2 => Just(8)];
    let operands = prop::array::uniform3(any::<u16>());
    prop::collection::vec((opcode, operands), 1..14).prop_map(Code)
}

/// A module with two tasks, four drivers and a predicate of each kind.
fn module(code: &Code, handlers: [Option<u16>; 4]) -> Vec<u8> {
    let mut writer = ModuleWriter::new("random", "");
    writer.denominator = 3;
    let name = writer.text("x");
    for kind in [
        PortKind::Output,
        PortKind::Output,
        PortKind::TaskInput,
        PortKind::TaskOutput,
    ] {
        writer.ports.push(PortSymbol {
            name,
            type_name: name,
            kind: kind as u8,
            value_type: ValueType::I32 as u8,
            size: 4,
            reserved: 0,
        });
    }
    let none = writer.list(&[]);
    for (inputs, outputs) in [(writer.list(&[2]), writer.list(&[3])), (none, none)] {
        let states = none;
        writer.tasks.push(TaskSymbol {
            name,
            function: name,
            inputs,
            outputs,
            states,
            wcet: 0,
            priority: 0,
            reserved: 0,
        });
    }
    for (reads, writes, kind) in [
        (writer.list(&[0]), writer.list(&[2]), DriverKind::Copy),
        (writer.list(&[3]), writer.list(&[1]), DriverKind::Copy),
        (none, writer.list(&[0]), DriverKind::Function),
        (none, writer.list(&[1]), DriverKind::Function),
    ] {
        writer.drivers.push(DriverSymbol {
            name,
            function: name,
            reads,
            writes,
            wcet: 0,
            kind: kind as u32,
            reserved: 0,
        });
    }
    writer.interrupts.push(NameSymbol { name });
    writer.mailboxes.push(NameSymbol { name });
    writer.predicates = pool();
    writer.duration(5 * MS, 0);
    writer.duration(10 * MS / 3, 1);
    let length = code.0.len() as u16 + 1;
    for (opcode, operands) in &code.0 {
        writer
            .instructions
            .push(instruction(&writer, *opcode, *operands, length));
    }
    writer
        .instructions
        .push(Instruction::new(Opcode::Return, 0, 0, 0));
    writer.handlers = handlers.map(|h| h.map_or(u16::MAX, |address| address % length));
    writer.finish()
}

fn pool() -> Vec<Predicate> {
    use PredicateKind::*;
    vec![
        Predicate::after(5 * MS, 0),
        Predicate::after(10 * MS / 3, 1),
        Predicate::after(10 * MS, 0),
        Predicate::of(True, 0),
        Predicate::of(Never, 0),
        Predicate::of(Released, 0),
        Predicate::of(Released, 1),
        Predicate::of(Completed, 0),
        Predicate::of(Completed, 1),
        Predicate::constant(0, Comparison::Greater, 2),
        Predicate::of(Interrupt, 0),
        Predicate::of(Message, 0),
        Predicate::of(Upcall, 3),
        Predicate::of(Changed, 0),
        Predicate::activation(1, Comparison::Less),
    ]
}

fn instruction(writer: &ModuleWriter, opcode: u8, operands: [u16; 3], length: u16) -> Instruction {
    let opcode = Opcode::from_code(opcode).unwrap();
    let mut values = [0; 3];
    for (index, kind) in opcode.operands().into_iter().enumerate() {
        let count = match kind {
            Operand::None => continue,
            Operand::Driver => 4,
            Operand::Task => 2,
            Operand::Predicate => writer.predicates.len() as u16,
            Operand::Test => 13, // the last two need an activation
            Operand::Duration => 2,
            Operand::Address => length,
        };
        values[index] = operands[index] % count;
    }
    Instruction::new(opcode, values[0], values[1], values[2])
}

/// What the world does to the programs.
#[derive(Clone, Debug)]
struct Script {
    durations: [Vec<u64>; 2],
    ends: [Vec<u8>; 2],
    values: [Vec<u64>; 2],
    asks: bool,
    events: Vec<(u8, u8, u8)>,
}

fn script() -> impl Strategy<Value = Script> {
    let times = || prop::collection::vec(1u64..12_000_000, 1..5);
    let ends = || prop::collection::vec(0u8..6, 1..6);
    let values = || prop::collection::vec(0u64..5, 1..6);
    let events = prop::collection::vec((0u8..60, 0u8..4, 0u8..5), 0..12);
    (
        [times(), times()],
        [ends(), ends()],
        [values(), values()],
        any::<bool>(),
        events,
    )
        .prop_map(|(durations, ends, values, asks, events)| Script {
            durations,
            ends,
            values,
            asks,
            events,
        })
}

fn prepare(world: &mut World<'_>, script: &Script, stops: bool) {
    for task in 0..world.kernel.tasks.len() {
        world.kernel.tasks[task].durations = script.durations[task % 2].iter().copied().collect();
    }
    for driver in 0..world.kernel.drivers.len() {
        use crate::support::Work;
        let (half, port) = (driver % 2, (driver / 4 * 4 + driver % 2) as u16);
        world.kernel.drivers[driver].2 = match (driver % 4 >= 2, script.asks) {
            (true, true) => Work::Upcall(script.ends[half].iter().map(|e| end(*e)).collect()),
            (true, false) => Work::Write(port, script.values[half].iter().copied().collect()),
            (false, _) => Work::Nothing,
        };
    }
    for (at, what, value) in &script.events {
        let event = match what {
            0 => Event::Interrupt(40),
            1 => Event::Write(u16::from(*value) % 2, u64::from(*value)),
            2 => Event::Message(0, value % 2 == 0),
            _ if stops => Event::Stop(
                u16::from(*value) % 2,
                Violation::ALL[2 + *value as usize % 2],
            ),
            _ => continue,
        };
        world.at(f64::from(*at), event);
    }
}

fn end(code: u8) -> UpcallEnd {
    match code {
        0 => UpcallEnd::Overrun,
        1 => UpcallEnd::Fault,
        value => UpcallEnd::Returned(value as usize % 2),
    }
}

/// Runs the programs; the invariants are checked after every piece.
fn run(files: &[Vec<u8>], script: &Script, stops: bool) -> Vec<giornata_micro::Report> {
    let tables = link_files(files);
    let mut slots = tables.slots();
    let mut world = World::new(&tables, &mut slots);
    prepare(&mut world, script, stops);
    world.start_all();
    world.run_until(60 * MS);
    world.kernel.reports
}

fn handlers() -> impl Strategy<Value = [Option<u16>; 4]> {
    prop_oneof![
        3 => Just([None; 4]),
        1 => prop::array::uniform4(prop::option::weighted(0.3, any::<u16>())),
    ]
}

/// 3,072 cases, or twelve times what `PROPTEST_CASES` says; just that many under
/// an interpreter.
fn many() -> ProptestConfig {
    let usual = ProptestConfig::default();
    let factor = if cfg!(miri) { 1 } else { 12 };
    ProptestConfig {
        cases: usual.cases * factor,
        failure_persistence: None,
        ..usual
    }
}

proptest! {
    #![proptest_config(many())]

    #[test]
    fn verified_code_never_exceeds_its_bounds(code in code(), handlers in handlers(), script in script()) {
        let file = module(&code, handlers);
        let verified = verify_bytes(&file);
        if !verified.is_ok_and(|v| v.steps.is_some()) {
            return Ok(()); // two in three
        }
        for report in run(&[file], &script, false) {
            let excess = report.violation == Violation::Overrun && report.task.is_none() && report.driver.is_none();
            prop_assert!(!excess, "{report:?}");
        }
    }

    #[test]
    fn any_code_keeps_the_invariants_and_ends_its_reactions(
        codes in prop::collection::vec((code(), handlers()), 1..3),
        script in script(),
    ) {
        let files: Vec<_> = codes.iter().map(|(code, handlers)| module(code, *handlers)).collect();
        run(&files, &script, true);
    }

    #[test]
    fn broken_code_keeps_the_invariants_too(
        code in code(),
        breaks in prop::collection::vec((0usize..200, any::<u8>()), 1..6),
        script in script(),
    ) {
        let file = module(&code, [None; 4]);
        let mut tables = link_files(&[file]);
        tables.break_code(&breaks);
        let mut slots = tables.slots();
        let mut world = World::new(&tables, &mut slots);
        prepare(&mut world, &script, true);
        world.start_all();
        world.run_until(30 * MS);
    }

    #[test]
    fn mutated_modules_never_panic_the_verifier_or_the_listing(
        code in code(),
        handlers in handlers(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut file = module(&code, handlers);
        for (index, byte) in changes {
            let at = index.index(file.len());
            file[at] = byte;
        }
        let crc = crc32(&file[8..]);
        file[4..8].copy_from_slice(&crc.to_le_bytes());
        if let Ok(module) = Module::parse(&file) {
            let _ = verify_bytes(&file);
            let mut text = String::new();
            disassemble::listing(&module, &mut text).unwrap();
        }
    }
}

//! A module that comes while the system runs, as its loader stages it.

use giornata_abi::call::Call;
use giornata_abi::instruction::{Opcode, Operand};
use giornata_abi::load::{Frame, How, Linked, LinkedWait, MOST, Section};
use giornata_abi::module::Module;
use giornata_abi::predicate::PredicateKind;
use giornata_abi::record::Record;
use giornata_abi::{Instruction, Predicate, ValueType};
use giornata_records::link::times;
use giornata_test_microcode::assemble;

use super::system::DATA;
use super::verify_bytes;
use super::world::Request;

/// Records of both sections, and the frame.
#[derive(Clone, Debug)]
pub(crate) struct Coming {
    pub(crate) sections: [Vec<u8>; 2],
    pub(crate) frame: Frame,
}

/// The bytes of a record.
pub(crate) fn bytes<R: Record>(record: &R) -> Vec<u8> {
    let mut bytes = Vec::new();
    record.encode(&mut |piece| bytes.extend_from_slice(piece));
    bytes
}

/// The numbers that names have in another list.
fn numbers(names: Vec<&str>, others: Vec<&str>) -> Vec<u16> {
    let find = |name: &str| others.iter().position(|other| *other == name);
    names
        .into_iter()
        .map(|name| find(name).expect("a name of the interface") as u16)
        .collect()
}

impl Coming {
    /// No module: the program becomes empty.
    pub(crate) fn nothing() -> Coming {
        Coming {
            sections: [Vec::new(), Vec::new()],
            frame: Frame::EMPTY,
        }
    }

    /// A module in the numbers of another one's names.
    pub(crate) fn of(source: &str, interface: &str, tag: u32) -> Coming {
        let (file, other) = (assemble(source), assemble(interface));
        let parse = |file| Module::parse(file).expect("a whole module");
        let (module, other) = (parse(&file), parse(&other));
        let tasks = numbers(
            module.tasks().map(|own| module.text(own.name)).collect(),
            other.tasks().map(|own| other.text(own.name)).collect(),
        );
        let drivers = numbers(
            module.drivers().map(|own| module.text(own.name)).collect(),
            other.drivers().map(|own| other.text(own.name)).collect(),
        );
        let ports = numbers(
            module.ports().map(|own| module.text(own.name)).collect(),
            other.ports().map(|own| other.text(own.name)).collect(),
        );
        let times = times(&module, 1_000_000_000).expect("whole ticks");
        let instruction = |own: Instruction| {
            let [kind, ..] = own.opcode().map_or([Operand::None; 3], Opcode::operands);
            let deadline = module.duration(own.b);
            let deadline = deadline.map(|own| times.ticks(own.nanos, own.remainder));
            let a = match kind {
                Operand::Task => tasks[usize::from(own.a)],
                Operand::Driver => drivers[usize::from(own.a)],
                _ => own.a,
            };
            bytes(&Linked::of(&Instruction { a, ..own }, deadline))
        };
        let predicate = |own: Predicate| {
            use PredicateKind::*;
            let names = match own.kind() {
                Some(Released | Completed) => &tasks,
                Some(Changed | Constant | Activation) => &ports,
                Some(Upcall) => &drivers,
                _ => &Vec::new(),
            };
            let subject = usize::from(own.subject);
            let order = match own.kind() {
                Some(Constant) => module.port(own.subject),
                _ => None,
            };
            let order = order.and_then(|port| ValueType::from_code(port.value_type));
            let subject = names.get(subject).copied().unwrap_or(own.subject);
            bytes(&LinkedWait::of(
                &Predicate { subject, ..own },
                &times,
                order,
            ))
        };
        let header = module.header();
        let steps = verify_bytes(&file).ok().and_then(|verified| verified.steps);
        Coming {
            sections: [
                module.instructions().flat_map(instruction).collect(),
                module.predicates().flat_map(predicate).collect(),
            ],
            frame: Frame {
                instructions: header.instructions,
                predicates: header.predicates,
                durations: 0,
                start: header.start,
                round: header.round,
                resume: header.resume,
                handlers: header.handlers,
                denominator: times.parts,
                max_steps: steps.unwrap_or(header.max_steps),
                tag,
            },
        }
    }

    /// The calls that stage it.
    pub(crate) fn staged(&self, program: usize) -> Vec<Request> {
        let sections = [Section::Instructions, Section::Predicates];
        let mut calls = Vec::new();
        for (section, records) in sections.into_iter().zip(&self.sections) {
            for (piece, bytes) in records.chunks(MOST).enumerate() {
                let target = program << 16 | section as usize;
                let first = piece * MOST / giornata_abi::load::RECORD;
                calls.push(Request {
                    call: Call::StageProgram,
                    arguments: [target, first, DATA, bytes.len(), 0, 0],
                    bytes: bytes.to_vec(),
                });
            }
        }
        calls
    }

    /// The call that asks for it, at a tick.
    pub(crate) fn asked(&self, program: usize, how: How, until: u64) -> Request {
        let (low, high) = (until as u32 as usize, (until >> 32) as usize);
        Request {
            call: Call::SwitchProgram,
            arguments: [program, DATA, how as usize, low, high, 0],
            bytes: bytes(&self.frame),
        }
    }

    /// All calls.
    pub(crate) fn calls(&self, program: usize, how: How, until: u64) -> Vec<Request> {
        let mut calls = self.staged(program);
        calls.push(self.asked(program, how, until));
        calls
    }
}

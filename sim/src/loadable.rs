//! Microcode that comes while a system made by hand runs: assembled, linked to
//! the names of the program whose place it takes, and brought by a thread.

use crate::assembly::Assembly;
use crate::behaviour::{Act, Behaviour, Moment};
use crate::memory::SCRATCH;
use giornata_abi::call::Call;
use giornata_abi::id::NONE;
use giornata_abi::instruction::Operand;
use giornata_abi::load::{Frame, How, Section};
use giornata_abi::predicate::PredicateKind;
use giornata_abi::{Instant, Record};

/// Most bytes that one call brings.
const PIECE: usize = 64;

/// What a program was linked to, by local index.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interface {
    pub(crate) tasks: Vec<String>,
    pub(crate) drivers: Vec<String>,
    pub(crate) ports: Vec<String>,
    pub(crate) interrupts: Vec<u16>,
}

/// A module as a loader brings it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loadable {
    /// What it is besides its sections.
    pub frame: Frame,
    /// The records of its sections.
    pub sections: [Vec<u8>; 3],
}

impl Loadable {
    /// What is brought to empty a program.
    pub fn nothing() -> Loadable {
        Loadable {
            frame: Frame::EMPTY,
            sections: [const { Vec::new() }; 3],
        }
    }

    pub(crate) fn link(interface: &Interface, text: &str, tag: u32) -> Result<Loadable, String> {
        let mut assembly = Assembly::parse(text)?;
        let find = |names: &[String], name: &str| {
            let known = names.iter().position(|known| known == name);
            known
                .map(|index| index as u16)
                .ok_or(format!("the program has no {name}"))
        };
        let resolve = |known: &[String], wanted: &[String]| -> Result<Vec<u16>, String> {
            wanted.iter().map(|name| find(known, name)).collect()
        };
        let tasks = resolve(&interface.tasks, &assembly.tasks)?;
        let drivers = resolve(&interface.drivers, &assembly.drivers)?;
        let ports = resolve(&interface.ports, &assembly.ports)?;
        let lines: Option<Vec<u16>> = assembly
            .interrupts
            .iter()
            .map(|number| {
                let known = interface.interrupts.iter().position(|n| n == number)?;
                Some(known as u16)
            })
            .collect();
        let lines = lines.ok_or("the program has no such interrupt")?;
        for instruction in &mut assembly.instructions {
            let Some(opcode) = instruction.opcode() else {
                continue;
            };
            let names = match opcode.operands().first() {
                Some(Operand::Task) => &tasks,
                Some(Operand::Driver) => &drivers,
                _ => continue,
            };
            instruction.a = names[usize::from(instruction.a)];
        }
        for predicate in &mut assembly.predicates {
            let names = match predicate.kind() {
                Some(PredicateKind::Released | PredicateKind::Completed) => &tasks,
                Some(
                    PredicateKind::Changed | PredicateKind::Constant | PredicateKind::Activation,
                ) => &ports,
                Some(PredicateKind::Interrupt) => &lines,
                Some(PredicateKind::Upcall) => &drivers,
                _ => continue,
            };
            predicate.subject = names[usize::from(predicate.subject)];
        }
        let labelled = |name: &str| assembly.labels.get(name).copied().unwrap_or(NONE);
        Ok(Loadable {
            frame: Frame {
                instructions: assembly.instructions.len() as u16,
                predicates: assembly.predicates.len() as u16,
                durations: assembly.durations.len() as u16,
                start: assembly.start,
                round: labelled("round"),
                resume: match labelled("resume") {
                    NONE => labelled("round"),
                    resume => resume,
                },
                handlers: assembly.handlers,
                denominator: assembly.denominator,
                max_steps: 1000,
                tag,
            },
            sections: [
                encode(&assembly.instructions),
                encode(&assembly.predicates),
                encode(&assembly.durations),
            ],
        })
    }

    /// The calls that bring it, one after the other: bytes that lie in the
    /// caller's memory at [`SCRATCH`], and the call.
    pub fn calls(&self, program: u16, how: How, at: Instant) -> Vec<(Vec<u8>, Act)> {
        let mut calls = Vec::new();
        for (section, bytes) in Section::ALL.into_iter().zip(&self.sections) {
            let piece = PIECE / section.record() * section.record();
            let target = usize::from(program) << 16 | section as usize;
            for (index, records) in bytes.chunks(piece).enumerate() {
                let place = index * (piece / section.record());
                let arguments = [target, place, SCRATCH, records.len()];
                let act = Act::call(Call::StageProgram, &arguments);
                calls.push((records.to_vec(), act));
            }
        }
        let (low, high) = (at.0 as u32 as usize, (at.0 >> 32) as usize);
        let arguments = [usize::from(program), SCRATCH, how as usize, low, high];
        let act = Act::call(Call::SwitchProgram, &arguments);
        calls.push((encode(&[self.frame]), act));
        calls
    }

    /// A thread that brings it at an instant, for a change not before `at`, and
    /// exits. It panics if the kernel refuses anything.
    pub fn brought(
        &self,
        program: u16,
        how: How,
        when: Instant,
        at: Instant,
    ) -> impl Behaviour + use<> {
        let mut calls = self.calls(program, how, at).into_iter();
        let mut has_slept = false;
        move |moment: &mut Moment<'_>| {
            if !std::mem::replace(&mut has_slept, true) {
                return Act::sleep_until(when);
            }
            let refused = moment.answer.is_some_and(|answer| answer.0[0] != 0);
            assert!(!refused, "refused: {:?}", moment.answer);
            let Some((bytes, act)) = calls.next() else {
                return Act::End(0);
            };
            let written = moment.memory.write(SCRATCH, &bytes);
            assert!(written.is_ok(), "every process has scratch memory");
            act
        }
    }
}

fn encode<R: Record>(records: &[R]) -> Vec<u8> {
    let mut bytes = Vec::new();
    records
        .iter()
        .for_each(|record| record.append_to(&mut bytes));
    bytes
}

//! A scenario's programs, assembled, verified and linked.

use std::fmt::Write;

use giornata_abi::module::Module;
use giornata_abi::trace::Violation;
use giornata_microcode::verify::{Scratch, Verified, scratch_needed, verify};
use giornata_records::link::{Binding, link};
use giornata_records::program::{Port, Program};
use giornata_replay_logs::{self as logs, Instruction, Role, TICK_NANOS, When};
use giornata_test_microcode::assemble;

use crate::describe::HERTZ;

/// Instructions in one instant, where the verifier cannot count them.
const STEPS: u32 = 1000;

/// Triggers and threads of S code that can wait at once, as in the recorded kernel.
const TRIGGERS: usize = 32;
const THREADS: usize = 16;

pub(crate) fn link_all(system: &logs::System, ports: &[Port]) -> Vec<Program> {
    let programs = system.programs.iter();
    programs
        .map(|program| link_one(system, program, ports))
        .collect()
}

fn link_one(system: &logs::System, program: &logs::Program, ports: &[Port]) -> Program {
    let tasks = tasks(program);
    let file = assemble(&source(system, program, &tasks));
    let module = Module::parse(&file).expect("a whole module");
    let verified = verified(&module);
    let processes: Vec<usize> = system.threads.iter().map(|thread| thread.process).collect();
    let counted = verified.and_then(|verified| verified.steps);
    let own = tasks.iter().map(|task| values(system, *task));
    let own: usize = own.map(|(inputs, outputs)| inputs + outputs).sum();
    let binding = Binding {
        tasks: tasks.iter().map(|task| (*task, false)).collect(),
        drivers: (0..system.drivers.len()).collect(),
        ports: std::iter::repeat_n(None, own)
            .chain((0..system.ports).map(Some))
            .collect(),
        lines: (0..system.lines.len()).collect(),
        mailboxes: Vec::new(),
        all_ports: ports,
        processes: &processes,
        several_harts: false,
        hertz: HERTZ,
        bound: if counted.is_some() { 0 } else { STEPS },
        counted_steps: counted.unwrap_or(0),
        priority: program.slot,
        triggers: TRIGGERS,
        threads: THREADS,
        involved: [None; 2],
        change: None,
    };
    link(&module, &binding).expect("a module that links")
}

fn verified(module: &Module<'_>) -> Option<Verified> {
    let mut scratch = vec![Scratch::EMPTY; scratch_needed(module)];
    verify(module, &mut scratch).ok()
}

/// The tasks that a program names.
fn tasks(program: &logs::Program) -> Vec<usize> {
    let when = |when: &When| match when {
        When::Completed(task) => Some(*task),
        _ => None,
    };
    let named = |instruction: &Instruction| match instruction {
        Instruction::Release(task, _) | Instruction::Dispatch(task, ..) => Some(*task),
        Instruction::Future(trigger, _) | Instruction::Branch(trigger, _) => when(trigger),
        Instruction::Idle(trigger) => when(trigger),
        _ => None,
    };
    let mut tasks: Vec<usize> = program.code.iter().filter_map(named).collect();
    tasks.sort_unstable();
    tasks.dedup();
    tasks
}

/// How many inputs and outputs a task has.
fn values(system: &logs::System, task: usize) -> (usize, usize) {
    match system.threads[task].role {
        Role::Task {
            inputs, outputs, ..
        } => (inputs, outputs),
        _ => panic!("thread {task} is no task"),
    }
}

/// The text of a program for the assembler.
fn source(system: &logs::System, program: &logs::Program, tasks: &[usize]) -> String {
    let mut text = String::new();
    for task in tasks {
        let (inputs, outputs) = values(system, *task);
        write!(text, "task t{task} in").unwrap();
        (0..inputs).for_each(|index| write!(text, " t{task}i{index}").unwrap());
        write!(text, " out").unwrap();
        (0..outputs).for_each(|index| write!(text, " t{task}o{index}").unwrap());
        writeln!(text).unwrap();
    }
    for port in 0..system.ports {
        writeln!(text, "port p{port} i32 output").unwrap();
    }
    for driver in 0..system.drivers.len() {
        writeln!(text, "driver d{driver}").unwrap();
    }
    for line in &system.lines {
        writeln!(text, "irq i{}", line.number).unwrap();
    }
    for (violation, handler) in Violation::ALL.into_iter().zip(program.handlers) {
        if let Some(handler) = handler {
            writeln!(text, "handler {} l{handler}", violation.name()).unwrap();
        }
    }
    writeln!(text, "start l0").unwrap();
    for (address, instruction) in program.code.iter().enumerate() {
        writeln!(text, "l{address}: {}", line(instruction)).unwrap();
    }
    text
}

fn line(instruction: &Instruction) -> String {
    match *instruction {
        Instruction::Call(driver) => format!("call d{driver}"),
        Instruction::Release(task, ticks) => format!("release t{task}, {}ns", ticks * TICK_NANOS),
        Instruction::Future(when, to) => format!("future {}, l{to}", predicate(when)),
        Instruction::Branch(when, to) => format!("branch {}, l{to}", predicate(when)),
        Instruction::Dispatch(task, until, to) => {
            format!("dispatch t{task}, {}, l{to}", predicate(until))
        }
        Instruction::Idle(until) => format!("idle {}", predicate(until)),
        Instruction::Fork(to) => format!("fork l{to}"),
        Instruction::Return => "return".into(),
    }
}

fn predicate(when: When) -> String {
    match when {
        When::After(ticks) => format!("after({}ns)", ticks * TICK_NANOS),
        When::Completed(task) => format!("completed(t{task})"),
        When::Changed(port) => format!("changed(p{port})"),
        When::Interrupt(number) => format!("irq(i{number})"),
        When::AtLeast(port, value) => format!("p{port} >= {value}"),
        When::Below(port, value) => format!("p{port} < {value}"),
    }
}

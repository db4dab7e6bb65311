//! Ports and tasks.

use giornata_abi::module::PortKind;

use super::super::Code;
use super::super::annotation::Place;
use super::super::model::{Local, Port, Task, TaskArgument};
use super::super::tree::{self, Bound, Formal, Name, Program};
use super::{Scope, local_names};
use crate::diagnostic::Diagnostic;

impl<'t> Scope<'t, '_> {
    /// Sensors, actuators, inputs, outputs and privates share one name space.
    pub(super) fn declare_ports(&mut self, program: &'t Program) {
        let sections = [
            (&program.sensors, PortKind::Sensor),
            (&program.actuators, PortKind::Actuator),
        ];
        for (list, kind) in sections {
            list.iter().for_each(|bound| self.bound_port(bound, kind));
        }
        for formal in &program.inputs {
            self.declare_port(formal, PortKind::Input, None, 0);
        }
        let sections = [
            (&program.outputs, PortKind::Output),
            (&program.privates, PortKind::Private),
        ];
        for (list, kind) in sections {
            list.iter().for_each(|bound| self.bound_port(bound, kind));
        }
    }

    fn bound_port(&mut self, bound: &'t Bound, kind: PortKind) {
        let notes = self
            .notes
            .read(&bound.annotation, Place::Port, self.findings);
        let function = bound.function.text.clone();
        self.declare_port(&bound.formal, kind, Some(function), notes.wcet.unwrap_or(0));
    }

    fn declare_port(
        &mut self,
        formal: &'t Formal,
        kind: PortKind,
        function: Option<String>,
        wcet: u64,
    ) {
        let name = &formal.name;
        match self.ports.find(&name.text) {
            Some((first, _)) if is_sensor_and_output(self.port_table[first].kind, kind) => {
                self.sensor_and_output(name, first);
            }
            _ => self.ports.declare(
                name,
                self.port_table.len(),
                "port",
                Code::Duplicate,
                self.findings,
            ),
        }
        let type_name = formal.type_name.text.clone();
        self.port_table.push(Port {
            name: name.text.clone(),
            type_name,
            kind,
            function,
            wcet,
            span: name.span,
        });
    }

    fn sensor_and_output(&mut self, name: &Name, first: usize) {
        let message = format!("port `{}` is both a sensor and an output", name.text);
        let help = "a sensor is written by its device driver, an output by its task: give the output another name";
        let found = Diagnostic::new(Code::SensorAndOutput, name.span, message, help);
        self.findings
            .add(found.also(self.port_table[first].span, "declared as a sensor here"));
    }

    pub(super) fn declare_tasks(&mut self, program: &'t Program) {
        for task in &program.tasks {
            self.tasks.declare(
                &task.name,
                self.task_table.len(),
                "task",
                Code::Duplicate,
                self.findings,
            );
            let outputs = self.task_outputs(task);
            let entry = self.task(task, outputs);
            self.task_table.push(entry);
        }
    }

    fn task(&mut self, task: &'t tree::Task, outputs: Vec<usize>) -> Task {
        let notes = self
            .notes
            .read(&task.annotation, Place::Task, self.findings);
        Task {
            name: task.name.text.clone(),
            function: task.schedule.function.text.clone(),
            inputs: task.inputs.iter().map(local).collect(),
            outputs,
            states: task
                .states
                .iter()
                .map(|state| local(&state.formal))
                .collect(),
            arguments: self.task_arguments(task),
            wcet: notes.wcet.unwrap_or(0),
            priority: notes.priority.unwrap_or(0),
            span: task.name.span,
        }
    }

    /// The ports a task writes: outputs. Tasks of different modes may share one
    /// (`writers.rs`).
    fn task_outputs(&mut self, task: &'t tree::Task) -> Vec<usize> {
        let mut ports = Vec::new();
        for used in &task.outputs {
            let Some(port) = self.port(used) else {
                continue;
            };
            if !is_output(self.port_table[port].kind) {
                self.not_an_output(&used.name, "a task writes");
            }
            ports.push(port);
        }
        ports
    }

    pub(super) fn not_an_output(&mut self, name: &Name, who: &str) {
        let message = format!("`{}` is not an output: {who} outputs only", name.text);
        self.report(
            Code::PortKind,
            name.span,
            message,
            "declare a port for it in the section `output` or `private`",
        );
    }

    /// The arguments of `schedule f(...)`: each parameter exactly once.
    fn task_arguments(&mut self, task: &'t tree::Task) -> Vec<TaskArgument> {
        let parameters: Vec<(&'t Name, TaskArgument)> = parameters(task).collect();
        let names = local_names(
            parameters.iter().map(|(name, _)| *name),
            "parameter",
            self.findings,
        );
        let mut passed = vec![false; parameters.len()];
        let mut arguments = Vec::new();
        for argument in &task.schedule.arguments {
            let what = "input, output or state of this task";
            let found = names.look_up(argument, Code::UnknownArgument, what, self.findings);
            let Some(index) = found else { continue };
            if std::mem::replace(&mut passed[index], true) {
                self.passed_twice(argument);
            }
            arguments.push(parameters[index].1);
        }
        for ((name, _), _) in parameters.iter().zip(passed).filter(|(_, passed)| !passed) {
            self.not_passed(name, &task.schedule.function);
        }
        arguments
    }

    pub(super) fn passed_twice(&mut self, argument: &Name) {
        let message = format!("`{}` is passed twice", argument.text);
        self.report(
            Code::Arity,
            argument.span,
            message,
            "pass each parameter once",
        );
    }

    pub(super) fn not_passed(&mut self, name: &Name, function: &Name) {
        let message = format!("`{}` is not passed to `{}`", name.text, function.text);
        let help = format!(
            "add `{}` to the arguments, or remove it from the list",
            name.text
        );
        let found = Diagnostic::new(Code::MissingArgument, name.span, message, help);
        self.findings
            .add(found.also(function.span, "this function gets the parameters"));
    }
}

fn parameters(task: &tree::Task) -> impl Iterator<Item = (&Name, TaskArgument)> {
    let inputs = task
        .inputs
        .iter()
        .enumerate()
        .map(|(i, f)| (&f.name, TaskArgument::Input(i)));
    let outputs = task
        .outputs
        .iter()
        .enumerate()
        .map(|(i, p)| (&p.name, TaskArgument::Output(i)));
    let states = task
        .states
        .iter()
        .enumerate()
        .map(|(i, s)| (&s.formal.name, TaskArgument::State(i)));
    inputs.chain(outputs).chain(states)
}

fn local(formal: &Formal) -> Local {
    Local {
        name: formal.name.text.clone(),
        type_name: formal.type_name.text.clone(),
    }
}

pub(super) fn is_output(kind: PortKind) -> bool {
    matches!(kind, PortKind::Output | PortKind::Private)
}

fn is_sensor_and_output(first: PortKind, second: PortKind) -> bool {
    first == PortKind::Sensor && is_output(second)
}

//! Declarations: sensors, actuators, variables.

use giornata_abi::module::PortKind;

use super::super::Code;
use super::super::annotation::Place;
use super::super::model::Port;
use super::super::tree::{Device, Name, Variable};
use super::Checker;
use crate::diagnostic::Diagnostic;
use crate::names::Names;

impl<'t> Checker<'t, '_> {
    /// Declares what has a value, and the names of tasks.
    pub(super) fn declare(&mut self) {
        let program = self.program;
        for sensor in &program.sensors {
            self.device(sensor, PortKind::Sensor, "sensor");
        }
        for actuator in &program.actuators {
            self.device(actuator, PortKind::Actuator, "actuator");
        }
        for (index, task) in program.tasks.iter().enumerate() {
            let findings = &mut *self.findings;
            self.tasks
                .declare(&task.name, index, "task", Code::Duplicate, findings);
            let notes = &task.annotations;
            let notes = self.annotations.read(notes, Place::Jobs, self.findings);
            self.notes.push(notes);
            for variable in task.variables.iter().filter(|v| v.is_exported) {
                self.export(index, variable);
            }
        }
        // (states come behind what all tasks know, and may be called like none of it)
        for (index, task) in program.tasks.iter().enumerate() {
            self.states.push(Names::default());
            for variable in task.variables.iter().filter(|v| !v.is_exported) {
                self.state(index, variable);
            }
        }
    }

    fn device(&mut self, device: &'t Device, kind: PortKind, what: &str) {
        let index = self.model.ports.len();
        self.globals
            .declare(&device.name, index, what, Code::Duplicate, self.findings);
        let notes = self
            .annotations
            .read(&device.annotations, Place::Driver, self.findings);
        self.model.ports.push(Port {
            name: device.name.text.clone(),
            type_name: device.type_name.text.clone(),
            kind,
            function: Some(device.function.text.clone()),
            wcet: notes.wcet.map_or(0, |(nanos, _)| nanos),
            task: None,
            span: device.name.span,
        });
    }

    fn export(&mut self, task: usize, variable: &'t Variable) {
        let index = self.model.ports.len();
        let (name, findings) = (&variable.name, &mut *self.findings);
        self.globals
            .declare(name, index, "variable", Code::Duplicate, findings);
        self.variable(task, variable, name.text.clone(), PortKind::Output);
    }

    fn state(&mut self, task: usize, variable: &'t Variable) {
        let (index, name) = (self.model.ports.len(), &variable.name);
        if let Some((_, first)) = self.globals.find(&name.text) {
            let message = format!("state `{}` has the name of what all tasks know", name.text);
            let help = "give it another name";
            self.findings.add(
                Diagnostic::new(Code::Duplicate, name.span, message, help)
                    .also(first, "first declared here"),
            );
        }
        if let Some(states) = self.states.last_mut() {
            states.declare(name, index, "state", Code::Duplicate, self.findings);
        }
        let of = &self.program.tasks[task].name.text;
        let name = format!("{of}.{}", name.text);
        self.variable(task, variable, name, PortKind::Private);
    }

    fn variable(&mut self, task: usize, variable: &'t Variable, name: String, kind: PortKind) {
        let notes = self
            .annotations
            .read(&variable.annotations, Place::Driver, self.findings);
        let initialiser = variable.initialiser.as_ref();
        self.model.ports.push(Port {
            name,
            type_name: variable.type_name.text.clone(),
            kind,
            function: initialiser.map(|function| function.text.clone()),
            wcet: notes.wcet.map_or(0, |(nanos, _)| nanos),
            task: Some(task),
            span: variable.name.span,
        });
    }

    /// What a name in a task means: a state of it, or what all tasks know.
    pub(super) fn look_up(&mut self, task: usize, name: &Name) -> Option<usize> {
        let own = self.states.get(task).and_then(|own| own.find(&name.text));
        if let Some((port, _)) = own.or_else(|| self.globals.find(&name.text)) {
            return Some(port);
        }
        let mut others = self.states.iter().enumerate();
        let other = others.find_map(|(task, states)| Some((task, states.find(&name.text)?.1)));
        if let Some((owner, declared)) = other {
            let owner = &self.program.tasks[owner].name.text;
            let message = format!("`{}` is a state of task `{owner}`", name.text);
            let help = "a state is its task's own: declare it with `export` to let others read it";
            self.findings.add(
                Diagnostic::new(Code::OtherTask, name.span, message, help)
                    .also(declared, "declared here"),
            );
            return None;
        }
        let message = format!("there is no variable `{}`", name.text);
        let own = self.states.get(task);
        let help = match own.and_then(|own| own.nearest(&name.text)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => self.globals.suggest(&name.text, "variable"),
        };
        self.report(Code::UnknownVariable, name.span, message, help);
        None
    }

    /// Whether a port is a sensor or an actuator.
    pub(super) fn is_device(&self, port: usize) -> bool {
        let kind = self.model.ports[port].kind;
        matches!(kind, PortKind::Sensor | PortKind::Actuator)
    }
}

//! Modes and their lines.

use std::collections::BTreeMap;

use giornata_abi::module::PortKind;

use super::super::Code;
use super::super::annotation::{Notes, Place};
use super::super::model::{Exit, Invoke, Mode, Model, Update};
use super::super::tree::{self, Formal, Line, LineKind, Name, Program};
use super::Scope;
use super::declarations::is_output;
use super::drivers::count;
use crate::diagnostic::Diagnostic;

impl<'t> Scope<'t, '_> {
    /// The model, unless a name of the start block is unknown.
    pub(super) fn declare_modes(&mut self, program: &'t Program) -> Option<Model> {
        for (index, mode) in program.modes.iter().enumerate() {
            self.modes
                .declare(&mode.name, index, "mode", Code::Duplicate, self.findings);
        }
        let ports: Vec<ModePorts<'t>> = program
            .modes
            .iter()
            .map(|mode| self.mode_ports(mode))
            .collect();
        let modes = program
            .modes
            .iter()
            .map(|mode| self.mode(mode, &ports))
            .collect();
        let name = program.start.as_ref()?;
        let start = self
            .modes
            .look_up(name, Code::UnknownMode, "mode", self.findings)?;
        Some(Model {
            ports: std::mem::take(&mut self.port_table),
            tasks: std::mem::take(&mut self.task_table),
            drivers: std::mem::take(&mut self.driver_table),
            modes,
            start,
            start_span: name.span,
        })
    }

    fn mode_ports(&mut self, mode: &'t tree::Mode) -> ModePorts<'t> {
        let mut ports = Vec::new();
        for used in &mode.ports {
            let Some(port) = self.port(used) else {
                continue;
            };
            if is_output(self.port_table[port].kind) {
                ports.push((used.name.text.as_str(), port));
            } else {
                self.not_an_output(&used.name, "switches into a mode set");
            }
        }
        ports
    }

    fn mode(&mut self, mode: &'t tree::Mode, ports: &[ModePorts<'t>]) -> Mode {
        let (name, span) = (mode.name.text.clone(), mode.name.span);
        let mut model = Mode {
            name,
            period: mode.period,
            updates: Vec::new(),
            exits: Vec::new(),
            invokes: Vec::new(),
            span,
        };
        let mut invoked = BTreeMap::new();
        for line in &mode.lines {
            let place = if line.kind == LineKind::Invoke {
                Place::Invoke
            } else {
                Place::Line
            };
            let notes = self.notes.read(&line.annotations, place, self.findings);
            match line.kind {
                LineKind::Update => model.updates.extend(self.update(line)),
                LineKind::Exit => model.exits.extend(self.exit(line, ports)),
                LineKind::Invoke => {
                    if let Some(invoke) = self.invoke(line, notes) {
                        self.invoked_once(line, invoke.task, &mut invoked);
                        model.invokes.push(invoke);
                    }
                }
            }
        }
        model
    }

    fn invoked_once(
        &mut self,
        line: &'t Line,
        task: usize,
        invoked: &mut BTreeMap<usize, &'t Name>,
    ) {
        let Some(first) = invoked.insert(task, &line.target) else {
            return;
        };
        let message = format!("task `{}` is invoked twice in this mode", line.target.text);
        let help = "invoke it once with the higher frequency, or declare a second task";
        let found = Diagnostic::new(Code::TaskTwice, line.target.span, message, help);
        self.findings
            .add(found.also(first.span, "first invoked here"));
    }

    fn driver_of(&mut self, line: &Line) -> Option<usize> {
        self.drivers
            .look_up(&line.driver, Code::UnknownDriver, "driver", self.findings)
    }

    fn update(&mut self, line: &'t Line) -> Option<Update> {
        let actuator =
            self.ports
                .look_up(&line.target, Code::UnknownPort, "actuator", self.findings);
        let driver = self.driver_of(line);
        let (actuator, driver) = (actuator?, driver?);
        if self.port_table[actuator].kind != PortKind::Actuator {
            let message = format!("`{}` is not an actuator", line.target.text);
            self.report(
                Code::PortKind,
                line.target.span,
                message,
                "declare it in the section `actuator`",
            );
            return None;
        }
        let wanted = [(
            line.target.text.clone(),
            self.type_name(actuator).to_owned(),
        )];
        self.connect(line, driver, "the actuator", &wanted);
        Some(Update {
            frequency: line.frequency,
            actuator,
            driver,
            span: line.target.span,
        })
    }

    fn invoke(&mut self, line: &'t Line, notes: Notes) -> Option<Invoke> {
        let task = self
            .tasks
            .look_up(&line.target, Code::UnknownTask, "task", self.findings);
        let driver = self.driver_of(line);
        let (task, driver) = (task?, driver?);
        let inputs = &self.task_table[task].inputs;
        let wanted: Vec<_> = inputs
            .iter()
            .map(|i| (i.name.clone(), i.type_name.clone()))
            .collect();
        self.connect(line, driver, "the task", &wanted);
        self.note(task, notes);
        Some(Invoke {
            frequency: line.frequency,
            task,
            driver,
            span: line.target.span,
        })
    }

    /// What an invocation says about its task must not contradict the rest.
    fn note(&mut self, task: usize, notes: Notes) {
        let task = &mut self.task_table[task];
        let wcet = notes
            .wcet
            .is_some_and(|wcet| task.wcet != 0 && task.wcet != wcet);
        let priority = notes
            .priority
            .is_some_and(|p| task.priority != 0 && task.priority != p);
        task.wcet = notes.wcet.unwrap_or(task.wcet);
        task.priority = notes.priority.unwrap_or(task.priority);
        if wcet || priority {
            let message = format!(
                "this contradicts what is said about task `{}` elsewhere",
                task.name
            );
            self.report(
                Code::Annotation,
                notes.span,
                message,
                "annotate the task's declaration only",
            );
        }
    }

    /// Binds the driver's formals to what the line names, by position.
    fn connect(&mut self, line: &Line, driver: usize, what: &str, wanted: &[(String, String)]) {
        let formals = self.driver_formals[driver];
        if formals.len() != wanted.len() {
            let message = format!(
                "driver `{}` writes {}, {what} `{}` takes {}",
                line.driver.text,
                count(formals.len(), "value"),
                line.target.text,
                wanted.len()
            );
            let list: Vec<String> = wanted
                .iter()
                .map(|(name, type_name)| format!("{type_name} {name}"))
                .collect();
            let help = format!(
                "name a driver that is declared with `output ({})`",
                list.join(", ")
            );
            let found = Diagnostic::new(Code::Arity, line.driver.span, message, help);
            self.findings.add(found.also(
                self.driver_table[driver].span,
                "the driver is declared here",
            ));
            return;
        }
        for (formal, (name, type_name)) in formals.iter().zip(wanted) {
            self.same_type(line, formal, name, type_name);
        }
    }

    fn same_type(&mut self, line: &Line, formal: &Formal, name: &str, type_name: &str) {
        if formal.type_name.text == *type_name {
            return;
        }
        let message = format!(
            "driver `{}` writes a `{}` to `{name}`, which has type `{type_name}`",
            line.driver.text, formal.type_name.text
        );
        let help = format!(
            "declare the driver's parameter as `{type_name} {}`, or name another driver",
            formal.name.text
        );
        let found = Diagnostic::new(Code::Type, line.driver.span, message, help);
        self.findings
            .add(found.also(formal.name.span, "this parameter"));
    }

    fn exit(&mut self, line: &'t Line, ports: &[ModePorts<'t>]) -> Option<Exit> {
        let target = self
            .modes
            .look_up(&line.target, Code::UnknownMode, "mode", self.findings);
        let driver = self.driver_of(line);
        let (target, driver) = (target?, driver?);
        let sets = self.bind(line, driver, ports.get(target)?)?;
        Some(Exit {
            frequency: line.frequency,
            target,
            driver,
            sets,
            span: line.target.span,
        })
    }

    /// Binds the formals of a switch driver to ports of the entered mode: by
    /// name where every formal has the name of one, else by position.
    fn bind(&mut self, line: &Line, driver: usize, ports: &ModePorts<'t>) -> Option<Vec<usize>> {
        let formals = self.driver_formals[driver];
        let find = |formal: &Formal| ports.iter().find(|(name, _)| *name == formal.name.text);
        let chosen = match formals.iter().map(find).collect::<Option<Vec<_>>>() {
            Some(named) => named,
            None => ports.iter().collect(),
        };
        let wanted: Vec<_> = chosen
            .iter()
            .map(|(name, port)| ((*name).to_owned(), self.type_name(*port).to_owned()))
            .collect();
        self.connect(line, driver, "the mode", &wanted);
        (formals.len() == chosen.len()).then(|| chosen.iter().map(|(_, port)| *port).collect())
    }
}

/// The ports that an entering switch driver may set, with their names.
type ModePorts<'t> = Vec<(&'t str, usize)>;

//! Drivers: what they read, test, run and write.

use giornata_abi::module::PortKind;

use super::super::Code;
use super::super::annotation::Place;
use super::super::convention;
use super::super::model::{Action, Driver, DriverArgument, Guard};
use super::super::tree::{self, Call, Name, Program};
use super::{Names, Scope, local_names};

impl<'t> Scope<'t, '_> {
    pub(super) fn declare_drivers(&mut self, program: &'t Program) {
        for driver in &program.drivers {
            self.drivers.declare(
                &driver.name,
                self.driver_table.len(),
                "driver",
                Code::Duplicate,
                self.findings,
            );
            let entry = self.driver(driver);
            self.driver_table.push(entry);
            self.driver_formals.push(&driver.formals);
        }
    }

    fn driver(&mut self, driver: &'t tree::Driver) -> Driver {
        let notes = self
            .notes
            .read(&driver.annotation, Place::Driver, self.findings);
        let sources: Vec<usize> = driver
            .sources
            .iter()
            .filter_map(|used| self.source(used))
            .collect();
        let known = sources.len() == driver.sources.len();
        let listed = driver.sources.iter().map(|used| &used.name);
        let names = local_names(
            listed.chain(driver.formals.iter().map(|f| &f.name)),
            "parameter",
            self.findings,
        );
        let (mut guard, mut action) = (None, Action::Nothing);
        // A list with an unknown port says nothing about the arguments.
        if known {
            let parameters = Parameters { names, sources };
            guard = self.guard(&driver.guard, &parameters);
            action = self.action(driver, &parameters);
        }
        let (name, span) = (driver.name.text.clone(), driver.name.span);
        Driver {
            name,
            guard,
            action,
            wcet: notes.wcet.unwrap_or(0),
            span,
        }
    }

    /// A port that a driver reads: anything but an actuator.
    fn source(&mut self, used: &'t tree::PortUse) -> Option<usize> {
        let port = self.port(used)?;
        if self.port_table[port].kind == PortKind::Actuator {
            let message = format!(
                "`{}` is an actuator: drivers write it, none reads it",
                used.name.text
            );
            self.report(
                Code::PortKind,
                used.name.span,
                message,
                "read the output that the actuator is computed from",
            );
            return None;
        }
        Some(port)
    }

    fn guard(&mut self, call: &'t Call, parameters: &Parameters<'t>) -> Option<Guard> {
        let mut reads = Vec::new();
        for argument in &call.arguments {
            match self.argument(argument, parameters) {
                Some(DriverArgument::Source(port)) => reads.push(port),
                Some(DriverArgument::Formal(_)) => self.guard_writes(argument),
                None => {}
            }
        }
        let function = call.function.text.clone();
        (!convention::is_true(&function)).then_some(Guard { function, reads })
    }

    fn guard_writes(&mut self, argument: &Name) {
        let message = format!(
            "a guard only reads, and `{}` is written by this driver",
            argument.text
        );
        self.report(
            Code::PortKind,
            argument.span,
            message,
            "pass the guard ports of the driver's first list",
        );
    }

    fn argument(&mut self, name: &Name, parameters: &Parameters<'_>) -> Option<DriverArgument> {
        let what = "port or parameter of this driver";
        let index = parameters
            .names
            .look_up(name, Code::UnknownArgument, what, self.findings)?;
        Some(match parameters.sources.get(index) {
            Some(port) => DriverArgument::Source(*port),
            None => DriverArgument::Formal(index - parameters.sources.len()),
        })
    }

    fn action(&mut self, driver: &'t tree::Driver, parameters: &Parameters<'t>) -> Action {
        let call = &driver.action;
        let mut written = vec![false; driver.formals.len()];
        let mut arguments = Vec::new();
        for name in &call.arguments {
            let Some(argument) = self.argument(name, parameters) else {
                continue;
            };
            if let DriverArgument::Formal(index) = argument
                && std::mem::replace(&mut written[index], true)
            {
                self.passed_twice(name);
            }
            arguments.push(argument);
        }
        for (formal, _) in driver
            .formals
            .iter()
            .zip(written)
            .filter(|(_, written)| !written)
        {
            self.not_passed(&formal.name, &call.function);
        }
        if arguments.is_empty() && convention::is_nothing(&call.function.text) {
            return Action::Nothing;
        }
        let is_copy = convention::is_copy(&call.function.text, self.types(driver, &arguments));
        if is_copy {
            self.copy(driver, &arguments)
        } else {
            Action::Function(call.function.text.clone(), arguments)
        }
    }

    /// The types of arguments.
    fn types<'a>(
        &'a self,
        driver: &'a tree::Driver,
        arguments: &'a [DriverArgument],
    ) -> impl Iterator<Item = &'a str> {
        arguments.iter().map(|argument| match argument {
            DriverArgument::Source(port) => self.type_name(*port),
            DriverArgument::Formal(index) => driver.formals[*index].type_name.text.as_str(),
        })
    }

    /// The first source to the first formal, and so on.
    fn copy(&mut self, driver: &'t tree::Driver, arguments: &[DriverArgument]) -> Action {
        let action = Action::Function(String::new(), arguments.to_vec());
        let (sources, formals) = (action.sources(), action.formals());
        let span = driver.action.function.span;
        if sources.len() != formals.len() {
            let message = format!(
                "a copy of {} to {}",
                count(sources.len(), "value"),
                count(formals.len(), "parameter")
            );
            self.report(
                Code::Arity,
                span,
                message,
                "give as many parameters as values, or another function",
            );
        }
        let pairs: Vec<(usize, usize)> = sources.into_iter().zip(formals).collect();
        for (source, formal) in &pairs {
            let type_name = &driver.formals[*formal].type_name;
            self.agree(type_name.span, &type_name.text, *source);
        }
        Action::Copy(pairs)
    }
}

/// The names that the arguments of a driver's functions can be.
struct Parameters<'t> {
    /// The sources, then the formals.
    names: Names<'t>,
    /// The ports of the sources.
    sources: Vec<usize>,
}

/// `1 value`, `2 values`.
pub(super) fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

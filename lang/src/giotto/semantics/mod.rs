//! From syntax tree to model: every rule of the language that needs names.

mod declarations;
mod drivers;
mod modes;
mod switches;
mod usage;
mod writers;

use super::Code;
use super::annotation::{Place, Reader};
use super::model::{Driver, Model, Port, Task};
use super::tree::{Name, PortUse, Program};
use crate::diagnostic::{Diagnostic, Findings, Span};
use crate::names::Names;

/// Checks a program. `None` if there is an error, which is then among the
/// findings. O(names * log names), and lines squared for the switches.
pub(super) fn check(program: &Program, findings: &mut Findings) -> Option<Model> {
    let mut scope = Scope::new(findings);
    scope
        .notes
        .read(&program.annotations, Place::Program, scope.findings);
    scope.declare_ports(program);
    scope.declare_tasks(program);
    scope.declare_drivers(program);
    let model = scope.declare_modes(program);
    let model = model.filter(|_| !findings.has_errors())?;
    switches::check(&model, findings);
    writers::check(&model, findings);
    usage::check(&model, findings);
    Some(model).filter(|_| !findings.has_errors())
}

/// What is declared so far. An entry whose declaration has errors is there all
/// the same, so that its uses bring no errors of their own.
struct Scope<'t, 'f> {
    ports: Names<'t>,
    tasks: Names<'t>,
    drivers: Names<'t>,
    modes: Names<'t>,
    port_table: Vec<Port>,
    task_table: Vec<Task>,
    driver_table: Vec<Driver>,
    /// The formals of each driver, as declared.
    driver_formals: Vec<&'t [super::tree::Formal]>,
    notes: Reader,
    findings: &'f mut Findings,
}

impl<'t, 'f> Scope<'t, 'f> {
    fn new(findings: &'f mut Findings) -> Scope<'t, 'f> {
        Scope {
            ports: Names::default(),
            tasks: Names::default(),
            drivers: Names::default(),
            modes: Names::default(),
            port_table: Vec::new(),
            task_table: Vec::new(),
            driver_table: Vec::new(),
            driver_formals: Vec::new(),
            notes: Reader::default(),
            findings,
        }
    }

    /// The port of a list entry; its repeated type, if any, is checked.
    fn port(&mut self, used: &PortUse) -> Option<usize> {
        let index = self
            .ports
            .look_up(&used.name, Code::UnknownPort, "port", self.findings)?;
        if let Some(type_name) = &used.type_name {
            self.agree(type_name.span, &type_name.text, index);
        }
        Some(index)
    }

    /// Reports a type that is not that of the port.
    fn agree(&mut self, span: Span, type_name: &str, port: usize) {
        let port = &self.port_table[port];
        if port.type_name != type_name {
            let message = format!(
                "`{type_name}` where port `{}` has type `{}`",
                port.name, port.type_name
            );
            let help = format!(
                "make both `{}`, or convert by a function between two ports",
                port.type_name
            );
            let found = Diagnostic::new(Code::Type, span, message, help);
            let (at, text) = (port.span, format!("`{}` is declared here", port.name));
            self.findings.add(found.also(at, text));
        }
    }

    fn type_name(&self, port: usize) -> &str {
        &self.port_table[port].type_name
    }

    fn report(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.findings.report(code, span, message, help);
    }
}

/// Declares the names of a parenthesised list among themselves.
fn local_names<'t>(
    names: impl Iterator<Item = &'t Name>,
    what: &str,
    findings: &mut Findings,
) -> Names<'t> {
    let mut all = Names::default();
    for (index, name) in names.enumerate() {
        all.declare(name, index, what, Code::Duplicate, findings);
    }
    all
}

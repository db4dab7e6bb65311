//! What is simulated: a program or system, linked for the host.

use std::path::Path;

use giornata_abi::module::{Module, PortKind};
use giornata_abi::process::block_offsets;
use giornata_lang::Options;
use giornata_system::file::Schedule;
use giornata_system::model::Work;
use giornata_system::names::{ThreadRole, name_map};
use giornata_system::{Model, NameMap, Project, stand_ins};

use crate::compile::{self, verify};
use crate::complaint::Complaint;
use crate::input::{self, Input};
use crate::report::{Report, Verdict};
use crate::simulate::functions::Functions;
use giornata_launch::home;

/// A program or system that can be simulated.
pub(crate) struct Machine {
    pub(crate) model: Model,
    pub(crate) names: NameMap,
    /// The text of the program, where there is one only.
    pub(crate) text: Option<String>,
    /// A program without a system: no driver has a budget, and tasks those that it states.
    pub(crate) is_alone: bool,
    /// The real functions of its processes, if they run.
    pub(crate) functions: Option<Functions>,
}

impl Machine {
    /// Reads, compiles and links a file; what is wrong with it is reported.
    pub(crate) fn open(
        path: &Path,
        has_functions: bool,
        report: &mut Report,
    ) -> Result<Machine, Verdict> {
        match Input::read(path) {
            Ok(Input::Program(..) | Input::Module(_)) if has_functions => {
                let message = format!(
                    "{} is a program, and names its functions only",
                    path.display()
                );
                let help =
                    "simulate a system file with `--functions`: it says which crates have them";
                let complaint = Complaint::new("giornata::no-functions", message, help);
                refused(Err(complaint), report)
            }
            Ok(Input::Program(language, text)) => {
                let source = (language, &text[..]);
                let bytes = compile::program(path, source, &Options::default(), report)?;
                let machine = alone(path, &bytes, &language.budgets(&text), report)?;
                let text = Some(text);
                Ok(Machine { text, ..machine })
            }
            Ok(Input::Module(bytes)) => {
                // The frame was checked when the file was read.
                let module = Module::parse(&bytes).map_err(|_| Verdict::BadInput)?;
                refused(verify(path, &module), report)?;
                alone(path, &bytes, &[], report)
            }
            Ok(Input::System(path)) => system(&path, has_functions, report),
            Ok(Input::Stream(..)) => refused(Err(input::no_microcode(path)), report),
            Err(complaint) => refused(Err(complaint), report),
        }
    }

    /// The modules of its programs.
    pub(crate) fn modules(&self) -> Vec<Module<'_>> {
        let programs = self.model.programs.iter();
        let modules = programs.filter_map(|program| Module::parse(&program.module).ok());
        modules.collect()
    }

    /// The drivers that are guards: index and function.
    pub(crate) fn guards(&self) -> impl Iterator<Item = (u16, &str)> {
        let is_guard = |port: &u16| {
            let port = self.model.ports.get(usize::from(*port));
            port.is_some_and(|port| port.kind == PortKind::Guard)
        };
        let drivers = (0u16..).zip(&self.model.drivers);
        drivers
            .filter(move |(_, driver)| driver.writes.iter().any(is_guard))
            .filter(|(_, driver)| matches!(driver.work, Work::Upcall { .. }))
            .map(|(index, driver)| (index, driver.function.as_str()))
    }

    /// The offset of the last value in a driver's block.
    pub(crate) fn last_of_block(&self, driver: u16) -> usize {
        let driver = &self.model.drivers[usize::from(driver)];
        let ports = driver.reads.iter().chain(&driver.writes);
        let size = |port: &u16| usize::from(self.model.ports[usize::from(*port)].size);
        let mut last = 0;
        block_offsets(ports.map(size), |offset| last = offset);
        last
    }

    /// The threads that nothing is known of but their names.
    pub(crate) fn ordinary_threads(&self) -> Vec<String> {
        let threads = self.names.threads.iter();
        let ordinary = threads.filter(|thread| thread.role == ThreadRole::Thread);
        // a spare one is nobody's yet
        let ordinary = ordinary.filter(|thread| !thread.function.is_empty());
        ordinary.map(|thread| thread.name.clone()).collect()
    }

    /// The interrupts that programs wait for, and that never come.
    pub(crate) fn interrupts(&self) -> Vec<String> {
        let used = |number: &u16| {
            let mut programs = self.model.programs.iter();
            programs.any(|program| program.interrupts.contains(number))
        };
        let lines = self.model.interrupts.iter();
        let awaited = lines.filter(|line| used(&line.number));
        awaited.map(|line| line.name.clone()).collect()
    }

    /// A program that carries S code, which decides who runs.
    pub(crate) fn with_s_code(&self) -> Option<&str> {
        let mut programs = self.model.programs.iter();
        programs
            .find(|program| matches!(program.schedule, Schedule::SCode(_)))
            .map(|program| program.name.as_str())
    }
}

/// The value, or bad input that has been reported.
fn refused<T>(result: Result<T, Complaint>, report: &mut Report) -> Result<T, Verdict> {
    result.map_err(|complaint| {
        report.diagnose(complaint);
        Verdict::BadInput
    })
}

fn alone(
    path: &Path,
    bytes: &[u8],
    budgets: &[(String, u64)],
    report: &mut Report,
) -> Result<Machine, Verdict> {
    let machine = Project::alone(path, bytes, budgets).map_err(miette::Report::from);
    let machine = machine.and_then(|project| linked(project, true, None));
    told(machine, report)
}

fn system(path: &Path, has_functions: bool, report: &mut Report) -> Result<Machine, Verdict> {
    let project = told(Project::open(path, home::root(), None), report)?;
    compile::show(project.remarks.clone(), report);
    let machine = match has_functions {
        true => Functions::start(path, &project).map(Some),
        false => Ok(None),
    };
    let machine = machine.and_then(|functions| linked(project, false, functions));
    told(machine, report)
}

fn told<T>(result: miette::Result<T>, report: &mut Report) -> Result<T, Verdict> {
    result.map_err(|refusal| {
        report.diagnose_report(&refusal);
        Verdict::BadInput
    })
}

fn linked(
    project: Project,
    is_alone: bool,
    functions: Option<Functions>,
) -> miette::Result<Machine> {
    // (before anybody asks for functions that the host does not run)
    giornata_sim::check_streams(&project)?;
    let mut provided = stand_ins(&project);
    provided.extend(functions.iter().flat_map(Functions::provided));
    let model = Model::resolve(&project, &provided)?;
    Ok(Machine {
        names: name_map(&model, &[]),
        model,
        text: None,
        is_alone,
        functions,
    })
}

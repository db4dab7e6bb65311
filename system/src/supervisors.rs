//! Processes that others supervise: who may start and end each, and which of them
//! begin by a call.

use crate::config::{self, PROCESSES};
use crate::file::{Spanned, SystemFile};
use crate::model::{Model, Process};
use crate::problem::{Findings, suggest};
use crate::section::Section;

/// What `start` may be.
pub(crate) const STARTS: [&str; 2] = ["boot", "call"];

/// Reads `start` of a process: whether it begins by a call of its supervisor.
pub(crate) fn start(findings: &mut Findings, section: &Section<'_>) -> Option<Spanned<bool>> {
    let text = section.text(findings, "start")?;
    let by_call = match text.get_ref().as_str() {
        "boot" => false,
        "call" => true,
        other => {
            let reason = format!("no process can start at \"{other}\"");
            findings.refuse(text.span(), reason, suggest(other, STARTS));
            return None;
        }
    };
    Some(Spanned::new(text.span(), by_call))
}

/// Gives each process of a model its supervisor.
pub(crate) fn resolve(findings: &mut Findings, file: &SystemFile, model: &mut Model) {
    check_config(findings, file);
    for (index, section) in (0u16..).zip(&file.processes) {
        for name in &section.grants.supervises {
            supervise(findings, file, model, index, name);
        }
    }
    for (section, process) in file.processes.iter().zip(&mut model.processes) {
        let start = section.services.start.as_ref();
        process.is_by_call = start.is_some_and(|start| *start.get_ref());
        if let (Some(start), true, None) = (start, process.is_by_call, process.supervisor) {
            let reason = format!("nobody would ever start process `{}`", process.name);
            let mend = format!(
                "grant it to who does: `grants = {{ supervise = [\"{}\"] }}`",
                process.name
            );
            findings.refuse(start.span(), reason, mend);
        }
    }
}

/// Only kernels that have supervisors know them.
fn check_config(findings: &mut Findings, file: &SystemFile) {
    let config = file.kernel.config.get_ref();
    if config::has(config, PROCESSES) {
        return;
    }
    let granted = file.processes.iter().flat_map(|p| &p.grants.supervises);
    for name in granted {
        let reason = format!("configuration \"{config}\" has no supervisors");
        findings.refuse(name.span(), reason, config::mend(file, PROCESSES));
    }
}

/// Makes a process the supervisor of the one with this name.
fn supervise(
    findings: &mut Findings,
    file: &SystemFile,
    model: &mut Model,
    supervisor: u16,
    name: &Spanned<String>,
) {
    let text = name.get_ref();
    let found = file.processes.iter().position(|p| p.name.get_ref() == text);
    let process = found.and_then(|index| model.processes.get(index));
    let (reason, mend) = match (found, process) {
        (Some(index), _) if index == usize::from(supervisor) => (
            format!("process `{text}` supervises itself"),
            "leave it out: what happens when it faults is `on-fault`".into(),
        ),
        (Some(index), Some(process)) => match process.supervisor {
            None if !is_above(&model.processes, index, supervisor) => {
                if let Some(process) = model.processes.get_mut(index) {
                    process.supervisor = Some(supervisor);
                }
                return;
            }
            None => (
                format!("process `{text}` supervises its own supervisor"),
                "let one process be the first: nobody supervises it".into(),
            ),
            Some(other) => {
                let other = model.processes.get(usize::from(other));
                let other = other.map_or("", |other| other.name.as_str());
                (
                    format!("process `{text}` is supervised by `{other}` already"),
                    "one process supervises it: leave it to one of them".into(),
                )
            }
        },
        _ => {
            let known = file.processes.iter().map(|p| p.name.get_ref().as_str());
            (
                format!("there is no process `{text}`"),
                suggest(text, known),
            )
        }
    };
    findings.refuse(name.span(), reason, mend);
}

/// Whether a process supervises another, or one that does, and so on. No circle is
/// ever closed, so this ends.
fn is_above(processes: &[Process], process: usize, other: u16) -> bool {
    let supervisor = |index: u16| processes.get(usize::from(index))?.supervisor;
    std::iter::successors(Some(other), |at| supervisor(*at)).any(|at| usize::from(at) == process)
}

//! `giornata identifiers SYSTEM`

use std::path::Path;

use giornata_system::{Model, Project, identifiers};

use crate::arguments::Identifiers;
use crate::report::{Report, Verdict};
use giornata_launch::home;

/// Prints the identifiers of a system, and in front of them what they depend on.
pub(crate) fn run(arguments: &Identifiers, report: &mut Report) -> Verdict {
    match text(arguments) {
        Ok(text) => {
            report.tell("text", text.as_str());
            report.say(text);
            Verdict::Good
        }
        Err(refusal) => {
            report.diagnose_report(&refusal);
            Verdict::BadInput
        }
    }
}

fn text(arguments: &Identifiers) -> miette::Result<String> {
    let path = &arguments.system;
    let board = arguments.board.as_deref();
    let project = Project::open(path, home::root(), board)?;
    let model = Model::outline(&project)?;
    if arguments.c {
        return Ok(identifiers::c(&model)?);
    }
    let file = &project.file;
    let programs = file.programs.iter();
    let sources =
        programs.flat_map(|program| std::iter::once(&program.source).chain(&program.modules));
    let sources = sources.map(|source| file.relative(source.get_ref()));
    let mut text = String::new();
    for source in std::iter::once(path.clone()).chain(sources) {
        text += &format!("// from {}\n", absolute(&source));
    }
    Ok(text + &identifiers::rust(&model)?)
}

fn absolute(path: &Path) -> String {
    let absolute = std::path::absolute(path);
    absolute.as_deref().unwrap_or(path).display().to_string()
}

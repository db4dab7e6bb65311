//! `giornata check FILE`

use std::path::Path;

use giornata_abi::module::Module;
use giornata_lang::Diagnostic;
use giornata_lang::language::{Language, is_late};
use giornata_lang::sigma::{self, Format};
use giornata_system::{Model, Project};

use crate::arguments::Check;
use crate::compile::{self, verify};
use crate::input::Input;
use crate::report::{Report, Verdict};
use crate::streams;
use giornata_launch::home;

/// Says whether a file is sound.
pub(crate) fn run(arguments: &Check, report: &mut Report) -> Verdict {
    let path = &arguments.input.path();
    report.tell("file", path.display().to_string());
    let verdict = match Input::read(path) {
        Err(complaint) => {
            report.diagnose(complaint);
            return Verdict::BadInput;
        }
        Ok(Input::Program(language, text)) => program(path, language, &text, report),
        Ok(Input::Stream(text, format)) => graph(path, &text, format, report),
        Ok(Input::Module(bytes)) => module(path, &bytes, report),
        Ok(Input::System(path)) => system(&path, report),
    };
    if verdict == Verdict::Good {
        report.say(format!("{}: ok\n", path.display()));
    }
    verdict
}

fn program(path: &Path, language: Language, text: &str, report: &mut Report) -> Verdict {
    let diagnostics = language.check(&path.display().to_string(), text);
    let verdict = verdict(&diagnostics);
    compile::show(diagnostics, report);
    verdict
}

fn graph(path: &Path, text: &str, format: Format, report: &mut Report) -> Verdict {
    let diagnostics = sigma::check(&path.display().to_string(), text, format);
    let verdict = streams::verdict(&diagnostics);
    compile::show(diagnostics, report);
    verdict
}

/// What compilers' findings come to. A program whose job cannot be in time whatever
/// else runs has a meaning, which analyses and simulations tell; it is not sound.
fn verdict(diagnostics: &[Diagnostic]) -> Verdict {
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Verdict::BadInput;
    }
    match diagnostics.iter().any(is_late) {
        true => Verdict::Negative,
        false => Verdict::Good,
    }
}

fn module(path: &Path, bytes: &[u8], report: &mut Report) -> Verdict {
    // The frame was checked when the file was read.
    let Ok(module) = Module::parse(bytes) else {
        return Verdict::BadInput;
    };
    match verify(path, &module) {
        Ok(_) => Verdict::Good,
        Err(complaint) => {
            report.diagnose(complaint);
            Verdict::Negative
        }
    }
}

fn system(path: &Path, report: &mut Report) -> Verdict {
    let project = Project::open(path, home::root(), None).and_then(|project| {
        Model::outline(&project)?;
        Ok(project)
    });
    match project {
        Ok(project) => {
            let verdict = verdict(&project.remarks);
            compile::show(project.remarks, report);
            verdict
        }
        Err(refusal) => {
            report.diagnose_report(&refusal);
            Verdict::BadInput
        }
    }
}

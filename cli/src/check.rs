//! `giornata check FILE`

use std::path::Path;

use giornata_abi::module::Module;
use giornata_lang::Diagnostic;
use giornata_lang::giotto;

use crate::arguments::Check;
use crate::compile::{self, verify};
use crate::input::Input;
use crate::report::{Report, Verdict};
use giornata_launch::home;

/// Says whether a file is sound.
pub(crate) fn run(arguments: &Check, report: &mut Report) -> Verdict {
    let path = &arguments.file;
    report.tell("file", path.display().to_string());
    let verdict = match Input::read(path) {
        Err(complaint) => {
            report.diagnose(complaint);
            return Verdict::BadInput;
        }
        Ok(Input::Giotto(text)) => program(path, &text, report),
        Ok(Input::Module(bytes)) => module(&bytes, report),
        Ok(Input::System(path)) => system(&path, report),
    };
    if verdict == Verdict::Good {
        report.say(format!("{}: ok\n", path.display()));
    }
    verdict
}

fn program(path: &Path, text: &str, report: &mut Report) -> Verdict {
    let diagnostics = giotto::check(&path.display().to_string(), text);
    let is_wrong = diagnostics.iter().any(Diagnostic::is_error);
    compile::show(diagnostics, report);
    if is_wrong {
        Verdict::BadInput
    } else {
        Verdict::Good
    }
}

fn module(bytes: &[u8], report: &mut Report) -> Verdict {
    // The frame was checked when the file was read.
    let Ok(module) = Module::parse(bytes) else {
        return Verdict::BadInput;
    };
    match verify(&module) {
        Ok(_) => Verdict::Good,
        Err(complaint) => {
            report.diagnose(complaint);
            Verdict::Negative
        }
    }
}

fn system(path: &Path, report: &mut Report) -> Verdict {
    match giornata_system::check(path, home::root()) {
        Ok(_) => Verdict::Good,
        Err(refusal) => {
            report.diagnose_report(&refusal);
            Verdict::BadInput
        }
    }
}

//! `giornata compile FILE [-o OUT]`

use std::fs;
use std::path::Path;

use giornata_abi::module::Module;
use giornata_lang::{Diagnostic, Language, Options};
use giornata_microcode::verify::{Scratch, Verified, scratch_needed};
use serde_json::json;

use crate::arguments::Compile;
use crate::complaint::Complaint;
use crate::input::{self, Input};
use crate::report::{Report, Verdict, emit};

/// Compiles a program and writes the module.
pub(crate) fn run(arguments: &Compile, report: &mut Report) -> Verdict {
    report.tell("file", arguments.file.display().to_string());
    let (language, text) = match Input::read(&arguments.file) {
        Ok(Input::Program(language, text)) => (language, text),
        Ok(Input::Stream(..)) => {
            report.diagnose(input::no_microcode(&arguments.file));
            return Verdict::BadInput;
        }
        Ok(_) => {
            let message = format!("{} is not a program", arguments.file.display());
            report.diagnose(Complaint::new(
                "giornata::not-a-program",
                message,
                "name a .giotto or .psi file",
            ));
            return Verdict::BadInput;
        }
        Err(complaint) => {
            report.diagnose(complaint);
            return Verdict::BadInput;
        }
    };
    let source = (language, &text[..]);
    match program(&arguments.file, source, &options(arguments), report) {
        Ok(bytes) => deliver(arguments, &bytes, report),
        Err(verdict) => verdict,
    }
}

fn options(arguments: &Compile) -> Options {
    let mut options = Options {
        name: arguments.name.clone(),
        ..Options::default()
    };
    for (violation, function) in &arguments.handler {
        options.handlers[*violation as usize] = Some(function.clone());
    }
    options
}

/// The bytes of a module, or of a program's; everything is reported.
pub(crate) fn module_of(path: &Path, report: &mut Report) -> Result<Vec<u8>, Verdict> {
    let complaint = match Input::read(path) {
        Ok(Input::Module(bytes)) => return Ok(bytes),
        Ok(Input::Program(language, text)) => {
            return program(path, (language, &text), &Options::default(), report);
        }
        Ok(Input::System(_)) => {
            let message = format!("{} is a system file, not a program", path.display());
            let help =
                "name a program (.giotto, .psi), one of the system's perhaps, or a module (.gmod)";
            Complaint::new("giornata::not-a-module", message, help)
        }
        Ok(Input::Stream(..)) => input::no_microcode(path),
        Err(complaint) => complaint,
    };
    report.diagnose(complaint);
    Err(Verdict::BadInput)
}

/// The bytes of a program's module, verified; everything is reported.
pub(crate) fn program(
    path: &Path,
    (language, text): (Language, &str),
    options: &Options,
    report: &mut Report,
) -> Result<Vec<u8>, Verdict> {
    let (bytes, diagnostics) = language.compile(&path.display().to_string(), text, options);
    show(diagnostics, report);
    let bytes = bytes.ok_or(Verdict::BadInput)?;
    let verified = Module::parse(&bytes).map_err(|error| error.to_string());
    let verified = verified
        .and_then(|module| verify(path, &module).map_err(|complaint| complaint.to_string()));
    match verified {
        Ok(_) => Ok(bytes),
        Err(reason) => {
            let message = format!("the compiler made a module that no kernel would load: {reason}");
            report.diagnose(Complaint::new(
                "giornata::compiler",
                message,
                "this is a bug: please report it with the program",
            ));
            Err(Verdict::Unknown)
        }
    }
}

/// Reports what the compiler says.
pub(crate) fn show(diagnostics: Vec<Diagnostic>, report: &mut Report) {
    diagnostics
        .into_iter()
        .for_each(|diagnostic| report.diagnose(diagnostic));
}

/// What a kernel would say to the module of a file.
pub(crate) fn verify(path: &Path, module: &Module<'_>) -> Result<Verified, Complaint> {
    let mut scratch = vec![Scratch::EMPTY; scratch_needed(module)];
    giornata_microcode::verify::verify(module, &mut scratch).map_err(|refusal| {
        let place = refusal
            .address()
            .and_then(|address| module.position(address));
        let line = place.map(|p| {
            format!(
                ", from line {} of {}",
                p.line,
                module.text(module.header().source)
            )
        });
        let line = line.unwrap_or_default();
        let message = format!("{} is refused: {refusal}{line}", path.display());
        Complaint::new(
            "giornata::refused",
            message,
            "no kernel loads this module: compile its source again",
        )
    })
}

fn deliver(arguments: &Compile, bytes: &[u8], report: &mut Report) -> Verdict {
    let to_stdout = arguments.output.as_deref() == Some(Path::new("-"));
    if to_stdout {
        return deliver_to_stdout(bytes, report);
    }
    let output = arguments
        .output
        .clone()
        .unwrap_or_else(|| arguments.file.with_extension("gmod"));
    if let Err(error) = fs::write(&output, bytes) {
        let message = format!("{} cannot be written: {error}", output.display());
        report.diagnose(Complaint::new(
            "giornata::unwritable",
            message,
            "name another place with `-o OUT`",
        ));
        return Verdict::BadInput;
    }
    report.tell("output", output.display().to_string());
    summarise(bytes, report);
    report.say(format!("{}: {} bytes\n", output.display(), bytes.len()));
    Verdict::Good
}

fn deliver_to_stdout(bytes: &[u8], report: &mut Report) -> Verdict {
    if report.is_json() {
        let help = "name a file with `-o OUT`, or leave `--json` out";
        report.diagnose(Complaint::new(
            "giornata::unwritable",
            "the standard output cannot take both the module and JSON",
            help,
        ));
        return Verdict::BadInput;
    }
    emit(bytes);
    Verdict::Good
}

/// The sizes of a module's tables.
fn summarise(bytes: &[u8], report: &mut Report) {
    let Ok(module) = Module::parse(bytes) else {
        return;
    };
    let header = module.header();
    report.tell(
        "module",
        json!({
            "name": module.name(),
            "bytes": bytes.len(),
            "crc": header.crc,
            "instructions": header.instructions,
            "tasks": header.tasks,
            "drivers": header.drivers,
            "ports": header.ports,
            "max_steps": header.max_steps,
        }),
    );
}

//! `giornata disasm FILE`

use giornata_abi::module::Module;
use giornata_lang::Options;
use giornata_microcode::disassemble;

use crate::arguments::Disasm;
use crate::compile;
use crate::complaint::Complaint;
use crate::input::{self, Input};
use crate::report::{Report, Verdict};

/// Lists the microcode of a module, or of a program's module.
pub(crate) fn run(arguments: &Disasm, report: &mut Report) -> Verdict {
    report.tell("file", arguments.file.display().to_string());
    let bytes = match Input::read(&arguments.file) {
        Ok(Input::Module(bytes)) => bytes,
        Ok(Input::Program(language, text)) => {
            let source = (language, &text[..]);
            match compile::program(&arguments.file, source, &Options::default(), report) {
                Ok(bytes) => bytes,
                Err(verdict) => return verdict,
            }
        }
        Ok(Input::System(path)) => {
            let message = format!(
                "{} is a system file: it has no microcode of its own",
                path.display()
            );
            report.diagnose(Complaint::new(
                "giornata::not-a-module",
                message,
                "name one of its programs",
            ));
            return Verdict::BadInput;
        }
        Ok(Input::Stream(..)) => {
            report.diagnose(input::no_microcode(&arguments.file));
            return Verdict::BadInput;
        }
        Err(complaint) => {
            report.diagnose(complaint);
            return Verdict::BadInput;
        }
    };
    list(&bytes, report)
}

fn list(bytes: &[u8], report: &mut Report) -> Verdict {
    let mut listing = String::new();
    // The frame was checked when the module was read or made; writing to a
    // string does not fail.
    let listed = Module::parse(bytes)
        .is_ok_and(|module| disassemble::listing(&module, &mut listing).is_ok());
    report.say(&listing);
    report.tell("listing", listing);
    if listed {
        Verdict::Good
    } else {
        Verdict::Unknown
    }
}

//! `giornata schedule FILE --strategy S [--complete] [-o OUT]`

mod recorded;

use std::fs;
use std::path::Path;

use giornata_abi::module::Module;
use giornata_analysis::{
    AttachError, Kind, NoSCode, Safety, Unreadable, attach, check_module, fill_idle, generate,
    lacking,
};
use giornata_microcode::disassemble;

use crate::analyze::show_witness;
use crate::arguments::{KindName, Schedule};
use crate::complaint::Complaint;
use crate::report::{Report, Verdict};
use crate::subject::{self, Subject};

/// Writes a module that carries its schedule.
pub(crate) fn run(arguments: &Schedule, report: &mut Report) -> Verdict {
    let subject = match Subject::read(&arguments.file, arguments.wcet.as_ref(), report) {
        Ok(subject) => subject,
        Err(verdict) => return verdict,
    };
    let carries_s_code = !subject.code.threads().is_empty();
    let makes_anew = arguments.strategy.is_some() || arguments.from_trace.is_some();
    let made = match (arguments.strategy, &arguments.from_trace) {
        (Some(kind), _) if !carries_s_code => by_strategy(arguments, kind, &subject, report),
        (None, Some(trace)) if !carries_s_code => by_recording(trace, &subject, report),
        (None, None) if carries_s_code => by_completion(arguments, &subject, report),
        _ if makes_anew => Err(refuse(
            report,
            format!("{} carries S code already", arguments.file.display()),
            "take the module without it, or complete it with `--complete` alone",
        )),
        _ => Err(refuse(
            report,
            format!(
                "{} carries no S code to be completed",
                arguments.file.display()
            ),
            "say which schedule you want: `--strategy edf`",
        )),
    };
    match made {
        Ok(bytes) => deliver(arguments, &subject, &bytes, report),
        Err(verdict) => verdict,
    }
}

fn refuse(report: &mut Report, message: String, help: &str) -> Verdict {
    report.diagnose(Complaint::new("giornata::schedule", message, help));
    Verdict::BadInput
}

fn by_strategy(
    arguments: &Schedule,
    kind: KindName,
    subject: &Subject,
    report: &mut Report,
) -> Result<Vec<u8>, Verdict> {
    let kind = match kind {
        KindName::Edf => Kind::EarliestDeadline,
        KindName::EdfNonpreemptive => Kind::NonPreemptive,
        KindName::Rm => Kind::RateMonotonic,
        KindName::Synchronous => Kind::Synchronous,
    };
    let name = kind.name();
    report.tell("strategy", name);
    let Subject {
        program,
        code,
        times,
        ..
    } = subject;
    let generated = generate(program, code, times, kind, arguments.complete);
    let s_code = generated.map_err(|why| explain(arguments, name, subject, &why, report))?;
    attached(attach(&subject.bytes, &s_code), report)
}

/// Why there is no S code of the kind.
fn explain(
    arguments: &Schedule,
    name: &str,
    subject: &Subject,
    why: &NoSCode,
    report: &mut Report,
) -> Verdict {
    let title = format!("{} as {name} S code", arguments.file.display());
    match why {
        NoSCode::Infeasible(witness) => {
            report.tell("feasibility", "infeasible");
            show_witness(subject, witness, report);
            let text = witness.text(&subject.program);
            report.say(format!("{title}: infeasible\n{text}"));
            Verdict::Negative
        }
        NoSCode::Unknown { limit } => {
            report.tell("feasibility", "unknown");
            report.tell("limit", *limit);
            report.say(format!("{title}: unknown after {limit} tries\n"));
            Verdict::Unknown
        }
        NoSCode::SwitchesModes => refuse(
            report,
            format!("{title}: its schedule is that of one round, and the program switches modes"),
            "use `--strategy rm`, or leave mode-switching programs to the kernel's own scheduler",
        ),
    }
}

/// The decisions of a recorded run.
fn by_recording(trace: &Path, subject: &Subject, report: &mut Report) -> Result<Vec<u8>, Verdict> {
    report.tell("trace", trace.display().to_string());
    let s_code = recorded::s_code(subject, trace).map_err(|complaint| {
        report.diagnose(complaint);
        Verdict::BadInput
    })?;
    attached(attach(&subject.bytes, &s_code), report)
}

fn by_completion(
    arguments: &Schedule,
    subject: &Subject,
    report: &mut Report,
) -> Result<Vec<u8>, Verdict> {
    let lacking = lacking(&subject.program, &subject.code)
        .map_err(|why| subject::refuse(&arguments.file, &why, report))?;
    let names: Vec<&str> = lacking
        .iter()
        .map(|t| subject.program.task_name(*t))
        .collect();
    report.tell("added", names.clone());
    report.say(match names.is_empty() {
        true => "the S code dispatches every task\n".to_owned(),
        false => format!("added: {}\n", names.join(", ")),
    });
    attached(fill_idle(&subject.bytes, &lacking), report)
}

fn attached(made: Result<Vec<u8>, AttachError>, report: &mut Report) -> Result<Vec<u8>, Verdict> {
    made.map_err(|why| {
        let help = "shorten the round: choose periods with a smaller common multiple";
        refuse(report, why.to_string(), help)
    })
}

/// Checks what was made, as a kernel and as the analysis do, and writes it.
fn deliver(arguments: &Schedule, old: &Subject, bytes: &[u8], report: &mut Report) -> Verdict {
    let checked = check_module(bytes, &old.times);
    let read = checked.and_then(|checked| {
        let module = Module::parse(bytes).map_err(Unreadable::Module)?;
        Ok((module, checked))
    });
    let (module, checked) = match read {
        Ok(read) => read,
        Err(why) => {
            let message = format!("the S code that was made is not sound: {why}");
            return refuse(
                report,
                message,
                "this is a bug: please report it with the program",
            );
        }
    };
    let default = || arguments.file.with_extension("scheduled.gmod");
    let output = arguments.output.clone().unwrap_or_else(default);
    if let Err(error) = fs::write(&output, bytes) {
        let message = format!("{} cannot be written: {error}", output.display());
        return refuse(report, message, "name another place with `-o OUT`");
    }
    let (class, is_safe) = (checked.class.name(), checked.safety == Safety::Safe);
    let added = module.header().instructions - old.program.code.len() as u16;
    report.tell("output", output.display().to_string());
    report.tell("class", class);
    report.tell("time_safe", is_safe);
    report.tell("instructions", added);
    let safe = if is_safe {
        "time-safe"
    } else {
        "not time-safe"
    };
    report.say(format!(
        "{}: {} bytes, {added} instructions of {class} S code, {safe}\n",
        output.display(),
        bytes.len()
    ));
    if let Safety::Unsafe(witness) = &checked.safety {
        show_witness(old, witness, report);
        report.say(witness.text(&old.program));
    }
    list(arguments, &module, report);
    if is_safe {
        Verdict::Good
    } else {
        Verdict::Negative
    }
}

fn list(arguments: &Schedule, module: &Module<'_>, report: &mut Report) {
    let mut listing = String::new();
    // writing to a string does not fail
    if arguments.listing && disassemble::listing(module, &mut listing).is_ok() {
        report.say(&listing);
        report.tell("listing", listing);
    }
}

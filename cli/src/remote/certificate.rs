//! `giornata load --check SYSTEM`: whether all jobs are in time when a module
//! takes the place of a program and the others run on.
//!
//! The module alone is followed exactly, by the S code that it carries or
//! earliest deadline first. Together with the other programs it is one set of
//! periodic tasks, for which the processor demand criterion is safe: releases
//! are taken to meet in the worst way. It is a criterion of deadlines, so S code
//! beside another program is not decided: when its slots come against the
//! other's depends on the instant of the change, and the kernel finds out.

use std::path::Path;

use giornata_abi::Duration;
use giornata_abi::module::Module;
use giornata_analysis::{
    Demand, ECode, Periodic, Program, Safety, Strategy, Times, Verdict as Found, check_module,
    periodic, qpa, walk,
};
use giornata_link::Standing;
use giornata_system::Model;

use crate::complaint::Complaint;
use crate::report::{Report, Verdict};
use giornata_launch::home;

const CODE: &str = "giornata::certificate";

/// Refuses what is not known to be schedulable with what runs.
pub(crate) fn check(
    system: &Path,
    program: &str,
    module: &[u8],
    standings: &[Standing],
    report: &mut Report,
) -> Result<(), Verdict> {
    report.tell("system", system.display().to_string());
    let model = giornata_system::check(system, home::root()).map_err(|refusal| {
        report.diagnose_report(&refusal);
        Verdict::BadInput
    })?;
    let outcome = certify(&model, program, module, standings);
    let (verdict, message, help) = match outcome {
        Ok(tasks) => {
            report.tell("certificate", "schedulable");
            report.say(format!("{tasks} tasks are in time together\n"));
            return Ok(());
        }
        Err(refusal) => refusal,
    };
    let word = match verdict {
        Verdict::Negative => "not schedulable",
        Verdict::Unknown => "unknown",
        _ => "none",
    };
    report.tell("certificate", word);
    report.diagnose(Complaint::new(CODE, message, help));
    Err(verdict)
}

type Refusal = (Verdict, String, &'static str);

/// How many tasks are in time together.
fn certify(
    model: &Model,
    program: &str,
    module: &[u8],
    standings: &[Standing],
) -> Result<usize, Refusal> {
    let Some(place) = model.programs.iter().position(|p| p.name == program) else {
        let message = format!("the system has no program `{program}`");
        return Err((
            Verdict::BadInput,
            message,
            "name one of its programs with --program",
        ));
    };
    let (mut all, mut running, mut with_s_code) = (Vec::new(), 0, None);
    for (index, other) in model.programs.iter().enumerate() {
        let (bytes, times) = if index == place {
            (module, times_of(model, index, module)?)
        } else {
            let standing = standings.iter().find(|s| s.program == other.name);
            if standing.is_some_and(|s| !s.loaded) {
                continue;
            }
            check_running(&other.name, &other.module, standing)?;
            (&other.module[..], times_of(model, index, &other.module)?)
        };
        let (tasks, has_s_code) = view(&other.name, bytes, &times, index == place)?;
        all.extend(tasks);
        running += 1;
        if has_s_code {
            with_s_code = Some(&other.name);
        }
    }
    if let Some(name) = with_s_code.filter(|_| running > 1) {
        let message = format!(
            "`{name}` has S code, and whether it shares the hart with the other programs depends on the instant of the change"
        );
        let help = "let all programs have the schedule \"edf\", or load it without --check: the kernel reports what violates time share";
        return Err((Verdict::Unknown, message, help));
    }
    match qpa(&all) {
        Demand::Fits => Ok(all.len()),
        Demand::Exceeds { interval, demand } => {
            let message = format!(
                "in some {} us, {} us of work of all programs must complete",
                interval.0 / 1000,
                demand.0 / 1000
            );
            Err((
                Verdict::Negative,
                message,
                "release tasks less often, or unload another program",
            ))
        }
        Demand::Overload => {
            let message = "all programs together need more than the processor".to_owned();
            Err((
                Verdict::Negative,
                message,
                "release tasks less often, or unload another program",
            ))
        }
        Demand::Unknown => {
            let message = "the demand of all programs together is too long to follow".to_owned();
            Err((
                Verdict::Unknown,
                message,
                "choose periods with a smaller common multiple",
            ))
        }
    }
}

/// The other programs must be those of the system file.
fn check_running(name: &str, module: &[u8], standing: Option<&Standing>) -> Result<(), Refusal> {
    let tag = Module::parse(module).map_or(0, |module| module.header().crc);
    match standing {
        Some(standing) if standing.tag != tag || standing.pending => Err((
            Verdict::Unknown,
            format!("`{name}` runs another module than the system file says"),
            "check against a system file whose programs are those that run",
        )),
        _ => Ok(()),
    }
}

/// Worst-case times by the module's tasks: as stated, else the budgets of the
/// processes.
fn times_of(model: &Model, index: usize, bytes: &[u8]) -> Result<Times, Refusal> {
    let module = readable(bytes)?;
    let mut times = Vec::new();
    for task in module.tasks() {
        let name = module.text(task.name);
        let known = model.threads.iter().find(|thread| {
            thread
                .task
                .is_some_and(|(program, _)| usize::from(program) == index)
                && thread.name.rsplit('.').next() == Some(name)
        });
        let budget = known.map_or(0, |thread| thread.budget);
        let time = if task.wcet > 0 { task.wcet } else { budget };
        if time == 0 {
            let message = format!("no worst-case time of task `{name}` is known");
            return Err((
                Verdict::BadInput,
                message,
                "annotate it with `[wcet 2ms]`, or give it a budget in the system file",
            ));
        }
        times.push(Duration(time));
    }
    Ok(Times::from_list(times))
}

fn readable(bytes: &[u8]) -> Result<Module<'_>, Refusal> {
    Module::parse(bytes).map_err(|error| {
        let message = format!("a module is damaged: {error}");
        (Verdict::BadInput, message, "compile it again")
    })
}

/// The tasks of a program, and whether it has S code; the one that comes is
/// followed by itself first.
fn view(
    name: &str,
    bytes: &[u8],
    times: &Times,
    comes: bool,
) -> Result<(Vec<Periodic>, bool), Refusal> {
    let beyond = |why: String| {
        let message = format!("`{name}` is beyond the analysis: {why}");
        (
            Verdict::Unknown,
            message,
            "see what `giornata analyze` says of it, and load it without --check",
        )
    };
    let module = readable(bytes)?;
    let program = Program::of(&module).map_err(|why| beyond(why.to_string()))?;
    let code = ECode::of(&program).map_err(|why| beyond(why.to_string()))?;
    if comes {
        alone(name, bytes, &program, &code, times).map_err(|why| why.unwrap_or_else(beyond))?;
    }
    let tasks = periodic(&program, &code, times);
    let tasks = tasks.ok_or_else(|| beyond("it switches modes, or ends".to_owned()))?;
    Ok((tasks, !code.threads().is_empty()))
}

/// Whether the module's own jobs are in time while nothing else runs. The error:
/// a refusal, or what the analysis says.
fn alone(
    name: &str,
    bytes: &[u8],
    program: &Program,
    code: &ECode,
    times: &Times,
) -> Result<(), Result<Refusal, String>> {
    let late = || {
        let message = format!("`{name}` alone is not schedulable");
        Ok((
            Verdict::Negative,
            message,
            "see `giornata analyze`, which shows the job that is late",
        ))
    };
    if code.threads().is_empty() {
        return match walk(program, code, times, Strategy::EarliestDeadline).verdict {
            Found::Schedulable => Ok(()),
            Found::NotSchedulable(_) => Err(late()),
            Found::Unknown { limit } => Err(Err(format!("more than {limit} states"))),
        };
    }
    match check_module(bytes, times).map(|checked| checked.safety) {
        Ok(Safety::Safe) => Ok(()),
        Ok(Safety::Unsafe(_)) => Err(late()),
        Ok(_) => Err(Err("its S code has too many states".to_owned())),
        Err(why) => Err(Err(why.to_string())),
    }
}

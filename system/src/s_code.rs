//! S code that the system file asks for: generated for a program from the
//! budgets of its tasks, checked, and attached to its module.

use crate::file::{ProgramSection, Schedule, Spanned, SystemFile};
use crate::problem::{Problem, Refusal};
use crate::project;
use giornata_abi::module::Module;
use giornata_abi::{Duration, Opcode};
use giornata_analysis::{
    ECode, Kind, NoSCode, NotAnalysable, Program, Safety, Times, attach, check_module, generate,
};

/// What the file may ask for, for the author who asked for something else.
pub(crate) const OTHERWISE: &str = "use \"edf\", which needs no S code, or another of \"s:edf\", \"s:rm\", \"s:edf-nonpreemptive\" and \"s:synchronous\"";

/// For the author of a schedule that is too long.
pub(crate) const SMALLER: &str = "choose periods with a smaller common multiple";

/// Whether S code is among the instructions of a module.
pub(crate) fn is_in(module: &Module<'_>) -> bool {
    let is_s_code = |code: Option<Opcode>| matches!(code, Some(Opcode::Dispatch | Opcode::Idle));
    module.instructions().any(|i| is_s_code(i.opcode()))
}

/// The module with the S code that its program's `schedule` asks for; as it is
/// where it asks for none. A budget is the worst-case time of its task, and
/// where there is none, what the source says is. The program is scheduled as if
/// it had the hart to itself.
///
/// # Errors
/// There is no such schedule, with the run that shows it, at `schedule`.
pub(crate) fn attached(
    file: &SystemFile,
    section: &ProgramSection,
    source: &Spanned<String>,
    bytes: &[u8],
) -> Result<Vec<u8>, Refusal> {
    let Schedule::SCode(Some(kind)) = *section.schedule.get_ref() else {
        return Ok(bytes.to_vec());
    };
    let module = project::parse(file, source, bytes)?;
    let (program, times) = subject(file, section, source, &module)?;
    let code = ECode::of(&program).map_err(|why| beyond(file, section, &why))?;
    let s_code = generate(&program, &code, &times, kind, false).map_err(|why| {
        let name = section.name.get_ref();
        explain(file, section, &[name], kind, &why, &program)
    })?;
    let made =
        attach(bytes, &s_code).map_err(|why| refuse(file, section, why.to_string(), SMALLER))?;
    match check_module(&made, &times) {
        Ok(checked) if checked.safety == Safety::Safe => Ok(made),
        found => {
            let what = match found {
                Ok(checked) => format!("{:?}", checked.safety),
                Err(why) => why.to_string(),
            };
            let reason = format!("the S code that was made is not sound: {what}");
            let mend = "this is a bug: please report it with the program";
            Err(refuse(file, section, reason, mend))
        }
    }
}

/// A program for which S code is to be made, and the worst-case times of its tasks.
///
/// # Errors
/// It has S code, it is beyond the analysis, or a time is not known.
pub(crate) fn subject(
    file: &SystemFile,
    section: &ProgramSection,
    source: &Spanned<String>,
    module: &Module<'_>,
) -> Result<(Program, Times), Refusal> {
    if is_in(module) {
        let reason = format!("{} carries S code already", source.get_ref());
        let mend = "write `schedule = \"s\"` to run that";
        return Err(refuse(file, section, reason, mend));
    }
    facts(file, section, module)
}

/// A program, and the worst-case times of its tasks.
///
/// # Errors
/// It is beyond the analysis, or a time is not known.
pub(crate) fn facts(
    file: &SystemFile,
    section: &ProgramSection,
    module: &Module<'_>,
) -> Result<(Program, Times), Refusal> {
    let program = Program::of(module).map_err(|why| beyond(file, section, &why))?;
    let times = times(file, module, &program).map_err(|task| {
        let reason = format!("no worst-case time is known of task `{task}`");
        let mend = "give its function a budget, or the task a `[wcet 2ms]` in its program";
        refuse(file, section, reason, mend)
    })?;
    Ok((program, times))
}

/// The worst-case time of each task, or the name of one without.
pub(crate) fn times(
    file: &SystemFile,
    module: &Module<'_>,
    program: &Program,
) -> Result<Times, String> {
    let budget = |function: &str| {
        let listed = file.processes.iter().flat_map(|p| &p.tasks);
        let found = listed
            .into_iter()
            .find(|task| task.name.get_ref() == function);
        found.and_then(|task| task.budget.as_ref().map(|b| Duration(*b.get_ref())))
    };
    let mut times = Vec::new();
    for (symbol, task) in module.tasks().zip(&program.tasks) {
        let budget = budget(module.text(symbol.function));
        let budget = budget.filter(|time| *time > Duration::ZERO);
        match budget.unwrap_or(task.wcet) {
            Duration::ZERO => return Err(task.name.clone()),
            time => times.push(time),
        }
    }
    Ok(Times::from_list(times))
}

/// Why there is no S code of the kind for programs, in words. `whole`: they as one.
pub(crate) fn explain(
    file: &SystemFile,
    section: &ProgramSection,
    names: &[&str],
    kind: Kind,
    why: &NoSCode,
    whole: &Program,
) -> Refusal {
    let is_one = names.len() == 1;
    let (word, are) = match is_one {
        true => ("program", "is"),
        false => ("programs", "are"),
    };
    let (names, kind) = (names.join("`, `"), kind.name());
    match why {
        NoSCode::Infeasible(witness) => {
            let run = witness.text(whole);
            let run = run.trim_end();
            let reason = format!("{word} `{names}` {are} not schedulable by \"s:{kind}\":\n{run}");
            let mend =
                "shorten budgets or lengthen periods; the budgets are taken as worst-case times";
            refuse(file, section, reason, mend)
        }
        NoSCode::Unknown { limit } => {
            let reason = format!(
                "whether {word} `{names}` {are} schedulable by \"s:{kind}\" is unknown after {limit} tries"
            );
            refuse(file, section, reason, OTHERWISE)
        }
        NoSCode::SwitchesModes => {
            let reason = match is_one {
                true => format!(
                    "\"s:{kind}\" is the schedule of one round, and program `{names}` switches modes"
                ),
                false => format!(
                    "time slots are the schedule of one round, and one of programs `{names}` switches modes"
                ),
            };
            refuse(file, section, reason, "use \"s:rm\" or \"edf\"")
        }
    }
}

fn beyond(file: &SystemFile, section: &ProgramSection, why: &NotAnalysable) -> Refusal {
    let name = section.name.get_ref();
    let reason = format!("no S code can be made for program `{name}`: {why}");
    refuse(file, section, reason, OTHERWISE)
}

/// Refuses what a program's `schedule` asks for.
pub(crate) fn refuse(
    file: &SystemFile,
    section: &ProgramSection,
    reason: String,
    mend: &str,
) -> Refusal {
    let problem = Problem::new(reason, mend);
    problem.at(&file.source, section.schedule.span()).into()
}

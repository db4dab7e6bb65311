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
const OTHERWISE: &str = "use \"edf\", which needs no S code, or another of \"s:edf\", \"s:rm\", \"s:edf-nonpreemptive\" and \"s:synchronous\"";

/// Whether S code is among the instructions of a module.
pub(crate) fn is_in(module: &Module<'_>) -> bool {
    let is_s_code = |code: Option<Opcode>| matches!(code, Some(Opcode::Dispatch | Opcode::Idle));
    module.instructions().any(|i| is_s_code(i.opcode()))
}

/// The module with the S code that its program's `schedule` asks for; as it is
/// where it asks for none. A budget is the worst-case time of its task, and
/// where there is none, what the source says is. Each program is scheduled as
/// if it had the hart to itself.
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
    let wish = Wish {
        file,
        section,
        source,
        kind,
    };
    wish.fulfil(&project::parse(file, source, bytes)?, bytes)
}

/// One program and the S code that is to be made for it.
struct Wish<'a> {
    file: &'a SystemFile,
    section: &'a ProgramSection,
    source: &'a Spanned<String>,
    kind: Kind,
}

impl Wish<'_> {
    fn fulfil(&self, module: &Module<'_>, bytes: &[u8]) -> Result<Vec<u8>, Refusal> {
        if is_in(module) {
            let reason = format!("{} carries S code already", self.source.get_ref());
            return Err(self.refuse(reason, "write `schedule = \"s\"` to run that"));
        }
        let program = Program::of(module).map_err(|why| self.beyond(&why))?;
        let code = ECode::of(&program).map_err(|why| self.beyond(&why))?;
        let times = self.times(module, &program)?;
        let s_code = generate(&program, &code, &times, self.kind, false)
            .map_err(|why| self.explain(&why, &program))?;
        let made = attach(bytes, &s_code).map_err(|why| {
            let mend = "choose periods with a smaller common multiple";
            self.refuse(why.to_string(), mend)
        })?;
        match check_module(&made, &times) {
            Ok(checked) if checked.safety == Safety::Safe => Ok(made),
            found => {
                let what = match found {
                    Ok(checked) => format!("{:?}", checked.safety),
                    Err(why) => why.to_string(),
                };
                let reason = format!("the S code that was made is not sound: {what}");
                let mend = "this is a bug: please report it with the program";
                Err(self.refuse(reason, mend))
            }
        }
    }

    fn refuse(&self, reason: String, mend: &str) -> Refusal {
        let problem = Problem::new(reason, mend);
        problem
            .at(&self.file.source, self.section.schedule.span())
            .into()
    }

    fn beyond(&self, why: &NotAnalysable) -> Refusal {
        let name = self.section.name.get_ref();
        let reason = format!("no S code can be made for program `{name}`: {why}");
        self.refuse(reason, OTHERWISE)
    }

    /// The worst-case time of each task.
    fn times(&self, module: &Module<'_>, program: &Program) -> Result<Times, Refusal> {
        let budget = |function: &str| {
            let listed = self.file.processes.iter().flat_map(|p| &p.tasks);
            let found = listed
                .into_iter()
                .find(|task| task.name.get_ref() == function);
            found.and_then(|task| task.budget.as_ref().map(|b| Duration(*b.get_ref())))
        };
        let tasks = module.tasks().zip(&program.tasks);
        let times = tasks.map(|(symbol, task)| {
            let budget = budget(module.text(symbol.function));
            let budget = budget.filter(|time| *time > Duration::ZERO);
            (task, budget.unwrap_or(task.wcet))
        });
        let times: Vec<_> = times.collect();
        if let Some((task, _)) = times.iter().find(|(_, time)| *time == Duration::ZERO) {
            let reason = format!("no worst-case time is known of task `{}`", task.name);
            let mend = "give its function a budget, or the task a `[wcet 2ms]` in its program";
            return Err(self.refuse(reason, mend));
        }
        let times: Vec<Duration> = times.into_iter().map(|(_, time)| time).collect();
        Ok(Times::from_list(times))
    }

    /// Why there is no S code of the kind, in words.
    fn explain(&self, why: &NoSCode, program: &Program) -> Refusal {
        let (name, kind) = (self.section.name.get_ref(), self.kind.name());
        match why {
            NoSCode::Infeasible(witness) => {
                let run = witness.text(program);
                let run = run.trim_end();
                let reason = format!("program `{name}` is not schedulable by \"s:{kind}\":\n{run}");
                let mend = "shorten budgets or lengthen periods; the budgets are taken as worst-case times";
                self.refuse(reason, mend)
            }
            NoSCode::Unknown { limit } => {
                let reason = format!(
                    "whether program `{name}` is schedulable by \"s:{kind}\" is unknown after {limit} tries"
                );
                self.refuse(reason, OTHERWISE)
            }
            NoSCode::SwitchesModes => {
                let reason = format!(
                    "\"s:{kind}\" is the schedule of one round, and program `{name}` switches modes"
                );
                self.refuse(reason, "use \"s:rm\" or \"edf\"")
            }
        }
    }
}

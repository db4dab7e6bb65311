//! What an analysis is about: a module, its E code and its worst-case times.

use std::fs;
use std::path::{Path, PathBuf};

use giornata_abi::Duration;
use giornata_abi::module::Module;
use giornata_analysis::{ECode, NotAnalysable, Program, Times, TimesError};

use giornata_system::Project;
use giornata_system::file::Schedule;

use crate::arguments::StrategyName;
use crate::compile;
use crate::complaint::Complaint;
use crate::report::{Report, Verdict};
use giornata_launch::home;

/// A program that can be analysed.
pub(crate) struct Subject {
    /// The module file.
    pub(crate) bytes: Vec<u8>,
    pub(crate) program: Program,
    pub(crate) code: ECode,
    pub(crate) times: Times,
    /// What of each task's time is the kernel's; nothing if it is not charged.
    pub(crate) kernel: Vec<Duration>,
}

impl Subject {
    /// The tasks' own times, without the kernel's.
    pub(crate) fn net_times(&self) -> Times {
        let kernel = self.kernel.iter().copied();
        let kernel = kernel.chain(std::iter::repeat(Duration::ZERO));
        let net = |(time, part): (&Duration, Duration)| Duration(time.0.saturating_sub(part.0));
        let times: Vec<Duration> = self.times.all().iter().zip(kernel).map(net).collect();
        Times::from_list(times)
    }

    /// Reads a program or module, and the times of its tasks; what is wrong is
    /// reported.
    pub(crate) fn read(
        path: &Path,
        wcet: Option<&PathBuf>,
        report: &mut Report,
    ) -> Result<Subject, Verdict> {
        report.tell("file", path.display().to_string());
        let bytes = compile::module_of(path, report)?;
        // The frame was checked when the module was read or made.
        let Ok(module) = Module::parse(&bytes) else {
            return Err(Verdict::BadInput);
        };
        let analysed = Program::of(&module).and_then(|program| Ok((ECode::of(&program)?, program)));
        let (code, program) = analysed.map_err(|why| refuse(path, &why, report))?;
        let times = times(path, &program, wcet, report)?;
        Ok(Subject {
            bytes,
            program,
            code,
            times,
            kernel: Vec::new(),
        })
    }
}

/// A system as it is analysed: its programs as one, and who schedules their tasks.
pub(crate) struct System {
    pub(crate) subject: Subject,
    /// What its programs say, if they say one thing: `None` where S code schedules.
    pub(crate) strategy: Option<StrategyName>,
    /// Harts of its board that run tasks.
    pub(crate) harts: u32,
    /// Whether the first hart of its board takes events only.
    pub(crate) control_apart: bool,
}

impl System {
    /// Reads a system file and compiles its programs; what is wrong is reported. What is
    /// chosen stands above what the programs say.
    pub(crate) fn read(
        path: &Path,
        wcet: Option<&PathBuf>,
        chosen: Option<StrategyName>,
        report: &mut Report,
    ) -> Result<System, Verdict> {
        report.tell("file", path.display().to_string());
        let read = Project::open(path, home::root(), None)
            .and_then(|project| Ok((giornata_system::whole(&project)?, project)));
        let ((mut program, times), project) = read.map_err(|refusal| {
            report.diagnose_report(&refusal);
            Verdict::BadInput
        })?;
        compile::show(project.remarks.clone(), report);
        let strategy = match chosen {
            Some(_) => Ok(chosen),
            None => strategy(path, &project),
        };
        let strategy = strategy.map_err(|complaint| {
            report.diagnose(complaint);
            Verdict::Unknown
        })?;
        for (task, time) in program.tasks.iter_mut().zip(times.all()) {
            task.wcet = *time;
        }
        let code = ECode::of(&program).map_err(|why| refuse(path, &why, report))?;
        let times = self::times(path, &program, wcet, report)?;
        let subject = Subject {
            bytes: Vec::new(),
            program,
            code,
            times,
            kernel: Vec::new(),
        };
        let control_apart = project.file.kernel.control_apart && project.board.harts > 1;
        Ok(System {
            subject,
            strategy,
            harts: project.board.harts - u32::from(control_apart),
            control_apart,
        })
    }
}

/// Who schedules the programs of a system, if an analysis knows it.
fn strategy(path: &Path, project: &Project) -> Result<Option<StrategyName>, Complaint> {
    let programs = project.file.programs.iter();
    let mut schedules = programs
        .filter(|program| *program.boot.get_ref())
        .map(|program| *program.schedule.get_ref());
    let first = schedules.next();
    let is_s_code = |schedule| matches!(schedule, Schedule::SCode(_));
    let is_one = schedules
        .all(|other| Some(other) == first || is_s_code(other) && first.is_some_and(is_s_code));
    match first {
        Some(Schedule::Edf) if is_one => Ok(Some(StrategyName::Edf)),
        Some(Schedule::RateMonotonic) if is_one => Ok(Some(StrategyName::Rm)),
        Some(Schedule::SCode(_)) if is_one => Ok(None),
        _ => {
            let reason = match is_one {
                true => "its programs run first in first out, which no analysis follows",
                false => "its programs have schedules of several kinds",
            };
            let message = format!("{}: {reason}", path.display());
            let help = "say which schedule is meant: `--strategy edf`, or analyse each program";
            Err(Complaint::new("giornata::schedules", message, help))
        }
    }
}

/// Reports what is beyond the analyses.
pub(crate) fn refuse(path: &Path, why: &NotAnalysable, report: &mut Report) -> Verdict {
    let (verdict, help) = match why {
        NotAnalysable::Refused(_) => (
            Verdict::BadInput,
            "no kernel loads this module: compile its source again",
        ),
        NotAnalysable::Beyond { .. } => (
            Verdict::Unknown,
            "the analysis follows blocks that time starts, as the compiler makes them",
        ),
        NotAnalysable::TooManyOutcomes { .. } => (
            Verdict::Unknown,
            "split the modes that lead away from one instant",
        ),
    };
    let message = format!("{}: {why}", path.display());
    report.diagnose(Complaint::new("giornata::not-analysable", message, help));
    verdict
}

fn times(
    path: &Path,
    program: &Program,
    wcet: Option<&PathBuf>,
    report: &mut Report,
) -> Result<Times, Verdict> {
    let text = match wcet.map(|file| (file, fs::read_to_string(file))) {
        None => None,
        Some((_, Ok(text))) => Some(text),
        Some((file, Err(error))) => {
            let message = format!("{} cannot be read: {error}", file.display());
            let help = "name a text file with a line like `control = \"2ms\"` for each task";
            report.diagnose(Complaint::new("giornata::unreadable", message, help));
            return Err(Verdict::BadInput);
        }
    };
    Times::of(program, text.as_deref()).map_err(|why| {
        let place = match &why {
            TimesError::Missing(_) => path,
            _ => wcet.map_or(path, PathBuf::as_path),
        };
        let message = format!("{}: {why}", place.display());
        let help = "annotate tasks with `[wcet 2ms]`, or give times with `--wcet FILE`, a line like `control = \"2ms\"` each";
        report.diagnose(Complaint::new("giornata::times", message, help));
        Verdict::BadInput
    })
}

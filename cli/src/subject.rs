//! What an analysis is about: a module, its E code and its worst-case times.

use std::fs;
use std::path::{Path, PathBuf};

use giornata_abi::Duration;
use giornata_abi::module::Module;
use giornata_analysis::{ECode, NotAnalysable, Program, Times, TimesError};

use crate::compile;
use crate::complaint::Complaint;
use crate::report::{Report, Verdict};

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

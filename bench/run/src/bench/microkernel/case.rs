//! The measured systems: the paper's task sets, written as system files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use giornata_analysis::Kind;

use crate::giornata;

// what the tasks themselves are made with
#[path = "../../../../programmable-microkernel/groups/src/lengths.rs"]
mod lengths;

/// The end of the name of the row that tells the time of E code.
pub(super) const REACTION_ROW: &str = "-reaction";
/// That of the row that tells the time of the ready queue.
pub(super) const SCHEDULER_ROW: &str = "-scheduler";
/// That of the row that tells the kernel's share of the processor.
pub(super) const SHARE_ROW: &str = "-share";
/// Tasks of the sets.
pub(super) const SIZES: [usize; 4] = [4, 10, 50, 100];
/// Milliseconds after which everything repeats.
pub(super) const HYPERPERIOD: u64 = 60;
/// How often the groups run in a hyperperiod: 16.66, 33.33, 50 and 100 Hz.
const FREQUENCIES: [usize; 4] = [1, 2, 3, 6];

/// Who schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// The kernel's own scheduler.
    Edf,
    /// S code: the schedule of that.
    EdfCode,
    /// S code: the same without preemption.
    NonPreemptive,
    /// S code: by rate.
    Rm,
}

/// How long jobs take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    Long,
    Medium,
    Short,
}

/// What brings the kernel in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// What is due, and a second program every millisecond: as in the paper.
    Kilohertz,
    /// What is due alone.
    Tickless,
}

/// A system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Case {
    pub(super) mode: Mode,
    pub(super) tasks: usize,
    pub(super) length: Length,
    pub(super) pace: Pace,
}

impl Case {
    /// No task: every millisecond the kernel finds that there is nothing to do.
    const IDLE: Case = Case {
        mode: Mode::Edf,
        tasks: 0,
        length: Length::Medium,
        pace: Pace::Kilohertz,
    };

    /// All, in the order of the rows: the paper's 48, without ticks those of medium
    /// length, and no task.
    pub(super) fn all() -> impl Iterator<Item = Case> {
        let paced = [
            (Pace::Kilohertz, Length::Long),
            (Pace::Kilohertz, Length::Medium),
            (Pace::Kilohertz, Length::Short),
            (Pace::Tickless, Length::Medium),
        ];
        let modes = [Mode::Edf, Mode::EdfCode, Mode::NonPreemptive, Mode::Rm];
        let kinds = paced.map(|(pace, length)| modes.map(|mode| (pace, length, mode)));
        kinds
            .into_iter()
            .flatten()
            .flat_map(|(pace, length, mode)| {
                SIZES.map(|tasks| Case {
                    mode,
                    tasks,
                    length,
                    pace,
                })
            })
            .chain([Case::IDLE])
    }

    /// Its name, which the names of its rows begin with.
    pub(super) fn name(self) -> String {
        let pace = match self.pace {
            Pace::Kilohertz => "",
            Pace::Tickless => "-tickless",
        };
        let mode = match self.mode {
            Mode::Edf => "edf",
            Mode::EdfCode => "edf-code",
            Mode::NonPreemptive => "nonpreemptive-code",
            Mode::Rm => "rm-code",
        };
        format!("{mode}-{}{pace}", self.length())
    }

    /// Whether a figure is one of the task set: with a second program, the time
    /// of E code is that of both; S code is none of the ready queue. The kernel's share
    /// is told at 1 kHz of the kernel's own scheduler, and is all there is to tell of no
    /// task.
    pub(super) fn is_told(self, figure: &str) -> bool {
        match figure {
            SHARE_ROW => Case { tasks: 0, ..self } == Case::IDLE,
            _ if self.tasks == 0 => false,
            REACTION_ROW => self.pace == Pace::Tickless && self.mode == Mode::Edf,
            SCHEDULER_ROW => self.mode == Mode::Edf,
            _ => true,
        }
    }

    fn length(self) -> &'static str {
        match self.length {
            Length::Long => "long",
            Length::Medium => "medium",
            Length::Short => "short",
        }
    }

    /// Writes its files into a folder; answers the system's, or `None` if there
    /// is no such schedule.
    pub(super) fn write(self, folder: &Path) -> Result<Option<PathBuf>> {
        let stem = format!("{}-{}", self.name(), self.tasks);
        let file = |ending: &str| folder.join(format!("{stem}.{ending}"));
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        std::fs::write(file("giotto"), self.program())?;
        std::fs::write(file("times.toml"), self.times())?;
        std::fs::write(folder.join("tick.giotto"), TICK)?;
        let source = match self.strategy() {
            None => format!("{stem}.giotto"),
            Some(strategy) => {
                let (program, times) = (file("giotto"), file("times.toml"));
                let code = giornata::call(&[
                    "schedule".as_ref(),
                    program.as_os_str(),
                    "--strategy".as_ref(),
                    strategy.name().as_ref(),
                    "--wcet".as_ref(),
                    times.as_os_str(),
                    "--output".as_ref(),
                    file("gmod").as_os_str(),
                ])?;
                match code {
                    0 => format!("{stem}.gmod"),
                    1 => return Ok(None),
                    code => bail!("`giornata schedule` ended with {code}"),
                }
            }
        };
        let path = file("toml");
        std::fs::write(&path, self.system(&stem, &source))?;
        Ok(Some(path))
    }

    /// What the S code is made by, if it is S code that schedules.
    pub(super) fn strategy(self) -> Option<Kind> {
        match self.mode {
            Mode::Edf => None,
            Mode::EdfCode => Some(Kind::EarliestDeadline),
            Mode::NonPreemptive => Some(Kind::NonPreemptive),
            Mode::Rm => Some(Kind::RateMonotonic),
        }
    }

    /// Worst-case times of the tasks: a tenth more than jobs compute, for the
    /// microkernel.
    pub(super) fn times(self) -> String {
        let name = format!("{}_{}", self.length(), self.tasks);
        let length = lengths::LENGTHS.iter().find(|(length, _)| *length == name);
        let micros = length.map_or(0, |(_, micros)| micros * 11 / 10);
        let line = |task| format!("job_{task:02} = \"{micros}us\"\n");
        (0..self.tasks).map(line).collect()
    }

    /// The tasks of each group. They are equal but for the last, which has what
    /// is left: so have the paper's, by the count of their instructions.
    fn groups(self) -> [std::ops::Range<usize>; 4] {
        let equal = self.tasks / 4;
        std::array::from_fn(|group| match group {
            3 => 3 * equal..self.tasks,
            _ => group * equal..(group + 1) * equal,
        })
    }

    fn system(self, stem: &str, source: &str) -> String {
        let mut text =
            format!("name = \"{stem}\"\nboard = \"rtl-pmp\"\n\n[kernel]\ntrace-console = false\n");
        if self.tasks > 0 {
            let _ = write!(text, "\n[program.groups]\nsource = \"{source}\"\n");
        }
        if self.pace == Pace::Kilohertz {
            text += "\n[program.tick]\nsource = \"tick.giotto\"\n";
        }
        // without tasks, too, a system has a process; its thread is gone when it is measured
        let processes = if self.tasks == 0 { 1 } else { 4 };
        let setter = format!("{}_{}", self.length(), self.tasks.max(SIZES[0]));
        for (index, group) in self.groups().into_iter().enumerate().take(processes) {
            let tasks: Vec<String> = group.map(|task| format!("job_{task:02} = {{}}")).collect();
            let _ = write!(
                text,
                "\n[process.group_{index}]\ncrate = \"bench-groups\"\nmax-priority = 250\n\
                 tasks = {{ {} }}\nthreads = {{ {setter} = {{ priority = 250 }} }}\n",
                tasks.join(", ")
            );
        }
        text
    }

    pub(super) fn program(self) -> String {
        let mut text = String::new();
        for task in 0..self.tasks {
            let _ = writeln!(
                text,
                "task job_{task:02}() output () state () {{ schedule job_{task:02}() }}"
            );
        }
        text += "driver nothing() output () { if constant_true() then dummy() }\n";
        let _ = writeln!(text, "start run {{\n  mode run() period {HYPERPERIOD}ms {{");
        for (group, frequency) in self.groups().into_iter().zip(FREQUENCIES) {
            for task in group {
                let _ = writeln!(text, "    taskfreq {frequency} do job_{task:02}(nothing);");
            }
        }
        text + "  }\n}\n"
    }
}

/// A program that wakes up every millisecond, and has nothing to do.
const TICK: &str = "start tick {\n  mode tick() period 1ms { }\n}\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_of_a_hyperperiod_are_as_many_as_the_papers() {
        // its E code has 18 instructions beside one a job
        for (tasks, instructions) in [(4, 30), (10, 54), (50, 174), (100, 318)] {
            let case = Case {
                mode: Mode::Edf,
                tasks,
                length: Length::Short,
                pace: Pace::Tickless,
            };
            let groups = case.groups().into_iter().zip(FREQUENCIES);
            let jobs: usize = groups.map(|(group, often)| group.len() * often).sum();
            assert_eq!(jobs, instructions - 18);
        }
    }
}

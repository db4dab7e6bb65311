//! The measured systems: the paper's task sets, written as system files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The end of the name of the row that tells the time of E code.
pub(super) const REACTION_ROW: &str = "-reaction";
/// Tasks of the sets.
const SIZES: [usize; 4] = [4, 10, 50, 100];
/// Milliseconds after which everything repeats.
pub(super) const HYPERPERIOD: u64 = 60;
/// How often the groups run in a hyperperiod: 16.66, 33.33, 50 and 100 Hz.
const FREQUENCIES: [usize; 4] = [1, 2, 3, 6];

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
    pub(super) tasks: usize,
    pub(super) length: Length,
    pub(super) pace: Pace,
}

impl Case {
    /// All, in the order of the rows.
    pub(super) fn all() -> impl Iterator<Item = Case> {
        let paces = [Pace::Kilohertz, Pace::Tickless];
        let lengths = [Length::Long, Length::Medium, Length::Short];
        let kinds = paces.map(|pace| lengths.map(|length| (pace, length)));
        kinds.into_iter().flatten().flat_map(|(pace, length)| {
            SIZES.map(|tasks| Case {
                tasks,
                length,
                pace,
            })
        })
    }

    /// Its name, which the names of its rows begin with.
    pub(super) fn name(self) -> String {
        let pace = match self.pace {
            Pace::Kilohertz => "",
            Pace::Tickless => "-tickless",
        };
        format!("edf-{}{pace}", self.length())
    }

    /// Whether a figure is one of the task set: with a second program, the time
    /// of E code is that of both.
    pub(super) fn is_told(self, figure: &str) -> bool {
        figure != REACTION_ROW || self.pace == Pace::Tickless
    }

    fn length(self) -> &'static str {
        match self.length {
            Length::Long => "long",
            Length::Medium => "medium",
            Length::Short => "short",
        }
    }

    /// Writes its files into a folder; answers the system's.
    pub(super) fn write(self, folder: &Path) -> Result<PathBuf> {
        let stem = format!("{}-{}", self.name(), self.tasks);
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        std::fs::write(folder.join(format!("{stem}.giotto")), self.program())?;
        std::fs::write(folder.join("tick.giotto"), TICK)?;
        let path = folder.join(format!("{stem}.toml"));
        std::fs::write(&path, self.system(&stem))?;
        Ok(path)
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

    fn system(self, stem: &str) -> String {
        let mut text = format!(
            "name = \"{stem}\"\nboard = \"rtl-pmp\"\n\n[kernel]\ntrace-console = false\n\n\
             [program.groups]\nsource = \"{stem}.giotto\"\n"
        );
        if self.pace == Pace::Kilohertz {
            text += "\n[program.tick]\nsource = \"tick.giotto\"\n";
        }
        let setter = format!("{}_{}", self.length(), self.tasks);
        for (index, group) in self.groups().into_iter().enumerate() {
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

    fn program(self) -> String {
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

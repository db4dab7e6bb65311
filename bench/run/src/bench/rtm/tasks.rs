//! What a kernel keeps its tasks in, on which chip.

use anyhow::Result;
use giornata_launch::chip::Chip;
use giornata_soc::{Caches, Simulator, TaskManager, Variant};
use serde::{Deserialize, Serialize};

use super::giornata::BOARDS;
use super::{Case, Kernel};

/// Where a kernel has its tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Tasks {
    /// In its own queues.
    Software,
    /// In the task manager: that of the paper with a kernel in C, the extended one of the board
    /// `rtl-rtm` with Giornata.
    TaskManager,
    /// In that of the paper with one extension: it counts the ticks, and interrupts if the first
    /// task is another.
    Counting,
}

impl Tasks {
    /// For people.
    pub(super) fn name(self) -> &'static str {
        match self {
            Tasks::Software => "software",
            Tasks::TaskManager => "task manager",
            Tasks::Counting => "counting task manager",
        }
    }

    /// In the names of files.
    pub(super) fn suffix(self) -> &'static str {
        match self {
            Tasks::Software => "software",
            Tasks::TaskManager => "rtm",
            Tasks::Counting => "counting",
        }
    }

    /// The board of Giornata.
    pub(super) fn board(self) -> &'static str {
        BOARDS[usize::from(self != Tasks::Software)]
    }

    /// Of a kernel in C, the folders that make the difference, of those that it has.
    pub(super) fn folders(self) -> [&'static str; 2] {
        match self {
            Tasks::Software => ["software", "ticking"],
            Tasks::TaskManager => ["rtm", "ticking"],
            Tasks::Counting => ["rtm", "counting"],
        }
    }
}

impl Kernel {
    /// Where it can have its tasks; first that which others are compared with.
    pub(super) fn tasks_in(self) -> &'static [Tasks] {
        match self {
            Kernel::Preemptive => &[Tasks::Software, Tasks::TaskManager, Tasks::Counting],
            Kernel::Nos | Kernel::Giornata => &[Tasks::Software, Tasks::TaskManager],
        }
    }
}

/// The chips.
pub(super) struct Chips {
    pub(super) chip: Chip,
    without: Simulator,
    /// With the task manager of the paper.
    reference: Simulator,
    counting: Simulator,
    /// With ours, of the board `rtl-rtm`.
    ours: Simulator,
}

impl Chips {
    /// Builds them.
    ///
    /// # Errors
    /// As Verilator says.
    pub(super) fn prepare() -> Result<Chips> {
        Ok(Chips {
            reference: with(TaskManager::REFERENCE)?,
            ..Chips::prepare_few()?
        })
    }

    /// Builds one less, for what is not measured: the task manager of the paper has the extension
    /// too, which nothing uses there.
    ///
    /// # Errors
    /// As Verilator says.
    pub(super) fn prepare_few() -> Result<Chips> {
        let chip = Chip::of(BOARDS[0])?.with(Caches::Large);
        let counting = with(TaskManager {
            interrupts: true,
            ..TaskManager::REFERENCE
        })?;
        Ok(Chips {
            chip,
            without: chip.simulator()?,
            reference: counting.clone(),
            counting,
            ours: Chip::of(BOARDS[1])?.with(Caches::Large).simulator()?,
        })
    }

    /// The one of a run.
    pub(super) fn of(&self, case: &Case) -> &Simulator {
        match case.kernel {
            Kernel::Giornata => self.giornata(case.tasks),
            _ => self.of_c(case.tasks),
        }
    }

    /// The one of Giornata.
    pub(super) fn giornata(&self, tasks: Tasks) -> &Simulator {
        match tasks {
            Tasks::Software => &self.without,
            Tasks::TaskManager | Tasks::Counting => &self.ours,
        }
    }

    /// The one of a kernel in C.
    pub(super) fn of_c(&self, tasks: Tasks) -> &Simulator {
        match tasks {
            Tasks::Software => &self.without,
            Tasks::TaskManager => &self.reference,
            Tasks::Counting => &self.counting,
        }
    }
}

/// The first board's chip with a task manager.
fn with(task_manager: TaskManager) -> Result<Simulator> {
    let chip = Chip::of(BOARDS[0])?.with(Caches::Large);
    let variant = Variant {
        task_manager: Some(task_manager),
        ..chip.variant
    };
    Chip { variant, ..chip }.simulator()
}

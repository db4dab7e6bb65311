//! What the processor's time went into, from the probes of a run, as
//! `bench/rtm/kernels/categories.h` numbers them.

use anyhow::{Context, Result, bail, ensure};
use giornata_soc::Probe;
use serde::{Deserialize, Serialize};

/// What time is spent for: the paper's categories, the application, and nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Category {
    Application,
    Idle,
    Scheduling,
    Ipc,
    TimerInterrupt,
    ClockTicks,
    Miscellaneous,
    Polling,
    ReleaseTimes,
}

impl Category {
    /// In the order of their numbers.
    const ALL: [Category; 9] = [
        Category::Application,
        Category::Idle,
        Category::Scheduling,
        Category::Ipc,
        Category::TimerInterrupt,
        Category::ClockTicks,
        Category::Miscellaneous,
        Category::Polling,
        Category::ReleaseTimes,
    ];

    /// What a probe names.
    fn of(id: u32) -> Option<Category> {
        match id {
            CAUSE_TIMER => Some(Category::TimerInterrupt),
            CAUSE_EXTERNAL => Some(Category::Miscellaneous),
            _ => Category::ALL
                .get(id.checked_sub(FIRST_CATEGORY)? as usize)
                .copied(),
        }
    }

    /// For people.
    pub(super) fn name(self) -> &'static str {
        match self {
            Category::Application => "application",
            Category::Idle => "idle",
            Category::Scheduling => "scheduling",
            Category::Ipc => "IPC",
            Category::TimerInterrupt => "timer interrupts",
            Category::ClockTicks => "clock ticks",
            Category::Miscellaneous => "miscellaneous",
            Category::Polling => "polling",
            Category::ReleaseTimes => "release times",
        }
    }
}

const FIRST_CATEGORY: u32 = 0x10;
const CAUSE_TIMER: u32 = 0x8000_0007;
const CAUSE_EXTERNAL: u32 = 0x8000_000B;
const BEGIN: u32 = 0x20;
const END: u32 = 0x21;
const RESPONSE: u32 = 2;
const TASK_RESPONSE: u32 = 1;
/// Of a response: what it is lies above this bit, when the line rose below.
const KIND_SHIFT: u32 = 29;
/// Cycles of an interrupt's entry before its probe and of its exit behind that of the
/// application, which the chip's watch shows; they are taken for those of the application else.
const HIDDEN: u64 = 20;

/// What became of the time of a run, and of its arrivals; in cycles, without those of probes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Account {
    /// By number of the category.
    spent: [u64; Category::ALL.len()],
    /// From the rise of the line to the first action of the handler, or of the poll.
    pub(super) responses: Vec<u64>,
    /// To the first action of the task that answers.
    pub(super) task_responses: Vec<u64>,
}

impl Account {
    /// Of the probes of a run.
    ///
    /// # Errors
    /// They are not those of an experiment.
    pub(super) fn of(probes: &[Probe]) -> Result<Account> {
        let begin = probes.iter().position(|probe| probe.id == BEGIN);
        let begin = begin.context("the run has not begun")?;
        let calibrating: Vec<&Probe> = probes[begin..]
            .iter()
            .take_while(|p| p.id == BEGIN)
            .collect();
        let gaps = calibrating
            .windows(2)
            .map(|two| two[1].cycle - two[0].cycle);
        let cost = gaps.min().context("probes are not calibrated")?;
        let probes = &probes[begin + calibrating.len() - 1..];
        let mut account = Account::default();
        let mut now = Category::Application;
        for (index, two) in probes.windows(2).enumerate() {
            let (last, next) = (&two[0], &two[1]);
            account.spend(now, (next.cycle - last.cycle).saturating_sub(cost));
            match (next.id >> KIND_SHIFT, Category::of(next.id)) {
                _ if next.id == END => return Ok(account),
                (_, Some(category)) => {
                    if next.id == CAUSE_TIMER || next.id == CAUSE_EXTERNAL {
                        account.enter(now, category);
                    }
                    now = category;
                }
                (kind @ (RESPONSE | TASK_RESPONSE), None) => {
                    let rise = u64::from(next.id & ((1 << KIND_SHIFT) - 1));
                    ensure!(rise < next.cycle, "an arrival is answered before it came");
                    let between = probes[..=index].iter().rev();
                    let between = between.take_while(|probe| probe.cycle > rise).count();
                    let response = next.cycle - rise - cost * between as u64;
                    match kind {
                        RESPONSE => account.responses.push(response),
                        _ => account.task_responses.push(response),
                    }
                }
                _ => bail!("probe {:#x} means nothing", next.id),
            }
        }
        bail!("the run has not ended")
    }

    /// Adds cycles to a category.
    pub(super) fn spend(&mut self, category: Category, cycles: u64) {
        self.spent[category as usize] += cycles;
    }

    /// An interrupt: what is hidden of it was counted to what it interrupts.
    fn enter(&mut self, interrupted: Category, category: Category) {
        let hidden = HIDDEN.min(self.spent[interrupted as usize]);
        self.spent[interrupted as usize] -= hidden;
        self.spend(category, hidden);
    }

    /// Cycles of a category.
    pub(super) fn spent(&self, category: Category) -> u64 {
        self.spent[category as usize]
    }

    /// Cycles of all.
    pub(super) fn total(&self) -> u64 {
        self.spent.iter().sum()
    }

    /// Cycles that the operating system took.
    pub(super) fn system(&self) -> u64 {
        self.total() - self.spent(Category::Application) - self.spent(Category::Idle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probes(list: &[(u64, u32)]) -> Vec<Probe> {
        let probe = |&(cycle, id)| Probe { cycle, id, hart: 0 };
        list.iter().map(probe).collect()
    }

    #[test]
    fn time_is_spent_for_what_the_probe_before_says_without_what_probes_cost() {
        let run = probes(&[
            (5, BEGIN),
            (10, BEGIN),
            (12, BEGIN),
            (112, CAUSE_TIMER),
            (132, 0x15),
            (164, 0x12),
            (180, 0x10),
            (300, END),
        ]);
        let account = Account::of(&run).unwrap();
        assert_eq!(account.spent(Category::TimerInterrupt), 18 + HIDDEN);
        assert_eq!(account.spent(Category::ClockTicks), 30);
        assert_eq!(account.spent(Category::Scheduling), 14);
        assert_eq!(account.spent(Category::Application), 98 + 118 - HIDDEN);
        assert_eq!(account.system(), 18 + 30 + 14 + HIDDEN);
        assert_eq!(account.total(), 288 - 5 * 2);
    }

    #[test]
    fn responses_count_from_the_rise_without_the_probes_between() {
        let run = probes(&[
            (10, BEGIN),
            (12, BEGIN),
            (80, 0x15),
            (120, 0x12),
            (150, 0x4000_0000 | 100),
            (160, 0x2000_0000 | 100),
            (170, END),
        ]);
        let account = Account::of(&run).unwrap();
        assert_eq!(account.responses, [50 - 2]);
        assert_eq!(account.task_responses, [60 - 4]);
    }

    #[test]
    fn what_is_no_experiment_is_refused() {
        for list in [
            &[(10, 0x10)][..],
            &[(10, BEGIN), (12, BEGIN), (90, 0x10)],
            &[(10, BEGIN), (12, BEGIN), (90, 0x19), (99, END)],
            &[(10, BEGIN), (12, BEGIN), (90, 0x4000_0000 | 91), (99, END)],
        ] {
            assert!(Account::of(&probes(list)).is_err(), "{list:?}");
        }
    }
}

//! What the processor's time went into under Giornata, from outside: of user mode by marks, of
//! the kernel by the functions that its instructions come from. Nothing is added to the kernel.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use giornata_soc::{Executed, Point, Report, Sight};

use super::account::{Account, Category};
use crate::bench::kernel::functions::{Frame, Lines};

/// Marks of `bench/rtm/ports/giornata/kernel.h`.
mod mark {
    pub(super) const BEGIN: u16 = 1;
    pub(super) const END: u16 = 2;
    pub(super) const RESPONSE: u16 = 3;
    pub(super) const TASK_RESPONSE: u16 = 4;
    pub(super) const IPC: u16 = 5;
    pub(super) const IPC_END: u16 = 6;
    pub(super) const SERVICE: u16 = 7;
    pub(super) const SERVICE_END: u16 = 8;
}

/// Cycles of a mark.
const MARK: u64 = 1;

/// What an instruction of the kernel is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Who runs.
    Queue,
    /// What is due, and when.
    Time,
    /// Into the kernel and out of it, to whichever thread.
    Entry,
    /// What the entry is about.
    Matter,
}

/// Why the kernel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// A call of a thread that was in such a function.
    Call(Category),
    Timer,
    Line,
}

/// Files of the kernel whose instructions belong to the function that has called them: small
/// things that are everywhere, and the registers of the task manager.
const OF_THE_CALLER: [&str; 5] = [
    "kernel/manager/",
    "hw/rtm/",
    "kernel/core/src/lib.rs",
    "kernel/core/src/outcome.rs",
    "kernel/core/src/sched/thread.rs",
];
const QUEUE: [&str; 2] = [
    "kernel/core/src/sched/ready",
    "kernel/core/src/sched/helping.rs",
];
const TIME: [&str; 2] = [
    "kernel/core/src/sched/agenda",
    "kernel/core/src/sched/timer.rs",
];
const CORE: &str = "kernel/core/src/";
const ARCHITECTURE: &str = "kernel/arch-riscv/";
/// Functions of the architecture that look at the clock for their callers.
const CLOCK: [&str; 2] = ["now", "high"];

/// The name of a function without its path, its types and its hash.
fn name(function: &str) -> &str {
    let hash = function
        .rsplit_once("::h")
        .filter(|(_, hash)| hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let function = hash.map_or(function, |(function, _)| function);
    let function = match function.find('<') {
        Some(types) if types > 0 && function.ends_with('>') => &function[..types],
        _ => function,
    };
    function.rsplit("::").next().unwrap_or_default()
}

impl Part {
    /// Of the functions that an instruction is in, the innermost first.
    fn of(frames: &[Frame]) -> Part {
        let is_in = |frame: &Frame, parts: &[&str]| {
            let file = frame.file.replace('\\', "/");
            parts.iter().any(|part| file.contains(part))
        };
        for frame in frames {
            let looks = CLOCK.contains(&name(&frame.function));
            if is_in(frame, &OF_THE_CALLER) || is_in(frame, &[ARCHITECTURE]) && looks {
                continue;
            }
            if is_in(frame, &QUEUE) {
                return Part::Queue;
            }
            if is_in(frame, &TIME) {
                return Part::Time;
            }
            if is_in(frame, &[CORE]) {
                return Part::Matter;
            }
            if is_in(frame, &[ARCHITECTURE]) {
                return Part::Entry;
            }
        }
        // (the trap path has no lines)
        Part::Entry
    }

    fn category(self, cause: Cause) -> Category {
        match (self, cause) {
            (Part::Queue, _) => Category::Scheduling,
            (Part::Time, _) | (Part::Matter, Cause::Timer) => Category::ClockTicks,
            (Part::Entry, Cause::Timer) => Category::TimerInterrupt,
            (Part::Matter, Cause::Call(function)) => function,
            (Part::Entry, _) | (Part::Matter, Cause::Line) => Category::Miscellaneous,
        }
    }
}

/// What is known of an instruction's address.
#[derive(Clone, Copy)]
struct Known {
    part: Part,
    /// The interrupt that is handled here.
    cause: Option<Cause>,
}

/// The kernel's instructions.
struct Instructions {
    lines: Lines,
    known: BTreeMap<u32, Known>,
}

impl Instructions {
    fn known(&mut self, pc: u32) -> Result<Known> {
        if let Some(known) = self.known.get(&pc) {
            return Ok(*known);
        }
        let frames = self.lines.frames(pc)?;
        let is_in = |this: &str| frames.iter().any(|frame| name(&frame.function) == this);
        let cause = match () {
            () if is_in("on_timer") || is_in("on_timer_any") => Some(Cause::Timer),
            () if is_in("on_line") => Some(Cause::Line),
            () => None,
        };
        let part = Part::of(&frames);
        let known = Known { part, cause };
        self.known.insert(pc, known);
        Ok(known)
    }
}

/// Accounts for a run of the experiment; `known` tells of an instruction's address.
struct Accountant<'r, F> {
    known: F,
    executed: &'r [Executed],
    account: Account,
    /// Up to where time is accounted for.
    at: u64,
}

impl<F: FnMut(u32) -> Result<Known>> Accountant<'_, F> {
    /// The kernel has run from where the account is to a cycle.
    fn kernel(&mut self, until: u64, interrupted: Category) -> Result<()> {
        let first = self
            .executed
            .partition_point(|one| u64::from(one.cycle) <= self.at);
        let here = self.executed.get(first..).unwrap_or_default();
        let end = here.partition_point(|one| u64::from(one.cycle) <= until);
        let here = here.get(..end).unwrap_or_default();
        let mut cause = Cause::Call(match interrupted {
            Category::Ipc => Category::Ipc,
            _ => Category::Miscellaneous,
        });
        for one in here {
            if let Some(interrupt) = (self.known)(one.pc)?.cause {
                cause = interrupt;
                break;
            }
        }
        let mut last = Part::Entry;
        for one in here {
            last = (self.known)(one.pc)?.part;
            self.spend(last.category(cause), one.cycle.into());
        }
        self.spend(last.category(cause), until);
        Ok(())
    }

    /// The kernel has waited: its `wfi` is over when a line has risen.
    fn idle(&mut self, over: u64, risen: u64, interrupted: Category) -> Result<()> {
        let before = |one: &Executed| u64::from(one.cycle) < over;
        let count = self.executed.partition_point(before);
        let last = count
            .checked_sub(1)
            .and_then(|last| self.executed.get(last));
        self.kernel(last.map_or(0, |one| one.cycle.into()), interrupted)?;
        // (a line that was high before is not waited for)
        self.spend(Category::Idle, risen.min(over));
        Ok(())
    }

    fn spend(&mut self, category: Category, until: u64) {
        self.account.spend(category, until.saturating_sub(self.at));
        self.at = self.at.max(until);
    }
}

/// The account of a run.
///
/// # Errors
/// It is none of an experiment, or the kernel has no lines.
pub(super) fn account(report: &Report, kernel: &Path) -> Result<Account> {
    ensure!(
        u32::try_from(report.cycles).is_ok(),
        "the run is longer than its instructions are told apart"
    );
    let mut instructions = Instructions {
        lines: Lines::of(kernel)?,
        known: BTreeMap::new(),
    };
    account_with(&report.points, &report.executed, |pc| {
        instructions.known(pc)
    })
}

/// The same, whatever tells of instructions.
fn account_with(
    points: &[Point],
    executed: &[Executed],
    known: impl FnMut(u32) -> Result<Known>,
) -> Result<Account> {
    let begin = points
        .iter()
        .rposition(|point| point.sight == Sight::Mark(mark::BEGIN))
        .context("the run has not begun")?;
    let mut accountant = Accountant {
        known,
        executed,
        account: Account::default(),
        at: points[begin].cycle,
    };
    let (mut rises, mut marks) = (Vec::new(), Vec::new());
    let (mut answered, mut answered_in_task) = (0, 0);
    // when a line did last
    let mut risen = 0;
    // what the thread that runs is in, or was in when the kernel was entered; whether it runs
    let (mut now, mut runs) = (Category::Application, true);
    for (index, point) in points.iter().enumerate().skip(begin + 1) {
        match point.sight {
            Sight::Mark(number) => {
                ensure!(runs, "a mark in the kernel");
                accountant.spend(now, point.cycle.saturating_sub(MARK));
                accountant.at = point.cycle;
                let response = |rises: &[u64], nth: usize| -> Result<u64> {
                    let rise = rises.get(nth).copied();
                    let rise = rise.context("an arrival is answered before it came")?;
                    let between = marks.iter().rev().take_while(|at| **at > rise).count();
                    Ok(point
                        .cycle
                        .saturating_sub(rise + MARK * (1 + between as u64)))
                };
                match number {
                    mark::END => return Ok(accountant.account),
                    mark::IPC => now = Category::Ipc,
                    mark::SERVICE => now = Category::Miscellaneous,
                    mark::IPC_END | mark::SERVICE_END => now = Category::Application,
                    mark::RESPONSE => {
                        let response = response(&rises, answered)?;
                        accountant.account.responses.push(response);
                        answered += 1;
                    }
                    mark::TASK_RESPONSE => {
                        let response = response(&rises, answered_in_task)?;
                        accountant.account.task_responses.push(response);
                        answered_in_task += 1;
                    }
                    _ => bail!("mark {number} means nothing"),
                }
                marks.push(point.cycle);
            }
            Sight::Enter => {
                accountant.spend(now, point.cycle);
                runs = false;
            }
            Sight::Leave => {
                accountant.kernel(point.cycle, now)?;
                now = left_for(&points[index + 1..]);
                runs = true;
            }
            Sight::Wait => {
                accountant.idle(point.cycle, risen, now)?;
                now = Category::Application;
            }
            Sight::Line => {
                rises.push(point.cycle);
                risen = point.cycle;
            }
            Sight::Timer | Sight::Software => risen = point.cycle,
        }
    }
    bail!("the run has not ended")
}

/// What a thread is in that goes on, by what it does next.
fn left_for(next: &[Point]) -> Category {
    let mut next = next.iter().map(|point| point.sight);
    match next.find(|sight| matches!(sight, Sight::Mark(_) | Sight::Enter)) {
        Some(Sight::Mark(mark::IPC_END)) => Category::Ipc,
        Some(Sight::Mark(mark::SERVICE_END)) => Category::Miscellaneous,
        _ => Category::Application,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::rtm::tests::marks_of;

    #[test]
    fn names_have_neither_path_nor_types_nor_hash() {
        for function in [
            "on_timer",
            "trap::on_timer",
            "on_timer<arch::hart::Riscv>",
            "arch::machine::trap::on_timer::h9bdd93c839366063",
            "core::timer::<impl core::kernel::Kernel>::on_timer::h9bdd93c839366063",
        ] {
            assert_eq!(name(function), "on_timer", "{function}");
        }
    }

    fn frame(function: &str, file: &str) -> Frame {
        Frame {
            function: function.into(),
            file: file.into(),
        }
    }

    #[test]
    fn an_instruction_is_for_the_first_of_its_functions_that_tells() {
        let cell = frame(
            "core::cell::Cell<T>::get",
            "/rustc/library/core/src/cell.rs",
        );
        let top = frame("giornata_manager::top", "/x/kernel/manager/src/lib.rs");
        let close = frame("System::close", "/x/kernel/core/src/sched/ready/managed.rs");
        let arm = frame("System::arm", "/x/kernel/core/src/sched/timer.rs");
        let now = frame(
            "<Riscv as Machine>::now",
            "/x/kernel/arch-riscv/src/machine/hart.rs",
        );
        let alarm = frame(
            "<Riscv as Machine>::alarm",
            "/x/kernel/arch-riscv/src/machine/hart.rs",
        );
        let lock = frame("lock", "/x/kernel/core/src/sync/fast.rs");
        let of = |frames: &[&Frame]| Part::of(&frames.iter().copied().cloned().collect::<Vec<_>>());
        assert_eq!(of(&[&top, &close, &lock]), Part::Queue);
        assert_eq!(of(&[&cell, &now, &arm]), Part::Time);
        assert_eq!(of(&[&alarm, &arm]), Part::Entry);
        assert_eq!(of(&[&cell, &lock]), Part::Matter);
        assert_eq!(of(&[]), Part::Entry);
    }

    /// Of a kernel whose addresses are 0 on the trap path, 1 in the ready queue, 2 in the
    /// function of a call and 3 in the handler of the timer.
    fn known(pc: u32) -> Result<Known> {
        let part = match pc {
            1 => Part::Queue,
            2 => Part::Matter,
            3 => Part::Time,
            _ => Part::Entry,
        };
        let cause = (pc == 3).then_some(Cause::Timer);
        Ok(Known { part, cause })
    }

    fn account_of(points: &[(u64, Sight)], executed: &[(u32, u32)]) -> Result<Account> {
        let point = |&(cycle, sight)| Point {
            sight,
            cycle,
            instructions: 0,
            pc: 0,
            hart: 0,
        };
        let points: Vec<Point> = points.iter().map(point).collect();
        let executed = executed
            .iter()
            .map(|&(cycle, pc)| Executed { pc, cycle, hart: 0 });
        account_with(&points, &executed.collect::<Vec<_>>(), known)
    }

    #[test]
    fn a_call_of_a_semaphore_is_told_from_the_choice_of_the_next_thread() {
        let account = account_of(
            &[
                (10, Sight::Mark(mark::BEGIN)),
                (31, Sight::Mark(mark::IPC)),
                (40, Sight::Enter),
                (75, Sight::Leave),
                (81, Sight::Mark(mark::IPC_END)),
                (100, Sight::Mark(mark::END)),
            ],
            &[(45, 0), (52, 2), (60, 1), (70, 0)],
        )
        .unwrap();
        assert_eq!(account.spent(Category::Application), 20 + 18);
        assert_eq!(account.spent(Category::Ipc), 9 + 7 + 5);
        assert_eq!(account.spent(Category::Scheduling), 8);
        assert_eq!(account.spent(Category::Miscellaneous), 5 + 10 + 5);
        assert_eq!(account.total(), 90 - 3);
    }

    #[test]
    fn a_wait_is_over_when_a_line_rises() {
        let account = account_of(
            &[
                (10, Sight::Mark(mark::BEGIN)),
                (20, Sight::Enter),
                (500, Sight::Timer),
                (505, Sight::Wait),
                (540, Sight::Leave),
                (600, Sight::Line),
                (605, Sight::Enter),
                (640, Sight::Leave),
                (651, Sight::Mark(mark::RESPONSE)),
                (660, Sight::Mark(mark::END)),
            ],
            &[(25, 1), (30, 0), (505, 0), (520, 3), (535, 0), (610, 0)],
        )
        .unwrap();
        assert_eq!(account.spent(Category::Idle), 470);
        assert_eq!(account.spent(Category::TimerInterrupt), 5 + 15 + 5);
        assert_eq!(account.spent(Category::ClockTicks), 15);
        assert_eq!(account.spent(Category::Application), 10 + 65 + 10 + 8);
        assert_eq!(account.responses, [50]);
    }

    #[test]
    fn what_is_no_experiment_is_refused() {
        let begin = (10, Sight::Mark(mark::BEGIN));
        for points in [
            &[][..],
            &[begin],
            &[begin, (12, Sight::Mark(99)), (14, Sight::Mark(mark::END))],
            &[
                begin,
                (12, Sight::Mark(mark::RESPONSE)),
                (14, Sight::Mark(mark::END)),
            ],
            &[begin, (12, Sight::Enter), (14, Sight::Mark(mark::END))],
        ] {
            assert!(account_of(points, &[]).is_err(), "{points:?}");
        }
    }

    #[test]
    fn a_thread_that_goes_on_is_in_the_function_that_it_leaves_next() {
        let point = |sight| Point {
            sight,
            cycle: 0,
            instructions: 0,
            pc: 0,
            hart: 0,
        };
        let list = |sights: &[Sight]| sights.iter().copied().map(point).collect::<Vec<_>>();
        let of = |sights: &[Sight]| left_for(&list(sights));
        assert_eq!(
            of(&[Sight::Timer, Sight::Mark(mark::IPC_END)]),
            Category::Ipc
        );
        assert_eq!(
            of(&[Sight::Mark(mark::SERVICE_END)]),
            Category::Miscellaneous
        );
        assert_eq!(of(&[Sight::Mark(mark::IPC)]), Category::Application);
        assert_eq!(
            of(&[Sight::Enter, Sight::Mark(mark::IPC_END)]),
            Category::Application
        );
    }

    #[test]
    fn marks_in_c_have_these_numbers() {
        let numbers = [
            ("BEGIN", mark::BEGIN),
            ("END", mark::END),
            ("RESPONSE", mark::RESPONSE),
            ("TASK_RESPONSE", mark::TASK_RESPONSE),
            ("IPC", mark::IPC),
            ("IPC_END", mark::IPC_END),
            ("SERVICE", mark::SERVICE),
            ("SERVICE_END", mark::SERVICE_END),
        ];
        assert_eq!(marks_of("ports/giornata/kernel.h", &numbers), numbers.len());
    }
}

//! The results as tables, and as `docs/results/rtm.{md,json}` with plots.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::account::{Account, Category};
use super::drawing::{self, Bar, Circle, Line};
use super::experiment::{Case, Outcome};
use super::rows::CallRow;
use super::sweep::{Cycles, Operation, Step, pays_at};
use super::{Kernel, STEPS, SUITE, Tasks, Workload, giornata};
use crate::crates::root;

/// All that was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Results {
    pub(super) rows: Vec<CallRow>,
    pub(super) sweep: Vec<Step>,
    pub(super) outcomes: Vec<Outcome>,
}

/// What the paper's table 3 and its text say of a function: by how much its time falls, %.
struct Published {
    category: Category,
    change: &'static str,
}

impl Kernel {
    /// For people.
    fn title(self) -> &'static str {
        match self {
            Kernel::Preemptive => "Preemptive kernel",
            Kernel::Nos => "Non-preemptive kernel",
            Kernel::Giornata => "Giornata",
        }
    }

    /// The functions of its operating system, as the paper tells them apart; those that it does
    /// not tell numbers of have a dash.
    fn published(self) -> Vec<Published> {
        let list: &[(Category, &'static str)] = match self {
            Kernel::Preemptive => &[
                (Category::Scheduling, "-31"),
                (Category::Ipc, "-14"),
                (Category::ClockTicks, "-83"),
                (Category::TimerInterrupt, "0"),
                (Category::Miscellaneous, "0"),
            ],
            Kernel::Nos => &[
                (Category::Scheduling, "-98"),
                (Category::ClockTicks, "-85"),
                (Category::ReleaseTimes, "-95"),
                (Category::Polling, "+25"),
                (Category::TimerInterrupt, "-"),
                (Category::Miscellaneous, "-"),
            ],
            Kernel::Giornata => &[
                (Category::Scheduling, "-"),
                (Category::Ipc, "-"),
                (Category::ClockTicks, "-"),
                (Category::TimerInterrupt, "-"),
                (Category::Miscellaneous, "-"),
            ],
        };
        let published = |&(category, change)| Published { category, change };
        list.iter().map(published).collect()
    }

    /// What a category is called: a kernel without ticks has none.
    fn category(self, category: Category) -> &'static str {
        match (self, category) {
            (Kernel::Giornata, Category::ClockTicks) => "agenda",
            _ => category.name(),
        }
    }

    /// What is to be known before its tables are read.
    fn note(self) -> &'static str {
        match self {
            Kernel::Preemptive | Kernel::Nos => "",
            Kernel::Giornata => {
                "On the boards rtl-pmp and rtl-rtm, with memory protection, processes in user mode \
                 and interrupts handled there; the task manager is that of rtl-rtm, extended by \
                 keys of 32 bits. The kernel is tickless: in place of clock ticks stands its \
                 agenda, which is all that it does to arm alarms and to have them expire. The \
                 paper has no figures for it.\n\n"
            }
        }
    }

    /// What the paper says of the whole, and of the longest response.
    fn published_in_all(self) -> (&'static str, &'static str) {
        match self {
            Kernel::Preemptive => ("-60 to -90", "-81"),
            Kernel::Nos => ("-20 to -65", "-"),
            Kernel::Giornata => ("-", "-"),
        }
    }
}

/// A kernel with its tasks in software, and elsewhere.
#[derive(Clone, Copy)]
struct Comparison {
    kernel: Kernel,
    elsewhere: Tasks,
}

impl Comparison {
    /// For people.
    fn title(self) -> String {
        match self.elsewhere {
            Tasks::Counting => format!("{}, ticks counted", self.kernel.title()),
            Tasks::Software | Tasks::TaskManager => self.kernel.title().into(),
        }
    }

    /// In the names of files.
    fn name(self) -> String {
        match self.elsewhere {
            Tasks::Counting => format!("{}-{}", self.kernel.name(), self.elsewhere.suffix()),
            Tasks::Software | Tasks::TaskManager => self.kernel.name().into(),
        }
    }

    /// What is to be known before its tables are read.
    fn note(self) -> &'static str {
        match self.elsewhere {
            Tasks::Counting => {
                "The task manager has one extension more than the paper's (`Interrupts`): it \
                 counts the ticks, and interrupts only if the first task is another. The paper's \
                 figures are those of a task manager without it.\n\n"
            }
            Tasks::Software | Tasks::TaskManager => self.kernel.note(),
        }
    }
}

/// Two runs that differ in where the tasks are alone.
struct Pair<'a> {
    without: &'a Outcome,
    with: &'a Outcome,
}

impl Results {
    /// The runs of a comparison, two by two.
    fn pairs(&self, comparison: Comparison) -> Vec<Pair<'_>> {
        let is_compared =
            |case: &Case| case.kernel == comparison.kernel && case.tasks == comparison.elsewhere;
        let with = self.outcomes.iter().filter(|with| is_compared(&with.case));
        with.filter_map(|with| {
            let case = Case {
                tasks: Tasks::Software,
                ..with.case
            };
            let without = self.outcomes.iter().find(|outcome| outcome.case == case)?;
            Some(Pair { without, with })
        })
        .collect()
    }

    /// Those that were made.
    fn comparisons(&self) -> Vec<Comparison> {
        let of = |kernel: Kernel| {
            let elsewhere = kernel.tasks_in().iter().copied();
            let elsewhere = elsewhere.filter(|tasks| *tasks != Tasks::Software);
            elsewhere.map(move |elsewhere| Comparison { kernel, elsewhere })
        };
        let all = Kernel::ALL.into_iter().flat_map(of);
        all.filter(|comparison| !self.pairs(*comparison).is_empty())
            .collect()
    }
}

/// % of the processor's time, in thousandths.
fn share(account: &Account, cycles: u64) -> u64 {
    (cycles * 100_000 + account.total() / 2) / account.total().max(1)
}

/// Mean share over runs.
fn mean_share<'a>(
    outcomes: impl Iterator<Item = &'a Outcome>,
    cycles: impl Fn(&Account) -> u64,
) -> u64 {
    let shares: Vec<u64> = outcomes
        .map(|outcome| share(&outcome.account, cycles(&outcome.account)))
        .collect();
    shares.iter().sum::<u64>() / shares.len().max(1) as u64
}

fn percent(thousandths: u64) -> String {
    format!("{}.{:03}", thousandths / 1000, thousandths % 1000)
}

/// By how much something becomes more, %.
fn change(without: u64, with: u64) -> String {
    if without == 0 {
        return "-".into();
    }
    let change = (with as f64 - without as f64) / without as f64 * 100.0;
    format!("{change:+.0}")
}

/// The tables.
pub(super) fn text(results: &Results) -> String {
    let mut text = String::new();
    if !results.rows.is_empty() {
        text += &calls(&results.rows);
    }
    for comparison in results.comparisons() {
        let (kernel, pairs) = (comparison.kernel, results.pairs(comparison));
        let (title, note) = (comparison.title(), comparison.note());
        let _ = write!(text, "\n## {title}\n\n{note}");
        text += &functions(kernel, &pairs);
        text += "\n";
        text += &loads(kernel, &pairs);
    }
    if !results.sweep.is_empty() {
        text += &break_even(&results.sweep);
    }
    text
}

/// Where the task manager pays for Giornata, and where it does not.
fn break_even(steps: &[Step]) -> String {
    let mut text = String::from(
        "\n## Break-even\n\n\
         Calls and interrupts of Giornata as a thread sees them, from user mode to user mode, with \
         its own queues (rtl-pmp) and with the task manager (rtl-rtm), among n threads that are \
         ready or n alarms that are set. Cycles; jitter is the most less the least. Each of the n \
         is a thread, which has a record for its place in the ready queue too: of 64 records some \
         28 are left for alarms with n = 32, and 12 with n = 48; the other alarms are in lists. \
         An expiry's jitter has what the kernel is at when the timer rings.\n\n\
         The task manager pays, its figure being the lower one, at these n:\n\n\
         | operation | median | jitter |\n|---|---:|---:|\n",
    );
    for operation in Operation::ALL {
        let median = pays_at(steps, operation, |cycles| cycles.median);
        let jitter = pays_at(steps, operation, Cycles::jitter);
        let _ = writeln!(text, "| {} | {median} | {jitter} |", operation.name());
    }
    text += "\n| operation | n | median without | with | change | jitter without | with | longest \
             without | with |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n";
    for step in steps {
        let Step {
            operation,
            n,
            without,
            with,
        } = step;
        let _ = writeln!(
            text,
            "| {} | {n} | {} | {} | {} | {} | {} | {} | {} |",
            operation.name(),
            without.median,
            with.median,
            change(without.median, with.median),
            without.jitter(),
            with.jitter(),
            without.most,
            with.most,
        );
    }
    text
}

/// Calls beside those of ThreadX.
fn calls(rows: &[CallRow]) -> String {
    let mut text = String::from(
        "## Calls of the preemptive kernel\n\n\
         Cycles, beside ThreadX 6.4.2 on the same chip.\n\n\
         | call | ThreadX | without | to ThreadX, % | with the task manager | change, % |\n\
         |---|---:|---:|---:|---:|---:|\n",
    );
    for row in rows {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            row.name,
            row.threadx,
            row.without,
            change(row.threadx, row.without),
            row.with,
            change(row.without, row.with)
        );
    }
    text
}

/// The paper's table 3: each function over all runs, and its change with each load.
fn functions(kernel: Kernel, pairs: &[Pair<'_>]) -> String {
    let steps: Vec<usize> = (0..STEPS)
        .filter(|step| pairs.iter().any(|pair| pair.without.case.step == *step))
        .collect();
    let mut text = String::from(
        "Means over the workloads. Time in % of the processor's over all loads, and its change \
         in %, over all loads and with each.\n\n\
         | function | without | with | change | paper |",
    );
    for step in &steps {
        let of_step = pairs.iter().filter(|pair| pair.without.case.step == *step);
        let load = mean_share(of_step.map(|pair| pair.without), |account| {
            account.spent(Category::Application)
        });
        let _ = write!(text, " load {} % |", (load + 500) / 1000);
    }
    let columns = "---:|".repeat(4 + steps.len());
    let _ = write!(text, "\n|---|{columns}\n");
    let mut line = |name: &str, paper: &str, cycles: &dyn Fn(&Account) -> u64| {
        let shares = |step: Option<usize>| {
            let chosen = |pair: &&Pair<'_>| step.is_none_or(|step| pair.without.case.step == step);
            let without = pairs.iter().filter(chosen).map(|pair| pair.without);
            let with = pairs.iter().filter(chosen).map(|pair| pair.with);
            (mean_share(without, cycles), mean_share(with, cycles))
        };
        let (without, with) = shares(None);
        let _ = write!(
            text,
            "| {name} | {} | {} | {} | {paper} |",
            percent(without),
            percent(with),
            change(without, with)
        );
        for step in &steps {
            let (without, with) = shares(Some(*step));
            let _ = write!(text, " {} |", change(without, with));
        }
        text.push('\n');
    };
    for Published {
        category,
        change: paper,
    } in kernel.published()
    {
        line(kernel.category(category), paper, &|account| {
            account.spent(category)
        });
    }
    line("all", kernel.published_in_all().0, &Account::system);
    text
}

/// Each pair of runs.
fn loads(kernel: Kernel, pairs: &[Pair<'_>]) -> String {
    let mut text = format!(
        "Each load: {} and the operating system in % of the processor's time, responses \
         to arrivals in cycles. The paper's change of the longest response: {}.\n\n\
         | workload | channels | tasks | load, % | {} without | with | change | system without \
         | with | change | median response without | with | longest without | with | change |\n\
         |---|{}\n",
        kernel.category(Category::ClockTicks),
        kernel.published_in_all().1,
        kernel.category(Category::ClockTicks),
        "---:|".repeat(14)
    );
    for Pair { without, with } in pairs {
        let ticks = |outcome: &Outcome| {
            mean_share([outcome].into_iter(), |a| a.spent(Category::ClockTicks))
        };
        let system = |outcome: &Outcome| mean_share([outcome].into_iter(), Account::system);
        let load = mean_share([*without].into_iter(), |a| a.spent(Category::Application));
        let longest = |outcome: &Outcome| outcome.account.responses.iter().max().copied();
        let longest = |outcome: &Outcome| longest(outcome).unwrap_or_default();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            without.case.workload.name(),
            without.case.channels(),
            kernel.tasks(without.case.channels()),
            (load + 500) / 1000,
            percent(ticks(without)),
            percent(ticks(with)),
            change(ticks(without), ticks(with)),
            percent(system(without)),
            percent(system(with)),
            change(system(without), system(with)),
            median(&without.account.responses),
            median(&with.account.responses),
            longest(without),
            longest(with),
            change(longest(without), longest(with)),
        );
    }
    if kernel != Kernel::Nos {
        text += &task_responses(pairs);
    }
    if kernel == Kernel::Giornata {
        text += &records(pairs);
    }
    text
}

/// Where the records of the task manager are too few for Giornata.
fn records(pairs: &[Pair<'_>]) -> String {
    let mut text = String::from(
        "\nA thread takes a record of the task manager for its place in the ready queue, and one \
         for its alarm while there are some. Alarms without one are in the kernel's lists.\n\n\
         | channels | threads | alarms in records | in lists |\n|---:|---:|---:|---:|\n",
    );
    let mut sizes: Vec<u32> = pairs.iter().map(|p| p.with.case.channels()).collect();
    sizes.sort_unstable();
    sizes.dedup();
    for channels in sizes {
        let (threads, listed) = (
            giornata::threads(channels),
            giornata::listed_alarms(channels),
        );
        let _ = writeln!(
            text,
            "| {channels} | {threads} | {} | {listed} |",
            threads - listed
        );
    }
    text
}

/// The way on from the handler to a task.
fn task_responses(pairs: &[Pair<'_>]) -> String {
    let mut text = String::from(
        "\nResponses of the task that the handler releases, in cycles.\n\n\
         | workload | channels | median without | with | longest without | with | change |\n\
         |---|---:|---:|---:|---:|---:|---:|\n",
    );
    for Pair { without, with } in pairs {
        let longest = |outcome: &Outcome| {
            let longest = outcome.account.task_responses.iter().max().copied();
            longest.unwrap_or_default()
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} |",
            without.case.workload.name(),
            without.case.channels(),
            median(&without.account.task_responses),
            median(&with.account.task_responses),
            longest(without),
            longest(with),
            change(longest(without), longest(with)),
        );
    }
    text
}

fn median(responses: &[u64]) -> u64 {
    let mut sorted = responses.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

fn folder() -> PathBuf {
    root().join("docs/results")
}

fn json() -> PathBuf {
    folder().join(format!("{SUITE}.json"))
}

/// What was measured last.
///
/// # Errors
/// There is nothing, or it is of another form.
pub(super) fn committed() -> Result<Results> {
    let path = json();
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    serde_json::from_str(&text).with_context(|| path.display().to_string())
}

/// Writes the measurements.
///
/// # Errors
/// The file cannot be written.
pub(super) fn save(results: &Results, path: &Path) -> Result<()> {
    let text = serde_json::to_string(results)? + "\n";
    std::fs::write(path, text).with_context(|| path.display().to_string())
}

/// Writes the page, the measurements and the plots.
///
/// # Errors
/// A file cannot be written, or a plot not be drawn.
pub(super) fn write(results: &Results) -> Result<()> {
    ensure!(!results.outcomes.is_empty(), "nothing was measured");
    std::fs::create_dir_all(folder()).context("docs/results")?;
    save(results, &json())?;
    let mut page = String::from(
        "# rtm\n\nGenerated by `./x bench rtm --document`; do not edit. What is measured, and how: \
         [bench/rtm](../../bench/rtm/README.md). Chip: rtl-pmp with caches of 64 KiB, RAM of one \
         cycle a word, nominal clock 20 MHz, ticks of 1 ms; the task manager is that of the \
         paper's reference architecture, 64 records.",
    );
    let arrivals = results.outcomes.iter().map(|outcome| outcome.case.arrivals);
    let _ = write!(
        page,
        " Each run has {} arrivals.\n\n",
        arrivals.min().unwrap_or_default()
    );
    page += &text(results);
    page += "\n## Figures of the paper\n";
    for comparison in results.comparisons() {
        let pairs = results.pairs(comparison);
        let name = format!("{SUITE}-{}-shares.svg", comparison.name());
        let title = format!("{}: time of the operating system", comparison.title());
        let plot = shares(comparison.kernel, &title, &pairs)?;
        std::fs::write(folder().join(&name), plot)?;
        let _ = write!(page, "\n![{title}]({name})\n");
        let name = format!("{SUITE}-{}-responses.svg", comparison.name());
        let title = format!("{}: responses, ADPCM decode", comparison.title());
        std::fs::write(folder().join(&name), responses(&title, &pairs)?)?;
        let _ = write!(page, "\n![{title}]({name})\n");
    }
    if !results.sweep.is_empty() {
        let name = format!("{SUITE}-break-even.svg");
        let title = "Giornata: calls against n, medians";
        std::fs::write(folder().join(&name), growth(title, &results.sweep)?)?;
        let _ = write!(page, "\n## Break-even against n\n\n![{title}]({name})\n");
    }
    std::fs::write(folder().join(format!("{SUITE}.md")), page)?;
    Ok(())
}

/// The paper's figure 4: shares by function against load, means over the workloads.
fn shares(kernel: Kernel, title: &str, pairs: &[Pair<'_>]) -> Result<String> {
    let categories: Vec<Category> = kernel.published().iter().map(|p| p.category).collect();
    let parts: Vec<&str> = categories
        .iter()
        .map(|&category| kernel.category(category))
        .collect();
    let mut bars = Vec::new();
    for step in 0..STEPS {
        let of_step = || pairs.iter().filter(|pair| pair.without.case.step == step);
        if of_step().next().is_none() {
            continue;
        }
        let load = mean_share(of_step().map(|pair| pair.without), |account| {
            account.spent(Category::Application)
        });
        let bar = |name: &str, with: bool| {
            let outcomes = || of_step().map(|p| if with { p.with } else { p.without });
            let part = |category: &Category| {
                mean_share(outcomes(), |account| account.spent(*category)) as f64 / 1000.0
            };
            Bar {
                name: name.into(),
                parts: categories.iter().map(part).collect(),
            }
        };
        bars.push((
            format!("load {} %", (load + 500) / 1000),
            [bar("without", false), bar("with", true)],
        ));
    }
    drawing::bars(title, "% of the processor", &parts, &bars)
}

/// Its figure 5: how likely which response is, against load; of one workload.
fn responses(title: &str, pairs: &[Pair<'_>]) -> Result<String> {
    let of_decode = pairs
        .iter()
        .filter(|pair| pair.without.case.workload == Workload::AdpcmDecode);
    let mut groups = Vec::new();
    for pair in of_decode {
        let name = format!("{} channels", pair.without.case.channels());
        let circles = [pair.without, pair.with].map(|outcome| circles(&outcome.account.responses));
        groups.push((name, circles));
    }
    drawing::distributions(title, "cycles from the event to its answer", &groups)
}

/// Medians against n, of each operation without and with the task manager.
fn growth(title: &str, steps: &[Step]) -> Result<String> {
    let lines = Operation::ALL.map(|operation| {
        let mine = steps.iter().filter(|step| step.operation == operation);
        let mine: Vec<&Step> = mine.collect();
        let of = |figure: fn(&Step) -> u64| mine.iter().map(|s| (s.n, figure(s))).collect();
        Line {
            name: operation.name(),
            points: [of(|step| step.without.median), of(|step| step.with.median)],
        }
    });
    drawing::lines(title, "cycles", &lines)
}

/// Responses that differ by less than this many parts of the longest are one circle.
const CIRCLES: u64 = 60;

fn circles(responses: &[u64]) -> Vec<Circle> {
    let longest = responses.iter().max().copied().unwrap_or_default();
    let width = longest / CIRCLES + 1;
    let mut circles: Vec<Circle> = Vec::new();
    let mut sorted = responses.to_vec();
    sorted.sort_unstable();
    for response in sorted {
        let middle = response / width * width + width / 2;
        let part = 1.0 / responses.len() as f64;
        match circles.last_mut() {
            Some(last) if last.height == middle => last.probability += part,
            _ => circles.push(Circle {
                height: middle,
                probability: part,
            }),
        }
    }
    circles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_that_of_the_second_against_the_first() {
        assert_eq!(change(200, 50), "-75");
        assert_eq!(change(200, 250), "+25");
        assert_eq!(change(0, 7), "-");
    }

    #[test]
    fn circles_share_a_probability_of_one() {
        let circles = circles(&[100, 100, 101, 5000]);
        assert_eq!(circles.len(), 2);
        assert!((circles.iter().map(|c| c.probability).sum::<f64>() - 1.0).abs() < 1e-9);
        assert!((circles[0].probability - 0.75).abs() < 1e-9);
        assert!(circles[1].height.abs_diff(5000) <= 5000 / CIRCLES + 1);
    }
}

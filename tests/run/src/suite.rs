//! Target suites: systems under tests/target, and examples that are a test too,
//! that run in QEMU, and whose transcripts are compared with golden files beside
//! them, on every board whatever board their files name.
//!
//! `tests/target/GROUP/NAME.toml` is a system, `NAME.golden` its transcript
//! (see `giornata_trace::transcript`), `NAME.verdict` what its run comes to if that is
//! not `ok` (on some boards: as lines of golden files are), and behind that line what its
//! reasons say. A group may state bounds on what its
//! systems do to the programs of one of them, in `GROUP/bounds`:
//!
//! ```toml
//! baseline = "quiet"        # the system without a disturber
//! shift-ticks = 40          # how much later or earlier things may happen
//! ```
//! In every other system of the group the programs that the baseline has must
//! give the same port trace, and their physical trace may shift by no more
//! than the bound. `GROUP/soak` has long forms of the group's systems, without golden
//! files: they must stop with status 0, within the same bounds.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use giornata_abi::Duration;
use giornata_symbols::Symbols;
use giornata_system::NameMap;
use giornata_system::image::{BuildOptions, Memory};
use giornata_trace::{
    Event, PortValue, Stamp, first_difference, physical_trace, port_trace, transcript_with,
    worst_shift,
};
use serde::Deserialize;

use crate::crates::{BOARDS, CHIPS, root};
use crate::{Extent, workers};
use giornata_launch::flight::Conclusion;
use giornata_launch::golden::{Golden, Saying};
use giornata_launch::image::build_as;
use giornata_launch::transcript::{self, record};

/// What writes golden files.
pub(crate) const BLESS: &str = "./x test target --bless";
/// Virtual time after which a suite that does not stop by itself is stopped.
const LONGEST: Duration = Duration::from_millis(2000);
/// Cases that sleep for longer, and nearly all of the time.
const LONG: [(&str, Duration); 1] = [("interrupts/long", Duration::from_millis(1_000_000))];

/// Virtual time after which a long form is stopped.
const SOAK: Duration = Duration::from_millis(30_000);

/// Cases, or groups of them, that show what depends on the width of words, on how memory is
/// protected or on what a board has for interrupts and faults: they run on every board. The
/// others run on the first only, but in the long form, where golden files are written, and
/// where cases or a board are asked for.
const EVERYWHERE: [&str; 14] = [
    "c/shared",
    "calls/",
    "faults/",
    "hostile/",
    "interrupts/",
    "kills/",
    "objects/ends",
    "posix-pump/",
    "posix/language",
    "posix/shared",
    "posix/sweep",
    "services/regions",
    "streams/",
    "threads/priority",
];

/// The cases that run on simulated chips too: those without QEMU's devices and without
/// budgets that are too small for their clock.
const SHORT: [&str; 3] = ["emeralds-tour/", "hostile/devices", "threads/"];

/// The board with the task manager, which runs all others in the long form too.
const MANAGED: &str = "rtl-rtm";
/// The same chip without it.
const WITHOUT: &str = "rtl-pmp";

/// Cases, or groups of them, that chips cannot run, and why.
const NOT_ON_CHIPS: [(&str, &str); 24] = [
    ("c/clock", "no real-time clock"),
    ("c/interrupted", "no real-time clock"),
    ("hostile/control-pages", "budgets too small for its clock"),
    ("hostile/filters", "budgets too small for its clock"),
    ("interrupts/clock", "no real-time clock"),
    ("interrupts/fault", "no real-time clock"),
    ("interrupts/handlers", "no real-time clock"),
    (
        "interrupts/long",
        "a thousand seconds, each a hundred million cycles",
    ),
    ("interrupts/serial", "no interrupt controller"),
    ("interrupts/storm", "too little memory"),
    ("interrupts/throttle", "too little memory"),
    ("kills/short", "budgets too small for its clock"),
    ("modules/harmed", "too little memory"),
    ("modules/live", "too little memory"),
    ("modules/quiet", "windows too small for its clock"),
    (
        "posix/accounting",
        "looks at its clock take longer than it allows",
    ),
    ("posix/options", "no real-time clock"),
    ("posix/programs", "more work than its clock has time for"),
    (
        "posix/standard",
        "looks at its clock take longer than it allows",
    ),
    ("posix/types", "more work than its clock has time for"),
    ("posix/waits", "more work than its clock has time for"),
    ("slots/", "slots too short for its clock"),
    ("upcalls/jobs", "more work than its clock has time for"),
    ("upcalls/upcalls", "budgets too small for its clock"),
];

/// Cases, or groups of them, that say something else on chips, and why. They have to say the
/// same with the task manager as without.
const OTHERWISE_ON_CHIPS: [(&str, &str); 12] = [
    ("c/changed", "a change comes between other pieces of a call"),
    ("c/private", "counts instructions"),
    ("calls/calls", "a sweep takes more than its budget"),
    ("faults/", "other instructions and stacks fault"),
    ("hostile/attacks", "no floating-point unit"),
    ("hostile/registers", "no floating-point unit"),
    ("hostile/secrets", "no floating-point unit"),
    ("posix/language", "times of the processor"),
    ("posix/sweep", "a store that is misaligned faults"),
    ("services/regions", "which of two threads comes first"),
    ("services/timers", "handlers that are late"),
    ("verdict/held", "instants"),
];

/// Groups whose transcripts tell where in the source a fault was.
const PLACES: [&str; 1] = ["faults/"];

/// Folders of systems beside those under tests/target.
const EXAMPLES: [&str; 2] = ["examples/emeralds-tour", "examples/posix-pump"];

/// A system of a suite.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// `GROUP/NAME`.
    pub(crate) name: String,
    file: PathBuf,
}

/// A case that has run.
pub(crate) struct Outcome {
    pub(crate) case: Case,
    pub(crate) board: &'static str,
    events: Vec<Event>,
    names: NameMap,
    symbols: Symbols,
    /// Of the machine when it stopped.
    status: i32,
    /// What the run came to.
    pub(crate) conclusion: Conclusion,
}

/// Bounds of a group.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Bounds {
    baseline: String,
    shift_ticks: u64,
}

/// What a suite has found: notes on what holds, complaints about what does not.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) cases: usize,
    pub(crate) notes: Vec<String>,
    pub(crate) complaints: Vec<String>,
}

/// All cases, in the order of their names, those of examples last.
pub(crate) fn cases() -> Result<Vec<Case>> {
    let mut groups = list(&root().join("tests/target"))?;
    groups.retain(|group| group.is_dir());
    groups.extend(EXAMPLES.map(|example| root().join(example)));
    let mut cases = Vec::new();
    for group in groups {
        cases.extend(cases_in(&group)?);
    }
    Ok(cases)
}

/// The cases of a folder.
fn cases_in(folder: &Path) -> Result<Vec<Case>> {
    let files = list(folder)?.into_iter();
    Ok(files.filter_map(|file| case(folder, file)).collect())
}

fn list(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn case(group: &Path, file: PathBuf) -> Option<Case> {
    let stem = file.file_name()?.to_str()?.strip_suffix(".toml")?;
    let group = group.file_name()?.to_str()?;
    let name = format!("{group}/{stem}");
    (stem != "Cargo").then_some(Case { name, file })
}

/// Runs the cases that chips can run. Of the bounds only the port traces are
/// compared: the physical ones are for the clock of QEMU.
pub(crate) fn run_short(extent: &Extent) -> Result<Findings> {
    let mut findings = Findings::default();
    let memory = Memory::default();
    let cases = cases()?;
    let is_short = |case: &Case| SHORT.iter().any(|short| case.name.starts_with(short));
    let is_possible = |case: &Case| reason(&NOT_ON_CHIPS, case).is_none();
    let runs = CHIPS
        .iter()
        .flat_map(|board| cases.iter().map(|case| (*board, case)))
        .filter(|(board, case)| extent.has(&case.name, board))
        .filter(|(board, case)| {
            is_short(case) || *board == MANAGED && extent.full && is_possible(case)
        });
    let runs: Vec<(&str, &Case)> = runs.collect();
    let flown = workers::each(&runs, |(board, case)| {
        let outcome = fly_case(case, board, &memory)?;
        let judged = match reason(&OTHERWISE_ON_CHIPS, case) {
            Some(_) if *board == MANAGED => {
                compare_with(&fly_case(case, WITHOUT, &memory)?, &outcome)
            }
            _ => judge(&outcome),
        };
        Ok((outcome, judged))
    });
    let mut outcomes = Vec::new();
    for ((board, case), flown) in runs.iter().zip(flown) {
        findings.cases += 1;
        let judged = flown.and_then(|(outcome, judged)| {
            outcomes.push(outcome);
            judged
        });
        if let Err(complaint) = judged {
            findings.complain(board, &case.name, &complaint);
        }
    }
    check_ports(&outcomes, &memory, &mut findings)?;
    if extent.full && extent.cases.is_empty() {
        for (case, reason) in NOT_ON_CHIPS {
            findings
                .notes
                .push(format!("{MANAGED}: not {case}: {reason}"));
        }
    }
    Ok(findings)
}

/// What a list says of a case.
pub(crate) fn reason(list: &[(&str, &'static str)], case: &Case) -> Option<&'static str> {
    let found = list.iter().find(|(name, _)| case.name.starts_with(name));
    found.map(|(_, reason)| *reason)
}

/// A run says, and comes to, what another one does; where in the source faults were may differ,
/// because stacks have other places.
fn compare_with(other: &Outcome, outcome: &Outcome) -> Result<()> {
    let (expected, said) = (other.lines(false), outcome.lines(false));
    if let Some(at) = first_difference(&expected, &said) {
        bail!(
            "line {} is not as on {}\n  expected: {:?}\n  found:    {:?}",
            at + 1,
            other.board,
            expected.get(at),
            said.get(at)
        );
    }
    let (word, expected) = (&outcome.conclusion.word, &other.conclusion.word);
    if word != expected {
        bail!("the run is `{word}`, on {} `{expected}`", other.board);
    }
    Ok(())
}

/// Runs the cases on all boards of QEMU; where golden files are to be written
/// anew, that is done instead of comparing.
pub(crate) fn run(extent: &Extent) -> Result<Findings> {
    let bless = extent.bless;
    let memory = Memory::default();
    let bounded = groups_with_bounds()?;
    let cases = cases()?;
    // (of a case at once what runs on all boards: two of them share their processes)
    let all = cases
        .iter()
        .flat_map(|case| BOARDS.map(|board| (case, board)));
    let runs = all.filter(|(case, board)| {
        let is_for_all = EVERYWHERE.iter().any(|name| case.name.starts_with(name));
        let is_wanted = extent.full || bless || extent.is_chosen();
        let is_due = *board == BOARDS[0] || is_wanted || is_for_all;
        is_due && extent.has(&case.name, board)
    });
    let runs: Vec<(&Case, &str)> = runs.collect();
    let flown = workers::each(&runs, |(case, board)| {
        let outcome = fly_case(case, board, &memory)?;
        let judged = match bless {
            true => Ok(()),
            false => judge(&outcome),
        };
        let saying = bless.then(|| outcome.saying());
        let is_bounded = bounded.iter().any(|group| outcome.is_in(group));
        Ok((judged, saying, is_bounded.then_some(outcome)))
    });
    let mut findings = Findings::default();
    let mut sayings: BTreeMap<PathBuf, Vec<Saying>> = BTreeMap::new();
    let mut outcomes = Vec::new();
    for ((case, board), flown) in runs.into_iter().zip(flown) {
        findings.cases += 1;
        let judged = flown.and_then(|(judged, saying, outcome)| {
            outcomes.extend(outcome);
            if let Some(saying) = saying {
                sayings.entry(case.golden()).or_default().push(saying);
            }
            judged
        });
        if let Err(complaint) = judged {
            findings.complain(board, &case.name, &complaint);
        }
    }
    check_groups(&bounded, &outcomes, &mut findings)?;
    for (golden, sayings) in sayings {
        std::fs::write(&golden, Golden::of(&sayings).to_text())
            .with_context(|| golden.display().to_string())?;
    }
    Ok(findings)
}

/// Lines of the end of a long form that are shown.
const LAST: usize = 6;

/// Runs the long forms on all boards of QEMU: each stops with status 0, within the
/// bounds of its group, if that has any. What each said last is noted.
pub(crate) fn soak() -> Result<Findings> {
    let memory = Memory::default();
    let mut cases = Vec::new();
    for group in list(&root().join("tests/target"))? {
        let folder = group.join("soak");
        if folder.is_dir() {
            cases.extend(cases_in(&folder)?);
        }
    }
    let runs = cases
        .iter()
        .flat_map(|case| BOARDS.map(|board| (case, board)));
    let runs: Vec<(&Case, &str)> = runs.collect();
    let flown = workers::each(&runs, |(case, board)| {
        fly_case_for(case, board, SOAK, &memory)
    });
    let mut findings = Findings::default();
    let mut outcomes = Vec::new();
    for ((case, board), flown) in runs.into_iter().zip(flown) {
        findings.cases += 1;
        match flown {
            Ok(outcome) => {
                let said = outcome.saying().lines;
                let last = said[said.len().saturating_sub(LAST)..].join("\n");
                findings
                    .notes
                    .push(format!("{board}, {}:\n{last}", case.name));
                if outcome.status != 0 {
                    let complaint = anyhow!("stopped with status {}", outcome.status);
                    findings.complain(board, &case.name, &complaint);
                }
                outcomes.push(outcome);
            }
            Err(error) => findings.complain(board, &case.name, &error),
        }
    }
    check_groups(&groups_with_bounds()?, &outcomes, &mut findings)?;
    Ok(findings)
}

/// Compares what a group's members did on each board with its baseline there, where any ran.
fn check_groups(groups: &[PathBuf], outcomes: &[Outcome], findings: &mut Findings) -> Result<()> {
    for group in groups {
        let bounds = bounds_of(group)?;
        for board in BOARDS {
            let members = members(group, outcomes).filter(|outcome| outcome.board == board);
            let members: Vec<&Outcome> = members.collect();
            // of cases that were asked for by name, a group may have none
            if !members.is_empty() {
                check_group(&bounds, &members, findings);
            }
        }
    }
    Ok(())
}

pub(crate) fn fly_case(case: &Case, board: &'static str, memory: &Memory) -> Result<Outcome> {
    fly_case_for(case, board, case.longest(), memory)
}

fn fly_case_for(
    case: &Case,
    board: &'static str,
    longest: Duration,
    memory: &Memory,
) -> Result<Outcome> {
    let options = BuildOptions {
        stop_at: longest.0,
        memory: memory.clone(),
        ..BuildOptions::new(&case.file, root())
    };
    let image = build_as(options.on(board))?;
    let (events, landing) = record(&image, longest)?;
    let lost = landing.damage.lost;
    if lost > 0 && !case.may_lose(board)? {
        bail!("{lost} trace records were lost; give the system a larger ring");
    }
    Ok(Outcome {
        case: case.clone(),
        board,
        events,
        names: image.names,
        status: landing.status,
        conclusion: landing.conclude(&image.symbols),
        symbols: image.symbols,
    })
}

impl Case {
    /// What it should say.
    pub(crate) fn golden(&self) -> PathBuf {
        transcript::beside(&self.file)
    }

    /// What its run on a board should come to: the word of the closing line, then parts of
    /// its reasons; `ok` if it is empty.
    pub(crate) fn verdict(&self, board: &str) -> Result<Vec<String>> {
        let file = self.file.with_extension("verdict");
        if !file.is_file() {
            return Ok(Vec::new());
        }
        let text = std::fs::read_to_string(&file);
        let words = Golden::parse(&text.with_context(|| file.display().to_string())?);
        Ok(words.on(board).iter().map(ToString::to_string).collect())
    }

    /// Whether it does more than a trace ring holds, and tells what came of it in its last
    /// lines: its verdict is to be `unknown`.
    fn may_lose(&self, board: &str) -> Result<bool> {
        Ok(self
            .verdict(board)?
            .first()
            .is_some_and(|word| word == "unknown"))
    }

    /// Virtual time after which it is stopped.
    fn longest(&self) -> Duration {
        let long = LONG.iter().find(|(name, _)| *name == self.name);
        long.map_or(LONGEST, |(_, longest)| *longest)
    }
}

impl Outcome {
    fn is_in(&self, group: &Path) -> bool {
        self.case.file.starts_with(group)
    }

    pub(crate) fn saying(&self) -> Saying {
        let places = PLACES.iter().any(|group| self.case.name.starts_with(group));
        Saying {
            board: self.board.to_string(),
            lines: self.lines(places),
        }
    }

    /// What it said, with the places of faults or without.
    fn lines(&self, places: bool) -> Vec<String> {
        transcript_with(&self.events, &self.names, Some(&self.symbols), places)
    }
}

impl Findings {
    pub(crate) fn complain(&mut self, board: &str, case: &str, complaint: &anyhow::Error) {
        self.complaints
            .push(format!("{board}: {case}: {complaint:#}"));
    }
}

fn judge(outcome: &Outcome) -> Result<()> {
    let golden = outcome.case.golden();
    let expected = transcript::read(&golden, BLESS)?;
    let said = outcome.saying().lines;
    let said: Vec<&str> = said.iter().map(String::as_str).collect();
    transcript::compare(&Golden::parse(&expected).on(outcome.board), &said, BLESS)?;
    judge_run(&outcome.conclusion, &outcome.case.verdict(outcome.board)?)
}

/// The run came to what it should: `ok`, or what `NAME.verdict` says.
pub(crate) fn judge_run(conclusion: &Conclusion, expected: &[String]) -> Result<()> {
    let said = conclusion.reasons.join("\n");
    let (word, parts) = match expected {
        [word, parts @ ..] => (word.as_str(), parts),
        [] => ("ok", &[][..]),
    };
    if conclusion.word != word {
        bail!(
            "the run should be `{word}`, and is `{}`\n{said}",
            conclusion.word
        );
    }
    match parts.iter().find(|part| !said.contains(part.as_str())) {
        Some(part) => bail!("none of its reasons says `{part}`\n{said}"),
        None => Ok(()),
    }
}

/// Compares the port traces of chips with that of the group's baseline on the first
/// board of QEMU: values and logical instants do not depend on the machine.
fn check_ports(outcomes: &[Outcome], memory: &Memory, findings: &mut Findings) -> Result<()> {
    for group in groups_with_bounds()? {
        let members: Vec<&Outcome> = members(&group, outcomes).collect();
        if members.is_empty() {
            continue;
        }
        let file = group
            .join(bounds_of(&group)?.baseline)
            .with_extension("toml");
        let baseline = case(&group, file).context("a baseline is a system file")?;
        let baseline = fly_case(&baseline, BOARDS[0], memory)?;
        for member in members {
            if let Err(error) = compare_ports(&baseline, member) {
                findings.complain(member.board, &member.case.name, &error);
            }
        }
    }
    Ok(())
}

fn groups_with_bounds() -> Result<Vec<PathBuf>> {
    let mut groups = list(&root().join("tests/target"))?;
    groups.retain(|group| group.join("bounds").is_file());
    Ok(groups)
}

fn members<'a>(group: &Path, outcomes: &'a [Outcome]) -> impl Iterator<Item = &'a Outcome> {
    outcomes.iter().filter(|outcome| outcome.is_in(group))
}

fn bounds_of(group: &Path) -> Result<Bounds> {
    let file = group.join("bounds");
    let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    toml::from_str(&text).with_context(|| file.display().to_string())
}

fn check_group(bounds: &Bounds, members: &[&Outcome], findings: &mut Findings) {
    let stem = |outcome: &Outcome| {
        outcome
            .case
            .file
            .file_stem()
            .is_some_and(|stem| *stem == *bounds.baseline)
    };
    let Some(baseline) = members.iter().find(|member| stem(member)) else {
        findings
            .complaints
            .push(format!("the baseline `{}` has not run", bounds.baseline));
        return;
    };
    let most = bounds.shift_ticks;
    let mut worst = 0;
    for member in members
        .iter()
        .filter(|member| member.case.name != baseline.case.name)
    {
        match shift(baseline, member) {
            Ok(ticks) if ticks <= most => worst = worst.max(ticks),
            Ok(ticks) => {
                let complaint = anyhow!("shifts the others by {ticks} ticks, {most} allowed");
                findings.complain(member.board, &member.case.name, &complaint);
            }
            Err(error) => findings.complain(member.board, &member.case.name, &error),
        }
    }
    findings.notes.push(format!(
        "{}: {}: port traces unchanged, physical shift at most {worst} of {most} ticks",
        baseline.board, baseline.case.name
    ));
}

/// By how many ticks the programs of the baseline shift in another system that
/// holds them.
fn shift(baseline: &Outcome, other: &Outcome) -> Result<u64> {
    compare_ports(baseline, other)?;
    let programs = program_prefixes(baseline);
    let stamps = |outcome: &Outcome| {
        physical_trace(&outcome.events, &outcome.names, |name| {
            is_of(name, &programs)
        })
    };
    let (quiet, disturbed) = (stamps(baseline), stamps(other));
    let common = quiet.len().min(disturbed.len());
    let ticks = worst_shift(&quiet[..common], &disturbed[..common])
        .map_err(|at| describe_difference(&quiet, &disturbed, at))?;
    Ok(ticks.0)
}

/// The programs of the baseline give the same port trace in another system that
/// holds them.
fn compare_ports(baseline: &Outcome, other: &Outcome) -> Result<()> {
    let programs = program_prefixes(baseline);
    let ports = |outcome: &Outcome| -> Vec<PortValue> {
        port_trace(&outcome.events, &outcome.names)
            .into_iter()
            .filter(|value| is_of(&value.port, &programs))
            .collect()
    };
    let (mut quiet, mut disturbed) = (ports(baseline), ports(other));
    cut(&mut quiet, &mut disturbed, |value| value.at.0)?;
    if let Some(at) = first_difference(&quiet, &disturbed) {
        bail!(
            "its port trace differs at entry {at}: {:?} became {:?}",
            quiet.get(at),
            disturbed.get(at)
        );
    }
    Ok(())
}

/// What the names of ports and tasks of a system's programs begin with.
fn program_prefixes(outcome: &Outcome) -> Vec<String> {
    let programs = outcome.names.programs.iter();
    programs.map(|p| format!("{}.", p.name)).collect()
}

fn is_of(name: &str, programs: &[String]) -> bool {
    programs.iter().any(|program| name.starts_with(program))
}

fn describe_difference(quiet: &[Stamp], disturbed: &[Stamp], at: usize) -> anyhow::Error {
    anyhow!(
        "its physical trace differs at entry {at}: {:?} became {:?}",
        quiet.get(at),
        disturbed.get(at)
    )
}

/// Cuts two traces to the time that both cover, since a system may stop itself
/// earlier than another.
fn cut<T>(a: &mut Vec<T>, b: &mut Vec<T>, instant: impl Fn(&T) -> u64) -> Result<()> {
    let (Some(a_end), Some(b_end)) = (a.last().map(&instant), b.last().map(&instant)) else {
        bail!("one of the port traces is empty");
    };
    let end = a_end.min(b_end);
    a.retain(|entry| instant(entry) < end);
    b.retain(|entry| instant(entry) < end);
    if a.is_empty() {
        bail!("the port traces have no time in common");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_are_compared_over_the_time_that_both_cover() {
        let (mut a, mut b) = (vec![1, 2, 3, 3], vec![1, 2, 3, 4, 5]);
        cut(&mut a, &mut b, |instant| *instant).unwrap();
        assert_eq!((a, b), (vec![1, 2], vec![1, 2]));
        assert!(cut(&mut vec![], &mut vec![1], |instant| *instant).is_err());
    }

    /// What a golden file or a verdict says of single boards is no news on the first alone.
    #[test]
    fn what_differs_between_boards_runs_on_all_of_them() {
        for case in cases().unwrap() {
            let files = [case.golden(), case.file.with_extension("verdict")];
            let texts = files
                .iter()
                .filter_map(|file| std::fs::read_to_string(file).ok());
            let differs = texts
                .into_iter()
                .any(|text| text.lines().any(|line| line.starts_with('@')));
            let is_for_all = EVERYWHERE.iter().any(|name| case.name.starts_with(name));
            assert!(is_for_all || !differs, "{}", case.name);
        }
    }

    #[test]
    fn lists_name_cases_that_there_are() {
        let cases = cases().unwrap();
        let lists = [&NOT_ON_CHIPS[..], &OTHERWISE_ON_CHIPS];
        let reasons = lists.into_iter().flatten().map(|(name, _)| *name);
        for name in reasons.chain(EVERYWHERE).chain(SHORT) {
            assert!(
                cases.iter().any(|case| case.name.starts_with(name)),
                "{name}"
            );
        }
    }
}

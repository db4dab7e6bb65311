//! `giornata test [SYSTEM] [--bless]`

mod host;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use giornata_abi::Duration;
use giornata_launch::golden::{Golden, Saying};
use giornata_launch::{Verdict as Flown, image, project, time, transcript};
use serde_json::{Value, json};

use crate::arguments::Test;
use crate::report::{Report, Verdict};
use crate::run::{refuse, system};

/// Virtual time of a run, if nobody says otherwise.
const LENGTH: Duration = Duration::from_millis(10_000);
/// What writes transcripts.
const BLESS: &str = "giornata test --bless";

/// Runs what a project has to be tested by; negative if some of it fails.
pub(crate) fn run(arguments: &Test, report: &mut Report) -> Verdict {
    let found = system(arguments.system.as_deref());
    let tested = found.and_then(|system| test(arguments, &system, report));
    match tested {
        Ok(verdict) => verdict,
        Err(why) => refuse(report, &why),
    }
}

fn test(arguments: &Test, system: &Path, report: &mut Report) -> Result<Verdict> {
    let folder = project::folder(system);
    // of a file that is named, that file only
    let is_whole = arguments.system.as_deref().is_none_or(Path::is_dir);
    let mut outcomes = match is_whole {
        true => host::test(system, report)?,
        false => Vec::new(),
    };
    let systems = match is_whole {
        true => with_transcripts(&folder, system, arguments.bless)?,
        false => vec![system.to_path_buf()],
    };
    for system in &systems {
        outcomes.push(fly(arguments, system, report)?);
    }
    let good = |outcome: &&Outcome| outcome.verdict == Verdict::Good;
    let verdict = match outcomes.iter().find(|outcome| !good(outcome)) {
        Some(_) => Verdict::Negative,
        None => Verdict::Good,
    };
    let passed = outcomes.iter().filter(good).count();
    let failed = outcomes.len() - passed;
    let tail = match (failed, outcomes.len()) {
        (_, 0) => format!(", there is nothing to test: `{BLESS}` writes a transcript"),
        (0, _) => String::new(),
        _ => format!(", {failed} failed"),
    };
    report.say(format!("{passed} passed{tail}\n"));
    let told: Vec<Value> = outcomes.iter().map(Outcome::json).collect();
    report.tell("tests", told);
    Ok(verdict)
}

/// A test that has run.
pub(crate) struct Outcome {
    pub(crate) name: String,
    pub(crate) verdict: Verdict,
    pub(crate) note: String,
}

impl Outcome {
    /// One that is over, and is told to people at once.
    pub(crate) fn new(report: &Report, name: String, is_good: bool, note: String) -> Outcome {
        let (word, verdict) = match is_good {
            true => ("ok", Verdict::Good),
            false => ("FAILED", Verdict::Negative),
        };
        report.say(format!("{name:<24} {word:<6} {note}\n"));
        Outcome {
            name,
            verdict,
            note,
        }
    }

    fn json(&self) -> Value {
        json!({
            "name": self.name,
            "passed": self.verdict == Verdict::Good,
            "note": self.note,
        })
    }
}

/// The systems of a folder that have a transcript; where they are to be written and there
/// is none, the system that is meant.
fn with_transcripts(folder: &Path, system: &Path, bless: bool) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let files = entries.flatten().map(|entry| entry.path());
    let is_one = |file: &PathBuf| {
        file.extension().is_some_and(|end| end == "toml") && transcript::beside(file).is_file()
    };
    let mut systems: Vec<PathBuf> = files.filter(is_one).collect();
    systems.sort();
    if systems.is_empty() && bless {
        systems.push(system.to_path_buf());
    }
    Ok(systems)
}

/// Runs a system and compares what it says, or takes it.
fn fly(arguments: &Test, system: &Path, report: &Report) -> Result<Outcome> {
    let path = transcript::beside(system);
    let written = fs::read_to_string(&path)
        .ok()
        .map(|text| Golden::parse(&text));
    let stated = written.as_ref().and_then(|golden| golden.length);
    let length = arguments.length.or(stated).unwrap_or(LENGTH);
    let image = image::build(system, arguments.board.as_deref(), length)?;
    let (events, landing) = transcript::record(&image, length)?;
    let said = giornata_trace::transcript_with(&events, &image.names, Some(&image.symbols), false);
    let name = file_name(system);
    let conclusion = landing.conclude(&image.symbols);
    if conclusion.verdict != Flown::Good {
        let reasons = conclusion.reasons.join("\n");
        let note = format!("the run is {}\n{reasons}", conclusion.word);
        return Ok(Outcome::new(report, name, false, note));
    }
    let length = time::text(length);
    if arguments.bless {
        let mut golden = Golden::of(&[Saying {
            board: image.report.board.clone(),
            lines: said,
        }]);
        golden.length = arguments.length.or(stated);
        fs::write(&path, golden.to_text()).with_context(|| path.display().to_string())?;
        let note = format!("{length}, {} is written", file_name(&path));
        return Ok(Outcome::new(report, name, true, note));
    }
    let golden = written.with_context(|| {
        let path = path.display();
        format!("there is no transcript {path} to compare with: `{BLESS}` writes it")
    })?;
    let said: Vec<&str> = said.iter().map(String::as_str).collect();
    let expected = golden.on(&image.report.board);
    let compared = transcript::compare(&expected, &said, BLESS);
    let note = match &compared {
        Ok(()) => format!("{length}, {} lines as in {}", said.len(), file_name(&path)),
        Err(difference) => difference.to_string(),
    };
    Ok(Outcome::new(report, name, compared.is_ok(), note))
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

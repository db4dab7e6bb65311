//! `giornata trace [SYSTEM] [-o OUT]`: of a system that is run for it, or of a machine
//! that runs already.

use std::path::PathBuf;

use anyhow::Result;
use giornata_launch::run::How;
use giornata_launch::{Verdict as Flown, home, project, run as launch, time};
use giornata_system::BuildOptions;

use crate::arguments::{Line, Trace};
use crate::remote;
use crate::report::{Report, Verdict};
use crate::run::{refuse, system, verdict};

/// Virtual time of a run, if nobody says otherwise.
const LENGTH: giornata_abi::Duration = giornata_abi::Duration::from_millis(10_000);

/// Runs a system, or listens to one that runs.
pub(crate) fn run(arguments: &Trace, report: &mut Report) -> Verdict {
    let found = system(arguments.system.as_deref());
    let system = match found {
        Ok(system) => system,
        Err(why) => return refuse(report, &why),
    };
    if let Some(link) = &arguments.link {
        let line = Line {
            link: link.clone(),
            timeout: arguments.timeout.clone(),
        };
        return remote::trace::run(arguments, &system, &line, report);
    }
    match fly(arguments, system) {
        Ok((flown, out)) => {
            let written = out.display();
            report.tell("output", written.to_string());
            let place = match is_drawing(&out) {
                true => ": open it at https://ui.perfetto.dev",
                false => "",
            };
            report.say(format!("{written}{place}\n"));
            verdict(flown)
        }
        Err(why) => refuse(report, &why),
    }
}

/// Whether a file is for Perfetto, and not a recording.
fn is_drawing(out: &std::path::Path) -> bool {
    out.extension().is_none_or(|end| end == "json")
}

/// Runs a system; where its trace has been written.
fn fly(arguments: &Trace, system: PathBuf) -> Result<(Flown, PathBuf)> {
    let length = match &arguments.length {
        Some(text) => time::parse(text).map_err(anyhow::Error::msg)?,
        None => LENGTH,
    };
    let title = project::title(&system);
    let out = match &arguments.output {
        Some(out) => out.clone(),
        None => {
            let folder = BuildOptions::new(&system, home::root()).out_dir;
            folder.join(format!("{}.trace.json", project::title(&system)))
        }
    };
    let mut how = How {
        board: arguments.board.clone(),
        ..How::plain(length)
    };
    how.headless = false;
    match is_drawing(&out) {
        true => how.trace = Some(out.clone()),
        false => how.record = Some(out.clone()),
    }
    Ok((launch::run(&title, &system, &how)?, out))
}

//! `giornata build` and `giornata run`.

use std::path::{Path, PathBuf};

use anyhow::Result;
use giornata_launch::{debug, home, image, project, run as launch};

use crate::arguments::{Build, Run};
use crate::report::{Report, Verdict};

pub(crate) fn build(arguments: &Build, report: &mut Report) -> Verdict {
    let built = system(arguments.system.as_deref()).and_then(|system| {
        let length = giornata_abi::Duration::from_millis(0);
        image::build(&system, arguments.board.as_deref(), length)
    });
    match built {
        Ok(image) => {
            report.say(format!(
                "{}\nimage: {}\n",
                image.report,
                image.elf.display()
            ));
            report.tell("image", image.elf.display().to_string());
            Verdict::Good
        }
        Err(why) => refuse(report, &why),
    }
}

pub(crate) fn run(arguments: &Run, report: &mut Report) -> Verdict {
    let found = match (&arguments.system, &arguments.default) {
        (None, Some(default)) => system(None).or_else(|_| system(Some(default))),
        (named, _) => system(named.as_deref()),
    };
    let ran = found.and_then(|system| {
        let title = project::title(&system);
        match arguments.gdb {
            true => debug::run(&title, &system, &(&arguments.how).into()),
            false if report.is_json() => {
                let ran = launch::report(&title, &system, &arguments.how)?;
                report.tell_all(&ran);
                Ok(ran.verdict)
            }
            false => launch::run(&title, &system, &arguments.how),
        }
    });
    match ran {
        Ok(flown) => verdict(flown),
        Err(why) => refuse(report, &why),
    }
}

/// A run's verdict as a command's.
pub(crate) fn verdict(flown: giornata_launch::Verdict) -> Verdict {
    match flown {
        giornata_launch::Verdict::Good => Verdict::Good,
        giornata_launch::Verdict::Negative => Verdict::Negative,
        giornata_launch::Verdict::Unknown => Verdict::Unknown,
    }
}

/// The system that is meant; giornata's own home is there to build it.
pub(crate) fn system(word: Option<&Path>) -> Result<PathBuf> {
    home::check()?;
    project::find(word)
}

pub(crate) fn refuse(report: &mut Report, why: &anyhow::Error) -> Verdict {
    report.diagnose_report(&miette::miette!("{why:#}"));
    Verdict::BadInput
}

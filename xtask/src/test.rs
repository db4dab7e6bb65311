//! `./x test`: everything that continuous integration runs, one line a stage.

use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;

use crate::Verdict;
use crate::stage::{self, Stage};

/// `./x test [STAGE...] [--full] [--bless]`
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Options {
    /// Only these stages; `--list` names them.
    stages: Vec<String>,
    /// Long forms: Miri and the property tests with their full counts.
    #[arg(long)]
    full: bool,
    /// Write golden files of the target suites, and the budget of stage `bench`, anew.
    #[arg(long)]
    bless: bool,
    /// Name the stages.
    #[arg(long)]
    list: bool,
}

/// What a stage may look at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    /// Long forms.
    pub(crate) full: bool,
    /// Golden files and the budget of operations are written anew.
    pub(crate) bless: bool,
}

impl Options {
    /// All stages in their long forms.
    pub(crate) fn full() -> Options {
        Options {
            full: true,
            ..Options::default()
        }
    }
}

/// Runs the stages; negative if one failed.
pub(crate) fn run(options: &Options) -> Result<Verdict> {
    if options.list {
        stage::ALL
            .iter()
            .for_each(|stage| println!("{:<10} {}", stage.name, stage.what));
        return Ok(Verdict::Good);
    }
    let chosen = choose(&options.stages)?;
    let extent = Extent {
        full: options.full,
        bless: options.bless,
    };
    let failed = chosen.iter().filter(|stage| !passes(stage, extent)).count();
    println!("{} passed, {failed} failed", chosen.len() - failed);
    Ok(if failed == 0 {
        Verdict::Good
    } else {
        Verdict::Negative
    })
}

fn choose(names: &[String]) -> Result<Vec<&'static Stage>> {
    if names.is_empty() {
        return Ok(stage::ALL.iter().collect());
    }
    let find = |name: &String| {
        let Some(stage) = stage::ALL.iter().find(|stage| stage.name == name) else {
            bail!("there is no stage `{name}`; `./x test --list` names them");
        };
        Ok(stage)
    };
    names.iter().map(find).collect()
}

fn passes(stage: &Stage, extent: Extent) -> bool {
    let start = Instant::now();
    let result = (stage.run)(extent);
    let seconds = start.elapsed().as_secs_f32();
    let (word, text) = match &result {
        Ok(note) => ("ok", note.clone()),
        Err(error) => (
            "FAILED",
            stage.what.to_string() + "\n" + &format!("{error:#}"),
        ),
    };
    println!("{:<10} {word:<6} {seconds:>7.1} s  {text}", stage.name);
    result.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_names_all_stages_run_in_order() {
        let names: Vec<&str> = choose(&[])
            .unwrap()
            .iter()
            .map(|stage| stage.name)
            .collect();
        assert_eq!(names.first(), Some(&"format"));
        assert_eq!(names.len(), stage::ALL.len());
    }

    #[test]
    fn an_unknown_stage_is_refused() {
        assert!(choose(&["format".into(), "no-such-stage".into()]).is_err());
    }
}

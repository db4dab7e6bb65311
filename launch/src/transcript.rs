//! What a system says in a run, compared with what it should say.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use giornata_abi::Duration;
use giornata_trace::{Event, Statistics, first_difference};

use crate::flight::{Landing, Observer, fly};
use crate::image::Image;
use crate::machine::Patience;

/// Where the transcript of a system lies: beside its file, by its name.
pub fn beside(system: &Path) -> PathBuf {
    system.with_extension("golden")
}

/// Runs an image and keeps its events.
///
/// # Errors
/// The machine cannot be started, hangs, or breaks off.
pub fn record(image: &Image, longest: Duration) -> Result<(Vec<Event>, Landing)> {
    let mut recorder = Recorder(Vec::new());
    let landing = fly(image, Patience::of(image, longest), &mut recorder)?;
    Ok((recorder.0, landing))
}

/// The golden transcript that a file holds.
///
/// # Errors
/// It cannot be read; `bless` writes it.
pub fn read(golden: &Path, bless: &str) -> Result<String> {
    std::fs::read_to_string(golden)
        .with_context(|| format!("{} (`{bless}` writes it)", golden.display()))
}

/// That a system has said what was expected; `bless` is the command that takes what it
/// said instead.
///
/// # Errors
/// The first line that differs.
pub fn compare(expected: &[&str], said: &[&str], bless: &str) -> Result<()> {
    let Some(at) = first_difference(expected, said) else {
        return Ok(());
    };
    let line = |lines: &[&str]| {
        let line = lines.get(at).map(|line| format!("`{line}`"));
        line.unwrap_or("(the end)".into())
    };
    bail!(
        "line {} differs from the golden file\n  expected {}\n  said     {}\n(`{bless}` takes what was said)",
        at + 1,
        line(expected),
        line(said)
    )
}

/// Keeps all events.
struct Recorder(Vec<Event>);

impl Observer for Recorder {
    fn see(&mut self, event: &Event, _: &Statistics) -> Result<()> {
        self.0.push(event.clone());
        Ok(())
    }

    fn pause(&mut self, _: &Statistics) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_differs_is_shown() {
        let reason = |expected: &[&str], said: &[&str]| {
            compare(expected, said, "bless").unwrap_err().to_string()
        };
        assert!(compare(&["a", "b"], &["a", "b"], "bless").is_ok());
        let error = reason(&["a", "b"], &["a", "c"]);
        for part in ["line 2", "expected `b`", "said     `c`", "(`bless` takes"] {
            assert!(error.contains(part), "{error}");
        }
        let error = reason(&["a", "b"], &["a"]);
        assert!(error.contains("said     (the end)"), "{error}");
    }
}

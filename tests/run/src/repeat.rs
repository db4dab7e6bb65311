//! Two runs of the example give the same output and the same trace file, wherever they are
//! built and however fast they are read.

use std::fs;
use std::io::{self, Write};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use giornata_launch::Verdict;
use giornata_launch::image::build;
use giornata_launch::run::How;
use giornata_trace::first_difference;

use crate::crates::{BOARDS, target_folder};
use crate::{run, workers};

/// Virtual time of a run.
const FLIGHT: giornata_abi::Duration = giornata_abi::Duration::from_millis(10_000);

/// Runs it twice, side by side; the closing line.
///
/// # Errors
/// A run is not good, or they differ: where.
pub(crate) fn check() -> Result<String> {
    let flown: Result<Vec<_>> = workers::each(&["first", "second"], |name| fly_once(name))
        .into_iter()
        .collect();
    let flown = flown?;
    let [(first, first_trace), (second, second_trace)] = &flown[..] else {
        bail!("two flights");
    };
    if let Some(place) = difference(first, second) {
        bail!("the output differs: {place}");
    }
    if let Some(place) = difference(first_trace, second_trace) {
        bail!("the trace files differ: {place}");
    }
    Ok(first.lines().last().unwrap_or_default().to_string())
}

/// Takes what is written to it, the first of it after a pause.
struct SlowReader(Duration, Vec<u8>);

impl Write for SlowReader {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        thread::sleep(std::mem::take(&mut self.0));
        self.1.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The first line in which two texts differ, as each has it.
fn difference(one: &str, other: &str) -> Option<String> {
    let lines = |text| str::split_inclusive(text, '\n').collect::<Vec<_>>();
    let (one, other) = (lines(one), lines(other));
    let at = first_difference(&one, &other)?;
    let line = |lines: &[&str]| {
        let line = lines.get(at).unwrap_or(&"(the end)");
        line.trim_end_matches('\n').to_string()
    };
    Some(format!(
        "line {}:\n{}\n--- and then ---\n{}",
        at + 1,
        line(&one),
        line(&other)
    ))
}

/// Builds and flies the default system as `./x run` does; output and trace file.
fn fly_once(name: &str) -> Result<(String, String)> {
    let trace = target_folder().join(format!("repeat-{name}.json"));
    let how = How {
        trace: Some(trace.clone()),
        ..How::plain(FLIGHT)
    };
    // a folder of its own: nobody writes an image that another flies
    let board = (name == "second").then_some(BOARDS[0]);
    let image = build(&run::find(run::DEFAULT)?, board, how.length)?;
    // a machine does not feel how fast it is read
    let pause = match name {
        "second" => Duration::from_secs(2),
        _ => Duration::ZERO,
    };
    let mut out = SlowReader(pause, Vec::new());
    let verdict = giornata_launch::run::tell(run::DEFAULT, &how, &image, &mut out)?;
    let out = String::from_utf8(out.1).context("the output is text")?;
    if verdict != Verdict::Good {
        bail!("the flight is not good:\n{out}");
    }
    let trace = fs::read_to_string(&trace).context("the trace file")?;
    Ok((out, trace))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_told_by_its_line() {
        assert_eq!(difference("a\nb\n", "a\nb\n"), None);
        let told = difference("a\nb\nc\n", "a\nx\nc\n");
        assert_eq!(told.as_deref(), Some("line 2:\nb\n--- and then ---\nx"));
        let told = difference("a\n", "a\nb\n");
        assert_eq!(
            told.as_deref(),
            Some("line 2:\n(the end)\n--- and then ---\nb")
        );
        assert!(difference("a", "a\n").is_some());
    }
}

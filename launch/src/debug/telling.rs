//! What a machine under a debugger says, written to a file as it comes.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use giornata_system::NameMap;
use giornata_trace::{Decoder, Narrator, Statistics, summary};

use crate::machine::{Machine, Output};

/// How long a line waits at most before it is in the file.
const PULSE: Duration = Duration::from_millis(100);

/// Writes until the machine ends: its events as lines, and the summary.
pub(crate) fn tell(machine: &mut Machine, names: &NameMap, log: &Path) -> Result<()> {
    let failed = || format!("cannot write {}", log.display());
    let mut file = BufWriter::new(File::create(log).with_context(failed)?);
    let mut narrator = Narrator::new(names, true);
    let mut decoder = Decoder::new(names.timer_hertz);
    let mut totals = Statistics::new(names);
    let mut lines = Vec::new();
    loop {
        match machine.read(PULSE)? {
            Output::Bytes(bytes) => decoder.push(&bytes, |event| {
                narrator.tell(&event, &totals, |line| lines.push(line));
                totals.observe(&event);
            }),
            Output::Nothing => {}
            Output::End => break,
        }
        for line in lines.drain(..) {
            writeln!(file, "{line}").with_context(failed)?;
        }
        file.flush().with_context(failed)?;
    }
    narrator.end(|line| lines.push(line));
    lines.extend(summary(names, &totals));
    for line in lines {
        writeln!(file, "{line}").with_context(failed)?;
    }
    file.flush().with_context(failed)
}

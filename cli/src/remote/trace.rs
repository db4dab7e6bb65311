//! `giornata trace SYSTEM --link ADDRESS [-o OUT]`

use std::fs;
use std::path::Path;

use giornata_system::NameMap;
use giornata_trace::{Narrator, Recording, Statistics, encode};

use crate::arguments::{Line, Trace};
use crate::complaint::Complaint;
use crate::remote::{connect, duration, fail, stream, wrong};
use crate::report::{Report, Verdict};

/// How long, if nobody says otherwise.
const LENGTH: &str = "1s";

/// Prints what happens, or records it.
pub(crate) fn run(arguments: &Trace, system: &Path, line: &Line, report: &mut Report) -> Verdict {
    let length = match duration(arguments.length.as_deref().unwrap_or(LENGTH)) {
        Ok(length) => length,
        Err(complaint) => return wrong(complaint, report),
    };
    let opened =
        stream::names(system, report).and_then(|names| Ok((names, connect(line, report)?)));
    let (names, mut session) = match opened {
        Ok(opened) => opened,
        Err(verdict) => return verdict,
    };
    let mut narrator = Narrator::new(&names, true);
    let mut totals = Statistics::new(&names);
    let (mut recorded, mut first, mut count) = (Vec::new(), None, 0u64);
    let watched = stream::watch(
        &mut session,
        &names,
        Some(length),
        |index, record, events| {
            count += 1;
            let from = *first.get_or_insert(index);
            if arguments.output.is_some() {
                // a recording begins with its first record, whatever came before
                encode(index - from, record, &mut recorded);
            }
            for event in events {
                if arguments.output.is_none() {
                    narrator.tell(event, &totals, |line| report.say(line + "\n"));
                }
                totals.observe(event);
            }
        },
        || true,
    );
    if let Err(failure) = watched {
        return fail(line, &failure, report);
    }
    report.tell("records", count);
    report.tell("releases", totals.releases());
    report.tell("missed", totals.misses());
    report.tell("violations", totals.violations);
    match &arguments.output {
        None => {
            narrator.end(|line| report.say(line + "\n"));
            report.say(format!("{count} records\n"));
            Verdict::Good
        }
        Some(output) => write(output, &names, &recorded, count, report),
    }
}

fn write(
    output: &Path,
    names: &NameMap,
    recorded: &[u8],
    count: u64,
    report: &mut Report,
) -> Verdict {
    let heading = Recording::heading(names).map_err(std::io::Error::from);
    let written = heading.and_then(|heading| fs::write(output, [&heading, recorded].concat()));
    if let Err(error) = written {
        let message = format!("{} cannot be written: {error}", output.display());
        let help = "name another place with `-o OUT`";
        return wrong(
            Complaint::new("giornata::unwritable", message, help),
            report,
        );
    }
    report.tell("output", output.display().to_string());
    report.say(format!("{}: {count} records\n", output.display()));
    Verdict::Good
}

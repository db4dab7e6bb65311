//! The trace as it comes over the line.

use std::path::Path;
use std::time::{Duration, Instant as WallInstant};

use giornata_abi::Instant;
use giornata_abi::ring::{BYTES, Words};
use giornata_link::{Failure, Session, Told};
use giornata_system::NameMap;
use giornata_trace::{Event, Expansion, words_of};

use crate::report::{Report, Verdict};
use giornata_launch::home;

/// The names of a system.
pub(crate) fn names(system: &Path, report: &mut Report) -> Result<NameMap, Verdict> {
    report.tell("system", system.display().to_string());
    let model = giornata_system::check(system, home::root()).map_err(|refusal| {
        report.diagnose_report(&refusal);
        Verdict::BadInput
    })?;
    Ok(giornata_system::names::name_map(&model, &[]))
}

/// Hands each record that comes to `see`, with its number and the events that it ends,
/// for so long or until `pause` has had enough, which is called when all that has come
/// is seen.
pub(crate) fn watch(
    session: &mut Session,
    names: &NameMap,
    length: Option<Duration>,
    mut see: impl FnMut(u64, &Words, &[Event]),
    mut pause: impl FnMut() -> bool,
) -> Result<(), Failure> {
    let near = Instant(session.greeting().clock);
    let mut expansion = Expansion::from(names.timer_hertz, near);
    session.stream(true, false)?;
    let end = length.map(|length| WallInstant::now() + length);
    while end.is_none_or(|end| WallInstant::now() < end) {
        for (index, record) in records(session.hear()?) {
            let mut events = Vec::new();
            expansion.push(index, record, |event| events.push(event));
            see(index, &record, &events);
        }
        if !pause() {
            break;
        }
    }
    session.stream(false, false)
}

/// The records of what was told, with their numbers.
fn records(told: Option<Told>) -> Vec<(u64, Words)> {
    match told {
        Some(Told::Trace(first, bytes)) => {
            let records = bytes.chunks_exact(BYTES).filter_map(words_of);
            (first..).zip(records).collect()
        }
        Some(Told::Statistics(_)) | None => Vec::new(),
    }
}

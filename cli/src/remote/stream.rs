//! The trace as it comes over the line.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant as WallInstant};

use giornata_abi::Instant;
use giornata_abi::ring::{BYTES, Words};
use giornata_launch::home::root;
use giornata_link::{Failure, Session, Told};
use giornata_system::{BuildOptions, NameMap};
use giornata_trace::{Event, Expansion, words_of};

use crate::report::{Report, Verdict};

/// The names of a system.
pub(crate) fn names(system: &Path, report: &mut Report) -> Result<NameMap, Verdict> {
    report.tell("system", system.display().to_string());
    let model = giornata_system::check(system, root()).map_err(|refusal| {
        report.diagnose_report(&refusal);
        Verdict::BadInput
    })?;
    let names = giornata_system::names::name_map(&model, &[]);
    Ok(built(system, &names).unwrap_or(names))
}

/// The map that a build of the system left, for any board: it knows what opaque values
/// consist of. `None` if there is none, or of another state of the system.
fn built(system: &Path, names: &NameMap) -> Option<NameMap> {
    let out = BuildOptions::new(system, root()).out_dir;
    let boards = fs::read_dir(&out).ok()?.flatten().map(|entry| entry.path());
    let file = format!("{}.names.json", names.system);
    let maps = std::iter::once(out.clone()).chain(boards);
    let maps = maps.filter_map(|folder| fs::read_to_string(folder.join(&file)).ok());
    let maps = maps.filter_map(|text| NameMap::from_json(&text).ok());
    let mut same = maps.filter(|map| {
        let is_same = has_same_tables(map, names);
        is_same && map.timer_hertz == names.timer_hertz
    });
    same.next()
}

/// Whether the indices of two maps mean the same.
fn has_same_tables(one: &NameMap, other: &NameMap) -> bool {
    let threads = |map: &NameMap| -> Vec<_> {
        let threads = map.threads.iter();
        threads.map(|t| (t.process, t.name.clone())).collect()
    };
    let ports = |map: &NameMap| -> Vec<_> {
        let ports = map.ports.iter();
        ports
            .map(|p| (p.program, p.name.clone(), p.type_name.clone()))
            .collect()
    };
    let drivers =
        |map: &NameMap| -> Vec<_> { map.drivers.iter().map(|d| d.name.clone()).collect() };
    threads(one) == threads(other) && ports(one) == ports(other) && drivers(one) == drivers(other)
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

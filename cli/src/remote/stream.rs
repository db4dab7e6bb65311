//! The trace as it comes over the line.

use std::path::Path;
use std::time::{Duration, Instant};

use giornata_abi::Record;
use giornata_abi::trace::TraceRecord;
use giornata_link::{Failure, Session, Told};
use giornata_system::NameMap;
use giornata_trace::{Event, Numbered};

use crate::input::workspace_of;
use crate::report::{Report, Verdict};

/// The names of a system.
pub(crate) fn names(system: &Path, report: &mut Report) -> Result<NameMap, Verdict> {
    report.tell("system", system.display().to_string());
    let model = giornata_system::check(system, &workspace_of(system)).map_err(|refusal| {
        report.diagnose_report(&refusal);
        Verdict::BadInput
    })?;
    Ok(giornata_system::names::name_map(&model, &[]))
}

/// Hands each record that comes to `see`, for so long or until `see` has had
/// enough; `pause` is called when all that has come is seen.
pub(crate) fn watch(
    session: &mut Session,
    length: Option<Duration>,
    mut see: impl FnMut(&Numbered, Event),
    mut pause: impl FnMut() -> bool,
) -> Result<(), Failure> {
    session.stream(true, false)?;
    let end = length.map(|length| Instant::now() + length);
    while end.is_none_or(|end| Instant::now() < end) {
        if let Some(Told::Trace(first, bytes)) = session.hear()? {
            let records = bytes
                .chunks_exact(TraceRecord::SIZE)
                .filter_map(TraceRecord::decode);
            for (index, record) in (first..).zip(records) {
                let numbered = Numbered { index, record };
                see(&numbered, Event::read(&numbered));
            }
        }
        if !pause() {
            break;
        }
    }
    session.stream(false, false)
}

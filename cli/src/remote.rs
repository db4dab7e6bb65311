//! A running machine, over a line.

pub(crate) mod certificate;
pub(crate) mod deeds;
pub(crate) mod key;
pub(crate) mod load;
pub(crate) mod status;
pub(crate) mod stream;
pub(crate) mod tasks;
pub(crate) mod top;
pub(crate) mod trace;

use std::fs;
use std::path::Path;
use std::time::Duration;

use giornata_link::{Code, Failure, Key, Session};

use crate::arguments::{Line, Permit};
use crate::complaint::Complaint;
use crate::report::{Report, Verdict};

/// Opens a session that can only look.
pub(crate) fn connect(line: &Line, report: &mut Report) -> Result<Session, Verdict> {
    open(line, None, report)
}

/// Opens a session that can change the machine.
pub(crate) fn connect_to_change(permit: &Permit, report: &mut Report) -> Result<Session, Verdict> {
    let key = permit.key.as_deref().map(read_key).transpose();
    let key = key.map_err(|complaint| wrong(complaint, report))?;
    open(&permit.line, key, report)
}

fn open(line: &Line, key: Option<Key>, report: &mut Report) -> Result<Session, Verdict> {
    report.tell("link", line.link.to_string());
    let patience = duration(&line.timeout).map_err(|complaint| wrong(complaint, report))?;
    let transport = line.link.open().map_err(|error| {
        let message = format!("there is no line to {}: {error}", line.link);
        let help =
            "start the machine first, with the same address: `./x run SYSTEM --link ADDRESS`";
        wrong(Complaint::new("giornata::link", message, help), report)
    })?;
    Session::open(transport, key, patience).map_err(|failure| fail(line, &failure, report))
}

/// Reports bad input.
pub(crate) fn wrong(complaint: Complaint, report: &mut Report) -> Verdict {
    report.diagnose(complaint);
    Verdict::BadInput
}

/// Reports what went wrong on the line, or why the machine refuses.
pub(crate) fn fail(line: &Line, failure: &Failure, report: &mut Report) -> Verdict {
    let place = &line.link;
    let (code, message, help, verdict) = match failure {
        Failure::Refused { code, words } => return refused(line, *code, words, report),
        Failure::Silent => (
            "giornata::silent",
            format!("{place}: {failure}"),
            "check that its system has the hostlink server, and wait longer with --timeout",
            Verdict::BadInput,
        ),
        Failure::Pending => (
            "giornata::pending",
            format!("{place}: {failure}"),
            "see `giornata status`, wait longer with --timeout, or take it back with `giornata switch --withdraw`",
            Verdict::Negative,
        ),
        Failure::Strange => (
            "giornata::strange",
            format!("{place}: {failure}"),
            "use the tool that the system was built with",
            Verdict::BadInput,
        ),
        Failure::Line(_) => (
            "giornata::link",
            format!("{place}: {failure}"),
            "see whether the machine still runs",
            Verdict::BadInput,
        ),
    };
    report.diagnose(Complaint::new(code, message, help));
    verdict
}

/// A refusal: the mend stands behind the semicolon of the machine's words.
fn refused(line: &Line, code: Code, words: &str, report: &mut Report) -> Verdict {
    // Anybody may be at the other end.
    let words: String = words.chars().filter(|c| !c.is_control()).collect();
    let (reason, mend) = words
        .rsplit_once("; ")
        .unwrap_or((&words, "see `giornata status`"));
    report.tell("refusal", code.name());
    let message = format!("{} refuses ({code}): {reason}", line.link);
    report.diagnose(Complaint::new("giornata::refused", message, mend));
    Verdict::Negative
}

fn read_key(path: &Path) -> Result<Key, Complaint> {
    let help = "`giornata key FILE` makes a key file";
    let text = fs::read_to_string(path).map_err(|error| {
        let message = format!("{} cannot be read: {error}", path.display());
        Complaint::new("giornata::unreadable", message, help)
    })?;
    Key::read(&text).map_err(|error| {
        let message = format!("{} is no key file: {error}", path.display());
        Complaint::new("giornata::not-a-key", message, help)
    })
}

/// A length of time by the wall clock.
pub(crate) fn duration(text: &str) -> Result<Duration, Complaint> {
    let nanos = giornata_system::duration(text).filter(|nanos| *nanos > 0);
    nanos.map(Duration::from_nanos).ok_or_else(|| {
        let message = format!("`{text}` is no length of time");
        Complaint::new("giornata::duration", message, "write it like 500ms or 10s")
    })
}

//! `giornata compare ONE OTHER`

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use giornata_abi::{Duration, Instant};
use giornata_analysis::timeline::show;
use giornata_trace::{PortValue, Recording, port_trace};
use serde_json::{Value, json};

use crate::arguments::Compare;
use crate::complaint::Complaint;
use crate::report::{Report, Verdict};

/// Says whether two recorded runs wrote the same values to the same ports at the same
/// logical instants, as far as both go.
pub(crate) fn run(arguments: &Compare, report: &mut Report) -> Verdict {
    let files = [&arguments.one, &arguments.other];
    let read = files.map(|path| Run::read(path));
    let [one, other] = match read {
        [Ok(one), Ok(other)] => [one, other],
        complaints => {
            let complaints = complaints.into_iter().filter_map(Result::err);
            complaints.for_each(|complaint| report.diagnose(complaint));
            return Verdict::BadInput;
        }
    };
    report.tell(
        "files",
        files.map(|path| path.display().to_string()).to_vec(),
    );
    if let Some(complaint) = other_ports(files, &one, &other) {
        report.diagnose(complaint);
        return Verdict::BadInput;
    }
    let both = one.writes.len().min(other.writes.len());
    let pairs = one.writes.iter().zip(&other.writes);
    let difference = pairs.clone().position(|(one, other)| one != other);
    report.tell("writes", both);
    let verdict = match difference {
        None => same(&one, both, report),
        Some(at) => differ(files, [&one.writes[at], &other.writes[at]], at, report),
    };
    for (path, run) in files.into_iter().zip([&one, &other]) {
        if run.is_damaged {
            report.say(format!("{}: records are missing\n", path.display()));
        }
    }
    match verdict {
        // what is missing may be what differs
        _ if one.is_damaged || other.is_damaged => Verdict::Unknown,
        verdict => verdict,
    }
}

/// A recorded run as far as it is compared.
struct Run {
    ports: BTreeSet<String>,
    writes: Vec<PortValue>,
    is_damaged: bool,
}

impl Run {
    fn read(path: &Path) -> Result<Run, Complaint> {
        let bytes = fs::read(path).map_err(|error| {
            let message = format!("{} cannot be read: {error}", path.display());
            let help = "record one: `giornata simulate system.toml --functions --record sim.trace`";
            Complaint::new("giornata::unreadable", message, help)
        })?;
        let recording = Recording::read(&bytes).map_err(|why| {
            let message = format!("{} is no recorded run: {why}", path.display());
            let help = "name what `--record` has written";
            Complaint::new("giornata::not-a-recording", message, help)
        })?;
        let writes = port_trace(&recording.events, &recording.names);
        let damage = &recording.damage;
        Ok(Run {
            ports: writes.iter().map(|write| write.port.clone()).collect(),
            writes,
            is_damaged: damage.lost > 0 || damage.damaged > 0,
        })
    }
}

/// That two runs are not of one system: a port that one of them never writes.
fn other_ports([a, b]: [&PathBuf; 2], one: &Run, other: &Run) -> Option<Complaint> {
    let alone = |ports: &BTreeSet<String>, others: &BTreeSet<String>| -> Option<String> {
        ports.difference(others).next().cloned()
    };
    let (port, who) = match (
        alone(&one.ports, &other.ports),
        alone(&other.ports, &one.ports),
    ) {
        (Some(port), _) => (port, b),
        (_, Some(port)) => (port, a),
        (None, None) => return None,
    };
    let message = format!("{}: port `{port}` is never written", who.display());
    let help = "compare runs of one system that are long enough for all its ports";
    Some(Complaint::new("giornata::other-ports", message, help))
}

fn same(one: &Run, writes: usize, report: &mut Report) -> Verdict {
    let last = writes.checked_sub(1).and_then(|last| one.writes.get(last));
    let until = last.map_or(Duration::ZERO, |write| Duration(write.at.0));
    report.tell("until_ns", until.0);
    report.say(format!(
        "the same: {writes} writes of {} ports up to {}\n",
        one.ports.len(),
        show(until)
    ));
    Verdict::Good
}

fn differ(
    files: [&PathBuf; 2],
    writes: [&PortValue; 2],
    at: usize,
    report: &mut Report,
) -> Verdict {
    report.say(format!("they differ after {at} writes that are the same\n"));
    let mut rows: Vec<Value> = Vec::new();
    for (path, write) in files.into_iter().zip(writes) {
        let value = hexadecimal(&write.value);
        report.say(format!(
            "{}: {} = {value} at {}\n",
            path.display(),
            write.port,
            instant(write.at)
        ));
        rows.push(json!({
            "file": path.display().to_string(),
            "port": write.port,
            "at_ns": write.at.0,
            "value": value,
        }));
    }
    report.tell("difference", rows);
    Verdict::Negative
}

fn instant(at: Instant) -> String {
    show(Duration(at.0))
}

/// Bytes as a number, the most significant first.
fn hexadecimal(bytes: &[u8]) -> String {
    let digits = bytes.iter().rev().map(|byte| format!("{byte:02x}"));
    format!("0x{}", digits.collect::<String>())
}

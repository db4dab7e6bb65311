//! `giornata status`

use giornata_link::Standing;
use serde_json::json;

use crate::arguments::Status;
use crate::remote::{connect, fail};
use crate::report::{Report, Verdict};

/// Lists the programs that may be replaced.
pub(crate) fn run(arguments: &Status, report: &mut Report) -> Verdict {
    let mut session = match connect(&arguments.line, report) {
        Ok(session) => session,
        Err(verdict) => return verdict,
    };
    let standings = match session.standings() {
        Ok(standings) => standings,
        Err(failure) => return fail(&arguments.line, &failure, report),
    };
    let greeting = session.greeting();
    report.tell("signed", greeting.signed);
    report.tell("clock_ns", greeting.clock);
    let as_json = |s: &Standing| {
        json!({
            "name": s.program, "loaded": s.loaded, "pending": s.pending,
            "module": format!("{:08x}", s.tag), "changes": s.changes,
            "held": s.held.map(|tag| format!("{tag:08x}")), "room": s.room,
        })
    };
    report.tell(
        "programs",
        standings.iter().map(as_json).collect::<Vec<_>>(),
    );
    let signed = if greeting.signed {
        ", takes signed requests only"
    } else {
        ""
    };
    report.say(format!("up {} ms{signed}\n", greeting.clock / 1_000_000));
    let widest = standings
        .iter()
        .map(|s| s.program.len())
        .max()
        .unwrap_or(0)
        .max(7);
    report.say(format!("{:widest$}  module    changes  state\n", "program"));
    for standing in &standings {
        report.say(row(standing, widest));
    }
    Verdict::Good
}

fn row(standing: &Standing, widest: usize) -> String {
    let module = match standing.loaded {
        true => format!("{:08x}", standing.tag),
        false => "-".to_owned(),
    };
    let mut state = vec![if standing.loaded { "runs" } else { "empty" }.to_owned()];
    if standing.pending {
        state.push("a change is asked for".to_owned());
    }
    if let Some(tag) = standing.held {
        state.push(format!("holds {tag:08x}"));
    }
    format!(
        "{:widest$}  {module:8}  {:7}  {}\n",
        standing.program,
        standing.changes,
        state.join(", ")
    )
}

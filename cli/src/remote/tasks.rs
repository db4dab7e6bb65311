//! `giornata tasks SYSTEM`

use std::time::Duration;

use giornata_abi::Ticks;
use giornata_launch::built::{self, Built};
use giornata_link::{Code, Failure, Session};
use giornata_system::DebugMap;
use giornata_trace::{Inspection, Judge, task_states};

use crate::arguments::Tasks;
use crate::complaint::Complaint;
use crate::remote::{connect, fail, stream, wrong};
use crate::report::{Report, Verdict};
use crate::run::{refuse, system};

/// How long the trace is watched, where there is one.
const GLIMPSE: Duration = Duration::from_secs(1);

/// Prints the table of a machine that runs on.
pub(crate) fn run(arguments: &Tasks, report: &mut Report) -> Verdict {
    let system = match system(arguments.system.as_deref()) {
        Ok(system) => system,
        Err(why) => return refuse(report, &why),
    };
    let opened = stream::names(&system, report)
        .and_then(|names| Ok((names, connect(&arguments.line, report)?)));
    let (names, mut session) = match opened {
        Ok(opened) => opened,
        Err(verdict) => return verdict,
    };
    let all = built::all(&system, &names.system);
    let built = match find(&mut session, all) {
        Ok(Some(built)) => built,
        Ok(None) => {
            let message = format!(
                "what the machine runs is no build of {} that is here",
                system.display()
            );
            let help = "name the system that it runs; if that was built again since, start the \
                        machine again";
            return wrong(
                Complaint::new("giornata::other-build", message, help),
                report,
            );
        }
        Err(failure) => return fail(&arguments.line, &failure, report),
    };
    match tell(&mut session, &built, report) {
        Ok(()) => Verdict::Good,
        Err(error) => match error.downcast::<Failure>() {
            Ok(failure) => fail(&arguments.line, &failure, report),
            Err(error) => {
                let message = format!("the kernel's records make no sense: {error:#}");
                let help = "the machine wrote them meanwhile: ask again";
                report.diagnose(Complaint::new("giornata::torn", message, help));
                Verdict::Unknown
            }
        },
    }
}

/// The build that the machine runs: the front of the records has the checksum of all of
/// them as they were at boot, and nobody writes there.
fn find(session: &mut Session, all: Vec<Built>) -> Result<Option<Built>, Failure> {
    // (also where nothing is built here: the machine may have to refuse)
    let longest = all.iter().filter_map(front).max().unwrap_or(4);
    let machine = session.read(0, longest)?.bytes;
    let same = |built: &Built| {
        let front = front(built).and_then(|length| built.records.get(..length));
        front.is_some_and(|front| machine.starts_with(front))
    };
    Ok(all.into_iter().find(same))
}

/// Bytes of what boot checks.
fn front(built: &Built) -> Option<usize> {
    let (offset, bytes, _) = built
        .map
        .records
        .get("System")?
        .fields
        .get("boot.address")?;
    Some(offset + bytes)
}

fn tell(session: &mut Session, built: &Built, report: &mut Report) -> anyhow::Result<()> {
    let map = &built.map;
    let names = &map.names;
    let judge = watch(session, map)?;
    let mut reader = None;
    let inspection = Inspection::take(map, |address, length| {
        let (known, kernel) = (built.records.len() as u64, u64::from(map.kernel));
        let at = address.checked_sub(kernel);
        let at = at.filter(|at| at.saturating_add(length as u64) <= known);
        let at = at.and_then(|at| u32::try_from(at).ok());
        let at = at.ok_or_else(|| anyhow::anyhow!("they lie outside of the records"))?;
        let copied = session.read(at, length)?;
        reader = Some(copied.reader);
        Ok(copied.bytes)
    })?;
    let (mut standing, changed) = inspection.standing(reader)?;
    if let Some(judge) = &judge {
        standing.settle(|thread| judge.has_job(thread));
    }
    let since = |thread| -> Option<Ticks> { judge.as_ref()?.since(thread) };
    let table = task_states((names, Some(&built.symbols)), &standing, since, &[]);
    table
        .iter()
        .for_each(|line| report.say(format!("{line}\n")));
    let name = |thread: &u16| {
        let thread = names.threads.get(usize::from(*thread))?;
        let process = names.processes.get(usize::from(thread.process))?;
        Some(format!("{}/{}", process.name, thread.name))
    };
    let changed: Vec<String> = changed.iter().filter_map(name).collect();
    let meanwhile = inspection.meanwhile()?;
    report.say(format!(
        "read twice while the machine went on ({meanwhile} trace records in between); stood \
         otherwise the first time: {}\n",
        match changed.as_slice() {
            [] => "none".into(),
            some => some.join(", "),
        }
    ));
    report.tell("board", names.board.as_str());
    report.tell("table", table);
    report.tell("changed", changed);
    report.tell("records_meanwhile", meanwhile);
    Ok(())
}

/// What the trace tells for a while; `None` where the server has no trace.
fn watch(session: &mut Session, map: &DebugMap) -> Result<Option<Judge>, Failure> {
    let names = &map.names;
    let mut judge = Judge::new(names);
    let see = |_, _: &_, events: &[giornata_trace::Event]| {
        events.iter().for_each(|event| judge.observe(event));
    };
    match stream::watch(session, names, Some(GLIMPSE), see, || true) {
        Ok(()) => Ok(Some(judge)),
        Err(Failure::Refused {
            code: Code::Kernel, ..
        }) => Ok(None),
        Err(failure) => Err(failure),
    }
}

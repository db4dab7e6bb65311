//! `giornata load FILE --program NAME` and `giornata patch`

use giornata_abi::module::Module;
use giornata_link::{Change, Failure, Session};

use crate::arguments::{Load, Patch};
use crate::compile::module_of;
use crate::complaint::Complaint;
use crate::remote::{certificate, connect_to_change, fail};
use crate::report::{Report, Verdict};

/// Sends a module whole.
pub(crate) fn run(arguments: &Load, report: &mut Report) -> Verdict {
    let permit = &arguments.permit;
    let loaded = module_of(&arguments.file, report).and_then(|module| {
        let mut session = connect_to_change(permit, report)?;
        if let Some(system) = &arguments.check {
            let standings = session.standings();
            let standings = standings.map_err(|why| fail(&permit.line, &why, report))?;
            certificate::check(system, &arguments.program, &module, &standings, report)?;
        }
        let change = change(arguments.carry_over, arguments.hold);
        let sent = session.load(&arguments.program, &module, change);
        let sent = sent.and_then(|()| follow(&mut session, &arguments.program, change));
        let standing = sent.map_err(|why| fail(&permit.line, &why, report))?;
        Ok(tell(&arguments.program, &module, standing, report))
    });
    loaded.unwrap_or_else(|verdict| verdict)
}

/// Sends what a module has that the one that runs has not.
pub(crate) fn patch(arguments: &Patch, report: &mut Report) -> Verdict {
    let permit = &arguments.permit;
    let modules = module_of(&arguments.file, report)
        .and_then(|module| Ok((module, module_of(&arguments.base, report)?)));
    let loaded = modules.and_then(|(module, base)| {
        let mut session = connect_to_change(permit, report)?;
        let change = change(arguments.carry_over, arguments.hold);
        let sent = session.patch(&arguments.program, &base, &module, change);
        let sent = sent.and_then(|()| follow(&mut session, &arguments.program, change));
        let standing = sent.map_err(|why| fail(&permit.line, &why, report))?;
        Ok(tell(&arguments.program, &module, standing, report))
    });
    loaded.unwrap_or_else(|verdict| verdict)
}

fn change(carry_over: bool, hold: bool) -> Change {
    match (carry_over, hold) {
        (true, _) => Change::CarryOver,
        (_, true) => Change::Hold,
        _ => Change::Restart,
    }
}

/// Waits for what was asked for; `None`: it is held.
fn follow(
    session: &mut Session,
    program: &str,
    change: Change,
) -> Result<Option<giornata_link::Standing>, Failure> {
    match change {
        Change::Hold => Ok(None),
        _ => session.wait(program).map(Some),
    }
}

/// Tells how it went.
fn tell(
    program: &str,
    module: &[u8],
    standing: Option<giornata_link::Standing>,
    report: &mut Report,
) -> Verdict {
    let tag = Module::parse(module).map_or(0, |module| module.header().crc);
    report.tell("program", program);
    report.tell("module", format!("{tag:08x}"));
    let bytes = module.len();
    let Some(standing) = standing else {
        report.tell("state", "held");
        report.say(format!(
            "{program}: module {tag:08x} of {bytes} bytes is held\n"
        ));
        return Verdict::Good;
    };
    report.tell("changes", standing.changes);
    if standing.tag != tag {
        report.tell("state", "overtaken");
        let message = format!("{program} runs module {:08x}, not {tag:08x}", standing.tag);
        let help = "somebody else has changed it meanwhile: see `giornata status`";
        report.diagnose(Complaint::new("giornata::overtaken", message, help));
        return Verdict::Negative;
    }
    report.tell("state", "running");
    report.say(format!(
        "{program}: module {tag:08x} of {bytes} bytes runs, change {}\n",
        standing.changes
    ));
    Verdict::Good
}

//! `giornata switch`, `unload` and `shutdown`

use giornata_link::{Change, Failure, Standing};

use crate::arguments::{Line, Shutdown, Switch, Unload};
use crate::complaint::Complaint;
use crate::remote::{connect_to_change, fail};
use crate::report::{Report, Verdict};

/// Changes to what is held, or takes a change back.
pub(crate) fn switch(arguments: &Switch, report: &mut Report) -> Verdict {
    let (program, line) = (&arguments.program, &arguments.permit.line);
    let mut session = match connect_to_change(&arguments.permit, report) {
        Ok(session) => session,
        Err(verdict) => return verdict,
    };
    report.tell("program", program.as_str());
    if arguments.withdraw {
        return match session.withdraw(program) {
            Ok(()) => {
                report.say(format!("{program}: withdrawn\n"));
                Verdict::Good
            }
            Err(failure) => fail(line, &failure, report),
        };
    }
    let change = match arguments.carry_over {
        true => Change::CarryOver,
        false => Change::Restart,
    };
    let asked = session.switch(program, change);
    tell(asked.and_then(|()| session.wait(program)), line, report)
}

/// Empties a program.
pub(crate) fn unload(arguments: &Unload, report: &mut Report) -> Verdict {
    let (program, line) = (&arguments.program, &arguments.permit.line);
    let mut session = match connect_to_change(&arguments.permit, report) {
        Ok(session) => session,
        Err(verdict) => return verdict,
    };
    report.tell("program", program.as_str());
    let asked = session.unload(program);
    match asked.and_then(|()| session.wait(program)) {
        Ok(standing) if standing.loaded => {
            let message = format!("{program} has code after all");
            let help = "somebody else has loaded it meanwhile: see `giornata status`";
            report.diagnose(Complaint::new("giornata::overtaken", message, help));
            Verdict::Negative
        }
        standing => tell(standing, line, report),
    }
}

/// Tells what runs now.
fn tell(standing: Result<Standing, Failure>, line: &Line, report: &mut Report) -> Verdict {
    let standing = match standing {
        Ok(standing) => standing,
        Err(failure) => return fail(line, &failure, report),
    };
    let (program, tag) = (&standing.program, standing.tag);
    report.tell("changes", standing.changes);
    let runs = match standing.loaded {
        true => format!("module {tag:08x} runs"),
        false => "empty".to_owned(),
    };
    report.tell("state", if standing.loaded { "running" } else { "empty" });
    report.say(format!("{program}: {runs}, change {}\n", standing.changes));
    Verdict::Good
}

/// Stops the machine.
pub(crate) fn shutdown(arguments: &Shutdown, report: &mut Report) -> Verdict {
    let mut session = match connect_to_change(&arguments.permit, report) {
        Ok(session) => session,
        Err(verdict) => return verdict,
    };
    match session.shutdown(arguments.status) {
        Ok(()) => {
            report.say("the machine stops\n");
            Verdict::Good
        }
        Err(failure) => fail(&arguments.permit.line, &failure, report),
    }
}

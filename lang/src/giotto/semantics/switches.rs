//! Mode switches are legal if no running task is cut.
//!
//! A guard of frequency g is tested at the instants k*P/g. A task of frequency
//! f is between jobs at k*P/f. So every test finds the task between jobs if and
//! only if g divides f; otherwise already the first test after the mode's
//! beginning, at P/g, finds it running.

use super::super::Code;
use super::super::model::{Exit, Invoke, Mode, Model};
use super::super::timing::gcd;
use crate::diagnostic::{Diagnostic, Findings};
use crate::quantity;

/// Reports every switch that could cut a running task. O(exits * tasks) a mode.
pub(super) fn check(model: &Model, findings: &mut Findings) {
    for mode in &model.modes {
        for exit in &mode.exits {
            let target = &model.modes[exit.target];
            for invoke in mode
                .invokes
                .iter()
                .filter(|invoke| finds_running(exit, invoke))
            {
                check_survival(model, mode, exit, invoke, target, findings);
            }
        }
    }
}

fn finds_running(exit: &Exit, invoke: &Invoke) -> bool {
    !invoke.frequency.value.is_multiple_of(exit.frequency.value)
}

/// Whether two invocations have one period.
fn same_period(mode: &Mode, invoke: &Invoke, target: &Mode, other: &Invoke) -> bool {
    let here = u128::from(mode.period.value) * u128::from(other.frequency.value);
    here == u128::from(target.period.value) * u128::from(invoke.frequency.value)
}

fn check_survival(
    model: &Model,
    mode: &Mode,
    exit: &Exit,
    invoke: &Invoke,
    target: &Mode,
    findings: &mut Findings,
) {
    let other = target
        .invokes
        .iter()
        .find(|other| other.task == invoke.task);
    if other.is_some_and(|other| same_period(mode, invoke, target, other)) {
        return;
    }
    let task = &model.tasks[invoke.task].name;
    let at = quantity::show(mode.period.value / exit.frequency.value);
    let period = quantity::show(mode.period.value / invoke.frequency.value);
    let (code, reason) = match other {
        None => (
            Code::SwitchCutsTask,
            format!("which mode `{}` does not run", target.name),
        ),
        Some(other) => {
            let theirs = quantity::show(target.period.value / other.frequency.value);
            (
                Code::SwitchPeriod,
                format!("which has period {theirs} in mode `{}`", target.name),
            )
        }
    };
    let message =
        format!("the switch at {at} finds task `{task}` (period {period}) running, {reason}");
    let help = mend(mode, exit, invoke, target, task);
    let found =
        Diagnostic::new(code, exit.frequency.span, message, help).labelled("tested this often");
    let place = other.map_or(invoke.span, |other| other.span);
    let text = if other.is_some() {
        "the target invokes it here"
    } else {
        "the task is invoked here"
    };
    findings.add(found.also(place, text));
}

fn mend(mode: &Mode, exit: &Exit, invoke: &Invoke, target: &Mode, task: &str) -> String {
    let often = gcd(exit.frequency.value.into(), invoke.frequency.value.into());
    let wanted = u128::from(target.period.value) * u128::from(invoke.frequency.value);
    let test = format!("test at the task's boundaries: `exitfreq {often}`");
    match wanted % u128::from(mode.period.value) {
        0 => {
            let frequency = wanted / u128::from(mode.period.value);
            format!(
                "{test}; or let it go on: `taskfreq {frequency}` of `{task}` in mode `{}`",
                target.name
            )
        }
        _ => test,
    }
}

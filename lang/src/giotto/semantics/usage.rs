//! What has a meaning, but hardly the intended one.

use std::collections::BTreeMap;

use giornata_abi::module::PortKind;

use super::super::Code;
use super::super::model::{Mode, Model, Update};
use super::declarations::is_output;
use crate::diagnostic::{Diagnostic, Findings, Span};
use crate::quantity;

/// Warns of unused declarations, unwritten outputs and odd updates. O(program).
pub(super) fn check(model: &Model, findings: &mut Findings) {
    unused(model, findings);
    unwritten(model, findings);
    for mode in &model.modes {
        updated_twice(model, mode, findings);
        too_slow(model, mode, findings);
        mode.updates
            .iter()
            .for_each(|update| late_sensors(model, update, findings));
    }
}

fn unused(model: &Model, findings: &mut Findings) {
    let mut report = |span: Span, message: String| {
        findings.report(
            Code::Unused,
            span,
            message,
            "remove it, or name it where it should be used",
        );
    };
    let reachable = model.reachable();
    for (index, mode) in model.modes.iter().enumerate() {
        if !reachable.contains(&index) {
            report(mode.span, format!("mode `{}` is never entered", mode.name));
        }
    }
    for (index, task) in model.tasks.iter().enumerate() {
        if !model
            .modes
            .iter()
            .any(|mode| mode.invokes.iter().any(|invoke| invoke.task == index))
        {
            report(task.span, format!("task `{}` is never invoked", task.name));
        }
    }
    let used = used_drivers(model);
    for (driver, _) in model.drivers.iter().zip(used).filter(|(_, used)| !used) {
        report(
            driver.span,
            format!("driver `{}` is never used", driver.name),
        );
    }
}

fn used_drivers(model: &Model) -> Vec<bool> {
    let mut used = vec![false; model.drivers.len()];
    for mode in &model.modes {
        let updates = mode.updates.iter().map(|u| u.driver);
        let exits = mode.exits.iter().map(|e| e.driver);
        updates
            .chain(exits)
            .chain(mode.invokes.iter().map(|i| i.driver))
            .for_each(|driver| used[driver] = true);
    }
    used
}

fn unwritten(model: &Model, findings: &mut Findings) {
    let mut written = vec![false; model.ports.len()];
    model
        .tasks
        .iter()
        .flat_map(|task| &task.outputs)
        .for_each(|port| written[*port] = true);
    for (port, _) in model
        .ports
        .iter()
        .zip(written)
        .filter(|(port, written)| is_output(port.kind) && !written)
    {
        let message = format!("output `{}` is written by no task", port.name);
        let help = "list it in the `output (...)` of the task that computes it, or remove it; it keeps its initial value until a switch sets it";
        findings.report(Code::UnwrittenOutput, port.span, message, help);
    }
}

fn updated_twice(model: &Model, mode: &Mode, findings: &mut Findings) {
    let mut first = BTreeMap::new();
    for update in &mode.updates {
        let Some(before) = first.insert(update.actuator, update.span) else {
            continue;
        };
        let name = &model.ports[update.actuator].name;
        let message = format!(
            "mode `{}` updates actuator `{name}` by two lines",
            mode.name
        );
        let help =
            "where both are due the later line has the last word; let one driver compute the value";
        findings.add(
            Diagnostic::new(Code::ActuatorTwice, update.span, message, help)
                .also(before, "first updated here"),
        );
    }
}

/// A task whose worst case is no shorter than its period leaves no time for others;
/// one that is longer cannot be in time.
fn too_slow(model: &Model, mode: &Mode, findings: &mut Findings) {
    for invoke in &mode.invokes {
        let task = &model.tasks[invoke.task];
        let jobs = u128::from(task.wcet) * u128::from(invoke.frequency.value);
        if jobs <= u128::from(mode.period.value) {
            continue;
        }
        let period = quantity::show(mode.period.value / invoke.frequency.value);
        let message = format!(
            "task `{}` takes up to {}, and is due after {period} in mode `{}`",
            task.name,
            quantity::show(task.wcet),
            mode.name
        );
        let help = "give it a longer period, or less to do";
        findings.add(
            Diagnostic::new(Code::WorstCaseBeyondPeriod, invoke.span, message, help)
                .also(task.span, "its worst case is stated here"),
        );
    }
}

fn late_sensors(model: &Model, update: &Update, findings: &mut Findings) {
    let driver = &model.drivers[update.driver];
    let guard = driver
        .guard
        .iter()
        .flat_map(|guard| guard.reads.iter().copied());
    for port in guard.chain(driver.action.sources()) {
        let port = &model.ports[port];
        if port.kind == PortKind::Sensor {
            let message = format!("the driver of an actuator reads sensor `{}`", port.name);
            let help = "sensors are read after actuators update, so it sees the reading of an earlier instant; let a task compute the value";
            findings.add(
                Diagnostic::new(Code::LateSensor, update.span, message, help)
                    .also(driver.span, "by this driver"),
            );
        }
    }
}

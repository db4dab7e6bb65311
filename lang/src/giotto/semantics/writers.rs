//! An output has one writer in every mode.
//!
//! All tasks that run belong to the current mode: a switch is legal only if the
//! target goes on with whatever runs. So two tasks never write one port at one
//! instant if no mode invokes both.

use std::collections::BTreeMap;

use super::super::Code;
use super::super::model::{Invoke, Mode, Model};
use crate::diagnostic::{Diagnostic, Findings};

/// Reports every output that two tasks of one mode write, once a mode.
/// O(outputs of the tasks of all modes * log outputs).
pub(super) fn check(model: &Model, findings: &mut Findings) {
    for mode in &model.modes {
        let mut writers: BTreeMap<usize, &Invoke> = BTreeMap::new();
        for invoke in &mode.invokes {
            for port in &model.tasks[invoke.task].outputs {
                let first = writers.entry(*port).or_insert(invoke);
                if first.task != invoke.task {
                    report(model, mode, *port, [first, invoke], findings);
                }
            }
        }
    }
}

fn report(
    model: &Model,
    mode: &Mode,
    port: usize,
    [first, second]: [&Invoke; 2],
    findings: &mut Findings,
) {
    let [one, other] = [first, second].map(|invoke| &model.tasks[invoke.task].name);
    let message = format!(
        "output `{}` is written by two tasks of mode `{}`, `{one}` and `{other}`",
        model.ports[port].name, mode.name
    );
    let help =
        "invoke them in different modes, or give each an output of its own and let a driver choose";
    let found = Diagnostic::new(Code::OutputWriters, second.span, message, help);
    let text = format!("`{one}` writes it, too");
    findings.add(found.also(first.span, text));
}

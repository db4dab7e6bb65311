//! What has a meaning, but hardly the intended one.

use giornata_abi::module::PortKind;

use super::Code;
use super::model::Model;
use crate::diagnostic::Findings;

/// Warns of what nobody writes or uses; `tested`: ports that conditions read.
/// O(program).
pub(super) fn check(model: &Model, tested: &[usize], findings: &mut Findings) {
    let (mut is_read, mut is_written) = (
        vec![false; model.ports.len()],
        vec![false; model.ports.len()],
    );
    for job in &model.jobs {
        job.reads.iter().for_each(|port| is_read[*port] = true);
        job.writes.iter().for_each(|port| is_written[*port] = true);
    }
    tested.iter().for_each(|port| is_read[*port] = true);
    // (what loops remember is the compiler's own)
    let noted = model.tasks.iter().flat_map(|task| &task.nodes);
    for node in noted {
        if let super::model::Node::Note { to, .. } = node {
            (is_read[*to], is_written[*to]) = (true, true);
        }
    }
    let uses = is_read.into_iter().zip(is_written);
    for (port, (is_read, is_written)) in model.ports.iter().zip(uses) {
        let name = &port.name;
        let (code, message, help) = match (port.kind, is_read, is_written) {
            (PortKind::Sensor, false, _) => (
                Code::Unused,
                format!("sensor `{name}` is read by no job"),
                "remove it, or pass it to the job that should read it",
            ),
            (PortKind::Actuator, _, false) => (
                Code::Unused,
                format!("actuator `{name}` is written by no job"),
                "remove it, or let a job write it: `control() -> NAME;`",
            ),
            (PortKind::Output, _, false) => (
                Code::Unwritten,
                format!("variable `{name}` is written by no job"),
                "let a job of its task write it, or remove it; it keeps its first value",
            ),
            (PortKind::Private, true, false) => (
                Code::Unwritten,
                format!("state `{name}` is written by no job"),
                "let a job of its task write it, or remove it; it keeps its first value",
            ),
            (PortKind::Private, false, _) => (
                Code::Unused,
                format!("state `{name}` is read by no job and no test"),
                "remove it, or pass it to the job that should read it",
            ),
            _ => continue,
        };
        findings.report(code, port.span, message, help);
    }
}

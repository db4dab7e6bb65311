//! Who may keep reactions of programs waiting.
//!
//! Reactions (reading sensors, writing actuators, releasing jobs) come before all threads,
//! whatever their priorities: a ceiling or a priority that a process asks for is one too.
//! A process with the grant `above-programs` is above them with its priorities beyond those
//! that others can come to.

use crate::file::SystemFile;
use crate::model::{Model, Process};
use crate::problem::Findings;

/// The highest fixed priority that threads can come to whose processes may not precede
/// reactions; `None`: no process may.
pub(crate) fn others(model: &Model) -> Option<u8> {
    let precedes = |process: &Process| process.precedes_programs;
    model.processes.iter().any(precedes).then_some(())?;
    let others = (0u16..).zip(&model.processes);
    let others = others.filter(|(_, process)| !precedes(process));
    let reached = others.map(|(index, process)| reached(model, index, process).0);
    let programs = model.threads.iter().filter(|thread| thread.task.is_some());
    let programs = programs.map(|thread| thread.priority);
    let band = [model.deadline_band];
    let slots = model.programs.iter().filter_map(|program| program.slot);
    // (one more: a ceiling in the deadline band lies between its tasks and the reactions)
    let scheduled = programs.chain(band).chain(slots);
    let scheduled = scheduled.map(|priority| priority.saturating_add(1));
    reached.chain(scheduled).max()
}

/// The highest fixed priority that threads of a process can come to by themselves, and by
/// what: by what they may ask for, or a ceiling.
fn reached(model: &Model, index: u16, process: &Process) -> (u8, String) {
    let own = (process.max_priority, "max-priority".to_string());
    let objects = model.objects.iter();
    let ceilings = objects.filter(|object| object.users().any(|user| user == index));
    let ceilings = ceilings.filter_map(|object| {
        let ceiling = object.shape.ceiling()?;
        Some((ceiling, format!("ceiling of mutex {}", object.name)))
    });
    ceilings.fold(own, |most, next| if next.0 > most.0 { next } else { most })
}

/// Refuses a grant that nothing comes of: a process none of whose priorities is beyond those
/// of all others.
pub(crate) fn check(findings: &mut Findings, file: &SystemFile, model: &Model) {
    let Some(most) = others(model) else {
        return;
    };
    for (process, section) in model.processes.iter().zip(&file.processes) {
        let Some(place) = &section.grants.above_programs else {
            continue;
        };
        if process.max_priority > most {
            continue;
        }
        let others = (0u16..).zip(&model.processes);
        let mut others = others.filter(|(_, other)| !other.precedes_programs);
        let other = others.find_map(|(index, other)| {
            let (priority, what) = reached(model, index, other);
            (priority == most)
                .then(|| format!("process `{}` can come to {most} ({what})", other.name))
        });
        let other = other.unwrap_or_else(|| format!("programs need the priorities up to {most}"));
        let reason = format!(
            "process `{}` is not above programs: its priorities go up to {}, and {other}",
            process.name, process.max_priority
        );
        let mend = match most {
            u8::MAX => "lower what the other may come to, or grant it `above-programs` too".into(),
            _ => format!(
                "raise its `max-priority` above {most}, or lower what the other may come to"
            ),
        };
        findings.refuse(place.clone(), reason, mend);
    }
}

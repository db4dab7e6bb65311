//! Of which processes several threads may run at the same time, where there are several harts.

use std::ops::Range;

use crate::file::{ProcessSection, SystemFile};
use crate::problem::Findings;

/// What `parallel` says, or what holds if it is left out: whatever threads take by themselves, by
/// a word or by a ceiling that they publish, is atomic among those of which one runs at a time.
/// Refuses a process that wants both.
pub(crate) fn is_parallel(
    findings: &mut Findings,
    file: &SystemFile,
    process: &ProcessSection,
) -> bool {
    let needs = needs_turns(file, process);
    let Some((is_parallel, span)) = &process.parallel else {
        return needs.is_none();
    };
    if let (true, Some(why)) = (*is_parallel, needs) {
        refuse(findings, span.clone(), &why);
    }
    *is_parallel
}

/// Why no two threads of a process may run at the same time, if so.
fn needs_turns(file: &SystemFile, process: &ProcessSection) -> Option<String> {
    let name = process.name.get_ref();
    if process.code.is_posix {
        let why = "its library takes what is free without a call";
        return Some(format!("process `{name}` is written after POSIX: {why}"));
    }
    let uses = &process.grants.objects.uses;
    let private = uses.iter().find(|(kind, used, _)| {
        let mut objects = file.objects.iter();
        let is_it = |name: &String| name == used.get_ref();
        objects.any(|o| o.is_private && o.shape.kind() == *kind && is_it(o.name.get_ref()))
    });
    private.map(|(kind, used, _)| {
        let (kind, used) = (kind.name(), used.get_ref());
        format!(
            "process `{name}` uses {kind} `{used}`, which is private: its threads take it by a word"
        )
    })
}

fn refuse(findings: &mut Findings, span: Range<usize>, why: &str) {
    let reason = format!("{why}, so no two of its threads can run at the same time");
    findings.refuse(span, reason, "write `parallel = false`, or leave it out");
}

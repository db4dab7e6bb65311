//! Kernel configurations: which parts of the kernel there are.

use crate::file::SystemFile;
use crate::problem::Findings;

/// Those that can be built, the least first.
pub const CONFIGS: [&str; 6] = ["es", "es-load", "emeralds", "pse51", "all", "all-posix"];

/// What the first of several harts does: it runs threads too, or none.
pub(crate) const CONTROL: [&str; 2] = ["shared", "apart"];

/// The part that runs programs: a feature of the kernel's image, as the others.
pub(crate) const PROGRAMS: &str = "programs";
/// The part that replaces programs while the system runs.
pub(crate) const LOAD: &str = "load";
/// The part that has objects which threads synchronise by, and threads that are created.
pub(crate) const SERVICES: &str = "services";
/// The part that has objects which calls create and delete.
pub(crate) const SLOTS: &str = "slots";
/// The part to which threads tell which mutex they will lock next.
const HINTS: &str = "hints";
/// The part that has mailboxes.
pub(crate) const MAIL: &str = "mail";
/// The part that has shared memory, and supervisors of processes.
pub(crate) const PROCESSES: &str = "processes";
/// The part that POSIX asks for beyond those.
pub(crate) const POSIX: &str = "posix";

/// The parts of a configuration.
pub(crate) fn parts(config: &str) -> &'static [&'static str] {
    match config {
        "es-load" => &[PROGRAMS, LOAD],
        "emeralds" => &[SERVICES, SLOTS, HINTS, MAIL, PROCESSES],
        "pse51" => &[SERVICES, POSIX],
        "all" => &[PROGRAMS, LOAD, SERVICES, SLOTS, HINTS, MAIL, PROCESSES],
        "all-posix" => &[
            PROGRAMS, LOAD, SERVICES, SLOTS, HINTS, MAIL, PROCESSES, POSIX,
        ],
        _ => &[PROGRAMS],
    }
}

/// Whether a configuration has a part.
pub(crate) fn has(config: &str, part: &str) -> bool {
    parts(config).contains(&part)
}

/// The least configuration that has a part and all that a system file's has, as a
/// mend; one without programs need not run any.
pub(crate) fn mend(file: &SystemFile, part: &str) -> String {
    let config = file.kernel.config.get_ref();
    least(config, part, !file.programs.is_empty())
}

fn least(config: &str, part: &str, has_programs: bool) -> String {
    let mut present = parts(config)
        .iter()
        .filter(|p| has_programs || **p != PROGRAMS);
    let present: Vec<_> = present.by_ref().collect();
    let wanted = |other: &str| has(other, part) && present.iter().all(|p| has(other, p));
    let least = CONFIGS.into_iter().find(|other| wanted(other));
    let least = least.unwrap_or("all");
    format!("write `config = \"{least}\"` under [kernel]")
}

/// Only kernels that run programs know them.
pub(crate) fn check_programs(findings: &mut Findings, file: &SystemFile) {
    let config = file.kernel.config.get_ref();
    if has(config, PROGRAMS) {
        return;
    }
    for program in &file.programs {
        let name = program.name.get_ref();
        let reason = format!("configuration \"{config}\" runs no programs like `{name}`");
        findings.refuse(program.name.span(), reason, mend(file, PROGRAMS));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mend_adds_a_part_and_takes_none_away() {
        let write = |config| format!("write `config = \"{config}\"` under [kernel]");
        assert_eq!(least("es", LOAD, true), write("es-load"));
        assert_eq!(least("es", SERVICES, true), write("all"));
        assert_eq!(least("es", SERVICES, false), write("emeralds"));
        assert_eq!(least("es-load", SERVICES, true), write("all"));
        assert_eq!(least("emeralds", LOAD, true), write("all"));
        assert_eq!(least("emeralds", PROGRAMS, true), write("all"));
        assert_eq!(least("es", MAIL, false), write("emeralds"));
        assert_eq!(least("pse51", MAIL, false), write("all-posix"));
    }
}

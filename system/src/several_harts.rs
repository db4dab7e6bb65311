//! What a system cannot have on a board of several harts yet.

use crate::board::Board;
use crate::config::{self, POSIX};
use crate::file::SystemFile;
use crate::problem::Findings;

/// Refuses what is atomic among the threads of one hart only: words that threads take by
/// themselves, in POSIX processes and of private objects.
pub(crate) fn check(findings: &mut Findings, file: &SystemFile, board: &Board) {
    if board.harts == 1 {
        return;
    }
    let name = &board.name;
    let config = &file.kernel.config;
    if config::has(config.get_ref(), POSIX) {
        let reason = format!(
            "configuration \"{}\" has POSIX processes, and board {name} several harts",
            config.get_ref()
        );
        let mend = "take a board of one hart, or a configuration without POSIX";
        findings.refuse(config.span(), reason, mend);
    }
    for object in file.objects.iter().filter(|object| object.is_private) {
        let reason = format!(
            "`{}` is private: its threads take it by a word, as one hart runs them, and board \
             {name} has several",
            object.name.get_ref()
        );
        let mend = "leave `private` out: the kernel's own mutexes and semaphores are for any board";
        findings.refuse(object.name.span(), reason, mend);
    }
}

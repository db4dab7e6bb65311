//! `giornata debug`: a system, or the dump of one, under gdb.

use giornata_launch::{debug, project};

use crate::arguments::Debug;
use crate::report::{Report, Verdict};
use crate::run::{refuse, system};

pub(crate) fn run(arguments: &Debug, report: &mut Report) -> Verdict {
    let how = &arguments.how;
    let ran = match &how.from {
        Some(dump) => debug::open(dump, how),
        None => system(arguments.system.as_deref())
            .and_then(|system| debug::run(&project::title(&system), &system, how)),
    };
    match ran {
        Ok(_) => Verdict::Good,
        Err(why) => refuse(report, &why),
    }
}

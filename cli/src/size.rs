//! `giornata size [SYSTEM]`

use giornata_launch::image;
use giornata_system::Report as Account;
use serde_json::{Value, json};

use crate::arguments::Build;
use crate::report::{Report, Verdict};
use crate::run::{refuse, system};

/// Builds a system and tells where its memory goes.
pub(crate) fn run(arguments: &Build, report: &mut Report) -> Verdict {
    let built = system(arguments.system.as_deref()).and_then(|system| {
        let length = giornata_abi::Duration::from_millis(0);
        image::build(&system, arguments.board.as_deref(), length)
    });
    match built {
        Ok(image) => {
            report.say(image.report.to_string());
            tell(&image.report, report);
            Verdict::Good
        }
        Err(why) => refuse(report, &why),
    }
}

fn tell(account: &Account, report: &mut Report) {
    let processes = account.processes.iter().map(|process| {
        let usage = process.usage;
        json!({
            "name": process.name,
            "text": usage.text,
            "rodata": usage.rodata,
            "data": usage.data,
            "blocks": usage.blocks,
            "stacks": usage.stacks,
            "heap": usage.heap,
            "tables": usage.tables,
            "waste": usage.waste,
        })
    });
    let processes: Vec<Value> = processes.collect();
    report.tell("system", account.system.as_str());
    report.tell("board", account.board.as_str());
    report.tell("kernel", account.kernel);
    report.tell("kernel_hash", account.kernel_hash.as_str());
    report.tell("kernel_tables", account.kernel_tables);
    report.tell("trace", account.trace);
    report.tell("gaps", account.gaps);
    report.tell("free", account.free);
    report.tell("processes", processes);
}

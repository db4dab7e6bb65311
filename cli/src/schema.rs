//! `giornata schema`

use giornata_system::{BOARD, SYSTEM, reference, schema};

use crate::arguments::Schema;
use crate::report::{Report, Verdict, emit};

/// Prints the schema of a system file, or of a board's; or their reference for people.
pub(crate) fn run(arguments: &Schema, report: &mut Report) -> Verdict {
    if arguments.markdown {
        let page = reference(arguments.board);
        match report.is_json() {
            true => report.tell("reference", page),
            false => emit(page.as_bytes()),
        }
        return Verdict::Good;
    }
    let (title, table) = match arguments.board {
        true => ("Giornata: a board", &BOARD),
        false => ("Giornata: a system", &SYSTEM),
    };
    let schema = schema(title, table);
    match report.is_json() {
        true => report.tell("schema", schema),
        false => emit(format!("{schema:#}\n").as_bytes()),
    }
    Verdict::Good
}

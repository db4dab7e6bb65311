//! `giornata language-server`

use crate::complaint::Complaint;
use crate::report::{Report, Verdict};

/// Serves an editor until it says that it is done.
pub(crate) fn run(report: &mut Report) -> Verdict {
    match giornata_language_server::serve() {
        Ok(()) => Verdict::Good,
        Err(why) => {
            let help = "editors call it: see lang/editors/README.md";
            report.diagnose(Complaint::new(
                "giornata::language-server",
                why.to_string(),
                help,
            ));
            Verdict::BadInput
        }
    }
}

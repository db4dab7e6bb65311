//! `giornata analyze FILE` of a stream graph: what is known of it.

use std::path::Path;

use giornata_lang::Diagnostic;
use giornata_lang::sigma::{self, Analysis, Counters, Format, Graph, Model, vector_clocks};

use crate::arguments::Analyze;
use crate::compile;
use crate::complaint::Complaint;
use crate::input::Input;
use crate::report::{Report, Verdict};

mod json;
mod text;

/// Whether a file is a stream graph, by its extension.
pub(crate) fn is_graph(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("sigma" | "xml"))
}

/// What the findings about a graph come to.
pub(crate) fn verdict(diagnostics: &[Diagnostic]) -> Verdict {
    let unknown = giornata_lang::Code::from(sigma::Code::Unknown);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Verdict::BadInput;
    }
    match diagnostics.iter().any(|found| found.code == unknown) {
        true => Verdict::Unknown,
        false => Verdict::Good,
    }
}

/// Says whether a graph can run for ever, in how much room, how fast, and by which counters.
pub(crate) fn run(path: &Path, arguments: &Analyze, report: &mut Report) -> Verdict {
    report.tell("file", path.display().to_string());
    let input = Input::read(path).and_then(|input| match input {
        Input::Stream(text, format) => Ok((text, format)),
        // its bytes are those of a module
        _ => Err(not_a_graph(path)),
    });
    let input = input.and_then(|input| check_options(arguments).map(|()| input));
    let (text, format) = match input {
        Ok(input) => input,
        Err(complaint) => {
            report.diagnose(complaint);
            return Verdict::BadInput;
        }
    };
    let (answers, diagnostics) = sigma::analyze(&path.display().to_string(), &text, format);
    let verdict = verdict(&diagnostics);
    compile::show(diagnostics, report);
    if let Some((model, analysis)) = &answers {
        let told = Told {
            model,
            analysis,
            format,
        };
        json::tell(&told, report);
        report.say(text::show(&path.display().to_string(), &told));
    }
    verdict
}

fn not_a_graph(path: &Path) -> Complaint {
    let message = format!("{} is a module, not a stream graph", path.display());
    let help = "give modules the extension gmod";
    Complaint::new("giornata::not-a-graph", message, help)
}

/// Graphs have no jobs with deadlines, and so no schedulers to choose from.
fn check_options(arguments: &Analyze) -> Result<(), Complaint> {
    let given = [
        ("--strategy", arguments.strategy.is_some()),
        ("--wcet", arguments.wcet.is_some()),
        ("--board", arguments.board.is_some()),
    ];
    let Some((option, _)) = given.into_iter().find(|(_, is_given)| *is_given) else {
        return Ok(());
    };
    let message = format!("`{option}` means nothing to a stream graph");
    let help = "leave it out; times stand in the graph: `[wcet 2ms]`, or `executionTime` in XML";
    Err(Complaint::new("giornata::not-for-graphs", message, help))
}

/// What is rendered.
struct Told<'a> {
    model: &'a Model,
    analysis: &'a Analysis,
    format: Format,
}

impl Told<'_> {
    fn graph(&self) -> &Graph {
        &self.model.graph
    }

    fn name(&self, filter: usize) -> &str {
        let filter = self.graph().filters().get(filter);
        filter.map_or("", |filter| filter.name.as_str())
    }

    /// The capacities in which a kernel would run it.
    fn capacities(&self) -> Option<Vec<Option<u64>>> {
        let buffers = self.analysis.buffers.as_ref()?;
        Some(buffers.capacities().iter().copied().map(Some).collect())
    }

    /// Looks at the counters in those capacities.
    fn with_counters<T>(&self, look: impl FnOnce(&Counters<'_>) -> T) -> Option<T> {
        let capacities = self.capacities()?;
        let counters = Counters::of(self.graph(), &capacities).ok()?;
        Some(look(&counters))
    }

    /// The vector clocks in those capacities.
    fn clocks(&self) -> Option<Vec<Vec<sigma::clocks::Entry>>> {
        let repetition = self.analysis.repetition.as_ref()?;
        vector_clocks(self.graph(), repetition, &self.capacities()?).ok()
    }
}

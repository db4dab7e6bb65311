//! Sigma: stream programs as cyclo-static dataflow graphs.
//!
//! A program, or a graph of the tools SDF3, is read into a [`Model`], and [`analyze`]
//! tells all about it. The analyses are pure functions of a [`Graph`] and exact. They
//! follow each other: a graph is consistent or not ([`Repetition`]), a consistent one
//! is live or not ([`Liveness`]), a live one has capacities ([`least_live`],
//! [`fastest`]), a rate ([`rates`]) and the tables by which a kernel runs it
//! ([`Counters`], [`vector_clocks`]).
//!
//! ```
//! use giornata_lang::sigma::{Format, analyze};
//!
//! let text = "source a; sink z; channel a.out -> z.in : u8 initial 1;";
//! let (answers, diagnostics) = analyze("a.sigma", text, Format::Sigma);
//! let (_, analysis) = answers.unwrap();
//! assert!(diagnostics.is_empty() && analysis.is_live == Some(true));
//! ```

mod analysis;
mod bounds;
mod brackets;
pub mod clocks;
mod code;
pub mod counters;
mod cycle;
mod declarations;
mod dependency;
mod describe;
mod effort;
mod execution;
pub mod graph;
mod lexer;
mod liveness;
mod mend;
mod model;
mod parser;
mod ratio;
mod repetition;
mod sdf3;
mod semantics;
mod sequence;
mod sizing;
mod throughput;
mod tree;

pub use analysis::{Analysis, Buffers};
pub use bounds::{Capacities, least_live, lower_bounds};
pub use clocks::vector_clocks;
pub use code::Code;
pub use counters::Counters;
pub use dependency::{Dependency, dependencies};
pub use effort::{Beyond, MOST_INSTANCES, MOST_STEPS};
pub use execution::{Lack, Resource};
pub use graph::Graph;
pub use liveness::{Liveness, Starvation, Starved};
pub use model::Model;
pub use ratio::Ratio;
pub use repetition::{NoRepetition, Repetition};
pub use sizing::{Sized, fastest};
pub use throughput::{NoRate, Rate, Step, rates};

use crate::diagnostic::{Diagnostic, Findings};

/// What a text is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The language Sigma; times are in nanoseconds.
    Sigma,
    /// XML of the tools SDF3; times have no unit.
    Sdf3,
}

/// Reads a graph and answers all questions about it. Total: any text gives an answer
/// in bounded time. There is a model if the text describes a graph; what is wrong with
/// that, diagnostics say.
pub fn analyze(
    source_name: &str,
    source_text: &str,
    format: Format,
) -> (Option<(Model, Analysis)>, Vec<Diagnostic>) {
    let mut findings = Findings::default();
    let model = match format {
        Format::Sigma => read(source_text, &mut findings),
        Format::Sdf3 => sdf3::read(source_text, &mut findings),
    };
    let answers = model.map(|model| {
        let analysis = Analysis::of(&model, &mut findings);
        (model, analysis)
    });
    (answers, findings.finish(source_name, source_text))
}

fn read(text: &str, findings: &mut Findings) -> Option<Model> {
    let program = parser::parse(text, findings);
    match findings.has_errors() {
        true => None,
        false => semantics::check(&program, findings),
    }
}

/// All that [`analyze`] has to say, without its answers.
pub fn check(source_name: &str, source_text: &str, format: Format) -> Vec<Diagnostic> {
    analyze(source_name, source_text, format).1
}

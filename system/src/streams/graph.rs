//! From a program in Sigma to a graph that can run for ever.

use crate::file::{Spanned, SystemFile};
use crate::problem::{Problem, Refusal, utf8};
use giornata_lang::Diagnostic;
use giornata_lang::sigma::{self, Counters, Format};

/// A graph that is consistent and live, in capacities that suffice.
#[derive(Clone, Debug)]
pub struct StreamGraph {
    /// It.
    pub(super) model: sigma::Model,
    /// By channel.
    pub(super) capacities: Vec<u64>,
    /// What the compiler remarked.
    pub(crate) remarks: Vec<Diagnostic>,
}

/// What is wrong with a graph.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("{path} cannot run")]
struct Wrong {
    path: String,
    #[related]
    findings: Vec<Diagnostic>,
}

/// Reads the graph of a stream.
pub(crate) fn read(
    file: &SystemFile,
    source: &Spanned<String>,
) -> Result<StreamGraph, miette::Report> {
    let path = file.relative(source.get_ref());
    let refuse = |reason: String, mend: &str| {
        let problem = Problem::new(reason, mend).at(&file.source, source.span());
        miette::Report::from(Refusal::from(problem))
    };
    if path
        .extension()
        .is_none_or(|extension| extension != "sigma")
    {
        let reason = format!("{} is no program in Sigma", source.get_ref());
        return Err(refuse(reason, "give a `.sigma` program"));
    }
    let bytes = std::fs::read(&path).map_err(|error| {
        let reason = format!("cannot read {}: {error}", path.display());
        refuse(reason, "`source` is relative to the system file")
    })?;
    let text = utf8(&path, bytes).map_err(Refusal::from)?;
    let name = path.display().to_string();
    let (answers, findings) = sigma::analyze(&name, &text, Format::Sigma);
    let known = answers.and_then(|(model, analysis)| Some((model, analysis.buffers?)));
    let Some((model, buffers)) = known else {
        return Err(Wrong {
            path: name,
            findings,
        }
        .into());
    };
    let capacities = buffers.capacities().to_vec();
    let all: Vec<_> = capacities.iter().copied().map(Some).collect();
    if let Err(channel) = Counters::of(&model.graph, &all) {
        let reason = format!(
            "channel {} of {} needs more tokens than counters can count",
            model.graph.channel_name(channel),
            source.get_ref()
        );
        return Err(refuse(reason, "take smaller rates"));
    }
    Ok(StreamGraph {
        model,
        capacities,
        remarks: findings,
    })
}

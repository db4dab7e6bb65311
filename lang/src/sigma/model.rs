//! A graph and where its parts stand in the source.

use super::Code;
use super::graph::{Channel, Filter, Graph, GraphError};
use crate::diagnostic::{Findings, Span};

/// A graph with the places of its filters and channels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// The graph.
    pub graph: Graph,
    /// Of each filter the place of its name.
    pub(super) filters: Vec<Span>,
    /// Of each channel the place of its ends.
    pub(super) channels: Vec<Span>,
}

impl Model {
    /// A graph of checked filters and channels; if it is too big, that is reported.
    pub(super) fn new(
        filters: Vec<(Filter, Span)>,
        channels: Vec<(Channel, Span)>,
        findings: &mut Findings,
    ) -> Option<Model> {
        let (filters, filter_places): (Vec<_>, Vec<_>) = filters.into_iter().unzip();
        let (channels, channel_places): (Vec<_>, Vec<_>) = channels.into_iter().unzip();
        let place = |error: &GraphError| match error {
            GraphError::NoPosition(filter) => filter_places.get(*filter).copied(),
            GraphError::Misfit(channel) | GraphError::Overfull(channel) => {
                channel_places.get(*channel).copied()
            }
            GraphError::TooBig => filter_places.first().copied(),
        };
        match Graph::new(filters, channels) {
            Ok(graph) => Some(Model {
                graph,
                filters: filter_places,
                channels: channel_places,
            }),
            Err(error) => {
                let help = "split the program";
                let span = place(&error).unwrap_or_default();
                findings.report(Code::TooBig, span, error.to_string(), help);
                None
            }
        }
    }
}

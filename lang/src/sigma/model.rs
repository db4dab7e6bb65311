//! A graph and where its parts stand in the source.

use super::Code;
use super::graph::{Channel, Filter, Graph, GraphError};
use crate::diagnostic::{Findings, Span};

/// A graph with the places of its filters and channels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// The graph.
    pub graph: Graph,
    /// Of each filter the names of its ports, inputs and then outputs, each in the order of the
    /// program; none of a graph of SDF3.
    pub(super) ports: Vec<[Vec<String>; 2]>,
    /// Of each filter the place of its name.
    pub(super) filters: Vec<Span>,
    /// Of each channel the place of its ends.
    pub(super) channels: Vec<Span>,
}

impl Model {
    /// The channels at a filter's inputs and at its outputs, in the order in which the program
    /// declares its ports. Of a graph of SDF3 that is the order of the channels.
    pub fn channels_of(&self, filter: usize) -> [Vec<usize>; 2] {
        let channels = self.graph.channels();
        let order = self.ports.get(filter);
        let place = |side: usize, port: &str| {
            let names = order.map_or(&[][..], |names| &names[side]);
            names.iter().position(|name| name == port)
        };
        let mut inputs = self.graph.inputs(filter).to_vec();
        inputs.sort_by_key(|channel| place(0, &channels[*channel].to.port));
        let mut outputs = self.graph.outputs(filter).to_vec();
        outputs.sort_by_key(|channel| place(1, &channels[*channel].from.port));
        [inputs, outputs]
    }

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
                ports: Vec::new(),
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

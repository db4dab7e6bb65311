//! What the runtime of a process is told of its filters: see [`giornata_abi::filter`].

use crate::model::{Model, Process};
use crate::streams::{Does, Filter, Stream};
use giornata_abi::filter::{HEAD, PORT, does};

/// The words of the filters of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Words {
    /// They.
    pub(crate) words: Vec<u32>,
    /// By filter: its thread, and how many words are before its own.
    places: Vec<(u16, u32)>,
}

impl Words {
    /// Bytes before the words of a filter, by its thread.
    pub(crate) fn offset(&self, thread: u16) -> u32 {
        let mut places = self.places.iter();
        let found = places.find(|(own, _)| *own == thread);
        found.map_or(0, |(_, words)| 4 * words)
    }
}

/// The words of a process: `window` tells where each window lies, and `body` the functions of
/// the process.
pub(crate) fn words(
    model: &Model,
    process: u16,
    window: impl Fn(usize) -> u32,
    body: impl Fn(usize) -> u32,
) -> Words {
    let mut all = Words::default();
    let owner = &model.processes[usize::from(process)];
    for stream in &model.streams {
        for filter in stream.filters.iter().filter(|f| f.process == process) {
            all.places.push((filter.thread, all.words.len() as u32));
            add(&mut all.words, owner, (stream, filter), &window, &body);
        }
    }
    all
}

fn add(
    words: &mut Vec<u32>,
    owner: &Process,
    (stream, filter): (&Stream, &Filter),
    window: impl Fn(usize) -> u32,
    body: impl Fn(usize) -> u32,
) {
    let kind = match filter.does {
        Does::Calls => does::CALLS,
        Does::Copies => does::COPIES,
        Does::Deals => does::DEALS,
        Does::Permutes(_) => does::PERMUTES,
    };
    let [inputs, outputs] = [&filter.inputs, &filter.outputs].map(|ports| ports.len() as u32);
    let head: [u32; HEAD] = [kind, filter.positions.len() as u32, inputs, outputs];
    words.extend(head);
    let ports = filter.inputs.iter().chain(&filter.outputs);
    for (number, port) in ports.enumerate() {
        let channel = &stream.channels[*port];
        let (own, offset) = channel.place;
        let first = match number < filter.inputs.len() {
            true => 0,
            false => channel.initial % channel.capacity.max(1),
        };
        let rates = filter
            .positions
            .iter()
            .map(|position| position.rates[number]);
        let port: [u32; PORT] = [
            window(own).wrapping_add(offset),
            channel.capacity,
            channel.bytes,
            first,
            rates.fold(0, u32::wrapping_add),
        ];
        words.extend(port);
    }
    for position in &filter.positions {
        let function = owner.functions.position(&position.function);
        words.push(function.map_or(0, &body));
        words.extend(&position.rates);
    }
    if let Does::Permutes(places) = &filter.does {
        words.extend(places);
    }
}

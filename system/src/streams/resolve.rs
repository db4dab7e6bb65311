//! Filters of stream graphs get processes and threads.

use crate::config::{self, PROGRAMS};
use crate::file::{Spanned, SystemFile};
use crate::model::{Model, Thread};
use crate::names::ThreadRole;
use crate::problem::{Findings, suggest};
use crate::project::Project;
use crate::streams::{Channel, Does, Filter, Position, Stream, StreamGraph, StreamSection};
use crate::threads;
use giornata_abi::filter::MOST_PORTS;
use giornata_lang::sigma::Counters;
use giornata_lang::sigma::graph::Kind;

/// All streams, with the process of each filter.
pub(crate) fn resolve(findings: &mut Findings, project: &Project) -> Vec<Stream> {
    let file = &project.file;
    check_config(findings, file);
    let mut all = Vec::new();
    for (section, graph) in file.streams.iter().zip(&project.streams) {
        check_entries(findings, section, graph);
        let stream = stream(findings, file, section, graph);
        check_ports(findings, section, &stream);
        all.push(stream);
    }
    all
}

/// Only kernels that run programs run streams.
fn check_config(findings: &mut Findings, file: &SystemFile) {
    let config = file.kernel.config.get_ref();
    if config::has(config, PROGRAMS) {
        return;
    }
    for stream in &file.streams {
        let name = stream.name.get_ref();
        let reason = format!("configuration \"{config}\" runs no streams like `{name}`");
        findings.refuse(stream.name.span(), reason, config::mend(file, PROGRAMS));
    }
}

/// What is said of a filter is said of one that there is.
fn check_entries(findings: &mut Findings, section: &StreamSection, graph: &StreamGraph) {
    let known = || graph.model.graph.filters().iter().map(|f| f.name.as_str());
    for entry in &section.filters {
        let name = entry.name.get_ref();
        if !known().any(|filter| filter == name) {
            let source = section.source.get_ref();
            let reason = format!("there is no filter `{name}` in {source}");
            findings.refuse(entry.name.span(), reason, suggest(name, known()));
        }
    }
}

fn check_ports(findings: &mut Findings, section: &StreamSection, stream: &Stream) {
    for filter in &stream.filters {
        let ports = filter.inputs.len() + filter.outputs.len();
        if ports > MOST_PORTS {
            let reason = format!("filter `{}` has {ports} ports", filter.name);
            let mend = format!("{MOST_PORTS} are the most of a filter that runs: split it");
            findings.refuse(section.source.span(), reason, mend);
        }
    }
}

fn stream(
    findings: &mut Findings,
    file: &SystemFile,
    section: &StreamSection,
    graph: &StreamGraph,
) -> Stream {
    let model = &graph.model;
    let capacities: Vec<_> = graph.capacities.iter().copied().map(Some).collect();
    let channels = model.graph.channels().iter().enumerate();
    let channels = channels.map(|(number, channel)| Channel {
        name: model.graph.channel_name(number),
        element: channel.token.element.clone(),
        count: channel.token.count,
        filters: [channel.from.filter, channel.to.filter],
        bytes: channel.token.bytes().unwrap_or(0) as u32,
        capacity: graph.capacities[number] as u32,
        initial: channel.initial as u32,
        place: (0, 0),
    });
    let mut stream = Stream {
        name: section.name.get_ref().clone(),
        source: section.source.get_ref().clone(),
        channels: channels.collect(),
        filters: Vec::new(),
        balances: Vec::new(),
    };
    // (the graph was refused if it has none)
    let Ok(counters) = Counters::of(&model.graph, &capacities) else {
        return stream;
    };
    let balances = counters.dependencies.iter().zip(&counters.balances);
    stream.balances = balances
        .map(|(dependency, balance)| (dependency.taker, *balance))
        .collect();
    for (number, filter) in model.graph.filters().iter().enumerate() {
        let [inputs, outputs] = model.channels_of(number);
        let increments = &counters.increments[number];
        let does = does(&filter.kind);
        let functions = functions(filter, &does);
        let all = model.graph.channels();
        let positions = functions.into_iter().enumerate().map(|(at, function)| {
            let taken = inputs.iter().map(|channel| all[*channel].to.rates[at]);
            let put = outputs.iter().map(|channel| all[*channel].from.rates[at]);
            let own = increments[at].iter();
            Position {
                function,
                rates: taken.chain(put).collect(),
                increments: own.map(|own| (own.dependency, own.change)).collect(),
            }
        });
        stream.filters.push(Filter {
            name: filter.name.clone(),
            process: process(findings, file, section, &filter.name),
            thread: 0,
            positions: positions.collect(),
            does,
            inputs,
            outputs,
        });
    }
    stream
}

fn does(kind: &Kind) -> Does {
    match kind {
        Kind::Code | Kind::Source | Kind::Sink => Does::Calls,
        Kind::Duplicate => Does::Copies,
        Kind::Split | Kind::Join => Does::Deals,
        Kind::Permute(places) => Does::Permutes(places.clone()),
    }
}

/// The functions of a filter, by position. Those of a source or a sink are called as a filter's
/// are that names none.
fn functions(filter: &giornata_lang::sigma::graph::Filter, does: &Does) -> Vec<String> {
    let count = filter.positions.len();
    let positions = filter.positions.iter().enumerate();
    let functions = positions.map(|(number, position)| match &position.function {
        _ if *does != Does::Calls => String::new(),
        Some(function) => function.clone(),
        None if count == 1 => filter.name.clone(),
        None => format!("{}_{number}", filter.name),
    });
    functions.collect()
}

/// The process of a filter.
fn process(
    findings: &mut Findings,
    file: &SystemFile,
    section: &StreamSection,
    filter: &str,
) -> u16 {
    let own = section
        .entry(filter)
        .and_then(|entry| entry.process.as_ref());
    let Some(name) = own.or(section.process.as_ref()) else {
        let reason = format!(
            "no process runs filter `{filter}` of stream `{}`",
            section.name.get_ref()
        );
        let mend = "add `process = \"...\"`, or name one for this filter under `filters`";
        findings.refuse(section.name.span(), reason, mend);
        return 0;
    };
    let names = || {
        file.processes
            .iter()
            .map(|process| process.name.get_ref().as_str())
    };
    match names().position(|process| process == name.get_ref()) {
        Some(index) => index as u16,
        None => {
            // (a name that many filters take is told once)
            let reason = format!("there is no process `{}`", name.get_ref());
            findings.refuse(name.span(), reason, suggest(name.get_ref(), names()));
            0
        }
    }
}

/// The threads of the filters that a process runs.
pub(crate) fn add_threads(
    findings: &mut Findings,
    project: &Project,
    process: u16,
    stack: &Spanned<u64>,
    model: &mut Model,
) {
    let mut threads = Vec::new();
    let first = model.threads.len() as u16;
    for (stream, section) in model.streams.iter_mut().zip(&project.file.streams) {
        for filter in stream.filters.iter_mut().filter(|f| f.process == process) {
            filter.thread = first + threads.len() as u16;
            let entry = section.entry(&filter.name);
            let budget = entry.and_then(|entry| entry.budget.as_ref());
            let budget = budget.or(section.budget.as_ref());
            let own = entry.and_then(|entry| entry.stack.as_ref());
            let stack = own.or(section.stack.as_ref()).unwrap_or(stack);
            threads.push(Thread {
                name: filter.name.clone(),
                role: ThreadRole::Filter,
                function: filter.positions[0].function.clone(),
                budget: budget.map_or(0, |budget| *budget.get_ref()),
                stack: threads::stack_bytes(findings, stack),
                ..threads::blank(process)
            });
        }
    }
    model.threads.extend(threads);
}

//! What is known of a graph, for programs.

use giornata_lang::sigma::clocks::Entry;
use giornata_lang::sigma::counters::Increment;
use giornata_lang::sigma::graph::{Channel, End, Filter};
use giornata_lang::sigma::{Format, NoRate, Rate, Resource};
use serde_json::{Value, json};

use super::Told;
use super::text::why;
use crate::report::Report;

/// Adds everything to the results.
pub(super) fn tell(told: &Told<'_>, report: &mut Report) {
    let analysis = told.analysis;
    report.tell("consistent", analysis.is_consistent);
    report.tell("live", analysis.is_live);
    report.tell(
        "unit_of_time",
        match told.format {
            Format::Sigma => "ns",
            Format::Sdf3 => "none",
        },
    );
    report.tell("filters", filters(told));
    report.tell("channels", channels(told));
    if let Some(buffers) = &analysis.buffers {
        report.tell("least_rates", rates(told, &buffers.rates));
        let fastest = buffers.fastest.as_ref().map(|sized| sized.rates.clone());
        report.tell("fastest_rates", rates(told, &fastest.map_err(|why| *why)));
        let is_minimal = buffers.fastest.as_ref().map(|sized| sized.are_minimal);
        report.tell("least_is_minimal", buffers.are_minimal);
        report.tell("fastest_is_minimal", is_minimal.ok());
    }
    report.tell("counters", counters(told));
    report.tell("clocks", clocks(told));
}

fn filters(told: &Told<'_>) -> Value {
    let repetition = told.analysis.repetition.as_ref();
    let starvation = told.analysis.starvation.as_ref();
    let one = |(number, filter): (usize, &Filter)| {
        let functions = filter.positions.iter().map(|p| p.function.clone());
        let times = filter.positions.iter().map(|p| p.wcet);
        json!({
            "name": filter.name,
            "kind": filter.kind.name(),
            "functions": functions.collect::<Vec<_>>(),
            "wcet": times.collect::<Vec<_>>(),
            "cycles": repetition.map(|r| r.cycles()[number]),
            "instances": repetition.map(|r| r.instances()[number]),
            "component": repetition.map(|r| r.components()[number]),
            "ended_when_it_stopped": starvation.map(|s| s.ended[number]),
        })
    };
    told.graph().filters().iter().enumerate().map(one).collect()
}

fn channels(told: &Told<'_>) -> Value {
    let buffers = told.analysis.buffers.as_ref();
    let starvation = told.analysis.starvation.as_ref();
    let end = |end: &End| json!({ "filter": told.name(end.filter), "port": end.port, "rates": end.rates });
    let one = |(number, channel): (usize, &Channel)| {
        let fastest = buffers.and_then(|b| b.fastest.as_ref().ok());
        json!({
            "name": told.graph().channel_name(number),
            "from": end(&channel.from),
            "to": end(&channel.to),
            "type": channel.token.to_string(),
            "token_bytes": channel.token.bytes(),
            "initial": channel.initial,
            "capacity": channel.capacity,
            "lower_bound": buffers.and_then(|b| b.lower[number]),
            "least": buffers.map(|b| b.least[number]),
            "fastest": fastest.map(|sized| sized.capacities[number]),
            "tokens_when_it_stopped": starvation.map(|s| s.levels[number]),
        })
    };
    told.graph()
        .channels()
        .iter()
        .enumerate()
        .map(one)
        .collect()
}

/// The rate of each component, or why there is none. A period is a fraction: it is
/// text, so that it stays exact.
fn rates(told: &Told<'_>, rates: &Result<Vec<Rate>, NoRate>) -> Value {
    let rates = match rates {
        Ok(rates) => rates,
        Err(none) => return json!({ "unknown": why(told, none) }),
    };
    let one = |rate: &Rate| {
        let steps = rate.cycle.iter().map(|step| {
            let waits = step.waits;
            json!({
                "filter": told.name(step.filter),
                "instance": step.instance,
                "waits_for": waits.map_or("end", |(_, resource)| word(resource)),
                "channel": waits.map(|(channel, _)| told.graph().channel_name(channel)),
            })
        });
        json!({
            "period": rate.period.to_string(),
            "limited_by": steps.collect::<Vec<_>>(),
        })
    };
    rates.iter().map(one).collect()
}

fn word(resource: Resource) -> &'static str {
    match resource {
        Resource::Tokens => "tokens",
        Resource::Room => "room",
    }
}

fn counters(told: &Told<'_>) -> Value {
    let counters = told.with_counters(|counters| {
        let balances = counters.dependencies.iter().zip(&counters.balances);
        let dependencies = balances.map(|(dependency, balance)| {
            json!({
                "channel": told.graph().channel_name(dependency.channel),
                "of": word(dependency.resource),
                "waits": told.name(dependency.taker),
                "for": told.name(dependency.giver),
                "balance": balance,
            })
        });
        let starts = counters.counters.iter().zip(&counters.increments);
        let filters = starts.enumerate().map(|(filter, (counter, positions))| {
            let pairs = |position: &Vec<Increment>| -> Value {
                let pair = |i: &Increment| json!([i.dependency, i.change]);
                position.iter().map(pair).collect()
            };
            json!({
                "name": told.name(filter),
                "counter": counter,
                "increments": positions.iter().map(pairs).collect::<Vec<_>>(),
            })
        });
        json!({
            "dependencies": dependencies.collect::<Vec<_>>(),
            "filters": filters.collect::<Vec<_>>(),
        })
    });
    counters.unwrap_or(Value::Null)
}

fn clocks(told: &Told<'_>) -> Value {
    let Some(clocks) = told.clocks() else {
        return Value::Null;
    };
    let one = |(filter, entries): (usize, &Vec<Entry>)| {
        let entries = entries.iter().map(|entry| {
            json!({
                "for": told.name(entry.filter),
                "start": entry.start,
                "increments": entry.increments,
            })
        });
        json!({ "name": told.name(filter), "entries": entries.collect::<Vec<_>>() })
    };
    clocks.iter().enumerate().map(one).collect()
}

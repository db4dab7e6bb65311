//! What is known of a graph, for people.

use std::fmt::Write as _;

use giornata_abi::Duration;
use giornata_analysis::timeline;
use giornata_lang::sigma::{Buffers, Counters, Format, NoRate, Rate, Ratio, Repetition, Resource};

use super::Told;

/// Lines of a table of counters; programs get all.
const MOST_LINES: usize = 64;
/// Filters of a cycle.
const MOST_STEPS: usize = 8;

/// All that is known.
pub(super) fn show(file: &str, told: &Told<'_>) -> String {
    let mut text = format!("{file}: {}\n", summary(told));
    if let Some(repetition) = &told.analysis.repetition {
        text += &filters(told, repetition);
    }
    if let Some(starvation) = &told.analysis.starvation {
        text += &stopped(told, &starvation.levels);
    }
    if let Some(buffers) = &told.analysis.buffers {
        text += &channels(told, buffers);
        text += &throughput(told, buffers);
    }
    text += &told
        .with_counters(|found| counters(told, found))
        .unwrap_or_default();
    text
}

fn summary(told: &Told<'_>) -> String {
    let analysis = told.analysis;
    let filters = told.graph().filters().len();
    let answers = match (analysis.is_consistent, analysis.is_live) {
        (Some(true), Some(true)) => "consistent and live",
        (Some(true), Some(false)) => "consistent, not live",
        (Some(true), None) => "consistent, whether it is live is unknown",
        (Some(false), _) => "inconsistent",
        (None, _) => "unknown",
    };
    match &analysis.repetition {
        Some(repetition) => {
            let instances = repetition.total();
            format!("{answers}; {filters} filters, {instances} instances in an iteration")
        }
        None => format!("{answers}; {filters} filters"),
    }
}

/// How wide a column of filters is.
fn filter_width(told: &Told<'_>) -> usize {
    let names = told.graph().filters().iter();
    let widths = names.map(|filter| filter.name.chars().count());
    widths.max().unwrap_or(0).clamp(8, 40)
}

/// How wide a column of channels is.
fn channel_width(told: &Told<'_>) -> usize {
    let channels = 0..told.graph().channels().len();
    let widths = channels.map(|channel| told.graph().channel_name(channel).chars().count());
    widths.max().unwrap_or(0).clamp(10, 60)
}

/// The repetition vector.
fn filters(told: &Told<'_>, repetition: &Repetition) -> String {
    let wide = filter_width(told);
    let mut text = format!(
        "\n{:<wide$} {:<8} {:>9} {:>8} {:>10} {:>12}\n",
        "filter", "kind", "positions", "cycles", "instances", "busy"
    );
    for (number, filter) in told.graph().filters().iter().enumerate() {
        let cycles = repetition.cycles()[number];
        let times = filter.positions.iter().map(|p| p.wcet.map(u128::from));
        let busy = times
            .sum::<Option<u128>>()
            .and_then(|time| time.checked_mul(cycles.into()));
        let busy = busy.map_or("-".to_owned(), |busy| time(told, Ratio::whole(busy)));
        let _ = writeln!(
            text,
            "{:<wide$} {:<8} {:>9} {cycles:>8} {:>10} {busy:>12}",
            filter.name,
            filter.kind.name(),
            filter.positions.len(),
            repetition.instances()[number],
        );
    }
    text
}

/// Where tokens lie in a graph that has stopped.
fn stopped(told: &Told<'_>, levels: &[u64]) -> String {
    let wide = channel_width(told);
    let mut text = format!("\n{:<wide$} {:>8} {:>8}\n", "channel", "capacity", "tokens");
    for (number, channel) in told.graph().channels().iter().enumerate() {
        let capacity = channel.capacity.map_or("-".to_owned(), |c| c.to_string());
        let name = told.graph().channel_name(number);
        let _ = writeln!(text, "{name:<wide$} {capacity:>8} {:>8}", levels[number]);
    }
    text
}

/// The bounds of each channel, and the memory that they make together.
fn channels(told: &Told<'_>, buffers: &Buffers) -> String {
    let wide = channel_width(told);
    let mut text = format!(
        "\n{:<wide$} {:<10} {:>8} {:>8} {:>8} {:>8}\n",
        "channel", "token", "given", "bound", "least", "fastest"
    );
    let fastest = buffers.fastest.as_ref().ok().map(|sized| &sized.capacities);
    let cell = |number: Option<u64>| number.map_or("-".to_owned(), |number| number.to_string());
    for (number, channel) in told.graph().channels().iter().enumerate() {
        let _ = writeln!(
            text,
            "{:<wide$} {:<10} {:>8} {:>8} {:>8} {:>8}",
            told.graph().channel_name(number),
            channel.token.to_string(),
            cell(channel.capacity),
            cell(buffers.lower[number]),
            buffers.least[number],
            cell(fastest.map(|all| all[number])),
        );
    }
    let least = bytes(told, &buffers.least);
    let fastest = fastest.map(|all| bytes(told, all));
    if let (Some(least), Some(fastest)) = (least, fastest.flatten().or(least)) {
        let _ = writeln!(
            text,
            "memory: {least} bytes at least, {fastest} for the fastest"
        );
    }
    let are_minimal = buffers
        .fastest
        .as_ref()
        .map_or(true, |sized| sized.are_minimal);
    if !buffers.are_minimal || !are_minimal {
        text += "the graph is large: less room may do as well\n";
    }
    text
}

/// Bytes of all buffers, if the sizes of all types are known.
fn bytes(told: &Told<'_>, capacities: &[u64]) -> Option<u128> {
    let channels = told.graph().channels().iter().zip(capacities);
    let each = channels.map(|(channel, capacity)| {
        let bytes = u128::from(channel.token.bytes()?);
        Some(bytes * u128::from(*capacity))
    });
    each.sum()
}

fn throughput(told: &Told<'_>, buffers: &Buffers) -> String {
    let fastest = match &buffers.fastest {
        Ok(sized) => &sized.rates,
        Err(none) => {
            let mut text = format!("\nfastest: unknown, {}\n", why(told, none));
            for rate in buffers.rates.iter().flatten() {
                let _ = writeln!(
                    text,
                    "an iteration takes {} in the least room",
                    pace(told, rate.period)
                );
            }
            return text;
        }
    };
    let mut text = "\n".to_owned();
    let least = buffers.rates.iter().flatten();
    for (component, (rate, least)) in fastest.iter().zip(least).enumerate() {
        if fastest.len() > 1 {
            let _ = write!(text, "component of {}: ", first_of(told, component));
        }
        let _ = writeln!(
            text,
            "an iteration takes {}, in the least room {}",
            pace(told, rate.period),
            pace(told, least.period)
        );
        text += &limit(told, rate);
    }
    text
}

/// The first filter of a component.
fn first_of<'a>(told: &'a Told<'_>, component: usize) -> &'a str {
    let repetition = told.analysis.repetition.as_ref();
    let components = repetition.map_or(&[][..], |repetition| repetition.components());
    let first = components.iter().position(|own| *own == component);
    told.name(first.unwrap_or(0))
}

/// The cycle that makes an iteration take so long.
fn limit(told: &Told<'_>, rate: &Rate) -> String {
    let mut filters: Vec<usize> = rate.cycle.iter().map(|step| step.filter).collect();
    filters.sort_unstable();
    filters.dedup();
    let names: Vec<&str> = filters
        .iter()
        .take(MOST_STEPS)
        .map(|f| told.name(*f))
        .collect();
    let mut names = names.join(", ");
    if filters.len() > MOST_STEPS {
        names += ", ...";
    }
    match filters.len() {
        0 => String::new(),
        1 => format!("    which is the time of {names} itself\n"),
        _ => {
            let room = rate.cycle.iter().filter_map(|step| step.waits);
            let room = room
                .filter(|(_, resource)| *resource == Resource::Room)
                .map(|(c, _)| c);
            let mut room: Vec<usize> = room.collect();
            room.sort_unstable();
            room.dedup();
            let rooms = room
                .iter()
                .take(MOST_STEPS)
                .map(|c| told.graph().channel_name(*c));
            let rooms: Vec<String> = rooms.collect();
            match rooms.is_empty() {
                true => format!("    for {names} wait for each other's tokens\n"),
                false => format!(
                    "    for {names} wait for each other, for room in {}\n",
                    rooms.join(", ")
                ),
            }
        }
    }
}

/// Why a rate is unknown.
pub(super) fn why(told: &Told<'_>, none: &NoRate) -> String {
    match none {
        NoRate::Untimed(filter) => {
            let name = told.name(*filter);
            format!("`{name}` has no worst-case execution time")
        }
        NoRate::Beyond(beyond) => beyond.to_string(),
    }
}

/// A time, and of a program in nanoseconds how often in a second that is.
fn pace(told: &Told<'_>, period: Ratio) -> String {
    if period == Ratio::whole(0) {
        return "no time".to_owned();
    }
    let shown = time(told, period);
    match told.format {
        Format::Sigma => format!("{shown} ({:.1} in a second)", 1e9 / period.to_f64()),
        Format::Sdf3 => shown,
    }
}

fn time(told: &Told<'_>, time: Ratio) -> String {
    let whole = u64::try_from(time.numerator()).ok();
    match (told.format, whole.filter(|_| time.denominator() == 1)) {
        (Format::Sigma, Some(nanos)) => timeline::show(Duration(nanos)),
        (Format::Sigma, None) => format!("{time} ns"),
        (Format::Sdf3, _) => time.to_string(),
    }
}

/// The tables by which a kernel runs the graph.
fn counters(told: &Told<'_>, counters: &Counters<'_>) -> String {
    let (narrow, wide) = (filter_width(told), channel_width(told));
    let mut text = format!(
        "\n{:>3} {:<narrow$} {:<7} {:<wide$} {:>8}\n",
        "", "waiting", "for", "in channel", "balance"
    );
    let dependencies = counters
        .dependencies
        .iter()
        .zip(&counters.balances)
        .enumerate();
    for (number, (dependency, balance)) in dependencies.take(MOST_LINES) {
        let resource = match dependency.resource {
            Resource::Tokens => "tokens",
            Resource::Room => "room",
        };
        let channel = told.graph().channel_name(dependency.channel);
        let waiting = told.name(dependency.taker);
        let _ = writeln!(
            text,
            "{number:>3} {waiting:<narrow$} {resource:<7} {channel:<wide$} {balance:>8}"
        );
    }
    text += &more(counters.dependencies.len());
    let _ = writeln!(
        text,
        "\n{:<narrow$} {:>7} {:>8}  increments at its end",
        "filter", "counter", "position"
    );
    let mut lines = 0;
    for (filter, positions) in counters.increments.iter().enumerate() {
        for (position, increments) in positions.iter().enumerate() {
            lines += 1;
            if lines > MOST_LINES {
                continue;
            }
            let (name, counter) = match position {
                0 => (told.name(filter), counters.counters[filter].to_string()),
                _ => ("", String::new()),
            };
            let changes = increments
                .iter()
                .map(|i| format!("{}: {:+}", i.dependency, i.change));
            let changes: Vec<String> = changes.collect();
            let line = format!(
                "{name:<narrow$} {counter:>7} {position:>8}  {}",
                changes.join(", ")
            );
            text += line.trim_end();
            text += "\n";
        }
    }
    text + &more(lines)
}

fn more(lines: usize) -> String {
    match lines.saturating_sub(MOST_LINES) {
        0 => String::new(),
        more => format!("... and {more} more: `--json` has all\n"),
    }
}

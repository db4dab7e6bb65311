//! What is wrong with a graph, in the words of its source.

use super::Code;
use super::effort::Beyond;
use super::execution::Resource;
use super::graph::{MOST_TOKENS, sum};
use super::liveness::{Starvation, Starved};
use super::mend;
use super::model::Model;
use super::repetition::{NoRepetition, Repetition};
use crate::diagnostic::{Diagnostic, Span};

/// So many filters of a cycle are told.
const TOLD: usize = 6;

/// A graph whose channels do not agree, or ask for numbers that are too large.
pub(super) fn no_repetition(model: &Model, found: &NoRepetition) -> Diagnostic {
    let filters = model.graph.filters();
    let (channel, asked, others) = match found {
        NoRepetition::Inconsistent {
            channel,
            asked,
            others,
        } => (*channel, asked, others),
        NoRepetition::TooLarge { filter } => {
            let name = &filters[*filter].name;
            let message = format!("an iteration with `{name}` is longer than 64 bits can count");
            let help = "give its channels rates with common divisors";
            return Diagnostic::new(Code::Unknown, model.filters[*filter], message, help);
        }
    };
    let ends = &model.graph.channels()[channel];
    let (from, to) = (
        &filters[ends.from.filter].name,
        &filters[ends.to.filter].name,
    );
    let span = model.channels[channel];
    if ends.from.filter == ends.to.filter {
        let (puts, takes) = (sum(&ends.from.rates), sum(&ends.to.rates));
        let message = format!(
            "in each cycle `{from}` puts {puts} tokens into this channel and takes {takes}"
        );
        let help = "a filter must take from itself what it puts";
        return Diagnostic::new(Code::Inconsistent, span, message, help);
    }
    let message = format!(
        "here `{from}` and `{to}` run {} : {} times, by the channels before {} : {}",
        asked.0,
        asked.1,
        others.numerator(),
        others.denominator()
    );
    let help = "as it is, tokens pile up here without end or run out: change the rates of this channel or of those before it until they agree";
    Diagnostic::new(Code::Inconsistent, span, message, help)
}

/// A graph that stops.
pub(super) fn starvation(model: &Model, repetition: &Repetition, found: &Starvation) -> Diagnostic {
    let is_room = |starved: &&Starved| starved.lack.resource == Resource::Room;
    let room = found.cycle.iter().find(is_room);
    let cycle = tell(model, &found.cycle);
    let named = room.or(found.cycle.first());
    let Some(Starved { filter, lack }) = named else {
        return beyond(model, &Beyond::Numbers);
    };
    let channel = &model.graph.channels()[lack.channel];
    let span = model.channels[lack.channel];
    let mut told = match (lack.resource, channel.capacity) {
        (Resource::Room, Some(capacity)) => {
            let message = format!("a capacity of {capacity} is too small here: {cycle}");
            let help = match mend::capacity(&model.graph, repetition, lack.channel) {
                Some(least) => {
                    format!("with a capacity of {least} it runs; without one the analysis chooses")
                }
                None => "leave capacities out to have them chosen: this one is not the only one that is too small".to_owned(),
            };
            Diagnostic::new(Code::Capacity, span, message, help)
        }
        _ => {
            let message = format!("the graph stops: {cycle}");
            let help = match mend::initial(&model.graph, repetition, lack.channel) {
                Some(least) => format!(
                    "put initial tokens into one of these channels: with `initial {least}` here it runs"
                ),
                None => "put initial tokens into one of these channels, and into one of each other ring that waits".to_owned(),
            };
            Diagnostic::new(Code::Starved, span, message, help)
        }
    };
    let waits = |filter: usize| format!("`{}` waits here", model.graph.filters()[filter].name);
    told = told.labelled(waits(*filter));
    for other in found
        .cycle
        .iter()
        .filter(|other| other.lack != *lack)
        .take(TOLD)
    {
        told = told.also(model.channels[other.lack.channel], waits(other.filter));
    }
    told
}

/// `` `a` waits for 1 token of `b`, `b` for room at `a` ``, and so on.
fn tell(model: &Model, cycle: &[Starved]) -> String {
    let name = |filter: usize| &model.graph.filters()[filter].name;
    let mut told: Vec<String> = Vec::new();
    for Starved { filter, lack } in cycle.iter().take(TOLD) {
        let channel = &model.graph.channels()[lack.channel];
        let what = match lack.resource {
            Resource::Tokens => format!(
                "{} of `{}`",
                tokens(lack.missing),
                name(channel.from.filter)
            ),
            Resource::Room => {
                format!(
                    "room for {} to `{}`",
                    tokens(lack.missing),
                    name(channel.to.filter)
                )
            }
        };
        told.push(format!("`{}` waits for {what}", name(*filter)));
    }
    if let Some(more @ 1..) = cycle.len().checked_sub(TOLD) {
        told.push(format!("and {more} more wait in turn for the first"));
    }
    told.join(", ")
}

fn tokens(count: u64) -> String {
    match count {
        1 => "1 token".to_owned(),
        _ => format!("{count} tokens"),
    }
}

/// A channel that needs more room than counters can count.
pub(super) fn too_large(model: &Model, channel: usize) -> Diagnostic {
    let message = format!("this channel needs room for more than {MOST_TOKENS} tokens");
    let help = "make its tokens larger and its rates smaller";
    Diagnostic::new(Code::Unknown, model.channels[channel], message, help)
}

/// A graph that is too large for an answer.
pub(super) fn beyond(model: &Model, beyond: &Beyond) -> Diagnostic {
    let span = model.filters.first().copied().unwrap_or_else(Span::default);
    let message = format!("the graph is too large to be analysed: {beyond}");
    let help = "give its channels rates with common divisors, or split it";
    Diagnostic::new(Code::Unknown, span, message, help)
}

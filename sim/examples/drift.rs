//! Releases a task again and again in virtual time, under the real kernel, and
//! checks each instant: the k-th lies at round(k P / f) exactly.
//!
//! `cargo run --release -p giornata-sim --example drift -- --releases 1000000000`

#[path = "../tests/drift/releases.rs"]
mod releases;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let count = match (arguments.next().as_deref(), arguments.next()) {
        (None, _) => Some(1_000_000),
        (Some("--releases"), Some(count)) => count.parse().ok().filter(|count| *count > 0),
        _ => None,
    };
    let Some(count) = count else {
        eprintln!("usage: drift [--releases COUNT]");
        return ExitCode::from(2);
    };
    let (hertz, period, frequency) = (9_999_991, 10_000_000, 7);
    let outcome = releases::release(count, hertz, period, frequency);
    println!(
        "{} releases, {period} ns / {frequency} apart, timer of {hertz} Hz: {} not at their instants, \
         at most {} ticks late",
        outcome.releases, outcome.wrong, outcome.latest_ticks
    );
    ExitCode::from(u8::from(outcome.wrong != 0 || outcome.releases != count))
}

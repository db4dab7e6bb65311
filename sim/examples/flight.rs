//! Flies the example flight-control in the simulator and prints its port
//! trace, one write a line: instant in ns, port, value in hexadecimal. With a file of
//! execution times, which says of each job that completed its thread, its number and its
//! nanoseconds, prints what the kernel decides then.
//!
//! `cargo run -p giornata-sim --example flight -- system 10000` flies
//! `examples/flight-control/system.toml` for 10,000 ms; a whole path names a
//! system file of the same processes elsewhere.

#[path = "../tests/flight/system.rs"]
mod system;

use giornata_abi::{Duration, Instant};
use giornata_sim::Work;
use giornata_trace::{decision_trace, port_trace};
use std::collections::BTreeMap;
use std::io::Write;

/// Longer than any job may take: of one that did not complete.
const ENDLESS: Duration = Duration::from_millis(3_600_000);

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().unwrap_or_else(|| "system".into());
    let millis = arguments.next().and_then(|text| text.parse().ok());
    let until = Instant::START + Duration::from_millis(millis.unwrap_or(10_000));
    let flight = system::Flight::open(&file);
    let mut out = std::io::stdout().lock();
    if let Some(times) = arguments.next() {
        for decision in decisions(&flight, until, &std::fs::read_to_string(times)?) {
            writeln!(out, "{decision}")?;
        }
        return Ok(());
    }
    let durations = |work, _| match work {
        Work::Job(_) => Duration::from_micros(50),
        Work::Upcall(_) => Duration::from_micros(1),
    };
    let events = flight.record(&flight.system, until, durations);
    assert!(
        !events.iter().any(system::is_trouble),
        "the simulated flight is in time"
    );
    for write in port_trace(&events, &flight.names) {
        write!(out, "{} {} ", write.at.0, write.port)?;
        write
            .value
            .iter()
            .try_for_each(|byte| write!(out, "{byte:02x}"))?;
        writeln!(out)?;
    }
    Ok(())
}

/// What is decided when jobs take these times.
fn decisions(flight: &system::Flight, until: Instant, times: &str) -> Vec<String> {
    let line = |line: &str| {
        let mut words = line
            .split(' ')
            .map(|word| word.parse::<u64>().expect("a number"));
        let [thread, number, nanos] = [(); 3].map(|()| words.next().expect("three words"));
        ((thread as u16, number as u32), Duration(nanos))
    };
    let times: BTreeMap<(u16, u32), Duration> = times.lines().map(line).collect();
    let durations = |work, number| match work {
        Work::Job(thread) => times.get(&(thread, number)).copied().unwrap_or(ENDLESS),
        Work::Upcall(_) => Duration::from_micros(1),
    };
    let events = flight.record(&flight.system, until, durations);
    decision_trace(&events, &flight.names)
}

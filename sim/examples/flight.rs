//! Flies the example flight-control in the simulator and prints its port
//! trace, one write a line: instant in ns, port, value in hexadecimal.
//!
//! `cargo run -p giornata-sim --example flight -- system 10000` flies
//! `examples/flight-control/system.toml` for 10,000 ms; a whole path names a
//! system file of the same processes elsewhere.

#[path = "../tests/flight/system.rs"]
mod system;

use giornata_abi::{Duration, Instant};
use giornata_sim::Work;
use giornata_trace::port_trace;
use std::io::Write;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().unwrap_or_else(|| "system".into());
    let millis = arguments
        .next()
        .and_then(|text| text.parse().ok())
        .unwrap_or(10_000);
    let flight = system::Flight::open(&file);
    let until = Instant::START + Duration::from_millis(millis);
    let durations = |work, _| match work {
        Work::Job(_) => Duration::from_micros(50),
        Work::Upcall(_) => Duration::from_micros(1),
    };
    let events = flight.record(&flight.system, until, durations);
    assert!(
        !events.iter().any(system::is_trouble),
        "the simulated flight is in time"
    );
    let mut out = std::io::stdout().lock();
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

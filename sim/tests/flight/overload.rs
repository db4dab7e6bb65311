//! The overloaded flight: control exceeds its time now and then, and world and
//! logger do not notice.

use crate::system::Flight;
use giornata_abi::trace::{TraceKind, TraceRecord, Violation};
use giornata_abi::{Duration, Instant};
use giornata_sim::{Work, trace};
use giornata_trace::{Event, Numbered, PortValue, first_difference, port_trace};

const FLIGHT: Instant = Instant(2_000_000_000);

/// Flies with both jobs of every built-in test of control this long: the 37th,
/// the 74th..., and those after them.
fn fly(flight: &Flight, long: Duration) -> Vec<TraceRecord> {
    let control = flight.task("control");
    flight.record(&flight.tables, FLIGHT, move |work, number| match work {
        Work::Job(thread) if thread == control && number % 37 < 2 && number >= 37 => long,
        Work::Job(_) => Duration::from_micros(100),
        Work::Upcall(_) => Duration::ZERO,
    })
}

#[test]
fn every_overrun_is_reported_with_task_and_instant_and_handled() {
    let flight = Flight::open("overload");
    let records = fly(&flight, Duration::from_millis(30));
    let control = flight.task("control");
    let of = |wanted| {
        let violations = trace::violations(&records);
        violations
            .into_iter()
            .filter(move |(_, kind, ..)| *kind == wanted)
            .collect::<Vec<_>>()
    };
    let overruns = of(Violation::Overrun);
    assert!(!overruns.is_empty());
    for (_, _, handled, at, task, _) in &overruns {
        assert!(*handled);
        assert_eq!(*task, control);
        assert!(
            at.0 % 20_000_000 > 0,
            "stopped in the middle of a period, at {}",
            at.0
        );
    }
    for (_, _, _, at, task, _) in of(Violation::TimeSafety) {
        assert_eq!(
            (task, at.0 % 20_000_000),
            (control, 0),
            "met at the end of the period"
        );
    }
    let shed = flight
        .model
        .drivers
        .iter()
        .position(|driver| driver.function == "shed_load");
    let shed = shed.expect("the handler's driver") as u16;
    let upcalls = trace::of_kind(&records, TraceKind::Upcall);
    let handled = upcalls
        .filter(|r| r.subject == shed && r.detail == 1)
        .count();
    assert_eq!(handled, overruns.len());
}

#[test]
fn the_port_trace_of_who_is_not_concerned_is_unchanged() {
    let flight = Flight::open("overload");
    let of_world = |records: Vec<TraceRecord>| -> Vec<PortValue> {
        let events = (0..)
            .zip(records)
            .map(|(index, record)| Event::read(&Numbered { index, record }));
        let events: Vec<Event> = events.collect();
        let trace = port_trace(&events, &flight.names);
        let concerned = |port: &str| port.starts_with("plant.") || port.starts_with("telemetry.");
        trace
            .into_iter()
            .filter(|value| concerned(&value.port))
            .collect()
    };
    let (calm, late) = (
        fly(&flight, Duration::ZERO),
        fly(&flight, Duration::from_millis(30)),
    );
    let (calm, late) = (of_world(calm), of_world(late));
    assert!(calm.len() > 500);
    assert_eq!(
        first_difference(&calm, &late),
        None,
        "bit for bit the flight without"
    );
}

//! Ten seconds of flight: who ran when, and that it flies.

use crate::system::{Flight, is_trouble};
use giornata_abi::trace::{TraceKind, TraceRecord};
use giornata_abi::{Duration, Instant};
use giornata_sim::{Work, trace};
use giornata_trace::{Event, Numbered, Statistics};

/// Ten seconds, and what happens at their last instant.
const FLIGHT: Instant = Instant(10_009_000_000);
const MS: u64 = 1_000_000;

fn fly(flight: &Flight) -> Vec<TraceRecord> {
    flight.record(&flight.tables, FLIGHT, |work, _| match work {
        Work::Job(_) => Duration::from_micros(500),
        Work::Upcall(_) => Duration::from_micros(2),
    })
}

#[test]
fn every_job_lies_inside_its_window() {
    let flight = Flight::open("system");
    let records = fly(&flight);
    assert!(!records.iter().any(is_trouble));
    // the logger waits 15 ms for a world that has moved
    for (task, first, period, jobs) in [
        ("navigation", 0, 10, 1001),
        ("control", 0, 20, 501),
        ("move_body", 0, 10, 1001),
        ("logger", 15, 100, 100),
    ] {
        let thread = flight.task(task);
        let of_task = |kind| {
            trace::of_kind(&records, kind)
                .filter(move |r| r.subject == thread)
                .collect::<Vec<_>>()
        };
        let releases = of_task(TraceKind::Release);
        assert_eq!(releases.len(), jobs, "{task}");
        for (k, release) in releases.iter().enumerate() {
            let opens = (first + k as u64 * period) * MS;
            assert_eq!(
                (release.x, release.y),
                (opens, opens + period * MS),
                "{task} {k}"
            );
        }
        for (release, complete) in releases.iter().zip(of_task(TraceKind::Complete)) {
            assert!(complete.x >= release.x && complete.x <= release.y, "{task}");
        }
    }
}

#[test]
fn servos_move_at_exact_multiples_of_20_ms() {
    let flight = Flight::open("system");
    let records = fly(&flight);
    let servo = flight
        .names
        .ports
        .iter()
        .position(|port| port.name == "servo");
    let servo = servo.expect("the actuator") as u16;
    let mut instants: Vec<u64> = trace::ports(&records)
        .iter()
        .filter(|p| p.port == servo)
        .map(|p| p.at.0)
        .collect();
    instants.dedup();
    let expected: Vec<u64> = (0..instants.len() as u64).map(|k| k * 20 * MS).collect();
    assert_eq!(instants, expected);
    assert!(instants.len() > 500);
}

#[test]
fn the_statistics_of_the_trace_crate_count_a_whole_flight() {
    let flight = Flight::open("system");
    let mut statistics = Statistics::new(&flight.names);
    for (index, record) in (0..).zip(fly(&flight)) {
        statistics.observe(&Event::read(&Numbered { index, record }));
    }
    assert_eq!(statistics.violations, 0);
    let control = &statistics.threads[flight.task("control") as usize];
    assert_eq!((control.releases, control.misses), (501, 0));
    assert!(control.response.most < 20 * MS);
}

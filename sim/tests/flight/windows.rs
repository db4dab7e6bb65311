//! Ten seconds of flight: who ran when, and that it flies.

use crate::system::{Flight, is_trouble};
use giornata_abi::{Duration, Instant};
use giornata_sim::{Work, trace};
use giornata_trace::{Content, Event, Statistics};

/// Ten seconds, and what happens at their last instant.
const FLIGHT: Instant = Instant(10_009_000_000);
const MS: u64 = 1_000_000;

fn fly(flight: &Flight) -> Vec<Event> {
    flight.record(&flight.system, FLIGHT, |work, _| match work {
        Work::Job(_) => Duration::from_micros(500),
        Work::Upcall(_) => Duration::from_micros(2),
    })
}

#[test]
fn every_job_lies_inside_its_window() {
    let flight = Flight::open("system");
    let events = fly(&flight);
    assert!(!events.iter().any(is_trouble));
    // the logger waits 15 ms for a world that has moved
    for (task, first, period, jobs) in [
        ("navigation", 0, 10, 1001),
        ("control", 0, 20, 501),
        ("move_body", 0, 10, 1001),
        ("logger", 15, 100, 100),
    ] {
        let thread = flight.task(task);
        let releases = events.iter().filter_map(|event| match event.content {
            Content::Release {
                thread: t,
                at,
                deadline: Some(deadline),
                ..
            } if t == thread => Some((at.0, deadline.0)),
            _ => None,
        });
        let releases: Vec<(u64, u64)> = releases.collect();
        assert_eq!(releases.len(), jobs, "{task}");
        for (k, window) in releases.iter().enumerate() {
            let opens = (first + k as u64 * period) * MS;
            assert_eq!(*window, (opens, opens + period * MS), "{task} {k}");
        }
        let completions = events.iter().filter_map(|event| match event.content {
            Content::Complete { thread: t, at, .. } if t == thread => Some(at.0),
            _ => None,
        });
        for ((opens, closes), completed) in releases.into_iter().zip(completions) {
            assert!((opens..=closes).contains(&completed), "{task}");
        }
    }
}

#[test]
fn servos_move_at_exact_multiples_of_20_ms() {
    let flight = Flight::open("system");
    let events = fly(&flight);
    let servo = flight
        .names
        .ports
        .iter()
        .position(|port| port.name == "servo");
    let servo = servo.expect("the actuator") as u16;
    let mut instants: Vec<u64> = trace::ports(&events)
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
    for event in fly(&flight) {
        statistics.observe(&event);
    }
    assert_eq!(statistics.violations, 0);
    let control = &statistics.threads[flight.task("control") as usize];
    assert_eq!((control.releases, control.misses), (501, 0));
    assert!(control.response.most < 20 * MS);
}

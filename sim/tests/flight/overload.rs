//! The overloaded flight: now and then control finds far too much work, and
//! world and logger do not notice.

use crate::system::Flight;
use giornata_abi::process::block_offsets;
use giornata_abi::trace::{TraceKind, TraceRecord, Violation};
use giornata_abi::{Duration, Instant};
use giornata_sim::{Act, Behaviour, Moment, Native, Simulation, Storage, trace};
use giornata_trace::{Event, Numbered, PortValue, first_difference, port_trace};

const FLIGHT: Instant = Instant(6_000_000_000);

/// Control, which takes its time by the work that its job finds in its block.
struct Working {
    control: Native,
    /// Of the amount of work, in the block.
    offset: usize,
    /// Time for a thousand words.
    pace: Duration,
}

impl Working {
    fn new(pace: Duration) -> Working {
        let functions = flight_control_control::process().functions;
        let control = functions.iter().find(|f| f.name == "control");
        let control = control.expect("the example's control task");
        let mut offsets = Vec::new();
        let parameters = control.parameters.iter();
        block_offsets(parameters.clone().map(|p| p.size), |at| offsets.push(at));
        let load = parameters.zip(offsets).find(|(p, _)| p.type_name == "Load");
        let (_, offset) = load.expect("an input that says how much to test");
        let control = Native::new(control);
        Working {
            control,
            offset: offset + 4,
            pace,
        }
    }
}

impl Behaviour for Working {
    fn next(&mut self, moment: &mut Moment<'_>) -> Act {
        // the first answer is the time, the second begins the body
        if moment.begins && self.pace != Duration::ZERO {
            return Act::Compute(Duration(self.pace.0 * moment.load(self.offset, 4)));
        }
        moment.begins = moment.answer.is_none();
        self.control.next(moment)
    }
}

/// Flies with this pace of the built-in test.
fn fly(flight: &Flight, pace: Duration) -> Vec<TraceRecord> {
    let mut storage = Storage::new(&flight.tables.system());
    let mut simulation = Simulation::new(&flight.tables, &mut storage);
    flight.connect(&mut simulation);
    simulation.set_thread(flight.task("control"), Working::new(pace));
    simulation.set_durations(|_, _| Duration::from_micros(1));
    simulation.run_until(FLIGHT);
    simulation.take_records()
}

/// The pace on the board, roughly: 5,000 thousands take 30 ms.
const PACE: Duration = Duration::from_micros(6);

#[test]
fn every_overrun_is_reported_with_task_and_instant_and_handled() {
    let flight = Flight::open("overload");
    let records = fly(&flight, PACE);
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
    let (calm, late) = (fly(&flight, Duration::ZERO), fly(&flight, PACE));
    let (calm, late) = (of_world(calm), of_world(late));
    assert!(calm.len() > 500);
    assert_eq!(
        first_difference(&calm, &late),
        None,
        "bit for bit the flight without"
    );
}

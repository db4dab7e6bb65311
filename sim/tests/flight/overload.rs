//! The overloaded flight: now and then control finds far too much work, and
//! world and logger do not notice.

use crate::system::Flight;
use giornata_abi::process::block_offsets;
use giornata_abi::trace::Violation;
use giornata_abi::{Duration, Instant};
use giornata_sim::{Act, Behaviour, Moment, Native, Simulation, trace};
use giornata_trace::{Content, Event, PortValue, UpcallStep, first_difference, port_trace};

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
fn fly(flight: &Flight, pace: Duration) -> Vec<Event> {
    let mut simulation = Simulation::new(&flight.system);
    flight.connect(&mut simulation);
    simulation.set_thread(flight.task("control"), Working::new(pace));
    simulation.set_durations(|_, _| Duration::from_micros(1));
    simulation.run_until(FLIGHT);
    trace::events(&simulation.take_records(), flight.system.timer_hertz)
}

/// The pace on the board, roughly: 5,000 thousands take 30 ms.
const PACE: Duration = Duration::from_micros(6);

#[test]
fn every_overrun_is_reported_with_task_and_instant_and_handled() {
    let flight = Flight::open("overload");
    let events = fly(&flight, PACE);
    let control = flight.task("control");
    let overruns = trace::violations_of(&events, Violation::Overrun);
    assert!(!overruns.is_empty());
    for breach in &overruns {
        assert!(breach.handled);
        assert_eq!(breach.task, Some(control));
        let at = breach.at.0;
        assert!(
            at % 20_000_000 > 0,
            "stopped in the middle of a period, at {at}"
        );
    }
    for breach in trace::violations_of(&events, Violation::TimeSafety) {
        assert_eq!(
            (breach.task, breach.at.0 % 20_000_000),
            (Some(control), 0),
            "met at the end of the period"
        );
    }
    let mut drivers = flight.model.drivers.iter();
    let shed = drivers.position(|driver| driver.function == "shed_load");
    let shed = shed.expect("the handler's driver") as u16;
    let began = |event: &&Event| matches!(event.content, Content::Upcall { driver, step: UpcallStep::Begun, .. } if driver == shed);
    assert_eq!(events.iter().filter(began).count(), overruns.len());
}

#[test]
fn the_port_trace_of_who_is_not_concerned_is_unchanged() {
    let flight = Flight::open("overload");
    let of_world = |events: Vec<Event>| -> Vec<PortValue> {
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

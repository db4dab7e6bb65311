//! The whole loop flown natively: the task functions as plain calls, in the order of their
//! windows.

mod closed_loop;

use autopilot_aircraft::METRE;
use autopilot_aircraft::attitude::up;
use autopilot_aircraft::fixed::ONE;
use autopilot_aircraft::mission::WAYPOINTS;
use autopilot_aircraft::vector::{difference, length};
use closed_loop::{Moment, fly};

/// Periods until the last waypoint, and some more.
const PERIODS: u32 = 2400;

fn off(moment: &Moment) -> i32 {
    length(difference(moment.estimate.position, moment.body.position))
}

#[test]
fn all_waypoints_are_reached_in_their_order_and_closely() {
    let flight = fly(PERIODS);
    let mut reached = 0;
    for moment in &flight {
        assert!(moment.course.reached == reached || moment.course.reached == reached + 1);
        if moment.course.reached > reached {
            let away = length(difference(
                WAYPOINTS[reached as usize],
                moment.body.position,
            ));
            assert!(away < METRE * 6 / 10, "waypoint {reached}: {away} µm");
            reached += 1;
        }
    }
    assert_eq!(reached as usize, WAYPOINTS.len());
}

#[test]
fn at_the_last_waypoint_it_stays() {
    let flight = fly(PERIODS + 400);
    for moment in &flight[PERIODS as usize..] {
        let away = length(difference(WAYPOINTS[4], moment.body.position));
        assert!(away < METRE / 2, "{away} µm");
        assert!(length(moment.body.velocity) < METRE, "{moment:?}");
    }
}

#[test]
fn it_neither_falls_nor_turns_over() {
    for moment in &fly(PERIODS)[200..] {
        assert!(moment.body.position[2] > METRE / 5, "{moment:?}");
        let up = up(moment.body.attitude)[2];
        assert!(up > ONE / 10 * 6, "{moment:?}");
    }
}

#[test]
fn navigation_knows_where_it_is() {
    let flight = fly(PERIODS);
    let worst = flight.iter().map(off).max().unwrap_or_default();
    assert!(worst < METRE * 3 / 10, "{worst} µm");
}

#[test]
fn the_pilot_moves_it_off_its_way_and_the_autopilot_brings_it_back() {
    let flight = fly(PERIODS);
    let flown: Vec<&Moment> = flight.iter().filter(|m| m.course.manual != 0).collect();
    // taken over within 50 ms and read at the beginning of the next window
    assert_eq!(flown.len(), 80);
    let last = flown.last().expect("the pilot flies");
    assert!(last.body.velocity[1] < -METRE / 4, "{last:?}");
}

#[test]
fn every_flight_is_the_same_to_the_bit() {
    assert_eq!(fly(PERIODS), fly(PERIODS));
}

#[test]
#[ignore = "prints the flight, for people"]
fn print_the_flight() {
    let metres = |v: [i32; 3]| v.map(|part| f64::from(part) / 1e6);
    for (period, m) in fly(PERIODS).iter().enumerate().step_by(20) {
        println!(
            "{:5.2} {} {} p {:6.2?} v {:5.2?} up {:5.2} off {:4.2} rotors {:5.2?}",
            period as f64 * 0.005,
            m.course.reached,
            m.course.manual,
            metres(m.body.position),
            metres(m.body.velocity),
            f64::from(up(m.body.attitude)[2]) / f64::from(ONE),
            f64::from(off(m)) / 1e6,
            m.rotors.thrust.map(|thrust| f64::from(thrust) / 1e6),
        );
    }
}

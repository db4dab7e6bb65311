//! It flies: the whole loop over the flight plan, with wind and noise.

mod closed_loop;

use closed_loop::{Moment, Weather, fly};
use flight_control_airframe::attitude::{angles, tilt};
use flight_control_airframe::port::{CRUISE, HOVER, LAND};
use flight_control_airframe::vector::{difference, length};

/// Steps of the plan: up to the end of the landing.
const PLAN: u32 = 1000;

/// The moments from `from` s up to `to` s.
fn between(flight: &[Moment], from: f32, to: f32) -> &[Moment] {
    let step = |seconds: f32| (seconds * 100.0).round() as usize;
    &flight[step(from)..step(to)]
}

fn mean(values: impl ExactSizeIterator<Item = f32>) -> f32 {
    let count = values.len() as f32;
    values.sum::<f32>() / count
}

fn largest(values: impl Iterator<Item = f32>) -> f32 {
    values.fold(0.0, f32::max)
}

#[test]
fn hover_converges_in_altitude_and_attitude() {
    let flight = fly(PLAN, Weather::Fair);
    let settled = between(&flight, 2.0, 3.0);
    let off = largest(settled.iter().map(|m| (m.body.position[2] - 10.0).abs()));
    assert!(off < 0.5, "altitude is off by {off} m");
    let lean = mean(settled.iter().map(|m| tilt(m.body.attitude)));
    assert!(lean < 0.15, "tilt is {lean} rad");
    let place = mean(
        settled
            .iter()
            .map(|m| length([m.body.position[0], m.body.position[1], 0.0])),
    );
    assert!(place < 1.5, "it stands {place} m from its place");
}

#[test]
fn cruise_reaches_its_speed_and_heading() {
    let flight = fly(PLAN, Weather::Fair);
    let along = |m: &Moment| {
        m.body.velocity[0] * m.command.heading.cos() + m.body.velocity[1] * m.command.heading.sin()
    };
    let speed = mean(between(&flight, 5.0, 5.5).iter().map(along));
    assert!((speed - 5.0).abs() < 0.6, "speed is {speed} m/s");
    let yaw = mean(
        between(&flight, 5.0, 5.5)
            .iter()
            .map(|m| angles(m.body.attitude)[2]),
    );
    assert!((yaw - 0.5).abs() < 0.1, "heading is {yaw} rad");
}

#[test]
fn landing_touches_down_softly_and_stays_down() {
    let flight = fly(PLAN, Weather::Fair);
    let touch = flight
        .iter()
        .position(|m| m.body.position[2] <= 0.0)
        .expect("it lands");
    let before = flight[touch - 1];
    let speed = -before.body.velocity[2];
    assert!(
        (700..PLAN as usize).contains(&touch),
        "touches down at step {touch}"
    );
    assert!(speed < 1.0, "touches down at {speed} m/s");
    assert!(
        length(before.body.velocity) < 1.2,
        "slides at {:?}",
        before.body.velocity
    );
    let parked = fly(1200, Weather::Fair)[1199];
    assert!(parked.body.position[2].abs() < 0.05 && length(parked.body.velocity) < 0.02);
}

#[test]
fn modes_switch_when_the_pilot_says_so() {
    let flight = fly(PLAN, Weather::Fair);
    let mut modes: Vec<(usize, u32)> = Vec::new();
    for (step, moment) in flight.iter().enumerate() {
        if modes.last().is_none_or(|(_, mode)| *mode != moment.mode) {
            modes.push((step, moment.mode));
        }
    }
    assert_eq!(
        modes,
        [(0, HOVER), (300, CRUISE), (550, HOVER), (700, LAND)]
    );
}

#[test]
fn attitude_stays_bounded_through_gusts_for_a_minute() {
    let flight = fly(6000, Weather::Fair);
    let lean = largest(flight.iter().map(|m| tilt(m.body.attitude)));
    assert!(lean < 0.6, "it leans by {lean} rad");
    let lost = largest(
        flight
            .iter()
            .skip(100)
            .map(|m| length(difference(m.estimate.position, m.body.position))),
    );
    assert!(lost < 1.5, "navigation is off by {lost} m");
}

#[test]
fn navigation_finds_the_attitude_it_began_with_wrong() {
    let flight = fly(PLAN, Weather::Fair);
    let wrong = |m: &Moment| length(difference(m.estimate.angles, angles(m.body.attitude)));
    let settled = mean(between(&flight, 2.5, 7.0).iter().map(wrong));
    assert!(settled < 0.06, "attitude is wrong by {settled} rad");
}

#[test]
fn every_flight_is_the_same_to_the_bit() {
    assert_eq!(fly(PLAN, Weather::Fair), fly(PLAN, Weather::Fair));
}

#[test]
fn an_overload_of_control_does_not_show_in_the_world() {
    let (fair, overload) = (fly(3000, Weather::Fair), fly(3000, Weather::Overload));
    for (step, (fair, overload)) in fair.iter().zip(&overload).enumerate() {
        assert_eq!(fair, overload, "at step {step}");
    }
}

#[test]
#[ignore = "prints the flight, for people"]
fn print_the_flight() {
    for (step, m) in fly(2000, Weather::Fair).iter().enumerate().step_by(20) {
        let (p, v, a) = (m.body.position, m.body.velocity, angles(m.body.attitude));
        println!(
            "{:5.2} {} p {p:6.2?} v {v:5.2?} a {a:5.2?} est {:5.2?} ea {:5.2?} servos {:5.2?}",
            step as f32 * 0.01,
            m.mode,
            m.estimate.position,
            m.estimate.angles,
            m.servos,
        );
    }
}

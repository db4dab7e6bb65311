//! What the sensors measure of the aircraft.

use autopilot_aircraft::attitude::to_body;
use autopilot_aircraft::fixed::ONE;
use autopilot_aircraft::noise::{noise, vector};
use autopilot_aircraft::port::{Body, Fix, Imu};
use autopilot_aircraft::vector::{Vector, sum};

/// Periods from one fix of the satellites to the next.
const FIX: u32 = 10;
/// What the gyroscopes show at rest, µrad/s.
const BIAS: Vector = [15_000, -10_000, 8_000];

/// Sizes of noise: gyroscopes, µrad/s.
const RATES: i32 = 10_000;
/// Accelerometers, µm/s².
const FORCE: i32 = 200_000;
/// Compass, 30 bits behind the point.
const NORTH: i32 = ONE / 64;
/// Satellites, µm.
const POSITION: i32 = 80_000;
/// Satellites, µm/s.
const VELOCITY: i32 = 60_000;
/// Barometer, µm.
const HEIGHT: i32 = 60_000;

/// The inertial unit.
pub fn imu(body: &Body) -> Imu {
    let step = body.step;
    Imu {
        rates: sum(sum(body.rates, BIAS), vector(step, 0, RATES)),
        force: sum(body.force, vector(step, 3, FORCE)),
        north: sum(to_body(body.attitude, [ONE, 0, 0]), vector(step, 6, NORTH)),
    }
}

/// The satellite receiver: a new fix when its time has come, else the last one.
pub fn fix(body: &Body, last: Fix) -> Fix {
    let number = body.step / FIX + 1;
    if last.number == number {
        return last;
    }
    Fix {
        position: sum(body.position, vector(body.step, 9, POSITION)),
        velocity: sum(body.velocity, vector(body.step, 12, VELOCITY)),
        number,
    }
}

/// Height by the barometer, µm.
pub fn height(body: &Body) -> i32 {
    body.position[2] + noise(body.step, 15, HEIGHT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fix_is_new_twenty_times_a_second() {
        let (mut body, mut last) = (Body::START, Fix::default());
        let fixes: [Fix; 25] = core::array::from_fn(|step| {
            body.step = step as u32;
            last = fix(&body, last);
            last
        });
        assert_eq!(fixes.map(|fix| fix.number)[8..12], [1, 1, 2, 2]);
        assert_eq!(fixes[0], fixes[9]);
        assert_ne!(fixes[9].position, fixes[10].position);
    }

    #[test]
    fn at_rest_the_accelerometer_feels_gravity_and_the_gyroscope_its_bias() {
        let imu = imu(&Body::START);
        assert!((imu.force[2] - autopilot_aircraft::GRAVITY).abs() <= FORCE);
        assert!((imu.rates[0] - BIAS[0]).abs() <= RATES);
    }
}

//! Where are we? A filter with fixed gains: the inertial unit predicts, the satellites, the
//! barometer and the compass correct.
//!
//! An accelerometer aboard does not feel a tilt, because thrust is the only large force and lies
//! along the body's axis. What shows a wrong tilt is the velocity that the satellites see
//! drifting away from the predicted one.

use autopilot_aircraft::attitude::{Quaternion, corrected, to_body, to_ground, turned};
use autopilot_aircraft::fixed::{by, gain, times};
use autopilot_aircraft::port::{Estimate, Filter, Fix, Imu};
use autopilot_aircraft::vector::{Vector, difference, scaled, sum};
use autopilot_aircraft::{GRAVITY, PERIOD};

/// What passes in a period of what changes by one a second.
const BRIEF: i32 = gain(PERIOD as i64, 1_000_000);
/// A radian, µrad.
const RADIAN: i32 = 1_000_000;

/// Part of a difference of position, and of velocity, that a fix mends.
const POSITION: i32 = gain(15, 100);
const VELOCITY: i32 = gain(30, 100);
/// Tilt for each m/s of difference, rad.
const TILT: i32 = gain(5, 100);
/// Bias of the gyroscopes for each rad of tilt that was wrong, rad/s.
const BIAS: i32 = gain(20, 100);
/// Part of a difference of height that the barometer mends each period, and climb for each metre.
const HEIGHT: i32 = gain(2, 100);
const CLIMB: i32 = gain(4, 100);
/// Part of a difference of heading that the compass mends each period.
const HEADING: i32 = gain(5, 100);

/// The estimate and what is remembered, a period later.
pub fn updated(
    mut estimate: Estimate,
    mut filter: Filter,
    imu: &Imu,
    fix: &Fix,
    height: i32,
) -> (Estimate, Filter) {
    predict(&mut estimate, &filter, imu);
    estimate.attitude = facing(estimate.attitude, imu.north);
    let above = height.saturating_sub(estimate.position[2]);
    estimate.position[2] += by(above, HEIGHT);
    estimate.velocity[2] += by(above, CLIMB);
    if fix.number != filter.fix {
        correct(&mut estimate, &mut filter, fix);
    }
    (estimate, filter)
}

fn predict(estimate: &mut Estimate, filter: &Filter, imu: &Imu) {
    estimate.rates = difference(imu.rates, filter.bias);
    estimate.attitude = turned(estimate.attitude, estimate.rates, PERIOD);
    let force = to_ground(estimate.attitude, imu.force);
    let gained = scaled(sum(force, [0, 0, -GRAVITY]), BRIEF);
    estimate.velocity = sum(estimate.velocity, gained);
    estimate.position = sum(estimate.position, scaled(estimate.velocity, BRIEF));
}

/// The attitude, turned a little to where the compass sees north.
fn facing(attitude: Quaternion, north: Vector) -> Quaternion {
    let east = to_ground(attitude, north)[1];
    let angle = by(times(RADIAN, east.saturating_neg()), HEADING);
    corrected(attitude, [0, 0, angle])
}

fn correct(estimate: &mut Estimate, filter: &mut Filter, fix: &Fix) {
    let place = difference(fix.position, estimate.position);
    let speed = difference(fix.velocity, estimate.velocity);
    estimate.position = sum(estimate.position, scaled(place, POSITION));
    estimate.velocity = sum(estimate.velocity, scaled(speed, VELOCITY));
    // thrust along a body that leans by (x, y) more than known accelerates to (y, -x)
    let [x, y, _] = scaled(speed, TILT);
    let lean = [y.saturating_neg(), x, 0];
    estimate.attitude = corrected(estimate.attitude, lean);
    let bias = scaled(to_body(estimate.attitude, lean), BIAS);
    filter.bias = difference(filter.bias, bias);
    filter.fix = fix.number;
}

#[cfg(test)]
mod tests {
    use super::*;
    use autopilot_aircraft::METRE;
    use autopilot_aircraft::attitude::up;
    use autopilot_aircraft::fixed::ONE;

    /// What an aircraft that hovers level sees, with a bias, for so many periods.
    fn hover(mut estimate: Estimate, bias: Vector, periods: u32) -> (Estimate, Filter) {
        let mut filter = Filter::default();
        for period in 0..periods {
            let imu = Imu {
                rates: bias,
                force: [0, 0, GRAVITY],
                north: [ONE, 0, 0],
            };
            let fix = Fix {
                position: [0, 0, METRE],
                velocity: [0; 3],
                number: period / 10,
            };
            (estimate, filter) = updated(estimate, filter, &imu, &fix, METRE);
        }
        (estimate, filter)
    }

    #[test]
    fn a_wrong_place_and_height_are_mended() {
        let wrong = Estimate {
            position: [METRE, -METRE, 0],
            ..Estimate::START
        };
        let (estimate, _) = hover(wrong, [0; 3], 2000);
        let off = difference(estimate.position, [0, 0, METRE]);
        assert!(off.iter().all(|part| part.abs() < 20_000), "{off:?}");
    }

    #[test]
    fn a_wrong_tilt_is_found_by_the_velocity() {
        let wrong = Estimate {
            attitude: corrected(Estimate::START.attitude, [100_000, -50_000, 0]),
            ..Estimate::START
        };
        let up = up(hover(wrong, [0; 3], 3000).0.attitude);
        assert!(up[0].abs() < ONE / 100 && up[1].abs() < ONE / 100, "{up:?}");
    }

    #[test]
    fn the_bias_of_the_gyroscopes_is_learnt() {
        let bias = [20_000, -10_000, 0];
        let (_, filter) = hover(Estimate::START, bias, 12_000);
        let off = difference(filter.bias, bias);
        assert!(off[..2].iter().all(|part| part.abs() < 2_000), "{off:?}");
    }

    #[test]
    fn the_compass_turns_the_heading_back() {
        let wrong = Estimate {
            attitude: corrected(Estimate::START.attitude, [0, 0, 200_000]),
            ..Estimate::START
        };
        let east = to_ground(hover(wrong, [0; 3], 400).0.attitude, [ONE, 0, 0])[1];
        assert!(east.abs() < ONE / 500, "{east}");
    }
}

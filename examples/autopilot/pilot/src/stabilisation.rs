//! How to fly it: an acceleration that mends the difference of velocity, a tilt that gives this
//! acceleration, a rate of turn that gives this tilt, an angular acceleration that gives this
//! rate; the nose stays to the north.

use autopilot_aircraft::attitude::{ahead, to_body, up};
use autopilot_aircraft::fixed::{ONE, by, gain, times};
use autopilot_aircraft::port::{Demand, Estimate, Wish};
use autopilot_aircraft::vector::{Vector, cross, difference, length, limited, scaled, sum};
use autopilot_aircraft::{GRAVITY, METRE, PERIOD};

/// Acceleration for each m/s of difference, 1/s.
const SPEED: i32 = gain(35, 10);
/// What the acceleration grows by in a period for each m/s that stays: 1.5 1/s².
const TRIM: i32 = gain(3 * PERIOD as i64, 2_000_000);
/// The most that grows so, and the most acceleration to the side, up and down, µm/s².
const MOST_TRIM: i32 = 3 * METRE;
const MOST_SIDE: i32 = 6 * METRE;
const MOST_UP: i32 = 8 * METRE;
const MOST_DOWN: i32 = -5 * METRE;
/// Rate for each rad of tilt, and of heading, 1/s.
const TILT: i32 = gain(8, 1);
const HEADING: i32 = gain(2, 1);
/// Angular acceleration for each rad/s of tilting, and of turning about the vertical, 1/s.
const TILTING: i32 = gain(20, 1);
const TURNING: i32 = gain(6, 1);
/// A radian, µrad.
const RADIAN: i32 = 1_000_000;

/// What to ask of the rotors, and the acceleration that has grown.
pub fn demand(estimate: &Estimate, wish: &Wish, trim: Vector) -> (Demand, Vector) {
    let off = difference(wish.velocity, estimate.velocity);
    let trim = limited(sum(trim, scaled(off, TRIM)), MOST_TRIM);
    let [x, y, z] = sum(scaled(off, SPEED), trim);
    let [x, y, _] = limited([x, y, 0], MOST_SIDE);
    let force = [x, y, z.clamp(MOST_DOWN, MOST_UP) + GRAVITY];
    let demand = Demand {
        thrust: to_body(estimate.attitude, force)[2].max(0),
        turn: turn(estimate, force),
    };
    (demand, trim)
}

/// Angular acceleration that brings the body's axis to the force and the nose to the north.
fn turn(estimate: &Estimate, force: Vector) -> Vector {
    let lean = cross(direction(force), up(estimate.attitude)).map(i32::saturating_neg);
    let [roll, pitch, _] = to_body(estimate.attitude, lean).map(|sine| times(RADIAN, sine));
    let yaw = times(RADIAN, ahead(estimate.attitude)[1].saturating_neg());
    let wanted = [by(roll, TILT), by(pitch, TILT), by(yaw, HEADING)];
    let [roll, pitch, yaw] = difference(wanted, estimate.rates);
    [by(roll, TILTING), by(pitch, TILTING), by(yaw, TURNING)]
}

/// The direction of a force, 30 bits behind the point.
fn direction(force: Vector) -> Vector {
    let length = i64::from(length(force).max(1));
    force.map(|part| (i64::from(part) * i64::from(ONE) / length) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use autopilot_aircraft::attitude::corrected;

    const STILL: Wish = Wish { velocity: [0; 3] };

    #[test]
    fn level_and_still_it_asks_for_its_weight_alone() {
        let (demand, trim) = demand(&Estimate::START, &STILL, [0; 3]);
        assert!((demand.thrust - GRAVITY).abs() < 10);
        assert_eq!((demand.turn, trim), ([0; 3], [0; 3]));
    }

    #[test]
    fn a_tilt_is_turned_back() {
        for (angles, axis) in [
            ([50_000, 0, 0], 0),
            ([0, 50_000, 0], 1),
            ([0, 0, 50_000], 2),
        ] {
            let estimate = Estimate {
                attitude: corrected(Estimate::START.attitude, angles),
                ..Estimate::START
            };
            let turn = demand(&estimate, &STILL, [0; 3]).0.turn;
            assert!(turn[axis] < -100_000, "{turn:?}");
        }
    }

    #[test]
    fn to_fly_ahead_it_lowers_the_nose_and_to_the_left_it_rolls_there() {
        let ahead = Wish {
            velocity: [METRE, 0, 0],
        };
        assert!(demand(&Estimate::START, &ahead, [0; 3]).0.turn[1] > METRE);
        let left = Wish {
            velocity: [0, METRE, 0],
        };
        assert!(demand(&Estimate::START, &left, [0; 3]).0.turn[0] < -METRE);
    }

    #[test]
    fn a_difference_that_stays_grows_an_acceleration_up_to_a_limit() {
        let ahead = Wish {
            velocity: [METRE, 0, 0],
        };
        let after =
            |periods| (0..periods).fold([0; 3], |trim, _| demand(&Estimate::START, &ahead, trim).1);
        assert!((after(100)[0] - 750_000).abs() < 1_000);
        assert_eq!(after(10_000), [MOST_TRIM, 0, 0]);
    }
}

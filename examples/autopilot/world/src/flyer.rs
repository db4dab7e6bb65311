//! How the aircraft moves: a rigid body under four rotors that lag behind, drag, wind, ground.
//! Left out are gyroscopic moments, which are small for light rotors.

use autopilot_aircraft::attitude::{LEVEL, to_body, to_ground, turned};
use autopilot_aircraft::fixed::{by, gain};
use autopilot_aircraft::noise::vector;
use autopilot_aircraft::port::{Body, Fix, Flyer, LEVER, MOST_THRUST, Rotors};
use autopilot_aircraft::vector::{Vector, difference, scaled, sum};
use autopilot_aircraft::{GRAVITY, METRE, PERIOD};

/// A step of the body, µs.
const STEP: i32 = 1000;
/// What passes in a step of what changes by one a second.
const BRIEF: i32 = gain(1, 1000);
/// How far a rotor comes in a step towards what it is told: 25 ms behind.
const LAG: i32 = gain(1, 25);
/// Acceleration by drag for each m/s through the air, 1/s.
const DRAG: i32 = gain(35, 100);
/// Braking of turns, 1/s.
const DAMPING: i32 = gain(1, 1);

/// Mean wind, ground axes, µm/s.
const WIND: Vector = [-METRE, METRE / 2, 0];
/// Noise that turbulence takes up in a period, µm/s.
const KICK: i32 = 160_000;
/// How much of the turbulence a period forgets: 0.8 s in all.
const FORGOTTEN: i32 = gain(1, 160);
/// Channel of the noise of turbulence; sensors have those below.
const CHANNEL: u32 = 20;
/// Middle of a gust from the left and half its length, periods, and its height, µm/s.
const GUST: (i32, i32, i32) = (500, 100, 3 * METRE);

/// The world at the start.
pub const PARKED: Flyer = Flyer {
    body: Body::START,
    thrust: [0; 4],
    turbulence: [0; 3],
    fix: Fix {
        position: [0; 3],
        velocity: [0; 3],
        number: 0,
    },
};

/// The world a period later.
pub fn moved(before: &Flyer, told: &Rotors) -> Flyer {
    let mut flyer = *before;
    flyer.body.step += 1;
    let kick = vector(flyer.body.step, CHANNEL, KICK);
    let kept = difference(flyer.turbulence, scaled(flyer.turbulence, FORGOTTEN));
    flyer.turbulence = sum(kept, kick);
    let wind = sum(sum(WIND, flyer.turbulence), gust(flyer.body.step));
    for _ in 0..PERIOD / STEP {
        for (is, told) in flyer.thrust.iter_mut().zip(told.thrust) {
            *is += by(told.clamp(0, MOST_THRUST) - *is, LAG);
        }
        step(&mut flyer.body, flyer.thrust, wind);
    }
    flyer
}

/// A triangle, from the left.
fn gust(step: u32) -> Vector {
    let (middle, half, height) = GUST;
    let away = (step as i32 - middle).abs();
    [0, -height / half * (half - away).max(0), 0]
}

fn step(body: &mut Body, thrust: [i32; 4], wind: Vector) {
    let drag = scaled(difference(wind, body.velocity), DRAG);
    let lift = [0, 0, thrust.iter().sum()];
    let force = sum(to_ground(body.attitude, lift), drag);
    let speed = scaled(sum(force, [0, 0, -GRAVITY]), BRIEF);
    let velocity = sum(body.velocity, speed);
    let position = sum(body.position, scaled(velocity, BRIEF));
    if position[2] < 0 {
        stand(body);
        return;
    }
    body.position = position;
    body.velocity = velocity;
    body.force = to_body(body.attitude, force);
    let turn = difference(moments(thrust), scaled(body.rates, DAMPING));
    body.rates = sum(body.rates, scaled(turn, BRIEF));
    body.attitude = turned(body.attitude, body.rates, STEP);
}

/// On the ground it does not move, and stands level.
fn stand(body: &mut Body) {
    body.position[2] = 0;
    body.velocity = [0; 3];
    body.rates = [0; 3];
    body.attitude = LEVEL;
    body.force = [0, 0, GRAVITY];
}

/// Angular acceleration by the rotors, body axes, µrad/s².
fn moments([front_left, front_right, rear_left, rear_right]: [i32; 4]) -> Vector {
    let roll = front_left + rear_left - front_right - rear_right;
    let pitch = rear_left + rear_right - front_left - front_right;
    let yaw = front_left + rear_right - front_right - rear_left;
    [LEVER[0] * roll, LEVER[1] * pitch, LEVER[2] * yaw]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(periods: u32, flyer: Flyer, thrust: [i32; 4]) -> Flyer {
        (0..periods).fold(flyer, |flyer, _| moved(&flyer, &Rotors { thrust }))
    }

    #[test]
    fn without_thrust_it_stands() {
        let Body {
            position, attitude, ..
        } = after(400, PARKED, [0; 4]).body;
        assert_eq!((position, attitude), ([0; 3], LEVEL));
    }

    #[test]
    fn with_thrust_above_its_weight_it_rises_as_it_should() {
        // 2 m/s² more than its weight for a second: almost 1 m, less lag and drag
        let body = after(200, PARKED, [GRAVITY / 4 + METRE / 2; 4]).body;
        assert!((700_000..1_000_000).contains(&body.position[2]), "{body:?}");
        assert_eq!(body.step, 200);
    }

    #[test]
    fn differences_of_thrust_turn_it_their_way() {
        let weight = GRAVITY / 4 + METRE;
        let high = after(100, PARKED, [weight; 4]);
        let turned = |more: [i32; 4]| after(10, high, more.map(|more| weight + more)).body.rates;
        let (some, none) = (20_000, 0);
        assert!(turned([some, none, some, none])[0] > 10_000);
        assert!(turned([none, none, some, some])[1] > 10_000);
        assert!(turned([some, none, none, some])[2] > 2_000);
        assert!(turned([none; 4])[2] == 0);
    }

    #[test]
    fn falling_it_reaches_the_speed_at_which_drag_is_its_weight() {
        let mut flyer = PARKED;
        flyer.body.position[2] = 1000 * METRE;
        let body = after(3000, flyer, [0; 4]).body;
        let terminal = -(i64::from(GRAVITY) * 100 / 35) as i32;
        assert!((body.velocity[2] - terminal).abs() < 2 * METRE, "{body:?}");
    }

    #[test]
    fn the_gust_comes_and_goes() {
        assert_eq!(gust(400), [0; 3]);
        assert_eq!(gust(500), [0, -3 * METRE, 0]);
        assert_eq!(gust(600), [0; 3]);
    }
}

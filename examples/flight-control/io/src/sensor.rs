//! What the sensors make of the truth: noise and bias.

use flight_control_airframe::attitude;
use flight_control_airframe::port::{Body, Gps, Imu};
use flight_control_airframe::vector::{Vector, sum};

use crate::noise;

/// Bias of the gyroscopes, rad/s, and of the accelerometers, m/s².
const BIAS: (Vector, Vector) = ([0.010, -0.008, 0.005], [0.03, -0.04, 0.05]);
/// Noise of gyroscopes, rad/s; accelerometers, m/s²; compass, rad.
const IMU_NOISE: [f32; 3] = [0.008, 0.12, 0.01];
/// Noise of the satellites: m, m/s.
const GPS_NOISE: [f32; 2] = [0.20, 0.06];
/// Noise of the barometer, m.
const BARO_NOISE: f32 = 0.12;
/// Steps between two fixes.
const FIX: u32 = 10;

/// Channels of the noise.
const RATES: u32 = 0;
const FORCE: u32 = 3;
const HEADING: u32 = 6;
const POSITION: u32 = 7;
const VELOCITY: u32 = 10;
const BARO: u32 = 13;

/// The inertial unit.
pub fn imu(body: &Body) -> Imu {
    let noise = |channel, size| noise::vector(body.step, channel, size);
    Imu {
        rates: sum(sum(body.rates, BIAS.0), noise(RATES, IMU_NOISE[0])),
        force: sum(sum(body.force, BIAS.1), noise(FORCE, IMU_NOISE[1])),
        heading: attitude::angles(body.attitude)[2]
            + IMU_NOISE[2] * noise::normal(body.step, HEADING),
    }
}

/// The satellites: a fix every [`FIX`] steps, the last one in between.
pub fn gps(body: &Body, last: &Gps) -> Gps {
    let fix = body.step / FIX;
    if fix == last.fix {
        return *last;
    }
    Gps {
        position: sum(
            body.position,
            noise::vector(body.step, POSITION, GPS_NOISE[0]),
        ),
        velocity: sum(
            body.velocity,
            noise::vector(body.step, VELOCITY, GPS_NOISE[1]),
        ),
        fix,
    }
}

/// The barometer.
pub fn baro(body: &Body) -> f32 {
    body.position[2] + BARO_NOISE * noise::normal(body.step, BARO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fix_stands_until_the_next() {
        let first = gps(
            &Body::START,
            &Gps {
                fix: 7,
                ..Gps::default()
            },
        );
        let soon = Body {
            step: 9,
            position: [5.0; 3],
            ..Body::START
        };
        assert_eq!(gps(&soon, &first), first);
        let later = Body { step: 10, ..soon };
        assert!((gps(&later, &first).position[0] - 5.0).abs() < 2.0);
    }

    #[test]
    fn the_gyroscopes_lie_by_their_bias() {
        let mean: f32 = (0..2000)
            .map(|step| {
                imu(&Body {
                    step,
                    ..Body::START
                })
                .rates[0]
            })
            .sum::<f32>()
            / 2000.0;
        assert!((mean - BIAS.0[0]).abs() < 0.002, "{mean}");
    }
}

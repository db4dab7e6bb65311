//! How the body stands to the ground: unit quaternions `w, x, y, z` that turn
//! body axes to ground axes.

use crate::vector::{Vector, cross, scaled, sum};

/// An attitude.
pub type Quaternion = [f32; 4];

/// Body axes along ground axes.
pub const LEVEL: Quaternion = [1.0, 0.0, 0.0, 0.0];

/// A vector of body axes in ground axes.
pub fn to_ground(q: Quaternion, v: Vector) -> Vector {
    let axis = [q[1], q[2], q[3]];
    let twice = scaled(cross(axis, v), 2.0);
    sum(sum(v, scaled(twice, q[0])), cross(axis, twice))
}

/// A vector of ground axes in body axes.
pub fn to_body(q: Quaternion, v: Vector) -> Vector {
    to_ground([q[0], -q[1], -q[2], -q[3]], v)
}

/// The attitude after a small turn, rad about body axes; normalised.
pub fn turned(q: Quaternion, turn: Vector) -> Quaternion {
    let [x, y, z] = scaled(turn, 0.5);
    normalised([
        q[0] - q[1] * x - q[2] * y - q[3] * z,
        q[1] + q[0] * x + q[2] * z - q[3] * y,
        q[2] + q[0] * y + q[3] * x - q[1] * z,
        q[3] + q[0] * z + q[1] * y - q[2] * x,
    ])
}

fn normalised(q: Quaternion) -> Quaternion {
    let norm = libm::sqrtf(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    q.map(|part| part / norm)
}

/// Roll, pitch and yaw, rad: yaw first, then pitch, then roll.
pub fn angles(q: Quaternion) -> Vector {
    let [w, x, y, z] = q;
    let roll = libm::atan2f(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y));
    let pitch = libm::asinf((2.0 * (w * y - z * x)).clamp(-1.0, 1.0));
    let yaw = libm::atan2f(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z));
    [roll, pitch, yaw]
}

/// The attitude with these roll, pitch and yaw, rad.
pub fn from_angles(angles: Vector) -> Quaternion {
    let [(sr, cr), (sp, cp), (sy, cy)] = angles.map(|a| (libm::sinf(0.5 * a), libm::cosf(0.5 * a)));
    [
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    ]
}

/// The angle between the rotor's axis and the vertical, rad.
pub fn tilt(q: Quaternion) -> f32 {
    libm::acosf((1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2])).clamp(-1.0, 1.0))
}

/// An angle brought to -pi ..= pi.
pub fn wrapped(angle: f32) -> f32 {
    libm::atan2f(libm::sinf(angle), libm::cosf(angle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::{difference, length};

    fn close(a: Vector, b: Vector) -> bool {
        length(difference(a, b)) < 1e-5
    }

    #[test]
    fn angles_come_back() {
        for angles_in in [[0.3, -0.2, 2.5], [-0.5, 0.4, -1.0], [0.0, 0.0, 0.0]] {
            assert!(close(angles(from_angles(angles_in)), angles_in));
        }
    }

    #[test]
    fn a_lowered_nose_drives_forward_and_a_roll_to_the_right() {
        let up = [0.0, 0.0, 1.0];
        assert!(to_ground(from_angles([0.0, 0.1, 0.0]), up)[0] > 0.09);
        assert!(to_ground(from_angles([0.1, 0.0, 0.0]), up)[1] < -0.09);
    }

    #[test]
    fn turning_there_and_back_changes_nothing() {
        let q = from_angles([0.2, -0.1, 1.0]);
        let v = [1.0, 2.0, 3.0];
        assert!(close(to_body(q, to_ground(q, v)), v));
    }

    #[test]
    fn many_small_turns_make_a_large_one() {
        let mut q = LEVEL;
        for _ in 0..1000 {
            q = turned(q, [0.0, 0.0, 0.001]);
        }
        assert!(close(angles(q), [0.0, 0.0, 1.0]));
        assert!(tilt(q) < 1e-3);
    }
}

//! Three numbers along x, y, z.

/// A vector.
pub type Vector = [f32; 3];

/// `a + b`
pub fn sum(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// `a - b`
pub fn difference(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `k * a`
pub fn scaled(a: Vector, k: f32) -> Vector {
    [k * a[0], k * a[1], k * a[2]]
}

/// `a x b`
pub fn cross(a: Vector, b: Vector) -> Vector {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// The length of `a`.
pub fn length(a: Vector) -> f32 {
    libm::sqrtf(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
}

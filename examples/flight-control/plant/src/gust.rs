//! The wind: a mean, turbulence, and one gust from the side; the same every
//! time.

use flight_control_airframe::vector::{Vector, scaled, sum};

/// Mean wind, ground axes, m/s.
const MEAN: Vector = [-1.0, 0.6, 0.0];
/// Typical size of the turbulence along each axis, m/s.
const TURBULENCE: Vector = [1.0, 1.0, 0.4];
/// Seconds in which turbulence forgets.
const MEMORY: f32 = 0.8;
/// Begin and end of the gust in a flight, s, and its height, m/s from the left.
const GUST: (f32, f32, f32) = (1.5, 2.5, 4.0);
/// Seconds after which the same flight begins again.
const FLIGHT: f32 = 20.0;

/// The state of the air.
#[derive(Clone, Debug)]
pub struct Air {
    random: u32,
    turbulence: Vector,
}

impl Air {
    /// Calm air, about to move.
    pub fn new() -> Air {
        Air {
            random: 0x2545_F491,
            turbulence: [0.0; 3],
        }
    }

    /// The wind `time` s after the start, `period` s after the last time.
    pub fn blow(&mut self, time: f32, period: f32) -> Vector {
        let keep = 1.0 - period / MEMORY;
        // variance of the sum of what is kept is that of one size
        let fresh = libm::sqrtf(1.0 - keep * keep);
        let kick = TURBULENCE.map(|size| size * self.normal());
        self.turbulence = sum(scaled(self.turbulence, keep), scaled(kick, fresh));
        sum(sum(MEAN, self.turbulence), gust(time))
    }

    /// About normal, variance 1: twelve uniform numbers' worth from three.
    fn normal(&mut self) -> f32 {
        let mut sum = -1.5;
        for _ in 0..3 {
            sum += self.uniform();
        }
        2.0 * sum
    }

    /// 0 .. 1; xorshift.
    fn uniform(&mut self) -> f32 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 17;
        self.random ^= self.random << 5;
        (self.random >> 8) as f32 * (1.0 / 16_777_216.0)
    }
}

impl Default for Air {
    fn default() -> Air {
        Air::new()
    }
}

/// One minus cosine, from the left.
fn gust(time: f32) -> Vector {
    let (begin, end, height) = GUST;
    let time = libm::fmodf(time, FLIGHT);
    if time < begin || time > end {
        return [0.0; 3];
    }
    let turn = 2.0 * core::f32::consts::PI * (time - begin) / (end - begin);
    scaled([0.0, -1.0, 0.0], 0.5 * height * (1.0 - libm::cosf(turn)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turbulence_has_the_size_it_should() {
        let mut air = Air::new();
        let mut squares = 0.0;
        for _ in 0..20_000 {
            let wind = air.blow(0.0, 0.01);
            squares += (wind[0] - MEAN[0]) * (wind[0] - MEAN[0]);
        }
        let size = libm::sqrtf(squares / 20_000.0);
        assert!((0.7..1.3).contains(&size), "{size}");
    }

    #[test]
    fn the_gust_comes_and_goes() {
        assert_eq!(gust(1.0), [0.0; 3]);
        assert!(gust(2.0)[1] < -3.9);
        assert!(gust(22.0)[1] < -3.9);
        assert_eq!(gust(3.0), [0.0; 3]);
    }
}

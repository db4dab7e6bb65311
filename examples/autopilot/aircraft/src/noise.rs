//! Noise: a function of step and channel, so that a reading is the same whoever else reads, and
//! however often.

use crate::vector::Vector;

/// Between `-size` and `size`, the more likely the nearer to 0.
pub fn noise(step: u32, channel: u32, size: i32) -> i32 {
    let bits = mixed(step, channel);
    // two uniform numbers of 16 bits, whose difference is a triangle
    let difference = (bits & 0xFFFF) as i32 - (bits >> 16) as i32;
    ((i64::from(difference) * i64::from(size)) >> 16) as i32
}

/// Three channels at once.
pub fn vector(step: u32, channel: u32, size: i32) -> Vector {
    [0, 1, 2].map(|axis| noise(step, channel + axis, size))
}

fn mixed(step: u32, channel: u32) -> u32 {
    let mut bits = step.wrapping_mul(0x9E37_79B1) ^ channel.wrapping_mul(0x85EB_CA77);
    for multiplier in [0x7FEB_352D, 0x846C_A68B] {
        bits = (bits ^ bits >> 16).wrapping_mul(multiplier);
    }
    bits ^ bits >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_centred_and_a_triangle_on_every_channel() {
        for channel in 0..12 {
            let (mut sum, mut squares) = (0i64, 0i64);
            for step in 0..4000 {
                let noise = i64::from(noise(step, channel, 1000));
                assert!(noise.abs() <= 1000);
                sum += noise;
                squares += noise * noise;
            }
            assert!((sum / 4000).abs() < 30, "{channel}");
            // the variance of a triangle from -1 to 1 is 1/6
            assert!((squares / 4000 - 166_667).abs() < 15_000, "{channel}");
        }
    }
}

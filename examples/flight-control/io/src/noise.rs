//! Noise of the sensors: a function of step and channel, so that a reading is
//! the same whoever else reads, and however often.

/// About normal, variance 1.
pub fn normal(step: u32, channel: u32) -> f32 {
    let mut sum = -1.5;
    for part in 0..3 {
        sum += uniform(step, channel.wrapping_mul(4).wrapping_add(part));
    }
    2.0 * sum
}

/// Three channels at once, in this size.
pub fn vector(step: u32, channel: u32, size: f32) -> [f32; 3] {
    [0, 1, 2].map(|axis| size * normal(step, channel + axis))
}

/// 0 .. 1.
fn uniform(step: u32, channel: u32) -> f32 {
    let mut bits = step.wrapping_mul(0x9E37_79B1) ^ channel.wrapping_mul(0x85EB_CA77);
    for multiplier in [0x7FEB_352D, 0x846C_A68B] {
        bits = (bits ^ bits >> 16).wrapping_mul(multiplier);
    }
    ((bits ^ bits >> 16) >> 8) as f32 * (1.0 / 16_777_216.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_centred_and_of_size_one_on_every_channel() {
        for channel in 0..12 {
            let (mut sum, mut squares) = (0.0, 0.0);
            for step in 0..4000 {
                let noise = normal(step, channel);
                sum += noise;
                squares += noise * noise;
            }
            assert!((sum / 4000.0).abs() < 0.1, "{channel}");
            assert!((squares / 4000.0 - 1.0).abs() < 0.15, "{channel}");
        }
    }

    #[test]
    fn a_reading_comes_again_the_same() {
        assert_eq!(vector(17, 3, 0.5), vector(17, 3, 0.5));
        assert_ne!(vector(17, 3, 0.5), vector(18, 3, 0.5));
    }
}

//! Numbers with bits behind the point.

/// The number one with 30 bits behind the point.
pub const ONE: i32 = 1 << 30;
/// Bits behind the point of a [`gain`].
const GAIN: u32 = 16;

/// The gain `numerator / denominator`, for [`by`]; below 32,768.
pub const fn gain(numerator: i64, denominator: i64) -> i32 {
    let doubled = (numerator << (GAIN + 1)) / denominator;
    ((doubled + 1) >> 1) as i32
}

/// `value` times a [`gain`], rounded; the nearest there is if 32 bits are too few.
pub fn by(value: i32, gain: i32) -> i32 {
    shifted(i64::from(value) * i64::from(gain), GAIN)
}

/// `value` times a factor with 30 bits behind the point, rounded.
pub fn times(value: i32, factor: i32) -> i32 {
    shifted(i64::from(value) * i64::from(factor), 30)
}

/// Wide value without its last `bits` bits, rounded; the nearest there is if 32 bits are too few.
pub(crate) fn shifted(value: i64, bits: u32) -> i32 {
    let rounded = value.saturating_add(1 << (bits - 1)) >> bits;
    rounded.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_and_factors_round_to_the_nearest() {
        assert_eq!(by(1000, gain(3, 2)), 1500);
        assert_eq!(by(-1000, gain(1, 3)), -333);
        assert_eq!(times(7, ONE / 2), 4);
        assert_eq!(times(-1_000_000, -ONE), 1_000_000);
    }

    #[test]
    fn what_is_too_large_stays_at_the_end() {
        assert_eq!(by(i32::MAX, gain(5, 1)), i32::MAX);
        assert_eq!(by(i32::MIN, gain(5, 1)), i32::MIN);
    }
}

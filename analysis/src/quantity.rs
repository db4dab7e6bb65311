//! Durations and sizes as people write them: `20us`, `1.5ms`, `4K`.

/// A whole number with an optional fraction and a unit; exact, or refused.
fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let text = text.trim();
    let digits = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_'))
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let (_, factor) = units.iter().find(|(name, _)| *name == unit.trim())?;
    let number: String = number.chars().filter(|c| *c != '_').collect();
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    let scale = 10u64.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let fraction: u64 = if fraction.is_empty() {
        0
    } else {
        fraction.parse().ok()?
    };
    let part = fraction.checked_mul(*factor)?;
    let exact = part.is_multiple_of(scale).then_some(part / scale)?;
    whole
        .parse::<u64>()
        .ok()?
        .checked_mul(*factor)?
        .checked_add(exact)
}

/// Units of durations, in nanoseconds.
pub const DURATIONS: [(&str, u64); 5] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
];
/// Units of sizes, in bytes.
pub const SIZES: [(&str, u64); 6] = [
    ("", 1),
    ("B", 1),
    ("K", 1 << 10),
    ("KiB", 1 << 10),
    ("M", 1 << 20),
    ("MiB", 1 << 20),
];

/// Nanoseconds of a duration such as `20us`; the unit is needed.
pub fn duration(text: &str) -> Option<u64> {
    scaled(text, &DURATIONS)
}

/// Bytes of a size such as `4K`, `1M`, `512`.
pub fn size(text: &str) -> Option<u64> {
    scaled(text, &SIZES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_exact_and_need_a_unit() {
        assert_eq!(duration("20us"), Some(20_000));
        assert_eq!(duration("1.5 ms"), Some(1_500_000));
        assert_eq!(duration("0.0000000001s"), None);
        assert_eq!(duration("20"), None);
        assert_eq!(duration("ms"), None);
        assert_eq!(duration("99999999999999999999s"), None);
    }

    #[test]
    fn sizes_are_binary() {
        assert_eq!(size("4K"), Some(4096));
        assert_eq!(size("0.5K"), Some(512));
        assert_eq!(size("512"), Some(512));
        assert_eq!(size("4X"), None);
    }
}

//! Durations on the command line: `10s`, `250ms`, `1.5s`, `2min`.

use giornata_abi::Duration;

const UNITS: [(&str, u64); 5] = [
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("min", 60_000_000_000),
    ("s", 1_000_000_000),
];

/// Reads a duration above zero; the error says what one looks like.
pub fn parse(text: &str) -> Result<Duration, String> {
    let wrong =
        || format!("`{text}` is no duration; write a number and a unit: 10s, 250ms, 1.5s, 2min");
    let (digits, unit) = UNITS
        .iter()
        .find_map(|(suffix, unit)| Some((text.strip_suffix(suffix)?, *unit)))
        .ok_or_else(wrong)?;
    let (whole, fraction) = digits
        .trim_end()
        .split_once('.')
        .unwrap_or((digits.trim_end(), ""));
    let whole: u64 = whole.parse().map_err(|_| wrong())?;
    let rest = parse_fraction(fraction, unit).ok_or_else(wrong)?;
    let nanos = whole
        .checked_mul(unit)
        .and_then(|nanos| nanos.checked_add(rest));
    match nanos {
        Some(0) => Err("a duration must be above zero".into()),
        Some(nanos) => Ok(Duration(nanos)),
        None => Err(format!("`{text}` is longer than 584 years")),
    }
}

/// A duration as [`parse`] reads it, in the largest unit that it is whole in.
pub fn text(duration: Duration) -> String {
    let fits = |(_, unit): &&(&str, u64)| duration.0.is_multiple_of(*unit);
    let (name, unit) = UNITS
        .iter()
        .filter(fits)
        .max_by_key(|(_, unit)| *unit)
        .unwrap_or(&UNITS[0]);
    format!("{}{name}", duration.0 / unit)
}

/// The digits after the point, in nanoseconds; finer ones are cut.
fn parse_fraction(digits: &str, unit: u64) -> Option<u64> {
    let mut place = unit;
    let mut nanos = 0;
    for digit in digits.chars() {
        place /= 10;
        nanos += u64::from(digit.to_digit(10)?) * place;
    }
    Some(nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_in_every_unit() {
        let nanos = |text| parse(text).map(|d| d.0);
        assert_eq!(nanos("10s"), Ok(10_000_000_000));
        assert_eq!(nanos("1.5s"), Ok(1_500_000_000));
        assert_eq!(nanos("250 ms"), Ok(250_000_000));
        assert_eq!(nanos("20us"), Ok(20_000));
        assert_eq!(nanos("2min"), Ok(120_000_000_000));
    }

    #[test]
    fn a_duration_is_written_as_it_is_read() {
        for nanos in [
            1,
            2_000,
            1_500_000,
            10_000_000_000,
            61_000_000_000,
            120_000_000_000,
        ] {
            let duration = Duration(nanos);
            assert_eq!(parse(&text(duration)), Ok(duration));
        }
        assert_eq!(text(Duration(10_000_000_000)), "10s");
        assert_eq!(text(Duration(120_000_000_000)), "2min");
    }

    #[test]
    fn what_is_no_duration_is_refused_with_an_example() {
        for text in [
            "",
            "10",
            "s",
            "ten s",
            "1.x s",
            "-1s",
            "1.5.5s",
            "99999999999999s",
        ] {
            let error = parse(text).unwrap_err();
            assert!(
                error.contains("10s") || error.contains("584 years"),
                "{text}: {error}"
            );
        }
        assert!(parse("0s").unwrap_err().contains("above zero"));
    }
}

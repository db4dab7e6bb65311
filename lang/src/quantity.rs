//! Lengths of time as programs write them.

/// Why a text is no length of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuantityError {
    /// Does not begin with a digit, or digits are followed by something strange.
    Malformed,
    /// The unit is none of ours.
    Unit,
    /// Beyond 2^64 - 1 nanoseconds.
    TooLarge,
}

impl QuantityError {
    /// The mend.
    pub(crate) const fn help(self) -> &'static str {
        match self {
            QuantityError::Malformed => "write a whole number and a unit, like `20ms`",
            QuantityError::Unit => "the units are ns, us, ms and s; without a unit a time is in ms",
            QuantityError::TooLarge => "no time may exceed 584 years",
        }
    }
}

/// Nanoseconds of a unit.
pub(crate) fn unit(name: &str) -> Option<u64> {
    Some(match name {
        "ns" => 1,
        "us" => 1_000,
        "ms" | "" => 1_000_000,
        "s" => 1_000_000_000,
        _ => return None,
    })
}

/// Nanoseconds of `20ms`, `20 ms` or `20` (milliseconds).
pub(crate) fn nanos(text: &str) -> Result<u64, QuantityError> {
    let (digits, rest) = split(text);
    if digits.is_empty() {
        return Err(QuantityError::Malformed);
    }
    let count: u64 = digits.parse().map_err(|_| QuantityError::TooLarge)?;
    let unit = unit(rest.trim()).ok_or(QuantityError::Unit)?;
    count.checked_mul(unit).ok_or(QuantityError::TooLarge)
}

/// A whole number without a unit.
pub(crate) fn count(text: &str) -> Result<u64, QuantityError> {
    match split(text) {
        ("", _) => Err(QuantityError::Malformed),
        (digits, "") => digits.parse().map_err(|_| QuantityError::TooLarge),
        _ => Err(QuantityError::Malformed),
    }
}

fn split(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text.split_at(end)
}

/// Nanoseconds in the largest unit that divides them.
pub(crate) fn show(nanos: u64) -> String {
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")];
    let found = units
        .iter()
        .find(|(unit, _)| nanos != 0 && nanos.is_multiple_of(*unit));
    let (unit, name) = found.copied().unwrap_or((1, "ns"));
    format!("{} {name}", nanos / unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_without_a_unit_are_milliseconds() {
        assert_eq!(nanos("20"), Ok(20_000_000));
        assert_eq!(nanos("20us"), Ok(20_000));
        assert_eq!(nanos("3 s"), Ok(3_000_000_000));
        assert_eq!(nanos("7ns"), Ok(7));
    }

    #[test]
    fn what_is_no_time_is_refused_with_the_reason() {
        assert_eq!(nanos("ms"), Err(QuantityError::Malformed));
        assert_eq!(nanos("2min"), Err(QuantityError::Unit));
        assert_eq!(nanos("18446744073709551615s"), Err(QuantityError::TooLarge));
        assert_eq!(nanos("99999999999999999999"), Err(QuantityError::TooLarge));
        assert_eq!(count("12x"), Err(QuantityError::Malformed));
        assert_eq!(count("x"), Err(QuantityError::Malformed));
        assert_eq!(count("12"), Ok(12));
    }

    #[test]
    fn times_are_shown_in_the_largest_whole_unit() {
        assert_eq!(show(20_000_000), "20 ms");
        assert_eq!(show(1_500), "1500 ns");
        assert_eq!(show(0), "0 ns");
        assert_eq!(show(60_000_000_000), "60 s");
    }
}

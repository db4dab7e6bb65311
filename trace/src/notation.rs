//! How times, shares and port values are written. Integer arithmetic and fixed
//! precision only, so that equal traces give equal text on every host.

use giornata_abi::{Duration, Instant, ValueType};
use giornata_system::names::{FieldName, PortName};

/// `1.250 s`: an instant in seconds, cut to milliseconds.
pub(crate) fn seconds(at: Instant) -> String {
    format!("{}.{:03} s", at.0 / 1_000_000_000, at.0 / 1_000_000 % 1000)
}

/// `20.000 ms`: an instant in milliseconds where it is a logical one and every
/// digit counts; nanoseconds are added where they are not zero.
pub(crate) fn logical(at: Instant) -> String {
    let (micros, nanos) = (at.0 / 1000, at.0 % 1000);
    let rest = if nanos == 0 {
        String::new()
    } else {
        format!("{nanos:03}")
    };
    format!("{}.{:03}{rest} ms", micros / 1000, micros % 1000)
}

/// `1.204 ms`: a duration in milliseconds, rounded up to microseconds, since
/// what is stated is a worst case.
pub(crate) fn millis(d: Duration) -> String {
    let micros = d.0.div_ceil(1000);
    format!("{}.{:03} ms", micros / 1000, micros % 1000)
}

/// `2.5 ms`: a duration in the largest unit of which it has one, exactly.
pub fn brief(d: Duration) -> String {
    let units = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)];
    let found = units.into_iter().find(|(_, unit)| d.0 >= *unit);
    let (name, unit) = found.unwrap_or(("ns", 1));
    format!("{} {name}", in_unit(d.0, unit))
}

/// `2.5`: so many nanoseconds in a unit, a power of ten, without zeros at the end.
pub(crate) fn in_unit(nanos: u64, unit: u64) -> String {
    let (whole, rest) = (nanos / unit, nanos % unit);
    if rest == 0 {
        return whole.to_string();
    }
    let digits = unit.ilog10() as usize;
    let text = format!("{whole}.{rest:0digits$}");
    text.trim_end_matches('0').to_owned()
}

/// `3.14`: `part` of `whole` in percent, rounded to nearest; 0 of nothing.
pub fn percent(part: u64, whole: u64) -> String {
    let hundredths = match u128::from(whole) {
        0 => 0,
        whole => (u128::from(part) * 10_000 + whole / 2) / whole,
    };
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// A number of a port, for counters; `None` if the value is no finite number.
pub(crate) fn number(value: &[u8], value_type: ValueType) -> Option<f64> {
    use ValueType::*;
    let raw = raw(value, value_type)?;
    let number = match value_type {
        Opaque => return None,
        Bool | U8 | U16 | U32 | U64 => raw as f64,
        I8 => f64::from(raw as i8),
        I16 => f64::from(raw as i16),
        I32 => f64::from(raw as i32),
        I64 => raw as i64 as f64,
        F32 => f64::from(f32::from_bits(raw as u32)),
        F64 => f64::from_bits(raw),
    };
    number.is_finite().then_some(number)
}

/// A port's value in words: a number, or its first bytes in hexadecimal.
pub(crate) fn value(value: &[u8], value_type: ValueType) -> String {
    use ValueType::*;
    let Some(raw) = raw(value, value_type) else {
        return hexadecimal(value);
    };
    match value_type {
        Opaque => hexadecimal(value),
        Bool => (raw != 0).to_string(),
        U8 | U16 | U32 | U64 => raw.to_string(),
        I8 => (raw as i8).to_string(),
        I16 => (raw as i16).to_string(),
        I32 => (raw as i32).to_string(),
        I64 => (raw as i64).to_string(),
        F32 => format!("{:.4}", f32::from_bits(raw as u32)),
        F64 => format!("{:.4}", f64::from_bits(raw)),
    }
}

/// Most characters of a struct's value in a table.
const WIDEST: usize = 72;

/// A port's value in words: a number, a struct's fields by name, the elements of an array
/// one after the other, or its first bytes in hexadecimal.
pub(crate) fn port_value(bytes: &[u8], port: &PortName) -> String {
    let mut fields: Vec<String> = Vec::new();
    let mut array = None;
    for (field, bytes) in self::fields(bytes, port) {
        let number = value(bytes, field.value_type());
        let of = field
            .name
            .strip_suffix(']')
            .and_then(|n| n.rsplit_once('['));
        let of = of.map(|(array, _)| array);
        match fields.last_mut().filter(|_| of.is_some() && of == array) {
            Some(text) => *text += &format!(" {number}"),
            None => fields.push(format!("{} {number}", of.unwrap_or(&field.name))),
        }
        array = of;
    }
    if fields.is_empty() {
        return value(bytes, port.value_type());
    }
    let mut text = String::new();
    for field in fields {
        if text.len() + field.len() > WIDEST {
            return text + "  ..";
        }
        let gap = if text.is_empty() { "" } else { "  " };
        text += &format!("{gap}{field}");
    }
    text
}

/// The fields of a port's value with their bytes; none if it is no struct whose fields
/// are known.
pub(crate) fn fields<'a>(
    bytes: &'a [u8],
    port: &'a PortName,
) -> impl Iterator<Item = (&'a FieldName, &'a [u8])> {
    port.fields.iter().filter_map(|field| {
        let length = usize::from(field.value_type().size()?);
        let at = usize::from(field.offset);
        Some((field, bytes.get(at..at + length)?))
    })
}

/// The little-endian bits of a scalar; `None` if `value` has another size.
fn raw(value: &[u8], value_type: ValueType) -> Option<u64> {
    if usize::from(value_type.size()?) != value.len() {
        return None;
    }
    let mut bytes = [0; 8];
    bytes.get_mut(..value.len())?.copy_from_slice(value);
    Some(u64::from_le_bytes(bytes))
}

fn hexadecimal(value: &[u8]) -> String {
    const SHOWN: usize = 12;
    let digits: String = value
        .iter()
        .take(SHOWN)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    if value.len() > SHOWN {
        format!("{digits}..")
    } else {
        digits
    }
}

/// Text of a process or fault: what is not printable is escaped, so that no
/// process can write control sequences to a terminal.
pub(crate) fn printable(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes)
        .chars()
        .flat_map(escape)
        .collect()
}

fn escape(c: char) -> Vec<char> {
    if c.is_control() {
        c.escape_default().collect()
    } else {
        vec![c]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_keep_every_digit_that_counts() {
        assert_eq!(seconds(Instant(9_999_999_999)), "9.999 s");
        assert_eq!(logical(Instant(20_000_000)), "20.000 ms");
        assert_eq!(logical(Instant(3_333_333)), "3.333333 ms");
        assert_eq!(millis(Duration(1_204_001)), "1.205 ms");
    }

    #[test]
    fn brief_durations_are_exact() {
        let brief = |nanos| brief(Duration(nanos));
        assert_eq!(brief(2_500_000), "2.5 ms");
        assert_eq!(brief(1_000_000_000), "1 s");
        assert_eq!(brief(1_050), "1.05 us");
        assert_eq!((brief(7), brief(0)), ("7 ns".into(), "0 ns".into()));
    }

    #[test]
    fn shares_are_rounded_to_nearest() {
        assert_eq!(percent(1, 3), "33.33");
        assert_eq!(percent(2, 3), "66.67");
        assert_eq!(percent(5, 0), "0.00");
        assert_eq!(percent(u64::MAX, u64::MAX), "100.00");
    }

    #[test]
    fn values_read_by_their_type() {
        assert_eq!(value(&(-2i16).to_le_bytes(), ValueType::I16), "-2");
        assert_eq!(value(&1.5f64.to_le_bytes(), ValueType::F64), "1.5000");
        assert_eq!(value(&[1], ValueType::Bool), "true");
        assert_eq!(
            value(&[0xAB, 0xCD], ValueType::U32),
            "abcd",
            "a wrong size shows its bytes"
        );
        assert_eq!(
            value(&[7; 20], ValueType::Opaque),
            "070707070707070707070707.."
        );
        assert_eq!(number(&f32::NAN.to_le_bytes(), ValueType::F32), None);
        assert_eq!(number(&(-2.5f32).to_le_bytes(), ValueType::F32), Some(-2.5));
    }

    #[test]
    fn a_struct_reads_by_the_names_of_its_fields() {
        let field = |name: &str, offset, value_type| FieldName {
            name: name.into(),
            offset,
            value_type: value_type as u8,
        };
        let mut port = crate::sample::names().ports[1].clone();
        port.fields = vec![
            field("rates.x", 0, ValueType::F32),
            field("count", 4, ValueType::I16),
            field("phase", 8, ValueType::U8),
        ];
        let mut bytes = 1.5f32.to_le_bytes().to_vec();
        bytes.extend([0xFE, 0xFF, 0, 0, 3, 0, 0, 0]);
        assert_eq!(
            port_value(&bytes, &port),
            "rates.x 1.5000  count -2  phase 3"
        );
        assert_eq!(port_value(&bytes[..6], &port), "rates.x 1.5000  count -2");
        port.fields = (0..20)
            .map(|n| field(&format!("field{n}"), 4, ValueType::I16))
            .collect();
        let long = port_value(&bytes, &port);
        assert!(long.len() < 80 && long.ends_with("field5 -2  .."), "{long}");
        port.fields = vec![
            field("turn[0]", 4, ValueType::I16),
            field("turn[1]", 6, ValueType::I16),
            field("rest[0]", 8, ValueType::U8),
        ];
        assert_eq!(port_value(&bytes, &port), "turn -2 0  rest 3");
        port.fields.clear();
        assert_eq!(port_value(&bytes, &port), "0000c03ffeff000003000000");
    }

    #[test]
    fn no_process_reaches_the_terminal_with_control_sequences() {
        assert_eq!(printable(b"a\x1b[2Jb\n"), "a\\u{1b}[2Jb\\n");
        assert_eq!(printable("Größe".as_bytes()), "Größe");
    }
}

//! Types of port values, as far as the kernel compares them.

/// The type of a port's value. Anything but a scalar is opaque bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ValueType {
    /// Bytes without an order; compared for equality of change only.
    Opaque = 0,
    /// One byte, 0 or 1.
    Bool = 1,
    /// Unsigned integers of 1, 2, 4, 8 bytes.
    U8 = 2,
    /// See `U8`.
    U16 = 3,
    /// See `U8`.
    U32 = 4,
    /// See `U8`.
    U64 = 5,
    /// Signed integers of 1, 2, 4, 8 bytes.
    I8 = 6,
    /// See `I8`.
    I16 = 7,
    /// See `I8`.
    I32 = 8,
    /// See `I8`.
    I64 = 9,
    /// IEEE 754 binary32.
    F32 = 10,
    /// IEEE 754 binary64.
    F64 = 11,
}

impl ValueType {
    /// Every type.
    pub const ALL: [ValueType; 12] = {
        use ValueType::*;
        [Opaque, Bool, U8, U16, U32, U64, I8, I16, I32, I64, F32, F64]
    };

    /// The type with this code.
    pub fn from_code(code: u8) -> Option<ValueType> {
        Self::ALL.get(code as usize).copied()
    }

    /// Bytes of a scalar; `None` for opaque values.
    pub const fn size(self) -> Option<u16> {
        use ValueType::*;
        match self {
            Opaque => None,
            Bool | U8 | I8 => Some(1),
            U16 | I16 => Some(2),
            U32 | I32 | F32 => Some(4),
            U64 | I64 | F64 => Some(8),
        }
    }

    /// The name in Rust, which is also the name in Giotto programs.
    pub const fn name(self) -> &'static str {
        use ValueType::*;
        match self {
            Opaque => "opaque",
            Bool => "bool",
            U8 => "u8",
            U16 => "u16",
            U32 => "u32",
            U64 => "u64",
            I8 => "i8",
            I16 => "i16",
            I32 => "i32",
            I64 => "i64",
            F32 => "f32",
            F64 => "f64",
        }
    }

    /// Maps a raw little-endian value, zero-extended to 64 bits, to a key
    /// whose unsigned order is the order of the values, without floating
    /// point. NaN lies beyond the infinity of its sign; -0 lies below +0.
    pub const fn order_key(self, raw: u64) -> u64 {
        use ValueType::*;
        const TOP: u64 = 1 << 63;
        match self {
            Opaque | Bool | U8 | U16 | U32 | U64 => raw,
            I8 => (raw as u8 as i8 as i64 as u64) ^ TOP,
            I16 => (raw as u16 as i16 as i64 as u64) ^ TOP,
            I32 => (raw as u32 as i32 as i64 as u64) ^ TOP,
            I64 => raw ^ TOP,
            F32 => {
                let bits = raw as u32;
                (if bits >> 31 != 0 {
                    !bits
                } else {
                    bits | 1 << 31
                }) as u64
            }
            F64 => {
                if raw >> 63 != 0 {
                    !raw
                } else {
                    raw | TOP
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn order_of_keys_is_order_of_floats(a: f32, b: f32) {
            prop_assume!(!a.is_nan() && !b.is_nan() && a != b);
            let key = |x: f32| ValueType::F32.order_key(x.to_bits() as u64);
            prop_assert_eq!(a < b, key(a) < key(b));
            let key = |x: f32| ValueType::F64.order_key((x as f64).to_bits());
            prop_assert_eq!(a < b, key(a) < key(b));
        }

        #[test]
        fn order_of_keys_is_order_of_integers(a: i16, b: i16) {
            let key = |x: i16| ValueType::I16.order_key(x as u16 as u64);
            prop_assert_eq!(a < b, key(a) < key(b));
        }
    }
}

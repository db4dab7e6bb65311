//! Checksums: 64-bit FNV-1a (Fowler, Noll, Vo), of bytes and of text.

use std::fmt::{self, Write};

/// A running checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checksum(u64);

impl Checksum {
    /// Of nothing.
    pub const EMPTY: Checksum = Checksum(0xCBF2_9CE4_8422_2325);

    /// Of these bytes.
    pub fn of(bytes: &[u8]) -> Checksum {
        let mut checksum = Checksum::EMPTY;
        checksum.add(bytes);
        checksum
    }

    /// Takes more bytes in.
    pub fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3);
        }
    }

    /// Takes in what something prints.
    pub fn add_text(&mut self, text: &impl fmt::Display) {
        // a checksum takes every byte
        let _ = write!(self, "{text}");
    }

    /// Its value.
    pub fn value(self) -> u64 {
        self.0
    }
}

impl Write for Checksum {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.add(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_are_the_published_ones() {
        assert_eq!(Checksum::of(b"").value(), 0xCBF2_9CE4_8422_2325);
        assert_eq!(Checksum::of(b"foobar").value(), 0x8594_4171_F739_67E8);
    }
}

//! Frames on the line: a message in `postcard` encoding with its CRC-32, stuffed so
//! that no byte is zero (consistent overhead byte stuffing, Cheshire and Baker 1999)
//! and terminated by a zero byte. A receiver that starts in the middle of a frame is
//! synchronised again at the next one.

use core::fmt::{Display, Formatter};

use crc::{CRC_32_ISO_HDLC, Crc};
use serde::{Deserialize, Serialize};

/// Largest size of a frame in bytes, including its terminator.
pub const MAX: usize = 256;
/// Bytes before stuffing, which adds one to fewer than 255; the terminator is one more.
const PLAIN: usize = MAX - 2;

/// The checksum.
static CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

/// The message does not fit into a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong;

/// The frame contains no message: it was damaged, truncated, or is of another protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

impl Display for TooLong {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        write!(f, "the message does not fit a frame of {MAX} bytes")
    }
}

impl Display for Damaged {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        f.write_str("the frame came damaged")
    }
}

impl core::error::Error for TooLong {}
impl core::error::Error for Damaged {}

/// Writes the frame of `message` to the front of `frame` and returns its length.
/// O(bytes).
///
/// # Errors
/// The message is too long.
pub fn encode(message: &impl Serialize, frame: &mut [u8; MAX]) -> Result<usize, TooLong> {
    let mut plain = [0; PLAIN];
    let plain = postcard::to_slice_crc32(message, &mut plain, CRC.digest()).map_err(|_| TooLong)?;
    let length = cobs::try_encode(plain, frame).map_err(|_| TooLong)?;
    *frame.get_mut(length).ok_or(TooLong)? = 0;
    Ok(length + 1)
}

/// Collects the bytes of a line into frames.
#[derive(Clone, Debug)]
pub struct Collector {
    bytes: [u8; MAX],
    /// Bytes of the frame so far; more than [`MAX`] = the frame is too long.
    length: usize,
}

impl Default for Collector {
    fn default() -> Collector {
        Collector::new()
    }
}

impl Collector {
    /// A collector that expects the first byte of a frame.
    pub const fn new() -> Collector {
        Collector {
            bytes: [0; MAX],
            length: 0,
        }
    }

    /// Adds one byte; returns whether it ends a frame, which [`Collector::take`] then
    /// decodes. Empty frames are skipped. O(1).
    pub fn push(&mut self, byte: u8) -> bool {
        if byte == 0 {
            return self.length > 0;
        }
        match self.bytes.get_mut(self.length) {
            Some(place) => {
                *place = byte;
                self.length += 1;
            }
            None => self.length = MAX + 1,
        }
        false
    }

    /// Decodes the message of the complete frame, and starts the next frame. O(bytes).
    ///
    /// # Errors
    /// The frame is damaged, or does not contain exactly one `T`.
    pub fn take<'a, T: Deserialize<'a>>(&'a mut self) -> Result<T, Damaged> {
        let length = core::mem::take(&mut self.length);
        let stuffed = self.bytes.get_mut(..length).ok_or(Damaged)?;
        let plain = cobs::decode_in_place(stuffed).map_err(|_| Damaged)?;
        let plain = stuffed.get(..plain).ok_or(Damaged)?;
        match postcard::take_from_bytes_crc32(plain, CRC.digest()) {
            Ok((message, [])) => Ok(message),
            _ => Err(Damaged),
        }
    }
}

//! A message on the line: its `postcard` encoding and a CRC-32 of that, stuffed
//! so that no byte is zero (consistent overhead byte stuffing, Cheshire and
//! Baker 1999), ended by a zero. Whoever begins to listen in the middle of a
//! frame is right again at the next.

use core::fmt::{Display, Formatter};

use crc::{CRC_32_ISO_HDLC, Crc};
use serde::{Deserialize, Serialize};

/// Most bytes of a frame, its end included.
pub const MAX: usize = 256;
/// Bytes before stuffing: that adds one to fewer than 255, and the end one more.
const PLAIN: usize = MAX - 2;

/// The checksum.
static CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

/// A message does not fit a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong;

/// A frame that is no message: it was damaged, cut, or nobody's.
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

/// Writes the frame of `message` to the front of `frame`; answers its length.
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
    /// Bytes of the frame so far; more than [`MAX`] = too many came.
    length: usize,
}

impl Default for Collector {
    fn default() -> Collector {
        Collector::new()
    }
}

impl Collector {
    /// Expects the first byte of a frame.
    pub const fn new() -> Collector {
        Collector {
            bytes: [0; MAX],
            length: 0,
        }
    }

    /// Takes one byte; whether it ends a frame, which [`Collector::take`] then
    /// reads. A zero after a zero ends nothing. O(1).
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

    /// The message of the frame that has ended; the next frame begins. O(bytes).
    ///
    /// # Errors
    /// The frame is none, or its message is not a `T` and nothing else.
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

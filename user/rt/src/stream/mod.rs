//! What a filter of a stream graph takes and puts: tokens in circular buffers.
//!
//! The buffer of a channel is memory of the system that the process of the filter which puts
//! tokens in may write, and that of the filter which takes them out may read. A token lies in one
//! piece; those of an instance lie one behind the other, and where the buffer ends the rest lies
//! at its beginning. So they are reached by their number, or as two slices.
//!
//! ```
//! # extern crate giornata_rt;
//! use giornata_rt::filter;
//! use giornata_rt::stream::{Room, Tokens};
//!
//! #[filter]
//! fn first_line(px: &Tokens<[u8; 640]>, ed: &mut Room<[u8; 640]>) {
//!     let (above, below) = (&px[0], &px[2]);
//!     for ((edge, above), below) in ed[0].iter_mut().zip(above).zip(below) {
//!         *edge = above.abs_diff(*below);
//!     }
//! }
//! # giornata_rt::process! { filters: [first_line] }
//! # fn main() {}
//! ```

use core::marker::PhantomData;
use core::ops::{Index, IndexMut};

pub use giornata_abi::process::FilterPort;

use crate::block::PortValue;

#[cfg(all(
    target_os = "none",
    any(target_arch = "riscv64", target_arch = "riscv32")
))]
mod run;

/// The tokens of one port, in two pieces.
struct Pieces<T> {
    /// Those up to the end of the buffer, and then those at its beginning.
    pieces: [(*mut T, usize); 2],
    tokens: PhantomData<T>,
}

impl<T: PortValue> Pieces<T> {
    /// # Safety
    /// The port's buffer is an array of `T` that stays as long as this and what it lends.
    unsafe fn of(port: &FilterPort) -> Pieces<T> {
        const {
            assert!(
                align_of::<T>() <= 8,
                "a token is aligned to 8 bytes at most"
            );
        }
        let buffer = port.buffer.cast::<T>();
        let straight = port.count.min(port.capacity - port.first);
        Pieces {
            pieces: [
                (buffer.wrapping_add(port.first), straight),
                (buffer, port.count - straight),
            ],
            tokens: PhantomData,
        }
    }

    fn len(&self) -> usize {
        let [(_, straight), (_, rest)] = self.pieces;
        straight + rest
    }

    /// The place of a token.
    fn at(&self, index: usize) -> *mut T {
        let [(first, straight), (rest, more)] = self.pieces;
        match index.checked_sub(straight) {
            None => first.wrapping_add(index),
            Some(index) if index < more => rest.wrapping_add(index),
            Some(_) => panic!(
                "an instance has {} tokens here, no number {index}",
                self.len()
            ),
        }
    }

    fn slices(&self) -> (&[T], &[T]) {
        let [(first, straight), (rest, more)] = self.pieces;
        // SAFETY: by the contract of `of`; every pattern is a `T`.
        let first = unsafe { core::slice::from_raw_parts(first, straight) };
        // SAFETY: as above.
        (first, unsafe { core::slice::from_raw_parts(rest, more) })
    }
}

/// The tokens that an instance takes from an input.
pub struct Tokens<T>(Pieces<T>);

impl<T: PortValue> Tokens<T> {
    /// How many there are: the rate of the instance's position.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All of them in order: those up to the end of the buffer, and those at its beginning.
    pub fn as_slices(&self) -> (&[T], &[T]) {
        self.0.slices()
    }

    /// Each of them in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let (straight, rest) = self.as_slices();
        straight.iter().chain(rest)
    }
}

impl<T: PortValue> Index<usize> for Tokens<T> {
    type Output = T;

    fn index(&self, index: usize) -> &T {
        // SAFETY: by the contract of `Pieces::of`; every pattern is a `T`.
        unsafe { &*self.0.at(index) }
    }
}

/// The room in an output for the tokens that an instance puts there. What it holds at first is
/// what was there before, so each token is to be written.
pub struct Room<T>(Pieces<T>);

impl<T: PortValue> Room<T> {
    /// How many tokens there are to be written: the rate of the instance's position.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All of it in order: up to the end of the buffer, and at its beginning.
    pub fn as_mut_slices(&mut self) -> (&mut [T], &mut [T]) {
        let [(first, straight), (rest, more)] = self.0.pieces;
        // SAFETY: as `Pieces::slices`; the pieces do not overlap, because an instance has as
        // many tokens as its buffer holds at most, and this is borrowed mutably.
        let first = unsafe { core::slice::from_raw_parts_mut(first, straight) };
        // SAFETY: as above.
        (first, unsafe {
            core::slice::from_raw_parts_mut(rest, more)
        })
    }

    /// The place of each token in order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        let (straight, rest) = self.as_mut_slices();
        straight.iter_mut().chain(rest)
    }
}

impl<T: PortValue> Index<usize> for Room<T> {
    type Output = T;

    fn index(&self, index: usize) -> &T {
        // SAFETY: as for `Tokens`.
        unsafe { &*self.0.at(index) }
    }
}

impl<T: PortValue> IndexMut<usize> for Room<T> {
    fn index_mut(&mut self, index: usize) -> &mut T {
        // SAFETY: as for `Tokens`, and this is borrowed mutably.
        unsafe { &mut *self.0.at(index) }
    }
}

/// The ports of an instance, as [`macro@crate::filter`] takes them.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Ports(*const FilterPort);

impl Ports {
    /// The ports at an address.
    ///
    /// # Safety
    /// They are those of an instance that runs as long as this and what it lends.
    pub unsafe fn new(ports: *mut u8) -> Ports {
        Ports(ports.cast())
    }

    /// The tokens of a port.
    ///
    /// # Safety
    /// It is there, an input, and its buffer an array of `T`.
    pub unsafe fn tokens<T: PortValue>(self, port: usize) -> Tokens<T> {
        // SAFETY: by contract.
        let port = unsafe { &*self.0.wrapping_add(port) };
        // SAFETY: by contract.
        Tokens(unsafe { Pieces::of(port) })
    }

    /// The room of a port.
    ///
    /// # Safety
    /// It is there, an output, its buffer an array of `T`, and this the only room of it.
    pub unsafe fn room<T: PortValue>(self, port: usize) -> Room<T> {
        // SAFETY: by contract.
        let port = unsafe { &*self.0.wrapping_add(port) };
        // SAFETY: by contract.
        Room(unsafe { Pieces::of(port) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(buffer: &mut [u16], first: usize, count: usize) -> FilterPort {
        FilterPort {
            buffer: buffer.as_mut_ptr().cast(),
            capacity: buffer.len(),
            first,
            count,
        }
    }

    fn tokens(port: &FilterPort) -> Tokens<u16> {
        // SAFETY: the buffer of a port in these tests is an array that outlives it.
        Tokens(unsafe { Pieces::of(port) })
    }

    #[test]
    fn tokens_go_on_at_the_beginning_where_the_buffer_ends() {
        let mut buffer = [10, 11, 12, 13, 14];
        let tokens = tokens(&port(&mut buffer, 3, 4));
        assert!(tokens.iter().eq(&[13, 14, 10, 11]));
        assert_eq!((tokens[0], tokens[2], tokens.len()), (13, 10, 4));
        assert_eq!(tokens.as_slices(), (&[13, 14][..], &[10, 11][..]));
    }

    #[test]
    fn room_is_written_where_the_tokens_are_taken() {
        let mut buffer = [0; 4];
        let port = port(&mut buffer, 2, 3);
        // SAFETY: as above, and there is no other room.
        let mut room = Room(unsafe { Pieces::<u16>::of(&port) });
        for (value, place) in (1..).zip(room.iter_mut()) {
            *place = value;
        }
        room[1] += 5;
        assert_eq!(buffer, [3, 0, 1, 7]);
    }

    #[test]
    #[should_panic(expected = "no number 2")]
    fn an_instance_has_no_more_tokens_than_its_rate() {
        let mut buffer = [0; 4];
        let _ = tokens(&port(&mut buffer, 1, 2))[2];
    }
}

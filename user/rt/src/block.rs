//! The block: how values enter and leave a body; and states, which stay.
//!
//! Bodies that the attributes generate work on these. The Block Invariant: a
//! body's block is aligned to 8 bytes, holds every parameter at its
//! [`offset`], and nobody else touches it while the body runs.

#[cfg(target_os = "none")]
use core::cell::UnsafeCell;
#[cfg(not(target_os = "none"))]
use core::marker::PhantomData;
#[cfg(target_os = "none")]
use core::mem::MaybeUninit;
use core::ops::{Deref, DerefMut};
#[cfg(target_os = "none")]
use core::sync::atomic::{AtomicBool, Ordering, compiler_fence};

use zerocopy::{FromBytes, Immutable, IntoBytes};

/// What a port may hold: plain bytes without padding, pointers or invalid
/// patterns. `bool` may be a parameter too: any byte but 0 is true.
///
/// [`macro@crate::value`] makes a struct one.
pub trait PortValue: FromBytes + IntoBytes + Immutable + Copy + 'static {}

impl<T: FromBytes + IntoBytes + Immutable + Copy + 'static> PortValue for T {}

/// The offset of parameter `index` in a block of parameters of these sizes.
/// Like [`giornata_abi::process::block_offsets`], when compiling.
pub const fn offset(sizes: &[usize], index: usize) -> usize {
    let (mut at, mut i) = (0, 0);
    while i < index {
        at = (at + sizes[i]).next_multiple_of(8);
        i += 1;
    }
    at
}

/// The block of a job or upcall.
#[derive(Clone, Copy)]
pub struct Block(*mut u8);

impl Block {
    /// The block at `base`.
    ///
    /// # Safety
    /// The Block Invariant holds at `base` for as long as this and what it lends are used.
    pub unsafe fn new(base: *mut u8) -> Block {
        debug_assert!(
            base.addr().is_multiple_of(8),
            "a block is aligned to 8 bytes"
        );
        Block(base)
    }

    fn at<T>(self, offset: usize) -> *mut T {
        self.0.wrapping_add(offset).cast()
    }

    /// The value at `offset`, in place.
    ///
    /// # Safety
    /// A parameter of type `T` lies at `offset`, and the body writes it only
    /// after the last use of the reference.
    pub unsafe fn input<'a, T: PortValue>(self, offset: usize) -> &'a T {
        const {
            assert!(
                align_of::<T>() <= 8,
                "a port's value is aligned to 8 bytes at most"
            )
        };
        // SAFETY: by contract and the Block Invariant; every pattern is a `T`.
        unsafe { &*self.at(offset) }
    }

    /// The truth value at `offset`.
    ///
    /// # Safety
    /// A parameter of one byte lies at `offset`.
    pub unsafe fn flag(self, offset: usize) -> bool {
        // SAFETY: by contract.
        unsafe { self.at::<u8>(offset).read() != 0 }
    }

    /// Writes the value at `offset`: done once the body is through, so that a
    /// job that is stopped on its way leaves its outputs as they were.
    ///
    /// # Safety
    /// As [`input`](Self::input).
    pub unsafe fn set<T: PortValue>(self, offset: usize, value: T) {
        // SAFETY: by contract and the Block Invariant.
        unsafe { self.at::<T>(offset).write(value) }
    }

    /// Writes the truth value at `offset`.
    ///
    /// # Safety
    /// As [`flag`](Self::flag).
    pub unsafe fn set_flag(self, offset: usize, value: bool) {
        // SAFETY: by contract.
        unsafe { self.at::<u8>(offset).write(value as u8) }
    }
}

/// Runs a body: on the machine just that; on the host a panic stays inside.
#[inline(always)]
pub fn run(body: impl FnOnce() -> usize) -> usize {
    #[cfg(target_os = "none")]
    return body();
    #[cfg(not(target_os = "none"))]
    crate::host::run_body(body)
}

/// What a function keeps between its jobs: in the zeroed memory of the process,
/// made at the first job after a start or restart. A job that is stopped because its
/// budget is used up may leave it half written: the next job makes it anew, and the
/// old value is not dropped.
///
/// The State Invariant: one thread runs the jobs of a function, one after the
/// other, and only its body reaches its state.
#[cfg(target_os = "none")]
pub struct State<S> {
    /// `value` is whole, and not lent; zero after a (re)start.
    whole: AtomicBool,
    value: UnsafeCell<MaybeUninit<S>>,
}

#[cfg(target_os = "none")]
// SAFETY: the State Invariant.
unsafe impl<S: Send> Sync for State<S> {}

#[cfg(target_os = "none")]
impl<S: Send + 'static> State<S> {
    /// A state that has not been made.
    #[expect(clippy::new_without_default, reason = "a state is a static")]
    pub const fn new() -> State<S> {
        State {
            whole: AtomicBool::new(false),
            value: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    /// Lends the state; made by `init` if it has not been since the start, or if its
    /// last borrower was stopped.
    ///
    /// # Safety
    /// The State Invariant; what it lent earlier has been given back, or its borrower
    /// does not run any more.
    pub unsafe fn lend(&'static self, init: impl FnOnce() -> S) -> Lent<S> {
        // SAFETY: the State Invariant.
        let value = unsafe { &mut *self.value.get() };
        if !self.whole.load(Ordering::Relaxed) {
            value.write(init());
        }
        self.whole.store(false, Ordering::Relaxed);
        // a job that is stopped is seen in the order in which its code is written
        compiler_fence(Ordering::SeqCst);
        Lent {
            // SAFETY: `whole` said so, or it has just been made.
            value: unsafe { value.assume_init_mut() },
            whole: &self.whole,
        }
    }
}

/// A state that a body works on until this is dropped.
pub struct Lent<S: 'static> {
    value: &'static mut S,
    #[cfg(target_os = "none")]
    whole: &'static AtomicBool,
}

impl<S> Deref for Lent<S> {
    type Target = S;

    fn deref(&self) -> &S {
        self.value
    }
}

impl<S> DerefMut for Lent<S> {
    fn deref_mut(&mut self) -> &mut S {
        self.value
    }
}

#[cfg(target_os = "none")]
impl<S> Drop for Lent<S> {
    fn drop(&mut self) {
        compiler_fence(Ordering::SeqCst);
        self.whole.store(true, Ordering::Relaxed);
    }
}

/// What a function keeps between its jobs: on the host the name of a place in
/// the [`Memory`](crate::host::Memory) in use.
#[cfg(not(target_os = "none"))]
pub struct State<S> {
    /// Gives the static an address of its own.
    _place: u8,
    value: PhantomData<fn() -> S>,
}

#[cfg(not(target_os = "none"))]
impl<S: Send + 'static> State<S> {
    /// A state that has not been made.
    #[expect(clippy::new_without_default, reason = "a state is a static")]
    pub const fn new() -> State<S> {
        State {
            _place: 0,
            value: PhantomData,
        }
    }

    /// Lends the state in the memory in use; made by `init` if it is not in there. No
    /// job is stopped halfway on the host.
    ///
    /// # Safety
    /// One body at a time reaches the state, and what it lent earlier is not in use.
    pub unsafe fn lend(&'static self, init: impl FnOnce() -> S) -> Lent<S> {
        Lent {
            // SAFETY: by contract; the memory in use stays while a body runs.
            value: unsafe { &mut *crate::host::state(core::ptr::from_ref(self).addr(), init) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn offsets_are_those_of_the_builder() {
        let sizes = [1, 8, 12, 4, 0, 7, 9];
        let mut expected = Vec::new();
        giornata_abi::process::block_offsets(sizes.iter().copied(), |at| expected.push(at));
        let ours: Vec<usize> = (0..sizes.len()).map(|i| offset(&sizes, i)).collect();
        assert_eq!(ours, expected);
    }

    #[test]
    fn any_byte_but_zero_is_true() {
        let mut bytes = [0u64, u64::from_le_bytes([7, 0, 0, 0, 0, 0, 0, 0])];
        // SAFETY: two whole parameters, alive below.
        let block = unsafe { Block::new(bytes.as_mut_ptr().cast()) };
        // SAFETY: in the block.
        assert!(!unsafe { block.flag(0) });
        // SAFETY: in the block.
        assert!(unsafe { block.flag(8) });
        // SAFETY: in the block.
        unsafe { block.set_flag(8, true) };
        assert_eq!(bytes[1].to_le_bytes()[0], 1);
    }
}

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
use core::sync::atomic::{AtomicU8, Ordering, compiler_fence};

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

/// A value in the zeroed memory of the process, made at its first use after a start or
/// restart.
///
/// The Lazy Invariant: one at a time reaches the value.
#[cfg(target_os = "none")]
pub struct Lazy<T> {
    /// Set once `value` is; zero after a (re)start.
    made: UnsafeCell<bool>,
    value: UnsafeCell<MaybeUninit<T>>,
}

#[cfg(target_os = "none")]
// SAFETY: the Lazy Invariant.
unsafe impl<T: Send> Sync for Lazy<T> {}

#[cfg(target_os = "none")]
impl<T: Send + 'static> Lazy<T> {
    /// A value that has not been made.
    #[expect(clippy::new_without_default, reason = "it is a static")]
    pub const fn new() -> Lazy<T> {
        Lazy {
            made: UnsafeCell::new(false),
            value: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    /// The value; made by `init` if it has not been since the start.
    ///
    /// # Safety
    /// The Lazy Invariant; no reference that it returned earlier is in use.
    #[expect(clippy::mut_from_ref, reason = "unique by the Lazy Invariant")]
    pub unsafe fn get(&'static self, init: impl FnOnce() -> T) -> &'static mut T {
        // SAFETY: the Lazy Invariant.
        let made = unsafe { &mut *self.made.get() };
        // SAFETY: the Lazy Invariant.
        let value = unsafe { &mut *self.value.get() };
        if !*made {
            value.write(init());
            *made = true;
        }
        // SAFETY: `made` says so, or it has just been made.
        unsafe { value.assume_init_mut() }
    }
}

/// A value that is made at its first use: on the host the name of a place in the
/// [`Memory`](crate::host::Memory) in use.
#[cfg(not(target_os = "none"))]
pub struct Lazy<T> {
    /// Gives the static an address of its own.
    _place: u8,
    value: PhantomData<fn() -> T>,
}

#[cfg(not(target_os = "none"))]
impl<T: Send + 'static> Lazy<T> {
    /// A value that has not been made.
    #[expect(clippy::new_without_default, reason = "it is a static")]
    pub const fn new() -> Lazy<T> {
        Lazy {
            _place: 0,
            value: PhantomData,
        }
    }

    /// The value in the memory in use; made by `init` if it is not in there.
    ///
    /// # Safety
    /// One at a time reaches the value, and no earlier reference to it is in use.
    #[expect(clippy::mut_from_ref, reason = "unique by contract")]
    pub unsafe fn get(&'static self, init: impl FnOnce() -> T) -> &'static mut T {
        // SAFETY: by contract; the memory in use stays while a body runs.
        unsafe { &mut *crate::host::state(core::ptr::from_ref(self).addr(), init) }
    }
}

/// What a function keeps between its jobs, made at the first job after a start or restart
/// of the process. Each job works on a copy, which becomes the state when the job
/// completes: a job that is stopped, because its budget is used up, leaves the state as it
/// was, like its outputs. Costs one copy a job.
///
/// The State Invariant: one thread runs the jobs of a function, one after the
/// other, and only its body reaches its state.
#[cfg(target_os = "none")]
pub struct State<S> {
    /// A [`stage`]; zero after a (re)start.
    stage: AtomicU8,
    values: [UnsafeCell<MaybeUninit<S>>; 2],
}

/// Bits of [`State::stage`]: what of its two values can be relied on when a job begins.
#[cfg(target_os = "none")]
mod stage {
    /// The value of this number is whole.
    pub(super) const WHOLE: [u8; 2] = [1, 2];
    /// The second one is the state, else the first.
    pub(super) const SECOND: u8 = 4;
}

#[cfg(target_os = "none")]
// SAFETY: the State Invariant.
unsafe impl<S: Send> Sync for State<S> {}

#[cfg(target_os = "none")]
impl<S: Clone + Send + 'static> State<S> {
    /// A state that has not been made.
    #[expect(clippy::new_without_default, reason = "a state is a static")]
    pub const fn new() -> State<S> {
        State {
            stage: AtomicU8::new(0),
            values: [const { UnsafeCell::new(MaybeUninit::uninit()) }; 2],
        }
    }

    /// What may be relied on from here on: a job is stopped between two instructions.
    fn enter(&self, stage: u8) {
        compiler_fence(Ordering::SeqCst);
        self.stage.store(stage, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
    }

    /// Lends a copy of the state, which becomes the state when it is given back; made by
    /// `init` if there is none.
    ///
    /// # Safety
    /// The State Invariant; what it lent earlier has been given back, or its borrower
    /// does not run any more.
    pub unsafe fn lend(&'static self, init: impl FnOnce() -> S) -> Lent<S> {
        let mut stage = self.stage.load(Ordering::Relaxed);
        let newest = usize::from(stage & stage::SECOND != 0);
        let [old, copy] = [newest, 1 - newest].map(|index| self.values[index].get());
        // SAFETY: the State Invariant.
        let old = unsafe { &mut *old };
        // SAFETY: the State Invariant, and it is the other one.
        let copy = unsafe { &mut *copy };
        if stage & stage::WHOLE[newest] == 0 {
            old.write(init());
            stage |= stage::WHOLE[newest];
        }
        self.enter(stage & !stage::WHOLE[1 - newest]);
        // SAFETY: `stage` said so, or it has just been made.
        let old = unsafe { old.assume_init_ref() };
        let value = match stage & stage::WHOLE[1 - newest] {
            0 => copy.write(old.clone()),
            _ => {
                // SAFETY: `stage` says so.
                let value = unsafe { copy.assume_init_mut() };
                value.clone_from(old);
                value
            }
        };
        Lent { value, state: self }
    }
}

/// A copy of a state, which becomes the state when this is dropped.
#[cfg(target_os = "none")]
pub struct Lent<S: Clone + Send + 'static> {
    value: &'static mut S,
    state: &'static State<S>,
}

#[cfg(target_os = "none")]
impl<S: Clone + Send> Drop for Lent<S> {
    fn drop(&mut self) {
        let second = self.state.stage.load(Ordering::Relaxed) & stage::SECOND;
        let both = stage::WHOLE[0] | stage::WHOLE[1];
        self.state.enter(both | (second ^ stage::SECOND));
    }
}

/// What a function keeps between its jobs. No job is stopped halfway on the host.
#[cfg(not(target_os = "none"))]
pub struct State<S>(Lazy<S>);

#[cfg(not(target_os = "none"))]
impl<S: Clone + Send + 'static> State<S> {
    /// A state that has not been made.
    #[expect(clippy::new_without_default, reason = "a state is a static")]
    pub const fn new() -> State<S> {
        State(Lazy::new())
    }

    /// Lends the state; made by `init` if it is not in the memory in use.
    ///
    /// # Safety
    /// One body at a time reaches the state, and what it lent earlier is not in use.
    pub unsafe fn lend(&'static self, init: impl FnOnce() -> S) -> Lent<S> {
        Lent {
            // SAFETY: by contract.
            value: unsafe { self.0.get(init) },
        }
    }
}

/// A state in use.
#[cfg(not(target_os = "none"))]
pub struct Lent<S: Clone + Send + 'static> {
    value: &'static mut S,
}

impl<S: Clone + Send> Deref for Lent<S> {
    type Target = S;

    fn deref(&self) -> &S {
        self.value
    }
}

impl<S: Clone + Send> DerefMut for Lent<S> {
    fn deref_mut(&mut self) -> &mut S {
        self.value
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

//! A value that the drivers of one process share.

use core::sync::atomic::{Ordering, compiler_fence};

use crate::block::Lazy;

/// A value that the drivers of one process share, in a `static`; made at its first use
/// after a start or restart of the process.
///
/// ```
/// use giornata_rt::{DriverCell, driver};
///
/// static LEVEL: DriverCell<i32> = DriverCell::new(|| 900);
///
/// #[driver]
/// fn read_level(level: &mut i32) {
///     *level = LEVEL.with(|level| *level);
/// }
///
/// #[driver]
/// fn fill(rate: &i32) {
///     LEVEL.with(|level| *level += rate);
/// }
/// # let mut level = 0;
/// # fill(&5);
/// # read_level(&mut level);
/// # assert_eq!(level, 905);
/// ```
///
/// The drivers of a process run on its one upcall thread, one after the other, and
/// nothing of the process runs meanwhile. So a driver finds the value free: it does not
/// wait, and makes no call. Tasks and threads should use a
/// [`Locked`](crate::sync::Locked): a driver that runs while they have the value panics.
///
/// The Taken Invariant: only the user that took the flag reaches the value, until it
/// gives the flag back. So every use is sound. A driver that is stopped while it has the
/// value, because its budget is used up, may leave it half written: the next use panics,
/// and the process ends, or is restarted with a new value.
///
/// On the host each thread, or each [`Memory`](crate::host::Memory) in use, has a value
/// of its own, so tests do not meet.
pub struct DriverCell<T> {
    flag: Flag,
    value: Lazy<T>,
    make: fn() -> T,
}

impl<T: Send + 'static> DriverCell<T> {
    /// A value that `make` makes.
    pub const fn new(make: fn() -> T) -> DriverCell<T> {
        DriverCell {
            flag: Flag::new(),
            value: Lazy::new(),
            make,
        }
    }

    /// Lets `work` at the value. O(1) beside `work`.
    ///
    /// # Panics
    /// It is in use: by the caller itself, or by a task or thread that the driver has
    /// preempted. Or a driver was stopped, or panicked, while it had it.
    #[track_caller]
    pub fn with<R>(&'static self, work: impl FnOnce(&mut T) -> R) -> R {
        match self.try_with(work) {
            Some(result) => result,
            None => panic!("a DriverCell is in use, or its user was stopped"),
        }
    }

    /// The same; `None` instead of a panic where the value is in use.
    pub fn try_with<R>(&'static self, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        if !self.flag.take() {
            return None;
        }
        // SAFETY: the Taken Invariant: nobody else reaches the value until the flag is
        // given back, and this reference ends before that.
        let result = work(unsafe { self.value.get(self.make) });
        self.flag.give_back();
        Some(result)
    }
}

/// Whether a value is in use.
#[cfg(target_os = "none")]
struct Flag(crate::restartable::Word);

#[cfg(target_os = "none")]
impl Flag {
    const fn new() -> Flag {
        Flag(crate::restartable::Word::new(0))
    }

    fn take(&'static self) -> bool {
        let taken = self.0.compare_exchange(0, 1).is_ok();
        compiler_fence(Ordering::Acquire);
        taken
    }

    fn give_back(&'static self) {
        // (one of its threads runs at a time: what is written before is seen before)
        compiler_fence(Ordering::Release);
        self.0.store(0);
    }
}

/// Whether a value is in use: in the memory in use, as the value.
#[cfg(not(target_os = "none"))]
struct Flag(Lazy<bool>);

#[cfg(not(target_os = "none"))]
impl Flag {
    const fn new() -> Flag {
        Flag(Lazy::new())
    }

    fn take(&'static self) -> bool {
        // SAFETY: only here and below, on one host thread, for the time of a statement.
        let taken = unsafe { self.0.get(|| false) };
        compiler_fence(Ordering::Acquire);
        !core::mem::replace(taken, true)
    }

    fn give_back(&'static self) {
        // SAFETY: as above.
        *unsafe { self.0.get(|| false) } = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Memory;

    #[test]
    fn drivers_reach_one_value_one_after_the_other() {
        static LEVEL: DriverCell<u32> = DriverCell::new(|| 7);
        assert_eq!(LEVEL.with(|level| core::mem::replace(level, 8)), 7);
        assert_eq!(LEVEL.with(|level| *level), 8);
    }

    #[test]
    fn a_value_in_use_is_reached_by_nobody_else() {
        static LEVEL: DriverCell<u32> = DriverCell::new(|| 0);
        let inner = LEVEL.with(|level| {
            *level = 1;
            let inner = LEVEL.try_with(|level| *level = 2);
            *level += 10;
            inner
        });
        assert_eq!(inner, None);
        assert_eq!(LEVEL.try_with(|level| *level), Some(11));
    }

    #[test]
    fn a_value_whose_user_panicked_is_in_use_until_the_process_is_restarted() {
        static LEVEL: DriverCell<u32> = DriverCell::new(|| 5);
        let mut memory = Memory::new();
        let broken = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
            memory.run(|| {
                LEVEL.with(|level| {
                    *level = 6;
                    panic!("half written");
                })
            })
        }));
        assert!(broken.is_err());
        assert_eq!(memory.run(|| LEVEL.try_with(|level| *level)), None);
        memory = Memory::new();
        assert_eq!(memory.run(|| LEVEL.try_with(|level| *level)), Some(5));
    }

    #[test]
    #[should_panic = "a DriverCell is in use"]
    fn a_second_use_inside_of_the_first_panics() {
        static LEVEL: DriverCell<u32> = DriverCell::new(|| 0);
        LEVEL.with(|_| LEVEL.with(|level| *level = 2));
    }

    #[test]
    fn threads_of_the_host_have_a_value_each() {
        static LEVEL: DriverCell<u32> = DriverCell::new(|| 0);
        LEVEL.with(|level| *level = 3);
        let other = std::thread::spawn(|| LEVEL.with(|level| *level));
        assert_eq!(other.join().unwrap(), 0);
    }
}

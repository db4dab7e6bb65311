//! Threads: the caller's own identity, its place in the urgency order, and its
//! control page.

use core::ptr::{NonNull, with_exposed_provenance};
use core::sync::atomic::{Ordering, compiler_fence};

use giornata_abi::{Duration, Error, Instant};

use crate::control::{self, ControlPage};
#[cfg(not(target_os = "none"))]
use crate::host as machine;
#[cfg(target_os = "none")]
use crate::riscv as machine;
use crate::{Id, call};

/// Gives the processor to the next thread of equal urgency.
pub fn yield_now() {
    // Refused to upcalls only, which have nobody to yield to.
    let _ = call::yield_now();
}

/// Ends the calling thread. A thread whose function returns ends the same way.
pub fn exit() -> ! {
    call::exit(0)
}

/// What a created thread does: gets its argument, ends with a value.
pub type Body = extern "C" fn(argument: usize) -> usize;

/// Starts a thread of this process, at a fixed priority, in one of the places that
/// the system file gives it for that. It begins when it is the most urgent, maybe
/// before this returns. O(1); does not block. (EMERALDS 4, `create_thread`; POSIX
/// `pthread_create`.)
///
/// `EAGAIN`: all places are taken. `EPERM`: the priority is above what the process
/// is granted, or that of the deadline band.
pub fn create(body: Body, argument: usize, priority: u8) -> Result<Id, Error> {
    call::create_thread(body as *const () as usize, argument, priority).map(Id)
}

/// Waits for a created thread to end, frees its place, and returns what it ended
/// with. O(1); blocks. (EMERALDS 4, `join_thread`; POSIX `pthread_join`.)
///
/// `ESRCH`: there is no such thread of this process. `EINVAL`: it was not created,
/// or is detached, or another waits for it. `EDEADLK`: it is the caller.
pub fn join(thread: Id) -> Result<usize, Error> {
    join_until(thread, Instant::NEVER)
}

/// As [`join`], until an instant at most: `ETIMEDOUT`; at [`Instant::START`] it does
/// not block: `EBUSY`.
pub fn join_until(thread: Id, until: Instant) -> Result<usize, Error> {
    call::join_thread(thread.0, until)
}

/// Says that nobody will join a created thread: its place is freed when it ends.
/// O(1); does not block. (EMERALDS 4, `detach_thread`; POSIX `pthread_detach`.)
/// Errors as [`join`].
pub fn detach(thread: Id) -> Result<(), Error> {
    call::detach_thread(thread.0)
}

/// Ends the calling thread with a value for the thread that joins it.
pub fn exit_with(value: usize) -> ! {
    call::exit(value)
}

/// Goes on with `body` on another stack, which ends at `top`; what is on the one before is
/// gone. No entry.
///
/// # Safety
/// The stack is the calling thread's alone, and `top` is a multiple of 16.
#[cfg(target_os = "none")]
pub unsafe fn go_on(top: usize, body: extern "C" fn(usize) -> !) -> ! {
    // SAFETY: by contract.
    unsafe { machine::go_on(top, body) }
}

/// The id of the calling thread; `EPERM` in an upcall.
pub fn own() -> Result<Id, Error> {
    call::own().map(|(id, ..)| Id(id))
}

/// A stack, and how deep it has been.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stack {
    /// Its bytes.
    pub size: usize,
    /// Bytes of it that have been used, at most, so far.
    pub used: usize,
}

/// How deep the calling thread's stack has been: down to the lowest word that is
/// not 0. A process begins with stacks of zeroes. A place for created threads keeps
/// the mark of all that had it, and a task's stack that of all jobs. What was never
/// written below, or is 0, is not seen: room that a function kept and did not use.
/// O(bytes that are not used).
///
/// `EPERM` in an upcall, and on the host, where the stack is the simulator's.
pub fn stack() -> Result<Stack, Error> {
    let (_, address, size) = call::own()?;
    // SAFETY: the kernel says where the stack of this thread is, of whole words.
    let used = unsafe { stack_depth(with_exposed_provenance(address), size) };
    Ok(Stack { size, used })
}

/// How deep a stack has been that a program gave a thread itself: bytes from the lowest word
/// that is not 0 to the end. O(bytes that are not used).
///
/// # Safety
/// `size` bytes from `bottom` on may be read, by words; what the thread has there
/// meanwhile does not matter.
pub unsafe fn stack_depth(bottom: *const usize, size: usize) -> usize {
    let words = size / WORD;
    let free = (0..words).find(|index| {
        // SAFETY: by contract; volatile, because the stack is in use.
        unsafe { bottom.wrapping_add(*index).read_volatile() != 0 }
    });
    size - free.unwrap_or(words) * WORD
}

/// Bytes of a word of the stack.
const WORD: usize = size_of::<usize>();

/// Execution time of the calling thread so far.
pub fn cpu_time() -> Result<Duration, Error> {
    call::cpu_time().map(Duration)
}

/// Execution time of a thread of this process so far, in kernels of the configuration
/// `pse51`. (POSIX `clock_getcpuclockid`.) O(1); does not block.
///
/// `ESRCH`: there is no such thread. `ENOSYS`: the kernel has no such clocks.
pub fn cpu_time_of(thread: Id) -> Result<Duration, Error> {
    call::thread_time(thread.0).map(Duration)
}

/// The same of all threads of this process together, those that have ended too.
/// O(threads); does not block.
pub fn cpu_time_of_process() -> Result<Duration, Error> {
    call::process_time().map(Duration)
}

/// Gives a thread of this process a fixed priority, 255 being the most urgent.
///
/// `ESRCH`: no such thread. `EPERM`: of another process, or above what the
/// manifest grants, or that of the deadline band. `EINVAL`: not a thread of fixed priority.
pub fn set_priority(thread: Id, priority: u8) -> Result<(), Error> {
    call::set_priority(thread.0, priority)
}

/// Words of a control page.
const PAGE_WORDS: usize = size_of::<ControlPage>() / 4;

/// The control page of a thread, which it shares with the kernel.
///
/// The kernel writes it while the thread does not run, so every access is
/// volatile.
#[derive(Clone, Copy)]
pub struct Control(NonNull<ControlPage>);

/// The ceiling of a thread before it was raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Outer(u32);

impl Outer {
    /// There was none.
    pub const NONE: Outer = Outer(0);

    /// This one.
    pub const fn at(ceiling: u8) -> Outer {
        Outer(ceiling as u32)
    }

    /// Which it is; 0: there was none.
    pub const fn ceiling(self) -> u8 {
        self.0 as u8
    }
}

macro_rules! field {
    ($page:expr, $field:ident) => {
        // SAFETY: the Page Invariant: a `Control` points to a whole control page for good.
        unsafe { (&raw const (*$page.0.as_ptr()).$field).read_volatile() }
    };
}
macro_rules! set_field {
    ($page:expr, $field:ident, $value:expr) => {
        // SAFETY: the Page Invariant.
        unsafe { (&raw mut (*$page.0.as_ptr()).$field).write_volatile($value) }
    };
}

impl Control {
    /// The page at `address`; `None` at null.
    ///
    /// # Safety
    /// The Page Invariant: a [`ControlPage`] lies there as long as the thread lives.
    pub unsafe fn new(address: *mut u8) -> Option<Control> {
        NonNull::new(address.cast()).map(Control)
    }

    /// That of the caller; `None` on the host, where threads have none. O(1), no entry.
    #[inline]
    pub fn of_caller() -> Option<Control> {
        // SAFETY: the page is there as long as the thread.
        unsafe { Control::new(machine::page()) }
    }

    /// Where the page lies: any byte of it may be written at any time.
    pub fn address(&self) -> *mut u8 {
        self.0.as_ptr().cast()
    }

    /// The id of the thread.
    pub fn thread(&self) -> Id {
        control::thread(*self)
    }

    /// Number of the job that runs, from 1.
    pub fn job(&self) -> u32 {
        field!(self, job)
    }

    /// Nominal release of the job.
    pub fn release(&self) -> Instant {
        control::release(*self)
    }

    /// Absolute deadline of the job.
    pub fn deadline(&self) -> Instant {
        control::deadline(*self)
    }

    /// The word of the page at a byte offset, a multiple of 4 within it.
    pub(crate) fn word(&self, offset: usize) -> u32 {
        let index = (offset / 4).min(PAGE_WORDS - 1);
        let word = self.0.as_ptr().cast::<u32>().wrapping_add(index);
        // SAFETY: the Page Invariant; the index lies in the page.
        unsafe { word.read_volatile() }
    }

    /// Runs `work` while no thread of priority `ceiling` or below preempts;
    /// the kernel clamps the ceiling to what the manifest grants. A caller whose own
    /// priority is the ceiling gives way to its equals when its quantum or budget ends.
    /// No system call unless a preemption was put off meanwhile. Ceilings nest.
    pub fn with_ceiling<R>(&self, ceiling: u8, work: impl FnOnce() -> R) -> R {
        let outer = self.raise_ceiling(ceiling);
        let result = work();
        self.restore_ceiling(outer);
        result
    }

    /// The first half of [`with_ceiling`](Self::with_ceiling), where what runs between the
    /// two is no closure. Returns what the second half takes.
    #[inline]
    pub fn raise_ceiling(&self, ceiling: u8) -> Outer {
        let outer = field!(self, ceiling);
        set_field!(self, ceiling, outer.max(ceiling as u32));
        // what is guarded comes behind
        compiler_fence(Ordering::SeqCst);
        Outer(outer)
    }

    /// The second half: of the ceiling that was raised last.
    #[inline]
    pub fn restore_ceiling(&self, Outer(outer): Outer) {
        compiler_fence(Ordering::SeqCst);
        set_field!(self, ceiling, outer);
        // (the kernel heeds the outer ceiling, too)
        if field!(self, pending) != 0 {
            set_field!(self, pending, 0);
            yield_now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_has_been_as_deep_as_its_lowest_word_that_is_not_zero() {
        let mut words = [0usize; 8];
        for (mark, used) in [(None, 0), (Some(7), 1), (Some(5), 3), (Some(0), 8)] {
            if let Some(mark) = mark {
                words[mark] = 1;
            }
            // SAFETY: all of `words`.
            let depth = unsafe { stack_depth(words.as_ptr(), size_of_val(&words)) };
            assert_eq!(depth, used * WORD);
        }
    }

    #[test]
    fn the_outermost_ceiling_yields_when_a_preemption_was_put_off() {
        let calls = std::rc::Rc::new(core::cell::Cell::new(0));
        let count = calls.clone();
        crate::host::set_hook(move |request| {
            assert_eq!(request.number, giornata_abi::call::Call::Yield as usize);
            count.set(count.get() + 1);
            giornata_abi::call::Answer::DONE
        });
        let mut page = control::tests::page();
        let address = core::ptr::from_mut(&mut page);
        // SAFETY: `page` outlives the view.
        let control = unsafe { Control::new(address.cast()) }.unwrap();
        control.with_ceiling(9, || {
            control.with_ceiling(7, || assert_eq!(field!(control, ceiling), 9));
            set_field!(control, pending, 1);
        });
        assert_eq!(
            (
                field!(control, ceiling),
                field!(control, pending),
                calls.get()
            ),
            (0, 0, 1)
        );
        control.with_ceiling(9, || ());
        assert_eq!(
            calls.get(),
            1,
            "no system call without a preemption put off"
        );
        crate::host::clear_hook();
    }
}

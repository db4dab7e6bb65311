//! Semaphores, with and without a name.
//!
//! The word is that of a private semaphore of `giornata_rt`: no entry unless a thread has to
//! wait, or is waiting.

use core::cell::Cell;
use core::ffi::{CStr, c_char, c_int, c_uint};
use core::ptr::null_mut;

use giornata_abi::word::{LIMIT, MOST, WAITED_FOR};
use giornata_rt::clock::Ticks;
use giornata_rt::restartable::Word;
use giornata_rt::{Id, call};

use crate::cancel;
use crate::entry;
use crate::error::{Errno, or_minus_one, set};
use crate::lock::inside;
use crate::mutex::Until;
use crate::signal::{self, Run};
use crate::time::{ClockId, REALTIME, TimeSpec};
use crate::twin::twin;
use crate::waiting::{Kind, WordObject};

/// Named semaphores that there can be at once, and bytes of a name at most.
const NAMED: usize = 8;
const NAME: usize = 31;

/// Bits of `<fcntl.h>`.
const CREATE: c_int = 0x40;
const EXCLUSIVE: c_int = 0x800;

/// The state between `sem_init()` and `sem_destroy()`.
const INITIALISED: u16 = 0x7365;
/// The word of one that is not initialised: it has no highest count, so what is fast does not
/// apply to it.
const NONE: u32 = 0;

/// `sem_t`.
#[derive(Debug)]
#[repr(C)]
pub struct Semaphore {
    word: Word,
    object: WordObject,
    state: Cell<u16>,
}

/// What a semaphore's word says of its count.
fn low(word: u32) -> u32 {
    word & ((1 << LIMIT) - 1)
}

impl Semaphore {
    const fn none() -> Semaphore {
        Semaphore {
            word: Word::new(NONE),
            object: WordObject::none(),
            state: Cell::new(0),
        }
    }

    fn begin(&self, count: c_uint) -> Result<(), Errno> {
        if count > MOST {
            return Err(Errno::EINVAL);
        }
        self.state.set(INITIALISED);
        self.word.store(count | MOST << LIMIT);
        Ok(())
    }

    /// `EINVAL`: it is not initialised. `EBUSY`: a thread waits.
    fn end(&self) -> Result<(), Errno> {
        self.check()?;
        if self.word.load() & WAITED_FOR != 0 {
            return Err(Errno::EBUSY);
        }
        self.state.set(0);
        self.word.store(NONE);
        Ok(())
    }

    /// It counts none again, whoever had it.
    pub(crate) fn restart(&self) {
        let _ = self.begin(0);
    }

    fn check(&self) -> Result<(), Errno> {
        match self.state.get() {
            INITIALISED => Ok(()),
            _ => Err(Errno::EINVAL),
        }
    }

    fn address(&self) -> usize {
        (&raw const self.word).expose_provenance()
    }

    fn acquire(&self, until: Until<'_>) -> Result<(), Errno> {
        cancel::test();
        if self.take_one() {
            return Ok(());
        }
        loop {
            let (acquired, run) = signal::heeding(|| self.acquire_as(until));
            if acquired == Err(Errno::EINTR) {
                cancel::test();
            }
            if acquired != Err(Errno::EINTR) || run == Run::Ending {
                return acquired;
            }
        }
    }

    /// Takes one if there is any; false if not, or if the kernel knows.
    fn take_one(&self) -> bool {
        // (what is waited for is in the kernel's hands, and more than any count)
        self.word.take()
    }

    /// The same until a tick, or a signal: `EINTR`.
    pub(crate) fn acquire_once(&self, until: Ticks) -> Result<(), Errno> {
        self.acquire_as(Until::Tick(until))
    }

    fn acquire_as(&self, until: Until<'_>) -> Result<(), Errno> {
        if self.take_one() {
            return Ok(());
        }
        self.check()?;
        if matches!(until, Until::Now) {
            return Err(Errno::EAGAIN);
        }
        let tick = until.tick()?;
        let ask = |id| entry::lock(id, tick, self.address());
        let acquired = self.object.call(Kind::Semaphore, ask);
        until.is_over();
        acquired
    }

    pub(crate) fn release(&self) -> Result<(), Errno> {
        if self.word.give() {
            return Ok(());
        }
        self.check()?;
        if low(self.word.load()) == MOST {
            return Err(Errno::EOVERFLOW);
        }
        let give = |id: Id| call::unlock_word(id.0, self.address());
        self.object.call(Kind::Semaphore, give)
    }
}

/// A semaphore with a name: free if it has no name and is not open.
struct Named {
    semaphore: Semaphore,
    name: Cell<[u8; NAME]>,
    /// Bytes of the name; 0: it has none any more.
    length: Cell<usize>,
    open: Cell<u32>,
}

struct Table([Named; NAMED]);

// SAFETY: the Table Invariant: names and counts are reached by whoever has the library's lock
// only, and one thread of the process runs at a time.
unsafe impl Sync for Table {}

static TABLE: Table = Table(
    [const {
        Named {
            semaphore: Semaphore::none(),
            name: Cell::new([0; NAME]),
            length: Cell::new(0),
            open: Cell::new(0),
        }
    }; NAMED],
);

impl Named {
    fn is_called(&self, name: &[u8]) -> bool {
        let length = self.length.get();
        length != 0 && self.name.get().get(..length) == Some(name)
    }

    fn is_free(&self) -> bool {
        self.length.get() == 0 && self.open.get() == 0
    }
}

impl Table {
    fn open(&self, name: &[u8], how: c_int, count: c_uint) -> Result<&Semaphore, Errno> {
        match name.len() {
            0 => return Err(Errno::EINVAL),
            1..=NAME => {}
            _ => return Err(Errno::ENAMETOOLONG),
        }
        let (found, free) = {
            let mut all = self.0.iter();
            let found = all.find(|one| one.is_called(name));
            (found, self.0.iter().find(|one| one.is_free()))
        };
        let named = match found {
            Some(_) if how & CREATE != 0 && how & EXCLUSIVE != 0 => return Err(Errno::EEXIST),
            Some(named) => named,
            None if how & CREATE == 0 => return Err(Errno::ENOENT),
            None => {
                let free = free.ok_or(Errno::ENFILE)?;
                free.semaphore.begin(count)?;
                let mut kept = [0; NAME];
                for (to, from) in kept.iter_mut().zip(name) {
                    *to = *from;
                }
                free.name.set(kept);
                free.length.set(name.len());
                free
            }
        };
        named.open.set(named.open.get() + 1);
        Ok(&named.semaphore)
    }

    fn close(&self, semaphore: *const Semaphore) -> Result<(), Errno> {
        let is_it = |one: &&Named| core::ptr::eq(&one.semaphore, semaphore) && one.open.get() != 0;
        let named = self.0.iter().find(is_it).ok_or(Errno::EINVAL)?;
        named.open.set(named.open.get() - 1);
        named.forget();
        Ok(())
    }

    fn unlink(&self, name: &[u8]) -> Result<(), Errno> {
        if name.len() > NAME {
            return Err(Errno::ENAMETOOLONG);
        }
        let named = self.0.iter().find(|one| one.is_called(name));
        let named = named.ok_or(Errno::ENOENT)?;
        named.length.set(0);
        named.forget();
        Ok(())
    }
}

impl Named {
    /// The semaphore ends if nobody can reach it any more.
    fn forget(&self) {
        if self.is_free() {
            self.semaphore.state.set(0);
            self.semaphore.word.store(NONE);
        }
    }
}

/// See POSIX, `sem_init()`. All threads of the process share it, whatever the second argument
/// says. No entry. `EINVAL`: `count` is above SEM_VALUE_MAX.
///
/// # Safety
/// The memory of a semaphore lies at `semaphore`, which nobody uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_init(semaphore: *mut Semaphore, _: c_int, count: c_uint) -> c_int {
    // SAFETY: by contract.
    unsafe { semaphore.write(Semaphore::none()) };
    // SAFETY: by contract.
    or_minus_one(unsafe { &*semaphore }.begin(count).map(|()| 0))
}

/// See POSIX, `sem_destroy()`. No entry. `EBUSY`: a thread waits for it. `EINVAL`: it is not
/// initialised.
///
/// # Safety
/// A semaphore lies at `semaphore`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_destroy(semaphore: *const Semaphore) -> c_int {
    // SAFETY: by contract.
    or_minus_one(unsafe { &*semaphore }.end().map(|()| 0))
}

/// See POSIX, `sem_wait()`. Blocks while the count is 0; no entry else. `EINVAL`: it is not
/// initialised.
///
/// # Safety
/// A semaphore lies at `semaphore`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_wait(semaphore: *const Semaphore) -> c_int {
    // SAFETY: by contract.
    or_minus_one(unsafe { &*semaphore }.acquire(Until::Never).map(|()| 0))
}

/// See POSIX, `sem_trywait()`: as [`sem_wait`], but `EAGAIN` where that blocks. No entry.
///
/// # Safety
/// A semaphore lies at `semaphore`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_trywait(semaphore: *const Semaphore) -> c_int {
    // SAFETY: by contract.
    or_minus_one(unsafe { &*semaphore }.acquire_as(Until::Now).map(|()| 0))
}

/// See POSIX, `sem_timedwait()`: as [`sem_wait`], until CLOCK_REALTIME shows `time`
/// (`ETIMEDOUT`). `EINVAL`, if it has to wait: the nanoseconds are not those of a second.
///
/// # Safety
/// A semaphore lies at `semaphore`; `time` may be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_timedwait(
    semaphore: *const Semaphore,
    time: *const TimeSpec,
) -> c_int {
    // SAFETY: by contract.
    let semaphore = unsafe { &*semaphore };
    // SAFETY: by contract.
    let time = unsafe { &*time };
    or_minus_one(semaphore.acquire(Until::At(REALTIME, time)).map(|()| 0))
}

/// See POSIX.1-2024, `sem_clockwait()`: as [`sem_timedwait`], until a clock shows `time`. `EINVAL`,
/// too, if it has to wait: it is none that one can wait for.
///
/// # Safety
/// As [`sem_timedwait`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_clockwait(
    semaphore: *const Semaphore,
    clock: ClockId,
    time: *const TimeSpec,
) -> c_int {
    // SAFETY: by contract.
    let semaphore = unsafe { &*semaphore };
    // SAFETY: by contract.
    let until = Until::At(clock, unsafe { &*time });
    or_minus_one(semaphore.acquire(until).map(|()| 0))
}

/// See POSIX, `sem_post()`. Does not block; no entry unless a thread waits. `EOVERFLOW`: the
/// count is SEM_VALUE_MAX. `EINVAL`: it is not initialised.
///
/// # Safety
/// A semaphore lies at `semaphore`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_post(semaphore: *const Semaphore) -> c_int {
    // SAFETY: by contract.
    or_minus_one(unsafe { &*semaphore }.release().map(|()| 0))
}

/// See POSIX, `sem_getvalue()`: 0 while threads wait. No entry. `EINVAL`: it is not
/// initialised.
///
/// # Safety
/// A semaphore lies at `semaphore`; `count` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_getvalue(semaphore: *const Semaphore, count: *mut c_int) -> c_int {
    // SAFETY: by contract.
    let semaphore = unsafe { &*semaphore };
    or_minus_one(semaphore.check().map(|()| {
        // SAFETY: by contract.
        unsafe { count.write((low(semaphore.word.load()) & MOST) as c_int) };
        0
    }))
}

/// See POSIX, `sem_open()`; semaphores are of the process, which may open all of them, so the
/// mode does not matter. Does not block. O(names).
///
/// `ENFILE`: there are 8 already. `EEXIST`, `ENOENT`, `EINVAL`: as in POSIX. `ENAMETOOLONG`:
/// the name has more than 31 bytes. `EINVAL`, too: it is empty.
///
/// # Safety
/// A text that ends with 0 lies at `name`. (Without `O_CREAT` in `how` the others are not
/// there.)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_open(
    name: *const c_char,
    how: c_int,
    _: c_uint,
    count: c_uint,
) -> *mut Semaphore {
    // SAFETY: by contract.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    match inside(|| TABLE.open(name, how, count)) {
        Ok(semaphore) => (&raw const *semaphore).cast_mut(),
        Err(error) => {
            set(error);
            null_mut()
        }
    }
}

/// See POSIX, `sem_close()`. Does not block. O(names). `EINVAL`: it is none that is open.
#[unsafe(no_mangle)]
pub extern "C" fn sem_close(semaphore: *const Semaphore) -> c_int {
    or_minus_one(inside(|| TABLE.close(semaphore)).map(|()| 0))
}

/// See POSIX, `sem_unlink()`. Does not block. O(names). `ENOENT`: there is none. `ENAMETOOLONG`.
///
/// # Safety
/// A text that ends with 0 lies at `name`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_unlink(name: *const c_char) -> c_int {
    // SAFETY: by contract.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    or_minus_one(inside(|| TABLE.unlink(name)).map(|()| 0))
}

twin!(
    "sem_t",
    Semaphore {
        word: "__word",
        object: "__bound",
        state: "__state"
    }
);

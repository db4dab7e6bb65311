//! Threads, and what each keeps for itself: values of keys, what it has to clean up, a name.
//!
//! A thread that the process makes starts in one of its `spare-threads`. The table of all
//! threads of the process has a place for each that can live at a time; it is written with
//! the library's lock, which keeps a new thread from running before its place is filled.

use core::arch::asm;
use core::cell::Cell;
use core::ffi::{c_char, c_int, c_void};
use core::mem::offset_of;
use core::ptr::{null, null_mut, with_exposed_provenance, with_exposed_provenance_mut};
use core::slice::from_raw_parts;

use giornata_rt::clock::Ticks;
use giornata_rt::thread::{self, Control, Outer};
use giornata_rt::{Id, call};

use crate::cancel;
use crate::entry;
use crate::error::{Errno, number};
use crate::lock::inside;
use crate::mutex::{Mutex, Until};
use crate::policy::{self, Parameters};
use crate::sched::FIFO;
use crate::semaphore::Semaphore;
use crate::signal::{self, Run, Set};
use crate::time::{ClockId, REALTIME, TimeSpec};
use crate::timer;
use crate::twin::twin;

/// `pthread_t`: the serial number above 16 bits of the slot.
type ThreadId = u64;
pub(crate) type Start = extern "C" fn(*mut c_void) -> *mut c_void;
type Routine = unsafe extern "C" fn(*mut c_void);

/// `PTHREAD_KEYS_MAX`.
const MOST_KEYS: usize = 128;
/// `PTHREAD_DESTRUCTOR_ITERATIONS`.
const ROUNDS: usize = 4;
/// Bytes of a name, and the zero behind it.
const NAME: usize = 16;
/// The state of `pthread_attr_t` between its functions `init` and `destroy`.
const INITIALISED: u32 = 0x6174_7472;

/// `pthread_attr_t`.
#[derive(Debug)]
#[repr(C)]
pub struct Attributes {
    state: u32,
    detached: c_int,
    inherits: c_int,
    policy: c_int,
    scope: c_int,
    parameters: Parameters,
    stack: *mut u8,
    stack_size: usize,
    guard_size: usize,
}

/// `struct __pthread_cleanup`.
#[derive(Debug)]
#[repr(C)]
pub struct Cleanup {
    routine: Routine,
    argument: *mut c_void,
    outer: *mut Cleanup,
}

/// A thread of the process: see `runtime/thread.c`. What is a thread's own, it changes
/// itself; its id, its priority and its name are changed inside.
#[repr(C)]
pub(crate) struct Place {
    /// 0: nobody has the place.
    pub(crate) id: Cell<ThreadId>,
    start: Cell<Option<Start>>,
    argument: Cell<*mut c_void>,
    /// Its own stack's lowest address, if it brings one.
    stack: Cell<*mut u8>,
    stack_size: Cell<usize>,
    values: Cell<*mut Value>,
    value_count: Cell<usize>,
    cleanup: Cell<*mut Cleanup>,
    name: Cell<[u8; NAME]>,
    pub(crate) policy: Cell<c_int>,
    pub(crate) parameters: Cell<Parameters>,
    /// The mutexes with a ceiling that it has, the last first.
    pub(crate) mutexes: Cell<*const Mutex>,
    /// The signals that it blocks, and those that it waits for.
    pub(crate) mask: Cell<Set>,
    pub(crate) wanted: Cell<Set>,
    /// It has to look for signals: it was interrupted, or is about to be.
    pub(crate) due: Cell<bool>,
    /// It has come as far as to be interrupted.
    pub(crate) has_begun: Cell<bool>,
    /// Which handlers have run since the thread has last set this.
    pub(crate) run: Cell<Run>,
    /// It is asked to end; but not now, and else anywhere.
    pub(crate) is_cancelled: Cell<bool>,
    pub(crate) is_kept: Cell<bool>,
    pub(crate) is_asynchronous: Cell<bool>,
    /// It waits for a time of CLOCK_REALTIME, and that was set meanwhile.
    pub(crate) by_realtime: Cell<bool>,
    pub(crate) is_late: Cell<bool>,
    /// What a timer of its CPU-time clock waits for; 0: none does.
    pub(crate) timer: Cell<u64>,
    /// It was made, but cannot have its policy.
    is_refused: Cell<bool>,
    /// It waits until a handler has run.
    pub(crate) is_suspended: Cell<bool>,
    /// What it then waits by, and for a signal.
    pub(crate) wakes: Semaphore,
    /// The floating-point environment of its creator when that made it.
    environment: Cell<u32>,
    /// It runs `main()`: a thread of the system file that can be joined. The kernel knows nothing
    /// of that, so its end is noted here.
    is_main: Cell<bool>,
    /// Of that one: nobody will join it; it has ended, with this value; and who waits for it.
    is_detached: Cell<bool>,
    pub(crate) has_ended: Cell<bool>,
    value: Cell<*mut c_void>,
    joiner: Cell<*const Place>,
}

impl Place {
    /// Where its priority lies.
    pub(crate) const PRIORITY: usize =
        offset_of!(Place, parameters) + offset_of!(Parameters, priority);

    /// Its priority.
    #[inline(always)]
    pub(crate) fn priority(&self) -> c_int {
        // SAFETY: nobody changes them meanwhile.
        unsafe { self.parameters() }.priority
    }

    /// Its parameters, which are too many to be copied each time.
    ///
    /// # Safety
    /// Nobody changes them while they are referred to: see the one thread that runs, or stay
    /// inside.
    #[inline(always)]
    unsafe fn parameters(&self) -> &Parameters {
        // SAFETY: by contract.
        unsafe { &*self.parameters.as_ptr() }
    }
}

/// What a thread has for a key, if the key is still the same.
#[repr(C)]
struct Value {
    serial: Cell<u32>,
    value: Cell<*mut c_void>,
}

/// A key: its serial number is odd while it is in use.
#[repr(C)]
struct Key {
    serial: Cell<u32>,
    destructor: Cell<Option<Routine>>,
}

/// All keys that there have been, in memory of the heap.
struct Keys {
    first: Cell<*mut Key>,
    count: Cell<usize>,
}

// SAFETY: one thread of the process runs at a time, and keys are reached inside only.
unsafe impl Sync for Keys {}
// SAFETY: one thread of the process runs at a time; who changes a place is said there.
unsafe impl Sync for Place {}

static KEYS: Keys = Keys {
    first: Cell::new(null_mut()),
    count: Cell::new(0),
};

unsafe extern "C" {
    safe static giornata_posix_places: [Place; 0];
    safe static giornata_posix_place_count: u32;
    safe static giornata_posix_stack: u32;
    safe static giornata_posix_priorities: [u8; 0];
    /// The slot of the first thread of the system file, and how many there are.
    safe static giornata_posix_lasting: [u32; 2];
    /// The caller's floating-point environment, and another for it: see `runtime/frame.c`.
    safe fn giornata_posix_environment() -> u32;
    safe fn giornata_posix_set_environment(environment: u32);
    fn realloc(memory: *mut c_void, bytes: usize) -> *mut c_void;
    fn free(memory: *mut c_void);
}

pub(crate) fn outward(id: Id) -> ThreadId {
    id.0 + (1 << 16)
}

pub(crate) fn inward(thread: ThreadId) -> Result<Id, Errno> {
    let id = thread.checked_sub(1 << 16).filter(|id| id >> 48 == 0);
    id.map(Id).ok_or(Errno::ESRCH)
}

pub(crate) fn places() -> &'static [Place] {
    let first = (&raw const giornata_posix_places).cast();
    // SAFETY: there are so many, all zero at first, which is a free place.
    unsafe { from_raw_parts(first, giornata_posix_place_count as usize) }
}

/// Bit of a `clockid_t`: the CPU-time clock of a thread. Below are 16 bits of the serial
/// number of its id, and 14 of the slot.
const CLOCK: usize = 1 << 30;
const CLOCK_SLOT: u32 = 14;

fn clock_of(thread: ThreadId) -> usize {
    let (slot, serial) = (thread & ((1 << CLOCK_SLOT) - 1), thread >> 16 & 0xFFFF);
    CLOCK | (serial << CLOCK_SLOT | slot) as usize
}

/// The thread whose CPU-time clock this is. `EINVAL`: none's.
pub(crate) fn of_clock(clock: usize) -> Result<Id, Errno> {
    inside(|| {
        let place = place_of(clock as u16 & ((1 << CLOCK_SLOT) - 1));
        let thread = place.map_or(0, |place| place.id.get());
        match thread != 0 && clock_of(thread) == clock {
            true => inward(thread),
            false => Err(Errno::EINVAL),
        }
    })
}

/// See POSIX, `pthread_getcpuclockid()`: `ESRCH`. The clock of a thread that has ended is
/// none any more. No entry.
///
/// # Safety
/// `clock` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_getcpuclockid(thread: ThreadId, clock: *mut usize) -> c_int {
    number(inside(|| {
        let found = find(thread)?;
        // SAFETY: by contract.
        unsafe { clock.write(clock_of(found.id.get())) };
        Ok(())
    }))
}

/// The place of whoever has a slot: there is one for each that the process's threads have.
fn place_of(slot: u16) -> Option<&'static Place> {
    let [first, _] = giornata_posix_lasting;
    places().get(u32::from(slot).wrapping_sub(first) as usize)
}

/// The place of a thread; inside. `ESRCH`: none, or it has ended.
pub(crate) fn find(thread: ThreadId) -> Result<&'static Place, Errno> {
    let place = find_any(thread)?;
    match place.has_ended.get() {
        true => Err(Errno::ESRCH),
        false => Ok(place),
    }
}

/// The place of a thread, which may have ended and not been joined; inside. `ESRCH`: none.
fn find_any(thread: ThreadId) -> Result<&'static Place, Errno> {
    let place = place_of(thread as u16).filter(|_| thread != 0);
    place
        .filter(|place| place.id.get() == thread)
        .ok_or(Errno::ESRCH)
}

/// The place of a thread that has none yet; inside.
fn claim(id: Id, policy: c_int, parameters: &Parameters) -> Option<&'static Place> {
    let place = place_of(id.index())?;
    place.id.set(outward(id));
    place.start.set(None);
    place.stack.set(null_mut());
    place.values.set(null_mut());
    place.value_count.set(0);
    place.cleanup.set(null_mut());
    let [first, ..] = place.name.as_array_of_cells();
    if first.replace(0) != 0 {
        // (the trace has the name of whoever had the place before)
        let _ = call::set_name(id.0, &[]);
    }
    place.policy.set(policy);
    place.parameters.set(*parameters);
    place.mutexes.set(null());
    place.mask.set(0);
    place.wanted.set(0);
    place.due.set(false);
    place.has_begun.set(false);
    place.is_suspended.set(false);
    place.is_refused.set(false);
    place.timer.set(0);
    place.by_realtime.set(false);
    place.is_late.set(false);
    place.is_cancelled.set(false);
    place.is_kept.set(false);
    place.is_asynchronous.set(false);
    place.environment.set(0);
    place.is_main.set(false);
    place.is_detached.set(false);
    place.has_ended.set(false);
    place.joiner.set(null());
    place.wakes.restart();
    Some(place)
}

/// Where the caller keeps which place is its own.
#[inline(always)]
fn kept() -> &'static Cell<Option<&'static Place>> {
    let address: usize;
    // SAFETY: nothing but registers are read.
    unsafe {
        asm!(
            "lui {address}, %tprel_hi(giornata_posix_place)",
            "add {address}, {address}, tp, %tprel_add(giornata_posix_place)",
            "addi {address}, {address}, %tprel_lo(giornata_posix_place)",
            address = out(reg) address,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    // SAFETY: a pointer lies there that only this thread reaches, null or to a place.
    unsafe { &*with_exposed_provenance(address) }
}

/// The caller's place. A thread of the system file takes one when it first asks.
#[inline(always)]
pub(crate) fn own() -> &'static Place {
    kept().get().unwrap_or_else(settle)
}

/// The same when it first asks.
#[cold]
#[inline(never)]
fn settle() -> &'static Place {
    let id = Control::of_caller().map_or(Id(0), |page| page.thread());
    let place = inside(|| {
        find(outward(id))
            .ok()
            .or_else(|| claim(id, FIFO, &Parameters::of(lasting(id) as c_int)))
    });
    let Some(place) = place else {
        call::panic(b"a thread without a place", b"<pthread.h>", 0)
    };
    kept().set(Some(place));
    place.has_begun.set(true);
    place
}

/// The caller runs `main()`.
pub(crate) fn begin_main() {
    own().is_main.set(true);
}

/// The caller publishes this ceiling, unless it has a higher one. Returns the one before. No
/// entry.
pub(crate) fn raise(ceiling: u8) -> Outer {
    Control::of_caller().map_or(Outer::NONE, |page| page.raise_ceiling(ceiling))
}

/// The caller has this ceiling again. No entry unless a preemption was put off.
pub(crate) fn restore(outer: Outer) {
    if let Some(page) = Control::of_caller() {
        page.restore_ceiling(outer);
    }
}

/// Whether a thread is one of the system file.
fn is_lasting(id: Id) -> bool {
    let [first, count] = giornata_posix_lasting;
    u32::from(id.index()).wrapping_sub(first) < count
}

/// The priority that the system file gives a thread; 0 of any other.
fn lasting(id: Id) -> u32 {
    if !is_lasting(id) {
        return 0;
    }
    let [first, _] = giornata_posix_lasting;
    let index = u32::from(id.index()).wrapping_sub(first);
    let priorities = (&raw const giornata_posix_priorities).cast::<u8>();
    // SAFETY: there are so many.
    unsafe { priorities.wrapping_add(index as usize).read() }.into()
}

/// See POSIX, `pthread_create()`. One entry, two if it is detached.
///
/// # Safety
/// `thread` may be written, `attributes` is null or may be read; a stack among them is the
/// new thread's alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_create(
    thread: *mut ThreadId,
    attributes: *const Attributes,
    start: Start,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: by contract.
    let attributes = unsafe { attributes.as_ref() };
    number(create(attributes, start, argument, |id| {
        // SAFETY: by contract.
        unsafe { thread.write(id) };
    }))
}

fn create(
    attributes: Option<&Attributes>,
    start: Start,
    argument: *mut c_void,
    tell: impl FnOnce(ThreadId),
) -> Result<(), Errno> {
    let creator = own();
    let mut asked_for = None;
    let (mask, environment) = (creator.mask.get(), giornata_posix_environment());
    let (mut stack, mut stack_size, mut is_detached) = (null_mut(), 0, false);
    if let Some(asked) = attributes {
        if asked.state != INITIALISED {
            return Err(Errno::EINVAL);
        }
        if asked.stack.is_null() && asked.stack_size > giornata_posix_stack as usize {
            return Err(Errno::EAGAIN);
        }
        if asked.inherits != 0 {
            asked_for = Some((asked.policy, &asked.parameters));
        }
        (stack, stack_size) = (asked.stack, asked.stack_size);
        is_detached = asked.detached != 0;
    }
    inside(|| {
        let (policy, with) = match asked_for {
            Some(asked) => asked,
            // SAFETY: inside.
            None => (creator.policy.get(), unsafe { creator.parameters() }),
        };
        // (it does not run before the lock is given back)
        let id = thread::create(begin, 0, with.priority()?)?;
        let place = claim(id, policy, with).ok_or(Errno::EAGAIN)?;
        place.start.set(Some(start));
        place.argument.set(argument);
        place.mask.set(mask);
        place.environment.set(environment);
        place.stack.set(stack);
        place.stack_size.set(stack_size);
        if !policy::is_plain(policy)
            && let Err(error) = policy::set(id, FIFO, policy, with)
        {
            // (it ends at once)
            place.is_refused.set(true);
            thread::detach(id)?;
            return Err(error);
        }
        timer::thread_was_made();
        tell(outward(id));
        if is_detached {
            thread::detach(id)?;
        }
        Ok(())
    })
}

/// Starts a thread that nobody joins; inside or not. Errors as of `pthread_create()`.
pub(crate) fn start_detached(
    attributes: Option<&Attributes>,
    start: Start,
    argument: *mut c_void,
) -> Result<ThreadId, Errno> {
    let mut id = 0;
    create(attributes, start, argument, |new| id = new)?;
    // (it may have ended already)
    let _ = inward(id).map(thread::detach);
    Ok(id)
}

/// Starts a thread of the library.
pub(crate) fn start_service(start: Start, priority: u8) -> Result<ThreadId, Errno> {
    let attributes = Attributes {
        state: INITIALISED,
        detached: 1,
        inherits: 1,
        policy: FIFO,
        scope: 0,
        parameters: Parameters::of(priority.into()),
        stack: null_mut(),
        stack_size: 0,
        guard_size: 0,
    };
    start_detached(Some(&attributes), start, null_mut())
}

/// Where a created thread begins.
extern "C" fn begin(_: usize) -> usize {
    let place = own();
    if place.is_refused.get() {
        pthread_exit(null_mut());
    }
    giornata_posix_set_environment(place.environment.get());
    signal::check();
    let (stack, size) = (place.stack.get(), place.stack_size.get());
    if stack.is_null() {
        run(0);
    }
    let top = stack.wrapping_add(size).expose_provenance() & !15;
    // SAFETY: the stack was given for this thread, of which nothing is on the other any more.
    unsafe { thread::go_on(top, run) }
}

/// The function of a created thread, and its end.
extern "C" fn run(_: usize) -> ! {
    let (start, argument) = (own().start.get(), own().argument.get());
    let value = start.map_or(null_mut(), |start| start(argument));
    pthread_exit(value)
}

/// See POSIX, `pthread_exit()`. One entry, besides what handlers and destructors do.
#[unsafe(no_mangle)]
pub extern "C" fn pthread_exit(value: *mut c_void) -> ! {
    let place = own();
    // (it ends once)
    place.is_kept.set(true);
    // SAFETY: a handler is on the list as long as its block.
    while let Some(cleanup) = unsafe { place.cleanup.get().as_ref() } {
        place.cleanup.set(cleanup.outer);
        // SAFETY: the program gave the function for this.
        unsafe { (cleanup.routine)(cleanup.argument) };
    }
    destroy(place);
    inside(|| {
        // SAFETY: nobody else knows the memory of its values.
        unsafe { free(place.values.get().cast()) };
        place.values.set(null_mut());
        place.value_count.set(0);
        signal::end_of(place.id.get());
        match place.is_main.get() && !place.is_detached.get() {
            true => end_main(place, value),
            false => place.id.set(0),
        }
    });
    thread::exit_with(value.expose_provenance())
}

/// Calls the destructors for the caller's values until none is left, or often enough.
fn destroy(place: &Place) {
    for _ in 0..ROUNDS {
        let mut is_done = true;
        // (a destructor may let them become more)
        for index in 0..place.value_count.get() {
            let due = inside(|| {
                let (key, value) = (key(index).ok()?, values(place).get(index)?);
                let destructor = key.destructor.get()?;
                let is_set = value.serial == key.serial && !value.value.get().is_null();
                is_set.then(|| (destructor, value.value.replace(null_mut())))
            });
            if let Some((destructor, value)) = due {
                is_done = false;
                // SAFETY: the program gave the function for such values.
                unsafe { destructor(value) };
            }
        }
        if is_done {
            return;
        }
    }
}

/// What a thread has for keys; until it has more.
fn values(place: &Place) -> &[Value] {
    slice(place.values.get(), place.value_count.get())
}

/// So many of what `grown` gave memory for.
fn slice<'a, T>(first: *mut T, count: usize) -> &'a [T] {
    match count {
        0 => &[],
        // SAFETY: there are so many, and they stay while the caller is inside.
        _ => unsafe { from_raw_parts(first, count) },
    }
}

/// The thread that runs `main()` ends, and its place stays until it is joined; inside.
fn end_main(place: &Place, value: *mut c_void) {
    place.value.set(value);
    place.has_ended.set(true);
    // (no signal is for it any more)
    place.mask.set(Set::MAX);
    // SAFETY: null or to a place, which stays.
    if let Some(joiner) = unsafe { place.joiner.get().as_ref() } {
        let _ = joiner.wakes.release();
    }
}

/// See POSIX, `pthread_join()`. Blocks; one entry. `EDEADLK`: it is the caller. `ESRCH`: there is
/// no such thread. `EINVAL`: it is one of the system file that does not run `main()`, or is
/// detached, or another waits for it.
///
/// # Safety
/// `value` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_join(thread: ThreadId, value: *mut *mut c_void) -> c_int {
    // SAFETY: by contract.
    number(join(thread, Until::Never, unsafe { value.as_mut() }))
}

/// `pthread_tryjoin_np()`, as of other systems: as [`pthread_join`], and does not block. `EBUSY`:
/// it has not ended.
///
/// # Safety
/// As [`pthread_join`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_tryjoin_np(thread: ThreadId, value: *mut *mut c_void) -> c_int {
    // SAFETY: by contract.
    number(join(thread, Until::Now, unsafe { value.as_mut() }))
}

/// `pthread_timedjoin_np()`, as of other systems: as [`pthread_join`], until CLOCK_REALTIME
/// shows `time`: `ETIMEDOUT`. `EINVAL`: the nanoseconds are not those of a second.
///
/// # Safety
/// As [`pthread_join`]; `time` may be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_timedjoin_np(
    thread: ThreadId,
    value: *mut *mut c_void,
    time: *const TimeSpec,
) -> c_int {
    // SAFETY: by contract.
    unsafe { pthread_clockjoin_np(thread, value, REALTIME, time) }
}

/// `pthread_clockjoin_np()`, as of other systems: as [`pthread_timedjoin_np`], by a clock.
/// `EINVAL`: it is none that one can wait for.
///
/// # Safety
/// As [`pthread_timedjoin_np`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_clockjoin_np(
    thread: ThreadId,
    value: *mut *mut c_void,
    clock: ClockId,
    time: *const TimeSpec,
) -> c_int {
    // SAFETY: by contract.
    let (value, time) = (unsafe { value.as_mut() }, unsafe { &*time });
    number(join(thread, Until::At(clock, time), value))
}

fn join(thread: ThreadId, until: Until<'_>, value: Option<&mut *mut c_void>) -> Result<(), Errno> {
    let own = own();
    if own.id.get() == thread {
        return Err(Errno::EDEADLK);
    }
    let id = inward(thread)?;
    cancel::test();
    let main = inside(|| main_of(thread, id))?;
    let ended = loop {
        let tick = until.tick()?;
        let ended = match main {
            Some(place) => join_main(place, thread, own, until, tick),
            None => entry::join(id, tick)
                .map(with_exposed_provenance_mut)
                .map_err(Errno::from),
        };
        until.is_over();
        cancel::test();
        // (a handler ends no join)
        if ended != Err(Errno::EINTR) {
            break ended?;
        }
    };
    if let Some(value) = value {
        *value = ended;
    }
    Ok(())
}

/// The place of a thread, if that runs `main()`, or `None`: the kernel knows of its end; inside.
/// `ESRCH`: it was of the system file, and is gone.
fn main_of(thread: ThreadId, id: Id) -> Result<Option<&'static Place>, Errno> {
    match find_any(thread) {
        Ok(place) => Ok(Some(place).filter(|place| place.is_main.get())),
        Err(error) if is_lasting(id) => Err(error),
        Err(_) => Ok(None),
    }
}

/// Joins the thread that runs `main()`, once. `EINTR`: it has not ended yet, and the caller was
/// woken.
fn join_main(
    place: &Place,
    thread: ThreadId,
    own: &'static Place,
    until: Until<'_>,
    tick: Ticks,
) -> Result<*mut c_void, Errno> {
    let ended = inside(|| {
        if place.id.get() != thread {
            return Err(Errno::ESRCH);
        }
        if place.is_detached.get() || !place.joiner.get().is_null() {
            return Err(Errno::EINVAL);
        }
        if place.has_ended.get() {
            place.id.set(0);
            return Ok(Some(place.value.get()));
        }
        if !matches!(until, Until::Now) {
            place.joiner.set(own);
        }
        Ok(None)
    })?;
    if let Some(value) = ended {
        return Ok(value);
    }
    if matches!(until, Until::Now) {
        return Err(Errno::EBUSY);
    }
    let waited = own.wakes.acquire_once(tick);
    inside(|| place.joiner.set(null()));
    // (whoever was woken at the same instant looks once more)
    match waited {
        Err(error) if !place.has_ended.get() => Err(error),
        _ => Err(Errno::EINTR),
    }
}

/// See POSIX, `pthread_detach()`. One entry. Errors as [`pthread_join`].
#[unsafe(no_mangle)]
pub extern "C" fn pthread_detach(thread: ThreadId) -> c_int {
    number(inward(thread).and_then(|id| {
        let main = inside(|| {
            let Some(place) = main_of(thread, id)? else {
                return Ok(false);
            };
            if place.has_ended.get() {
                place.id.set(0);
            }
            match place.is_detached.replace(true) {
                true => Err(Errno::EINVAL),
                false => Ok(true),
            }
        })?;
        match main {
            true => Ok(()),
            false => Ok(thread::detach(id)?),
        }
    }))
}

/// What the caller's stack is, for `runtime/thread.c`: its lowest address in `bottom`, its bytes
/// in `size`, and how many of them have been used in `used`, which may be null. One entry, and
/// O(bytes that are not used) if `used` is not null.
///
/// # Safety
/// They may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn giornata_posix_own_stack(
    bottom: *mut *mut u8,
    size: *mut usize,
    used: *mut usize,
) -> c_int {
    let place = own();
    let (stack, bytes) = (place.stack.get(), place.stack_size.get());
    number(call::own().map_err(Errno::from).map(|(_, address, whole)| {
        let (address, whole) = match stack.is_null() {
            true => (with_exposed_provenance_mut(address), whole),
            false => (stack, bytes),
        };
        // SAFETY: by contract.
        unsafe { bottom.write(address) };
        // SAFETY: by contract.
        unsafe { size.write(whole) };
        // SAFETY: by contract.
        if let Some(used) = unsafe { used.as_mut() } {
            // SAFETY: it is the stack that the caller runs on.
            *used = unsafe { thread::stack_depth(address.cast_const().cast(), whole) };
        }
    }))
}

/// See POSIX, `pthread_self()`. No entry.
#[unsafe(no_mangle)]
pub extern "C" fn pthread_self() -> ThreadId {
    own().id.get()
}

/// All keys; inside.
fn keys<'a>() -> &'a [Key] {
    slice(KEYS.first.get(), KEYS.count.get())
}

/// A key that is in use; inside. `EINVAL`: there is no such.
fn key<'a>(index: usize) -> Result<&'a Key, Errno> {
    let key = keys().get(index).filter(|key| key.serial.get() & 1 == 1);
    key.ok_or(Errno::EINVAL)
}

/// See POSIX, `pthread_key_create()`. O(keys).
///
/// # Safety
/// `key` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_key_create(key: *mut u32, destructor: Option<Routine>) -> c_int {
    number(inside(|| {
        let index = new_key()?;
        if let Some(place) = keys().get(index) {
            place.serial.set(place.serial.get().wrapping_add(1));
            place.destructor.set(destructor);
        }
        // SAFETY: by contract.
        unsafe { key.write(index as u32) };
        Ok(())
    }))
}

/// A place for a key, which is not in use; inside.
fn new_key() -> Result<usize, Errno> {
    let is_free = |key: &Key| key.serial.get() & 1 == 0;
    if let Some(index) = keys().iter().position(is_free) {
        return Ok(index);
    }
    let count = KEYS.count.get();
    if count == MOST_KEYS {
        return Err(Errno::EAGAIN);
    }
    // SAFETY: it came of this function; nobody has a key at hand.
    let first = unsafe { grown(KEYS.first.get(), count + 1)? };
    let key = Key {
        serial: Cell::new(0),
        destructor: Cell::new(None),
    };
    // SAFETY: there is room for one more.
    unsafe { first.wrapping_add(count).write(key) };
    KEYS.first.set(first);
    KEYS.count.set(count + 1);
    Ok(count)
}

/// Memory of the heap for so many, which begins as the old. `ENOMEM`: there is no room.
///
/// # Safety
/// `old` is null or came of this function, and is not used any more if this succeeds.
unsafe fn grown<T>(old: *mut T, count: usize) -> Result<*mut T, Errno> {
    // SAFETY: by contract.
    let fresh = unsafe { realloc(old.cast(), count * size_of::<T>()) };
    match fresh.is_null() {
        true => Err(Errno::ENOMEM),
        false => Ok(fresh.cast()),
    }
}

/// See POSIX, `pthread_key_delete()`. O(1). No destructor is called.
#[unsafe(no_mangle)]
pub extern "C" fn pthread_key_delete(index: u32) -> c_int {
    number(inside(|| {
        let key = key(index as usize)?;
        key.serial.set(key.serial.get().wrapping_add(1));
        Ok(())
    }))
}

/// See POSIX, `pthread_getspecific()`: null for no key. O(1), no entry.
#[unsafe(no_mangle)]
pub extern "C" fn pthread_getspecific(index: u32) -> *mut c_void {
    let (place, index) = (own(), index as usize);
    inside(|| {
        let (key, value) = (key(index).ok()?, values(place).get(index)?);
        (value.serial == key.serial).then(|| value.value.get())
    })
    .unwrap_or(null_mut())
}

/// See POSIX, `pthread_setspecific()`. O(1), but for the first value for the key, for which
/// the heap has to have room.
#[unsafe(no_mangle)]
pub extern "C" fn pthread_setspecific(index: u32, value: *mut c_void) -> c_int {
    let (place, index) = (own(), index as usize);
    number(inside(|| {
        let key = key(index)?;
        let count = place.value_count.get();
        if index >= count {
            // SAFETY: it came of this function; nobody has a value at hand.
            let first = unsafe { grown(place.values.get(), index + 1)? };
            for new in count..=index {
                let value = Value {
                    serial: Cell::new(0),
                    value: Cell::new(null_mut()),
                };
                // SAFETY: there is room for so many.
                unsafe { first.wrapping_add(new).write(value) };
            }
            place.values.set(first);
            place.value_count.set(index + 1);
        }
        if let Some(own) = values(place).get(index) {
            own.serial.set(key.serial.get());
            own.value.set(value);
        }
        Ok(())
    }))
}

/// `pthread_cleanup_push()`. O(1), no entry.
///
/// # Safety
/// `cleanup` stays until it is popped, or the thread ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __pthread_cleanup_push(cleanup: *mut Cleanup) {
    let outer = own().cleanup.replace(cleanup);
    // SAFETY: by contract.
    unsafe { (*cleanup).outer = outer };
}

/// `pthread_cleanup_pop()`. O(1), no entry.
///
/// # Safety
/// `cleanup` was pushed last.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __pthread_cleanup_pop(cleanup: *mut Cleanup, execute: c_int) {
    // SAFETY: by contract.
    let cleanup = unsafe { &*cleanup };
    own().cleanup.set(cleanup.outer);
    if execute != 0 {
        // SAFETY: the program gave the function for this.
        unsafe { (cleanup.routine)(cleanup.argument) };
    }
}

/// `pthread_setname_np()`: `ERANGE` for more than 15 bytes, `ESRCH`. One entry: the trace
/// tells the name from then on.
///
/// # Safety
/// `name` is a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_setname_np(thread: ThreadId, name: *const c_char) -> c_int {
    let mut bytes = [0; NAME];
    for (index, byte) in bytes.iter_mut().enumerate() {
        // SAFETY: by contract: what comes before has no end.
        *byte = unsafe { name.wrapping_add(index).cast::<u8>().read() };
        if *byte == 0 {
            break;
        }
    }
    if bytes.iter().all(|byte| *byte != 0) {
        return Errno::ERANGE.0;
    }
    number(inside(|| {
        let place = find(thread)?;
        place.name.set(bytes);
        let length = bytes.iter().take_while(|byte| **byte != 0).count();
        // (a kernel without this has no trace of it)
        let _ = call::set_name(inward(thread)?.0, &bytes[..length]);
        Ok(())
    }))
}

/// `pthread_getname_np()`: `ERANGE` if it does not fit, `ESRCH`. No entry.
///
/// # Safety
/// So many bytes may be written from `name` on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_getname_np(
    thread: ThreadId,
    name: *mut c_char,
    size: usize,
) -> c_int {
    number(inside(|| {
        let place = find(thread)?;
        let own = place.name.get();
        let bytes = 1 + own.iter().take_while(|byte| **byte != 0).count();
        if bytes > size {
            return Err(Errno::ERANGE);
        }
        // SAFETY: by contract.
        unsafe { name.cast::<u8>().copy_from(own.as_ptr(), bytes) };
        Ok(())
    }))
}

twin!(
    "pthread_attr_t",
    Attributes {
        state: "__state",
        detached: "__detached",
        inherits: "__inherits",
        policy: "__policy",
        scope: "__scope",
        parameters: "__parameters",
        stack: "__stack",
        stack_size: "__stack_size",
        guard_size: "__guard_size"
    }
);

twin!(
    "struct __pthread_cleanup",
    Cleanup {
        routine: "__routine",
        argument: "__argument",
        outer: "__outer"
    }
);

twin!(
    "struct place",
    Place {
        id: "id",
        start: "start",
        argument: "argument",
        stack: "stack",
        stack_size: "stack_size",
        values: "values",
        value_count: "value_count",
        cleanup: "cleanup",
        name: "name",
        policy: "policy",
        parameters: "parameters",
        mutexes: "mutexes",
        mask: "mask",
        wanted: "wanted",
        due: "due",
        has_begun: "has_begun",
        run: "run",
        is_cancelled: "is_cancelled",
        is_kept: "is_kept",
        is_asynchronous: "is_asynchronous",
        by_realtime: "by_realtime",
        is_late: "is_late",
        timer: "timer",
        is_refused: "is_refused",
        is_suspended: "is_suspended",
        wakes: "wakes",
        environment: "environment",
        is_main: "is_main",
        is_detached: "is_detached",
        has_ended: "has_ended",
        value: "value",
        joiner: "joiner"
    }
);

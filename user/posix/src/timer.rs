//! Timers. A thread of the library, which takes one of the `spare-threads` when the first
//! timer is armed, sleeps until the next is due; it is as urgent as the process may be.

use core::cell::Cell;
use core::ffi::{c_int, c_uint, c_void};

use giornata_rt::thread as rt_thread;
use giornata_rt::{Instant, call, clock, time};

use crate::entry;
use crate::error::{Errno, or_minus_one};
use crate::lock::inside;
use crate::signal::{self, Info};
use crate::thread;
use crate::time::{
    ABSOLUTE, ClockId, MONOTONIC, PROCESS_CPUTIME, REALTIME, THREAD_CPUTIME, TimeSpec, monotonic,
};

/// Timers that there can be, and the one of `alarm()` behind them.
const MOST: usize = 32;
const ALARM: usize = MOST;
/// `timer_t`: the number of a timer, plus 1, and from this bit on how often it was created.
const SERIAL: u32 = 8;
/// Overruns that are counted, as POSIX has DELAYTIMER_MAX.
const MOST_OVERRUNS: u32 = i32::MAX as u32;

/// `sigev_notify`.
const NOTHING: c_int = 1;
const SIGNAL: c_int = 2;
const THREAD: c_int = 3;
/// `SIGALRM`.
const ALARM_SIGNAL: c_int = 14;

/// `struct sigevent`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Event {
    notify: c_int,
    signal: c_int,
    value: usize,
    function: Option<thread::Start>,
    attributes: *const thread::Attributes,
}

impl Event {
    const NONE: Event = Event {
        notify: NOTHING,
        signal: 0,
        value: 0,
        function: None,
        attributes: core::ptr::null(),
    };

    /// `EINVAL`: there is no such way to tell, no such signal, or no function.
    pub(crate) fn check(&self) -> Result<(), Errno> {
        let is_good = match self.notify {
            NOTHING => true,
            SIGNAL => matches!(self.signal, 1..64),
            THREAD => self.function.is_some(),
            _ => false,
        };
        is_good.then_some(()).ok_or(Errno::EINVAL)
    }

    /// Tells, with this `si_code`. Returns whether it could.
    pub(crate) fn tell(&self, code: c_int, timer: u8) -> bool {
        match self.notify {
            SIGNAL => {
                let info = Info::new(self.signal, code, self.value);
                signal::generate_for(&info, None, timer).is_ok()
            }
            THREAD => {
                let value = core::ptr::with_exposed_provenance_mut::<c_void>(self.value);
                // SAFETY: attributes are null or there as long as the timer.
                let attributes = unsafe { self.attributes.as_ref() };
                let started = self
                    .function
                    .map(|function| thread::start_detached(attributes, function, value));
                started.is_some_and(|started| started.is_ok())
            }
            _ => true,
        }
    }
}

/// Whether an event is one: 0, or the number of the error. No entry.
///
/// # Safety
/// `event` may be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn giornata_posix_check_event(event: *const Event) -> c_int {
    // SAFETY: by contract.
    crate::error::number(unsafe { &*event }.check())
}

/// Tells of an event, with this `si_code`.
///
/// # Safety
/// `event` may be read, and attributes in it too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn giornata_posix_tell(event: *const Event, code: c_int) {
    // SAFETY: by contract.
    unsafe { &*event }.tell(code, 0);
}

/// `struct itimerspec`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Setting {
    period: TimeSpec,
    value: TimeSpec,
}

/// A timer.
#[derive(Clone, Copy)]
struct Timer {
    exists: bool,
    serial: u32,
    event: Event,
    /// When it is due, by its clock if that is `by_clock`, else by CLOCK_MONOTONIC; 0: it is
    /// not armed.
    due: u64,
    by_clock: bool,
    /// The thread whose CPU-time clock it goes by; 0: none.
    thread: u64,
    period: u64,
    /// Expirations since its signal was sent that is pending; and before the last that was
    /// taken.
    overruns: u32,
    taken: u32,
    is_pending: bool,
}

impl Timer {
    const NONE: Timer = Timer {
        exists: false,
        serial: 0,
        event: Event::NONE,
        due: 0,
        by_clock: false,
        thread: 0,
        period: 0,
        overruns: 0,
        taken: 0,
        is_pending: false,
    };

    /// When it is due, by the CPU-time clock of its thread or by CLOCK_MONOTONIC; `None` if it
    /// is not armed.
    fn instant(&self) -> Option<u64> {
        let at = match self.by_clock && self.thread == 0 {
            true => monotonic(self.due),
            false => self.due,
        };
        (self.due != 0).then_some(at)
    }

    /// What the clock shows that it goes by; 0 if its thread has ended.
    fn now(&self) -> u64 {
        match self.thread {
            0 => time::now().0,
            thread => {
                let spent = thread::inward(thread).map(rt_thread::cpu_time_of);
                spent.map_or(0, |spent| spent.map_or(0, |spent| spent.0))
            }
        }
    }

    /// What is left of it, and its period.
    fn setting(&self) -> Setting {
        let left = self.instant().map_or(0, |at| {
            // (it has not expired yet)
            at.saturating_sub(self.now()).max(1)
        });
        Setting {
            period: TimeSpec::of(self.period),
            value: TimeSpec::of(left),
        }
    }
}

struct Timers {
    all: [Cell<Timer>; MOST + 1],
    /// The library's thread; 0: there is none.
    service: Cell<u64>,
}

// SAFETY: the Timers Invariant: they are reached inside only.
unsafe impl Sync for Timers {}

static TIMERS: Timers = Timers {
    all: [const { Cell::new(Timer::NONE) }; MOST + 1],
    service: Cell::new(0),
};

impl Timers {
    /// `EINVAL`: there is no such timer.
    fn find(&self, id: usize) -> Result<&Cell<Timer>, Errno> {
        let index = (id & ((1 << SERIAL) - 1)).wrapping_sub(1);
        let timer = self.all.get(index).ok_or(Errno::EINVAL)?;
        let Timer { exists, serial, .. } = timer.get();
        let is_it = exists && serial == (id >> SERIAL) as u32 && index != ALARM;
        is_it.then_some(timer).ok_or(Errno::EINVAL)
    }

    /// The first timer that is due at `now`, as it was, and set for its next time; inside.
    fn expire(&self, now: u64) -> Option<(usize, Timer)> {
        for (index, place) in self.all.iter().enumerate() {
            let mut timer = place.get();
            let Some(at) = timer.instant() else {
                continue;
            };
            let now = match timer.thread {
                0 => now,
                _ => timer.now(),
            };
            if at > now {
                continue;
            }
            let mut expirations = 1;
            match timer.period {
                0 => timer.due = 0,
                period => {
                    expirations += (now - at) / period;
                    timer.due = timer.due.saturating_add(period.saturating_mul(expirations));
                }
            }
            let missed = match timer.is_pending {
                true => expirations,
                false => {
                    timer.overruns = 0;
                    expirations - 1
                }
            };
            let overruns = u64::from(timer.overruns).saturating_add(missed);
            timer.overruns = overruns.min(MOST_OVERRUNS.into()) as u32;
            let due = timer;
            timer.is_pending |= timer.event.notify == SIGNAL;
            place.set(timer);
            return Some((index, due));
        }
        None
    }

    /// When the next is due by CLOCK_MONOTONIC; never, if none is.
    fn next(&self) -> u64 {
        let all = self
            .all
            .iter()
            .map(Cell::get)
            .filter(|timer| timer.thread == 0);
        all.filter_map(|timer| timer.instant())
            .min()
            .unwrap_or(u64::MAX)
    }

    /// When the next is due by the CPU-time clock of a thread; 0 if none is.
    fn next_of(&self, thread: u64) -> u64 {
        let all = self
            .all
            .iter()
            .map(Cell::get)
            .filter(|timer| timer.thread == thread);
        all.filter_map(|timer| timer.instant()).min().unwrap_or(0)
    }

    fn is_any_armed(&self) -> bool {
        self.all.iter().any(|timer| timer.get().due != 0)
    }
}

/// The signal of a timer was taken; inside.
pub(crate) fn taken(number: u8) {
    let index = usize::from(number).wrapping_sub(1);
    if let Some(place) = TIMERS.all.get(index) {
        let mut timer = place.get();
        timer.is_pending = false;
        timer.taken = timer.overruns;
        timer.overruns = 0;
        place.set(timer);
    }
}

/// What the library's thread does.
extern "C" fn serve(_: *mut c_void) -> *mut c_void {
    let own = thread::own();
    own.mask.set(u64::MAX);
    own.is_kept.set(true);
    loop {
        let now = time::now().0;
        match inside(|| TIMERS.expire(now)) {
            // (its last signal is pending: this one is an overrun)
            Some((_, timer)) if timer.is_pending => {}
            Some((index, timer)) => {
                let number = index as u8 + 1;
                if !timer.event.tell(signal::TIMER, number) {
                    inside(|| taken(number));
                }
            }
            None => {
                watch_threads();
                let next = inside(|| TIMERS.next());
                let _ = entry::sleep(clock::ticks(Instant(next)));
            }
        }
    }
}

/// The kernel wakes the library's thread, which calls, when a CPU-time clock shows what a
/// timer waits for.
fn watch_threads() {
    for place in thread::places() {
        let id = place.id.get();
        let due = match id {
            0 => 0,
            id => inside(|| TIMERS.next_of(id)),
        };
        if place.timer.replace(due) != due
            && let Ok(id) = thread::inward(id)
        {
            // (a thread that has ended has none)
            let _ = call::set_timer(id.0, Instant(due));
        }
    }
}

/// The times of timers have changed: the library's thread looks at them, and begins if it has
/// not. `EAGAIN`: there is no spare thread for it.
fn wake() -> Result<(), Errno> {
    let service = inside(|| {
        if TIMERS.service.get() == 0 && TIMERS.is_any_armed() {
            TIMERS
                .service
                .set(thread::start_service(serve, priority())?);
            return Ok::<_, Errno>(None);
        }
        let place = thread::find(TIMERS.service.get()).ok();
        Ok(place.filter(|place| !place.due.replace(true)))
    })?;
    if let Some(place) = service {
        signal::interrupt(place);
    }
    Ok(())
}

/// CLOCK_REALTIME was set.
pub(crate) fn clock_was_set() {
    if inside(|| TIMERS.service.get()) != 0 {
        let _ = wake();
    }
}

/// See POSIX, `timer_create()`. No entry. `EINVAL`: there is no such clock, or it cannot be
/// told so. `EAGAIN`: there are 32 timers. `ENOTSUP`: a clock of the process's CPU time, or of a
/// thread's in another configuration than `pse51`.
///
/// # Safety
/// `event` is null or may be read, and attributes in it are there as long as the timer;
/// `timer` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn timer_create(
    clock: ClockId,
    event: *const Event,
    timer: *mut usize,
) -> c_int {
    // SAFETY: by contract.
    let event = unsafe { event.as_ref() };
    or_minus_one(create(clock, event.copied()).map(|id| {
        // SAFETY: by contract.
        unsafe { timer.write(id) };
        0
    }))
}

fn create(clock: ClockId, event: Option<Event>) -> Result<usize, Errno> {
    let thread = match clock {
        REALTIME | MONOTONIC => 0,
        PROCESS_CPUTIME => return Err(Errno::ENOTSUP),
        THREAD_CPUTIME => thread::pthread_self(),
        clock => thread::of_clock(clock).map(thread::outward)?,
    };
    if thread != 0 {
        // (kernels of other configurations have no such clocks)
        inside(|| thread::find(thread).map(drop))?;
        rt_thread::cpu_time_of(thread::inward(thread)?).map_err(|_| Errno::ENOTSUP)?;
    }
    if let Some(event) = event {
        event.check()?;
    }
    inside(|| {
        let mut all = TIMERS.all.iter().take(MOST);
        let index = all.position(|timer| !timer.get().exists);
        let index = index.ok_or(Errno::EAGAIN)?;
        let place = TIMERS.all.get(index).ok_or(Errno::EAGAIN)?;
        let serial = place.get().serial.wrapping_add(1) & (u32::MAX >> SERIAL);
        let id = (index + 1) | ((serial as usize) << SERIAL);
        let default = Event {
            notify: SIGNAL,
            signal: ALARM_SIGNAL,
            value: id,
            ..Event::NONE
        };
        place.set(Timer {
            exists: true,
            serial,
            event: event.unwrap_or(default),
            thread,
            ..Timer::NONE
        });
        Ok(id)
    })
}

/// See POSIX, `timer_delete()`. What is pending of it stays. No entry. `EINVAL`: there is no such
/// timer.
#[unsafe(no_mangle)]
pub extern "C" fn timer_delete(timer: usize) -> c_int {
    or_minus_one(inside(|| {
        let place = TIMERS.find(timer)?;
        let serial = place.get().serial;
        place.set(Timer {
            serial,
            ..Timer::NONE
        });
        Ok(0)
    }))
}

/// See POSIX, `timer_settime()`. Two entries. `EINVAL`: there is no such timer, or the
/// nanoseconds are not those of a second. `EAGAIN`: there is no spare thread for timers.
///
/// # Safety
/// `setting` may be read, `before` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn timer_settime(
    timer: usize,
    flags: c_int,
    setting: *const Setting,
    before: *mut Setting,
) -> c_int {
    // SAFETY: by contract.
    let (setting, before) = (unsafe { setting.read() }, unsafe { before.as_mut() });
    or_minus_one(set(timer, flags & ABSOLUTE != 0, setting).map(|old| {
        if let Some(before) = before {
            *before = old;
        }
        0
    }))
}

fn set(id: usize, is_absolute: bool, setting: Setting) -> Result<Setting, Errno> {
    let (value, period) = (setting.value.nanoseconds()?, setting.period.nanoseconds()?);
    let old = inside(|| {
        let place = TIMERS.find(id)?;
        let old = place.get().setting();
        arm(place, value, period, is_absolute);
        Ok::<_, Errno>(old)
    })?;
    if let Err(error) = wake() {
        inside(|| TIMERS.find(id).map(|place| arm(place, 0, 0, false)))?;
        return Err(error);
    }
    Ok(old)
}

/// A timer is due in so long, or at an instant of its clock; 0: never. Inside.
fn arm(place: &Cell<Timer>, value: u64, period: u64, is_absolute: bool) {
    let mut timer = place.get();
    timer.due = match (value, is_absolute) {
        (0, _) => 0,
        (value, true) => value,
        (value, false) => timer.now().saturating_add(value),
    };
    timer.by_clock = is_absolute;
    timer.period = period;
    timer.overruns = 0;
    place.set(timer);
}

/// See POSIX, `timer_gettime()`. One entry. `EINVAL`: there is no such timer.
///
/// # Safety
/// `setting` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn timer_gettime(timer: usize, setting: *mut Setting) -> c_int {
    or_minus_one(
        inside(|| TIMERS.find(timer).map(|t| t.get().setting())).map(|now| {
            // SAFETY: by contract.
            unsafe { setting.write(now) };
            0
        }),
    )
}

/// See POSIX, `timer_getoverrun()`: of the signal that was taken last. No entry. `EINVAL`: there
/// is no such timer.
#[unsafe(no_mangle)]
pub extern "C" fn timer_getoverrun(timer: usize) -> c_int {
    or_minus_one(inside(|| {
        TIMERS.find(timer).map(|t| t.get().taken as c_int)
    }))
}

/// See POSIX, `alarm()`: returns the seconds that were left of the one before, rounded up. Two
/// entries. Without a spare thread it never comes.
#[unsafe(no_mangle)]
pub extern "C" fn alarm(seconds: c_uint) -> c_uint {
    const SECOND: u64 = 1_000_000_000;
    let left = inside(|| {
        let [.., place] = &TIMERS.all;
        let mut timer = place.get();
        let now = time::now().0;
        let left = timer
            .instant()
            .map_or(0, |at| at.saturating_sub(now).max(1));
        timer.event = Event {
            notify: SIGNAL,
            signal: ALARM_SIGNAL,
            ..Event::NONE
        };
        place.set(timer);
        arm(place, u64::from(seconds) * SECOND, 0, false);
        left
    });
    let _ = wake();
    left.div_ceil(SECOND) as c_uint
}

/// The priority of the library's thread.
pub(crate) fn priority() -> u8 {
    unsafe extern "C" {
        safe static giornata_posix_max_priority: u8;
    }
    giornata_posix_max_priority
}

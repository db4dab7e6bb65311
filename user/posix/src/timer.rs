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
    ABSOLUTE, ClockId, MONOTONIC, PROCESS_CPUTIME, REALTIME, SECOND as NANOSECONDS, THREAD_CPUTIME,
    TimeSpec, monotonic, realtime, resolution,
};
use crate::twin::twin;

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

/// What a timer goes by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// CLOCK_MONOTONIC: so are relative times by CLOCK_REALTIME, which is then set in vain.
    Monotonic,
    /// CLOCK_REALTIME, by whatever that shows.
    Realtime,
    /// The CPU-time clock of the process.
    Process,
    /// That of a thread.
    Thread(u64),
}

/// A timer.
#[derive(Clone, Copy)]
struct Timer {
    exists: bool,
    serial: u32,
    event: Event,
    /// As it was created: CLOCK_REALTIME, CLOCK_MONOTONIC, or a CPU-time clock.
    clock: Source,
    /// What its times are by since it was set.
    source: Source,
    is_armed: bool,
    /// When it expires next, as `source` shows it.
    due: u64,
    period: u64,
    /// Expirations since its signal was sent that is pending; and before the last that was
    /// taken.
    overruns: u32,
    taken: u32,
    is_pending: bool,
    /// It has expired while its signal was pending: nobody wakes for it until that is taken,
    /// and its overruns are counted then.
    is_idle: bool,
}

impl Timer {
    const NONE: Timer = Timer {
        exists: false,
        serial: 0,
        event: Event::NONE,
        clock: Source::Monotonic,
        source: Source::Monotonic,
        is_armed: false,
        due: 0,
        period: 0,
        overruns: 0,
        taken: 0,
        is_pending: false,
        is_idle: false,
    };

    /// Whether the library's thread has to see to it.
    fn is_watched(&self) -> bool {
        self.is_armed && !self.is_idle && self.event.notify != NOTHING
    }

    /// When it is due by CLOCK_MONOTONIC; `None`: not by that.
    fn instant(&self) -> Option<u64> {
        match self.source {
            Source::Monotonic => Some(self.due),
            Source::Realtime => Some(monotonic(self.due)),
            Source::Process | Source::Thread(_) => None,
        }
    }

    /// What it goes by shows now; 0 if its thread has ended. An entry for a CPU-time clock.
    fn now(&self) -> u64 {
        match self.source {
            Source::Monotonic => time::now().0,
            Source::Realtime => realtime(),
            Source::Process => spent_by_process(),
            Source::Thread(thread) => spent_by(thread),
        }
    }

    /// It has expired, if it is due at `now`: how often. It is set for its next time, or is not
    /// armed any more. O(1), whatever was missed.
    fn advance(&mut self, now: u64) -> u64 {
        if !self.is_armed || self.due > now {
            return 0;
        }
        let missed = match self.period {
            0 => {
                self.is_armed = false;
                return 1;
            }
            period => (now - self.due) / period,
        };
        let expirations = missed.saturating_add(1);
        let passed = self.period.saturating_mul(expirations);
        self.due = self.due.saturating_add(passed);
        expirations
    }

    fn overrun(&mut self, more: u64) {
        let overruns = u64::from(self.overruns).saturating_add(more);
        self.overruns = overruns.min(MOST_OVERRUNS.into()) as u32;
    }

    /// What is left of it, and its period.
    fn setting(&self) -> Setting {
        let now = self.now();
        let left = match (self.is_armed, self.due.checked_sub(now), self.period) {
            (false, ..) => 0,
            (true, Some(left), _) if left != 0 => left,
            // (nobody is told: it has expired by now)
            (true, _, 0) if self.event.notify == NOTHING => 0,
            (true, _, 0) => 1,
            (true, _, period) => period - (now - self.due) % period,
        };
        Setting {
            period: TimeSpec::of(self.period),
            value: TimeSpec::of(left),
        }
    }
}

/// What a thread has run; 0 if it has ended.
fn spent_by(thread: u64) -> u64 {
    let spent = thread::inward(thread).map(rt_thread::cpu_time_of);
    spent.map_or(0, |spent| spent.map_or(0, |spent| spent.0))
}

fn spent_by_process() -> u64 {
    rt_thread::cpu_time_of_process().map_or(0, |spent| spent.0)
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

    /// Those that the library's thread has to see to.
    fn watched(&self) -> impl Iterator<Item = Timer> {
        self.all.iter().map(Cell::get).filter(Timer::is_watched)
    }

    /// The first timer that is due, as it was, and set for its next time; inside.
    fn expire(&self) -> Option<(usize, Timer)> {
        for (index, place) in self.all.iter().enumerate() {
            let mut timer = place.get();
            if !timer.is_watched() {
                continue;
            }
            let expirations = timer.advance(timer.now());
            if expirations == 0 {
                continue;
            }
            match timer.is_pending {
                true => {
                    timer.overrun(expirations);
                    timer.is_idle = true;
                }
                false => {
                    timer.overruns = 0;
                    timer.overrun(expirations - 1);
                }
            }
            let due = timer;
            timer.is_pending |= timer.event.notify == SIGNAL;
            place.set(timer);
            return Some((index, due));
        }
        None
    }

    /// When the next is due by CLOCK_MONOTONIC; never, if none is.
    fn next(&self) -> u64 {
        let all = self.watched().filter_map(|timer| timer.instant());
        all.min().unwrap_or(u64::MAX)
    }

    /// When the next is due by the CPU-time clock of a thread; 0 if none is.
    fn next_of(&self, thread: u64) -> u64 {
        let all = self
            .watched()
            .filter(|timer| timer.source == Source::Thread(thread));
        all.map(|timer| timer.due.max(1)).min().unwrap_or(0)
    }

    /// What the process may run until the next timer of its clock is due; `None` if none is.
    fn left_to_process(&self) -> Option<u64> {
        let all = self
            .watched()
            .filter(|timer| timer.source == Source::Process);
        let due = all.map(|timer| timer.due).min()?;
        Some(due.saturating_sub(spent_by_process()))
    }

    fn is_any_watched(&self) -> bool {
        self.watched().next().is_some()
    }
}

/// The signal of a timer was taken; inside. Expirations up to now are its overruns. An entry if
/// the library's thread is to wake for the timer again.
pub(crate) fn taken(number: u8) {
    let index = usize::from(number).wrapping_sub(1);
    if let Some(place) = TIMERS.all.get(index) {
        let mut timer = place.get();
        timer.is_pending = false;
        if timer.period != 0 {
            let missed = timer.advance(timer.now());
            timer.overrun(missed);
        }
        timer.taken = timer.overruns;
        timer.overruns = 0;
        let was_idle = core::mem::take(&mut timer.is_idle);
        place.set(timer);
        if was_idle && let Some(service) = service_to_wake() {
            signal::interrupt(service);
        }
    }
}

/// The library's thread, if somebody has to wake it now; inside.
fn service_to_wake() -> Option<&'static thread::Place> {
    let place = thread::find(TIMERS.service.get()).ok();
    place.filter(|place| !core::ptr::eq(*place, thread::own()) && !place.due.replace(true))
}

/// What the library's thread does.
extern "C" fn serve(_: *mut c_void) -> *mut c_void {
    let own = thread::own();
    own.mask.set(u64::MAX);
    own.is_kept.set(true);
    loop {
        match inside(|| TIMERS.expire()) {
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

/// The least that a thread runs before a timer of the process's clock is looked at again, in ns.
const STEP: u64 = 20_000;

/// The kernel wakes the library's thread, which calls, when a CPU-time clock shows what a
/// timer waits for. The clock of the process is no one thread's: when the last of what is left to
/// n threads has been run, one of them has run an nth of it at least.
fn watch_threads() {
    let places = thread::places();
    let left = inside(|| TIMERS.left_to_process());
    let step = left.map(|left| {
        let living = places.iter().filter(|place| place.id.get() != 0).count();
        (left / living.max(1) as u64).max(STEP)
    });
    for place in places {
        let id = place.id.get();
        let own = match id {
            0 => 0,
            id => inside(|| TIMERS.next_of(id)),
        };
        let shared = match (id, step) {
            (0, _) | (_, None) => 0,
            (id, Some(step)) => spent_by(id).saturating_add(step),
        };
        let due = match (own, shared) {
            (0, due) | (due, 0) => due,
            (one, other) => one.min(other),
        };
        if place.timer.replace(due) != due
            && let Ok(id) = thread::inward(id)
        {
            // (a thread that has ended has none)
            let _ = call::set_timer(id.0, Instant(due));
        }
    }
}

/// A thread was made, whose time is the process's, too; inside.
pub(crate) fn thread_was_made() {
    if TIMERS.service.get() != 0
        && TIMERS
            .watched()
            .any(|timer| timer.source == Source::Process)
        && let Some(service) = service_to_wake()
    {
        signal::interrupt(service);
    }
}

/// The times of timers have changed: the library's thread looks at them, and begins if it has
/// not. `EAGAIN`: there is no spare thread for it.
fn wake() -> Result<(), Errno> {
    let service = inside(|| {
        if TIMERS.service.get() == 0 && TIMERS.is_any_watched() {
            TIMERS
                .service
                .set(thread::start_service(serve, priority())?);
            return Ok::<_, Errno>(None);
        }
        Ok(service_to_wake())
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
/// told so. `EAGAIN`: there are 32 timers. `ENOTSUP`: a CPU-time clock, in another configuration
/// than `pse51`.
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
    // (kernels of other configurations have no such clocks)
    let source = match clock {
        REALTIME => Source::Realtime,
        MONOTONIC => Source::Monotonic,
        PROCESS_CPUTIME => {
            rt_thread::cpu_time_of_process().map_err(|_| Errno::ENOTSUP)?;
            Source::Process
        }
        clock => {
            let thread = match clock {
                THREAD_CPUTIME => thread::pthread_self(),
                clock => thread::of_clock(clock).map(thread::outward)?,
            };
            rt_thread::cpu_time_of(thread::inward(thread)?).map_err(|_| Errno::ENOTSUP)?;
            Source::Thread(thread)
        }
    };
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
            clock: source,
            source,
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
        // (the next that has this place has nothing to do with it)
        signal::forget_sender(timer as u8);
        place.set(Timer {
            serial,
            ..Timer::NONE
        });
        Ok(0)
    }))
}

/// See POSIX, `timer_settime()`. Two entries. An absolute time in the past, before the clock's
/// beginning too, is due at once, and what was missed since are overruns; a period is a tick of
/// the board's timer at least. `EINVAL`: there is no such timer, the nanoseconds are not those
/// of a second, or a time that is not absolute is negative. `EAGAIN`: there is no spare thread
/// for timers.
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
    let value = match setting.value.is_zero() {
        // (that it is in the past may not be taken for 0, which disarms)
        true => None,
        false if is_absolute => Some(setting.value.nanoseconds()?),
        false => Some(setting.value.length()?),
    };
    // (of a timer that is not armed it does not matter)
    let period = match value {
        None => 0,
        Some(_) => whole_ticks(setting.period.length()?),
    };
    let old = inside(|| {
        let place = TIMERS.find(id)?;
        let old = place.get().setting();
        arm(place, value, period, is_absolute);
        Ok::<_, Errno>(old)
    })?;
    if let Err(error) = wake() {
        inside(|| TIMERS.find(id).map(|place| arm(place, None, 0, false)))?;
        return Err(error);
    }
    Ok(old)
}

/// A period, rounded up to the resolution of the clocks.
fn whole_ticks(period: u64) -> u64 {
    let tick = resolution();
    match NANOSECONDS % tick {
        0 => period.checked_next_multiple_of(tick).unwrap_or(period),
        // (a tick is no number of nanoseconds, so no multiple of it is)
        _ if period == 0 => 0,
        _ => period.max(tick),
    }
}

/// A timer is due in so long, or at an instant of its clock; `None`: never. Inside.
fn arm(place: &Cell<Timer>, value: Option<u64>, period: u64, is_absolute: bool) {
    let mut timer = place.get();
    timer.source = match timer.clock {
        Source::Realtime if !is_absolute => Source::Monotonic,
        clock => clock,
    };
    timer.is_armed = value.is_some();
    timer.due = match (value, is_absolute) {
        (None, _) => 0,
        (Some(value), true) => value,
        (Some(value), false) => timer.now().saturating_add(value),
    };
    timer.period = period;
    timer.overruns = 0;
    timer.is_idle = false;
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
    let left = inside(|| {
        let [.., place] = &TIMERS.all;
        let mut timer = place.get();
        let left = match timer.is_armed {
            true => timer.due.saturating_sub(timer.now()).max(1),
            false => 0,
        };
        timer.event = Event {
            notify: SIGNAL,
            signal: ALARM_SIGNAL,
            ..Event::NONE
        };
        place.set(timer);
        let value = (seconds != 0).then_some(u64::from(seconds) * NANOSECONDS);
        arm(place, value, 0, false);
        left
    });
    let _ = wake();
    left.div_ceil(NANOSECONDS) as c_uint
}

/// The priority of the library's thread.
pub(crate) fn priority() -> u8 {
    unsafe extern "C" {
        safe static giornata_posix_max_priority: u8;
    }
    giornata_posix_max_priority
}

twin!(
    "struct sigevent",
    Event {
        notify: "sigev_notify",
        signal: "sigev_signo",
        value: "sigev_value",
        function: "sigev_notify_function",
        attributes: "sigev_notify_attributes"
    }
);

twin!(
    "struct itimerspec",
    Setting {
        period: "it_interval",
        value: "it_value"
    }
);

//! Signals: whom each is for, who blocks it, and what happens then.
//!
//! A signal is pending on a list until a thread takes it: by its handler, or by
//! [`sigwaitinfo`]. Whoever generates one finds the thread that is to take it and interrupts
//! that, which the kernel does in one call (`Interrupt`); its handler then runs in a frame on
//! its own stack, whatever it did before, but never inside the library's lock, since whoever
//! is inside is not preempted by threads of the process.

use core::cell::Cell;
use core::ffi::{c_int, c_void};
use core::mem::transmute;

use giornata_rt::clock::Ticks;
use giornata_rt::{Error, call};

use crate::cancel;
use crate::entry;
use crate::error::{Errno, errno, number, or_minus_one, set_number};
use crate::lock::inside;
use crate::process::{_exit, stop};
use crate::thread::{self, Place};
use crate::time::TimeSpec;
use crate::timer;
use crate::twin::twin;

/// Where the `pc` lies in a frame.
const FRAME_PC: usize = 15;

/// A set: bit n is signal n.
pub(crate) type Set = u64;

/// Signals are 1 to 63, those from here on queue.
const FIRST_QUEUED: c_int = 32;
const COUNT: usize = 64;
/// `SIGQUEUE_MAX`; as much there is for signals that do not queue, and for timers.
const QUEUED: usize = 32;
const NODES: usize = 3 * QUEUED;

const ABORT: c_int = 6;
const KILL: c_int = 9;
const CHILD: c_int = 17;
const CONTINUE: c_int = 18;
const STOP: c_int = 19;
const URGENT: c_int = 23;
/// Those that nobody blocks.
const UNBLOCKABLE: Set = 1 << KILL | 1 << STOP;
/// The bits of all signals.
pub(crate) const ALL: Set = !1;

const DEFAULT: usize = 0;
const IGNORE: usize = 1;

const SIGINFO: c_int = 2;
const RESTART: c_int = 0x1000_0000;
const NODEFER: c_int = 0x4000_0000;
const RESETHAND: c_int = i32::MIN;

/// How a mask is set.
const SET: c_int = 0;
const BLOCK: c_int = 1;
const UNBLOCK: c_int = 2;

/// `si_code`.
const USER: c_int = 1;
const QUEUE: c_int = 2;
pub(crate) const TIMER: c_int = 3;

/// `siginfo_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Info {
    number: c_int,
    code: c_int,
    value: usize,
    errno: c_int,
    process: c_int,
    user: c_int,
    status: c_int,
    address: usize,
}

impl Info {
    pub(crate) const fn new(number: c_int, code: c_int, value: usize) -> Info {
        Info {
            number,
            code,
            value,
            errno: 0,
            process: 1,
            user: 0,
            status: 0,
            address: 0,
        }
    }
}

/// `struct sigaction`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Action {
    /// Address of the function, or what else is to be done.
    handler: usize,
    mask: Set,
    flags: c_int,
}

const NO_ACTION: Action = Action {
    handler: DEFAULT,
    mask: 0,
    flags: 0,
};

/// A signal that is pending.
struct Pending {
    number: Cell<c_int>,
    info: Cell<Info>,
    /// The id of the thread that it is for; 0: the process.
    thread: Cell<u64>,
    /// The timer that has sent it; 0: none.
    timer: Cell<u8>,
    /// The place of the next on its list, plus 1; 0: there is none.
    next: Cell<u8>,
}

struct Signals {
    actions: [Cell<Action>; COUNT],
    pending: [Pending; NODES],
    /// The first that is pending: lower numbers first, of one number as they came.
    first: Cell<u8>,
    /// The first place that is free, of those that were in use; and how many were not.
    free: Cell<u8>,
    used: Cell<u8>,
    /// Signals that queue and were sent by no timer.
    queued: Cell<u8>,
}

// SAFETY: the Signals Invariant: they are reached inside only.
unsafe impl Sync for Signals {}

static SIGNALS: Signals = Signals {
    actions: [const { Cell::new(NO_ACTION) }; COUNT],
    pending: [const {
        Pending {
            number: Cell::new(0),
            info: Cell::new(Info::new(0, 0, 0)),
            thread: Cell::new(0),
            timer: Cell::new(0),
            next: Cell::new(0),
        }
    }; NODES],
    first: Cell::new(0),
    free: Cell::new(0),
    used: Cell::new(0),
    queued: Cell::new(0),
};

pub(crate) fn bit(number: c_int) -> Set {
    1 << (number & 63)
}

/// `EINVAL`: there is no such signal.
fn known(number: c_int) -> Result<c_int, Errno> {
    match number {
        1..64 if number != STOP => Ok(number),
        _ => Err(Errno::EINVAL),
    }
}

/// Whether nothing comes of it by default.
fn is_harmless(number: c_int) -> bool {
    matches!(number, CHILD | CONTINUE | URGENT)
}

impl Signals {
    fn action(&self, number: c_int) -> &Cell<Action> {
        let [first, ..] = &self.actions;
        self.actions.get(number as usize).unwrap_or(first)
    }

    fn is_ignored(&self, number: c_int) -> bool {
        match self.action(number).get().handler {
            IGNORE => true,
            DEFAULT => is_harmless(number),
            _ => false,
        }
    }

    /// The place that a link names.
    fn at(&self, link: u8) -> Option<&Pending> {
        self.pending.get(usize::from(link).wrapping_sub(1))
    }

    /// Notes a signal for a thread, or the process; inside. One that does not queue is noted
    /// once. O(pending). `EAGAIN`: too many are.
    fn add(&self, info: &Info, thread: u64, timer: u8) -> Result<(), Errno> {
        let number = info.number;
        let (mut before, mut link) = (0, self.first.get());
        while let Some(pending) = self.at(link) {
            if pending.number.get() > number {
                break;
            }
            let is_it = pending.number.get() == number && pending.thread.get() == thread;
            if is_it && number < FIRST_QUEUED {
                return match timer {
                    0 => Ok(()),
                    _ => Err(Errno::EAGAIN),
                };
            }
            (before, link) = (link, pending.next.get());
        }
        let queues = u8::from(number >= FIRST_QUEUED && timer == 0);
        let queued = self.queued.get() + queues;
        let new = match (self.free.get(), self.used.get()) {
            _ if usize::from(queued) > QUEUED => return Err(Errno::EAGAIN),
            (0, used) if usize::from(used) == NODES => return Err(Errno::EAGAIN),
            (0, used) => {
                self.used.set(used + 1);
                used + 1
            }
            (free, _) => {
                self.free.set(self.at(free).map_or(0, |at| at.next.get()));
                free
            }
        };
        if let Some(at) = self.at(new) {
            at.number.set(number);
            at.info.set(*info);
            at.thread.set(thread);
            at.timer.set(timer);
            at.next.set(link);
        }
        self.queued.set(queued);
        self.link(before, new);
        Ok(())
    }

    /// Behind `before`, or first, stands `next`.
    fn link(&self, before: u8, next: u8) {
        match self.at(before) {
            None => self.first.set(next),
            Some(at) => at.next.set(next),
        }
    }

    /// What is pending for the thread or the process; inside. O(pending).
    fn pending_for(&self, place: &Place) -> Set {
        let (mut set, mut link) = (0, self.first.get());
        while let Some(pending) = self.at(link) {
            if is_for(pending, place) {
                set |= bit(pending.number.get());
            }
            link = pending.next.get();
        }
        set
    }

    /// Takes the first signal of a set that is pending for a thread; inside. O(pending).
    fn take(&self, place: &Place, set: Set) -> Option<&Pending> {
        self.remove(|pending| bit(pending.number.get()) & set != 0 && is_for(pending, place))
    }

    /// Removes the first that is so, and what it says is there until another is added;
    /// inside. O(pending).
    fn remove(&self, is_it: impl Fn(&Pending) -> bool) -> Option<&Pending> {
        let (mut before, mut link) = (0, self.first.get());
        while let Some(pending) = self.at(link) {
            if is_it(pending) {
                self.link(before, pending.next.get());
                pending.next.set(self.free.replace(link));
                match pending.timer.get() {
                    0 if pending.number.get() < FIRST_QUEUED => {}
                    0 => self.queued.set(self.queued.get() - 1),
                    timer => timer::taken(timer),
                }
                return Some(pending);
            }
            (before, link) = (link, pending.next.get());
        }
        None
    }

    /// Forgets what is pending of a signal that is ignored from now on, or of a thread that
    /// ends; inside.
    fn forget(&self, is_it: impl Fn(&Pending) -> bool) {
        while self.remove(&is_it).is_some() {}
    }
}

fn is_for(pending: &Pending, place: &Place) -> bool {
    pending.thread.get() == 0 || pending.thread.get() == place.id.get()
}

/// Whatever a timer has sent that is pending is nobody's any more; inside. O(pending).
pub(crate) fn forget_sender(timer: u8) {
    let mut link = SIGNALS.first.get();
    while let Some(pending) = SIGNALS.at(link) {
        if pending.timer.get() == timer {
            pending.timer.set(0);
            let queues = u8::from(pending.number.get() >= FIRST_QUEUED);
            SIGNALS.queued.set(SIGNALS.queued.get() + queues);
        }
        link = pending.next.get();
    }
}

/// A thread ends: what is pending for it is forgotten; inside.
pub(crate) fn end_of(id: u64) {
    SIGNALS.forget(|pending| pending.thread.get() == id);
}

/// What a signal finds of the thread that is to take it.
enum Taker {
    /// The caller, which is not interrupted.
    Caller,
    /// It waits for the signal.
    Waiting(&'static Place),
    Other(&'static Place),
}

/// Who is to take a signal of the process now; inside. O(threads).
fn taker(number: c_int) -> Option<Taker> {
    let own = thread::own();
    let all = || thread::places().iter().filter(|place| place.id.get() != 0);
    let wants = |place: &&Place| place.wanted.get() & bit(number) != 0;
    if let Some(place) = all().find(wants) {
        return Some(Taker::Waiting(place));
    }
    let is_open = |place: &&Place| place.mask.get() & bit(number) == 0;
    if is_open(&own) {
        return Some(Taker::Caller);
    }
    all().find(is_open).map(Taker::Other)
}

/// A signal comes, for a thread or the process: whoever is to take it does so before the
/// caller goes on, if it is as urgent.
pub(crate) fn generate(info: &Info, thread: Option<u64>) -> Result<(), Errno> {
    generate_for(info, thread, 0)
}

/// The same, sent by a timer, or by none. `EAGAIN` too: nobody will take it, or it is pending
/// already.
pub(crate) fn generate_for(info: &Info, thread: Option<u64>, timer: u8) -> Result<(), Errno> {
    let number = known(info.number)?;
    let own = thread::own();
    let taker = inside(|| {
        let place = match thread {
            Some(id) => Some(thread::find(id)?),
            None => None,
        };
        let taker = match place {
            None => taker(number),
            Some(place) if place.wanted.get() & bit(number) != 0 => Some(Taker::Waiting(place)),
            Some(place) if place.mask.get() & bit(number) != 0 => None,
            Some(place) if core::ptr::eq(place, own) => Some(Taker::Caller),
            Some(place) => Some(Taker::Other(place)),
        };
        // (one that is blocked stays, as somebody may wait for it, or catch it by then)
        let is_open = matches!(taker, Some(Taker::Caller | Taker::Other(_)));
        if SIGNALS.is_ignored(number) && is_open {
            return match timer {
                0 => Ok::<_, Errno>(None),
                _ => Err(Errno::EAGAIN),
            };
        }
        SIGNALS.add(info, thread.unwrap_or(0), timer)?;
        Ok(match taker {
            Some(Taker::Other(place)) if place.due.replace(true) => None,
            taker => taker,
        })
    })?;
    match taker {
        None => {}
        Some(Taker::Caller) => deliver(),
        Some(Taker::Waiting(place)) => place.wakes.release()?,
        Some(Taker::Other(place)) => interrupt(place),
    }
    Ok(())
}

/// Interrupts a thread, if it does not find by itself what is due.
pub(crate) fn interrupt(place: &Place) {
    let Ok(id) = thread::inward(place.id.get()) else {
        return;
    };
    if !place.has_begun.get() {
        return;
    }
    // SAFETY: the function is one for frames.
    let interrupted =
        unsafe { call::interrupt(id.0, giornata_posix_interrupted as *const () as usize) };
    // (busy: it comes out of a call, and looks then)
    if interrupted == Err(Error::EFAULT) {
        let why = b"the stack of a thread has no room for a handler";
        call::panic(why, b"<signal.h>", 0)
    }
}

unsafe extern "C" {
    /// Where an interrupted thread runs: `runtime/frame.c`.
    fn giornata_posix_interrupted();
}

/// What the frame of an interrupted thread does: `a0` is its address.
///
/// # Safety
/// It is called there.
#[unsafe(no_mangle)]
unsafe extern "C" fn giornata_posix_deliver(frame: *mut usize) {
    deliver();
    let pc = frame.wrapping_add(FRAME_PC);
    // SAFETY: the kernel has written the frame.
    let interrupted = unsafe { pc.read() };
    // SAFETY: as above.
    unsafe { pc.write(entry::back(interrupted)) };
}

/// What the caller is to do now that it has come out of a call.
#[inline]
pub(crate) fn check() {
    if thread::own().due.get() {
        deliver();
    }
}

/// The caller takes what is pending for it and it does not block.
pub(crate) fn deliver() {
    let own = thread::own();
    loop {
        let mut info = None;
        let next = inside(|| {
            // (one whose clock was set looks at the time anew)
            own.due.set(own.is_late.get());
            let pending = SIGNALS.take(own, !own.mask.get())?;
            let number = pending.number.get();
            let place = SIGNALS.action(number);
            let Action {
                handler,
                mask,
                flags,
            } = place.get();
            if flags & RESETHAND != 0 {
                place.set(NO_ACTION);
            }
            let before = own.mask.get();
            if handler > IGNORE {
                let itself = match flags & NODEFER {
                    0 => bit(number),
                    _ => 0,
                };
                own.mask.set((before | mask | itself) & !UNBLOCKABLE);
            }
            if flags & SIGINFO != 0 {
                info = Some(pending.info.get());
            }
            Some((number, handler, flags, before))
        });
        let Some((number, handler, flags, before)) = next else {
            return cancel::test_anywhere();
        };
        match handler {
            IGNORE => continue,
            DEFAULT if is_harmless(number) => continue,
            DEFAULT => _exit(128 + number),
            handler => run(handler, number, &mut info),
        }
        own.mask.set(before);
        let run = match flags & RESTART {
            0 => Run::Ending,
            _ => Run::Restarting,
        };
        own.run.set(own.run.get().max(run));
        if own.is_suspended.get() {
            let _ = own.wakes.release();
        }
    }
}

/// Runs a handler, with `info` if it asks for that.
fn run(handler: usize, number: c_int, info: &mut Option<Info>) {
    let error = errno();
    match info {
        None => {
            // SAFETY: the program gave the function for this.
            let handler = unsafe { transmute::<usize, extern "C" fn(c_int)>(handler) };
            handler(number);
        }
        Some(info) => {
            type Handler = extern "C" fn(c_int, *mut Info, *mut c_void);
            // SAFETY: the program gave the function for this.
            let handler = unsafe { transmute::<usize, Handler>(handler) };
            handler(number, info, core::ptr::null_mut());
        }
    }
    set_number(error);
}

/// Which handlers have run meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Run {
    None = 0,
    /// All ask for what they interrupt to go on.
    Restarting = 1,
    /// One does not.
    Ending = 2,
}

/// Lets `work` wait, and returns what came of it and which handlers have run.
pub(crate) fn heeding<R>(work: impl FnOnce() -> R) -> (R, Run) {
    let own = thread::own();
    let outer = own.run.replace(Run::None);
    let result = work();
    (result, own.run.replace(outer))
}

/// See POSIX, `sigaction()`. No entry. `EINVAL`: there is no such signal, or it cannot be
/// caught.
///
/// # Safety
/// `action` is null or may be read, `before` null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigaction(
    number: c_int,
    action: *const Action,
    before: *mut Action,
) -> c_int {
    // SAFETY: by contract.
    let (action, before) = (unsafe { action.as_ref() }, unsafe { before.as_mut() });
    or_minus_one(known(number).and_then(|number| {
        if number == KILL && action.is_some() {
            return Err(Errno::EINVAL);
        }
        let old = inside(|| {
            let place = SIGNALS.action(number);
            let old = place.get();
            if let Some(action) = action {
                place.set(*action);
                if SIGNALS.is_ignored(number) {
                    SIGNALS.forget(|pending| pending.number.get() == number);
                }
            }
            old
        });
        if let Some(before) = before {
            *before = old;
        }
        Ok(0)
    }))
}

/// See POSIX, `signal()`: the signal stays caught, and is blocked while the handler runs. No
/// entry. `EINVAL` as [`sigaction`].
#[unsafe(no_mangle)]
pub extern "C" fn signal(number: c_int, handler: usize) -> usize {
    let action = Action {
        handler,
        mask: 0,
        flags: RESTART,
    };
    let mut before = NO_ACTION;
    // SAFETY: both are there.
    match unsafe { sigaction(number, &action, &mut before) } {
        0 => before.handler,
        _ => usize::MAX,
    }
}

/// See POSIX, `pthread_sigmask()`. No entry, unless a handler makes one. `EINVAL`: `how` is none
/// of the three.
///
/// # Safety
/// `set` is null or may be read, `before` null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_sigmask(how: c_int, set: *const Set, before: *mut Set) -> c_int {
    // SAFETY: by contract.
    let (set, before) = (unsafe { set.as_ref() }, unsafe { before.as_mut() });
    number(change_mask(how, set.copied()).map(|old| {
        if let Some(before) = before {
            *before = old;
        }
    }))
}

fn change_mask(how: c_int, set: Option<Set>) -> Result<Set, Errno> {
    let own = thread::own();
    let old = own.mask.get();
    if let Some(set) = set {
        let mask = match how {
            SET => set,
            BLOCK => old | set,
            UNBLOCK => old & !set,
            _ => return Err(Errno::EINVAL),
        };
        own.mask.set(mask & ALL & !UNBLOCKABLE);
        deliver();
    }
    Ok(old)
}

/// See POSIX, `sigprocmask()`: as [`pthread_sigmask`], with the error in `errno`.
///
/// # Safety
/// As [`pthread_sigmask`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigprocmask(how: c_int, set: *const Set, before: *mut Set) -> c_int {
    // SAFETY: by contract.
    match unsafe { pthread_sigmask(how, set, before) } {
        0 => 0,
        error => or_minus_one(Err(Errno(error))),
    }
}

/// See POSIX, `sigpending()`: what is pending for the caller or the process, and blocked by the
/// caller. No entry.
///
/// # Safety
/// `set` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigpending(set: *mut Set) -> c_int {
    let own = thread::own();
    let pending = inside(|| SIGNALS.pending_for(own) & own.mask.get());
    // SAFETY: by contract.
    unsafe { set.write(pending) };
    0
}

/// See POSIX, `kill()`: to the process itself, which is 1, and 0 too. Two entries at most,
/// besides what handlers do. `EINVAL`: there is no such signal. `ESRCH`: no such process.
/// `EAGAIN`: too many signals are pending.
#[unsafe(no_mangle)]
pub extern "C" fn kill(process: c_int, number: c_int) -> c_int {
    or_minus_one(send(process, number, Info::new(number, USER, 0)))
}

/// See POSIX, `sigqueue()`: as [`kill`], with a value.
#[unsafe(no_mangle)]
pub extern "C" fn sigqueue(process: c_int, number: c_int, value: usize) -> c_int {
    or_minus_one(send(process, number, Info::new(number, QUEUE, value)))
}

fn send(process: c_int, number: c_int, info: Info) -> Result<c_int, Errno> {
    if !matches!(process, -1..=1) {
        return Err(Errno::ESRCH);
    }
    if number != 0 {
        if known(number)? == KILL {
            _exit(128 + KILL);
        }
        generate(&info, None)?;
    }
    Ok(0)
}

/// See POSIX, `pthread_kill()`. As [`kill`], of a thread. `ESRCH`: there is none.
#[unsafe(no_mangle)]
pub extern "C" fn pthread_kill(thread: u64, number: c_int) -> c_int {
    crate::error::number(kill_thread(thread, number))
}

fn kill_thread(thread: u64, number: c_int) -> Result<(), Errno> {
    match number {
        0 | KILL => {
            inside(|| thread::find(thread).map(drop))?;
            if number == KILL {
                _exit(128 + KILL)
            }
            Ok(())
        }
        _ => generate(&Info::new(number, USER, 0), Some(thread)),
    }
}

/// See POSIX, `raise()`: as [`kill`], of the caller.
#[unsafe(no_mangle)]
pub extern "C" fn raise(number: c_int) -> c_int {
    match pthread_kill(thread::pthread_self(), number) {
        0 => 0,
        error => or_minus_one(Err(Errno(error))),
    }
}

/// See POSIX, `abort()`: SIGABRT, which ends the process whatever its handler does.
#[unsafe(no_mangle)]
pub extern "C" fn abort() -> ! {
    let _ = change_mask(UNBLOCK, Some(bit(ABORT)));
    if SIGNALS.action(ABORT).get().handler > IGNORE {
        raise(ABORT);
    }
    // (from here, so that what is told of the stack begins with the caller)
    stop(128 + ABORT);
    call::panic(b"abort()", b"", 0)
}

/// See POSIX, `sigsuspend()`. Blocks until a handler has run: `EINTR`.
///
/// # Safety
/// `mask` may be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigsuspend(mask: *const Set) -> c_int {
    // SAFETY: by contract.
    suspend(Some(unsafe { mask.read() }))
}

/// See POSIX, `pause()`: as [`sigsuspend`], with the mask as it is.
#[unsafe(no_mangle)]
pub extern "C" fn pause() -> c_int {
    suspend(None)
}

fn suspend(mask: Option<Set>) -> c_int {
    let own = thread::own();
    let old = own.mask.get();
    inside(|| {
        own.mask
            .set(mask.map_or(old, |mask| mask & ALL & !UNBLOCKABLE));
        own.run.set(Run::None);
        own.is_suspended.set(true);
    });
    deliver();
    while own.run.get() == Run::None {
        let _ = cancel::point(|| own.wakes.acquire_once(Ticks::NEVER));
    }
    own.is_suspended.set(false);
    own.mask.set(old);
    deliver();
    or_minus_one(Err(Errno::EINTR))
}

/// See POSIX, `sigwait()`. Blocks until a signal of the set, which the caller blocks, comes.
///
/// # Safety
/// `set` may be read, `number` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigwait(set: *const Set, number: *mut c_int) -> c_int {
    // SAFETY: by contract.
    let set = unsafe { set.read() };
    loop {
        match accept(set, Ticks::NEVER) {
            Ok(info) => {
                // SAFETY: by contract.
                unsafe { number.write(info.number) };
                return 0;
            }
            Err(Errno::EINTR) => {}
            Err(error) => return error.0,
        }
    }
}

/// See POSIX, `sigwaitinfo()`: returns the number of the signal. Blocks. `EINTR`: a handler has
/// run.
///
/// # Safety
/// `set` may be read, `info` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigwaitinfo(set: *const Set, info: *mut Info) -> c_int {
    // SAFETY: by contract.
    unsafe { take_info(set, info, Ticks::NEVER) }
}

/// See POSIX, `sigtimedwait()`: as [`sigwaitinfo`], for so long at most: `EAGAIN`. `EINVAL`:
/// the nanoseconds are not those of a second.
///
/// # Safety
/// As [`sigwaitinfo`]; `time` is null or may be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigtimedwait(
    set: *const Set,
    info: *mut Info,
    time: *const TimeSpec,
) -> c_int {
    // SAFETY: by contract.
    let until = match unsafe { time.as_ref() } {
        None => Ok(Ticks::NEVER),
        Some(time) => time.ticks_from_now(),
    };
    match until {
        // SAFETY: by contract.
        Ok(until) => unsafe { take_info(set, info, until) },
        // (a time that is none matters only to who has to wait)
        // SAFETY: by contract.
        Err(error) => match unsafe { take_info(set, info, Ticks(0)) } {
            -1 => or_minus_one(Err(error)),
            number => number,
        },
    }
}

/// # Safety
/// As [`sigwaitinfo`].
unsafe fn take_info(set: *const Set, place: *mut Info, until: Ticks) -> c_int {
    // SAFETY: by contract.
    or_minus_one(accept(unsafe { set.read() }, until).map(|info| {
        // SAFETY: by contract.
        if let Some(place) = unsafe { place.as_mut() } {
            *place = info;
        }
        info.number
    }))
}

/// Waits for a signal of a set. `EAGAIN`: none has come. `EINTR`: a handler has run.
fn accept(set: Set, until: Ticks) -> Result<Info, Errno> {
    let own = thread::own();
    loop {
        let taken = inside(|| {
            let taken = SIGNALS
                .take(own, set & ALL)
                .map(|pending| pending.info.get());
            own.wanted.set(match taken {
                None => set & ALL,
                Some(_) => 0,
            });
            own.run.set(Run::None);
            taken
        });
        if let Some(info) = taken {
            return Ok(info);
        }
        let waited = cancel::point(|| own.wakes.acquire_once(until));
        let taken = inside(|| {
            own.wanted.set(0);
            SIGNALS
                .take(own, set & ALL)
                .map(|pending| pending.info.get())
        });
        match (taken, waited) {
            (Some(info), _) => return Ok(info),
            _ if own.run.get() != Run::None => return Err(Errno::EINTR),
            (None, Err(Errno::ETIMEDOUT)) => return Err(Errno::EAGAIN),
            (None, Ok(()) | Err(Errno::EINTR)) => {}
            (None, Err(error)) => return Err(error),
        }
    }
}

twin!(
    "siginfo_t",
    Info {
        number: "si_signo",
        code: "si_code",
        value: "si_value",
        errno: "si_errno",
        process: "si_pid",
        user: "si_uid",
        status: "si_status",
        address: "si_addr"
    }
);

twin!(
    "struct sigaction",
    Action {
        handler: "__function",
        mask: "sa_mask",
        flags: "sa_flags"
    }
);

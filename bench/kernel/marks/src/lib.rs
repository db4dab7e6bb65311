//! Marks: instructions that do nothing, which whoever watches the core sees.
//!
//! A mark is `slti x0, x0, N`, of the encodings that the architecture leaves for
//! such use. It takes one cycle, and so does a span between two marks that have
//! nothing between them.

#![no_std]

/// What follows is measured.
pub const BEFORE: u16 = 1;
/// What was measured is over.
pub const AFTER: u16 = 2;
/// A handler thread has its interrupt.
pub const HANDLED: u16 = 3;
/// A job has begun.
pub const STARTED: u16 = 4;
/// A job is about to end.
pub const ENDED: u16 = 5;
/// Another job has begun.
pub const SECOND: u16 = 14;
/// Begins a span with nothing in it.
pub const NOTHING: u16 = 6;
/// Ends a span with nothing in it.
pub const NOTHING_END: u16 = 7;

/// A sensor's driver has begun; another follows, and then a third.
pub const READ_1: u16 = 8;
/// The second sensor's.
pub const READ_2: u16 = 9;
/// The third sensor's.
pub const READ_3: u16 = 10;
/// An actuator's driver has begun.
pub const WRITE: u16 = 11;
/// What follows faults.
pub const FAULTING: u16 = 12;
/// A thread has slept.
pub const WOKEN: u16 = 13;
/// A call through the table of calls.
pub const TABLE: u16 = 15;
/// It is over.
pub const TABLE_END: u16 = 16;

/// Marks this point. Memory accesses stay on their side of it.
#[inline(always)]
pub fn mark<const ID: u16>() {
    #[cfg(target_os = "none")]
    // SAFETY: it writes no register and no memory.
    unsafe {
        core::arch::asm!("slti x0, x0, {id}", id = const ID, options(nostack, preserves_flags));
    }
}

/// Of the suite `emeralds`: each begins a span, which the next number ends.
pub mod emeralds {
    /// A private mutex that nobody has is taken and given back.
    pub const PRIVATE: u16 = 30;
    /// A mutex that nobody has is taken.
    pub const LOCK_FREE: u16 = 32;
    /// A mutex that nobody waits for is given back.
    pub const UNLOCK_FREE: u16 = 34;
    /// A condition that nobody waits for is signalled.
    pub const SIGNAL_NOBODY: u16 = 36;
    /// An object is created.
    pub const CREATE_SEMAPHORE: u16 = 38;
    /// An object is deleted.
    pub const DELETE_SEMAPHORE: u16 = 40;
    /// A semaphore is given to, and a more urgent thread goes on.
    pub const GIVE_SWITCH: u16 = 42;
    /// A mutex is asked for that a less urgent thread has, which goes on.
    pub const LOCK_SWITCH: u16 = 44;
    /// A mutex is given back, and a more urgent thread has it.
    pub const UNLOCK_SWITCH: u16 = 46;
    /// A condition is waited for, and another thread goes on.
    pub const WAIT_SWITCH: u16 = 48;
    /// A condition is signalled, and a more urgent thread goes on.
    pub const SIGNAL_SWITCH: u16 = 50;
    /// Four words are sent to a mailbox at which nobody waits.
    pub const SEND: u16 = 52;
    /// Four words are received that are there.
    pub const RECEIVE: u16 = 54;
    /// A thread is created that is less urgent.
    pub const CREATE_THREAD: u16 = 56;
    /// A thread that has ended is joined.
    pub const JOIN: u16 = 58;
    /// A thread is detached that has not ended.
    pub const DETACH: u16 = 60;
    /// A condition is created.
    pub const CREATE_CONDITION: u16 = 62;
    /// A condition is deleted.
    pub const DELETE_CONDITION: u16 = 64;
    /// A mailbox is created.
    pub const CREATE_MAILBOX: u16 = 66;
    /// A mailbox is deleted.
    pub const DELETE_MAILBOX: u16 = 68;
    /// Four words are sent to a more urgent thread that waits for them.
    pub const SEND_SWITCH: u16 = 70;
    /// A request to another process, and its answer.
    pub const ROUND_TRIP: u16 = 72;
    /// A thread is given what it waits for, and a mutex then, which it asks for.
    pub const GIVE_LOCK: u16 = 90;
    /// The same of a thread that has told that it will ask.
    pub const GIVE_LOCK_TOLD: u16 = 92;
    /// A process is started from its image.
    pub const CREATE_PROCESS: u16 = 94;
    /// The same of a process with a kiloword of memory more.
    pub const CREATE_LARGE: u16 = 102;
    /// A region that another process has is attached.
    pub const ATTACH_REGION: u16 = 74;
    /// A region that another process has is detached.
    pub const DETACH_REGION: u16 = 76;
    /// A region that nobody has is attached.
    pub const ATTACH_NEW: u16 = 78;
    /// A region that nobody else has is detached.
    pub const DETACH_LAST: u16 = 80;
    /// A mutex is asked for whose owner waits for another one, whose owner goes on.
    pub const CHAIN: u16 = 82;
    /// A request to a server, which replies and waits in one call.
    pub const REQUEST: u16 = 84;
    /// A semaphore that is not there is asked for, and a less urgent thread goes on.
    pub const TAKE_SWITCH: u16 = 86;
    /// The null call.
    pub const NULL: u16 = 88;
    /// A semaphore is given to that nobody waits for.
    pub const GIVE: u16 = 98;
    /// A semaphore is taken that is there.
    pub const TAKE: u16 = 100;
}

/// Of the suite `thread-metric`: each stands at the head of a load's loop, so it ends one
/// operation and begins the next. `bench/thread-metric/src/memory.c` says the last in C.
pub mod thread_metric {
    /// An array is worked on once.
    pub const BASIC: u16 = 185;
    /// A thread yields to its equal.
    pub const COOPERATIVE: u16 = 186;
    /// Five threads resume each other in turn.
    pub const PREEMPTIVE: u16 = 187;
    /// An interrupt is raised, and what its handler gave is taken.
    pub const INTERRUPT: u16 = 188;
    /// An interrupt is raised, whose handler resumes a more urgent thread.
    pub const INTERRUPT_PREEMPTION: u16 = 189;
    /// A message is sent and received by a private queue.
    pub const MESSAGE: u16 = 190;
    /// A semaphore is taken and given.
    pub const SYNCHRONIZATION: u16 = 191;
    /// Memory is allocated and freed.
    pub const MEMORY: u16 = 192;
    /// A message is sent and received by a mailbox.
    pub const MESSAGE_MAILBOX: u16 = 193;
}

/// Of the suite `marte`: each begins a span, which the next number ends.
/// `bench/marte/src/marks.h` says the same in C.
pub mod marte {
    /// A mutex without a protocol that nobody has is locked and unlocked.
    pub const PAIR_NONE: u16 = 200;
    /// The same of one with a ceiling.
    pub const PAIR_PROTECT: u16 = 202;
    /// A mutex that nobody has is locked.
    pub const LOCK: u16 = 204;
    /// The same with a time.
    pub const TIMED_LOCK: u16 = 206;
    /// A thread is created that is less urgent.
    pub const CREATE: u16 = 208;
    /// A thread gives way to its equal.
    pub const YIELD: u16 = 210;
    /// The same of sporadic servers.
    pub const YIELD_SPORADIC: u16 = 212;
    /// From a thread of SCHED_FIFO to a sporadic server.
    pub const TO_SPORADIC: u16 = 214;
    /// The other way round.
    pub const FROM_SPORADIC: u16 = 216;
    /// A thread sleeps by `nanosleep()`, and another goes on.
    pub const NANOSLEEP: u16 = 218;
    /// By `clock_nanosleep()`, for a time.
    pub const SLEEP_RELATIVE: u16 = 220;
    /// Until an instant of CLOCK_MONOTONIC.
    pub const SLEEP_MONOTONIC: u16 = 222;
    /// Until an instant of CLOCK_REALTIME.
    pub const SLEEP_REALTIME: u16 = 224;
    /// It has slept.
    pub const WAKE: u16 = 226;
    /// A mutex is locked that a less urgent thread has, which goes on.
    pub const CONTENDED: u16 = 228;
    /// The same with a time.
    pub const TIMED_CONTENDED: u16 = 230;
    /// A mutex is unlocked, and a more urgent thread has it.
    pub const UNLOCK: u16 = 232;
    /// The same of one that waits with a time.
    pub const TIMED_UNLOCK: u16 = 234;
    /// The time has come until which a thread waits for a mutex.
    pub const EXPIRE: u16 = 236;
    /// A semaphore is posted, and a more urgent thread goes on.
    pub const POST: u16 = 238;
    /// A signal is sent to a more urgent thread, whose handler runs.
    pub const SIGNAL: u16 = 240;
    /// A sporadic server runs.
    pub const SERVER_RUNS: u16 = 242;
    /// A less urgent thread runs.
    pub const OTHER_RUNS: u16 = 244;
}

/// Of the suite `psigma`; those of calls each begin a span, which the next number ends.
pub mod psigma {
    /// The null call.
    pub const NULL: u16 = 260;
    /// A semaphore is given to that nobody waits for.
    pub const GIVE: u16 = 262;
    /// A semaphore is taken that is there.
    pub const TAKE: u16 = 264;
    /// A thread gives way, and has no equal.
    pub const YIELD: u16 = 266;
    /// A mutex is taken that nobody has.
    pub const LOCK: u16 = 268;
    /// A mutex is given back that nobody waits for.
    pub const UNLOCK: u16 = 270;
    /// A thread has slept.
    pub const WOKEN: u16 = 272;
    /// A job has begun.
    pub const BEGUN: u16 = 273;
    /// A job is about to end.
    pub const ENDED: u16 = 274;
}

/// Does something between a mark and the next.
#[macro_export]
macro_rules! measured {
    ($mark:ident: $call:expr) => {{
        $crate::mark::<{ $mark }>();
        let answer = $call;
        $crate::mark::<{ $mark + 1 }>();
        answer
    }};
}

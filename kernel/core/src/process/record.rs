//! Processes: what their threads have in common.
//!
//! ```text
//!                 kill
//!   ALIVE ----> SEARCH ----+                       policy `restart`
//!    | ^                   v
//!    | |  fault, panic  MESSAGE  LINES  THREADS  OBJECTS  REGIONS --> PAUSE -+
//!    +-+------------------^              policy `stop`, or too many |        |
//!      |                                                            v        |
//!      +------- START <-------- RESTORE <---------- create ------- DEAD      |
//!                                  ^                                         |
//!                                  +-----------------------------------------+
//! ```
//! Whatever is not `ALIVE` is the work of the process's own kernel thread, see
//! [`crate::process::reaper`]. From the first instant on none of the process's threads runs.

use core::cell::Cell;

use crate::layout::OnSeveral;
use crate::process::region::Share;
use crate::{Handle, Line, Message, Object, Outcome, Rank, Ref, Thread, record};

/// Bytes of memory that are copied or zeroed before the hart looks at timer and lines.
pub const PIECE: usize = 256;
/// Words of an address space that the architecture loads.
pub const SPACE: usize = 20;
/// Words of what is recorded of a fault that are kept: a whole note of a panic, or what a
/// backtrace begins with.
pub const CAUSE: usize = 32;

record! {
    /// A process.
    pub struct Process {
        /// What the architecture loads to enter its address space: the first word of
        /// page tables, or the registers of regions. The builder and the architecture
        /// alone know what they mean.
        pub space: [Cell<usize>; SPACE],
        /// 0: its threads may run; else a [`life`]. The exit path of the hart looks at it
        /// before it loads the space of another process than the last.
        pub life: Cell<u32>,
        /// 1: no two of its threads run at the same time.
        pub in_turn: OnSeveral<u32>,
        /// How far the work has come of which `life` tells.
        pub(crate) progress: Cell<u32>,
        /// The kernel thread that ends and restarts it. It runs in the place of a thread
        /// that was chosen and whose process is not alive.
        pub reaper: Ref<Thread>,
        /// How often it has begun anew.
        pub generation: Cell<u32>,
        /// Its number in the trace.
        pub number: u32,
        /// Its threads.
        pub threads: &'static [Thread],
        /// The most urgent level that its threads may ask for, or publish as a ceiling.
        pub most: u32,
        /// Bits of [`grant`].
        pub grants: u32,
        /// Where its restartable sequences begin.
        pub restart_begin: usize,
        /// Bytes of them; 0 if there are none.
        pub restart_bytes: usize,
        /// The user address of its data, the bytes of it that it reads and writes in
        /// one piece, and where they lie.
        pub data: usize,
        /// See `data`.
        pub data_size: usize,
        /// See `data`.
        pub data_place: usize,
        /// Who supervises it.
        pub supervisor: Option<Ref<Process>>,
        /// Why it ended, for its supervisor: bits of [`news`].
        pub(crate) news: Cell<u32>,
        /// What it may do with each region of shared memory, by index.
        pub shares: &'static [Share],
        /// Regions that it has attached: a bit each.
        pub(crate) attached: Cell<u32>,
        /// Those of them that are being detached, until no hart has them.
        pub(crate) closing: OnSeveral<Cell<u32>>,
        /// In which placing one of its threads was one of the first, if no two may run at the
        /// same time.
        pub(crate) mark: OnSeveral<Cell<u32>>,
        /// Bytes of its heap that are allocated.
        pub(crate) allocated: Cell<u32>,
        /// Free places for threads that it creates, linked by `parked`.
        pub(crate) spare: Cell<Option<Ref<Thread>>>,
        /// Its threads that wait for the end of a thread or of a process: a list, not an
        /// object that has an id. Its owner is who waits for a process, if that still does.
        pub(crate) joiners: Object,
        /// The urgency of its end when that is a deadline.
        pub(crate) urgency: Rank,
        /// Threads that are parked on its threads.
        pub(crate) hanging: Cell<u32>,
        /// At least as urgent as they are: a lower bound of levels while it is alive, the
        /// urgency of its end while there are some.
        pub(crate) lent: Rank,
        /// What object numbers name to its threads.
        pub handles: &'static [Handle],
        /// Its messages.
        pub messages: &'static [Message],
        /// Those that are free, linked by `below`.
        pub(crate) free: Cell<Option<Ref<Message>>>,
        /// Bytes that its messages have room for.
        pub message_size: u32,
        /// Interrupt lines that its threads can await.
        pub lines: &'static [Ref<Line>],
        /// How its memory is at its start.
        pub image: Ref<Image>,
        /// Ticks that threads have run whose places others have: low word, high word. Only
        /// kernels with CPU-time clocks count them.
        pub(crate) ended: Cell<u32>,
        /// See `ended`.
        pub(crate) ended_high: Cell<u32>,
        /// Restarts since `counted`, of those that the rule counts.
        pub(crate) restarts: Cell<u32>,
        /// When they began to be counted: low word, high word.
        pub(crate) counted: [Cell<u32>; 2],
        /// How often it has ended by a fault or a panic, or was ended, since boot.
        pub ends: Cell<u32>,
        /// The first of these.
        pub first: Cause,
    }

    /// Why a process ended for the first time. The trace ring may have lost it.
    pub struct Cause {
        /// When: low word, high word.
        pub at: [Cell<u32>; 2],
        /// The second word of its record in the trace.
        pub how: Cell<u32>,
        /// The number of the thread, and 1 more; 0: none.
        pub thread: Cell<u32>,
        /// The arguments of its record.
        pub pc: Cell<usize>,
        /// See `pc`.
        pub address: Cell<usize>,
        /// The registers of the thread, as its record has them: the stack pointer,
        pub sp: Cell<usize>,
        /// and the return address, 0 if that lies on the stack.
        pub ra: Cell<usize>,
        /// The first bytes that were recorded of it.
        pub bytes: [Cell<u32>; CAUSE],
    }

    /// When a process that faults is restarted, and how often.
    pub struct RestartRule {
        /// Ticks before the second restart of a window; twice as many before each further
        /// one. 0: all are at once, as the first is.
        pub pause: u32,
        /// The most ticks before a restart; at least `pause`.
        pub longest: u32,
        /// Restarts in a window; 0: any number.
        pub most: u32,
        /// Ticks of a window, which begins at a restart: low word, high word.
        pub window: [u32; 2],
        /// What comes after an end for which there is no restart any more: a
        /// [`FaultPolicy`](giornata_abi::system::FaultPolicy) other than `Restart`.
        pub beyond: u32,
    }

    /// A stretch of memory as it is at the start of a process.
    pub struct Stretch {
        /// Where its pristine copy lies; 0: it is zero.
        pub from: usize,
        /// Where it lies.
        pub to: usize,
        /// Its bytes, a multiple of 4.
        pub size: usize,
    }

    /// How the memory of a process is at its start.
    pub struct Image {
        /// Its data as it was linked, the rest of its data, its stacks.
        pub stretches: &'static [Stretch],
        /// The user address of the memory that it can allocate.
        pub heap: usize,
        /// Bytes of it.
        pub heap_size: usize,
        /// What comes after its end: a [`FaultPolicy`](giornata_abi::system::FaultPolicy).
        pub policy: u32,
        /// Of the policy `Restart`.
        pub rule: RestartRule,
    }
}

/// Where a process stands: see the drawing above.
pub mod life {
    /// Its threads run.
    pub const ALIVE: u32 = 0;
    /// The thread is looked for that says best what the process was at when it was ended.
    pub const SEARCH: u32 = 1;
    /// The message of its panic, or the stack of that thread, is recorded.
    pub const MESSAGE: u32 = 2;
    /// Its interrupt lines are masked.
    pub const LINES: u32 = 3;
    /// Its threads end, and give back what they own.
    pub const THREADS: u32 = 4;
    /// What else services keep for it.
    pub const OBJECTS: u32 = 5;
    /// Its regions of shared memory are detached.
    pub const REGIONS: u32 = 6;
    /// It has ended, and its reaper sleeps until it is restarted.
    pub const PAUSE: u32 = 7;
    /// Its memory becomes what it was.
    pub const RESTORE: u32 = 8;
    /// Its threads begin.
    pub const START: u32 = 9;
    /// It has ended, or has not begun.
    pub const DEAD: u32 = 10;
}

/// Bits of [`Process::grants`].
pub mod grant {
    /// It may stop the machine.
    pub const SHUTDOWN: u32 = 1;
    /// It may program a device that reads and writes memory by itself.
    // (The sign: looking at it is one instruction.)
    pub const TRUSTED_DMA: u32 = 1 << 31;
    /// It reads the trace.
    pub const TRACE: u32 = 4;
}

impl Process {
    /// Whether its threads may run.
    #[inline(always)]
    pub fn is_alive(&self) -> bool {
        self.life.get() == life::ALIVE
    }
}

/// Physical address of a byte of the caller's data, for a device that reads and
/// writes memory by itself.
pub(crate) fn device_address(me: Ref<Thread>, address: usize) -> Outcome {
    let process = me.process;
    if process.grants & grant::TRUSTED_DMA == 0 {
        return Outcome::error(crate::Error::EPERM);
    }
    let offset = address.wrapping_sub(process.data);
    if offset >= process.data_size {
        return Outcome::error(crate::Error::EFAULT);
    }
    me.pair(process.data_place.wrapping_add(offset), 0)
}

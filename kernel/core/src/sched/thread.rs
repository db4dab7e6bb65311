//! Threads: one record each. What handlers look at lies in front, where compressed loads
//! reach, and the registers that calls answer in; then the others.
//!
//! ```text
//!             insert                       block
//!   dormant ---------> ready (in its rank) ------> waiting (in an object's list,
//!      ^                 |   ^      |  ^  ^                  or for its alarm only)
//!      |  exit           |   |      |  |  |  awaken / expire     |
//!      +-----------------+   |      |  |  +----------------------+
//!                            |      |  +--- unpark
//!                            |      +-----> parked (on a thread that it waits for
//!                            |               and that cannot run itself)
//!                    runs, or whoever it waits for runs in its place (`wants`)
//! ```

use core::cell::Cell;

use crate::harts::{Placement, Placing, Rest};
use crate::layout::{OnSeveral, OnStreams};
use crate::sched::place::Effective;
use crate::sched::wants::Wants;
use crate::streams::Filter;
use crate::trace::reason;
use crate::{Alarm, Error, Handle, Object, Outcome, Process, Rank, Ref, Task, record, same};

record! {
    /// The registers of a thread that does not run. The trap path saves straight
    /// into it.
    ///
    /// Of a thread that waits in a call the temporary registers are nobody's: `t` and
    /// those of `a` that its result will overwrite hold what the call has to remember.
    pub struct Context {
        /// `a0..a7`: of a thread that has called, the result; of a call that begins
        /// again, its arguments.
        pub a: [Cell<usize>; 8],
        /// Temporary registers.
        pub t: [Cell<usize>; 7],
        /// Where it goes on; of a call that begins again, its `ecall`.
        pub pc: Cell<usize>,
        /// The stack pointer.
        pub sp: Cell<usize>,
        /// The user's thread pointer: fixed for a thread, loaded and never saved, so
        /// that the trap path has a register at once.
        pub tp: Cell<usize>,
        /// Fixed for a thread, loaded and never saved.
        pub gp: Cell<usize>,
        /// Callee-saved registers.
        pub s: [Cell<usize>; 12],
        /// The return address.
        pub ra: Cell<usize>,
    }

    /// What of a thread never changes while the system runs.
    pub struct Place {
        /// Where it begins, and the jobs of a task.
        pub entry: usize,
        /// Its second argument. (The first is the user address of its control page, of a
        /// task that of its block.)
        pub body: usize,
        /// First address above its stack.
        pub stack_top: usize,
        /// Bytes of its stack.
        pub stack_size: usize,
        /// Its fixed priority as a level; of a thread with a deadline, the ticks to it.
        pub level: u32,
        /// Ticks of its quantum, or of the budget of a job; 0: no limit.
        pub allowance: u32,
        /// The task whose jobs it runs.
        pub task: Option<Ref<Task>>,
        /// The filter whose instances it runs. (It is a task that no program releases.)
        pub filter: OnStreams<Option<Ref<Filter>>>,
    }

    /// A thread.
    pub struct Thread {
        /// Bits of [`state`].
        pub state: Cell<u32>,
        /// Its process.
        pub process: Ref<Process>,
        /// The mutex that it waits for, or the mailbox to which it called. It stays in
        /// the ready queue meanwhile, and the owner runs in its place.
        pub(crate) wants: Wants,
        /// The object in whose list it waits, [`System::no_list`](crate::System) if in
        /// none; `None` if it is ready.
        pub(crate) waits: Cell<Option<Ref<Object>>>,
        /// Where it is queued when it is ready, and its urgency when it waits.
        pub(crate) rank: Effective,
        /// Its own urgency, without ceilings and messages.
        pub(crate) own: Cell<Ref<Rank>>,
        /// In the ring of its rank, itself if alone there or in none. In the heap of those
        /// that wait with it: the left child, and in `prev` the right one, itself if there is
        /// none. (So who is alone is its own `next`, wherever it is.)
        pub(crate) next: Cell<Ref<Thread>>,
        pub(crate) prev: Cell<Ref<Thread>>,
        /// On which hart it runs.
        pub on: OnSeveral<Placement>,
        /// What never changes.
        pub place: Ref<Place>,
        /// What clients want whose requests it has. A thread that cannot receive has one
        /// that is nobody's.
        pub hand: Ref<Object>,
        /// How it is resumed: [`kind`].
        pub kind: Cell<u8>,
        /// 1: it has a quantum, or its jobs have a budget. Beside `kind`, so that the exit
        /// path tests both at once and whoever has no limit pays nothing.
        pub limited: Cell<u8>,
        /// Who lives in its place, see [`tenancy`]: how many of the system calls are its own.
        pub tenancy: Cell<u8>,
        /// 1: it has floating-point registers, where the architecture keeps them. 0 when it
        /// begins.
        pub floating: Cell<u8>,
        /// What the trace calls it: see [`crate::trace::label`].
        pub label: u32,
        /// Physical address of its control page, at which the exit path looks; 0: none.
        pub control: usize,
        /// What the object numbers of its process name. Threads that run jobs or upcalls
        /// have none: calls to objects are not theirs.
        pub handles: &'static [Handle],
        /// In which placing it was one of the first.
        pub placing: OnSeveral<Placing>,
        /// Mutexes that it owns: those with a ceiling first, the most urgent ceiling
        /// first of these.
        pub(crate) held: Cell<Option<Ref<Object>>>,
        /// Threads that are parked on it: a heap as of those that wait for an object.
        pub(crate) parked: Cell<Option<Ref<Thread>>>,
        /// Which tenant of its slot it is; 0: none.
        pub serial: Cell<u32>,
        /// What `spent` may come to, if it has a limit.
        pub limit: Cell<u32>,
        /// Its registers.
        pub context: Context,
        /// Its timeout.
        pub(crate) alarm: Alarm,
        /// Ticks that it has run: low word, high word.
        pub spent: Cell<u32>,
        /// See `spent`.
        pub spent_high: Cell<u32>,
        /// The region of its own stack, or of the guard below it, where regions confine it and
        /// it has one; else 0.
        pub stack: Cell<usize>,
        /// Bits of [`role`]. They never change.
        pub role: u16,
        /// The number of who waits for its end, if that still does.
        pub(crate) joiner: Cell<u16>,
        /// Nothing.
        pub(crate) rest: OnSeveral<Rest>,
    }
}

/// How a context is resumed.
pub mod kind {
    /// It made a call that returns `a0` and nothing else: callee-saved registers are
    /// loaded, `a0`, and 0 into all others.
    pub const CALL: u8 = 0;
    /// It was interrupted: all registers are loaded.
    pub const FULL: u8 = 1;
    /// Of the idle thread only: it waits in machine mode. If it is not the first of the
    /// queue, it was left for to look at timer and lines: then its turn is as that of
    /// `WORK`, and it does not wait.
    pub const IDLE: u8 = 2;
    /// It lives in the kernel: its turn is a piece of work, see
    /// [`System::work`](crate::System::work). The thread that this returns goes on as its kind
    /// says.
    pub const WORK: u8 = 3;
    /// It made a call that has had no effect yet and begins again: as `RESULTS` with `a7`
    /// too, at its `ecall`, so four bytes before `pc`. Its process may make another call
    /// instead, so nothing is kept for it.
    pub const AGAIN: u8 = 4;
    /// It made a call that returns values, or begins: as `CALL`, and `a0..a6`.
    pub const RESULTS: u8 = 5;
    /// Its wait is over, and something is left to do in the kernel before it returns to user
    /// mode: its turn is that, see [`System::work`](crate::System::work).
    pub const FINISHES: u8 = 6;
    /// Its call about bytes of a message has had an effect, and goes on in the kernel with the
    /// arguments that lie in `a0..a5` and `a7`: its turn is the next piece of that, see
    /// [`System::work`](crate::System::work). It does not return to user mode before the call
    /// has ended, so no process changes what it was made with.
    pub const CONTINUES: u8 = 7;
    /// The same of a call that copies the value of a port. It is as urgent as the machine.
    pub const COPIES: u8 = 8;
}

/// Who lives in the place of a thread.
///
/// ```text
///             create                exit              join
///   NOBODY -----------> JOINABLE ----------> ENDED ----------+
///      ^                    | detach            | detach     |
///      |      exit          v                   |            |
///      +------------------ GIVEN                |            |
///      +----------------------------------------+------------+
/// ```
///
/// A thread makes the calls whose numbers are below its tenancy, so the trap path refuses
/// tasks and upcalls what is not theirs by the comparison that it makes anyway.
pub mod tenancy {
    use giornata_abi::call::Call;

    /// Nobody: it has not begun, or has ended.
    pub const NOBODY: u8 = 0;
    /// One that has ended and is to be joined; its value is in `a0`.
    pub const ENDED: u8 = 1;
    /// The thread of upcalls.
    pub const UPCALL: u8 = Call::OF_UPCALLS as u8;
    /// A task.
    pub const TASK: u8 = Call::OF_TASKS as u8;
    /// A thread of the system file, or one that was detached: nobody joins it.
    pub const GIVEN: u8 = Call::COUNT as u8;
    /// One that was created. (The number above all calls is one that no call has.)
    pub const JOINABLE: u8 = Call::TABLE as u8;

    /// Of who begins in a place, by its role.
    pub const fn of(role: u16) -> u8 {
        match role & (super::role::TASK | super::role::UPCALL) {
            0 => GIVEN,
            super::role::TASK => TASK,
            _ => UPCALL,
        }
    }
}

/// Bits of [`Thread::state`]: what has to be seen to when a thread wakes or ends.
/// A thread for which they are 0 waits in one list and for nothing else.
pub mod state {
    /// Its alarm is set.
    pub const ARMED: u32 = 1;
    /// It waits for nothing but its alarm.
    pub const SLEEPS: u32 = 2;
    /// It is parked on the owner of what it wants.
    pub const PARKED: u32 = 4;
    /// Others are parked on it.
    pub const PARKED_ON: u32 = 8;
    /// It owns a mutex with a ceiling.
    pub const CEILING: u32 = 0x10;
    /// It has told which mutex it will lock when it goes on, or waits for that.
    pub const HINTED: u32 = match cfg!(feature = "hints") {
        true => 0x20,
        false => 0,
    };
    /// It waits for a message into its memory: its call begins again when there is one.
    pub const BYTES: u32 = 0x40;
    /// It has called a mailbox that nobody serves, and waits in the list of that.
    pub const ORPHAN: u32 = 0x80;
    /// It is, or was, the protocol server of a mailbox.
    pub const SERVER: u32 = 0x100;
    /// It has the urgency of a request whose client has ended.
    pub const LATE: u32 = 0x200;
    /// It has requests in its hand.
    pub const IN_HAND: u32 = 0x800;
    /// It has come into no queue since it was handed a request, and has no place.
    pub const AFLOAT: u32 = 0x1000;
    /// Its urgency is a deadline, which begins anew when it has slept.
    pub const BY_DEADLINE: u32 = 0x2000;
    /// Those that make its place depend on messages.
    pub const SERVES: u32 = SERVER | LATE | IN_HAND;
    /// It is a task in a ring of its group.
    pub const IN_RING: u32 = 0x400;
    /// It awaits a line that has a minimum interarrival time.
    pub const SPACED: u32 = 0x4000;
    /// Its [`Account`](crate::sched::account::Account) is looked at when it wakes: it is a sporadic
    /// server, or has a quantum by it.
    pub const SPORADIC: u32 = 0x8000;
    /// From this bit on: the level of the ceiling that it published and was moved to;
    /// 0: none.
    pub const LIFT: u32 = 16;
    /// The bits below it.
    pub const OTHERS: u32 = (1 << LIFT) - 1;
    // (one bit each)
    const _: () = {
        let all = [
            ARMED,
            SLEEPS,
            PARKED,
            PARKED_ON,
            CEILING,
            HINTED,
            BYTES,
            ORPHAN,
            SERVER,
            LATE,
            IN_HAND,
            AFLOAT,
            BY_DEADLINE,
            IN_RING,
            SPACED,
            SPORADIC,
        ];
        let mut seen = 0;
        let mut at = 0;
        while at < all.len() {
            assert!(seen & all[at] == 0 && all[at] & OTHERS == all[at]);
            seen |= all[at];
            at += 1;
        }
    };
    /// What stays as it is when a thread wakes.
    pub const KEPT: u32 = match cfg!(feature = "posix") {
        true => ALWAYS_KEPT | SPORADIC,
        false => ALWAYS_KEPT,
    };
    const ALWAYS_KEPT: u32 = PARKED_ON | CEILING | HINTED | SERVES | BY_DEADLINE;
}

/// Bits of [`Thread::role`].
pub mod role {
    /// It runs jobs that a program releases.
    pub const TASK: u16 = 1;
    /// It runs the upcalls of its process.
    pub const UPCALL: u16 = 2;
    /// It is a place for created threads.
    pub const SPARE: u16 = 4;
    /// It begins with its process.
    pub const AUTOSTART: u16 = 8;
    /// Its limit is a quantum, else the budget of a job.
    pub const ROUND_ROBIN: u16 = 16;
    /// It lives in the kernel and ends and restarts its process.
    pub const REAPER: u16 = 32;
    /// Its urgency is a deadline, so many ticks after it begins; no task.
    pub const DEADLINE: u16 = 64;
}

impl Thread {
    /// Its system-wide number.
    #[inline(always)]
    pub fn number(&self) -> u32 {
        self.label >> 16
    }

    /// What its pending call returns first.
    #[inline(always)]
    pub(crate) fn answer(&self, answer: usize) {
        self.context.a[0].set(answer);
    }

    /// The result of its pending call: 0 and up to six values. It goes on with them if
    /// it is the caller.
    #[inline(always)]
    pub(crate) fn returns(&'static self, values: [usize; 6]) -> Outcome {
        let [a, b, c, d, e, f] = values;
        self.set_registers(0, a, b, c, d, e, f)
    }

    /// The same with two values, of the caller, which goes on at once.
    #[inline(always)]
    pub(crate) fn pair(&'static self, first: usize, second: usize) -> Outcome {
        let [_, a1, a2, ..] = &self.context.a;
        a1.set(first);
        a2.set(second);
        Outcome::because(self, reason::PAIR)
    }

    /// The same of a thread that is not the caller.
    #[inline(always)]
    pub(crate) fn results(&'static self, values: [usize; 6]) {
        let _ = self.returns(values);
    }

    // (in registers, so that it is the end of most calls that return values)
    #[inline(never)]
    extern "C" fn set_registers(
        &'static self,
        answer: usize,
        a: usize,
        b: usize,
        c: usize,
        d: usize,
        e: usize,
        f: usize,
    ) -> Outcome {
        let [a0, a1, a2, a3, a4, a5, a6, _] = &self.context.a;
        a0.set(answer);
        a1.set(a);
        a2.set(b);
        a3.set(c);
        a4.set(d);
        a5.set(e);
        a6.set(f);
        self.kind.set(kind::RESULTS);
        Outcome::switch(self)
    }

    /// It makes this call again. (In registers, as `set_registers`.)
    #[inline(never)]
    pub(crate) extern "C" fn set_call(
        &self,
        call: usize,
        a: usize,
        b: usize,
        c: usize,
        d: usize,
        e: usize,
        f: usize,
    ) {
        let [a0, a1, a2, a3, a4, a5, _, a7] = &self.context.a;
        a0.set(a);
        a1.set(b);
        a2.set(c);
        a3.set(d);
        a4.set(e);
        a5.set(f);
        a7.set(call);
        self.kind.set(kind::AGAIN);
    }

    /// Of a thread that waits: when it asked, as a serial number. (The first two of these
    /// registers hold its timeout.)
    #[inline(always)]
    pub(crate) fn asked(&self) -> &Cell<usize> {
        let [_, _, _, asked, ..] = &self.context.t;
        asked
    }

    /// Of a thread that waits for a condition: the serial number of its mutex. Of one
    /// that has to do something in the kernel before it goes on: what.
    #[inline(always)]
    pub(crate) fn noted(&self) -> &Cell<usize> {
        let [_, _, _, _, noted, ..] = &self.context.t;
        noted
    }

    /// Its pending call returns this and nothing else, and does not begin again.
    #[inline(never)]
    pub(crate) extern "C" fn end_call(&self, answer: usize) {
        self.answer(answer);
        self.kind.set(kind::CALL);
    }

    /// The same: a refusal.
    pub(crate) fn refuse(&self, error: Error) {
        self.end_call(error as usize);
    }

    /// Of a thread that is parked: the number of the one on which it hangs.
    #[inline(always)]
    pub(crate) fn hangs_on(&self) -> &Cell<usize> {
        let [_, _, _, _, _, holder, _] = &self.context.t;
        holder
    }

    /// It begins at an address, with two arguments, on an empty stack.
    #[cfg(feature = "programs")]
    #[inline(never)]
    pub(crate) fn begin_at(&'static self, entry: usize, argument: usize, body: usize) {
        self.context.pc.set(entry);
        self.context.sp.set(self.place.stack_top);
        let _ = self.set_registers(argument, body, 0, 0, 0, 0, 0);
    }

    /// Whether it wants this object.
    #[cfg_attr(not(feature = "slots"), allow(dead_code))]
    #[inline(always)]
    pub(crate) fn wants_it(&self, object: Ref<Object>) -> bool {
        self.wants.get().is_some_and(|wanted| same(wanted, object))
    }

    #[inline(always)]
    pub(crate) fn is(&self, bits: u32) -> bool {
        self.state.get() & bits != 0
    }

    #[inline(always)]
    pub(crate) fn set(&self, bits: u32) {
        self.state.set(self.state.get() | bits);
    }

    #[inline(always)]
    pub(crate) fn clear(&self, bits: u32) {
        self.state.set(self.state.get() & !bits);
    }

    /// Who has the turn when this one has had it, in its rank.
    pub fn next(&self) -> Ref<Thread> {
        self.next.get()
    }

    /// Whether it runs jobs or upcalls.
    pub(crate) fn has_jobs(&self) -> bool {
        self.role & (role::TASK | role::UPCALL) != 0
    }

    /// Whether a thread lives in its place.
    pub fn lives(&self) -> bool {
        self.tenancy.get() > tenancy::ENDED
    }

    /// Whether its end is to be told to who joins it.
    pub fn has_ended(&self) -> bool {
        self.tenancy.get() == tenancy::ENDED
    }

    /// When its wait ends at the latest, if it does.
    pub fn timeout(&self) -> Option<u64> {
        let [low, high, ..] = &self.context.t;
        let instant = (high.get() as u64) << 32 | low.get() as u32 as u64;
        self.is(state::ARMED).then_some(instant)
    }

    /// Its urgency.
    pub fn rank(&self) -> Ref<Rank> {
        self.rank.get()
    }

    /// The mutex or mailbox on whose owner it waits in the ready queue.
    pub fn wants(&self) -> Option<Ref<Object>> {
        self.wants.get()
    }

    /// The most urgent of those that are parked on it.
    pub fn parked(&self) -> Option<Ref<Thread>> {
        self.parked.get()
    }

    /// The mutex that it took last, of those that it owns.
    pub fn held(&self) -> Option<Ref<Object>> {
        self.held.get()
    }

    /// The object that it waits for.
    pub fn waits(&self) -> Option<Ref<Object>> {
        self.waits.get()
    }
}

//! The edge: an event goes in, its outcome is carried out.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;

use giornata_abi::Ticks;
use giornata_abi::call::Request;
use giornata_abi::id::NONE;
use giornata_abi::system::{System, SystemHeader};
use giornata_abi::trace::{TraceKind, TraceRecord};
use giornata_core::{Hardware, Kernel, Memory, Next, Served};
use giornata_queue::Handover;

use super::csr;
use super::floating;
use super::hardware::Machine;
use super::hart::{HART, HartBlock};
use super::{protection, trap};
use crate::banks::{Banks, Places};
use crate::board::Board;
use crate::cause::{self, interrupt};
use crate::context::Context;
use crate::regions::Regions;

/// Codes of the `Impossible` records that the edge writes; those of the core lie below.
mod place {
    /// The kernel itself trapped. subject: `mcause`; x: `pc`; y: `mtval`.
    pub(super) const TRAP: u32 = 16;
    /// The core named a thread that has no context. x: the thread.
    pub(super) const CONTEXT: u32 = 17;
}

/// What the image brings to [`boot`].
pub struct Setup {
    /// The board.
    pub board: Board,
    /// The system's tables.
    pub system: System<'static>,
    /// The spaces of its processes, where regions confine them.
    pub spaces: &'static [Regions],
    /// Memory for the kernel's tables.
    pub memory: Memory<'static>,
    /// A context for each thread of the system.
    pub contexts: &'static [Context],
    /// Where the spare tables of microcode lie, if there are any.
    pub spare: Option<Places>,
    /// Stops the machine with a status.
    pub halt: fn(&mut Machine, u8) -> !,
}

/// The kernel and what it needs to enter and leave user mode.
pub(super) struct Edge {
    kernel: Kernel<'static, Machine>,
    hart: &'static HartBlock,
    header: &'static SystemHeader,
    next_load: u64,
    halt: fn(&mut Machine, u8) -> !,
}

struct Place(UnsafeCell<MaybeUninit<Edge>>);
// SAFETY: one trap function at a time makes a reference to it (Hart Invariant).
unsafe impl Sync for Place {}
static EDGE: Place = Place(UnsafeCell::new(MaybeUninit::uninit()));
static HANDOVER: Handover = Handover::new();

/// Boots the system on this hart. The answer goes to `giornata_depart`, on the
/// stack that was set up for the hart.
///
/// # Safety
/// To be called once, by the boot hart, in machine mode with interrupts off;
/// the setup must be true of the machine (Device Invariant, Memory Invariant).
pub unsafe fn boot(setup: Setup) -> &'static Context {
    let hart = &HART.block;
    let (system, contexts) = (&setup.system, setup.contexts);
    // SAFETY: the caller vouches for the setup.
    let banks = unsafe { Banks::new(system, setup.spare) };
    // SAFETY: as above.
    let machine = unsafe { Machine::new(hart, setup.board, system, setup.spaces, contexts, banks) };
    let edge = Edge {
        kernel: Kernel::new(&setup.system, setup.memory, &HANDOVER, machine),
        hart,
        header: setup.system.header,
        next_load: 0,
        halt: setup.halt,
    };
    // SAFETY: nothing has entered the kernel, so this is the only reference (Hart Invariant).
    let place = unsafe { &mut *EDGE.0.get() };
    let edge = place.write(edge);
    hart.edge.set(Some(edge));
    for context in setup.contexts {
        context.hart.set((&raw const *hart).addr());
    }
    trap::prepare();
    hart.enter();
    let at = edge.machine().now();
    let outcome = edge.kernel.boot(at);
    edge.settle(outcome.next, at)
}

impl Edge {
    /// A system call of the current thread.
    pub(super) fn call(&mut self, request: &Request) -> &'static Context {
        let at = self.machine().now();
        let next = self.kernel.call(at, request);
        self.depart(next, at)
    }

    /// A call of the services, by a short way, if the alarm's instant has not come.
    #[inline(always)]
    pub(super) fn serve_now(&mut self, request: &Request) -> Served {
        match csr::pending() {
            0 => self.kernel.serve_now(request),
            _ => Served::No,
        }
    }

    /// Whoever is the most urgent after such a call goes on.
    pub(super) fn go_elsewhere(&mut self) -> &'static Context {
        let next = self.kernel.go_elsewhere();
        let at = self.kernel.entered();
        self.depart(next, at)
    }

    /// The call `yield` of the current thread, by a short way.
    #[inline(always)]
    pub(super) fn yield_now(&mut self) -> Option<&'static Context> {
        let at = self.machine().now();
        let next = self.kernel.yield_now(at)?;
        self.arm();
        Some(self.leave(next))
    }

    /// The call `complete` of the current thread, by a short way.
    #[inline(always)]
    pub(super) fn complete_now(&mut self) -> Option<&'static Context> {
        let at = self.machine().now();
        match self.kernel.complete_now(at)? {
            Next::Run(thread) => {
                self.arm();
                Some(self.leave(thread))
            }
            next => Some(self.settle(next, at)),
        }
    }

    /// An interrupt, or an exception of the current thread.
    #[inline(always)]
    pub(super) fn trap(&mut self, mcause: usize, mtval: usize) -> &'static Context {
        match mcause {
            interrupt::TIMER => self.timer(),
            interrupt::EXTERNAL => self.interrupt(),
            _ => self.fault(mcause, mtval),
        }
    }

    #[inline(never)]
    fn timer(&mut self) -> &'static Context {
        self.machine().clint.rang();
        let at = self.machine().now();
        let next = self.tick(at);
        self.depart(next, at)
    }

    /// The alarm's instant has come, or nothing has.
    #[inline(never)] // with a thread and without
    fn tick(&mut self, at: Ticks) -> Next {
        match self.kernel.timer_now(at) {
            Some(next) => next,
            None => self.kernel.timer(at),
        }
    }

    #[inline(never)]
    fn interrupt(&mut self) -> &'static Context {
        let line = self.machine().lines.claim();
        let at = self.machine().now();
        let next = match line {
            0 => self.kernel.timer(at), // it is gone again
            line => self.kernel.interrupt(at, line),
        };
        self.depart(next, at)
    }

    /// The kernel itself trapped.
    pub(super) fn trapped(&mut self, mcause: usize, pc: usize, mtval: usize) -> ! {
        self.bug(place::TRAP, mcause, pc, mtval)
    }

    /// What cannot happen and cannot be lived with: last words, and the end.
    fn bug(&mut self, place: u32, subject: usize, x: usize, y: usize) -> ! {
        if self.hart.dying.replace(true) {
            csr::halt();
        }
        let at = self.machine().now();
        self.record(
            at,
            TraceKind::Impossible,
            subject as u16,
            place,
            x as u64,
            y as u64,
        );
        self.stop(at, 1)
    }

    fn machine(&mut self) -> &mut Machine {
        self.kernel.hardware_mut()
    }

    /// Carries out what an event came to.
    fn depart(&mut self, next: Next, at: Ticks) -> &'static Context {
        match next {
            Next::Run(thread) if at.0 < self.next_load => {
                self.arm();
                self.leave(thread)
            }
            next => self.settle(next, at),
        }
    }

    /// Carries out decisions until the core wants a thread to run.
    #[inline(never)]
    fn settle(&mut self, next: Next, at: Ticks) -> &'static Context {
        let (mut next, mut at) = (next, at);
        loop {
            if at.0 >= self.next_load {
                self.show_load(at);
            }
            let line = match next {
                Next::Run(thread) => {
                    self.arm();
                    return self.leave(thread);
                }
                Next::Idle => {
                    self.arm();
                    self.idle()
                }
                // the alarm stands as it is until the core has looked at everything
                Next::More => self.pending(),
                Next::Stop(status) => self.stop(at, status),
            };
            at = self.machine().now();
            next = match (line, next) {
                (0, Next::Idle) => self.tick(at),
                (0, _) => self.kernel.resume(at),
                (line, _) => self.kernel.interrupt(at, line),
            };
        }
    }

    #[inline(always)]
    fn arm(&mut self) {
        let alarm = self.kernel.alarm();
        self.machine().clint.arm(alarm);
    }

    /// The context of the thread that was interrupted.
    fn current(&mut self) -> &'static Context {
        match self.hart.current.get() {
            Some(context) => context,
            None => self.bug(place::CONTEXT, NONE as usize, 0, 0),
        }
    }

    /// Leaves the kernel for a thread: what it left behind is made ready for
    /// the exit path, which changes the registers.
    #[inline(always)]
    fn leave(&mut self, thread: u16) -> &'static Context {
        let Some(context) = self.machine().contexts.get(thread as usize) else {
            self.bug(place::CONTEXT, NONE as usize, thread as usize, 0)
        };
        let before = self.hart.current.get();
        if !before.is_some_and(|before| core::ptr::eq(before, context)) {
            change(before, context);
            floating::admit(self.hart, context);
        } else if context.begins() {
            floating::admit(self.hart, context);
        }
        context
    }

    /// Waits for an interrupt; no thread runs. Answers its line; 0 = the timer's.
    fn idle(&mut self) -> u16 {
        self.hart.leave();
        while csr::pending() == 0 {
            csr::wait();
        }
        self.hart.enter();
        self.machine().clint.rang();
        self.pending()
    }

    /// The next line that is pending; 0 = none. That the timer is pending too
    /// says nothing: the clock, which every entry latches, does.
    fn pending(&mut self) -> u16 {
        match csr::pending() & csr::EXTERNAL {
            0 => 0,
            _ => self.machine().lines.claim(),
        }
    }

    /// An exception of the current thread.
    #[cold]
    fn fault(&mut self, mcause: usize, address: usize) -> &'static Context {
        let context = self.current();
        if mcause == cause::ILLEGAL && floating::take(self.hart, context) {
            return context;
        }
        let cause = cause::with_guard(cause::fault(mcause), || {
            protection::is_below_stack(&context.space, address, context.stack_pointer())
        });
        let at = self.machine().now();
        let next = self.kernel.fault(at, cause, context.pc(), address);
        self.depart(next, at)
    }

    /// Ten times a second, if there is an exit then: the kernel's share so far.
    #[cold]
    fn show_load(&mut self, at: Ticks) {
        self.hart.gather();
        let header = self.header;
        self.next_load = at.0.saturating_add(header.timer_hertz as u64 / 10);
        if header.trace_mask >> (TraceKind::Load as u32) & 1 == 0 {
            return;
        }
        let elapsed = self.since_origin(at);
        let machine = self.machine();
        let (kernel, elapsed) = (
            machine.board.nanos(machine.kernel_cycles()),
            machine.board.tick_nanos(elapsed),
        );
        self.record(
            at,
            TraceKind::Load,
            HartBlock::NUMBER as u16,
            0,
            kernel,
            elapsed,
        );
    }

    fn stop(&mut self, at: Ticks, status: u8) -> ! {
        let elapsed = self.since_origin(at);
        let machine = self.machine();
        let kernel = machine.board.milliticks(machine.kernel_cycles());
        self.record(at, TraceKind::Stop, status as u16, 0, kernel, elapsed);
        let halt = self.halt;
        halt(self.machine(), status)
    }

    fn record(&mut self, at: Ticks, kind: TraceKind, subject: u16, detail: u32, x: u64, y: u64) {
        let (kind, hart, tick) = (kind as u8, HartBlock::NUMBER, self.since_origin(at));
        self.machine().trace(TraceRecord {
            kind,
            hart,
            subject,
            detail,
            tick,
            x,
            y,
        });
    }

    fn since_origin(&self, at: Ticks) -> u64 {
        at.0.wrapping_sub(self.kernel.origin().0)
    }
}

/// Another thread takes the hart.
fn change(before: Option<&Context>, context: &Context) {
    if let Some(before) = before {
        before.rewind();
    }
    // SAFETY: the image makes contexts with the builder's spaces.
    unsafe { protection::enter(before.map(|before| &before.space), &context.space) };
}

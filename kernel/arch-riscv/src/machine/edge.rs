//! The edge: an event goes in, its outcome is carried out.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;

use giornata_abi::Ticks;
use giornata_abi::call::Request;
use giornata_abi::id::NONE;
use giornata_abi::system::System;
use giornata_abi::trace::{TraceKind, TraceRecord};
use giornata_core::{Event, Hardware, Kernel, Memory, Next, Outcome};
use giornata_queue::Handover;

use super::csr;
use super::floating;
use super::hardware::Machine;
use super::hart::{HART, HartBlock};
use super::{protection, trap};
use crate::board::Board;
use crate::cause::{self, interrupt};
use crate::context::Context;

const NUMBER: giornata_core::Hart = giornata_core::Hart(HartBlock::NUMBER);

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
    /// Memory for the kernel's tables.
    pub memory: Memory<'static>,
    /// A context for each thread of the system.
    pub contexts: &'static [Context],
    /// Stops the machine with a status.
    pub halt: fn(&mut Machine, u8) -> !,
}

/// The kernel and what it needs to enter and leave user mode.
pub(super) struct Edge {
    kernel: Kernel<'static, Machine>,
    hart: &'static HartBlock,
    system: System<'static>,
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
    // SAFETY: the caller vouches for the setup.
    let machine = unsafe { Machine::new(hart, setup.board, &setup.system, setup.contexts) };
    let edge = Edge {
        kernel: Kernel::new(&setup.system, setup.memory, &HANDOVER, machine),
        hart,
        system: setup.system,
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
    edge.settle(outcome, at)
}

impl Edge {
    /// A system call of the current thread.
    pub(super) fn call(&mut self, request: Request) -> &'static Context {
        self.dispatch(Event::Call(request))
    }

    /// An interrupt, or an exception of the current thread.
    pub(super) fn trap(&mut self, mcause: usize, mtval: usize) -> &'static Context {
        let Some(context) = self.hart.current.get() else {
            self.bug(place::TRAP, mcause, 0, mtval)
        };
        let event = match mcause {
            interrupt::TIMER => Event::Timer,
            interrupt::EXTERNAL => match self.machine().lines.claim() {
                0 => return context,
                number => Event::Interrupt(number),
            },
            cause::ILLEGAL if floating::take(self.hart, context) => return context,
            _ => self.fault(context, mcause, mtval),
        };
        self.dispatch(event)
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

    /// Hands an event to the core, and carries out what it comes to.
    fn dispatch(&mut self, event: Event) -> &'static Context {
        let at = self.machine().now();
        let outcome = self.kernel.handle(NUMBER, at, event);
        self.settle(outcome, at)
    }

    /// Carries out outcomes until the core wants a thread to run.
    fn settle(&mut self, outcome: Outcome, at: Ticks) -> &'static Context {
        let (mut outcome, mut at) = (outcome, at);
        loop {
            if at.0 >= self.next_load {
                self.show_load(at);
            }
            let event = match outcome.next {
                Next::Run(thread) => {
                    self.machine().clint.arm(outcome.alarm);
                    return self.leave(thread);
                }
                Next::Idle => {
                    self.machine().clint.arm(outcome.alarm);
                    self.idle()
                }
                // the alarm stands as it is until the core has looked at everything
                Next::More => self.pending().unwrap_or(Event::Resume),
                Next::Stop(status) => self.stop(at, status),
            };
            at = self.machine().now();
            outcome = self.kernel.handle(NUMBER, at, event);
        }
    }

    /// Leaves the kernel for a thread: what it left behind is made ready for
    /// the exit path, which changes the registers.
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

    /// Waits for an interrupt; no thread runs.
    fn idle(&mut self) -> Event {
        loop {
            self.hart.leave();
            csr::wait();
            self.hart.enter();
            if let Some(event) = self.pending() {
                return event;
            }
            if csr::pending() & csr::TIMER != 0 {
                return Event::Timer;
            }
        }
    }

    /// The next line that is pending. That the timer is pending too says
    /// nothing: the clock, which every entry latches, does.
    fn pending(&mut self) -> Option<Event> {
        if csr::pending() & csr::EXTERNAL == 0 {
            return None;
        }
        match self.machine().lines.claim() {
            0 => None,
            number => Some(Event::Interrupt(number)),
        }
    }

    fn fault(&mut self, context: &Context, mcause: usize, address: usize) -> Event {
        let cause = cause::with_guard(cause::fault(mcause), || {
            protection::is_below_stack(&context.space, address, context.stack_pointer())
        });
        Event::Fault {
            cause,
            pc: context.pc(),
            address,
        }
    }

    /// Ten times a second, if there is an exit then: the kernel's share so far.
    #[cold]
    fn show_load(&mut self, at: Ticks) {
        self.hart.gather();
        let header = self.system.header;
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

//! The kernel's state beside the E/S machine, and its clock and trace.

use crate::ahead::Summit;
use crate::hardware::{CHUNK, Hardware};
use crate::impossible::Place;
use crate::interrupt::Interrupt;
use crate::load::Loading;
use crate::memory::{Memory, Needs};
use crate::port::Port;
use crate::process::Process;
use crate::services::{Services, ServicesMemory};
use crate::table::Table;
use crate::thread::Thread;
use crate::transfer::Transfer;
use giornata_abi::call::Request;
use giornata_abi::id::NONE;
use giornata_abi::system::{FaultPolicy, MoveEntry, ProcessEntry, Range, System, ThreadEntry};
use giornata_abi::time::Timebase;
use giornata_abi::trace::{TraceKind, TraceRecord};
use giornata_abi::{Instant, Ticks};
use giornata_micro::UpcallEnd;
use giornata_queue::{Agenda, ReadyQueue};

/// What a hart is at.
pub(crate) struct HartState {
    pub(crate) id: u8,
    /// The thread it runs, or was running when it entered the kernel.
    pub(crate) current: Option<u16>,
    /// The thread of the last `Switch` record.
    pub(crate) shown: u16,
    /// Tick of this entry.
    pub(crate) entered: Ticks,
    /// The instant of this entry.
    now: Instant,
    /// Tick at which the current thread last left the kernel.
    pub(crate) resumed: Ticks,
    /// The next instant of the agenda and the tick that it rounds to.
    pub(crate) next: (Instant, Ticks),
    /// When the alarm must ring; the last tick of all if it need not.
    pub(crate) alarm: Ticks,
}

/// A system call that waits for earlier instants to be handled.
#[derive(Clone, Copy)]
pub(crate) struct PendingCall {
    pub(crate) thread: u16,
    pub(crate) request: Request,
    pub(crate) instant: Instant,
}

/// An upcall in progress: the hart runs its thread and nothing else.
#[derive(Clone, Copy)]
pub(crate) struct Upcall {
    pub(crate) driver: u16,
    pub(crate) thread: u16,
    pub(crate) left: Ticks,
}

/// Everything but the E/S machine: what the machine sees as its host.
pub(crate) struct Core<'a, H: Hardware> {
    pub(crate) system: System<'a>,
    pub(crate) timebase: Timebase,
    /// Kinds of trace records that are written, one bit each.
    trace_mask: u32,
    /// Tick of logical time 0.
    pub(crate) origin: Ticks,
    pub(crate) hardware: H,
    pub(crate) threads: Table<'a, Thread>,
    pub(crate) processes: Table<'a, Process>,
    pub(crate) ports: Table<'a, Port>,
    pub(crate) interrupts: Table<'a, Interrupt>,
    pub(crate) arena: &'a mut [u64],
    /// Bytes of a value in transit.
    pub(crate) piece: [u64; CHUNK / 8],
    pub(crate) ready: ReadyQueue<'a>,
    pub(crate) agenda: Agenda<'a>,
    pub(crate) hart: HartState,
    /// The last decision left nothing to be worked on: what comes next can be
    /// handled alone.
    pub(crate) calm: bool,
    /// A thread runs ahead of what has fallen due.
    pub(crate) ahead: bool,
    pub(crate) summit: Summit,
    /// A thread has been parked: of some, the agenda renews the keys.
    pub(crate) has_parked: bool,
    pub(crate) call: Option<PendingCall>,
    pub(crate) upcall: Option<Upcall>,
    pub(crate) transfer: Option<Transfer>,
    /// How the last upcall ended, until the machine has been told.
    pub(crate) ended: Option<UpcallEnd>,
    /// A job has been stopped, some time.
    pub(crate) has_stopped: bool,
    /// A process wrote a port: microcode has to look.
    pub(crate) written: bool,
    /// The logical instant that is being handled, or was last.
    pub(crate) instant: Instant,
    /// Serial numbers of arrivals at the tail and at the head of a band.
    pub(crate) arrivals: (u32, u32),
    /// Processes being torn down or restored.
    pub(crate) dying: u16,
    /// Interrupts that came and are not handled yet.
    pub(crate) latched: u16,
    /// The machine stops with this status.
    pub(crate) stop: Option<u8>,
    /// The change of a program that is under way.
    pub(crate) load: Loading,
    pub(crate) services: Services<'a>,
}

impl<'a, H: Hardware> Core<'a, H> {
    pub(crate) fn new(system: System<'a>, hardware: H, memory: CoreMemory<'a>) -> Core<'a, H> {
        let CoreMemory {
            threads,
            processes,
            ports,
            interrupts,
            arena,
            ready,
            agenda,
            services,
        } = memory;
        arena.fill(0);
        Core {
            timebase: Timebase::new(system.header.timer_hertz),
            trace_mask: system.header.trace_mask,
            origin: Ticks(0),
            hardware,
            threads: Table::new(threads, Thread::EMPTY),
            processes: Table::new(processes, Process::EMPTY),
            ports: Table::new(ports, Port::EMPTY),
            interrupts: Table::new(interrupts, Interrupt::EMPTY),
            arena,
            piece: [0; CHUNK / 8],
            ready,
            agenda,
            hart: HartState {
                id: 0,
                current: None,
                shown: NONE,
                entered: Ticks(0),
                now: Instant::START,
                resumed: Ticks(0),
                next: (Instant::NEVER, Ticks(u64::MAX)),
                alarm: Ticks(u64::MAX),
            },
            calm: false,
            ahead: false,
            summit: Summit::EMPTY,
            has_parked: false,
            call: None,
            upcall: None,
            transfer: None,
            ended: None,
            has_stopped: false,
            written: false,
            instant: Instant::START,
            arrivals: (1, 0),
            dying: 0,
            latched: 0,
            stop: None,
            load: Loading::NOTHING,
            services: Services::new(services),
            system,
        }
    }

    /// The logical time of this kernel entry.
    #[inline(always)]
    pub(crate) fn now(&self) -> Instant {
        self.hart.now
    }

    /// The thread that runs pays for the time since it last left the kernel;
    /// answers whether what it may run has a limit.
    #[inline(always)]
    pub(crate) fn charge(&mut self, thread: u16, at: Ticks) -> bool {
        let used = Ticks(at.0.wrapping_sub(self.hart.resumed.0));
        let record = self.threads.at_mut(thread);
        record.spent = Ticks(record.spent.0.wrapping_add(used.0));
        let is_limited = record.left.0 != u64::MAX;
        if is_limited {
            record.left.use_up(used);
        }
        is_limited
    }

    /// Latches the clock.
    #[inline(always)]
    pub(crate) fn enter_at(&mut self, at: Ticks) {
        self.hart.entered = at;
        let elapsed = Ticks(at.0.wrapping_sub(self.origin.0));
        self.hart.now = self.timebase.instant(elapsed);
    }

    /// Enters the kernel at a tick: whoever ran pays for the time since.
    pub(crate) fn enter(&mut self, at: Ticks) {
        self.enter_at(at);
        let payer = match &mut self.upcall {
            Some(upcall) => {
                // the clock does not go back
                upcall
                    .left
                    .use_up(Ticks(at.0.wrapping_sub(self.hart.resumed.0)));
                Some(upcall.thread)
            }
            None => self.hart.current,
        };
        if let Some(thread) = payer {
            self.charge(thread, at);
        }
        self.hart.resumed = at;
    }

    /// Whether nothing waits to be worked on but what the agenda brings.
    #[inline(never)] // in many places
    pub(crate) fn is_settled(&self) -> bool {
        let is_busy = self.upcall.is_some()
            | self.transfer.is_some()
            | self.ended.is_some()
            | self.call.is_some()
            | self.stop.is_some()
            | self.written
            | self.load.is_settling()
            | (self.latched | self.dying != 0);
        !is_busy
    }

    /// Execution time in nanoseconds.
    pub(crate) fn nanos(&self, ticks: Ticks) -> u64 {
        self.timebase.instant(ticks).0
    }

    pub(crate) fn thread_entry(&self, thread: u16) -> &'a ThreadEntry {
        let threads = self.system.threads;
        threads.get(thread as usize).unwrap_or(&NO_THREAD)
    }

    pub(crate) fn process_entry(&self, process: u16) -> &'a ProcessEntry {
        let processes = self.system.processes;
        processes.get(process as usize).unwrap_or(&NO_PROCESS)
    }

    /// The indices of a range of the link pool.
    pub(crate) fn links(&self, range: Range) -> &'a [u16] {
        range.of(self.system.links)
    }

    /// The values of a range of the moves.
    pub(crate) fn moves(&self, range: Range) -> &'a [MoveEntry] {
        range.of(self.system.moves)
    }

    /// Whether records of this kind are written.
    #[inline(always)]
    pub(crate) fn traces(&self, kind: TraceKind) -> bool {
        self.trace_mask & 1 << (kind as u32) != 0
    }

    /// Appends a record to the trace, stamped with this entry's tick.
    #[inline(never)] // in many places
    pub(crate) fn trace(&mut self, kind: TraceKind, subject: u16, detail: u32, x: u64, y: u64) {
        self.trace_here(kind, subject, detail, x, y);
    }

    /// The same in the caller's code.
    #[inline(always)]
    pub(crate) fn trace_here(
        &mut self,
        kind: TraceKind,
        subject: u16,
        detail: u32,
        x: u64,
        y: u64,
    ) {
        if !self.traces(kind) {
            return;
        }
        let tick = self.hart.entered.0.wrapping_sub(self.origin.0);
        self.hardware.trace(TraceRecord {
            kind: kind as u8,
            hart: self.hart.id,
            subject,
            detail,
            tick,
            x,
            y,
        });
    }

    /// What cannot happen did: it is recorded whatever the trace mask says.
    pub(crate) fn impossible(&mut self, place: Place, x: u64) {
        let tick = self.hart.entered.0.wrapping_sub(self.origin.0);
        let (kind, hart) = (TraceKind::Impossible as u8, self.hart.id);
        self.hardware.trace(TraceRecord {
            kind,
            hart,
            subject: NONE,
            detail: place as u32,
            tick,
            x,
            y: 0,
        });
    }

    /// Reports table accesses that named nothing.
    pub(crate) fn report_misses(&mut self) {
        let has_missed = self.threads.has_missed()
            | self.processes.has_missed()
            | self.ports.has_missed()
            | self.interrupts.has_missed()
            | self.services.has_missed();
        if has_missed {
            self.report_them();
        }
    }

    #[cold]
    fn report_them(&mut self) {
        let misses = self.threads.take_misses()
            + self.processes.take_misses()
            + self.ports.take_misses()
            + self.interrupts.take_misses()
            + self.services.take_misses();
        self.impossible(Place::Table, misses as u64);
    }
}

/// The slices and queues of [`Core`], cut to what the system needs.
pub(crate) struct CoreMemory<'a> {
    threads: &'a mut [Thread],
    processes: &'a mut [Process],
    ports: &'a mut [Port],
    interrupts: &'a mut [Interrupt],
    arena: &'a mut [u64],
    ready: ReadyQueue<'a>,
    agenda: Agenda<'a>,
    services: ServicesMemory<'a>,
}

/// The machine's share of the memory.
pub(crate) struct MachineMemory<'a> {
    pub(crate) triggers: &'a mut [giornata_micro::Binding],
    pub(crate) s_threads: &'a mut [giornata_micro::SThread],
    pub(crate) programs: &'a mut [giornata_micro::ProgramState],
}

/// Cuts the memory to the system's needs; too short a slice is used as it is,
/// and its missing entries are then impossible indices.
pub(crate) fn divide<'a>(
    system: &System<'a>,
    memory: Memory<'a>,
) -> (CoreMemory<'a>, MachineMemory<'a>) {
    let needs = Needs::of(system.header);
    let level = giornata_queue::Urgency::level_of(system.header.deadline_band as u8);
    let core = CoreMemory {
        threads: cut(memory.threads, needs.threads),
        processes: cut(memory.processes, needs.processes),
        ports: cut(memory.ports, needs.ports),
        interrupts: cut(memory.interrupts, needs.interrupts),
        arena: cut(memory.arena, needs.arena),
        ready: ReadyQueue::new(cut(memory.ready_nodes, needs.threads), level),
        agenda: Agenda::new(cut(memory.agenda_events, needs.events)),
        services: ServicesMemory {
            objects: cut(memory.objects, needs.objects),
            ties: cut(memory.ties, needs.ties),
            wait_nodes: cut(memory.wait_nodes, needs.ties),
            letters: cut(memory.messages, needs.messages),
            pools: cut(memory.pools, needs.pools),
            regions: cut(memory.regions, needs.regions),
        },
    };
    let machine = MachineMemory {
        triggers: cut(memory.triggers, needs.triggers),
        s_threads: cut(memory.s_threads, needs.s_threads),
        programs: cut(memory.programs, needs.programs),
    };
    (core, machine)
}

fn cut<T>(slice: &mut [T], length: usize) -> &mut [T] {
    let length = length.min(slice.len());
    slice.get_mut(..length).unwrap_or(&mut [])
}

pub(crate) const EMPTY_RANGE: Range = Range { start: 0, count: 0 };

static NO_THREAD: ThreadEntry = ThreadEntry {
    process: NONE,
    kind: 0,
    policy: 0,
    priority: 0,
    autostart: 0,
    program: NONE,
    entry: 0,
    arguments: [0; 4],
    stack_top: 0,
    control: 0,
    quantum: 0,
    stack_size: 0,
    spare: 0,
    budget: 0,
    deadline: 0,
};

static NO_PROCESS: ProcessEntry = ProcessEntry {
    space: 0,
    threads: EMPTY_RANGE,
    upcall: NONE,
    on_fault: FaultPolicy::Stop as u8,
    max_priority: 0,
    grants: 0,
    readable: EMPTY_RANGE,
    writable: EMPTY_RANGE,
    pristine: 0,
    data: 0,
    data_size: 0,
    zero_size: 0,
    stacks: 0,
    stacks_size: 0,
    data_address: 0,
    data_stretch: 0,
    restart_begin: 0,
    restart_end: 0,
    messages: EMPTY_RANGE,
    message_size: 0,
    message_place: 0,
    supervisor: NONE,
    by_call: 0,
    heap: 0,
    heap_size: 0,
};

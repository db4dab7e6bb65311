//! A kernel on the host, event by event.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use giornata_abi::call::Call;
use giornata_abi::control::{CEILING, ControlPage, NEXT_LOCK};
use giornata_abi::posix;
use giornata_abi::ring::{self, Words};
use giornata_abi::trace::FaultCause;
use giornata_core::layout::Record;
use giornata_core::sched::thread::kind;
use giornata_core::trace::reason;
use giornata_core::{Error, Handler, Object, Outcome, Process, Ref, System, Thread, calls};
use giornata_records::{Built, Description, build};

use crate::hart::{Hart, MEMORY, Output, State, Stopped, with};

static CALLS: [Handler; Call::TABLE] = calls::table::<Hart>();

/// Registers `a0..a6` with which a thread goes on after a call.
pub type Results = [usize; 7];

/// Pieces of work at most before a thread runs in user mode, or none.
const MOST_TURNS: u32 = 100_000;

/// A kernel, its records, and a hart to run it.
#[derive(Debug)]
pub struct Rig {
    kernel: Shown<System>,
    running: Shown<Thread>,
    objects: Vec<Shown<Object>>,
    processes: Vec<Shown<Process>>,
    /// What the last call of each thread returned, until it is looked at.
    results: Vec<Option<Results>>,
    /// The status with which the machine has stopped.
    stopped: Option<usize>,
    switches: Vec<usize>,
    /// Bytes of the trace that were taken, modulo 2^32.
    taken: u32,
    /// What a process calls instead of a call that begins again.
    diversion: Option<Diversion>,
    /// Where the records lie.
    memory: *mut [Line],
}

/// From the number of a thread, that of its call and the arguments to another call.
type Diverts = dyn FnMut(usize, usize, [usize; 6]) -> (usize, [usize; 6]);

struct Diversion(Box<Diverts>);

impl std::fmt::Debug for Diversion {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Diversion")
    }
}

/// A record that is shown by its address.
#[derive(Clone, Copy)]
pub(crate) struct Shown<T: 'static>(pub(crate) Ref<T>);

impl<T> std::fmt::Debug for Shown<T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:p}", self.0)
    }
}

/// Bytes of the records that were built last: those of the next system are mostly as long.
static LENGTH: AtomicUsize = AtomicUsize::new(0);

/// The records of a system in memory that is freed by [`Rig::free`] only.
fn materialise(description: &Description) -> (Built, *mut [Line]) {
    let width = size_of::<usize>();
    let mut length = LENGTH.load(Ordering::Relaxed);
    let (memory, begin, built) = loop {
        // whole lines, so that what is aligned at the base is aligned in memory
        let memory = vec![Line([0; 64]); length.div_ceil(64) + 64].into_boxed_slice();
        let memory = Box::into_raw(memory);
        let begin = memory.expose_provenance().next_multiple_of(4096);
        let built = build(description, width, begin as u64);
        if built.bytes.len() == length {
            break (memory, begin, built);
        }
        length = built.bytes.len();
        // SAFETY: it came from `Box::into_raw`, and nobody knows where it is.
        drop(unsafe { Box::from_raw(memory) });
    };
    LENGTH.store(length, Ordering::Relaxed);
    // SAFETY: `begin` lies in `memory` with room for `length` bytes behind it, nobody else
    // has it, and it lives until `Rig::free`.
    unsafe {
        std::ptr::with_exposed_provenance_mut::<u8>(begin)
            .copy_from_nonoverlapping(built.bytes.as_ptr(), length);
    }
    const WORD: usize = size_of::<usize>();
    const ZEROS: [u8; 64] = [0; 64];
    let lines = built.bytes.chunks(ZEROS.len()).enumerate();
    for (line, bytes) in lines.filter(|(_, bytes)| *bytes != ZEROS) {
        for (index, word) in bytes.as_chunks::<WORD>().0.iter().enumerate() {
            let word = usize::from_ne_bytes(*word);
            // what may be a reference is written as one, so that it may lead there
            if word.wrapping_sub(begin) <= length {
                let at = begin + line * ZEROS.len() + index * WORD;
                let place = std::ptr::with_exposed_provenance_mut::<*const ()>(at);
                // SAFETY: as above, and aligned to words.
                unsafe { place.write(std::ptr::with_exposed_provenance(word)) };
            }
        }
    }
    (built, memory)
}

/// Bytes of simulated memory in which all lies that a description places there.
fn extent(description: &Description) -> usize {
    let processes = description.processes.iter().flat_map(|process| {
        let (_, size, place) = process.data;
        [
            (place, size),
            (process.image.0, process.image.1),
            process.stacks,
        ]
    });
    let page = size_of::<ControlPage>() as u64;
    let threads = description
        .threads
        .iter()
        .map(|thread| (thread.control, page));
    let programs = &description.programs;
    let ports = programs
        .ports
        .iter()
        .map(|port| (port.place, u64::from(port.size)));
    let regions = description
        .regions
        .iter()
        .map(|region| (region.place, region.size));
    let all = processes.chain(threads).chain(ports).chain(regions);
    let ends = all
        .chain([(programs.scratch, 64)])
        .chain([(programs.spare.0, programs.spare.1.into())])
        .map(|(place, size)| place + size);
    let last = ends.max().unwrap_or(0) as usize;
    last.saturating_sub(MEMORY)
        .next_multiple_of(64)
        .max(1 << 20)
}

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// The record at an address that [`build`] has told.
fn record<T>(address: u64) -> Ref<T> {
    let place = std::ptr::with_exposed_provenance::<T>(address as usize);
    // SAFETY: the builder lays each record out by the shape that its definition states,
    // which is checked against the compiler's layout, and checks that its references
    // are there; the memory lives for ever and is reached through `Cell`s by one thread.
    unsafe { &*place }
}

/// The words with which a caller goes on, if this is their address.
fn words(answer: usize) -> Option<Results> {
    if answer == 0 || answer & reason::BITS != 0 {
        return None;
    }
    let words = record::<[Cell<u32>; 6]>(answer as u64);
    let mut results = [0; 7];
    for (result, word) in results[1..].iter_mut().zip(words) {
        *result = word.get() as usize;
    }
    Some(results)
}

/// Whom the hart leaves for; none: the caller goes on.
fn next(outcome: Outcome) -> Option<Ref<Thread>> {
    match outcome.next_address() {
        0 => None,
        address => Some(record(address as u64)),
    }
}

impl Rig {
    /// Boots a system: what begins at boot is ready, and the most urgent runs.
    pub fn boot(description: &Description) -> Rig {
        Rig::boot_at(description, 0)
    }

    /// The same when the clock has counted so many ticks.
    pub fn boot_at(description: &Description, now: u64) -> Rig {
        #[cfg(feature = "rtm")]
        let description = &crate::task_manager::give(description);
        let (built, memory) = materialise(description);
        let kernel = record::<System>(built.kernel);
        with(|state| {
            *state = State {
                kernel: Some(Shown(kernel)),
                memory: vec![0; extent(description)],
                now,
                ..State::default()
            };
        });
        let mut rig = Rig {
            kernel: Shown(kernel),
            running: Shown(kernel.idle()),
            objects: built.objects.iter().map(|at| Shown(record(*at))).collect(),
            processes: built
                .processes
                .iter()
                .map(|at| Shown(record(*at)))
                .collect(),
            results: vec![None; kernel.threads.len()],
            stopped: None,
            switches: Vec::new(),
            taken: 0,
            diversion: None,
            memory,
        };
        rig.enter(|rig| {
            let outcome = rig.kernel.0.start::<Hart>();
            rig.leave_for(outcome);
        });
        rig
    }

    /// The kernel's records.
    pub fn kernel(&self) -> Ref<System> {
        self.kernel.0
    }

    /// A thread by its number.
    pub fn thread(&self, number: usize) -> Ref<Thread> {
        &self.kernel.0.threads[number]
    }

    /// An object by its slot.
    pub fn object(&self, slot: usize) -> Ref<Object> {
        self.objects[slot].0
    }

    /// A process by its number.
    pub fn process(&self, number: usize) -> Ref<Process> {
        self.processes[number].0
    }

    /// The number of the thread that runs; of the idle thread, that of all others.
    pub fn running(&self) -> usize {
        self.running.0.number() as usize
    }

    /// Whether no thread runs.
    pub fn is_idle(&self) -> bool {
        self.running.0.kind.get() == kind::IDLE
    }

    /// The status with which the machine has stopped.
    pub fn stopped(&self) -> Option<usize> {
        self.stopped
    }

    /// What the last call of a thread returned, if it has returned since this was asked.
    pub fn take_results(&mut self, thread: usize) -> Option<Results> {
        self.results[thread].take()
    }

    /// Threads that have run, in order, since this was asked.
    pub fn take_switches(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.switches)
    }

    /// When the timer rings next, if it will.
    pub fn alarm(&self) -> Option<u64> {
        with(|state| state.alarm)
    }

    /// Ticks since boot.
    pub fn now(&self) -> u64 {
        with(|state| state.now)
    }

    /// Ticks that pass whenever the kernel reads its clock: 0 unless it is set.
    pub fn set_pace(&mut self, ticks: u64) {
        with(|state| state.pace = ticks);
    }

    /// Ticks that pass whenever the kernel has done a piece of long work and looks at what
    /// waits: 0 unless it is set.
    pub fn set_piece_time(&mut self, ticks: u64) {
        with(|state| state.piece = ticks);
    }

    /// What threads call from now on instead of a call that begins again: its `ecall` lies in
    /// user mode, where a process may have other registers by then. Told the number of the
    /// thread, that of its call and the arguments.
    pub fn divert(
        &mut self,
        diverts: impl FnMut(usize, usize, [usize; 6]) -> (usize, [usize; 6]) + 'static,
    ) {
        self.diversion = Some(Diversion(Box::new(diverts)));
    }

    /// A word of simulated physical memory, at an offset from its beginning.
    pub fn word(&self, offset: usize) -> u32 {
        <Hart as giornata_core::Machine>::load(MEMORY + offset)
    }

    /// Stores a word there.
    pub fn set_word(&mut self, offset: usize, value: u32) {
        <Hart as giornata_core::Machine>::store(MEMORY + offset, value);
    }

    /// What lies at a place of simulated physical memory.
    pub fn read(&self, place: usize, to: &mut [u8]) {
        with(|state| to.copy_from_slice(state.bytes(place, to.len())));
    }

    /// Changes what lies there.
    pub fn write(&mut self, place: usize, from: &[u8]) {
        with(|state| state.bytes(place, from.len()).copy_from_slice(from));
    }

    /// What a device register holds from now on.
    pub fn set_register(&mut self, address: usize, value: u32) {
        with(|state| state.registers.insert(address, value));
    }

    /// What the kernel has stored to device registers since this was asked.
    pub fn take_outputs(&mut self) -> Vec<Output> {
        with(|state| std::mem::take(&mut state.outputs))
    }

    /// Records of the trace since this was asked, in order. Panics if the ring was too
    /// short for them.
    pub fn take_trace(&mut self, mut sink: impl FnMut(Words)) {
        let trace = &self.kernel.0.trace;
        let written = trace.written.get();
        let ring = trace.ring;
        let count = written.wrapping_sub(self.taken) as usize / ring::BYTES;
        assert!(count <= ring.len(), "{count} records of the trace at once");
        while self.taken != written {
            let entry = &ring[self.taken as usize / ring::BYTES % ring.len()];
            sink(entry.words.each_ref().map(Cell::get));
            self.taken = self.taken.wrapping_add(ring::BYTES as u32);
        }
    }

    /// Frees the memory of the records, which else lives for ever.
    ///
    /// # Safety
    /// No reference to a record that this rig has handed out is used any more.
    pub unsafe fn free(self) {
        // SAFETY: it came from `Box::into_raw` when this rig was made, and nobody uses it
        // any more: the rig is gone after this, and see above.
        drop(unsafe { Box::from_raw(self.memory) });
    }

    /// The running thread makes a call. Returns what it returned, if it goes on at once.
    pub fn call(&mut self, call: Call, arguments: [usize; 6]) -> Option<Results> {
        self.call_number(call as usize, arguments)
    }

    /// The same by any number.
    pub fn call_number(&mut self, number: usize, arguments: [usize; 6]) -> Option<Results> {
        assert!(!self.is_idle(), "no thread runs that could call {number}");
        let caller = self.running();
        self.results[caller] = None;
        self.enter(|rig| rig.trap_call(number, arguments));
        self.results[caller]
    }

    fn trap_call(&mut self, number: usize, [a0, a1, a2, a3, a4, a5]: [usize; 6]) {
        let me = self.running.0;
        let outcome = match CALLS.get(number) {
            // (of ordinary threads, as in the trap path)
            _ if number == posix::CALL && usize::from(me.tenancy.get()) >= Call::COUNT => {
                giornata_core::posix::call::<Hart>(a0, a1, a2, a3, a4, a5, me)
            }
            Some(handler) if number < usize::from(me.tenancy.get()) => {
                handler(a0, a1, a2, a3, a4, a5, me)
            }
            _ if number < Call::COUNT => Outcome::error(Error::EPERM),
            _ => Outcome::error(Error::ENOSYS),
        };
        // behind the call, also where a way that is no switch leads there (but with all
        // registers of a frame, where `Machine::return_at` said)
        if me.kind.get() != kind::FULL {
            me.context.pc.set(me.context.pc.get().wrapping_add(4));
        }
        match next(outcome) {
            None => self.results[me.number() as usize] = Some([outcome.answer(), 0, 0, 0, 0, 0, 0]),
            Some(next) if std::ptr::eq(next, me) && words(outcome.answer()).is_some() => {
                self.results[me.number() as usize] = words(outcome.answer());
            }
            Some(next) if std::ptr::eq(next, me) && outcome.answer() == reason::PAIR => {
                let [_, a1, a2, ..] = &me.context.a;
                self.results[me.number() as usize] = Some([0, a1.get(), a2.get(), 0, 0, 0, 0]);
            }
            Some(_) => self.leave_for(outcome),
        }
    }

    /// The running thread does what it may not.
    pub fn fault(&mut self, cause: FaultCause, pc: usize, address: usize) {
        assert!(!self.is_idle(), "no thread runs that could fault");
        self.enter(|rig| {
            let me = rig.running.0;
            me.kind.set(kind::FULL);
            let outcome = rig.kernel.0.fault::<Hart>(me, cause as u32, pc, address);
            rig.leave_for(outcome);
        });
    }

    /// What a process may do with a region of shared memory now: bits of
    /// [`region`](giornata_core::process::region).
    pub fn access(&self, process: usize, address: usize) -> u32 {
        with(|state| state.open.get(&(process as u32, address)).copied()).unwrap_or(0)
    }

    /// Ticks pass; what falls due meanwhile interrupts, at its instant.
    pub fn advance(&mut self, ticks: u64) {
        let end = self.now() + ticks;
        loop {
            let alarm = with(|state| state.alarm);
            match alarm {
                Some(alarm) if alarm <= end => {
                    with(|state| state.now = state.now.max(alarm));
                    self.interrupt();
                }
                _ => break,
            }
        }
        with(|state| state.now = state.now.max(end));
    }

    /// Ticks pass without the hart noticing: interrupts are late.
    pub fn pass(&mut self, ticks: u64) {
        with(|state| state.now += ticks);
    }

    /// A line rises at a tick, if the kernel looks then.
    pub fn raise_at(&mut self, tick: u64, line: u32) {
        with(|state| state.later.insert((tick, line)));
    }

    /// A line rises. If it is not masked, it interrupts.
    pub fn raise(&mut self, line: u32) {
        with(|state| state.risen.insert(line));
        self.interrupt();
    }

    /// The hart takes what waits: timer and lines.
    pub fn interrupt(&mut self) {
        let mut turns = 0;
        while with(|state| state.is_pending()) {
            turns += 1;
            assert!(turns < MOST_TURNS, "interrupts come to no end");
            self.enter(|rig| {
                let me = rig.running.0;
                if me.kind.get() == kind::CALL {
                    me.kind.set(kind::FULL);
                }
                for (at, register) in me.context.t.iter().enumerate() {
                    register.set(0xDEAD_0000 + at);
                }
                let outcome = rig.look();
                rig.leave_for(outcome);
            });
            if self.stopped.is_some() {
                break;
            }
        }
    }

    fn look(&mut self) -> Outcome {
        let me = self.running.0;
        // (an external interrupt precedes one of the timer: RISC-V privileged
        // architecture, 3.1.9)
        if with(|state| state.lines().next().is_some()) {
            return self.kernel.0.on_line::<Hart>(me);
        }
        with(|state| state.alarm = None);
        self.kernel.0.on_timer::<Hart>(me)
    }

    /// Runs the kernel until it leaves for a thread in user mode, or none.
    fn enter(&mut self, run: impl FnOnce(&mut Rig)) {
        assert!(self.stopped.is_none(), "the machine has stopped");
        with(|state| state.looks = 0);
        let ran = catch_unwind(AssertUnwindSafe(|| {
            run(self);
            let mut turns = 0;
            while self.works() {
                turns += 1;
                assert!(turns < MOST_TURNS, "the kernel comes to no end");
                let outcome = match <Hart as giornata_core::Machine>::pending() {
                    true => self.look(),
                    false => self.kernel.0.work::<Hart>(self.running.0),
                };
                self.leave_for(outcome);
            }
        }));
        if let Err(panic) = ran {
            match panic.downcast::<Stopped>() {
                Ok(stopped) => self.stopped = Some(stopped.0),
                Err(panic) => resume_unwind(panic),
            }
        }
    }

    /// Whether the thread that runs does so in the kernel: an idle thread that is not the
    /// first of the queue was left for to look at timer and lines.
    fn works(&self) -> bool {
        let running = self.running.0;
        match running.kind.get() {
            kind::WORK | kind::FINISHES.. => true,
            kind::IDLE => !std::ptr::eq(self.kernel.0.first(), running),
            _ => false,
        }
    }

    /// The exit path looks at the control page of a thread that it leaves and that has not
    /// ended.
    fn heed_page(&self, left: Ref<Thread>, outcome: Outcome) -> Outcome {
        let page = left.control;
        let is_left = next(outcome).is_some_and(|next| !std::ptr::eq(next, left));
        if page == 0 || !is_left || !left.lives() || !left.process.is_alive() {
            return outcome;
        }
        let word = |offset| <Hart as giornata_core::Machine>::load(page + offset);
        match word(CEILING) | word(NEXT_LOCK) {
            0 => outcome,
            _ => self.kernel.0.heed_page::<Hart>(left, outcome),
        }
    }

    /// The exit path: charges the thread that is left, records the switch, resumes.
    fn leave_for(&mut self, outcome: Outcome) {
        let (left, kernel) = (self.running.0, self.kernel.0);
        let outcome = self.heed_page(left, outcome);
        let mut next = next(outcome).unwrap_or(left);
        if !std::ptr::eq(next, left) && !std::ptr::eq(next.process, kernel.hart().loaded.get()) {
            // its space has to be loaded: the one place that looks whether it is alive
            match next.process.is_alive() {
                true if next.kind.get() != kind::IDLE => kernel.hart().loaded.set(next.process),
                true => {}
                // (which is itself if it was chosen)
                false => next = next.process.reaper,
            }
        }
        if !std::ptr::eq(left, next) {
            let now = <Hart as giornata_core::Machine>::now();
            let (spent, carry) = left
                .spent
                .get()
                .overflowing_add(kernel.hart().uncharged(now));
            left.spent.set(spent);
            left.spent_high
                .set(left.spent_high.get() + u32::from(carry));
            kernel.hart().since.set(now);
            assert_eq!(left.label & 0xFF, giornata_abi::ring::Kind::Switch as u32);
            kernel
                .trace
                .write(now, left.label, next.label, outcome.answer() as u32);
            self.switches.push(next.number() as usize);
        }
        self.running = Shown(next);
        if next.limited.get() != 0 {
            kernel.limit::<Hart>(next);
        }
        self.resume(next);
    }

    fn resume(&mut self, thread: Ref<Thread>) {
        let number = thread.number() as usize;
        assert!(
            thread.process.is_alive() || thread.kind.get() == kind::WORK,
            "thread {number} runs, whose process is not alive"
        );
        let registers = |count: usize| {
            let mut results = [0; 7];
            for (result, register) in results.iter_mut().zip(&thread.context.a).take(count) {
                *result = register.get();
            }
            results
        };
        match thread.kind.get() {
            kind::CALL => self.results[number] = Some(registers(1)),
            kind::RESULTS => {
                thread.kind.set(kind::CALL);
                self.results[number] = Some(registers(7));
            }
            kind::AGAIN => {
                thread.kind.set(kind::CALL);
                thread
                    .context
                    .pc
                    .set(thread.context.pc.get().wrapping_sub(4));
                let [a0, a1, a2, a3, a4, a5, _, a7] = &thread.context.a;
                let mut arguments = [a0, a1, a2, a3, a4, a5].map(|register| register.get());
                let mut call = a7.get();
                // an interrupt that waits comes first, as it would in user mode
                if with(|state| state.is_pending()) {
                    thread.kind.set(kind::AGAIN);
                    thread
                        .context
                        .pc
                        .set(thread.context.pc.get().wrapping_add(4));
                    let outcome = self.look();
                    return self.leave_for(outcome);
                }
                if let Some(Diversion(diverts)) = &mut self.diversion {
                    (call, arguments) = diverts(number, call, arguments);
                }
                self.trap_call(call, arguments);
            }
            kind::FULL => thread.kind.set(kind::CALL),
            _ => {}
        }
    }

    /// Stores a value, or the address of a record, in a field of a record past the kernel: a
    /// fault that [`check_invariants`](System::check_invariants) has to find.
    ///
    /// # Panics
    /// If the record has no such field.
    pub fn plant<T: Record>(&self, record: Ref<T>, field: &str, value: usize) {
        let fields = T::LAYOUT.fields;
        let field = fields.iter().find(|found| found.name == field);
        let field = field.unwrap_or_else(|| panic!("there is no such field"));
        let width = size_of::<usize>();
        let at = std::ptr::from_ref(record).expose_provenance() + field.offset(width);
        match field.shape.size(width) {
            4 => {
                let place = std::ptr::with_exposed_provenance::<Cell<u32>>(at);
                // SAFETY: it lies in a record, which is reached through `Cell`s.
                unsafe { &*place }.set(value as u32);
            }
            _ => {
                let place = std::ptr::with_exposed_provenance::<Cell<*const ()>>(at);
                // SAFETY: as above; a reference is absent or leads to a record.
                unsafe { &*place }.set(std::ptr::with_exposed_provenance(value));
            }
        }
    }

    /// The address of a record, for [`plant`](Self::plant).
    pub fn address<T>(&self, record: Ref<T>) -> usize {
        std::ptr::from_ref(record).expose_provenance()
    }

    /// Whether the kernel's records are as they must be; else the test fails.
    pub fn check_invariants(&self) {
        if let Err(broken) = self.kernel.0.check_invariants() {
            panic!("{broken}");
        }
    }
}

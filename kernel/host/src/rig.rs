//! A kernel on the host, event by event.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

use giornata_abi::call::Call;
use giornata_abi::control::ControlPage;
use giornata_abi::ring::{self, Words};
use giornata_core::layout::{Record, Target};
use giornata_core::{Object, Process, Ref, System, Thread};
use giornata_records::{Built, Description, build};

use crate::hart::{Hart, MEMORY, Output, State, with};

/// Registers `a0..a6` with which a thread goes on after a call.
pub type Results = [usize; 7];

/// Pieces of work at most before a thread runs in user mode, or none.
pub(crate) const MOST_TURNS: u32 = 100_000;

/// A kernel, its records, and a hart to run it.
#[derive(Debug)]
pub struct Rig {
    pub(crate) kernel: Shown<System>,
    #[cfg(not(feature = "harts"))]
    pub(crate) running: Shown<Thread>,
    #[cfg(feature = "harts")]
    pub(crate) harts: Vec<Shown<giornata_core::Hart>>,
    objects: Vec<Shown<Object>>,
    processes: Vec<Shown<Process>>,
    /// What the last call of each thread returned, until it is looked at.
    pub(crate) results: Vec<Option<Results>>,
    /// The status with which the machine has stopped.
    pub(crate) stopped: Option<usize>,
    pub(crate) switches: Vec<usize>,
    /// Bytes of the trace that were taken, modulo 2^32.
    taken: u32,
    /// What a process calls instead of a call that begins again.
    pub(crate) diversion: Option<Diversion>,
    /// Where the records lie.
    memory: *mut [Line],
}

/// From the number of a thread, that of its call and the arguments to another call.
pub(crate) type Diverts = dyn FnMut(usize, usize, [usize; 6]) -> (usize, [usize; 6]);

pub(crate) struct Diversion(pub(crate) Box<Diverts>);

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
pub(crate) fn record<T>(address: u64) -> Ref<T> {
    let place = std::ptr::with_exposed_provenance::<T>(address as usize);
    // SAFETY: the builder lays each record out by the shape that its definition states,
    // which is checked against the compiler's layout, and checks that its references
    // are there; the memory lives for ever and is reached through `Cell`s by one thread.
    unsafe { &*place }
}

impl Rig {
    /// Boots a system: what begins at boot is ready, and the most urgent runs.
    pub fn boot(description: &Description) -> Rig {
        Rig::boot_at(description, 0)
    }

    /// The same when the clock has counted so many ticks.
    pub fn boot_at(description: &Description, now: u64) -> Rig {
        #[cfg(feature = "harts")]
        let description = &crate::several::give(description);
        #[cfg(feature = "streams")]
        let description = &Description {
            streams: Some(description.streams.clone().unwrap_or_default()),
            ..description.clone()
        };
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
            #[cfg(not(feature = "harts"))]
            running: Shown(kernel.idle()),
            #[cfg(feature = "harts")]
            harts: Vec::new(),
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
        rig.start();
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

    /// The running thread makes a call. Returns what it returned, if it goes on at once.
    pub fn call(&mut self, call: Call, arguments: [usize; 6]) -> Option<Results> {
        self.call_number(call as usize, arguments)
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

    /// What a process may do with a region of shared memory now: bits of
    /// [`region`](giornata_core::process::region).
    pub fn access(&self, process: usize, address: usize) -> u32 {
        with(|state| state.open.get(&(process as u32, address)).copied()).unwrap_or(0)
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

    /// Stores a value, or the address of a record, in a field of a record past the kernel: a
    /// fault that [`check_invariants`](System::check_invariants) has to find.
    ///
    /// # Panics
    /// If the record has no such field.
    pub fn plant<T: Record>(&self, record: Ref<T>, field: &str, value: usize) {
        let fields = T::LAYOUT.fields;
        let field = fields.iter().find(|found| found.name == field);
        let field = field.unwrap_or_else(|| panic!("there is no such field"));
        let target = Target::OWN;
        let at = std::ptr::from_ref(record).expose_provenance() + field.offset(target);
        match field.shape.size(target) {
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

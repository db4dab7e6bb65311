//! Systems, calls and what is looked at.

use giornata_abi::Error;
use giornata_abi::call::Call;
use giornata_abi::control::ControlPage;
use giornata_abi::ring::Kind;
use giornata_abi::system::FaultPolicy;
use giornata_abi::trace::FaultCause;
use giornata_core::sched::thread::role;
use giornata_host::{MEMORY, Results, Rig};
use giornata_records::{Description, Line, Object, ObjectKind, Process, Rights, Thread};

/// The user address of each process's data.
pub(crate) const DATA: usize = 0x4000_0000;
/// Bytes of it: some are copied from the pristine data, then come zeroes.
pub(crate) const DATA_SIZE: usize = 0x1000;
/// Bytes that are copied.
pub(crate) const COPIED: usize = 0x404;
/// Bytes of its stacks.
pub(crate) const STACKS_SIZE: usize = 0x800;
/// Bytes of a control page.
pub(crate) const CONTROL_SIZE: usize = 64;
/// Simulated memory of each process.
const ROOM: usize = 0x4000;
/// An instant that never comes.
pub(crate) const FOR_EVER: [usize; 2] = [0xFFFF_FFFF; 2];
/// Do not wait.
pub(crate) const AT_ONCE: [usize; 2] = [0; 2];
/// What a call without values returns.
pub(crate) const DONE: Option<Results> = Some([0; 7]);

/// Where the memory of a process lies: pristine data, data, stacks, control pages.
pub(crate) fn place(process: usize) -> usize {
    process * ROOM
}

/// Where its data lies.
pub(crate) fn data(process: usize) -> usize {
    place(process) + 0x1000
}

/// Where its stacks lie.
pub(crate) fn stacks(process: usize) -> usize {
    place(process) + 0x2400
}

/// Where the control page of its thread `index` of this system lies: in its data.
pub(crate) fn control(process: usize, thread: usize) -> usize {
    data(process) + 0x800 + thread * CONTROL_SIZE
}

/// A system with the deadline band at priority 200.
pub(crate) fn system() -> Description {
    Description {
        band: 200,
        trace_records: 1024,
        ..Description::default()
    }
}

/// Adds a process with threads of these priorities.
pub(crate) fn process(description: &mut Description, priorities: &[u8]) -> usize {
    let number = description.processes.len();
    let at = |offset: usize| (MEMORY + offset) as u64;
    description.processes.push(Process {
        max_priority: 255,
        data: (DATA as u64, DATA_SIZE as u64, at(data(number))),
        image: (
            at(place(number)),
            COPIED as u64,
            (DATA_SIZE - COPIED) as u64,
        ),
        stacks: (at(stacks(number)), STACKS_SIZE as u64),
        ..Process::default()
    });
    for priority in priorities {
        thread(description, number, *priority, role::AUTOSTART);
    }
    number
}

fn thread(description: &mut Description, process: usize, priority: u8, role: u16) {
    let index = description.threads.len();
    description.threads.push(Thread {
        process,
        priority,
        role,
        entry: 0x1000 + 16 * index as u64,
        // (the first is its control page, behind which its thread pointer is)
        arguments: [7, 8],
        pointers: (0, 7 + size_of::<ControlPage>() as u64),
        stack: (0x5000_0000 + 256 * (index as u64 + 1), 256),
        control: (MEMORY + control(process, index)) as u64,
        ..Thread::default()
    });
}

/// Adds places for created threads to the last process.
pub(crate) fn spares(description: &mut Description, count: usize) {
    let process = description.processes.len() - 1;
    for _ in 0..count {
        thread(description, process, 0, role::SPARE);
    }
}

/// Adds an interrupt line of a process.
pub(crate) fn line(description: &mut Description, number: u32, process: usize) {
    description.lines.push(Line {
        number,
        process: Some(process),
        ..Line::default()
    });
}

/// Adds a mutex that all processes so far use.
pub(crate) fn mutex(description: &mut Description) -> usize {
    description.objects.push(Object {
        kind: ObjectKind::Mutex,
        at_boot: true,
        initial: 0,
        most: 0,
        ceiling: None,
        private: false,
        server: None,
        rights: vec![
            Rights {
                used: true,
                ..Rights::default()
            };
            description.processes.len()
        ],
    });
    description.objects.len() - 1
}

pub(crate) fn lock(rig: &mut Rig, mutex: usize, [low, high]: [usize; 2]) -> Option<Results> {
    call(rig, Call::Lock, [mutex, 1, low, high, 0])
}

pub(crate) fn unlock(rig: &mut Rig, mutex: usize) -> Option<Results> {
    call(rig, Call::Unlock, [mutex, 1, 0])
}

/// Says what comes after the end of a process.
pub(crate) fn on_fault(description: &mut Description, process: usize, policy: FaultPolicy) {
    description.processes[process].on_fault = Some(policy);
}

/// The running thread makes a call.
pub(crate) fn call<const N: usize>(
    rig: &mut Rig,
    call: Call,
    arguments: [usize; N],
) -> Option<Results> {
    let mut all = [0; 6];
    all[..N].copy_from_slice(&arguments);
    let results = rig.call(call, all);
    rig.check_invariants();
    results
}

/// The running thread faults.
pub(crate) fn fault(rig: &mut Rig) {
    rig.fault(FaultCause::Store, 0x1234, 0x9999);
    rig.check_invariants();
}

pub(crate) fn sleep(rig: &mut Rig, until: usize) {
    call(rig, Call::Sleep, [until, 0]);
}

pub(crate) fn advance(rig: &mut Rig, ticks: u64) {
    rig.advance(ticks);
    rig.check_invariants();
}

/// What a call returned that was refused.
pub(crate) fn refused(error: Error) -> Option<Results> {
    Some([error as usize, 0, 0, 0, 0, 0, 0])
}

/// What a call returned that succeeded with values.
pub(crate) fn values<const N: usize>(values: [usize; N]) -> Option<Results> {
    let mut results = [0; 7];
    results[1..=N].copy_from_slice(&values);
    Some(results)
}

/// Records of a kind since boot: words 1 to 3, and those of what follows.
pub(crate) fn records(rig: &Rig, kind: Kind) -> Vec<[u32; 4]> {
    let trace = &rig.kernel().trace;
    let words = |at: u32| -> [u32; 4] {
        let entry = &trace.ring[((at & trace.mask) >> 4) as usize];
        [0, 1, 2, 3].map(|word: usize| entry.words[word].get())
    };
    // (the first two tell of the boot)
    (32..trace.written.get())
        .step_by(16)
        .map(words)
        .filter(|[_, label, ..]| label & 0xFF == kind as u32)
        .collect()
}

/// Subject, cause of each fault.
pub(crate) fn fault_records(rig: &Rig) -> Vec<(u32, u32)> {
    let faults = records(rig, Kind::Fault).into_iter();
    faults
        .map(|[_, label, cause, _]| (label >> 16, cause & 0xFFFF))
        .collect()
}

/// Process, whether restarted, generation of each end.
pub(crate) fn process_records(rig: &Rig) -> Vec<(u32, u32, u32)> {
    let ends = records(rig, Kind::Process).into_iter();
    ends.map(|[_, label, how, generation]| (label >> 16, how, generation))
        .collect()
}

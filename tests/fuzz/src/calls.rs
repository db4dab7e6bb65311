//! System calls, faults and interrupts: what hostile processes and hardware
//! bring to the kernel.

use giornata_abi::ValueType;
use giornata_abi::next::call::Call;
use giornata_abi::system::FaultPolicy;
use giornata_abi::trace::FaultCause;
use giornata_next_host::Rig;
use giornata_next_records::Description;
use giornata_sim::{Scheduling, Shape, SystemBuilder};
use giornata_test_microcode::assemble;

/// Interrupt lines of the system, and one that it does not use.
const LINES: [u32; 4] = [3, 10, 11, 99];
/// Where the memory of each process begins.
const DATA: usize = 0x1000_0000;

/// Values that arguments like to take.
const EDGES: [usize; 8] = [
    0,
    1,
    usize::MAX,
    isize::MAX as usize,
    DATA,
    DATA + 0x7FFF,
    0x8000_0000,
    u32::MAX as usize,
];

/// Choices read from the input; zeros when it has ended.
struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    fn word(&mut self) -> u64 {
        (0..8).fold(0, |word, _| word << 8 | u64::from(self.byte()))
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[usize::from(self.byte()) % from.len()]
    }

    /// An argument: small, an edge, or anything.
    fn argument(&mut self) -> usize {
        match self.byte() {
            small @ 0..=127 => usize::from(small),
            128..=191 => self.pick(&EDGES),
            _ => self.word() as usize,
        }
    }

    /// What happens next.
    fn play(&mut self, rig: &mut Rig) {
        match self.byte() % 8 {
            0..=4 if !rig.is_idle() => {
                let number = match self.byte() {
                    known if usize::from(known) < 2 * Call::ALL.len() => usize::from(known) / 2,
                    _ => self.argument(),
                };
                let mut arguments = [0; 6];
                arguments.fill_with(|| self.argument());
                let _ = rig.call_number(number, arguments);
            }
            5 if !rig.is_idle() => {
                let (cause, pc) = (self.pick(&FaultCause::ALL), self.argument());
                rig.fault(cause, pc, self.argument());
            }
            6 => rig.raise(self.pick(&LINES)),
            _ => rig.interrupt(),
        }
    }
}

/// Two processes with threads of every policy and a task, drivers of every kind,
/// and a program that releases, calls and waits.
fn system() -> Description {
    let mut b = SystemBuilder::new();
    let ports = [
        b.port("small", Shape::Scalar(ValueType::U32)),
        b.port("large", Shape::Bytes(700)),
    ];
    let scalar = [Shape::Scalar(ValueType::U32)];
    let mut tasks = Vec::new();
    for process in 0..2 {
        b.process();
        let entry = b.process_entry(process);
        entry.on_fault = Some(FaultPolicy::Restart);
        entry.max_priority = 150;
        b.upcall_thread(process);
        b.thread(process, Scheduling::Fifo(7));
        b.thread(process, Scheduling::RoundRobin(7, 500));
        b.thread(process, Scheduling::Deadline(10_000));
        b.grant_ports(process, &ports, &ports[..1 + usize::from(process)]);
        tasks.push(b.task(process, ["s", "t"][usize::from(process)], &scalar, &scalar));
    }
    let task = &tasks[1];
    b.copy("in", &ports[..1], &task.inputs);
    b.copy("out", &task.outputs, &ports[..1]);
    b.upcall("look", 1, &ports[..1], &ports[..1], 200);
    b.interrupt(3, None);
    b.interrupt(10, Some(0));
    b.interrupt(11, Some(1));
    b.program(&assemble(
        "task t
         copy in
         copy out
         driver look
         port small u32 output
         irq 3
         first: call in\n release t, 500us\n future after(1000us), next\n future irq(3), hit\n return
         next: call out\n call look\n jump first
         hit: call look\n future changed(small), hit\n return",
    ));
    b.finish()
}

/// Plays `data` as events. Every invariant holds after each.
pub fn explore(data: &[u8]) {
    let mut rig = Rig::boot(&system());
    let mut choices = Choices(data);
    while !choices.0.is_empty() && rig.stopped().is_none() {
        // (what falls due is handled then, or late)
        let ticks = u64::from(choices.byte()) * 64;
        match choices.byte() & 1 {
            0 => rig.advance(ticks),
            _ => rig.pass(ticks),
        }
        if rig.stopped().is_none() {
            choices.play(&mut rig);
        }
        rig.check_invariants();
    }
    // SAFETY: no record of the rig was asked for.
    unsafe { rig.free() };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_events_keep_the_invariants() {
        let mut state = 1u64;
        let mut byte = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 56) as u8
        };
        for _ in 0..200 {
            let data: Vec<u8> = (0..4096).map(|_| byte()).collect();
            explore(&data);
        }
    }
}

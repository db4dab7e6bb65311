//! The kernel as a machine of a replay.

use std::collections::BTreeSet;

use giornata_abi::call::Call;
use giornata_abi::ring::{Kind, split_head};
use giornata_abi::trace::FaultCause;
use giornata_core::sched::thread::role;
use giornata_host::Rig;
use giornata_replay_logs as logs;
use giornata_replay_logs::TICK_NANOS;

use crate::calls::{self, Buffers, id};
use crate::circumstances::{Bits, FIRST_INTERVAL, LATE, PUT_BACK};
use crate::describe::{CodeUrgency, describe, entry, value_of};
use crate::places::At;

/// How far a thread has come when it has been seen at its beginning.
const SEEN: usize = 4;
/// Entries into the kernel at one tick at most.
const MOST: u32 = 1000;
/// Stage of an upcall in the trace: it runs.
const RUNNING: u32 = 1;

/// What a thread does that enters the kernel.
#[derive(Clone, Copy, Debug)]
enum Act {
    Call(Call, [usize; 6]),
    Fault,
}

/// What the kernel does with a scenario.
pub(crate) fn run(scenario: &logs::Scenario, urgency: CodeUrgency) -> Replay {
    let mut machine = Machine {
        rig: Rig::boot(&describe(&scenario.system, urgency)),
        system: &scenario.system,
        upcall: 0,
        entries: 0,
        ended: vec![false; scenario.system.threads.len()],
        writes: Vec::new(),
        circumstances: vec![0],
        risen: Vec::new(),
        put_back: vec![None; scenario.system.threads.len()],
        heirs: BTreeSet::new(),
    };
    machine.settle();
    let observation = logs::play(scenario, &mut machine);
    let Machine {
        rig, circumstances, ..
    } = machine;
    // SAFETY: the machine ends here, and what was observed refers to nothing.
    unsafe { rig.free() };
    Replay {
        observation,
        circumstances,
    }
}

/// What the kernel did with a scenario.
#[derive(Debug)]
pub(crate) struct Replay {
    pub(crate) observation: logs::Observation,
    /// By step: what held before it or in it.
    pub(crate) circumstances: Vec<Bits>,
}

/// The kernel, with what is needed to say what it does.
#[derive(Debug)]
pub(crate) struct Machine<'s> {
    pub(crate) rig: Rig,
    pub(crate) system: &'s logs::System,
    /// The driver whose upcall began last.
    upcall: usize,
    /// How often the kernel was entered at this tick.
    entries: u32,
    /// By thread: it has ended a job or an upcall by its last call.
    ended: Vec<bool>,
    /// What has left since it was asked.
    writes: Vec<logs::Write>,
    circumstances: Vec<Bits>,
    /// Lines with an interval that rose before that had passed since the boot.
    risen: Vec<u64>,
    /// By thread: what it does when it has its turn again, and which tenant does.
    put_back: Vec<Option<(u32, Act)>>,
    /// Threads to which a mutex was to go, and that have not returned since.
    pub(crate) heirs: BTreeSet<usize>,
}

impl Machine<'_> {
    /// Whoever runs does this, after what is due: an interrupt that waits comes first, and
    /// then the thread goes on when it has its turn again.
    fn act(&mut self, act: Act) {
        let thread = self.thread().expect("somebody runs");
        let serial = self.rig.thread(thread).serial.get();
        self.put_back[thread] = Some((serial, act));
        self.settle();
    }

    /// The act that whoever runs was about to do when it was interrupted.
    fn take_act(&mut self) -> Option<Act> {
        let thread = self.thread()?;
        let (serial, act) = self.put_back[thread].take()?;
        (self.rig.thread(thread).serial.get() == serial).then_some(act)
    }

    /// All that is due is done, and whoever runs has nothing put back.
    fn settle(&mut self) {
        loop {
            self.entries += 1;
            assert!(self.entries < MOST, "the kernel comes to no end");
            if self.rig.stopped().is_none() {
                self.rig.interrupt();
            }
            self.look();
            match self.take_act() {
                Some(Act::Call(call, arguments)) => drop(self.rig.call(call, arguments)),
                Some(Act::Fault) => self.rig.fault(FaultCause::Store, 0, 0),
                None => return,
            }
            self.look();
        }
    }

    /// The kernel was entered.
    fn look(&mut self) {
        self.read_trace();
        if self.rig.stopped().is_none() {
            self.rig.check_invariants();
            self.note_heirs();
            let bits = self.circumstances();
            self.note(bits);
        }
    }

    /// This holds in the step.
    fn note(&mut self, bits: Bits) {
        *self.circumstances.last_mut().expect("a step") |= bits;
    }

    /// An event comes: perhaps something was due before.
    fn note_event(&mut self) {
        let lateness = self.lateness();
        self.note(lateness);
        if self.put_back.iter().any(Option::is_some) {
            self.note(LATE | PUT_BACK);
        }
        let now = self.rig.now();
        if self.risen.iter().any(|until| now < *until) {
            self.note(FIRST_INTERVAL);
        }
    }

    fn read_trace(&mut self) {
        let (writes, upcall) = (&mut self.writes, &mut self.upcall);
        self.rig
            .take_trace(|[at, head, first, _]| match split_head(head) {
                (Some(Kind::Port), _, port) => {
                    let nanos = u64::from(at) * TICK_NANOS;
                    writes.push(logs::Write::Port(nanos, port.into(), first));
                }
                (Some(Kind::Upcall), _, driver) if first == RUNNING => *upcall = driver.into(),
                _ => {}
            });
    }

    /// The thread that runs.
    fn thread(&self) -> Option<usize> {
        (self.rig.stopped().is_none() && !self.rig.is_idle()).then(|| self.rig.running())
    }

    fn is(&self, thread: usize, bits: u16) -> bool {
        self.rig.thread(thread).role & bits != 0
    }

    fn buffers(&self, thread: usize) -> Buffers {
        let process = self.system.threads[thread].process;
        Buffers {
            sent: At::sent(process, thread),
            received: At::received(process, thread),
        }
    }

    fn write_bytes(&mut self, at: At, bytes: &[u8]) {
        for (index, chunk) in bytes.chunks(4).enumerate() {
            let mut word = [0; 4];
            word[..chunk.len()].copy_from_slice(chunk);
            let word = u32::from_le_bytes(word);
            self.rig.set_word(at.place() + 4 * index, word);
        }
    }

    /// Inputs and outputs of the task or upcall that runs.
    fn values(&self) -> (Vec<At>, Vec<At>) {
        let Some(thread) = self.thread() else {
            return (Vec::new(), Vec::new());
        };
        if self.is(thread, role::UPCALL) {
            let driver = &self.system.drivers[self.upcall];
            let logs::Driver::Upcall {
                process,
                reads,
                writes,
                ..
            } = driver
            else {
                panic!("driver {} has no upcall", self.upcall);
            };
            let at = |index| At::block(*process, self.upcall, index);
            let all = reads.len() + writes.len();
            return (
                (0..reads.len()).map(at).collect(),
                (reads.len()..all).map(at).collect(),
            );
        }
        let logs::Role::Task {
            inputs, outputs, ..
        } = self.system.threads[thread].role
        else {
            return (Vec::new(), Vec::new());
        };
        let at = |place| value_of(self.system, place).expect("a value of a task");
        (
            (0..inputs)
                .map(|input| at(logs::Place::Input(thread, input)))
                .collect(),
            (0..outputs)
                .map(|output| at(logs::Place::Output(thread, output)))
                .collect(),
        )
    }
}

impl logs::Machine for Machine<'_> {
    fn begin_step(&mut self, step: usize) {
        self.circumstances.resize(step + 1, 0);
        if self.rig.stopped().is_none() {
            let bits = self.circumstances();
            self.note(bits);
            self.note_event();
        }
    }

    fn runner(&mut self) -> logs::Runner {
        if let Some(status) = self.rig.stopped() {
            return logs::Runner::Stopped(status as u8);
        }
        match self.thread() {
            None => logs::Runner::Idle,
            Some(thread) if self.is(thread, role::UPCALL) => logs::Runner::Upcall(self.upcall),
            Some(thread) => logs::Runner::Thread(thread),
        }
    }

    fn alarm(&mut self) -> Option<u64> {
        self.rig.alarm()
    }

    fn set_clock(&mut self, tick: u64) {
        if tick > self.rig.now() {
            self.entries = 0;
        }
        self.rig.pass(tick - self.rig.now());
    }

    fn timer(&mut self) {
        self.settle();
    }

    fn raise(&mut self, line: u16) {
        let interval = self.system.lines.iter().find(|own| own.number == line);
        let interval = interval.map_or(0, |line| line.interval);
        if self.rig.now() < interval {
            self.risen.push(interval);
        }
        self.note_event();
        self.rig.raise(line.into());
        self.settle();
    }

    fn set_register(&mut self, address: u32, value: u32) {
        self.rig.set_register(address as usize, value);
    }

    fn call(&mut self, request: &logs::Request<'_>) {
        let thread = self.thread().expect("somebody runs");
        self.note_event();
        let bits = self.circumstances_of(request);
        self.note(bits);
        let buffers = self.buffers(thread);
        self.write_bytes(buffers.sent, &calls::bytes(request.call));
        self.ended[thread] = false;
        let (call, arguments) = calls::registers(request, &buffers);
        self.act(Act::Call(call, arguments));
    }

    fn inputs(&mut self) -> Vec<u32> {
        let (inputs, _) = self.values();
        inputs.iter().map(|at| self.rig.word(at.place())).collect()
    }

    fn complete(&mut self, values: &[u32]) {
        self.note_event();
        let (_, outputs) = self.values();
        for (at, value) in outputs.iter().zip(values) {
            self.rig.set_word(at.place(), *value);
        }
        let thread = self.thread().expect("a task or an upcall runs");
        let call = match self.is(thread, role::UPCALL) {
            true => Call::Return,
            false => Call::Complete,
        };
        self.ended[thread] = true;
        self.act(Act::Call(call, [0; 6]));
    }

    fn fault(&mut self) {
        self.note_event();
        self.act(Act::Fault);
    }

    fn departure(&mut self, call: Option<&logs::Call>) -> logs::Departure {
        let Some(number) = self.thread() else {
            return logs::Departure::Resumed;
        };
        let (thread, results) = (self.rig.thread(number), self.rig.take_results(number));
        if thread.context.pc.get() == entry(number) {
            // (it goes on from there)
            thread.context.pc.set(entry(number) + SEEN);
            self.heirs.remove(&number);
            return logs::Departure::Begins;
        }
        match results {
            None => logs::Departure::Resumed,
            Some(_) if self.ended[number] => logs::Departure::Begins,
            Some(results) => {
                self.heirs.remove(&number);
                let at = self.buffers(number).received;
                let memory = |length: usize| {
                    let words = (0..length.div_ceil(4)).map(|word| at.place() + 4 * word);
                    let bytes = words.flat_map(|place| self.rig.word(place).to_le_bytes());
                    bytes.take(length).collect()
                };
                logs::Departure::Returns(calls::answer(call, results, memory))
            }
        }
    }

    fn take_writes(&mut self) -> Vec<logs::Write> {
        let mut writes = std::mem::take(&mut self.writes);
        let stores = self.rig.take_outputs().into_iter();
        writes.extend(stores.map(|store| logs::Write::Register(store.address as u32, store.value)));
        writes
    }

    fn object_id(&mut self, slot: usize) -> Option<u64> {
        let object = self.rig.object(slot);
        object.lives().then(|| id(slot, object.serial.get()))
    }

    fn thread_id(&mut self, number: usize) -> Option<u64> {
        let thread = self.rig.thread(number);
        // (a thread for jobs is there while it has one, and one for upcalls never)
        let is_there = match number {
            task if self.is(task, role::TASK) => {
                thread.place.task.is_some_and(|task| task.is_released())
            }
            upcall if self.is(upcall, role::UPCALL) => false,
            _ => thread.lives() || thread.has_ended(),
        };
        is_there.then(|| id(number, thread.serial.get()))
    }

    fn state(&mut self) -> logs::State {
        crate::state::of(self)
    }
}

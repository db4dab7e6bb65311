//! The kernel on the host, as the model's comparison drives it.

use std::cell::Cell;

use giornata_abi::control::{CEILING, NEXT_LOCK, NEXT_SERIAL, TAKEN, TAKEN_FROM_DEAD};
use giornata_abi::id::Id;
use giornata_abi::word::{LOCKED, WAITED_FOR};
use giornata_core::sched::ready::level;
use giornata_core::{Ref, Thread};
use giornata_host::Rig;
use giornata_test_model::Request;
use giornata_test_model::compare::{Kernel, Observation, Snapshot};
use giornata_test_model::model::{Event, Noted, Resumption, Word};
use giornata_test_model::system::{Kind, System};

use crate::calls::{registers, reply};
use crate::system::{FIRST_LINE, Places, describe};

/// A kernel that runs a system of the model's.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) rig: Rig,
    system: System,
    /// By thread: the call that it makes when it has its turn again, and the serial
    /// number of the thread that makes it.
    put_back: Vec<Option<(u32, Request)>>,
    /// By thread: which tenant has run last, and whether its last call receives bytes.
    seen: Vec<u32>,
    receives: Vec<bool>,
    trace: Digest,
}

/// Records of a trace, in order: how many, and FNV-1a of their words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digest {
    pub(crate) records: u32,
    pub(crate) hash: u64,
}

impl Digest {
    /// The records of boot have a hash of all others, which depends on where they lie.
    const OF_BOOT: u32 = 2;
    const NOTHING: Digest = Digest {
        records: 0,
        hash: 0xCBF2_9CE4_8422_2325,
    };

    fn add(&mut self, words: [u32; 4]) {
        self.records += 1;
        if self.records <= Digest::OF_BOOT {
            return;
        }
        for byte in words.iter().flat_map(|word| word.to_le_bytes()) {
            self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3);
        }
    }
}

thread_local! {
    static LAST_TRACE: Cell<Digest> = const { Cell::new(Digest::NOTHING) };
}

/// The trace of the kernel that was dropped last.
pub(crate) fn last_trace() -> Digest {
    LAST_TRACE.get()
}

impl Drop for Host {
    fn drop(&mut self) {
        LAST_TRACE.set(self.trace);
    }
}

impl Host {
    /// Boots a system.
    pub(crate) fn new(system: &System) -> Host {
        let rig = Rig::boot(&describe(system));
        let threads = system.threads.len();
        let mut host = Host {
            rig,
            system: system.clone(),
            put_back: vec![None; threads],
            seen: vec![0; threads],
            receives: vec![false; threads],
            trace: Digest::NOTHING,
        };
        host.resumption();
        host
    }

    pub(crate) fn runs(&self) -> Option<usize> {
        (!self.rig.is_idle()).then(|| self.rig.running())
    }

    fn serial(&self, thread: usize) -> u32 {
        self.rig.thread(thread).serial.get()
    }

    fn places(&self, thread: usize) -> Places {
        Places::new(&self.system, thread)
    }

    // --- memory ---

    fn write(&mut self, thread: usize, address: usize, value: u32) {
        let offset = self.places(thread).offset(address);
        self.rig.set_word(offset, value);
    }

    fn write_bytes(&mut self, thread: usize, address: usize, bytes: &[u8]) {
        for (index, chunk) in bytes.chunks(4).enumerate() {
            let mut word = [0; 4];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write(thread, address + 4 * index, u32::from_le_bytes(word));
        }
    }

    fn bytes(&self, thread: usize, address: usize, length: usize) -> Vec<u8> {
        let offset = self.places(thread).offset(address);
        let words = (0..length.div_ceil(4)).map(|index| self.rig.word(offset + 4 * index));
        let bytes = words.flat_map(u32::to_le_bytes);
        bytes.take(length).collect()
    }

    /// What the kernel noted where a thread announces a mutex.
    pub(crate) fn noted(&self, thread: usize) -> Option<Noted> {
        let places = self.places(thread);
        match self.rig.word(places.offset(places.control() + NEXT_LOCK)) {
            TAKEN => Some(Noted::Taken),
            TAKEN_FROM_DEAD => Some(Noted::TakenFromDead),
            _ => None,
        }
    }

    /// A thread of the process that may use a private mutex.
    fn user_of(&self, mutex: usize) -> usize {
        let rights = &self.system.objects[mutex].rights;
        let uses = |thread: &usize| rights[self.system.threads[*thread].process] != 0;
        let mut threads = 0..self.system.threads.len();
        threads.find(uses).expect("a process may use it")
    }

    fn word(&self, mutex: usize) -> Word {
        let places = self.places(self.user_of(mutex));
        let value = self.rig.word(places.offset(places.word(mutex)));
        // (the low half of a serial number is all that there is of it)
        let id = Id {
            slot: value & (LOCKED - 1),
            serial: value >> 16,
        };
        let owner = (value & LOCKED != 0).then_some(id);
        match (value & WAITED_FOR != 0, owner) {
            (true, owner) => Word::Contended(owner),
            (false, Some(owner)) => Word::Held(owner),
            (false, None) => Word::Free,
        }
    }

    fn store(&mut self, mutex: usize, word: Word) {
        let held = |id: Id| id.slot | id.serial << 16 | LOCKED;
        let value = match word {
            Word::Free => 0,
            Word::Held(id) => held(id),
            Word::Contended(id) => id.map_or(0, held) | WAITED_FOR,
        };
        let thread = self.user_of(mutex);
        let address = self.places(thread).word(mutex);
        self.write(thread, address, value);
    }

    /// The running thread writes to its control page.
    fn control(&mut self, at: usize, value: u32) {
        let thread = self.rig.running();
        let address = self.places(thread).control() + at;
        self.write(thread, address, value);
    }

    // --- events ---

    /// The running thread makes a call, after what is due.
    fn call(&mut self, request: &Request) {
        let caller = self.rig.running();
        let serial = self.serial(caller);
        self.rig.interrupt();
        if self.rig.is_idle() || self.rig.running() != caller || self.serial(caller) != serial {
            self.put_back[caller] = Some((serial, request.clone()));
            return;
        }
        if let Request::SendBytes { bytes, .. } = request {
            let address = self.places(caller).sent();
            self.write_bytes(caller, address, bytes);
        }
        self.receives[caller] = matches!(request, Request::ReceiveBytes { .. });
        let (call, arguments) = registers(request, &self.system, caller);
        self.rig.call(call, arguments);
    }

    /// Whoever runs makes the call that was put back.
    fn leave(&mut self) {
        loop {
            self.rig.interrupt();
            let Some(runs) = self.runs() else { return };
            let Some((serial, request)) = self.put_back[runs].take() else {
                return;
            };
            if serial == self.serial(runs) {
                self.call(&request);
            }
        }
    }

    fn resumption(&mut self) -> Resumption {
        let Some(runs) = self.runs() else {
            return Resumption::Continues;
        };
        let serial = self.serial(runs);
        let begins = std::mem::replace(&mut self.seen[runs], serial) != serial;
        match self.rig.take_results(runs) {
            Some(results) if !begins => {
                let address = self.places(runs).received();
                let bytes = |length| {
                    let receives = self.receives[runs];
                    receives.then(|| self.bytes(runs, address, length))
                };
                Resumption::Returns(reply(results, bytes))
            }
            _ => Resumption::Continues,
        }
    }

    // --- state ---

    /// The number of a thread that belongs to the system and whose process lives.
    fn number(&self, thread: Ref<Thread>) -> Option<usize> {
        let number = thread.number() as usize;
        let is_its = number < self.system.threads.len() && thread.process.is_alive();
        is_its.then_some(number)
    }

    /// A ring of threads, from its first on.
    fn ring(&self, first: Option<Ref<Thread>>) -> Vec<Ref<Thread>> {
        let next = |at: &Ref<Thread>| {
            let next = at.next();
            let is_first = first.is_some_and(|first| std::ptr::eq(first, next));
            (!is_first).then_some(next)
        };
        let most = self.rig.kernel().threads.len();
        let ring: Vec<_> = std::iter::successors(first, next).take(most + 1).collect();
        assert!(ring.len() <= most, "a ring comes back to its first");
        ring
    }

    /// Threads of the ready queue, in order, but for those that have no place of their own.
    fn queue(&self) -> Vec<usize> {
        let ranks = {
            let kernel = self.rig.kernel();
            std::iter::successors(Some(kernel.first_rank()), |rank| kernel.next_rank(rank))
        };
        let ranks = ranks.filter(|rank| rank.level() < level::IDLE);
        let threads = ranks.flat_map(|rank| self.ring(rank.head()));
        threads.filter_map(|thread| self.number(thread)).collect()
    }

    fn owner(&self, object: usize) -> Option<usize> {
        match self.system.objects[object].kind {
            Kind::Mutex { private: false, .. } | Kind::Mailbox { .. } => {
                let owner = self.rig.object(object).owner();
                owner.and_then(|owner| self.number(owner))
            }
            _ => None,
        }
    }

    fn waiters(&self, object: usize) -> Vec<usize> {
        // (callers of a mailbox hang there if nobody serves it)
        let is_mailbox = matches!(self.system.objects[object].kind, Kind::Mailbox { .. });
        let object = self.rig.object(object);
        let waiters = self.rig.kernel().in_order(object.waiters());
        let calls = |thread: &Ref<Thread>| {
            let wanted = thread.wants();
            is_mailbox && wanted.is_some_and(|wanted| std::ptr::eq(wanted, object))
        };
        let waiters = waiters.filter(|thread| !calls(thread));
        waiters.filter_map(|thread| self.number(thread)).collect()
    }

    fn snapshot(&self) -> Snapshot {
        let objects = 0..self.system.objects.len();
        let words = objects
            .clone()
            .map(|object| match self.system.objects[object].kind {
                Kind::Mutex { private: true, .. } => self.word(object),
                _ => Word::Free,
            });
        Snapshot {
            queue: Some(self.queue()),
            owners: Some(objects.clone().map(|object| self.owner(object)).collect()),
            waiters: Some(objects.map(|object| self.waiters(object)).collect()),
            words: Some(words.collect()),
            ..Snapshot::default()
        }
    }
}

impl Kernel for Host {
    fn apply(&mut self, event: &Event, now: u64) -> Observation {
        self.rig.pass(now - self.rig.now());
        match event {
            Event::Call(request) => self.call(request),
            Event::Fault(cause) => self.rig.fault(*cause, 0, 0),
            Event::Timer => {}
            Event::Interrupt(line) => self.rig.raise((FIRST_LINE + line) as u32),
            Event::Publish(ceiling) => self.control(CEILING, (*ceiling).into()),
            Event::Announce(mutex) => {
                self.control(NEXT_SERIAL, mutex.map_or(0, |mutex| mutex.serial));
                self.control(NEXT_LOCK, mutex.map_or(0, |mutex| !mutex.slot));
            }
            Event::Store(mutex, word) => self.store(*mutex, *word),
            Event::CallInterrupted(..) => panic!("{event:?} is not driven yet"),
        }
        if !matches!(
            event,
            Event::Publish(_) | Event::Announce(_) | Event::Store(..)
        ) {
            self.leave();
        }
        self.rig.check_invariants();
        let trace = &mut self.trace;
        self.rig.take_trace(|words| trace.add(words));
        Observation {
            runs: self.runs(),
            resumption: self.resumption(),
            state: self.snapshot(),
        }
    }
}

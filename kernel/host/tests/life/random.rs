//! Random lives: threads and processes begin, end, fault, kill and wait in any order,
//! and what must hold does after every step.

use std::collections::{BTreeMap, BTreeSet};

use giornata_abi::Error;
use giornata_abi::call::Call;
use giornata_abi::system::FaultPolicy;
use giornata_core::process::region::{READ, WRITE};
use giornata_host::{MEMORY, Results, Rig};
use giornata_records::{Description, Region};

use crate::stage::*;

const REGIONS: usize = 2;
const HEAP: usize = 256;
const LINE: usize = 5;

/// Numbers that seem random (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % count
    }
}

/// Process 0 supervises 1 and 2, and 1 supervises 3; all restart but 2 and 3.
fn families() -> Description {
    let mut description = system();
    let policies = [
        FaultPolicy::Restart,
        FaultPolicy::Restart,
        FaultPolicy::Stop,
        FaultPolicy::Stop,
    ];
    for (number, policy) in policies.into_iter().enumerate() {
        process(&mut description, &[9 - number as u8, 5, 4]);
        spares(&mut description, 2);
        on_fault(&mut description, number, policy);
        let process = &mut description.processes[number];
        process.heap = (0x1000, HEAP as u64);
        process.max_priority = 10;
        process.supervisor = [None, Some(0), Some(0), Some(1)][number];
    }
    description.processes[3].by_call = true;
    line(&mut description, LINE as u32, 1);
    for region in 0..REGIONS {
        description.regions.push(Region {
            address: 0x7000_0000 + region as u64 * 0x1000,
            size: 0x800,
            place: (MEMORY + 0x8_0000 + region * 0x1000) as u64,
            tables: 0,
            grants: vec![READ | WRITE, READ, READ | WRITE, 0],
        });
    }
    for _ in 0..3 {
        mutex(&mut description);
    }
    description
}

/// What is known of a system from outside.
struct Known {
    rig: Rig,
    random: Random,
    /// Created threads by id, and the values of those that have exited.
    ended: BTreeMap<[usize; 2], Option<usize>>,
    /// Joins that wait: by thread, the id that is joined and the life of the process.
    joining: BTreeMap<usize, ([usize; 2], u32)>,
    /// Bytes that each process has allocated, by its life.
    allocated: BTreeMap<(usize, u32), usize>,
    /// How often each thing came to pass.
    seen: BTreeMap<&'static str, usize>,
    /// All ids of created threads.
    ids: BTreeSet<[usize; 2]>,
}

impl Known {
    fn note(&mut self, what: &'static str) {
        *self.seen.entry(what).or_default() += 1;
    }

    fn process_of(&self, thread: usize) -> usize {
        self.rig.thread(thread).process.number as usize
    }

    fn life_of(&self, thread: usize) -> (usize, u32) {
        let process = self.process_of(thread);
        (process, self.rig.process(process).generation.get())
    }

    /// A thread that is probably one of the caller's process.
    fn some_id(&mut self) -> [usize; 2] {
        let thread = match self.random.below(8) {
            0 => self.random.below(24),
            _ => self.process_of(self.rig.running()) * 5 + 3 + self.random.below(2),
        };
        let serial = self.rig.kernel().threads.get(thread);
        let serial = serial.map_or(1, |thread| thread.serial.get() as usize);
        [
            thread,
            serial.wrapping_sub((self.random.below(8) == 0) as usize),
        ]
    }

    fn call<const N: usize>(&mut self, number: Call, arguments: [usize; N]) -> Option<Results> {
        call(&mut self.rig, number, arguments)
    }

    fn until(&mut self) -> [usize; 2] {
        match self.random.below(3) {
            0 => AT_ONCE,
            // (somebody stays)
            1 if !self.rig.running().is_multiple_of(5) => FOR_EVER,
            _ => [self.rig.now() as usize + self.random.below(50), 0],
        }
    }

    fn step(&mut self) {
        if self.rig.is_idle() || self.random.below(6) == 0 {
            let ticks = self.random.below(30) as u64;
            advance(&mut self.rig, ticks);
            if self.random.below(10) == 0 {
                self.rig.raise(LINE as u32);
            }
            return;
        }
        let me = self.rig.running();
        let (process, generation) = self.life_of(me);
        match self.random.below(100) {
            0 => self.note_end(|known| fault(&mut known.rig)),
            1 => self.note_end(|known| {
                let length = known.random.below(120);
                known.call(Call::Panic, [DATA + 3, length, 1]);
            }),
            2..10 if !me.is_multiple_of(5) => {
                let value = self.random.below(1000);
                let id = [me, self.rig.thread(me).serial.get() as usize];
                if let Some(ended) = self.ended.get_mut(&id) {
                    *ended = Some(value);
                }
                self.call(Call::Exit, [value]);
            }
            10..25 => self.create(),
            25..40 => self.join(),
            40..44 => {
                let id = self.some_id();
                if self.call(Call::DetachThread, id) == DONE {
                    self.note("detached");
                }
            }
            44..47 => {
                let child = self.random.below(5);
                let dead = child < 4 && !self.rig.process(child).is_alive();
                self.call(Call::CreateProcess, [child]);
                if dead && self.rig.process(child).is_alive() {
                    self.note("created a process");
                }
            }
            47 => self.note_end(|known| {
                let child = known.random.below(5);
                known.call(Call::KillProcess, [child]);
            }),
            48..50 => {
                let [low, high] = self.until();
                self.call(Call::AwaitProcess, [low, high]);
            }
            50..54 => {
                let bytes = self.random.below(HEAP);
                let taken = self.allocated.entry((process, generation)).or_default();
                let fits = bytes <= HEAP - *taken;
                let expected = match fits {
                    true => values([0x1000 + *taken]),
                    false => refused(Error::ENOMEM),
                };
                if fits {
                    *taken += bytes.next_multiple_of(16);
                }
                assert_eq!(self.call(Call::Allocate, [bytes]), expected);
            }
            54..59 => {
                let (region, how) = (self.random.below(REGIONS + 1), self.random.below(2));
                if self.call(Call::AttachRegion, [region, how]).is_some() {
                    self.note("attached");
                }
            }
            59..64 => {
                let region = self.random.below(REGIONS);
                if self.call(Call::DetachRegion, [region]) == DONE {
                    let address = 0x7000_0000 + region * 0x1000;
                    assert_eq!(self.rig.access(process, address), 0);
                }
            }
            64..76 => {
                let until = self.rig.now() as usize + self.random.below(60);
                self.call(Call::Sleep, [until, 0]);
            }
            76..80 if !me.is_multiple_of(5) => {
                let number = LINE + self.random.below(2);
                self.call(Call::AwaitInterrupt, [number]);
            }
            80..87 => {
                let (mutex, [low, high]) = (self.random.below(3), self.until());
                self.call(Call::Lock, [mutex, 1, low, high, 0]);
            }
            87..95 => {
                let mutex = self.random.below(3);
                self.call(Call::Unlock, [mutex, 1, 0]);
            }
            _ => {
                self.call(Call::Yield, []);
            }
        }
    }

    /// Something that may end a process.
    fn note_end(&mut self, end: impl FnOnce(&mut Known)) {
        let before = process_ends(&self.rig);
        end(self);
        if process_ends(&self.rig) != before {
            self.note("a process ended");
        }
    }

    fn create(&mut self) {
        let (body, priority) = (self.random.below(99), self.random.below(12));
        let me = self.rig.running();
        let free = self.rig.process(self.process_of(me)).threads.len();
        assert_eq!(free, 5);
        let results = match self.call(Call::CreateThread, [body, 7, priority]) {
            Some(results) => results,
            None => match self.rig.take_results(me) {
                Some(results) => results,
                // the new thread runs; the id is the next of a place
                None => {
                    let thread = self.rig.running();
                    let serial = self.rig.thread(thread).serial.get() as usize;
                    [0, thread, serial, 0, 0, 0, 0]
                }
            },
        };
        match results {
            [0, slot, serial, ..] => {
                assert!(self.ids.insert([slot, serial]), "an id names one thread");
                assert!(priority <= 10);
                self.ended.insert([slot, serial], None);
                self.note("created");
            }
            [error, ..] => assert!([5, 7].contains(&error) || error == Error::EPERM as usize),
        }
    }

    fn join(&mut self) {
        let (me, id, [low, high]) = (self.rig.running(), self.some_id(), self.until());
        let life = self.rig.process(self.process_of(me)).generation.get();
        let results = self.call(Call::JoinThread, [id[0], id[1], low, high]);
        match results {
            Some(results) => self.joined(id, results),
            None => {
                self.joining.insert(me, (id, life));
            }
        }
    }

    fn joined(&mut self, id: [usize; 2], results: Results) {
        if results[0] == 0 {
            assert_eq!(
                Some(&Some(results[1])),
                self.ended.get(&id),
                "the value of {id:?}"
            );
            self.note("joined");
        }
    }

    /// Joins that have come to an end, unless the process has.
    fn look_at_joins(&mut self) {
        for (thread, (id, life)) in std::mem::take(&mut self.joining) {
            let (process, now) = self.life_of(thread);
            if now != life || !self.rig.process(process).is_alive() {
                continue;
            }
            match self.rig.take_results(thread) {
                Some(results) => self.joined(id, results),
                None => {
                    self.joining.insert(thread, (id, life));
                }
            }
        }
    }
}

fn process_ends(rig: &Rig) -> u32 {
    (0..4)
        .map(|process| rig.process(process).generation.get())
        .sum()
}

#[test]
fn random_lives_keep_what_must_hold() {
    let (seeds, steps) = if cfg!(miri) { (2, 200) } else { (6, 15_000) };
    for seed in 1..=seeds {
        let description = families();
        let mut known = Known {
            rig: Rig::boot(&description),
            random: Random(0x9E37_79B9_7F4A_7C15 ^ seed << 32),
            ended: BTreeMap::new(),
            joining: BTreeMap::new(),
            allocated: BTreeMap::new(),
            seen: BTreeMap::new(),
            ids: BTreeSet::new(),
        };
        known.rig.set_piece_time(seed % 3);
        for _ in 0..steps {
            known.step();
            known.rig.check_invariants();
            known.look_at_joins();
        }
        let expected = [
            "a process ended",
            "attached",
            "created",
            "created a process",
            "detached",
            "joined",
        ];
        let seen: Vec<&str> = known.seen.keys().copied().collect();
        assert!(seen == expected || cfg!(miri), "{:?}", known.seen);
        let is_often = known.seen.values().all(|count| *count > 10);
        assert!(is_often || cfg!(miri), "{:?}", known.seen);
    }
}

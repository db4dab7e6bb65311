//! Threads, what they share, what a model says of that, and what has to be true of both.

use giornata_abi::control::ControlPage;
use giornata_abi::process::RESTARTABLE_BLOCK;
use giornata_abi::word::{LIMIT, LOCKED, MOST, WAITED_FOR};
use giornata_core::sched::thread::role;
use giornata_core::{Object as Record, Ref};
use giornata_host::{MEMORY, Rig};
use giornata_records::{Description, Object, ObjectKind, Process, Rights, Thread};
use giornata_test_model::random::Dice;

use crate::actor::{Actor, Doing};

/// Steps after which a program hangs.
const MOST_STEPS: u32 = 20_000;

/// Bytes between control pages.
const PAGE: usize = size_of::<ControlPage>().next_multiple_of(64);
/// Where the data of the process begins in memory, its bytes, and its user address.
const DATA: usize = 0x8000;
const DATA_SIZE: usize = 0x1000;
pub(crate) const USER: usize = 0x4000_0000;
/// Where its restartable block lies, a place behind the load in it, and a call.
const BLOCK: usize = 0x1000;
const LOADED: usize = BLOCK + 12;
pub(crate) const CALL: usize = 0x2000;
/// Never.
pub(crate) const EVER: u64 = u64::MAX;

/// What the model says of a mutex; and its object, as the library remembers it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mutex {
    pub(crate) owner: Option<usize>,
    /// Its owner ended, and nobody has been told.
    pub(crate) is_abandoned: bool,
    pub(crate) hint: usize,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Semaphore {
    pub(crate) count: u32,
    pub(crate) hint: usize,
}

pub(crate) struct World {
    pub(crate) rig: Rig,
    pub(crate) dice: Dice,
    pub(crate) actors: Vec<Actor>,
    pub(crate) mutexes: Vec<Mutex>,
    pub(crate) semaphores: Vec<Semaphore>,
    /// By condition, its mutex.
    pub(crate) conditions: Vec<usize>,
    /// Waits may be refused because too many are behind one another.
    pub(crate) has_short_chains: bool,
    pub(crate) seed: u64,
}

fn description(dice: &mut Dice, threads: usize, conditions: usize) -> Description {
    let object = |kind: ObjectKind| Object {
        kind,
        at_boot: true,
        initial: 0,
        most: MOST,
        ceiling: None,
        private: kind != ObjectKind::Condition,
        server: None,
        rights: vec![Rights {
            used: true,
            ..Rights::default()
        }],
    };
    let kinds = [
        (ObjectKind::Mutex, threads),
        (ObjectKind::Semaphore, threads),
        (ObjectKind::Condition, conditions),
    ];
    let objects = kinds
        .into_iter()
        .flat_map(|(kind, count)| vec![object(kind); count]);
    Description {
        band: 200,
        processes: vec![Process {
            max_priority: 255,
            data: (USER as u64, DATA_SIZE as u64, (MEMORY + DATA) as u64),
            restartable: (BLOCK as u64, (BLOCK + RESTARTABLE_BLOCK) as u64),
            in_turn: true,
            ..Process::default()
        }],
        threads: (0..threads)
            .map(|number| Thread {
                process: 0,
                priority: 1 + dice.below(9) as u8,
                role: role::AUTOSTART,
                control: (MEMORY + number * PAGE) as u64,
                ..Thread::default()
            })
            .collect(),
        objects: objects.collect(),
        depth: dice.pick(&[0, 0, 2, 3]),
        trace_records: 64,
        accounts: true,
        ..Description::default()
    }
}

/// What the word of a mutex says that a thread owns.
pub(crate) fn word_of(thread: usize) -> u32 {
    thread as u32 | 1 << 16 | LOCKED
}

impl World {
    pub(crate) fn new(seed: u64) -> World {
        let mut dice = Dice(seed);
        let threads = 2 + dice.below(9);
        let mutexes = 1 + dice.below(4);
        let conditions: Vec<usize> = (0..1 + dice.below(3))
            .map(|_| dice.below(mutexes))
            .collect();
        let semaphores = 1 + dice.below(2);
        let description = description(&mut dice, threads, conditions.len());
        let rig = Rig::boot(&description);
        let actor = |left| Actor {
            doing: Doing::Nothing,
            call: None,
            tries: 0,
            left,
        };
        let mut world = World {
            rig,
            actors: (0..threads)
                .map(|_| actor(5 + dice.below(20) as u32))
                .collect(),
            mutexes: vec![Mutex::default(); mutexes],
            semaphores: vec![Semaphore::default(); semaphores],
            conditions,
            has_short_chains: description.depth != 0,
            dice,
            seed,
        };
        for number in 0..semaphores {
            let count = world.dice.below(3) as u32;
            world.semaphores[number].count = count;
            world.set_word(world.semaphore_place(number), count | MOST << LIMIT);
        }
        world
    }

    pub(crate) fn run(&mut self) {
        let mut steps = 0;
        while !self.have_ended() {
            steps += 1;
            assert!(steps < MOST_STEPS, "{} hangs: {:?}", self.seed, self.actors);
            if self.rig.is_idle() {
                let alarm = self.rig.alarm().unwrap_or(0);
                self.rig.advance(alarm.saturating_sub(self.rig.now()));
            } else {
                self.step(self.rig.running());
                let ticks = self.dice.below(6).saturating_sub(3);
                self.interrupt(ticks as u64);
            }
            self.check();
        }
        for (number, semaphore) in self.semaphores.iter().enumerate() {
            let word = self.word(self.semaphore_place(number));
            assert_eq!(
                word & MOST,
                semaphore.count,
                "{}: what a semaphore counts",
                self.seed
            );
        }
    }

    fn have_ended(&self) -> bool {
        let has_ended = |actor: &Actor| matches!(actor.doing, Doing::Ended);
        self.actors.iter().all(has_ended)
    }

    /// Ticks pass. Who is interrupted in a block and loses the processor begins it anew, as
    /// the trap path sees to; who keeps it goes on where the kernel says.
    fn interrupt(&mut self, ticks: u64) {
        if self.rig.is_idle() {
            return self.rig.advance(ticks);
        }
        let me = self.rig.running();
        let is_in_block = self.loaded(me).is_some_and(|loaded| loaded.is_some());
        let pc = &self.rig.thread(me).context.pc;
        if self.actors[me].call.is_none() {
            pc.set(if is_in_block { LOADED } else { CALL });
        }
        self.rig.take_switches();
        self.rig.advance(ticks);
        let stays = self.rig.take_switches().is_empty() && pc.get() == LOADED;
        if is_in_block
            && !stays
            && let Some(loaded) = self.loaded(me)
        {
            *loaded = None;
        }
    }

    pub(crate) fn loaded(&mut self, thread: usize) -> Option<&mut Option<u32>> {
        let actor = &mut self.actors[thread];
        match &mut actor.doing {
            Doing::Lock { loaded, .. }
            | Doing::Unlock { loaded, .. }
            | Doing::Take { loaded, .. }
            | Doing::Give { loaded, .. }
                if actor.call.is_none() && actor.tries == 0 =>
            {
                Some(loaded)
            }
            _ => None,
        }
    }

    // Memory.

    pub(crate) fn mutex_place(&self, number: usize) -> usize {
        64 + 4 * number
    }

    pub(crate) fn semaphore_place(&self, number: usize) -> usize {
        128 + 4 * number
    }

    pub(crate) fn word(&self, offset: usize) -> u32 {
        self.rig.word(DATA + offset)
    }

    pub(crate) fn set_word(&mut self, offset: usize, value: u32) {
        self.rig.set_word(DATA + offset, value);
    }

    pub(crate) fn has(&self, thread: usize, mutex: usize) -> bool {
        self.word(self.mutex_place(mutex)) & !WAITED_FOR == word_of(thread)
    }

    // Objects: those of mutexes, then those of semaphores, then conditions.

    pub(crate) fn mutex_object(&self, number: usize) -> usize {
        self.mutexes[number].hint
    }

    pub(crate) fn semaphore_object(&self, number: usize) -> usize {
        self.actors.len() + self.semaphores[number].hint
    }

    pub(crate) fn condition_object(&self, number: usize) -> usize {
        2 * self.actors.len() + number
    }

    // The model.

    /// Mutexes that a thread owns, in order.
    pub(crate) fn owns(&self, thread: usize) -> Vec<usize> {
        let all = 0..self.mutexes.len();
        all.filter(|number| self.mutexes[*number].owner == Some(thread))
            .collect()
    }

    /// A thread has come to a mutex; it is told that its last owner ended, or not.
    pub(crate) fn came_to(&mut self, thread: usize, mutex: usize, is_told: bool) {
        let has = self.has(thread, mutex);
        let model = &mut self.mutexes[mutex];
        let seed = self.seed;
        assert!(has, "{seed}: {thread} has {mutex} by its word");
        assert_eq!(model.owner, None, "{seed}: {thread} has {mutex} alone");
        assert_eq!(
            model.is_abandoned, is_told,
            "{seed}: {thread} is told of the owner of {mutex}"
        );
        model.owner = Some(thread);
        model.is_abandoned = false;
    }

    pub(crate) fn has_not(&self, thread: usize, mutex: usize) {
        assert!(
            !self.has(thread, mutex),
            "{}: {thread} does not have {mutex}",
            self.seed
        );
    }

    // What has to be true.

    /// The objects in use for a word.
    fn in_use(&self, place: usize, is_mutex: bool) -> Vec<Ref<Record>> {
        let count = self.actors.len();
        let first = if is_mutex { 0 } else { count };
        let all = (first..first + count).map(|slot| self.rig.object(slot));
        all.filter(|object| {
            let is_wanted = is_mutex && object.count() != 0 || object.waiters().is_some();
            (is_wanted || object.owner().is_some()) && object.word() == USER + place
        })
        .collect()
    }

    /// The Word Invariant, and that the model says the same.
    fn check(&self) {
        self.rig.check_invariants();
        let seed = self.seed;
        for (number, mutex) in self.mutexes.iter().enumerate() {
            let place = self.mutex_place(number);
            let (word, objects) = (self.word(place), self.in_use(place, true));
            assert_eq!(
                usize::from(word & WAITED_FOR != 0),
                objects.len(),
                "{seed}: the word of {number} says whether its object is in use: {word:#x}"
            );
            let owner = match objects.first() {
                Some(object) => object.owner().map(|owner| owner.number() as usize),
                None if word & LOCKED != 0 => Some((word & (LOCKED - 1)) as usize),
                None => None,
            };
            // (who is about to be told that it has it, or has called to give it back; and who
            // ended with it, of which nobody knows yet)
            let is_between = |owner: usize| {
                let actor = &self.actors[owner];
                mutex.is_abandoned || actor.call.is_some() || actor.tries > 0
            };
            assert!(
                owner == mutex.owner || mutex.owner.is_none() && owner.is_some_and(is_between),
                "{seed}: {owner:?} has {number}, and not {:?}",
                mutex.owner
            );
        }
        for number in 0..self.semaphores.len() {
            let place = self.semaphore_place(number);
            assert_eq!(
                usize::from(self.word(place) & WAITED_FOR != 0),
                self.in_use(place, false).len(),
                "{seed}: the word of semaphore {number} says whether its object is in use"
            );
        }
    }
}

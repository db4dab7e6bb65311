//! Systems of threads that lock, wait and signal, driven call by call.

use giornata_abi::Error;
use giornata_abi::call::Call;
use giornata_abi::control::{CEILING, ControlPage, NEXT_LOCK, NEXT_SERIAL, PENDING};
use giornata_core::sched::thread::role;
use giornata_core::{Ref, Thread as Record};
use giornata_host::{MEMORY, Results, Rig};
use giornata_records::{Description, Object, ObjectKind, Process, Rights, Thread};

/// Never.
pub(crate) const EVER: [usize; 2] = [0xFFFF_FFFF; 2];
/// The value of a call that succeeds.
pub(crate) const DONE: usize = 0;

/// Bytes between control pages, from the beginning of memory on.
const PAGE: usize = 64;
/// Where the data of processes begin in memory, and their bytes.
const DATA: usize = 0x8000;
pub(crate) const DATA_SIZE: usize = 0x1000;
/// The user address of the data of a process.
pub(crate) const USER: usize = 0x4000_0000;

/// A system of one process with a thread for each of these priorities.
pub(crate) fn threads(priorities: &[u8]) -> Description {
    let mut all = system(1);
    for priority in priorities {
        thread(&mut all, 0, *priority, role::AUTOSTART);
    }
    all
}

/// A system with a process for each of these lists of priorities.
pub(crate) fn processes(priorities: &[&[u8]]) -> Description {
    let mut all = system(priorities.len());
    for (process, threads) in priorities.iter().enumerate() {
        for priority in *threads {
            thread(&mut all, process, *priority, role::AUTOSTART);
        }
    }
    all
}

fn system(processes: usize) -> Description {
    let process = |number: usize| Process {
        max_priority: 255,
        data: (
            USER as u64,
            DATA_SIZE as u64,
            (MEMORY + DATA + number * DATA_SIZE) as u64,
        ),
        ..Process::default()
    };
    Description {
        band: 200,
        processes: (0..processes).map(process).collect(),
        trace_records: 64,
        accounts: true,
        ..Description::default()
    }
}

/// One more thread.
pub(crate) fn thread(all: &mut Description, process: usize, priority: u8, role: u16) {
    assert!(size_of::<ControlPage>() <= PAGE);
    all.threads.push(Thread {
        process,
        priority,
        role,
        control: (MEMORY + all.threads.len() * PAGE) as u64,
        ..Thread::default()
    });
}

/// An object that every process may use and manage; its slot.
pub(crate) fn object(all: &mut Description, kind: ObjectKind) -> usize {
    let rights = Rights {
        used: true,
        managed: true,
        ..Rights::default()
    };
    all.objects.push(Object {
        kind,
        at_boot: true,
        initial: 0,
        most: 100,
        ceiling: None,
        private: false,
        server: None,
        rights: vec![rights; all.processes.len()],
    });
    all.objects.len() - 1
}

pub(crate) fn mutex(all: &mut Description) -> usize {
    object(all, ObjectKind::Mutex)
}

pub(crate) fn mutexes<const N: usize>(all: &mut Description) -> [usize; N] {
    std::array::from_fn(|_| mutex(all))
}

pub(crate) fn ceiling_mutex(all: &mut Description, ceiling: u8) -> usize {
    let slot = mutex(all);
    all.objects[slot].ceiling = Some(ceiling);
    slot
}

pub(crate) fn private(all: &mut Description, kind: ObjectKind) -> usize {
    let slot = object(all, kind);
    all.objects[slot].private = true;
    slot
}

pub(crate) fn semaphore(all: &mut Description, initial: u32) -> usize {
    let slot = object(all, ObjectKind::Semaphore);
    all.objects[slot].initial = initial;
    slot
}

pub(crate) fn condition(all: &mut Description) -> usize {
    object(all, ObjectKind::Condition)
}

/// A rig whose threads are driven by what runs.
pub(crate) struct Stage {
    pub rig: Rig,
}

#[track_caller]
fn none(results: Option<Results>, thread: usize) {
    assert_eq!(results, None, "the call of {thread} has returned");
}

impl Stage {
    pub(crate) fn new(description: &Description) -> Stage {
        let stage = Stage {
            rig: Rig::boot(description),
        };
        stage.rig.check_invariants();
        stage
    }

    /// The thread that runs is this one.
    #[track_caller]
    pub(crate) fn runs(&mut self, thread: usize) -> &mut Stage {
        assert!(!self.rig.is_idle(), "nobody runs");
        assert_eq!(self.rig.running(), thread, "the running thread");
        self
    }

    #[track_caller]
    pub(crate) fn idles(&mut self) -> &mut Stage {
        assert!(self.rig.is_idle(), "{} runs", self.rig.running());
        self
    }

    /// `thread`, which runs, makes a call.
    #[track_caller]
    pub(crate) fn call(&mut self, thread: usize, call: Call, arguments: &[usize]) -> &mut Stage {
        self.runs(thread);
        let mut all = [0; 6];
        all[..arguments.len()].copy_from_slice(arguments);
        self.rig.call(call, all);
        self.rig.check_invariants();
        self
    }

    /// The last call of a thread has returned this.
    #[track_caller]
    pub(crate) fn returned(&mut self, thread: usize, error: impl Into<usize>) -> &mut Stage {
        let results = self.rig.take_results(thread);
        let results = results.unwrap_or_else(|| panic!("the call of {thread} has not returned"));
        let expected = error.into();
        assert_eq!(results[0], expected, "{:?}", Error::from_code(results[0]));
        self
    }

    #[track_caller]
    pub(crate) fn refused(&mut self, thread: usize, error: Error) -> &mut Stage {
        self.returned(thread, error as usize)
    }

    /// It waits.
    #[track_caller]
    pub(crate) fn waits(&mut self, thread: usize) -> &mut Stage {
        none(self.rig.take_results(thread), thread);
        self
    }

    #[track_caller]
    pub(crate) fn advance(&mut self, until: u64) -> &mut Stage {
        let now = self.rig.now();
        self.rig.advance(until - now);
        self.rig.check_invariants();
        self
    }

    /// The hart takes what waits.
    #[track_caller]
    pub(crate) fn interrupted(&mut self) -> &mut Stage {
        self.rig.interrupt();
        self.rig.check_invariants();
        self
    }

    #[track_caller]
    pub(crate) fn sleep(&mut self, thread: usize, until: usize) -> &mut Stage {
        self.call(thread, Call::Sleep, &[until])
    }

    #[track_caller]
    pub(crate) fn yields(&mut self, thread: usize) -> &mut Stage {
        self.call(thread, Call::Yield, &[])
    }

    /// Locks a mutex or takes a semaphore of the first tenant of its slot.
    #[track_caller]
    pub(crate) fn lock(&mut self, thread: usize, slot: usize) -> &mut Stage {
        let [low, high] = EVER;
        self.call(thread, Call::Lock, &[slot, 1, low, high])
    }

    #[track_caller]
    pub(crate) fn lock_until(&mut self, thread: usize, slot: usize, until: usize) -> &mut Stage {
        self.call(thread, Call::Lock, &[slot, 1, until])
    }

    #[track_caller]
    pub(crate) fn unlock(&mut self, thread: usize, slot: usize) -> &mut Stage {
        self.call(thread, Call::Unlock, &[slot, 1])
    }

    #[track_caller]
    pub(crate) fn wait(&mut self, thread: usize, condition: usize, mutex: usize) -> &mut Stage {
        let [low, high] = EVER;
        self.call(thread, Call::Wait, &[condition, 1, mutex, low, high])
    }

    #[track_caller]
    pub(crate) fn wait_until(
        &mut self,
        thread: usize,
        condition: usize,
        mutex: usize,
        until: usize,
    ) -> &mut Stage {
        self.call(thread, Call::Wait, &[condition, 1, mutex, until])
    }

    #[track_caller]
    pub(crate) fn signal(&mut self, thread: usize, condition: usize) -> &mut Stage {
        self.call(thread, Call::Signal, &[condition, 1])
    }

    #[track_caller]
    pub(crate) fn broadcast(&mut self, thread: usize, condition: usize) -> &mut Stage {
        self.call(thread, Call::Broadcast, &[condition, 1])
    }

    /// Sets the priority of the first tenant of a place.
    #[track_caller]
    pub(crate) fn set_priority(
        &mut self,
        thread: usize,
        whose: usize,
        priority: usize,
    ) -> &mut Stage {
        self.call(thread, Call::SetPriority, &[whose, 1, priority])
    }

    #[track_caller]
    pub(crate) fn exit(&mut self, thread: usize) -> &mut Stage {
        self.call(thread, Call::Exit, &[])
    }

    pub(crate) fn record(&self, thread: usize) -> Ref<Record> {
        self.rig.thread(thread)
    }

    /// Who owns a mutex.
    pub(crate) fn owner(&self, slot: usize) -> Option<usize> {
        let owner = self.rig.object(slot).owner();
        owner.map(|owner| owner.number() as usize)
    }

    /// Who waits in the list of an object, the first one first.
    pub(crate) fn waiters(&self, slot: usize) -> Vec<usize> {
        self.in_order(self.rig.object(slot).waiters())
    }

    /// Who hangs on a thread.
    pub(crate) fn parked_on(&self, thread: usize) -> Vec<usize> {
        self.in_order(self.record(thread).parked())
    }

    fn in_order(&self, first: Option<Ref<Record>>) -> Vec<usize> {
        let threads = self.rig.kernel().in_order(first);
        threads.map(|thread| thread.number() as usize).collect()
    }

    /// The priority of a thread's place.
    pub(crate) fn place(&self, thread: usize) -> u32 {
        256 - self.record(thread).rank().level()
    }

    /// The running thread publishes a ceiling.
    pub(crate) fn publish(&mut self, thread: usize, ceiling: u32) -> &mut Stage {
        self.rig.set_word(thread * PAGE + CEILING, ceiling);
        self
    }

    /// Whether a switch was put off for its ceiling.
    pub(crate) fn is_put_off(&self, thread: usize) -> bool {
        self.rig.word(thread * PAGE + PENDING) != 0
    }

    /// It says that it has seen that, or has not.
    pub(crate) fn put_off(&mut self, thread: usize, is_put_off: bool) -> &mut Stage {
        self.rig
            .set_word(thread * PAGE + PENDING, is_put_off.into());
        self
    }

    /// The running thread tells which mutex it will lock after its next wait.
    pub(crate) fn tell(&mut self, thread: usize, slot: usize, serial: u32) -> &mut Stage {
        self.rig.set_word(thread * PAGE + NEXT_SERIAL, serial);
        self.rig.set_word(thread * PAGE + NEXT_LOCK, !(slot as u32));
        self
    }

    /// What stands there now.
    pub(crate) fn told(&self, thread: usize) -> u32 {
        self.rig.word(thread * PAGE + NEXT_LOCK)
    }

    /// A word of the data of a process.
    pub(crate) fn word(&self, process: usize, offset: usize) -> u32 {
        self.rig.word(DATA + process * DATA_SIZE + offset)
    }

    pub(crate) fn set_word(&mut self, process: usize, offset: usize, value: u32) -> &mut Stage {
        self.rig
            .set_word(DATA + process * DATA_SIZE + offset, value);
        self
    }
}

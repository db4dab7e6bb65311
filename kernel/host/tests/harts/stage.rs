//! Systems on several harts, of which a test says which does its next section, and what must hold
//! when the lock of the kernel is free.

use giornata_abi::call::Call;
use giornata_abi::control::ControlPage;
use giornata_abi::system::FaultPolicy;
use giornata_core::sched::thread::{kind, role};
use giornata_core::sync::object::kind as object;
use giornata_core::{Ref, Thread as Record};
use giornata_host::{MEMORY, Results, Rig};
use giornata_records::{Description, Object, ObjectKind, Process, Region, Rights, Thread};

/// Never.
pub(crate) const EVER: [usize; 2] = [0xFFFF_FFFF; 2];

/// Bytes between control pages, from the beginning of memory on.
const PAGE: usize = 64;
/// Where the data of processes begin in memory, and their bytes.
const DATA: usize = 0x8000;
const DATA_SIZE: usize = 0x1000;

/// A system of so many processes on so many harts. Every second process is restarted when it
/// faults.
pub(crate) fn system(processes: usize, harts: u32) -> Description {
    let process = |number: usize| Process {
        max_priority: 255,
        data: (
            0x4000_0000,
            DATA_SIZE as u64,
            (MEMORY + DATA + number * DATA_SIZE) as u64,
        ),
        messages: (8, 0),
        on_fault: (number % 2 == 1).then_some(FaultPolicy::Restart),
        ..Process::default()
    };
    Description {
        band: 200,
        harts,
        processes: (0..processes).map(process).collect(),
        trace_records: 64,
        accounts: true,
        ..Description::default()
    }
}

/// A system of one process with a thread for each of these priorities.
pub(crate) fn threads(harts: u32, priorities: &[u8]) -> Description {
    let mut all = system(1, harts);
    for priority in priorities {
        thread(&mut all, 0, *priority);
    }
    all
}

/// One more thread, which begins at boot.
pub(crate) fn thread(all: &mut Description, process: usize, priority: u8) {
    assert!(size_of::<ControlPage>() <= PAGE);
    all.threads.push(Thread {
        process,
        priority,
        role: role::AUTOSTART,
        control: (MEMORY + all.threads.len() * PAGE) as u64,
        ..Thread::default()
    });
}

/// An object that every process may use, manage and receive from; its slot.
pub(crate) fn object(all: &mut Description, kind: ObjectKind) -> usize {
    let rights = Rights {
        used: true,
        managed: true,
        received: true,
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

/// A region that the last process may attach.
pub(crate) fn region(all: &mut Description, grant: u32) {
    let last = all.processes.len() - 1;
    all.regions.push(Region {
        address: 0x7000_0000,
        size: 0x100,
        place: (MEMORY + DATA + 8 * DATA_SIZE) as u64,
        tables: 0,
        grants: [vec![0; last], vec![grant]].concat(),
    });
}

/// A system that runs.
pub(crate) struct Stage {
    pub(crate) rig: Rig,
}

impl Stage {
    /// It has booted, and each hart has done what it had to.
    pub(crate) fn new(description: &Description) -> Stage {
        let stage = Stage {
            rig: Rig::boot(description),
        };
        stage.check();
        stage
    }

    /// The thread that a hart runs makes a call; nobody else does anything.
    pub(crate) fn call_on(&mut self, hart: usize, call: Call, arguments: &[usize]) {
        let mut all = [0; 6];
        all[..arguments.len()].copy_from_slice(arguments);
        self.rig.call_on(hart, call as usize, all);
        self.check();
    }

    /// A thread that runs makes a call.
    #[track_caller]
    pub(crate) fn call(&mut self, thread: usize, call: Call, arguments: &[usize]) -> &mut Stage {
        let hart = self.hart_of(thread);
        let hart = hart.unwrap_or_else(|| panic!("thread {thread} does not run"));
        self.call_on(hart, call, arguments);
        self
    }

    /// A hart does its next section of the kernel.
    pub(crate) fn section(&mut self, hart: usize) -> &mut Stage {
        assert!(self.rig.has_section(hart), "hart {hart} has nothing to do");
        self.rig.section(hart);
        self.check();
        self
    }

    /// All harts do what they have to.
    pub(crate) fn settle(&mut self) -> &mut Stage {
        self.rig.interrupt();
        self.check();
        self
    }

    /// The hart that runs a thread.
    pub(crate) fn hart_of(&self, thread: usize) -> Option<usize> {
        let is_there = |hart: &usize| self.rig.runs(*hart).number() as usize == thread;
        (0..self.rig.harts()).find(is_there)
    }

    /// The threads that run, in order of their numbers.
    pub(crate) fn running(&self) -> Vec<usize> {
        let runs = (0..self.rig.harts()).map(|hart| self.rig.runs(hart));
        let user = runs.filter(|thread| thread.kind.get() != kind::IDLE);
        let mut numbers: Vec<usize> = user.map(|thread| thread.number() as usize).collect();
        numbers.sort_unstable();
        numbers
    }

    /// What the last call of a thread returned.
    pub(crate) fn returned(&mut self, thread: usize) -> Option<Results> {
        self.rig.take_results(thread)
    }

    /// Who runs for an entry of the queue, by what everybody can see.
    fn end_of(entry: Ref<Record>) -> Ref<Record> {
        if !entry.process.is_alive() {
            return entry.process.reaper;
        }
        let (mut at, mut links) = (entry, 0);
        while let Some(wanted) = at.wants()
            && let Some(owner) = wanted.owner()
            && links < 64
        {
            if !owner.process.is_alive() {
                // (a server that dies tells its clients; a mutex is given up)
                let is_left = owner.on.hart.get().is_none();
                return match wanted.made & object::KIND {
                    object::MUTEX if is_left => at,
                    _ => owner.process.reaper,
                };
            }
            if owner.waits().is_some() {
                break;
            }
            at = owner;
            links += 1;
        }
        at
    }

    /// The first ends of the queue, as many as there are harts that run threads.
    fn first_ends(&self) -> Vec<Ref<Record>> {
        let system = self.rig.kernel();
        let count = system.harts.count as usize;
        let mut ends: Vec<Ref<Record>> = Vec::new();
        let mut rank = Some(system.first_rank());
        while let Some(open) = rank {
            let head = open.head().expect("an open rank has a head");
            let mut entry = head;
            loop {
                let end = Stage::end_of(entry);
                let excludes = |other: &Ref<Record>| {
                    let is_parallel = *end.process.in_turn == 0;
                    std::ptr::eq(*other, end)
                        || !is_parallel && std::ptr::eq(other.process, end.process)
                };
                if !ends.iter().any(excludes) {
                    ends.push(end);
                }
                if ends.len() == count {
                    return ends;
                }
                entry = entry.next();
                if std::ptr::eq(entry, head) {
                    break;
                }
            }
            rank = system.next_rank(open);
        }
        ends
    }

    /// The entries of the queue, each with its end if that is another.
    pub(crate) fn queue(&self) -> String {
        let system = self.rig.kernel();
        let mut text = String::new();
        let mut rank = Some(system.first_rank());
        while let Some(open) = rank {
            text += &format!(" {}:", open.level());
            let head = open.head().expect("an open rank has a head");
            let mut entry = head;
            loop {
                let end = Stage::end_of(entry);
                text += &match std::ptr::eq(end, entry) {
                    true => format!(" {}", entry.number()),
                    false => format!(" {}->{}", entry.number(), end.number()),
                };
                entry = entry.next();
                if std::ptr::eq(entry, head) {
                    break;
                }
            }
            rank = system.next_rank(open);
        }
        text
    }

    /// What must hold when the lock is free: the Placing Invariant, and all others.
    pub(crate) fn check(&self) {
        let rig = &self.rig;
        rig.check_invariants();
        let system = rig.kernel();
        let apart = system.harts.apart as usize;
        let harts = apart..rig.harts();
        for hart in harts.clone() {
            let current = rig.runs(hart);
            let number = current.number();
            let is_dead =
                !current.process.is_alive() && !std::ptr::eq(current, current.process.reaper);
            assert!(
                !is_dead || rig.is_kicked(hart),
                "thread {number} of a dead process runs on hart {hart} for ever"
            );
            assert!(
                is_dead || current.waits().is_none(),
                "thread {number} runs on hart {hart} and waits"
            );
        }
        if (0..rig.harts()).any(|hart| rig.looks_on(hart)) {
            // (there was more to change than one placing may)
            return;
        }
        let ends = self.first_ends();
        let missing: Vec<u32> = ends
            .iter()
            .filter(|end| self.hart_of(end.number() as usize).is_none())
            .map(|end| end.number())
            .collect();
        let is_first = |thread: Ref<Record>| ends.iter().any(|end| std::ptr::eq(*end, thread));
        let on_their_way = harts
            .filter(|hart| rig.is_kicked(*hart) && !is_first(rig.runs(*hart)))
            .count();
        assert!(
            missing.len() <= on_their_way,
            "{missing:?} of the first wait, and {on_their_way} harts come; {:?} run; queue {}",
            self.running(),
            self.queue()
        );
    }

    /// When nobody is interrupted, all of the first run.
    pub(crate) fn check_at_rest(&self) {
        for end in self.first_ends() {
            assert!(
                self.hart_of(end.number() as usize).is_some(),
                "thread {} is one of the first and does not run",
                end.number()
            );
        }
    }
}

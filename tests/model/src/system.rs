//! A system: its processes, threads and objects, and who may use what.

use giornata_abi::system::{RIGHT_DIRECT, RIGHT_FULL, RIGHT_MANAGE, RIGHT_RECEIVE, RIGHT_USE};

/// Every right to an object.
pub const ALL_RIGHTS: u16 = RIGHT_USE | RIGHT_MANAGE | RIGHT_RECEIVE | RIGHT_DIRECT | RIGHT_FULL;

/// How a thread is scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduling {
    /// At a fixed priority, until it blocks.
    Fifo(u8),
    /// At a fixed priority, behind its equals after so many ticks.
    RoundRobin(u8, u64),
    /// By deadline, so many ticks after it became ready.
    Deadline(u64),
}

/// What a thread may execute in a period before it falls to a lower priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetSpec {
    /// Ticks in each period.
    pub capacity: u64,
    /// Ticks from one replenishment to the next; the first is at boot.
    pub period: u64,
    /// Its fixed priority when it has used its capacity.
    pub background: u8,
}

/// A thread, or a place for created ones.
#[derive(Clone, Copy, Debug)]
pub struct ThreadSpec {
    /// Its process.
    pub process: usize,
    /// How it is scheduled at first.
    pub scheduling: Scheduling,
    /// It is a place for created threads.
    pub spare: bool,
    /// Its budget, if it has one.
    pub budget: Option<BudgetSpec>,
}

/// A process.
#[derive(Clone, Copy, Debug)]
pub struct ProcessSpec {
    /// The most urgent priority that its threads may ask for.
    pub max_priority: u8,
    /// It begins anew when it has ended.
    pub restarts: bool,
    /// It does not begin at boot.
    pub by_call: bool,
    /// Who supervises it.
    pub supervisor: Option<usize>,
    /// Messages that it can have under way.
    pub messages: usize,
    /// Bytes of its longest message.
    pub message_size: usize,
}

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A mutex.
    Mutex {
        /// The priority at which its owner is queued at least.
        ceiling: Option<u8>,
        /// Threads of its process take it by a word of their memory.
        private: bool,
    },
    /// A counting semaphore.
    Semaphore {
        /// Its count at first.
        initial: u32,
        /// Its highest count.
        most: u32,
    },
    /// A condition variable.
    Condition,
    /// A mailbox; perhaps attached to another, to which its messages go.
    Mailbox {
        /// The mailbox of its server.
        server: Option<usize>,
    },
}

/// A slot for an object.
#[derive(Clone, Debug)]
pub struct ObjectSpec {
    /// What is created in it.
    pub kind: Kind,
    /// It exists at boot.
    pub at_boot: bool,
    /// What each process may do with it: bits of `RIGHT_`.
    pub rights: Vec<u16>,
}

/// A system.
#[derive(Clone, Debug)]
pub struct System {
    /// Processes by number.
    pub processes: Vec<ProcessSpec>,
    /// Threads by number; those of a process are neighbours.
    pub threads: Vec<ThreadSpec>,
    /// Objects by slot.
    pub objects: Vec<ObjectSpec>,
    /// The process that may await each interrupt line.
    pub lines: Vec<usize>,
    /// The fixed priority at which deadlines stand.
    pub band: u8,
    /// Threads that may wait for each other in a chain.
    pub depth: usize,
}

impl Default for System {
    fn default() -> System {
        System {
            processes: Vec::new(),
            threads: Vec::new(),
            objects: Vec::new(),
            lines: Vec::new(),
            band: 200,
            depth: 32,
        }
    }
}

impl System {
    /// Adds a process that may do everything.
    pub fn process(&mut self) -> usize {
        self.processes.push(ProcessSpec {
            max_priority: 255,
            restarts: false,
            by_call: false,
            supervisor: None,
            messages: 8,
            message_size: 64,
        });
        self.processes.len() - 1
    }

    /// Adds a thread to the process that was added last.
    pub fn thread(&mut self, scheduling: Scheduling) -> usize {
        self.threads.push(ThreadSpec {
            process: self.processes.len() - 1,
            scheduling,
            spare: false,
            budget: None,
        });
        self.threads.len() - 1
    }

    /// Adds a place for a created thread to the process that was added last.
    pub fn spare(&mut self) -> usize {
        let thread = self.thread(Scheduling::Fifo(0));
        self.threads[thread].spare = true;
        thread
    }

    /// Adds an object that exists at boot, and which every process may use and manage.
    pub fn object(&mut self, kind: Kind) -> usize {
        self.objects.push(ObjectSpec {
            kind,
            at_boot: true,
            rights: vec![ALL_RIGHTS; self.processes.len()],
        });
        self.objects.len() - 1
    }

    /// Adds a mutex.
    pub fn mutex(&mut self) -> usize {
        self.object(Kind::Mutex {
            ceiling: None,
            private: false,
        })
    }

    /// Adds a mutex with a ceiling.
    pub fn ceiling_mutex(&mut self, ceiling: u8) -> usize {
        self.object(Kind::Mutex {
            ceiling: Some(ceiling),
            private: false,
        })
    }

    /// Adds a semaphore with the count 0.
    pub fn semaphore(&mut self) -> usize {
        self.object(Kind::Semaphore {
            initial: 0,
            most: 100,
        })
    }

    /// Adds a mailbox.
    pub fn mailbox(&mut self) -> usize {
        self.object(Kind::Mailbox { server: None })
    }

    /// Adds an interrupt line of the process that was added last.
    pub fn line(&mut self) -> usize {
        self.lines.push(self.processes.len() - 1);
        self.lines.len() - 1
    }
}

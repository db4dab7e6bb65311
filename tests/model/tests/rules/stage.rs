//! Scenes: a system whose threads are told what to call, one after the other.

use giornata_abi::Error;
use giornata_abi::id::Id;
use giornata_test_model::model::{Event, Resumption, Word};
use giornata_test_model::request::NEVER;
use giornata_test_model::system::Scheduling::Fifo;
use giornata_test_model::{Model, Reply, Request, System};

pub(crate) const DONE: Reply = Reply::DONE;

/// One process with a thread of each priority.
pub(crate) fn threads(priorities: &[u8]) -> System {
    let mut system = System::default();
    system.process();
    for priority in priorities {
        system.thread(Fifo(*priority));
    }
    system
}

/// A process for each thread, which the first supervises.
pub(crate) fn processes(priorities: &[u8]) -> System {
    let mut system = System::default();
    for (number, priority) in priorities.iter().enumerate() {
        let process = system.process();
        system.processes[process].supervisor = (number > 0).then_some(0);
        system.thread(Fifo(*priority));
    }
    system
}

/// The model, and what each thread's calls returned so far.
pub(crate) struct Stage {
    pub(crate) model: Model,
    replies: Vec<Vec<Reply>>,
}

impl Stage {
    pub(crate) fn new(system: &System) -> Stage {
        let mut stage = Stage {
            model: Model::new(system),
            replies: vec![Vec::new(); system.threads.len()],
        };
        stage.look();
        stage
    }

    fn look(&mut self) {
        self.model.check_invariants();
        if let Some(thread) = self.model.runs()
            && let Resumption::Returns(reply) = self.model.take_resumption()
        {
            self.replies[thread].push(reply);
        }
    }

    pub(crate) fn event(&mut self, event: Event, now: u64) {
        self.model.apply(&event, now);
        self.look();
    }

    /// The thread that runs, which must be this one, makes a call.
    #[track_caller]
    pub(crate) fn call(&mut self, thread: usize, request: Request) -> &mut Stage {
        assert_eq!(self.model.runs(), Some(thread), "it is not its turn");
        let now = self.model.now();
        self.event(Event::Call(request), now);
        self
    }

    /// The clock comes to an instant, with everything that is due on the way.
    pub(crate) fn pass(&mut self, until: u64) -> &mut Stage {
        while let Some(at) = self.model.next_event().filter(|at| *at <= until) {
            self.event(Event::Timer, at.max(self.model.now()));
        }
        self.event(Event::Timer, until);
        self
    }

    #[track_caller]
    pub(crate) fn runs(&mut self, thread: usize) -> &mut Stage {
        assert_eq!(self.model.runs(), Some(thread));
        self
    }

    #[track_caller]
    pub(crate) fn idles(&mut self) -> &mut Stage {
        assert_eq!(self.model.runs(), None);
        self
    }

    /// What a thread's last call that it has heard of returned.
    pub(crate) fn last(&self, thread: usize) -> Option<Reply> {
        self.replies[thread].last().cloned()
    }

    /// The same, as an error.
    pub(crate) fn error(&self, thread: usize) -> Option<Error> {
        self.last(thread)?.error()
    }

    /// The values that a thread's last call returned.
    #[track_caller]
    pub(crate) fn values(&self, thread: usize) -> [u32; 6] {
        let reply = self.last(thread).expect("it returned");
        reply.values.expect("it succeeded")
    }

    pub(crate) fn store(&mut self, thread: usize, object: usize, word: Word) {
        self.runs(thread);
        let now = self.model.now();
        self.event(Event::Store(object, word), now);
    }

    // --- calls of the running thread ---

    pub(crate) fn id(&self, object: usize) -> Id {
        self.model.object_id(object)
    }

    #[track_caller]
    pub(crate) fn lock(&mut self, thread: usize, mutex: usize) -> &mut Stage {
        self.lock_until(thread, mutex, NEVER)
    }

    #[track_caller]
    pub(crate) fn lock_until(&mut self, thread: usize, mutex: usize, until: u64) -> &mut Stage {
        let object = self.id(mutex);
        self.call(thread, Request::Lock { object, until })
    }

    #[track_caller]
    pub(crate) fn unlock(&mut self, thread: usize, mutex: usize) -> &mut Stage {
        let object = self.id(mutex);
        self.call(thread, Request::Unlock { object })
    }

    #[track_caller]
    pub(crate) fn sleep(&mut self, thread: usize, until: u64) -> &mut Stage {
        self.call(thread, Request::Sleep { until })
    }

    #[track_caller]
    pub(crate) fn wait(&mut self, thread: usize, condition: usize, mutex: usize) -> &mut Stage {
        self.wait_until(thread, condition, mutex, NEVER)
    }

    #[track_caller]
    pub(crate) fn wait_until(
        &mut self,
        thread: usize,
        condition: usize,
        mutex: usize,
        until: u64,
    ) -> &mut Stage {
        let condition = self.id(condition);
        self.call(
            thread,
            Request::Wait {
                condition,
                mutex,
                until,
            },
        )
    }

    #[track_caller]
    pub(crate) fn signal(&mut self, thread: usize, condition: usize) -> &mut Stage {
        let condition = self.id(condition);
        self.call(thread, Request::Signal { condition })
    }

    #[track_caller]
    pub(crate) fn set_priority(
        &mut self,
        thread: usize,
        other: usize,
        priority: u32,
    ) -> &mut Stage {
        let id = self.model.thread_id(other);
        self.call(
            thread,
            Request::SetPriority {
                thread: id,
                priority,
            },
        )
    }

    #[track_caller]
    pub(crate) fn request(&mut self, thread: usize, mailbox: usize, word: u32) -> &mut Stage {
        let mailbox = self.id(mailbox);
        self.call(
            thread,
            Request::Call {
                mailbox,
                priority: 0,
                words: [word, 0, 0, 0],
            },
        )
    }

    #[track_caller]
    pub(crate) fn receive(&mut self, thread: usize, mailbox: usize) -> &mut Stage {
        let mailbox = self.id(mailbox);
        self.call(
            thread,
            Request::Receive {
                mailbox,
                until: NEVER,
            },
        )
    }

    /// Replies to the client whose request came last, and receives.
    #[track_caller]
    pub(crate) fn reply(&mut self, thread: usize, word: u32) -> &mut Stage {
        let (client, token) = self.model.client(thread).expect("a client");
        self.reply_to(thread, client, token, word)
    }

    #[track_caller]
    pub(crate) fn reply_to(
        &mut self,
        thread: usize,
        client: usize,
        token: u32,
        word: u32,
    ) -> &mut Stage {
        self.call(
            thread,
            Request::ReplyReceive {
                client: Some(client),
                token,
                words: [word, 0, 0, 0],
            },
        )
    }

    /// Forwards the request that came last.
    #[track_caller]
    pub(crate) fn forward(&mut self, thread: usize, mailbox: usize) -> &mut Stage {
        let (client, token) = self.model.client(thread).expect("a client");
        let mailbox = self.id(mailbox);
        self.call(
            thread,
            Request::Forward {
                mailbox,
                client,
                token,
            },
        )
    }

    #[track_caller]
    pub(crate) fn kill(&mut self, thread: usize, process: usize) -> &mut Stage {
        self.call(thread, Request::KillProcess { process })
    }
}

//! A system of a few threads and mailboxes, driven call by call.

use giornata_abi::Error;
use giornata_abi::call::{Call, NOBODY};
use giornata_abi::message::receive;
use giornata_core::sched::thread::role;
use giornata_host::{MEMORY, Results, Rig};
use giornata_records::{Description, Object, ObjectKind, Process, Rights, Thread};

/// An instant that never comes, in two registers.
pub(crate) const EVER: [usize; 2] = [0xFFFF_FFFF; 2];
/// Does not wait.
pub(crate) const NOW: [usize; 2] = [0; 2];
/// Bytes of a process's data.
pub(crate) const DATA: usize = 0x1000;
/// Where the rooms of messages lie in the simulated memory.
const ROOMS: usize = 0x8_0000;
/// All rights.
pub(crate) const ALL: Rights = Rights {
    used: true,
    managed: true,
    received: true,
    direct: true,
    full: true,
};
/// All but to be a protocol server.
pub(crate) const PLAIN: Rights = Rights { full: false, ..ALL };

/// The user address at which the data of a process begins.
pub(crate) fn data(process: usize) -> usize {
    0x40_0000 + process * 0x1_0000
}

/// A system of processes without threads, each with four messages of up to 200 bytes.
pub(crate) fn system(processes: usize) -> Description {
    let process = |index: usize| Process {
        max_priority: 255,
        data: (
            data(index) as u64,
            DATA as u64,
            (MEMORY + index * DATA) as u64,
        ),
        messages: (4, 200),
        rooms: Some((MEMORY + ROOMS + index * 0x1000) as u64),
        ..Process::default()
    };
    Description {
        band: 200,
        processes: (0..processes).map(process).collect(),
        trace_records: 64,
        ..Description::default()
    }
}

/// A system of one process with threads of these priorities.
pub(crate) fn threads(priorities: &[u8]) -> Description {
    let mut all = system(1);
    for priority in priorities {
        thread(&mut all, 0, *priority);
    }
    all
}

/// A system with a process for each of these priorities.
pub(crate) fn processes(priorities: &[u8]) -> Description {
    let mut all = system(priorities.len());
    for (process, priority) in priorities.iter().enumerate() {
        thread(&mut all, process, *priority);
    }
    all
}

pub(crate) fn thread(all: &mut Description, process: usize, priority: u8) {
    all.threads.push(Thread {
        process,
        priority,
        role: role::AUTOSTART,
        ..Thread::default()
    });
}

/// An object with these rights for all processes; its slot.
pub(crate) fn object(all: &mut Description, kind: ObjectKind, rights: Rights) -> usize {
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

/// A mailbox.
pub(crate) fn mailbox(all: &mut Description, rights: Rights) -> usize {
    object(all, ObjectKind::Mailbox, rights)
}

/// A rig whose threads are driven by what runs.
pub(crate) struct Stage {
    pub rig: Rig,
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
    pub(crate) fn call(&mut self, thread: usize, call: Call, arguments: [usize; 6]) -> &mut Stage {
        self.runs(thread);
        self.rig.call(call, arguments);
        self.rig.check_invariants();
        self
    }

    /// What the last call of a thread has returned.
    #[track_caller]
    pub(crate) fn results(&mut self, thread: usize) -> Results {
        let results = self.rig.take_results(thread);
        results.unwrap_or_else(|| panic!("the call of {thread} has not returned"))
    }

    /// It has returned success and these values; 0 behind them.
    #[track_caller]
    pub(crate) fn returned(&mut self, thread: usize, values: &[usize]) -> &mut Stage {
        let mut expected = [0; 7];
        expected[1..=values.len()].copy_from_slice(values);
        assert_eq!(self.results(thread), expected);
        self
    }

    #[track_caller]
    pub(crate) fn refused(&mut self, thread: usize, error: Error) -> &mut Stage {
        assert_eq!(self.results(thread), [error as usize, 0, 0, 0, 0, 0, 0]);
        self
    }

    #[track_caller]
    pub(crate) fn advance(&mut self, ticks: u64) -> &mut Stage {
        self.rig.advance(ticks);
        self.rig.check_invariants();
        self
    }

    #[track_caller]
    pub(crate) fn sleep(&mut self, thread: usize, until: usize) -> &mut Stage {
        self.call(thread, Call::Sleep, [until, 0, 0, 0, 0, 0])
    }

    /// Sends a word.
    #[track_caller]
    pub(crate) fn send(
        &mut self,
        thread: usize,
        to: usize,
        priority: usize,
        word: usize,
    ) -> &mut Stage {
        let arguments = [to | priority << 16, 1, word, 0, 0, 0];
        self.call(thread, Call::Send, arguments)
    }

    #[track_caller]
    pub(crate) fn receive(&mut self, thread: usize, from: usize) -> &mut Stage {
        self.receive_until(thread, from, EVER)
    }

    #[track_caller]
    pub(crate) fn receive_until(
        &mut self,
        thread: usize,
        from: usize,
        [low, high]: [usize; 2],
    ) -> &mut Stage {
        self.call(thread, Call::Receive, [from, 1, low, high, 0, 0])
    }

    /// A receiver has this word, of a message that is no request.
    #[track_caller]
    pub(crate) fn has_word(&mut self, thread: usize, priority: usize, word: usize) -> &mut Stage {
        self.returned(thread, &[word, 0, 0, 0, priority | NOBODY << 16])
    }

    /// Sends bytes of the process's data.
    #[track_caller]
    pub(crate) fn send_bytes(
        &mut self,
        thread: usize,
        to: usize,
        length: usize,
        (how, via): (usize, usize),
    ) -> &mut Stage {
        let address = self.rig.thread(thread).process.data;
        self.call(thread, Call::SendBytes, [to, 1, address, length, how, via])
    }

    #[track_caller]
    pub(crate) fn receive_bytes(
        &mut self,
        thread: usize,
        from: usize,
        capacity: usize,
    ) -> &mut Stage {
        self.receive_at(thread, from, self.rig.thread(thread).process.data, capacity)
    }

    #[track_caller]
    pub(crate) fn receive_at(
        &mut self,
        thread: usize,
        from: usize,
        address: usize,
        capacity: usize,
    ) -> &mut Stage {
        let [low, high] = EVER;
        let arguments = [from, 1, low, high, address, capacity];
        self.call(thread, Call::ReceiveBytes, arguments)
    }

    /// Receives as a protocol server.
    #[track_caller]
    pub(crate) fn serve(&mut self, thread: usize, from: usize) -> &mut Stage {
        self.serve_until(thread, from, EVER)
    }

    #[track_caller]
    pub(crate) fn serve_until(
        &mut self,
        thread: usize,
        from: usize,
        [low, high]: [usize; 2],
    ) -> &mut Stage {
        let address = self.rig.thread(thread).process.data;
        let arguments = [from, 1, low, high, address, 200 | receive::FULL << 16];
        self.call(thread, Call::ReceiveBytes, arguments)
    }

    /// Requests a word.
    #[track_caller]
    pub(crate) fn request(&mut self, thread: usize, to: usize, word: usize) -> &mut Stage {
        self.call(thread, Call::Call, [to, 1, word, 0, 0, 0])
    }

    /// A server has this word of a client; the token.
    #[track_caller]
    pub(crate) fn has_request(&mut self, thread: usize, client: usize, word: usize) -> usize {
        let results = self.results(thread);
        assert_eq!(results[..6], [0, word, 0, 0, 0, client << 16]);
        assert_ne!(results[6], 0, "a token");
        results[6]
    }

    /// Replies a word and receives.
    #[track_caller]
    pub(crate) fn reply(
        &mut self,
        thread: usize,
        client: usize,
        token: usize,
        word: usize,
    ) -> &mut Stage {
        self.call(thread, Call::ReplyReceive, [client, token, word, 0, 0, 0])
    }

    /// The fixed priority at which a thread stands, or waits.
    pub(crate) fn priority(&self, thread: usize) -> u32 {
        256 - self.rig.thread(thread).rank().level()
    }

    /// Messages of a process that are free.
    pub(crate) fn free(&self, process: usize) -> usize {
        self.rig.process(process).free_messages()
    }

    /// Puts bytes into the data of a process.
    pub(crate) fn set_data(&mut self, process: usize, bytes: &[u8]) -> &mut Stage {
        for (index, word) in bytes.chunks(4).enumerate() {
            let mut whole = [0; 4];
            whole[..word.len()].copy_from_slice(word);
            self.rig
                .set_word(process * DATA + 4 * index, u32::from_le_bytes(whole));
        }
        self
    }

    /// The first bytes of the data of a process.
    pub(crate) fn data(&self, process: usize, length: usize) -> Vec<u8> {
        let words = (0..length.div_ceil(4)).map(|index| self.rig.word(process * DATA + 4 * index));
        let mut bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        bytes.truncate(length);
        bytes
    }
}

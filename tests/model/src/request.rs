//! System calls with typed arguments, and what they return.

use giornata_abi::Error;
use giornata_abi::id::Id;

/// Waits for ever.
pub const NEVER: u64 = u64::MAX;

/// What `from` of a long message says of an incoming one.
pub const INCOMING: u32 = 1 << 16;

/// The same of a request.
pub const ENVELOPE_CALL: u32 = giornata_abi::call::ENVELOPE_CALL as u32;

/// A system call of the thread that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    missing_docs,
    reason = "the calls are documented in giornata_abi::call"
)]
pub enum Request {
    Yield,
    Exit {
        value: u32,
    },
    Sleep {
        until: u64,
    },
    AwaitInterrupt {
        line: usize,
    },
    SetPriority {
        thread: Id,
        priority: u32,
    },
    CreateObject {
        slot: usize,
        server: Option<usize>,
    },
    DeleteObject {
        object: Id,
    },
    OpenObject {
        slot: usize,
    },
    Lock {
        object: Id,
        until: u64,
    },
    Unlock {
        object: Id,
    },
    Wait {
        condition: Id,
        mutex: usize,
        until: u64,
    },
    Signal {
        condition: Id,
    },
    Broadcast {
        condition: Id,
    },
    Send {
        mailbox: Id,
        priority: u8,
        words: [u32; 4],
    },
    SendBytes {
        mailbox: Id,
        priority: u8,
        bytes: Vec<u8>,
        route: Route,
    },
    Receive {
        mailbox: Id,
        until: u64,
    },
    ReceiveBytes {
        mailbox: Id,
        until: u64,
        capacity: usize,
        full: bool,
    },
    CreateThread {
        priority: u32,
    },
    JoinThread {
        thread: Id,
        until: u64,
    },
    DetachThread {
        thread: Id,
    },
    CreateProcess {
        process: usize,
    },
    KillProcess {
        process: usize,
    },
    AwaitProcess {
        until: u64,
    },
    Call {
        mailbox: Id,
        priority: u8,
        words: [u32; 4],
    },
    ReplyReceive {
        client: Option<usize>,
        token: u32,
        words: [u32; 4],
    },
    Forward {
        mailbox: Id,
        client: usize,
        token: u32,
    },
}

/// The way of a long message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// To the mailbox, or to the server that it is attached to.
    Usual,
    /// Past the server.
    Direct,
    /// By the server with this mailbox, to this node.
    Via(usize, u16),
}

/// What a call returned: the error, or up to six values in the order of the registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Values of the registers after the first, or why the call was refused.
    pub values: Result<[u32; 6], Error>,
    /// What came into the caller's memory.
    pub bytes: Option<Vec<u8>>,
}

impl Reply {
    /// Success without values.
    pub const DONE: Reply = Reply {
        values: Ok([0; 6]),
        bytes: None,
    };

    /// A refusal.
    pub const fn refused(error: Error) -> Reply {
        Reply {
            values: Err(error),
            bytes: None,
        }
    }

    /// Success with values; the registers behind them are 0.
    pub fn values(values: &[u32]) -> Reply {
        let mut all = [0; 6];
        all[..values.len()].copy_from_slice(values);
        Reply {
            values: Ok(all),
            bytes: None,
        }
    }

    /// The error, if it is one.
    pub fn error(&self) -> Option<Error> {
        self.values.err()
    }
}

impl From<Error> for Reply {
    fn from(error: Error) -> Reply {
        Reply::refused(error)
    }
}

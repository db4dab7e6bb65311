//! System calls: number in `a7`, arguments in `a0..a5`, results
//! in `a0..a6`.
//!
//! `a0` of the result is 0 or an [`Error`](crate::Error); values follow in `a1..`.
//! Registers that a result does not name come back as 0, but for [`Call::Null`].
//! Instants are absolute ticks in two registers of 32 bits, low first, on every
//! architecture: 0 does not wait, 2^64 - 1 waits for ever. An id is two registers,
//! slot then serial number, see [`Id`](crate::id::Id); `slot+x` is a slot in
//! bits 0..16 and `x` in bits 16..32 of one register.
//!
//! Calls are numbered by who may make them, so that one comparison refuses a caller:
//! upcalls those below [`Call::OF_UPCALLS`], tasks those below [`Call::OF_TASKS`], other
//! threads all. (`Return` and `Complete` refuse for themselves whoever runs no upcall or
//! job.)

macro_rules! calls {
    ($($(#[doc = $doc:literal])* $name:ident = $code:literal, $text:literal, $who:ident, $errors:literal;)*) => {
        /// A system call.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Call { $($(#[doc = $doc])* $name = $code,)* }

        impl Call {
            /// Every call.
            pub const ALL: &'static [Call] = &[$(Call::$name,)*];

            /// The call with this number.
            pub const fn from_number(number: usize) -> Option<Call> {
                match number { $($code => Some(Call::$name),)* _ => None }
            }

            /// Its name, with arguments and results.
            pub const fn signature(self) -> &'static str {
                match self { $(Call::$name => $text,)* }
            }

            /// Who may make it.
            pub const fn callers(self) -> Callers {
                match self { $(Call::$name => Callers::$who,)* }
            }

            /// The errors it can answer, besides EPERM for a caller that may not make it.
            pub const fn errors(self) -> &'static str {
                match self { $(Call::$name => $errors,)* }
            }
        }
    };
}

/// Which kinds of threads may make a call; others get EPERM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callers {
    /// Every thread.
    All,
    /// Every thread except an upcall, which may make [`Call::Panic`] nevertheless.
    Any,
    /// Ordinary threads: neither tasks nor upcalls.
    Thread,
    /// Tasks.
    Task,
    /// Upcalls.
    Upcall,
}

calls! {
    /// Does nothing. Never blocks. O(1). Registers other than `a0` stay as they were.
    Null = 0, "null()", All, "";
    /// Ends an upcall with a value. Returns, on an empty stack, with the block and the body of the next upcall.
    Return = 1, "return(value) -> body", Upcall, "";
    /// The calling process faults as by a panic; `address`, `length`: what it tells, read as far as it can be, see [`panic`](crate::panic). Does not return.
    Panic = 2, "panic(address, length, line)", All, "";
    /// Gives the processor to the next thread of equal urgency. O(1).
    Yield = 3, "yield()", Any, "";
    /// Ends the job of the calling task. Returns when the task has its next job.
    Complete = 4, "complete()", Task, "";
    /// Ticks since the system started.
    Clock = 5, "clock() -> low, high", Any, "";
    /// Ticks that the calling thread has executed.
    CpuTime = 6, "cpu_time() -> low, high", Any, "";
    /// Adds up to 16 bytes to the trace as text: `length` bytes from four 32-bit words; bit 8 of `length`: more follows.
    Log = 7, "log(length, word0, word1, word2, word3)", Any, "EINVAL";
    /// Stops the machine with a status 0..=255; needs the `shutdown` grant.
    Shutdown = 8, "shutdown(status)", Any, "EPERM EINVAL";
    /// The caller's own thread id, and the lowest address and the bytes of its stack.
    Own = 9, "own() -> slot, serial, stack, length", Any, "";
    /// Copies the value of port `port` to `length` bytes at `address`. O(bytes), in pieces.
    ReadPort = 10, "read_port(port, address, length)", Any, "ESRCH EPERM EINVAL EFAULT";
    /// Ends the calling thread with a value for its joiner. Mutexes that it owns pass to their waiters (EOWNERDEAD). Does not return.
    Exit = 11, "exit(value)", Thread, "";
    /// Blocks until an absolute instant; returns at once if it has passed. EINVAL: it never comes.
    Sleep = 12, "sleep(low, high)", Thread, "EINVAL";
    /// Blocks until interrupt `number`, which the process is granted, comes; one that came before the call counts. The line stays masked from its coming to the next call.
    AwaitInterrupt = 13, "await_interrupt(number)", Thread, "EPERM EBUSY";
    /// Writes `length` bytes at `address` to port `port`: an event for triggers. O(bytes), in pieces.
    WritePort = 14, "write_port(port, address, length)", Thread, "ESRCH EPERM EINVAL EFAULT";
    /// Changes the fixed priority of a thread of the caller's process, up to what the manifest grants, and not that of the deadline band.
    SetPriority = 15, "set_priority(slot, serial, priority)", Thread, "ESRCH EPERM EINVAL";
    /// Copies a piece of a linked program into the program's spare room. O(bytes).
    StageProgram = 16, "stage_program(program+section, place, address, length)", Thread, "ESRCH EPERM EINVAL EFAULT EBUSY";
    /// Asks for what has been staged to take the program's place. Returns before it happens.
    SwitchProgram = 17, "switch_program(program, address, how, low, high)", Thread, "ESRCH EPERM EINVAL EFAULT EBUSY";
    /// State of the program: bits of [`load::state`](crate::load::state), the tag of its module, how many changes of programs there have been.
    ProgramStatus = 18, "program_status(program) -> state, tag, changes", Thread, "ESRCH EPERM";
    /// Physical address of a byte of the caller's data: needs the `trusted-dma` grant.
    DeviceAddress = 19, "device_address(address) -> physical", Thread, "EPERM EFAULT";
    /// Makes the object of a slot anew; its earlier ids name nothing any more. `how` bit 0: a mailbox attached to the mailbox `server`. EAGAIN: the ids of the slot are used up. O(1).
    CreateObject = 20, "create_object(slot, how, server slot) -> slot, serial", Thread, "ESRCH EPERM EEXIST EINVAL EAGAIN";
    /// Ends an object: its waiters get EIDRM, a mutex has no owner any more. O(waiters), in pieces.
    DeleteObject = 21, "delete_object(slot, serial)", Thread, "ESRCH EPERM";
    /// The id of the object that lives in a slot now. O(1).
    OpenObject = 22, "open_object(slot) -> slot, serial", Thread, "ESRCH EPERM";
    /// Takes a mutex, or one of a semaphore's count; waits at most until an instant (0: EBUSY). EAGAIN: the caller owns 64 mutexes with ceilings. EOWNERDEAD: the caller owns the mutex all the same. `word`: address of the word of a private one, see [`word`](crate::word); 0 = none.
    Lock = 23, "lock(slot, serial, low, high, word)", Thread, "ESRCH EPERM EINVAL EBUSY EAGAIN EDEADLK ETIMEDOUT EOWNERDEAD EIDRM EFAULT";
    /// Gives a mutex back, or one to a semaphore's count. EPERM: the caller does not own the mutex.
    Unlock = 24, "unlock(slot, serial, word)", Thread, "ESRCH EPERM EINVAL EOVERFLOW EFAULT";
    /// Gives the mutex back and waits for a signal; owns the mutex again when it returns, with ETIMEDOUT too. `mutex` is a slot; its serial is that of the tenant that the caller owns (EPERM: it owns none).
    Wait = 25, "wait(slot, serial, mutex slot, low, high, word)", Thread, "ESRCH EPERM EINVAL ETIMEDOUT EOWNERDEAD EIDRM EFAULT EDEADLK";
    /// The most urgent thread that waits for a condition goes on when it has its mutex. O(1).
    Signal = 26, "signal(slot, serial)", Thread, "ESRCH EPERM EINVAL";
    /// As many signals as threads wait. O(waiters), in pieces.
    Broadcast = 27, "broadcast(slot, serial)", Thread, "ESRCH EPERM EINVAL";
    /// Sends four 32-bit words to a mailbox; `priority` 0..=255, more urgent ones are higher. Takes a message of the pool of the caller's process (EAGAIN: there is none) unless a thread waits for it in `receive`. Never blocks. O(distinct priorities).
    Send = 28, "send(slot+priority, serial, word0, word1, word2, word3)", Thread, "ESRCH EPERM EINVAL EAGAIN";
    /// Sends `length` bytes at `address`; `how`: bits of [`send`](crate::message::send). With a server (the slot of its mailbox in the low half of `via`, the node of the destination in the high half) the message goes there, and the destination with it. Never blocks. O(bytes), in pieces.
    SendBytes = 29, "send_bytes(slot+priority, serial, address, length, how, via)", Thread, "ESRCH EPERM EINVAL EAGAIN EFAULT EMSGSIZE";
    /// Takes the message of highest priority, the oldest of these, if it has 16 bytes at most; waits at most until an instant (0: EAGAIN). For a call the upper half of `a5` is the slot of the client and `a6` the token of the reply; else the slot is [`NOBODY`].
    Receive = 30, "receive(slot, serial, low, high) -> word0, word1, word2, word3, priority+slot, token", Thread, "ESRCH EPERM EINVAL EAGAIN ETIMEDOUT EIDRM EMSGSIZE";
    /// The same into memory; `how`: bits of [`receive`](crate::message::receive). A server, which asks for all, runs at the urgency of the messages in its mailbox and in its hand; EBUSY: another is the server, or the caller is that of [`SERVED`](crate::message::SERVED) mailboxes. Length and capacity in bits 0..16, priority and `how` in bits 16..32; `from`: see [`Envelope`](crate::message::Envelope). Of a call, which has [`ENVELOPE_CALL`] in `from`, the sender's serial number is the token of the reply.
    ReceiveBytes = 31, "receive_bytes(slot, serial, low, high, address, capacity+how) -> length+priority, destination slot, destination serial, from, sender slot, sender serial", Thread, "ESRCH EPERM EINVAL EAGAIN EBUSY ETIMEDOUT EIDRM EMSGSIZE EFAULT";
    /// Starts a thread of the caller's process in one of its spare places (EAGAIN: all are taken): at `body`, with `argument`, at a priority up to what the manifest grants. O(1).
    CreateThread = 32, "create_thread(body, argument, priority) -> slot, serial", Thread, "EPERM EAGAIN";
    /// Waits for the end of a created thread of the caller's process, at most until an instant (0: EBUSY), and frees its place. EINVAL: it is detached, was not created, or is joined by another. O(1).
    JoinThread = 33, "join_thread(slot, serial, low, high) -> value", Thread, "ESRCH EINVAL EDEADLK EBUSY ETIMEDOUT";
    /// Says that nobody will join a created thread of the caller's process: its place is freed when it ends. O(1).
    DetachThread = 34, "detach_thread(slot, serial)", Thread, "ESRCH EINVAL";
    /// Starts a process that the caller's supervises and that has ended, or has not begun, from its image. It is restored in pieces, at the caller's urgency.
    CreateProcess = 35, "create_process(process)", Thread, "ESRCH EPERM EEXIST EBUSY";
    /// Ends a process that the caller's supervises, as a fault would: its policy says what comes then.
    KillProcess = 36, "kill_process(process)", Thread, "ESRCH EPERM";
    /// Waits for the next process that ended, or was restarted, of those that the caller's supervises: what came before the call counts. `generation`: how often it has begun anew; bit 16 of `how`: it was restarted; below: a [`FaultCause`](crate::trace::FaultCause). O(processes).
    AwaitProcess = 37, "await_process(low, high) -> process, generation, how", Thread, "EPERM EBUSY EAGAIN ETIMEDOUT";
    /// Takes memory of the quota of the caller's process, zeroed, in multiples of 16 bytes; the process has it until it ends. O(1).
    Allocate = 38, "allocate(bytes) -> address", Thread, "ENOMEM";
    /// Opens a region of shared memory to the caller's process until it detaches it or ends: at an address that is the same in every process. `how`: 0 to read and write, 1 to read only. What nobody has attached is zeroed first, as a call that begins again. EEXIST: the process has it.
    AttachRegion = 39, "attach_region(index, how) -> address, length", Thread, "ESRCH EPERM EINVAL EEXIST";
    /// Closes a region of shared memory to the caller's process. When nobody has it, what it held is gone. EINVAL: the process does not have it. O(1).
    DetachRegion = 40, "detach_region(index)", Thread, "ESRCH EPERM EINVAL";
    /// Sends four words to a mailbox and waits for the reply: the client keeps its place in the ready queue and the server runs on it. EIDRM: the server ended with the request in its hand.
    Call = 41, "call(slot+priority, serial, word0, word1, word2, word3) -> word0, word1, word2, word3", Thread, "ESRCH EPERM EINVAL EAGAIN EDEADLK EIDRM";
    /// Replies to the client `slot` of a call (`NOBODY`: to none; a token that is stale is dropped) and waits for the next message of the mailbox from which the caller received last (EINVAL: none). Two hand-overs in registers. O(1).
    ReplyReceive = 42, "reply_receive(slot, token, word0, word1, word2, word3) -> word0, word1, word2, word3, priority+slot, token", Thread, "ESRCH EPERM EINVAL EIDRM";
    /// Hands a request that the caller has received on to another mailbox, past itself if it serves that (EPERM: it may not send directly); the client, which its slot and the token name (EINVAL: they are stale), waits for that server from now on.
    Forward = 43, "forward(slot, serial, client slot, token)", Thread, "ESRCH EPERM EINVAL EAGAIN EDEADLK";
    /// Bytes that the kernel has written into the trace ring since boot, modulo 2^32; needs the trace ring.
    TracePosition = 44, "trace_position() -> bytes", Thread, "EPERM";
}

/// In the word `from` of what a server receives: it is a call.
pub const ENVELOPE_CALL: usize = 1 << 17;

/// The slot of no thread.
pub const NOBODY: usize = 0xFFFF;

impl Call {
    /// How many calls there are.
    pub const COUNT: usize = Call::ALL.len();
    /// How many of them upcalls may make.
    pub const OF_UPCALLS: usize = Call::Panic as usize + 1;
    /// How many of them tasks may make.
    pub const OF_TASKS: usize = Call::ReadPort as usize + 1;
    /// Entries of the kernel's table of calls: the last is that of no call.
    pub const TABLE: usize = Call::COUNT + 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_tells_who_may_make_a_call() {
        for call in Call::ALL {
            let number = *call as usize;
            let (task, upcall) = (number < Call::OF_TASKS, number < Call::OF_UPCALLS);
            match call.callers() {
                Callers::All => assert!(task && upcall, "{call:?}"),
                Callers::Any => assert!(task && !upcall, "{call:?}"),
                Callers::Thread => assert!(!task && !upcall, "{call:?}"),
                // (a task that returns, and a thread that does either, is refused by the call)
                Callers::Task => assert!(task && !upcall, "{call:?}"),
                Callers::Upcall => assert!(upcall, "{call:?}"),
            }
        }
        assert_eq!(
            Call::ALL.last().map(|last| *last as usize + 1),
            Some(Call::COUNT)
        );
    }
}

/// The register words of a call as the kernel gets them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)] // the way into a kernel writes it
pub struct Request {
    /// `a7`.
    pub number: usize,
    /// `a0..=a5`.
    pub arguments: [usize; 6],
}

/// What goes back into `a0..=a5`; the other registers a call may clobber are zeroed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer(pub [usize; 6]);

impl Answer {
    /// Success without results.
    pub const DONE: Answer = Answer([0; 6]);

    /// A refusal.
    pub const fn error(error: crate::Error) -> Answer {
        Answer([error as usize, 0, 0, 0, 0, 0])
    }

    /// Success with a 64-bit result in two halves.
    pub const fn wide(value: u64) -> Answer {
        Answer::words([(value & 0xFFFF_FFFF) as usize, (value >> 32) as usize, 0])
    }

    /// Success with three results.
    pub const fn words(values: [usize; 3]) -> Answer {
        let [a, b, c] = values;
        Answer([0, a, b, c, 0, 0])
    }

    /// Success with one result.
    pub const fn word(value: usize) -> Answer {
        Answer([0, value, 0, 0, 0, 0])
    }
}

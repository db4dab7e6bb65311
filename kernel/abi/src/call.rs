//! System calls: number in `a7`, arguments in `a0..`, answer in `a0..`.
//!
//! `a0` of the answer is 0 or an [`Error`](crate::Error); results follow in
//! `a1..`. Durations and instants travel as two 32-bit halves, low first, on
//! every architecture. What the answer does not name comes back as 0.

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

pub(crate) use calls;

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
    /// Does nothing. Never blocks. O(1). Registers that are no answer stay as they were.
    Null = 0, "null()", All, "";
    /// Ends an upcall with a value. Does not return.
    Return = 1, "return(value)", Upcall, "";
    /// The calling process faults as by a panic; `address`, `length`: the message, read as far as it can be. Upcalls may make it too. Does not return.
    Panic = 2, "panic(address, length, line)", Any, "";
    /// Gives the processor to the next thread of equal urgency. O(1).
    Yield = 3, "yield()", Any, "";
    /// Ends the job of the calling task. Does not return.
    Complete = 4, "complete()", Task, "";
    /// The clock latched at entry: nanoseconds since the system started.
    Clock = 5, "clock() -> low, high", Any, "";
    /// Execution time of the calling thread so far, in ns.
    CpuTime = 6, "cpu_time() -> low, high", Any, "";
    /// Adds up to 16 bytes to the trace as text: `length` bytes from four 32-bit words; bit 8 of `length`: more follows.
    Log = 7, "log(length, word0, word1, word2, word3)", Any, "EINVAL";
    /// Stops the machine with a status 0..=255; needs the `shutdown` grant.
    Shutdown = 8, "shutdown(status)", Any, "EPERM EINVAL";
    /// The caller's own thread id, and the lowest address and the bytes of its stack.
    Own = 9, "own() -> id, stack, length", Any, "";
    /// Copies the value of port `port` to `length` bytes at `address`.
    ReadPort = 10, "read_port(port, address, length)", Any, "ESRCH EPERM EINVAL EFAULT";
    /// Ends the calling thread; who joins it gets the value. Mutexes that it has go to those that wait for them (EOWNERDEAD). Does not return.
    Exit = 11, "exit(value)", Thread, "";
    /// Blocks until an absolute instant; returns at once if it has passed.
    Sleep = 12, "sleep(low, high)", Thread, "EINVAL";
    /// Blocks until interrupt `number`, which the process is granted, comes; one that came before the call counts. The line stays masked from its coming to the next call.
    AwaitInterrupt = 13, "await_interrupt(number)", Thread, "EPERM EBUSY";
    /// Writes `length` bytes at `address` to port `port`: an event for triggers.
    WritePort = 14, "write_port(port, address, length)", Thread, "ESRCH EPERM EINVAL EFAULT";
    /// Changes the band of a thread of the caller's process: fixed priority, up to what the manifest grants, and not that of the deadline band.
    SetPriority = 15, "set_priority(thread, priority)", Thread, "ESRCH EPERM EINVAL";
    /// Copies `length` bytes, whole records and at most 64 bytes, at `address` to record `place` of a [`Section`](crate::load::Section) (bits 16 and up of `section`: the program) of the program's spare room. O(bytes).
    StageProgram = 16, "stage_program(program_section, place, address, length)", Thread, "ESRCH EPERM EINVAL EFAULT EBUSY";
    /// Asks for what has been staged to take the program's place: `address` is that of a [`Frame`](crate::load::Frame), `how` a [`How`](crate::load::How), `low` and `high` the instant before which it does not happen. Answers before it happens.
    SwitchProgram = 17, "switch_program(program, address, how, low, high)", Thread, "ESRCH EPERM EINVAL EFAULT EBUSY";
    /// How the program stands: bits of [`load::state`](crate::load::state), the tag of its module, how many changes of programs there have been.
    ProgramStatus = 18, "program_status(program) -> state, tag, changes", Thread, "ESRCH EPERM";
    /// Where a byte of the caller's data lies for a device that reads and writes memory by itself: needs the `trusted-dma` grant. What follows it in the process's data follows it there.
    DeviceAddress = 19, "device_address(address) -> physical", Thread, "EPERM EFAULT";
    /// Makes the object of slot `index` anew; its earlier ids name nothing any more. A mailbox with bit 0 of `how` is attached to the mailbox `server`: what is sent to it goes there. O(1).
    CreateObject = 20, "create_object(index, how, server) -> id", Thread, "ESRCH EPERM EEXIST EINVAL";
    /// Ends an object: those that wait for it are answered EIDRM, who has it has it no more. O(waiters), in pieces.
    DeleteObject = 21, "delete_object(object)", Thread, "ESRCH EPERM";
    /// The id of the object that lives in slot `index` now. O(1).
    OpenObject = 22, "open_object(index) -> id", Thread, "ESRCH EPERM";
    /// Takes a mutex, or one of a semaphore's count. Waits, at most until an absolute instant: instant 0 does not wait (EBUSY), 2^64 - 1 waits for ever. A thread that has a mutex runs at least as urgently as any that waits for it (inheritance), or as its ceiling. EOWNERDEAD: the caller has the mutex all the same. `word`: address of the word by which a private one is taken without a call, see [`word`](crate::word); 0 = none. O(what its owner has), for each owner in the chain.
    Lock = 23, "lock(semaphore, low, high, word)", Thread, "ESRCH EPERM EINVAL EBUSY EDEADLK ETIMEDOUT EOWNERDEAD EIDRM EFAULT";
    /// Gives a mutex back, or one to a semaphore's count: to the most urgent that waits. EPERM: the mutex is not the caller's. O(what the caller has).
    Unlock = 24, "unlock(semaphore, word)", Thread, "ESRCH EPERM EINVAL EOVERFLOW EFAULT";
    /// Gives `mutex` back and waits for a signal; has the mutex again when it returns, with ETIMEDOUT too. EPERM: the mutex is not the caller's.
    Wait = 25, "wait(condition, mutex, low, high, word)", Thread, "ESRCH EPERM EINVAL ETIMEDOUT EOWNERDEAD EIDRM EFAULT";
    /// The most urgent thread that waits for a condition goes on when it has its mutex. O(1), and what the mutex costs.
    Signal = 26, "signal(condition)", Thread, "ESRCH EPERM EINVAL";
    /// As many signals as threads wait. O(waiters), in pieces.
    Broadcast = 27, "broadcast(condition)", Thread, "ESRCH EPERM EINVAL";
    /// Sends four 32-bit words to a mailbox; more urgent messages have a higher `priority`. It takes a message of the pool of the caller's process (EAGAIN: there is none) unless a thread waits for it in `receive`. Never blocks. O(messages that stand before it).
    Send = 28, "send(mailbox, priority, word0, word1, word2, word3)", Thread, "ESRCH EPERM EINVAL EAGAIN";
    /// Sends `length` bytes at `address`; `how`: bits of [`send`](crate::message::send). With a server (its mailbox in the low half of `via`, the node of the destination in the high half) the message goes there, and the destination with it. Never blocks. O(bytes), in pieces.
    SendBytes = 29, "send_bytes(mailbox, priority, address, length, how, via)", Thread, "ESRCH EPERM EINVAL EAGAIN EFAULT EMSGSIZE";
    /// Takes the message of highest priority, the oldest of these, if it has 16 bytes at most. Waits, at most until an absolute instant: instant 0 does not wait (EAGAIN).
    Receive = 30, "receive(mailbox, low, high) -> word0, word1, word2, word3, priority", Thread, "ESRCH EPERM EINVAL EAGAIN ETIMEDOUT EIDRM EMSGSIZE";
    /// The same into memory. `how`: bits of [`receive`](crate::message::receive). A server's thread, which asks for all, runs as urgently as the messages in its mailbox and in its hand, from its first call on; it has the message in hand until its next call. `from`: see [`Envelope`](crate::message::Envelope).
    ReceiveBytes = 31, "receive_bytes(mailbox, low, high, address, capacity, how) -> length, priority, destination, from, sender", Thread, "ESRCH EPERM EINVAL EAGAIN EBUSY ETIMEDOUT EIDRM EMSGSIZE EFAULT";
    /// Starts a thread of the caller's process in one of its spare places (EAGAIN: all are taken): at `body`, with `argument`, at a priority up to what the manifest grants, and not that of the deadline band. O(1).
    CreateThread = 32, "create_thread(body, argument, priority) -> id", Thread, "EPERM EAGAIN";
    /// Waits for the end of a created thread of the caller's process, at most until an instant (0: EBUSY), and frees its place. EINVAL: it is detached, was not created, or is joined by another. O(1).
    JoinThread = 33, "join_thread(thread, low, high) -> value", Thread, "ESRCH EINVAL EDEADLK EBUSY ETIMEDOUT";
    /// Says that nobody will join a created thread of the caller's process: its place is freed when it ends. O(1).
    DetachThread = 34, "detach_thread(thread)", Thread, "ESRCH EINVAL";
    /// Starts a process that the caller's supervises and that has ended, or has not begun, from its image. It is restored in pieces, as urgently as the caller.
    CreateProcess = 35, "create_process(process)", Thread, "ESRCH EPERM EEXIST EBUSY";
    /// Ends a process that the caller's supervises, as a fault would: its policy says what comes then.
    KillProcess = 36, "kill_process(process)", Thread, "ESRCH EPERM";
    /// Waits for the next process that ended, or was restarted, of those that the caller's supervises: what came before the call counts. `generation`: how often it has begun anew, by call or of itself; bit 16 of `how`: it was restarted; below: a [`FaultCause`](crate::trace::FaultCause). O(processes).
    AwaitProcess = 37, "await_process(low, high) -> process, generation, how", Thread, "EPERM EBUSY EAGAIN ETIMEDOUT";
    /// Takes memory of the quota of the caller's process, zeroed, in multiples of 16 bytes; the process has it until it ends. O(1).
    Allocate = 38, "allocate(bytes) -> address", Thread, "ENOMEM";
    /// Opens a region of shared memory to the caller's process until it detaches it or ends: at an address that is the same in every process. `how`: 0 to read and write, 1 to read only. What nobody has attached is zeroed first, a piece a call: EAGAIN says that there is more, and to call again. EEXIST: the process has it. Never blocks. O(1), and 1 KiB zeroed.
    AttachRegion = 39, "attach_region(index, how) -> address, length", Thread, "ESRCH EPERM EINVAL EEXIST EAGAIN";
    /// Closes a region of shared memory to the caller's process: who touches it then faults. When nobody has it, what it held is gone. EINVAL: the process does not have it. Never blocks. O(1).
    DetachRegion = 40, "detach_region(index)", Thread, "ESRCH EPERM EINVAL";
}

impl Call {
    /// The number of the first call of the services; all from it on are theirs.
    pub const FIRST_OF_SERVICES: usize = Call::CreateObject as usize;
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

    /// Success with five results.
    pub const fn five([a, b, c, d, e]: [usize; 5]) -> Answer {
        Answer([0, a, b, c, d, e])
    }

    /// Success with one result.
    pub const fn word(value: usize) -> Answer {
        Answer([0, value, 0, 0, 0, 0])
    }
}

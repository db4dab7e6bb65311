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
    /// Gives the processor to the next thread of equal urgency. O(1).
    Yield = 1, "yield()", Any, "";
    /// Ends the calling thread. Does not return.
    Exit = 2, "exit()", Thread, "";
    /// Ends the job of the calling task. Does not return.
    Complete = 3, "complete()", Task, "";
    /// Ends an upcall with a value. Does not return.
    Return = 4, "return(value)", Upcall, "";
    /// The clock latched at entry: nanoseconds since the system started.
    Clock = 5, "clock() -> low, high", Any, "";
    /// Blocks until an absolute instant; returns at once if it has passed.
    Sleep = 6, "sleep(low, high)", Thread, "EINVAL";
    /// Blocks until interrupt `number`, which the process is granted, comes; one that came before the call counts. The line stays masked from its coming to the next call.
    AwaitInterrupt = 7, "await_interrupt(number)", Thread, "EPERM EBUSY";
    /// Copies the value of port `port` to `length` bytes at `address`.
    ReadPort = 8, "read_port(port, address, length)", Any, "ESRCH EPERM EINVAL EFAULT";
    /// Writes `length` bytes at `address` to port `port`: an event for triggers.
    WritePort = 9, "write_port(port, address, length)", Thread, "ESRCH EPERM EINVAL EFAULT";
    /// Execution time of the calling thread so far, in ns.
    CpuTime = 10, "cpu_time() -> low, high", Any, "";
    /// Adds up to 16 bytes to the trace as text: `length` bytes from four 32-bit words; bit 8 of `length`: more follows.
    Log = 11, "log(length, word0, word1, word2, word3)", Any, "EINVAL";
    /// Stops the machine with a status 0..=255; needs the `shutdown` grant.
    Shutdown = 12, "shutdown(status)", Any, "EPERM EINVAL";
    /// The calling process faults as by a panic; `address`, `length`: the message, read as far as it can be. Upcalls may make it too. Does not return.
    Panic = 13, "panic(address, length, line)", Any, "";
    /// The caller's own thread id.
    Own = 14, "own() -> id", Any, "";
    /// Changes the band of a thread of the caller's process: fixed priority, up to what the manifest grants.
    SetPriority = 15, "set_priority(thread, priority)", Thread, "ESRCH EPERM EINVAL";
    /// Copies `length` bytes, whole records and at most 64 bytes, at `address` to record `place` of a [`Section`](crate::load::Section) (bits 16 and up of `section`: the program) of the program's spare room. O(bytes).
    StageProgram = 16, "stage_program(program_section, place, address, length)", Thread, "ESRCH EPERM EINVAL EFAULT EBUSY";
    /// Asks for what has been staged to take the program's place: `address` is that of a [`Frame`](crate::load::Frame), `how` a [`How`](crate::load::How), `low` and `high` the instant before which it does not happen. Answers before it happens.
    SwitchProgram = 17, "switch_program(program, address, how, low, high)", Thread, "ESRCH EPERM EINVAL EFAULT EBUSY";
    /// How the program stands: bits of [`load::state`](crate::load::state), the tag of its module, how many changes of programs there have been.
    ProgramStatus = 18, "program_status(program) -> state, tag, changes", Thread, "ESRCH EPERM";
    /// Where a byte of the caller's data lies for a device that reads and writes memory by itself: needs the `trusted-dma` grant. What follows it in the process's data follows it there.
    DeviceAddress = 19, "device_address(address) -> physical", Thread, "EPERM EFAULT";
}

/// The register words of a call as the kernel gets them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// `a7`.
    pub number: usize,
    /// `a0..=a5`.
    pub arguments: [usize; 6],
}

/// What goes back into `a0..=a3`; the other registers a call may clobber are zeroed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer(pub [usize; 4]);

impl Answer {
    /// Success without results.
    pub const DONE: Answer = Answer([0; 4]);

    /// A refusal.
    pub const fn error(error: crate::Error) -> Answer {
        Answer([error as usize, 0, 0, 0])
    }

    /// Success with a 64-bit result in two halves.
    pub const fn wide(value: u64) -> Answer {
        Answer([0, (value & 0xFFFF_FFFF) as usize, (value >> 32) as usize, 0])
    }

    /// Success with three results.
    pub const fn words(values: [usize; 3]) -> Answer {
        let [a, b, c] = values;
        Answer([0, a, b, c])
    }

    /// Success with one result.
    pub const fn word(value: usize) -> Answer {
        Answer([0, value, 0, 0])
    }
}

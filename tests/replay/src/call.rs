//! System calls as a log has them: by what they mean, not by registers.

use std::fmt;

/// An object, as a thread names it: by the id of what lives in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// The slot.
    pub slot: usize,
    /// The id of the tenant before the last one, if there was one; else of the
    /// last that there has been.
    pub is_stale: bool,
}

/// How long a call waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// Not at all.
    None,
    /// Up to the instant that lies so many ticks after the call, rounded up to
    /// [`GRID`](crate::GRID).
    Ticks(u64),
    /// For ever.
    Endless,
}

/// How a message is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To the mailbox, or to the server that it is attached to.
    Usual,
    /// Into the mailbox itself, past its server.
    Direct,
    /// By the server in this slot, for a mailbox at this node.
    By(usize, u16),
}

/// A system call. Threads are named by their index in the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Does nothing.
    Null,
    /// Goes behind its equals.
    Yield,
    /// Returns the clock in ns.
    Clock,
    /// Returns the caller's execution time in ns.
    CpuTime,
    /// Ends the thread.
    Exit(u32),
    /// Ends the process as a fault does.
    Panic,
    /// Sleeps until the instant so many ticks later, rounded up to the grid.
    Sleep(u64),
    /// Waits for an interrupt.
    AwaitInterrupt(u16),
    /// Returns a port's value.
    ReadPort(usize),
    /// Writes a port.
    WritePort(usize, i32),
    /// Changes a thread's priority.
    SetPriority(usize, u8),
    /// Makes what lives in a slot; a mailbox possibly attached to a server.
    Create(usize, Option<Name>),
    /// Returns the id of what lives in a slot.
    Open(usize),
    /// Ends an object.
    Delete(Name),
    /// Locks a mutex, or takes one of a semaphore's count.
    Lock(Name, Patience),
    /// Unlocks a mutex, or gives one to a semaphore.
    Unlock(Name),
    /// Waits for a condition, which comes first, without its mutex.
    Wait(Name, Name, Patience),
    /// Wakes one thread that waits for a condition.
    Signal(Name),
    /// Wakes all of them.
    Broadcast(Name),
    /// Sends words to a mailbox, with a priority.
    Send(Name, u32, [u32; 2]),
    /// Sends so many bytes to a mailbox, with a priority. Byte `i` is
    /// [`message_byte`]`(length, i)`.
    SendBytes(Name, u32, u32, Way),
    /// Receives words.
    Receive(Name, Patience),
    /// Receives at most [`ROOM`] bytes.
    ReceiveBytes(Name, Patience),
    /// The same as the mailbox's server.
    Serve(Name, Patience),
    /// Creates a thread with this priority in the process's place for one.
    CreateThread(u8),
    /// Waits for the end of a created thread.
    Join(usize, Patience),
    /// Lets a created thread end by itself.
    Detach(usize),
    /// Starts a process.
    CreateProcess(usize),
    /// Ends a process.
    KillProcess(usize),
    /// Waits for the end, or the restart, of a supervised process.
    AwaitProcess(Patience),
    /// Takes memory.
    Allocate(u32),
    /// Attaches a region, to write it or only to read it. Made again as long as it
    /// returns EAGAIN.
    AttachRegion(usize, bool),
    /// Detaches a region.
    DetachRegion(usize),
}

/// Bytes that a receiver has room for.
pub const ROOM: usize = 64;

/// What a message of so many bytes says at a place.
pub fn message_byte(length: u32, place: u32) -> u8 {
    (length * 29 + place * 7 + 1) as u8
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stale = if self.is_stale { "'" } else { "" };
        write!(f, "#{}{stale}", self.slot)
    }
}

impl fmt::Display for Patience {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Patience::None => write!(f, "not waiting"),
            Patience::Ticks(ticks) => write!(f, "for {ticks} ticks"),
            Patience::Endless => write!(f, "for ever"),
        }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Call::Null => write!(f, "null"),
            Call::Yield => write!(f, "yield"),
            Call::Clock => write!(f, "clock"),
            Call::CpuTime => write!(f, "cpu time"),
            Call::Exit(value) => write!(f, "exit with {value}"),
            Call::Panic => write!(f, "panic"),
            Call::Sleep(ticks) => write!(f, "sleep {ticks} ticks"),
            Call::AwaitInterrupt(line) => write!(f, "await interrupt {line}"),
            Call::ReadPort(port) => write!(f, "read p{port}"),
            Call::WritePort(port, value) => write!(f, "write p{port} := {value}"),
            Call::SetPriority(thread, to) => write!(f, "set priority of thread {thread} to {to}"),
            Call::Create(slot, None) => write!(f, "create #{slot}"),
            Call::Create(slot, Some(server)) => write!(f, "create #{slot} attached to {server}"),
            Call::Open(slot) => write!(f, "open #{slot}"),
            Call::Delete(object) => write!(f, "delete {object}"),
            Call::Lock(object, patience) => write!(f, "lock {object} {patience}"),
            Call::Unlock(object) => write!(f, "unlock {object}"),
            Call::Wait(condition, mutex, patience) => {
                write!(f, "wait for {condition} without {mutex} {patience}")
            }
            Call::Signal(condition) => write!(f, "signal {condition}"),
            Call::Broadcast(condition) => write!(f, "broadcast {condition}"),
            Call::Send(mailbox, priority, words) => {
                write!(f, "send {words:?} at {priority} to {mailbox}")
            }
            Call::SendBytes(mailbox, priority, length, way) => {
                write!(f, "send {length} bytes at {priority} to {mailbox} {way:?}")
            }
            Call::Receive(mailbox, patience) => write!(f, "receive from {mailbox} {patience}"),
            Call::ReceiveBytes(mailbox, patience) => {
                write!(f, "receive bytes from {mailbox} {patience}")
            }
            Call::Serve(mailbox, patience) => write!(f, "serve {mailbox} {patience}"),
            Call::CreateThread(priority) => write!(f, "create a thread of priority {priority}"),
            Call::Join(thread, patience) => write!(f, "join thread {thread} {patience}"),
            Call::Detach(thread) => write!(f, "detach thread {thread}"),
            Call::CreateProcess(process) => write!(f, "create process {process}"),
            Call::KillProcess(process) => write!(f, "kill process {process}"),
            Call::AwaitProcess(patience) => write!(f, "await a process {patience}"),
            Call::Allocate(bytes) => write!(f, "allocate {bytes}"),
            Call::AttachRegion(region, true) => write!(f, "attach region {region}"),
            Call::AttachRegion(region, false) => write!(f, "attach region {region} to read"),
            Call::DetachRegion(region) => write!(f, "detach region {region}"),
        }
    }
}

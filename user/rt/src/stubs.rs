//! The system calls whose registers the first kernel has its own way: ids in one
//! register, instants in nanoseconds.

use giornata_abi::call::Call;
use giornata_abi::load::{Frame, How};
use giornata_abi::next::call::NOBODY;
use giornata_abi::{Error, Instant};

use crate::call::{Delivery, Requested, call0, call3, call6, halves, wide};
use crate::id::Number;

/// The calls of the kernel that the crate speaks to, with their signatures.
pub use giornata_abi::call::Call as KernelCall;

/// Registers that an id takes.
pub const ID_REGISTERS: usize = 1;

/// Bit of how a mailbox is created: attached to another.
const ATTACHED: usize = 1;

/// `Send`.
pub fn send(mailbox: Number, priority: u32, words: [u32; 4]) -> Result<(), Error> {
    let [a, b, c, d] = words.map(|word| word as usize);
    let arguments = [mailbox as usize, priority as usize, a, b, c, d];
    call6(Call::Send as usize, arguments).map(drop)
}

/// `SendBytes` of what lies at an address, which the kernel checks.
pub fn send_from(
    mailbox: Number,
    priority: u32,
    address: usize,
    length: usize,
    how: usize,
    via: u32,
) -> Result<(), Error> {
    let (mailbox, priority) = (mailbox as usize, priority as usize);
    let arguments = [mailbox, priority, address, length, how, via as usize];
    call6(Call::SendBytes as usize, arguments).map(drop)
}

/// `Receive`: blocks; the words and the priority.
pub fn receive(mailbox: Number, until: Instant) -> Result<([u32; 4], u32), Error> {
    let (low, high) = halves(until.0);
    let arguments = [mailbox as usize, low, high, 0, 0, 0];
    call6(Call::Receive as usize, arguments).map(|answer| {
        let [words @ .., priority, _] = answer.map(|word| word as u32);
        (words, priority)
    })
}

/// `Receive`: blocks. Nobody waits for a reply: the first kernel has no requests.
pub fn receive_request(mailbox: Number, until: Instant) -> Result<Requested, Error> {
    receive(mailbox, until).map(|(words, priority)| Requested {
        words,
        priority,
        client: NOBODY as u16,
        token: 0,
    })
}

/// A request, which the first kernel does not have: `ENOSYS`.
pub fn call(_mailbox: Number, _priority: u32, _words: [u32; 4]) -> Result<[u32; 4], Error> {
    Err(Error::ENOSYS)
}

/// A reply, which the first kernel does not have: `ENOSYS`.
pub fn reply_receive(_client: u16, _token: u32, _words: [u32; 4]) -> Result<Requested, Error> {
    Err(Error::ENOSYS)
}

/// `ENOSYS`: the first kernel has no requests.
pub fn forward(_mailbox: Number, _client: u16, _token: u32) -> Result<(), Error> {
    Err(Error::ENOSYS)
}

/// `ReceiveBytes` into `capacity` bytes at an address, which the kernel checks: blocks.
///
/// # Safety
/// What lies there is the caller's to write.
pub unsafe fn receive_at(
    mailbox: Number,
    until: Instant,
    address: usize,
    capacity: usize,
    how: usize,
) -> Result<Delivery, Error> {
    let (low, high) = halves(until.0);
    let arguments = [mailbox as usize, low, high, address, capacity, how];
    let answer = call6(Call::ReceiveBytes as usize, arguments);
    answer.map(
        |[length, priority, destination, from, sender, _]| Delivery {
            length,
            priority: priority as u32,
            destination: destination as u32,
            from,
            sender: sender as u32,
            token: None,
        },
    )
}

/// `CreateThread`: its id.
pub fn create_thread(body: usize, argument: usize, priority: u8) -> Result<Number, Error> {
    let arguments = [body, argument, priority as usize];
    call3(Call::CreateThread, arguments).map(|[id, ..]| id as u32)
}

/// `JoinThread`: blocks; what the thread ended with.
pub fn join_thread(thread: Number, until: Instant) -> Result<usize, Error> {
    let (low, high) = halves(until.0);
    call3(Call::JoinThread, [thread as usize, low, high]).map(|[value, ..]| value)
}

/// `DetachThread`.
pub fn detach_thread(thread: Number) -> Result<(), Error> {
    call3(Call::DetachThread, [thread as usize, 0, 0]).map(drop)
}

/// `AwaitProcess`: blocks; process, generation, how it ended.
pub fn await_process(until: Instant) -> Result<[usize; 3], Error> {
    let (low, high) = halves(until.0);
    call3(Call::AwaitProcess, [low, high, 0])
}

/// `Clock`.
pub fn clock() -> Result<Instant, Error> {
    call0(Call::Clock).map(|[low, high, ..]| Instant(wide(low, high)))
}

/// `Sleep`: blocks.
pub fn sleep(until: Instant) -> Result<(), Error> {
    let (low, high) = halves(until.0);
    call3(Call::Sleep, [low, high, 0]).map(drop)
}

/// `CpuTime` in ns.
pub fn cpu_time() -> Result<u64, Error> {
    call0(Call::CpuTime).map(|[low, high, ..]| wide(low, high))
}

/// `Own`: the id of the calling thread, and the address and length of its stack.
pub fn own() -> Result<(Number, usize, usize), Error> {
    call0(Call::Own).map(|[id, stack, length, _]| (id as u32, stack, length))
}

/// `SetPriority`.
pub fn set_priority(thread: Number, priority: u8) -> Result<(), Error> {
    call3(Call::SetPriority, [thread as usize, priority as usize, 0]).map(drop)
}

/// `SwitchProgram`.
pub fn switch_program(program: u16, frame: &Frame, how: How, at: Instant) -> Result<(), Error> {
    let address = core::ptr::from_ref(frame).expose_provenance();
    let (low, high) = halves(at.0);
    let arguments = [usize::from(program), address, how as usize, low, high, 0];
    call6(Call::SwitchProgram as usize, arguments).map(drop)
}

/// `CreateObject`: the id of the object that is now in slot `index`.
pub fn create_object(index: u16) -> Result<Number, Error> {
    call3(Call::CreateObject, [usize::from(index), 0, 0]).map(|[id, ..]| id as u32)
}

/// `CreateObject`, of a mailbox that is attached to another.
pub fn create_attached(index: u16, server: Number) -> Result<Number, Error> {
    let arguments = [usize::from(index), ATTACHED, server as usize];
    call3(Call::CreateObject, arguments).map(|[id, ..]| id as u32)
}

/// `DeleteObject`.
pub fn delete_object(object: Number) -> Result<(), Error> {
    call3(Call::DeleteObject, [object as usize, 0, 0]).map(drop)
}

/// `OpenObject`: the id of the object that is in slot `index`.
pub fn open_object(index: u16) -> Result<Number, Error> {
    call3(Call::OpenObject, [usize::from(index), 0, 0]).map(|[id, ..]| id as u32)
}

/// `Lock` with the address of a word, or 0: blocks.
pub fn lock_word(semaphore: Number, until: Instant, word: usize) -> Result<(), Error> {
    let (low, high) = halves(until.0);
    let arguments = [semaphore as usize, low, high, word, 0, 0];
    call6(Call::Lock as usize, arguments).map(drop)
}

/// `Unlock` with the address of a word, or 0.
pub fn unlock_word(semaphore: Number, word: usize) -> Result<(), Error> {
    call3(Call::Unlock, [semaphore as usize, word, 0]).map(drop)
}

/// `Wait` with a mutex that has a word at this address, or 0: blocks.
pub fn wait_word(
    condition: Number,
    mutex: Number,
    until: Instant,
    word: usize,
) -> Result<(), Error> {
    let (low, high) = halves(until.0);
    let arguments = [condition as usize, mutex as usize, low, high, word, 0];
    call6(Call::Wait as usize, arguments).map(drop)
}

/// `Signal`.
pub fn signal(condition: Number) -> Result<(), Error> {
    call3(Call::Signal, [condition as usize, 0, 0]).map(drop)
}

/// `Broadcast`.
pub fn broadcast(condition: Number) -> Result<(), Error> {
    call3(Call::Broadcast, [condition as usize, 0, 0]).map(drop)
}

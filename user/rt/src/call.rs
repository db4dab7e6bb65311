//! The system calls, one stub each, arguments and answers in registers.
//!
//! These are what the typed modules of this crate are made of; programs
//! seldom need them. No stub allocates or touches memory; each costs one
//! kernel entry. [`raw`] makes any call with any arguments, for sweeps.

use giornata_abi::call::Call;
use giornata_abi::control::{TAKEN, TAKEN_FROM_DEAD};
use giornata_abi::load::{Frame, How, Section};
use giornata_abi::{Error, Instant};

#[cfg(not(target_os = "none"))]
use crate::host as machine;
#[cfg(target_os = "none")]
use crate::riscv as machine;

/// The answer registers `a0..=a5` of a call.
pub type Registers = [usize; 6];

/// Bit of how a mailbox is created: attached to another.
const ATTACHED: usize = 1;

/// `Ok` with the results if the first register is 0.
fn checked(answer: Registers) -> Result<[usize; 3], Error> {
    checked_all(answer).map(|[x, y, z, ..]| [x, y, z])
}

/// The same with all results.
fn checked_all(answer: Registers) -> Result<[usize; 5], Error> {
    let [code, results @ ..] = answer;
    match code {
        0 => Ok(results),
        // A code of a later kernel is still a refusal.
        _ => Err(Error::from_code(code).unwrap_or(Error::EINVAL)),
    }
}

/// A 64-bit value from its halves.
const fn wide(low: usize, high: usize) -> u64 {
    (high as u64) << 32 | (low as u64 & 0xFFFF_FFFF)
}

/// The halves of a 64-bit value, low first.
const fn halves(value: u64) -> (usize, usize) {
    ((value & 0xFFFF_FFFF) as usize, (value >> 32) as usize)
}

/// Makes call `number` with `arguments` in `a0..=a5`; answers `a0..=a5` as
/// they come back.
///
/// # Safety
/// The call must not write memory that Rust owns: no `ReadPort` into anything
/// but the caller's own buffer.
pub unsafe fn raw(number: usize, arguments: [usize; 6]) -> Registers {
    machine::enter6(number, arguments)
}

/// `Send`.
pub fn send(mailbox: u32, priority: u32, words: [u32; 4]) -> Result<(), Error> {
    let [a, b, c, d] = words.map(|word| word as usize);
    let arguments = [mailbox as usize, priority as usize, a, b, c, d];
    checked(machine::enter6(Call::Send as usize, arguments)).map(drop)
}

/// `SendBytes` from `bytes`.
pub fn send_bytes(
    mailbox: u32,
    priority: u32,
    bytes: &[u8],
    how: usize,
    via: u32,
) -> Result<(), Error> {
    let arguments = [
        mailbox as usize,
        priority as usize,
        bytes.as_ptr().expose_provenance(),
        bytes.len(),
        how,
        via as usize,
    ];
    checked(machine::enter6(Call::SendBytes as usize, arguments)).map(drop)
}

/// `Receive`: blocks; the words and the priority.
pub fn receive(mailbox: u32, until: Instant) -> Result<([u32; 4], u32), Error> {
    let (low, high) = halves(until.0);
    let arguments = [mailbox as usize, low, high, 0, 0, 0];
    let answer = checked_all(machine::enter6(Call::Receive as usize, arguments));
    answer.map(|answer| {
        let [words @ .., priority] = answer.map(|word| word as u32);
        (words, priority)
    })
}

/// `ReceiveBytes` into `bytes`: blocks; length, priority, destination, `from`,
/// sender.
pub fn receive_bytes(
    mailbox: u32,
    until: Instant,
    bytes: &mut [u8],
    how: usize,
) -> Result<[usize; 5], Error> {
    let (low, high) = halves(until.0);
    let arguments = [
        mailbox as usize,
        low,
        high,
        bytes.as_mut_ptr().expose_provenance(),
        bytes.len(),
        how,
    ];
    checked_all(machine::enter6(Call::ReceiveBytes as usize, arguments))
}

/// `Null`: does nothing, for measurements.
pub fn null() -> Result<(), Error> {
    checked(machine::enter0(Call::Null as usize)).map(drop)
}

/// `Yield`.
pub fn yield_now() -> Result<(), Error> {
    checked(machine::enter0(Call::Yield as usize)).map(drop)
}

/// `Exit`: ends the calling thread.
pub fn exit(value: usize) -> ! {
    machine::leave(Call::Exit as usize, [value, 0, 0])
}

/// `CreateThread`: its id.
pub fn create_thread(body: usize, argument: usize, priority: u8) -> Result<u32, Error> {
    let arguments = [body, argument, priority as usize];
    let answer = checked(machine::enter3(Call::CreateThread as usize, arguments));
    answer.map(|[id, ..]| id as u32)
}

/// `JoinThread`: blocks; what the thread ended with.
pub fn join_thread(thread: u32, until: Instant) -> Result<usize, Error> {
    let (low, high) = halves(until.0);
    let arguments = [thread as usize, low, high];
    checked(machine::enter3(Call::JoinThread as usize, arguments)).map(|[value, ..]| value)
}

/// `DetachThread`.
pub fn detach_thread(thread: u32) -> Result<(), Error> {
    let arguments = [thread as usize, 0, 0];
    checked(machine::enter3(Call::DetachThread as usize, arguments)).map(drop)
}

/// `CreateProcess`.
pub fn create_process(process: u16) -> Result<(), Error> {
    let arguments = [process as usize, 0, 0];
    checked(machine::enter3(Call::CreateProcess as usize, arguments)).map(drop)
}

/// `KillProcess`.
pub fn kill_process(process: u16) -> Result<(), Error> {
    let arguments = [process as usize, 0, 0];
    checked(machine::enter3(Call::KillProcess as usize, arguments)).map(drop)
}

/// `AwaitProcess`: blocks; process, generation, how it ended.
pub fn await_process(until: Instant) -> Result<[usize; 3], Error> {
    let (low, high) = halves(until.0);
    checked(machine::enter3(Call::AwaitProcess as usize, [low, high, 0]))
}

/// `Allocate`: the address.
pub fn allocate(bytes: usize) -> Result<usize, Error> {
    let answer = machine::enter3(Call::Allocate as usize, [bytes, 0, 0]);
    checked(answer).map(|[address, ..]| address)
}

/// `AttachRegion`: address and length. `EAGAIN`: it is not zeroed yet, call again.
pub fn attach_region(region: u16, how: usize) -> Result<(usize, usize), Error> {
    let arguments = [usize::from(region), how, 0];
    let answer = checked(machine::enter3(Call::AttachRegion as usize, arguments));
    answer.map(|[address, length, _]| (address, length))
}

/// `DetachRegion`.
pub fn detach_region(region: u16) -> Result<(), Error> {
    let arguments = [usize::from(region), 0, 0];
    checked(machine::enter3(Call::DetachRegion as usize, arguments)).map(drop)
}

/// `Complete`: ends the job of the calling task. The start code makes it; a
/// body that makes it itself leaves its outputs as they were.
pub fn complete() -> ! {
    machine::leave(Call::Complete as usize, [0; 3])
}

/// `Return`: ends an upcall with `value`. The start code makes it; a body that
/// makes it itself leaves its outputs as they were.
pub fn return_value(value: usize) -> ! {
    machine::leave(Call::Return as usize, [value, 0, 0])
}

/// `Clock`.
pub fn clock() -> Result<Instant, Error> {
    checked(machine::enter0(Call::Clock as usize)).map(|[low, high, _]| Instant(wide(low, high)))
}

/// `Sleep`: blocks.
pub fn sleep(until: Instant) -> Result<(), Error> {
    let (low, high) = halves(until.0);
    checked(machine::enter3(Call::Sleep as usize, [low, high, 0])).map(drop)
}

/// `AwaitInterrupt`: blocks.
pub fn await_interrupt(number: usize) -> Result<(), Error> {
    checked(machine::enter3(
        Call::AwaitInterrupt as usize,
        [number, 0, 0],
    ))
    .map(drop)
}

/// `ReadPort` into `value`.
pub fn read_port(port: u32, value: &mut [u8]) -> Result<(), Error> {
    let arguments = [
        port as usize,
        value.as_mut_ptr().expose_provenance(),
        value.len(),
    ];
    checked(machine::enter3(Call::ReadPort as usize, arguments)).map(drop)
}

/// `WritePort` from `value`.
pub fn write_port(port: u32, value: &[u8]) -> Result<(), Error> {
    let arguments = [
        port as usize,
        value.as_ptr().expose_provenance(),
        value.len(),
    ];
    checked(machine::enter3(Call::WritePort as usize, arguments)).map(drop)
}

/// `CpuTime` in ns.
pub fn cpu_time() -> Result<u64, Error> {
    checked(machine::enter0(Call::CpuTime as usize)).map(|[low, high, _]| wide(low, high))
}

/// `Log`: `length` with its continue bit, and the text in four words.
pub fn log(length: usize, words: [u32; 4]) -> Result<(), Error> {
    let [a, b, c, d] = words.map(|word| word as usize);
    checked(machine::enter6(Call::Log as usize, [length, a, b, c, d, 0])).map(drop)
}

/// `Shutdown`: returns only when it is refused.
pub fn shutdown(status: usize) -> Error {
    match checked(machine::enter3(Call::Shutdown as usize, [status, 0, 0])) {
        Err(error) => error,
        Ok(_) => Error::EPERM,
    }
}

/// `Panic`: the process faults; `text` is the message.
pub fn panic(text: &str, line: u32) -> ! {
    let arguments = [text.as_ptr().expose_provenance(), text.len(), line as usize];
    machine::leave(Call::Panic as usize, arguments)
}

/// `Own`: the id of the calling thread, and the address and length of its stack.
pub fn own() -> Result<(u32, usize, usize), Error> {
    let answer = checked(machine::enter0(Call::Own as usize));
    answer.map(|[id, stack, length]| (id as u32, stack, length))
}

/// `SetPriority`.
pub fn set_priority(thread: u32, priority: u8) -> Result<(), Error> {
    let arguments = [thread as usize, priority as usize, 0];
    checked(machine::enter3(Call::SetPriority as usize, arguments)).map(drop)
}

/// `StageProgram`: `records` are whole records of `section`, at most 64 bytes,
/// from record `place` on.
pub fn stage_program(
    program: u16,
    section: Section,
    place: usize,
    records: &[u8],
) -> Result<(), Error> {
    let target = usize::from(program) << 16 | section as usize;
    let address = records.as_ptr().expose_provenance();
    let arguments = [target, place, address, records.len(), 0, 0];
    checked(machine::enter6(Call::StageProgram as usize, arguments)).map(drop)
}

/// `SwitchProgram`.
pub fn switch_program(program: u16, frame: &Frame, how: How, at: Instant) -> Result<(), Error> {
    let address = core::ptr::from_ref(frame).expose_provenance();
    let (low, high) = halves(at.0);
    let arguments = [usize::from(program), address, how as usize, low, high, 0];
    checked(machine::enter6(Call::SwitchProgram as usize, arguments)).map(drop)
}

/// How a program stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramStatus {
    /// Bits of [`state`](giornata_abi::load::state).
    pub state: usize,
    /// The tag of its module.
    pub tag: u32,
    /// How many changes of programs there have been since the system started.
    pub changes: u32,
}

/// `ProgramStatus`.
pub fn program_status(program: u16) -> Result<ProgramStatus, Error> {
    let arguments = [usize::from(program), 0, 0];
    let answer = checked(machine::enter3(Call::ProgramStatus as usize, arguments));
    answer.map(|[state, tag, changes]| ProgramStatus {
        state,
        tag: tag as u32,
        changes: changes as u32,
    })
}

/// `DeviceAddress` of what lies at `place`, which must be the process's own data.
pub fn device_address<T>(place: *const T) -> Result<usize, Error> {
    let arguments = [place.expose_provenance(), 0, 0];
    checked(machine::enter3(Call::DeviceAddress as usize, arguments)).map(|[at, _, _]| at)
}

/// `CreateObject`: the id of the object that is now in slot `index`.
pub fn create_object(index: u16) -> Result<u32, Error> {
    let arguments = [usize::from(index), 0, 0];
    checked(machine::enter3(Call::CreateObject as usize, arguments)).map(|[id, _, _]| id as u32)
}

/// `CreateObject`, of a mailbox that is attached to another.
pub fn create_attached(index: u16, server: u32) -> Result<u32, Error> {
    let arguments = [usize::from(index), ATTACHED, server as usize];
    checked(machine::enter3(Call::CreateObject as usize, arguments)).map(|[id, _, _]| id as u32)
}

/// `DeleteObject`.
pub fn delete_object(object: u32) -> Result<(), Error> {
    checked(machine::enter3(
        Call::DeleteObject as usize,
        [object as usize, 0, 0],
    ))
    .map(drop)
}

/// `OpenObject`: the id of the object that is in slot `index`.
pub fn open_object(index: u16) -> Result<u32, Error> {
    let arguments = [usize::from(index), 0, 0];
    checked(machine::enter3(Call::OpenObject as usize, arguments)).map(|[id, _, _]| id as u32)
}

/// `Lock`, of a mutex or semaphore without a word: blocks, at most until
/// `until`. With `EOWNERDEAD` the caller has the mutex.
pub fn lock(semaphore: u32, until: Instant) -> Result<(), Error> {
    lock_word(semaphore, until, 0)
}

/// Tells the kernel which mutex without a word the thread will lock, by
/// [`lock_told`], when its next wait has come to an end. No entry.
#[inline]
pub fn tell_next_lock(mutex: u32) {
    machine::tell_next_lock(!mutex);
}

/// `Lock` of the mutex of [`tell_next_lock`], which is told no more: no entry if the
/// thread went on with it. With `EOWNERDEAD` the caller has it.
#[inline]
pub fn lock_told(mutex: u32) -> Result<(), Error> {
    match machine::ask_next_lock() {
        TAKEN => Ok(()),
        TAKEN_FROM_DEAD => Err(Error::EOWNERDEAD),
        _ => lock(mutex, Instant::NEVER),
    }
}

/// `Unlock`, of a mutex or semaphore without a word.
pub fn unlock(semaphore: u32) -> Result<(), Error> {
    unlock_word(semaphore, 0)
}

/// `Lock` with the address of a word, or 0: blocks.
pub fn lock_word(semaphore: u32, until: Instant, word: usize) -> Result<(), Error> {
    let (low, high) = halves(until.0);
    let arguments = [semaphore as usize, low, high, word, 0, 0];
    checked(machine::enter6(Call::Lock as usize, arguments)).map(drop)
}

/// `Unlock` with the address of a word, or 0.
pub fn unlock_word(semaphore: u32, word: usize) -> Result<(), Error> {
    let arguments = [semaphore as usize, word, 0];
    checked(machine::enter3(Call::Unlock as usize, arguments)).map(drop)
}

/// `Wait` with a mutex that has a word at this address, or 0: blocks.
pub fn wait_word(condition: u32, mutex: u32, until: Instant, word: usize) -> Result<(), Error> {
    let (low, high) = halves(until.0);
    let arguments = [condition as usize, mutex as usize, low, high, word, 0];
    checked(machine::enter6(Call::Wait as usize, arguments)).map(drop)
}

/// `Wait`, with a mutex without a word: blocks, at most until `until`, and then
/// for the mutex. With `ETIMEDOUT` and `EOWNERDEAD` the caller has the mutex.
pub fn wait(condition: u32, mutex: u32, until: Instant) -> Result<(), Error> {
    wait_word(condition, mutex, until, 0)
}

/// `Signal`.
pub fn signal(condition: u32) -> Result<(), Error> {
    checked(machine::enter3(
        Call::Signal as usize,
        [condition as usize, 0, 0],
    ))
    .map(drop)
}

/// `Broadcast`.
pub fn broadcast(condition: u32) -> Result<(), Error> {
    checked(machine::enter3(
        Call::Broadcast as usize,
        [condition as usize, 0, 0],
    ))
    .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_a_wide_value_join_again() {
        for value in [
            0,
            1,
            u64::MAX,
            0x8000_0000,
            0x1_0000_0000,
            0xDEAD_BEEF_0BAD_F00D,
        ] {
            let (low, high) = halves(value);
            assert!(low <= u32::MAX as usize && high <= u32::MAX as usize);
            assert_eq!(wide(low, high), value);
        }
    }

    #[test]
    fn sign_extended_low_halves_are_understood() {
        assert_eq!(wide(usize::MAX, 0), 0xFFFF_FFFF);
    }

    #[test]
    fn every_error_code_comes_back_as_its_error() {
        for &error in Error::ALL {
            assert_eq!(checked([error as usize, 9, 9, 9, 9, 9]), Err(error));
        }
        assert_eq!(checked([0, 1, 2, 3, 4, 5]), Ok([1, 2, 3]));
        assert_eq!(checked([77, 0, 0, 0, 0, 0]), Err(Error::EINVAL));
    }
}

//! The system calls, one stub each, arguments and results in registers.
//!
//! These are what the typed modules of this crate are made of; programs
//! seldom need them. No stub allocates or touches memory; each costs one
//! kernel entry. [`raw`] makes any call with any arguments, for sweeps.

use giornata_abi::call::Call;
use giornata_abi::control::{TAKEN, TAKEN_FROM_DEAD};
use giornata_abi::load::Section;
use giornata_abi::{Error, Instant};

use crate::control;
#[cfg(not(target_os = "none"))]
use crate::host as machine;
pub use crate::id::Number;
#[cfg(target_os = "none")]
use crate::riscv as machine;

pub use crate::stubs::*;

/// What a call returns in `a0..=a5`.
pub type Registers = [usize; 6];

/// Makes a call without arguments, with four results at most.
#[inline(always)]
pub(crate) fn call0(call: Call) -> Result<[usize; 4], Error> {
    let [code, results @ ..] = machine::enter0(call as usize);
    checked(code, results)
}

/// Makes a call with three arguments and three results at most.
#[inline(always)]
pub(crate) fn call3(call: Call, arguments: [usize; 3]) -> Result<[usize; 3], Error> {
    let [code, x, y, z] = machine::enter3(call as usize, arguments);
    checked(code, [x, y, z])
}

/// Makes a call with any arguments and all its results.
#[inline(always)]
pub(crate) fn call6(number: usize, arguments: [usize; 6]) -> Result<[usize; 6], Error> {
    let [code, results @ ..] = machine::enter6(number, arguments);
    checked(code, results)
}

/// `Ok` with the results if the first register is 0.
#[inline(always)]
fn checked<R>(code: usize, results: R) -> Result<R, Error> {
    match code {
        0 => Ok(results),
        // A code of a later kernel is still a refusal.
        _ => Err(Error::from_code(code).unwrap_or(Error::EINVAL)),
    }
}

/// A 64-bit value from its halves.
pub(crate) const fn wide(low: usize, high: usize) -> u64 {
    (high as u64) << 32 | (low as u64 & 0xFFFF_FFFF)
}

/// The halves of a 64-bit value, low first.
pub const fn halves(value: u64) -> (usize, usize) {
    ((value & 0xFFFF_FFFF) as usize, (value >> 32) as usize)
}

/// Makes call `number` with `arguments` in `a0..=a5`; returns `a0..=a5` as
/// they come back.
///
/// # Safety
/// The call must not write memory that Rust owns: no `ReadPort` into anything
/// but the caller's own buffer.
pub unsafe fn raw(number: usize, arguments: [usize; 6]) -> Registers {
    let [answer @ .., _] = machine::enter6(number, arguments);
    answer
}

/// `Null`: does nothing, for measurements.
pub fn null() -> Result<(), Error> {
    call0(Call::Null).map(drop)
}

/// `Yield`.
pub fn yield_now() -> Result<(), Error> {
    call0(Call::Yield).map(drop)
}

/// `Exit`: ends the calling thread.
pub fn exit(value: usize) -> ! {
    machine::leave(Call::Exit as usize, [value, 0, 0])
}

/// `CreateProcess`.
pub fn create_process(process: u16) -> Result<(), Error> {
    let arguments = [process as usize, 0, 0];
    call3(Call::CreateProcess, arguments).map(drop)
}

/// `KillProcess`.
pub fn kill_process(process: u16) -> Result<(), Error> {
    let arguments = [process as usize, 0, 0];
    call3(Call::KillProcess, arguments).map(drop)
}

/// `Allocate`: the address.
pub fn allocate(bytes: usize) -> Result<usize, Error> {
    call3(Call::Allocate, [bytes, 0, 0]).map(|[address, ..]| address)
}

/// `AttachRegion`: address and length. `EAGAIN`: it is not zeroed yet, call again.
pub fn attach_region(region: u16, how: usize) -> Result<(usize, usize), Error> {
    let arguments = [usize::from(region), how, 0];
    let answer = call3(Call::AttachRegion, arguments);
    answer.map(|[address, length, _]| (address, length))
}

/// `DetachRegion`.
pub fn detach_region(region: u16) -> Result<(), Error> {
    let arguments = [usize::from(region), 0, 0];
    call3(Call::DetachRegion, arguments).map(drop)
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

/// `AwaitInterrupt`: blocks.
pub fn await_interrupt(number: usize) -> Result<(), Error> {
    call3(Call::AwaitInterrupt, [number, 0, 0]).map(drop)
}

/// `ReadPort` into `value`.
pub fn read_port(port: u32, value: &mut [u8]) -> Result<(), Error> {
    let arguments = [
        port as usize,
        value.as_mut_ptr().expose_provenance(),
        value.len(),
    ];
    call3(Call::ReadPort, arguments).map(drop)
}

/// `WritePort` from `value`.
pub fn write_port(port: u32, value: &[u8]) -> Result<(), Error> {
    let arguments = [
        port as usize,
        value.as_ptr().expose_provenance(),
        value.len(),
    ];
    call3(Call::WritePort, arguments).map(drop)
}

/// `Log`: `length` with its continue bit, and the text in four words.
pub fn log(length: usize, words: [u32; 4]) -> Result<(), Error> {
    let [a, b, c, d] = words.map(|word| word as usize);
    call6(Call::Log as usize, [length, a, b, c, d, 0]).map(drop)
}

/// `Shutdown`: returns only when it is refused.
pub fn shutdown(status: usize) -> Error {
    match call3(Call::Shutdown, [status, 0, 0]) {
        Err(error) => error,
        Ok(_) => Error::EPERM,
    }
}

/// `Panic`: the process faults, at a line of a file. Neither text is copied: the host
/// reads them from the process's executable.
pub fn panic(text: &'static [u8], file: &'static [u8], line: u32) -> ! {
    #[cfg(target_os = "none")]
    {
        crate::panic::tell_constants(text, file, line)
    }
    #[cfg(not(target_os = "none"))]
    {
        let _ = file;
        let arguments = [text.as_ptr().expose_provenance(), text.len(), line as usize];
        machine::leave(Call::Panic as usize, arguments)
    }
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
    call6(Call::StageProgram as usize, arguments).map(drop)
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
    let answer = call3(Call::ProgramStatus, arguments);
    answer.map(|[state, tag, changes]| ProgramStatus {
        state,
        tag: tag as u32,
        changes: changes as u32,
    })
}

/// `DeviceAddress` of what lies at `place`, which must be the process's own data.
pub fn device_address<T>(place: *const T) -> Result<usize, Error> {
    let arguments = [place.expose_provenance(), 0, 0];
    call3(Call::DeviceAddress, arguments).map(|[at, _, _]| at)
}

/// `Lock`, of a mutex or semaphore without a word: blocks, at most until
/// `until`. With `EOWNERDEAD` the caller has the mutex.
pub fn lock(semaphore: Number, until: Instant) -> Result<(), Error> {
    lock_word(semaphore, until, 0)
}

/// Tells the kernel which mutex without a word the thread will lock, by
/// [`lock_told`], when its next wait has come to an end. No entry.
#[inline]
pub fn tell_next_lock(mutex: Number) {
    control::tell_next_lock(mutex);
}

/// `Lock` of the mutex of [`tell_next_lock`], whose hint ends here: no entry if the
/// thread went on with it. With `EOWNERDEAD` the caller has it.
#[inline]
pub fn lock_told(mutex: Number) -> Result<(), Error> {
    match control::ask_next_lock() {
        TAKEN => Ok(()),
        TAKEN_FROM_DEAD => Err(Error::EOWNERDEAD),
        _ => lock(mutex, Instant::NEVER),
    }
}

/// `Unlock`, of a mutex or semaphore without a word.
pub fn unlock(semaphore: Number) -> Result<(), Error> {
    unlock_word(semaphore, 0)
}

/// `Wait`, with a mutex without a word: blocks, at most until `until`, and then
/// for the mutex. With `ETIMEDOUT` and `EOWNERDEAD` the caller has the mutex.
pub fn wait(condition: Number, mutex: Number, until: Instant) -> Result<(), Error> {
    wait_word(condition, mutex, until, 0)
}

/// What [`receive_at`] returns of a message beside its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Its bytes.
    pub length: usize,
    /// Its priority.
    pub priority: u32,
    /// The mailbox to which it was sent; for servers.
    pub destination: Number,
    /// An [`Envelope`](giornata_abi::message::Envelope); for servers.
    pub from: usize,
    /// The thread that sent it.
    pub sender: Number,
    /// The token of the reply that its sender, whose slot alone is known then, waits for.
    pub token: Option<u32>,
}

/// What [`receive_request`] and [`reply_receive`] return of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requested {
    /// What it says.
    pub words: [u32; 4],
    /// Its priority.
    pub priority: u32,
    /// The slot of the thread that waits for a reply, or
    /// [`NOBODY`](giornata_abi::call::NOBODY).
    pub client: u16,
    /// The token of that reply.
    pub token: u32,
}

/// `SendBytes` from `bytes`.
pub fn send_bytes(
    mailbox: Number,
    priority: u32,
    bytes: &[u8],
    how: usize,
    via: u32,
) -> Result<(), Error> {
    let address = bytes.as_ptr().expose_provenance();
    send_from(mailbox, priority, address, bytes.len(), how, via)
}

/// `ReceiveBytes` into `bytes`: blocks.
pub fn receive_bytes(
    mailbox: Number,
    until: Instant,
    bytes: &mut [u8],
    how: usize,
) -> Result<Delivery, Error> {
    let address = bytes.as_mut_ptr().expose_provenance();
    // SAFETY: the bytes are the caller's to write.
    unsafe { receive_at(mailbox, until, address, bytes.len(), how) }
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
            assert_eq!(checked(error as usize, 9), Err(error));
        }
        assert_eq!(checked(0, 9), Ok(9));
        assert_eq!(checked(77, 9), Err(Error::EINVAL));
    }
}

//! The system calls with ids, which are two registers, or instants, which are ticks: see
//! [`giornata_abi::call`].

use giornata_abi::call::{Call, ENVELOPE_CALL};
use giornata_abi::id::{EXTRA, SLOT_MASK};
use giornata_abi::load::{Frame, How};
use giornata_abi::posix::{self, Operation};
use giornata_abi::{Error, Instant, Ticks};

use crate::call::{Delivery, Requested, call0, call3, call6, halves, wide};
use crate::clock;
use crate::id::{Id, Number};

/// Bit of how a mailbox is created: attached to another.
const ATTACHED: usize = 1;

/// Slot and serial number of an id.
#[inline(always)]
fn parts(id: Number) -> (usize, usize) {
    Id(id).parts()
}

#[inline(always)]
fn number(slot: usize, serial: usize) -> Number {
    Id::of_parts(slot, serial).0
}

/// The words of the first tick not before an instant.
#[inline(always)]
pub fn ticks(until: Instant) -> (usize, usize) {
    halves(clock::ticks(until).0)
}

fn instant(low: usize, high: usize) -> Instant {
    clock::instant(Ticks(wide(low, high)))
}

/// A slot and a priority, in one register. `EINVAL`: the priority has more than 16 bits.
#[inline(always)]
fn with_priority(slot: usize, priority: u32) -> Result<usize, Error> {
    match priority as usize <= SLOT_MASK {
        true => Ok(slot | (priority as usize) << EXTRA),
        false => Err(Error::EINVAL),
    }
}

/// `Send`. `EINVAL` also: the priority is above 255.
#[inline(always)]
pub fn send(mailbox: Number, priority: u32, words: [u32; 4]) -> Result<(), Error> {
    let (slot, serial) = parts(mailbox);
    let [a, b, c, d] = words;
    let [a, b, c, d] = [a as usize, b as usize, c as usize, d as usize];
    let arguments = [with_priority(slot, priority)?, serial, a, b, c, d];
    call6(Call::Send as usize, arguments).map(drop)
}

/// `SendBytes` of what lies at an address, which the kernel checks. `EINVAL` also: the
/// priority is above 255.
pub fn send_from(
    mailbox: Number,
    priority: u32,
    address: usize,
    length: usize,
    how: usize,
    via: u32,
) -> Result<(), Error> {
    let (slot, serial) = parts(mailbox);
    let slot = with_priority(slot, priority)?;
    let arguments = [slot, serial, address, length, how, via as usize];
    call6(Call::SendBytes as usize, arguments).map(drop)
}

/// `Receive`: blocks; the words and the priority. Of a call, which the caller cannot
/// reply to then, see [`receive_request`].
#[inline(always)]
pub fn receive(mailbox: Number, until: Instant) -> Result<([u32; 4], u32), Error> {
    receive_request(mailbox, until).map(|request| (request.words, request.priority))
}

/// `Receive`: blocks.
#[inline(always)]
pub fn receive_request(mailbox: Number, until: Instant) -> Result<Requested, Error> {
    let ((slot, serial), (low, high)) = (parts(mailbox), ticks(until));
    call6(Call::Receive as usize, [slot, serial, low, high, 0, 0]).map(requested)
}

#[inline(always)]
fn requested([a, b, c, d, both, token]: [usize; 6]) -> Requested {
    Requested {
        words: [a as u32, b as u32, c as u32, d as u32],
        priority: low_half(both) as u32,
        client: (both >> EXTRA) as u16,
        token: token as u32,
    }
}

/// `ReceiveBytes` into `capacity` bytes at an address, which the kernel checks: blocks.
/// Of a capacity beyond 2^16 - 1 bytes so much is used.
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
    let ((slot, serial), (low, high)) = (parts(mailbox), ticks(until));
    let room = capacity.min(SLOT_MASK) | how << EXTRA;
    let arguments = [slot, serial, low, high, address, room];
    let answer = call6(Call::ReceiveBytes as usize, arguments)?;
    let [both, to, to_serial, from, sender, last] = answer;
    // of a call the token of its reply stands in the place of the sender's serial number
    let is_call = from & ENVELOPE_CALL != 0;
    Ok(Delivery {
        length: low_half(both),
        priority: (both >> EXTRA) as u32,
        destination: number(to, to_serial),
        from,
        sender: number(sender, if is_call { 0 } else { last }),
        token: is_call.then_some(last as u32),
    })
}

/// `ThreadTime` in ns.
pub fn thread_time(thread: Number) -> Result<u64, Error> {
    let (slot, serial) = parts(thread);
    of_posix(Operation::ThreadTime, [slot, serial])
}

/// `ProcessTime` in ns.
pub fn process_time() -> Result<u64, Error> {
    of_posix(Operation::ProcessTime, [0, 0])
}

/// `RealTime`: what the board's clock showed at boot, in ns since 1970, and the instant of that.
pub fn real_time() -> Result<(u64, Instant), Error> {
    let answer = call6(posix::CALL, [Operation::RealTime as usize, 0, 0, 0, 0, 0]);
    answer.map(|[low, high, tick, tick_high, ..]| (wide(low, high), instant(tick, tick_high)))
}

/// `Interrupt`, by the address of a function that takes the address of the frame.
///
/// # Safety
/// The function keeps what functions in C keep, and ends with `GoBack`.
pub unsafe fn interrupt(thread: Number, function: usize) -> Result<(), Error> {
    let (slot, serial) = parts(thread);
    let operation = Operation::Interrupt as usize;
    call6(posix::CALL, [operation, slot, serial, function, 0, 0]).map(drop)
}

/// `SetPolicy`: `how` as of [`posix::policy`], lengths in ns, rounded up to ticks.
pub fn set_policy(thread: Number, how: usize, budget: u64, period: u64) -> Result<(), Error> {
    let (slot, serial) = parts(thread);
    let length = |length| match ticks(Instant(length)) {
        (low, 0) => low,
        // (more than the kernel takes)
        _ => u32::MAX as usize,
    };
    let operation = Operation::SetPolicy as usize;
    let arguments = [operation, slot, serial, how, length(budget), length(period)];
    call6(posix::CALL, arguments).map(drop)
}

/// `SetTimer`: when the thread has run for so long; the start of all: never.
pub fn set_timer(thread: Number, at: Instant) -> Result<(), Error> {
    let ((slot, serial), (low, high)) = (parts(thread), ticks(at));
    let operation = Operation::SetTimer as usize;
    call6(posix::CALL, [operation, slot, serial, low, high, 0]).map(drop)
}

/// `SetName`: up to 16 bytes; the rest is cut.
pub fn set_name(thread: Number, name: &[u8]) -> Result<(), Error> {
    let (slot, _) = parts(thread);
    let bytes = name.len().min(16);
    let mut words = [0; 4];
    for (index, byte) in name[..bytes].iter().enumerate() {
        words[index / 4] |= usize::from(*byte) << (8 * (index % 4));
    }
    let [a, b, c, d] = words;
    let operation = Operation::SetName as usize;
    call6(posix::CALL, [operation, slot | bytes << 16, a, b, c, d]).map(drop)
}

/// An operation for POSIX that returns ticks, in ns.
fn of_posix(operation: Operation, [a, b]: [usize; 2]) -> Result<u64, Error> {
    let answer = call6(posix::CALL, [operation as usize, a, b, 0, 0, 0]);
    answer.map(|[low, high, ..]| instant(low, high).0)
}

/// `CreateThread`: its id.
pub fn create_thread(body: usize, argument: usize, priority: u8) -> Result<Number, Error> {
    let arguments = [body, argument, priority as usize];
    call3(Call::CreateThread, arguments).map(|[slot, serial, _]| number(slot, serial))
}

/// `JoinThread`: blocks; what the thread ended with.
pub fn join_thread(thread: Number, until: Instant) -> Result<usize, Error> {
    let ((slot, serial), (low, high)) = (parts(thread), ticks(until));
    let answer = call6(Call::JoinThread as usize, [slot, serial, low, high, 0, 0]);
    answer.map(|[value, ..]| value)
}

/// `DetachThread`.
pub fn detach_thread(thread: Number) -> Result<(), Error> {
    let (slot, serial) = parts(thread);
    call3(Call::DetachThread, [slot, serial, 0]).map(drop)
}

/// `AwaitProcess`: blocks; process, generation, how it ended.
pub fn await_process(until: Instant) -> Result<[usize; 3], Error> {
    let (low, high) = ticks(until);
    call3(Call::AwaitProcess, [low, high, 0])
}

/// `Clock`.
pub fn clock() -> Result<Instant, Error> {
    call0(Call::Clock).map(|[low, high, ..]| instant(low, high))
}

/// `Clock` in ticks; 0 where it may not be asked.
pub(crate) fn clock_ticks() -> u64 {
    call0(Call::Clock).map_or(0, |[low, high, ..]| wide(low, high))
}

/// `Sleep`: blocks. `EINVAL`: the instant never comes, which the kernel would wait for.
pub fn sleep(until: Instant) -> Result<(), Error> {
    if until == Instant::NEVER {
        return Err(Error::EINVAL);
    }
    let (low, high) = ticks(until);
    call3(Call::Sleep, [low, high, 0]).map(drop)
}

/// `CpuTime` in ns.
pub fn cpu_time() -> Result<u64, Error> {
    call0(Call::CpuTime).map(|[low, high, ..]| instant(low, high).0)
}

/// `Own`: the id of the calling thread, and the address and length of its stack.
pub fn own() -> Result<(Number, usize, usize), Error> {
    let answer = call0(Call::Own);
    answer.map(|[slot, serial, stack, length]| (number(slot, serial), stack, length))
}

/// `SetPriority`.
pub fn set_priority(thread: Number, priority: u8) -> Result<(), Error> {
    let (slot, serial) = parts(thread);
    call3(Call::SetPriority, [slot, serial, priority as usize]).map(drop)
}

/// `SwitchProgram`.
pub fn switch_program(program: u16, frame: &Frame, how: How, at: Instant) -> Result<(), Error> {
    let address = core::ptr::from_ref(frame).expose_provenance();
    let (low, high) = ticks(at);
    let arguments = [usize::from(program), address, how as usize, low, high, 0];
    call6(Call::SwitchProgram as usize, arguments).map(drop)
}

/// `CreateObject`: the id of the object that is now in slot `index`.
pub fn create_object(index: u16) -> Result<Number, Error> {
    let answer = call3(Call::CreateObject, [usize::from(index), 0, 0]);
    answer.map(|[slot, serial, _]| number(slot, serial))
}

/// `CreateObject`, of a mailbox that is attached to another, whoever lives in the slot
/// of that.
pub fn create_attached(index: u16, server: Number) -> Result<Number, Error> {
    let (server, _) = parts(server);
    let answer = call3(Call::CreateObject, [usize::from(index), ATTACHED, server]);
    answer.map(|[slot, serial, _]| number(slot, serial))
}

/// `DeleteObject`.
pub fn delete_object(object: Number) -> Result<(), Error> {
    let (slot, serial) = parts(object);
    call3(Call::DeleteObject, [slot, serial, 0]).map(drop)
}

/// `OpenObject`: the id of the object that is in slot `index`.
pub fn open_object(index: u16) -> Result<Number, Error> {
    let answer = call3(Call::OpenObject, [usize::from(index), 0, 0]);
    answer.map(|[slot, serial, _]| number(slot, serial))
}

/// `Lock` with the address of a word, or 0: blocks.
pub fn lock_word(semaphore: Number, until: Instant, word: usize) -> Result<(), Error> {
    let ((slot, serial), (low, high)) = (parts(semaphore), ticks(until));
    call6(Call::Lock as usize, [slot, serial, low, high, word, 0]).map(drop)
}

/// `Unlock` with the address of a word, or 0.
pub fn unlock_word(semaphore: Number, word: usize) -> Result<(), Error> {
    let (slot, serial) = parts(semaphore);
    call3(Call::Unlock, [slot, serial, word]).map(drop)
}

/// `Wait` with a mutex that has a word at this address, or 0: blocks.
pub fn wait_word(
    condition: Number,
    mutex: Number,
    until: Instant,
    word: usize,
) -> Result<(), Error> {
    let ((slot, serial), (low, high)) = (parts(condition), ticks(until));
    let (mutex, _) = parts(mutex);
    call6(Call::Wait as usize, [slot, serial, mutex, low, high, word]).map(drop)
}

/// `Signal`.
pub fn signal(condition: Number) -> Result<(), Error> {
    let (slot, serial) = parts(condition);
    call3(Call::Signal, [slot, serial, 0]).map(drop)
}

/// `Broadcast`.
pub fn broadcast(condition: Number) -> Result<(), Error> {
    let (slot, serial) = parts(condition);
    call3(Call::Broadcast, [slot, serial, 0]).map(drop)
}

/// `Call`: blocks; the words of the reply.
#[inline(always)]
pub fn call(mailbox: Number, priority: u32, words: [u32; 4]) -> Result<[u32; 4], Error> {
    let (slot, serial) = parts(mailbox);
    let [a, b, c, d] = words;
    let [a, b, c, d] = [a as usize, b as usize, c as usize, d as usize];
    let arguments = [with_priority(slot, priority)?, serial, a, b, c, d];
    let answer = call6(Call::Call as usize, arguments);
    answer.map(|[a, b, c, d, ..]| [a, b, c, d].map(|word| word as u32))
}

/// `ReplyReceive`: blocks; as [`receive_request`].
#[inline(always)]
pub fn reply_receive(client: u16, token: u32, words: [u32; 4]) -> Result<Requested, Error> {
    let [a, b, c, d] = words;
    let [a, b, c, d] = [a as usize, b as usize, c as usize, d as usize];
    let arguments = [usize::from(client), token as usize, a, b, c, d];
    call6(Call::ReplyReceive as usize, arguments).map(requested)
}

/// `Forward` of the request of a client.
pub fn forward(mailbox: Number, client: u16, token: u32) -> Result<(), Error> {
    let (slot, serial) = parts(mailbox);
    let arguments = [slot, serial, client.into(), token as usize, 0, 0];
    call6(Call::Forward as usize, arguments).map(drop)
}

/// `TracePosition`: bytes that the kernel has written into the trace ring since boot,
/// modulo 2^32.
pub fn trace_position() -> Result<u32, Error> {
    let answer = call6(Call::TracePosition as usize, [0; 6]);
    answer.map(|[bytes, ..]| bytes as u32)
}

/// The lower 16 bits of a register that has two halves.
const fn low_half(register: usize) -> usize {
    register & SLOT_MASK
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::set_rate;
    use crate::host::{Reply, clear_hook, set_hook};
    use giornata_abi::rate::Rate;
    use std::vec::Vec;

    const EVER: usize = u32::MAX as usize;
    const ID: Number = Id::new(6, 1).0;

    /// What `make` puts into the registers, and what it makes of this reply.
    fn registers<T>(reply: [usize; 7], make: impl FnOnce() -> T) -> (Vec<usize>, T) {
        let seen = std::rc::Rc::new(core::cell::RefCell::new(Vec::new()));
        let call = seen.clone();
        set_hook(move |request| {
            call.borrow_mut().push(request.number);
            call.borrow_mut().extend(request.arguments);
            Reply(reply)
        });
        let answer = make();
        clear_hook();
        (seen.take(), answer)
    }

    /// The registers of a call that returns nothing but success.
    fn asked(make: impl FnOnce() -> Result<(), Error>) -> Vec<usize> {
        let (registers, answer) = registers([0; 7], make);
        assert_eq!(answer, Ok(()));
        registers
    }

    #[test]
    fn an_id_is_two_registers() {
        assert_eq!(asked(|| delete_object(ID)), [21, 6, 2, 0, 0, 0, 0]);
        assert_eq!(asked(|| unlock_word(ID, 0x80)), [24, 6, 2, 0x80, 0, 0, 0]);
        assert_eq!(asked(|| signal(ID)), [26, 6, 2, 0, 0, 0, 0]);
        assert_eq!(asked(|| broadcast(ID)), [27, 6, 2, 0, 0, 0, 0]);
        assert_eq!(asked(|| detach_thread(ID)), [34, 6, 2, 0, 0, 0, 0]);
        assert_eq!(asked(|| set_priority(ID, 9)), [15, 6, 2, 9, 0, 0, 0]);
        let forever = Instant::NEVER;
        assert_eq!(
            asked(|| lock_word(ID, forever, 0x80)),
            [23, 6, 2, EVER, EVER, 0x80, 0]
        );
        let wait = asked(|| wait_word(ID, Id::new(3, 0).0, Instant(5), 0x80));
        assert_eq!(wait, [25, 6, 2, 3, 5, 0, 0x80]);
    }

    #[test]
    fn an_id_comes_back_as_it_was_made() {
        let (made, id) = registers([0, 6, 0x1_0002, 0, 0, 0, 0], || create_object(6));
        assert_eq!(
            (made, id),
            (
                [20, 6, 0, 0, 0, 0, 0].into(),
                Ok(Id::of_parts(6, 0x1_0002).0)
            )
        );
        let (made, _) = registers([0; 7], || create_attached(6, Id::new(4, 7).0));
        assert_eq!(made, [20, 6, 1, 4, 0, 0, 0]);
        let (_, own) = registers([0, 6, 2, 0x1000, 0x200, 0, 0], own);
        assert_eq!(own, Ok((ID, 0x1000, 0x200)));
        let (_, thread) = registers([0, 6, 2, 0, 0, 0, 0], || create_thread(0x100, 7, 9));
        assert_eq!(thread, Ok(ID));
    }

    #[test]
    fn messages_have_their_priority_above_the_slot() {
        let words = asked(|| send(ID, 200, [1, 2, 3, 4]));
        assert_eq!(words, [28, 200 << 16 | 6, 2, 1, 2, 3, 4]);
        let bytes = asked(|| send_from(ID, 0, 0x100, 24, 2, 7 << 16 | 9));
        assert_eq!(bytes, [29, 6, 2, 0x100, 24, 2, 7 << 16 | 9]);
        assert_eq!(send(ID, 0x1_0000, [0; 4]), Err(Error::EINVAL));
        assert_eq!(send_from(ID, u32::MAX, 0, 0, 0, 0), Err(Error::EINVAL));
    }

    #[test]
    fn a_message_is_delivered_with_ids_of_both_ends() {
        let reply = [0, 200 << 16 | 24, 4, 1, 0x1_0007, 6, 2];
        let (asked, delivery) = registers(reply, || {
            // SAFETY: the hook writes nothing.
            unsafe { receive_at(ID, Instant(5), 0x100, 0x2_0000, 1) }
        });
        assert_eq!(asked, [31, 6, 2, 5, 0, 0x100, 1 << 16 | 0xFFFF]);
        let expected = Delivery {
            length: 24,
            priority: 200,
            destination: Id::new(4, 0).0,
            from: 0x1_0007,
            sender: ID,
            token: None,
        };
        assert_eq!(delivery, Ok(expected));
        let reply = [0, 24, 4, 1, ENVELOPE_CALL, 6, 0x8000_0001];
        let (_, called) = registers(reply, || {
            // SAFETY: as above.
            unsafe { receive_at(ID, Instant(5), 0x100, 24, 1) }
        });
        let called = called.unwrap();
        assert_eq!(called.token, Some(0x8000_0001));
        assert_eq!(Id(called.sender).parts(), (6, 0));
        let (_, words) = registers([0, 1, 2, 3, 4, 0xFFFF << 16 | 9, 0], || {
            receive(ID, Instant::START)
        });
        assert_eq!(words, Ok(([1, 2, 3, 4], 9)));
    }

    #[test]
    fn time_crosses_the_border_in_ticks() {
        set_rate(Rate::new(32_768).unwrap());
        let second = 1_000_000_000;
        assert_eq!(
            asked(|| sleep(Instant(second))),
            [Call::Sleep as usize, 32_768, 0, 0, 0, 0, 0]
        );
        assert_eq!(asked(|| sleep(Instant(1)))[1..3], [1, 0], "never early");
        assert_eq!(asked(|| sleep(Instant::START))[1..3], [0, 0]);
        assert_eq!(sleep(Instant::NEVER), Err(Error::EINVAL));
        let hours = Instant(36 * 3600 * second);
        let low = (36u64 * 3600 * 32_768) as u32 as usize;
        assert_eq!(asked(|| sleep(hours))[1..3], [low, 0]);
        let (joined, _) = registers([0; 7], || join_thread(ID, Instant(second)));
        assert_eq!(joined, [33, 6, 2, 32_768, 0, 0, 0]);
        let (awaited, _) = registers([0; 7], || await_process(Instant(second)));
        assert_eq!(awaited[1..3], [32_768, 0]);
        let one = [0, 32_768, 1, 0, 0, 0, 0];
        let exact = (u128::from((1u64 << 32) + 32_768) * 1_000_000_000 / 32_768) as u64;
        assert_eq!(registers(one, clock).1, Ok(Instant(exact)));
        assert_eq!(registers(one, cpu_time).1, Ok(exact));
        let (of_thread, spent) = registers(one, || thread_time(ID));
        assert_eq!(of_thread, [posix::CALL, 0, 6, 2, 0, 0, 0]);
        assert_eq!(spent, Ok(exact));
        assert_eq!(registers(one, process_time).1, Ok(exact));
        let one_tick = [0, 1, 0, 0, 0, 0, 0];
        let spent = registers(one_tick, cpu_time).1.unwrap();
        assert_eq!(spent, 30_517, "a tick, rounded down");
    }
}

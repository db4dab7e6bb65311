//! The processes that are ended. Each begins with a count of what it can take, if
//! it is told to, and then works for ever.

use giornata_rt::mailbox::Mailbox;
use giornata_rt::sync::Guard;
use giornata_rt::time::{self, Instant};
use giornata_rt::{Error, heap, thread};

use crate::dice::Dice;
use crate::{
    AUDIT, BUS, INSIDE, LONGEST, NEWS, OWN, REPLIES, REPORTS, REQUESTS, SCRATCH, SLOTS, STACK, TOP,
    us,
};

/// What a reply is told by.
const ANSWER: u32 = 0xA5A5_5A5A;
/// The urgency of the threads that victims create.
const CHILD: u8 = 12;
const BLOCK: usize = 16;

/// Asks by way of the server, and does what else there is.
#[thread]
pub(crate) fn client() {
    begin(2);
    let mut dice = dice();
    loop {
        match dice.below(7) {
            0 => use_bus(&mut dice),
            1 => use_top(),
            2 | 3 => ask(&mut dice),
            4 => raise(use_bus_once, &mut dice),
            5 => take_memory(),
            _ => listen(),
        }
        rest(&mut dice);
    }
}

/// Synchronises, among its threads and with others.
#[thread]
pub(crate) fn crew() {
    begin(3);
    let mut dice = dice();
    loop {
        match dice.below(7) {
            0 => use_bus(&mut dice),
            1 => use_top(),
            2 => raise(use_own_once, &mut dice),
            3 => use_own_once_more(&mut dice),
            4 => raise(listen_once, &mut dice),
            5 => take_memory(),
            _ => tell(),
        }
        rest(&mut dice);
    }
}

/// The protocol server.
#[thread]
pub(crate) fn net() {
    begin(4);
    let mut dice = dice();
    let mut bytes = [0; LONGEST];
    loop {
        let full = STACK.receive_full(Instant::NEVER, &mut bytes);
        let full = full.expect("its mailbox is nobody else's");
        if dice.below(4) == 0 {
            use_bus(&mut dice);
        }
        let to = Mailbox::from_id(full.destination);
        let text = &bytes[..full.received.length];
        check_sent(to.send_direct(full.received.priority, text));
    }
}

/// Answers requests, each by a thread of its own if there is a place.
#[thread]
pub(crate) fn service() {
    begin(5);
    let mut bytes = [0; LONGEST];
    loop {
        let received = REQUESTS.receive_bytes(Instant::NEVER, &mut bytes);
        let length = received.expect("a request").length;
        let number = bytes[0];
        assert!(bytes[..length].iter().all(|byte| *byte == number));
        let _ = SLOTS.release();
        match thread::create(answer, number.into(), CHILD) {
            Ok(child) => thread::detach(child).expect("its own child"),
            Err(error) => {
                assert_eq!(error, Error::EAGAIN);
                answer(number.into());
            }
        }
    }
}

extern "C" fn answer(number: usize) -> usize {
    let number = number as u32;
    check_sent(REPLIES.send(number % 3, [number, number ^ ANSWER, 0, 0]));
    0
}

/// What a life begins with.
fn begin(number: u32) {
    if AUDIT.try_acquire().is_ok() {
        let report = [number, messages(), places(), blocks()];
        REPORTS.send(0, report).expect("the killer waits for it");
    }
}

/// How many messages it can have under way.
fn messages() -> u32 {
    let mut count = 0;
    while SCRATCH.send(0, [count, 0, 0, 0]).is_ok() {
        count += 1;
    }
    for number in 0..count {
        let message = SCRATCH.try_receive().expect("it was sent");
        assert_eq!(message.words[0], number);
    }
    count
}

/// How many threads it can create.
fn places() -> u32 {
    let mut children = [None; 8];
    let mut count = 0;
    for place in &mut children {
        if let Ok(child) = thread::create(next, count, CHILD) {
            *place = Some(child);
            count += 1;
        }
    }
    for (number, child) in children.into_iter().flatten().enumerate() {
        assert_eq!(thread::join(child), Ok(number + 1));
    }
    count as u32
}

extern "C" fn next(number: usize) -> usize {
    number + 1
}

/// How many blocks of memory it can take.
fn blocks() -> u32 {
    let mut count = 0;
    while let Ok(memory) = heap::allocate(BLOCK) {
        assert!(memory.iter().all(|byte| *byte == 0));
        memory.fill(0xA5);
        count += 1;
    }
    count
}

/// As the instant has it.
fn dice() -> Dice {
    Dice(time::now().0)
}

fn rest(dice: &mut Dice) {
    time::sleep(us(dice.below(80))).expect("a short sleep");
}

fn soon(micros: u64) -> Instant {
    time::now() + us(micros)
}

/// Nothing is wrong with a message but that there may be none left.
fn check_sent(sent: Result<(), Error>) {
    assert!(matches!(sent, Ok(()) | Err(Error::EAGAIN)));
}

/// Has the bus for a while, alone.
fn use_bus(dice: &mut Dice) {
    match BUS.lock_until(soon(300)) {
        Ok(guard) => {
            enter(&guard);
            rest(dice);
            leave();
        }
        Err(error) => assert_eq!(error, Error::ETIMEDOUT),
    }
}

/// Who has the bus is alone in it; if who had it died, that may have been inside.
fn enter(guard: &Guard) {
    if guard.owner_died() {
        let _ = INSIDE.release();
    }
    INSIDE.try_acquire().expect("who has the bus is alone");
}

fn leave() {
    INSIDE.release().expect("nobody else was inside");
}

/// Has the mutex with a ceiling.
fn use_top() {
    match TOP.lock_until(soon(100)) {
        Ok(_guard) => time::sleep(us(5)).expect("a short sleep"),
        Err(error) => assert_eq!(error, Error::ETIMEDOUT),
    }
}

/// Has the bus, and waits for news.
fn listen() {
    let Ok(guard) = BUS.lock_until(soon(100)) else {
        return;
    };
    // who gives it back has to have mended it
    enter(&guard);
    leave();
    let (guard, _) = NEWS.wait_until(guard, soon(60)).expect("the bus again");
    enter(&guard);
    leave();
}

/// Tells all that wait for news, and takes a slot.
fn tell() {
    NEWS.broadcast().expect("news");
    let slot = SLOTS.acquire_until(soon(30));
    assert!(matches!(slot, Ok(()) | Err(Error::ETIMEDOUT)));
}

/// Sends a request, and takes a reply to it or to one before.
fn ask(dice: &mut Dice) {
    let number = dice.below(256) as u8;
    let length = 1 + dice.below(LONGEST as u64) as usize;
    check_sent(REQUESTS.send_bytes(number.into(), &[number; LONGEST][..length]));
    match REPLIES.receive_until(soon(150)) {
        Ok(reply) => assert_eq!(reply.words[1], reply.words[0] ^ ANSWER),
        Err(error) => assert_eq!(error, Error::ETIMEDOUT),
    }
}

/// Creates a thread and joins it, or lets it go if that takes too long.
fn raise(body: thread::Body, dice: &mut Dice) {
    let argument = dice.below(1 << 20) as usize;
    let child = match thread::create(body, argument, CHILD + dice.below(20) as u8) {
        Ok(child) => child,
        Err(error) => return assert_eq!(error, Error::EAGAIN),
    };
    match thread::join_until(child, soon(100)) {
        Ok(value) => assert_eq!(value, argument + 1),
        Err(error) => {
            assert_eq!(error, Error::ETIMEDOUT);
            thread::detach(child).expect("its own child");
        }
    }
}

extern "C" fn use_bus_once(argument: usize) -> usize {
    use_bus(&mut Dice(argument as u64));
    argument + 1
}

extern "C" fn listen_once(argument: usize) -> usize {
    listen();
    argument + 1
}

extern "C" fn use_own_once(argument: usize) -> usize {
    use_own_once_more(&mut Dice(argument as u64));
    argument + 1
}

/// Has what only the crew's threads have.
fn use_own_once_more(dice: &mut Dice) {
    match OWN.lock_until(soon(200)) {
        Ok(_guard) => rest(dice),
        Err(error) => assert_eq!(error, Error::ETIMEDOUT),
    }
}

/// Takes a block, if there is one left.
fn take_memory() {
    if let Ok(memory) = heap::allocate(BLOCK) {
        assert!(memory.iter().all(|byte| *byte == 0));
        memory.fill(0xA5);
    }
}

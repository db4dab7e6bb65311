//! Processes that send to each other, create threads, supervise and allocate.
//! Each scenario is a system file beside this crate; the order of the logged words
//! is the result.

#![no_std]

mod arrivals;
mod queue;
mod timers;

use giornata_rt::mailbox::Mailbox;
use giornata_rt::region::{Region, Shared};
use giornata_rt::supervisor::{self, Process};
use giornata_rt::sync::{PrivateMutex, PrivateSemaphore};
use giornata_rt::time::{self, Duration, Instant};
use giornata_rt::{Error, Id, call, heap, log, process, shutdown, thread};

use arrivals::{office, post};
use queue::{receive_all, send_always, send_between};
use timers::{burst, drive, every, load};

/// As `mail.toml` numbers its mailboxes.
const REQUESTS: Mailbox = Mailbox::new(0);
const REPLIES: Mailbox = Mailbox::new(1);
const STACK: Mailbox = Mailbox::new(2);
/// As `regions.toml` numbers its regions and mailboxes.
const RING: Region = Region::new(0);
const LARGE: Region = Region::new(1);
const INBOX: Mailbox = Mailbox::new(0);
/// As `lives.toml` numbers its processes.
const PUMP: Process = Process::new(1);
/// As `private.toml` numbers its objects.
static BUS: PrivateMutex = PrivateMutex::new(0);
static SLOTS: PrivateSemaphore = PrivateSemaphore::new(1, 2);

/// Lets so much of the caller's own execution time pass.
fn spend(time: Duration) {
    let spent = || thread::cpu_time().unwrap_or(Duration::ZERO);
    let start = spent();
    while spent() < start + time {
        for _ in 0..1000 {
            core::hint::spin_loop();
        }
    }
}

fn work(millis: u64) {
    spend(Duration::from_millis(millis));
}

fn at(millis: u64) -> Instant {
    Instant(millis * 1_000_000)
}

fn sleep_until(millis: u64) {
    if let Err(error) = time::sleep_until(at(millis)) {
        log!("sleep: {}", error.name());
    }
}

/// What a call came to, by name.
fn name<T>(result: &Result<T, Error>) -> &'static str {
    match result {
        Ok(_) => "done",
        Err(error) => error.name(),
    }
}

/// How often the caller's process has begun anew.
fn generation() -> u16 {
    thread::own().map_or(0, Id::generation)
}

/// A request: longer than words are, its first byte tells which.
fn request(number: u8) -> [u8; 24] {
    let mut bytes = [0; 24];
    bytes[0] = number;
    bytes[23] = 100 + number;
    bytes
}

/// Asks, and waits for what comes back.
#[thread]
fn ask() {
    sleep_until(1);
    log!("too long: {}", name(&REQUESTS.send_bytes(1, &[0; 25])));
    for number in 1..=3 {
        let sent = REQUESTS.send_bytes(u32::from(number), &request(number));
        log!("asked {number}: {}", name(&sent));
    }
    loop {
        match REPLIES.receive_until(at(20)) {
            Ok(reply) => log!("reply {} of {}", reply.words[1], reply.words[0]),
            Err(error) => return log!("no reply: {}", error.name()),
        }
    }
}

/// Is more urgent than [`carry`] is of itself.
#[thread]
fn between() {
    sleep_until(1);
    log!("between begins");
    work(1);
    log!("between is done");
}

/// Carries requests to where they are to go, as urgently as who asks.
#[thread]
fn carry() {
    let mut bytes = [0; 24];
    loop {
        let Ok(full) = STACK.receive_full(Instant::NEVER, &mut bytes) else {
            return log!("carry ends");
        };
        let text = &bytes[..full.received.length];
        let incoming = full.from.incoming;
        log!("carries {} of {}, incoming {incoming}", text[0], text.len());
        let to = Mailbox::from_id(full.destination);
        let sent = to.send_direct(full.received.priority, text);
        log!("carried {}: {}", text[0], name(&sent));
    }
}

/// Answers requests; is no server.
#[thread]
fn answer() {
    let mut bytes = [0; 24];
    let full = STACK.receive_full(Instant::NEVER, &mut bytes);
    log!("as a server: {}", name(&full));
    log!("to itself: {}", name(&REQUESTS.send(1, [0; 4])));
    let short = REQUESTS.receive_bytes(Instant::NEVER, &mut bytes[..16]);
    log!("in too little room: {}", name(&short));
    while let Ok(received) = REQUESTS.receive_bytes(Instant::NEVER, &mut bytes) {
        let words = [u32::from(bytes[0]), u32::from(bytes[23]), 0, 0];
        log!(
            "answers {}: {}",
            bytes[0],
            name(&REPLIES.send(received.priority, words))
        );
    }
}

/// Twice its argument, in its time.
extern "C" fn double(argument: usize) -> usize {
    log!("doubles {argument}");
    2 * argument
}

/// Takes its time.
extern "C" fn dally(argument: usize) -> usize {
    log!("dallies");
    let _ = time::sleep(Duration(argument as u64));
    log!("has dallied");
    argument
}

#[thread]
fn lead() {
    log!("too urgent: {}", name(&thread::create(double, 1, 41)));
    let first = thread::create(double, 7, 30);
    let second = thread::create(dally, 4_000_000, 30);
    log!("created: {}, {}", name(&first), name(&second));
    log!("a third: {}", name(&thread::create(double, 1, 30)));
    let (Ok(first), Ok(second)) = (first, second) else {
        return;
    };
    log!("the first: {:?}", thread::join(first).ok());
    log!("once more: {}", name(&thread::join(first)));
    log!(
        "at once: {}",
        name(&thread::join_until(second, Instant::START))
    );
    log!("in time: {}", name(&thread::join_until(second, at(2))));
    let third = thread::create(double, 8, 10);
    log!(
        "in the first's place: {}",
        third.is_ok_and(|third| third.index() == first.index())
    );
    log!("it: {:?}", third.and_then(thread::join).ok());
    log!("the second: {:?}", thread::join(second).ok());
    let last = thread::create(dally, 1_000_000, 10);
    let Ok(last) = last else { return };
    log!("let go: {}", name(&thread::detach(last)));
    log!("not joined: {}", name(&thread::join(last)));
    log!(
        "the caller: {}",
        name(&thread::own().and_then(thread::join))
    );
}

/// Has [`pump`] live three times.
#[thread]
fn watch() {
    log!("start: {}", name(&PUMP.start()));
    sleep_until(1);
    log!("start: {}", name(&PUMP.start()));
    for _ in 0..4 {
        match supervisor::await_end(at(20)) {
            Ok(end) => {
                let which = if end.process == PUMP { "pump" } else { "relay" };
                log!(
                    "{which} ends: {:?}, restarted {}",
                    end.cause,
                    end.is_restarted
                );
                if end.process == PUMP {
                    log!("start: {}", name(&PUMP.start()));
                }
            }
            Err(error) => log!("none ends: {}", error.name()),
        }
    }
    log!("kill: {}", name(&PUMP.kill()));
    log!("kill: {}", name(&PUMP.kill()));
    let own = Process::new(0);
    log!("kill itself: {}", name(&own.kill()));
}

/// Dies twice, then lives on.
#[thread]
fn pump() {
    let now = time::now().0 / 1_000_000;
    log!("pump begins, {} before", generation());
    sleep_until(now + 3);
    assert!(generation() > 1);
    log!("pump lives on");
    log!(
        "it supervises none: {}",
        name(&supervisor::await_end(at(30)))
    );
}

/// Dies once, and is started anew by the kernel.
#[thread]
fn relay() {
    log!("relay begins, {} before", generation());
    sleep_until(12);
    assert!(generation() > 0);
}

/// Takes what there is: 64 bytes.
#[thread]
fn hoard() {
    log!("hoards, {} before", generation());
    let take = |bytes: usize| match heap::allocate(bytes) {
        Ok(memory) => {
            let is_aligned = memory.as_ptr().addr() % 16 == 0;
            let is_clear = memory.iter().all(|byte| *byte == 0);
            log!(
                "takes {}: aligned {is_aligned}, clear {is_clear}",
                memory.len()
            );
            memory.fill(0xA5);
        }
        Err(error) => log!("takes {bytes}: {}", error.name()),
    };
    for bytes in [17, 65, 16, 17, 16, 1, 1 << 20] {
        take(bytes);
    }
    assert!(generation() > 0);
}

#[thread]
fn beg() {
    log!("begs: {}", name(&heap::allocate(1)));
}

/// Has the mutex for 4 ms of work, from the start.
#[thread]
fn low() {
    let guard = BUS.lock();
    log!("low has it: {}", name(&guard));
    work(4);
    log!("low gives it back");
    drop(guard);
    log!("low is done");
}

/// Would keep `low`, and so `high`, from running.
#[thread]
fn middle() {
    sleep_until(2);
    log!("middle begins");
    work(2);
    log!("middle is done");
}

/// Wants the mutex, then more slots than there are.
#[thread]
fn high() {
    sleep_until(1);
    log!("high wants it: {}", name(&BUS.try_lock()));
    let guard = BUS.lock();
    log!("high has it: {}", name(&guard));
    drop(guard);
    for _ in 0..3 {
        log!("slot: {}", name(&SLOTS.try_acquire()));
    }
    log!("slot: {}", name(&SLOTS.acquire_until(at(20))));
    log!("slot: {}", name(&SLOTS.acquire()));
}

/// Gives one slot, late.
#[thread]
fn fill() {
    sleep_until(30);
    log!("fill: {}", name(&SLOTS.release()));
}

/// What the first bytes of a region are, as text.
fn text<A>(shared: &Shared<A>) -> [u8; 8] {
    let mut bytes = [0; 8];
    let _ = shared.read(0, &mut bytes);
    bytes.map(|byte| if byte == 0 { b'.' } else { byte })
}

fn shown(bytes: &[u8]) -> &str {
    core::str::from_utf8(bytes).unwrap_or("?")
}

/// Has the region from 1 ms to 6, and again from 10 to 40.
#[thread]
fn produce() {
    sleep_until(1);
    let Ok(ring) = RING.attach() else { return };
    log!("{} bytes, {}", ring.length(), shown(&text(&ring)));
    log!("again: {}", name(&RING.attach()));
    log!("of nobody: {}", name(&Region::new(9).attach()));
    let _ = ring.write(0, b"from one");
    let _ = ring.word(8).map(|word| word.store(1));
    log!("past its end: {}", name(&ring.write(4090, b"too long")));
    sleep_until(3);
    log!("reader says {}", ring.load(12).unwrap_or(0));
    log!("counted {}", ring.load(8).unwrap_or(0));
    log!("received into it: {}", name(&receive_into(&ring)));
    log!("there: {}", shown(&text(&ring)));
    let address = ring.address();
    drop(ring);
    log!("and not any more: {}", name(&receive_at(address, 8)));
    sleep_until(10);
    let Ok(ring) = RING.attach() else { return };
    log!("kept by the reader: {}", shown(&text(&ring)));
    sleep_until(40);
}

/// Receives a message into a region.
fn receive_into<A>(shared: &Shared<A>) -> Result<usize, Error> {
    receive_at(shared.address(), 8)
}

fn receive_at(address: usize, length: usize) -> Result<usize, Error> {
    let (inbox, until) = (INBOX.id().0, Instant(30_000_000));
    // SAFETY: what the call writes is a region, which is nobody's object.
    let received = unsafe { call::receive_at(inbox, until, address, length, 0) };
    received.map(|delivery| delivery.length)
}

/// Reads and counts what [`produce`] writes, from 2 ms on; begins anew when it has
/// touched what it may not.
#[thread]
fn consume() {
    log!("consumer begins, {} before", generation());
    sleep_until(2);
    let Ok(ring) = RING.attach() else {
        return log!("no ring");
    };
    log!("reads {}", shown(&text(&ring)));
    let _ = ring.word(8).map(|word| word.fetch_add(41));
    let _ = ring
        .word(12)
        .map(|word| word.store(u32::from(generation()) + 7));
    let _ = INBOX.send_bytes(1, b"a letter");
    let _ = INBOX.send_bytes(1, b"a second");
    sleep_until(12);
    if generation() == 0 {
        let address = ring.address();
        drop(ring);
        log!("touches what it detached");
        return touch(address);
    }
    log!("lives on: {}", shown(&text(&ring)));
    sleep_until(50);
}

/// Only reads.
#[thread]
fn look() {
    sleep_until(2);
    log!("to write: {}", name(&RING.attach()));
    let ring = RING.attach_to_read();
    log!("to read: {}", name(&ring));
    let Ok(ring) = ring else { return };
    log!("sees {}", shown(&text(&ring)));
    sleep_until(20);
    log!("still sees {}", shown(&text(&ring)));
    log!("writes what it may only read");
    touch(ring.address());
    log!("wrote");
}

/// Stores to an address.
fn touch(address: usize) {
    let place = core::ptr::with_exposed_provenance_mut::<u8>(address);
    // SAFETY: no object lies there, so no harm is done to any: it faults or not.
    unsafe { place.write_volatile(b'X') };
}

/// Is the first, then the last that has a region, before and after the others.
#[thread]
fn renew() {
    let Ok(large) = LARGE.attach() else { return };
    log!("large: {} bytes", large.length());
    let end = large.length() - 4;
    let _ = large.word(end).map(|word| word.store(5));
    drop(large);
    let large = LARGE.attach_to_read();
    log!(
        "after the last: {:?}",
        large.and_then(|large| large.load(end)).ok()
    );
    sleep_until(55);
    let Ok(ring) = RING.attach() else { return };
    log!("when all were gone: {}", shown(&text(&ring)));
}

/// Uses half a stack, or less, and asks.
#[thread]
fn dive() {
    let depth = || thread::stack().map_or((0, 0), |stack| (stack.size, stack.used));
    let (size, first) = depth();
    sink();
    let (_, second) = depth();
    log!(
        "stack of {size}, deeper by 2048: {}",
        second >= first + 2048
    );
    log!("not full: {}", second < size);
    let created = thread::create(dived, 0, 5);
    log!("tenant: {:?}", created.and_then(thread::join).ok());
    let created = thread::create(dived, 1, 5);
    log!("the next: {:?}", created.and_then(thread::join).ok());
    let created = thread::create(dived, 0, 5);
    log!("what is left: {:?}", created.and_then(thread::join).ok());
}

/// Whether a created thread's place has been used by 2048 bytes.
extern "C" fn dived(argument: usize) -> usize {
    if argument == 1 {
        sink();
    }
    thread::stack().map_or(9, |stack| usize::from(stack.used >= 2048))
}

/// Fills 2048 bytes of stack.
#[inline(never)]
fn sink() {
    core::hint::black_box(&mut [1u8; 2048]);
}

/// Stops the machine at 60 ms.
#[thread]
fn finish() {
    sleep_until(60);
    log!("not stopped: {}", shutdown(0).name());
}

process! {
    threads: [
        ask, between, carry, answer, lead, watch, pump, relay, hoard, beg, low, middle, high, fill, finish,
        produce, consume, look, renew, dive, every, burst, load, drive, office, post,
        send_always, send_between, receive_all,
    ],
}

//! Threads that call the kernel all the time, and get in each other's way.

use giornata_rt::time::{self, Duration};
use giornata_rt::{Error, log, request, thread, yield_now};

use crate::object::{BUS, ORDERS, READY};
use crate::{Random, compute};

/// Rounds between two calls, at most.
const APART: u32 = 2_048;

/// What a thread does that the others mind.
fn call(random: &mut Random) -> Result<(), Error> {
    let rounds = random.next() % 64;
    compute(random.next() % APART);
    match random.next() % 8 {
        0 | 1 => {
            let _bus = BUS.lock()?;
            compute(rounds);
        }
        2 | 3 => {
            READY.release()?;
            READY.acquire()?;
        }
        4 | 5 => drop(ORDERS.call(3, [rounds, 0, 0, 0])?),
        6 => yield_now(),
        _ => time::sleep(Duration(u64::from(random.next() % 8_192) * 10))?,
    }
    Ok(())
}

fn always(seed: u32) {
    let mut random = Random(seed);
    while call(&mut random).is_ok() {}
}

macro_rules! callers {
    ($($name:ident: $seed:literal,)*) => {
        $(#[thread]
        pub(crate) fn $name() {
            always($seed);
        })*
    };
}

callers! {
    caller_0: 0x1111_2222, caller_1: 0x3333_4444, caller_2: 0x5555_6666,
    caller_3: 0x7777_8888, caller_4: 0x9999_AAAA, caller_5: 0xBBBB_CCCC,
}

/// Answers them.
#[thread]
pub(crate) fn server() {
    let serve = || -> Result<(), Error> {
        let mut asked = ORDERS.receive_request()?;
        loop {
            compute(asked.words[0]);
            asked = request::reply_receive(asked.client, [0; 4])?;
        }
    };
    while serve().is_err() {}
}

/// Says something now and then.
#[thread]
pub(crate) fn talker() {
    let mut said = 0_u32;
    loop {
        let _ = time::sleep(Duration::from_micros(900));
        said = said.wrapping_add(1);
        log!("a line of some length, for the {said}th time");
    }
}

/// Dies of a store to where nothing lies, and is started again with its process.
#[thread]
pub(crate) fn doomed() {
    let _ = time::sleep(Duration::from_micros(4_000));
    let nowhere: *mut u32 = core::ptr::with_exposed_provenance_mut(4);
    // SAFETY: the kernel refuses it and ends the process.
    unsafe { nowhere.write_volatile(0) }
}

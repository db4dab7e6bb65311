//! Threads that call the kernel.

use bench_marks::{AFTER, BEFORE, NOTHING, NOTHING_END, TABLE, TABLE_END, WOKEN, mark};
use giornata_rt::abi::call::Call;
use giornata_rt::time::{self, Duration};
use giornata_rt::{call, log, port, shutdown, thread, yield_now};

/// How often each thing is done: the first are not counted, a hundred are.
pub(crate) const ROUNDS: u32 = 120;

/// Ends the run.
pub(crate) fn end() {
    // Never refused: every system grants it to whoever ends it.
    let _ = shutdown(0);
}

/// The null call, before it nothing at all, and a call that does next to nothing.
#[thread]
pub(crate) fn null_calls() {
    for _ in 0..ROUNDS {
        mark::<NOTHING>();
        mark::<NOTHING_END>();
    }
    for _ in 0..ROUNDS {
        mark::<BEFORE>();
        // Never refused to a thread.
        let _ = call::null();
        mark::<AFTER>();
    }
    for _ in 0..ROUNDS {
        mark::<TABLE>();
        // The process has no device, and is told so.
        let _ = call::device_address(core::ptr::null::<u8>());
        mark::<TABLE_END>();
    }
    end();
}

fn take_turns() {
    for _ in 0..ROUNDS {
        mark::<BEFORE>();
        yield_now();
        mark::<AFTER>();
    }
    end();
}

/// One of two that yield to each other.
#[thread]
pub(crate) fn turn_a() {
    take_turns();
}

/// The other.
#[thread]
pub(crate) fn turn_b() {
    take_turns();
}

/// Sleeps again and again, and nobody runs meanwhile.
#[thread]
pub(crate) fn doze() {
    loop {
        // Never refused to a thread.
        let _ = time::sleep(Duration::from_micros(100));
        mark::<WOKEN>();
    }
}

/// Runs whenever nobody else does.
#[thread]
pub(crate) fn background() {
    loop {
        core::hint::spin_loop();
    }
}

/// Makes every call that comes back, in turn, and every refused one.
#[thread]
pub(crate) fn every_call() {
    let Ok(own) = thread::own() else { return };
    loop {
        for call in Call::ALL {
            match call {
                // They do not come back, or stop the machine.
                Call::Exit | Call::Panic | Call::Shutdown => {}
                Call::Sleep => drop(time::sleep(Duration::from_micros(10))),
                Call::Log => log!("sixteen letters and a few more, thread {own:?}"),
                Call::WritePort => drop(port::write(0, &[1, 2, 3, 4])),
                Call::ReadPort => drop(port::read(0, &mut [0; 4])),
                Call::SetPriority => drop(thread::set_priority(own, 50)),
                // SAFETY: it writes no memory.
                other => drop(unsafe { call::raw(*other as usize, [0; 6]) }),
            }
        }
    }
}

/// Gives way and asks the time.
#[thread]
pub(crate) fn turn_about() {
    loop {
        yield_now();
        core::hint::black_box(time::now());
    }
}

//! Threads that go wrong in a way of their own each. What a run of them comes to stands
//! in `NAME.verdict` beside its system file.

#![no_std]

use giornata_rt::supervisor::Process;
use giornata_rt::sync::Mutex;
use giornata_rt::time::{self, Duration, Instant};
use giornata_rt::{log, process, shutdown, thread};

fn sleep_until(millis: u64) {
    if let Err(error) = time::sleep_until(Instant(millis * 1_000_000)) {
        log!("sleep: {}", error.name());
    }
}

/// Waits for a while, and then never again.
#[thread]
fn spin() {
    sleep_until(20);
    loop {
        core::hint::spin_loop();
    }
}

/// Looks at something every millisecond.
#[thread]
fn poll() {
    loop {
        if time::sleep(Duration::from_millis(1)).is_err() {
            return;
        }
    }
}

/// Waits for something that does not come.
#[thread]
fn wait() {
    sleep_until(1_000_000);
}

/// Has work for as long as nobody else has.
#[thread]
fn fill() {
    loop {
        core::hint::spin_loop();
    }
}

/// Finds something in its first lives that it did not think of.
#[thread]
fn trip() {
    sleep_until(5);
    let mut readings = [7, 0].into_iter();
    let (Some(reading), Some(count)) = (readings.next(), readings.next()) else {
        return;
    };
    log!(
        "mean: {}",
        core::hint::black_box(reading) / core::hint::black_box(count)
    );
}

/// Of the system file's mutexes the second and the third.
const TABLE: Mutex = Mutex::new(1);
const DOOR: Mutex = Mutex::new(2);

/// Computes for ever with the table in its hand.
#[thread]
fn fill_table() {
    let _table = TABLE.lock();
    search();
}

#[inline(never)]
fn search() {
    loop {
        core::hint::spin_loop();
    }
}

/// Wants the table.
#[thread]
fn look_up() {
    sleep_until(10);
    drop(TABLE.lock());
    log!("looked up");
}

/// Holds the door for a while, again and again.
#[thread]
fn enter() {
    loop {
        let door = DOOR.lock();
        if door.is_err() || time::sleep(Duration::from_millis(3)).is_err() {
            return;
        }
    }
}

/// Wants the door at some time.
#[thread]
fn leave() {
    sleep_until(4);
    loop {
        drop(DOOR.lock());
        if time::sleep(Duration::from_millis(7)).is_err() {
            return;
        }
    }
}

/// Ends the other process.
#[thread]
fn end_walk() {
    sleep_until(10);
    if let Err(error) = Process::new(1).kill() {
        log!("kill: {}", error.name());
    }
}

/// Ends the run.
#[thread]
fn finish() {
    sleep_until(50);
    shutdown(0);
}

/// Ends the run with a status that is not 0.
#[thread]
fn refuse() {
    sleep_until(5);
    log!("the last words");
    shutdown(2);
}

/// Computes, tells its result and ends the run.
#[thread]
fn compute() {
    let mut sum = 1u32;
    for _ in 0..200_000 {
        sum = core::hint::black_box(sum.wrapping_mul(1_103_515_245).wrapping_add(12_345));
    }
    log!("sum {sum}");
    shutdown(0);
}

/// Ends the other process when that has hung for a while.
#[thread]
fn end_hung() {
    sleep_until(30);
    if let Err(error) = Process::new(1).kill() {
        log!("kill: {}", error.name());
    }
}

/// Finds at once that nothing is as it should be.
#[thread]
fn stumble() {
    let readings = [1, 2, 3];
    let index = core::hint::black_box(readings.len());
    log!("reading: {}", readings[index]);
}

/// Ends the run when everybody has had time.
#[thread]
fn finish_late() {
    sleep_until(2000);
    shutdown(0);
}

process! {
    threads: [
        spin, poll, wait, fill, trip, fill_table, look_up, enter, leave, end_walk, finish, refuse,
        compute, end_hung, stumble, finish_late,
    ],
}

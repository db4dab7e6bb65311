//! Every system call with every register at every kind of value, against the
//! answers that the documentation promises.
//!
//! A sweep makes calls by the thousand, compares each answer with the [`law`],
//! and logs one line for each call with the count of every answer, and one for
//! each answer that the law does not allow.

#![no_std]

mod ending;
mod law;
mod sweep;
mod value;

use giornata_rt::time::{self, Instant};
use giornata_rt::{driver, log, process, shutdown, task, thread};

use ending::{exit_now, panic_everywhere};
use law::Caller;
use sweep::Sweep;

/// Sweeps all calls as an ordinary thread without grants but two ports.
#[thread]
fn sweep_thread() {
    let Some(sweep) = Sweep::new(Caller::Thread) else {
        return;
    };
    sweep.all();
    log!("swept");
}

/// Sweeps all calls as a task; tells how many answers were wrong, for itself
/// and for the upcall of this instant.
#[task]
fn sweep_task(upcall_wrong: &u32, wrong: &mut u32) {
    *wrong = Sweep::silent(Caller::Task).all();
    log!("wrong for a task: {wrong}, for an upcall: {upcall_wrong}");
}

/// Sweeps all calls as an upcall; answers how many answers were wrong.
#[driver]
fn sweep_upcall(wrong: &mut u32) {
    *wrong = Sweep::silent(Caller::Upcall).all();
}

#[driver]
fn not_swept(wrong: &mut u32) {
    *wrong = u32::MAX;
}

/// The grant is there: only the status can be wrong. Stops the machine at 300 ms.
#[thread]
fn stop() {
    // Never refused to a thread.
    let _ = time::sleep_until(Instant(300_000_000));
    let statuses = [
        ("256", 256),
        ("a top byte", usize::MAX - usize::MAX / 256),
        ("all ones", usize::MAX),
        ("the sign", usize::MAX / 2 + 1),
    ];
    for (name, status) in statuses {
        let answer = giornata_rt::call::shutdown(status);
        log!("status {name}: {}", answer.name());
    }
    log!("not stopped: {}", shutdown(0).name());
}

process! {
    tasks: [sweep_task],
    drivers: [sweep_upcall, not_swept],
    threads: [sweep_thread, panic_everywhere, exit_now, stop],
}

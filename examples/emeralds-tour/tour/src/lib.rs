//! A walk through the services of the kernel, in the order of EMERALDS (Zuberi and
//! Shin): each step is a module or a function of one, and begins with a line that
//! says what it shows. Priorities decide the order of the lines, not times.

#![no_std]

mod conditions;
mod handlers;
mod hint;
mod lives;
mod mail;
mod memory;
mod mutexes;
mod objects;
mod plan;
mod refusals;
mod regions;
mod semaphores;
mod threads;

use giornata_rt::{Error, log, process, shutdown, thread};

use lives::leap;
use mail::{answer, carry};

/// The priority of the guide; threads that it creates with a higher one run before
/// their creation returns.
const GUIDE: u8 = 10;

/// What a step shows, and the step.
type Step = (&'static str, fn() -> Result<(), Error>);

const STEPS: &[Step] = &[
    (
        "threads: created, joined, let go, equals that yield",
        threads::show,
    ),
    (
        "mailboxes: a server carries a request, as urgently as who waits for the answer",
        mail::show,
    ),
    (
        "shared region: written by one process, read by another",
        regions::show,
    ),
    (
        "inheritance: low runs as 60 while high waits",
        mutexes::show_inheritance,
    ),
    (
        "ceiling: low runs as 50 from the beginning",
        mutexes::show_ceiling,
    ),
    (
        "private mutex and semaphore, in C: no call while nobody waits",
        mutexes::show_private,
    ),
    (
        "semaphore: counts up to its limit, waits up to an instant",
        semaphores::show,
    ),
    (
        "condition: the most urgent that waits goes on first",
        conditions::show,
    ),
    (
        "hint: who will lock next does not run to find the mutex taken",
        hint::show,
    ),
    (
        "interrupts, in C: a thread waits for one, a routine runs at each",
        handlers::show_interrupts,
    ),
    (
        "timer: a handler is called at instants without drift",
        handlers::show_timer,
    ),
    (
        "arrivals: a handler is called for each message",
        handlers::show_arrivals,
    ),
    (
        "supervisor: a process that crashes is told of and started again",
        lives::show,
    ),
    (
        "heap: memory comes out of the process's own quota",
        memory::show_heap,
    ),
    ("stack: how deep it has been", memory::show_stack),
    (
        "objects: deleted, made anew, and not known by the old name",
        objects::show,
    ),
    (
        "refusals: what is wrong is answered, and nothing has happened",
        refusals::show,
    ),
];

/// Goes from step to step, and stops the machine.
#[thread]
fn guide() {
    let status = u8::from(!walk());
    log!("not stopped: {}", shutdown(status).name());
}

/// Whether no call was refused that should succeed.
fn walk() -> bool {
    (1..).zip(STEPS).all(|(number, (shown, step))| {
        log!("{number} {shown}");
        step()
            .inspect_err(|error| log!("{number} failed: {}", error.name()))
            .is_ok()
    })
}

/// What a call came to, by name.
fn name<T>(result: &Result<T, Error>) -> &'static str {
    match result {
        Ok(_) => "done",
        Err(error) => error.name(),
    }
}

process! {
    threads: [guide, carry, answer, leap],
}

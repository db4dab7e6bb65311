//! Jobs that do what no job may, and jobs that tell what others left behind.

use giornata_rt::{driver, log, task};

/// A job without end, in a task with a budget. It has half written its state, and the
/// next job finds it as it was.
#[task]
pub(crate) fn overrun(
    reading: &u32,
    never: &mut u32,
    #[state(<[u32; 2]>::default)] pair: &mut [u32; 2],
) {
    let [first, second] = *pair;
    log!("state {first} {second}");
    *never = reading.wrapping_add(1);
    core::hint::black_box(pair)[0] += 1;
    loop {
        core::hint::spin_loop();
    }
}

/// Faults on its way.
#[task]
pub(crate) fn fault_job(reading: &u32, faulted: &mut u32) {
    *faulted = reading.wrapping_add(1);
    // SAFETY: none; that this hurts nobody else is what is tested.
    unsafe { crate::instruction::store(0x8000_0000) }
}

/// Panics on its way.
#[task]
pub(crate) fn panic_job(reading: &u32, panicked: &mut u32) {
    *panicked = reading.wrapping_add(1);
    panic!("job");
}

/// Tells what the misbehaving drivers left in the sensors: what was there before.
#[task]
pub(crate) fn tell_readings(
    spun: &u32,
    flooded: &u32,
    faulted: &u32,
    panicked: &u32,
    depth: &u32,
    let_through: &u32,
    left: &u32,
    reading: &u32,
    told: &mut u32,
) {
    log!("spun {spun} flooded {flooded} faulted {faulted} panicked {panicked} depth {depth}");
    log!("calls let through {let_through} left {left} reading {reading}");
    *told = *reading;
}

/// Tells what the misbehaving tasks left in their outputs.
#[task]
pub(crate) fn tell_outputs(never: &u32, faulted: &u32, panicked: &u32, told: &mut u32) {
    log!("never {never} faulted {faulted} panicked {panicked}");
    *told = told.wrapping_add(1);
}

/// The outputs before their first job.
#[driver]
pub(crate) fn no_result(told: &mut u32) {
    *told = 100;
}

/// See `no_result`.
#[driver]
pub(crate) fn no_never(never: &mut u32) {
    *never = 101;
}

/// See `no_result`.
#[driver]
pub(crate) fn no_fault(faulted: &mut u32) {
    *faulted = 102;
}

/// See `no_result`.
#[driver]
pub(crate) fn no_panic(panicked: &mut u32) {
    *panicked = 103;
}

/// Runs when a job overran or its process died.
#[driver]
pub(crate) fn note_violation(_task: &u16, _driver: &u16) {}

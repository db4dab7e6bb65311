//! Drivers, each with a mark; and the task that takes what they read.

use bench_marks::{FAULTING, READ_1, READ_2, READ_3, STARTED, WRITE, mark};
use giornata_rt::{driver, task};

#[driver]
pub(crate) fn read_1(value: &mut u32) {
    mark::<READ_1>();
    *value = 1;
}

#[driver]
pub(crate) fn read_2(value: &mut u32) {
    mark::<READ_2>();
    *value = 2;
}

#[driver]
pub(crate) fn read_3(value: &mut u32) {
    mark::<READ_3>();
    *value = 3;
}

#[driver]
pub(crate) fn write(_value: &u32) {
    mark::<WRITE>();
}

#[driver]
pub(crate) fn zero(value: &mut u32) {
    *value = 0;
}

/// Writes where nothing lies.
#[driver]
pub(crate) fn fault(value: &mut u32) {
    mark::<FAULTING>();
    super::faults::fault();
    *value = 0;
}

/// A job whose value is written out.
#[task]
pub(crate) fn tell(value: &mut u32) {
    mark::<STARTED>();
    *value = 1;
}

/// A job that takes a value of each kind of driver.
#[task]
pub(crate) fn tell_1(a: &u32, b: &u32, c: &u32, d: &u8, e: &u8, f: &u8, g: &u8, value: &mut u32) {
    let status = [d, e, f, g].map(|register| u32::from(*register));
    *value = a + b + c + status.iter().sum::<u32>();
}

#[task]
pub(crate) fn tell_2(value: &mut u32) {
    *value = 2;
}

#[task]
pub(crate) fn tell_3(value: &mut u32) {
    *value = 3;
}

#[task]
pub(crate) fn tell_4(value: &mut u32) {
    *value = 4;
}

#[task]
pub(crate) fn compute_one(a: &u32, b: &u32, value: &mut u32) {
    *value = a + b;
}

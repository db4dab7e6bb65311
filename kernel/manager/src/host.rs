//! On the host a device stands in that each thread installs for itself.

use std::boxed::Box;
use std::cell::RefCell;

/// What has the registers of a task manager.
pub trait Device {
    /// Loads a register.
    fn read(&mut self, at: u16) -> u32;
    /// Stores to one.
    fn write(&mut self, at: u16, value: u32);
}

std::thread_local! {
    static DEVICE: RefCell<Option<Box<dyn Device>>> = const { RefCell::new(None) };
}

/// The kernel of this thread drives this device from now on.
pub fn install(device: Box<dyn Device>) {
    DEVICE.with_borrow_mut(|place| *place = Some(device));
}

/// # Panics
/// No device is installed: of a kernel without records for one this is not called.
fn with<T>(action: impl FnOnce(&mut dyn Device) -> T) -> T {
    DEVICE.with_borrow_mut(|device| match device {
        Some(device) => action(&mut **device),
        None => panic!("this thread has installed no task manager"),
    })
}

pub(crate) fn read(at: usize) -> u32 {
    with(|device| device.read(at as u16))
}

pub(crate) fn write(at: usize, value: u32) {
    with(|device| device.write(at as u16, value));
}

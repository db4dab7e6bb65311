//! Attacks on devices by a process that is granted one: it reaches its own, and each
//! access to another is a fault.
//!
//! The list holds the devices of all machines. On a machine without one, nothing lies
//! at its address, and an access is the same fault. Devices of the chip have address
//! bit 31 set, where its core takes another path to the bus than for memory.

use giornata_rt::device::{Device, Register, Registers};
use giornata_rt::{Error, log, thread};

use crate::attacks::{Act, attack_place, life, outlive};
use crate::instruction;

const ACTS: [Act; 3] = [
    ("load from", instruction::load),
    ("store to", instruction::store),
    ("jump to", instruction::jump),
];

const DEVICES: [(&str, usize); 9] = [
    ("QEMU's mtimecmp", 0x0200_4000),
    ("QEMU's clock device", 0x0010_1000),
    ("the chip's mtimecmp", 0xF001_4000),
    ("the high half of the chip's mtimecmp", 0xF001_4004),
    ("the chip's msip", 0xF001_0000),
    ("the chip's serial line in the kernel's block", 0xF000_0000),
    ("the chip's interrupt generator", 0xF000_2000),
    ("the word before the chip's serial line", 0xF000_0FFC),
    ("the word after the chip's serial line", 0xF000_1100),
];

/// Line status of a 16550, and the bit that says that it takes a byte.
const LINE_STATUS: Register<u8, 8> = Register::at(5);
const READY: u8 = 0x20;

/// One attack in each life of the process, after a look at its own device.
#[thread]
pub(crate) fn attack_devices() {
    match own_device_is_ready() {
        Ok(ready) => log!("own device is ready: {ready}"),
        Err(error) => log!("own device: {}", error.name()),
    }
    match life().map(carry_out) {
        Ok(Some(())) => outlive(),
        Ok(None) => log!("no device left"),
        Err(error) => log!("own: {}", error.name()),
    }
}

fn own_device_is_ready() -> Result<bool, Error> {
    let device = Device::granted(0).ok_or(Error::EPERM)?;
    let uart: Registers<8> = device.registers()?;
    Ok(uart.read(LINE_STATUS) & READY != 0)
}

/// Does attack number `step`; `None` when the list is at its end.
fn carry_out(step: usize) -> Option<()> {
    let &(name, address) = DEVICES.get(step / ACTS.len())?;
    let &act = ACTS.get(step % ACTS.len())?;
    attack_place(act, name, address);
    Some(())
}

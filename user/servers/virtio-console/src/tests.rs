//! Tests of the driver with a simulated device in memory.

use std::boxed::Box;
use std::vec::Vec;

use giornata_hostlink::Line;
use giornata_rt::device::Registers;

use crate::queue::device::Device;
use crate::{Console, DEPTH, PIECE, Shared, Unusable};

/// The address of the shared memory as the device sees it.
const PHYSICAL: usize = 0x8070_0000;

/// Registers in memory, and the device's side of both queues.
struct Bench {
    registers: Box<[u32; 64]>,
    shared: *mut Shared,
    receive: Device,
    transmit: Device,
}

impl Bench {
    fn new() -> Bench {
        let mut registers = Box::new([0; 64]);
        registers[0] = 0x7472_6976;
        (registers[1], registers[2]) = (1, 3);
        // The most that a queue may be.
        registers[0x34 / 4] = 128;
        let shared = Box::into_raw(Box::new(Shared::new()));
        Bench {
            registers,
            shared,
            receive: Device::of(shared, PHYSICAL, 0),
            transmit: Device::of(shared, PHYSICAL, 1),
        }
    }

    fn start_at(&mut self, physical: usize) -> Result<Console, Unusable> {
        // SAFETY: they live as long as the bench, which nobody else reaches meanwhile.
        let registers = unsafe { Registers::new(self.registers.as_mut_ptr().cast()) };
        // SAFETY: as above.
        unsafe { Console::new(registers, self.shared, physical) }
    }

    fn start(&mut self) -> Result<Console, Unusable> {
        self.start_at(PHYSICAL)
    }

    /// The device sends bytes in the next piece that it was offered.
    fn send(&mut self, bytes: &[u8]) -> bool {
        let Some((id, offset, length, may_write)) = self.receive.take() else {
            return false;
        };
        assert!(may_write && bytes.len() <= length);
        self.receive.write(offset, bytes);
        self.receive.give(id.into(), bytes.len() as u32);
        true
    }

    /// The bytes that the driver has written; the device returns all their pieces.
    fn drain(&mut self) -> Vec<u8> {
        let mut all = Vec::new();
        while let Some((id, offset, length, may_write)) = self.transmit.take() {
            assert!(!may_write);
            all.extend(self.transmit.read(offset, length));
            self.transmit.give(id.into(), 0);
        }
        all
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        // SAFETY: it came from a box, and the console has gone.
        drop(unsafe { Box::from_raw(self.shared) });
    }
}

#[test]
fn the_device_is_told_where_its_queues_lie_and_that_the_driver_is_ready() {
    let mut bench = Bench::new();
    assert!(bench.start().is_ok());
    let register = |offset: usize| bench.registers[offset / 4];
    // The transmit queue was the last to be placed.
    let pages = size_of::<Shared>() / 4096 / 2;
    assert_eq!(register(0x40) as usize, PHYSICAL / 4096 + pages);
    let placed = [
        register(0x28),
        register(0x38),
        register(0x3C),
        register(0x70),
    ];
    assert_eq!(placed, [4096, DEPTH as u32, 4096, 7]);
}

#[test]
fn bytes_come_in_the_order_in_which_they_were_sent_round_the_ring() {
    let mut bench = Bench::new();
    let mut console = bench.start().unwrap();
    let mut into = [0; 50];
    assert_eq!(console.read(&mut into), 0);
    let sent: Vec<u8> = (0..5000u32).map(|n| (n * 7 / 3) as u8).collect();
    let (mut got, mut rest) = (Vec::new(), &sent[..]);
    let mut size = 1;
    while got.len() < sent.len() {
        while !rest.is_empty() {
            let piece = &rest[..size.min(rest.len())];
            if !bench.send(piece) {
                break;
            }
            rest = &rest[piece.len()..];
            size = size % PIECE + 37;
            size = size.min(PIECE);
        }
        let count = console.read(&mut into);
        assert!(count > 0);
        got.extend_from_slice(&into[..count]);
    }
    assert_eq!(got, sent);
}

#[test]
fn what_the_device_has_not_taken_is_not_overwritten() {
    let mut bench = Bench::new();
    let mut console = bench.start().unwrap();
    let sent: Vec<u8> = (0..4 * DEPTH * PIECE).map(|n| (n / 5) as u8).collect();
    let mut written = console.write(&sent);
    assert_eq!(written, DEPTH * PIECE);
    assert_eq!(console.write(&sent[written..]), 0);
    let mut got = bench.drain();
    while written < sent.len() {
        let end = sent.len().min(written + 300);
        let count = console.write(&sent[written..end]);
        assert!(count > 0);
        written += count;
        got.extend(bench.drain());
    }
    assert_eq!(got, sent);
}

#[test]
fn a_device_that_lies_reaches_nothing_else() {
    let mut bench = Bench::new();
    let mut console = bench.start().unwrap();
    for (id, length) in [(7, u32::MAX), (u32::MAX, 3), (12, 1 << 20)] {
        bench.receive.give(id, length);
    }
    let mut into = [0; 4 * PIECE];
    let count = console.read(&mut into);
    assert_eq!(count, PIECE + 3 + PIECE);
    bench.transmit.give(u32::MAX, u32::MAX);
    assert_eq!(console.write(b"x"), 1);
}

#[test]
fn what_is_no_console_is_refused() {
    let refusal = |change: fn(&mut Bench)| {
        let mut bench = Bench::new();
        change(&mut bench);
        bench.start().err()
    };
    assert_eq!(refusal(|b| b.registers[0] = 0), Some(Unusable::Absent));
    assert_eq!(refusal(|b| b.registers[1] = 2), Some(Unusable::Version(2)));
    assert_eq!(refusal(|b| b.registers[2] = 0), Some(Unusable::Device(0)));
    assert_eq!(refusal(|b| b.registers[2] = 1), Some(Unusable::Device(1)));
    assert_eq!(
        refusal(|b| b.registers[0x34 / 4] = 4),
        Some(Unusable::Queue)
    );
    let odd = Bench::new().start_at(PHYSICAL + 8).err();
    assert_eq!(odd, Some(Unusable::Memory));
}

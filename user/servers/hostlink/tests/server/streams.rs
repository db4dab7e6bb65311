//! The trace and statistics.

use giornata_abi::Record;
use giornata_abi::control::TraceRing;
use giornata_abi::trace::{TraceKind, TraceRecord};
use giornata_hostlink_wire::{Action, Code, RECORD, RECORDS};
use giornata_rt::ring::{Reader, Ring};

use crate::support::{Bench, Got, SECOND, Told, with_server};

const CAPACITY: usize = 64;

/// A ring in memory, written as the kernel does.
#[repr(C)]
struct Memory {
    head: TraceRing,
    records: [TraceRecord; CAPACITY],
}

fn record(number: u64) -> TraceRecord {
    TraceRecord {
        kind: TraceKind::Switch as u8,
        hart: 0,
        subject: 1,
        detail: 2,
        tick: number,
        x: number,
        y: 0,
    }
}

impl Memory {
    fn new() -> Box<Memory> {
        let (written, capacity) = (0, CAPACITY as u64);
        Box::new(Memory {
            head: TraceRing { written, capacity },
            records: [record(0); CAPACITY],
        })
    }

    fn write(&mut self, count: u64) {
        for _ in 0..count {
            let number = self.head.written;
            self.records[number as usize % CAPACITY] = record(number);
            self.head.written += 1;
        }
    }

    fn reader(&self) -> Reader {
        // SAFETY: the box outlives the reader in every test.
        Reader::new(unsafe { Ring::new(&raw const self.head) })
    }
}

fn ask(bench: &mut Bench<'_, '_>, trace: bool, statistics: bool) {
    assert_eq!(bench.ask(Action::Stream { trace, statistics }), Got::Done);
}

/// Numbers of the records that came, by the frames that they came in.
fn numbers(told: &mut Vec<Told>) -> Vec<Vec<(u64, u8)>> {
    let frame = |told: Told| match told {
        Told::Trace(last, bytes) => {
            let count = bytes.len() / RECORD;
            let first = last + 1 - count as u64;
            let records = bytes
                .chunks(RECORD)
                .map(|b| TraceRecord::decode(b).unwrap());
            (first..)
                .zip(records)
                .map(|(number, r)| (number, r.kind))
                .collect()
        }
        other => panic!("{other:?}"),
    };
    told.drain(..).map(frame).collect()
}

#[test]
fn records_come_from_when_they_were_asked_for_in_order() {
    let mut memory = Memory::new();
    memory.write(10);
    with_server(false, Some(memory.reader()), |bench| {
        bench.run();
        assert_eq!(bench.told, []);
        ask(bench, true, false);
        memory.write(20);
        bench.run();
        let frames = numbers(&mut bench.told);
        let kind = TraceKind::Switch as u8;
        let all: Vec<(u64, u8)> = frames.concat();
        assert_eq!(
            all,
            (10..30).map(|number| (number, kind)).collect::<Vec<_>>()
        );
        assert!(frames.iter().all(|frame| frame.len() <= RECORDS));
        ask(bench, false, false);
        memory.write(5);
        bench.run();
        assert_eq!(bench.told, []);
    });
}

#[test]
fn what_was_overwritten_comes_as_lost_and_is_counted() {
    let mut memory = Memory::new();
    with_server(false, Some(memory.reader()), |bench| {
        ask(bench, true, false);
        memory.write(3);
        bench.run();
        memory.write(CAPACITY as u64 + 7);
        bench.run();
        let all = numbers(&mut bench.told).concat();
        let lost: Vec<_> = all
            .iter()
            .filter(|(_, kind)| *kind == TraceKind::Lost as u8)
            .collect();
        assert_eq!(lost, [&(10, TraceKind::Lost as u8)]);
        assert_eq!(
            all.last(),
            Some(&(CAPACITY as u64 + 9, TraceKind::Switch as u8))
        );
        ask(bench, false, true);
        bench.run();
        let Some(Told::Statistics(counted)) = bench.told.pop() else {
            panic!()
        };
        assert_eq!(
            (counted.records, counted.lost),
            (3 + CAPACITY as u64 - 1, 8)
        );
    });
}

#[test]
fn statistics_come_once_a_second() {
    with_server(false, None, |bench| {
        ask(bench, false, true);
        for _ in 0..30 {
            bench.run();
            bench.kernel.clock += SECOND / 10;
        }
        assert_eq!(bench.told.len(), 3);
        let Told::Statistics(last) = bench.told[2] else {
            panic!()
        };
        assert_eq!((last.requests, last.refused, last.damaged), (2, 0, 0));
        let (trace, statistics) = (true, false);
        let code = bench.code(Action::Stream { trace, statistics });
        assert_eq!(code, Some(Code::Kernel), "there is no trace to send");
    });
}

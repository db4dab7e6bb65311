//! The trace and statistics.

use std::cell::RefCell;
use std::rc::Rc;

use giornata_abi::call::{Answer, Call};
use giornata_abi::ring::{BYTES, Kind, Words, head, split_head};
use giornata_hostlink_wire::{Action, Code, RECORD, RECORDS};
use giornata_rt::host::set_hook;
use giornata_rt::ring::{Reader, Ring};

use crate::support::{Bench, Got, SECOND, Told, with_server};

const CAPACITY: usize = 64;

/// A ring in memory, written in the same way as by the kernel.
struct Kernel {
    records: [Words; CAPACITY],
    written: usize,
}

impl Kernel {
    fn write(&mut self, count: usize) {
        for _ in 0..count {
            let number = self.written as u32;
            self.records[self.written % CAPACITY] = [number, head(Kind::Interrupt, 0, 1), 0, 0];
            self.written += 1;
        }
    }
}

/// A kernel and a reader of its ring; its clock counts the records.
fn kernel() -> (Rc<RefCell<Kernel>>, Reader) {
    let records = [[0; 4]; CAPACITY];
    let kernel = Rc::new(RefCell::new(Kernel {
        records,
        written: 0,
    }));
    let asked = kernel.clone();
    set_hook(move |request| match Call::from_number(request.number) {
        Some(Call::TracePosition) => Answer::word(asked.borrow().written * BYTES),
        Some(Call::Clock) => Answer::wide(asked.borrow().written as u64),
        _ => unreachable!("a reader asks for nothing else"),
    });
    let first = kernel.borrow().records.as_ptr();
    // SAFETY: the kernel outlives the reader in every test.
    let reader = Reader::new(unsafe { Ring::new(first, CAPACITY as u32) });
    (kernel, reader)
}

fn ask(bench: &mut Bench<'_, '_>, trace: bool, statistics: bool) {
    assert_eq!(bench.ask(Action::Stream { trace, statistics }), Got::Done);
}

/// Numbers and kinds of the received records, grouped by frame.
fn numbers(told: &mut Vec<Told>) -> Vec<Vec<(u64, Kind)>> {
    let frame = |told: Told| match told {
        Told::Trace(last, bytes) => {
            let count = bytes.len() / RECORD;
            let heads = bytes.chunks(RECORD).map(|record| {
                let head = u32::from_le_bytes(record[4..8].try_into().unwrap());
                split_head(head).0.expect("a kind")
            });
            (last + 1 - count as u64..).zip(heads).collect()
        }
        other => panic!("{other:?}"),
    };
    told.drain(..).map(frame).collect()
}

#[test]
fn records_come_from_when_they_were_asked_for_in_order() {
    let (kernel, reader) = kernel();
    kernel.borrow_mut().write(10);
    with_server(false, Some(reader), |bench| {
        bench.run();
        assert_eq!(bench.told, []);
        ask(bench, true, false);
        kernel.borrow_mut().write(20);
        bench.run();
        let frames = numbers(&mut bench.told);
        let mut expected = vec![(9, Kind::Epoch)];
        expected.extend((10..30).map(|number| (number, Kind::Interrupt)));
        assert_eq!(frames.concat(), expected);
        assert!(frames.iter().all(|frame| frame.len() <= RECORDS));
        ask(bench, false, false);
        kernel.borrow_mut().write(5);
        bench.run();
        assert_eq!(bench.told, []);
    });
}

#[test]
fn what_was_overwritten_comes_as_lost_and_is_counted() {
    let (kernel, reader) = kernel();
    with_server(false, Some(reader), |bench| {
        ask(bench, true, false);
        kernel.borrow_mut().write(3);
        bench.run();
        kernel.borrow_mut().write(CAPACITY + 7);
        bench.run();
        let all = numbers(&mut bench.told).concat();
        let lost: Vec<_> = all.iter().filter(|(_, kind)| *kind == Kind::Lost).collect();
        assert_eq!(lost, [&(10, Kind::Lost)]);
        assert_eq!(all.last(), Some(&(CAPACITY as u64 + 9, Kind::Interrupt)));
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

//! The kernel's records, where they are granted.

use giornata_hostlink_wire::{Action, Code, STRETCH};
use giornata_rt::records::Records;

use crate::support::{Bench, Got, with_server};

const LENGTH: usize = 500;
const READER: u16 = 7;

/// Records that are never written.
static WORDS: [u32; LENGTH / 4] = {
    let mut words = [0; LENGTH / 4];
    let mut at = 0;
    while at < words.len() {
        words[at] = (at as u32).wrapping_mul(0x9E37_79B9);
        at += 1;
    }
    words
};

fn bytes() -> Vec<u8> {
    WORDS.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

fn with_records<R>(test: impl FnOnce(&mut Bench<'_, '_>) -> R) -> R {
    with_server(true, None, |bench| {
        // SAFETY: they are there for good.
        let records = unsafe { Records::new((&raw const WORDS).cast(), LENGTH) };
        bench.server.lend_records(records, READER);
        test(bench)
    })
}

fn read(at: u32, length: u32) -> Action<'static> {
    Action::Read { at, length }
}

#[test]
fn records_are_read_by_whoever_has_the_line_and_nothing_changes() {
    with_records(|bench| {
        let all = bytes();
        for (at, length) in [
            (0, STRETCH),
            (1, 3),
            (LENGTH - STRETCH, STRETCH),
            (LENGTH, 0),
        ] {
            let expected = Got::Records(READER, all[at..at + length].to_vec());
            assert_eq!(bench.ask(read(at as u32, length as u32)), expected);
        }
        assert_eq!(bench.kernel.calls, 0);
    });
}

#[test]
fn what_lies_outside_of_the_records_is_refused() {
    with_records(|bench| {
        let end = LENGTH as u32;
        let outside = [
            (end, 1),
            (end - 1, 2),
            (u32::MAX, 1),
            (u32::MAX, STRETCH as u32),
        ];
        for (at, length) in outside {
            assert_eq!(
                bench.code(read(at, length)),
                Some(Code::Offset),
                "{length} at {at}"
            );
        }
        for length in [STRETCH as u32 + 1, u32::MAX] {
            assert_eq!(bench.code(read(0, length)), Some(Code::Length));
        }
        assert!(matches!(bench.ask(read(end - 1, 1)), Got::Records(..)));
    });
}

#[test]
fn a_server_without_the_grant_says_what_to_grant() {
    with_server(false, None, |bench| {
        let Got::Refused(code, words) = bench.ask(read(0, 4)) else {
            panic!("nothing was granted");
        };
        assert_eq!(code, Code::Kernel);
        assert!(words.contains("grant it `inspect = true`"), "{words}");
    });
}

//! Messages over a line that loses, corrupts and repeats bytes.

use giornata_hostlink_wire::frame::{Collector, Damaged, MAX, TooLong, encode};
use giornata_hostlink_wire::{
    Action, CHUNK, Change, Code, Deed, Event, Greeting, Message, NAME, Permission, RECORD, RECORDS,
    Reply, Request, STRETCH, Signature, Standing, Statistics, WORDS,
};
use proptest::prelude::*;

fn frame(message: &impl serde::Serialize) -> Vec<u8> {
    let mut bytes = [0; MAX];
    let length = encode(message, &mut bytes).unwrap();
    bytes[..length].to_vec()
}

/// The requests in `bytes`, and the number of frames that are not requests.
fn requests(bytes: &[u8]) -> (Vec<String>, usize) {
    let (mut collector, mut whole, mut damaged) = (Collector::new(), Vec::new(), 0);
    for &byte in bytes {
        if collector.push(byte) {
            match collector.take::<Request<'_>>() {
                Ok(request) => whole.push(format!("{request:?}")),
                Err(Damaged) => damaged += 1,
            }
        }
    }
    (whole, damaged)
}

const SIGNATURE: Signature = Signature {
    point: [0xAB; 32],
    scalar: [0; 32],
};

fn chunk(offset: u32, bytes: &[u8]) -> Request<'_> {
    let ticket = u32::MAX;
    Request {
        session: u32::MAX,
        number: u32::MAX,
        action: Action::Chunk {
            ticket,
            offset,
            bytes,
        },
    }
}

#[test]
fn the_longest_messages_fit_a_frame_which_has_one_zero_at_its_end() {
    let name = "n".repeat(NAME);
    let words = "w".repeat(WORDS);
    let request = |action| {
        frame(&Request {
            session: u32::MAX,
            number: u32::MAX,
            action,
        })
    };
    let answer = |reply| {
        frame(&Message::Answer {
            session: u32::MAX,
            number: u32::MAX,
            reply,
        })
    };
    let signature = Some(SIGNATURE);
    let standing = Standing {
        program: &name,
        loaded: true,
        pending: true,
        tag: u32::MAX,
        changes: u32::MAX,
        held: Some(u32::MAX),
        room: u32::MAX,
    };
    let greeting = Greeting {
        version: u16::MAX,
        session: u32::MAX,
        nonce: [255; 16],
        places: u16::MAX,
        signed: true,
        clock: u64::MAX,
    };
    let most = u64::MAX;
    let counted = Statistics {
        clock: most,
        requests: u32::MAX,
        refused: u32::MAX,
        damaged: u32::MAX,
        changes: u32::MAX,
        records: most,
        lost: most,
    };
    let frames = [
        frame(&chunk(u32::MAX, &[0; CHUNK])),
        frame(&chunk(u32::MAX, &[1; CHUNK])),
        request(Action::Begin {
            program: &name,
            length: u32::MAX,
            base: Some(u32::MAX),
        }),
        request(Action::Commit {
            ticket: u32::MAX,
            change: Change::CarryOver,
            signature,
        }),
        request(Action::Switch {
            program: &name,
            change: Change::Hold,
            signature,
        }),
        request(Action::Read {
            at: u32::MAX,
            length: u32::MAX,
        }),
        answer(Reply::Greeting(greeting)),
        answer(Reply::Refused {
            code: Code::Kernel,
            words: &words,
        }),
        answer(Reply::Standing(standing)),
        answer(Reply::Records {
            reader: u16::MAX,
            bytes: &[255; STRETCH],
        }),
        frame(&Message::Event(Event::Trace {
            last: u64::MAX,
            records: &[255; RECORD * RECORDS],
        })),
        frame(&Message::Event(Event::Statistics(counted))),
    ];
    for frame in frames {
        assert!(frame.len() <= MAX);
        let zeros = frame.iter().filter(|byte| **byte == 0).count();
        assert_eq!((zeros, frame.last()), (1, Some(&0)));
    }
}

#[test]
fn a_message_beyond_a_frame_is_not_sent() {
    let mut bytes = [0; MAX];
    assert_eq!(encode(&chunk(0, &[7; MAX]), &mut bytes), Err(TooLong));
    // It fits without the checksum only.
    assert_eq!(encode(&[7u8; MAX - 4].as_slice(), &mut bytes), Err(TooLong));
}

#[test]
fn noise_before_and_between_frames_costs_no_frame_but_the_torn_one() {
    let [one, two] = [chunk(1, &[0, 1]), chunk(2, &[])];
    let (first, second) = (frame(&one), frame(&two));
    let noise = [vec![9; 3 * MAX], vec![0, 0, 0]].concat();
    let line = [&noise[..], &first, &[0, 0], &first[1..], &second].concat();
    let expected = [one, two].map(|request| format!("{request:?}")).to_vec();
    assert_eq!(requests(&line), (expected, 2));
}

#[test]
fn a_message_with_something_behind_it_is_none() {
    // A status is one number longer than a hello that ends the same way.
    let (long, mut collector) = (frame(&(1u8, 2u8, 3u8)), Collector::new());
    long.iter().for_each(|byte| _ = collector.push(*byte));
    assert_eq!(collector.take::<(u8, u8)>(), Err(Damaged));
}

fn text(permission: &Permission<'_>) -> Vec<u8> {
    let mut all = Vec::new();
    permission.write(&mut |piece| all.extend_from_slice(piece));
    all
}

#[test]
fn two_permissions_have_two_texts() {
    let one = Permission {
        nonce: [1; 16],
        session: 2,
        number: 3,
        ticket: 4,
        deed: Deed::Commit,
        detail: 1,
        program: "ab",
        module: b"cd",
    };
    let others = [
        Permission {
            nonce: [0; 16],
            ..one
        },
        Permission { session: 3, ..one },
        Permission { number: 2, ..one },
        Permission { ticket: 5, ..one },
        Permission {
            deed: Deed::Switch,
            ..one
        },
        Permission { detail: 2, ..one },
        Permission {
            program: "abc",
            module: b"d",
            ..one
        },
        Permission {
            program: "a",
            module: b"bcd",
            ..one
        },
        Permission {
            module: b"ce",
            ..one
        },
    ];
    assert_eq!(text(&one), text(&one.clone()));
    for other in others {
        assert_ne!(text(&one), text(&other), "{other:?}");
    }
}

#[test]
fn a_signature_is_its_bytes() {
    let bytes = core::array::from_fn(|at| at as u8);
    assert_eq!(Signature::from_bytes(&bytes).to_bytes(), bytes);
}

proptest! {
    #[test]
    fn what_is_sent_is_received(
        session: u32, number: u32, ticket: u32, offset: u32,
        bytes in prop::collection::vec(any::<u8>(), 0..=CHUNK),
    ) {
        let sent = Request { session, number, action: Action::Chunk { ticket, offset, bytes: &bytes } };
        let mut collector = Collector::new();
        let frame = frame(&sent);
        let (end, rest) = frame.split_last().unwrap();
        prop_assert!(rest.iter().all(|byte| !collector.push(*byte)));
        prop_assert!(collector.push(*end));
        prop_assert_eq!(collector.take::<Request<'_>>(), Ok(sent));
    }

    #[test]
    fn a_frame_with_one_changed_byte_is_no_request(
        bytes in prop::collection::vec(any::<u8>(), 0..=CHUNK),
        at: prop::sample::Index, by in 1u8..,
    ) {
        let mut line = frame(&chunk(5, &bytes));
        let at = at.index(line.len());
        line[at] ^= by;
        let whole = requests(&[&line[..], &[0]].concat()).0;
        prop_assert_eq!(whole, Vec::<String>::new());
    }

    #[test]
    fn any_bytes_are_taken_without_panic(bytes: Vec<u8>) {
        let mut collector = Collector::new();
        for byte in bytes {
            if collector.push(byte) {
                _ = collector.take::<Message<'_>>();
            }
        }
    }
}

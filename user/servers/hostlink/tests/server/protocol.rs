//! Sessions, numbers, tickets, offsets.

use giornata_hostlink_wire::{Action, CHUNK, Change, Code, VERSION};

use crate::support::{Got, Told, faster, with_server};

#[test]
fn a_host_of_another_version_opens_no_session() {
    with_server(false, None, |bench| {
        let version = VERSION + 1;
        assert_eq!(bench.code(Action::Hello { version }), Some(Code::Version));
        // The one that was open still is; the number counted for nothing.
        bench.number -= 1;
        assert!(matches!(bench.status(0), Got::Standing(..)));
    });
}

#[test]
fn a_new_session_ends_the_old_one_and_its_upload() {
    with_server(false, None, |bench| {
        let new = faster();
        let ticket = bench.upload("flight", &new);
        let old = bench.greeting.session;
        bench.hello();
        assert_ne!(bench.greeting.session, old);
        let refused = bench.commit(ticket, "flight", &new, Change::Restart);
        assert!(matches!(refused, Got::Refused(Code::Ticket, _)));
        bench.greeting.session = old;
        assert_eq!(bench.code(Action::Status { place: 0 }), Some(Code::Session));
        assert_eq!(bench.kernel.calls, 0);
    });
}

#[test]
fn a_request_out_of_its_turn_is_refused_and_the_next_is_not() {
    with_server(false, None, |bench| {
        bench.number += 1;
        assert_eq!(bench.code(Action::Status { place: 0 }), Some(Code::Number));
        bench.number -= 2;
        assert!(matches!(bench.status(1), Got::Standing(..)));
        bench.number -= 1;
        assert_eq!(bench.code(Action::Status { place: 0 }), Some(Code::Number));
        assert!(matches!(bench.status(1), Got::Standing(..)));
        assert_eq!(bench.code(Action::Status { place: 2 }), Some(Code::Program));
    });
}

#[test]
fn tickets_never_come_again() {
    with_server(false, None, |bench| {
        let mut tickets = Vec::new();
        for turn in 0..10 {
            if turn % 3 == 0 {
                bench.hello();
            }
            let ticket = bench.begin(["flight", "second"][turn % 2], 100, None);
            assert!(!tickets.contains(&ticket) && ticket != 0);
            tickets.push(ticket);
        }
        let (offset, bytes) = (0, &[1; 10][..]);
        for ticket in &tickets[..9] {
            let chunk = Action::Chunk {
                ticket: *ticket,
                offset,
                bytes,
            };
            assert_eq!(bench.code(chunk), Some(Code::Ticket));
        }
    });
}

#[test]
fn bytes_come_in_order_and_not_beyond_what_was_announced() {
    with_server(false, None, |bench| {
        let new = faster();
        let length = new.len() as u32;
        for (program, length, code) in [
            ("flight", 0, Code::Length),
            ("flight", 4097, Code::Length),
            ("fright", length, Code::Program),
        ] {
            let base = None;
            assert_eq!(
                bench.code(Action::Begin {
                    program,
                    length,
                    base
                }),
                Some(code)
            );
        }
        let ticket = bench.begin("flight", new.len(), None);
        let mut offset = 0;
        for bytes in new.chunks(CHUNK - 5) {
            let ahead = Action::Chunk {
                ticket,
                offset: offset + 1,
                bytes,
            };
            assert_eq!(bench.code(ahead), Some(Code::Offset));
            assert_eq!(
                bench.ask(Action::Chunk {
                    ticket,
                    offset,
                    bytes
                }),
                Got::Done
            );
            let again = Action::Chunk {
                ticket,
                offset,
                bytes,
            };
            assert_eq!(bench.code(again), Some(Code::Offset));
            offset += bytes.len() as u32;
        }
        for bytes in [&[0u8][..], &[]] {
            assert_eq!(
                bench.code(Action::Chunk {
                    ticket,
                    offset,
                    bytes
                }),
                Some(Code::Length)
            );
        }
        assert_eq!(
            bench.commit(ticket, "flight", &new, Change::Restart),
            Got::Done
        );
    });
}

#[test]
fn noise_is_told_and_costs_the_frame_that_it_hits() {
    with_server(false, None, |bench| {
        bench.send(&[0, 0, 1, 2, 3, 0]);
        bench.send(&[9; 1000]);
        bench.send(&[0]);
        assert_eq!(bench.run(), []);
        assert_eq!(bench.told, [Told::Damaged, Told::Damaged]);
        assert!(matches!(bench.status(0), Got::Standing(..)));
    });
}

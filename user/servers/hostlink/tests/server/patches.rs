//! Patches of the running module.

use giornata_hostlink_wire::{Action, Change, Code};

use crate::support::{Bench, Got, INTERFACE, faster, module, records, tag, with_server};

/// Sends `new` as a patch of `old`: the common prefix and suffix are copied.
fn patch(bench: &mut Bench<'_, '_>, old: &[u8], new: &[u8]) -> u32 {
    let ticket = bench.begin("flight", new.len(), Some(tag(old)));
    let front = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let back = old[front..].iter().rev().zip(new[front..].iter().rev());
    let back = back.take_while(|(a, b)| a == b).count();
    let (offset, from, length) = (0, 0, front as u32);
    assert_eq!(
        bench.ask(Action::Copy {
            ticket,
            offset,
            from,
            length
        }),
        Got::Done
    );
    let mut offset = front as u32;
    for bytes in new[front..new.len() - back].chunks(100) {
        assert_eq!(
            bench.ask(Action::Chunk {
                ticket,
                offset,
                bytes
            }),
            Got::Done
        );
        offset += bytes.len() as u32;
    }
    let (from, length) = ((old.len() - back) as u32, back as u32);
    assert_eq!(
        bench.ask(Action::Copy {
            ticket,
            offset,
            from,
            length
        }),
        Got::Done
    );
    ticket
}

#[test]
fn a_patch_of_what_runs_is_a_module() {
    with_server(true, None, |bench| {
        let first = module(INTERFACE);
        let second = faster();
        let third = module(&INTERFACE.replace("period 20", "period 40"));
        // Of the interface, of one buffer, of the other.
        for [old, new] in [[&first, &second], [&second, &third], [&third, &first]] {
            let ticket = patch(bench, old, new);
            assert_eq!(
                bench.commit(ticket, "flight", new, Change::Restart),
                Got::Done
            );
            bench.kernel.happen();
            assert_eq!(bench.kernel.runs(0), records(new));
        }
        assert_eq!(bench.kernel.changes, 3);
    });
}

#[test]
fn a_patch_of_anything_else_is_refused() {
    with_server(false, None, |bench| {
        let (program, length) = ("flight", 500);
        let old = module(INTERFACE);
        let begin = |base| Action::Begin {
            program,
            length,
            base: Some(base),
        };
        assert_eq!(bench.code(begin(tag(&old) ^ 1)), Some(Code::Base));
        let ticket = bench.begin(program, 500, None);
        let copy = |ticket, from, length| Action::Copy {
            ticket,
            offset: 0,
            from,
            length,
        };
        assert_eq!(bench.code(copy(ticket, 0, 10)), Some(Code::Base));
        let ticket = bench.begin(program, 500, Some(tag(&old)));
        let end = old.len() as u32;
        for (from, length, code) in [
            (end - 9, 10, Code::Offset),
            (u32::MAX, 10, Code::Offset),
            (0, 501, Code::Length),
            (0, u32::MAX, Code::Length),
        ] {
            assert_eq!(bench.code(copy(ticket, from, length)), Some(code));
        }
        // What runs is another now.
        let signature = None;
        assert_eq!(bench.ask(Action::Unload { program, signature }), Got::Done);
        bench.kernel.happen();
        assert_eq!(bench.code(copy(ticket, 0, 10)), Some(Code::Base));
        assert_eq!(bench.code(begin(tag(&old))), Some(Code::Base));
    });
}

#[test]
fn a_module_that_came_before_the_server_is_not_patched() {
    with_server(false, None, |bench| {
        bench.kernel.rooms[0].tag = 5;
        let (program, length, base) = ("flight", 500, Some(5));
        assert_eq!(
            bench.code(Action::Begin {
                program,
                length,
                base
            }),
            Some(Code::Base)
        );
        let refused = bench.load("flight", &faster(), Change::CarryOver);
        assert!(matches!(refused, Got::Refused(Code::CarryOver, _)));
    });
}

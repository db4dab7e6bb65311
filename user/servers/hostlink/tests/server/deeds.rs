//! Loading, switching, unloading, withdrawing, stopping.

use giornata_abi::Error;
use giornata_abi::load::{How, RECORD};
use giornata_hostlink_wire::{Action, Change, Code, Deed};

use crate::support::{
    Bench, Got, INTERFACE, PATIENCE, faster, module, part, records, tag, unfit, with_server,
};

#[test]
fn a_module_is_staged_as_it_is_linked_and_takes_the_place() {
    with_server(false, None, |bench| {
        let new = faster();
        assert_eq!(bench.load("flight", &new, Change::Restart), Got::Done);
        let room = &bench.kernel.rooms[0];
        let (frame, how) = room.asked.expect("a change");
        assert_eq!((frame.tag, how), (tag(&new), How::Restart));
        let old = tag(&module(INTERFACE));
        let standing = |pending, tag, changes| {
            Got::Standing("flight".into(), [true, pending], tag, changes, None)
        };
        assert_eq!(bench.status(0), standing(true, old, 0));
        bench.kernel.happen();
        assert_eq!(bench.status(0), standing(false, tag(&new), 1));
        assert_eq!(bench.kernel.runs(0), records(&new));
        assert_eq!(bench.kernel.runs(1), records(&module(INTERFACE)));
    });
}

#[test]
fn a_module_with_fewer_symbols_is_staged_in_the_interfaces_indices() {
    with_server(false, None, |bench| {
        assert_eq!(bench.load("second", &part(), Change::Restart), Got::Done);
        bench.kernel.happen();
        let staged = &bench.kernel.runs(1)[0];
        // Its only released task is the first of its own and the second of the interface's.
        let releases = staged.chunks(RECORD).filter(|record| record[0] == 2);
        let tasks: Vec<u8> = releases.map(|record| record[2]).collect();
        assert!(!tasks.is_empty() && tasks.iter().all(|task| *task == tasks[0]));
        assert_ne!(records(&part())[0], *staged);
    });
}

#[test]
fn carrying_over_asks_for_the_same_tasks_of_what_runs() {
    with_server(false, None, |bench| {
        assert_eq!(
            bench.load("flight", &faster(), Change::CarryOver),
            Got::Done
        );
        assert_eq!(
            bench.kernel.rooms[0].asked.map(|(_, how)| how),
            Some(How::CarryOver)
        );
        bench.kernel.happen();
        let calls = bench.kernel.calls;
        let Got::Refused(code, words) = bench.load("flight", &part(), Change::CarryOver) else {
            panic!()
        };
        assert_eq!(code, Code::CarryOver);
        assert!(words.contains("releases other tasks"), "{words}");
        assert_eq!(bench.kernel.calls, calls);
        // From the part back to the part it can go on.
        assert_eq!(bench.load("flight", &part(), Change::Restart), Got::Done);
        bench.kernel.happen();
        assert_eq!(bench.load("flight", &part(), Change::CarryOver), Got::Done);
    });
}

#[test]
fn nothing_is_carried_over_from_an_empty_program() {
    with_server(false, None, |bench| {
        let signature = None;
        assert_eq!(
            bench.ask(Action::Unload {
                program: "flight",
                signature
            }),
            Got::Done
        );
        assert_eq!(
            bench.kernel.rooms[0]
                .asked
                .map(|(frame, _)| frame.instructions),
            Some(0)
        );
        bench.kernel.happen();
        assert_eq!(
            bench.status(0),
            Got::Standing("flight".into(), [false; 2], 0, 1, None)
        );
        let refused = bench.load("flight", &faster(), Change::CarryOver);
        assert!(
            matches!(refused, Got::Refused(Code::CarryOver, _)),
            "{refused:?}"
        );
        assert_eq!(bench.load("flight", &faster(), Change::Restart), Got::Done);
    });
}

#[test]
fn what_is_held_waits_for_a_switch() {
    with_server(false, None, |bench| {
        let (new, signature) = (faster(), None);
        let switch = Action::Switch {
            program: "flight",
            change: Change::CarryOver,
            signature,
        };
        assert_eq!(bench.code(switch), Some(Code::Nothing));
        assert_eq!(bench.load("flight", &new, Change::Hold), Got::Done);
        assert_eq!(bench.kernel.calls, 0);
        let Got::Standing(_, [_, pending], _, _, held) = bench.status(0) else {
            panic!()
        };
        assert_eq!((pending, held), (false, Some(tag(&new))));
        let no_switch = Action::Switch {
            program: "flight",
            change: Change::Hold,
            signature,
        };
        assert_eq!(bench.code(no_switch), Some(Code::Nothing));
        assert_eq!(bench.ask(switch), Got::Done);
        assert!(bench.kernel.rooms[0].asked.is_some());
        bench.kernel.happen();
        assert_eq!(bench.code(switch), Some(Code::Nothing));
    });
}

#[test]
fn what_was_staged_for_one_program_never_runs_when_another_changes() {
    with_server(false, None, |bench| {
        let (old, new, signature) = (module(INTERFACE), faster(), None);
        let withdraw = Action::Withdraw {
            program: "flight",
            signature,
        };
        // Withdrawn, refused by the kernel, held.
        assert_eq!(bench.load("flight", &new, Change::Restart), Got::Done);
        assert_eq!(bench.ask(withdraw), Got::Done);
        assert_eq!(bench.load("second", &new, Change::Restart), Got::Done);
        bench.kernel.happen();
        assert_eq!(bench.kernel.runs(0), records(&old));
        bench.kernel.refuses_switch = true;
        let refused = bench.load("flight", &new, Change::Restart);
        assert!(matches!(refused, Got::Refused(Code::Kernel, _)));
        bench.kernel.refuses_switch = false;
        assert_eq!(bench.load("second", &old, Change::Restart), Got::Done);
        bench.kernel.happen();
        assert_eq!(bench.kernel.runs(0), records(&old));
        assert_eq!(bench.load("flight", &new, Change::Hold), Got::Done);
        let unload = Action::Unload {
            program: "second",
            signature,
        };
        assert_eq!(bench.ask(unload), Got::Done);
        bench.kernel.happen();
        assert_eq!(bench.kernel.runs(0), records(&old));
        // And what is held still is what comes.
        let switch = Action::Switch {
            program: "flight",
            change: Change::Restart,
            signature,
        };
        assert_eq!(bench.ask(switch), Got::Done);
        bench.kernel.happen();
        assert_eq!(bench.kernel.runs(0), records(&new));
    });
}

#[test]
fn programs_change_apart_from_each_other() {
    with_server(false, None, |bench| {
        let (new, signature) = (faster(), None);
        assert_eq!(bench.load("flight", &new, Change::Restart), Got::Done);
        assert_eq!(bench.load("second", &part(), Change::Restart), Got::Done);
        let tag_of = |bench: &mut Bench<'_, '_>, place| match bench.status(place) {
            Got::Standing(_, [_, pending], tag, ..) => (pending, tag),
            other => panic!("{other:?}"),
        };
        bench.kernel.happen();
        // The change was one of the other program.
        let old = tag(&module(INTERFACE));
        assert_eq!(tag_of(bench, 1), (true, old));
        assert_eq!(tag_of(bench, 0), (false, tag(&new)));
        let program = "second";
        let withdraw = Action::Withdraw { program, signature };
        assert_eq!(bench.ask(withdraw), Got::Done, "it has not happened");
        assert_eq!(bench.load(program, &new, Change::CarryOver), Got::Done);
        bench.kernel.happen();
        assert_eq!(bench.kernel.runs(1), records(&new));
        assert_eq!(tag_of(bench, 1), (false, tag(&new)));
    });
}

#[test]
fn durations_that_no_tick_divides_are_refused_in_words() {
    with_server(false, None, |bench| {
        bench.kernel.hertz = 2_147_483_647;
        let odd = INTERFACE.replace("period 20", "period 20000003ns");
        let odd = module(&odd.replace("taskfreq 1", "taskfreq 7"));
        let Got::Refused(code, words) = bench.load("flight", &odd, Change::Restart) else {
            panic!()
        };
        assert_eq!((code, bench.kernel.calls), (Code::Unfit, 0));
        assert!(words.contains("2147483647 Hz, too finely"), "{words}");
    });
}

#[test]
fn a_change_under_way_is_waited_for_or_withdrawn() {
    with_server(false, None, |bench| {
        let (new, signature) = (faster(), None);
        let (program, length, base) = ("flight", new.len() as u32, None);
        let begin = Action::Begin {
            program,
            length,
            base,
        };
        let withdraw = Action::Withdraw { program, signature };
        assert_eq!(bench.code(withdraw), Some(Code::Nothing));
        assert_eq!(bench.load(program, &new, Change::Restart), Got::Done);
        assert_eq!(bench.code(begin), Some(Code::Busy));
        assert_eq!(
            bench.code(Action::Unload { program, signature }),
            Some(Code::Busy)
        );
        assert_eq!(bench.ask(withdraw), Got::Done);
        assert_eq!(bench.kernel.rooms[0].asked, None);
        assert_eq!(bench.code(withdraw), Some(Code::Nothing));
        assert_eq!(bench.load(program, &new, Change::Restart), Got::Done);
    });
}

#[test]
fn an_upload_survives_a_commit_that_comes_too_early() {
    with_server(true, None, |bench| {
        let new = faster();
        let ticket = bench.begin("flight", new.len(), None);
        let early = bench.commit(ticket, "flight", &new, Change::Restart);
        assert!(matches!(early, Got::Refused(Code::Incomplete, _)));
        let ticket = bench.upload("flight", &new);
        assert_eq!(
            bench.commit(ticket, "flight", &new, Change::Restart),
            Got::Done
        );
        let again = bench.commit(ticket, "flight", &new, Change::Restart);
        assert!(matches!(again, Got::Refused(Code::Ticket, _)));
    });
}

#[test]
fn an_upload_of_which_nothing_is_heard_is_dropped() {
    with_server(false, None, |bench| {
        let new = faster();
        let ticket = bench.upload("flight", &new);
        bench.kernel.clock += PATIENCE.0;
        bench.run();
        bench.kernel.clock += 1;
        let late = bench.commit(ticket, "flight", &new, Change::Restart);
        assert!(matches!(late, Got::Refused(Code::Ticket, _)), "{late:?}");
        assert_eq!(bench.kernel.calls, 0);
    });
}

#[test]
fn a_module_that_does_not_fit_is_refused_in_words() {
    with_server(false, None, |bench| {
        let Got::Refused(code, words) = bench.load("flight", &unfit(), Change::Restart) else {
            panic!()
        };
        assert_eq!(code, Code::Unfit);
        assert!(words.contains("no port `height`"), "{words}");
        let many = module(&INTERFACE.replace("taskfreq 2", "taskfreq 32"));
        let Got::Refused(code, words) = bench.load("flight", &many, Change::Restart) else {
            panic!()
        };
        assert_eq!(code, Code::Unfit);
        assert!(words.contains("100 are allowed"), "{words}");
        let mut damaged = faster();
        damaged[200] ^= 1;
        let refused = bench.load("flight", &damaged, Change::Restart);
        assert!(matches!(refused, Got::Refused(Code::Module, _)));
        assert_eq!(bench.kernel.calls, 0);
    });
}

#[test]
fn the_kernels_refusals_reach_the_host() {
    with_server(false, None, |bench| {
        for (error, code) in [
            (Error::EBUSY, Code::Busy),
            (Error::EPERM, Code::Kernel),
            (Error::EINVAL, Code::Kernel),
        ] {
            bench.kernel.refusal = Some(error);
            let refused = bench.load("flight", &faster(), Change::Restart);
            assert!(
                matches!(refused, Got::Refused(c, _) if c == code),
                "{refused:?}"
            );
        }
        bench.kernel.refusal = None;
        assert_eq!(bench.load("flight", &faster(), Change::Restart), Got::Done);
    });
}

#[test]
fn every_deed_must_be_signed_where_a_key_is_set() {
    with_server(true, None, |bench| {
        let program = "flight";
        for signature in [None, bench.sign(0, Deed::Switch, 0, program, &[])] {
            for action in [
                Action::Unload { program, signature },
                Action::Withdraw { program, signature },
                Action::Switch {
                    program,
                    change: Change::Restart,
                    signature,
                },
                Action::Shutdown {
                    status: 0,
                    signature,
                },
            ] {
                assert_eq!(bench.code(action), Some(Code::Signature), "{action:?}");
            }
        }
        assert_eq!((bench.kernel.calls, bench.kernel.stopped), (0, None));
        let signature = bench.sign(0, Deed::Unload, 0, program, &[]);
        assert_eq!(bench.ask(Action::Unload { program, signature }), Got::Done);
        // The same again is another request: the signature is not good for it.
        bench.kernel.happen();
        assert_eq!(
            bench.code(Action::Unload { program, signature }),
            Some(Code::Signature)
        );
        let signature = bench.sign(0, Deed::Shutdown, 3, "", &[]);
        assert_eq!(
            bench.code(Action::Shutdown {
                status: 3,
                signature
            }),
            Some(Code::Kernel)
        );
        assert_eq!(bench.kernel.stopped, Some(3));
    });
}

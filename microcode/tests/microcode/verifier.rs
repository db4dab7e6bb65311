//! What the verifier refuses, what it accepts, and the bounds it finds.

use giornata_abi::instruction::{DurationEntry, Instruction, Opcode, Operand};
use giornata_abi::module::{DriverSymbol, ModuleWriter, Name, PortSymbol, Position, TaskSymbol};
use giornata_abi::trace::Violation;
use giornata_abi::{Comparison, Predicate, PredicateKind};
use giornata_microcode::verify::{Location, Reason, Scratch, VerifyError, verify};

use crate::support::{verified, verify_bytes};

/// A sound module with two of everything, to be broken.
fn sound() -> ModuleWriter {
    let mut writer = ModuleWriter::new("sound", "sound.code");
    let name = writer.text("x");
    let port = |kind: u8, value_type: u8, size: u16| PortSymbol {
        name,
        type_name: name,
        kind,
        value_type,
        size,
        reserved: 0,
    };
    // 0 sensor, 1 output, 2 and 3 a task's own, 4 input, 5 state, 6 opaque output
    for (kind, value_type, size) in [
        (0, 8, 4),
        (2, 8, 4),
        (5, 8, 4),
        (6, 8, 4),
        (4, 8, 4),
        (7, 8, 4),
        (2, 0, 0),
    ] {
        writer.ports.push(port(kind, value_type, size));
    }
    let (inputs, outputs, states) = (writer.list(&[2]), writer.list(&[3]), writer.list(&[5]));
    writer.tasks.push(TaskSymbol {
        name,
        function: name,
        inputs,
        outputs,
        states,
        wcet: 0,
        priority: 0,
        reserved: 0,
    });
    let (reads, writes) = (writer.list(&[3]), writer.list(&[1]));
    let driver = DriverSymbol {
        name,
        function: name,
        reads,
        writes,
        wcet: 0,
        kind: 0,
        reserved: 0,
    };
    writer.drivers.push(driver);
    writer.drivers.push(DriverSymbol { kind: 1, ..driver });
    writer.predicate(Predicate::after(1_000_000, 0));
    writer.predicate(Predicate::constant(1, Comparison::Less, 5));
    writer.duration(1_000_000, 0);
    writer
        .instructions
        .push(Instruction::new(Opcode::Release, 0, 0, 0));
    writer
        .instructions
        .push(Instruction::new(Opcode::Branch, 1, 2, 0));
    writer
        .instructions
        .push(Instruction::new(Opcode::Future, 0, 0, 0));
    writer
        .instructions
        .push(Instruction::new(Opcode::Return, 0, 0, 0));
    writer
}

/// Breaks the sound module; asserts why it is refused, and that the message
/// says where and what to do.
fn refused(location: Location, reason: Reason, breaking: impl FnOnce(&mut ModuleWriter)) {
    let mut writer = sound();
    breaking(&mut writer);
    let error = VerifyError { location, reason };
    assert_eq!(verify_bytes(&writer.finish()), Err(error));
    let text = error.to_string();
    assert!(text.starts_with(&format!("{location}: ")), "{text}");
    assert!(text.contains("; "), "{text}");
}

#[test]
fn the_sound_module_is_accepted() {
    assert!(verify_bytes(&sound().finish()).is_ok());
}

#[test]
fn headers_are_checked() {
    use Reason::*;
    refused(Location::Header, NoCode, |w| w.instructions.clear());
    refused(Location::Header, Denominator, |w| w.denominator = 0);
    refused(Location::Header, Start(4), |w| w.start = 4);
    refused(Location::Header, Handler(Violation::Overrun, 9), |w| {
        w.handlers[2] = 9
    });
    refused(
        Location::Header,
        Steps {
            declared: 3,
            needed: 4,
        },
        |w| w.max_steps = 3,
    );
}

#[test]
fn scratch_that_is_too_short_is_refused() {
    let bytes = sound().finish();
    let module = giornata_abi::module::Module::parse(&bytes).unwrap();
    let error = verify(&module, &mut [Scratch::EMPTY; 3]).unwrap_err();
    assert_eq!(
        error,
        VerifyError {
            location: Location::Header,
            reason: Reason::Scratch
        }
    );
}

#[test]
fn instructions_are_checked() {
    use Reason::*;
    let at = Location::Instruction;
    refused(at(0), Opcode(9), |w| w.instructions[0].opcode = 9);
    refused(at(0), Reserved, |w| w.instructions[0].reserved = 1);
    refused(at(0), Operand(self::Operand::Task, 1), |w| {
        w.instructions[0].a = 1
    });
    refused(at(0), Operand(self::Operand::Duration, 1), |w| {
        w.instructions[0].b = 1
    });
    refused(at(0), Unused, |w| w.instructions[0].c = 1);
    refused(at(1), Operand(self::Operand::Test, 2), |w| {
        w.instructions[1].a = 2
    });
    refused(at(1), Operand(self::Operand::Address, 4), |w| {
        w.instructions[1].b = 4
    });
    refused(at(2), Operand(self::Operand::Predicate, 2), |w| {
        w.instructions[2].a = 2
    });
    refused(at(0), Operand(self::Operand::Driver, 2), |w| {
        w.instructions[0] = Instruction::new(self::Opcode::Call, 2, 0, 0);
    });
    refused(at(3), FallsOff, |w| {
        w.instructions[3] = Instruction::new(self::Opcode::Dispatch, 0, 0, 0)
    });
}

#[test]
fn a_branch_has_no_activation() {
    for predicate in [
        Predicate::of(PredicateKind::Changed, 1),
        Predicate::activation(1, Comparison::Less),
    ] {
        refused(Location::Instruction(1), Reason::BranchOnActivation, |w| {
            w.predicates[1] = predicate
        });
    }
}

#[test]
fn predicates_are_checked() {
    use PredicateKind::*;
    let refused = |reason: Reason, predicate: Predicate| {
        refused(Location::Predicate(0), reason, |w| {
            w.predicates[0] = predicate
        });
    };
    refused(
        Reason::Kind(11),
        Predicate {
            kind: 11,
            ..Predicate::after(0, 0)
        },
    );
    refused(
        Reason::Comparison(1),
        Predicate {
            comparison: 1,
            ..Predicate::after(0, 0)
        },
    );
    refused(
        Reason::Comparison(6),
        Predicate {
            comparison: 6,
            ..Predicate::constant(1, Comparison::Less, 0)
        },
    );
    refused(
        Reason::Reserved,
        Predicate {
            value: 1,
            ..Predicate::of(True, 0)
        },
    );
    refused(
        Reason::Reserved,
        Predicate {
            remainder: 1,
            ..Predicate::of(Released, 0)
        },
    );
    refused(Reason::Remainder(1), Predicate::after(0, 1));
    refused(
        Reason::Subject(1),
        Predicate {
            subject: 1,
            ..Predicate::after(0, 0)
        },
    );
    for (kind, subject) in [
        (True, 1),
        (Never, 1),
        (Released, 1),
        (Completed, 1),
        (Changed, 7),
        (Interrupt, 0),
        (Message, 0),
        (Upcall, 2),
    ] {
        refused(Reason::Subject(subject), Predicate::of(kind, subject));
    }
    refused(Reason::NotAFunction(0), Predicate::of(Upcall, 0));
    for port in [2, 3, 5] {
        refused(Reason::TaskLocal(port), Predicate::of(Changed, port));
        refused(
            Reason::TaskLocal(port),
            Predicate::constant(port, Comparison::Less, 0),
        );
    }
    refused(
        Reason::Opaque(6),
        Predicate::activation(6, Comparison::Less),
    );
    refused(
        Reason::Constant,
        Predicate::constant(1, Comparison::Less, 1 << 32),
    );
}

#[test]
fn durations_are_checked() {
    let entry = |nanos, remainder, reserved| DurationEntry {
        nanos,
        remainder,
        reserved,
    };
    refused(Location::Duration(0), Reason::Remainder(1), |w| {
        w.durations[0] = entry(0, 1, 0)
    });
    refused(Location::Duration(0), Reason::Reserved, |w| {
        w.durations[0] = entry(0, 0, 1)
    });
}

#[test]
fn ports_are_checked() {
    let refused = |reason: Reason, breaking: fn(&mut PortSymbol)| {
        refused(Location::Port(0), reason, |w| breaking(&mut w.ports[0]));
    };
    refused(Reason::Kind(11), |p| p.kind = 11);
    refused(Reason::ValueType(12), |p| p.value_type = 12);
    refused(Reason::Size(8), |p| p.size = 8);
    refused(Reason::Reserved, |p| p.reserved = 1);
    refused(Reason::Name, |p| {
        p.name = Name {
            offset: 4000,
            length: 1,
        }
    });
    refused(Reason::HandlerPort, |p| p.kind = 9);
}

#[test]
fn handlers_have_one_port_for_each_purpose() {
    refused(Location::Port(4), Reason::SecondHandlerPort, |w| {
        for port in [0, 4] {
            (
                w.ports[port].kind,
                w.ports[port].value_type,
                w.ports[port].size,
            ) = (10, 3, 2);
        }
    });
}

#[test]
fn tasks_are_checked() {
    let refused = |reason: Reason, breaking: fn(&mut ModuleWriter)| {
        refused(Location::Task(0), reason, breaking);
    };
    refused(Reason::Reserved, |w| w.tasks[0].reserved = 1);
    refused(Reason::Priority(256), |w| w.tasks[0].priority = 256);
    refused(Reason::List, |w| w.tasks[0].inputs.start = 1000);
    refused(Reason::List, |w| w.tasks[0].inputs.count = u32::MAX);
    refused(Reason::List, |w| w.tasks[0].inputs = w.list(&[7]));
    refused(Reason::TaskPort(1), |w| w.tasks[0].inputs = w.list(&[1]));
    refused(Reason::TaskPort(2), |w| w.tasks[0].outputs = w.list(&[2]));
    refused(Reason::TaskPort(3), |w| w.tasks[0].states = w.list(&[3]));
    refused(Reason::Shared(2), |w| w.tasks[0].inputs = w.list(&[2, 2]));
}

#[test]
fn drivers_are_checked() {
    let refused = |reason: Reason, breaking: fn(&mut ModuleWriter)| {
        refused(Location::Driver(0), reason, breaking);
    };
    refused(Reason::Reserved, |w| w.drivers[0].reserved = 1);
    refused(Reason::Kind(2), |w| w.drivers[0].kind = 2);
    refused(Reason::List, |w| w.drivers[0].writes.count = 2);
    refused(Reason::Reads(5), |w| w.drivers[0].reads = w.list(&[5]));
    refused(Reason::Writes(5), |w| w.drivers[0].writes = w.list(&[5]));
    refused(Reason::Writes(4), |w| w.drivers[0].writes = w.list(&[4]));
    refused(Reason::Writes(0), |w| w.drivers[0].writes = w.list(&[0]));
    refused(Reason::CopyCount, |w| w.drivers[0].reads = w.list(&[]));
    refused(Reason::CopyType(3, 6), |w| {
        w.drivers[0].writes = w.list(&[6])
    });
}

#[test]
fn a_function_may_write_a_sensor() {
    let mut writer = sound();
    writer.drivers[1].writes = writer.list(&[0]);
    assert!(verify_bytes(&writer.finish()).is_ok());
}

#[test]
fn positions_ascend_within_the_code() {
    let position = |address| Position {
        address,
        column: 1,
        line: 1,
    };
    refused(Location::Position(1), Reason::Order, |w| {
        w.positions = vec![position(2), position(1)]
    });
    refused(Location::Position(0), Reason::Order, |w| {
        w.positions = vec![position(4)]
    });
}

#[test]
fn every_error_says_where_and_what_to_do() {
    let error = verified("start a\na: jump a").unwrap_err();
    assert_eq!(error.address(), Some(0));
    let text = error.to_string();
    assert!(text.starts_with("instruction 0: ") && text.contains("for ever in no time; let each"));
}

// --- no code repeats for ever in no time ---

const HEAD: &str = "
    irq button
    mailbox news
    port p i32 output
    port q i32 output
    task t
    task u
    driver d writes p
    driver ask
    start a
";

fn accepts(code: &str) {
    let result = verified(&format!("{HEAD}{code}"));
    assert!(result.is_ok(), "refused: {}: {code}", result.unwrap_err());
}

/// Refused as a cycle through this address.
fn cycles(code: &str) {
    let result = verified(&format!("{HEAD}{code}"));
    let reason = result.map_err(|error| error.reason);
    assert_eq!(reason, Err(Reason::ZeroTimeCycle), "{code}");
}

#[test]
fn a_cycle_of_jumps_takes_no_time() {
    cycles("a: jump a");
    cycles("a: call d\njump b\nb: call d\njump a");
}

#[test]
fn a_cycle_through_a_branch_takes_no_time() {
    cycles("a: branch p > 3, a\nreturn");
    cycles("a: call d\nbranch p > 3, b\njump a\nb: return");
    cycles("a: branch irq(button), a\nreturn");
    cycles("a: branch upcall(ask), a\nreturn");
}

#[test]
fn a_branch_that_is_never_taken_closes_no_cycle() {
    accepts("a: branch never, a\nreturn");
    accepts("a: branch true, b\njump a\nb: return");
}

#[test]
fn a_cycle_of_forks_takes_no_time() {
    cycles("a: call d\nfork a\nreturn");
    cycles("a: fork b\nreturn\nb: fork a\nreturn");
}

#[test]
fn a_cycle_through_a_future_that_is_enabled_already_takes_no_time() {
    cycles("a: future true, a\nreturn");
    cycles("a: future after(0ns), a\nreturn");
    cycles("a: future p <= activation, a\nreturn");
    cycles("a: future true, b\nreturn\nb: fork a\nreturn");
}

#[test]
fn a_future_for_a_later_time_takes_time() {
    accepts("a: future after(1ns), a\nreturn");
    accepts("a: future never, a\nreturn");
}

#[test]
fn a_future_for_an_event_fires_at_most_once_an_instant() {
    for trigger in [
        "irq(button)",
        "p > 3",
        "message(news)",
        "changed(p)",
        "released(t)",
        "completed(t)",
        "upcall(ask)",
        "p > activation",
    ] {
        accepts(&format!("a: call d\nfuture {trigger}, a\nreturn"));
    }
}

#[test]
fn a_dispatch_of_a_completed_task_takes_no_time() {
    cycles("a: dispatch t\njump a");
    cycles("a: dispatch t\nfork a\nreturn");
    cycles("a: dispatch t, true, a\nreturn");
    cycles("a: idle completed(t)\ndispatch t\nfork a\nreturn");
}

#[test]
fn a_wait_that_may_be_over_takes_no_time() {
    for timeout in [
        "true",
        "after(0ns)",
        "p > 3",
        "irq(button)",
        "message(news)",
        "upcall(ask)",
        "released(t)",
        "completed(t)",
    ] {
        cycles(&format!("a: idle {timeout}\nfork a\nreturn"));
    }
    accepts("a: idle never\nfork a\nreturn");
}

#[test]
fn an_idle_in_a_jump_loop_has_expired_the_second_time() {
    cycles("a: idle after(10ms)\njump a");
    cycles("a: dispatch t, after(10ms), a\njump a");
}

#[test]
fn an_idle_past_a_fork_takes_time() {
    accepts("a: idle after(10ms)\nfork a\nreturn");
    accepts("a: call d\nidle after(10ms)\nidle after(20ms)\nfork a\nreturn");
    cycles("a: branch p > 3, b\nidle after(10ms)\nb: fork a\nreturn");
}

#[test]
fn waiting_for_a_task_that_was_completed_takes_time() {
    accepts("a: dispatch t\nidle released(t)\nfork a\nreturn");
    accepts("a: dispatch t\nidle released(t)\njump a");
    accepts("a: idle released(t)\nidle completed(t)\njump a");
    accepts("a: dispatch t\nrelease t, 1ms\njump a\nb: return");
    cycles("a: dispatch t\nidle released(u)\nfork a\nreturn");
}

#[test]
fn each_way_round_must_take_time() {
    cycles("a: dispatch t\nbranch p > 3, b\nidle released(t)\nb: fork a\nreturn");
    accepts(
        "a: dispatch t\nbranch p > 3, b\nidle released(t)\nfork a\nreturn\nb: idle released(t)\nfork a\nreturn",
    );
    accepts(
        "a: dispatch t\ndispatch u\nbranch p > 3, b\nidle released(t)\nfork a\nreturn\nb: idle released(u)\nfork a\nreturn",
    );
}

#[test]
fn tests_of_a_tasks_level_count_as_waits_do() {
    accepts("a: branch released(t), b\njump c\nc: idle released(t)\njump a\nb: dispatch t\njump a");
    cycles("a: branch released(t), b\njump a\nb: return");
}

#[test]
fn waiting_for_a_change_takes_time_unless_the_cycle_makes_it() {
    accepts("a: idle changed(q)\ncall d\nfork a\nreturn");
    accepts("a: idle q > activation\nfork a\nreturn");
    cycles("a: idle changed(p)\ncall d\nfork a\nreturn");
    cycles("a: idle q >= activation\nfork a\nreturn");
}

#[test]
fn two_threads_that_wait_for_each_others_changes_take_no_time() {
    let code = "
        driver e writes q
        a: fork b\njump c
        b: idle changed(p)\ncall e\nfork b\nreturn
        c: idle changed(q)\ncall d\nfork c\nreturn
    ";
    cycles(code);
}

#[test]
fn a_cycle_through_a_handler_takes_no_time() {
    cycles("handler time-safety h\na: release t, 1ms\nreturn\nh: fork a\nreturn");
    cycles("handler fault h\na: call d\nreturn\nh: call d\nfork a\nreturn");
    accepts(
        "handler time-safety h\na: release t, 1ms\nfuture after(1ms), a\nreturn\nh: call d\nrelease u, 1ms\nreturn",
    );
    accepts("handler time-safety h\na: release t, 1ms\nreturn\nh: future after(1ms), a\nreturn");
}

#[test]
fn unreachable_code_is_checked_too() {
    cycles("a: return\nb: jump b");
}

// --- bounds ---

fn steps(code: &str) -> Option<u32> {
    verified(&format!("{HEAD}{code}")).expect("sound").steps
}

#[test]
fn the_bound_of_straight_code_is_its_length() {
    assert_eq!(steps("a: call d\ncall d\nreturn"), Some(3));
    assert_eq!(steps("a: call d\nfuture after(1ms), a\nreturn"), Some(3));
}

#[test]
fn the_bound_of_a_branch_is_its_longer_way() {
    assert_eq!(
        steps("a: branch p > 0, b\nreturn\nb: call d\ncall d\nreturn"),
        Some(4)
    );
}

#[test]
fn the_bound_counts_forks_and_triggers_that_may_be_enabled() {
    assert_eq!(steps("a: fork b\nreturn\nb: call d\nreturn"), Some(4));
    assert_eq!(
        steps("a: future p > 0, b\nreturn\nb: call d\nreturn"),
        Some(4)
    );
}

#[test]
fn the_bound_counts_handlers() {
    let code =
        "handler time-safety h\na: release t, 1ms\nrelease u, 1ms\nreturn\nh: call d\nreturn";
    assert_eq!(steps(code), Some(3 + 2 * 2));
}

#[test]
fn code_that_multiplies_has_no_bound() {
    assert_eq!(
        steps("a: future after(1ms), a\nfuture after(2ms), a\nreturn"),
        None
    );
    assert_eq!(
        steps("a: fork b\nfuture after(1ms), a\nreturn\nb: idle never\nreturn"),
        None
    );
}

#[test]
fn slots_are_counted() {
    let slots = |code: &str| {
        verified(&format!("{HEAD}{code}"))
            .map(|v| (v.triggers, v.threads))
            .unwrap()
    };
    assert_eq!(slots("a: call d\nreturn"), (1, 0));
    assert_eq!(
        slots("a: future after(1ms), b\nreturn\nb: future after(1ms), a\nreturn"),
        (1, 0)
    );
    assert_eq!(slots("a: future irq(button), a\nreturn"), (2, 0));
    assert_eq!(
        slots(
            "a: fork s\nfuture after(1ms), b\nreturn\nb: future after(1ms), b\nreturn\ns: dispatch t\nidle released(t)\nfork s\nreturn"
        ),
        (2, 2)
    );
    assert_eq!(
        slots("a: fork b\nfuture after(1ms), a\nreturn\nb: idle never\nreturn"),
        (2, 3)
    );
}

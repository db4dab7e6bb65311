//! System calls: what each answers, to whom, and whom it refuses.

use crate::rig::*;
use giornata_abi::call::{Answer, Call, Callers};
use giornata_abi::trace::{FaultCause, TraceKind};
use giornata_abi::{Error, Id, Ticks, ValueType};
use giornata_core::{Event, Next, State};
use giornata_sim::{Act, Ended, Moment, SCRATCH, SCRATCH_SIZE, Scheduling, Script, SystemBuilder};
use std::cell::RefCell;
use std::rc::Rc;

/// Ports: 0 may be read, 1 written, 2 neither; each of 4 bytes. Line 3 is the
/// process's, line 4 another's. One thread that may take priorities up to 9.
fn system() -> SystemBuilder {
    let mut b = SystemBuilder::new();
    let process = b.process();
    b.process_entry(process).max_priority = 9;
    b.thread(process, Scheduling::Fifo(5));
    let ports: Vec<u16> = (0..3).map(|_| b.port("", ValueType::U32)).collect();
    b.grant_ports(process, &ports[..1], &ports[1..2]);
    b.interrupt(3, Some(process));
    let other = b.process();
    b.thread(other, Scheduling::Fifo(4));
    b.interrupt(4, Some(other));
    b
}

/// What the first thread of [`system`] is answered.
fn answers(acts: Vec<Act>) -> Vec<Answer> {
    let script = Script::new(acts);
    let answers = script.answers();
    simulate(&system().finish(), |simulation| {
        simulation.set_thread(0, script);
        assert_eq!(simulation.run(), Ended::Quiet);
    });
    answers.take()
}

fn answer(number: Call, arguments: &[usize]) -> Answer {
    answers(vec![call(number, arguments)])[0]
}

#[test]
fn null_does_nothing() {
    assert_eq!(answer(Call::Null, &[1, 2, 3]), Answer::DONE);
}

#[test]
fn clock_tells_the_instant_of_the_entry() {
    let answers = answers(vec![
        call(Call::Clock, &[]),
        compute(7),
        call(Call::Clock, &[]),
    ]);
    assert_eq!(answers, [Answer::wide(0), Answer::wide(7_000)]);
}

#[test]
fn clock_counts_from_the_boot_and_beyond_32_bits() {
    let mut b = system();
    b.tables.header.timer_hertz = 1_000;
    let script = Script::new([Act::sleep_until(at_us(9_000_000)), call(Call::Clock, &[])]);
    let answers = script.answers();
    simulate(&b.finish(), |simulation| {
        simulation.boot_at(Ticks(1 << 40));
        simulation.set_thread(0, script);
        simulation.run();
    });
    assert_eq!(answers.take()[1], Answer::wide(9_000_000_000));
}

#[test]
fn cpu_time_is_the_callers_own() {
    let mut b = system();
    b.tables.threads[1].priority = 6;
    let acts = [
        compute(3),
        sleep_until(20),
        compute(4),
        call(Call::CpuTime, &[]),
    ];
    let script = Script::new(acts);
    let answers = script.answers();
    simulate(&b.finish(), |simulation| {
        simulation.set_thread(0, script);
        simulation.set_thread(1, Script::new([compute(5), sleep_until(21), compute(5)]));
        simulation.run();
    });
    assert_eq!(answers.take()[1], Answer::wide(7_000));
}

#[test]
fn own_is_the_thread_with_its_generation_and_its_stack() {
    let mut b = system();
    let entry = &mut b.tables.threads[0];
    (entry.stack_top, entry.stack_size) = (0x5000, 0x1000);
    let script = Script::new([call(Call::Own, &[])]);
    let answers = script.answers();
    simulate(&b.finish(), |simulation| {
        simulation.set_thread(0, script);
        simulation.run();
    });
    let id = Id::new(0, 0).0 as usize;
    assert_eq!(answers.take(), [Answer::words([id, 0x4000, 0x1000])]);
}

#[test]
fn sleep_refuses_never_and_returns_at_once_from_the_past() {
    let half = u32::MAX as usize;
    assert_eq!(answer(Call::Sleep, &[half, half]), refused(Error::EINVAL));
    let twice = answers(vec![compute(9), sleep_until(9), sleep_until(5)]);
    assert_eq!(twice, [Answer::DONE; 2]);
}

#[test]
fn upper_halves_of_wide_registers_are_not_looked_at() {
    let high = 1 << 40;
    assert_eq!(answer(Call::Sleep, &[high, high]), Answer::DONE);
}

#[test]
fn await_interrupt_takes_lines_of_the_own_process_only() {
    for foreign in [4, 5, usize::MAX, 3 + (1 << 16)] {
        assert_eq!(
            answer(Call::AwaitInterrupt, &[foreign]),
            refused(Error::EPERM)
        );
    }
}

#[test]
fn a_line_has_one_waiter() {
    let mut b = system();
    b.tables.threads[1].process = 0;
    b.tables.processes[0].threads.count = 2;
    b.tables.processes[1].threads.count = 0;
    let second = Script::new([call(Call::AwaitInterrupt, &[3])]);
    let answers = second.answers();
    simulate(&b.finish(), |simulation| {
        simulation.set_thread(0, Script::new([call(Call::AwaitInterrupt, &[3])]));
        simulation.set_thread(1, second);
        simulation.run();
        assert_eq!(simulation.kernel().state_of(0), Some(State::Awaiting));
    });
    assert_eq!(answers.take(), [refused(Error::EBUSY)]);
}

#[test]
fn ports_are_looked_for_then_the_right_then_the_length_then_the_memory() {
    let cases = [(Call::ReadPort, 0, 1), (Call::WritePort, 1, 0)];
    for (access, granted, other) in cases {
        let answer = |arguments: &[usize]| answer(access, arguments);
        for unknown in [3, 0xFFFF, 0x1_0000, usize::MAX] {
            assert_eq!(answer(&[unknown, 0, 0]), refused(Error::ESRCH));
        }
        for denied in [other, 2] {
            assert_eq!(answer(&[denied, 0, 0]), refused(Error::EPERM));
        }
        for length in [0, 3, 5, 1 << 16 | 4, usize::MAX] {
            assert_eq!(answer(&[granted, 0, length]), refused(Error::EINVAL));
        }
        let past_the_end = SCRATCH + SCRATCH_SIZE - 3;
        for address in [0, 0x8000_0000, past_the_end, usize::MAX, usize::MAX - 3] {
            assert_eq!(answer(&[granted, address, 4]), refused(Error::EFAULT));
        }
        assert_eq!(answer(&[granted, SCRATCH + 1, 4]), Answer::DONE);
    }
}

#[test]
fn log_carries_one_to_sixteen_bytes() {
    for length in [0, 17, 0x100, 0x111, 0x201, usize::MAX] {
        assert_eq!(
            answer(Call::Log, &[length, 0, 0, 0, 0]),
            refused(Error::EINVAL)
        );
    }
    simulate(&system().finish(), |simulation| {
        let words = [0x10A, 0x6c6c_6568, 0x6f77_206f, 0x0064_6c72, 7];
        simulation.set_thread(0, Script::new([call(Call::Log, &words)]));
        simulation.run();
        let record = giornata_sim::trace::of_kind(simulation.records(), TraceKind::Log).next();
        let record = record.expect("a record");
        assert_eq!((record.subject, record.detail), (0, 0x10A));
        assert_eq!((record.x, record.y), (0x6f77_206f_6c6c_6568, 0x7_0064_6c72));
    });
}

#[test]
fn shutdown_needs_the_grant_and_a_status_of_a_byte() {
    assert_eq!(answer(Call::Shutdown, &[0]), refused(Error::EPERM));
    let mut b = system();
    b.process_entry(0).grants = giornata_abi::system::GRANT_SHUTDOWN;
    let script = Script::new([call(Call::Shutdown, &[256]), call(Call::Shutdown, &[255])]);
    let answers = script.answers();
    simulate(&b.finish(), |simulation| {
        simulation.set_thread(0, script);
        assert_eq!(simulation.run(), Ended::Stopped(255));
    });
    assert_eq!(answers.take(), [refused(Error::EINVAL)]);
}

#[test]
fn set_priority_checks_the_thread_the_right_and_the_policy() {
    let set =
        |thread: u32, priority: usize| answer(Call::SetPriority, &[thread as usize, priority]);
    assert_eq!(set(2, 1), refused(Error::ESRCH));
    assert_eq!(set(0xFFFF, 1), refused(Error::ESRCH));
    assert_eq!(
        set(Id::new(0, 1).0, 1),
        refused(Error::ESRCH),
        "no such generation"
    );
    assert_eq!(set(1, 1), refused(Error::EPERM), "another process's");
    assert_eq!(set(0, 10), refused(Error::EPERM), "more than is granted");
    assert_eq!(set(0, 9), Answer::DONE);
    let mut b = SystemBuilder::new();
    let process = b.process();
    b.thread(process, Scheduling::Fifo(5));
    b.thread(process, Scheduling::Deadline(1000));
    b.task(process, "t", &[], &[]);
    let script = Script::new([1, 2].map(|thread| call(Call::SetPriority, &[thread, 1])));
    let answers = script.answers();
    simulate(&b.finish(), |simulation| {
        simulation.set_thread(0, script);
        simulation.set_thread(1, Script::new([sleep_until(9)]));
        simulation.run();
    });
    assert_eq!(answers.take(), [refused(Error::EINVAL); 2]);
}

#[test]
fn no_thread_is_given_the_priority_of_the_deadline_band() {
    let mut b = SystemBuilder::new();
    b.tables.header.deadline_band = 7;
    let process = b.process();
    b.process_entry(process).max_priority = 9;
    b.thread(process, Scheduling::Fifo(5));
    let script = Script::new([6, 7, 8].map(|priority| call(Call::SetPriority, &[0, priority])));
    let answers = script.answers();
    simulate(&b.finish(), |simulation| {
        simulation.set_thread(0, script);
        simulation.run();
    });
    let expected = [Answer::DONE, refused(Error::EPERM), Answer::DONE];
    assert_eq!(answers.take(), expected);
}

#[test]
fn an_id_of_a_former_generation_names_nobody() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    b.thread(process, Scheduling::Fifo(5));
    b.thread(process, Scheduling::Fifo(6));
    let set = |generation| call(Call::SetPriority, &[Id::new(1, generation).0 as usize, 2]);
    let script = Script::new([set(0), set(1)]);
    let answers = script.answers();
    simulate(&b.finish(), |simulation| {
        // thread 1 exits first
        simulation.set_thread(0, script);
        simulation.run();
    });
    assert_eq!(answers.take(), [refused(Error::ESRCH), Answer::DONE]);
}

#[test]
fn unknown_numbers_are_enosys_for_everyone() {
    for number in [Call::ALL.len(), 255, 1 << 8, 1 << 32, usize::MAX] {
        assert_eq!(
            answers(vec![Act::request(number, &[])]),
            [refused(Error::ENOSYS)]
        );
    }
}

/// What a task and an upcall are answered, call by call.
fn answers_by_kind(request: Act) -> [Option<Answer>; 2] {
    let mut b = SystemBuilder::new();
    let process = b.process();
    b.task(process, "t", &[], &[]);
    b.upcall_thread(process);
    b.upcall("d", process, &[], &[], 0);
    b.program("call d\n release t 1ms\n return");
    let seen: [Rc<RefCell<Option<Answer>>>; 2] = Default::default();
    let watch = |seen: &Rc<RefCell<Option<Answer>>>| {
        let seen = seen.clone();
        move |moment: &mut Moment<'_>| {
            if moment.begins {
                return request;
            }
            seen.replace(moment.answer);
            Act::End(0)
        }
    };
    simulate(&b.finish(), |simulation| {
        simulation.set_thread(0, watch(&seen[0]));
        simulation.set_driver(0, watch(&seen[1]));
        assert_eq!(simulation.run(), Ended::Quiet);
        assert_eq!(count(simulation.records(), TraceKind::Fault), 0);
    });
    seen.map(|seen| *seen.borrow())
}

#[test]
fn callers_of_the_wrong_kind_get_eperm() {
    let forbidden = Some(refused(Error::EPERM));
    for number in Call::ALL.iter().copied().filter(|c| *c != Call::Panic) {
        let request = match number {
            Call::Log => call(number, &[1, 0]),
            _ => call(number, &[]),
        };
        let [task, upcall] = answers_by_kind(request);
        let none = None; // it has ended
        match number.callers() {
            Callers::Thread => assert_eq!([task, upcall], [forbidden; 2], "{number:?}"),
            Callers::Task => assert_eq!([task, upcall], [none, forbidden], "{number:?}"),
            Callers::Upcall => assert_eq!([task, upcall], [forbidden, none], "{number:?}"),
            Callers::All => assert_eq!([task, upcall], [Some(Answer::DONE); 2], "{number:?}"),
            Callers::Any => {
                assert_eq!(upcall, forbidden, "{number:?}");
                assert_ne!(task, None, "{number:?}");
            }
        }
    }
    let unknown = Some(refused(Error::ENOSYS));
    assert_eq!(answers_by_kind(Act::request(99, &[])), [unknown; 2]);
}

#[test]
fn an_ordinary_thread_neither_completes_nor_returns() {
    for number in [Call::Complete, Call::Return] {
        assert_eq!(answer(number, &[]), refused(Error::EPERM));
    }
}

#[test]
fn exit_ends_the_thread_and_frees_what_it_held() {
    simulate(&system().finish(), |simulation| {
        simulation.set_thread(0, Script::new([compute(1)]));
        assert_eq!(simulation.run(), Ended::Quiet);
        assert_eq!(simulation.kernel().state_of(0), Some(State::Dormant));
        assert_eq!(simulation.kernel().state_of(7), None);
    });
}

#[test]
fn an_event_that_the_harts_state_excludes_is_recorded_and_changes_nothing() {
    simulate(&system().finish(), |simulation| {
        simulation.run();
        let request = giornata_abi::call::Request::default();
        let fault = Event::Fault {
            cause: FaultCause::Load,
            pc: 5,
            address: 6,
        };
        for event in [Event::Call(request), fault] {
            assert_eq!(simulation.inject(Ticks(1), event), Next::Idle);
        }
        assert_eq!(count(simulation.records(), TraceKind::Impossible), 2);
    });
}

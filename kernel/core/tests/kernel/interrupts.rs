//! Interrupts: from the line to the handler thread and to microcode.

use crate::rig::*;
use giornata_abi::call::{Answer, Call, Request};
use giornata_abi::system::FaultPolicy;
use giornata_abi::trace::{FaultCause, TraceKind};
use giornata_abi::{Id, Instant, Ticks, ValueType};
use giornata_core::{Event, Next, State};
use giornata_sim::{
    Act, Ended, Moment, Scheduling, Script, Simulation, SystemBuilder, Tables, trace,
};

const LINE: u16 = 5;

fn wait() -> Act {
    call(Call::AwaitInterrupt, &[LINE as usize])
}

/// A handler thread of priority 9 and a background thread of priority 5.
fn system() -> Tables {
    let mut b = SystemBuilder::new();
    let process = b.process();
    b.thread(process, Scheduling::Fifo(9));
    b.thread(process, Scheduling::Fifo(5));
    b.interrupt(LINE, Some(process));
    b.finish()
}

#[test]
fn an_interrupt_wakes_its_handler_over_a_less_urgent_thread() {
    simulate(&system(), |simulation| {
        let handler = Script::new([wait(), compute(2), wait(), compute(1)]);
        let answers = handler.answers();
        simulation.set_thread(0, handler);
        simulation.set_thread(1, Script::new([compute(100)]));
        simulation.raise_at(at_us(10), LINE);
        simulation.raise_at(at_us(30), LINE);
        simulation.run();
        let expected = [
            (0, Some(0)),
            (0, Some(1)),
            (10, Some(0)),
            (12, Some(1)),
            (30, Some(0)),
            (31, Some(1)),
            (103, None),
        ];
        assert_eq!(timeline(simulation.records()), expected);
        assert_eq!(answers.take(), [Answer::DONE; 2]);
    });
}

#[test]
fn a_line_is_closed_from_its_coming_until_it_is_awaited_again() {
    simulate(&system(), |simulation| {
        simulation.set_thread(0, Script::new([wait(), compute(20), wait(), compute(1)]));
        simulation.raise_at(at_us(10), LINE);
        simulation.raise_at(at_us(15), LINE);
        simulation.run_until(at_us(9));
        assert!(simulation.board().is_open(LINE));
        simulation.run_until(at_us(29));
        assert!(!simulation.board().is_open(LINE));
        assert_eq!(
            count(simulation.records(), TraceKind::Interrupt),
            1,
            "the second is kept off"
        );
        simulation.run();
        let came: Vec<u64> = trace::of_kind(simulation.records(), TraceKind::Interrupt)
            .map(|r| r.x)
            .collect();
        assert_eq!(came, [10_000, 30_000], "it comes when the line is opened");
    });
}

#[test]
fn an_unawaited_line_is_never_open() {
    simulate(&system(), |simulation| {
        simulation.set_thread(0, Script::new([compute(20), wait(), compute(1)]));
        simulation.raise_at(at_us(10), LINE);
        simulation.run();
        let records = simulation.records();
        let came = trace::of_kind(records, TraceKind::Interrupt)
            .next()
            .expect("it came");
        assert_eq!(came.x, 20_000);
        assert_eq!(timeline(records).last(), Some(&(21, None)));
    });
}

#[test]
fn an_interrupt_that_was_latched_before_the_call_counts() {
    // the line came, but its waiter has been told already: it is pending
    simulate(&system(), |simulation| {
        simulation.set_thread(0, Script::new([wait(), compute(50), wait(), compute(1)]));
        simulation.raise_at(at_us(10), LINE);
        simulation.run_until(at_us(20));
        // another hart, or a line that cannot be masked, delivers all the same
        simulation.inject(Ticks(0), Event::Interrupt(LINE));
        assert_eq!(simulation.run(), Ended::Quiet);
        assert_eq!(
            timeline(simulation.records()).last(),
            Some(&(61, None)),
            "no wait"
        );
        assert!(!simulation.board().is_open(LINE));
    });
}

#[test]
fn a_line_that_was_posted_without_the_kernels_lock_comes_with_the_next_entry() {
    simulate(&system(), |simulation| {
        simulation.set_thread(0, Script::new([wait(), compute(1)]));
        simulation.set_thread(1, Script::new([compute(20)]));
        simulation.run_until(at_us(5));
        assert!(simulation.handover().post_interrupt(LINE));
        assert_eq!(simulation.inject(Ticks(10), Event::Timer), Next::Run(0));
        assert!(!simulation.handover().is_pending());
    });
}

#[test]
fn an_unknown_line_is_closed_and_forgotten() {
    simulate(&system(), |simulation| {
        simulation.run();
        simulation.inject(Ticks(1), Event::Interrupt(999));
        assert!(!simulation.board().is_open(999));
        assert_eq!(count(simulation.records(), TraceKind::Interrupt), 0);
    });
}

/// The same, and the line comes every 100 us at most.
fn throttled() -> Tables {
    let mut tables = system();
    tables.interrupts[0].interval = 100_000;
    tables
}

#[test]
fn a_throttled_line_stays_closed_until_its_interval_is_over() {
    simulate(&throttled(), |simulation| {
        simulation.set_thread(0, Script::new([wait(), compute(2), wait(), compute(1)]));
        simulation.set_thread(1, Script::new([compute(300)]));
        simulation.raise_at(at_us(110), LINE);
        simulation.raise_at(at_us(120), LINE);
        simulation.run_until(at_us(99));
        assert!(!simulation.board().is_open(LINE), "awaited, not open yet");
        simulation.run_until(at_us(105));
        assert!(
            simulation.board().is_open(LINE),
            "the first interval is over"
        );
        simulation.run_until(at_us(150));
        assert!(!simulation.board().is_open(LINE), "awaited anew");
        simulation.run();
        let expected = [
            (0, Some(0)),
            (0, Some(1)),
            (110, Some(0)),
            (112, Some(1)),
            (210, Some(0)),
            (211, Some(1)),
            (303, None),
        ];
        assert_eq!(timeline(simulation.records()), expected);
    });
}

#[test]
fn a_storm_costs_a_less_urgent_thread_no_more_than_one_handler_an_interval() {
    simulate(&throttled(), |simulation| {
        let acts: Vec<Act> = (0..100).flat_map(|_| [wait(), compute(10)]).collect();
        simulation.set_thread(0, Script::new(acts));
        simulation.set_thread(1, Script::new([compute(1_000)]));
        for raised in 5..3_000 {
            simulation.raise_at(at_us(raised), LINE);
        }
        simulation.run_until(at_us(1_300));
        let comings = count(simulation.records(), TraceKind::Interrupt);
        assert!((10..=13).contains(&comings), "{comings} interrupts");
        assert_eq!(simulation.kernel().state_of(1), Some(State::Dormant));
    });
}

#[test]
fn a_restart_does_not_end_the_interval() {
    let mut tables = throttled();
    tables.processes[0].on_fault = giornata_abi::system::FaultPolicy::Restart as u8;
    simulate(&tables, |simulation| {
        let handler = |moment: &mut Moment<'_>| match moment.begins {
            true => wait(),
            false => Act::Fault(FaultCause::Load),
        };
        simulation.set_thread(0, handler);
        simulation.raise_at(at_us(150), LINE);
        simulation.run_until(at_us(240));
        assert_eq!(simulation.kernel().state_of(0), Some(State::Throttled));
        assert!(!simulation.board().is_open(LINE), "it came at 150 us");
        simulation.run_until(at_us(251));
        assert!(simulation.board().is_open(LINE));
    });
}

#[test]
fn a_dying_process_closes_its_lines_and_a_restarted_one_may_await_them_again() {
    let mut tables = system();
    tables.processes[0].on_fault = giornata_abi::system::FaultPolicy::Restart as u8;
    simulate(&tables, |simulation| {
        let handler = |moment: &mut Moment<'_>| match moment.begins {
            true => wait(),
            false => Act::End(0),
        };
        simulation.set_thread(0, handler);
        let fault = Act::Fault(FaultCause::Load);
        let mut faulty = [compute(5), fault, compute(1)].into_iter();
        simulation.set_thread(1, move |_: &mut Moment<'_>| {
            faulty.next().unwrap_or(Act::End(0))
        });
        simulation.raise_at(at_us(50), LINE);
        simulation.run_until(at_us(40));
        assert!(simulation.board().is_open(LINE), "awaited anew");
        assert_eq!(simulation.kernel().state_of(0), Some(State::Awaiting));
        simulation.run();
        assert_eq!(simulation.kernel().state_of(0), Some(State::Dormant));
        assert!(!simulation.board().is_open(LINE));
    });
}

const FAULT: Event = Event::Fault {
    cause: FaultCause::Load,
    pc: 0,
    address: 0,
};

/// A process that is started anew after a fault, when its threads are walked: more
/// than a burst of them. The most urgent has the line.
fn mortal() -> Tables {
    let mut b = SystemBuilder::new();
    let process = b.process();
    b.process_entry(process).on_fault = FaultPolicy::Restart as u8;
    b.thread(process, Scheduling::Fifo(9));
    for _ in 0..20 {
        b.thread(process, Scheduling::Fifo(5));
    }
    b.interrupt(LINE, Some(process));
    b.finish()
}

/// It came once, and the handler's next life waits for it.
fn is_awaited_anew(simulation: &mut Simulation<'_>) {
    simulation.run_until(at_us(100));
    assert_eq!(count(simulation.records(), TraceKind::Process), 1);
    assert_eq!(count(simulation.records(), TraceKind::Interrupt), 1);
    assert_eq!(simulation.kernel().state_of(0), Some(State::Awaiting));
    assert!(simulation.board().is_open(LINE));
}

#[test]
fn an_interrupt_that_nobody_was_told_of_is_forgotten_when_its_process_dies() {
    simulate(&mortal(), |simulation| {
        simulation.set_thread(0, |moment: &mut Moment<'_>| {
            match (moment.begins, moment.number) {
                (true, 1) => compute(20),
                (true, _) => wait(),
                (false, _) => Act::End(0),
            }
        });
        simulation.run_until(at_us(9));
        simulation.inject(Ticks(0), Event::Interrupt(LINE));
        simulation.inject(Ticks(10), FAULT);
        is_awaited_anew(simulation);
    });
}

#[test]
fn an_interrupt_that_comes_while_its_process_dies_wakes_nobody_in_its_next_life() {
    simulate(&mortal(), |simulation| {
        simulation.set_thread(0, |moment: &mut Moment<'_>| match moment.begins {
            true => wait(),
            false => Act::End(0),
        });
        simulation.set_thread(1, Script::new([compute(20)]));
        simulation.run_until(at_us(9));
        assert_eq!(simulation.inject(Ticks(0), FAULT), Next::More);
        simulation.inject(Ticks(0), Event::Interrupt(LINE));
        is_awaited_anew(simulation);
    });
}

#[test]
fn a_line_of_microcode_is_open_again_when_the_reaction_has_settled() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    b.upcall_thread(process);
    let edges = b.port("edges", ValueType::U32);
    b.interrupt(LINE, None);
    b.upcall("count", process, &[edges], &[edges], 0);
    b.program("start: future irq(5) edge\n return\nedge: call count\n jump start");
    simulate(&b.finish(), |simulation| {
        simulation.set_driver(0, |moment: &mut Moment<'_>| {
            let edges = moment.load(0, 4);
            moment.store(8, 4, edges + 1);
            Act::End(0)
        });
        simulation.set_durations(|_, _| us(4));
        for raised in [10, 12, 30] {
            simulation.raise_at(at_us(raised), LINE);
        }
        assert_eq!(simulation.run(), Ended::Quiet);
        assert!(simulation.board().is_open(LINE));
        let values: Vec<(Instant, u64)> = trace::ports(simulation.records())
            .iter()
            .map(|p| (p.at, p.value))
            .collect();
        // the second came during the upcall of the first and waited for its end
        assert_eq!(values, [(at_us(10), 1), (at_us(14), 2), (at_us(30), 3)]);
    });
}

#[test]
fn a_storm_on_an_owned_line_costs_its_owner_only() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    let handler = b.thread(process, Scheduling::Fifo(3));
    let other = b.process();
    let worker = b.thread(other, Scheduling::Fifo(5));
    b.interrupt(LINE, Some(process));
    simulate(&b.finish(), |simulation| {
        simulation.set_thread(handler, Script::new([wait()]).endless());
        simulation.set_thread(worker, Script::new([sleep_until(1), compute(1000)]));
        let storm = if cfg!(miri) { 2..50 } else { 2..1000 };
        for micros in storm {
            simulation.raise_at(at_us(micros), LINE);
        }
        simulation.run_until(at_us(1000));
        // one delivery, then the line is closed until the handler runs again
        assert_eq!(count(simulation.records(), TraceKind::Interrupt), 1);
        assert_eq!(
            simulation.entries(),
            5,
            "boot, wait, sleep, wakeup and the one interrupt"
        );
    });
}

/// A handler of priority 9, and `sleepers` that wake at 10 us, all of them of
/// priority 5 but the first, of `urgent`.
fn crowd(urgent: u8, sleepers: u16) -> Tables {
    let mut b = SystemBuilder::new();
    let process = b.process();
    b.thread(process, Scheduling::Fifo(9));
    b.interrupt(LINE, Some(process));
    let other = b.process();
    for sleeper in 0..sleepers {
        b.thread(
            other,
            Scheduling::Fifo(if sleeper == 0 { urgent } else { 5 }),
        );
        b.process_entry(other).max_priority = 5;
    }
    b.finish()
}

fn send_to_sleep(simulation: &mut Simulation<'_>, sleepers: u16) {
    for sleeper in 1..=sleepers {
        simulation.set_thread(sleeper, Script::new([sleep_until(10), compute(2)]));
    }
    simulation.run_until(at_us(9));
}

/// The line comes at an instant, before the timer does.
fn interrupt_at(simulation: &mut Simulation<'_>, at: Instant) -> Next {
    let after = at.since(simulation.now());
    simulation.inject(Ticks(after.0 / 100), Event::Interrupt(LINE))
}

#[test]
fn a_handler_beyond_all_sleepers_goes_ahead_of_what_is_due() {
    simulate(&crowd(5, 20), |simulation| {
        let read_clock = || call(Call::Clock, &[]);
        let handler = Script::new([wait(), compute(1), read_clock(), compute(1), wait()]);
        simulation.set_thread(0, handler);
        send_to_sleep(simulation, 20);
        let handled = interrupt_at(simulation, at_us(10));
        assert_eq!(handled, Next::Run(0));
        for sleeper in 1..=20 {
            let state = simulation.kernel().state_of(sleeper);
            assert_eq!(state, Some(State::Sleeping), "not looked at yet");
        }
        simulation.run_until(at_us(11));
        assert_eq!(simulation.kernel().state_of(20), Some(State::Sleeping));
        simulation.run();
        let woken: Vec<u16> = order(simulation.records())
            .into_iter()
            .rev()
            .take(20)
            .collect();
        assert_eq!(woken, (1..=20).rev().collect::<Vec<u16>>());
    });
}

#[test]
fn a_handler_goes_ahead_of_a_call_that_waits_for_what_is_due() {
    simulate(&crowd(5, 20), |simulation| {
        simulation.set_thread(0, Script::new([wait(), compute(1)]));
        simulation.set_thread(20, Script::new([compute(50)]));
        send_to_sleep(simulation, 19);
        let call = Request {
            number: Call::Clock as usize,
            arguments: [0; 6],
        };
        let after = at_us(10).since(simulation.now());
        let called = simulation.inject(Ticks(after.0 / 100), Event::Call(call));
        assert_eq!(called, Next::More, "the call waits for the sleepers");
        let handled = simulation.inject(Ticks(0), Event::Interrupt(LINE));
        assert_eq!(handled, Next::Run(0));
        assert_eq!(simulation.kernel().state_of(19), Some(State::Sleeping));
    });
}

/// The thread that runs calls at an instant, before the timer rings.
fn call_at(simulation: &mut Simulation<'_>, at: Instant, call: Call, arguments: &[usize]) {
    let mut all = [0; 6];
    all[..arguments.len()].copy_from_slice(arguments);
    let request = Request {
        number: call as usize,
        arguments: all,
    };
    let after = at.since(simulation.now());
    let called = simulation.inject(Ticks(after.0 / 100), Event::Call(request));
    assert_eq!(called, Next::More, "the call waits for the sleepers");
}

#[test]
fn a_yield_that_waits_comes_after_the_equals_that_are_due_whoever_goes_ahead() {
    simulate(&crowd(5, 20), |simulation| {
        simulation.set_thread(0, Script::new([wait(), compute(1)]));
        simulation.set_thread(20, Script::new([compute(50)]));
        send_to_sleep(simulation, 19);
        call_at(simulation, at_us(12), Call::Yield, &[]);
        simulation.inject(Ticks(0), Event::Interrupt(LINE));
        simulation.run();
        let order = order(simulation.records());
        let expected: Vec<u16> = [0].into_iter().chain(1..=20).collect();
        assert_eq!(order[order.len() - 21..], expected);
    });
}

#[test]
fn a_handler_that_a_waiting_call_lowers_goes_ahead_of_nobody() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    let handler = b.thread(process, Scheduling::Fifo(9));
    let caller = b.thread(process, Scheduling::Fifo(4));
    b.interrupt(LINE, Some(process));
    let other = b.process();
    for sleeper in 0..20 {
        b.thread(other, Scheduling::Fifo(if sleeper < 5 { 5 } else { 6 }));
    }
    b.process_entry(other).max_priority = 6;
    simulate(&b.finish(), |simulation| {
        simulation.set_thread(handler, Script::new([wait(), compute(1)]));
        simulation.set_thread(caller, Script::new([compute(50)]));
        for sleeper in 2..22 {
            let due = if sleeper < 7 { 10 } else { 11 };
            simulation.set_thread(sleeper, Script::new([sleep_until(due), compute(2)]));
        }
        simulation.run_until(at_us(9));
        let lowered = [Id::new(handler, 0).0 as usize, 2];
        call_at(simulation, at_us(12), Call::SetPriority, &lowered);
        simulation.inject(Ticks(0), Event::Interrupt(LINE));
        simulation.run();
        let order = order(simulation.records());
        let expected: Vec<u16> = (7..22).chain(2..7).chain([caller, handler]).collect();
        assert_eq!(order[order.len() - 22..], expected);
    });
}

#[test]
fn a_handler_does_not_keep_off_a_more_urgent_caller_that_only_sleeps_now() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    let handler = b.thread(process, Scheduling::Fifo(7));
    let caller = b.thread(process, Scheduling::Fifo(9));
    b.process_entry(process).max_priority = 9;
    b.interrupt(LINE, Some(process));
    let other = b.process();
    for _ in 0..20 {
        b.thread(other, Scheduling::Fifo(5));
    }
    b.process_entry(other).max_priority = 5;
    simulate(&b.finish(), |simulation| {
        simulation.set_thread(handler, Script::new([wait(), compute(5000)]));
        let busy = [sleep_until(1), compute(2000)];
        simulation.set_thread(caller, Script::new(busy));
        for sleeper in 2..22 {
            simulation.set_thread(sleeper, Script::new([sleep_until(10), compute(2)]));
        }
        simulation.run_until(at_us(11));
        // it runs ahead; its time ahead ends with its call
        call_at(simulation, at_us(1000), Call::Sleep, &[1_100_000, 0]);
        simulation.inject(Ticks(0), Event::Interrupt(LINE));
        simulation.run_until(at_us(1101));
        assert_eq!(simulation.outcome().next, Next::Run(caller));
    });
}

#[test]
fn a_handler_waits_for_a_sleeper_that_is_more_urgent() {
    simulate(&crowd(12, 20), |simulation| {
        simulation.set_thread(0, Script::new([wait(), compute(1)]));
        send_to_sleep(simulation, 20);
        let handled = interrupt_at(simulation, at_us(10));
        assert_ne!(handled, Next::Run(0));
        simulation.run_until(at_us(11));
        assert_eq!(simulation.outcome().next, Next::Run(1));
    });
}

#[test]
fn a_handler_that_never_waits_again_lets_the_run_end_at_its_instant() {
    let mut tables = crowd(5, 20);
    tables.header.stop_at = at_us(100).0;
    simulate(&tables, |simulation| {
        simulation.set_thread(0, Script::new([wait(), compute(1_000_000)]));
        send_to_sleep(simulation, 20);
        interrupt_at(simulation, at_us(10));
        simulation.run();
        assert_eq!(simulation.outcome().next, Next::Stop(0));
        assert_eq!(simulation.now(), at_us(100));
    });
}

#[test]
fn code_that_is_due_comes_before_every_handler() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    let handler = b.thread(process, Scheduling::Fifo(9));
    b.interrupt(LINE, Some(process));
    let other = b.process();
    b.process_entry(other).max_priority = 5;
    b.task(other, "work", &[], &[]);
    b.program("a: release work 1ms\n future after(1ms) a\n return");
    simulate(&b.finish(), |simulation| {
        simulation.set_thread(handler, Script::new([wait(), compute(1)]).endless());
        simulation.run_until(at_us(999));
        interrupt_at(simulation, at_us(1000));
        simulation.run_until(at_us(1001));
        let kinds: Vec<u8> = simulation.records().iter().map(|r| r.kind).collect();
        let last = |kind: TraceKind| kinds.iter().rposition(|k| *k == kind as u8);
        assert!(last(TraceKind::Release) < last(TraceKind::Interrupt));
    });
}

#[test]
fn a_handler_goes_on_ahead_of_what_falls_due_meanwhile() {
    simulate(&crowd(5, 20), |simulation| {
        simulation.set_thread(0, Script::new([wait(), compute(5), wait(), compute(1)]));
        send_to_sleep(simulation, 20);
        interrupt_at(simulation, at_us(9));
        simulation.run_until(at_us(13));
        assert_eq!(simulation.outcome().next, Next::Run(0));
        assert_eq!(simulation.kernel().state_of(1), Some(State::Sleeping));
        simulation.run_until(at_us(14));
        assert_eq!(simulation.outcome().next, Next::Run(1), "it waits again");
        simulation.run();
    });
}

#[test]
fn a_handler_that_lowers_itself_lets_come_what_is_due() {
    simulate(&crowd(5, 3), |simulation| {
        let own = Id::new(0, 0).0 as usize;
        let handler = [
            wait(),
            compute(5),
            call(Call::SetPriority, &[own, 1]),
            compute(1),
        ];
        simulation.set_thread(0, Script::new(handler));
        send_to_sleep(simulation, 3);
        interrupt_at(simulation, at_us(9));
        simulation.run();
        let order = order(simulation.records());
        assert_eq!(order[order.len() - 5..], [0, 1, 2, 3, 0]);
    });
}

//! Processes: faults, teardown, restart, and everybody else.

use crate::rig::*;
use giornata_abi::call::{Answer, Call};
use giornata_abi::system::FaultPolicy;
use giornata_abi::trace::{FaultCause, TraceKind, Violation};
use giornata_abi::{Duration, Id, Instant, Ticks, ValueType};
use giornata_core::{Event, Next, State};
use giornata_sim::{
    AREA, Act, Ended, Moment, SCRATCH, Scheduling, Script, Shape, SystemBuilder, trace,
};

const FAULT: Act = Act::Fault(FaultCause::Store);

/// Two processes: one faults after 5 us, the other computes 20 us.
fn two(policy: FaultPolicy) -> SystemBuilder {
    let mut b = SystemBuilder::new();
    let faulty = b.process();
    b.process_entry(faulty).on_fault = policy as u8;
    b.thread(faulty, Scheduling::Fifo(9));
    b.thread(faulty, Scheduling::Fifo(8));
    let other = b.process();
    b.thread(other, Scheduling::Fifo(5));
    b
}

/// Faults in its first life, then computes.
fn faults_once(thread_of: u64) -> impl FnMut(&mut Moment<'_>) -> Act {
    let mut step = 0;
    move |_| {
        step += 1;
        match step {
            1 => compute(thread_of),
            2 => FAULT,
            3 => compute(3),
            _ => Act::End(0),
        }
    }
}

#[test]
fn a_fault_ends_every_thread_of_its_process_and_no_other() {
    simulate(&two(FaultPolicy::Stop).finish(), |simulation| {
        simulation.set_thread(0, Script::new([compute(5), FAULT]));
        simulation.set_thread(1, Script::new([Act::Spin]));
        simulation.set_thread(2, Script::new([compute(20)]));
        assert_eq!(simulation.run(), Ended::Quiet);
        let expected = [(0, Some(0)), (5, Some(2)), (25, None)];
        assert_eq!(timeline(simulation.records()), expected, "1 never ran");
        let states = [0, 1, 2].map(|thread| simulation.kernel().state_of(thread));
        assert_eq!(states, [Some(State::Dormant); 3]);
        let fault = *trace::of_kind(simulation.records(), TraceKind::Fault)
            .next()
            .unwrap();
        assert_eq!((fault.subject, fault.detail), (0, FaultCause::Store as u32));
        let end = *trace::of_kind(simulation.records(), TraceKind::Process)
            .next()
            .unwrap();
        assert_eq!((end.subject, end.detail), (0, 0));
    });
}

#[test]
fn halt_stops_the_machine_with_status_1() {
    simulate(&two(FaultPolicy::Halt).finish(), |simulation| {
        simulation.set_thread(0, Script::new([compute(5), FAULT]));
        assert_eq!(simulation.run(), Ended::Stopped(1));
    });
}

#[test]
fn restart_starts_the_process_at_its_beginning_with_its_first_memory() {
    let mut b = two(FaultPolicy::Restart);
    b.tables.processes[0].max_priority = 9;
    simulate(&b.finish(), |simulation| {
        simulation.set_thread(0, faults_once(5));
        simulation.set_thread(1, |moment: &mut Moment<'_>| match moment.begins {
            true => compute(1),
            false => Act::End(0),
        });
        simulation.set_thread(2, Script::new([compute(20)]));
        simulation.run_until(at_us(4));
        simulation
            .board()
            .memory(0)
            .write(AREA as usize + 32, &[7; 8])
            .unwrap();
        simulation.run();
        let expected = [
            (0, Some(0)),
            (5, Some(0)),
            (8, Some(1)),
            (9, Some(2)),
            (29, None),
        ];
        let mut timeline = timeline(simulation.records());
        timeline.dedup();
        // the same thread goes on in its next life without a switch
        assert_eq!(
            timeline,
            [expected[0], expected[2], expected[3], expected[4]]
        );
        assert_eq!(
            simulation.board().memory(0).word(AREA as usize + 32, 8),
            Some(0)
        );
        let restart = *trace::of_kind(simulation.records(), TraceKind::Process)
            .next()
            .unwrap();
        assert_eq!((restart.detail, restart.x), (1, 1));
    });
}

#[test]
fn a_restarted_process_has_new_ids() {
    let mut b = two(FaultPolicy::Restart);
    b.tables.threads[1].autostart = 0;
    simulate(&b.finish(), |simulation| {
        let mut ids = Vec::new();
        simulation.set_thread(0, move |moment: &mut Moment<'_>| {
            let Some(Answer([0, id, ..])) = moment.answer else {
                return call(Call::Own, &[]);
            };
            ids.push(id);
            match ids[..] {
                [_] => FAULT,
                [first, second] => {
                    assert_eq!([first, second], [0, 1].map(|g| Id::new(0, g).0 as usize));
                    Act::End(0)
                }
                _ => unreachable!(),
            }
        });
        assert_eq!(simulation.run(), Ended::Quiet);
        assert_eq!(count(simulation.records(), TraceKind::Fault), 1);
    });
}

#[test]
fn a_panic_records_what_can_be_read_of_its_message() {
    let text = b"src/lib.rs:40: index out of bounds, and so on and so forth, far beyond what is kept of it...!!!!!";
    for (address, length, expected) in [
        (SCRATCH, 20, 20),
        (SCRATCH, 4000, 96),
        (SCRATCH + 4096 - 40, 96, 32),
        (usize::MAX - 4, 50, 0),
        (0, 0, 0),
    ] {
        simulate(&two(FaultPolicy::Stop).finish(), |simulation| {
            simulation.set_thread(0, move |moment: &mut Moment<'_>| {
                moment.memory.write(SCRATCH, text).unwrap();
                call(Call::Panic, &[address, length, 40])
            });
            simulation.run();
            let records = simulation.records();
            let kept = trace::of_kind(records, TraceKind::FaultText).map(|record| {
                let rest = length.min(96) - record.detail as usize;
                rest.min(16)
            });
            assert_eq!(kept.sum::<usize>(), expected);
            let fault = trace::of_kind(records, TraceKind::Fault).next().unwrap();
            assert_eq!((fault.detail, fault.y), (FaultCause::Panic as u32, 40));
            if address == SCRATCH {
                let first = trace::of_kind(records, TraceKind::FaultText)
                    .next()
                    .unwrap();
                assert_eq!(first.x.to_le_bytes(), text[..8]);
            }
        });
    }
}

/// A process of so many threads and blocks of 60 KB dies at some 300 us; each kernel entry
/// costs a microsecond; a thread of this priority becomes ready at 310 us. When does
/// it run?
fn woken_during_teardown(threads: usize, blocks: usize, priority: u8) -> (u64, u64) {
    let mut b = SystemBuilder::new();
    let faulty = b.process();
    b.process_entry(faulty).on_fault = FaultPolicy::Restart as u8;
    let first = b.thread(faulty, Scheduling::Fifo(8));
    for _ in 1..threads {
        b.thread(faulty, Scheduling::Fifo(3));
    }
    for _ in 0..blocks {
        b.task(faulty, "", &[Shape::Bytes(60_000)], &[]);
    }
    let other = b.process();
    let urgent = b.thread(other, Scheduling::Fifo(priority));
    simulate(&b.finish(), |simulation| {
        simulation.set_overhead(Ticks(10));
        simulation.set_thread(first, faults_once(300));
        simulation.set_thread(urgent, Script::new([sleep_until(310), compute(1)]));
        simulation.run();
        let records = simulation.records();
        let fault = trace::of_kind(records, TraceKind::Fault)
            .next()
            .unwrap()
            .tick
            / 10;
        let restart = trace::of_kind(records, TraceKind::Process)
            .next()
            .unwrap()
            .tick
            / 10;
        assert!(fault < 310, "the fault comes first");
        let ran = timeline(records)
            .into_iter()
            .filter(|(_, thread)| *thread == Some(urgent));
        (ran.max().unwrap().0, restart)
    })
}

#[test]
#[cfg_attr(miri, ignore = "a thousand threads are too many for an interpreter")]
fn teardown_never_delays_a_more_urgent_thread() {
    for (threads, blocks) in [(1000, 0), (3, 20)] {
        let (ran, restart) = woken_during_teardown(threads, blocks, 9);
        assert!(restart > 320, "the teardown is under way: {restart}");
        assert!(ran <= 312, "ran at {ran}");
        let (ran, restart) = woken_during_teardown(threads, blocks, 7);
        assert!(ran >= restart, "a less urgent one waits: {ran}, {restart}");
    }
}

#[test]
fn every_entry_of_a_teardown_is_bounded() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    for _ in 0..200 {
        b.thread(process, Scheduling::Fifo(5));
    }
    simulate(&b.finish(), |simulation| {
        simulation.set_thread(0, Script::new([FAULT]));
        simulation.run();
        // 200 threads at 16 pieces an entry
        assert!(
            simulation.entries() > 200 / 16,
            "{} entries",
            simulation.entries()
        );
    });
}

#[test]
fn a_job_of_a_dead_process_is_a_fault_of_its_program_and_its_outputs_stay() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    let task = b.task(process, "t", &[], &[ValueType::U32.into()]);
    let out = b.port("out", ValueType::U32);
    b.copy("publish", &task.outputs, &[out]);
    b.program(
        "a: call publish
            release t 1ms
            future after(1ms) a
            return
         on_fault: return",
    );
    simulate(&b.finish(), |simulation| {
        simulation.set_thread(task.thread, |moment: &mut Moment<'_>| {
            let number = moment.number;
            moment.store(0, 4, u64::from(number));
            if number == 3 { FAULT } else { Act::End(0) }
        });
        simulation.set_durations(|_, _| Duration(1000));
        simulation.run_until(Instant(5_500_000));
        let records = simulation.records();
        let violations = trace::violations(records);
        let fault = (
            0,
            Violation::Fault,
            true,
            Instant(2_001_000),
            task.thread,
            u16::MAX,
        );
        assert_eq!(violations, [fault]);
        let values: Vec<u64> = trace::ports(records).iter().map(|p| p.value).collect();
        assert_eq!(values, [0, 1, 2], "nothing is published after the death");
        assert_eq!(
            trace::totals(records, task.thread).releases,
            6,
            "releases go on in the trace"
        );
    });
}

#[test]
fn a_restarted_process_runs_its_next_job() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    b.process_entry(process).on_fault = FaultPolicy::Restart as u8;
    let task = b.task(process, "t", &[], &[ValueType::U32.into()]);
    let out = b.port("out", ValueType::U32);
    b.copy("publish", &task.outputs, &[out]);
    b.program("a: call publish\n release t 1ms\n future after(1ms) a\n return");
    simulate(&b.finish(), |simulation| {
        simulation.set_thread(task.thread, |moment: &mut Moment<'_>| {
            let number = moment.number;
            moment.store(0, 4, u64::from(number));
            if number == 2 { FAULT } else { Act::End(0) }
        });
        simulation.run_until(Instant(4_500_000));
        let values: Vec<u64> = trace::ports(simulation.records())
            .iter()
            .map(|p| p.value)
            .collect();
        assert_eq!(
            values,
            [0, 1, 3, 4],
            "the value of the job that died is never published"
        );
    });
}

#[test]
fn a_second_fault_of_a_dying_process_changes_nothing() {
    simulate(&two(FaultPolicy::Stop).finish(), |simulation| {
        simulation.set_thread(0, Script::new([Act::Spin]));
        simulation.run_until(at_us(1));
        let fault = Event::Fault {
            cause: FaultCause::Load,
            pc: 1,
            address: 2,
        };
        assert_eq!(simulation.inject(Ticks(5), fault), Next::Run(2));
        simulation.run();
        assert_eq!(count(simulation.records(), TraceKind::Process), 1);
    });
}

#[test]
fn the_others_run_at_the_very_ticks_at_which_they_run_without_the_fault() {
    let millis = if cfg!(miri) { 2 } else { 20 };
    let run = |faulty: bool| {
        let mut b = SystemBuilder::new();
        let process = b.process();
        b.process_entry(process).on_fault = FaultPolicy::Restart as u8;
        let background = b.thread(process, Scheduling::Fifo(3));
        let other = b.process();
        let task = b.task(other, "t", &[], &[]).thread;
        b.program("a: release t 1ms\n future after(1ms) a\n return");
        simulate(&b.finish(), |simulation| {
            let acts = if faulty {
                vec![compute(77), FAULT]
            } else {
                vec![Act::Spin]
            };
            simulation.set_thread(background, Script::new(acts));
            simulation.set_durations(job_times([(task, 300)]));
            simulation.run_until(Instant(millis * 1_000_000 + 500_000));
            let records = simulation.records();
            let of_task = records
                .iter()
                .filter(|r| r.subject == task && r.kind != TraceKind::Fault as u8);
            of_task
                .map(|r| (r.tick, r.kind, r.detail))
                .collect::<Vec<_>>()
        })
    };
    let calm = run(false);
    assert!(calm.len() as u64 >= 3 * millis);
    assert_eq!(run(true), calm);
}

//! Jobs and upcalls: budgets, deadlines, violations and their handlers.

use crate::rig::*;
use giornata_abi::call::{Answer, Call};
use giornata_abi::system::FaultPolicy;
use giornata_abi::trace::{FaultCause, TraceKind, Violation};
use giornata_abi::{Duration, Error, Instant, Ticks, ValueType};
use giornata_core::State;
use giornata_sim::{
    Act, Moment, SCRATCH, Scheduling, Script, Simulation, SystemBuilder, Tables, Task, Work, trace,
};

const MS: u64 = 1_000_000;

/// One task with a budget of 400 us, released each ms; its number is its
/// output, published a ms later. Handlers count.
fn periodic() -> (SystemBuilder, Task, u16) {
    let mut b = SystemBuilder::new();
    let process = b.process();
    let task = b.task(process, "t", &[], &[ValueType::U32.into()]);
    b.tables.threads[task.thread as usize].budget = 400_000;
    let out = b.port("out", ValueType::U32);
    b.port("violation_task", ValueType::U16);
    b.port("violation_driver", ValueType::U16);
    b.copy("publish", &task.outputs, &[out]);
    b.program(
        "a: call publish
            release t 1ms
            future after(1ms) a
            return
         on_overrun: return
         on_time_safety: return",
    );
    (b, task, out)
}

fn number_is_output(moment: &mut Moment<'_>) -> Act {
    let number = moment.number;
    moment.store(0, 4, u64::from(number));
    Act::End(0)
}

/// Values and instants of a port.
fn values(simulation: &mut Simulation<'_>, port: u16) -> Vec<(u64, u64)> {
    let pieces = trace::ports(simulation.records());
    pieces
        .iter()
        .filter(|p| p.port == port)
        .map(|p| (p.at.0 / 1000, p.value))
        .collect()
}

#[test]
fn a_job_beyond_its_budget_is_stopped_and_its_outputs_keep_their_old_values() {
    let (b, task, out) = periodic();
    simulate(&b.finish(), |simulation| {
        simulation.set_thread(task.thread, number_is_output);
        simulation.set_durations(|_, job| us(if job == 2 { 401 } else { 400 }));
        simulation.run_until(Instant(4 * MS));
        let expected = [(0, 0), (1000, 1), (3000, 3), (4000, 4)];
        assert_eq!(
            values(simulation, out),
            expected,
            "nothing is published at 2 ms"
        );
        let violations = trace::violations(simulation.records());
        let overrun = (
            0,
            Violation::Overrun,
            true,
            at_us(1400),
            task.thread,
            u16::MAX,
        );
        assert_eq!(violations, [overrun]);
        assert_eq!(
            values(simulation, 2),
            [(1400, 0)],
            "the handler reads which task it was"
        );
        assert_eq!(values(simulation, 3), [(1400, 65535)]);
        let totals = trace::totals(simulation.records(), task.thread);
        assert_eq!(
            (totals.releases, totals.completions, totals.misses),
            (5, 3, 0)
        );
    });
}

#[test]
fn a_stopped_job_leaves_nothing_behind_and_its_next_job_gets_its_input() {
    let word = ValueType::U32.into();
    let mut b = SystemBuilder::new();
    let process = b.process();
    let source = b.task(process, "source", &[], &[word]);
    let sink = b.task(process, "sink", &[word], &[word]);
    b.tables.threads[sink.thread as usize].budget = 100_000;
    let out = b.port("out", ValueType::U32);
    b.copy("pass", &source.outputs, &sink.inputs);
    b.copy("publish", &sink.outputs, &[out]);
    b.program(
        "a: call publish
            call pass
            release source 1ms
            release sink 1ms
            future after(1ms) a
            return",
    );
    simulate(&b.finish(), |simulation| {
        simulation.set_thread(source.thread, number_is_output);
        simulation.set_thread(sink.thread, |moment: &mut Moment<'_>| {
            let input = moment.load(0, 4);
            moment.store(8, 4, 10 * input);
            Act::End(0)
        });
        let sink = sink.thread;
        simulation.set_durations(move |work, job| match work {
            Work::Job(thread) if thread == sink && job == 3 => us(200),
            _ => us(10),
        });
        simulation.run_until(Instant(5 * MS));
        // job k of the sink works on what job k - 1 of the source said; job 3 is stopped
        let expected = [(0, 0), (1000, 0), (2000, 10), (4000, 30), (5000, 40)];
        assert_eq!(values(simulation, out), expected);
    });
}

#[test]
fn an_upcall_is_not_shown_what_a_stopped_job_left() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    b.upcall_thread(process);
    let task = b.task(process, "t", &[], &[ValueType::U32.into()]);
    b.tables.threads[task.thread as usize].budget = 100_000;
    b.upcall("show", process, &task.outputs, &[], 0);
    b.program("a: call show\n release t 1ms\n future after(1ms) a\n return");
    simulate(&b.finish(), |simulation| {
        simulation.set_durations(|work, job| match work {
            Work::Job(_) if job == 2 => us(200),
            _ => us(1),
        });
        simulation.run_until(Instant(3 * MS + MS / 2));
        let shown = trace::of_kind(simulation.records(), TraceKind::Upcall);
        let shown: Vec<u64> = shown.filter(|r| r.detail == 1).map(|r| r.x / MS).collect();
        assert_eq!(shown, [0, 1, 3]);
    });
}

#[test]
fn a_budget_counts_execution_and_not_preemption() {
    let (mut b, task, out) = periodic();
    let other = b.process();
    let urgent = b.thread(other, Scheduling::Fifo(255));
    simulate(&b.finish(), |simulation| {
        simulation.set_thread(task.thread, number_is_output);
        simulation.set_durations(|_, _| us(400));
        simulation.set_thread(urgent, Script::new([sleep_until(100), compute(500)]));
        simulation.run_until(Instant(MS + 1));
        assert_eq!(values(simulation, out), [(0, 0), (1000, 1)]);
        assert_eq!(trace::violations(simulation.records()), []);
    });
}

#[test]
fn a_job_that_ends_after_its_deadline_is_a_miss() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    let task = b.task(process, "t", &[], &[]).thread;
    b.program("release t 100us\n return");
    for (time, misses) in [(100, 0), (101, 1)] {
        simulate(&b.clone().finish(), |simulation| {
            simulation.set_durations(job_times([(task, time)]));
            simulation.run();
            assert_eq!(trace::totals(simulation.records(), task).misses, misses);
        });
    }
}

#[test]
fn an_uncompleted_job_is_met_by_driver_and_release_and_both_are_skipped() {
    let (mut b, task, out) = periodic();
    b.tables.threads[task.thread as usize].budget = 0;
    simulate(&b.finish(), |simulation| {
        simulation.set_thread(task.thread, number_is_output);
        simulation.set_durations(|_, job| us(if job == 2 { 1500 } else { 10 }));
        simulation.run_until(Instant(3 * MS + 1));
        let violations = trace::violations(simulation.records());
        let at = |driver| {
            (
                0,
                Violation::TimeSafety,
                true,
                Instant(2 * MS),
                task.thread,
                driver,
            )
        };
        assert_eq!(violations, [at(0), at(u16::MAX)]);
        assert_eq!(values(simulation, out), [(0, 0), (1000, 1), (3000, 2)]);
        assert_eq!(
            values(simulation, 3),
            [(2000, 0), (2000, 65535)],
            "the handler ran twice"
        );
    });
}

#[test]
fn a_job_learns_of_itself_from_its_control_page() {
    let (b, task, _) = periodic();
    let tables = b.finish();
    let page = tables.threads[task.thread as usize].control as usize;
    simulate(&tables, |simulation| {
        simulation.set_thread(task.thread, move |moment: &mut Moment<'_>| {
            let k = u64::from(moment.number);
            let mut field = |offset, size| moment.memory.word(page + offset, size).unwrap();
            assert_eq!([field(0, 4), field(4, 4)], [0, k]);
            assert_eq!([field(8, 8), field(16, 8)], [(k - 1) * MS, k * MS]);
            Act::End(0)
        });
        simulation.run_until(Instant(5 * MS));
        assert_eq!(
            trace::totals(simulation.records(), task.thread).completions,
            6
        );
    });
}

/// A sensor of a process of its own, called each ms, with a budget of 20 us and
/// a control task that must not notice what the sensor does.
fn sensing(policy: FaultPolicy) -> (Tables, u16, u16) {
    let mut b = SystemBuilder::new();
    let io = b.process();
    b.process_entry(io).on_fault = policy as u8;
    b.upcall_thread(io);
    let sensor = b.port("sensor", ValueType::U32);
    let control = b.process();
    let task = b.task(control, "control", &[], &[]).thread;
    b.upcall("sense", io, &[], &[sensor], 20_000);
    b.program(
        "a: call sense
            release control 1ms
            future after(1ms) a
            return
         on_fault: return",
    );
    (b.finish(), sensor, task)
}

/// An upcall that returns its number, but the third does something else.
fn sense(
    third: impl FnMut(&mut Moment<'_>) -> Act + 'static,
) -> impl FnMut(&mut Moment<'_>) -> Act {
    let mut third = third;
    move |moment| match moment.number {
        3 => third(moment),
        number => {
            moment.store(0, 4, u64::from(number));
            Act::End(0)
        }
    }
}

#[test]
fn an_upcall_beyond_its_budget_is_stopped_and_its_port_keeps_its_value() {
    let (tables, sensor, task) = sensing(FaultPolicy::Stop);
    simulate(&tables, |simulation| {
        simulation.set_driver(0, sense(|_| Act::Spin));
        simulation.set_durations(|work, _| match work {
            Work::Upcall(_) => us(5),
            Work::Job(_) => us(100),
        });
        simulation.run_until(Instant(4 * MS + MS / 2));
        assert_eq!(
            values(simulation, sensor),
            [(0, 1), (1000, 2), (3000, 4), (4000, 5)]
        );
        let overrun = (0, Violation::Overrun, false, Instant(2 * MS), u16::MAX, 0);
        assert_eq!(trace::violations(simulation.records()), [overrun]);
        let ended: Vec<u32> = trace::of_kind(simulation.records(), TraceKind::Upcall)
            .filter(|r| r.detail > 1)
            .map(|r| r.detail)
            .collect();
        assert_eq!(ended, [2]);
        let totals = trace::totals(simulation.records(), task);
        assert_eq!(
            (totals.releases, totals.worst_response),
            (5, 120_000),
            "20 us of budget"
        );
    });
}

#[test]
fn an_upcall_that_faults_is_a_fault_of_its_driver_and_the_job_is_released_all_the_same() {
    let panic = |moment: &mut Moment<'_>| {
        moment.memory.write(SCRATCH, b"sensor unplugged").unwrap();
        call(Call::Panic, &[SCRATCH, 16, 7])
    };
    type Doing = Box<dyn FnMut(&mut Moment<'_>) -> Act>;
    let faults: [(FaultCause, Doing); 2] = [
        (FaultCause::Load, Box::new(|_| Act::Fault(FaultCause::Load))),
        (FaultCause::Panic, Box::new(panic)),
    ];
    for (cause, fault) in faults {
        let (tables, sensor, task) = sensing(FaultPolicy::Restart);
        simulate(&tables, |simulation| {
            simulation.set_driver(0, sense(fault));
            simulation.run_until(Instant(4 * MS));
            // the restarted process answers again
            assert_eq!(
                values(simulation, sensor),
                [(0, 1), (1000, 2), (3000, 4), (4000, 5)]
            );
            let fault = (0, Violation::Fault, true, Instant(2 * MS), u16::MAX, 0);
            assert_eq!(trace::violations(simulation.records()), [fault]);
            let record = trace::of_kind(simulation.records(), TraceKind::Fault)
                .next()
                .unwrap();
            assert_eq!(record.detail, cause as u32);
            assert_eq!(trace::totals(simulation.records(), task).completions, 5);
        });
    }
}

#[test]
fn a_driver_of_a_dead_process_fails_at_every_call() {
    let (tables, sensor, task) = sensing(FaultPolicy::Stop);
    simulate(&tables, |simulation| {
        simulation.set_driver(0, sense(|_| Act::Fault(FaultCause::Illegal)));
        simulation.run_until(Instant(4 * MS));
        assert_eq!(values(simulation, sensor), [(0, 1), (1000, 2)]);
        let violations = trace::violations(simulation.records());
        let kinds: Vec<Violation> = violations.iter().map(|v| v.1).collect();
        assert_eq!(kinds, [Violation::Fault; 3]);
        assert_eq!(trace::totals(simulation.records(), task).completions, 5);
    });
}

#[test]
fn an_upcall_that_calls_the_kernel_is_refused_and_goes_on() {
    let (tables, sensor, _) = sensing(FaultPolicy::Stop);
    simulate(&tables, |simulation| {
        simulation.set_driver(
            0,
            sense(|moment| match moment.answer {
                None => call(Call::Clock, &[]),
                Some(answer) => {
                    assert_eq!(answer, Answer::error(Error::EPERM));
                    moment.store(0, 4, 33);
                    Act::End(0)
                }
            }),
        );
        simulation.run_until(Instant(2 * MS));
        assert_eq!(values(simulation, sensor), [(0, 1), (1000, 2), (2000, 33)]);
    });
}

#[test]
fn what_comes_during_an_upcall_waits_for_its_end_and_keeps_its_instant() {
    let (mut tables, sensor, task) = sensing(FaultPolicy::Stop);
    tables.drivers[0].budget = 0;
    simulate(&tables, |simulation| {
        simulation.set_driver(0, sense(|_| Act::Compute(Duration(0))));
        simulation.set_durations(|work, number| match (work, number) {
            (Work::Upcall(_), 2) => us(2500),
            _ => Duration::ZERO,
        });
        simulation.set_driver(0, |moment: &mut Moment<'_>| {
            let number = moment.number;
            moment.store(0, 4, u64::from(number));
            Act::End(0)
        });
        simulation.run_until(Instant(4 * MS));
        // the upcall of 1 ms ends at 3.5 ms; the instants of 2 and 3 ms are handled then
        assert_eq!(values(simulation, sensor).len(), 5);
        let instants: Vec<u64> = trace::ports(simulation.records())
            .iter()
            .map(|p| p.at.0)
            .collect();
        assert_eq!(
            instants,
            [0, MS, 2 * MS, 3 * MS, 4 * MS],
            "logical instants do not move"
        );
        let ticks: Vec<u64> = trace::of_kind(simulation.records(), TraceKind::Port)
            .map(|r| r.tick)
            .collect();
        assert_eq!(ticks, [0, 35_000, 35_000, 35_000, 40_000]);
        assert_eq!(trace::totals(simulation.records(), task).releases, 5 - 2);
    });
}

#[test]
fn a_guard_decides_a_branch_and_a_timeout() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    b.upcall_thread(process);
    let task = b.task(process, "t", &[], &[]).thread;
    b.upcall("guard", process, &[], &[], 10_000);
    b.program(
        "a: branch upcall(guard) yes
            future after(1ms) a
            return
        yes: release t 1ms
            return",
    );
    simulate(&b.finish(), |simulation| {
        simulation.set_driver(0, |moment: &mut Moment<'_>| {
            Act::End((moment.number == 3) as usize)
        });
        simulation.run();
        let release = trace::of_kind(simulation.records(), TraceKind::Release)
            .next()
            .unwrap();
        assert_eq!((release.subject, release.x), (task, 2 * MS));
    });
}

#[test]
fn two_programs_that_dispatch_different_tasks_at_once_violate_time_sharing() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    let tasks = ["t", "u"].map(|name| b.task(process, name, &[], &[]).thread);
    for name in ["t", "u"] {
        b.program(&format!(
            "release {name} 1ms\n fork s\n return\ns: dispatch {name}\n return"
        ));
    }
    simulate(&b.finish(), |simulation| {
        simulation.set_durations(job_times([(tasks[0], 50), (tasks[1], 50)]));
        simulation.run();
        let kinds: Vec<Violation> = trace::violations(simulation.records())
            .iter()
            .map(|v| v.1)
            .collect();
        assert_eq!(kinds, [Violation::TimeShare]);
        assert_eq!(
            order(simulation.records()),
            tasks,
            "the older thread keeps the hart"
        );
        assert_eq!(timeline(simulation.records()).last(), Some(&(100, None)));
    });
}

#[test]
fn idle_s_code_gives_its_tasks_nothing_and_everybody_else_as_usual() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    let task = b.task(process, "t", &[], &[]).thread;
    let thread = b.thread(process, Scheduling::Fifo(1));
    b.program("release t 1ms\n fork s\n return\ns: idle after(200us)\n dispatch t\n return");
    simulate(&b.finish(), |simulation| {
        simulation.set_durations(job_times([(task, 50)]));
        simulation.set_thread(thread, Script::new([compute(300)]));
        simulation.run_until(at_us(100));
        assert_eq!(simulation.kernel().state_of(task), Some(State::Held));
        simulation.run();
        let expected = [
            (0, Some(thread)),
            (200, Some(task)),
            (250, Some(thread)),
            (350, None),
        ];
        assert_eq!(timeline(simulation.records()), expected);
    });
}

#[test]
fn a_program_beyond_its_steps_overruns_and_its_handler_runs_with_new_ones() {
    let mut b = SystemBuilder::new();
    let port = b.port("note", ValueType::U8);
    b.store("note_it", 0x4000_0000, 1, port);
    let program = b.program("a: jump a\non_overrun: call note_it\n return");
    b.program_entry(program).max_steps = 100;
    simulate(&b.finish(), |simulation| {
        simulation.run();
        let kinds: Vec<(Violation, bool)> = trace::violations(simulation.records())
            .iter()
            .map(|v| (v.1, v.2))
            .collect();
        assert_eq!(kinds, [(Violation::Overrun, true)]);
        assert_eq!(simulation.board().stores.len(), 1);
    });
}

#[test]
fn a_long_reaction_is_left_between_pieces_for_the_interrupts() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    b.thread(process, Scheduling::Fifo(5));
    b.interrupt(5, Some(process));
    let program = b.program("a: future after(1us) b\n return\nb: jump b");
    b.program_entry(program).max_steps = 20_000;
    simulate(&b.finish(), |simulation| {
        simulation.set_overhead(Ticks(1));
        simulation.set_thread(0, Script::new([call(Call::AwaitInterrupt, &[5])]));
        simulation.raise_at(at_us(2), 5);
        simulation.run();
        assert!(simulation.entries() > 20, "{}", simulation.entries());
        let came = trace::of_kind(simulation.records(), TraceKind::Interrupt)
            .next()
            .unwrap();
        assert_eq!(came.x / 100, 20, "latched in the middle of the reaction");
        assert!(came.tick > 40, "handled after it");
    });
}

//! Time: sleeping, execution times, budgets of the clock, the end of a run.

use crate::rig::*;
use giornata_abi::call::Call;
use giornata_abi::trace::TraceKind;
use giornata_abi::{Duration, Instant, Ticks};
use giornata_sim::{Act, Ended, Moment, Scheduling, Script, SystemBuilder, Work, trace};
use std::cell::RefCell;
use std::rc::Rc;

#[test]
fn a_periodic_sleeper_wakes_at_the_first_tick_of_each_instant_and_never_drifts() {
    for hertz in [10_000_000, 32_768, 3_686_400, 9_999_991] {
        let mut b = SystemBuilder::new();
        b.tables.header.timer_hertz = hertz;
        let process = b.process();
        b.thread(process, Scheduling::Fifo(5));
        let (period, rounds) = (1_234_567, if cfg!(miri) { 10 } else { 1000 });
        let seen = Rc::new(RefCell::new(Vec::new()));
        let writer = seen.clone();
        simulate(&b.finish(), |simulation| {
            let mut k = 0;
            simulation.set_thread(0, move |moment: &mut Moment<'_>| {
                writer.borrow_mut().push(moment.now);
                k += 1;
                Act::sleep_until(Instant(k * period))
            });
            simulation.run_until(Instant(rounds * period));
        });
        let base = giornata_abi::time::Timebase::new(hertz);
        for (k, woken) in seen.borrow().iter().enumerate() {
            assert_eq!(*woken, base.instant(base.ticks(Instant(k as u64 * period))));
        }
        assert!(seen.borrow().len() as u64 >= rounds);
    }
}

#[test]
fn threads_that_wake_at_one_instant_run_in_the_order_of_their_calls() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    let threads = [0; 4].map(|_| b.thread(process, Scheduling::Fifo(5)));
    simulate(&b.finish(), |simulation| {
        for thread in threads {
            simulation.set_thread(thread, Script::new([sleep_until(50), compute(1)]));
        }
        simulation.run();
        let order = order(simulation.records());
        assert_eq!(order, [0, 1, 2, 3, 0, 1, 2, 3]);
    });
}

#[test]
fn execution_times_add_up_to_the_time_that_passed() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    let task = b.task(process, "t", &[], &[]).thread;
    let threads = [3, 5].map(|priority| b.thread(process, Scheduling::Fifo(priority)));
    b.upcall_thread(process);
    b.upcall("d", process, &[], &[], 0);
    b.program("a: call d\n release t 1ms\n future after(100us) a\n return");
    let releases: u32 = if cfg!(miri) { 10 } else { 100 };
    b.tables.header.stop_at = u64::from(releases) * 100_000;
    for overhead in [0, 7] {
        simulate(&b.clone().finish(), |simulation| {
            simulation.set_overhead(Ticks(overhead));
            simulation.set_durations(|work, n| match work {
                Work::Job(_) => Duration(10_000 + 300 * (n % 7) as u64),
                Work::Upcall(_) => Duration(1_700),
            });
            simulation.set_thread(threads[0], |_: &mut Moment<'_>| Act::Spin);
            let sleeper = [
                compute(33),
                sleep_until(77),
                compute(20),
                sleep_until(5_000),
                compute(9),
            ];
            simulation.set_thread(threads[1], Script::new(sleeper));
            assert_eq!(simulation.run(), Ended::Stopped(0));
            let spent: u64 = (0..4)
                .map(|t| simulation.kernel().execution_time(t).unwrap().0)
                .sum();
            let kernel = overhead * simulation.entries();
            let clock = simulation.now().0 / 100;
            // the kernel's own time is whose thread a short way led to
            let short = clock - spent;
            assert!(short <= kernel, "every tick is somebody's");
            assert!(overhead != 0 || short == 0, "{short} ticks are nobody's");
            assert_eq!(trace::totals(simulation.records(), task).releases, releases);
        });
    }
}

#[test]
fn a_jobs_execution_time_leaves_out_who_preempted_it() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    let task = b.task(process, "t", &[], &[]).thread;
    let urgent = b.thread(process, Scheduling::Fifo(250));
    b.program("release t 1ms\n return");
    simulate(&b.finish(), |simulation| {
        simulation.set_durations(job_times([(task, 100)]));
        simulation.set_thread(urgent, Script::new([sleep_until(30), compute(40)]));
        simulation.run();
        let totals = trace::totals(simulation.records(), task);
        assert_eq!(
            (totals.execution, totals.worst_response),
            (100_000, 140_000)
        );
    });
}

#[test]
fn the_machine_stops_by_itself_at_its_instant() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    b.thread(process, Scheduling::Fifo(5));
    b.tables.header.stop_at = 3_000_000;
    simulate(&b.finish(), |simulation| {
        simulation.set_thread(0, Script::new([Act::Spin]));
        assert_eq!(simulation.run(), Ended::Stopped(0));
        assert_eq!(simulation.now(), Instant(3_000_000));
    });
}

#[test]
fn an_instant_before_a_call_is_handled_before_it() {
    // the alarm of 10 us is late: the clock stands at 12 when the thread calls
    let mut b = SystemBuilder::new();
    let process = b.process();
    let early = b.thread(process, Scheduling::Fifo(9));
    let caller = b.thread(process, Scheduling::Fifo(5));
    let tables = b.finish();
    simulate(&tables, |simulation| {
        simulation.set_thread(early, Script::new([sleep_until(10), compute(1)]));
        simulation.set_thread(caller, Script::new([Act::Spin]));
        simulation.run_until(at_us(5));
        let exit = giornata_abi::call::Request {
            number: Call::Exit as usize,
            arguments: [0; 6],
        };
        let next = simulation.inject(Ticks(120), giornata_core::Event::Call(exit));
        assert_eq!(next, giornata_core::Next::Run(early));
        simulation.run();
        assert_eq!(order(simulation.records()), [early, caller, early]);
    });
}

#[test]
fn records_outside_the_mask_are_not_written() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    b.task(process, "t", &[], &[]);
    b.program("release t 1ms\n return");
    b.tables.header.trace_mask = 1 << TraceKind::Release as u32;
    simulate(&b.finish(), |simulation| {
        simulation.run();
        assert_eq!(simulation.records().len(), 1);
    });
}

#[test]
fn the_kernels_own_time_is_nobodys_even_when_it_works_in_pieces() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    let thread = b.thread(process, Scheduling::Fifo(5));
    let program = b.program("a: future after(10us) b\n return\nb: jump b");
    b.program_entry(program).max_steps = 20_000;
    simulate(&b.finish(), |simulation| {
        simulation.set_overhead(Ticks(3));
        simulation.set_thread(thread, Script::new([compute(50)]));
        simulation.run();
        assert!(simulation.entries() > 20, "the reaction takes many entries");
        let spent = simulation.kernel().execution_time(thread);
        assert_eq!(spent, Some(Ticks(500)));
    });
}

//! Reactions of programs come before all threads, whatever these do to be urgent, but for
//! those that the system lets precede them.

use giornata_abi::call::Call;
use giornata_abi::{Duration, Instant, ValueType};
use giornata_records::{Object, ObjectKind, Rights};
use giornata_sim::trace;
use giornata_sim::{Act, Moment, Scheduling, Simulation, SystemBuilder};
use giornata_test_microcode::assemble;
use giornata_trace::Content;

/// A job every 10 ms.
const PROGRAM: &str = "
task control
driver take
port level u32 output
start tick
tick: call take
      release control, 10ms
      future after(10ms), tick
      return
";

const MS: u64 = 1_000_000;

/// What a thread does to be as urgent as it can, before it computes for 35 ms.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// It is so from the beginning.
    Own,
    /// It asks for the priority.
    Asks,
    /// It locks a mutex with that ceiling.
    Ceiling,
    /// It publishes that ceiling.
    Publishes,
    /// A more urgent one waits for its mutex.
    Helped,
}

const WAYS: [Way; 5] = [
    Way::Own,
    Way::Asks,
    Way::Ceiling,
    Way::Publishes,
    Way::Helped,
];

/// Locks the mutex, however long that takes.
fn lock() -> Act {
    const NEVER: usize = u32::MAX as usize;
    Act::call(Call::Lock, &[0, 1, NEVER, NEVER, 0])
}

/// How late instants are at most, in microseconds, with a thread that comes to this
/// priority; `precede`: above which the system lets threads precede reactions.
fn worst_lag(way: Way, priority: u8, precede: Option<u8>) -> u64 {
    let mut b = SystemBuilder::new();
    b.description.programs.precede = precede;
    let process = b.process();
    let busy = match way {
        Way::Own => priority,
        _ => 10,
    };
    let busy = b.thread(process, Scheduling::Fifo(busy));
    let waiter = b.thread(process, Scheduling::Fifo(priority));
    let worker = b.process();
    let control = b.task(worker, "control", &[ValueType::U32.into()], &[]);
    let level = b.port("level", ValueType::U32);
    b.copy("take", &[level], &control.inputs);
    b.program(&assemble(PROGRAM));
    let used = Rights {
        used: true,
        ..Rights::default()
    };
    b.description.objects.push(Object {
        kind: ObjectKind::Mutex,
        at_boot: true,
        initial: 0,
        most: 0,
        ceiling: (way == Way::Ceiling).then_some(priority),
        private: false,
        server: None,
        rights: vec![used, Rights::default()],
    });
    let system = b.finish();
    let page = system.threads[usize::from(busy)].control - system.processes[0].data.2;
    let page = (system.processes[0].data.0 + page) as usize;
    let mut simulation = Simulation::new(&system);
    simulation.check_always();
    let mut step = 0;
    simulation.set_thread(busy, move |moment: &mut Moment<'_>| {
        step += 1;
        // (what it does to be urgent succeeds)
        assert!(moment.answer.is_none_or(|answer| answer[0] == 0), "{way:?}");
        match (step, way) {
            (1, Way::Asks) => Act::call(Call::SetPriority, &[busy.into(), 1, priority.into()]),
            (1, Way::Ceiling | Way::Helped) => lock(),
            (1, Way::Publishes) => {
                let word = page + giornata_abi::control::CEILING;
                assert!(moment.write(word, &u32::from(priority).to_le_bytes()));
                Act::Compute(Duration(1))
            }
            (1 | 2, _) => {
                step = 2;
                Act::Compute(Duration::from_millis(35))
            }
            _ => Act::End(0),
        }
    });
    let mut step = 0;
    simulation.set_thread(waiter, move |_: &mut Moment<'_>| {
        if way != Way::Helped {
            return Act::End(0);
        }
        step += 1;
        match step {
            // (the owner has the mutex by then)
            1 => Act::call(Call::Sleep, &[10_000, 0]),
            2 => lock(),
            _ => Act::End(0),
        }
    });
    simulation.run_until(Instant(100 * MS));
    let events = trace::events(&simulation.take_records(), system.timer_hertz);
    let lags: Vec<u64> = events
        .iter()
        .filter_map(|event| match event.content {
            Content::Release { at, .. } => Some(event.tick.0 / 10 - at.0 / 1000),
            _ => None,
        })
        .collect();
    assert!(lags.len() > 5, "{way:?} {}: {lags:?}", lags.len());
    lags.into_iter().max().unwrap()
}

#[test]
fn no_thread_keeps_an_instant_waiting() {
    for way in WAYS {
        for priority in [60, 199, 201, 202, 203, 250, 255] {
            let lag = worst_lag(way, priority, None);
            assert_eq!(lag, 0, "{way:?}, priority {priority}");
        }
    }
}

#[test]
fn threads_that_may_precede_reactions_do_and_no_others() {
    // (a published ceiling counts when another thread would run, which a reaction is not)
    for way in [Way::Own, Way::Asks, Way::Ceiling, Way::Helped] {
        for (priority, precedes) in [(199, false), (220, false), (221, true), (255, true)] {
            let lag = worst_lag(way, priority, Some(220));
            assert_eq!(
                lag > 4_000,
                precedes,
                "{way:?}, priority {priority}: {lag} us"
            );
        }
    }
}

#[test]
fn reactions_stay_above_what_programs_schedule() {
    // (the band is at 200, and ceilings in it lie between its jobs and the reactions)
    for priority in [199, 201] {
        assert_eq!(worst_lag(Way::Own, priority, Some(0)), 0);
    }
    assert!(worst_lag(Way::Own, 202, Some(0)) > 4_000);
}

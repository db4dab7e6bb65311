//! The paper's listings through the real kernel: the Giotto program of Figures
//! 1 and 2 (t1 every 20 ms, t2 every 10 ms) under the default scheduler and
//! under its three S programs.

use giornata_abi::{Duration, Instant, ValueType};
use giornata_records::Description;
use giornata_sim::trace::{events, switches, violations};
use giornata_sim::{Act, Ended, Moment, Shape, Simulation, SystemBuilder, Work};
use giornata_test_microcode::assemble;
use giornata_trace::Event;

const NAMES: &str = "
task t1
task t2
copy da
copy di
driver ds
";

const E_CODE: &str = "
a0:     call da
        call ds
        call di
        release t1, 20ms
        release t2, 10ms
        future after(10ms), a1
        return
a1:     call ds
        release t2, 10ms
        future after(10ms), a0
        return
";

const SYNCHRONOUS: &str = "
s0:     dispatch t2
        dispatch t1
        idle released(t2)
        dispatch t2
        idle released(t1)
        fork s0
        return
";

const PREEMPTIVE: &str = "
s0:     dispatch t2
        dispatch t1, released(t2), s1
        idle released(t2)
s1:     dispatch t2
        dispatch t1
        idle released(t1)
        fork s0
        return
";

const NON_PREEMPTIVE: &str = "
s0:     dispatch t2
        dispatch t1, released(t2), s1
        idle released(t2)
s1:     dispatch t1
        dispatch t2
        idle released(t1)
        fork s0
        return
";

/// Milliseconds that are drawn.
const LENGTH: usize = 40;

struct Flight {
    system: Description,
    threads: [u16; 2],
}

/// t2 filters a sensor (ds), t1 controls by what t2 found (di), an actuator
/// gets what t1 said (da).
fn flight(s_code: &str) -> Flight {
    let word = Shape::Scalar(ValueType::U32);
    let mut b = SystemBuilder::new();
    let control = b.process();
    // t2 first: of equal deadlines the paper's traces run t2
    let t2 = b.task(control, "t2", &[word], &[word]);
    let t1 = b.task(control, "t1", &[word], &[word]);
    let io = b.process();
    b.upcall_thread(io);
    let actuator = b.port("actuator", word);
    b.copy("da", &t1.outputs, &[actuator]);
    b.copy("di", &t2.outputs, &t1.inputs);
    b.upcall("ds", io, &[], &t2.inputs, 0);
    let start = match s_code {
        "" => "",
        _ => "start first\nfirst: fork s0\n",
    };
    b.program(&assemble(&[NAMES, start, E_CODE, s_code].concat()));
    Flight {
        threads: [t1.thread, t2.thread],
        system: b.finish(),
    }
}

/// Runs two periods of t1 and draws who ran when, and what was violated.
fn fly(s_code: &str, millis: [u64; 2]) -> String {
    let flight = flight(s_code);
    let mut simulation = Simulation::new(&flight.system);
    let [t1, t2] = flight.threads;
    simulation.set_driver(2, |moment: &mut Moment<'_>| {
        moment.store(0, 4, u64::from(moment.number));
        Act::End(0)
    });
    for (thread, add) in [(t1, 1000), (t2, 10)] {
        simulation.set_thread(thread, move |moment: &mut Moment<'_>| {
            let input = moment.load(0, 4);
            moment.store(8, 4, input + add);
            Act::End(0)
        });
    }
    simulation.set_durations(move |work, _| match work {
        Work::Job(thread) => Duration::from_millis(millis[usize::from(thread == t2)]),
        Work::Upcall(_) => Duration::ZERO,
    });
    simulation.check_always();
    assert_eq!(
        simulation.run_until(Instant(LENGTH as u64 * 1_000_000)),
        Ended::Later
    );
    let records = simulation.take_records();
    draw(&events(&records, flight.system.timer_hertz), flight.threads)
}

fn draw(events: &[Event], threads: [u16; 2]) -> String {
    let mut rows = [[b'.'; LENGTH]; 2];
    let mut running: Option<(usize, u64)> = None;
    let end = LENGTH as u64 * 10_000;
    let turns = switches(events).into_iter().chain([(end, None)]);
    for (tick, thread) in turns.map(|(tick, thread)| (tick.min(end), thread)) {
        if let Some((row, since)) = running {
            rows[row][(since / 10_000) as usize..(tick / 10_000) as usize].fill(b'#');
        }
        running = threads
            .iter()
            .position(|t| Some(*t) == thread)
            .map(|row| (row, tick));
    }
    let mut text: String = [1, 0]
        .map(|i| format!("t{} {}\n", i + 1, str::from_utf8(&rows[i]).unwrap()))
        .concat();
    for breach in violations(events) {
        let is_task = |t: &u16| Some(*t) == breach.task;
        let task = threads.iter().position(is_task).map_or(0, |t| t + 1);
        let driver = breach.driver.map_or(usize::MAX, usize::from);
        let driver = ["da", "di", "ds"].get(driver).unwrap_or(&"release");
        assert!(!breach.handled);
        text += &format!(
            "{} ms: {} of t{task} by {driver}\n",
            breach.at.0 / 1_000_000,
            breach.violation.expect("a violation").name()
        );
    }
    text
}

/// Every combination of execution times, drawn one after the other: both
/// short, both long, t1 longer than t2's period, t2 longer than its own, t1
/// longer than its own.
fn chart(s_code: &str) -> String {
    let times = [[3, 1], [7, 3], [12, 3], [3, 12], [25, 3]];
    let one = |[t1, t2]: [u64; 2]| format!("t1 {t1} ms, t2 {t2} ms\n{}", fly(s_code, [t1, t2]));
    times.map(one).join("\n")
}

#[test]
fn e_code_alone_is_scheduled_by_earliest_deadline() {
    assert_eq!(chart(""), include_str!("listings/edf.txt"));
}

#[test]
fn synchronous_s_code_lets_nothing_preempt() {
    assert_eq!(chart(SYNCHRONOUS), include_str!("listings/synchronous.txt"));
}

#[test]
fn preemptive_s_code_runs_t2_at_each_of_its_releases() {
    assert_eq!(chart(PREEMPTIVE), include_str!("listings/preemptive.txt"));
}

#[test]
fn non_preemptive_s_code_resumes_t1_after_a_release_of_t2() {
    assert_eq!(
        chart(NON_PREEMPTIVE),
        include_str!("listings/non-preemptive.txt")
    );
}

#[test]
fn preemptive_s_code_describes_the_earliest_deadline_schedule() {
    for millis in [[3, 1], [7, 3], [12, 3], [4, 8]] {
        assert_eq!(fly(PREEMPTIVE, millis), fly("", millis));
    }
}

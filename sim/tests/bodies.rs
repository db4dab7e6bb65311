//! Real functions under the real kernel: blocks, states, calls and panics.

use giornata_abi::system::FaultPolicy;
use giornata_abi::trace::FaultCause;
use giornata_abi::{Duration, Instant, ValueType};
use giornata_records::Description;
use giornata_rt::process::Function;
use giornata_rt::{driver, log, process, task, time};
use giornata_sim::{Native, Shape, Simulation, SystemBuilder, trace};
use giornata_test_microcode::assemble;
use giornata_trace::{Content, Event};

#[driver]
fn sense(#[state(u32::default)] count: &mut u32, sensor: &mut u32) {
    *count += 1;
    *sensor = *count;
}

/// Sums up; panics at 3.
#[task]
fn sum(input: &u32, total: &mut u32, when: &mut u64, #[state(u32::default)] kept: &mut u32) {
    *kept += *input;
    log!("sum {}", *kept);
    assert!(*input != 3, "three is too much");
    *total = *kept;
    *when = time::now().0;
}

process! { tasks: [sum], drivers: [sense] }

fn function(name: &str) -> Native {
    let functions: &[Function] = process().functions;
    Native::new(
        functions
            .iter()
            .find(|f| f.name == name)
            .expect("listed above"),
    )
}

const MS: u64 = 1_000_000;

/// Sensor and task in two processes, a period of a millisecond.
fn system(policy: FaultPolicy) -> (Description, u16, u16) {
    let (word, wide) = (Shape::Scalar(ValueType::U32), Shape::Scalar(ValueType::U64));
    let mut b = SystemBuilder::new();
    let io = b.process();
    b.upcall_thread(io);
    let sensor = b.port("sensor", word);
    let control = b.process();
    b.process_entry(control).on_fault = Some(policy);
    let task = b.task(control, "sum", &[word], &[word, wide]);
    let (total, when) = (b.port("total", word), b.port("when", wide));
    b.upcall("sense", io, &[], &[sensor], 100);
    b.copy("feed", &[sensor], &task.inputs);
    b.copy("publish", &task.outputs, &[total, when]);
    b.program(&assemble(
        "task sum
         driver sense
         copy feed
         copy publish
         a: call publish
            call sense
            call feed
            release sum, 1ms
            future after(1ms), a
            return",
    ));
    (b.finish(), task.thread, total)
}

fn run(system: &Description, task: u16, until: u64) -> Vec<Event> {
    let mut simulation = Simulation::new(system);
    simulation.check_always();
    simulation.set_thread(task, function("sum"));
    simulation.set_driver(0, function("sense"));
    simulation.set_durations(|_, _| Duration::from_micros(7));
    simulation.run_until(Instant(until));
    trace::events(&simulation.take_records(), system.timer_hertz)
}

fn values(events: &[Event], port: u16) -> Vec<u64> {
    let pieces = trace::ports(events);
    let own = pieces.iter().filter(|p| p.port == port);
    own.map(trace::PortPiece::value).collect()
}

/// What was logged, by whom, and what faults said.
fn texts(events: &[Event]) -> (Vec<(u16, String)>, String) {
    let text = |bytes: &[u8]| {
        let bytes = bytes.iter().copied().filter(|byte| *byte != 0);
        String::from_utf8(bytes.collect()).expect("text")
    };
    let (mut logs, mut faults) = (Vec::new(), String::new());
    for event in events {
        match event.content {
            Content::Log {
                thread,
                length,
                text: bytes,
                ..
            } => logs.push((thread, text(&bytes[..length]))),
            Content::FaultText { text: bytes, .. } => faults += &text(&bytes),
            _ => {}
        }
    }
    (logs, faults)
}

#[test]
fn bodies_keep_their_states_and_see_the_virtual_clock() {
    let (system, task, total) = system(FaultPolicy::Stop);
    let events = run(&system, task, 2 * MS);
    assert_eq!(values(&events, total), [0, 1, 3]);
    // released at 1 ms, after 7 us of the sensor and 7 of its own
    assert_eq!(values(&events, total + 1), [0, 14_000, MS + 14_000]);
    let lines = ["sum 1", "sum 3"].map(|line| (task, line.into()));
    assert_eq!(texts(&events).0, lines);
}

#[test]
fn a_body_that_panics_faults_its_process_with_its_message() {
    let (system, task, total) = system(FaultPolicy::Stop);
    let events = run(&system, task, 4 * MS);
    let fault = events.iter().find_map(|event| match event.content {
        Content::Fault { process, cause, .. } => Some((process, cause)),
        _ => None,
    });
    assert_eq!(fault, Some((1, Some(FaultCause::Panic))));
    let (logs, text) = texts(&events);
    assert_eq!(text, "three is too much");
    assert_eq!(
        values(&events, total),
        [0, 1, 3],
        "outputs of the job that died are not seen"
    );
    assert!(
        logs.contains(&(task, "sum 6".into())),
        "what it said before is kept"
    );
}

#[test]
fn a_restarted_process_begins_with_fresh_states() {
    let (system, task, total) = system(FaultPolicy::Restart);
    let events = run(&system, task, 6 * MS);
    // 1, 1 + 2, death at 3, then 4, 4 + 5, 4 + 5 + 6
    assert_eq!(values(&events, total), [0, 1, 3, 4, 9, 15]);
}

#[test]
fn the_states_of_one_run_are_not_those_of_the_next() {
    let (system, task, total) = system(FaultPolicy::Stop);
    let runs = [0; 3].map(|_| values(&run(&system, task, 2 * MS), total));
    assert_eq!(runs, [[0, 1, 3], [0, 1, 3], [0, 1, 3]]);
}

//! Real functions under the real kernel: blocks, states, calls and panics.

use giornata_abi::system::FaultPolicy;
use giornata_abi::trace::{FaultCause, TraceKind, TraceRecord};
use giornata_abi::{Duration, Instant, ValueType};
use giornata_rt::process::Function;
use giornata_rt::{driver, log, process, task, time};
use giornata_sim::{Native, Shape, Simulation, Storage, SystemBuilder, Tables, trace};

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
fn system(policy: FaultPolicy) -> (Tables, u16, u16) {
    let (word, wide) = (Shape::Scalar(ValueType::U32), Shape::Scalar(ValueType::U64));
    let mut b = SystemBuilder::new();
    let io = b.process();
    b.upcall_thread(io);
    let sensor = b.port("sensor", word);
    let control = b.process();
    b.process_entry(control).on_fault = policy as u8;
    let task = b.task(control, "sum", &[word], &[word, wide]);
    let (total, when) = (b.port("total", word), b.port("when", wide));
    b.upcall("sense", io, &[], &[sensor], 10_000);
    b.copy("feed", &[sensor], &task.inputs);
    b.copy("publish", &task.outputs, &[total, when]);
    b.program(
        "a: call publish
            call sense
            call feed
            release sum 1ms
            future after(1ms) a
            return",
    );
    (b.finish(), task.thread, total)
}

fn run(tables: &Tables, task: u16, until: u64) -> Vec<TraceRecord> {
    let mut storage = Storage::new(&tables.system());
    let mut simulation = Simulation::new(tables, &mut storage);
    simulation.check_always();
    simulation.set_thread(task, function("sum"));
    simulation.set_driver(0, function("sense"));
    simulation.set_durations(|_, _| Duration::from_micros(7));
    simulation.run_until(Instant(until));
    simulation.take_records()
}

fn values(records: &[TraceRecord], port: u16) -> Vec<u64> {
    let pieces = trace::ports(records);
    pieces
        .iter()
        .filter(|p| p.port == port)
        .map(|p| p.value)
        .collect()
}

fn text(records: &[TraceRecord], kind: TraceKind) -> String {
    let bytes = trace::of_kind(records, kind)
        .flat_map(|r| [r.x, r.y])
        .flat_map(u64::to_le_bytes);
    String::from_utf8(bytes.filter(|byte| *byte != 0).collect()).expect("text")
}

#[test]
fn bodies_keep_their_states_and_see_the_virtual_clock() {
    let (tables, task, total) = system(FaultPolicy::Stop);
    let records = run(&tables, task, 2 * MS);
    assert_eq!(values(&records, total), [0, 1, 3]);
    // released at 1 ms, after 7 us of the sensor and 7 of its own
    assert_eq!(values(&records, total + 1), [0, 14_000, MS + 14_000]);
    let lines: Vec<&TraceRecord> = trace::of_kind(&records, TraceKind::Log).collect();
    assert!(lines.iter().all(|line| line.subject == task));
    assert_eq!(text(&records, TraceKind::Log), "sum 1sum 3");
}

#[test]
fn a_body_that_panics_faults_its_process_with_its_message() {
    let (tables, task, total) = system(FaultPolicy::Stop);
    let records = run(&tables, task, 4 * MS);
    let fault = trace::of_kind(&records, TraceKind::Fault)
        .next()
        .expect("a fault");
    assert_eq!((fault.subject, fault.detail), (1, FaultCause::Panic as u32));
    assert_eq!(text(&records, TraceKind::FaultText), "three is too much");
    assert_eq!(
        values(&records, total),
        [0, 1, 3],
        "outputs of the job that died are not seen"
    );
    assert!(
        text(&records, TraceKind::Log).contains("sum 6"),
        "what it said before is kept"
    );
}

#[test]
fn a_restarted_process_begins_with_fresh_states() {
    let (tables, task, total) = system(FaultPolicy::Restart);
    let records = run(&tables, task, 6 * MS);
    // 1, 1 + 2, death at 3, then 4, 4 + 5, 4 + 5 + 6
    assert_eq!(values(&records, total), [0, 1, 3, 4, 9, 15]);
}

#[test]
fn the_states_of_one_run_are_not_those_of_the_next() {
    let (tables, task, total) = system(FaultPolicy::Stop);
    let runs = [0; 3].map(|_| values(&run(&tables, task, 2 * MS), total));
    assert_eq!(runs, [[0, 1, 3], [0, 1, 3], [0, 1, 3]]);
}

#[test]
fn a_blob_that_is_cut_or_of_another_version_is_refused() {
    let blob = blob(&system(FaultPolicy::Stop).0);
    assert_eq!(Tables::from_blob(&blob), Some(system(FaultPolicy::Stop).0));
    for length in [0, 10, blob.len() / 2, blob.len() - 8] {
        assert_eq!(Tables::from_blob(&blob[..length]), None);
    }
    for byte in [0, 4] {
        let mut other = blob.clone();
        other[byte] ^= 1;
        assert_eq!(Tables::from_blob(&other), None);
    }
}

/// The tables as an image carries them.
fn blob(tables: &Tables) -> Vec<u8> {
    fn add<R: giornata_abi::Record>(blob: &mut Vec<u8>, records: &[R]) {
        records.iter().for_each(|record| record.append_to(blob));
        blob.resize(blob.len().next_multiple_of(8), 0);
    }
    let mut blob = Vec::new();
    add(&mut blob, &[tables.header]);
    add(&mut blob, &tables.processes);
    add(&mut blob, &tables.threads);
    add(&mut blob, &tables.ports);
    add(&mut blob, &tables.drivers);
    add(&mut blob, &tables.programs);
    add(&mut blob, &tables.interrupts);
    add(&mut blob, &tables.instructions);
    add(&mut blob, &tables.predicates);
    add(&mut blob, &tables.durations);
    tables
        .links
        .iter()
        .for_each(|link| blob.extend(link.to_le_bytes()));
    blob.resize(blob.len().next_multiple_of(8), 0);
    add(&mut blob, &tables.moves);
    blob
}

//! A program without a clock: an interrupt samples, a threshold on what a
//! process writes reacts.

use giornata_abi::call::Call;
use giornata_abi::{Duration, Instant, ValueType};
use giornata_sim::trace;
use giornata_sim::{Act, Moment, Scheduling, Simulation, SystemBuilder, Work};
use giornata_test_microcode::assemble;

const PROGRAM: &str = "
task filter
driver read_sensor
driver take_filtered
driver open_valve
driver close_valve
port level i16 output
irq 7
start start
start:  future irq(7), sample
        future level >= 100, alarm
        return
sample: call read_sensor
        release filter, 5ms
        future completed(filter), report
        future irq(7), sample
        return
report: call take_filtered
        return
alarm:  call open_valve
        future level < 100, calm
        return
calm:   call close_valve
        future level >= 100, alarm
        return
";

const VALVE: u64 = 0x4000_0000;
const SENSOR: u64 = 0x4000_0010;

fn millis(at: u64) -> Instant {
    Instant(at * 1_000_000)
}

/// Ten milliseconds, in ticks.
const STEP: usize = 100_000;

/// A thread that writes these levels, one each 10 ms from 10 ms on.
fn write_levels(levels: &'static [i16], port: u16) -> impl FnMut(&mut Moment<'_>) -> Act {
    let mut steps = (1..)
        .zip(levels)
        .flat_map(|(n, level)| [(n, None), (n, Some(*level))]);
    move |moment| match steps.next() {
        None => Act::End(0),
        Some((n, None)) => Act::call(Call::Sleep, &[STEP * n, 0]),
        Some((_, Some(level))) => write(moment, port, level),
    }
}

fn write(moment: &mut Moment<'_>, port: u16, level: i16) -> Act {
    let room = moment.room();
    assert!(moment.write(room, &level.to_le_bytes()));
    Act::call(Call::WritePort, &[port.into(), room, 2])
}

/// Longer than anything that happens here.
const END: u64 = 1_000;

#[test]
fn interrupts_and_thresholds_drive_a_program_without_a_clock() {
    let mut b = SystemBuilder::new();
    let outside = b.process();
    let writer = b.thread(outside, Scheduling::Fifo(10));
    let control = b.process();
    let filter = b.task(
        control,
        "filter",
        &[ValueType::U32.into()],
        &[ValueType::U32.into()],
    );
    let level = b.port("level", ValueType::I16);
    let open = b.port("open", ValueType::U8);
    let closed = b.port("closed", ValueType::U8);
    let filtered = b.port("filtered", ValueType::U32);
    b.grant_ports(outside, &[], &[level]);
    b.interrupt(7, None);
    b.load("read_sensor", SENSOR, 4, filter.inputs[0]);
    b.copy("take_filtered", &filter.outputs, &[filtered]);
    b.store("open_valve", VALVE, 1, open);
    b.store("close_valve", VALVE, 1, closed);
    b.program(&assemble(PROGRAM));
    let system = b.finish();
    let mut simulation = Simulation::new(&system);
    simulation.check_always();
    simulation.set_register(SENSOR as usize, 40);
    simulation.set_thread(writer, write_levels(&[50, 100, 120, 99, 100], level));
    simulation.set_thread(filter.thread, |moment: &mut Moment<'_>| {
        let doubled = 2 * moment.load(0, 4);
        moment.store(8, 4, doubled);
        Act::End(0)
    });
    simulation.set_durations(|work, _| match work {
        Work::Job(_) => Duration::from_millis(2),
        Work::Upcall(_) => Duration::ZERO,
    });
    simulation.raise_at(millis(15), 7);
    simulation.raise_at(millis(33), 7);
    simulation.run_until(millis(END));

    let valve = simulation.take_outputs().into_iter();
    let valve: Vec<u64> = valve.map(|output| output.tick / 10_000).collect();
    assert_eq!(
        valve,
        [20, 40, 50],
        "only crossings count, in both directions"
    );
    let events = trace::events(&simulation.take_records(), system.timer_hertz);
    let values = trace::ports(&events);
    let of = |port: u16| values.iter().filter(move |p| p.port == port);
    let reported = of(filtered).map(|piece| (piece.at, piece.value()));
    assert_eq!(
        reported.collect::<Vec<_>>(),
        [17, 35].map(|at| (millis(at), 80)),
        "the completion triggers the report"
    );
    assert_eq!(of(level).count(), 5);
    assert_eq!(trace::violations(&events), []);
}

#[test]
fn a_trigger_compares_with_the_value_at_its_activation() {
    let mut b = SystemBuilder::new();
    let outside = b.process();
    let writer = b.thread(outside, Scheduling::Fifo(10));
    let level = b.port("level", ValueType::I16);
    let note = b.port("note", ValueType::U8);
    b.grant_ports(outside, &[], &[level]);
    b.store("note_rise", VALVE, 1, note);
    b.program(&assemble(
        "port level i16 output
         driver note_rise
         first: future level > activation, rise
                return
         rise:  call note_rise
                future level > activation, rise
                return",
    ));
    let system = b.finish();
    let mut simulation = Simulation::new(&system);
    simulation.check_always();
    simulation.set_thread(writer, write_levels(&[5, 5, -3, 6, 6, 7], level));
    simulation.run_until(millis(END));
    assert_eq!(
        simulation.take_outputs().len(),
        3,
        "5, 6 and 7 are above what was"
    );
}

#[test]
fn a_binding_fires_once_an_instant_however_often_its_port_is_written() {
    let mut b = SystemBuilder::new();
    let outside = b.process();
    let writer = b.thread(outside, Scheduling::Fifo(10));
    let level = b.port("level", ValueType::I16);
    let note = b.port("note", ValueType::U8);
    b.grant_ports(outside, &[], &[level]);
    b.store("note_change", VALVE, 1, note);
    b.program(&assemble(
        "port level i16 output
         driver note_change
         first: future changed(level), change
                return
         change: call note_change
                future changed(level), change
                return",
    ));
    let system = b.finish();
    let mut simulation = Simulation::new(&system);
    simulation.check_always();
    let mut levels = 1..=3;
    simulation.set_thread(writer, move |moment: &mut Moment<'_>| match levels.next() {
        Some(level) => write(moment, 0, level),
        None => Act::End(0),
    });
    simulation.run_until(millis(END));
    assert_eq!(
        simulation.take_outputs().len(),
        1,
        "three writes at one tick"
    );
}

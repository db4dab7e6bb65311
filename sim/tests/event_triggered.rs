//! A program without a clock: an interrupt samples, a threshold on what a
//! process writes reacts.

use giornata_abi::call::Call;
use giornata_abi::{Duration, Instant, ValueType};
use giornata_sim::trace::{self, PortPiece};
use giornata_sim::{
    Act, Ended, Moment, SCRATCH, Scheduling, Simulation, Storage, SystemBuilder, Work,
};

const PROGRAM: &str = "
start:  future irq(7) sample
        future level>=100 alarm
        return
sample: call read_sensor
        release filter 5ms
        future completed(filter) report
        future irq(7) sample
        return
report: call take_filtered
        return
alarm:  call open_valve
        future level<100 calm
        return
calm:   call close_valve
        future level>=100 alarm
        return
";

const VALVE: u32 = 0x4000_0000;
const SENSOR: u32 = 0x4000_0010;

fn millis(at: u64) -> Instant {
    Instant(at * 1_000_000)
}

/// A thread that writes these levels, one each 10 ms from 10 ms on.
fn write_levels(levels: &'static [i16], port: u16) -> impl FnMut(&mut Moment<'_>) -> Act {
    let mut steps = (1u64..)
        .zip(levels)
        .flat_map(|(n, level)| [(n, None), (n, Some(*level))]);
    move |moment| match steps.next() {
        None => Act::End(0),
        Some((n, None)) => Act::sleep_until(millis(10 * n)),
        Some((_, Some(level))) => {
            moment.memory.write(SCRATCH, &level.to_le_bytes()).unwrap();
            Act::call(Call::WritePort, &[port as usize, SCRATCH, 2])
        }
    }
}

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
    b.program(PROGRAM);
    let tables = b.finish();
    let mut storage = Storage::new(&tables.system());
    let mut simulation = Simulation::new(&tables, &mut storage);
    simulation.check_always();
    simulation.board().registers.insert(SENSOR, 40);
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
    assert_eq!(simulation.run(), Ended::Quiet, "no timer is left");

    let valve: Vec<u64> = simulation
        .board()
        .stores
        .iter()
        .map(|s| s.tick.0 / 10_000)
        .collect();
    assert_eq!(
        valve,
        [20, 40, 50],
        "only crossings count, in both directions"
    );
    let records = simulation.take_records();
    let values = trace::ports(&records);
    let of = |port: u16| values.iter().filter(move |p| p.port == port);
    let reported: Vec<PortPiece> = of(filtered).copied().collect();
    let at = |at| PortPiece {
        at: millis(at),
        port: filtered,
        offset: 0,
        value: 80,
    };
    assert_eq!(
        reported,
        [at(17), at(35)],
        "the completion triggers the report"
    );
    assert_eq!(of(level).count(), 5);
    assert_eq!(trace::violations(&records), []);
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
    b.program(
        "start: future level>activation rise
                return
         rise:  call note_rise
                future level>activation rise
                return",
    );
    let tables = b.finish();
    let mut storage = Storage::new(&tables.system());
    let mut simulation = Simulation::new(&tables, &mut storage);
    simulation.check_always();
    simulation.set_thread(writer, write_levels(&[5, 5, -3, 6, 6, 7], level));
    simulation.run();
    assert_eq!(
        simulation.board().stores.len(),
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
    b.program(
        "start: future changed(level) change
                return
         change: call note_change
                future changed(level) change
                return",
    );
    let tables = b.finish();
    let mut storage = Storage::new(&tables.system());
    let mut simulation = Simulation::new(&tables, &mut storage);
    simulation.check_always();
    let mut levels = 1u16..=3;
    simulation.set_thread(writer, move |moment: &mut Moment<'_>| {
        let Some(level) = levels.next() else {
            return Act::End(0);
        };
        moment.memory.write(SCRATCH, &level.to_le_bytes()).unwrap();
        Act::call(Call::WritePort, &[0, SCRATCH, 2])
    });
    assert_eq!(simulation.run(), Ended::Quiet);
    assert_eq!(
        simulation.board().stores.len(),
        1,
        "three writes at one tick"
    );
}

//! Ports: copies, registers, and system calls on values.

use crate::rig::*;
use giornata_abi::call::{Answer, Call};
use giornata_abi::trace::TraceKind;
use giornata_abi::{Duration, Error, Instant, ValueType};
use giornata_sim::{
    Act, Moment, SCRATCH, SCRATCH_SIZE, Scheduling, Script, Shape, SystemBuilder, trace,
};

const REGISTER: u32 = 0x4000_0000;

#[test]
fn a_value_is_copied_whole_whatever_its_size() {
    for size in [1, 7, 8, 9, 63, 64, 65, 700, 4000] {
        let mut b = SystemBuilder::new();
        let process = b.process();
        b.upcall_thread(process);
        let (from, to) = (
            b.port("", Shape::Bytes(size)),
            b.port("", Shape::Bytes(size)),
        );
        b.upcall("fill", process, &[], &[from], 0);
        b.copy("copy", &[from], &[to]);
        b.program("call fill\n call copy\n return");
        simulate(&b.finish(), |simulation| {
            simulation.set_driver(0, move |moment: &mut Moment<'_>| {
                (0..size as usize).for_each(|i| moment.store(i, 1, (i % 251) as u64 + 1));
                Act::End(0)
            });
            simulation.run();
            let pieces = trace::ports(simulation.records());
            let of = |port: u16| -> Vec<(u32, u64)> {
                let of = pieces.iter().filter(|p| p.port == port);
                of.map(|p| (p.offset, p.value)).collect()
            };
            assert_eq!(of(from), of(to));
            assert_eq!(of(to).len(), size.div_ceil(8) as usize);
            let bytes: Vec<u8> = of(to).iter().flat_map(|(_, v)| v.to_le_bytes()).collect();
            assert!((0..size as usize).all(|i| bytes[i] == (i % 251) as u8 + 1));
        });
    }
}

#[test]
fn a_long_copy_lets_interrupts_be_latched_and_nobody_run_before_it_is_whole() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    let handler = b.thread(process, Scheduling::Fifo(255));
    b.interrupt(5, Some(process));
    let size = 60_000;
    let (from, to) = (
        b.port("", Shape::Bytes(size)),
        b.port("", Shape::Bytes(size)),
    );
    b.copy("copy", &[from], &[to]);
    b.program("a: future after(100us) b\n return\nb: call copy\n return");
    simulate(&b.finish(), |simulation| {
        simulation.set_overhead(giornata_abi::Ticks(1));
        simulation.set_thread(handler, Script::new([call(Call::AwaitInterrupt, &[5])]));
        // 60,000 bytes are some 7 bursts of pieces
        simulation.raise_at(Instant(100_300), 5);
        simulation.run();
        let records = simulation.records();
        let last = trace::of_kind(records, TraceKind::Port)
            .last()
            .expect("the copy");
        let came = trace::of_kind(records, TraceKind::Interrupt)
            .next()
            .expect("the interrupt");
        let woken = trace::of_kind(records, TraceKind::Switch).filter(|r| r.subject == handler);
        assert!(last.tick > 1_005, "the copy takes several entries");
        assert_eq!(came.x / 100, 1_003, "latched on its way");
        assert!(woken.last().expect("it ran").tick >= last.tick);
    });
}

#[test]
fn no_entry_of_a_long_copy_moves_more_than_a_burst() {
    let mut b = SystemBuilder::new();
    let (from, to) = (
        b.port("", Shape::Bytes(60_000)),
        b.port("", Shape::Bytes(60_000)),
    );
    b.copy("copy", &[from], &[to]);
    b.program("call copy\n return");
    simulate(&b.finish(), |simulation| {
        simulation.run();
        let burst = 16 * 8 * 64;
        assert!(
            simulation.entries() >= 60_000 / burst,
            "{}",
            simulation.entries()
        );
    });
}

#[test]
fn registers_are_loaded_and_stored_with_their_width() {
    let mut b = SystemBuilder::new();
    let port = b.port("", ValueType::U32);
    b.load("load", REGISTER, 2, port);
    b.store("store", REGISTER + 8, 4, port);
    b.program("call load\n call store\n return");
    simulate(&b.finish(), |simulation| {
        simulation
            .board()
            .registers
            .insert(REGISTER, 0x1234_5678_9ABC_DEF0);
        simulation.run();
        assert_eq!(trace::ports(simulation.records())[0].value, 0xDEF0);
        let store = simulation.board().stores[0];
        assert_eq!(
            (store.address, store.width, store.value),
            (REGISTER + 8, 4, 0xDEF0)
        );
    });
}

#[test]
fn registers_reach_a_tasks_own_copies() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    let word = Shape::Scalar(ValueType::U16);
    let task = b.task(process, "t", &[word], &[word]);
    b.load("load", REGISTER, 2, task.inputs[0]);
    b.store("store", REGISTER + 8, 2, task.outputs[0]);
    b.program("call load\n release t 1ms\n future completed(t) b\n return\nb: call store\n return");
    simulate(&b.finish(), |simulation| {
        simulation.board().registers.insert(REGISTER, 0x1234);
        simulation.set_thread(task.thread, |moment: &mut Moment<'_>| {
            let input = moment.load(0, 2);
            moment.store(8, 2, input + 1);
            Act::End(0)
        });
        simulation.run();
        assert_eq!(simulation.board().stores[0].value, 0x1235);
    });
}

#[test]
fn read_port_gives_what_write_port_wrote() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    let thread = b.thread(process, Scheduling::Fifo(5));
    let port = b.port("", Shape::Bytes(3000));
    b.grant_ports(process, &[port], &[port]);
    simulate(&b.finish(), |simulation| {
        let access = move |which| call(which, &[port as usize, SCRATCH + 1, 3000]);
        let mut step = 0;
        simulation.set_thread(thread, move |moment: &mut Moment<'_>| {
            step += 1;
            let memory = moment.memory.range(SCRATCH + 1, 3000).unwrap();
            match step {
                1 => {
                    memory
                        .iter_mut()
                        .enumerate()
                        .for_each(|(i, byte)| *byte = i as u8);
                    access(Call::WritePort)
                }
                2 => {
                    memory.fill(0);
                    access(Call::ReadPort)
                }
                _ => {
                    assert!(memory.iter().enumerate().all(|(i, byte)| *byte == i as u8));
                    assert_eq!(moment.answer, Some(Answer::DONE));
                    Act::End(0)
                }
            }
        });
        simulation.run();
        assert_eq!(count(simulation.records(), TraceKind::Port), 375);
    });
}

#[test]
fn a_write_that_faults_on_its_way_changes_nothing() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    let thread = b.thread(process, Scheduling::Fifo(5));
    let port = b.port("", Shape::Bytes(3000));
    b.grant_ports(process, &[], &[port]);
    let end = SCRATCH + SCRATCH_SIZE;
    let script = Script::new([call(Call::WritePort, &[port as usize, end - 2999, 3000])]);
    let answers = script.answers();
    simulate(&b.finish(), |simulation| {
        simulation.set_thread(thread, script);
        simulation.run();
        assert_eq!(trace::ports(simulation.records()), []);
    });
    assert_eq!(answers.take(), [refused(Error::EFAULT)]);
}

#[test]
fn a_write_wakes_the_triggers_that_wait_for_it_at_its_instant() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    let thread = b.thread(process, Scheduling::Fifo(5));
    let task = b.task(process, "t", &[], &[]).thread;
    let port = b.port("level", ValueType::U8);
    b.grant_ports(process, &[], &[port]);
    b.program("a: future changed(level) b\n return\nb: release t 1ms\n return");
    simulate(&b.finish(), |simulation| {
        let mut step = 0;
        simulation.set_thread(thread, move |moment: &mut Moment<'_>| {
            step += 1;
            moment.memory.write(SCRATCH, &[step / 3]).unwrap();
            match step {
                2 | 4 => call(Call::WritePort, &[port as usize, SCRATCH, 1]),
                1 | 3 => compute(10),
                _ => Act::End(0),
            }
        });
        simulation.set_durations(|_, _| Duration(5_000));
        simulation.run();
        let released = trace::of_kind(simulation.records(), TraceKind::Release);
        let released: Vec<(u16, u64)> = released.map(|r| (r.subject, r.x)).collect();
        assert_eq!(
            released,
            [(task, 20_000)],
            "a write of the same value changes nothing"
        );
    });
}

#[test]
fn an_untraced_port_leaves_no_record() {
    let mut b = SystemBuilder::new();
    let (from, to) = (b.port("", ValueType::U8), b.port("", ValueType::U8));
    b.tables.ports[to as usize].traced = 0;
    b.copy("copy", &[from], &[to]);
    b.program("call copy\n return");
    simulate(&b.finish(), |simulation| {
        simulation.run();
        assert_eq!(trace::ports(simulation.records()), []);
    });
}

#[test]
fn a_driver_that_names_a_block_outside_its_process_fails_and_is_recorded() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    b.upcall_thread(process);
    let port = b.port("", ValueType::U64);
    b.upcall("d", process, &[], &[port], 0);
    b.program("call d\n return\non_fault: return");
    let mut tables = b.finish();
    // what the builder would never write: the port's bytes lie nowhere
    tables.header.arena_size = 0;
    simulate(&tables, |simulation| {
        simulation.run();
        assert_eq!(count(simulation.records(), TraceKind::Impossible), 1);
        assert_eq!(trace::violations(simulation.records()).len(), 1);
    });
}

#[test]
fn what_a_thread_writes_bears_the_instant_of_its_call() {
    let mut b = SystemBuilder::new();
    let port = b.port("p", ValueType::U32);
    let process = b.process();
    let thread = b.thread(process, Scheduling::Fifo(5));
    b.grant_ports(process, &[], &[port]);
    simulate(&b.finish(), |simulation| {
        let write = call(Call::WritePort, &[port as usize, SCRATCH, 4]);
        let script = [sleep_until(50), compute(7), write];
        simulation.set_thread(thread, Script::new(script));
        simulation.run();
        let written: Vec<Instant> = trace::ports(simulation.records())
            .iter()
            .map(|p| p.at)
            .collect();
        assert_eq!(written, [at_us(57)]);
    });
}

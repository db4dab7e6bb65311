//! What becomes of a process that faults, and what is recorded of it.

use giornata_abi::Error;
use giornata_abi::call::Call;
use giornata_abi::ring::Kind;
use giornata_abi::system::FaultPolicy;
use giornata_abi::trace::FaultCause;
use giornata_core::process::grant;
use giornata_core::sched::thread::role;
use giornata_host::{MEMORY, Rig};
use giornata_records::Description;

use crate::stage::*;

/// Two processes: threads 0 and 1 of the first are more urgent than thread 2 of the
/// other.
fn two(policy: FaultPolicy) -> Description {
    let mut description = system();
    let faulty = process(&mut description, &[9, 8]);
    on_fault(&mut description, faulty, policy);
    process(&mut description, &[5]);
    description
}

#[test]
fn a_fault_ends_every_thread_of_its_process_and_no_other() {
    let mut rig = Rig::boot(&two(FaultPolicy::Stop));
    fault(&mut rig);
    assert_eq!(rig.running(), 2, "1 never ran");
    assert!(!rig.process(0).is_alive());
    assert_eq!(fault_records(&rig), [(0, FaultCause::Store as u32)]);
    assert_eq!(process_records(&rig), [(0, 0, 0)]);
    sleep(&mut rig, 1000);
    advance(&mut rig, 999);
    assert!(rig.is_idle());
}

#[test]
fn halt_stops_the_machine_with_status_1() {
    let mut rig = Rig::boot(&two(FaultPolicy::Halt));
    rig.fault(FaultCause::Store, 0, 0);
    assert_eq!(rig.stopped(), Some(1));
    let [_, label, ..] = records(&rig, Kind::Stop)[0];
    assert_eq!(label >> 16, 1);
}

#[test]
fn the_record_of_a_fault_tells_where_and_what_for() {
    let mut rig = Rig::boot(&two(FaultPolicy::Stop));
    let (pc, address) = (usize::MAX - 2, usize::MAX - 77);
    rig.fault(FaultCause::Execute, pc, address);
    let high = |word: usize| (word as u64 >> 32) as u32;
    let [_, label, cause, low] = records(&rig, Kind::Fault)[0];
    assert_eq!((label >> 16, cause & 0xFFFF, low), (0, 0, pc as u32));
    let [first, label, second, third] = records(&rig, Kind::More)[0];
    let rest = [high(pc), label >> 16, second, third];
    assert_eq!([first, label >> 16, second, third], rest);
    assert_eq!((second, third), (address as u32, high(address)));
}

#[test]
fn a_fault_records_registers_and_what_can_be_read_of_the_stack() {
    let end = DATA + DATA_SIZE;
    for (sp, expected) in [
        (DATA + 64, 256),
        (end - 40, 40),
        (0, 0),
        (usize::MAX - 4, 0),
    ] {
        let mut rig = Rig::boot(&two(FaultPolicy::Restart));
        for offset in (0..DATA_SIZE).step_by(4) {
            rig.set_word(data(0) + offset, offset as u32);
        }
        let context = &rig.thread(0).context;
        context.sp.set(sp);
        context.ra.set(0x1234_5678);
        rig.fault(FaultCause::Store, 16, 8);
        let [_, label, first, second] = records(&rig, Kind::Registers)[0];
        assert_eq!((label >> 16, first, second), (0, sp as u32, 0x1234_5678));
        let [_, _, cause, _] = records(&rig, Kind::Fault)[0];
        assert_eq!(cause >> 16, 256, "bytes that are to come");
        let heads = records(&rig, Kind::FaultText);
        let mores = records(&rig, Kind::More);
        let mut words = Vec::new();
        for ([_, _, offset, first], more) in heads.iter().zip(&mores[1..]) {
            assert_eq!(*offset as usize, 4 * words.len());
            words.extend([*first, more[0], more[2], more[3]]);
        }
        words.truncate(expected / 4);
        assert_eq!(heads.len(), expected.div_ceil(16), "at {sp:#x}");
        let stack = (0..expected).step_by(4).map(|at| (sp - DATA + at) as u32);
        assert_eq!(words, stack.collect::<Vec<u32>>());
    }
}

#[test]
fn restart_starts_the_process_at_its_beginning_with_its_first_memory() {
    let mut rig = Rig::boot(&two(FaultPolicy::Restart));
    for offset in (0..COPIED).step_by(4) {
        rig.set_word(place(0) + offset, offset as u32 ^ 0x5555);
    }
    for offset in (0..DATA_SIZE).step_by(4) {
        rig.set_word(data(0) + offset, 0xDEAD_BEEF);
    }
    for offset in (0..STACKS_SIZE).step_by(4) {
        rig.set_word(stacks(0) + offset, 0xDEAD_BEEF);
    }
    let around = [
        data(0) - 4,
        data(0) + DATA_SIZE,
        stacks(0) - 4,
        stacks(0) + STACKS_SIZE,
        data(1),
    ];
    for offset in around {
        rig.set_word(offset, 0x600D);
    }
    rig.thread(0).context.s[3].set(1);
    fault(&mut rig);
    assert_eq!(rig.running(), 0, "the most urgent of its new life");
    assert_eq!(rig.take_results(0), Some([7, 8, 0, 0, 0, 0, 0]));
    let thread = rig.thread(0);
    assert_eq!(thread.context.pc.get(), thread.place.entry);
    assert_eq!(thread.context.sp.get(), thread.place.stack_top);
    for offset in (0..COPIED).step_by(4) {
        assert_eq!(rig.word(data(0) + offset), offset as u32 ^ 0x5555);
    }
    let ids = [0, 1].map(|thread| [control(0, thread), control(0, thread) + 4]);
    for offset in (COPIED..DATA_SIZE).step_by(4) {
        let expected = match ids.iter().position(|id| id[0] == data(0) + offset) {
            Some(thread) => thread as u32,
            None if ids.iter().any(|id| id[1] == data(0) + offset) => 2,
            None => 0,
        };
        assert_eq!(rig.word(data(0) + offset), expected, "at {offset:#x}");
    }
    for offset in (0..STACKS_SIZE).step_by(4) {
        assert_eq!(rig.word(stacks(0) + offset), 0);
    }
    for offset in around {
        assert_eq!(rig.word(offset), 0x600D, "it is not the process's");
    }
    assert_eq!(process_records(&rig), [(0, 1, 1)]);
    fault(&mut rig);
    assert_eq!(process_records(&rig)[1], (0, 1, 2));
}

#[test]
fn a_restarted_process_has_new_ids() {
    let mut rig = Rig::boot(&two(FaultPolicy::Restart));
    let id = |rig: &mut Rig| {
        let [_, slot, serial, ..] = call(rig, Call::Own, []).unwrap();
        [slot, serial]
    };
    assert_eq!(id(&mut rig), [0, 1]);
    fault(&mut rig);
    assert_eq!(id(&mut rig), [0, 2]);
}

#[test]
fn the_time_that_a_thread_has_run_begins_anew() {
    let mut rig = Rig::boot(&two(FaultPolicy::Restart));
    advance(&mut rig, 500);
    fault(&mut rig);
    advance(&mut rig, 30);
    assert_eq!(call(&mut rig, Call::CpuTime, []), values([30]));
}

#[cfg(feature = "services")]
#[test]
fn threads_that_begin_by_themselves_all_begin_again_whatever_they_were_in() {
    let mut description = system();
    let faulty = process(&mut description, &[9, 8, 7, 6, 1]);
    spares(&mut description, 2);
    line(&mut description, 5, faulty);
    on_fault(&mut description, faulty, FaultPolicy::Restart);
    let mut rig = Rig::boot(&description);
    sleep(&mut rig, 1_000_000);
    call(&mut rig, Call::AwaitInterrupt, [5]);
    let created = call(&mut rig, Call::CreateThread, [0, 0, 2]).unwrap();
    call(&mut rig, Call::JoinThread, [created[1], created[2], 100, 0]);
    call(&mut rig, Call::Exit, [0]);
    assert_eq!(rig.running(), 6, "the created one");
    fault(&mut rig);
    for thread in 0..5 {
        assert_eq!(rig.running(), thread);
        assert_eq!(rig.take_results(thread), Some([7, 8, 0, 0, 0, 0, 0]));
        sleep(&mut rig, 2_000_000);
    }
    assert!(rig.is_idle());
    rig.raise(5);
    advance(&mut rig, 1_500_000);
    assert!(rig.is_idle(), "nothing of the old life comes");
    advance(&mut rig, 500_000);
    assert_eq!(rig.running(), 0);
    let both = [0, 0].map(|word| call(&mut rig, Call::CreateThread, [word, 0, 2]));
    assert_eq!(
        both.map(|created| created.unwrap()[0]),
        [0, 0],
        "both are free"
    );
}

#[test]
fn a_panic_records_what_can_be_read_of_its_message() {
    let text = b"src/lib.rs:40: index out of bounds, and so on and so forth, far beyond what is kept of it...!!!!!";
    let end = DATA + DATA_SIZE;
    for (address, length, expected) in [
        (DATA + 4, 20, 20),
        (DATA + 5, 21, 21),
        (DATA + 7, 3, 3),
        (DATA + 6, 4000, 512),
        (end - 40, 96, 40),
        (end - 40, 40, 40),
        (end - 40, 41, 40),
        (usize::MAX - 4, 50, 0),
        (0, 0, 0),
    ] {
        let mut rig = Rig::boot(&two(FaultPolicy::Stop));
        let mut bytes = vec![0xEE; DATA_SIZE];
        if address.wrapping_sub(DATA) < DATA_SIZE {
            let first = address - DATA;
            for (place, byte) in bytes[first..].iter_mut().zip(text) {
                *place = *byte;
            }
            for (at, word) in bytes.chunks(4).enumerate() {
                let word = u32::from_le_bytes(word.try_into().unwrap());
                rig.set_word(data(0) + 4 * at, word);
            }
        }
        call(&mut rig, Call::Panic, [address, length, 40]);
        assert_eq!(fault_records(&rig), [(0, FaultCause::Panic as u32)]);
        assert_eq!(records(&rig, Kind::More)[0][2], 40, "the line");
        let heads = records(&rig, Kind::FaultText);
        let mores = records(&rig, Kind::More);
        let mut read = [0; 528];
        for ([_, label, offset, first], more) in heads.iter().zip(&mores[1..]) {
            assert_eq!(label >> 16, 0);
            let words = [*first, more[0], more[2], more[3]];
            for (word, place) in words.iter().zip(read[*offset as usize..].chunks_mut(4)) {
                place.copy_from_slice(&word.to_le_bytes());
            }
        }
        assert!(heads.len() <= expected / 16 + 2);
        let (message, rest) = read.split_at(expected);
        let first = address.wrapping_sub(DATA).min(DATA_SIZE);
        assert_eq!(
            message,
            &bytes[first..][..expected],
            "at {address:#x}, {length} bytes"
        );
        assert!(rest.iter().all(|byte| *byte == 0));
        assert_eq!(rig.running(), 2);
    }
}

#[test]
fn a_process_restarts_after_a_panic_too() {
    let mut rig = Rig::boot(&two(FaultPolicy::Restart));
    call(&mut rig, Call::Panic, [DATA, 96, 1]);
    assert_eq!(rig.running(), 0);
    assert_eq!(records(&rig, Kind::FaultText).len(), 96 / 16);
}

#[test]
fn text_of_a_process_goes_into_the_trace() {
    let mut rig = Rig::boot(&two(FaultPolicy::Stop));
    let words = [0x6463_6261, 2, 3, 4];
    for (length, follows) in [(1, false), (4, false), (5, true), (16, true), (0x110, true)] {
        let before = records(&rig, Kind::More).len();
        let [a, b, c, d] = words;
        assert_eq!(call(&mut rig, Call::Log, [length, a, b, c, d]), DONE);
        let [_, label, first, second] = *records(&rig, Kind::Log).last().unwrap();
        assert_eq!(
            (label >> 16, first, second),
            (0, length as u32, 0x6463_6261)
        );
        let mores = records(&rig, Kind::More);
        assert_eq!(mores.len() - before, usize::from(follows));
        if let (true, Some([first, _, second, third])) = (follows, mores.last()) {
            assert_eq!([*first, *second, *third], [2, 3, 4]);
        }
    }
    for length in [0, 17, 0x100, 0x111, 0x201, usize::MAX] {
        let refusal = call(&mut rig, Call::Log, [length, 0, 0, 0, 0]);
        assert_eq!(refusal, refused(Error::EINVAL), "{length}");
    }
}

#[test]
fn who_may_stops_the_machine() {
    let mut description = two(FaultPolicy::Stop);
    let mut rig = Rig::boot(&description);
    assert_eq!(call(&mut rig, Call::Shutdown, [0]), refused(Error::EPERM));
    description.processes[0].grants = grant::SHUTDOWN;
    let mut rig = Rig::boot(&description);
    assert_eq!(
        call(&mut rig, Call::Shutdown, [256]),
        refused(Error::EINVAL)
    );
    rig.call(Call::Shutdown, [255; 6]);
    assert_eq!(rig.stopped(), Some(255));
}

#[test]
fn who_programs_devices_is_told_where_its_data_lies() {
    let mut description = two(FaultPolicy::Stop);
    let mut rig = Rig::boot(&description);
    assert_eq!(
        call(&mut rig, Call::DeviceAddress, [DATA]),
        refused(Error::EPERM)
    );
    description.processes[0].grants = grant::TRUSTED_DMA;
    let mut rig = Rig::boot(&description);
    let last = DATA_SIZE - 1;
    for offset in [0, 5, last] {
        let physical = MEMORY + data(0) + offset;
        assert_eq!(
            call(&mut rig, Call::DeviceAddress, [DATA + offset]),
            values([physical])
        );
    }
    for address in [DATA - 1, DATA + last + 1, 0, usize::MAX] {
        assert_eq!(
            call(&mut rig, Call::DeviceAddress, [address]),
            refused(Error::EFAULT)
        );
    }
}

#[test]
fn a_thread_with_a_deadline_that_begins_anew_has_a_new_deadline() {
    let mut description = system();
    let faulty = process(&mut description, &[200]);
    on_fault(&mut description, faulty, FaultPolicy::Restart);
    process(&mut description, &[200, 9]);
    for (thread, deadline) in [(0, 1_000), (1, 1_200)] {
        description.threads[thread].role |= role::DEADLINE;
        description.threads[thread].deadline = deadline;
    }
    let mut rig = Rig::boot(&description);
    for (at, deadlines) in [(100, [1_100, 1_200]), (150, [1_150, 1_200])] {
        assert_eq!(rig.running(), 0);
        let ticks = at - rig.now();
        advance(&mut rig, ticks);
        fault(&mut rig);
        let deadline = |thread| rig.thread(thread).rank().deadline();
        assert_eq!([deadline(0), deadline(1)], deadlines);
    }
    advance(&mut rig, 100);
    fault(&mut rig);
    assert_eq!(
        rig.running(),
        1,
        "its deadline is 1200, that of the other 1250"
    );
}

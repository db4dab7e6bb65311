//! Threads and processes that come and go: created, joined, detached, ended,
//! supervised; and the memory that a process takes.

use crate::rig::*;
use giornata_abi::call::{Answer, Call};
use giornata_abi::system::{FaultPolicy, RIGHT_USE};
use giornata_abi::trace::FaultCause;
use giornata_abi::{Error, Id};
use giornata_sim::{Act, Ended, Moment, Scheduling, SystemBuilder};

/// A process with a thread of priority 5 and two places for others, which may
/// have priorities up to 9.
fn family() -> SystemBuilder {
    let mut b = SystemBuilder::new();
    let process = b.process();
    b.process_entry(process).max_priority = 9;
    b.thread(process, Scheduling::Fifo(5));
    b.spare_thread(process);
    b.spare_thread(process);
    b
}

fn create(priority: usize) -> Act {
    call(Call::CreateThread, &[0x4000, 7, priority])
}

fn id(thread: u16, generation: u16) -> usize {
    Id::new(thread, generation).0 as usize
}

fn join(id: usize, [low, high]: [usize; 2]) -> Act {
    call(Call::JoinThread, &[id, low, high])
}

fn detach(id: usize) -> Act {
    call(Call::DetachThread, &[id])
}

fn exit(value: usize) -> Act {
    call(Call::Exit, &[value])
}

#[test]
fn no_thread_is_created_in_the_deadline_band() {
    let mut b = family();
    b.tables.header.deadline_band = 7;
    simulate(&b.finish(), |simulation| {
        let parent = direct(simulation, 0, [6, 7, 8].map(create).to_vec());
        assert_eq!(simulation.run(), Ended::Quiet);
        let [first, second] = [2, 1].map(|thread| Answer::word(id(thread, 0)));
        assert_eq!(parent.take(), [first, refused(Error::EPERM), second]);
    });
}

#[test]
fn a_created_thread_runs_by_its_priority_and_its_value_is_joined() {
    simulate(&family().finish(), |simulation| {
        let parent = direct(
            simulation,
            0,
            vec![
                create(9),
                create(3),
                join(id(2, 0), FOR_EVER),
                compute(2),
                join(id(1, 0), FOR_EVER),
                create(1),
            ],
        );
        direct(simulation, 2, vec![compute(3), exit(42)]);
        direct(simulation, 1, vec![compute(5), exit(43)]);
        assert_eq!(simulation.run(), Ended::Quiet);
        assert_eq!(
            parent.take(),
            [
                Answer::word(id(2, 0)),
                Answer::word(id(1, 0)),
                Answer::word(42),
                Answer::word(43),
                Answer::word(id(1, 1))
            ]
        );
        assert_eq!(order(simulation.records()), [0, 2, 0, 1, 0, 1]);
    });
}

#[test]
fn the_argument_and_the_value_of_a_thread_are_whole_words() {
    simulate(&family().finish(), |simulation| {
        let word = usize::MAX - 6;
        let begin = |priority| call(Call::CreateThread, &[0x4000, word, priority]);
        // the one has ended when it is joined, the other is waited for
        let [ended, awaited] = [2, 1].map(|thread| join(id(thread, 0), FOR_EVER));
        let deeds = vec![begin(9), begin(3), ended, awaited];
        let parent = direct(simulation, 0, deeds);
        for thread in [1, 2] {
            let echo = |moment: &mut Moment<'_>| exit(moment.block - 1);
            simulation.set_thread(thread, echo);
        }
        assert_eq!(simulation.run(), Ended::Quiet);
        assert_eq!(parent.take()[2..], [Answer::word(word - 1); 2]);
    });
}

#[test]
fn places_for_threads_are_limited_and_come_back() {
    simulate(&family().finish(), |simulation| {
        let parent = direct(
            simulation,
            0,
            vec![
                create(4),
                create(4),
                create(4),
                create(10),
                detach(id(2, 0)),
                detach(id(2, 0)),
                join(id(2, 0), FOR_EVER),
                sleep_until(20),
                // one ended detached: its place is free; the other is to be joined
                create(4),
                create(4),
                detach(id(1, 0)),
                create(4),
            ],
        );
        for thread in [1, 2] {
            direct(simulation, thread, vec![compute(1)]);
        }
        assert_eq!(simulation.run(), Ended::Quiet);
        let (again, invalid) = (refused(Error::EAGAIN), refused(Error::EINVAL));
        assert_eq!(
            parent.take(),
            [
                Answer::word(id(2, 0)),
                Answer::word(id(1, 0)),
                again,
                refused(Error::EPERM),
                Answer::DONE,
                invalid,
                invalid,
                Answer::DONE,
                Answer::word(id(2, 1)),
                again,
                Answer::DONE,
                Answer::word(id(1, 1))
            ]
        );
    });
}

#[test]
fn who_joins_waits_no_longer_than_it_says_and_not_for_itself() {
    let mut b = family();
    let other = b.process();
    b.thread(other, Scheduling::Fifo(4));
    simulate(&b.finish(), |simulation| {
        let parent = direct(
            simulation,
            0,
            vec![
                create(4),
                join(id(2, 0), [0, 0]),
                join(id(2, 0), [10_000, 0]),
                join(id(2, 0), [10_000, 0]),
                join(id(0, 0), FOR_EVER),
                join(id(2, 1), FOR_EVER),
                join(id(1, 0), FOR_EVER),
                join(id(77, 0), FOR_EVER),
                join(id(2, 0), FOR_EVER),
                join(id(2, 0), FOR_EVER),
            ],
        );
        let stranger = direct(
            simulation,
            3,
            vec![sleep_until(1), join(id(2, 0), FOR_EVER), detach(id(2, 0))],
        );
        direct(
            simulation,
            2,
            vec![join(id(2, 0), FOR_EVER), compute(30), exit(5)],
        );
        assert_eq!(simulation.run(), Ended::Quiet);
        let none = refused(Error::ESRCH);
        let late = refused(Error::ETIMEDOUT);
        assert_eq!(
            parent.take(),
            [
                Answer::word(id(2, 0)),
                refused(Error::EBUSY),
                late,
                late,
                refused(Error::EINVAL),
                none,
                none,
                none,
                Answer::word(5),
                none
            ]
        );
        assert_eq!(stranger.take(), [Answer::DONE, none, none]);
    });
}

#[test]
fn a_thread_that_ends_with_a_mutex_hands_it_on() {
    let mut b = family();
    let mutex = b.mutex();
    b.grant_object(0, mutex, RIGHT_USE);
    simulate(&b.finish(), |simulation| {
        let lock = call(Call::Lock, &[mutex as usize, FOR_EVER[0], FOR_EVER[1]]);
        let unlock = call(Call::Unlock, &[mutex as usize]);
        let parent = direct(
            simulation,
            0,
            vec![create(9), lock, unlock, lock, join(id(2, 0), FOR_EVER)],
        );
        direct(simulation, 2, vec![lock, sleep_until(10), exit(1)]);
        assert_eq!(simulation.run(), Ended::Quiet);
        assert_eq!(
            parent.take(),
            [
                Answer::word(id(2, 0)),
                refused(Error::EOWNERDEAD),
                Answer::DONE,
                Answer::DONE,
                Answer::word(1)
            ]
        );
    });
}

/// Process 0 supervises process 1, which starts by call if so; its threads have
/// priorities 5 and 8.
fn supervised(by_call: bool, policy: FaultPolicy) -> SystemBuilder {
    let mut b = SystemBuilder::new();
    let supervisor = b.process();
    b.thread(supervisor, Scheduling::Fifo(5));
    b.thread(supervisor, Scheduling::Fifo(4));
    let child = b.process();
    b.thread(child, Scheduling::Fifo(8));
    let entry = b.process_entry(child);
    entry.supervisor = supervisor;
    entry.by_call = by_call as u16;
    entry.on_fault = policy as u8;
    b
}

const CHILD: usize = 1;

fn start() -> Act {
    call(Call::CreateProcess, &[CHILD])
}

fn kill() -> Act {
    call(Call::KillProcess, &[CHILD])
}

fn watch([low, high]: [usize; 2]) -> Act {
    call(Call::AwaitProcess, &[low, high])
}

/// The end of the child in this generation.
fn ended(generation: usize, cause: FaultCause) -> Answer {
    Answer::words([CHILD, generation, cause as usize])
}

#[test]
fn a_supervisor_starts_a_process_and_is_told_of_its_end() {
    let b = supervised(true, FaultPolicy::Stop);
    simulate(&b.finish(), |simulation| {
        let supervisor = direct(
            simulation,
            0,
            vec![
                kill(),
                watch([0, 0]),
                watch([1, 0]),
                start(),
                start(),
                watch(FOR_EVER),
                start(),
                sleep_until(100),
                watch([0, 0]),
                watch([0, 0]),
                start(),
                sleep_until(200),
                kill(),
                watch(FOR_EVER),
                call(Call::KillProcess, &[0]),
                call(Call::CreateProcess, &[9]),
            ],
        );
        let fault = Act::Fault(FaultCause::Illegal);
        direct(simulation, 2, vec![sleep_until(20), compute(3), fault]);
        assert_eq!(simulation.run(), Ended::Quiet);
        assert_eq!(
            supervisor.take(),
            [
                refused(Error::ESRCH),
                refused(Error::EAGAIN),
                refused(Error::ETIMEDOUT),
                Answer::DONE,
                refused(Error::EEXIST),
                ended(1, FaultCause::Illegal),
                Answer::DONE,
                Answer::DONE,
                ended(2, FaultCause::Illegal),
                refused(Error::EAGAIN),
                Answer::DONE,
                Answer::DONE,
                refused(Error::ESRCH),
                ended(3, FaultCause::Illegal),
                refused(Error::EPERM),
                refused(Error::ESRCH)
            ]
        );
    });
}

#[test]
fn a_supervisor_ends_a_process_that_runs_for_ever() {
    let mut b = supervised(false, FaultPolicy::Restart);
    b.tables.threads[2].priority = 3;
    simulate(&b.finish(), |simulation| {
        let supervisor = direct(
            simulation,
            0,
            vec![
                sleep_until(30),
                kill(),
                // the other has been told
                watch([0, 0]),
                kill(),
                sleep_until(60),
                watch([0, 0]),
            ],
        );
        let second = direct(simulation, 1, vec![watch([40_000, 0]), sleep_until(70)]);
        direct(simulation, 2, vec![Act::Spin]);
        simulation.run_until(at_us(100));
        let restarted = |generation| {
            let cause = FaultCause::Killed as usize | 1 << 16;
            Answer::words([CHILD, generation, cause])
        };
        assert_eq!(second.take(), [restarted(1), Answer::DONE]);
        let answers = supervisor.take();
        assert_eq!(answers[..2], [Answer::DONE; 2]);
        assert_eq!(
            answers[2..],
            [
                refused(Error::EAGAIN),
                Answer::DONE,
                Answer::DONE,
                restarted(2)
            ]
        );
    });
}

#[test]
fn only_the_supervisor_decides_over_a_process() {
    let b = supervised(false, FaultPolicy::Stop);
    simulate(&b.finish(), |simulation| {
        let child = direct(simulation, 2, vec![start(), kill(), watch(FOR_EVER)]);
        simulation.run();
        assert_eq!(child.take(), [refused(Error::EPERM); 3]);
    });
}

#[test]
fn memory_is_taken_up_to_the_quota_and_is_whole_again_after_a_restart() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    b.thread(process, Scheduling::Fifo(5));
    let entry = b.process_entry(process);
    (entry.heap, entry.heap_size) = (0x5000, 64);
    entry.on_fault = FaultPolicy::Restart as u8;
    simulate(&b.finish(), |simulation| {
        let take = |bytes| call(Call::Allocate, &[bytes]);
        let fault = Act::Fault(FaultCause::Illegal);
        let acts = vec![
            compute(10),
            take(1),
            take(49),
            take(usize::MAX),
            take(33),
            take(32),
            take(1),
            take(0),
            fault,
        ];
        let answers = direct(simulation, 0, acts);
        simulation.run_until(at_us(25));
        let full = refused(Error::ENOMEM);
        let once = [
            Answer::word(0x5000),
            full,
            full,
            Answer::word(0x5010),
            full,
            full,
            Answer::word(0x5040),
        ];
        let answers = answers.take();
        let taken = |answers: &[Answer]| answers.to_vec();
        assert_eq!(taken(&answers[..7]), once);
        assert_eq!(taken(&answers[7..14]), once);
    });
}

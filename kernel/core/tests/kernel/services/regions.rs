//! Regions of memory that processes share: who may touch them, until when, and
//! what the next finds in them.

use super::stage::*;
use crate::rig::*;
use giornata_abi::Error;
use giornata_abi::call::{Answer, Call};
use giornata_abi::region::{READ_ONLY, READ_WRITE};
use giornata_abi::system::{
    FaultPolicy, REGION_READ, REGION_WRITE, RIGHT_RECEIVE, RIGHT_USE, RegionEntry,
};
use giornata_core::Access;
use giornata_sim::{Act, SCRATCH, SHARED, SHARED_SPAN, Simulation, SystemBuilder, Tables};

const PAGE: u32 = 4096;
/// What a process is granted that may write.
const WRITES: u16 = REGION_READ | REGION_WRITE;
const FIRST: usize = SHARED as usize;

fn attach(region: usize) -> Act {
    call(Call::AttachRegion, &[region, READ_WRITE])
}

fn attach_to_read(region: usize) -> Act {
    call(Call::AttachRegion, &[region, READ_ONLY])
}

fn detach(region: usize) -> Act {
    call(Call::DetachRegion, &[region])
}

/// What is answered to who attaches a region of a page.
fn attached(region: usize) -> Answer {
    let address = FIRST + region * SHARED_SPAN as usize;
    Answer::words([address, PAGE as usize, 0])
}

/// Lets each process do with each region what is said of them both.
fn granted<const N: usize>(mut b: SystemBuilder, grants: [&[u16]; N]) -> Tables {
    for (region, grants) in grants.into_iter().enumerate() {
        b.region(PAGE);
        for (process, rights) in grants.iter().enumerate() {
            b.grant_region(process as u16, region as u16, *rights);
        }
    }
    b.finish()
}

/// Writes to a region as a process would: nothing if it may not.
fn scribble(simulation: &mut Simulation<'_>, process: u16, bytes: &[u8]) -> bool {
    let shared = &mut simulation.board().shared;
    shared.write(process, FIRST, bytes).is_ok()
}

/// The first bytes of the first region as a process sees them.
fn first_bytes<const N: usize>(simulation: &mut Simulation<'_>, process: u16) -> Option<[u8; N]> {
    let shared = &mut simulation.board().shared;
    let bytes = shared.read(process, FIRST, N).ok()?;
    bytes.try_into().ok()
}

#[test]
fn what_one_process_writes_another_reads_and_nobody_else() {
    let b = threads([&[7], &[5], &[3]]);
    let tables = granted(b, [&[WRITES, REGION_READ, 0]]);
    simulate(&tables, |simulation| {
        let writer = direct(simulation, 0, vec![attach(0), sleep_until(10)]);
        let reader = direct(simulation, 1, vec![attach_to_read(0), sleep_until(10)]);
        let other = direct(simulation, 2, vec![attach_to_read(0), sleep_until(10)]);
        simulation.run_until(at_us(5));
        assert_eq!(writer.take(), [attached(0)]);
        assert_eq!(reader.take(), [attached(0)], "at the same address");
        assert_eq!(other.take(), [refused(Error::EPERM)]);
        assert!(scribble(simulation, 0, b"here"));
        assert!(!scribble(simulation, 1, b"away"), "it only reads");
        assert_eq!(first_bytes(simulation, 1), Some(*b"here"));
        assert_eq!(first_bytes::<4>(simulation, 2), None);
    });
}

#[test]
fn what_is_wrong_with_a_call_is_told() {
    let b = threads([&[7], &[5]]);
    let tables = granted(b, [&[WRITES, REGION_READ], &[WRITES, 0]]);
    let acts = [
        vec![
            attach(2),
            call(Call::AttachRegion, &[0, 2]),
            detach(0),
            attach(0),
            attach(0),
            attach_to_read(0),
            detach(0),
            detach(0),
            attach_to_read(0),
            call(Call::AttachRegion, &[usize::MAX, 0]),
            detach(usize::MAX),
        ],
        vec![
            attach(0),
            attach_to_read(0),
            attach_to_read(1),
            detach(1),
            detach(2),
        ],
    ];
    let played = play(&tables, acts);
    let expected = [
        refused(Error::ESRCH),
        refused(Error::EINVAL),
        refused(Error::EINVAL),
        attached(0),
        refused(Error::EEXIST),
        refused(Error::EEXIST),
        DONE,
        refused(Error::EINVAL),
        attached(0),
        refused(Error::ESRCH),
        refused(Error::ESRCH),
    ];
    assert_eq!(played.answers[0], expected);
    let expected = [
        refused(Error::EPERM),
        attached(0),
        refused(Error::EPERM),
        refused(Error::EPERM),
        refused(Error::ESRCH),
    ];
    assert_eq!(played.answers[1], expected);
}

#[test]
fn who_may_write_can_ask_to_read_only() {
    let tables = granted(threads([&[7]]), [&[WRITES]]);
    simulate(&tables, |simulation| {
        let acts = vec![attach_to_read(0), sleep_until(2), detach(0), attach(0)];
        let answers = direct(simulation, 0, acts);
        simulation.run_until(at_us(1));
        let shared = &simulation.board().shared;
        assert_eq!(shared.access(0, SHARED), Some(Access::Read));
        simulation.run();
        assert_eq!(answers.take(), [attached(0), DONE, DONE, attached(0)]);
        let shared = &simulation.board().shared;
        assert_eq!(shared.access(0, SHARED), Some(Access::Write));
    });
}

#[test]
fn a_region_keeps_what_is_in_it_until_the_last_detaches() {
    let tables = granted(threads([&[7], &[5]]), [&[WRITES, WRITES]]);
    simulate(&tables, |simulation| {
        let first = vec![
            attach(0),
            sleep_until(2),
            detach(0),
            sleep_until(4),
            attach(0),
            sleep_until(6),
            detach(0),
            sleep_until(10),
            attach(0),
            sleep_until(20),
        ];
        direct(simulation, 0, first);
        direct(simulation, 1, vec![attach(0), sleep_until(8), detach(0)]);
        simulation.run_until(at_us(1));
        assert_eq!(first_bytes(simulation, 0), Some([0; 8]), "zeroed");
        assert!(scribble(simulation, 0, b"kept"));
        simulation.run_until(at_us(3));
        assert_eq!(first_bytes::<4>(simulation, 0), None, "detached");
        simulation.run_until(at_us(5));
        assert_eq!(first_bytes(simulation, 0), Some(*b"kept"));
        simulation.run_until(at_us(11));
        assert_eq!(first_bytes(simulation, 0), Some([0; 4]), "both were gone");
    });
}

#[test]
fn a_region_is_zeroed_a_few_pieces_a_call_and_others_run_in_between() {
    let mut b = threads([&[5], &[7]]);
    b.region(8 * PAGE);
    b.grant_region(0, 0, WRITES);
    simulate(&b.finish(), |simulation| {
        // each call zeroes a page, and then a microsecond passes
        let piece = [attach(0), compute(1)];
        let answers = direct(simulation, 0, piece.repeat(9));
        direct(simulation, 1, vec![sleep_until(3), compute(2)]);
        simulation.run();
        let mut expected = vec![refused(Error::EAGAIN); 7];
        expected.push(Answer::words([FIRST, 8 * PAGE as usize, 0]));
        expected.push(refused(Error::EEXIST));
        assert_eq!(answers.take(), expected);
        let switches = [(0, Some(1)), (0, Some(0)), (3, Some(1)), (5, Some(0))];
        assert_eq!(timeline(simulation.records())[..4], switches);
        let shared = &mut simulation.board().shared;
        let bytes = shared.read(0, FIRST, 8 * PAGE as usize).unwrap();
        assert!(bytes.iter().all(|byte| *byte == 0));
    });
}

#[test]
fn two_that_want_a_region_first_zero_it_together() {
    let mut b = threads([&[5], &[7]]);
    b.region(3 * PAGE);
    b.grant_region(0, 0, WRITES);
    b.grant_region(1, 0, WRITES);
    let again = refused(Error::EAGAIN);
    let done = Answer::words([FIRST, 3 * PAGE as usize, 0]);
    let acts = [
        vec![attach(0), compute(2), attach(0)],
        vec![sleep_until(1), attach(0), attach(0)],
    ];
    let played = play(&b.finish(), acts);
    assert_eq!(played.answers[0], [again, done], "it only has to open it");
    assert_eq!(played.answers[1], [DONE, again, done]);
}

/// A mailbox of both processes, each of which has messages of 16 bytes and more.
fn with_mailbox() -> SystemBuilder {
    let mut b = threads([&[7], &[5]]);
    let mailbox = b.mailbox();
    for process in 0..2 {
        b.messages(process, 4, 40);
        b.grant_object(process, mailbox, RIGHT_USE | RIGHT_RECEIVE);
    }
    b
}

fn send_from(address: usize) -> Act {
    call(Call::SendBytes, &[0, 0, address, 24])
}

fn receive_to(address: usize) -> Act {
    let [low, high] = until(Some(100));
    call(Call::ReceiveBytes, &[0, low, high, address, 40])
}

#[test]
fn the_kernel_copies_what_is_attached_and_as_it_is_attached() {
    let tables = granted(with_mailbox(), [&[WRITES, REGION_READ]]);
    let fault = refused(Error::EFAULT);
    let acts = [
        vec![
            send_from(FIRST),
            attach(0),
            send_from(FIRST),
            receive_to(FIRST + 64),
            send_from(FIRST + PAGE as usize - 23),
            detach(0),
            send_from(FIRST),
        ],
        vec![
            attach_to_read(0),
            send_from(FIRST),
            receive_to(FIRST),
            detach(0),
            send_from(FIRST),
        ],
    ];
    let played = play(&tables, acts);
    let [first, second] = &played.answers[..] else {
        panic!("two threads");
    };
    assert_eq!(first[0], fault, "not yet attached");
    assert_eq!(first[2], DONE);
    assert_eq!(first[3].0[..2], [0, 24]);
    assert_eq!(first[4], fault, "past its end");
    assert_eq!(first[6], fault, "not any more");
    assert_eq!(second[1], DONE);
    assert_eq!(second[2], fault, "it only reads");
    assert_eq!(second[4], fault);
}

#[test]
fn a_message_that_comes_after_the_detach_finds_no_room() {
    let mut b = threads([&[7, 6], &[5]]);
    let mailbox = b.mailbox();
    b.messages(1, 4, 40);
    b.grant_object(0, mailbox, RIGHT_RECEIVE);
    b.grant_object(1, mailbox, RIGHT_USE);
    let tables = granted(b, [&[WRITES, 0]]);
    let acts = [
        vec![attach(0), receive_to(FIRST)],
        vec![detach(0)],
        vec![sleep_until(1), send_from(SCRATCH)],
    ];
    let played = play(&tables, acts);
    assert_eq!(played.answers[0], [attached(0), refused(Error::EFAULT)]);
    assert_eq!(played.answers[2], [DONE, DONE]);
}

#[test]
fn the_threads_of_a_process_share_what_it_has_attached() {
    let tables = granted(threads([&[7, 5]]), [&[WRITES]]);
    let acts = [vec![attach(0)], vec![attach(0), detach(0), detach(0)]];
    let played = play(&tables, acts);
    assert_eq!(played.answers[0], [attached(0)], "and ends");
    let expected = [refused(Error::EEXIST), DONE, refused(Error::EINVAL)];
    assert_eq!(played.answers[1], expected);
}

/// A process of three regions faults; another has one of them.
fn death(policy: FaultPolicy) {
    let mut b = threads([&[7], &[9]]);
    b.process_entry(0).on_fault = policy as u8;
    let tables = granted(b, [&[WRITES, WRITES], &[WRITES, 0], &[WRITES, WRITES]]);
    simulate(&tables, |simulation| {
        let all = vec![attach(0), attach(1), attach_to_read(2), compute(5), FAULT];
        direct(simulation, 0, all);
        let other = direct(simulation, 1, vec![attach(0), sleep_until(9), attach(2)]);
        simulation.run_until(at_us(1));
        assert!(scribble(simulation, 0, b"left"));
        simulation.run_until(at_us(6));
        let open = |simulation: &mut Simulation<'_>| {
            let at = |entry: &RegionEntry| entry.address;
            let shared = &simulation.board().shared;
            let regions = tables.regions.iter();
            let open = regions.filter(|region| shared.access(0, at(region)).is_some());
            open.count()
        };
        let lives_again = policy == FaultPolicy::Restart;
        assert_eq!(open(simulation), if lives_again { 3 } else { 0 });
        assert_eq!(first_bytes(simulation, 1), Some(*b"left"));
        simulation.run_until(at_us(20));
        assert_eq!(other.take(), [attached(0), DONE, attached(2)]);
    });
}

#[test]
fn a_process_that_dies_has_no_region_any_more() {
    death(FaultPolicy::Stop);
}

#[test]
fn a_process_that_begins_anew_attaches_anew() {
    death(FaultPolicy::Restart);
}

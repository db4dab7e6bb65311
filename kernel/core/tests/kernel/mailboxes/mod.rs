//! Mailboxes: order, waiting, pools, rights.

mod servers;

use crate::rig::*;
use giornata_abi::call::{Answer, Call};
use giornata_abi::message::{receive, send};
use giornata_abi::system::{RIGHT_DIRECT, RIGHT_FULL, RIGHT_MANAGE, RIGHT_RECEIVE, RIGHT_USE};
use giornata_abi::{Error, Id};
use giornata_sim::{Act, Ended, SCRATCH, Scheduling, SystemBuilder};

const EVERY_RIGHT: u16 = RIGHT_USE | RIGHT_MANAGE | RIGHT_RECEIVE | RIGHT_DIRECT | RIGHT_FULL;

fn send_word(mailbox: u16, priority: usize, word: usize) -> Act {
    call(Call::Send, &[mailbox as usize, priority, word, 0, 0, 0])
}

fn receive_words(mailbox: u16, until: [usize; 2]) -> Act {
    call(Call::Receive, &[mailbox as usize, until[0], until[1]])
}

fn send_bytes(mailbox: u16, length: usize, how: usize, via: usize) -> Act {
    call(
        Call::SendBytes,
        &[mailbox as usize, 0, SCRATCH, length, how, via],
    )
}

fn receive_bytes(mailbox: u16, capacity: usize, how: usize) -> Act {
    let [low, high] = FOR_EVER;
    call(
        Call::ReceiveBytes,
        &[mailbox as usize, low, high, SCRATCH, capacity, how],
    )
}

/// What a receiver of words is answered.
fn word(word: usize, priority: usize) -> Answer {
    Answer::five([word, 0, 0, 0, priority])
}

/// A system of one process with a thread at each of these priorities.
fn threads<const N: usize>(priorities: [u8; N]) -> SystemBuilder {
    let mut b = SystemBuilder::new();
    let process = b.process();
    for priority in priorities {
        b.thread(process, Scheduling::Fifo(priority));
    }
    b.messages(process, 4, 200);
    b
}

#[test]
fn a_higher_priority_comes_first_and_equal_ones_in_their_order() {
    let mut b = threads([5]);
    let mailbox = b.mailbox();
    b.grant_object(0, mailbox, EVERY_RIGHT);
    simulate(&b.finish(), |simulation| {
        let mut acts: Vec<Act> = [(2, 10), (7, 11), (2, 12), (u32::MAX as usize, 13)]
            .map(|(priority, word)| send_word(mailbox, priority, word))
            .into();
        acts.extend([receive_words(mailbox, FOR_EVER); 4]);
        acts.push(receive_words(mailbox, [0, 0]));
        let answers = direct(simulation, 0, acts);
        assert_eq!(simulation.run(), Ended::Quiet);
        let highest = u32::MAX as usize;
        assert_eq!(
            answers.take()[4..],
            [
                word(13, highest),
                word(11, 7),
                word(10, 2),
                word(12, 2),
                refused(Error::EAGAIN)
            ]
        );
    });
}

#[test]
fn the_most_urgent_that_waits_gets_the_message_and_runs_if_it_is_more_urgent() {
    let mut b = threads([5, 7, 9]);
    let mailbox = b.mailbox();
    b.grant_object(0, mailbox, EVERY_RIGHT);
    simulate(&b.finish(), |simulation| {
        let low = direct(
            simulation,
            0,
            vec![
                send_word(mailbox, 0, 1),
                compute(3),
                send_word(mailbox, 0, 2),
            ],
        );
        let middle = direct(simulation, 1, vec![receive_words(mailbox, FOR_EVER)]);
        let high = direct(
            simulation,
            2,
            vec![receive_words(mailbox, FOR_EVER), compute(2)],
        );
        assert_eq!(simulation.run(), Ended::Quiet);
        assert_eq!(high.take(), [word(1, 0)]);
        assert_eq!(middle.take(), [word(2, 0)]);
        assert_eq!(low.take(), [Answer::DONE; 2]);
        assert_eq!(order(simulation.records()), [2, 1, 0, 2, 0, 1, 0]);
    });
}

#[test]
fn a_receiver_waits_up_to_an_instant() {
    let mut b = threads([5, 6]);
    let mailbox = b.mailbox();
    b.grant_object(0, mailbox, EVERY_RIGHT);
    simulate(&b.finish(), |simulation| {
        let waits = direct(
            simulation,
            1,
            vec![
                receive_words(mailbox, [20_000, 0]),
                receive_words(mailbox, [1, 0]),
                receive_words(mailbox, [50_000, 0]),
                compute(1),
            ],
        );
        direct(
            simulation,
            0,
            vec![sleep_until(40), send_word(mailbox, 3, 4)],
        );
        assert_eq!(simulation.run(), Ended::Quiet);
        let timed_out = refused(Error::ETIMEDOUT);
        assert_eq!(waits.take(), [timed_out, timed_out, word(4, 3)]);
    });
}

#[test]
fn who_floods_a_mailbox_uses_up_its_own_pool_only() {
    let mut b = threads([5]);
    let other = b.process();
    b.thread(other, Scheduling::Fifo(4));
    b.messages(other, 1, 0);
    let mailbox = b.mailbox();
    b.grant_object(0, mailbox, EVERY_RIGHT);
    b.grant_object(other, mailbox, RIGHT_USE);
    simulate(&b.finish(), |simulation| {
        let flood = direct(simulation, 0, vec![send_word(mailbox, 0, 1); 6]);
        let polite = direct(simulation, 1, vec![send_word(mailbox, 0, 2); 2]);
        assert_eq!(simulation.run(), Ended::Quiet);
        let (done, again) = (Answer::DONE, refused(Error::EAGAIN));
        assert_eq!(flood.take(), [done, done, done, done, again, again]);
        assert_eq!(polite.take(), [done, again]);
    });
}

#[test]
fn bytes_cross_between_processes_in_pieces_and_what_does_not_fit_stays() {
    let mut b = threads([5]);
    let other = b.process();
    b.thread(other, Scheduling::Fifo(4));
    let mailbox = b.mailbox();
    b.grant_object(0, mailbox, RIGHT_USE);
    b.grant_object(other, mailbox, RIGHT_RECEIVE);
    simulate(&b.finish(), |simulation| {
        let bytes: Vec<u8> = (0..200).collect();
        let memory = simulation.board().memory(0);
        memory.write(SCRATCH, &bytes).unwrap();
        let sends = direct(
            simulation,
            0,
            vec![
                send_bytes(mailbox, 200, 0, 0),
                send_bytes(mailbox, 201, 0, 0),
                call(
                    Call::SendBytes,
                    &[mailbox as usize, 0, 0x8000_0000, 100, 0, 0],
                ),
                call(
                    Call::SendBytes,
                    &[mailbox as usize, 0, 0x8000_0000, 10, 0, 0],
                ),
                send_bytes(mailbox, 7, 0, 0),
            ],
        );
        let received = direct(
            simulation,
            1,
            vec![
                receive_words(mailbox, FOR_EVER),
                receive_bytes(mailbox, 199, 0),
                call(
                    Call::ReceiveBytes,
                    &[mailbox as usize, 0, 0, 0x8000_0000, 300, 0],
                ),
                receive_bytes(mailbox, 300, 0),
                receive_bytes(mailbox, 300, 0),
            ],
        );
        assert_eq!(simulation.run(), Ended::Quiet);
        let (size, fault) = (refused(Error::EMSGSIZE), refused(Error::EFAULT));
        assert_eq!(
            sends.take(),
            [Answer::DONE, size, fault, fault, Answer::DONE]
        );
        let whole = |length| Answer::five([length, 0, 0, 0, 0]);
        assert_eq!(received.take(), [size, size, fault, whole(200), whole(7)]);
        let memory = simulation.board().memory(1);
        assert_eq!(memory.range(SCRATCH + 7, 193).unwrap(), &bytes[7..]);
        assert_eq!(memory.range(SCRATCH, 7).unwrap(), &bytes[..7]);
    });
}

#[test]
fn a_receiver_that_waits_for_bytes_gets_them_when_they_come() {
    let mut b = threads([5]);
    let other = b.process();
    b.thread(other, Scheduling::Fifo(9));
    let mailbox = b.mailbox();
    b.grant_object(0, mailbox, RIGHT_USE);
    b.grant_object(other, mailbox, RIGHT_RECEIVE);
    simulate(&b.finish(), |simulation| {
        let memory = simulation.board().memory(0);
        memory.write(SCRATCH, &[7; 150]).unwrap();
        direct(
            simulation,
            0,
            vec![
                send_bytes(mailbox, 150, 0, 0),
                send_bytes(mailbox, 3, 0, 0),
                send_bytes(mailbox, 180, 0, 0),
            ],
        );
        let received = direct(
            simulation,
            1,
            vec![
                receive_bytes(mailbox, 150, 0),
                receive_bytes(mailbox, 150, 0),
                receive_bytes(mailbox, 150, 0),
                receive_bytes(mailbox, 180, 0),
            ],
        );
        assert_eq!(simulation.run(), Ended::Quiet);
        let whole = |length| Answer::five([length, 0, 0, 0, 0]);
        assert_eq!(
            received.take(),
            [whole(150), whole(3), refused(Error::EMSGSIZE), whole(180)]
        );
        let memory = simulation.board().memory(1);
        assert_eq!(memory.range(SCRATCH, 150).unwrap(), [7; 150]);
    });
}

#[test]
fn a_message_that_a_waiter_cannot_take_goes_to_the_next() {
    let mut b = threads([5, 9, 8]);
    let mailbox = b.mailbox();
    b.grant_object(0, mailbox, RIGHT_USE | RIGHT_RECEIVE);
    simulate(&b.finish(), |simulation| {
        direct(simulation, 0, vec![send_bytes(mailbox, 150, 0, 0)]);
        let [low, high] = FOR_EVER;
        let arguments = [mailbox as usize, low, high, 0x8000_0000, 300, 0];
        let first = direct(simulation, 1, vec![call(Call::ReceiveBytes, &arguments)]);
        let second = direct(simulation, 2, vec![receive_bytes(mailbox, 150, 0)]);
        assert_eq!(simulation.run(), Ended::Quiet);
        assert_eq!(first.take(), [refused(Error::EFAULT)]);
        assert_eq!(second.take(), [Answer::five([150, 0, 0, 0, 0])]);
    });
}

#[test]
fn who_waits_for_a_mailbox_that_is_deleted_is_told_and_its_messages_go_back() {
    let mut b = threads([5, 6]);
    let mailbox = b.mailbox();
    b.grant_object(0, mailbox, EVERY_RIGHT);
    simulate(&b.finish(), |simulation| {
        let delete = call(Call::DeleteObject, &[mailbox as usize]);
        let create = call(Call::CreateObject, &[mailbox as usize]);
        let waits = direct(simulation, 1, vec![receive_words(mailbox, FOR_EVER)]);
        let again = Id::new(mailbox, 1).0 as usize;
        let new = |call_: Call, a: usize| call(call_, &[again, a, 0, 0, 0, 0]);
        let mut acts = vec![delete, send_word(mailbox, 0, 1), create, create];
        acts.extend([new(Call::Send, 0); 5]);
        acts.extend([new(Call::DeleteObject, 0), create]);
        let third = Id::new(mailbox, 2).0 as usize;
        acts.extend([call(Call::Send, &[third, 0, 0, 0, 0, 0]); 4]);
        let answers = direct(simulation, 0, acts);
        assert_eq!(simulation.run(), Ended::Quiet);
        assert_eq!(waits.take(), [refused(Error::EIDRM)]);
        let (done, again_) = (Answer::DONE, refused(Error::EAGAIN));
        assert_eq!(
            answers.take(),
            [
                done,
                refused(Error::ESRCH),
                Answer::word(again),
                refused(Error::EEXIST),
                done,
                done,
                done,
                done,
                again_,
                done,
                Answer::word(third),
                done,
                done,
                done,
                done
            ]
        );
    });
}

#[test]
fn rights_to_a_mailbox_are_told_apart() {
    let mut b = threads([5]);
    let mailbox = b.mailbox();
    let mutex = b.mutex();
    b.grant_object(0, mutex, EVERY_RIGHT);
    let sends = send_bytes(mailbox, 4, 0, 0);
    let past = send_bytes(mailbox, 4, send::DIRECT, 0);
    let takes = receive_bytes(mailbox, 4, 0);
    let serves = receive_bytes(mailbox, 4, receive::FULL);
    let all = [sends, past, takes, serves];
    for (right, mine) in [
        (RIGHT_USE, 0),
        (RIGHT_DIRECT, 1),
        (RIGHT_RECEIVE, 2),
        (RIGHT_FULL, 3),
    ] {
        let mut b = b.clone();
        b.grant_object(0, mailbox, right);
        simulate(&b.finish(), |simulation| {
            let others = all.iter().enumerate().filter(|(at, _)| *at != mine);
            let acts = others.map(|(_, act)| *act).collect();
            let answers = direct(simulation, 0, acts);
            simulation.run();
            assert_eq!(answers.take(), [refused(Error::EPERM); 3]);
        });
    }
    simulate(&b.finish(), |simulation| {
        let not_one = direct(
            simulation,
            0,
            vec![
                send_word(mutex, 0, 0),
                receive_words(mutex, FOR_EVER),
                send_bytes(mutex, 4, 0, 0),
                receive_bytes(mutex, 4, 7),
                send_bytes(mutex, 4, 4, 0),
                send_bytes(mutex, 4, send::VIA, 9),
            ],
        );
        simulation.run();
        let invalid = refused(Error::EINVAL);
        let expected = [
            invalid,
            invalid,
            invalid,
            invalid,
            invalid,
            refused(Error::ESRCH),
        ];
        assert_eq!(not_one.take(), expected);
    });
}

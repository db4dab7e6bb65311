//! Messages in memory: lengths, pieces, and what begins again.

use giornata_abi::Error::{EAGAIN, EFAULT, EINVAL, EMSGSIZE, EPERM, ESRCH, ETIMEDOUT};
use giornata_abi::call::{Call, ENVELOPE_CALL};
use giornata_abi::message::{receive, send};
use giornata_records::{ObjectKind, Rights};

use crate::stage::*;

/// Not through a server that is named.
const USUAL: (usize, usize) = (0, 0);
/// An address that no process reaches.
const NOWHERE: usize = 0x8000_0000;

/// Two processes: 0 sends, with priority `sender`, and 1 receives.
fn pair(sender: u8, receiver: u8) -> (Stage, usize) {
    let mut system = processes(&[sender, receiver]);
    let mailbox = mailbox(&mut system, PLAIN);
    (Stage::new(&system), mailbox)
}

fn bytes(length: usize) -> Vec<u8> {
    (0..length).map(|byte| byte as u8 + 1).collect()
}

#[test]
fn bytes_cross_between_processes_whole_and_what_does_not_fit_stays() {
    let (mut stage, mailbox) = pair(5, 4);
    stage.set_data(0, &bytes(200));
    stage.send_bytes(0, mailbox, 200, USUAL).returned(0, &[]);
    stage
        .send_bytes(0, mailbox, 201, USUAL)
        .refused(0, EMSGSIZE);
    stage
        .send_bytes(0, mailbox, 1 << 20, USUAL)
        .refused(0, EMSGSIZE);
    for length in [100, 10] {
        let arguments = [mailbox, 1, NOWHERE, length, 0, 0];
        stage.call(0, Call::SendBytes, arguments).refused(0, EFAULT);
    }
    stage.send_bytes(0, mailbox, 7, USUAL).returned(0, &[]);
    assert_eq!(stage.free(0), 2);
    stage.sleep(0, 9);
    stage.receive(1, mailbox).refused(1, EMSGSIZE);
    stage.receive_bytes(1, mailbox, 199).refused(1, EMSGSIZE);
    stage
        .receive_at(1, mailbox, NOWHERE, 300)
        .refused(1, EFAULT);
    stage
        .receive_bytes(1, mailbox, 300)
        .returned(1, &[200, 0, 0, 0, 0, 1]);
    assert_eq!(stage.data(1, 200), bytes(200));
    stage
        .receive_bytes(1, mailbox, 7)
        .returned(1, &[7, 0, 0, 0, 0, 1]);
    assert_eq!(stage.data(1, 8)[..7], bytes(7));
    assert_eq!(stage.data(1, 8)[7], 8, "what lies behind it is as it was");
    assert_eq!(stage.free(0), 4);
}

#[test]
fn short_bytes_are_words_and_words_are_bytes() {
    let (mut stage, mailbox) = pair(5, 4);
    stage.set_data(0, &bytes(16));
    let words = [0x0403_0201, 0x0807_0605, 0x0C0B_0A09, 0x100F_0E0D];
    for length in 0..=16 {
        stage.send_bytes(0, mailbox, length, USUAL).returned(0, &[]);
        stage.receive(0, mailbox);
        let mut expected = [0; 4];
        for (index, word) in expected.iter_mut().enumerate() {
            let bytes = length.saturating_sub(4 * index).min(4);
            *word = words[index] & ((1u64 << (8 * bytes)) - 1) as usize;
        }
        let [a, b, c, d] = expected;
        stage.returned(0, &[a, b, c, d, 0xFFFF << 16]);
    }
    stage.call(
        0,
        Call::Send,
        [mailbox | 3 << 16, 1, words[0], words[1], words[2], words[3]],
    );
    stage.sleep(0, 9);
    stage
        .receive_bytes(1, mailbox, 16)
        .returned(1, &[16 | 3 << 16, 0, 0, 0, 0, 1]);
    assert_eq!(stage.data(1, 16), bytes(16));
}

#[test]
fn a_receiver_that_waits_for_bytes_gets_them_when_they_come() {
    let (mut stage, mailbox) = pair(5, 9);
    stage.set_data(0, &bytes(200));
    stage.receive_bytes(1, mailbox, 150).runs(0);
    stage.send_bytes(0, mailbox, 150, USUAL).runs(1);
    stage.returned(1, &[150, 0, 0, 0, 0, 1]);
    assert_eq!(stage.data(1, 150), bytes(150));
    stage.receive_bytes(1, mailbox, 150).runs(0);
    stage
        .send_bytes(0, mailbox, 3, USUAL)
        .runs(1)
        .returned(1, &[3, 0, 0, 0, 0, 1]);
    stage.receive_bytes(1, mailbox, 150).runs(0);
    stage
        .send_bytes(0, mailbox, 180, USUAL)
        .runs(1)
        .refused(1, EMSGSIZE);
    stage
        .receive_bytes(1, mailbox, 180)
        .runs(1)
        .returned(1, &[180, 0, 0, 0, 0, 1]);
    // four words, too
    stage.receive_bytes(1, mailbox, 16).runs(0);
    stage.send(0, mailbox, 9, 0x0201).runs(1);
    stage.returned(1, &[16 | 9 << 16, 0, 0, 0, 0, 1]);
    assert_eq!(stage.data(1, 4), [1, 2, 0, 0]);
}

#[test]
fn a_receiver_that_waits_for_bytes_waits_up_to_an_instant() {
    let (mut stage, mailbox) = pair(5, 9);
    let address = data(1);
    stage
        .call(1, Call::ReceiveBytes, [mailbox, 1, 20, 0, address, 9])
        .runs(0);
    stage.advance(20).runs(1).refused(1, ETIMEDOUT);
    stage.call(1, Call::ReceiveBytes, [mailbox, 1, 0, 0, address, 9]);
    stage.refused(1, EAGAIN);
    stage
        .call(1, Call::ReceiveBytes, [mailbox, 1, 50, 0, address, 9])
        .runs(0);
    stage
        .send(0, mailbox, 0, 1)
        .runs(1)
        .refused(1, EMSGSIZE)
        .sleep(1, 60);
    // and the instant that was set rings no more
    stage
        .advance(39)
        .runs(0)
        .advance(1)
        .runs(1)
        .returned(1, &[]);
}

#[test]
fn a_message_that_a_waiter_cannot_take_goes_to_the_next() {
    let mut system = threads(&[5, 9, 8, 7]);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    stage
        .receive_at(1, mailbox, NOWHERE, 300)
        .receive(2, mailbox);
    stage.receive_bytes(3, mailbox, 150).runs(0);
    stage
        .send_bytes(0, mailbox, 150, USUAL)
        .runs(1)
        .refused(1, EFAULT);
    stage.sleep(1, 9).runs(2).refused(2, EMSGSIZE);
    stage.sleep(2, 9).runs(3).returned(3, &[150, 0, 0, 0, 0, 1]);
    stage.sleep(3, 9).runs(0).returned(0, &[]);
    assert_eq!(stage.free(0), 4);
}

#[test]
fn a_long_message_is_copied_in_pieces_and_more_urgent_threads_run_in_between() {
    let mut system = processes(&[5, 4, 9]);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    stage.set_data(0, &bytes(200));
    stage.sleep(2, 1000);
    stage.rig.pass(1000);
    let arguments = [mailbox, 1, data(0), 200, 0, 0];
    stage.call(0, Call::SendBytes, arguments).runs(2);
    assert_eq!(stage.rig.take_results(0), None, "it is not done");
    assert_eq!(stage.free(0), 3, "its message is bound");
    stage.returned(2, &[]);
    stage.receive_until(2, mailbox, NOW).refused(2, EAGAIN);
    stage.sleep(2, 2000).runs(0).returned(0, &[]);
    stage.sleep(0, 5000);
    stage.rig.pass(1000);
    stage.receive_bytes(1, mailbox, 200).runs(2);
    assert_eq!(stage.rig.take_results(1), None, "it is not done");
    stage.receive_until(2, mailbox, NOW).refused(2, EAGAIN);
    stage
        .sleep(2, 9000)
        .runs(1)
        .returned(1, &[200, 0, 0, 0, 0, 1]);
    assert_eq!(stage.data(1, 200), bytes(200));
    assert_eq!(stage.free(0), 4);
}

#[test]
fn a_message_that_is_copied_does_not_hold_up_those_behind_it() {
    let mut system = processes(&[5, 4, 9]);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    stage.sleep(2, 1000);
    stage
        .send_bytes(0, mailbox, 200, USUAL)
        .send(0, mailbox, 0, 7)
        .sleep(0, 5000);
    stage.rig.pass(1000);
    stage.receive_bytes(1, mailbox, 200).runs(2);
    stage.receive(2, mailbox).has_word(2, 0, 7);
}

#[test]
fn rights_to_a_mailbox_are_told_apart() {
    type Make = fn(&mut Stage, usize);
    let all: [(Rights, Make); 4] = [
        (
            Rights {
                used: true,
                ..Rights::default()
            },
            |stage, mailbox| {
                stage.send_bytes(0, mailbox, 4, USUAL);
            },
        ),
        (
            Rights {
                direct: true,
                ..Rights::default()
            },
            |stage, mailbox| {
                stage.send_bytes(0, mailbox, 4, (send::DIRECT, 0));
            },
        ),
        (
            Rights {
                received: true,
                ..Rights::default()
            },
            |stage, mailbox| {
                stage.receive_until(0, mailbox, NOW);
            },
        ),
        (
            Rights {
                full: true,
                ..Rights::default()
            },
            |stage, mailbox| {
                stage.serve_until(0, mailbox, NOW);
            },
        ),
    ];
    for (mine, (right, _)) in all.iter().enumerate() {
        let mut system = threads(&[5]);
        let mailbox = mailbox(&mut system, *right);
        let mut stage = Stage::new(&system);
        for (at, (_, act)) in all.iter().enumerate() {
            act(&mut stage, mailbox);
            let results = stage.results(0);
            assert_eq!(results[0] == EPERM as usize, at != mine, "{at} of {mine}");
        }
        if mine != 0 {
            stage.send(0, mailbox, 0, 1).refused(0, EPERM);
            stage.request(0, mailbox, 1).refused(0, EPERM);
        }
        if mine != 2 {
            stage.receive(0, mailbox).refused(0, EPERM);
        }
    }
}

#[test]
fn what_is_wrong_with_a_call_is_told() {
    let mut system = threads(&[5]);
    let semaphore = object(&mut system, ObjectKind::Semaphore, ALL);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    stage.send(0, semaphore, 0, 0).refused(0, EINVAL);
    stage.receive(0, semaphore).refused(0, EINVAL);
    stage.request(0, semaphore, 0).refused(0, EINVAL);
    stage.send_bytes(0, semaphore, 4, USUAL).refused(0, EINVAL);
    stage.send_bytes(0, mailbox, 4, (4, 0)).refused(0, EINVAL);
    stage
        .send_bytes(0, mailbox, 4, (send::DIRECT | send::VIA, 0))
        .refused(0, EINVAL);
    stage.send_bytes(0, 0, 4, (send::VIA, 9)).refused(0, ESRCH);
    stage
        .send_bytes(0, 0, 4, (send::VIA, semaphore))
        .refused(0, EINVAL);
    stage
        .send_bytes(0, mailbox | 256 << 16, 4, USUAL)
        .refused(0, EINVAL);
    stage
        .receive_bytes(0, mailbox, 4 | 7 << 16)
        .refused(0, EINVAL);
    stage
        .receive_bytes(0, mailbox, 4 | receive::FULL << 16)
        .refused(0, EPERM);
    for (slot, serial) in [(9, 1), (mailbox, 0), (mailbox, 2), (0xFFFF, 1)] {
        for call in [
            Call::Send,
            Call::SendBytes,
            Call::Receive,
            Call::ReceiveBytes,
            Call::Call,
            Call::Forward,
        ] {
            stage
                .call(0, call, [slot, serial, 0, 0, 0, 0])
                .refused(0, ESRCH);
        }
    }
    assert_eq!(stage.free(0), 4);
}

#[test]
fn a_request_can_be_received_as_bytes() {
    for is_waited_for in [true, false] {
        let (mut stage, mailbox) = pair(5, 9);
        match is_waited_for {
            true => stage.receive_bytes(1, mailbox, 16),
            false => stage.sleep(1, 1),
        };
        stage.call(0, Call::Call, [mailbox | 8 << 16, 1, 0x0201, 0, 0, 0]);
        if !is_waited_for {
            stage.advance(1).receive_bytes(1, mailbox, 16);
        }
        let results = stage.runs(1).results(1);
        assert_eq!(results[..6], [0, 16 | 8 << 16, 0, 0, ENVELOPE_CALL, 0]);
        assert_eq!(stage.data(1, 4), [1, 2, 0, 0]);
        stage.reply(1, 0, results[6], 5).runs(0).returned(0, &[5]);
        assert_eq!(stage.free(0), 4);
    }
}

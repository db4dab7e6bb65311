//! Messages: order, waiting, pools.

use giornata_abi::Error;
use giornata_abi::call::Call;

use crate::stage::*;

#[test]
fn a_higher_priority_comes_first_and_equal_ones_in_their_order() {
    let mut system = threads(&[5]);
    system.processes[0].messages.0 = 8;
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    for (priority, word) in [(2, 10), (7, 11), (2, 12), (255, 13), (7, 14), (0, 15)] {
        stage.send(0, mailbox, priority, word).returned(0, &[]);
    }
    for (priority, word) in [(255, 13), (7, 11), (7, 14), (2, 10), (2, 12), (0, 15)] {
        stage.receive(0, mailbox).has_word(0, priority, word);
    }
    stage
        .receive_until(0, mailbox, NOW)
        .refused(0, Error::EAGAIN);
    assert_eq!(stage.free(0), 8);
}

#[test]
fn a_priority_beyond_255_is_refused() {
    let mut system = threads(&[5]);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    stage.send(0, mailbox, 256, 1).refused(0, Error::EINVAL);
    stage.call(0, Call::Call, [mailbox | 256 << 16, 1, 0, 0, 0, 0]);
    stage.refused(0, Error::EINVAL);
}

#[test]
fn the_most_urgent_that_waits_gets_the_message_and_runs_if_it_is_more_urgent() {
    let mut system = threads(&[5, 7, 9]);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    stage.receive(2, mailbox).receive(1, mailbox);
    stage.send(0, mailbox, 0, 1).runs(2).has_word(2, 0, 1);
    stage.sleep(2, 9).runs(0).returned(0, &[]);
    stage.send(0, mailbox, 0, 2).runs(1).has_word(1, 0, 2);
}

#[test]
fn a_receiver_waits_up_to_an_instant() {
    let mut system = threads(&[5, 6]);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    stage.receive_until(1, mailbox, [20, 0]).runs(0);
    stage.advance(19).runs(0).advance(1).runs(1);
    stage.refused(1, Error::ETIMEDOUT);
    stage.receive_until(1, mailbox, [1, 0]);
    stage.rig.interrupt();
    stage.runs(1).refused(1, Error::ETIMEDOUT);
    stage.receive_until(1, mailbox, [50, 0]);
    stage.send(0, mailbox, 3, 4).runs(1).has_word(1, 3, 4);
    stage.sleep(1, 500).advance(100).runs(0);
}

#[test]
fn who_floods_a_mailbox_uses_up_its_own_pool_only() {
    let mut system = processes(&[5, 4]);
    system.processes[1].messages.0 = 1;
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    for _ in 0..4 {
        stage.send(0, mailbox, 0, 1).returned(0, &[]);
    }
    stage.send(0, mailbox, 0, 1).refused(0, Error::EAGAIN);
    stage.sleep(0, 1);
    stage.send(1, mailbox, 0, 2).returned(1, &[]);
    stage.send(1, mailbox, 0, 2).refused(1, Error::EAGAIN);
    // who waits in `receive` needs no place
    for _ in 0..5 {
        stage.receive(1, mailbox);
    }
    stage.receive(1, mailbox).idles().advance(1).runs(0);
}

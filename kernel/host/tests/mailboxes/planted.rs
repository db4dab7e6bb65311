//! That the invariants of messages are looked at: faults that are planted are found.

use crate::stage::*;

/// A system in which thread 0 has half copied a message of 200 bytes, and one lies in the
/// mailbox.
fn half_sent() -> Stage {
    let mut system = processes(&[5, 9]);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    stage.sleep(1, 3);
    stage.send(0, mailbox, 0, 1);
    stage.rig.set_piece_time(2);
    stage.send_bytes(0, mailbox, 200, (0, 0)).runs(1);
    assert!(stage.rig.take_results(0).is_none(), "it is not whole");
    stage
}

#[track_caller]
fn finds(broken: &str, plant: impl FnOnce(&Stage)) {
    let stage = half_sent();
    assert_eq!(stage.rig.kernel().check_invariants(), Ok(()));
    plant(&stage);
    assert_eq!(stage.rig.kernel().check_invariants(), Err(broken));
}

/// The message that is bound: the second that the process has taken.
fn bound(stage: &Stage) -> &'static giornata_core::Message {
    &stage.rig.process(0).messages[1]
}

#[test]
fn a_message_that_is_longer_than_its_room_is_found() {
    finds("a message has room for what is copied into it", |stage| {
        stage.rig.plant(bound(stage), "length", 201);
    });
}

#[test]
fn a_message_that_is_bound_to_nobody_is_found() {
    finds("each message is free, bound or in one mailbox", |stage| {
        stage.rig.plant(bound(stage), "holder", 0);
    });
}

#[test]
fn a_call_that_knows_another_message_is_found() {
    let broken = "the call of who has a message continues, and knows which it is";
    finds(broken, |stage| {
        stage.rig.thread(0).context.t[6].set(0);
    });
}

#[test]
fn a_message_that_is_lost_is_found() {
    finds("each message is free, bound or in one mailbox", |stage| {
        stage.rig.plant(stage.rig.object(0), "first", 0);
    });
}

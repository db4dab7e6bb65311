//! Protocol servers: what they are told, and the urgency of what they have.

use giornata_abi::Error::{EAGAIN, EBUSY, EMSGSIZE};
use giornata_abi::call::{Call, ENVELOPE_CALL};
use giornata_abi::message::{Envelope, SERVED, send};
use giornata_records::ObjectKind;

use crate::stage::*;

const CLIENT: usize = 0;
const BETWEEN: usize = 1;
const SERVER: usize = 2;

/// Threads `CLIENT` (priority 9), `BETWEEN` (5) and `SERVER` (1). Mailbox 0 is attached
/// to mailbox 1, the server's.
fn with_server() -> Stage {
    let mut system = threads(&[9, 5, 1]);
    let plain = mailbox(&mut system, ALL);
    let server = mailbox(&mut system, ALL);
    system.objects[plain].server = Some(server);
    Stage::new(&system)
}

/// `SERVER` waits for messages; `CLIENT` and `BETWEEN` sleep until these instants.
fn with_waiting_server(client: usize, between: usize) -> Stage {
    let mut stage = with_server();
    stage.sleep(CLIENT, client).sleep(BETWEEN, between);
    stage.serve(SERVER, 1).idles();
    stage
}

/// By the server whose mailbox is 1.
const VIA: (usize, usize) = (send::VIA, 1);

#[track_caller]
fn told(stage: &mut Stage, destination: [usize; 2], node: u16, incoming: bool, sender: usize) {
    let from = Envelope { node, incoming }.word();
    let [slot, serial] = destination;
    stage.returned(SERVER, &[16, slot, serial, from, sender, 1]);
}

#[test]
fn what_comes_for_an_attached_mailbox_goes_through_its_server() {
    let mut stage = with_server();
    stage
        .receive(CLIENT, 0)
        .send(BETWEEN, 0, 0, 77)
        .sleep(BETWEEN, 50);
    stage.serve(SERVER, 1).runs(SERVER);
    told(&mut stage, [0, 1], 0, true, BETWEEN);
    // as urgent as the client until it asks for the next
    stage
        .send_bytes(SERVER, 0, 16, (send::DIRECT, 0))
        .runs(SERVER);
    stage.serve(SERVER, 1).runs(CLIENT).has_word(CLIENT, 0, 77);
}

#[test]
fn what_goes_out_names_its_destination_to_the_server() {
    let mut stage = with_waiting_server(10, 10);
    stage.advance(10);
    // an id of another node: the server knows what it means
    let address = data(0);
    let arguments = [42, 8, address, 5, send::VIA, 3 << 16 | 1];
    stage.call(CLIENT, Call::SendBytes, arguments);
    stage.sleep(CLIENT, 90).runs(SERVER);
    let from = Envelope {
        node: 3,
        incoming: false,
    };
    stage.returned(SERVER, &[5, 42, 8, from.word(), CLIENT, 1]);
}

#[test]
fn a_server_runs_as_urgently_as_the_message_that_it_has() {
    let mut stage = with_waiting_server(10, 10);
    // without it the thread between would run
    stage
        .advance(10)
        .send_bytes(CLIENT, 1, 5, VIA)
        .sleep(CLIENT, 99)
        .runs(SERVER);
    assert_eq!(stage.priority(SERVER), 9);
    stage.serve(SERVER, 1).runs(BETWEEN);
    assert_eq!(stage.priority(SERVER), 1);
}

#[test]
fn a_server_is_as_urgent_as_what_waits_from_the_instant_it_comes() {
    let mut stage = with_waiting_server(10, 10);
    stage.advance(10).sleep(CLIENT, 12);
    stage
        .send_bytes(BETWEEN, 1, 5, VIA)
        .runs(BETWEEN)
        .sleep(BETWEEN, 11)
        .runs(SERVER);
    // its first message is as urgent as the thread between, and was there before
    stage.advance(1).runs(SERVER);
    assert_eq!(stage.priority(SERVER), 5);
    stage
        .advance(1)
        .runs(CLIENT)
        .send_bytes(CLIENT, 1, 5, VIA)
        .sleep(CLIENT, 99);
    // the one in its hand to the end, then the urgent one
    stage.runs(SERVER);
    assert_eq!(stage.priority(SERVER), 9);
    stage.serve(SERVER, 1).runs(SERVER);
    assert_eq!(stage.priority(SERVER), 9);
    stage.serve(SERVER, 1).runs(BETWEEN);
}

#[test]
fn only_the_first_of_a_mailbox_counts() {
    let mut stage = with_server();
    stage.sleep(CLIENT, 10).sleep(BETWEEN, 10);
    stage
        .serve_until(SERVER, 1, NOW)
        .refused(SERVER, EAGAIN)
        .sleep(SERVER, 20);
    stage.advance(10);
    // a message of higher priority, from a less urgent thread, stands before it
    stage.send(CLIENT, 1, 0, 1).sleep(CLIENT, 30);
    assert_eq!(stage.priority(SERVER), 9);
    stage.send(BETWEEN, 1, 7, 2);
    assert_eq!(stage.priority(SERVER), 5);
}

#[test]
fn a_servers_own_priority_counts_only_while_it_has_nothing() {
    let mut system = threads(&[9, 5, 3]);
    let mailbox = mailbox(&mut system, ALL);
    let mut stage = Stage::new(&system);
    // the server is the most urgent thread, and has a message of the least urgent
    let (server, between, client) = (0, 1, 2);
    stage
        .serve(server, mailbox)
        .sleep(between, 1)
        .send(client, mailbox, 0, 1);
    // as its sender is, and behind it
    stage.runs(client);
    assert_eq!(stage.priority(server), 3);
    stage.sleep(client, 50).runs(server);
    stage
        .advance(1)
        .runs(between)
        .sleep(between, 9)
        .runs(server);
    stage.serve(server, mailbox).idles();
    assert_eq!(stage.priority(server), 9);
}

#[test]
fn urgency_passes_through_a_chain_of_servers() {
    let mut system = threads(&[9, 5, 1, 2]);
    let [stack, driver] = [(); 2].map(|()| mailbox(&mut system, ALL));
    let mut stage = Stage::new(&system);
    stage
        .sleep(0, 10)
        .sleep(1, 10)
        .serve(3, driver)
        .serve(2, stack);
    stage
        .advance(10)
        .send_bytes(0, 42, 5, (send::VIA, stack))
        .sleep(0, 99)
        .runs(2);
    stage
        .send_bytes(2, 42, 5, (send::VIA, driver))
        .serve(2, stack)
        .runs(3);
    assert_eq!(stage.priority(3), 9);
    stage.serve(3, driver).runs(1);
}

#[test]
fn a_queued_message_is_not_hastened() {
    let mut stage = with_waiting_server(10, 10);
    stage
        .advance(10)
        .sleep(CLIENT, 20)
        .send(BETWEEN, 1, 0, 1)
        .sleep(BETWEEN, 30);
    stage.runs(SERVER).advance(10).runs(CLIENT);
    // now its sender is asked for more, and the message is what it was
    stage.sleep(CLIENT, 40).runs(SERVER);
    assert_eq!(stage.priority(SERVER), 5);
}

#[test]
fn what_comes_in_is_as_urgent_as_the_thread_that_it_is_for() {
    let mut stage = with_server();
    // who waits first counts
    stage
        .receive(CLIENT, 0)
        .sleep(BETWEEN, 10)
        .serve(SERVER, 1)
        .idles();
    stage.advance(10).send(BETWEEN, 0, 0, 1).runs(SERVER);
    assert_eq!(stage.priority(SERVER), 9);
    told(&mut stage, [0, 1], 0, true, BETWEEN);
    stage
        .send_bytes(SERVER, 0, 16, (send::DIRECT, 0))
        .serve(SERVER, 1)
        .runs(CLIENT);
    // nobody waits: who received last
    stage.sleep(CLIENT, 90).runs(BETWEEN);
    stage.send(BETWEEN, 0, 0, 1).runs(SERVER);
    assert_eq!(stage.priority(SERVER), 9);
}

#[test]
fn a_mailbox_has_one_server_until_that_ends() {
    let mut stage = with_server();
    stage
        .sleep(CLIENT, 10)
        .sleep(BETWEEN, 20)
        .serve(SERVER, 1)
        .idles();
    stage
        .advance(10)
        .serve(CLIENT, 1)
        .refused(CLIENT, EBUSY)
        .sleep(CLIENT, 15);
    stage.advance(10).runs(CLIENT).rig.take_results(CLIENT);
    stage
        .send(CLIENT, 1, 0, 8)
        .send(CLIENT, 1, 0, 9)
        .sleep(CLIENT, 40);
    stage.runs(SERVER).rig.take_results(SERVER);
    let exit = giornata_abi::call::Call::Exit;
    stage.call(SERVER, exit, [0; 6]).runs(BETWEEN);
    stage
        .serve(BETWEEN, 1)
        .returned(BETWEEN, &[16, 1, 1, 0, CLIENT, 1]);
    assert_eq!(stage.priority(BETWEEN), 9);
}

#[test]
fn who_is_refused_a_message_is_as_urgent_as_that_leaves_it() {
    let mut stage = with_waiting_server(10, 10);
    let address = data(0);
    let how = giornata_abi::message::receive::FULL << 16;
    let call = giornata_abi::call::Call::ReceiveBytes;
    stage
        .advance(10)
        .send(CLIENT, 1, 0, 1)
        .sleep(CLIENT, 99)
        .runs(SERVER);
    stage.rig.take_results(SERVER);
    stage
        .call(SERVER, call, [1, 1, EVER[0], EVER[1], address, 4 | how])
        .runs(BETWEEN);
    // (it waits; what comes is too long, and stays as its next)
    stage
        .sleep(BETWEEN, 30)
        .advance(20)
        .runs(BETWEEN)
        .send(BETWEEN, 1, 0, 1);
    stage
        .sleep(BETWEEN, 98)
        .runs(SERVER)
        .refused(SERVER, EMSGSIZE);
    assert_eq!(stage.priority(SERVER), 5);
    stage
        .serve(SERVER, 1)
        .returned(SERVER, &[16, 1, 1, 0, BETWEEN, 1]);
    stage.serve(SERVER, 1).idles();
}

#[test]
fn a_thread_serves_several_mailboxes_as_urgently_as_all_of_them() {
    let mut system = threads(&[9, 5, 1]);
    let [first, second] = [(); 2].map(|()| mailbox(&mut system, ALL));
    let mut stage = Stage::new(&system);
    stage.sleep(CLIENT, 10).sleep(BETWEEN, 10);
    stage
        .serve_until(SERVER, first, NOW)
        .serve(SERVER, second)
        .idles();
    stage
        .advance(10)
        .sleep(CLIENT, 20)
        .send(BETWEEN, second, 0, 1)
        .runs(BETWEEN);
    stage.sleep(BETWEEN, 20).runs(SERVER);
    assert_eq!(stage.priority(SERVER), 5);
    stage
        .advance(10)
        .send(CLIENT, first, 0, 2)
        .sleep(CLIENT, 99)
        .runs(SERVER);
    assert_eq!(stage.priority(SERVER), 9);
    // done with the one of the second
    stage.serve(SERVER, first).runs(SERVER);
    assert_eq!(stage.priority(SERVER), 9);
    stage.serve_until(SERVER, first, NOW).runs(BETWEEN);
    assert_eq!(stage.priority(SERVER), 1);
}

#[test]
fn a_request_to_an_attached_mailbox_is_the_servers() {
    let mut stage = with_waiting_server(10, 10);
    stage.advance(10).request(CLIENT, 0, 3).runs(SERVER);
    // the client helps it: the server has no place of its own
    let results = stage.results(SERVER);
    let from = Envelope {
        node: 0,
        incoming: true,
    };
    let from = from.word() | ENVELOPE_CALL;
    assert_eq!(results[..6], [0, 16, 0, 1, from, CLIENT]);
    assert_eq!(stage.rig.kernel().first().number() as usize, CLIENT);
    stage
        .reply(SERVER, CLIENT, results[6], 4)
        .runs(CLIENT)
        .returned(CLIENT, &[4]);
    stage.sleep(CLIENT, 99).sleep(BETWEEN, 99).idles();
    assert_eq!(stage.priority(SERVER), 1);
}

#[test]
fn a_server_with_a_request_and_a_message_has_the_place_of_the_message_and_its_client() {
    let mut stage = with_waiting_server(10, 10);
    stage
        .advance(10)
        .sleep(CLIENT, 20)
        .request(BETWEEN, 1, 3)
        .runs(SERVER);
    let token = stage.results(SERVER)[6];
    stage
        .advance(10)
        .send(CLIENT, 1, 0, 1)
        .sleep(CLIENT, 99)
        .runs(SERVER);
    assert_eq!(stage.priority(SERVER), 9);
    // (the message would count in its hand as well, if it asked for all)
    stage
        .reply(SERVER, BETWEEN, token, 4)
        .runs(BETWEEN)
        .returned(BETWEEN, &[4]);
    stage.sleep(BETWEEN, 99).runs(SERVER).has_word(SERVER, 0, 1);
}

/// A message is nobody's debt: whoever waits for the owner of a mutex cannot lend its place to
/// whoever is to send it. The owner that it wakes runs in that place.
#[test]
fn an_owner_that_waits_for_a_message_goes_on_in_the_place_of_who_waits_for_its_mutex() {
    let mut system = threads(&[9, 5, 1]);
    mailbox(&mut system, ALL);
    let server = mailbox(&mut system, ALL);
    let mutex = object(&mut system, ObjectKind::Mutex, PLAIN);
    let mut stage = Stage::new(&system);
    let [low, high] = EVER;
    let lock = [mutex, 1, low, high, 0, 0];
    stage.sleep(CLIENT, 10).sleep(BETWEEN, 10);
    stage.call(SERVER, Call::Lock, lock);
    stage.serve(SERVER, server).idles();
    // the wait helps nobody: the thread between runs at its own urgency
    stage.advance(10).call(CLIENT, Call::Lock, lock);
    assert_eq!(stage.priority(BETWEEN), 5);
    stage.runs(BETWEEN).send(BETWEEN, server, 0, 7).runs(SERVER);
    stage.call(SERVER, Call::Unlock, [mutex, 1, 0, 0, 0, 0]);
    stage.runs(CLIENT).returned(CLIENT, &[]);
}

#[test]
fn a_thread_is_the_protocol_server_of_eight_mailboxes_at_most() {
    let mut system = threads(&[5]);
    let boxes: Vec<usize> = (0..=SERVED).map(|_| mailbox(&mut system, ALL)).collect();
    let (last, served) = boxes.split_last().unwrap();
    let mut stage = Stage::new(&system);
    for mailbox in served {
        stage.serve_until(0, *mailbox, NOW).refused(0, EAGAIN);
    }
    stage.serve_until(0, *last, NOW).refused(0, EBUSY);
    // it receives from others, and serves those that it has again
    stage.receive_until(0, *last, NOW).refused(0, EAGAIN);
    for mailbox in served {
        stage.serve_until(0, *mailbox, NOW).refused(0, EAGAIN);
    }
    stage.serve_until(0, *last, NOW).refused(0, EBUSY);
    stage.call(0, Call::DeleteObject, [served[3], 1, 0, 0, 0, 0]);
    stage.returned(0, &[]);
    stage.serve_until(0, *last, NOW).refused(0, EAGAIN);
}

#[test]
fn of_many_mailboxes_a_server_is_as_urgent_as_the_most_urgent() {
    let mut system = threads(&[9, 5, 1]);
    let boxes: Vec<usize> = (0..SERVED).map(|_| mailbox(&mut system, ALL)).collect();
    let mut stage = Stage::new(&system);
    stage.sleep(CLIENT, 10).sleep(BETWEEN, 20);
    for mailbox in &boxes {
        stage
            .serve_until(SERVER, *mailbox, NOW)
            .refused(SERVER, EAGAIN);
    }
    assert_eq!(stage.priority(SERVER), 1);
    for (index, mailbox) in boxes.iter().enumerate() {
        let instant = 10 + index as u64;
        stage.advance(instant - stage.rig.now());
        stage
            .send(CLIENT, *mailbox, 0, 1)
            .sleep(CLIENT, instant as usize + 1);
        assert_eq!(stage.priority(SERVER), 9);
        stage.serve_until(SERVER, *mailbox, NOW);
        stage.rig.take_results(SERVER);
        stage
            .serve_until(SERVER, *mailbox, NOW)
            .refused(SERVER, EAGAIN);
        assert_eq!(stage.priority(SERVER), 1);
    }
}

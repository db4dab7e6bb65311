//! Requests and replies: rule 4 of KERNEL 7.

use giornata_abi::Error::{EAGAIN, EDEADLK, EINVAL, EPERM};
use giornata_abi::call::{Call, NOBODY};

use giornata_records::Rights;

use crate::stage::*;

const CLIENT: usize = 0;
const SERVER: usize = 1;
const OTHER: usize = 2;

#[test]
fn a_round_trip_is_two_calls_and_the_server_runs_on_the_place_of_its_client() {
    let mut system = threads(&[5, 9, 7]);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    stage.receive(SERVER, mailbox).sleep(OTHER, 1);
    stage.request(CLIENT, mailbox, 42).runs(SERVER);
    let token = stage.has_request(SERVER, CLIENT, 42);
    // at 5, although its own priority is 9
    stage.advance(1).runs(OTHER).sleep(OTHER, 2).runs(SERVER);
    stage.reply(SERVER, CLIENT, token, 43).runs(CLIENT);
    stage.returned(CLIENT, &[43]);
    assert_eq!(stage.priority(SERVER), 9);
    // and again, the server's own urgency notwithstanding
    stage.request(CLIENT, mailbox, 44).runs(SERVER);
    let token = stage.has_request(SERVER, CLIENT, 44);
    stage
        .reply(SERVER, CLIENT, token, 45)
        .returned(CLIENT, &[45]);
}

#[test]
fn all_words_of_request_and_reply_arrive() {
    let mut system = threads(&[5, 9]);
    let mailbox = mailbox(&mut system, PLAIN);
    for is_waited_for in [true, false] {
        let mut stage = Stage::new(&system);
        match is_waited_for {
            true => stage.receive(SERVER, mailbox),
            false => stage.sleep(SERVER, 1),
        };
        let arguments = [mailbox | 77 << 16, 1, 11, 12, 13, 0xFFFF_FFFF];
        stage.call(CLIENT, Call::Call, arguments);
        if !is_waited_for {
            stage.advance(1).receive(SERVER, mailbox);
        }
        let results = stage.results(SERVER);
        assert_eq!(
            results[..6],
            [0, 11, 12, 13, 0xFFFF_FFFF, 77 | CLIENT << 16]
        );
        let reply = [CLIENT, results[6], 21, 22, 23, 24];
        stage.call(SERVER, Call::ReplyReceive, reply);
        stage.returned(CLIENT, &[21, 22, 23, 24]);
    }
}

#[test]
fn a_server_runs_at_the_most_urgent_of_its_clients_now() {
    let mut system = threads(&[3, 2, 6, 9]);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    stage.sleep(3, 1).sleep(OTHER, 2).sleep(CLIENT, 1);
    stage.receive(SERVER, mailbox).idles();
    stage.advance(1).sleep(3, 4);
    stage.request(CLIENT, mailbox, 1).runs(SERVER);
    let first = stage.has_request(SERVER, CLIENT, 1);
    stage.advance(1).runs(OTHER);
    // the second request is queued, and its client helps all the same
    stage.request(OTHER, mailbox, 2).runs(SERVER);
    assert_eq!(stage.rig.kernel().first().number() as usize, OTHER);
    stage.reply(SERVER, CLIENT, first, 0).runs(SERVER);
    let second = stage.has_request(SERVER, OTHER, 2);
    stage.reply(SERVER, OTHER, second, 0).runs(OTHER);
    stage.sleep(OTHER, 9).runs(CLIENT).returned(CLIENT, &[]);
}

#[test]
fn clients_of_a_server_that_blocks_come_back_with_it() {
    let mut system = threads(&[5, 9, 1]);
    let requests = mailbox(&mut system, PLAIN);
    let signals = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    stage.receive(SERVER, requests);
    stage.request(CLIENT, requests, 1);
    let token = stage.has_request(SERVER, CLIENT, 1);
    stage.receive(SERVER, signals).runs(OTHER);
    stage
        .send(OTHER, signals, 0, 8)
        .runs(SERVER)
        .has_word(SERVER, 0, 8);
    stage.sleep(SERVER, 5).runs(OTHER);
    stage.advance(5).runs(SERVER);
    stage.rig.take_results(SERVER);
    stage.reply(SERVER, CLIENT, token, 7).runs(CLIENT);
    stage.returned(CLIENT, &[7]);
}

#[test]
fn a_request_to_a_mailbox_that_nobody_serves_waits_for_a_receiver() {
    let mut system = threads(&[5, 3, 4]);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    stage.request(CLIENT, mailbox, 1).runs(OTHER);
    stage.request(OTHER, mailbox, 2).runs(SERVER);
    // messages without a client come between
    stage.send(SERVER, mailbox, 9, 3).returned(SERVER, &[]);
    stage
        .receive(SERVER, mailbox)
        .runs(SERVER)
        .has_word(SERVER, 9, 3);
    // the most urgent that waits helps from now on
    assert_eq!(stage.rig.kernel().first().number() as usize, CLIENT);
    stage.receive(SERVER, mailbox);
    let token = stage.has_request(SERVER, CLIENT, 1);
    stage.reply(SERVER, CLIENT, token, 9).runs(CLIENT);
    stage.returned(CLIENT, &[9]).sleep(CLIENT, 9);
    let token = stage.has_request(SERVER, OTHER, 2);
    stage.reply(SERVER, OTHER, token, 10).runs(OTHER);
    stage.returned(OTHER, &[10]);
}

#[test]
fn a_stale_token_is_dropped_and_the_server_receives_all_the_same() {
    let mut system = threads(&[5, 9]);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    stage.receive(SERVER, mailbox).request(CLIENT, mailbox, 1);
    let stale = stage.has_request(SERVER, CLIENT, 1);
    stage
        .reply(SERVER, CLIENT, stale, 7)
        .request(CLIENT, mailbox, 2);
    stage.has_request(SERVER, CLIENT, 2);
    stage.reply(SERVER, CLIENT, stale, 8).idles();
    assert_eq!(stage.rig.take_results(CLIENT), None);
}

#[test]
fn a_reply_needs_the_token_of_who_has_the_request() {
    let mut system = threads(&[5, 9, 7]);
    let [first, second] = [(); 2].map(|()| mailbox(&mut system, PLAIN));
    let mut stage = Stage::new(&system);
    stage.receive(SERVER, first).receive(OTHER, second);
    stage.request(CLIENT, first, 1);
    let token = stage.has_request(SERVER, CLIENT, 1);
    stage.send(SERVER, second, 0, 5).runs(OTHER);
    // another thread knows it, and is not heard
    stage.reply(OTHER, CLIENT, token, 8).runs(SERVER);
    for wrong in [[CLIENT, token + 2], [OTHER, token], [0xFFFE, token]] {
        stage.send(SERVER, first, 0, 3);
        stage.reply(SERVER, wrong[0], wrong[1], 8).runs(SERVER);
        stage.has_word(SERVER, 0, 3);
    }
    stage.reply(SERVER, CLIENT, token, 6).runs(CLIENT);
    stage.returned(CLIENT, &[6]);
}

#[test]
fn replying_to_nobody_receives() {
    let mut system = threads(&[5, 9]);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    stage.reply(SERVER, NOBODY, 0, 0).refused(SERVER, EINVAL);
    stage
        .receive_until(SERVER, mailbox, NOW)
        .refused(SERVER, EAGAIN);
    stage.reply(SERVER, NOBODY, 0, 0).runs(CLIENT);
    stage
        .send(CLIENT, mailbox, 3, 1)
        .runs(SERVER)
        .has_word(SERVER, 3, 1);
}

#[test]
fn a_server_may_reply_to_several_clients_in_any_order() {
    let mut system = threads(&[5, 9, 6]);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    stage.receive(SERVER, mailbox).sleep(OTHER, 1);
    stage.request(CLIENT, mailbox, 1);
    let first = stage.has_request(SERVER, CLIENT, 1);
    // it has the one in its hand while it waits for the other
    stage.receive(SERVER, mailbox).idles();
    stage.advance(1).request(OTHER, mailbox, 2).runs(SERVER);
    let second = stage.has_request(SERVER, OTHER, 2);
    stage
        .reply(SERVER, CLIENT, first, 11)
        .runs(CLIENT)
        .returned(CLIENT, &[11]);
    stage
        .send(CLIENT, mailbox, 0, 3)
        .runs(SERVER)
        .has_word(SERVER, 0, 3);
    stage
        .reply(SERVER, OTHER, second, 12)
        .runs(OTHER)
        .returned(OTHER, &[12]);
}

#[test]
fn a_server_that_has_replied_has_its_own_urgency() {
    let mut system = threads(&[5, 2, 3]);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    stage
        .sleep(CLIENT, 1)
        .sleep(OTHER, 1)
        .receive(SERVER, mailbox);
    stage.advance(1).request(CLIENT, mailbox, 1).runs(SERVER);
    let token = stage.has_request(SERVER, CLIENT, 1);
    stage.send(SERVER, mailbox, 0, 2);
    // the next message has nobody who waits behind it
    stage
        .reply(SERVER, CLIENT, token, 3)
        .runs(CLIENT)
        .returned(CLIENT, &[3]);
    stage.sleep(CLIENT, 9).runs(OTHER);
    assert_eq!(stage.priority(SERVER), 2);
    stage.sleep(OTHER, 9).runs(SERVER).has_word(SERVER, 0, 2);
}

#[test]
fn a_call_that_finds_no_place_and_no_receiver_is_refused_and_nothing_has_changed() {
    let mut system = threads(&[5, 9]);
    system.processes[0].messages.0 = 1;
    let [full, other] = [(); 2].map(|()| mailbox(&mut system, PLAIN));
    let mut stage = Stage::new(&system);
    stage.sleep(SERVER, 1).send(CLIENT, full, 0, 1);
    stage
        .request(CLIENT, other, 1)
        .runs(CLIENT)
        .refused(CLIENT, EAGAIN);
    stage.advance(1).receive(SERVER, other);
    // who is waited for by a receiver needs none
    stage.request(CLIENT, other, 1).runs(SERVER);
}

#[test]
fn a_call_or_a_forward_that_would_close_a_circle_is_refused() {
    let mut system = threads(&[5, 9, 8]);
    let [first, second] = [(); 2].map(|()| mailbox(&mut system, PLAIN));
    let mut stage = Stage::new(&system);
    stage.receive(1, first).receive(2, second);
    stage.request(0, first, 1);
    let of_0 = stage.has_request(1, 0, 1);
    stage.request(1, second, 2).runs(2);
    let of_1 = stage.has_request(2, 1, 2);
    stage.request(2, first, 3).refused(2, EDEADLK);
    // 1 would wait for itself
    stage.call(2, Call::Forward, [first, 1, 1, of_1, 0, 0]);
    stage.refused(2, EDEADLK);
    stage.reply(2, 1, of_1, 4).runs(1).returned(1, &[4]);
    // it serves that itself
    stage.request(1, first, 5).refused(1, EDEADLK);
    stage.reply(1, 0, of_0, 6).runs(0).returned(0, &[6]);
}

#[test]
fn forwarding_a_request_moves_whom_the_client_waits_for() {
    let mut system = threads(&[5, 9, 8]);
    let [first, second] = [(); 2].map(|()| mailbox(&mut system, PLAIN));
    let mut stage = Stage::new(&system);
    stage.receive(1, first).receive(2, second);
    stage
        .call(0, Call::Call, [first | 40 << 16, 1, 77, 78, 79, 80])
        .runs(1);
    let token = stage.results(1)[6];
    let forward = [second, 1, 0, token, 0, 0];
    // 1 is itself again, and more urgent than the client
    stage
        .call(1, Call::Forward, forward)
        .runs(1)
        .returned(1, &[]);
    assert_eq!(stage.priority(1), 9);
    stage.call(1, Call::Forward, forward).refused(1, EINVAL);
    stage.sleep(1, 9).runs(2);
    let results = stage.results(2);
    assert_eq!(results[..6], [0, 77, 78, 79, 80, 40]);
    assert_ne!(results[6], token, "a token is given once");
    stage.reply(2, 0, results[6], 78).runs(0).returned(0, &[78]);
    // the old one is worth nothing any more
    stage.advance(9).reply(1, 0, token, 79).runs(0);
}

#[test]
fn a_server_forwards_past_itself_to_a_mailbox_that_is_attached_to_it() {
    let mut system = threads(&[5, 9, 7]);
    let (attached, server) = (mailbox(&mut system, ALL), mailbox(&mut system, ALL));
    let no_right = Rights {
        direct: false,
        ..ALL
    };
    let barred = mailbox(&mut system, no_right);
    for mailbox in [attached, barred] {
        system.objects[mailbox].server = Some(server);
    }
    let mut stage = Stage::new(&system);
    stage.receive(SERVER, server).receive(OTHER, attached);
    stage.request(CLIENT, attached, 42).runs(SERVER);
    let token = stage.has_request(SERVER, CLIENT, 42);
    let forward = |mailbox| [mailbox, 1, CLIENT, token, 0, 0];
    stage.call(SERVER, Call::Forward, forward(barred));
    stage.refused(SERVER, EPERM);
    stage.call(SERVER, Call::Forward, forward(attached));
    stage.receive(SERVER, server).runs(OTHER);
    let token = stage.has_request(OTHER, CLIENT, 42);
    stage.reply(OTHER, CLIENT, token, 43).runs(CLIENT);
    stage.returned(CLIENT, &[43]);
}

#[test]
fn a_request_is_forwarded_into_a_mailbox_as_well() {
    let mut system = threads(&[5, 9, 8]);
    let [first, second] = [(); 2].map(|()| mailbox(&mut system, PLAIN));
    let mut stage = Stage::new(&system);
    stage.receive(1, first).sleep(2, 1).request(0, first, 1);
    let token = stage.has_request(1, 0, 1);
    stage.call(1, Call::Forward, [second, 1, 0, token, 0, 0]);
    stage.returned(1, &[]).receive(1, first).idles();
    stage.advance(1).receive(2, second).runs(2);
    let token = stage.has_request(2, 0, 1);
    stage.reply(2, 0, token, 3).runs(0).returned(0, &[3]);
}

#[test]
fn a_forward_that_finds_no_place_leaves_the_request_where_it_is() {
    let mut system = threads(&[5, 9]);
    system.processes[0].messages.0 = 1;
    let [first, second] = [(); 2].map(|()| mailbox(&mut system, PLAIN));
    let mut stage = Stage::new(&system);
    stage
        .send(1, second, 0, 1)
        .receive(1, first)
        .request(0, first, 1);
    let token = stage.has_request(1, 0, 1);
    stage.call(1, Call::Forward, [second, 1, 0, token, 0, 0]);
    stage.refused(1, EAGAIN);
    stage.reply(1, 0, token, 3).runs(0).returned(0, &[3]);
}

#[test]
fn workers_of_one_mailbox_have_each_its_own_clients() {
    // two workers, 1 and 2; clients 0 and 3, more urgent than all
    let mut system = threads(&[5, 2, 3, 9]);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    stage
        .sleep(3, 1)
        .sleep(0, 1)
        .receive(2, mailbox)
        .receive(1, mailbox);
    stage.advance(1).request(3, mailbox, 1).runs(2);
    let of_3 = stage.has_request(2, 3, 1);
    stage.sleep(2, 9).runs(0).request(0, mailbox, 2).runs(1);
    let of_0 = stage.has_request(1, 0, 2);
    // the urgent client waits for the first worker, and does not push the other
    stage.advance(8).runs(2);
    stage.rig.take_results(2);
    stage
        .reply(2, 3, of_3, 4)
        .runs(3)
        .returned(3, &[4])
        .sleep(3, 99)
        .runs(1);
    stage.reply(1, 0, of_0, 5).runs(0).returned(0, &[5]);
}

#[test]
fn a_queued_caller_helps_the_worker_that_received_last() {
    let mut system = threads(&[5, 2, 3, 9]);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    stage
        .sleep(3, 1)
        .sleep(0, 2)
        .sleep(2, 3)
        .receive(1, mailbox);
    stage.advance(1).request(3, mailbox, 1).runs(1);
    let of_3 = stage.has_request(1, 3, 1);
    // the first worker blocks; who calls now waits with it
    stage.sleep(1, 50).advance(1).request(0, mailbox, 2).idles();
    stage.advance(1).receive(2, mailbox).runs(2);
    let of_0 = stage.has_request(2, 0, 2);
    stage
        .reply(2, 0, of_0, 5)
        .runs(0)
        .returned(0, &[5])
        .sleep(0, 99)
        .idles();
    stage.advance(47).runs(1);
    stage.rig.take_results(1);
    stage.reply(1, 3, of_3, 4).runs(3).returned(3, &[4]);
}

//! Rule 4: requests, replies and servers.

use super::stage::*;
use giornata_abi::Error::{EDEADLK, EIDRM, EINVAL};
use giornata_abi::call::NOBODY;
use giornata_test_model::Request;
use giornata_test_model::model::{Parking, State};
use giornata_test_model::request::{NEVER, Route};

const CLIENT: usize = 0;
const SERVER: usize = 1;

#[test]
fn a_server_runs_on_the_place_of_its_client_and_a_round_trip_is_two_calls() {
    let mut system = threads(&[5, 9, 7]);
    let mailbox = system.mailbox();
    let mut stage = Stage::new(&system);
    stage
        .receive(SERVER, mailbox)
        .sleep(2, 1)
        .request(CLIENT, mailbox, 42);
    stage.runs(SERVER);
    let (client, token) = stage.model.client(SERVER).unwrap();
    let last = [0, 0, 0, (CLIENT as u32) << 16, token];
    assert_eq!(stage.values(SERVER)[..1], [42]);
    assert_eq!(stage.values(SERVER)[1..], last);
    assert_eq!(client, CLIENT);
    // at 5, although its own priority is 9
    stage.pass(1).runs(2).sleep(2, 2).runs(SERVER);
    stage.reply(SERVER, 43).runs(CLIENT);
    assert_eq!(stage.values(CLIENT)[..4], [43, 0, 0, 0]);
    assert!(matches!(stage.model.state(SERVER), State::Blocked(_)));
}

#[test]
fn a_server_runs_at_the_most_urgent_of_its_clients_now() {
    let mut system = threads(&[3, 2, 6, 9]);
    let mailbox = system.mailbox();
    let mut stage = Stage::new(&system);
    stage.sleep(3, 1).sleep(2, 2);
    stage.sleep(CLIENT, 1).receive(SERVER, mailbox).idles();
    stage
        .pass(1)
        .sleep(3, 4)
        .request(CLIENT, mailbox, 1)
        .runs(SERVER);
    stage.pass(2).runs(2);
    // the second request is queued, and its client helps all the same
    stage.request(2, mailbox, 2).runs(SERVER);
    assert_eq!(stage.model.effective(SERVER).priority, 6);
    stage.reply(SERVER, 0).runs(SERVER);
    assert_eq!(stage.values(SERVER)[0], 2);
    stage.reply(SERVER, 0).runs(2).sleep(2, 9).runs(CLIENT);
}

#[test]
fn clients_of_a_server_that_blocks_hang_on_it_and_come_back_with_it() {
    let mut system = threads(&[5, 9, 1]);
    let [mailbox, s] = [system.mailbox(), system.semaphore()];
    let mut stage = Stage::new(&system);
    stage.receive(SERVER, mailbox).request(CLIENT, mailbox, 1);
    stage.lock(SERVER, s).runs(2);
    assert_eq!(stage.model.parked(CLIENT), Some(Parking::Thread(SERVER)));
    stage
        .unlock(2, s)
        .runs(SERVER)
        .reply(SERVER, 7)
        .runs(CLIENT);
}

#[test]
fn a_server_whose_last_client_dies_goes_on_at_the_urgency_of_the_request() {
    let mut system = processes(&[20, 9, 5, 7]);
    let mailbox = system.mailbox();
    let (server, client, other) = (1, 2, 3);
    let mut stage = Stage::new(&system);
    stage.sleep(0, 2).receive(server, mailbox).sleep(other, 1);
    stage.request(client, mailbox, 1).runs(server);
    let (_, token) = stage.model.client(server).unwrap();
    stage
        .pass(1)
        .runs(other)
        .pass(2)
        .kill(0, client)
        .sleep(0, 9);
    stage.runs(other).sleep(other, 9).runs(server);
    assert_eq!(stage.model.place(server).unwrap().priority, 5);
    // its reply is dropped, and it receives
    stage.reply_to(server, client, token, 1).idles();
    assert_eq!(stage.model.place(server).unwrap().priority, 9);
}

#[test]
fn a_queued_request_is_withdrawn_when_its_client_dies() {
    let mut system = processes(&[20, 9, 5]);
    let [mailbox, s] = [system.mailbox(), system.semaphore()];
    let mut stage = Stage::new(&system);
    stage.sleep(0, 1);
    let id = stage.id(mailbox);
    stage.call(
        1,
        Request::Receive {
            mailbox: id,
            until: 0,
        },
    );
    stage.lock(1, s).request(2, mailbox, 1).idles();
    assert_eq!(stage.model.parked(2), Some(Parking::Thread(1)));
    stage.pass(1).kill(0, 2);
    assert!(stage.model.messages(mailbox).is_empty());
    stage.unlock(0, s).sleep(0, 9).runs(1);
}

#[test]
fn a_request_to_a_mailbox_that_nobody_serves_waits_for_a_receiver() {
    let mut system = threads(&[5, 3]);
    let mailbox = system.mailbox();
    let mut stage = Stage::new(&system);
    stage.request(CLIENT, mailbox, 1).runs(SERVER);
    assert_eq!(stage.model.parked(CLIENT), Some(Parking::Mailbox(mailbox)));
    stage.receive(SERVER, mailbox).runs(SERVER);
    assert_eq!(stage.model.effective(SERVER).priority, 5);
    stage.reply(SERVER, 9).runs(CLIENT);
}

#[test]
fn a_stale_token_is_dropped_and_the_server_receives_all_the_same() {
    let mut system = threads(&[5, 9]);
    let mailbox = system.mailbox();
    let mut stage = Stage::new(&system);
    stage.receive(SERVER, mailbox).request(CLIENT, mailbox, 1);
    let (_, token) = stage.model.client(SERVER).unwrap();
    stage
        .reply(SERVER, 7)
        .request(CLIENT, mailbox, 2)
        .runs(SERVER);
    stage.reply_to(SERVER, CLIENT, token, 8).idles();
    assert!(matches!(stage.model.state(CLIENT), State::Calls { .. }));
}

#[test]
fn replying_to_nobody_receives() {
    let mut system = threads(&[5, 9]);
    let mailbox = system.mailbox();
    let mut stage = Stage::new(&system);
    let nobody = Request::ReplyReceive {
        client: None,
        token: 0,
        words: [0; 4],
    };
    stage.call(SERVER, nobody.clone());
    assert_eq!(
        stage.error(SERVER),
        Some(EINVAL),
        "it has received nowhere yet"
    );
    let id = stage.id(mailbox);
    let poll = Request::Receive {
        mailbox: id,
        until: 0,
    };
    stage.call(SERVER, poll).call(SERVER, nobody).runs(CLIENT);
    stage.call(
        CLIENT,
        Request::Send {
            mailbox: id,
            priority: 3,
            words: [1, 2, 3, 4],
        },
    );
    stage.runs(SERVER);
    let expected = [1, 2, 3, 4, 3 | (NOBODY as u32) << 16, 0];
    assert_eq!(stage.values(SERVER), expected);
}

#[test]
fn the_client_in_the_hand_of_a_server_that_dies_gets_an_error_and_the_queued_wait() {
    let mut system = processes(&[20, 9, 5, 4]);
    system.processes[1].restarts = true;
    let mailbox = system.mailbox();
    let mut stage = Stage::new(&system);
    stage.sleep(0, 1).receive(1, mailbox).request(2, mailbox, 1);
    stage.call(1, Request::Sleep { until: 100 }).runs(3);
    stage.request(3, mailbox, 2).idles();
    stage.pass(1).kill(0, 1).sleep(0, 200).runs(1);
    // it has begun anew, more urgent than both
    stage.receive(1, mailbox).runs(2);
    assert_eq!(stage.error(2), Some(EIDRM));
    stage.sleep(2, 200).runs(1);
    assert_eq!(stage.values(1)[0], 2);
    stage.reply(1, 5).runs(3);
    assert_eq!(stage.values(3)[0], 5);
}

#[test]
fn queued_requests_get_an_error_if_nobody_is_left_to_receive_them() {
    let mut system = processes(&[20, 9, 5]);
    let mailbox = system.mailbox();
    for process in [0, 2] {
        system.objects[mailbox].rights[process] = giornata_abi::system::RIGHT_USE;
    }
    let mut stage = Stage::new(&system);
    let id = stage.id(mailbox);
    let poll = Request::Receive {
        mailbox: id,
        until: 0,
    };
    stage
        .sleep(0, 1)
        .call(1, poll)
        .sleep(1, 100)
        .request(2, mailbox, 1)
        .idles();
    stage.pass(1).kill(0, 1).sleep(0, 9).runs(2);
    assert_eq!(stage.error(2), Some(EIDRM));
}

#[test]
fn forwarding_a_request_moves_whom_the_client_waits_for() {
    let mut system = threads(&[5, 9, 8]);
    let [first, second] = [system.mailbox(), system.mailbox()];
    let mut stage = Stage::new(&system);
    stage
        .receive(1, first)
        .receive(2, second)
        .request(0, first, 77)
        .runs(1);
    // 1 is itself again, and more urgent than the client
    stage.forward(1, second).runs(1);
    assert_eq!(stage.model.waits_for(0), Some(2));
    stage.forward(1, second);
    assert_eq!(stage.error(1), Some(EINVAL), "nothing is in its hand");
    stage.sleep(1, 9).runs(2);
    assert_eq!(stage.values(2)[0], 77);
    stage.reply(2, 78).runs(0);
    assert_eq!(stage.values(0)[0], 78);
}

#[test]
fn a_call_or_a_forward_that_would_close_a_circle_is_refused() {
    let mut system = threads(&[5, 9, 8]);
    let [first, second] = [system.mailbox(), system.mailbox()];
    let mut stage = Stage::new(&system);
    stage
        .receive(1, first)
        .receive(2, second)
        .request(0, first, 1);
    stage.request(1, second, 2).runs(2);
    stage.request(2, first, 3);
    assert_eq!(stage.error(2), Some(EDEADLK), "1 waits for 2");
    stage.forward(2, first);
    assert_eq!(stage.error(2), Some(EDEADLK), "1 would wait for itself");
    stage.reply(2, 4).runs(1).request(1, first, 5);
    assert_eq!(stage.error(1), Some(EDEADLK), "it serves that itself");
}

#[test]
fn a_chain_of_calls_and_mutexes_is_one_chain() {
    let mut system = threads(&[9, 5, 3, 7]);
    let [mailbox, m] = [system.mailbox(), system.mutex()];
    let mut stage = Stage::new(&system);
    stage.sleep(0, 2).sleep(3, 3).receive(1, mailbox).lock(2, m);
    stage
        .pass(2)
        .request(0, mailbox, 1)
        .runs(1)
        .lock(1, m)
        .runs(2);
    stage
        .pass(3)
        .runs(2)
        .unlock(2, m)
        .runs(1)
        .reply(1, 1)
        .runs(0);
}

#[test]
fn asynchronous_messages_do_not_chain() {
    let mut system = threads(&[9, 3, 7]);
    let mailbox = system.mailbox();
    let mut stage = Stage::new(&system);
    stage
        .sleep(0, 2)
        .sleep(2, 1)
        .receive(1, mailbox)
        .pass(2)
        .runs(0);
    let id = stage.id(mailbox);
    let send = Request::Send {
        mailbox: id,
        priority: 0,
        words: [1; 4],
    };
    stage.call(0, send).sleep(0, 9).runs(2).sleep(2, 9).runs(1);
    assert_eq!(stage.model.place(1).unwrap().priority, 3);
}

#[test]
fn a_server_that_asks_for_all_runs_at_its_messages_and_a_queued_one_is_not_hastened() {
    let mut system = threads(&[9, 3, 6, 5]);
    let mailbox = system.mailbox();
    let (server, sender, other) = (1, 2, 3);
    let mut stage = Stage::new(&system);
    let id = stage.id(mailbox);
    let serve = Request::ReceiveBytes {
        mailbox: id,
        until: NEVER,
        capacity: 64,
        full: true,
    };
    let send = Request::SendBytes {
        mailbox: id,
        priority: 0,
        bytes: vec![1; 20],
        route: Route::Usual,
    };
    stage
        .sleep(0, 2)
        .sleep(sender, 1)
        .sleep(other, 1)
        .call(server, serve.clone());
    stage
        .pass(1)
        .call(sender, send)
        .runs(sender)
        .sleep(sender, 5);
    stage.runs(server);
    assert_eq!(stage.model.place(server).unwrap().priority, 6);
    stage
        .pass(2)
        .set_priority(0, sender, 20)
        .sleep(0, 9)
        .runs(server);
    assert_eq!(stage.model.place(server).unwrap().priority, 6);
    stage.call(server, serve).runs(other);
    assert_eq!(stage.model.place(server).unwrap().priority, 3);
}

//! Clients, servers and senders that end.

use giornata_abi::Error::{EAGAIN, EBUSY, EDEADLK, EIDRM, EINVAL, EOWNERDEAD, ESRCH};
use giornata_abi::call::Call;
use giornata_abi::system::FaultPolicy;
use giornata_abi::trace::FaultCause;
use giornata_records::{Description, ObjectKind, Rights};

use crate::stage::*;

/// Kills processes.
const SUPERVISOR: usize = 0;

/// Processes of one thread each, the first the supervisor of the others.
fn family(priorities: &[u8], policy: FaultPolicy) -> Description {
    let mut system = processes(priorities);
    for process in &mut system.processes[1..] {
        process.supervisor = Some(SUPERVISOR);
        process.on_fault = Some(policy);
    }
    system
}

#[track_caller]
fn kill(stage: &mut Stage, process: usize) -> &mut Stage {
    stage.call(SUPERVISOR, Call::KillProcess, [process, 0, 0, 0, 0, 0]);
    stage.returned(SUPERVISOR, &[])
}

#[test]
fn a_server_whose_last_client_dies_goes_on_at_the_urgency_of_the_request() {
    let mut system = family(&[20, 9, 5, 7, 4], FaultPolicy::Stop);
    let mailbox = mailbox(&mut system, PLAIN);
    let (server, client, other, low) = (1, 2, 3, 4);
    let mut stage = Stage::new(&system);
    stage
        .sleep(SUPERVISOR, 2)
        .receive(server, mailbox)
        .sleep(other, 1);
    stage.request(client, mailbox, 1).runs(server);
    let token = stage.has_request(server, client, 1);
    stage.advance(1).runs(other).advance(1);
    kill(&mut stage, client).sleep(SUPERVISOR, 9).runs(other);
    stage.sleep(other, 9).runs(server);
    assert_eq!(stage.priority(server), 5);
    // its reply is dropped, and it receives
    stage.reply(server, client, token, 1).runs(low);
    assert_eq!(stage.priority(server), 9);
    stage
        .send(low, mailbox, 0, 2)
        .runs(server)
        .has_word(server, 0, 2);
}

#[test]
fn a_protocol_server_whose_client_dies_goes_on_at_the_urgency_of_the_request() {
    let mut system = family(&[20, 3, 5, 4], FaultPolicy::Stop);
    let mailbox = mailbox(&mut system, ALL);
    let mut stage = Stage::new(&system);
    stage
        .sleep(SUPERVISOR, 1)
        .sleep(2, 1)
        .sleep(3, 1)
        .serve(1, mailbox);
    stage
        .advance(1)
        .sleep(SUPERVISOR, 2)
        .request(2, mailbox, 1)
        .runs(1);
    stage.advance(1);
    kill(&mut stage, 2).sleep(SUPERVISOR, 9).runs(1);
    assert_eq!(stage.priority(1), 5);
    stage.serve(1, mailbox).runs(3);
    assert_eq!(stage.priority(1), 3);
}

#[test]
fn a_server_with_another_client_goes_on_in_the_place_of_that() {
    let mut system = family(&[20, 9, 5, 4], FaultPolicy::Stop);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    stage.sleep(SUPERVISOR, 2).receive(1, mailbox).sleep(2, 1);
    stage.request(3, mailbox, 1).runs(1);
    let of_3 = stage.has_request(1, 3, 1);
    stage
        .receive(1, mailbox)
        .idles()
        .advance(1)
        .request(2, mailbox, 2)
        .runs(1);
    stage.has_request(1, 2, 2);
    stage.advance(1);
    kill(&mut stage, 2).sleep(SUPERVISOR, 9).runs(1);
    assert_eq!(stage.rig.kernel().first().number(), 3);
    stage.reply(1, 3, of_3, 7).runs(3).returned(3, &[7]);
}

#[test]
fn a_queued_request_is_withdrawn_when_its_client_dies() {
    let mut system = family(&[20, 9, 5, 4], FaultPolicy::Stop);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    stage
        .sleep(SUPERVISOR, 1)
        .receive_until(1, mailbox, NOW)
        .sleep(1, 50);
    stage.request(2, mailbox, 1).request(3, mailbox, 2).idles();
    assert_eq!((stage.free(2), stage.free(3)), (3, 3));
    stage.advance(1);
    kill(&mut stage, 2).sleep(SUPERVISOR, 90).idles();
    assert_eq!((stage.free(2), stage.free(3)), (4, 3));
    stage.advance(49).rig.take_results(1);
    stage.receive(1, mailbox);
    let token = stage.has_request(1, 3, 2);
    stage.reply(1, 3, token, 5).runs(3).returned(3, &[5]);
}

#[test]
fn a_caller_that_nobody_serves_dies_and_its_request_with_it() {
    let mut system = family(&[20, 9, 5], FaultPolicy::Restart);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    stage
        .sleep(SUPERVISOR, 1)
        .sleep(1, 50)
        .request(2, mailbox, 1)
        .idles();
    stage.advance(1);
    kill(&mut stage, 2).sleep(SUPERVISOR, 90).runs(2);
    assert_eq!(stage.free(2), 4);
    stage.sleep(2, 90).advance(49).rig.take_results(1);
    stage.receive(1, mailbox).idles();
}

#[test]
fn the_request_of_a_dead_client_is_received_by_nobody() {
    let mut system = processes(&[9, 5]);
    thread(&mut system, 1, 3);
    let (server, client, low) = (0, 1, 2);
    let mailbox = mailbox(&mut system, PLAIN);
    let mutex = object(&mut system, ObjectKind::Mutex, ALL);
    let mut stage = Stage::new(&system);
    stage.sleep(server, 1).request(client, mailbox, 1);
    let lock = [mutex, 1, EVER[0], EVER[1], 0, 0];
    stage.call(low, Call::Lock, lock).returned(low, &[]);
    // it faults in the place of the server, which runs before the end of the process does
    stage.advance(1).call(server, Call::Lock, lock).runs(low);
    stage.rig.fault(FaultCause::Illegal, 0, 0);
    stage.runs(server).refused(server, EOWNERDEAD);
    assert_eq!(stage.free(1), 3);
    stage.receive(server, mailbox).idles();
    assert_eq!(stage.free(1), 4);
}

#[test]
fn the_server_of_a_mailbox_does_not_answer_for_a_client_of_its_last_receiver() {
    let mut system = family(&[20, 9, 8, 7], FaultPolicy::Stop);
    let (first, second, client) = (1, 2, 3);
    let [served, shared] = [(); 2].map(|()| mailbox(&mut system, ALL));
    let mut stage = Stage::new(&system);
    stage
        .sleep(SUPERVISOR, 3)
        .serve(first, served)
        .sleep(second, 1);
    stage.request(client, served, 1).runs(first);
    stage.receive_until(first, shared, NOW).sleep(first, 2);
    stage.advance(1).serve(second, shared).advance(3);
    kill(&mut stage, client);
    assert_eq!((stage.priority(first), stage.priority(second)), (7, 8));
}

#[test]
fn the_client_in_the_hand_of_a_server_that_dies_gets_an_error_and_the_queued_wait() {
    let mut system = family(&[20, 9, 5, 4], FaultPolicy::Restart);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    stage
        .sleep(SUPERVISOR, 1)
        .receive(1, mailbox)
        .request(2, mailbox, 1);
    let stale = stage.has_request(1, 2, 1);
    stage.sleep(1, 100).runs(3).request(3, mailbox, 2).idles();
    stage.advance(1);
    kill(&mut stage, 1).sleep(SUPERVISOR, 200).runs(1);
    // it has begun anew, more urgent than both, and has received nowhere yet
    stage.rig.take_results(1);
    stage.reply(1, 2, stale, 3).refused(1, EINVAL);
    stage.receive(1, mailbox).runs(2).refused(2, EIDRM);
    stage.sleep(2, 200).runs(1);
    let token = stage.has_request(1, 3, 2);
    stage.reply(1, 3, token, 5).runs(3).returned(3, &[5]);
}

#[test]
fn the_end_of_a_server_is_the_work_of_its_most_urgent_client() {
    // between them runs nobody
    let mut system = family(&[20, 2, 9, 5], FaultPolicy::Restart);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    stage
        .sleep(SUPERVISOR, 9)
        .sleep(2, 1)
        .sleep(3, 1)
        .receive(1, mailbox);
    stage.advance(1).request(2, mailbox, 1).runs(1);
    stage.has_request(1, 2, 1);
    stage.rig.fault(FaultCause::Illegal, 0, 0);
    stage.runs(2).refused(2, EIDRM).sleep(2, 20).runs(3);
}

#[test]
fn queued_requests_get_an_error_if_nobody_is_left_to_receive_them() {
    let mut system = family(&[20, 9, 5, 4], FaultPolicy::Stop);
    let mailbox = mailbox(&mut system, PLAIN);
    for process in [0, 2, 3] {
        system.objects[mailbox].rights[process] = Rights {
            used: true,
            ..Rights::default()
        };
    }
    let mut stage = Stage::new(&system);
    stage
        .sleep(SUPERVISOR, 1)
        .receive_until(1, mailbox, NOW)
        .sleep(1, 100);
    stage.request(2, mailbox, 1).sleep(3, 90).idles().advance(1);
    kill(&mut stage, 1)
        .sleep(SUPERVISOR, 95)
        .runs(2)
        .refused(2, EIDRM);
    assert_eq!(stage.free(2), 4);
}

#[test]
fn queued_requests_wait_if_another_process_may_receive_them() {
    let mut system = family(&[20, 9, 5, 4], FaultPolicy::Stop);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    stage
        .sleep(SUPERVISOR, 1)
        .receive_until(1, mailbox, NOW)
        .sleep(1, 100);
    stage.request(2, mailbox, 1).sleep(3, 9).idles().advance(1);
    kill(&mut stage, 1).sleep(SUPERVISOR, 95).idles();
    stage.advance(8).rig.take_results(3);
    stage.receive(3, mailbox);
    let token = stage.has_request(3, 2, 1);
    stage.reply(3, 2, token, 4).runs(2).returned(2, &[4]);
}

#[test]
fn a_thread_that_exits_refuses_its_clients_and_leaves_its_mailbox() {
    let mut system = threads(&[5, 9, 6, 4]);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    stage
        .receive(1, mailbox)
        .sleep(2, 1)
        .request(0, mailbox, 1)
        .runs(1);
    stage.has_request(1, 0, 1);
    stage.receive(1, mailbox).runs(3).sleep(3, 30).advance(1);
    stage.request(2, mailbox, 2).runs(1).has_request(1, 2, 2);
    stage.call(1, Call::Exit, [0; 6]).runs(2).refused(2, EIDRM);
    // who calls now waits for another thread
    stage.request(2, mailbox, 3).runs(0).refused(0, EIDRM);
    stage.receive(0, mailbox).runs(0);
    let token = stage.has_request(0, 2, 3);
    stage.reply(0, 2, token, 8).runs(2).returned(2, &[8]);
}

/// A mutex under which a supervisor at 5 goes on, at 7, before the end of what it kills.
fn ceiling(system: &mut Description) -> usize {
    let mutex = object(system, ObjectKind::Mutex, ALL);
    system.objects[mutex].ceiling = Some(7);
    mutex
}

#[track_caller]
fn lock(stage: &mut Stage, mutex: usize) {
    stage.call(SUPERVISOR, Call::Lock, [mutex, 1, EVER[0], EVER[1], 0, 0]);
    stage.returned(SUPERVISOR, &[]);
}

#[test]
fn a_dead_server_whose_timeout_comes_leaves_its_mailbox_before_the_rest_of_its_process_ends() {
    let mut system = family(&[5, 9], FaultPolicy::Stop);
    let mailbox = mailbox(&mut system, ALL);
    let ceiling = ceiling(&mut system);
    let mut stage = Stage::new(&system);
    stage.serve_until(1, mailbox, [10, 0]);
    lock(&mut stage, ceiling);
    kill(&mut stage, 1)
        .serve_until(SUPERVISOR, mailbox, NOW)
        .refused(SUPERVISOR, EBUSY);
    // awake, the server is more urgent: its turn is its own end, and nothing more
    stage
        .advance(10)
        .serve_until(SUPERVISOR, mailbox, NOW)
        .refused(SUPERVISOR, EAGAIN);
    stage
        .call(SUPERVISOR, Call::CreateProcess, [1, 0, 0, 0, 0, 0])
        .refused(SUPERVISOR, EBUSY);
}

#[test]
fn who_hangs_on_a_dead_server_comes_back_with_the_end_of_that() {
    let mut system = family(&[5, 9, 3], FaultPolicy::Stop);
    let mailbox = mailbox(&mut system, PLAIN);
    let ceiling = ceiling(&mut system);
    let (server, client) = (1, 2);
    let mut stage = Stage::new(&system);
    stage.receive(server, mailbox).sleep(SUPERVISOR, 1);
    stage.request(client, mailbox, 1).runs(server);
    stage.has_request(server, client, 1);
    stage.sleep(server, 100).idles().advance(1);
    stage.rig.take_results(SUPERVISOR);
    lock(&mut stage, ceiling);
    kill(&mut stage, server);
    let hangs = |stage: &Stage| stage.rig.thread(server).parked().is_some();
    assert!(hangs(&stage), "the end has to wait");
    stage
        .sleep(SUPERVISOR, 9)
        .runs(client)
        .refused(client, EIDRM);
    assert!(!hangs(&stage));
}

#[test]
fn a_server_has_the_request_of_a_dead_client_until_that_has_ended() {
    let mut system = family(&[5, 7, 8], FaultPolicy::Stop);
    let mailbox = mailbox(&mut system, PLAIN);
    let (dead, client) = (1, 2);
    let mut stage = Stage::new(&system);
    stage.request(client, mailbox, 2).request(dead, mailbox, 1);
    for (client, word) in [(client, 2), (dead, 1)] {
        stage.receive(SUPERVISOR, mailbox);
        stage.has_request(SUPERVISOR, client, word);
    }
    // it runs in the place of the other, in front of the dead one and the end
    kill(&mut stage, dead);
    assert!(stage.rig.thread(dead).wants().is_some());
    stage.sleep(SUPERVISOR, 1).idles();
    assert!(stage.rig.thread(dead).wants().is_none());
}

#[test]
fn a_dead_server_that_waits_for_its_caller_closes_a_circle_until_it_has_ended() {
    let mut system = family(&[5, 3], FaultPolicy::Restart);
    let mailbox = mailbox(&mut system, PLAIN);
    let mutex = object(&mut system, ObjectKind::Mutex, ALL);
    let ceiling = ceiling(&mut system);
    let server = 1;
    let mut stage = Stage::new(&system);
    lock(&mut stage, mutex);
    stage
        .sleep(SUPERVISOR, 1)
        .receive_until(server, mailbox, NOW);
    stage.call(server, Call::Lock, [mutex, 1, EVER[0], EVER[1], 0, 0]);
    stage.idles().advance(1);
    stage.rig.take_results(SUPERVISOR);
    lock(&mut stage, ceiling);
    kill(&mut stage, server);
    stage
        .request(SUPERVISOR, mailbox, 1)
        .refused(SUPERVISOR, EDEADLK);
    stage.sleep(SUPERVISOR, 2).runs(server).advance(1);
    stage.rig.take_results(SUPERVISOR);
    // it has begun anew, and has received nothing yet
    stage.request(SUPERVISOR, mailbox, 1).runs(server);
}

#[test]
fn messages_outlive_the_server_that_dies_but_for_the_one_in_its_hand() {
    let mut system = family(&[5, 9], FaultPolicy::Restart);
    system.processes[0].messages.0 = 2;
    let mailbox = mailbox(&mut system, ALL);
    let mut stage = Stage::new(&system);
    stage.sleep(1, 50);
    stage
        .send(0, mailbox, 1, 1)
        .send(0, mailbox, 1, 2)
        .sleep(0, 100);
    stage
        .advance(50)
        .serve(1, mailbox)
        .returned(1, &[16 | 1 << 16, 0, 1, 0, 0, 1]);
    assert_eq!(stage.data(1, 4), [1, 0, 0, 0]);
    stage.rig.fault(FaultCause::Illegal, 0, 0);
    stage.runs(1);
    assert_eq!(stage.priority(1), 9, "it has nothing in its hand");
    stage.rig.take_results(1);
    stage
        .serve(1, mailbox)
        .returned(1, &[16 | 1 << 16, 0, 1, 0, 0, 1]);
    assert_eq!(stage.data(1, 4), [2, 0, 0, 0]);
    // the sender's pool is whole again
    assert_eq!(stage.free(0), 2);
}

#[test]
fn messages_outlive_their_sender() {
    let mut system = family(&[20, 9, 5], FaultPolicy::Restart);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    stage
        .sleep(SUPERVISOR, 1)
        .sleep(1, 5)
        .send(2, mailbox, 0, 7)
        .advance(1);
    kill(&mut stage, 2).sleep(SUPERVISOR, 90);
    assert_eq!(stage.free(2), 3);
    stage.advance(4).runs(1).rig.take_results(1);
    stage.receive_bytes(1, mailbox, 16);
    // its sender is told as the thread that it was
    stage.returned(1, &[16, 0, 0, 0, 2, 1]);
    assert_eq!(stage.free(2), 4);
    assert_eq!(stage.rig.thread(2).serial.get(), 2);
}

#[test]
fn what_is_being_copied_when_its_thread_dies_is_given_back() {
    let mut system = family(&[20, 4, 5], FaultPolicy::Restart);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    stage.sleep(SUPERVISOR, 100);
    stage.rig.pass(100);
    stage.send_bytes(2, mailbox, 200, (0, 0)).runs(SUPERVISOR);
    assert_eq!(stage.free(2), 3);
    stage.rig.take_results(SUPERVISOR);
    kill(&mut stage, 2).sleep(SUPERVISOR, 200).runs(2);
    assert_eq!(stage.free(2), 4);
    stage.send_bytes(2, mailbox, 200, (0, 0)).sleep(2, 900);
    stage.rig.pass(100);
    stage.rig.take_results(SUPERVISOR);
    stage.receive_bytes(1, mailbox, 200).runs(SUPERVISOR);
    assert_eq!(stage.free(2), 3);
    stage.rig.take_results(SUPERVISOR);
    kill(&mut stage, 1).sleep(SUPERVISOR, 900);
    assert_eq!(stage.free(2), 4);
}

#[test]
fn a_request_that_is_being_received_when_its_client_dies_is_a_message() {
    let mut system = family(&[20, 4, 5, 6], FaultPolicy::Restart);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    // 1 waits for bytes; woken by the request of 2 it has yet to run when 2 dies
    stage
        .sleep(SUPERVISOR, 3)
        .sleep(3, 2)
        .sleep(2, 2)
        .receive_bytes(1, mailbox, 16);
    stage.advance(2).runs(3).sleep(3, 3).runs(2);
    stage.rig.pass(1);
    stage.request(2, mailbox, 9);
    stage.rig.interrupt();
    stage.rig.check_invariants();
    if stage.rig.running() == SUPERVISOR {
        kill(&mut stage, 2).sleep(SUPERVISOR, 90);
    }
    stage.sleep(3, 90).sleep(2, 90).runs(1);
    let results = stage.results(1);
    assert_eq!(results[0], 0);
    assert_eq!(stage.free(2), 4);
}

#[test]
fn who_waits_for_a_mailbox_that_is_deleted_is_told_and_its_messages_go_back() {
    let mut system = threads(&[5, 6, 7, 4]);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    let create = |stage: &mut Stage, thread, serial| {
        stage.call(thread, Call::CreateObject, [mailbox, 0, 0, 0, 0, 0]);
        stage.returned(thread, &[mailbox, serial]);
    };
    stage.receive(2, mailbox).receive_bytes(1, mailbox, 9);
    stage
        .call(0, Call::DeleteObject, [mailbox, 1, 0, 0, 0, 0])
        .runs(2);
    stage
        .refused(2, EIDRM)
        .sleep(2, 900)
        .refused(1, EIDRM)
        .sleep(1, 900);
    stage.returned(0, &[]);
    stage.send(0, mailbox, 0, 1).refused(0, ESRCH);
    for serial in 2..9 {
        create(&mut stage, 0, serial);
        let (to, id) = (mailbox | serial << 16, serial);
        for _ in 0..4 {
            stage
                .call(0, Call::Send, [to, id, 1, 0, 0, 0])
                .returned(0, &[]);
        }
        assert_eq!(stage.free(0), 0);
        stage
            .call(0, Call::Send, [to, serial - 1, 1, 0, 0, 0])
            .refused(0, ESRCH);
        stage.call(0, Call::DeleteObject, [mailbox, id, 0, 0, 0, 0]);
        stage.returned(0, &[]);
        assert_eq!(stage.free(0), 4);
    }
}

#[test]
fn callers_of_a_mailbox_that_is_deleted_are_told_but_for_those_in_a_hand() {
    let mut system = threads(&[5, 9, 6, 4]);
    let mailbox = mailbox(&mut system, PLAIN);
    let mut stage = Stage::new(&system);
    stage
        .receive(1, mailbox)
        .sleep(2, 1)
        .request(0, mailbox, 1)
        .runs(1);
    let token = stage.has_request(1, 0, 1);
    stage.sleep(1, 9).advance(1).request(2, mailbox, 2).runs(3);
    stage.call(3, Call::DeleteObject, [mailbox, 1, 0, 0, 0, 0]);
    stage
        .runs(2)
        .refused(2, EIDRM)
        .sleep(2, 99)
        .runs(3)
        .sleep(3, 99);
    stage.advance(8).runs(1).rig.take_results(1);
    // its reply comes; the next is of a mailbox that is no more, or of another there
    stage.reply(1, 0, token, 7).refused(1, ESRCH);
    stage.call(1, Call::CreateObject, [mailbox, 0, 0, 0, 0, 0]);
    stage.reply(1, 0, token, 7).refused(1, ESRCH);
    stage.sleep(1, 99).runs(0).returned(0, &[7]);
}

#[test]
fn a_mailbox_that_was_attached_is_made_anew_without() {
    let mut system = threads(&[5, 9]);
    let [server, plain] = [(); 2].map(|()| mailbox(&mut system, PLAIN));
    let mut stage = Stage::new(&system);
    stage.receive(1, server);
    stage
        .call(0, Call::DeleteObject, [plain, 1, 0, 0, 0, 0])
        .returned(0, &[]);
    stage
        .call(0, Call::CreateObject, [plain, 1, server, 0, 0, 0])
        .returned(0, &[plain, 2]);
    stage
        .call(0, Call::Send, [plain, 2, 7, 0, 0, 0])
        .runs(1)
        .has_word(1, 0, 7);
    stage.receive(1, server);
    stage
        .call(0, Call::DeleteObject, [plain, 2, 0, 0, 0, 0])
        .returned(0, &[]);
    stage
        .call(0, Call::CreateObject, [plain, 0, 0, 0, 0, 0])
        .returned(0, &[plain, 3]);
    // its own now, in the usual way and the general one
    let address = data(0);
    stage
        .call(0, Call::Send, [plain, 3, 8, 0, 0, 0])
        .returned(0, &[]);
    stage
        .call(0, Call::SendBytes, [plain, 3, address, 4, 0, 0])
        .returned(0, &[]);
    let [low, high] = NOW;
    stage
        .call(0, Call::Receive, [plain, 3, low, high, 0, 0])
        .has_word(0, 0, 8);
    stage
        .call(0, Call::Receive, [plain, 3, low, high, 0, 0])
        .has_word(0, 0, 0);
}

/// A thread that has received from a hundred mailboxes ends, and another is to run every
/// other piece: so few mailboxes have lost their reader since.
#[test]
fn the_reader_of_many_mailboxes_leaves_them_one_a_piece() {
    for is_killed in [false, true] {
        let mut system = family(&[9, 5, 12], FaultPolicy::Stop);
        let boxes: Vec<usize> = (0..100).map(|_| mailbox(&mut system, PLAIN)).collect();
        let mut stage = Stage::new(&system);
        let other = 2;
        let at = if is_killed { 10 } else { 1_000_000 };
        stage.sleep(other, 10).sleep(SUPERVISOR, at);
        for mailbox in &boxes {
            stage.receive_until(1, *mailbox, NOW).refused(1, EAGAIN);
        }
        stage.rig.set_piece_time(10);
        let read = |stage: &Stage| {
            let is_read = |mailbox: &&usize| stage.rig.object(**mailbox).owner().is_some();
            boxes.iter().filter(is_read).count()
        };
        assert_eq!(read(&stage), boxes.len());
        if is_killed {
            stage.advance(10).sleep(other, 30);
            stage.rig.take_results(SUPERVISOR);
            stage.call(SUPERVISOR, Call::KillProcess, [1, 0, 0, 0, 0, 0]);
        } else {
            stage.call(1, Call::Exit, [0; 6]);
        }
        stage.runs(other);
        let (mut left, mut pieces) = (boxes.len(), 0);
        while left != 0 {
            let due = stage.rig.now() as usize + 20;
            stage.sleep(other, due);
            let now = read(&stage);
            assert!(left - now <= 3, "{} mailboxes in two pieces", left - now);
            (left, pieces) = (now, pieces + 1);
        }
        assert!(pieces > 30, "{pieces} pieces");
    }
}

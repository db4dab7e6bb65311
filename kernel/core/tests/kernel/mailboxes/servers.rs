//! Servers of mailboxes, and the urgency that they inherit.

use super::*;
use giornata_abi::message::Envelope;
use giornata_abi::system::FaultPolicy;
use giornata_abi::trace::{FaultCause, TraceKind};

/// Threads 0 (client, priority 9), 1 (between, 5) and 2 (server, 1). Mailbox 0 is
/// attached to mailbox 1, the server's.
fn with_server() -> SystemBuilder {
    let mut b = threads([9, 5, 1]);
    let plain = b.attached_mailbox(1);
    let server = b.mailbox();
    for mailbox in [plain, server] {
        b.grant_object(0, mailbox, EVERY_RIGHT);
    }
    b
}

/// What a server is told of a message.
fn told(length: usize, destination: usize, node: u16, incoming: bool, sender: usize) -> Answer {
    let from = Envelope { node, incoming }.word();
    Answer::five([length, 0, destination, from, sender])
}

#[test]
fn what_comes_for_an_attached_mailbox_goes_through_its_server() {
    let b = with_server();
    simulate(&b.finish(), |simulation| {
        direct(simulation, 1, vec![send_word(0, 0, 77), sleep_until(50)]);
        let client = direct(simulation, 0, vec![receive_words(0, FOR_EVER)]);
        let server = direct(
            simulation,
            2,
            vec![
                receive_bytes(1, 16, receive::FULL),
                send_bytes(0, 16, send::DIRECT, 0),
            ],
        );
        assert_eq!(simulation.run(), Ended::Quiet);
        assert_eq!(server.take(), [told(16, 0, 0, true, 1), Answer::DONE]);
        assert_eq!(client.take(), [word(77, 0)]);
    });
}

#[test]
fn what_goes_out_names_its_destination_to_the_server() {
    let b = with_server();
    simulate(&b.finish(), |simulation| {
        let via = 3 << 16 | 1;
        direct(simulation, 0, vec![send_bytes(42, 5, send::VIA, via)]);
        let server = direct(simulation, 2, vec![receive_bytes(1, 16, receive::FULL)]);
        assert_eq!(simulation.run(), Ended::Quiet);
        assert_eq!(server.take(), [told(5, 42, 3, false, 0)]);
    });
}

/// The server's steps: as long as it has something to do it takes 4 us a message.
fn serving() -> Vec<Act> {
    let take = receive_bytes(1, 64, receive::FULL);
    vec![take, compute(4), take, compute(4), take]
}

#[test]
fn a_server_runs_as_urgently_as_the_message_that_it_has() {
    let b = with_server();
    simulate(&b.finish(), |simulation| {
        direct(
            simulation,
            0,
            vec![sleep_until(10), send_bytes(42, 5, send::VIA, 1)],
        );
        direct(simulation, 1, vec![sleep_until(10), compute(20)]);
        direct(simulation, 2, serving());
        assert_eq!(simulation.run(), Ended::Quiet);
        // without inheritance the thread between would run at 10
        assert_eq!(
            timeline(simulation.records()),
            [
                (0, Some(0)),
                (0, Some(1)),
                (0, Some(2)),
                (0, None),
                (10, Some(0)),
                (10, Some(2)),
                (14, Some(1)),
                (34, None)
            ]
        );
    });
}

#[test]
fn a_message_that_comes_raises_the_server_that_has_one_in_hand() {
    let b = with_server();
    simulate(&b.finish(), |simulation| {
        direct(
            simulation,
            0,
            vec![sleep_until(12), send_bytes(42, 5, send::VIA, 1)],
        );
        direct(
            simulation,
            1,
            vec![
                sleep_until(10),
                send_bytes(42, 5, send::VIA, 1),
                sleep_until(11),
                compute(20),
            ],
        );
        direct(simulation, 2, serving());
        assert_eq!(simulation.run(), Ended::Quiet);
        assert_eq!(
            timeline(simulation.records())[4..],
            [
                (10, Some(1)),
                (10, Some(2)),
                // its first message is as urgent as thread 1, and was there before
                (12, Some(0)),
                // both: the one in hand to its end, then the urgent one
                (12, Some(2)),
                (18, Some(1)),
                (38, None)
            ]
        );
    });
}

#[test]
fn a_servers_own_priority_counts_only_while_it_has_nothing() {
    let mut b = threads([9, 5, 3]);
    let server = b.mailbox();
    b.grant_object(0, server, EVERY_RIGHT);
    let tables = b.finish();
    simulate(&tables, |simulation| {
        // the server has the highest priority, and a message of the lowest thread
        let take = call(
            Call::ReceiveBytes,
            &[0, FOR_EVER[0], FOR_EVER[1], SCRATCH, 64, receive::FULL],
        );
        direct(simulation, 0, vec![take, compute(4), take]);
        direct(simulation, 1, vec![sleep_until(11), compute(20)]);
        direct(
            simulation,
            2,
            vec![sleep_until(10), send_word(0, 0, 1), compute(1)],
        );
        assert_eq!(simulation.run(), Ended::Quiet);
        assert_eq!(
            timeline(simulation.records())[4..],
            [
                (10, Some(2)),
                // as its sender is, and behind it
                (10, Some(0)),
                (11, Some(1)),
                (31, Some(0)),
                (34, Some(2)),
                (35, None)
            ]
        );
    });
}

#[test]
fn urgency_passes_through_a_chain_of_servers() {
    let mut b = threads([9, 5, 1, 2]);
    let (stack, driver) = (b.mailbox(), b.mailbox());
    for mailbox in [stack, driver] {
        b.grant_object(0, mailbox, EVERY_RIGHT);
    }
    simulate(&b.finish(), |simulation| {
        let take = |mailbox| receive_bytes(mailbox, 64, receive::FULL);
        direct(
            simulation,
            0,
            vec![sleep_until(10), send_bytes(42, 5, send::VIA, 0)],
        );
        direct(simulation, 1, vec![sleep_until(10), compute(20)]);
        direct(
            simulation,
            2,
            vec![
                take(stack),
                compute(2),
                send_bytes(42, 5, send::VIA, 1),
                take(stack),
            ],
        );
        direct(simulation, 3, vec![take(driver), compute(3), take(driver)]);
        assert_eq!(simulation.run(), Ended::Quiet);
        let all = timeline_from(simulation.records(), 10);
        assert_eq!(
            all,
            [
                (10, Some(0)),
                (10, Some(2)),
                (12, Some(3)),
                (15, Some(1)),
                (35, None)
            ]
        );
    });
}

/// Thread 0 (priority 9) waits for the mutex that thread 2 (priority 2) has, which
/// waits for the answer of the server, thread 3 (priority 1); thread 1 (priority 5)
/// has nothing to do with it.
fn asked_with_a_mutex(until: [usize; 2]) -> Vec<(u64, Option<u16>)> {
    let mut b = threads([9, 5, 2, 1]);
    let (server, answers, mutex) = (b.mailbox(), b.mailbox(), b.mutex());
    for object in [server, answers, mutex] {
        b.grant_object(0, object, EVERY_RIGHT);
    }
    let lock = |[low, high]: [usize; 2]| call(Call::Lock, &[mutex as usize, low, high]);
    let unlock = call(Call::Unlock, &[mutex as usize]);
    simulate(&b.finish(), |simulation| {
        direct(
            simulation,
            0,
            vec![sleep_until(12), lock(until), compute(1)],
        );
        direct(simulation, 1, vec![sleep_until(11), compute(20)]);
        direct(
            simulation,
            2,
            vec![
                sleep_until(10),
                lock(FOR_EVER),
                send_word(server, 0, 1),
                receive_words(answers, FOR_EVER),
                unlock,
            ],
        );
        let take = receive_bytes(server, 64, receive::FULL);
        direct(
            simulation,
            3,
            vec![take, compute(6), send_word(answers, 0, 1), take],
        );
        assert_eq!(simulation.run(), Ended::Quiet);
        timeline_from(simulation.records(), 10)
    })
}

#[test]
fn urgency_passes_from_a_waiter_through_the_server_that_the_owner_asked() {
    assert_eq!(
        asked_with_a_mutex(FOR_EVER),
        [
            (10, Some(2)),
            (10, Some(3)),
            (11, Some(1)),
            (12, Some(0)),
            // not thread 1: the server has what thread 0 waits for in the end
            (12, Some(3)),
            (17, Some(2)),
            // it has the message in hand until it asks for the next
            (17, Some(3)),
            (17, Some(0)),
            (18, Some(1)),
            (37, Some(2)),
            (37, None)
        ]
    );
}

#[test]
fn a_waiter_that_gives_up_brings_the_server_down_again() {
    assert_eq!(
        asked_with_a_mutex([14_000, 0]),
        [
            (10, Some(2)),
            (10, Some(3)),
            (11, Some(1)),
            (12, Some(0)),
            (12, Some(3)),
            (14, Some(0)),
            (15, Some(1)),
            (34, Some(3)),
            (37, Some(2)),
            (37, None)
        ]
    );
}

/// Threads 0 (priority 9), 1 (5), 2 (2, a client) and 3 (1, a server). The client
/// asks while it has the mutex that thread 0 wants from 11 on; thread 1 has nothing
/// to do with it. Mailboxes 0 is the server's, 1 is for answers.
fn with_client(client: Vec<Act>, server: Vec<Act>, also: Vec<Act>) -> Vec<u16> {
    let mut b = threads([9, 5, 2, 1]);
    let objects = [b.mailbox(), b.mailbox(), b.mutex()];
    for object in objects {
        b.grant_object(0, object, EVERY_RIGHT);
    }
    simulate(&b.finish(), |simulation| {
        direct(simulation, 0, also);
        direct(simulation, 1, vec![sleep_until(12), compute(20)]);
        direct(simulation, 2, client);
        direct(simulation, 3, server);
        assert_eq!(simulation.run(), Ended::Quiet);
        let from_ten = timeline_from(simulation.records(), 10).into_iter();
        from_ten.filter_map(|(_, thread)| thread).collect()
    })
}

const MUTEX: usize = 2;

fn lock_mutex() -> Act {
    call(Call::Lock, &[MUTEX, FOR_EVER[0], FOR_EVER[1]])
}

fn unlock_mutex() -> Act {
    call(Call::Unlock, &[MUTEX])
}

/// Takes a request, works on it, answers.
fn answering() -> Vec<Act> {
    let take = receive_bytes(0, 64, receive::FULL);
    vec![take, compute(6), send_word(1, 0, 1), take]
}

#[test]
fn a_request_is_as_urgent_as_its_sender_when_that_begins_to_wait() {
    let client = vec![
        sleep_until(10),
        lock_mutex(),
        send_word(0, 0, 1),
        compute(3),
        receive_words(1, FOR_EVER),
        unlock_mutex(),
    ];
    let also = vec![sleep_until(11), lock_mutex(), compute(1)];
    // thread 1 does not come between
    assert_eq!(
        with_client(client, answering(), also),
        [2, 0, 2, 3, 2, 3, 0, 1, 2]
    );
}

#[test]
fn a_request_that_was_refused_does_not_hide_the_one_before_it() {
    let mut client = vec![sleep_until(10), lock_mutex()];
    // its messages to itself use up the pool
    client.extend([send_word(1, 0, 1); 3]);
    client.extend([send_word(0, 0, 1), send_word(1, 0, 1)]);
    client.extend([receive_words(1, FOR_EVER); 4]);
    client.push(unlock_mutex());
    let also = vec![sleep_until(11), lock_mutex(), compute(1)];
    let mut server = vec![sleep_until(11)];
    server.extend(answering());
    assert_eq!(with_client(client, server, also), [2, 0, 3, 2, 3, 0, 1, 2]);
}

#[test]
fn a_change_of_a_waiters_priority_passes_through_the_server() {
    let client = vec![
        sleep_until(10),
        send_word(0, 0, 1),
        receive_words(1, FOR_EVER),
    ];
    let other = Id::new(2, 0).0 as usize;
    let also = vec![sleep_until(13), call(Call::SetPriority, &[other, 8])];
    assert_eq!(
        with_client(client, answering(), also),
        [2, 3, 1, 0, 3, 2, 1]
    );
}

/// A server has the message of thread 2 in its hand, thread 3 waits for its mutex,
/// and at 15 us it asks for more in vain. Who runs from 12 us on, when thread 1
/// arrives at 18 us.
fn after_the_last_message(mut b: SystemBuilder) -> Vec<(u64, Option<u16>)> {
    let (server, mutex) = (b.mailbox(), b.mutex());
    for object in [server, mutex] {
        b.grant_object(0, object, EVERY_RIGHT);
    }
    let lock = call(Call::Lock, &[mutex as usize, FOR_EVER[0], FOR_EVER[1]]);
    let take = |until: [usize; 2]| {
        let how = receive::FULL;
        call(
            Call::ReceiveBytes,
            &[0, until[0], until[1], SCRATCH, 64, how],
        )
    };
    simulate(&b.finish(), |simulation| {
        let served = vec![lock, take(FOR_EVER), compute(5), take([0, 0]), compute(5)];
        direct(simulation, 0, served);
        direct(simulation, 1, vec![sleep_until(18), compute(3)]);
        direct(
            simulation,
            2,
            vec![sleep_until(10), send_word(server, 0, 1)],
        );
        direct(simulation, 3, vec![sleep_until(12), lock]);
        assert_eq!(simulation.run(), Ended::Quiet);
        timeline_from(simulation.records(), 12)
    })
}

/// Thread 1 does not come between.
const UNDISTURBED: [(u64, Option<u16>); 6] = [
    (12, Some(3)),
    (12, Some(0)),
    (20, Some(1)),
    (23, Some(3)),
    (23, Some(2)),
    (23, None),
];

#[test]
fn a_server_without_messages_has_its_own_priority_whoever_waits_for_its_mutex() {
    let system = threads([9, 5, 2, 3]);
    assert_eq!(after_the_last_message(system), UNDISTURBED);
}

#[test]
fn a_server_without_messages_has_its_own_deadline_though_a_later_one_waits_for_its_mutex() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    let due_at_60 = Scheduling::Deadline(60_000);
    let (due_at_88, due_at_102) = (Scheduling::Deadline(70_000), Scheduling::Deadline(90_000));
    for scheduling in [due_at_60, due_at_88, Scheduling::Fifo(2), due_at_102] {
        b.thread(process, scheduling);
    }
    b.messages(process, 4, 200);
    assert_eq!(after_the_last_message(b), UNDISTURBED);
}

#[test]
fn a_priority_that_its_messages_hide_moves_no_server_among_those_that_wait() {
    let mut b = threads([3, 2, 5]);
    let (first, second, mutex) = (b.mailbox(), b.mailbox(), b.mutex());
    for object in [first, second, mutex] {
        b.grant_object(0, object, EVERY_RIGHT);
    }
    let mutex = mutex as usize;
    let lock = call(Call::Lock, &[mutex, FOR_EVER[0], FOR_EVER[1]]);
    let server = |mailbox| {
        let take = receive_bytes(mailbox, 64, receive::FULL);
        let unlock = call(Call::Unlock, &[mutex]);
        vec![take, lock, compute(1), unlock, compute(1)]
    };
    simulate(&b.finish(), |simulation| {
        // both have a message of thread 2 in their hands when they ask for its mutex
        direct(simulation, 0, server(first));
        direct(simulation, 1, server(second));
        let sends = [send_word(first, 0, 1), send_word(second, 0, 1)];
        let sets = call(Call::SetPriority, &[Id::new(0, 0).0 as usize, 4]);
        let unlock = call(Call::Unlock, &[mutex]);
        let [one, other] = sends;
        direct(
            simulation,
            2,
            vec![lock, one, other, sleep_until(10), sets, unlock],
        );
        assert_eq!(simulation.run(), Ended::Quiet);
        let all = timeline_from(simulation.records(), 10);
        let first_before_second = [(10, Some(2)), (10, Some(0)), (12, Some(1)), (14, None)];
        assert_eq!(all, first_before_second);
    });
}

#[test]
fn what_comes_in_is_as_urgent_as_the_first_that_waits_for_it() {
    let mut b = threads([9, 5, 1, 3]);
    let (plain, server) = (b.attached_mailbox(1), b.mailbox());
    for mailbox in [plain, server] {
        b.grant_object(0, mailbox, EVERY_RIGHT);
    }
    simulate(&b.finish(), |simulation| {
        // thread 0 waits first, thread 3 later
        direct(simulation, 0, vec![receive_words(plain, FOR_EVER)]);
        direct(simulation, 1, vec![sleep_until(12), compute(20)]);
        let how = receive::FULL;
        let take = receive_bytes(server, 64, how);
        let pass_on = send_bytes(plain, 16, send::DIRECT, 0);
        direct(
            simulation,
            2,
            vec![take, sleep_until(14), compute(3), pass_on],
        );
        let ask = [
            sleep_until(10),
            send_word(plain, 0, 1),
            receive_words(plain, FOR_EVER),
        ];
        direct(simulation, 3, ask.to_vec());
        assert_eq!(simulation.run(), Ended::Quiet);
        let all = timeline_from(simulation.records(), 14);
        assert_eq!(
            all,
            [(14, Some(2)), (17, Some(0)), (17, Some(1)), (35, None)]
        );
    });
}

#[test]
fn a_message_to_a_thread_that_sleeps_is_as_urgent_as_what_that_has() {
    let mut b = threads([9, 5, 1, 2]);
    let (plain, server, mutex) = (b.attached_mailbox(1), b.mailbox(), b.mutex());
    for object in [plain, server, mutex] {
        b.grant_object(0, object, EVERY_RIGHT);
    }
    let lock = call(Call::Lock, &[mutex as usize, FOR_EVER[0], FOR_EVER[1]]);
    simulate(&b.finish(), |simulation| {
        direct(simulation, 0, vec![sleep_until(11), lock]);
        let send = send_word(plain, 0, 1);
        direct(simulation, 1, vec![sleep_until(12), send, compute(5)]);
        let take = receive_bytes(server, 64, receive::FULL);
        direct(simulation, 2, vec![take, compute(3), take]);
        // has received from `plain`, sleeps with the mutex that thread 0 waits for
        let past = send_bytes(plain, 16, send::DIRECT, 0);
        let reads = [past, receive_words(plain, FOR_EVER), lock, sleep_until(40)];
        direct(simulation, 3, reads.to_vec());
        assert_eq!(simulation.run(), Ended::Quiet);
        let all = timeline_from(simulation.records(), 12);
        assert_eq!(
            all[..4],
            [(12, Some(1)), (12, Some(2)), (15, Some(1)), (20, None)]
        );
    });
}

#[test]
fn a_message_to_a_thread_that_sleeps_comes_behind_its_sender_at_one_priority() {
    let mut b = threads([1, 5, 5]);
    let (plain, server) = (b.attached_mailbox(1), b.mailbox());
    for object in [plain, server] {
        b.grant_object(0, object, EVERY_RIGHT);
    }
    simulate(&b.finish(), |simulation| {
        let send = send_word(plain, 0, 1);
        direct(simulation, 1, vec![sleep_until(12), send, compute(5)]);
        let take = receive_bytes(server, 64, receive::FULL);
        direct(simulation, 0, vec![take, compute(3), take]);
        let past = send_bytes(plain, 16, send::DIRECT, 0);
        let reads = [past, receive_words(plain, FOR_EVER), sleep_until(40)];
        direct(simulation, 2, reads.to_vec());
        assert_eq!(simulation.run(), Ended::Quiet);
        let all = timeline_from(simulation.records(), 12);
        assert_eq!(all[..3], [(12, Some(1)), (17, Some(0)), (20, None)]);
    });
}

#[test]
fn who_is_refused_a_message_is_as_urgent_as_that_leaves_it() {
    let mut b = threads([7, 3, 3]);
    let (mailbox, mutex) = (b.mailbox(), b.mutex());
    for object in [mailbox, mutex] {
        b.grant_object(0, object, EVERY_RIGHT);
    }
    let lock = call(Call::Lock, &[mutex as usize, FOR_EVER[0], FOR_EVER[1]]);
    simulate(&b.finish(), |simulation| {
        // the server waits for the mutex of thread 2, which waits for a message
        let how = receive::FULL;
        let serve = call(Call::ReceiveBytes, &[0, 0, 0, SCRATCH, 64, how]);
        direct(simulation, 0, vec![serve, sleep_until(2), lock]);
        // it is too long, and makes the server no more urgent than its sender
        let send = send_word(mailbox, 0, 1);
        direct(simulation, 1, vec![sleep_until(4), send, compute(5)]);
        let takes = receive_bytes(mailbox, 4, 0);
        let acts = vec![lock, sleep_until(3), takes, compute(3)];
        let answers = direct(simulation, 2, acts);
        assert_eq!(simulation.run(), Ended::Quiet);
        assert_eq!(answers.take()[2], refused(Error::EMSGSIZE));
        let all = timeline_from(simulation.records(), 4);
        assert_eq!(all[..2], [(4, Some(1)), (9, Some(2))]);
    });
}

#[test]
fn who_waits_hastens_what_it_asked_last_and_nothing_before_it() {
    let mut b = threads([6, 3, 5, 8]);
    let [first, last, answers] = [b.mailbox(), b.mailbox(), b.mailbox()];
    let mutex = b.mutex();
    for object in [first, last, answers, mutex] {
        b.grant_object(0, object, EVERY_RIGHT);
    }
    let lock = call(Call::Lock, &[mutex as usize, FOR_EVER[0], FOR_EVER[1]]);
    simulate(&b.finish(), |simulation| {
        let take = |mailbox| receive_bytes(mailbox, 64, receive::FULL);
        // done with the last request, it is at work on the first
        let served = vec![sleep_until(5), take(last), take(first), compute(5)];
        direct(simulation, 0, served);
        let asks = [send_word(first, 0, 1), send_word(last, 0, 1)];
        let [one, other] = asks;
        let asks = vec![lock, one, other, receive_words(answers, FOR_EVER)];
        direct(simulation, 1, asks);
        direct(simulation, 2, vec![sleep_until(7), compute(3)]);
        // makes who asked more urgent
        direct(simulation, 3, vec![sleep_until(7), lock]);
        assert_eq!(simulation.run(), Ended::Quiet);
        let all = timeline_from(simulation.records(), 7);
        let expected = [(7, Some(3)), (7, Some(2)), (10, Some(0))];
        assert_eq!(all[..3], expected);
    });
}

#[test]
fn a_message_that_makes_a_waiter_no_more_urgent_moves_it_not_among_its_equals() {
    let mut b = threads([4, 3, 3]);
    let [first, second, mutex] = [b.mailbox(), b.mailbox(), b.mutex()];
    for object in [first, second, mutex] {
        b.grant_object(0, object, EVERY_RIGHT);
    }
    let mutex = mutex as usize;
    let lock = call(Call::Lock, &[mutex, FOR_EVER[0], FOR_EVER[1]]);
    let unlock = call(Call::Unlock, &[mutex]);
    simulate(&b.finish(), |simulation| {
        let how = receive::FULL;
        let serve = call(Call::ReceiveBytes, &[0, 0, 0, SCRATCH, 64, how]);
        let end = [lock, compute(1), unlock, compute(1)];
        let waits = [serve, sleep_until(2)].into_iter().chain(end);
        direct(simulation, 0, waits.collect());
        // it has a message as urgent as thread 0, which lends thread 2 its urgency
        let take = receive_bytes(second, 64, how);
        let waits = [take].into_iter().chain(end);
        direct(simulation, 1, waits.collect());
        let sends = [
            send_word(second, 0, 1),
            sleep_until(4),
            send_word(first, 0, 1),
        ];
        let acts = [lock, compute(3)].into_iter().chain(sends);
        direct(simulation, 2, acts.chain([unlock]).collect());
        assert_eq!(simulation.run(), Ended::Quiet);
        let all = timeline_from(simulation.records(), 4);
        let expected = [(4, Some(2)), (4, Some(0)), (6, Some(1))];
        assert_eq!(all[..3], expected);
    });
}

#[test]
fn a_mailbox_has_one_server_until_that_ends() {
    let b = with_server();
    simulate(&b.finish(), |simulation| {
        let first = direct(simulation, 0, vec![receive_bytes(1, 16, receive::FULL)]);
        let second = direct(
            simulation,
            1,
            vec![
                receive_bytes(1, 16, receive::FULL),
                send_word(1, 0, 8),
                send_word(1, 0, 9),
                receive_bytes(1, 16, receive::FULL),
            ],
        );
        assert_eq!(simulation.run(), Ended::Quiet);
        assert_eq!(first.take(), [told(16, 1, 0, false, 1)]);
        let answers = second.take();
        assert_eq!(answers[0], refused(Error::EBUSY));
        assert_eq!(answers[3], told(16, 1, 0, false, 1));
    });
}

#[test]
fn messages_outlive_the_server_that_dies() {
    let mut b = SystemBuilder::new();
    let client = b.process();
    b.thread(client, Scheduling::Fifo(5));
    b.messages(client, 2, 0);
    let owner = b.process();
    b.process_entry(owner).on_fault = FaultPolicy::Restart as u8;
    b.thread(owner, Scheduling::Fifo(9));
    let mailbox = b.mailbox();
    b.grant_object(client, mailbox, RIGHT_USE);
    b.grant_object(owner, mailbox, RIGHT_FULL);
    simulate(&b.finish(), |simulation| {
        let sends = direct(
            simulation,
            0,
            vec![
                send_word(mailbox, 1, 1),
                send_word(mailbox, 1, 2),
                send_word(mailbox, 1, 3),
                sleep_until(100),
                send_word(mailbox, 1, 4),
                send_word(mailbox, 1, 5),
            ],
        );
        // it dies with a message in its hand and another in its box
        let take = receive_bytes(mailbox, 16, receive::FULL);
        let fault = Act::Fault(FaultCause::Illegal);
        let served = direct(simulation, 1, vec![sleep_until(50), take, fault]);
        simulation.run_until(at_us(200));
        let (done, again) = (Answer::DONE, refused(Error::EAGAIN));
        // the sender's pool is whole again
        assert_eq!(sends.take(), [done, done, again, done, done, done]);
        // each of its lives took one
        let words: Vec<usize> = served.take().iter().map(|answer| answer.0[1]).collect();
        assert_eq!(words.iter().filter(|length| **length == 16).count(), 4);
        assert_eq!(count(simulation.records(), TraceKind::Fault), 4);
    });
}

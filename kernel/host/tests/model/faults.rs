//! Faults of the kernel that the comparison has found, each shown by itself.

use giornata_abi::Error;
use giornata_abi::id::Id;
use giornata_test_model::compare::{Kernel, Observation};
use giornata_test_model::model::{Event, Resumption};
use giornata_test_model::request::NEVER;
use giornata_test_model::system::Kind;
use giornata_test_model::system::Scheduling::Fifo;
use giornata_test_model::{Reply, Request, System};

use crate::host::Host;

/// What the running thread's call returned.
fn call(host: &mut Host, request: Request, now: u64) -> Reply {
    let seen = host.apply(&Event::Call(request), now);
    match seen.resumption {
        Resumption::Returns(reply) => reply,
        other => panic!("it {other:?}"),
    }
}

#[test]
fn a_process_can_create_a_thread_in_each_of_its_places() {
    let mut system = System::default();
    system.process();
    system.thread(Fifo(9));
    let places = [system.spare(), system.spare(), system.spare()];
    let mut host = Host::new(&system);
    for place in places.into_iter().rev() {
        let reply = call(&mut host, Request::CreateThread { priority: 3 }, 0);
        assert_eq!(reply, Reply::values(&[place as u32, 1]));
    }
}

/// A process with threads of these priorities.
fn threads(priorities: &[u8]) -> System {
    let mut system = System::default();
    system.process();
    for priority in priorities {
        system.thread(Fifo(*priority));
    }
    system
}

fn id(slot: usize) -> Id {
    Id {
        slot: slot as u32,
        serial: 1,
    }
}

/// The running thread, which is this one, makes a call.
#[track_caller]
fn does(host: &mut Host, thread: usize, request: Request) -> Observation {
    assert_eq!(host.runs(), Some(thread), "it is not its turn");
    let now = host.rig.now();
    host.apply(&Event::Call(request), now)
}

fn lock(object: usize) -> Request {
    Request::Lock {
        object: id(object),
        until: NEVER,
    }
}

#[test]
fn a_thread_that_waits_for_an_owner_does_not_go_on_to_the_mutex_that_it_announced() {
    let mut system = threads(&[9, 5]);
    let [mutex, announced] = [system.mutex(), system.mutex()];
    let mut host = Host::new(&system);
    does(&mut host, 0, Request::Sleep { until: 10 });
    for mutex in [mutex, announced] {
        does(&mut host, 1, lock(mutex));
    }
    does(&mut host, 1, Request::Sleep { until: 20 });
    host.apply(&Event::Timer, 10);
    host.apply(&Event::Announce(Some(id(announced))), 10);
    // it hangs on the owner, which sleeps
    does(&mut host, 0, lock(mutex));
    host.apply(&Event::Timer, 20);
    let seen = does(&mut host, 1, Request::Unlock { object: id(mutex) });
    assert_eq!(seen.runs, Some(0));
    assert_eq!(seen.resumption, Resumption::Returns(Reply::DONE));
    assert_eq!(host.noted(0), None, "it does not own what it announced");
}

#[test]
fn a_mutex_that_goes_to_who_asked_first_lets_that_one_run_at_the_ceiling() {
    let mut system = threads(&[5, 5]);
    let mutex = system.ceiling_mutex(8);
    let condition = system.object(Kind::Condition);
    let mut host = Host::new(&system);
    does(&mut host, 0, lock(mutex));
    let wait = Request::Wait {
        condition: id(condition),
        mutex,
        until: 10,
    };
    does(&mut host, 0, wait);
    // 0 wants the mutex when its time has come, and stands behind 1
    host.apply(&Event::Timer, 10);
    let poll = Request::Lock {
        object: id(mutex),
        until: 0,
    };
    let seen = does(&mut host, 1, poll);
    assert_eq!(seen.runs, Some(0), "at 8");
}

#[test]
fn a_created_thread_is_at_no_ceiling_that_the_one_before_it_published() {
    let mut system = threads(&[5]);
    let place = system.spare();
    let mut host = Host::new(&system);
    let create = Request::CreateThread { priority: 5 };
    let thread = |serial| Id {
        slot: place as u32,
        serial,
    };
    does(&mut host, 0, create.clone());
    let join = Request::JoinThread {
        thread: thread(1),
        until: NEVER,
    };
    does(&mut host, 0, Request::Sleep { until: 10 });
    host.apply(&Event::Publish(20), 0);
    // it is left for 0, and moved before
    does(&mut host, place, Request::Yield);
    host.apply(&Event::Timer, 10);
    does(&mut host, place, Request::Exit { value: 0 });
    does(&mut host, 0, join);
    does(&mut host, 0, create);
    let lower = Request::SetPriority {
        thread: thread(2),
        priority: 4,
    };
    let seen = does(&mut host, 0, lower);
    assert_eq!(seen.runs, Some(0), "the new thread is at 4");
}

#[test]
fn a_server_is_as_urgent_as_what_is_left_when_another_takes_its_message() {
    let mut system = threads(&[9, 6, 3]);
    let mailbox = system.mailbox();
    let mut host = Host::new(&system);
    let (server, other, sender) = (0, 1, 2);
    let receive = |full| Request::ReceiveBytes {
        mailbox: id(mailbox),
        until: 0,
        capacity: 64,
        full,
    };
    does(&mut host, server, receive(true));
    does(&mut host, server, Request::Sleep { until: 10 });
    does(&mut host, other, Request::Sleep { until: 20 });
    let send = Request::Send {
        mailbox: id(mailbox),
        priority: 0,
        words: [1; 4],
    };
    does(&mut host, sender, send);
    host.apply(&Event::Timer, 20);
    // the server has a message of urgency 3 until the other takes it
    let seen = does(&mut host, other, receive(false));
    assert_eq!(seen.runs, Some(server));
}

#[test]
fn a_request_closes_no_circle_where_a_receiver_may_have_no_room_for_it() {
    let mut system = threads(&[9, 7, 5]);
    let [mailbox, mutex] = [system.mailbox(), system.mutex()];
    let mut host = Host::new(&system);
    let (receiver, server, client) = (0, 1, 2);
    let receive = |until, capacity, full| Request::ReceiveBytes {
        mailbox: id(mailbox),
        until,
        capacity,
        full,
    };
    does(&mut host, receiver, Request::Sleep { until: 10 });
    does(&mut host, server, receive(0, 64, true));
    does(&mut host, server, Request::Sleep { until: 20 });
    does(&mut host, client, lock(mutex));
    host.apply(&Event::Timer, 10);
    does(&mut host, receiver, receive(NEVER, 4, false));
    host.apply(&Event::Timer, 20);
    does(&mut host, server, lock(mutex));
    // the server waits for the client
    let seen = does(&mut host, client, request(mailbox));
    assert_eq!(seen.runs, Some(client));
    let refused = Reply::refused(Error::EDEADLK);
    assert_eq!(seen.resumption, Resumption::Returns(refused));
}

#[test]
fn a_server_that_began_anew_owes_nothing_to_the_clients_of_its_last_life() {
    let mut system = System::default();
    system.process();
    let [killer, witness] = [system.thread(Fifo(9)), system.thread(Fifo(5))];
    let process = system.process();
    let [server, client] = [system.thread(Fifo(3)), system.thread(Fifo(7))];
    system.processes[process].restarts = true;
    system.processes[process].supervisor = Some(0);
    let mailbox = system.mailbox();
    let mut host = Host::new(&system);
    does(&mut host, killer, Request::Sleep { until: 10 });
    does(&mut host, client, request(mailbox));
    does(&mut host, witness, Request::Sleep { until: 10 });
    does(&mut host, server, receive(mailbox, NEVER));
    host.apply(&Event::Timer, 10);
    does(&mut host, killer, Request::KillProcess { process });
    for thread in [killer, client, witness] {
        does(&mut host, thread, Request::Sleep { until: 20 });
    }
    let rise = Request::SetPriority {
        thread: Id {
            slot: server as u32,
            serial: 2,
        },
        priority: 4,
    };
    does(&mut host, server, rise);
    host.apply(&Event::Timer, 20);
    for thread in [killer, client] {
        does(&mut host, thread, Request::Sleep { until: 30 });
    }
    assert_eq!(host.runs(), Some(witness), "the server is at 4");
}

#[test]
fn a_lock_closes_no_circle_through_a_request_that_nobody_has_received_yet() {
    let mut system = threads(&[7, 5]);
    let [mailbox, mutex] = [system.mailbox(), system.mutex()];
    let mut host = Host::new(&system);
    let (client, receiver) = (0, 1);
    does(&mut host, client, lock(mutex));
    does(&mut host, client, request(mailbox));
    let too_short = Request::ReceiveBytes {
        mailbox: id(mailbox),
        until: 0,
        capacity: 4,
        full: false,
    };
    // the client waits for who received last
    does(&mut host, receiver, too_short);
    let seen = does(&mut host, receiver, lock(mutex));
    assert_eq!(seen.runs, Some(receiver));
    let refused = Reply::refused(Error::EDEADLK);
    assert_eq!(seen.resumption, Resumption::Returns(refused));
}

fn request(mailbox: usize) -> Request {
    Request::Call {
        mailbox: id(mailbox),
        priority: 0,
        words: [1; 4],
    }
}

fn receive(mailbox: usize, until: u64) -> Request {
    Request::Receive {
        mailbox: id(mailbox),
        until,
    }
}

/// Threads at these priorities, and one at the last of a process that the first kills when
/// it waits for a message; the first goes on, in front of the end of that process.
fn a_dead_receiver(living: &[u8], dead: u8) -> (Host, usize) {
    let mut system = threads(living);
    let process = system.process();
    let waiter = system.thread(Fifo(dead));
    system.processes[process].supervisor = Some(0);
    let [mailbox, mutex] = [system.mailbox(), system.ceiling_mutex(20)];
    let mut host = Host::new(&system);
    does(&mut host, waiter, receive(mailbox, NEVER));
    does(&mut host, 0, lock(mutex));
    does(&mut host, 0, Request::KillProcess { process });
    (host, mailbox)
}

#[test]
fn a_message_is_not_lost_to_a_receiver_that_is_dead() {
    for dead in [9, 30] {
        let (mut host, mailbox) = a_dead_receiver(&[5], dead);
        let send = Request::Send {
            mailbox: id(mailbox),
            priority: 0,
            words: [1; 4],
        };
        does(&mut host, 0, send);
        let seen = does(&mut host, 0, receive(mailbox, 0));
        let Resumption::Returns(reply) = seen.resumption else {
            panic!("there is a message");
        };
        let values = reply.values.expect("there is a message");
        assert_eq!(values[..4], [1; 4]);
    }
}

#[test]
fn a_request_is_not_lost_to_a_receiver_that_is_dead() {
    for dead in [9, 30] {
        let (mut host, mailbox) = a_dead_receiver(&[5, 3], dead);
        let seen = does(&mut host, 0, request(mailbox));
        assert_eq!(seen.runs, Some(1), "the client waits");
        let seen = does(&mut host, 1, receive(mailbox, 0));
        let Resumption::Returns(reply) = seen.resumption else {
            panic!("there is a request");
        };
        let values = reply.values.expect("there is a request");
        assert_eq!(values[..4], [1; 4]);
    }
}

#[test]
fn a_living_client_helps_a_receiver_when_a_dead_one_came_before_it() {
    let mut system = threads(&[5, 7, 6]);
    let (receiver, client, witness) = (0, 1, 2);
    let process = system.process();
    let dead = system.thread(Fifo(9));
    system.processes[process].supervisor = Some(0);
    let [mailbox, mutex] = [system.mailbox(), system.ceiling_mutex(20)];
    let mut host = Host::new(&system);
    for client in [dead, client] {
        does(&mut host, client, request(mailbox));
    }
    does(&mut host, witness, Request::Sleep { until: 10 });
    does(&mut host, receiver, lock(mutex));
    does(&mut host, receiver, Request::KillProcess { process });
    let first = Request::Send {
        mailbox: id(mailbox),
        priority: 255,
        words: [1; 4],
    };
    does(&mut host, receiver, first);
    does(&mut host, receiver, receive(mailbox, 0));
    does(&mut host, receiver, Request::Unlock { object: id(mutex) });
    host.apply(&Event::Timer, 10);
    assert_eq!(host.runs(), Some(receiver), "at 7");
}

//! Kernels with a fault each, made of the model: they are found.

use giornata_test_model::compare::{Kernel, Observation, compare};
use giornata_test_model::model::Event;
use giornata_test_model::random::{Menu, Scope};
use giornata_test_model::request::{NEVER, Request};
use giornata_test_model::{Model, System};

/// What a faulty kernel makes of a call.
type Fault = fn(Request) -> Request;

struct Faulty {
    model: Model,
    fault: Fault,
}

impl Kernel for Faulty {
    fn apply(&mut self, event: &Event, now: u64) -> Observation {
        let event = match event {
            Event::Call(request) => Event::Call((self.fault)(request.clone())),
            event => event.clone(),
        };
        let seen = Kernel::apply(&mut self.model, &event, now);
        // what it does, not what it has noted
        Observation {
            state: Default::default(),
            ..seen
        }
    }
}

/// Steps that are left of the shortest of the first programs that show the fault.
fn steps_to(menu: Menu, fault: Fault) -> usize {
    let make = |system: &System| Faulty {
        model: Model::new(system),
        fault,
    };
    let found = |seed| compare(&make, menu, Scope::ALL, seed, 150).err();
    let found = (0..200).filter_map(found).take(3);
    let steps = found.map(|found| found.seeds.1.len());
    steps.min().expect("the fault is not found")
}

#[test]
fn a_broadcast_that_wakes_one_alone_is_found() {
    let fault: Fault = |request| match request {
        Request::Broadcast { condition } => Request::Signal { condition },
        request => request,
    };
    assert!(steps_to(Menu::Locks, fault) <= 16);
}

#[test]
fn a_lock_that_never_times_out_is_found() {
    let fault: Fault = |request| match request {
        Request::Lock { object, until } if until != 0 => Request::Lock {
            object,
            until: NEVER,
        },
        request => request,
    };
    assert!(steps_to(Menu::Locks, fault) <= 12);
}

#[test]
fn a_yield_that_does_nothing_is_found() {
    let fault: Fault = |request| match request {
        Request::Yield => Request::Sleep { until: 0 },
        request => request,
    };
    assert!(steps_to(Menu::Locks, fault) <= 12);
}

#[test]
fn messages_without_priorities_are_found() {
    let fault: Fault = |request| match request {
        Request::Send { mailbox, words, .. } => Request::Send {
            mailbox,
            words,
            priority: 0,
        },
        request => request,
    };
    assert!(steps_to(Menu::Mailboxes, fault) <= 12);
}

#[test]
fn a_reply_that_is_lost_is_found() {
    let fault: Fault = |request| match request {
        Request::ReplyReceive { words, .. } => Request::ReplyReceive {
            client: None,
            token: 0,
            words,
        },
        request => request,
    };
    let steps = steps_to(Menu::Calls, fault);
    assert!(steps <= 24, "{steps}");
}

#[test]
fn a_join_that_does_not_wait_is_found() {
    let fault: Fault = |request| match request {
        Request::JoinThread { thread, .. } => Request::JoinThread { thread, until: 0 },
        request => request,
    };
    assert!(steps_to(Menu::Lives, fault) <= 12);
}

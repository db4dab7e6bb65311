//! Faults of the kernel that the comparison has found, each shown by itself.

use giornata_test_model::compare::Kernel;
use giornata_test_model::model::{Event, Resumption};
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

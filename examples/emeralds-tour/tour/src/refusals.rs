//! What is wrong is answered with an error: to the thread that did it, to no other.

use giornata_rt::sync::Mutex;
use giornata_rt::{Error, call, heap, log, thread};

use crate::name;
use crate::plan::{BUS, ORDERS, REPLIES, ROOF};

pub(crate) fn show() -> Result<(), Error> {
    show_mutexes()?;
    show_pools()?;
    log!("no such object: {}", name(&Mutex::new(99).lock()));
    log!(
        "an object of another kind: {}",
        name(&call::signal(BUS.id().0))
    );
    log!("no right to send: {}", name(&REPLIES.send(1, [0; 4])));
    log!("nothing to receive: {}", name(&REPLIES.try_receive()));
    log!("no memory: {}", name(&heap::allocate(1)));
    let own = thread::own()?;
    log!("to join itself: {}", name(&thread::join(own)));
    log!(
        "above max-priority: {}",
        name(&thread::set_priority(own, 61))
    );
    Ok(())
}

fn show_mutexes() -> Result<(), Error> {
    let bus = BUS.lock()?;
    log!("locked twice: {}", name(&BUS.lock()));
    thread::join(thread::create(intrude, 0, 40)?)?;
    let crossing = thread::create(cross, 0, 40)?;
    log!("a circle of who waits for whom: {}", name(&ROOF.lock()));
    drop(bus);
    thread::join(crossing)?;
    log!("given back twice: {}", name(&call::unlock(BUS.id().0)));

    thread::join(thread::create(leave, 0, 40)?)?;
    log!("its owner ended with it: {}", BUS.lock()?.owner_died());
    Ok(())
}

extern "C" fn intrude(_: usize) -> usize {
    let given = call::unlock(BUS.id().0);
    log!("given back by a stranger: {}", name(&given));
    0
}

/// Has what the guide will want, and wants what it has.
extern "C" fn cross(_: usize) -> usize {
    let roof = ROOF.lock();
    let bus = BUS.lock();
    log!("out of the circle: {}, {}", name(&roof), name(&bus));
    0
}

/// Ends with the mutex.
extern "C" fn leave(_: usize) -> usize {
    core::mem::forget(BUS.lock());
    0
}

/// Takes from the process's pools until they are empty.
fn show_pools() -> Result<(), Error> {
    let orders = ORDERS.create()?;
    for number in 1..=3 {
        log!("message {number}: {}", name(&orders.send(1, [0; 4])));
    }
    log!("too long: {}", name(&orders.send_bytes(1, &[0; 33])));
    orders.receive()?;
    orders.receive()?;

    let threads = [1, 2].map(|_| thread::create(rest, 0, 1));
    log!("a third thread: {}", name(&thread::create(rest, 0, 1)));
    for thread in threads {
        thread::join(thread?)?;
    }
    Ok(())
}

extern "C" fn rest(_: usize) -> usize {
    0
}

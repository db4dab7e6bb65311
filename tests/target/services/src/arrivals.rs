//! Handlers of messages, as `arrivals.toml` has them.

use giornata_rt::handler::Handling;
use giornata_rt::mailbox::{Arrival, Arrivals, Mailbox};
use giornata_rt::{Error, log, shutdown, thread};

use crate::{name, sleep_until};

const ORDERS: Mailbox = Mailbox::new(0);
const ALARM: Mailbox = Mailbox::new(1);

/// Less urgent than who sends.
static CLERK: Arrivals<u32, 24> = Arrivals::new(ORDERS, |count, order| {
    *count += 1;
    log!(
        "order {count}: {:?} of {}",
        order.bytes.first(),
        order.bytes.len()
    );
});
/// More urgent.
static GUARD: Arrivals<u32> = Arrivals::new(ALARM, answer);
/// For which there is no place.
static LEFT_OUT: Arrivals = Arrivals::new(ALARM, |_, _| log!("left out"));

fn answer(count: &mut u32, alarm: Arrival<'_>) {
    *count += 1;
    let [word, ..] = alarm.words();
    log!("alarm {count}: {word}, priority {}", alarm.priority);
}

fn tell_end(who: &str, handling: Result<Handling, Error>) {
    let end = handling.and_then(Handling::join);
    let end = end.map(|error| error.map_or("nothing", Error::name));
    log!("{who} ends with {}", end.unwrap_or_else(Error::name));
}

#[thread]
pub(crate) fn office() {
    let clerk = CLERK.start(10, 0);
    let guard = GUARD.start(30, 0);
    log!("clerk: {}, guard: {}", name(&clerk), name(&guard));
    log!("no place: {}", name(&LEFT_OUT.start(30, ())));
    log!("again: {}", name(&CLERK.start(10, 0)));
    tell_end("clerk", clerk);
    tell_end("guard", guard);
}

#[thread]
pub(crate) fn post() {
    sleep_until(1);
    for (priority, length) in [(1, 3), (2, 24), (9, 1), (2, 17)] {
        let bytes = [priority as u8; 24];
        let sent = ORDERS.send_bytes(priority, &bytes[..length]);
        log!("order of priority {priority}: {}", name(&sent));
    }
    sleep_until(2);
    for word in 1..=2 {
        log!("alarm: {}", name(&ALARM.send(7, [word; 4])));
    }

    log!("delete: {}", name(&ORDERS.delete()));
    log!("order: {}", name(&ORDERS.send(1, [1; 4])));
    sleep_until(3);
    let orders = ORDERS.create_attached(ALARM);
    log!("make anew: {}", name(&orders));
    log!(
        "open: {}",
        ORDERS.open().is_ok_and(|open| Ok(open) == orders)
    );
    log!(
        "attached: {}",
        name(&orders.and_then(|o| o.send(3, [5; 4])))
    );

    log!("too long: {}", name(&ALARM.send_bytes(1, &[0; 17])));
    sleep_until(4);
    log!("not stopped: {}", shutdown(0).name());
}

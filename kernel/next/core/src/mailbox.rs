//! The usual ways of send, receive, call and reply: from registers to registers, or
//! through a place of the sender's process.
//!
//! Each decides by all that may be odd, or-ed into one branch before anything has
//! changed; else the general handler, which knows nothing of the first, begins anew.

use core::hint::cold_path;

use giornata_abi::next::call::NOBODY;
use giornata_abi::next::id::EXTRA;

use crate::message::special;
use crate::object::{kind, look, look_received};
use crate::ready::level;
use crate::thread::state;
use crate::timer::FOR_EVER;
use crate::trace::reason;
use crate::{Kernel, Machine, Outcome, Ref, Thread, differ, receiving, sending, some};

/// In the upper half of a register: no client.
pub(crate) const NO_CLIENT: usize = NOBODY << EXTRA;
/// A priority that is too high has one of these bits, beside the slot.
const BEYOND: u32 = 24;

/// Four words to a mailbox.
#[inline(always)]
pub(crate) fn send<M: Machine>(
    to: usize,
    serial: usize,
    words: [usize; 4],
    me: Ref<Thread>,
    kernel: Ref<Kernel>,
) -> Outcome {
    let [w0, w1, w2, w3] = words;
    let Some((mailbox, wrong)) = look(me, to, serial, kind::MAILBOX) else {
        cold_path();
        return sending::send::<M>(to, serial, w0, w1, w2, w3, me, kernel);
    };
    let wrong = wrong | to >> BEYOND;
    let priority = to >> EXTRA;
    if let Some(waiter) = mailbox.waiters.get() {
        let odd = wrong | differ(waiter.next.get(), waiter) | waiter.state.get() as usize;
        if !kernel.opens_top_unless(odd, waiter.rank.get(), waiter) {
            cold_path();
            return sending::send::<M>(to, serial, w0, w1, w2, w3, me, kernel);
        }
        mailbox.waiters.set(None);
        waiter.waits.set(None);
        waiter.hand(words, priority | NO_CLIENT, 0);
        me.answer(0);
        return Outcome::switch(waiter);
    }
    let (0, Some(message)) = (wrong, me.process.free.get()) else {
        cold_path();
        return sending::send::<M>(to, serial, w0, w1, w2, w3, me, kernel);
    };
    if let Some(first) = mailbox.first.get() {
        if first.priority.get() != priority as u32 {
            cold_path();
            return sending::send::<M>(to, serial, w0, w1, w2, w3, me, kernel);
        }
        me.process.free.set(message.below.get());
        message.link(first);
    } else {
        me.process.free.set(message.below.get());
        message.below.set(None);
        mailbox.first.set(Some(message));
    }
    message.fill(words);
    message.priority.set(priority as u32);
    message.sender.set(Some(me));
    message.serial.set(me.serial.get());
    Outcome::DONE
}

/// The first message of a mailbox, if it is four words, or a wait for one.
#[inline(always)]
pub(crate) fn receive<M: Machine>(
    from: usize,
    serial: usize,
    low: usize,
    high: usize,
    me: Ref<Thread>,
    kernel: Ref<Kernel>,
) -> Outcome {
    let Some((mailbox, wrong)) = look_received(me, from, serial) else {
        cold_path();
        return receiving::receive::<M>(from, serial, low, high, 0, 0, me, kernel);
    };
    let wrong = wrong | me.state.get() as usize;
    let Some(message) = mailbox.first.get() else {
        if wrong | (low & high ^ FOR_EVER) != 0 {
            cold_path();
            return receiving::receive::<M>(from, serial, low, high, 0, 0, me, kernel);
        }
        mailbox.owner.set(Some(me));
        me.hand.serves.set(Some(mailbox));
        me.answer(0);
        return kernel.wait(me, mailbox);
    };
    // (who waits while there are messages is a caller that nobody serves)
    let odd = wrong | message.special.get() as usize | some(mailbox.waiters.get());
    let is_reader = mailbox.owner.get().map_or(1, |owner| differ(owner, me));
    if odd | is_reader != 0 {
        cold_path();
        return receiving::receive::<M>(from, serial, low, high, 0, 0, me, kernel);
    }
    let (next, below) = (message.next.get(), message.below.get());
    if differ(next, message) != 0 {
        cold_path();
        message.unlink();
        next.below.set(below);
        mailbox.first.set(Some(next));
    } else {
        mailbox.first.set(below);
    }
    me.hand.serves.set(Some(mailbox));
    me.hand(
        message.words_as_sent(),
        message.priority.get() as usize | NO_CLIENT,
        0,
    );
    message.below.set(message.pool.free.get());
    message.pool.free.set(Some(message));
    me.answer(0);
    Outcome::switch(me)
}

/// A request, and the wait for its reply: to a server that waits for one.
#[inline(always)]
pub(crate) fn call<M: Machine>(
    to: usize,
    serial: usize,
    words: [usize; 4],
    me: Ref<Thread>,
    kernel: Ref<Kernel>,
) -> Outcome {
    // (registers of a thread that runs are nobody's)
    let request = me.request();
    request.priority.set(to);
    request.say(words);
    let Some((mailbox, wrong)) = look(me, to, serial, kind::MAILBOX) else {
        cold_path();
        return kernel.post::<M>(me, me, to, serial, special::CALL);
    };
    let Some(server) = mailbox.waiters.get() else {
        cold_path();
        return kernel.post::<M>(me, me, to, serial, special::CALL);
    };
    let odd =
        wrong | to >> BEYOND | differ(server.next.get(), server) | server.state.get() as usize;
    if odd != 0 {
        cold_path();
        return kernel.post::<M>(me, me, to, serial, special::CALL);
    }
    // It serves the caller in the caller's place: it comes into no queue. Whoever waits
    // for a message waits for nobody else, so no circle closes.
    mailbox.waiters.set(None);
    let (hand, token) = (server.hand, kernel.next_token());
    server.waits.set(None);
    server.state.set(state::IN_HAND);
    server.rank.set(kernel.idle.rank.get());
    server.hand(words, to >> EXTRA | me.upper(), token);
    hand.count.set(1);
    me.request().token.set(token);
    me.wants.set(Some(hand));
    let donor = kernel.slot.get();
    Outcome::because(server, reason::HELPS | donor.upper())
}

/// The reply to a request, and the wait for the next.
#[inline(always)]
pub(crate) fn reply_receive<M: Machine>(
    slot: usize,
    token: usize,
    words: [usize; 4],
    me: Ref<Thread>,
    kernel: Ref<Kernel>,
) -> Outcome {
    let [w0, w1, w2, w3] = words;
    let (Some(client), Some(mailbox)) = (kernel.threads.get(slot), me.serves()) else {
        cold_path();
        return receiving::reply::<M>(slot, token, w0, w1, w2, w3, me, kernel);
    };
    // the usual case: the client has the turn, its request is the only one in the hand,
    // and no other lies in the mailbox
    let odd = (client.request().token.get() ^ token)
        | client
            .wants
            .get()
            .map_or(1, |wanted| differ(wanted, me.hand))
        | (me.state.get() ^ state::IN_HAND) as usize
        | (me.hand.count.get() ^ 1) as usize
        | differ(kernel.slot.get(), client)
        | differ(me.next.get(), me)
        | (me.rank.get().level() ^ level::IDLE) as usize
        | (mailbox.kind.get() ^ kind::MAILBOX) as usize
        | some(mailbox.first.get())
        | some(mailbox.waiters.get());
    if odd != 0 {
        cold_path();
        return receiving::reply::<M>(slot, token, w0, w1, w2, w3, me, kernel);
    }
    client.hand(words, 0, 0);
    client.wants.set(None);
    me.hand.count.set(0);
    client.answer(0);
    mailbox.waiters.set(Some(me));
    mailbox.owner.set(Some(me));
    me.state.set(0);
    me.rank.set(me.own.get());
    me.waits.set(Some(mailbox));
    me.answer(0);
    Outcome::switch(client)
}

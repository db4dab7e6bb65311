//! The usual ways of send, receive, call and reply: from registers to registers, or
//! through a place of the sender's process.
//!
//! Each decides by all that may be unusual, or-ed into one branch before anything has
//! changed; else the general handler, which knows nothing of the first, begins anew.

use giornata_abi::Error;
use giornata_abi::call::{Call, NOBODY};
use giornata_abi::id::{EXTRA, SLOT_MASK};

use crate::mail::message::{INLINE, special};
use crate::mail::receiving::{self, WORDS};
use crate::mail::sending;
use crate::sched::thread::state;
use crate::sched::timer::FOR_EVER;
use crate::slow_path::slow_path;
use crate::sync::object::{kind, look, look_received};
use crate::trace::reason;
use crate::{Machine, Message, Object, Outcome, Ref, System, Thread, differ, is_not, some};

/// In the upper half of a register: no client.
pub(crate) const NO_CLIENT: usize = NOBODY << EXTRA;
const SEND: usize = Call::Send as usize;
const SEND_BYTES: usize = Call::SendBytes as usize;
const CALL: usize = Call::Call as usize;
const FORWARD: usize = Call::Forward as usize;
const RECEIVE_BYTES: usize = Call::ReceiveBytes as usize;
const REPLY_RECEIVE: usize = Call::ReplyReceive as usize;
/// A priority that is too high has one of these bits, beside the slot.
const BEYOND: u32 = 24;

/// Four words to a mailbox.
#[inline(always)]
pub(crate) fn send<M: Machine>(
    to: usize,
    serial: usize,
    words: [usize; 4],
    me: Ref<Thread>,
    system: Ref<System>,
) -> Outcome {
    let [w0, w1, w2, w3] = words;
    let pool = me.process;
    let place = pool.free.get();
    if let Some((mailbox, wrong)) = look(me, to, serial, kind::MAILBOX) {
        let (wrong, priority) = (wrong | to >> BEYOND, to >> EXTRA | NO_CLIENT);
        let (waiter, first) = (mailbox.waiters.get(), mailbox.first.get());
        if let Some(waiter) = waiter {
            let state = waiter.state.get() | waiter.process.life.get();
            let unusual = wrong | differ(waiter.next.get(), waiter) | state as usize;
            if unusual == 0 && system.opens_top_unless(0, waiter.rank.get(), waiter) {
                mailbox.waiters.set(None);
                waiter.waits.set(None);
                waiter.hand(words, priority, 0);
                me.answer(0);
                return Outcome::switch(waiter);
            }
        } else if let Some(message) = place
            && wrong == 0
        {
            // (loads come before stores, so that one waits for all)
            let (next, tenant) = (message.below.get(), me.serial.get());
            let write = || {
                pool.free.set(next);
                message.fill(words);
                message.priority().set(priority as u32);
                message.sender.set(me);
                message.serial.set(tenant);
                Outcome::DONE
            };
            let Some(first) = first else {
                message.below.set(None);
                mailbox.first.set(Some(message));
                return write();
            };
            if first.priority().get() == priority as u32 {
                message.link(first);
                return write();
            }
        }
    }
    slow_path!(Send, to, serial, w0, w1, w2, w3, me, system)
}

/// The first message of a mailbox, if it is four words, or a wait for one. (Who receives
/// from another mailbox than the last, or where another thread received last, has more to
/// see to.)
#[inline(always)]
#[allow(clippy::too_many_arguments)] // those of the call
pub(crate) fn receive<M: Machine>(
    from: usize,
    serial: usize,
    low: usize,
    high: usize,
    e: usize,
    f: usize,
    me: Ref<Thread>,
    system: Ref<System>,
) -> Outcome {
    if let Some((mailbox, wrong)) = look_received(me, from, serial) {
        let unusual = wrong | me.state.get() as usize | is_not(mailbox.serves.get(), me.hand);
        let Some(message) = mailbox.first.get() else {
            if unusual | (low & high ^ FOR_EVER) == 0 {
                me.answer(0);
                return system.wait_now(me, mailbox);
            }
            return slow_path!(Receive, from, serial, low, high, e, f, me, system);
        };
        // (who waits while there are messages is a caller that nobody serves)
        let unusual = unusual | message.special.get() as usize | some(mailbox.waiters.get());
        let (next, pool) = (message.next.get(), message.pool);
        if unusual | differ(next, message) == 0 {
            let (below, free) = (message.below.get(), pool.free.get());
            mailbox.first.set(below);
            message.below.set(free);
            pool.free.set(Some(message));
            return Outcome::words(me, &message.words);
        }
        if unusual == 0 {
            return receive_of_equals(me, mailbox, message);
        }
    }
    slow_path!(Receive, from, serial, low, high, e, f, me, system)
}

/// The first message of a mailbox, behind which others of its priority lie, if it is four
/// words.
#[cold]
#[inline(never)]
extern "C" fn receive_of_equals(
    me: Ref<Thread>,
    mailbox: Ref<Object>,
    message: Ref<Message>,
) -> Outcome {
    let free = &message.pool.free;
    mailbox
        .first
        .set(Some(message.step_out(message.next.get())));
    message.below.set(free.get());
    free.set(Some(message));
    Outcome::words(me, &message.words)
}

/// A request, and the wait for its reply: to a server that waits for one.
#[inline(always)]
pub(crate) fn call<M: Machine>(
    to: usize,
    serial: usize,
    words: [usize; 4],
    me: Ref<Thread>,
    system: Ref<System>,
) -> Outcome {
    let [w0, w1, w2, w3] = words;
    if let Some((mailbox, wrong)) = look(me, to, serial, kind::MAILBOX)
        && let Some(server) = mailbox.waiters.get()
    {
        // (whoever is limited, or runs in the place of one that is, pays for the server)
        let state = server.state.get() | server.process.life.get();
        let unusual =
            differ(server.next.get(), server) | state as usize | me.limited.get() as usize;
        if wrong | to >> BEYOND | unusual == 0 {
            // It serves the caller in the caller's place: it comes into no queue. Whoever
            // waits for a message waits for nobody else, so no circle closes.
            mailbox.waiters.set(None);
            let (hand, token) = (server.hand, system.next_token());
            server.waits.set(None);
            server.state.set(state::IN_HAND | state::AFLOAT);
            server.float_at(system.idle().rank.get());
            server.hand(words, to >> EXTRA | me.upper(), token);
            hand.count.set(1);
            let request = me.request();
            request.token.set(token);
            request.priority.set(to);
            request.say(words);
            system.set_wants(me, Some(hand));
            let donor = system.entry();
            return Outcome::because(server, reason::HELPS | donor.upper());
        }
    }
    slow_path!(Call, to, serial, w0, w1, w2, w3, me, system)
}

/// The reply to a request, and the wait for the next.
#[inline(always)]
pub(crate) fn reply_receive<M: Machine>(
    slot: usize,
    token: usize,
    words: [usize; 4],
    me: Ref<Thread>,
    system: Ref<System>,
) -> Outcome {
    let [w0, w1, w2, w3] = words;
    let hand = me.hand;
    // the usual case: the client has the turn
    let client = system.entry();
    let unusual = (client.request().token.get() ^ token)
        | (client.number() as usize ^ slot)
        | is_not(client.wants.get(), hand);
    if let Some(mailbox) = hand.serves.get()
        && unusual == 0
    {
        // its request is the only one in the hand, and no other lies in the mailbox
        let state = me.state.get() ^ (state::IN_HAND | state::AFLOAT);
        let unusual = (state | (hand.count.get() ^ 1)) as usize
            | is_not(mailbox.owner.get(), me)
            | some(mailbox.first.get())
            | some(mailbox.waiters.get());
        if unusual == 0 {
            client.hand(words, 0, 0);
            system.set_wants(client, None);
            client.answer(0);
            hand.count.set(0);
            mailbox.waiters.set(Some(me));
            me.state.set(0);
            me.return_to_own();
            me.waits.set(Some(mailbox));
            me.answer(0);
            return Outcome::switch(client);
        }
    }
    slow_path!(ReplyReceive, slot, token, w0, w1, w2, w3, me, system)
}

/// Any call about messages, see [`crate::slow_path`]; or it continues, with the message that is
/// bound to the caller.
#[inline(never)]
pub(crate) fn carry_out<M: Machine>(me: Ref<Thread>, system: Ref<System>) -> Outcome {
    let [a0, a1, a2, a3, a4, a5, _, number] = &me.context.a;
    let mut sender = Some(me);
    let bound = system.unbind(me);
    let special = match number.get() {
        SEND => 0,
        SEND_BYTES => special::BYTES | special::OUT,
        CALL => special::CALL,
        FORWARD => {
            a0.set(a0.get() & SLOT_MASK);
            sender = system.client_of(me, a2.get(), a3.get());
            special::CALL
        }
        RECEIVE_BYTES => return receiving::receive_any::<M>(me, bound, system),
        number => {
            if number == REPLY_RECEIVE {
                if let Some(client) = system.client_of(me, a0.get(), a1.get()) {
                    system.withdraw(client);
                    client.results([a2.get(), a3.get(), a4.get(), a5.get(), 0, 0]);
                }
                let Some(mailbox) = me.hand.serves.get() else {
                    return system.end_call(me, Error::EINVAL as usize);
                };
                // (if another lives there now, the serial number is wrong)
                a0.set(mailbox.number as usize);
                a1.set(me.hand.serial.get() as usize);
                a2.set(FOR_EVER);
                a3.set(FOR_EVER);
            }
            a5.set(WORDS << EXTRA | INLINE as usize);
            return receiving::receive_any::<M>(me, bound, system);
        }
    };
    sending::post::<M>(me, sender, special, bound, system)
}

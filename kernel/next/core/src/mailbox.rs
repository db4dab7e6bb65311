//! The usual ways of send, receive, call and reply: from registers to registers, or
//! through a place of the sender's process.
//!
//! Each decides by all that may be odd, or-ed into one branch before anything has
//! changed; else the general handler, which knows nothing of the first, begins anew.

use core::hint::cold_path;

use giornata_abi::next::call::NOBODY;
use giornata_abi::next::id::EXTRA;

use crate::object::{kind, look, look_received};
use crate::ready::level;
use crate::thread::state;
use crate::timer::FOR_EVER;
use crate::trace::reason;
use crate::{Kernel, Machine, Outcome, Ref, Thread, differ, is_not, receiving, sending, some};

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
    if let Some((mailbox, wrong)) = look(me, to, serial, kind::MAILBOX) {
        let (wrong, priority) = (wrong | to >> BEYOND, to >> EXTRA);
        if let Some(waiter) = mailbox.waiters.get() {
            let odd = wrong | differ(waiter.next.get(), waiter) | waiter.state.get() as usize;
            if odd == 0 && kernel.opens_top_unless(0, waiter.rank.get(), waiter) {
                mailbox.waiters.set(None);
                waiter.waits.set(None);
                waiter.hand(words, priority | NO_CLIENT, 0);
                me.answer(0);
                return Outcome::switch(waiter);
            }
        } else if let Some(message) = me.process.free.get()
            && wrong == 0
        {
            // empty, or as the first are
            let first = mailbox.first.get();
            if first.is_none_or(|first| first.priority.get() == priority as u32) {
                me.process.free.set(message.below.get());
                match first {
                    Some(first) => message.link(first),
                    None => {
                        message.below.set(None);
                        mailbox.first.set(Some(message));
                    }
                }
                message.fill(words);
                message.priority.set(priority as u32);
                message.sender.set(Some(me));
                message.serial.set(me.serial.get());
                return Outcome::DONE;
            }
        }
    }
    cold_path();
    sending::send::<M>(to, serial, w0, w1, w2, w3, me, kernel)
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
    kernel: Ref<Kernel>,
) -> Outcome {
    if let Some((mailbox, wrong)) = look_received(me, from, serial) {
        let odd = wrong
            | me.state.get() as usize
            | is_not(mailbox.owner.get(), me)
            | is_not(me.hand.serves.get(), mailbox);
        let Some(message) = mailbox.first.get() else {
            if odd | (low & high ^ FOR_EVER) == 0 {
                me.answer(0);
                return kernel.wait_now(me, mailbox);
            }
            cold_path();
            return receiving::receive::<M>(from, serial, low, high, e, f, me, kernel);
        };
        // (who waits while there are messages is a caller that nobody serves)
        if odd | message.special.get() as usize | some(mailbox.waiters.get()) == 0 {
            let (next, below) = (message.next.get(), message.below.get());
            if differ(next, message) != 0 {
                cold_path();
                message.unlink();
                next.below.set(below);
                mailbox.first.set(Some(next));
            } else {
                mailbox.first.set(below);
            }
            let priority = message.priority.get() as usize;
            me.hand(message.words_as_sent(), priority | NO_CLIENT, 0);
            let pool = message.pool;
            message.below.set(pool.free.get());
            pool.free.set(Some(message));
            me.answer(0);
            return Outcome::switch(me);
        }
    }
    cold_path();
    receiving::receive::<M>(from, serial, low, high, e, f, me, kernel)
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
    let [w0, w1, w2, w3] = words;
    if let Some((mailbox, wrong)) = look(me, to, serial, kind::MAILBOX)
        && let Some(server) = mailbox.waiters.get()
    {
        let odd = differ(server.next.get(), server) | server.state.get() as usize;
        if wrong | to >> BEYOND | odd == 0 {
            // It serves the caller in the caller's place: it comes into no queue. Whoever
            // waits for a message waits for nobody else, so no circle closes.
            mailbox.waiters.set(None);
            let (hand, token) = (server.hand, kernel.next_token());
            server.waits.set(None);
            server.state.set(state::IN_HAND);
            server.rank.set(kernel.idle.rank.get());
            server.hand(words, to >> EXTRA | me.upper(), token);
            hand.count.set(1);
            let request = me.request();
            request.token.set(token);
            request.priority.set(to);
            request.say(words);
            me.wants.set(Some(hand));
            let donor = kernel.slot.get();
            return Outcome::because(server, reason::HELPS | donor.upper());
        }
    }
    cold_path();
    sending::call::<M>(to, serial, w0, w1, w2, w3, me, kernel)
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
    let hand = me.hand;
    // the usual case: the client has the turn
    let client = kernel.slot.get();
    let odd = (client.request().token.get() ^ token)
        | (client.number() as usize ^ slot)
        | is_not(client.wants.get(), hand)
        | differ(me.next.get(), me);
    if let Some(mailbox) = hand.serves.get()
        && odd == 0
    {
        // its request is the only one in the hand, and no other lies in the mailbox
        let odd = (me.state.get() ^ state::IN_HAND)
            | (hand.count.get() ^ 1)
            | (me.rank.get().level() ^ level::IDLE)
            | (mailbox.kind.get() ^ kind::MAILBOX);
        let odd = odd as usize
            | is_not(mailbox.owner.get(), me)
            | some(mailbox.first.get())
            | some(mailbox.waiters.get());
        if odd == 0 {
            client.hand(words, 0, 0);
            client.wants.set(None);
            client.answer(0);
            hand.count.set(0);
            mailbox.waiters.set(Some(me));
            me.state.set(0);
            me.rank.set(me.own.get());
            me.waits.set(Some(mailbox));
            me.answer(0);
            return Outcome::switch(client);
        }
    }
    cold_path();
    receiving::reply::<M>(slot, token, w0, w1, w2, w3, me, kernel)
}
